//! A release of records that overlap, from a prepared table to its name.
//!
//! There are no classes: what is promised is promised of every record alone, and what records give away together is audited
//! before anything is written. Nothing is suppressed.

use std::time::Instant;

use scumble_files::OutFormat;
use scumble_files::table::{CodedTable, Texts};

use super::publish::{Papers, publish, unpublished};
use super::requirements::{refuse_missing, refuse_persons};
use super::search::{Needs, OfRow, Task, allow_parameters, make_problem};
use super::spreadsheet::{self, Shows};
use super::{Begun, Released, RunOptions, Stage};
use crate::algorithms::{BuildRecordAlgorithm, Format, RecordSolution};
use crate::config::{Plan, Role};
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::registry::Entry;

mod check;
mod exchange;
mod report;
mod rows;
mod sampled;
mod sheet;

/// Everything that is known about a run once the search is over.
pub(super) struct RecordRun<'a> {
    plan: &'a Plan,
    source: &'a CodedTable,
    /// Columns of which some value had several spellings, as they were read.
    respelt: &'a [crate::prepare::Respelt],
    entry: &'static Entry<BuildRecordAlgorithm>,
    pub(super) problem: Problem,
    pub(super) solution: RecordSolution,
    /// Where records exchange values: the place of the record whose value each shows. Private.
    taken: Option<Vec<u32>>,
    pub(super) missing: Vec<(String, Vec<String>)>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl RecordRun<'_> {
    /// The column that is not published row by row.
    fn column(&self) -> Option<&str> {
        let column = self.solution.column?;
        Some(&self.problem.table.payloads().columns[column].name)
    }

    /// The column that is published as frequencies.
    fn distributed(&self) -> Option<&str> {
        self.column().filter(|_| self.solution.rings.is_none())
    }

    /// The column whose values records exchange.
    fn exchanged(&self) -> Option<&str> {
        self.column().filter(|_| self.solution.rings.is_some())
    }

    /// The columns that are published as they are, in the order of the table.
    fn kept_columns(&self) -> impl Iterator<Item = &str> {
        let kept = [Role::Class, Role::Sensitive, Role::Other];
        let columns = self
            .plan
            .columns
            .iter()
            .filter(move |(_, column)| kept.iter().any(|role| column.role.has(*role)));
        columns.map(|(name, _)| name.as_str()).filter(|name| Some(*name) != self.column())
    }

    fn markers(&self, name: &str) -> Vec<String> {
        let found = self.missing.iter().find(|(of, _)| of == name);
        found.map(|(_, markers)| markers.clone()).unwrap_or_default()
    }
}

/// A warning where a spreadsheet program would run what the records show.
fn spreadsheet_warning(run: &RecordRun<'_>, format: OutFormat) -> Option<String> {
    let columns = run.source.by_name();
    let texts = |name: &str| columns.get(name).map(|column| &column.values);
    let quasi = run.problem.quasi.iter().map(|quasi| quasi.name.as_str());
    let quasi = quasi.filter_map(|name| Some((name, Shows::Labels(texts(name)?))));
    // Frequencies stand in columns that are called by the column and the value, or in objects: only the name can begin a formula.
    let only_name = run.distributed().is_some() && !matches!(run.solution.format, Format::Sampled { .. });
    let no_texts = Texts::default();
    let own = run.column().and_then(|name| Some((name, if only_name { &no_texts } else { texts(name)? })));
    let own = own.map(|(name, texts)| (name, Shows::Texts(texts)));
    let kept = run.kept_columns().filter_map(|name| Some((name, Shows::Texts(texts(name)?))));
    spreadsheet::warning(run.plan, format, quasi.chain(kept).chain(own))
}

/// What an algorithm that makes records finds in a table, with its draws.
pub(super) fn search<'a>(
    task: Task<'a>,
    entry: &'static Entry<BuildRecordAlgorithm>,
) -> Result<(RecordRun<'a>, OfRow)> {
    let plan = task.plan;
    allow_parameters(plan, entry)?;
    if plan.algorithm.polish || plan.algorithm.flatten {
        return Err(Error::refused(format!(
            "polish and flatten change classes, and '{}' publishes records that overlap and form none; leave them out",
            entry.name
        )));
    }
    if task.population.is_some() {
        return Err(Error::refused(format!(
            "'{}' publishes records that overlap, and no model of such records compares with a population; leave the population out",
            entry.name
        )));
    }
    let algorithm = (entry.build)(&plan.algorithm.parameters)?;
    let (prepared, of_row) = task.prepared(plan, false)?;
    let limits = (task.budget, task.progress);
    let (problem, rest, _) = make_problem(plan, prepared, &Needs::WITHOUT_CLASSES, limits)?;
    refuse_missing(&problem, entry.name)?;
    refuse_persons(&problem, entry.name)?;
    problem.check_feasible()?;
    algorithm.check(&problem)?;
    let mut solution = algorithm.run(&problem)?;
    problem.budget.pause();
    let taken = exchange::draw(&mut solution, plan.algorithm.seed)?;
    let mut run = RecordRun {
        plan,
        source: task.table,
        respelt: task.respelt,
        entry,
        problem,
        solution,
        taken,
        missing: rest.missing,
        warnings: rest.warnings,
        notes: rest.notes,
    };
    let found = sheet::warnings(&run);
    run.warnings.extend(found);
    Ok((run, of_row))
}

/// Searches, writes, verifies and publishes.
pub(super) fn release(
    begun: Begun<'_>,
    entry: &'static Entry<BuildRecordAlgorithm>,
    options: &mut RunOptions<'_>,
) -> Result<Released> {
    (options.stage)(Stage::Search);
    let clock = Instant::now();
    if begun.targets.row_map.is_some() && (entry.build)(&begun.plan.algorithm.parameters)?.draws_rows() {
        return Err(Error::refused(format!(
            "'{}' draws the rows that it publishes, so none of them is anybody's and there is no row map; leave --row-map out, or publish \
             the records themselves (another format)",
            entry.name
        )));
    }
    let (mut run, of_row) = search(begun.task(&options.progress), entry)?;
    let Begun { original, targets, mut notes, first_warnings, mut seconds, started, .. } = begun;
    run.notes.append(&mut notes);
    run.warnings.extend(spreadsheet_warning(&run, targets.format));
    run.warnings.extend(first_warnings);
    seconds.search = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Write);
    let clock = Instant::now();
    let arranged = rows::arrange(&run, &of_row.tuple, &of_row.payload)?;
    drop(of_row);
    seconds.apply = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut file = targets.private_file().map_err(unpublished)?;
    rows::write(&run, &arranged, file.file(), targets.format).map_err(unpublished)?;
    seconds.write = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Verify);
    let clock = Instant::now();
    let (mut outcome, records) =
        check::verify(&run, &file, &arranged, targets.format).map_err(unpublished)?;
    if let Format::Sampled { tables } = run.solution.format {
        // The records stay without a name; what is published is drawn from them.
        let drawn = sampled::draw(&run, &arranged, tables)?;
        file = targets.private_file().map_err(unpublished)?;
        sampled::write(&run, &drawn, file.file(), targets.format).map_err(unpublished)?;
        outcome.rows = sampled::verify(&run, &file, targets.format, &drawn, &records).map_err(unpublished)?;
    }
    drop(records);
    seconds.verify = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Publish);
    let summary = report::summary(&run, &outcome, arranged.looks());
    seconds.total = started.elapsed().as_secs_f64();
    let report = targets.report.is_some().then(|| report::report(&run, &summary, &targets.name(), &seconds));
    let papers = Papers {
        report,
        recoding: &|out| serde_json::to_writer(out, &report::recoding(&run)),
        row_map: targets
            .row_map
            .as_ref()
            .map(|_| original.row_map(&[&arranged.order[..]], None))
            .transpose()?,
        sheet: Some(sheet::datasheet(&run, &summary)),
    };
    publish(file, &targets, papers, summary, options, seconds, started)
}
