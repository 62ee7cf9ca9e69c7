//! `scumble init DATA`: profile the columns and write a commented plan.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::Read;
use scumble::prelude::{Guess, PlanFiles};
use scumble::release::outputs::{Outputs, Own};
use scumble::{Error, Result};
use scumble_files::Source;

use super::reading::Reading;
use crate::ui::{Interface, check_standard_output, counted, print, row_count};

/// Profile the columns of a table, guess roles, types and hierarchies, and write a commented plan
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table
    data: PathBuf,
    /// The plan to write; - is standard output
    #[arg(long, short, default_value = "release.toml", value_name = "FILE")]
    output: PathBuf,
    /// Write the guesses as they are, without the ? that asks for confirmation
    #[arg(long)]
    accept: bool,
    /// Replace an existing plan
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    check_standard_output(&arguments.output)?;
    let mut outputs = Outputs::new(arguments.force);
    outputs.read("input", &arguments.data);
    outputs.write(&arguments.output, Own::Nothing)?;
    let mut read = Read::default();
    arguments.reading.apply(&mut read)?;
    let input = input_from(&arguments.data, &arguments.output)?;
    let (text, columns, rows) = make_plan(&arguments.data, &input, &read, arguments.accept, interface)?;
    if arguments.output == Path::new("-") {
        print(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    write_private(&arguments.output, &text)?;
    interface.say(format_args!(
        "Looked at {} of {} and wrote {}",
        counted(columns as u64, "column", "columns"),
        row_count(rows),
        arguments.output.display()
    ));
    if arguments.accept {
        interface.say(format_args!("Next: scumble anonymize {}", arguments.output.display()));
    } else {
        interface.say(format_args!(
            "Next: look at each column's role, remove the ? where it is right, then: scumble anonymize {}",
            arguments.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that only its owner can read, since it describes the original.
pub(crate) fn write_private(target: &Path, text: &str) -> Result<()> {
    let mut file = scumble_files::PrivateFile::create(target)?;
    std::io::Write::write_all(file.file(), text.as_bytes())
        .map_err(|error| scumble_files::cannot_write(target, error))?;
    file.publish(scumble_files::Audience::Owner)?.sound()
}

/// Returns the table's name as seen from the plan's folder.
fn input_from(data: &Path, plan: &Path) -> Result<String> {
    let folder = plan.parent().filter(|folder| !folder.as_os_str().is_empty());
    if data == Path::new("-") || folder.is_none() || data.is_absolute() {
        return Ok(data.to_string_lossy().into_owned());
    }
    let path = std::path::absolute(data)
        .map_err(|source| Error::io(format!("cannot use '{}'", data.display()), source))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Returns the text of a plan for a table, the number of its columns, and its rows.
pub(crate) fn make_plan(
    data: &Path,
    input: &str,
    read: &Read,
    accept: bool,
    interface: &Interface,
) -> Result<(String, usize, u64)> {
    let guess = Guess::of(&Source::open(data)?, read, interface.progress().control())?;
    interface.done();
    guess.notes.iter().for_each(|note| interface.note(note));
    let text = guess.to_toml(&PlanFiles::for_input(input), accept);
    Ok((text, guess.columns.len(), guess.rows))
}
