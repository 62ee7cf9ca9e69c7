//! What programs ask about tables that are anywhere: each question is one call, as [`Release::of`](crate::release::Release::of) is. The
//! command asks in the same way.

use std::path::Path;

use scumble_files::{Control, ReadOptions, Source, Table, Unit, read_header, read_table};
use scumble_verify::{Drops, Mapped, RowMap};

use crate::config::profile::{ColumnProfile, PlanFiles, column_values, plan_toml, plan_toml_of, profile};
use crate::config::template::Template;
use crate::config::{Column, Plan, Read, Role, Roles};
use crate::error::Result;
use crate::release::check::{
    Checked, CheckedTables, WhatWasRead, cannot_check, check, check_tables, needed_columns, published_columns,
};
use crate::release::judged;
use crate::release::prepare::population::read_population;
use crate::release::prepare::{
    ColumnTree, Complete, column_tree, drop_incomplete, keep_complete, persons_of_rows,
};
use crate::release::resources::Resources;
use crate::release::{
    Manifest, Original, Perturbed, PublishedTables, SavedRowMap, Stage, WrittenTable, read_options,
    read_original, unknown_column,
};
use crate::risk::{Assessment, Records, RiskTable, assess};
use crate::table::hierarchy;

/// What a table is checked with.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The original.
    pub original: &'a Source,
    /// The private row map of the release: with it every row is compared with its own original row.
    pub row_map: Option<&'a SavedRowMap>,
}

impl<'a> From<&'a Source> for Beside<'a> {
    fn from(original: &'a Source) -> Self {
        Self { original, row_map: None }
    }
}

/// What is said where a row map names other files than those that are checked.
const OTHER_FILES: &str = "the row map was written together with other files than these: they were changed since, or it belongs to another release";

impl Checked {
    /// Checks a table wherever it is, with its original where that is at hand.
    pub fn of(
        release: &Source,
        original: Option<&Source>,
        plan: &Plan,
        resources: &Resources,
    ) -> Result<Self> {
        Self::with(&release.into(), original.map(Beside::from), plan, resources, &|_| {})
    }

    /// As [`Checked::of`], for a table that is written in some way, and with the row map where that is at hand. `stage` is called when a
    /// stage begins.
    pub fn with(
        release: &WrittenTable<'_>,
        beside: Option<Beside<'_>>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        resources.control().run(|| Self::here(release, beside, plan, resources, stage))
    }

    /// The same on the threads that this is called on.
    fn here(
        release: &WrittenTable<'_>,
        beside: Option<Beside<'_>>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        let resources = &resources.for_a_run();
        let control = resources.control();
        stage(Stage::Read);
        let given = judged(plan)?;
        let plan = &*given;
        // What a plan says about its input does not hold for a release, which has a delimiter and an encoding of its own.
        let open = release.open(plan, &plan.read.of_release(), control)?;
        let columns = open.names.clone();
        let names: Vec<&str> = columns.iter().map(String::as_str).collect();
        let read = open.read(Some(&needed_columns(&names, plan, beside.is_some())?))?;
        let (table, mut notes) = (read.coded, read.notes);
        let mut warnings = Vec::new();
        let original = beside.map(|beside| read_original(plan, beside.original, resources)).transpose()?;
        let mut row_map = None;
        if let (Some(Beside { original: source, row_map: Some(given) }), Some(original)) = (beside, &original)
        {
            let map = given.about(source, &[])?;
            let of_table = map.only_table().map_err(cannot_check)?;
            let are_files = given.is_file() && release.source.is_file();
            if are_files && !of_table.is_of(&release.source.sha256()?) {
                warnings.push(OTHER_FILES.to_owned());
            }
            let drops = if table.rows < original.table.rows { Drops::Allowed } else { Drops::Forbidden };
            let mapped = Mapped { map: &map, kept: &original.kept };
            let cannot_map = |error| match warnings.is_empty() {
                true => cannot_check(error),
                false => cannot_check(error).advise(format!("look for another row map: {OTHER_FILES}")),
            };
            row_map = Some(mapped.sources(of_table, table.rows, drops).map_err(cannot_map)?);
        }
        let plan = original.as_ref().map_or(plan, |original| &original.plan);
        notes.extend(not_compared(plan));
        stage(Stage::Verify);
        control.begin_in(None, Unit::Rows);
        let originals = original.as_ref().map(|original| &original.table);
        let mut checked = check(&table, originals, row_map.as_deref(), plan, resources)?;
        let quasi = plan.names_with(Role::Quasi).map(str::to_owned).collect();
        let not_compared = plan.drawn.unrepeated.clone();
        notes.extend(
            original.into_iter().flat_map(|original| original.notes.into_iter().chain(original.left_out)),
        );
        let rows = table.rows as u64;
        checked.read = WhatWasRead { columns, rows, quasi, not_compared, notes, warnings };
        Ok(checked)
    }
}

/// The note about columns that show other draws than those of the release.
fn not_compared(plan: &Plan) -> Option<String> {
    let names = &plan.drawn.unrepeated;
    (!names.is_empty()).then(|| {
        format!(
            "the values of '{}' were not compared with the original: chance decided them, and its draws cannot be repeated",
            names.join("', '")
        )
    })
}

impl CheckedTables {
    /// Checks several tables that were published together, wherever they are, with their original where that is at hand.
    pub fn of(
        published: &PublishedTables,
        original: Option<&Source>,
        plan: &Plan,
        resources: &Resources,
    ) -> Result<Self> {
        Self::with(published, original.map(Beside::from), plan, resources, &|_| {})
    }

    /// As [`CheckedTables::of`], with the row map where that is at hand. `stage` is called when a stage begins.
    pub fn with(
        published: &PublishedTables,
        beside: Option<Beside<'_>>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        resources.control().run(|| Self::here(published, beside, plan, resources, stage))
    }

    /// The same on the threads that this is called on.
    fn here(
        published: &PublishedTables,
        beside: Option<Beside<'_>>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        let resources = &resources.for_a_run();
        stage(Stage::Read);
        let manifest = &published.manifest;
        let original = beside.map(|beside| original_of_several(plan, beside.original, manifest, resources));
        let original = original.transpose()?;
        let files: Vec<&str> = manifest.tables.iter().map(|table| table.file.as_str()).collect();
        let given = beside.and_then(|beside| Some((beside.original, beside.row_map?)));
        let map = given.map(|(original, given)| given.about(original, &files)).transpose()?;
        let mapped =
            map.as_ref().zip(original.as_ref()).map(|(map, original)| Mapped { map, kept: &original.kept });
        stage(Stage::Verify);
        resources.control().begin_in(None, Unit::Rows);
        let table = original.as_ref().map(|original| &original.table);
        // What outsiders know is what the caller says, or else the manifest; the original's plan has a role for every column.
        let mut checked = check_tables(published, table, mapped, plan, resources)?;
        // A map that does not fit was an error by now.
        let is_file = given.is_some_and(|(_, given)| given.is_file());
        let mut warnings = Vec::new();
        if let (Some(map), Some(folder), true) = (&map, &published.folder, is_file)
            && is_of_others(map, folder)?
        {
            warnings.push(OTHER_FILES.to_owned());
        }
        let notes = original.map_or_else(Vec::new, |original| [original.notes, original.left_out].concat());
        checked.read = WhatWasRead { notes, warnings, ..WhatWasRead::default() };
        Ok(checked)
    }
}

/// Whether a row map was written together with other tables than those of a folder.
fn is_of_others(map: &RowMap, folder: &Path) -> Result<bool> {
    for table in map.tables() {
        if !table.is_of(&Source::open(folder.join(table.file()))?.sha256()?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The original of several tables, without the rows that they leave out. Columns that the plan does not know are what the manifest says.
fn original_of_several(
    plan: &Plan,
    source: &Source,
    manifest: &Manifest,
    resources: &Resources,
) -> Result<Original> {
    let control = resources.control().clone();
    let options = ReadOptions { control, ..read_options(&plan.read)? };
    let mut plan = plan.clone();
    // Rows were also left out for columns that are not published.
    let published = published_columns(manifest);
    let named = |name: &String| published.contains(&name.as_str()) || plan.column(name).is_some();
    let columns = read_header(source, &options)?.names.into_iter().filter(named).collect();
    let read = read_table(source, &ReadOptions { columns: Some(columns), ..options })?;
    for name in published {
        if plan.column(name).is_none() {
            let role = if name == manifest.target { Role::Class } else { Role::Quasi };
            plan.columns.push((name.to_owned(), Column::new(Roles::one(role))));
        }
    }
    let mut table = read.coded;
    let Complete { kept, notes: left_out } = keep_complete(&mut table, &plan)?;
    Ok(Original {
        plan,
        table,
        kept,
        notes: read.notes,
        left_out,
        warnings: Vec::new(),
        perturbed: Perturbed::default(),
    })
}

/// The risk of a table, and what it was found from. Private.
#[derive(Debug)]
pub struct Assessed {
    /// What was found.
    pub found: Assessment,
    /// The risks of every row.
    pub records: Records,
    /// What was read. Its warnings are about rows that were left out, and a column that is not there.
    pub read: WhatWasRead,
}

impl Assessment {
    /// The risk of a table wherever it is. Outsiders know its quasi-identifiers; the plan says which columns they are.
    pub fn of(table: &Source, plan: &Plan, resources: &Resources) -> Result<Self> {
        Ok(Self::with(&table.into(), plan, resources, &|_| {})?.found)
    }

    /// As [`Assessment::of`], for a table that is written in some way, and with the risks of every row. `stage` is called when a stage
    /// begins.
    pub fn with(
        table: &WrittenTable<'_>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Assessed> {
        resources.control().run(|| Self::here(table, plan, resources, stage))
    }

    /// The same on the threads that this is called on.
    fn here(
        table: &WrittenTable<'_>,
        plan: &Plan,
        resources: &Resources,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Assessed> {
        plan.risk.check()?;
        let resources = &resources.for_a_run();
        let control = resources.control();
        let quasi: Vec<String> = plan.names_with(Role::Quasi).map(str::to_owned).collect();
        if quasi.is_empty() {
            return Err(crate::config::no_quasi_identifier());
        }
        stage(Stage::Read);
        let open = table.open(plan, &plan.read, control)?;
        let all = open.names.clone();
        let names: Vec<&str> = all.iter().map(String::as_str).collect();
        let asked = quasi.iter().chain(&plan.risk.weight).map(String::as_str);
        let mut columns: Vec<&str> = asked.chain(plan.risk.household.as_deref()).collect();
        if let Some(unknown) = columns.iter().find(|name| !names.contains(name)) {
            return Err(unknown_column(unknown, &names));
        }
        let mut warnings = Vec::new();
        let mut spec = plan.risk.clone();
        // A release may lack these.
        if let Some(household) = plan.names_with(Role::Household).next().filter(|_| spec.household.is_none())
        {
            if names.contains(&household) {
                columns.push(household);
                spec.household = Some(household.to_owned());
            } else {
                warnings.push(format!(
                    "the table has no column '{household}', so nothing is said about households"
                ));
            }
        }
        match plan.names_with(Role::Subject).next() {
            Some(subject) if !names.contains(&subject) => warnings.push(format!(
                "the table has no column '{subject}', so rows are counted; persons are counted where the column is still there"
            )),
            subject => columns.extend(subject),
        }
        let read = open.read(Some(&columns))?;
        let (mut table, mut notes) = (read.coded, read.notes);
        warnings.extend(drop_incomplete(&mut table, plan)?);
        let population = read_population(plan, resources)?;
        notes.extend(population.iter().flat_map(|population| population.notes.clone()));
        let persons = persons_of_rows(&table, plan)?;
        let input = RiskTable {
            table: &table,
            quasi: &quasi,
            missing: &plan.read.missing,
            population: population.as_ref().map(|population| &population.table),
            persons: persons.as_deref(),
        };
        stage(Stage::Measure);
        let (found, records) = assess(&input, &spec, control)?;
        let rows = table.rows as u64;
        Ok(Assessed {
            found,
            records,
            read: WhatWasRead { columns: all, rows, quasi, not_compared: Vec::new(), notes, warnings },
        })
    }
}

/// What a table shows about its columns.
#[derive(Debug)]
pub struct Guess {
    /// What was seen of each column.
    pub columns: Vec<ColumnProfile>,
    /// The rows of the table.
    pub rows: u64,
    /// What is worth knowing about how it was read.
    pub notes: Vec<String>,
    read: Read,
}

impl Guess {
    /// Reads all columns of a table, read in this way.
    pub fn of(table: &Source, read: &Read, control: &Control) -> Result<Self> {
        let options = ReadOptions { control: control.clone(), ..read_options(read)? };
        control.run(|| {
            let Table { coded, notes, .. } = read_table(table, &options)?;
            let columns = profile(&column_values(&coded, &read.missing));
            Ok(Self { columns, rows: coded.rows as u64, notes, read: read.clone() })
        })
    }

    /// The guesses as a commented plan, with these files. Roles are marked with a `?`, for somebody to confirm, unless `accept`.
    #[must_use]
    pub fn to_toml(&self, files: &PlanFiles, accept: bool) -> String {
        plan_toml(&self.columns, files, &self.read, accept)
    }

    /// The same with what a template makes of the guesses, and notes about lines that are comments because the table lacks something.
    #[must_use]
    pub fn to_toml_of(&self, template: &Template, files: &PlanFiles, accept: bool) -> (String, Vec<String>) {
        plan_toml_of(template, &self.columns, files, &self.read, accept)
    }

    /// The guesses as a plan. A release is refused until every role is confirmed, unless `accept`.
    pub fn plan(&self, accept: bool) -> Result<Plan> {
        Plan::from_toml(&self.to_toml(&PlanFiles::for_input("the table"), accept), "the guessed plan")
    }
}

impl ColumnTree {
    /// Builds the hierarchy of a column of a table, as the plan's column says; `class` is the class column (MDLP).
    pub fn of(
        table: &Source,
        name: &str,
        class: Option<&str>,
        plan: &Plan,
        resources: &Resources,
    ) -> Result<Self> {
        let control = resources.control().clone();
        let options = ReadOptions { control, ..read_options(&plan.read)? };
        let header = read_header(table, &options)?;
        let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
        let wanted = std::iter::once(name).chain(class);
        if let Some(unknown) = wanted.clone().find(|name| !names.contains(name)) {
            return Err(unknown_column(unknown, &names));
        }
        let columns = Some(wanted.map(str::to_owned).collect());
        let read = read_table(table, &ReadOptions { columns, ..options })?;
        let column = plan.column(name).cloned().unwrap_or_else(|| Role::Quasi.into());
        let tree = column_tree(&read.coded, name, &column, class, plan, resources)?;
        Ok(Self { notes: read.notes, ..tree })
    }

    /// The tree for people, at most this many lines of it.
    #[must_use]
    pub fn show(&self, lines: usize) -> String {
        hierarchy::show(&self.built.hierarchy, &self.rows_per_leaf, lines)
    }

    /// The tree as the text of a hierarchy file. Its labels are values of the table: private.
    #[must_use]
    pub fn to_csv(&self) -> String {
        hierarchy::to_csv(&self.built.hierarchy)
    }
}
