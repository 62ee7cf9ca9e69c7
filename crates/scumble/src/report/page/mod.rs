//! Turns the report's data into what the template shows: one file per section, in the order of the page.
//!
//! A section with nothing to show returns `None` and is left out, with its entry in the contents.

pub(super) mod attacks;
mod class_sizes;
mod closing;
mod columns;
mod combinations;
mod criteria;
mod histories;
mod information;
mod kept;
mod opening;
mod perturbed;
mod requirements;
mod risk;
mod risk_charts;
pub(super) mod risk_page;
mod suppression;
mod tables;

use super::charts::Series;
use super::charts::columns::legend;
use super::data::Report;
use crate::base::format::{count, counted};
use minijinja::{Value, context};

/// The notice above every page about the original.
const STRIP: &str = "This page describes the original data. Do not share it outside your organisation; publish only the release and its datasheet.";

/// The data of the template for the whole report.
pub(super) fn page(report: &Report) -> Value {
    context! {
        title => &report.title,
        heading => "private report",
        strip => STRIP,
        byline => byline(report),
        version => report.run.as_ref().map(|run| run.version.as_str()).filter(|v| !v.is_empty()),
        opening => opening::section(report),
        sections => sections(report),
    }
}

/// The data of the template for one printed page: verdict, requirements, how the release was made, and room for a signature.
pub(super) fn summary(report: &Report) -> Value {
    let sections: Vec<Value> = [
        ("requirements", "What was asked and what holds", requirements::models(report)),
        ("run", "How it was made", closing::run(report, true)),
        ("decision", "Decision", Some(context! {})),
    ]
    .into_iter()
    .filter_map(|(id, title, body)| Some(context! { id, title, note => "", body => body?, open => true }))
    .collect();
    context! {
        title => &report.title,
        heading => "summary",
        strip => STRIP,
        byline => format!("Summary of the private report{}", made_from(report)),
        version => report.run.as_ref().map(|run| run.version.as_str()).filter(|v| !v.is_empty()),
        opening => opening::section(report),
        short => true,
        sections,
    }
}

fn byline(report: &Report) -> String {
    format!("Private report of a release{}", made_from(report))
}

fn made_from(report: &Report) -> String {
    let source = report.source.as_ref().map_or_else(String::new, |source| format!(" made from {source}"));
    let created = report.created.as_ref().map_or_else(String::new, |created| format!(", {created}"));
    source + &created
}

/// The sections that are present. The template draws each by its `id`. The first, about the columns, is open; the rest unfolds.
fn sections(report: &Report) -> Vec<Value> {
    let holding = report.models.iter().filter(|model| model.holds).count();
    let requirements_note = format!("{holding} of {} hold", report.models.len());
    let measures = counted(report.metrics.len() as u64, "measure", "measures");
    let kept = kept::columns(report).count() as u64;
    let suppressed =
        format!("{} of {}", count(report.release.suppressed), counted(report.release.rows, "row", "rows"));
    unfolding(vec![
        ("columns", "Before and after", String::new(), columns::section(report)),
        ("points", "Points to decide, and notes", closing::points_note(report), closing::points(report)),
        ("requirements", "What was asked and what holds", requirements_note, requirements::models(report)),
        ("tables", "The tables", String::new(), tables::section(report)),
        ("risk", "Risk that is left", String::new(), risk::section(report)),
        (
            "attacks",
            "What attackers still learn",
            attacks::note(&report.attacks),
            attacks::section(&report.attacks),
        ),
        (
            "criteria",
            "Singling out, linkability, inference",
            String::new(),
            criteria::section(report.criteria.as_ref()),
        ),
        ("histories", "Rows of one person, taken together", String::new(), histories::section(report)),
        ("perturbed", "Perturbed columns", perturbed::note(report), perturbed::section(report)),
        ("kept", "Columns published exactly", counted(kept, "column", "columns"), kept::section(report)),
        ("suppression", "Suppressed rows", suppressed, suppression::section(report)),
        ("class-sizes", "Group sizes", class_sizes::note(report), class_sizes::section(report)),
        ("costs", "What it cost", measures, requirements::costs(report)),
        ("information", "What the columns still say", String::new(), information::section(report)),
        ("combinations", "All combinations of levels", String::new(), combinations::section(report)),
        ("run", "How it was made", String::new(), closing::run(report, false)),
        ("glossary", "Words used here", String::new(), Some(closing::glossary())),
    ])
}

/// Sections with their short notes; the first is open.
fn unfolding(sections: Vec<(&'static str, &'static str, String, Option<Value>)>) -> Vec<Value> {
    let present = sections.into_iter().filter_map(|(id, title, note, body)| Some((id, title, note, body?)));
    let all = present.enumerate();
    all.map(|(place, (id, title, note, body))| context! { id, title, note, body, open => place == 0 })
        .collect()
}

/// A chart with its heading, a remark and a legend.
fn figure(svg: String, heading: &str, remark: &str, series: &[Series]) -> Value {
    let legend: Vec<Value> =
        legend(series).into_iter().map(|(class, name)| context! { class, name }).collect();
    // The chart escapes its own text; see `charts::svg`.
    context! { svg => Value::from_safe_string(svg), heading, remark, legend }
}
