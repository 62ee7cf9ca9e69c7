//! From a table that was read to what the plan's algorithm finds in it: one way for releases and for trials, so that both find and
//! refuse the same.

use std::path::Path;

use scumble_files::table::CodedTable;

use super::recoding_file::lasting;
use super::requirements::{build_models, check_metric, check_served};
use super::{Run, population, table_risk, warnings};
use crate::algorithms::{Algorithm, Finding};
use crate::config::{Plan, Rational, StarPolicy};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::prepare::population::prepare_with_population;
use crate::prepare::{Prepared, Respelt, prepare};
use crate::problem::{Budget, Problem, Progress};
use crate::published::Classes;
use crate::recoding::{Assignment, Step};
use crate::registry::{self, Entry, METRICS};
use crate::relabel;

/// What is to be searched for, in what, and within which limits.
pub(super) struct Task<'a> {
    pub(super) plan: &'a Plan,
    /// The table, with one spelling for each value of columns that models read.
    pub(super) table: &'a CodedTable,
    /// Columns of which some value had several spellings, as they were read.
    pub(super) respelt: &'a [Respelt],
    /// The people whom the rows are taken from, if they are known.
    pub(super) population: Option<&'a CodedTable>,
    /// The folder that the plan's file names are relative to.
    pub(super) folder: &'a Path,
    pub(super) budget: Budget,
    pub(super) progress: Progress,
}

/// Which tuple and payload each original row has. Private.
pub(super) struct OfRow {
    pub(super) tuple: Vec<u32>,
    pub(super) payload: Vec<u32>,
}

impl Task<'_> {
    /// The table as an algorithm sees it, by a plan whose roles may be others than those that were given.
    pub(super) fn prepared(&self, plan: &Plan, trees: bool) -> Result<(Prepared, OfRow)> {
        let mut prepared = match self.population {
            Some(people) => prepare_with_population(self.table, people, plan, self.folder, trees)?,
            None => prepare(self.table, plan, self.folder, trees)?,
        };
        let tuple = std::mem::take(&mut prepared.tuple_of_row);
        let payload = std::mem::take(&mut prepared.payload_of_row);
        Ok((prepared, OfRow { tuple, payload }))
    }
}

/// The budget of a plan. Its clock stands still until the search begins.
pub(super) fn budget_of(plan: &Plan) -> Budget {
    let budget = Budget::new(plan.algorithm.steps, plan.algorithm.budget.map(|budget| budget.duration()));
    budget.pause();
    budget
}

/// The algorithm that a plan names, with its parameters.
pub(super) fn build_algorithm(
    plan: &Plan,
    entry: &'static Entry<crate::algorithms::BuildAlgorithm>,
) -> Result<Box<dyn Algorithm>> {
    allow_parameters(plan, entry)?;
    (entry.build)(&plan.algorithm.parameters)
}

/// An error for a parameter that the algorithm does not have.
pub(super) fn allow_parameters<B>(plan: &Plan, entry: &Entry<B>) -> Result<()> {
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    plan.algorithm.allow_only(&known)
}

/// What an algorithm needs where the plan is silent.
pub(super) struct Needs {
    /// Whether a run without any model makes no sense.
    pub(super) model: bool,
    /// The metric.
    pub(super) metric: &'static str,
    /// The share of rows that may be suppressed.
    pub(super) suppression: Rational,
}

impl Needs {
    /// Records that overlap and several tables: they suppress nothing, and minimise the loss.
    pub(super) const WITHOUT_CLASSES: Self =
        Self { model: true, metric: "loss", suppression: Rational::ZERO };
}

/// What is left of a prepared table besides the problem.
pub(super) struct Rest {
    pub(super) payload_trees: Vec<(String, Hierarchy)>,
    pub(super) missing: Vec<(String, Vec<String>)>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// What an algorithm is asked to do, and the name of the metric.
pub(super) fn make_problem(
    plan: &Plan,
    prepared: Prepared,
    needs: &Needs,
    (budget, progress): (Budget, Progress),
) -> Result<(Problem, Rest, &'static str)> {
    if prepared.quasi.is_empty() {
        return Err(Error::config(
            "no column is a quasi-identifier, so there is nothing to protect against; say which columns outsiders may know \
             (--quasi a,b, or role = \"quasi\")",
        ));
    }
    if prepared.quasi.iter().all(|quasi| quasi.priority == 0.0) {
        return Err(Error::config(
            "every quasi-identifier has the priority 0, so nothing would count; give at least one of them more (without one it is 1)",
        ));
    }
    let models = build_models(plan, &prepared)?;
    if models.is_empty() && needs.model {
        return Err(Error::config(
            "no privacy model is asked for; give one, e.g. --k 5, or [[privacy]] model = \"k_anonymity\" k = 5",
        ));
    }
    let metric = plan.algorithm.metric.as_deref().unwrap_or(needs.metric);
    let metric = registry::find("metric", metric, METRICS)?;
    let suppression = plan.algorithm.suppression;
    if suppression.is_some_and(|share| share > Rational::ONE) {
        return Err(Error::config("the suppression limit is a share of the rows and lies between 0 and 1"));
    }
    let problem = Problem {
        table: prepared.table,
        quasi: prepared.quasi,
        models,
        metric: metric.build,
        class: prepared.class,
        suppression: suppression.unwrap_or(needs.suppression),
        star_policy: plan.algorithm.star_policy,
        progress: progress.within(&budget),
        budget,
        seed: plan.algorithm.seed.unwrap_or_default(),
    };
    // From here on the time of the search counts.
    problem.budget.go_on()?;
    let rest = Rest {
        payload_trees: prepared.payload_trees,
        missing: prepared.missing,
        warnings: prepared.warnings,
        notes: prepared.notes,
    };
    Ok((problem, rest, metric.name))
}

/// Equivalence classes, by an algorithm that makes them.
pub(super) fn classes<'a>(
    task: Task<'a>,
    entry: &'static Entry<crate::algorithms::BuildAlgorithm>,
) -> Result<(Run<'a>, OfRow)> {
    let plan = task.plan;
    let algorithm = &*build_algorithm(plan, entry)?;
    let (prepared, of_row) = task.prepared(plan, algorithm.needs_trees())?;
    let needs = Needs {
        model: algorithm.needs_model(),
        metric: algorithm.default_metric(),
        suppression: algorithm.default_suppression(),
    };
    let (problem, rest, metric) = make_problem(plan, prepared, &needs, (task.budget, task.progress))?;
    check_metric(plan, entry, algorithm, metric, &problem)?;
    check_served(&problem, plan, entry.name, algorithm)?;
    population::check(&problem, plan, algorithm)?;
    problem.check_feasible()?;
    let (problem, found) = table_risk::search(problem, |problem| attempt(problem, plan, algorithm))?;
    let Found { classes, step, findings } = found;
    refuse_nothing(&classes, &problem)?;
    let levels = match &step {
        Step::Levels(levels) => Some(levels.clone()),
        _ => None,
    };
    let step = lasting(step, plan, &problem.quasi);
    let mut run = Run {
        plan,
        source: task.table,
        respelt: task.respelt,
        population: task.population,
        algorithm: entry,
        metric,
        problem,
        levels,
        step,
        payload_trees: rest.payload_trees,
        new_rows: false,
        classes,
        findings,
        together: Vec::new(),
        missing: rest.missing,
        warnings: rest.warnings,
        notes: rest.notes,
    };
    let found = warnings::warnings(&run, Some(algorithm));
    run.warnings.extend(found);
    run.problem.budget.pause();
    Ok((run, of_row))
}

/// An error where every row is left out.
pub(super) fn refuse_nothing(classes: &Classes, problem: &Problem) -> Result<()> {
    if problem.star_policy == StarPolicy::Drop && classes.suppressed_rows() == problem.table.rows() {
        return Err(Error::infeasible(
            "every row would have to be left out, so there is nothing to release; lower the requirement or coarsen the \
             hierarchies",
        ));
    }
    Ok(())
}

/// What a search found.
pub(super) struct Found {
    pub(super) classes: Classes,
    step: Step,
    pub(super) findings: Vec<Finding>,
}

/// One search, with all that is done to its classes afterwards.
fn attempt(problem: &Problem, plan: &Plan, algorithm: &dyn Algorithm) -> Result<Found> {
    algorithm.check(problem)?;
    let mut solution = algorithm.run(problem)?;
    solution.assignment = relabel::show_sets(problem, solution.assignment)?;
    if plan.algorithm.polish {
        solution = crate::polish::polish(problem, solution)?;
    }
    let mut assignment = solution.assignment;
    if plan.algorithm.flatten {
        let (flat, cost) = flattened(problem, assignment)?;
        assignment = flat;
        solution.findings.push(cost);
    }
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    Ok(Found { classes, step: solution.recoding.step, findings: solution.findings })
}

/// Classes with one domain for each column, and what that costs.
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
