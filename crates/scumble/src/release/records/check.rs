//! Puts the claim of a run about its records to the independent verifier.

use scumble_files::table::CodedTable;
use scumble_verify::{
    Cover, Distributed, Drops, Exchanged, Nodes, Originals, RecordOutcome, Truth, check_records,
    check_truth_with_map, in_normal_form,
};

use super::super::claim::{check_spelling, cover, model_claim, sensitive_column, value_kind};
use super::super::staged::Staged;
use super::rows::Arranged;
use super::{RecordRun, exchange};
use crate::config::Role;
use crate::error::{Error, Result};
use crate::table::payload::PayloadColumn;

/// Reads back what was written and checks every model and every value. Returns an error if anything does not hold; otherwise the outcome, and
/// the table that was read, with the possible values in place of frequencies.
pub(super) fn verify(
    run: &RecordRun<'_>,
    staged: &mut Staged<'_>,
    rows: &Arranged,
) -> Result<(RecordOutcome, CodedTable)> {
    let mut release = staged.read_back_one()?;
    let mut distributions = Vec::new();
    if let Some(name) = run.distributed() {
        let found = Distributed::read(&release, name)?.ok_or_else(|| {
            Error::verification(format!("the written release shows no frequencies of '{name}'"))
        })?;
        release = found.supports.clone();
        distributions.push((name.to_owned(), found));
    }
    let quasi = covers(run)?;
    let claim = |model: &dyn crate::models::Model| {
        let mut claim = model_claim(model.claim());
        if model.protects().is_none() {
            claim.parameters.insert("links".into(), run.found.solution.linkage.name().into());
        }
        claim
    };
    let models: Vec<_> = run.problem.models.iter().map(|model| claim(&**model)).collect();
    // Exchanged values are written in one spelling, and must be those of the original.
    let columns = &run.problem.table.payloads().columns;
    let exchanged = columns.iter().find(|column| Some(column.name.as_str()) == run.exchanged());
    check_spelling(run.source, run.plan, staged.control())?;
    let values: Vec<_> = exchanged.iter().map(|column| sensitive_column(column, run.plan)).collect();
    let release = in_normal_form(&release, &values, Some(run.source), staged.control())?.into_owned();
    let original = in_normal_form(run.source, &values, None, staged.control())?;
    let windows = exchange::windows(run, rows);
    let windows = exchanged.zip(windows.as_ref());
    let originals = Originals {
        table: &original,
        quasi: &quasi,
        row_map: Some(&rows.order),
        exchanged: windows
            .map(|(column, windows)| Exchanged { column: &column.name, windows: Some(windows) }),
    };
    staged.check()?;
    let outcome = check_records(&release, &distributions, &models, Some(originals), staged.control())?;
    if let Some(model) = outcome.models.iter().find(|model| !model.holds) {
        return Err(Error::verification(format!(
            "the written release does not keep {} for {} rows. It was not published. This is a bug in Scumble, please report it",
            model.label, model.failing_rows
        )));
    }
    staged.check()?;
    let truths = truths(run)?;
    let truth =
        check_truth_with_map(&release, &original, &rows.order, &truths, Drops::Forbidden, staged.control())?;
    if !truth.holds {
        return Err(Error::verification(
            "the written release is not true of the original rows. It was not published. This is a bug in Scumble, please report \
             it",
        ));
    }
    Ok((outcome, release))
}

/// How the verifier reads each quasi-identifier.
fn covers(run: &RecordRun<'_>) -> Result<Vec<(String, Cover)>> {
    let cover_of = |quasi: &crate::table::quasi::Quasi| {
        Ok((quasi.name.clone(), cover(quasi, run.markers(&quasi.name))?))
    };
    run.problem.quasi.iter().map(cover_of).collect()
}

/// How each column must be true of the original.
pub(super) fn truths(run: &RecordRun<'_>) -> Result<Vec<(String, Truth)>> {
    let quasi = covers(run)?;
    let truths = run
        .plan
        .columns
        .iter()
        .map(|(name, column)| {
            let truth = if let Some((_, cover)) = quasi.iter().find(|(of, _)| of == name) {
                Truth::Covers(cover.clone())
            } else if Some(name.as_str()) == run.distributed() {
                Truth::Covers(values(run, name))
            } else if Some(name.as_str()) == run.exchanged() {
                Truth::Permuted
            } else if [Role::Class, Role::Sensitive, Role::Other].iter().any(|role| column.role.has(*role)) {
                Truth::Exact
            } else {
                Truth::Absent
            };
            (name.clone(), truth)
        })
        .collect();
    Ok(truths)
}

/// How the verifier reads a column that is published as frequencies: a row may have any value with a positive frequency.
fn values(run: &RecordRun<'_>, name: &str) -> Cover {
    let payloads = run.problem.table.payloads();
    let column: Option<&PayloadColumn> = payloads.position(name).map(|place| &payloads.columns[place]);
    Cover {
        kind: column.map_or(scumble_verify::ValueKind::Text, |column| value_kind(&column.measure)),
        nodes: Nodes::default(),
        missing: column.map(|column| column.missing.clone()).unwrap_or_default(),
    }
}
