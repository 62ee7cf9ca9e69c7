//! Chooses the other algorithms that an error names: those that would not refuse the same plan.

use super::search::{Needs, Task, budget_of, make_problem};
use super::{classes, records};
use crate::config::{Parameters, Plan, Role};
use crate::error::{Action, Error, ErrorKind, Remedy, Result, Setting, Wish};
use crate::problem::Problem;
use crate::registry::{ALGORITHMS, Entry, METRICS, RECORD_ALGORITHMS, Standing};
use crate::search::algorithms::{BuildAlgorithm, BuildRecordAlgorithm};
use crate::search::offers::fits;

/// Fills in the names of algorithms that support the plan where an error advises to use another one. Advice that no algorithm fulfils is
/// left out.
pub(super) fn named(error: Error, task: &Task<'_>, failed: &str) -> Error {
    let error = if error.kind() == ErrorKind::OutOfBudget { error.another(Wish::Quick) } else { error };
    let wishes = |remedy: &Remedy| matches!(remedy.action, Action::Another(_));
    if !error.remedies().iter().any(wishes) {
        return error;
    }
    let mut others = Others { task, failed, plain: None, with_trees: None };
    // If the table cannot be prepared again, no algorithm can be tried on it.
    if others.problem(false).is_none() {
        return error;
    }
    error.remedied(|remedy| match remedy {
        Remedy { action: Action::Another(wish), words, .. } => {
            let names = others.serving(wish);
            (!names.is_empty()).then(|| Remedy::new(Setting::algorithm().to_one_of(names), words))
        }
        other => Some(other),
    })
}

/// The advice to use a recommended algorithm that makes classes and shows no means, for errors before the table is read.
pub(super) fn of_classes(plan: &Plan, words: &str) -> Remedy {
    let has_class = plan.names_with(Role::Class).next().is_some();
    let fits = |entry: &&'static Entry<BuildAlgorithm>| {
        let built = (entry.build)(&Parameters::default());
        entry.standing == Standing::Recommended
            && built.is_ok_and(|algorithm| {
                let can = algorithm.capabilities();
                !can.shows_means && (has_class || !can.needs_class)
            })
    };
    let names = ALGORITHMS.iter().filter(fits).map(|entry| entry.name);
    Remedy::new(Setting::algorithm().to_one_of(names), words)
}

/// The other algorithms, tried on the same table and plan, prepared as they need it.
struct Others<'t, 'a> {
    task: &'t Task<'a>,
    failed: &'t str,
    plain: Option<Option<Problem>>,
    with_trees: Option<Option<Problem>>,
}

impl Others<'_, '_> {
    /// The problem, with levels for every column or without; `None` where it cannot be posed.
    fn problem(&mut self, trees: bool) -> Option<&mut Problem> {
        let task = self.task;
        let posed = if trees { &mut self.with_trees } else { &mut self.plain };
        posed.get_or_insert_with(|| pose(task, trees)).as_mut()
    }

    /// The names of the algorithms of the best standing that support the plan and fulfil the wish.
    fn serving(&mut self, wish: Wish) -> Vec<&'static str> {
        let (failed, mut found): (&str, Vec<(Standing, &'static str)>) = (self.failed, Vec::new());
        for entry in ALGORITHMS.iter().filter(|entry| entry.name != failed) {
            if self.serves_as_classes(entry, wish).is_some() {
                found.push((entry.standing, entry.name));
            }
        }
        for entry in RECORD_ALGORITHMS.iter().filter(|entry| entry.name != failed) {
            if wish == Wish::Serving && self.serves_as_records(entry).is_some() {
                found.push((entry.standing, entry.name));
            }
        }
        let rank = |standing: Standing| match standing {
            Standing::Recommended => 0,
            Standing::Classic => 1,
            Standing::Experimental => 2,
        };
        let best = found.iter().map(|(standing, _)| rank(*standing)).min();
        let best = found.iter().filter(|(standing, _)| Some(rank(*standing)) == best);
        best.map(|(_, name)| *name).collect()
    }

    fn serves_as_classes(&mut self, entry: &'static Entry<BuildAlgorithm>, wish: Wish) -> Option<()> {
        let plan = self.task.plan;
        let algorithm = &*(entry.build)(&Parameters::default()).ok()?;
        if !fits(wish, algorithm) {
            return None;
        }
        let problem = self.problem(algorithm.capabilities().needs_trees)?;
        if problem.models.is_empty() && algorithm.capabilities().needs_model {
            return None;
        }
        let metric = METRICS
            .get(plan.algorithm.metric.as_deref().unwrap_or(algorithm.capabilities().default_metric))?;
        problem.metric = metric.build;
        problem.suppression =
            plan.algorithm.suppression.unwrap_or(algorithm.capabilities().default_suppression);
        not_refused(classes::check(problem, plan, entry, algorithm, metric.name))?;
        not_refused(algorithm.check(problem))
    }

    fn serves_as_records(&mut self, entry: &'static Entry<BuildRecordAlgorithm>) -> Option<()> {
        let task = self.task;
        let algorithm = (entry.build)(&Parameters::default()).ok()?;
        records::check_plan(task, entry.name, &*algorithm).ok()?;
        let problem = self.problem(false).filter(|problem| !problem.models.is_empty())?;
        problem.metric = METRICS.get(Needs::WITHOUT_CLASSES.metric)?.build;
        problem.suppression = Needs::WITHOUT_CLASSES.suppression;
        not_refused(records::check(problem, entry.name, &*algorithm))?;
        not_refused(algorithm.check(problem))
    }
}

/// Turns a refusal into `None`. A plan that nobody can meet is not refused here: an algorithm that supports it says what would be possible.
fn not_refused(checked: Result<()>) -> Option<()> {
    match checked {
        Err(error) if error.kind() != ErrorKind::Infeasible => None,
        _ => Some(()),
    }
}

/// The problem of a plan, with levels for every column (`trees`) or without.
fn pose(task: &Task<'_>, trees: bool) -> Option<Problem> {
    let (prepared, _) = task.prepared(task.plan, trees).ok()?;
    let needs = Needs { model: false, ..Needs::WITHOUT_CLASSES };
    let limits = (budget_of(task.plan), task.progress.clone());
    make_problem(task.plan, prepared, &needs, limits).ok().map(|(problem, ..)| problem)
}
