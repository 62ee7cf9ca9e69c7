//! `scumble sample`: a synthetic clinic table of any size.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::release::outputs::{Outputs, Own};
use scumble::{Error, Result};
use scumble_files::{Audience, PrivateFile};

use crate::sample::{hierarchies, write_sample};
use crate::ui::{Interface, check_standard_output, row_count};

/// Write a synthetic clinic table of any size, for trying things. No person in it exists
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The number of rows
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = super::whole)]
    rows: u64,
    /// Random seed; another one gives other people
    #[arg(long, default_value_t = DEMO_SEED, value_name = "N", value_parser = super::whole)]
    seed: u64,
    /// The CSV file; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Also write the table's hierarchies to this folder
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

/// The seed of the demo.
pub(crate) const DEMO_SEED: u64 = 42;

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    check_standard_output(&arguments.output)?;
    let mut outputs = Outputs::new(arguments.force);
    claim(&mut outputs, &arguments.output, arguments.hierarchies.as_deref(), arguments.seed)?;
    if let Some(folder) = &arguments.hierarchies {
        write_hierarchies(folder)?;
    }
    if arguments.output == Path::new("-") {
        let written = write_sample(&mut std::io::stdout().lock(), arguments.rows, arguments.seed);
        return match written {
            // A reader that stops early is no error.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(source) => Err(Error::io("cannot write to standard output", source)),
            Ok(()) => Ok(ExitCode::SUCCESS),
        };
    }
    write_to(&arguments.output, |out| write_sample(out, arguments.rows, arguments.seed))?;
    interface.say(format_args!("Wrote {} to {}", row_count(arguments.rows), arguments.output.display()));
    Ok(ExitCode::SUCCESS)
}

/// Claims the outputs, and fails if the sample or its hierarchies would overwrite something else. A table may be replaced if this seed
/// makes the same rows again, a hierarchy if it is the same.
pub(crate) fn claim(outputs: &mut Outputs, table: &Path, folder: Option<&Path>, seed: u64) -> Result<()> {
    let own = |known: bool| if known { Own::Known } else { Own::Nothing };
    outputs.write(table, own(is_sample(table, seed)))?;
    for (column, text) in folder.iter().flat_map(|_| hierarchies()) {
        let file = folder.unwrap_or(Path::new("")).join(format!("{column}.csv"));
        let same = std::fs::read(&file).is_ok_and(|there| there == text.as_bytes());
        outputs.write(&file, own(same))?;
    }
    Ok(())
}

/// Whether a file is a sample that this seed makes.
fn is_sample(path: &Path, seed: u64) -> bool {
    let Ok(there) = std::fs::read(path) else { return false };
    let lines = there.iter().filter(|byte| **byte == b'\n').count() as u64;
    let mut rest = Expected(&there);
    lines > 0 && write_sample(&mut rest, lines - 1, seed).is_ok() && rest.0.is_empty()
}

/// A writer that compares with the expected bytes, and fails at the first difference.
struct Expected<'a>(&'a [u8]);

impl Write for Expected<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(std::io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes the hierarchies of the sample's columns into a folder.
pub(crate) fn write_hierarchies(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::io(format!("cannot make the folder '{}'", folder.display()), source))?;
    for (column, text) in hierarchies() {
        write_to(&folder.join(format!("{column}.csv")), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// Writes a file that gets its name only when it is complete.
pub(crate) fn write_to(
    target: &Path,
    write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> Result<()> {
    let mut file = PrivateFile::create(target)?;
    write(file.file()).map_err(|error| scumble_files::cannot_write(target, error))?;
    file.publish(Audience::Public)?.sound()
}
