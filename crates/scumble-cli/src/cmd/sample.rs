//! `scumble sample`: a synthetic clinic table of any size.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::{Error, Result};
use scumble_files::{Audience, PrivateFile};

use crate::sample::{hierarchies, write_sample};
use crate::ui::{Interface, row_count};

/// Write a synthetic clinic table of any size, for trying things. No person in it exists
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How many rows
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    rows: u64,
    /// Another seed gives other people
    #[arg(long, default_value_t = DEMO_SEED, value_name = "N")]
    seed: u64,
    /// The CSV file; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Also write the table's hierarchies to this folder
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
}

/// The seed of the demo.
pub(crate) const DEMO_SEED: u64 = 42;

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    if let Some(folder) = &arguments.hierarchies {
        write_hierarchies(folder)?;
    }
    if arguments.output == Path::new("-") {
        let written = write_sample(&mut std::io::stdout().lock(), arguments.rows, arguments.seed);
        return match written {
            // A reader that has seen enough is no error.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
            Err(source) => Err(Error::Io { what: "cannot write to standard output".into(), source }),
            Ok(()) => Ok(ExitCode::SUCCESS),
        };
    }
    write_to(&arguments.output, |out| write_sample(out, arguments.rows, arguments.seed))?;
    interface.say(format_args!("Wrote {} to {}", row_count(arguments.rows), arguments.output.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the hierarchies of the sample's columns into a folder.
pub(crate) fn write_hierarchies(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|source| Error::Io {
        what: format!("cannot make the folder '{}'", folder.display()),
        source,
    })?;
    for (column, text) in hierarchies() {
        write_to(&folder.join(format!("{column}.csv")), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
}

/// Writes a file that appears under its name only when it is complete.
pub(crate) fn write_to(
    target: &Path,
    write: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> Result<()> {
    let mut file = PrivateFile::create(target)?;
    write(file.file()).map_err(|error| scumble_files::cannot_write(target, error))?;
    Ok(file.publish(Audience::Public)?)
}
