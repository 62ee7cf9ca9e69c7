//! Verifies records that overlap. There are no classes; each record is checked against the original rows that it covers.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{
    Cover, Distributed, Drops, Exchanged, ModelClaim, Originals, Truth, TruthOutcome, check_records,
    check_truth, in_normal_form,
};

use super::claims::{claims, columns_of};
use super::truth::truthful;
use super::{Checked, WhatWasRead, cannot_check};
use crate::config::{Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::registry::{Method, method};
use crate::release::claim::{cover, sensitive_column};
use crate::release::prepare::{Prepared, payload_of, prepare, spelt_once};
use crate::release::requirements::with_remedies_of_missing;
use crate::release::resources::Resources;
use crate::search::algorithms::RecordAlgorithm;

/// What a table shows in place of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Instead {
    /// The set of values that a row may have, since frequencies were published.
    Sets,
    /// The value of another row.
    Exchanged,
}

/// Checks a table of records, if it is one: it shows frequencies, or the plan names an algorithm whose records overlap.
pub(super) fn check(
    release: &CodedTable,
    original: Option<&CodedTable>,
    row_map: Option<&[u32]>,
    plan: &Plan,
    resources: &Resources,
) -> Result<Option<Checked>> {
    // The original in one spelling for each value, as the run that made the records read it.
    let original = original.map(|original| spelt_once(original, plan)).transpose()?;
    let original = original.as_deref();
    let distributions = distributions(release, plan)?;
    let algorithm = match method(&plan.algorithm.name)? {
        Method::Records(entry) => Some((entry.name, (entry.build)(&plan.algorithm.parameters)?)),
        Method::Classes(_) | Method::Tables(_) => None,
    };
    if distributions.is_empty() && algorithm.is_none() {
        return Ok(None);
    }
    if let Some(subject) = plan.names_with(Role::Subject).next() {
        return Err(Error::refused(format!(
            "a release of overlapping records is checked by rows, and '{subject}' says that persons may have several"
        ))
        .weaken_without(
            Setting::role("subject"),
            "leave the subject column out, if every person has one row",
        ));
    }
    if !distributions.is_empty() {
        return with_frequencies(release, original, row_map, &distributions, plan, resources).map(Some);
    }
    let Some((name, algorithm)) = algorithm else { return Ok(None) };
    if algorithm.capabilities().shows_frequencies {
        return Err(Error::config(format!(
            "the table shows no frequencies, and the plan's algorithm is '{name}'. Tables that were drawn (format = \"sampled\") cannot \
             be checked by themselves: the records they were drawn from are not published, and were verified when they were"
        ))
        .advise("check a release that shows frequencies")
        .set(Setting::algorithm(), "name the algorithm that made this table"));
    }
    let Some(original) = original else {
        return Err(Error::config(format!(
            "the records of '{name}' overlap and form no groups, so they are checked by the original rows that they cover"
        ))
        .set(Setting::root("original"), "give the original rows"));
    };
    without_frequencies(release, original, row_map, &*algorithm, plan, resources).map(Some)
}

/// The columns of a release that are published as frequencies.
fn distributions(release: &CodedTable, plan: &Plan) -> Result<Vec<(String, Distributed)>> {
    let mut found = Vec::new();
    for name in plan.names_with(Role::Sensitive).chain(plan.names_with(Role::Class)) {
        if found.iter().any(|(of, _)| of == name) {
            continue;
        }
        if let Some(read) = Distributed::read(release, name).map_err(cannot_check)? {
            found.push((name.to_owned(), read));
        }
    }
    Ok(found)
}

/// The claims of the plan's models about records.
fn asked(known: &CodedTable, plan: &Plan, resources: &Resources) -> Result<Vec<ModelClaim>> {
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let mut models = Vec::new();
    for spec in &plan.privacy {
        if let Some(set) = &spec.quasi {
            return Err(Error::config(format!(
                "model '{}' is about the set {set:?} of quasi-identifiers; records that overlap are checked on all of them",
                spec.model
            )));
        }
        models.append(&mut claims(spec, &sensitive, None, known, None, plan, resources)?);
    }
    let judged = models.iter().filter_map(|model| model.parameters.get("column")?.as_str());
    for column in judged.filter_map(|name| known.column(name)) {
        if payload_of(column, plan)?.0.absent().is_some() {
            let what = format!(
                "records that overlap are checked by every row that they cover, and some rows have no value of '{}'",
                column.name
            );
            return Err(with_remedies_of_missing(Error::refused(what), &column.name));
        }
    }
    Ok(models)
}

/// Checks what each record covers in the original, its frequencies, and whether it may be true.
fn with_frequencies(
    release: &CodedTable,
    original: Option<&CodedTable>,
    row_map: Option<&[u32]>,
    distributions: &[(String, Distributed)],
    plan: &Plan,
    resources: &Resources,
) -> Result<Checked> {
    let mut supports = release.clone();
    for (name, _) in distributions {
        if let Some(read) = Distributed::read(&supports, name).map_err(cannot_check)? {
            supports = read.supports;
        }
    }
    let models = asked(original.unwrap_or(&supports), plan, resources)?;
    let published: Vec<(&str, Instead)> =
        distributions.iter().map(|(name, _)| (name.as_str(), Instead::Sets)).collect();
    let truth = original
        .map(|original| truthful(&supports, original, row_map, &published, plan, resources))
        .transpose()?;
    let covers = original.map(|original| quasi_covers(original, plan, resources)).transpose()?;
    let originals = original.zip(covers.as_ref()).map(|(table, quasi)| Originals {
        table,
        quasi,
        row_map: None,
        exchanged: None,
    });
    let records = check_records(&supports, distributions, &models, originals, resources.control())
        .map_err(cannot_check)?;
    let judged = columns_of(&models);
    Ok(Checked {
        outcome: None,
        attained: None,
        truth,
        records: Some(records),
        judged,
        read: WhatWasRead::default(),
    })
}

/// Checks what each record covers in the original, and whether it may be true. Exchanged values must be able to come from
/// rows that their records cover.
fn without_frequencies(
    release: &CodedTable,
    original: &CodedTable,
    row_map: Option<&[u32]>,
    algorithm: &dyn RecordAlgorithm,
    plan: &Plan,
    resources: &Resources,
) -> Result<Checked> {
    let mut models = asked(original, plan, resources)?;
    for model in models.iter_mut().filter(|model| !model.parameters.contains_key("column")) {
        model.parameters.insert("links".into(), algorithm.capabilities().linkage.name().into());
    }
    let exchanged = if algorithm.capabilities().exchanges { exchanged(&models) } else { None };
    let values = exchanged.as_deref().and_then(|name| original.column(name));
    let values = values.map(|column| payload_of(column, plan)).transpose()?;
    let values: Vec<_> = values.iter().map(|(values, _)| sensitive_column(values, plan)).collect();
    let release =
        &in_normal_form(release, &values, Some(original), resources.control()).map_err(cannot_check)?;
    let original = &in_normal_form(original, &values, None, resources.control()).map_err(cannot_check)?;
    let quasi = quasi_covers(original, plan, resources)?;
    let instead: Vec<(&str, Instead)> =
        exchanged.iter().map(|name| (name.as_str(), Instead::Exchanged)).collect();
    let mut truth = truthful(release, original, row_map, &instead, plan, resources)?;
    if let Some(name) = &exchanged {
        let sources = sources(release, original, name, &quasi, resources.control())?;
        truth.holds &= sources.holds;
        truth.unassigned_rows = truth.unassigned_rows.max(sources.unassigned_rows);
    }
    let originals = Originals {
        table: original,
        quasi: &quasi,
        row_map: None,
        exchanged: exchanged.as_deref().map(|column| Exchanged { column, windows: None }),
    };
    let records =
        check_records(release, &[], &models, Some(originals), resources.control()).map_err(cannot_check)?;
    let judged = columns_of(&models);
    Ok(Checked {
        outcome: None,
        attained: None,
        truth: Some(truth),
        records: Some(records),
        judged,
        read: WhatWasRead::default(),
    })
}

/// The column whose frequencies a model bounds: the one whose values records have exchanged.
fn exchanged(models: &[ModelClaim]) -> Option<String> {
    let of = |model: &ModelClaim, name: &str| Some(model.parameters.get(name)?.as_str()?.to_owned());
    let bounds = |model: &&ModelClaim| of(model, "variant").as_deref() == Some("frequency");
    models.iter().find(bounds).and_then(|model| of(model, "column"))
}

/// Whether the records can be matched with distinct original rows that they cover and whose values they show.
fn sources(
    release: &CodedTable,
    original: &CodedTable,
    column: &str,
    quasi: &[(String, Cover)],
    control: &Control,
) -> Result<TruthOutcome> {
    let truths = quasi.iter().map(|(name, cover)| (name.clone(), Truth::Covers(cover.clone())));
    let truths: Vec<(String, Truth)> = truths.chain([(column.to_owned(), Truth::Exact)]).collect();
    let mut shown = release.clone();
    shown.columns.retain(|column| truths.iter().any(|(name, _)| *name == column.name));
    let drops = if release.rows < original.rows { Drops::Allowed } else { Drops::Forbidden };
    check_truth(&shown, original, &truths, drops, control).map_err(cannot_check)
}

/// How the verifier reads the quasi-identifiers of a release.
fn quasi_covers(original: &CodedTable, plan: &Plan, resources: &Resources) -> Result<Vec<(String, Cover)>> {
    covers(&prepare(original, plan, resources, false)?, plan)
}

/// How the verifier reads the quasi-identifiers of a prepared original.
pub(super) fn covers(prepared: &Prepared, plan: &Plan) -> Result<Vec<(String, Cover)>> {
    let cover_of = |quasi: &crate::table::quasi::Quasi| {
        let column = plan.column(&quasi.name).and_then(|column| column.missing.clone());
        Ok((quasi.name.clone(), cover(quasi, column.unwrap_or_else(|| plan.read.missing.clone()))?))
    };
    prepared.quasi.iter().map(cover_of).collect()
}
