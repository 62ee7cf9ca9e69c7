//! The figures and the private report of a release of records.

use scumble_verify::RecordOutcome;
use serde::Serialize;
use serde_json::Map;

use super::RecordRun;
use super::sheet::promises;
use crate::recoding::published::{record_loss, record_losses};
use crate::release::axis::axis;
use crate::release::report::{beginning, kept_columns, origin};
use crate::release::summary::ModelSummary;
use crate::release::{Seconds, Summary};
use crate::report::data::{
    Better, Coarsening, ColumnReport, ColumnRole, HierarchyNote, MetricResult, ModelResult, Release, Report,
    Setting,
};
use crate::table::quasi::{Quasi, Shape};

/// The figures, as `--json` prints them.
pub(super) fn summary(run: &RecordRun<'_>, outcome: &RecordOutcome, looks: u64) -> Summary {
    let loss = record_loss(&run.found.solution.records, &run.problem.quasi);
    let mut findings = run.found.solution.findings.clone();
    findings.push(crate::search::algorithms::Finding::new(
        "mean_covered",
        outcome.mean_covered,
        "the original rows that a record covers, on average",
    ));
    let base = Summary::of(run, &outcome.models, &promises(run));
    Summary {
        released: outcome.rows,
        classes: looks,
        // Each record is checked on all quasi-identifiers.
        models: base.models.into_iter().map(|model| ModelSummary { on: None, ..model }).collect(),
        metrics: Map::from_iter([("loss".to_owned(), loss.into())]),
        findings,
        audit: Some(run.found.solution.audit),
        ..base
    }
}

/// The private report.
pub(super) fn report(run: &RecordRun<'_>, summary: &Summary, title: &str, seconds: &Seconds) -> Report {
    let loss = record_loss(&run.found.solution.records, &run.problem.quasi);
    let metric = crate::metrics::loss::ENTRY;
    Report {
        release: Release {
            rows: summary.rows,
            released: summary.released,
            classes: summary.classes,
            loss: loss.into(),
            checked: true,
            // An exchanged value is true of another row.
            truthful: run.exchanged().is_none().then_some(true),
            ..Release::default()
        },
        models: models(run, summary),
        metrics: vec![MetricResult {
            name: metric.name.into(),
            title: metric.title.into(),
            value: loss.into(),
            better: Better::Lower,
            explanation: Some(metric.about.into()),
            ..MetricResult::default()
        }],
        columns: columns(run),
        kept: Some(kept_columns(run.plan, run.source, &run.kept_columns().collect::<Vec<_>>())),
        ..beginning(run, summary, title, seconds)
    }
}

/// The requirements on each record, with what each means here and what it does not.
fn models(run: &RecordRun<'_>, summary: &Summary) -> Vec<ModelResult> {
    let on: Vec<String> = run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect();
    let audit = &run.found.solution.audit;
    let models = run.problem.models.iter().zip(&summary.models);
    let result = |model: &dyn crate::models::Model, found: &ModelSummary| {
        let (name, meaning, limits) = match model.protects() {
            None => (
                "record_coverage",
                format!("Of the records it holds that {}.", found.title),
                format!(
                    "Someone who knows the quasi-identifiers of everyone: the record of a person may be one of at least {}, and \
                     fewer than k are left for {} rows.",
                    audit.degrees.least_matching, audit.degrees.rows_below_k
                ),
            ),
            Some(column) if run.exchanged().is_some() => (
                "record_diversity",
                format!(
                    "Each record shows the {column} of one of this many rows, which have different ones, drawn with equal chances."
                ),
                format!(
                    "The chances are those of someone who knows no {column}. Whoever knows that of some people knows more about others \
                     whose records overlap with theirs."
                ),
            ),
            Some(column) => (
                "record_diversity",
                format!(
                    "No record gives a value of {column} more than this share, among the rows that it counts."
                ),
                format!(
                    "Several records together: {column} of {} follows with certainty for someone who knows the quasi-identifiers of \
                     everyone, and of {} for someone who also knows which tuples every record counts.",
                    rows_found(audit.by_cover),
                    rows_found(audit.by_mask)
                ),
            ),
        };
        ModelResult {
            name: name.into(),
            title: found.title.clone(),
            column: model.protects().map(str::to_owned),
            on: on.clone(),
            required: vec![Setting::new(model.unit(), found.required)],
            attained: Some(Setting::new(model.unit(), found.attained)),
            holds: found.holds,
            claim: Some(format!("such that {}", found.title)),
            meaning: Some(meaning),
            limits: Some(limits),
        }
    };
    models.map(|(model, found)| result(&**model, found)).collect()
}

/// The number of rows that an audit found, as far as it knows.
fn rows_found(found: crate::search::audit::Disclosure) -> String {
    match found.unknown {
        0 => format!("{} rows", found.certain),
        unknown => format!("at least {} rows (unknown for {unknown})", found.certain),
    }
}

fn columns(run: &RecordRun<'_>) -> Vec<ColumnReport> {
    let losses = record_losses(&run.found.solution.records, &run.problem.quasi);
    let column = |(place, quasi): (usize, &Quasi)| {
        let original = run.problem.table.marginal(place, quasi.size() as usize);
        let mut shown = std::collections::BTreeMap::new();
        for record in &run.found.solution.records {
            *shown.entry(record.shown[place]).or_insert(0_u64) += u64::from(record.rows);
        }
        let on_axis: Vec<_> = shown.iter().map(|(value, rows)| (*value, *rows)).collect();
        ColumnReport {
            name: quasi.name.clone(),
            role: ColumnRole::Quasi,
            coarsening: match &quasi.shape {
                Shape::Tree(_) => Coarsening::Nodes,
                Shape::Line(_) => Coarsening::Ranges,
                Shape::Set(_) => Coarsening::Sets,
            },
            hierarchy: Some(HierarchyNote { provenance: origin(quasi), description: None }),
            loss: losses[place].into(),
            distinct_before: original.iter().filter(|rows| **rows > 0).count() as u64,
            distinct_after: on_axis.len() as u64,
            axis: Some(axis(quasi, &original, &on_axis)),
        }
    };
    run.problem.quasi.iter().enumerate().map(column).collect()
}

/// The private file that describes the run.
#[derive(Serialize)]
pub(super) struct RecordFile {
    algorithm: &'static str,
    /// The rows that each record counts.
    counted: u64,
    audit: crate::search::audit::Audit,
}

pub(super) fn recoding(run: &RecordRun<'_>) -> RecordFile {
    RecordFile {
        algorithm: run.algorithm.name,
        counted: run.found.solution.size,
        audit: run.found.solution.audit,
    }
}
