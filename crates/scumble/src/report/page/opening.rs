//! The banner with the verdict and the next steps, and the key figures.

use crate::base::format::{NOTHING, count, counted, percent};
use crate::report::data::Report;
use crate::report::verdict::{Step, Verdict};
use crate::report::words;
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Value {
    banner(Verdict::of_release(report), figures(report))
}

/// The opening of a page: its verdict and its key figures.
pub(super) fn banner(verdict: Verdict, figures: Vec<Value>) -> Value {
    let step = |step: Step| context! { todo => step.todo, because => step.because };
    context! {
        class => verdict.colour.class(),
        heading => verdict.heading,
        sentence => verdict.sentence,
        steps => verdict.steps.into_iter().map(step).collect::<Vec<_>>(),
        more => verdict.points.len().saturating_sub(3),
        figures,
    }
}

/// Three figures: how well people are hidden, how much detail is gone, and how many rows are.
fn figures(report: &Report) -> Vec<Value> {
    let release = &report.release;
    let one = |label: &str, value: String, note: String| context! { label, value, note };
    let highest = report.risk.as_ref().filter(|risk| risk.after.rows > 0).and_then(|risk| {
        let figures = risk.journalist_after.as_ref().unwrap_or(&risk.after);
        figures.highest.finite()
    });
    let limit = format!(
        "the limit for {} is {}",
        words::readers(report.audience),
        percent(report.audience.limit().to_f64())
    );
    let hidden = match (highest, release.smallest_class) {
        (Some(highest), _) => one("Chance of finding the person worst off", percent(highest), limit),
        (None, Some(smallest)) => one("Smallest group", count(smallest), String::new()),
        (None, None) => {
            one("Tables", count(report.tables.len().max(1) as u64), "checked side by side".to_owned())
        }
    };
    let people = match (&release.subject, release.persons) {
        (Some(subject), Some(persons)) => format!("{} by {subject}", counted(persons, "person", "persons")),
        (Some(subject), None) => format!("persons are told apart by {subject}"),
        (None, _) => "one row per person assumed".to_owned(),
    };
    let suppressed = match release.suppressed {
        0 => format!("of {}; {people}", count(release.rows)),
        _ => format!("of {}, {}; {people}", count(release.rows), words::suppressed_as(release.suppressed_as)),
    };
    let lost = release.loss.finite().map_or_else(|| NOTHING.to_owned(), percent);
    vec![
        hidden,
        one("Detail that is gone", lost, "of the quasi-identifiers, on average".to_owned()),
        one("Rows suppressed", count(release.suppressed), suppressed),
    ]
}
