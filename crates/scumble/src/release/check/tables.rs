//! Verifies several tables that were published together, put side by side as a reader would who has them all.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{
    Cover, Drops, GroupTables, GroupedOriginal, Mapped, ModelClaim, ModelOutcome, Nodes, Population, Sums,
    Truth, TruthOutcome, View, check_groups, check_projections, check_truth, check_truth_with_map,
    projections_at_least, sorted_by_content,
};
use serde_json::Value;

use super::{WhatWasRead, cannot_check, claims};
use crate::config::{Column, Plan, Role, Roles};
use crate::error::{Error, Result, Wanted};
use crate::release::claim::{cover, model_claim, sensitive_column, value_kind};
use crate::release::prepare::{payload_of, prepare, spelt_once};
use crate::release::resources::Resources;
use crate::release::{Manifest, PublishedTables, TableFile, Together};

/// The end of a note about something that the published files do not say.
const ROW_MAP_DOES: &str =
    "the private row map does (row_map), if it was written with the release and is given to the check";

/// The result of a check of several tables.
#[derive(Debug, serde::Serialize)]
pub struct CheckedTables {
    /// Whether everything that was asked holds.
    pub holds: bool,
    /// The models, checked on all tables together.
    pub models: Vec<ModelOutcome>,
    /// The tables.
    pub tables: Vec<CheckedTable>,
    /// The number of groups, where rows are in groups.
    pub groups: Option<u64>,
    /// The contradictions that were found.
    pub faults: Vec<String>,
    /// What was compared with the original, where one was given.
    pub compared: Vec<String>,
    /// What was not compared with the original.
    pub not_compared: Vec<String>,
    /// What was read.
    #[serde(skip)]
    pub read: WhatWasRead,
}

/// The result for one of several tables.
#[derive(Debug, serde::Serialize)]
pub struct CheckedTable {
    /// Its file.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// The rows of the smallest class, for somebody who has this table only; `None` for tables of groups.
    pub alone: Option<u64>,
    /// Whether it is true of the original, where one was given.
    pub truth: Option<TruthOutcome>,
}

/// The columns of the original that several tables must be true of.
#[must_use]
pub fn published_columns(manifest: &Manifest) -> Vec<&str> {
    let own: Vec<&str> = match &manifest.together {
        Together::Projections => Vec::new(),
        Together::Groups { group, count, sums } => {
            let sums = sums.iter().flatten().map(String::as_str);
            [group.as_str(), count].into_iter().chain(sums).collect()
        }
    };
    let mut names: Vec<&str> = Vec::new();
    for name in manifest.tables.iter().flat_map(|table| &table.columns) {
        if !own.contains(&name.as_str()) && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// Checks several tables against the promises of their manifest, or against the models of the plan if it has some. The plan also
/// says how missing values are written; `original` has the columns that are published. With the private row map every row is compared
/// with its own original.
pub fn check_tables(
    published: &PublishedTables,
    original: Option<&CodedTable>,
    row_map: Option<Mapped<'_>>,
    plan: &Plan,
    resources: &Resources,
) -> Result<CheckedTables> {
    let mut manifest = published.manifest.clone();
    // The user may add columns that outsiders know.
    for name in plan.names_with(Role::Quasi) {
        if !manifest.tables.iter().any(|table| table.columns.iter().any(|of| of == name)) {
            continue;
        }
        if !manifest.quasi.iter().any(|of| of == name) {
            manifest.quasi.push(name.to_owned());
        }
    }
    let (manifest, control) = (&manifest, resources.control());
    // The target is read as a sensitive column, whatever the plan says about it.
    let mut with_target = plan.clone();
    if matches!(manifest.together, Together::Groups { .. }) {
        let role = Roles::one(Role::Sensitive);
        match with_target.columns.iter_mut().find(|(name, _)| *name == manifest.target) {
            Some((_, column)) => column.role = role,
            None => with_target.columns.push((manifest.target.clone(), Column::new(role))),
        }
    }
    let plan = &with_target;
    let tables = &published.tables;
    let unnamed = |name: &String| format!("'{name}' is in the folder, and the manifest does not name it");
    let mut faults: Vec<String> = published.unnamed.iter().map(unnamed).collect();
    faults.extend(tables.iter().zip(&manifest.tables).filter_map(|(table, file)| fault_of(table, file)));
    let spelt = original.map(|original| spelt_once(original, plan)).transpose()?;
    let original = spelt
        .as_deref()
        .map(|original| KnownOriginal::new(original, row_map, manifest, plan, control))
        .transpose()?;
    let models = asked(
        manifest,
        plan,
        resources,
        original.as_ref().map_or(&tables[..], |of| std::slice::from_ref(of.table)),
    )?;
    let mut checked = CheckedTables {
        holds: false,
        models: Vec::new(),
        tables: manifest
            .tables
            .iter()
            .zip(tables)
            .map(|(file, table)| CheckedTable {
                file: file.file.clone(),
                rows: table.rows as u64,
                alone: None,
                truth: None,
            })
            .collect(),
        groups: None,
        faults,
        compared: Vec::new(),
        not_compared: Vec::new(),
        read: WhatWasRead::default(),
    };
    match &manifest.together {
        Together::Projections => {
            projections(&mut checked, tables, &models, manifest, original.as_ref(), control)?;
        }
        Together::Groups { .. } => {
            groups(&mut checked, tables, &models, manifest, original.as_ref(), plan, control)?;
        }
    }
    let truths = checked.tables.iter().filter_map(|table| table.truth.as_ref());
    checked.holds = checked.faults.is_empty()
        && checked.models.iter().all(|model| model.holds)
        && truths.clone().all(|truth| truth.holds);
    Ok(checked)
}

/// What is wrong with a table, compared with its entry in the manifest.
fn fault_of(table: &CodedTable, file: &TableFile) -> Option<String> {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    if names != file.columns.iter().map(String::as_str).collect::<Vec<_>>() {
        return Some(format!("'{}' has other columns than the manifest says", file.file));
    }
    (table.rows as u64 != file.rows)
        .then(|| format!("'{}' has {} rows, and the manifest says {}", file.file, table.rows, file.rows))
}

/// An original, with what is needed to compare tables with it.
struct KnownOriginal<'a> {
    table: &'a CodedTable,
    row_map: Option<Mapped<'a>>,
    control: &'a Control,
    /// How the labels of each published column are to be read.
    covers: Vec<(String, Cover)>,
}

impl<'a> KnownOriginal<'a> {
    fn new(
        table: &'a CodedTable,
        row_map: Option<Mapped<'a>>,
        manifest: &Manifest,
        plan: &Plan,
        control: &'a Control,
    ) -> Result<Self> {
        let names = published_columns(manifest);
        let missing = |name: &str| {
            let own = plan.column(name).and_then(|column| column.missing.clone());
            own.unwrap_or_else(|| plan.read.missing.clone())
        };
        let columns = names.iter().filter(|name| **name != manifest.target).map(|name| {
            let role = Roles::one(Role::Quasi);
            let given = plan.column(name).cloned().unwrap_or_else(|| Column::new(role.clone()));
            let column = Column { role, hierarchy: None, ..given };
            ((*name).to_owned(), column)
        });
        let quasi = Plan { columns: columns.collect(), hierarchies: None, ..plan.clone() };
        let prepared = prepare(table, &quasi, &Resources::default().watched_by(control), false)?;
        let mut covers = Vec::new();
        for quasi in &prepared.quasi {
            covers.push((quasi.name.clone(), cover(quasi, missing(&quasi.name))?));
        }
        let target = table.column(&manifest.target).ok_or_else(|| {
            Error::config(format!(
                "the original has no column '{}', which the tables are about",
                manifest.target
            ))
        })?;
        let (values, _) = payload_of(target, plan)?;
        let kind = value_kind(&values.measure);
        covers.push((values.name.clone(), Cover { kind, nodes: Nodes::default(), missing: values.missing }));
        Ok(Self { table, row_map, control, covers })
    }

    /// For each row of a published table its original row, where the private row map is known.
    fn sources(&self, table: &CodedTable, file: &str) -> Result<Option<Vec<u32>>> {
        let Some(mapped) = self.row_map else { return Ok(None) };
        let of_table = mapped.map.table(file).ok_or_else(|| {
            Error::config(format!(
                "the row map cannot be used: it says nothing about '{file}', so it belongs to another release"
            ))
        })?;
        // Releases of several tables leave out no rows.
        mapped.sources(of_table, table.rows, Drops::Forbidden).map(Some).map_err(cannot_check)
    }

    /// Whether a table is true of the original: row by row where `sources` is known, else whether it can be. Columns that the original does
    /// not have are not compared.
    fn truth(
        &self,
        table: &CodedTable,
        sources: Option<&[u32]>,
        not_compared: &[&str],
    ) -> Result<TruthOutcome> {
        let mut table = table.clone();
        table.columns.retain(|column| !not_compared.contains(&column.name.as_str()));
        let truths: Vec<(String, Truth)> = self
            .covers
            .iter()
            .filter(|(name, _)| table.column(name).is_some())
            .map(|(name, cover)| (name.clone(), Truth::Covers(cover.clone())))
            .collect();
        match sources {
            Some(sources) => {
                check_truth_with_map(&table, self.table, sources, &truths, Drops::Forbidden, self.control)
            }
            None => check_truth(&table, self.table, &truths, Drops::Forbidden, self.control),
        }
        .map_err(cannot_check)
    }
}

/// The models to check: those of the plan, or those of the manifest.
fn asked(
    manifest: &Manifest,
    plan: &Plan,
    resources: &Resources,
    tables: &[CodedTable],
) -> Result<Vec<ModelClaim>> {
    if plan.privacy.is_empty() {
        if manifest.models.is_empty() {
            return Err(Error::config("the manifest promises nothing, so there is nothing to check")
                .set(Wanted::model("k_anonymity").with("k", 5), "ask for a model, such as k-anonymity")
                .set(
                    Wanted::model("l_diversity").with("l", 2),
                    "ask for a model of sensitive values, such as l-diversity",
                ));
        }
        return Ok(manifest.models.iter().cloned().map(model_claim).collect());
    }
    let known = tables.iter().find(|table| table.column(&manifest.target).is_some());
    let known = known.ok_or_else(|| {
        Error::data(format!("no table has the column '{}', which they are about", manifest.target))
    })?;
    let mut asked = Vec::new();
    for spec in &plan.privacy {
        let target = std::slice::from_ref(&manifest.target);
        asked.append(&mut claims::claims(spec, target, None, known, None, plan, resources)?);
    }
    Ok(asked)
}

/// Puts projections side by side.
fn projections(
    checked: &mut CheckedTables,
    tables: &[CodedTable],
    models: &[ModelClaim],
    manifest: &Manifest,
    original: Option<&KnownOriginal<'_>>,
    control: &Control,
) -> Result<()> {
    let rows: Vec<usize> = tables.iter().map(|table| table.rows).collect();
    if rows.windows(2).any(|pair| pair[0] != pair[1]) {
        checked.faults.push("the tables do not have the same number of rows".to_owned());
    }
    for (table, file) in tables.iter().zip(&manifest.tables) {
        if !sorted_by_content(table) {
            checked.faults.push(format!(
                "'{}' is not sorted by its content, so its rows may be put together with those of another table",
                file.file
            ));
        }
    }
    let quasi: Vec<Vec<String>> = tables
        .iter()
        .map(|table| manifest.quasi.iter().filter(|name| table.column(name).is_some()).cloned().collect())
        .collect();
    let views: Vec<View<'_>> =
        tables.iter().zip(&quasi).map(|(table, quasi)| View { table, quasi }).collect();
    for model in models {
        if !crate::models::asked::is_size_alone(&model.name) {
            return Err(Error::refused(format!(
                "projections are checked together, by k_anonymity only; '{}' is not about several tables",
                model.name
            )));
        }
        let k = model.parameters.get("k").and_then(Value::as_u64).filter(|k| *k > 0);
        let k = k.ok_or_else(|| Error::data("k of k_anonymity is not a whole number above 0"))?;
        let joint = match original {
            Some(original) => {
                let people = Population { table: original.table, covers: original.covers.clone() };
                check_projections(&views, &people, k, control)
            }
            None => projections_at_least(&views, k, control),
        };
        let joint = joint.map_err(cannot_check)?;
        checked.models.push(joint.outcome);
        for (table, alone) in checked.tables.iter_mut().zip(joint.alone) {
            table.alone = Some(alone);
        }
    }
    if let Some(original) = original {
        if original.row_map.is_some() {
            checked
                .compared
                .push("every row of every table with the original row that the row map gives it".to_owned());
        } else {
            checked.compared.push("each table by itself, as a whole".to_owned());
            checked.not_compared.push(format!(
                "which rows of several tables are one person's is not published, so it was not compared; {ROW_MAP_DOES}"
            ));
        }
        for (table, found) in tables.iter().zip(&mut checked.tables) {
            let sources = original.sources(table, &found.file)?;
            found.truth = Some(original.truth(table, sources.as_deref(), &[])?);
        }
    }
    Ok(())
}

/// Checks rows in groups.
fn groups(
    checked: &mut CheckedTables,
    tables: &[CodedTable],
    models: &[ModelClaim],
    manifest: &Manifest,
    original: Option<&KnownOriginal<'_>>,
    plan: &Plan,
    control: &Control,
) -> Result<()> {
    let Together::Groups { group, count, sums } = &manifest.together else { return Ok(()) };
    let [rows, told] = tables else {
        return Err(Error::data("the manifest says that rows are in groups, which takes two tables"));
    };
    let known = original.map_or(told, |original| original.table);
    let known = known.column(&manifest.target).or_else(|| rows.column(&manifest.target));
    let values = known.map(|column| payload_of(column, plan)).transpose()?;
    let read = values.as_ref().map(|(values, _)| sensitive_column(values, plan));
    let comma = values.as_ref().is_some_and(|(values, _)| values.measure.kind.has_comma());
    let permuted = sums.as_ref().map(|[least, greatest, sum]| Sums { least, greatest, sum, comma });
    let target = &manifest.target;
    let both = GroupTables { rows, groups: told, group, target, count, permuted, values: read.as_ref() };
    let sources =
        original.map(|original| original.sources(rows, &manifest.tables[0].file)).transpose()?.flatten();
    let mapped = original.and_then(|original| original.row_map);
    let said = mapped.as_ref().map(|mapped| mapped.groups().map_err(cannot_check)).transpose()?;
    let truth = original.map(|original| GroupedOriginal {
        table: original.table,
        row_map: sources.as_deref(),
        groups: said.as_deref(),
    });
    let outcome = check_groups(&both, models, truth, control).map_err(cannot_check)?;
    let both_columns = [group.as_str(), manifest.target.as_str()];
    checked.models = outcome.models;
    checked.groups = Some(outcome.groups);
    checked.faults.extend(outcome.faults);
    if let Some(original) = original {
        if sources.is_some() {
            checked.compared.push(format!(
                "every row with the original row that the row map gives it, its group with the one that the row map says, and the values of \
                 {target} of every group with those of its rows"
            ));
        } else {
            checked.compared.push(format!(
                "the rows without {target} and without their groups, and the values of {target} as a whole, over all groups"
            ));
            checked.not_compared.push(format!(
                "whether each row is in the group of its own value, since no published file says which row is whose; {ROW_MAP_DOES}"
            ));
        }
        let apart = if sums.is_some() { &both_columns[..] } else { &both_columns[..1] };
        checked.tables[0].truth = Some(original.truth(rows, sources.as_deref(), apart)?);
    }
    Ok(())
}
