//! Puts the claims of a run about several tables to the independent verifier.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{
    Cover, Drops, GroupTables, GroupedOriginal, ModelOutcome, Nodes, Population, Sums, Truth, View,
    check_groups, check_projections, check_truth_with_map, sorted_by_content,
};

use super::TablesRun;
use super::files::Made;
use super::manifest::Together;
use crate::error::{Error, Result};
use crate::models::Demand;
use crate::release::claim::{check_spelling, cover, model_claim, sensitive_column, value_kind};
use crate::release::staged::Staged;
use crate::search::algorithms::tables::Tables;

/// The findings of the verifier.
pub(in crate::release) struct Verified {
    /// The models, in the order of the problem's.
    pub(super) models: Vec<ModelOutcome>,
    /// For projections: the rows of the smallest class of each table, for somebody who has this table only.
    pub(super) alone: Vec<u64>,
    /// The number of groups, where rows are in groups.
    pub(super) groups: Option<u64>,
}

/// Reads back what was written and checks every table and all of them together. Returns an error if anything does not hold.
pub(super) fn verify(run: &TablesRun<'_>, staged: &mut Staged<'_>, made: &Made) -> Result<Verified> {
    check_spelling(run.source, run.plan, staged.control())?;
    let read = staged.read_back()?;
    if read.len() != made.tables.len() {
        return Err(failed("not every table was written"));
    }
    let tables: Vec<_> = read.into_iter().zip(made.tables.iter().map(|table| &table.order)).collect();
    match &made.together {
        Together::Projections => {
            for (table, order) in &tables {
                if !sorted_by_content(table) {
                    return Err(failed("a written table is not sorted by its content"));
                }
                staged.check()?;
                check_true(run, table.clone(), order, &[], staged.control())?;
            }
            let tables: Vec<CodedTable> = tables.into_iter().map(|(table, _)| table).collect();
            projections(run, &tables, staged.control())
        }
        Together::Groups { group, count, sums } => {
            let [(rows, order), (groups, _)] = &tables[..] else {
                return Err(Error::internal("rows in groups are two tables"));
            };
            // A permuted value does not belong to its row; it is compared group by group.
            let target = run.target();
            let not_compared: &[&str] = if sums.is_some() { &[group, &target.name] } else { &[group] };
            check_true(run, rows.clone(), order, not_compared, staged.control())?;
            let sums = sums.as_ref().map(|[least, greatest, sum]| Sums {
                least,
                greatest,
                sum,
                comma: target.measure.kind.has_comma(),
            });
            let values = sensitive_column(target, run.plan);
            let tables = GroupTables {
                rows,
                groups,
                group,
                target: &target.name,
                count,
                permuted: sums,
                values: Some(&values),
            };
            let claims: Vec<_> = run.problem.models.iter().map(|model| model_claim(model.claim())).collect();
            let original = GroupedOriginal { table: run.source, row_map: Some(order), groups: None };
            staged.check()?;
            let outcome = check_groups(&tables, &claims, Some(original), staged.control())?;
            if let Some(fault) = outcome.faults.first() {
                return Err(failed(fault));
            }
            let verified =
                Verified { models: outcome.models, alone: Vec::new(), groups: Some(outcome.groups) };
            hold(verified)
        }
    }
}

/// The error for a failed verification, which is always a bug.
fn failed(what: &str) -> Error {
    Error::verification(format!("{what}. Nothing was published. This is a bug in Scumble, please report it"))
}

fn hold(verified: Verified) -> Result<Verified> {
    match verified.models.iter().find(|model| !model.holds) {
        Some(model) => Err(failed(&format!("the written tables do not keep {}", model.label))),
        None => Ok(verified),
    }
}

/// How the verifier reads the labels of each column that outsiders may know.
fn covers(run: &TablesRun<'_>) -> Result<Vec<(String, Cover)>> {
    let cover_of = |quasi: &crate::table::quasi::Quasi| {
        Ok((quasi.name.clone(), cover(quasi, run.markers(&quasi.name))?))
    };
    run.problem.quasi.iter().map(cover_of).collect()
}

/// Returns an error if a table is not true of the original rows, or shows a column that it must not. Columns in `not_compared` are skipped.
fn check_true(
    run: &TablesRun<'_>,
    mut table: CodedTable,
    order: &[u32],
    not_compared: &[&str],
    control: &Control,
) -> Result<()> {
    table.columns.retain(|column| !not_compared.contains(&column.name.as_str()));
    let mut truths: Vec<(String, Truth)> = Vec::new();
    let mut covers = covers(run)?;
    let target = run.target();
    let values =
        Cover { kind: value_kind(&target.measure), nodes: Nodes::default(), missing: target.missing.clone() };
    covers.push((target.name.clone(), values));
    for (name, _) in &run.plan.columns {
        // With groups, the target must not be in the table of rows.
        let told_apart = matches!(run.found.solution.tables, Tables::Groups { .. }) && *name == target.name;
        let here = table.column(name).is_some() && !told_apart;
        let cover = covers.iter().find(|(of, _)| of == name).filter(|_| here);
        truths.push((name.clone(), cover.map_or(Truth::Absent, |(_, cover)| Truth::Covers(cover.clone()))));
    }
    let truth = check_truth_with_map(&table, run.source, order, &truths, Drops::Forbidden, control)?;
    if truth.holds { Ok(()) } else { Err(failed("a written table is not true of the original rows")) }
}

/// Puts projections side by side, as an attacker would who knows everything that outsiders may know about a person.
fn projections(run: &TablesRun<'_>, tables: &[CodedTable], control: &Control) -> Result<Verified> {
    let quasi: Vec<Vec<String>> = tables
        .iter()
        .map(|table| {
            let names = run.known_columns().map(str::to_owned);
            names.filter(|name| table.column(name).is_some()).collect()
        })
        .collect();
    let views: Vec<View<'_>> =
        tables.iter().zip(&quasi).map(|(table, quasi)| View { table, quasi }).collect();
    let people = Population { table: run.source, covers: covers(run)? };
    let mut verified = Verified { models: Vec::new(), alone: Vec::new(), groups: None };
    for model in &run.problem.models {
        let claim = model_claim(model.claim());
        let k = claim.parameters.get("k").and_then(serde_json::Value::as_u64);
        let (true, Some(k)) = (model.demand() == Demand::Size, k) else {
            return Err(failed(&format!("{} cannot be checked on several tables", model.title())));
        };
        let joint = check_projections(&views, &people, k, control)?;
        verified.models.push(joint.outcome);
        verified.alone = joint.alone;
    }
    hold(verified)
}
