//! The figures and the private report of a release of several tables.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Map;

use super::TablesRun;
use super::check::Verified;
use super::manifest::TableFile;
use super::sheet::promises;
use crate::config::Role;
use crate::problem::Problem;
use crate::release::axis::{axis, unchanged};
use crate::release::report::{beginning, kept_columns};
use crate::release::summary::ModelSummary;
use crate::release::{Seconds, Summary};
use crate::report::data::{
    Amount, Coarsening, ColumnReport, ColumnRole, ModelResult, Release, Report, Setting, TableNote,
};
use crate::search::algorithms::Finding;
use crate::search::algorithms::tables::{Shown, Tables};
use crate::table::quasi::Quasi;

/// The figures, as `--json` prints them.
pub(super) fn summary(run: &TablesRun<'_>, verified: &Verified, tables: Vec<TableFile>) -> Summary {
    let problem = &run.problem;
    let mut findings = run.found.solution.findings.clone();
    if let Some(least) = verified.alone.iter().min() {
        findings.push(Finding::new(
            "k_alone",
            Some(*least as f64),
            "the rows of the smallest group of any table, for someone who has this table only",
        ));
    }
    let published = |name: &&str| tables.iter().any(|table| table.columns.iter().any(|of| of == name));
    let known: Vec<String> = run.known_columns().filter(published).map(str::to_owned).collect();
    let base = Summary::of(run, &verified.models, &promises(run));
    let on = matches!(run.found.solution.tables, Tables::Projections(_)).then_some(known);
    Summary {
        released: tables.first().map_or(0, |table| table.rows),
        classes: verified.groups.unwrap_or(0),
        models: base.models.into_iter().map(|model| ModelSummary { on: on.clone(), ..model }).collect(),
        metrics: match &run.found.solution.tables {
            Tables::Projections(tables) => {
                Map::from_iter([("loss".to_owned(), loss(problem, &run.found.solution.shown, tables).into())])
            }
            // No value is coarser; only the link between the tables is lost.
            Tables::Groups { .. } => Map::new(),
        },
        findings,
        tables,
        ..base
    }
}

/// The private report.
pub(super) fn report(
    run: &TablesRun<'_>,
    summary: &Summary,
    verified: &Verified,
    title: &str,
    seconds: &Seconds,
) -> Report {
    let published = |name: &str| summary.tables.iter().any(|table| table.columns.iter().any(|of| of == name));
    // The target counts as published row by row, except in groups, where it is separated from the rows.
    let in_rows = matches!(run.found.solution.tables, Tables::Projections(_));
    let target = in_rows.then_some(run.target().name.as_str());
    let as_it_is = |place: &usize| {
        let name = run.problem.quasi[*place].name.as_str();
        !run.found.known[*place] && run.found.solution.shown[*place] == Shown::AsItIs && published(name)
    };
    let places = (0..run.found.known.len()).filter(as_it_is);
    let kept: Vec<&str> = places.map(|place| run.problem.quasi[place].name.as_str()).chain(target).collect();
    Report {
        release: Release {
            rows: summary.rows,
            released: summary.released,
            classes: summary.classes,
            loss: summary
                .metrics
                .get("loss")
                .and_then(serde_json::Value::as_f64)
                .map(Amount::from)
                .unwrap_or_default(),
            checked: true,
            truthful: Some(true),
            ..Release::default()
        },
        models: models(run, summary),
        tables: summary
            .tables
            .iter()
            .enumerate()
            .map(|(place, table)| TableNote {
                file: table.file.clone(),
                columns: table.columns.clone(),
                rows: table.rows,
                alone: verified.alone.get(place).copied(),
            })
            .collect(),
        columns: columns(run, published),
        kept: Some(kept_columns(run.plan, run.source, &kept)),
        ..beginning(run, summary, title, seconds)
    }
}

/// The requirements on the tables together, with what each means here and what it does not.
fn models(run: &TablesRun<'_>, summary: &Summary) -> Vec<ModelResult> {
    let published =
        |name: &&str| summary.tables.iter().any(|table| table.columns.iter().any(|of| of == name));
    let on: Vec<String> = run.known_columns().filter(published).map(str::to_owned).collect();
    let target = &run.target().name;
    let result = |model: &dyn crate::models::Model, found: &ModelSummary| {
        let (meaning, limits) = match &run.found.solution.tables {
            Tables::Projections(_) => (
                "Someone who knows all quasi-identifiers of a person and puts the tables side by side, on the decision and every \
                 column that they share, finds at least so many rows in each of them that may be the person's."
                    .to_owned(),
                format!(
                    "Someone who fits all people to all rows at once; and {target}, which is published with every row."
                ),
            ),
            Tables::Groups { .. } => (
                format!("Whoever is found in the rows has one of the values of {target} of the group."),
                "That somebody is in the table: the quasi-identifiers are published as they are.".to_owned(),
            ),
        };
        ModelResult {
            name: "several_tables".into(),
            title: found.title.clone(),
            column: model.protects().map(str::to_owned),
            on: on.clone(),
            required: vec![Setting::new(model.unit(), found.required)],
            attained: Some(Setting::new(model.unit(), found.attained)),
            holds: found.holds,
            claim: Some(format!("made of tables with {}", found.title)),
            meaning: Some(meaning),
            limits: Some(limits),
        }
    };
    let models = run.problem.models.iter().zip(&summary.models);
    models.map(|(model, found)| result(&**model, found)).collect()
}

fn columns(run: &TablesRun<'_>, published: impl Fn(&str) -> bool) -> Vec<ColumnReport> {
    let problem = &run.problem;
    let column = |(place, quasi): (usize, &Quasi)| {
        let shown = &run.found.solution.shown[place];
        let original = problem.table.marginal(place, quasi.size() as usize);
        let present = || (0_u32..).zip(&original).filter(|(_, rows)| **rows > 0);
        let labels: BTreeSet<String> = present().map(|(code, _)| shown.label(quasi, code)).collect();
        let axis = match shown {
            Shown::AsItIs => unchanged(quasi, &original),
            Shown::Coarser(values) => {
                let on_axis: Vec<_> = present().map(|(code, rows)| (values[code as usize], *rows)).collect();
                axis(quasi, &original, &on_axis)
            }
        };
        let lost = column_loss(problem, place, shown);
        ColumnReport {
            name: quasi.name.clone(),
            role: role(run, place),
            coarsening: match shown {
                Shown::AsItIs => Coarsening::None,
                Shown::Coarser(_) => Coarsening::Other { text: "ranges, the same for all rows".into() },
            },
            hierarchy: None,
            loss: lost.into(),
            distinct_before: present().count() as u64,
            distinct_after: labels.len() as u64,
            axis: Some(axis),
        }
    };
    let quasi = problem.quasi.iter().enumerate();
    quasi.filter(|(_, quasi)| published(&quasi.name)).map(column).collect()
}

fn role(run: &TablesRun<'_>, place: usize) -> ColumnRole {
    let column = run.plan.column(&run.problem.quasi[place].name);
    match column {
        Some(column) if column.role.has(Role::Quasi) => ColumnRole::Quasi,
        Some(column) if column.role.has(Role::Class) => ColumnRole::Class,
        _ => ColumnRole::Other,
    }
}

/// The loss of a column that is shown like this.
fn column_loss(problem: &Problem, place: usize, shown: &Shown) -> f64 {
    let Shown::Coarser(values) = shown else { return 0.0 };
    let quasi = &problem.quasi[place];
    let rows = problem.table.marginal(place, quasi.size() as usize);
    let lost = rows.iter().zip(values).map(|(rows, value)| *rows as f64 * quasi.loss(*value));
    lost.sum::<f64>() / (problem.table.rows() as f64).max(1.0)
}

/// The mean loss over all columns; a column that is in no table is lost.
pub(in crate::release) fn loss(problem: &Problem, shown: &[Shown], tables: &[Vec<usize>]) -> f64 {
    let of_column = |(place, shown): (usize, &Shown)| {
        if tables.iter().flatten().any(|of| *of == place) { column_loss(problem, place, shown) } else { 1.0 }
    };
    shown.iter().enumerate().map(of_column).sum::<f64>() / shown.len().max(1) as f64
}

/// The private file that describes the run.
#[derive(Serialize)]
pub(super) struct TablesRule {
    algorithm: &'static str,
    tables: Vec<TableFile>,
}

pub(super) fn rule(run: &TablesRun<'_>, tables: Vec<TableFile>) -> TablesRule {
    TablesRule { algorithm: run.algorithm.name, tables }
}
