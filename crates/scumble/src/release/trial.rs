//! A release in memory for a trial: it shows what a plan would make of given rows, and what that would be good for.
//!
//! A trial goes the way of a release: it is written into memory, read back and verified. Nothing of it may be published.

use std::time::Instant;

use scumble_files::table::CodedTable;
use scumble_files::{Batches, ReadOptions, Source, read_table};
use scumble_verify::WrittenForm;

use super::classes::{self, ClassRun, ClassesFound, together};
use super::gate::{self, RowNumbers};
use super::pipeline::{Ended, Releasable, Watched, measure_households, write_verified};
use super::records::{self, RecordRun, RecordsFound};
use super::run::Run;
use super::search::{Task, budget_of};
use super::staged::{Staged, Staging};
use super::tables::{self, TablesRun};
use super::targets::Sink;
use super::{PlannedTable, Seconds, method_for, read};
use crate::config::Plan;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics;
use crate::problem::{Budget, Problem, Progress};
use crate::recoding::Step;
use crate::recoding::published::{Classes, Record, record_loss};
use crate::registry::Method;
use crate::release::prepare::SpeltTable;
use crate::release::prepare::population::read_population;
use crate::release::resources::Resources;
use crate::report::data::{GuessByClass, Households};
use crate::search::algorithms::tables::{Shown, Tables};

/// The result of a trial.
pub struct Trial {
    /// The problem: the table as searched, its quasi-identifiers and models.
    pub problem: Problem,
    /// The texts that mean a missing value, by column.
    pub missing: Vec<(String, Vec<String>)>,
    /// What would be released.
    pub outcome: TrialOutcome,
    /// The mean loss (LM), from 0 to 1.
    pub loss: f64,
    /// The number of suppressed rows.
    pub suppressed: u64,
    /// The seconds that typing, search and suppression took.
    pub seconds: f64,
    /// The warnings to the owner, besides those from reading the table.
    pub warnings: Vec<String>,
    /// The tables that would be published.
    pub tables: Vec<TrialTable>,
    /// What the release shows of households, where a column tells them apart.
    pub households: Option<Households>,
    /// What groups tell about each sensitive column, if rows form groups.
    pub guesses: Vec<GuessByClass>,
}

/// A table that would be published, as it was written and verified.
pub struct TrialTable {
    /// Its name among several tables.
    pub name: String,
    /// For each row, the row that it is about, of those that were tried. Empty for a table about groups.
    pub about: Vec<u32>,
    written: Batches,
    form: WrittenForm,
}

impl TrialTable {
    /// Reads the table as its recipient would, and returns what it means.
    pub fn read(&self) -> Result<CodedTable> {
        let source = Source::from_batches(self.written.clone(), "the written release");
        Ok(self.form.meaning(read_table(&source, &ReadOptions::default())?.coded)?)
    }
}

impl Trial {
    /// The value of a metric for the release; `None` where it is not defined, as for everything but classes.
    #[must_use]
    pub fn measure(&self, metric: &dyn metrics::Metric) -> Option<f64> {
        let TrialOutcome::Classes { classes, .. } = &self.outcome else { return None };
        metric.measure(classes, &self.problem)
    }

    /// The table that would be published, if there is only one.
    #[must_use]
    pub fn table(&self) -> Option<&TrialTable> {
        match &self.tables[..] {
            [table] => Some(table),
            _ => None,
        }
    }
}

/// The content of a release, by kind.
pub enum TrialOutcome {
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
        /// Where records exchange values of that column, the place of the record whose value each shows. Otherwise the column shows
        /// frequencies.
        taken: Option<Vec<u32>>,
        /// The record of each row.
        record_of_row: Vec<u32>,
    },
    /// Several tables of some columns each. The problem's quasi-identifiers are all columns that may be in a table.
    Projections {
        /// The columns of each table.
        tables: Vec<Vec<usize>>,
        /// How each column is shown.
        shown: Vec<Shown>,
        /// The tuple of each row.
        tuple_of_row: Vec<u32>,
    },
    /// The columns of every row with its group, and the sensitive values by group.
    Groups,
}

/// Reads the table that a plan names. Returns the plan with a role for every column, the table without identifiers and without the rows
/// that the plan leaves out, and the notes. A population that the plan names is read as well, and kept.
pub fn read_planned(plan: &Plan, resources: &Resources) -> Result<(Plan, SpeltTable, Vec<String>)> {
    plan.ready()?;
    let source = resources.input(plan)?;
    let PlannedTable { plan, table, mut notes, first_warnings, personal, .. } =
        read(plan, &source, resources)?;
    if let Some(name) = plan.drawn.beyond_models.first() {
        return Err(Error::refused(format_args!(
            "'{name}' is a quasi-identifier that a step perturbs, and trials do not measure how many people are found by it"
        ))
        .advise("make the release, whose report says it, or let the search coarsen the column instead"));
    }
    resources.check_used(&plan)?;
    let population = read_population(&plan, resources)?;
    notes.extend(population.iter().flat_map(|population| population.notes.clone()));
    notes.extend(first_warnings);
    notes.extend(gate::warnings(&personal));
    Ok((plan, table, notes))
}

/// Searches for the release that a plan asks for. The plan must have every column of the table.
pub fn try_release(
    plan: &Plan,
    table: &SpeltTable,
    resources: &Resources,
    progress: Progress,
) -> Result<Trial> {
    try_within(plan, table, resources, (budget_of(plan), progress))
}

/// Does the same within a given budget instead of the plan's; afterwards the budget says how much of it was spent.
pub fn try_within(
    plan: &Plan,
    table: &SpeltTable,
    resources: &Resources,
    limits: (Budget, Progress),
) -> Result<Trial> {
    let method = method_for(plan)?;
    let table = &*table.by(plan)?;
    let population = read_population(plan, resources)?;
    let (budget, progress) = limits;
    let task = Task {
        plan,
        table,
        population: population.as_ref().map(|population| &population.table),
        resources,
        budget,
        progress: progress.clone(),
    };
    match method {
        Method::Classes(entry) => {
            let attempt = |plan: &Plan| {
                let tried = tried(|| classes::search(&Task { plan, ..task.clone() }, entry), &progress)?;
                Ok(match tried.run.failing_beside_others() {
                    Some(failing) => Ended::NotBesideOthers(Box::new(failing.clone())),
                    None => Ended::Made(Box::new(of_classes(tried))),
                })
            };
            Ok(*together::large_enough(plan, table.rows, attempt)?.0)
        }
        Method::Records(entry) => Ok(of_records(tried(|| records::search(&task, entry), &progress)?)),
        Method::Tables(entry) => Ok(of_tables(tried(|| tables::search(&task, entry), &progress)?)),
    }
}

/// The result of a search that was written into memory and verified there.
struct Tried<Run> {
    run: Run,
    tables: Vec<TrialTable>,
    households: Option<Households>,
    /// The seconds that the search took.
    seconds: f64,
}

/// Searches, writes into memory and verifies.
fn tried<'a, Found>(
    search: impl FnOnce() -> Result<Run<'a, Found>>,
    progress: &Progress,
) -> Result<Tried<Run<'a, Found>>>
where
    Run<'a, Found>: Releasable,
{
    let clock = Instant::now();
    let mut run = search()?;
    let seconds = clock.elapsed().as_secs_f64();
    let watched = Watched { progress, stage: &|_| {} };
    let to = (&Sink::Memory, RowNumbers::Unknown, None);
    let written = write_verified(&mut run, to, &watched, &mut Seconds::default());
    // A part of the rows may not be comparable with earlier tables; that is not a fault of the plan.
    let (Staged { place, passed, form, .. }, _) = written.map_err(|error| {
        if error.is(&[ErrorKind::Config, ErrorKind::Data]) {
            error.of_kind(ErrorKind::Refused)
        } else {
            error
        }
    })?;
    let Staging::Memory(written) = place else {
        return Err(Error::internal("a trial was written to files"));
    };
    run.warnings.extend(gate::warnings(&passed.personal));
    // Its warnings are for the k of a release that is published. Here k is what is being tried.
    let (households, _) = measure_households(&run)?;
    let (rows, _) = run.row_map();
    let about = rows.into_iter().map(<[u32]>::to_vec).chain(std::iter::repeat_with(Vec::new));
    let table = |((name, written), about)| TrialTable { name, about, written, form: form.written.clone() };
    let tables = written.into_iter().zip(about).map(table).collect();
    Ok(Tried { run, tables, households, seconds })
}

fn of_classes(tried: Tried<ClassRun<'_>>) -> Trial {
    let Tried { run, tables, households, seconds } = tried;
    let guesses = classes::guesses(run.plan, &run.problem, &run.found.classes);
    let loss = metrics::loss::ENTRY.build.measure(&run.found.classes, &run.problem).unwrap_or(0.0);
    let Run { problem, missing, warnings, found: ClassesFound { classes, step, rows, .. }, .. } = run;
    let kept: Vec<u32> =
        (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).map(|class| class as u32).collect();
    let class_of_row = rows.look_of_row.iter().map(|look| kept.get(*look as usize).copied()).collect();
    Trial {
        problem,
        missing,
        loss,
        suppressed: classes.suppressed_rows(),
        seconds,
        warnings,
        tables,
        households,
        guesses,
        outcome: TrialOutcome::Classes { classes: Box::new(classes), step, class_of_row },
    }
}

fn of_records(tried: Tried<RecordRun<'_>>) -> Trial {
    let Tried { run, tables, households, seconds } = tried;
    let Run { problem, missing, warnings, found, .. } = run;
    let RecordsFound { solution, taken, rows } = found;
    let loss = record_loss(&solution.records, &problem.quasi);
    Trial {
        problem,
        missing,
        loss,
        suppressed: 0,
        seconds,
        warnings,
        tables,
        households,
        guesses: Vec::new(),
        outcome: TrialOutcome::Records {
            records: solution.records,
            column: solution.column,
            taken,
            record_of_row: rows.record_of_row,
        },
    }
}

fn of_tables(tried: Tried<TablesRun<'_>>) -> Trial {
    let Tried { run, tables, households, seconds } = tried;
    let Run { problem, missing, warnings, found, .. } = run;
    let shown = found.solution.shown;
    let all_columns = || vec![(0..problem.quasi.len()).collect()];
    let (loss, outcome) = match found.solution.tables {
        Tables::Groups { .. } => (tables::loss(&problem, &shown, &all_columns()), TrialOutcome::Groups),
        Tables::Projections(tables) => {
            let loss = tables::loss(&problem, &shown, &tables);
            (loss, TrialOutcome::Projections { tables, shown, tuple_of_row: found.tuple_of_row })
        }
    };
    let guesses = Vec::new();
    Trial { problem, missing, loss, suppressed: 0, seconds, warnings, tables, households, guesses, outcome }
}
