//! A warning about texts that spreadsheet programs run instead of showing them.

use scumble_files::OutFormat;
use scumble_files::spreadsheet::is_formula;
use scumble_files::table::Texts;

use crate::base::text::{counted, on_one_line};
use crate::config::Plan;
use crate::table::quasi::Quasi;

/// What a column of a release may show.
#[derive(Clone, Copy)]
pub(super) enum Shows<'a> {
    /// These values, as they are.
    Texts(&'a Texts),
    /// These values of a quasi-identifier or coarser ones; a value that looks like a label is marked with `=`.
    Labels(&'a Texts, &'a Quasi),
}

impl Shows<'_> {
    fn a_formula(self) -> bool {
        match self {
            Self::Texts(texts) => texts.iter().any(is_formula),
            Self::Labels(texts, quasi) => texts.iter().any(|text| is_formula(&quasi.leaf_label(text))),
        }
    }
}

/// A warning where the release is delimited text and a spreadsheet program would take one of its names or texts for a formula.
pub(super) fn warning<'a>(
    plan: &Plan,
    format: OutFormat,
    columns: impl Iterator<Item = (&'a str, Shows<'a>)>,
) -> Option<String> {
    if plan.spreadsheet_safe || !matches!(format, OutFormat::Csv { .. }) {
        return None;
    }
    let runs = |(name, shows): &(&str, Shows<'_>)| is_formula(name) || shows.a_formula();
    let found: Vec<&str> = columns.filter(runs).map(|(name, _)| name).collect();
    let first = found.first()?;
    Some(format!(
        "{} texts that begin with =, +, - or @ (the first is '{}'): spreadsheet programs run these as formulas when they \
         open the file. Write them so that no program runs them (spreadsheet_safe), or publish it as Parquet",
        counted(found.len() as u64, "column has", "columns have"),
        on_one_line(first)
    ))
}
