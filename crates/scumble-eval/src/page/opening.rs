//! What somebody wants to know first.

use minijinja::{Value, context};

use super::percent;
use crate::experiment::{Experiment, Results, Summary};

/// The share of what learning adds to guessing the majority that a release keeps, and what it is the mean of.
struct Kept {
    name: String,
    /// The mean accuracy over tables, values and learners.
    accuracy: f64,
    /// The mean accuracy on original rows of the same.
    original: f64,
}

pub(super) fn opening(experiment: &Experiment, results: &Results) -> Value {
    let summaries = results.summaries();
    let algorithms = experiment.plan.algorithm.iter().map(|choice| choice.title());
    let mut kept: Vec<Kept> = algorithms.filter_map(|name| mean(&summaries, name)).collect();
    kept.sort_by(|a, b| b.accuracy.total_cmp(&a.accuracy));
    let failed = results.entries.iter().filter(|entry| entry.error.is_some()).count();
    let (heading, sentence) = match &kept[..] {
        [] => (
            "Nothing came out".to_owned(),
            "No algorithm served every setting; the reasons are below.".to_owned(),
        ),
        [only] => (format!("{} keeps {} accuracy", only.name, percent(only.accuracy)), told(only)),
        [best, rest @ ..] => {
            let next = &rest[0];
            let others = format!(" {} follows with {}.", next.name, percent(next.accuracy));
            (format!("{} predicts best", best.name), told(best) + &others)
        }
    };
    let one = |label: &str, value: usize, note: &str| context! { label, value, note };
    let splits = experiment.cells().iter().map(|cell| cell.split + 1).max().unwrap_or(0);
    context! {
        heading,
        sentence,
        class => if failed > 0 || kept.is_empty() { "warn" } else { "good" },
        figures => vec![
            one("Tables", experiment.data.len(), "with a class to predict"),
            one("Algorithms", experiment.plan.algorithm.len(), "beside the original rows"),
            one("Settings", experiment.plan.combinations().len(), "combinations of what varies"),
            one("Learners", experiment.plan.learner.len(), "that predict the class"),
            one("Splits", splits, "of each table"),
            one("Failed", failed, "results, with reasons below"),
        ],
    }
}

fn told(kept: &Kept) -> String {
    format!(
        "Over all tables, settings and learners {} lets learners predict {} of test rows rightly in the mean; on original rows they \
         get {}.",
        kept.name,
        percent(kept.accuracy),
        percent(kept.original)
    )
}

/// The mean accuracy of an algorithm over everything; `None` if it failed somewhere, since means over less would flatter it.
fn mean(summaries: &[Summary], name: &str) -> Option<Kept> {
    let own: Vec<&Summary> =
        summaries.iter().filter(|summary| summary.algorithm.as_deref() == Some(name)).collect();
    let estimate = |summary: &Summary| summary.accuracy.map(|accuracy| accuracy.estimate);
    let accuracies: Vec<f64> = own.iter().map(|summary| estimate(summary)).collect::<Option<_>>()?;
    let original = |summary: &&&Summary| {
        let same = |other: &&Summary| {
            other.algorithm.is_none() && (&other.data, &other.learner) == (&summary.data, &summary.learner)
        };
        summaries.iter().find(same).and_then(estimate)
    };
    let originals: Vec<f64> = own.iter().map(|summary| original(&summary)).collect::<Option<_>>()?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    (!own.is_empty()).then(|| Kept {
        name: name.to_owned(),
        accuracy: mean(&accuracies),
        original: mean(&originals),
    })
}
