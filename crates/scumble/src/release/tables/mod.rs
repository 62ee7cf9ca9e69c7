//! Releases several tables, from a prepared table to the name of their folder.
//!
//! Values are no coarser than they must be. People are protected because the tables cannot be joined again, or because sensitive values
//! are published for groups only. So the tables are checked together, as a reader would see them who has them all.

use std::io::Write;
use std::path::Path;

use scumble_files::OutFormat;

use super::datasheet::Datasheet;
use super::offers;
use super::pipeline::Releasable;
use super::ranges;
use super::requirements::{
    refuse_added, refuse_missing, refuse_numbers, refuse_persons, refuse_switches, refuse_weights,
};
use super::run::Run;
use super::search::{Needs, Task, allow_parameters, make_problem};
use super::spreadsheet::{self, Shows};
use super::staged::Staged;
use super::targets::format_of_several;
use super::{Seconds, Summary};
use crate::config::{Plan, Rational, Role, no_quasi_identifier};
use crate::error::{Error, Result, Setting};
use crate::registry::Entry;
use crate::report::data::Report;
use crate::search::algorithms::tables::{BuildTablesAlgorithm, TablesProblem, TablesSolution};
use crate::table::payload::PayloadColumn;

mod check;
mod files;
pub(crate) mod manifest;
pub(crate) mod published;
mod report;
mod roles;
mod sheet;

use manifest::{Manifest, TableFile};
pub(super) use report::loss;

/// A run that ends in several tables.
pub(super) type TablesRun<'a> = Run<'a, TablesFound>;

/// What a run that ends in several tables has found.
pub(super) struct TablesFound {
    pub(super) solution: TablesSolution,
    /// Which quasi-identifiers of the problem outsiders may know.
    known: Vec<bool>,
    /// The payload column that the tables are about.
    target: usize,
    /// The tuple of each row of the table. Private.
    pub(super) tuple_of_row: Vec<u32>,
    /// The tables, once their rows are arranged.
    made: files::Made,
    /// The name and the columns of each table.
    described: Vec<TableFile>,
}

impl TablesRun<'_> {
    /// The column that the tables are about.
    fn target(&self) -> &PayloadColumn {
        &self.problem.table.payloads().columns[self.found.target]
    }

    /// The columns that outsiders may know.
    fn known_columns(&self) -> impl Iterator<Item = &str> {
        let columns = self.problem.quasi.iter().zip(&self.found.known);
        columns.filter(|(_, known)| **known).map(|(quasi, _)| quasi.name.as_str())
    }

    /// A name that no column of the table has.
    fn free_name(&self, wish: &str) -> String {
        let taken = |name: &str| self.plan.columns.iter().any(|(of, _)| of == name);
        let further = (2..).map(|number| format!("{wish}_{number}"));
        std::iter::once(wish.to_owned()).chain(further).find(|name| !taken(name)).unwrap_or_default()
    }
}

impl Releasable for TablesRun<'_> {
    const IS_SEVERAL: bool = true;

    type Verified = check::Verified;

    fn arrange(&mut self) -> Result<()> {
        let of_row = std::mem::take(&mut self.of_row);
        self.found.made = files::tables(self, &of_row)?;
        self.found.tuple_of_row = of_row.tuple;
        Ok(())
    }

    fn write(&self, staged: &mut Staged<'_>) -> Result<()> {
        self.found.made.tables.iter().try_for_each(|table| table.write(staged))
    }

    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<check::Verified> {
        self.found.described = self.found.made.tables.iter().map(|table| table.described(staged)).collect();
        check::verify(self, staged, &self.found.made)
    }

    fn looks(&self) -> Option<Vec<u32>> {
        None
    }

    fn forget_rows(&mut self) {
        self.found.tuple_of_row = Vec::new();
        self.found.made.tables.iter_mut().for_each(files::Table::forget_texts);
    }

    fn figures(
        &self,
        verified: &check::Verified,
        title: Option<&str>,
        seconds: &Seconds,
    ) -> Result<(Summary, Option<Report>)> {
        let summary = report::summary(self, verified, self.found.described.clone());
        let report = title.map(|title| report::report(self, &summary, verified, title, seconds));
        Ok((summary, report))
    }

    fn sheet(&self, summary: &Summary) -> Option<Datasheet> {
        Some(sheet::datasheet(self, &summary.tables, summary.released))
    }

    fn manifest(&self, sheet: &Datasheet) -> Option<Manifest> {
        Some(Manifest {
            made_with: sheet.made_with.clone(),
            target: self.target().name.clone(),
            quasi: sheet.guarantees.first().map(|promise| promise.on.clone()).unwrap_or_default(),
            models: self.problem.models.iter().map(|model| model.claim()).collect(),
            together: self.found.made.together.clone(),
            tables: self.found.described.clone(),
            written: self.written.clone(),
        })
    }

    fn write_rule(&self, out: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(out, &report::rule(self, self.found.described.clone()))
    }

    fn row_map(&self) -> (Vec<&[u32]>, Option<&[u32]>) {
        let made = &self.found.made;
        // The rows of the table about groups are not people.
        let of_people = if made.group_of_row.is_some() { 1 } else { made.tables.len() };
        (
            made.tables.iter().take(of_people).map(|table| &table.order[..]).collect(),
            made.group_of_row.as_deref(),
        )
    }
}

/// The warning about texts in the tables that a spreadsheet program would run.
fn spreadsheet_warning(run: &TablesRun<'_>, format: OutFormat) -> Option<String> {
    let columns = run.source.by_name();
    let quasi = run.problem.quasi.iter();
    let quasi = quasi.filter_map(|quasi| {
        Some((quasi.name.as_str(), Shows::Labels(&columns.get(quasi.name.as_str())?.values, quasi)))
    });
    let target = run.target();
    spreadsheet::warning(
        run.plan,
        format,
        quasi.chain([(target.name.as_str(), Shows::Texts(&target.values))]),
    )
}

/// Searches a table with an algorithm that makes several tables.
pub(super) fn search<'a>(
    task: &Task<'a>,
    entry: &'static Entry<BuildTablesAlgorithm>,
) -> Result<TablesRun<'a>> {
    found(task, entry).map_err(|error| offers::named(error, task, entry.name))
}

fn found<'a>(task: &Task<'a>, entry: &'static Entry<BuildTablesAlgorithm>) -> Result<TablesRun<'a>> {
    let plan = task.plan;
    allow_parameters(plan, entry)?;
    refuse(plan, task.population.is_some(), entry.name)?;
    let algorithm = (entry.build)(&plan.algorithm.parameters)?;
    let arranged = roles::arrange(plan, algorithm.capabilities().target, entry.name)?;
    let (prepared, of_row) = task.prepared(&arranged.plan, false)?;
    let limits = (task.budget.clone(), task.progress.clone());
    let (problem, rest, _) = make_problem(&arranged.plan, prepared, &Needs::WITHOUT_CLASSES, limits)?;
    refuse_added(&problem, entry.name)?;
    refuse_missing(&problem, entry.name)?;
    refuse_persons(&problem, entry.name)?;
    let is_known = |name: &str| plan.column(name).is_some_and(|column| column.role.has(Role::Quasi));
    let known: Vec<bool> = problem.quasi.iter().map(|quasi| is_known(&quasi.name)).collect();
    if !known.contains(&true) {
        return Err(no_quasi_identifier());
    }
    let target = problem.table.payloads().position(&arranged.target);
    let target = target.ok_or_else(|| Error::internal("the target was not read"))?;
    let problem = TablesProblem { problem, known, target, seed: plan.algorithm.seed };
    problem.problem.check_feasible()?;
    algorithm.check(&problem)?;
    let solution = algorithm.run(&problem)?;
    problem.problem.budget.pause();
    let TablesProblem { problem, known, target, .. } = problem;
    let made = files::Made::default();
    let found =
        TablesFound { solution, known, target, tuple_of_row: Vec::new(), made, described: Vec::new() };
    let mut run = task.run(entry.facts(), (problem, rest), of_row, found);
    run.notes.extend(arranged.notes);
    let found = sheet::warnings(&run);
    run.warnings.extend(found);
    let found =
        format_of_several(Path::new(&plan.output)).ok().and_then(|format| spreadsheet_warning(&run, format));
    run.warnings.extend(found);
    if !algorithm.capabilities().takes_steps && plan.algorithm.steps.is_some() {
        run.warnings.push(format!("'{}' takes no number of steps; it changes nothing", entry.name));
    }
    Ok(run)
}

/// Returns an error if the plan asks for something that several tables cannot have.
fn refuse(plan: &Plan, population: bool, algorithm: &str) -> Result<()> {
    refuse_switches(plan, algorithm, "publishes several tables beside each other")?;
    refuse_weights(plan, algorithm, "publishes several tables beside each other")?;
    refuse_numbers(plan, algorithm, "publishes several tables beside each other")?;
    ranges::refuse(
        plan,
        &format!(
            "'{algorithm}' publishes several tables beside each other, which are put together by their columns"
        ),
    )?;
    let suppressed = plan.algorithm.suppression.is_some_and(|share| share > Rational::ZERO);
    let asked = [
        (Setting::root("population"), "the population", "a population is compared with groups", population),
        (
            Setting::root("keep_order"),
            "keep_order",
            "keeping the order of rows would put the tables together again",
            plan.keep_order,
        ),
        (
            Setting::search("suppression"),
            "the suppression limit",
            "suppressed rows would be missing from every table",
            suppressed,
        ),
    ];
    match asked.into_iter().find(|(.., asked)| *asked) {
        Some((setting, what, why, _)) => {
            let why = format!("{why}, and '{algorithm}' publishes several tables beside each other");
            Err(Error::refused(why).unset(setting, format!("leave {what} out")))
        }
        None => Ok(()),
    }
}
