//! `scumble init DATA`: profile the columns and write a commented plan.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::Read;
use scumble::config::template::Template;
use scumble::prelude::{Guess, PlanFiles};
use scumble::release::outputs::{Outputs, Own};
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_files::database::{Address, from_here};

use super::reading::Reading;
use crate::ui::{Interface, check_standard_output, counted, print, row_count};

/// Profile the columns of a table, guess roles, types and hierarchies, and write a commented plan
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table: a file, or one in a database (postgres://…?table=NAME, sqlite:…?table=NAME)
    data: PathBuf,
    /// The plan to write; - is standard output. If not given: release.toml, or the table's name if release.toml is the plan of another table
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Follow a template, such as hipaa_safe_harbor: what a rule or an office asks of a release (scumble list templates)
    #[arg(long, value_name = "NAME")]
    template: Option<String>,
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
    let output = arguments.output.clone().unwrap_or_else(|| default_plan(&arguments.data));
    check_standard_output(&output)?;
    let template = arguments.template.as_deref().map(Template::find).transpose()?;
    let mut outputs = Outputs::new(arguments.force);
    outputs.read("input", &arguments.data);
    outputs.write(&output, Own::Nothing)?;
    let mut read = Read::default();
    arguments.reading.apply(&mut read)?;
    let mut files = PlanFiles::for_input(&input_from(&arguments.data, &output)?);
    if output != Path::new("-") {
        files.plan = output.display().to_string();
    }
    let guess = look_at(&arguments.data, &read, interface)?;
    let (columns, rows) = (guess.columns.len(), guess.rows);
    let text = match &template {
        None => guess.to_toml(&files, arguments.accept),
        Some(template) => {
            let (text, notes) = guess.to_toml_of(template, &files, arguments.accept);
            notes.iter().for_each(|note| interface.warn(note));
            text
        }
    };
    if output == Path::new("-") {
        print(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    write_private(&output, &text)?;
    interface.say(format_args!(
        "Looked at {} of {} and wrote {}",
        counted(columns as u64, "column", "columns"),
        row_count(rows),
        output.display()
    ));
    if arguments.accept {
        interface.say(format_args!("Next: scumble anonymize {}", output.display()));
    } else {
        interface.say(format_args!(
            "Next: look at each column's role, remove the ? where it is right, then: scumble anonymize {}",
            output.display()
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

/// The plan's name if none is given: `release.toml`, or the name of the table where that is the plan of another table.
fn default_plan(data: &Path) -> PathBuf {
    let usual = PathBuf::from("release.toml");
    let text = std::fs::read_to_string(&usual).unwrap_or_default();
    let input =
        text.parse::<toml::Table>().ok().and_then(|plan| plan.get("input")?.as_str().map(PathBuf::from));
    let is_of_another = input.is_some_and(|input| input != data && !scumble_files::same_file(&input, data));
    match PlanFiles::stem(&data.to_string_lossy()) {
        Some(stem) if is_of_another => PathBuf::from(format!("{stem}.toml")),
        _ => usual,
    }
}

/// Returns the table's name as seen from the plan's folder.
fn input_from(data: &Path, plan: &Path) -> Result<String> {
    let folder = plan.parent().filter(|folder| !folder.as_os_str().is_empty());
    let is_server =
        Address::recognise(&data.to_string_lossy()).is_some_and(|of| of.is_ok_and(|of| of.file().is_none()));
    if data == Path::new("-") || is_server || folder.is_none() || data.is_absolute() {
        return Ok(data.to_string_lossy().into_owned());
    }
    let path =
        from_here(data).map_err(|source| Error::io(format!("cannot use '{}'", data.display()), source))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Returns the text of a plan for a table, the number of its columns, and its rows.
pub(crate) fn make_plan(
    data: &Path,
    files: &PlanFiles,
    read: &Read,
    accept: bool,
    interface: &Interface,
) -> Result<(String, usize, u64)> {
    let guess = look_at(data, read, interface)?;
    let text = guess.to_toml(files, accept);
    Ok((text, guess.columns.len(), guess.rows))
}

/// What a table shows about its columns, with notes about how it was read.
pub(super) fn look_at(data: &Path, read: &Read, interface: &Interface) -> Result<Guess> {
    let guess = Guess::of(&Source::open(data)?, read, interface.progress().control())?;
    interface.done();
    guess.notes.iter().for_each(|note| interface.note(note));
    Ok(guess)
}
