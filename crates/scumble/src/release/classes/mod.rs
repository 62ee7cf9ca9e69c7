//! A release of equivalence classes, which are rows that show the same.

use std::io::Write;

use scumble_files::table::CodedTable;
use scumble_verify::{ModelOutcome, Outcome};

use self::recoding_file::lasting;
use super::datasheet::Datasheet;
use super::households::LEFT_OUT;
use super::offers;
use super::pipeline::{self, Destination, Releasable, ShownColumn, Watched};
use super::requirements::{check_metric, check_served};
use super::run::Run;
use super::search::{Needs, Task, allow_parameters, make_problem};
use super::staged::Staged;
use super::{ReadTable, Seconds, Summary};
use crate::config::{Plan, StarPolicy};
use crate::error::{Error, Result};
use crate::metrics::{Figure, measure_one};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::recoding::{Assignment, Step};
use crate::registry::Entry;
use crate::registry::METRICS;
use crate::release::resources::Resources;
use crate::report::data::Report;
use crate::search::algorithms::{Algorithm, BuildAlgorithm, Finding};
use crate::search::relabel;
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::Value;

mod check;
mod combinations;
mod members;
pub(super) mod recoding_file;
mod report;
pub(super) use report::guesses;
mod risk;
pub(super) mod rows;
mod sheet;
mod summary;
mod table_risk;
pub(super) mod together;
pub(super) mod warnings;

/// A run that ends in classes.
pub(crate) type ClassRun<'a> = Run<'a, ClassesFound<'a>>;

/// What a run that ends in classes has found.
pub(crate) struct ClassesFound<'a> {
    pub(crate) classes: Classes,
    pub(super) origin: Origin,
    /// The name of the metric that was minimised.
    pub(super) metric: &'static str,
    /// The level of each quasi-identifier, where every column has one.
    pub(super) levels: Option<Vec<u32>>,
    /// The rule that made the classes, where it is a rule for tuples and the classes were not changed afterwards.
    pub(super) step: Option<Step>,
    /// The hierarchies of sensitive columns that have one.
    pub(super) payload_trees: Vec<(String, Hierarchy)>,
    pub(super) findings: Vec<Finding>,
    /// The population that the rows are taken from, as it was read.
    pub(super) population: Option<&'a CodedTable>,
    /// What else the plan names.
    pub(super) resources: &'a Resources,
    /// The rows, once they are arranged.
    pub(super) rows: rows::ReleasedRows,
    /// The models that hold together with tables that were published before.
    pub(super) together: Vec<ModelOutcome>,
}

/// Where the classes come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A search.
    Search,
    /// A saved recoding of other rows.
    Recoding {
        /// Whether the rows are for their owner only.
        private: bool,
    },
}

impl ClassesFound<'_> {
    /// Whether the rows are new to the rule, so that they may have values that no hierarchy lists.
    pub(super) fn is_of_new_rows(&self) -> bool {
        self.origin != Origin::Search
    }
}

impl ClassRun<'_> {
    /// Whether a quasi-identifier shows means.
    pub(super) fn shows_means(&self, column: usize) -> bool {
        let values = &self.found.classes.assignment.columns[column].values;
        values.iter().any(|value| matches!(value, Value::Mean { .. }))
    }
}

/// Searches for classes and releases them.
pub(super) fn release<D: Destination>(
    read: &ReadTable<'_>,
    entry: &'static Entry<BuildAlgorithm>,
    destination: &mut D,
    watched: &Watched<'_>,
) -> Result<D::Made> {
    let attempt = |plan: &Plan| {
        let read = ReadTable { plan, ..read.clone() };
        pipeline::release(read, |task| search(task, entry), destination, watched)
    };
    let (mut made, is_larger) = together::large_enough(read.plan, read.table.rows, attempt)?;
    if is_larger {
        let note = "larger groups than asked for were needed beside the tables that were published before";
        D::summary(&mut made).notes.push(note.to_owned());
    }
    Ok(*made)
}

impl Releasable for ClassRun<'_> {
    type Verified = Outcome;

    fn arrange(&mut self) -> Result<()> {
        let of_row = std::mem::take(&mut self.of_row);
        let (rows, warnings) = rows::arrange(self, of_row)?;
        self.found.rows = rows;
        self.warnings.extend(warnings);
        Ok(())
    }

    fn write(&self, staged: &mut Staged<'_>) -> Result<()> {
        rows::write(self, &self.found.rows, staged)
    }

    fn is_for_owner(&self) -> bool {
        self.found.origin == Origin::Recoding { private: true }
    }

    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<Outcome> {
        let check::Verified { outcome, together, warnings } = check::verify(self, staged, &self.found.rows)?;
        self.warnings.extend(warnings);
        self.found.together = together;
        Ok(outcome)
    }

    fn looks(&self) -> Option<Vec<u32>> {
        // The last look is the look of suppressed rows, which may be left out.
        let kept =
            (0..self.found.classes.len()).filter(|class| !self.found.classes.is_suppressed(*class)).count();
        let dropped = self.problem.star_policy == StarPolicy::Drop;
        let look = |look: &u32| if dropped && *look as usize == kept { LEFT_OUT } else { *look };
        Some(self.found.rows.look_of_row.iter().map(look).collect())
    }

    fn shows(&self, column: &str) -> Option<ShownColumn> {
        rows::shows(self, &self.found.rows, column)
    }

    fn forget_rows(&mut self) {
        let order = std::mem::take(&mut self.found.rows.order);
        let unique_with_quasi = self.found.rows.unique_with_quasi;
        let unique_on_weights = std::mem::take(&mut self.found.rows.unique_on_weights);
        self.found.rows =
            rows::ReleasedRows { order, unique_on_weights, unique_with_quasi, ..Default::default() };
    }

    fn failing_beside_others(&self) -> Option<&ModelOutcome> {
        self.found.together.iter().find(|model| !model.holds)
    }

    fn figures(
        &self,
        outcome: &Outcome,
        title: Option<&str>,
        seconds: &Seconds,
    ) -> Result<(Summary, Option<Report>)> {
        let figures: Vec<Figure> = match self.found.origin {
            Origin::Search => measure_all(&self.found.classes, &self.problem)?,
            // Other metrics use codes, and the codes of new rows are not those of the quasi-identifiers.
            Origin::Recoding { .. } => {
                vec![measure_one(&crate::metrics::loss::ENTRY, &self.found.classes, &self.problem)]
            }
        };
        let summary = summary::summarise(self, outcome, &figures);
        // A report describes a search.
        let searched = matches!(self.found.origin, Origin::Search);
        let report = title
            .filter(|_| searched)
            .map(|title| report::report(self, &summary, &figures, title, seconds))
            .transpose()?;
        Ok((summary, report))
    }

    fn sheet(&self, summary: &Summary) -> Option<Datasheet> {
        (!self.is_for_owner()).then(|| sheet::datasheet(self, summary))
    }

    fn write_rule(&self, out: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer(out, &recoding_file::recoding(self))
    }

    fn row_map(&self) -> (Vec<&[u32]>, Option<&[u32]>) {
        (vec![&self.found.rows.order], None)
    }
}

/// The algorithm that a plan names, with its parameters.
fn build_algorithm(plan: &Plan, entry: &'static Entry<BuildAlgorithm>) -> Result<Box<dyn Algorithm>> {
    allow_parameters(plan, entry)?;
    (entry.build)(&plan.algorithm.parameters)
}

/// Searches a table with an algorithm that makes classes.
pub(super) fn search<'a>(task: &Task<'a>, entry: &'static Entry<BuildAlgorithm>) -> Result<ClassRun<'a>> {
    found(task, entry).map_err(|error| offers::named(error, task, entry.name))
}

/// Returns an error, before any work, if the algorithm does not support the problem.
pub(super) fn check(
    problem: &Problem,
    plan: &Plan,
    entry: &'static Entry<BuildAlgorithm>,
    algorithm: &dyn Algorithm,
    metric: &str,
) -> Result<()> {
    check_metric(plan, entry.name, algorithm, metric, problem)?;
    check_served(problem, plan, entry.name, algorithm)?;
    members::check(problem, plan, algorithm)?;
    problem.check_feasible()
}

fn found<'a>(task: &Task<'a>, entry: &'static Entry<BuildAlgorithm>) -> Result<ClassRun<'a>> {
    let plan = task.plan;
    let algorithm = &*build_algorithm(plan, entry)?;
    let (prepared, of_row) = task.prepared(plan, algorithm.capabilities().needs_trees)?;
    let needs = Needs {
        model: algorithm.capabilities().needs_model,
        metric: algorithm.capabilities().default_metric,
        suppression: algorithm.capabilities().default_suppression,
    };
    let limits = (task.budget.clone(), task.progress.clone());
    let (problem, mut rest, metric) = make_problem(plan, prepared, &needs, limits)?;
    check(&problem, plan, entry, algorithm, metric)?;
    let (problem, found) = table_risk::search(problem, |problem| attempt(problem, plan, algorithm))?;
    let Attempt { classes, step, findings } = found;
    refuse_nothing(&classes, &problem)?;
    let levels = match &step {
        Step::Levels(levels) => Some(levels.clone()),
        _ => None,
    };
    let step = lasting(step, plan, &problem.quasi);
    let found = ClassesFound {
        classes,
        origin: Origin::Search,
        metric,
        levels,
        step,
        payload_trees: std::mem::take(&mut rest.payload_trees),
        findings,
        population: task.population,
        resources: task.resources,
        rows: rows::ReleasedRows::default(),
        together: Vec::new(),
    };
    let mut run = task.run(entry.facts(), (problem, rest), of_row, found);
    let found = warnings::warnings(&run, Some(algorithm));
    run.warnings.extend(found);
    run.problem.budget.pause();
    Ok(run)
}

/// Returns an error if every row would be left out.
pub(super) fn refuse_nothing(classes: &Classes, problem: &Problem) -> Result<()> {
    if problem.star_policy == StarPolicy::Drop && classes.suppressed_rows() == problem.table.rows() {
        return Err(Error::infeasible("every row would have to be left out, so there is nothing to release")
            .advise("coarsen the hierarchies")
            .concede("lower the requirement"));
    }
    Ok(())
}

/// The result of one search.
pub(super) struct Attempt {
    classes: Classes,
    step: Step,
    findings: Vec<Finding>,
}

/// Searches once, and changes the classes afterwards as the plan asks.
fn attempt(problem: &Problem, plan: &Plan, algorithm: &dyn Algorithm) -> Result<Attempt> {
    algorithm.check(problem)?;
    let mut solution = algorithm.run(problem)?;
    solution.assignment = relabel::show_sets(problem, solution.assignment)?;
    if plan.algorithm.polish {
        solution = crate::search::polish::polish(problem, solution)?;
    }
    let mut assignment = solution.assignment;
    if plan.algorithm.flatten {
        let (flat, cost) = flattened(problem, assignment)?;
        assignment = flat;
        solution.findings.push(cost);
    }
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    Ok(Attempt { classes, step: solution.recoding.step, findings: solution.findings })
}

/// Changes classes so that each column has one domain, and measures the cost.
fn flattened(problem: &Problem, assignment: Assignment) -> Result<(Assignment, Finding)> {
    let loss = |assignment: Assignment| {
        let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        crate::metrics::loss::ENTRY.build.measure(&classes, problem)
    };
    let flat = relabel::flatten(problem, assignment.clone())?;
    let cost = Finding::new(
        "flatten_cost",
        loss(flat.clone()).zip(loss(assignment)).map(|(after, before)| after - before),
        "how much loss was added so that every column has one domain",
    );
    Ok((flat, cost))
}

/// The values of all metrics of the registry for a release, in the order of the registry.
fn measure_all(classes: &Classes, problem: &Problem) -> Result<Vec<Figure>> {
    let control = problem.progress.control();
    control.begin(Some(METRICS.iter().count() as u64));
    let measured = METRICS.iter().map(|entry| {
        let figure = measure_one(entry, classes, problem);
        control.advance(1);
        control.check()?;
        Ok(figure)
    });
    let measured = measured.collect();
    // The report follows, which takes an unknown time.
    control.begin(None);
    measured
}
