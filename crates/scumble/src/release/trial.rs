//! A release in memory: what a plan makes of rows at hand, for whoever wants to know what it would be good for.
//!
//! It goes the way of a release: written into memory, read back and verified. Nothing of it may be published.

use std::borrow::Cow;
use std::time::Instant;

use scumble_files::table::{CodedColumn, CodedTable};

use super::classes::{self, ClassRun, ClassesFound, together};
use super::pipeline::{Ended, Releasable, Watched, write_verified};
use super::records::{self, RecordRun, RecordsFound};
use super::run::Run;
use super::search::{Task, budget_of, with_quicker};
use super::tables::{self, TablesRun};
use super::targets::Sink;
use super::{Read, Seconds, method_for, read};
use crate::config::Plan;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics;
use crate::problem::{Budget, Problem, Progress};
use crate::recoding::Step;
use crate::recoding::published::{Classes, Record, record_loss};
use crate::registry::Method;
use crate::release::resources::Resources;
use crate::search::algorithms::tables::{Shown, Tables};
use crate::table::quasi::Value;

/// What a plan makes of some rows.
pub struct Trial {
    /// What was asked: the table as searched, its quasi-identifiers and models.
    pub problem: Problem,
    /// The texts that mean a missing value, by column.
    pub missing: Vec<(String, Vec<String>)>,
    /// What would be released.
    pub outcome: Outcome,
    /// The mean loss (LM), from 0 to 1.
    pub loss: f64,
    /// How many rows are suppressed.
    pub suppressed: u64,
    /// How long typing, search and suppression took.
    pub seconds: f64,
}

impl Trial {
    /// What a metric says about the release; `None` where it is not defined, as for everything but classes.
    #[must_use]
    pub fn measure(&self, metric: &dyn metrics::Metric) -> Option<f64> {
        let Outcome::Classes { classes, .. } = &self.outcome else { return None };
        metric.measure(classes, &self.problem)
    }
}

/// What would be released, by its kind.
pub enum Outcome {
    /// Equivalence classes.
    Classes {
        /// The classes.
        classes: Box<Classes>,
        /// The rule by which tuples became classes; `None` where classes were changed afterwards (polish, flatten, sets).
        step: Option<Step>,
        /// The class of each row; `None` for a suppressed one.
        class_of_row: Vec<Option<u32>>,
    },
    /// Records that overlap.
    Records {
        /// The records.
        records: Vec<Record>,
        /// The payload column that is not published row by row, if one is.
        column: Option<usize>,
        /// Where records exchange values of that column: the place of the record whose value each shows. Else it shows frequencies.
        taken: Option<Vec<u32>>,
        /// The record of each row.
        record_of_row: Vec<u32>,
    },
    /// Several tables of some columns each. The problem's quasi-identifiers are all columns that may be in one of them.
    Projections {
        /// The columns of each table.
        tables: Vec<Vec<usize>>,
        /// How each column is shown.
        shown: Vec<Shown>,
        /// The tuple of each row.
        tuple_of_row: Vec<u32>,
    },
}

impl Trial {
    /// What somebody would read who got this release, row by row in the order of `table`, the rows that were released. Columns that are no
    /// quasi-identifiers stay as they are, or show frequencies or exchanged values where records do. `None` where several tables would be released.
    #[must_use]
    pub fn released(&self, table: &CodedTable) -> Option<CodedTable> {
        let quasi = &self.problem.quasi;
        let column_of = |place: usize, value_of_row: &dyn Fn(usize) -> Value| {
            let labels = (0..table.rows).map(|row| quasi[place].label(value_of_row(row)));
            CodedColumn::of_texts(&quasi[place].name, labels)
        };
        let mut columns: Vec<CodedColumn> = match &self.outcome {
            Outcome::Classes { classes, class_of_row, .. } => {
                let value = |place: usize, row: usize| {
                    class_of_row[row].map_or(Value::Star, |class| classes.shown(class as usize, place))
                };
                (0..quasi.len()).map(|place| column_of(place, &|row| value(place, row))).collect()
            }
            Outcome::Records { records, record_of_row, .. } => {
                let value = |place: usize, row: usize| records[record_of_row[row] as usize].shown[place];
                (0..quasi.len()).map(|place| column_of(place, &|row| value(place, row))).collect()
            }
            Outcome::Projections { .. } => return None,
        };
        let others = table.columns.iter().filter(|column| quasi.iter().all(|of| of.name != column.name));
        for column in others {
            columns.push(self.instead(&column.name).unwrap_or_else(|| column.clone()));
        }
        Some(CodedTable { columns, rows: table.rows })
    }

    /// A column as records show it that is not published row by row, if it is that one: exchanged values, or frequencies.
    fn instead(&self, name: &str) -> Option<CodedColumn> {
        let Outcome::Records { records, column, taken, record_of_row } = &self.outcome else { return None };
        let column = &self.problem.table.payloads().columns[(*column)?];
        if column.name != name {
            return None;
        }
        let value = |value: u32| column.values.get(value).to_owned();
        let frequencies = |record: &Record| {
            let rows: u64 = record.counts.iter().sum();
            let shares = (0_u32..).zip(&record.counts).filter(|(_, count)| **count > 0);
            let shares = shares.map(|(of, count)| (value(of), (*count as f64 / rows as f64).into()));
            serde_json::Value::Object(shares.collect()).to_string()
        };
        let texts: Vec<String> = match taken {
            Some(taken) => taken.iter().map(|other| value(records[*other as usize].value)).collect(),
            None => records.iter().map(frequencies).collect(),
        };
        Some(CodedColumn::of_texts(name, record_of_row.iter().map(|record| texts[*record as usize].clone())))
    }
}

/// Reads the table that a plan names: the plan with a role for every column, the table without identifiers and without the rows
/// that the plan leaves out, and what is worth knowing.
pub fn read_planned(
    plan: &Plan,
    resources: &Resources,
    threads: usize,
) -> Result<(Plan, CodedTable, Vec<String>)> {
    plan.ready()?;
    let source = resources.input(plan)?;
    let Read { plan, table, mut notes, first_warnings, .. } =
        read(plan, &source, threads, resources.control())?;
    resources.check_used(&plan)?;
    notes.extend(first_warnings);
    Ok((plan, table, notes))
}

/// Searches for the release that a plan asks for, on a table whose every column the plan knows.
pub fn try_release(
    plan: &Plan,
    table: &CodedTable,
    resources: &Resources,
    progress: Progress,
) -> Result<Trial> {
    try_within(plan, table, resources, (budget_of(plan), progress))
}

/// The same within another budget than the plan's, which also says afterwards how much of it was spent.
pub fn try_within(
    plan: &Plan,
    table: &CodedTable,
    resources: &Resources,
    limits: (Budget, Progress),
) -> Result<Trial> {
    if plan.population.is_some() {
        return Err(Error::refused("a population beside the data is not known here")
            .unset("population", "leave it out of the plan"));
    }
    let method = method_for(plan)?;
    // As a release does, whoever calls: models count values, not spellings.
    let spelt = crate::release::prepare::spelt_once(table, plan)?;
    let respelt = match &spelt {
        Cow::Borrowed(_) => Vec::new(),
        Cow::Owned(_) => crate::release::prepare::spell_once(&mut table.clone(), plan)?,
    };
    let table = &*spelt;
    let (budget, progress) = limits;
    let task = Task {
        plan,
        table,
        respelt: &respelt,
        population: None,
        resources,
        budget,
        progress: progress.clone(),
    };
    match method {
        Method::Classes(entry) => {
            let attempt = |plan: &Plan| {
                let (run, seconds) =
                    verified(|| classes::search(&Task { plan, ..task.clone() }, entry), &progress)?;
                Ok(match run.failing_beside_others() {
                    Some(failing) => Ended::NotBesideOthers(Box::new(failing.clone())),
                    None => Ended::Made(Box::new(of_classes(run, seconds))),
                })
            };
            Ok(*together::large_enough(plan, table.rows, attempt)?.0)
        }
        Method::Records(entry) => {
            let (run, seconds) = verified(|| records::search(&task, entry), &progress)?;
            Ok(of_records(run, seconds))
        }
        Method::Tables(entry) => {
            let search = || {
                let run = tables::search(&task, entry)?;
                if matches!(run.found.solution.tables, Tables::Groups { .. }) {
                    Err(no_features(entry.name))
                } else {
                    Ok(run)
                }
            };
            let (run, seconds) = verified(search, &progress)?;
            of_tables(run, seconds)
        }
    }
}

/// What a search finds, written into memory and verified there; and how long the search took.
fn verified<'a, Found>(
    search: impl FnOnce() -> Result<Run<'a, Found>>,
    progress: &Progress,
) -> Result<(Run<'a, Found>, f64)>
where
    Run<'a, Found>: Releasable,
{
    let clock = Instant::now();
    let mut run = search().map_err(with_quicker)?;
    let seconds = clock.elapsed().as_secs_f64();
    let watched = Watched { progress, stage: &|_| {} };
    let written = write_verified(&mut run, &Sink::Memory, &watched, &mut Seconds::default());
    // Some of the rows may not be comparable with earlier tables, which says nothing against the plan.
    written.map_err(|error| {
        if error.is(&[ErrorKind::Config, ErrorKind::Data]) {
            error.of_kind(ErrorKind::Refused)
        } else {
            error
        }
    })?;
    Ok((run, seconds))
}

fn of_classes(run: ClassRun<'_>, seconds: f64) -> Trial {
    let loss = metrics::loss::ENTRY.build.measure(&run.found.classes, &run.problem).unwrap_or(0.0);
    let Run { problem, missing, found: ClassesFound { classes, step, rows, .. }, .. } = run;
    let kept: Vec<u32> =
        (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).map(|class| class as u32).collect();
    let class_of_row = rows.look_of_row.iter().map(|look| kept.get(*look as usize).copied()).collect();
    Trial {
        problem,
        missing,
        loss,
        suppressed: classes.suppressed_rows(),
        seconds,
        outcome: Outcome::Classes { classes: Box::new(classes), step, class_of_row },
    }
}

fn of_records(run: RecordRun<'_>, seconds: f64) -> Trial {
    let Run { problem, missing, found, .. } = run;
    let RecordsFound { solution, taken, rows } = found;
    let loss = record_loss(&solution.records, &problem.quasi);
    Trial {
        problem,
        missing,
        loss,
        suppressed: 0,
        seconds,
        outcome: Outcome::Records {
            records: solution.records,
            column: solution.column,
            taken,
            record_of_row: rows.record_of_row,
        },
    }
}

/// An error for tables that nothing can be learnt from.
fn no_features(algorithm: &str) -> Error {
    Error::refused(format!(
        "'{algorithm}' publishes no table with the class and the columns that it is to be predicted from"
    ))
}

fn of_tables(run: TablesRun<'_>, seconds: f64) -> Result<Trial> {
    let Run { algorithm, problem, missing, found, .. } = run;
    let Tables::Projections(projections) = found.solution.tables else {
        return Err(no_features(algorithm.name));
    };
    let loss = tables::loss(&problem, &found.solution.shown, &projections);
    Ok(Trial {
        problem,
        missing,
        loss,
        suppressed: 0,
        seconds,
        outcome: Outcome::Projections {
            tables: projections,
            shown: found.solution.shown,
            tuple_of_row: found.tuple_of_row,
        },
    })
}
