//! The figures of a release of classes.

use scumble_verify::{ModelOutcome, Outcome};
use serde_json::{Map, Value};

use super::{ClassRun, Origin};
use crate::config::StarPolicy;
use crate::metrics::Figure;
use crate::registry::MODELS;
use crate::release::claim::promise;
use crate::release::summary::{ModelSummary, SearchSummary, Summary, own_parameters};
use crate::search::algorithms::Finding;

pub(super) fn summarise(run: &ClassRun<'_>, outcome: &Outcome, figures: &[Figure]) -> Summary {
    let classes = &run.found.classes;
    let finite = |value: &Option<f64>| Value::from(value.filter(|value| value.is_finite()));
    let metrics =
        figures.iter().map(|(entry, figure)| (entry.name.to_owned(), finite(&figure.value))).collect();
    let metric_details = figures.iter().filter_map(details).collect();
    let promises: Vec<String> = run.problem.models.iter().map(|model| promise(&**model)).collect();
    let mut summary = Summary {
        parameters: parameters(run),
        released: outcome.rows,
        // Rows for their owner only may show nothing, but nothing was suppressed.
        suppressed: match run.found.origin {
            Origin::Recoding { private: true } => 0,
            _ => classes.suppressed_rows(),
        },
        classes: outcome.classes,
        smallest_class: outcome.smallest_class,
        metrics,
        metric_details,
        levels: levels(run),
        search: search(&run.found.findings),
        findings: run.found.findings.clone(),
        ..Summary::of(run, &outcome.models, &promises)
    };
    summary.models.extend(run.found.together.iter().map(together));
    summary.notes.extend(outcome.notes.iter().cloned());
    summary
}

/// The figures of a model that holds together with tables that were published before.
fn together(found: &ModelOutcome) -> ModelSummary {
    ModelSummary {
        name: MODELS.get(&found.name).map_or("", |entry| entry.name),
        title: format!("{}: at least {}", found.label, found.required),
        on: None,
        required: found.required,
        attained: found.attained.filter(|value| value.is_finite()),
        holds: found.holds,
        independently_verified: true,
    }
}

/// The details of a figure by name, if it has some. JSON has no infinity, so the details say that a figure is infinite.
fn details((entry, figure): &Figure) -> Option<(String, Value)> {
    let mut details = Map::new();
    if figure.value.is_some_and(f64::is_infinite) {
        details.insert("infinite".into(), true.into());
    }
    details.extend(figure.details.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
    (!details.is_empty()).then(|| (entry.name.to_owned(), details.into()))
}

fn search(findings: &[Finding]) -> Option<SearchSummary> {
    let finding = |name: &str| findings.iter().find(|finding| finding.name == name)?.value;
    Some(SearchSummary { nodes: finding("nodes")? as u64, checked: finding("checked")? as u64 })
}

/// The parameters of the run by name.
pub(super) fn parameters(run: &ClassRun<'_>) -> Map<String, Value> {
    let policy = match run.problem.star_policy {
        StarPolicy::Strict => "strict",
        StarPolicy::Paper => "paper",
        StarPolicy::Drop => "drop",
    };
    let mut parameters = Map::from_iter([
        ("suppression".into(), run.problem.suppression.to_f64().into()),
        ("star_policy".into(), policy.into()),
        ("metric".into(), run.found.metric.into()),
    ]);
    // A budget of time is reported as the steps that it allowed, which repeat the run.
    if let Some(steps) = run.problem.budget.spent_after() {
        parameters.insert("steps".into(), steps.into());
    }
    if let Some(seed) = run.plan.algorithm.seed {
        parameters.insert("seed".into(), seed.into());
    }
    parameters.extend(own_parameters(run.plan));
    parameters
}

fn levels(run: &ClassRun<'_>) -> Map<String, Value> {
    let names = run.problem.quasi.iter().map(|quasi| quasi.name.clone());
    names.zip(run.found.levels.iter().flatten().map(|level| Value::from(*level))).collect()
}
