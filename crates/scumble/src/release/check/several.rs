//! Checks models that are about several tables together: how many people have the same rows in all of them, and how many values may belong
//! to a person.

use std::sync::Arc;

use scumble_files::table::CodedTable;
use scumble_files::{ReadOptions, read_table};
use scumble_verify::{ModelOutcome, Relation, StarRows, View, check_relations, check_views, in_normal_form};

use super::{cannot_check, is_elsewhere, people};
use crate::config::{ModelSpec, Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::models::{k_uncertainty, multirelational};
use crate::release::claim::sensitive_column;
use crate::release::prepare::{payload_of, spelt_once, table_in_one_spelling};
use crate::release::requirements::with_remedies_of_missing;
use crate::release::resources::Resources;
use crate::release::written::in_form;
use crate::table::payload::PayloadColumn;

/// Multirelational k-anonymity of the table and the plan's further tables, which must all still say whom a row is about.
pub(crate) fn relational(
    release: &CodedTable,
    spec: &ModelSpec,
    plan: &Plan,
    resources: &Resources,
    star: StarRows,
) -> Result<ModelOutcome> {
    let entry = multirelational::ENTRY;
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters.allow_only(&known)?;
    let (k, set) = multirelational::settings(&spec.parameters)?;
    let subject = plan.names_with(Role::Subject).next().ok_or_else(multirelational::no_subject)?;
    let here = |name: &&str| !is_elsewhere(release, name, plan);
    let quasi: Vec<String> = plan.names_with(Role::Quasi).filter(here).map(str::to_owned).collect();
    let release = &*spelt_once(release, plan)?;
    let persons = release.column(subject).ok_or_else(|| {
        Error::config(format!("the table has no column '{subject}', which says who a row is about"))
            .advise(format!("check a private copy that still has '{subject}'"))
    })?;
    let (persons, _) = payload_of(persons, plan)?;
    // In all tables people are written as in the first one.
    let release = &table_in_one_spelling(release, std::slice::from_ref(&persons));
    let tables = further_tables(plan, resources)?;
    let tables = plan.table.iter().zip(&tables).map(|(spec, table)| with_persons(table, spec, &persons));
    let tables: Vec<CodedTable> = tables.collect::<Result<_>>()?;
    let mut relations = vec![Relation { table: release, quasi: &quasi, person: subject }];
    for (spec, table) in plan.table.iter().zip(&tables) {
        let person = spec.subject.as_deref().ok_or_else(multirelational::no_subject)?;
        relations.push(Relation { table, quasi: &spec.quasi, person });
    }
    check_relations(&relations, k, set, star, resources.control()).map_err(cannot_check)
}

/// A further table with its people written as in the first table; an error if they cannot be the same people.
fn with_persons(
    table: &CodedTable,
    spec: &crate::config::TableSpec,
    persons: &PayloadColumn,
) -> Result<CodedTable> {
    let name = spec.subject.as_deref().ok_or_else(multirelational::no_subject)?;
    let column = table.column(name).ok_or_else(|| {
        Error::config(format!(
            "'{}' has no column '{name}', which is to say who its rows are about",
            spec.file
        ))
    })?;
    if column.values.iter().any(|text| persons.missing.iter().any(|marker| marker == text)) {
        return Err(Error::data(format!("'{}' has rows without a person (column '{name}')", spec.file))
            .advise("leave the rows without a person out")
            .advise("say whom the rows without a person are about"));
    }
    let spellings = persons.spellings();
    if column.values.iter().all(|text| spellings.find(text).is_none()) {
        return Err(Error::data(format!(
            "no person of '{}' (column '{name}') is in the first table; are they written in the same way?",
            spec.file
        )));
    }
    let values = PayloadColumn { name: name.to_owned(), ..persons.clone() };
    Ok(table_in_one_spelling(table, &[values]).into_owned())
}

/// The plan's further tables.
fn further_tables(plan: &Plan, resources: &Resources) -> Result<Vec<Arc<CodedTable>>> {
    let read = |file: &str| {
        let source = resources.source(file)?;
        // The table may be written otherwise than the input.
        let control = resources.control().clone();
        let form = resources.written_form(file);
        let options = ReadOptions { control, ..in_form(&form, crate::release::other_options(plan)) };
        form.meaning(read_table(&source, &options)?.coded).map_err(cannot_check)
    };
    let table = |table: &crate::config::TableSpec| {
        let read = resources.kept_table(&table.file, || read(&table.file))?;
        match table.quasi.iter().find(|name| read.column(name).is_none()) {
            Some(name) => Err(Error::config(format!("'{}' has no column '{name}'", table.file))),
            None => Ok(read),
        }
    };
    plan.table.iter().map(table).collect()
}

/// k-uncertainty of the table and the plan's further tables, for everybody in the original.
pub(crate) fn over_views(
    release: &CodedTable,
    original: Option<&CodedTable>,
    spec: &ModelSpec,
    plan: &Plan,
    resources: &Resources,
) -> Result<Vec<ModelOutcome>> {
    let known: Vec<&str> = k_uncertainty::ENTRY.parameters.iter().map(|(name, _)| *name).collect();
    spec.parameters.allow_only(&known)?;
    let k = k_uncertainty::least(&spec.parameters)?;
    let original = original.ok_or_else(|| {
        Error::config("k-uncertainty of several tables is about everybody who can be looked up in them")
            .set(Setting::root("original"), "give the original rows")
    })?;
    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let columns = if spec.columns.is_empty() { &sensitive } else { &spec.columns };
    let spelt = spelt_once(original, plan)?;
    let mut values = Vec::new();
    for name in columns {
        let Some(column) = spelt.column(name) else { continue };
        let (of_column, _) = payload_of(column, plan)?;
        if of_column.absent().is_some() {
            let what = format!(
                "k-uncertainty of several tables counts every text of '{name}', and some rows have no value there"
            );
            return Err(with_remedies_of_missing(Error::refused(what), name));
        }
        values.push(sensitive_column(&of_column, plan));
    }
    let plain = |table: &CodedTable| {
        in_normal_form(table, &values, Some(original), resources.control())
            .map(std::borrow::Cow::into_owned)
            .map_err(cannot_check)
    };
    let (release, known) = (&plain(release)?, &plain(original)?);
    let people = people(known, plan, resources)?;
    let tables =
        further_tables(plan, resources)?.iter().map(|table| plain(table)).collect::<Result<Vec<_>>>()?;
    let here = |name: &&str| release.column(name).is_some();
    let quasi: Vec<String> = plan.names_with(Role::Quasi).filter(here).map(str::to_owned).collect();
    let mut views = vec![View { table: release, quasi: &quasi }];
    views.extend(plan.table.iter().zip(&tables).map(|(spec, table)| View { table, quasi: &spec.quasi }));
    columns
        .iter()
        .map(|column| check_views(&views, &people, column, k, resources.control()).map_err(cannot_check))
        .collect()
}
