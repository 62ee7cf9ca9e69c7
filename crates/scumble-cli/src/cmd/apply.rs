//! `scumble apply`: a saved recoding, applied to other rows.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::Plan;
use scumble::release::outputs::Outputs;
use scumble::release::saved::SavedRecoding;
use scumble::release::{Applied, RunOptions, apply_beside};
use scumble::{Error, Result};

use super::anonymize;
use super::key_flag::KeyFlag;
use super::reading::Reading;
use crate::ui::{Interface, check_standard_output, counted, percent, print_after_publishing, row_count};

/// Recode the rows of another table in the same way as those of a release, and verify the result
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The recoding, as scumble anonymize --recoding FILE wrote it (also recoding.json of a report)
    recoding: PathBuf,
    /// The table with the new rows; - is standard input
    data: String,
    /// Where the recoded rows go; the ending sets the format, as for anonymize; - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: String,
    /// Keep every row in its order and check no model: for testing what was learnt from a release, not for publication
    #[arg(long)]
    private: bool,
    /// What happens to suppressed rows, instead of what the recoding says: strict, paper or drop
    #[arg(long, value_name = "POLICY", conflicts_with = "private")]
    star_policy: Option<String>,
    /// What happens to columns that the recoding does not know: other or drop
    #[arg(long, value_name = "ROLE")]
    rest: Option<String>,
    /// Put a ' before texts that spreadsheet programs would run as formulas; for CSV and TSV
    #[arg(long)]
    spreadsheet_safe: bool,
    /// The program that CSV is written for: excel (commas), or excel-de (semicolons, decimal commas)
    #[arg(long, value_name = "NAME")]
    output_dialect: Option<String>,
    /// Print exactly one JSON object with all figures (private: it is about the original)
    #[arg(long)]
    json: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    key: KeyFlag,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    if arguments.json && arguments.output == "-" {
        return Err(Error::config("--json and -o - both want standard output; give the output a file name"));
    }
    check_standard_output(Path::new(&arguments.output))?;
    let saved = SavedRecoding::load(&arguments.recoding)?;
    let mut plan = saved.plan(&arguments.data, &arguments.output);
    arguments.reading.apply(&mut plan.read)?;
    plan.spreadsheet_safe = arguments.spreadsheet_safe;
    plan.output_dialect = arguments.output_dialect.as_deref().map(anonymize::output_dialect).transpose()?;
    if let Some(policy) = &arguments.star_policy {
        plan.algorithm.star_policy = anonymize::star_policy(policy)?;
    }
    if let Some(rest) = &arguments.rest {
        plan.rest = Some(anonymize::rest(rest)?);
    }
    arguments.key.apply(&mut plan)?;
    let mut out = std::io::stdout();
    let stage = |stage| interface.stage(stage);
    let mut options = RunOptions {
        folder: std::path::Path::new(""),
        progress: interface.progress(),
        stage: &stage,
        standard_output: Some(&mut out),
    };
    let outputs = Outputs::new(arguments.force);
    let applied = apply_beside(&saved, &plan, arguments.private, &outputs, &mut options);
    interface.done();
    let applied = applied?;
    if arguments.json {
        print_after_publishing(format!("{}\n", applied.figures()?))?;
    } else {
        tell(&plan, &applied, interface);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports in a few lines what was recoded.
fn tell(plan: &Plan, applied: &Applied, interface: &Interface) {
    let (released, summary) = (&applied.released, &applied.released.summary);
    let target =
        released.release.as_ref().map_or("standard output".into(), |path| path.display().to_string());
    interface.say(format_args!("Recoded {} to {target}", row_count(summary.released)));
    if !summary.models.is_empty() {
        interface.say(format_args!("  {}", anonymize::promised(plan, summary)));
    }
    if !applied.private {
        interface.say(format_args!(
            "  {} suppressed ({})",
            row_count(summary.suppressed),
            percent(summary.suppressed, summary.rows)
        ));
    }
    for (column, rows) in &applied.unplaced {
        interface.say(format_args!(
            "  {column}: {} that the recoding does not cover; {} *",
            counted(*rows, "row has a value", "rows have a value"),
            if *rows == 1 { "it shows" } else { "they show" }
        ));
    }
    if let Some(path) = &released.datasheet {
        interface.say(format_args!("  datasheet  {}  (may be published)", path.display()));
    }
    summary.notes.iter().for_each(|note| interface.note(note));
    summary.warnings.iter().for_each(|warning| interface.warn(warning));
}
