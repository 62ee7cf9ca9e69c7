//! Warnings, how the run was made, and the glossary.

use crate::base::format::{bytes, counted, seconds};
use crate::report::data::{Report, Severity, Warning};
use crate::report::verdict::Verdict;
use crate::report::words;
use minijinja::{Value, context};

/// Every point to decide about, the most serious first, then the notes.
pub(super) fn points(report: &Report) -> Option<Value> {
    let points = Verdict::of_release(report).points;
    let points = points.iter().map(
        |point| context! { class => "warn", word => "Point", text => &point.says, advice => &point.step },
    );
    let notes = notes(report)
        .map(|note| context! { class => "note", word => "Note", text => &note.text, advice => note.advice.as_deref() });
    let items: Vec<Value> = points.chain(notes).collect();
    (!items.is_empty()).then(|| context! { items })
}

/// A short note on the number of points and of notes.
pub(super) fn points_note(report: &Report) -> String {
    let points = Verdict::of_release(report).points.len() as u64;
    format!(
        "{}, {}",
        counted(points, "point", "points"),
        counted(notes(report).count() as u64, "note", "notes")
    )
}

fn notes(report: &Report) -> impl Iterator<Item = &Warning> {
    report.warnings.iter().filter(|warning| warning.severity == Severity::Note)
}

/// How the release was made. A short page leaves out the time and memory that it took.
pub(super) fn run(report: &Report, short: bool) -> Option<Value> {
    let run = report.run.as_ref()?;
    let pairs = |pairs: &[(String, String)]| -> Vec<Value> {
        pairs.iter().map(|(name, value)| context! { name, value }).collect()
    };
    let mut resources: Vec<Value> =
        run.seconds.iter().map(|(step, time)| context! { name => step, value => seconds(*time) }).collect();
    if let Some(peak) = run.peak_memory_bytes {
        resources.push(context! { name => "peak memory", value => bytes(peak) });
    }
    let lists: Vec<Value> = [
        ("Parameters", pairs(&run.parameters)),
        ("Search", pairs(&run.search)),
        ("Time and memory", resources),
    ]
    .into_iter()
    .take(if short { 1 } else { 3 })
    .filter(|(_, items)| !items.is_empty())
    .map(|(heading, items)| context! { heading, items })
    .collect();
    Some(context! {
        title => &run.algorithm.title,
        name => &run.algorithm.name,
        paper => run.algorithm.paper.as_deref(),
        standing => &run.algorithm.standing,
        reason => run.algorithm.standing_reason.as_deref(),
        lists,
    })
}

pub(super) fn glossary() -> Value {
    let words: Vec<Value> = words::GLOSSARY
        .iter()
        .map(|(word, meaning)| context! { word => *word, meaning => *meaning })
        .collect();
    context! { words }
}
