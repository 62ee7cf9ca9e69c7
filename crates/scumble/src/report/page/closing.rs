//! Warnings, how the run was made, and the glossary.

use crate::base::format::{bytes, seconds};
use crate::report::data::{Report, Severity};
use crate::report::words;
use minijinja::{Value, context};

pub(super) fn warnings(report: &Report) -> Option<Value> {
    if report.warnings.is_empty() {
        return None;
    }
    let of = |severity: Severity| report.warnings.iter().filter(move |w| w.severity == severity);
    let items: Vec<Value> = of(Severity::Warning)
        .chain(of(Severity::Note))
        .map(|warning| {
            let (class, word) = match warning.severity {
                Severity::Warning => ("warn", "Warning"),
                Severity::Note => ("note", "Note"),
            };
            context! { class, word, text => &warning.text, advice => warning.advice.as_deref() }
        })
        .collect();
    Some(context! { items })
}

pub(super) fn run(report: &Report) -> Option<Value> {
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
