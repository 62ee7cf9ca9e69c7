//! From the report's data to what the template shows: one file per section, in the order of the page.
//!
//! A section that has nothing to say returns `None` and vanishes, with its entry in the contents.

pub(super) mod attacks;
mod class_sizes;
mod closing;
mod columns;
mod combinations;
mod information;
mod kept;
mod opening;
mod requirements;
mod risk;
mod risk_charts;
pub(super) mod risk_page;
mod suppression;
mod tables;

use super::charts::Series;
use super::charts::columns::legend;
use super::data::Report;
use minijinja::{Value, context};

/// Everything the template needs.
pub(super) fn page(report: &Report) -> Value {
    context! {
        title => &report.title,
        heading => "private report",
        strip => "This report describes the original data. Keep it in the house; publish only the release and its datasheet.",
        byline => byline(report),
        version => report.run.as_ref().map(|run| run.version.as_str()).filter(|v| !v.is_empty()),
        opening => opening::section(report),
        sections => sections(report),
    }
}

fn byline(report: &Report) -> String {
    let source = report.source.as_ref().map_or_else(String::new, |source| format!(" made from {source}"));
    let created = report.created.as_ref().map_or_else(String::new, |created| format!(", {created}"));
    format!("Private report of a release{source}{created}")
}

/// The sections that are present. The template draws each by its `id`.
fn sections(report: &Report) -> Vec<Value> {
    [
        ("requirements", "What was asked and what holds", requirements::models(report)),
        ("tables", "The tables", tables::section(report)),
        ("costs", "What it cost", requirements::costs(report)),
        ("class-sizes", "Class sizes", class_sizes::section(report)),
        ("columns", "Columns before and after", columns::section(report)),
        ("information", "What the columns still say", information::section(report)),
        ("combinations", "All combinations of levels", combinations::section(report)),
        ("suppression", "Suppressed rows", suppression::section(report)),
        ("risk", "Risk that is left", risk::section(report)),
        ("attacks", "What attackers still learn", attacks::section(&report.attacks)),
        ("kept", "Columns kept exactly", kept::section(report)),
        ("warnings", "Warnings and notes", closing::warnings(report)),
        ("run", "How it was run", closing::run(report)),
        ("glossary", "Words used here", Some(closing::glossary())),
    ]
    .into_iter()
    .filter_map(|(id, title, body)| Some(context! { id, title, body => body? }))
    .collect()
}

/// A chart with its heading, a remark and a legend.
fn figure(svg: String, heading: &str, remark: &str, series: &[Series]) -> Value {
    let legend: Vec<Value> =
        legend(series).into_iter().map(|(class, name)| context! { class, name }).collect();
    // The chart escapes its own text; see `charts::svg`.
    context! { svg => Value::from_safe_string(svg), heading, remark, legend }
}
