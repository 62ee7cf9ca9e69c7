//! The banner with verdict and next step, and the key figures.

use crate::base::format::{amount, count, counted, share};
use crate::report::data::{Amount, Report, SuppressedAs};
use crate::report::verdict::{Step, Verdict};
use crate::report::words;
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Value {
    banner(Verdict::of_release(report), figures(report))
}

/// What a page opens with: its verdict, and its key figures.
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

fn figures(report: &Report) -> Vec<Value> {
    let release = &report.release;
    let one = |label: &str, value: String, note: String| context! { label, value, note };
    let people = match (&release.subject, release.persons) {
        (Some(subject), Some(persons)) => format!("{} by {subject}", counted(persons, "person", "persons")),
        (Some(subject), None) => format!("persons are told apart by {subject}"),
        (None, _) => "one row per person assumed".to_owned(),
    };
    let released_note = match release.suppressed_as {
        SuppressedAs::Starred if release.suppressed > 0 => "those with * included".to_owned(),
        _ => format!("{} of the original", share(release.released, release.rows)),
    };
    let suppressed_note = if release.suppressed == 0 {
        "every row keeps its details".to_owned()
    } else {
        format!(
            "{}; {}",
            share(release.suppressed, release.rows),
            words::suppressed_as(release.suppressed_as)
        )
    };
    let in_classes = release.rows.saturating_sub(release.suppressed);
    let mean_size = if release.classes == 0 {
        "no row keeps its details".to_owned()
    } else {
        match in_classes as f64 / release.classes as f64 {
            1.0 => "one row each".to_owned(),
            mean => format!("{} rows each on average", amount(mean.into())),
        }
    };
    // Where persons have several rows, k counts persons.
    let of_persons =
        if release.persons.is_some_and(|persons| persons < release.rows) { " persons" } else { "" };
    let required = release
        .required_class
        .map_or_else(String::new, |least| format!("at least {}{of_persons} required", count(least)));
    if !report.tables.is_empty() {
        let mut figures = vec![
            one("Rows in", count(release.rows), people),
            one("Tables", count(report.tables.len() as u64), "verified side by side".to_owned()),
        ];
        if release.classes > 0 {
            figures.push(one("Groups", count(release.classes), mean_size));
        }
        if release.loss != Amount::Undefined {
            let note = "a column that is in no table is lost".to_owned();
            figures.push(one("Mean loss", amount(release.loss), note));
        }
        return figures;
    }
    let mut figures = vec![
        one("Rows in", count(release.rows), people),
        one("Rows released", count(release.released), released_note),
        one("Suppressed", count(release.suppressed), suppressed_note),
        one("Classes", count(release.classes), mean_size),
        one("Smallest class", release.smallest_class.map_or_else(|| "–".to_owned(), count), required),
    ];
    if release.loss != Amount::Undefined {
        figures.push(one("Mean loss", amount(release.loss), "0 is untouched, 1 is nothing left".to_owned()));
    }
    figures
}
