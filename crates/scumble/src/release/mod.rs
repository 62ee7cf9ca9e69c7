//! From a plan to a verified release.
//!
//! ```text
//! read → transform → encode → frequency table → check the problem → algorithm → recoding
//!      → write to a private temporary file → VERIFY WHAT WAS WRITTEN → rename into place → report
//! ```
//! A release that fails verification never gets its name. `make` runs this line: it reads the table, each kind of release has a `search` of its
//! own, and `pipeline::complete` does the rest. [`anonymize`] makes files, [`Release`] makes tables in memory.
//!
//! Anything here that is neither in [`crate::prelude`] nor in [`crate::extend`] is not stable: it may change from version to version.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

use scumble_files::table::CodedTable;
use scumble_files::{ReadOptions, Source};

use crate::config::profile::refuse_unjudged;
use crate::config::template;
use crate::config::{Plan, Role};
use crate::error::{Error, Result, Setting, among_columns};
use crate::problem::{Budget, Progress};
use crate::registry::{self, Method};
use crate::release::outputs::Outputs;
use crate::release::prepare::population::read_population;
use crate::release::prepare::{Complete, SpeltTable, keep_complete};
use crate::release::resources::Resources;
use crate::report::data::PersonalData;
use classes::recoding_file::check_rule_for_rows;
use classes::together;
use gate::RowNumbers;
pub use steps::give_release_id;
pub(crate) use steps::perturbed::Perturbed;
pub use steps::perturbed::judged;
use steps::{Purpose, Steps};

mod apply;
mod axis;
pub mod check;
pub(crate) mod claim;
mod classes;
mod datasheet;
pub(crate) mod described;
mod form;
mod gate;
mod histories;
mod households;
mod in_memory;
mod joined;
mod key_file;
mod linkable;
pub mod new_rows;
mod offers;
mod origin;
pub mod outputs;
mod perturbation;
mod pipeline;
pub mod prepare;
mod publish;
mod ranges;
mod records;
mod renumber;
mod report;
mod requirements;
pub mod resources;
mod row_map;
mod run;
pub mod saved;
mod search;
mod spreadsheet;
mod staged;
mod steps;
mod summary;
mod table_stage;
mod tables;
mod targets;
mod trial;
mod weights;
mod written;

pub use apply::{Applied, apply, apply_beside};
pub use described::{
    Promised, SheetCheck, compare_folder_with_datasheet, compare_with_datasheet, datasheets_of,
    older_datasheets_of, promised_by_datasheet, written_form,
};
pub use in_memory::{RecodedRows, Release, RowMap};
pub use joined::{Joined, JoinedModel, PlanOfTable, ReleasedTogether, anonymize_joined};
pub use key_file::new_key_file;
pub use linkable::columns_that_link;
use pipeline::{Destination, Watched};
use publish::Files;
pub use requirements::DISCLOSURE_ACCEPTED;
pub(crate) use requirements::has_separate_models;
pub use row_map::SavedRowMap;
/// How a table is written where that differs from what it means.
pub use scumble_verify::WrittenForm;
use search::{Task, budget_of};
pub use summary::{ModelSummary, SearchSummary, Seconds, Summary};
pub use tables::manifest::{MANIFEST, Manifest, TableFile, Together};
pub use tables::published::PublishedTables;
use targets::Targets;
pub use targets::stem_of;
pub use trial::{Trial, TrialOutcome, TrialTable, read_planned, try_release, try_within};
pub use written::WrittenTable;

/// What a run is given besides the plan.
pub struct RunOptions<'a> {
    /// The folder that the plan's file names are relative to.
    pub folder: &'a Path,
    /// Where progress is reported and cancellation is asked for.
    pub progress: Progress,
    /// Called when a stage of the run begins.
    pub stage: &'a (dyn Fn(Stage) + Sync),
    /// Where the verified release goes when the plan's output is `-`.
    pub standard_output: Option<&'a mut (dyn std::io::Write + Send)>,
}

/// The stages of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading and coding the table.
    Read,
    /// Searching for a recoding.
    Search,
    /// Recoding new rows.
    Apply,
    /// Writing to a private file.
    Write,
    /// Checking what was written.
    Verify,
    /// Measuring what was lost and what risk is left, for the summary and the report.
    Measure,
    /// Giving the files their names.
    Publish,
}

impl Stage {
    /// The name of the stage, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "reading",
            Self::Search => "searching",
            Self::Apply => "recoding",
            Self::Write => "writing",
            Self::Verify => "verifying",
            Self::Measure => "measuring",
            Self::Publish => "publishing",
        }
    }
}

/// What a run made.
pub struct Released {
    /// The figures, for people and programs. Private: it is about the original.
    pub summary: Summary,
    /// The release, if it has a name.
    pub release: Option<PathBuf>,
    /// The datasheet that may be published with it.
    pub datasheet: Option<PathBuf>,
    /// The private report.
    pub report: Option<PathBuf>,
    /// The recoding, if it was asked for by a name of its own. Private, too.
    pub recoding: Option<PathBuf>,
    /// The row map, if it was asked for. Private, too.
    pub row_map: Option<PathBuf>,
}

impl Released {
    /// A run that has given nothing a name yet.
    fn of(summary: Summary) -> Self {
        Self { summary, release: None, datasheet: None, report: None, recoding: None, row_map: None }
    }
}

/// Makes the release that a plan asks for, verified, with its datasheet and private report.
///
/// An error means that nothing was published, with one exception: [`ErrorKind::AfterPublishing`](crate::ErrorKind::AfterPublishing).
pub fn anonymize(plan: &Plan, options: &mut RunOptions<'_>) -> Result<Released> {
    anonymize_beside(plan, &Outputs::default(), options)
}

/// Does the same as [`anonymize`], and never overwrites the files in `outputs`: what else the run reads and writes, such as the plan's own
/// file.
pub fn anonymize_beside(plan: &Plan, outputs: &Outputs, options: &mut RunOptions<'_>) -> Result<Released> {
    let resources = Resources::in_folder(options.folder).watched_by(options.progress.control());
    let source = resources.input(plan)?;
    let targets = match method_for(plan)? {
        Method::Tables(_) => Targets::of_several(plan, options.folder, outputs)?,
        Method::Classes(_) | Method::Records(_) => Targets::of(plan, options.folder, outputs)?,
    };
    let mut files = Files { targets: &targets, standard_output: again(&mut options.standard_output) };
    let watched = Watched { progress: &options.progress, stage: options.stage };
    options
        .progress
        .control()
        .run(|| make(&Input { plan, source: &source, resources: &resources }, &mut files, &watched))
}

/// Lends standard output to one run, so that the caller can lend it again.
fn again<'s>(
    out: &'s mut Option<&mut (dyn std::io::Write + Send)>,
) -> Option<&'s mut (dyn std::io::Write + Send)> {
    match out {
        Some(out) => Some(&mut **out),
        None => None,
    }
}

/// The algorithm that a plan names, after all checks that need nothing but the plan.
fn method_for(plan: &Plan) -> Result<Method> {
    plan.ready()?;
    let method = registry::method(&plan.algorithm.name)
        .map_err(|error| plan.algorithm.parameters.placed("name", error))?;
    together::check_asked(plan, matches!(method, Method::Classes(_)))?;
    if plan.recoding.is_some() {
        check_rule_for_rows(plan, &method)?;
        steps::check_rule(plan)?;
    }
    Ok(method)
}

/// What a release is made from.
struct Input<'a> {
    plan: &'a Plan,
    source: &'a Source,
    resources: &'a Resources,
}

/// Makes a verified release from a plan and its table, and hands it to its destination.
fn make<D: Destination>(input: &Input<'_>, destination: &mut D, watched: &Watched<'_>) -> Result<D::Made> {
    let started = Instant::now();
    let mut seconds = Seconds::default();
    let Input { plan, source, resources } = *input;
    let method = method_for(plan)?;

    watched.enter(Stage::Read);
    let clock = Instant::now();
    let PlannedTable { plan, table, kept, mut notes, first_warnings, personal, perturbed } =
        read(plan, source, resources)?;
    let plan = &plan;
    resources.check_used(plan)?;
    notes.extend(row_map::note(plan));
    let population = read_population(plan, resources)?;
    notes.extend(population.iter().flat_map(|population| population.notes.clone()));
    let population = population.as_ref().map(|population| &population.table);
    seconds.read = clock.elapsed().as_secs_f64();
    watched.check()?;

    let read = ReadTable {
        plan,
        table: &table,
        original: row_map::SourceRows { source, kept: &kept },
        population,
        resources,
        budget: budget_of(plan),
        notes,
        first_warnings,
        personal,
        perturbed: &perturbed,
        seconds,
        started,
    };
    match method {
        Method::Classes(entry) => classes::release(&read, entry, destination, watched),
        Method::Records(entry) => {
            pipeline::release(read, |task| records::search(task, entry), destination, watched)?.alone()
        }
        Method::Tables(entry) => {
            pipeline::release(read, |task| tables::search(task, entry), destination, watched)?.alone()
        }
    }
}

/// A table that has been read, on its way to one kind of release.
#[derive(Clone)]
struct ReadTable<'a> {
    plan: &'a Plan,
    table: &'a SpeltTable,
    /// The file that was read, and which of its rows the table has.
    original: row_map::SourceRows<'a>,
    /// The population, if there is one.
    population: Option<&'a CodedTable>,
    /// What else the plan names.
    resources: &'a Resources,
    /// The budget that all searches of the run share.
    budget: Budget,
    /// Notes for the reader.
    notes: Vec<String>,
    /// Warnings that call for a decision: rows that were left out, values that count apart.
    first_warnings: Vec<String>,
    /// Personal data in columns that are published exactly.
    personal: PersonalData,
    /// The columns whose values are not those of their people.
    perturbed: &'a Perturbed,
    seconds: Seconds,
    started: Instant,
}

impl<'a> ReadTable<'a> {
    /// The task of the search.
    fn task(&self, progress: &Progress) -> Task<'a> {
        Task {
            plan: self.plan,
            table: self.table,
            population: self.population,
            resources: self.resources,
            budget: self.budget.clone(),
            progress: progress.clone(),
        }
    }
}

/// A table as read for a plan.
struct PlannedTable {
    /// The plan with a role for every column.
    plan: Plan,
    table: SpeltTable,
    /// For each row of the file whether the table has it.
    kept: Vec<bool>,
    /// Notes for the reader.
    notes: Vec<String>,
    /// Warnings that call for a decision: rows that were left out, values that count apart.
    first_warnings: Vec<String>,
    /// Personal data in columns that are published exactly.
    personal: PersonalData,
    /// The columns whose values are not those of their people.
    perturbed: Perturbed,
}

/// Reads the columns that the plan needs to make a release.
fn read(given: &Plan, source: &Source, resources: &Resources) -> Result<PlannedTable> {
    let Original { plan, table, kept, mut notes, left_out: mut first_warnings, warnings, perturbed } =
        read_for(given, source, resources, Purpose::Release)?;
    if !plan.drawn.beyond_models.is_empty() && plan.names_with(Role::Quasi).next().is_none() {
        return Err(Error::refused(
            "every quasi-identifier is perturbed, so there is nothing that a model could judge",
        )
        .advise("let the search coarsen at least one of them: leave it out of the steps"));
    }
    let table = SpeltTable::of(table, &plan)?;
    if given.rest == Some(crate::config::Rest::Other) {
        let names = plan.columns.iter().map(|(name, _)| name.as_str());
        let without_role: Vec<&str> = names.filter(|name| given.column(name).is_none()).collect();
        refuse_unjudged(&table, &without_role, &plan.read.missing, |error, columns| {
            let (the, it) =
                if columns.len() == 1 { ("the column", "it is") } else { ("the columns", "they are") };
            error
                .set(Setting::role("identifier").of(columns), format!("give {the} the role identifier"))
                .set(Setting::role("drop").of(columns), format!("leave {the} out"))
                .weaken(
                    Setting::role("other").of(columns),
                    format!("publish {the} as {it}, if you have looked at the values"),
                )
        })?;
    }
    households::check_members(&plan, &table)?;
    weights::check(&plan, &table, RowNumbers::Kept(&kept))?;
    let departures = template::judge(&plan, &table)?;
    // Personal data is looked for before the search, so that nobody waits in vain.
    let passed = gate::exact(&plan, &table, RowNumbers::Kept(&kept))?;
    notes.extend(passed.notes);
    // Checked before the search, too. With a subject column, rows need not be people.
    if plan.names_with(Role::Subject).next().is_none() {
        plan.risk.people(table.rows as u64)?;
    }
    notes.extend(table.notes());
    first_warnings.extend(datasheet::counted_apart(&plan, false));
    first_warnings.extend(warnings);
    first_warnings.extend(departures);
    Ok(PlannedTable { plan, table, kept, notes, first_warnings, personal: passed.personal, perturbed })
}

/// A table that releases are made from: without identifiers, and without the rows that its plan leaves out.
pub struct Original {
    /// The plan with a role for every column.
    pub plan: Plan,
    /// The table as it was read.
    pub table: CodedTable,
    /// For each row that was read whether the table has it.
    pub kept: Vec<bool>,
    /// Notes about how the table was read.
    pub notes: Vec<String>,
    /// Sentences that say how many rows were left out, and why.
    pub left_out: Vec<String>,
    /// Warnings about what was done to columns.
    pub warnings: Vec<String>,
    /// The columns whose values are not those of their people.
    pub(crate) perturbed: Perturbed,
}

/// Reads the columns that a plan needs, and carries its steps out, so that a release can be compared with the table. Identifiers are never read,
/// unless a step makes something of them; then they are dropped.
pub fn read_original(plan: &Plan, source: &Source, resources: &Resources) -> Result<Original> {
    read_for(plan, source, resources, Purpose::Comparison)
}

/// The same for a purpose.
fn read_for(plan: &Plan, source: &Source, resources: &Resources, purpose: Purpose) -> Result<Original> {
    let control = resources.control();
    let options = ReadOptions { control: control.clone(), ..read_options(&plan.read)? };
    let header = scumble_files::read_header(source, &options)?;
    let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
    let steps = Steps::of(plan, &names)?;
    let after: Vec<&str> = steps.names.iter().map(String::as_str).collect();
    let columns = plan.columns_for(&after).map_err(|error| error.in_file(source.name()))?;
    let mut plan =
        Plan { columns: after.iter().map(|name| (*name).to_owned()).zip(columns).collect(), ..plan.clone() };
    let read = read_columns(&plan, &steps, &names, source, options)?;
    control.check()?;
    let (mut table, mut notes) = (read.coded, read.notes);
    let Complete { mut kept, notes: mut left_out } = keep_complete(&mut table, &plan)?;
    let mut warnings = Vec::new();
    let mut perturbed = Perturbed::default();
    if !steps.is_empty() {
        let made = steps.carry_out(&mut plan, table, &kept, resources, purpose)?;
        table = made.table;
        notes.extend(made.notes);
        warnings = made.warnings;
        perturbed = made.perturbed;
        // A column that a step made may have its own rule for missing values.
        let again = keep_complete(&mut table, &plan)?;
        left_out.extend(again.notes);
        perturbed.keep(&again.kept);
        let mut still = again.kept.into_iter();
        kept.iter_mut().filter(|kept| **kept).for_each(|kept| *kept = still.next().unwrap_or(false));
    }
    Ok(Original { plan, table, kept, notes, left_out, warnings, perturbed })
}

/// Reads the columns that a plan needs, and those that its steps read. The plan has every column, as it is after all steps.
fn read_columns(
    plan: &Plan,
    steps: &Steps,
    header: &[&str],
    source: &Source,
    mut options: ReadOptions,
) -> Result<scumble_files::Table> {
    let unread = |roles: &crate::config::Roles| roles.has(Role::Identifier) || roles.has(Role::Drop);
    let planned: BTreeSet<&str> = plan
        .columns
        .iter()
        .filter(|(name, column)| !unread(&column.role) || plan.is_stratum(name))
        .map(|(name, _)| name.as_str())
        .chain(steps.read.iter().map(String::as_str))
        .collect();
    let wanted = header.iter().filter(|name| planned.contains(**name));
    options.columns = Some(wanted.map(|name| (*name).to_owned()).collect());
    scumble_files::read_table(source, &options)
}

/// The options by which the plan's input is read.
pub fn read_options(read: &crate::config::Read) -> Result<ReadOptions> {
    let byte = |what: &str, given: Option<char>| match given {
        None => Ok(None),
        Some(character) => u8::try_from(character)
            .ok()
            .filter(u8::is_ascii)
            .map(Some)
            .ok_or_else(|| Error::config(format!("the {what} must be one ASCII character"))),
    };
    let encoding = read.encoding.as_deref().map(str::parse).transpose()?;
    Ok(ReadOptions {
        delimiter: byte("delimiter", read.delimiter)?,
        quote: byte("quote", read.quote)?,
        header: read.header,
        encoding,
        skip_rows: read.skip_rows,
        sheet: read.sheet.as_ref().map(ToString::to_string),
        max_size: read.max_size.map(crate::config::Size::bytes),
        ..ReadOptions::default()
    })
}

/// The options for tables that others may have written: the plan's size limit applies to them, and nothing else that the
/// plan says about its input.
pub fn other_options(plan: &Plan) -> ReadOptions {
    ReadOptions { max_size: plan.read.max_size.map(crate::config::Size::bytes), ..ReadOptions::default() }
}

/// The error for a name that is not among the columns, with similar names.
pub fn unknown_column(name: &str, names: &[&str]) -> Error {
    let shown = crate::base::text::on_one_line(name);
    Error::config(format!("there is no column '{shown}'{}", among_columns(name, names)))
}
