//! The private report of a run: one HTML page that needs nothing else, and its JSON twin.
//!
//! The report is for the person who must decide whether a release goes out: a data steward, not a privacy
//! expert. It opens with a verdict and the next thing to do, and then gives the reasons. It describes the
//! original table (distributions, suppressed subgroups), so **it must not be published**; callers write
//! it with owner-only permissions.
//!
//! * [`data`]: what the report says. The JSON twin is exactly this, serialised.
//! * `verdict`: colour, sentence and next steps, from all evidence. `words`: the sentences; `model_words`: those about models.
//! * `charts`: small SVG images. `page`: one file per section, from data to what the template shows.
//! * `template.html`: how it looks. No script, no network, light, dark and paper.
//!
//! To add a section: a field in [`data::Report`], a file in `page/`, a line in `page::sections`, a branch
//! in the template.
//!
//! ```
//! use scumble::report::{self, data::{ModelResult, Release, Report, Setting}};
//!
//! let report = Report {
//!     title: "clinic".into(),
//!     release: Release { rows: 100, released: 100, classes: 12, checked: true, ..Release::default() },
//!     models: vec![ModelResult {
//!         name: "k_anonymity".into(),
//!         claim: Some("5-anonymous on age and sex".into()),
//!         title: "k-anonymity".into(),
//!         on: vec!["age".into(), "sex".into()],
//!         required: vec![Setting::new("k", 5u64)],
//!         holds: true,
//!         ..ModelResult::default()
//!     }],
//!     ..Report::default()
//! };
//! let page = report::html(&report)?;
//! assert!(page.contains("5-anonymous on age and sex; checked"));
//! let twin = report::json(&report)?;
//! assert!(twin.contains("\"k_anonymity\""));
//! # Ok::<(), scumble::error::Error>(())
//! ```
//!
//! Anything here that is neither in [`crate::prelude`] nor in [`crate::extend`] is not stable: it may change from version to version.

mod charts;
mod combinations;
mod criteria;
pub mod data;
pub mod drawing;
mod histories;
mod households;
mod model_words;
mod personal;
mod perturbation;
pub(crate) use model_words::on_columns;
mod page;
mod verdict;
pub(crate) mod words;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use crate::config::Audience;
use crate::error::{Error, Result};
use crate::risk::Assessment;
use data::{AttackResult, Criteria, Report};
use minijinja::Value;

const TEMPLATE: &str = include_str!("template.html");

/// The report as one HTML page that loads nothing else.
///
/// # Errors
/// Only if the built-in template is broken, which is a bug.
pub fn html(report: &Report) -> Result<String> {
    draw(page::page(report))
}

/// The report on one printed page, to be kept with the decision: verdict, requirements, how the release was made.
///
/// # Errors
/// Only if the built-in template is broken, which is a bug.
pub fn summary_html(report: &Report) -> Result<String> {
    draw(page::summary(report))
}

/// The risk in one table as one HTML page that loads nothing else.
///
/// # Errors
/// Only if the built-in template is broken, which is a bug.
pub fn risk_html(found: &Assessment, title: &str) -> Result<String> {
    draw(page::risk_page::page(found, title))
}

/// The results of attacks as one HTML page that loads nothing else, with what they say about the criteria of Opinion 05/2014 if that was asked for.
///
/// # Errors
/// Only if the built-in template is broken, which is a bug.
pub fn attacks_html(
    found: &[AttackResult],
    criteria: Option<&Criteria>,
    audience: Audience,
    title: &str,
) -> Result<String> {
    draw(page::attacks::page(found, criteria, audience, title))
}

/// The opening of a report as data: its verdict and next steps.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Conclusion {
    /// `green`, `amber` or `red`.
    pub colour: &'static str,
    /// The verdict in a few words.
    pub heading: String,
    /// What to do next: at most three steps.
    pub steps: Vec<String>,
    /// The number of points that no step is about.
    pub further: u64,
}

impl Conclusion {
    /// The verdict on a release, by its report.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let verdict = verdict::Verdict::of_release(report);
        let further = verdict.points.len().saturating_sub(verdict.steps.len()) as u64;
        let mut steps: Vec<String> = verdict.steps.into_iter().map(|step| step.todo).collect();
        steps.dedup();
        Self { colour: verdict.colour.name(), heading: verdict.heading, steps, further }
    }
}

fn draw(page: Value) -> Result<String> {
    drawing::render(TEMPLATE, page)
}

/// The report's JSON twin: the same data, for programs.
///
/// # Errors
/// Only if the data cannot be written as JSON, which is a bug.
pub fn json(report: &Report) -> Result<String> {
    serde_json::to_string_pretty(report)
        .map_err(|error| Error::internal(format!("the report could not be written as JSON: {error}")))
}
