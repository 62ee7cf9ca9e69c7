//! Releases records that overlap, from a prepared table to the name of the release.
//!
//! There are no classes: every promise is about a single record, and an audit before anything is written finds what records give away
//! together. Nothing is suppressed.

use std::io::Write;

use scumble_files::OutFormat;
use scumble_files::table::Texts;
use scumble_verify::RecordOutcome;

use super::datasheet::Datasheet;
use super::offers;
use super::pipeline::{Releasable, ShownColumn};
use super::ranges;
use super::requirements::{
    refuse_added, refuse_missing, refuse_numbers, refuse_persons, refuse_switches, refuse_weights,
};
use super::run::Run;
use super::search::{Needs, Task, allow_parameters, make_problem};
use super::spreadsheet::{self, Shows};
use super::staged::Staged;
use super::targets::format_of;
use super::{Seconds, Summary};
use crate::error::{Error, Result, Setting};
use crate::problem::Problem;
use crate::registry::Entry;
use crate::report::data::Report;
use crate::search::algorithms::{BuildRecordAlgorithm, Format, RecordAlgorithm, RecordSolution};
use crate::table::quasi::Value;

mod check;
mod exchange;
mod report;
mod rows;
mod sampled;
mod sheet;

/// A run that ends in records.
pub(super) type RecordRun<'a> = Run<'a, RecordsFound>;

/// What a run that ends in records has found.
pub(super) struct RecordsFound {
    pub(super) solution: RecordSolution,
    /// Where records exchange values, the place of the record whose value each shows. Private.
    pub(super) taken: Option<Vec<u32>>,
    /// The rows, once they are arranged.
    pub(super) rows: rows::Arranged,
}

impl RecordRun<'_> {
    /// The column that is not published row by row.
    fn column(&self) -> Option<&str> {
        let column = self.found.solution.column?;
        Some(&self.problem.table.payloads().columns[column].name)
    }

    /// The column that is published as frequencies.
    fn distributed(&self) -> Option<&str> {
        self.column().filter(|_| self.found.solution.rings.is_none())
    }

    /// The column whose values records exchange.
    fn exchanged(&self) -> Option<&str> {
        self.column().filter(|_| self.found.solution.rings.is_some())
    }

    /// The columns that are published unchanged, in the order of the table.
    fn kept_columns(&self) -> impl Iterator<Item = &str> {
        self.untouched_columns().filter(|name| Some(*name) != self.column())
    }
}

/// The warning about texts in the records that a spreadsheet program would run.
fn spreadsheet_warning(run: &RecordRun<'_>, format: OutFormat) -> Option<String> {
    let columns = run.source.by_name();
    let texts = |name: &str| columns.get(name).map(|column| &column.values);
    let quasi = run.problem.quasi.iter();
    let quasi =
        quasi.filter_map(|quasi| Some((quasi.name.as_str(), Shows::Labels(texts(&quasi.name)?, quasi))));
    // Frequencies are in columns named after the column and the value, or in objects: only the name can begin a formula.
    let only_name =
        run.distributed().is_some() && !matches!(run.found.solution.format, Format::Sampled { .. });
    let no_texts = Texts::default();
    let own = run.column().and_then(|name| Some((name, if only_name { &no_texts } else { texts(name)? })));
    let own = own.map(|(name, texts)| (name, Shows::Texts(texts)));
    let kept = run.kept_columns().filter_map(|name| Some((name, Shows::Texts(texts(name)?))));
    spreadsheet::warning(run.plan, format, quasi.chain(kept).chain(own))
}

/// Searches a table with an algorithm that makes records, and draws what is random.
pub(super) fn search<'a>(
    task: &Task<'a>,
    entry: &'static Entry<BuildRecordAlgorithm>,
) -> Result<RecordRun<'a>> {
    found(task, entry).map_err(|error| offers::named(error, task, entry.name))
}

/// Returns an error if a plan asks for something that records that overlap cannot have.
pub(super) fn check_plan(task: &Task<'_>, name: &str, algorithm: &dyn RecordAlgorithm) -> Result<()> {
    let plan = task.plan;
    refuse_switches(plan, name, "publishes records that overlap and form none")?;
    refuse_weights(plan, name, "publishes records that overlap and form no groups")?;
    refuse_numbers(plan, name, "publishes records that overlap and form no groups")?;
    if task.population.is_some() {
        return Err(Error::refused(format!(
            "'{name}' publishes records that overlap, and no model of such records compares with a population"
        ))
        .unset(Setting::root("population"), "leave the population out"));
    }
    if algorithm.capabilities().draws_rows {
        ranges::refuse(plan, &format!("'{name}' draws rows, which show values and no ranges"))?;
    }
    if plan.row_map.is_some() && algorithm.capabilities().draws_rows {
        return Err(Error::refused(format!(
            "'{name}' draws the rows that it publishes, so none of them is anybody's and there is no row map"
        ))
        .unset(Setting::root("row_map"), "leave the row map out")
        .set(Setting::parameter("format").to("columns"), "publish the records themselves"));
    }
    Ok(())
}

/// Returns an error, before any work, if the algorithm does not support the problem.
pub(super) fn check(problem: &Problem, name: &str, algorithm: &dyn RecordAlgorithm) -> Result<()> {
    refuse_added(problem, name)?;
    refuse_missing(problem, name)?;
    refuse_persons(problem, name)?;
    problem.check_feasible()?;
    algorithm.check(problem)
}

fn found<'a>(task: &Task<'a>, entry: &'static Entry<BuildRecordAlgorithm>) -> Result<RecordRun<'a>> {
    let plan = task.plan;
    allow_parameters(plan, entry)?;
    let algorithm = (entry.build)(&plan.algorithm.parameters)?;
    check_plan(task, entry.name, &*algorithm)?;
    let (prepared, of_row) = task.prepared(plan, false)?;
    let limits = (task.budget.clone(), task.progress.clone());
    let (problem, rest, _) = make_problem(plan, prepared, &Needs::WITHOUT_CLASSES, limits)?;
    check(&problem, entry.name, &*algorithm)?;
    let mut solution = algorithm.run(&problem)?;
    problem.budget.pause();
    let taken = exchange::draw(&mut solution, plan.algorithm.seed)?;
    let found = RecordsFound { solution, taken, rows: rows::Arranged::default() };
    let mut run = task.run(entry.facts(), (problem, rest), of_row, found);
    let found = sheet::warnings(&run);
    run.warnings.extend(found);
    let found = format_of(plan).and_then(|format| spreadsheet_warning(&run, format));
    run.warnings.extend(found);
    Ok(run)
}

impl Releasable for RecordRun<'_> {
    type Verified = RecordOutcome;

    fn arrange(&mut self) -> Result<()> {
        let of_row = std::mem::take(&mut self.of_row);
        self.found.rows = rows::arrange(self, &of_row.tuple, &of_row.payload)?;
        Ok(())
    }

    fn write(&self, staged: &mut Staged<'_>) -> Result<()> {
        rows::write(self, &self.found.rows, staged)
    }

    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<RecordOutcome> {
        let (mut outcome, records) = check::verify(self, staged, &self.found.rows)?;
        if let Format::Sampled { tables } = self.found.solution.format {
            // The records never get a name; the published rows are drawn from them.
            let drawn = sampled::draw(self, &self.found.rows, tables)?;
            staged.clear()?;
            sampled::write(&drawn, staged)?;
            outcome.rows = sampled::verify(self, staged, &drawn, &records)?;
        }
        Ok(outcome)
    }

    fn looks(&self) -> Option<Vec<u32>> {
        if matches!(self.found.solution.format, Format::Sampled { .. }) {
            // The published rows are drawn, so no row belongs to a person.
            return None;
        }
        let records = &self.found.solution.records;
        let mut shown: Vec<&[Value]> = records.iter().map(|record| &record.shown[..]).collect();
        shown.sort_unstable();
        shown.dedup();
        let of_record: Vec<u32> = records
            .iter()
            .map(|record| shown.binary_search(&&record.shown[..]).map_or(u32::MAX, |place| place as u32))
            .collect();
        Some(self.found.rows.record_of_row.iter().map(|record| of_record[*record as usize]).collect())
    }

    fn shows(&self, column: &str) -> Option<ShownColumn> {
        let is_drawn = matches!(self.found.solution.format, Format::Sampled { .. });
        if is_drawn { None } else { self.found.rows.shows(self, column) }
    }

    fn forget_rows(&mut self) {
        self.found.rows.forget_texts();
    }

    fn figures(
        &self,
        outcome: &RecordOutcome,
        title: Option<&str>,
        seconds: &Seconds,
    ) -> Result<(Summary, Option<Report>)> {
        let summary = report::summary(self, outcome, self.found.rows.looks());
        let report = title.map(|title| report::report(self, &summary, title, seconds));
        Ok((summary, report))
    }

    fn sheet(&self, summary: &Summary) -> Option<Datasheet> {
        Some(sheet::datasheet(self, summary))
    }

    fn write_rule(&self, out: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(out, &report::recoding(self))
    }

    fn row_map(&self) -> (Vec<&[u32]>, Option<&[u32]>) {
        (vec![&self.found.rows.order], None)
    }
}
