//! Runs the plan's algorithm on a table that was read. Releases and trials both go this way, so they find and refuse the same.

use scumble_files::table::CodedTable;
use scumble_verify::WrittenForm;

use super::ranges;
use super::requirements::build_models;
use super::run::Run;
use crate::config::{Plan, Rational, no_quasi_identifier};
use crate::error::{Error, Result, Setting, Wanted};
use crate::problem::{Budget, Problem, Progress};
use crate::registry::{Entry, Facts, METRICS};
use crate::release::prepare::population::prepare_with_population;
use crate::release::prepare::{Prepared, SpeltTable, prepare};
use crate::release::resources::Resources;
use crate::table::hierarchy::Hierarchy;

/// A search: the plan, the table and the limits.
#[derive(Clone)]
pub(super) struct Task<'a> {
    pub(super) plan: &'a Plan,
    pub(super) table: &'a SpeltTable,
    /// The population that the rows are taken from, if it is known.
    pub(super) population: Option<&'a CodedTable>,
    /// What else the plan names.
    pub(super) resources: &'a Resources,
    pub(super) budget: Budget,
    pub(super) progress: Progress,
}

/// Which tuple and payload each original row has. Private.
#[derive(Default)]
pub(super) struct OfRow {
    pub(super) tuple: Vec<u32>,
    pub(super) payload: Vec<u32>,
}

impl<'a> Task<'a> {
    /// The run with what the search found in the table.
    pub(super) fn run<Found>(
        &self,
        algorithm: Facts,
        (problem, rest): (Problem, Rest),
        of_row: OfRow,
        found: Found,
    ) -> Run<'a, Found> {
        Run {
            plan: self.plan,
            source: self.table,
            algorithm,
            problem,
            of_row,
            missing: rest.missing,
            warnings: rest.warnings,
            notes: rest.notes,
            written: WrittenForm::default(),
            found,
        }
    }

    /// The table as an algorithm sees it. The roles of `plan` may differ from those of the task's own plan.
    pub(super) fn prepared(&self, plan: &Plan, trees: bool) -> Result<(Prepared, OfRow)> {
        let mut prepared = match self.population {
            Some(people) => prepare_with_population(self.table, people, plan, self.resources, trees)?,
            None => prepare(self.table, plan, self.resources, trees)?,
        };
        let tuple = std::mem::take(&mut prepared.tuple_of_row);
        let payload = std::mem::take(&mut prepared.payload_of_row);
        Ok((prepared, OfRow { tuple, payload }))
    }
}

/// The budget of a plan. Its clock is stopped until the search begins.
pub(super) fn budget_of(plan: &Plan) -> Budget {
    let budget = Budget::new(plan.algorithm.steps, plan.algorithm.budget.map(|budget| budget.duration()));
    budget.pause();
    budget
}

/// Returns an error if the plan sets a parameter that the algorithm does not have.
pub(super) fn allow_parameters<B>(plan: &Plan, entry: &Entry<B>) -> Result<()> {
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).collect();
    plan.algorithm.allow_only(&known).map_err(|error| {
        error.reworded(|what| {
            let own = if known.is_empty() { "none of its own".to_owned() } else { known.join(", ") };
            let what = what
                .split(" (known are")
                .next()
                .and_then(|what| what.split("; known are").next())
                .unwrap_or_default();
            format!("algorithm '{}': {what}; its parameters are {own}", entry.name)
        })
    })
}

/// What an algorithm assumes where the plan is silent.
pub(super) struct Needs {
    /// Whether the plan must ask for a privacy model.
    pub(super) model: bool,
    /// The metric.
    pub(super) metric: &'static str,
    /// The share of rows that may be suppressed.
    pub(super) suppression: Rational,
}

impl Needs {
    /// For records that overlap and for several tables: these suppress nothing and minimise the loss.
    pub(super) const WITHOUT_CLASSES: Self =
        Self { model: true, metric: "loss", suppression: Rational::ZERO };
}

/// What a prepared table has besides the problem.
pub(super) struct Rest {
    pub(super) payload_trees: Vec<(String, Hierarchy)>,
    pub(super) missing: Vec<(String, Vec<String>)>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Builds the problem that the algorithm solves, what is left of the table, and the name of the metric.
pub(super) fn make_problem(
    plan: &Plan,
    prepared: Prepared,
    needs: &Needs,
    (budget, progress): (Budget, Progress),
) -> Result<(Problem, Rest, &'static str)> {
    if prepared.quasi.is_empty() {
        return Err(no_quasi_identifier());
    }
    if prepared.quasi.iter().all(|quasi| quasi.priority == 0.0) {
        return Err(Error::config("every quasi-identifier has the priority 0, so nothing would count").set(
            Setting::column("priority"),
            "give at least one quasi-identifier a higher priority, or none, which counts as 1",
        ));
    }
    ranges::check(plan, &prepared.quasi)?;
    let models = build_models(plan, &prepared)?;
    if models.is_empty() && needs.model {
        return Err(Error::config("no privacy model is asked for")
            .set(Wanted::model("k_anonymity").with("k", 5), "ask for a model, such as k-anonymity"));
    }
    let metric = plan.algorithm.metric.as_deref().unwrap_or(needs.metric);
    let metric = METRICS.find(metric).map_err(|error| plan.algorithm.parameters.placed("metric", error))?;
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
    // The clock of the search starts here.
    problem.budget.go_on()?;
    let rest = Rest {
        payload_trees: prepared.payload_trees,
        missing: prepared.missing,
        warnings: prepared.warnings,
        notes: prepared.notes,
    };
    Ok((problem, rest, metric.name))
}
