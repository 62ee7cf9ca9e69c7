//! What an algorithm is asked to do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::config::{Rational, StarPolicy};
use crate::error::{Error, Result};
use crate::frequency::FrequencyTable;
use crate::metrics::Metric;
use crate::models::{ClassTest, Model, Monotonicity, PopulationTest};
use crate::published::{ClassView, Classes};
use crate::quasi::Quasi;
use crate::recoding::Assignment;

/// A requirement on a table, and all that a search may look at.
pub struct Problem {
    /// The distinct tuples and their rows.
    pub table: FrequencyTable,
    /// The quasi-identifiers, in the order of the table's columns.
    pub quasi: Vec<Quasi>,
    /// What the release must meet.
    pub models: Vec<Box<dyn Model>>,
    /// What a search minimises.
    pub metric: &'static dyn Metric,
    /// The payload column that learners will predict.
    pub class: Option<usize>,
    /// The share of rows that may be suppressed.
    pub suppression: Rational,
    /// What becomes of suppressed rows.
    pub star_policy: StarPolicy,
    /// When a search that can stop early stops.
    pub budget: Budget,
    /// Where the random choices of a search begin.
    pub seed: u64,
    /// Where progress is told and cancellation asked.
    pub progress: Progress,
}

/// How long a search may go on: a number of steps, a time, or both.
#[derive(Debug, Default)]
pub struct Budget {
    steps: Option<u64>,
    deadline: Option<Instant>,
    /// The steps taken when it was spent, plus one; 0 while it is not.
    spent: AtomicU64,
    /// The most steps that a search has told.
    asked: AtomicU64,
}

impl Budget {
    /// A budget of steps and of a time from now on.
    #[must_use]
    pub fn new(steps: Option<u64>, time: Option<Duration>) -> Self {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Self { steps, deadline, spent: AtomicU64::new(0), asked: AtomicU64::new(0) }
    }

    /// Whether it ends at all.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.steps.is_some() || self.deadline.is_some()
    }

    /// Whether a search that has taken so many steps is to stop. Asked at the same steps in every run, so that a run stopped
    /// by its time is repeated by a budget of the steps that it had taken.
    pub fn is_spent(&self, steps: u64) -> bool {
        self.asked.fetch_max(steps, Ordering::Relaxed);
        let spent = self.steps.is_some_and(|most| steps >= most)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if spent {
            let _ = self.spent.compare_exchange(0, steps + 1, Ordering::Relaxed, Ordering::Relaxed);
        }
        spent
    }

    /// The most steps that were told so far: a search that follows another counts on from here.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// The steps that had been taken when the budget was spent, if it was.
    #[must_use]
    pub fn spent_after(&self) -> Option<u64> {
        self.spent.load(Ordering::Relaxed).checked_sub(1)
    }
}

/// Progress of a search, shared with whoever watches it.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    done: Arc<AtomicU64>,
    cancelled: Arc<AtomicBool>,
    /// When a search that has nothing to show before its end gives up.
    deadline: Option<Instant>,
}

impl Progress {
    /// Tells that `steps` more are done.
    pub fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    /// The steps done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the search to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The same, for a search that gives up after a time.
    #[must_use]
    pub fn until(self, time: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(time), ..self }
    }

    /// An error if the search was asked to stop, or its time is over.
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Error::Resources(
                "the budget was spent before the search had anything to show; give it more time (--budget), or use an algorithm \
                 that returns the best found so far, such as optimal, cluster or genetic"
                    .into(),
            )),
            _ => Ok(()),
        }
    }
}

/// Tests on the classes that some of the columns form by themselves.
pub struct Projection<'a> {
    /// The columns, ascending.
    pub columns: Vec<usize>,
    /// What each of their classes must pass.
    pub tests: Vec<&'a dyn ClassTest>,
}

/// The tests of all models, for searches that keep track of the people of a population.
#[derive(Default)]
pub struct Tests<'a> {
    /// Those that look at the rows of a class.
    pub of_rows: Vec<(&'a dyn ClassTest, Monotonicity)>,
    /// Those that look at its people, too.
    pub of_people: Vec<(&'a dyn PopulationTest, Monotonicity)>,
}

impl Tests<'_> {
    /// Whether a class with so many people passes.
    #[must_use]
    pub fn pass(&self, class: &ClassView<'_>, people: u64) -> bool {
        self.of_rows.iter().all(|(test, _)| test.passes(class))
            && self.of_people.iter().all(|(test, _)| test.passes(class.size, people))
    }

    /// Whether those may be told from all others who are in no class that is shown: the rows that stand for them in the
    /// release, if any, and these people.
    #[must_use]
    pub fn rest_passes(&self, star: &ClassView<'_>, people: u64) -> bool {
        if star.size > 0 { self.pass(star, people) } else { self.absent_pass(people) }
    }

    /// Whether so many people may be told not to be in the release.
    #[must_use]
    pub fn absent_pass(&self, people: u64) -> bool {
        people == 0 || self.of_people.iter().all(|(test, _)| !test.judges_absent() || test.passes(0, people))
    }
}

/// The class test of a model; an error says why it has none, and who can serve it.
pub(crate) fn class_test(model: &dyn Model) -> Result<&dyn ClassTest> {
    if model.population_test().is_some() {
        return Err(Error::refused(format!(
            "{} compares with a population, and this algorithm does not keep track of one; algorithms that can serve it: {}",
            model.title(),
            crate::registry::serving_population().join(", ")
        )));
    }
    model.class_test().ok_or_else(|| {
        Error::refused(format!("{} is not decided class by class; this algorithm needs that", model.title()))
    })
}

impl Problem {
    /// The models' class tests, for searches that judge whole classes; an error names a model that no single class decides, or
    /// that judges only some of the columns, and then the algorithms that can serve it.
    pub fn class_tests(&self) -> Result<Vec<&dyn ClassTest>> {
        self.models
            .iter()
            .map(|model| class_test(&**model).and_then(|test| self.check_about_all(&**model).map(|()| test)))
            .collect()
    }

    /// The tests of all models, for searches that judge whole classes and keep track of people; an error as for
    /// [`class_tests`](Self::class_tests).
    pub fn tests(&self) -> Result<Tests<'_>> {
        let mut tests = Tests::default();
        for model in &self.models {
            match model.population_test() {
                Some(test) => tests.of_people.push((test, model.monotonicity())),
                None => {
                    self.check_about_all(&**model)?;
                    tests.of_rows.push((class_test(&**model)?, model.monotonicity()));
                }
            }
        }
        Ok(tests)
    }

    /// The population, if some model compares with it.
    #[must_use]
    pub fn population(&self) -> Option<&FrequencyTable> {
        let compares = self.models.iter().any(|model| model.population_test().is_some());
        self.table.population().filter(|_| compares)
    }

    fn check_about_all(&self, model: &dyn Model) -> Result<()> {
        if self.is_about_all(model) {
            return Ok(());
        }
        Err(Error::refused(format!(
            "'{}' judges some of the quasi-identifiers without the others, and this algorithm judges all of them together; \
             algorithms that can serve it: {}",
            model.title(),
            crate::registry::serving_projections().join(", ")
        )))
    }

    /// Whether some model is not decided class by class.
    #[must_use]
    pub fn judges_whole_tables(&self) -> bool {
        self.models.iter().any(|model| model.class_test().is_none())
    }

    /// The tests of the models that are decided class by class, on all quasi-identifiers.
    fn decided_by_class(&self) -> Tests<'_> {
        let mut tests = Tests::default();
        for model in &self.models {
            if let Some(test) = model.population_test() {
                tests.of_people.push((test, model.monotonicity()));
            } else if let Some(test) = model.class_test().filter(|_| self.is_about_all(&**model)) {
                tests.of_rows.push((test, model.monotonicity()));
            }
        }
        tests
    }

    /// Whether a model judges the classes of all quasi-identifiers together, and no others.
    #[must_use]
    pub fn is_about_all(&self, model: &dyn Model) -> bool {
        let all: Vec<usize> = (0..self.quasi.len()).collect();
        model.projections(&all) == [&all[..]]
    }

    /// The sets of columns that the models judge, with the tests on the classes of each set.
    pub fn projections(&self) -> Result<Vec<Projection<'_>>> {
        let all: Vec<usize> = (0..self.quasi.len()).collect();
        let mut sets: BTreeMap<Vec<usize>, Vec<&dyn ClassTest>> = BTreeMap::new();
        for model in &self.models {
            let test = class_test(&**model)?;
            for columns in model.projections(&all) {
                sets.entry(columns).or_default().push(test);
            }
        }
        Ok(sets.into_iter().map(|(columns, tests)| Projection { columns, tests }).collect())
    }

    /// An error if not even the whole table as one class meets every model.
    pub fn check_feasible(&self) -> Result<()> {
        let cells = self.table.payload_totals();
        let whole = ClassView { size: self.table.rows(), cells: &cells, payloads: self.table.payloads() };
        self.models.iter().try_for_each(|model| model.check_feasible(&whole))
    }

    /// An error if the whole table as one class fails a model, for searches that start there. For models that are kept by merging
    /// that is the same as being feasible.
    pub fn check_whole(&self, algorithm: &str) -> Result<()> {
        self.check_feasible()?;
        let cells = self.table.payload_totals();
        let whole = ClassView { size: self.table.rows(), cells: &cells, payloads: self.table.payloads() };
        let fails = |model: &&dyn Model| model.class_test().is_some_and(|test| !test.passes(&whole));
        match self.models.iter().map(AsRef::as_ref).find(fails) {
            None => Ok(()),
            Some(model) => Err(Error::refused(format!(
                "the whole table as one class fails {}, and '{algorithm}' starts there and divides only what passes; use optimal, or \
                 lower the requirement",
                model.title()
            ))),
        }
    }

    /// Every quasi-identifier has a tree; an error says which has none.
    pub fn check_trees(&self, algorithm: &str) -> Result<()> {
        match self.quasi.iter().find(|quasi| quasi.tree().is_none()) {
            None => Ok(()),
            Some(quasi) => Err(Error::refused(format!(
                "'{algorithm}' generalises by levels, and '{}' has no hierarchy; give one, or use mondrian",
                quasi.name
            ))),
        }
    }

    /// The most rows that may be suppressed, exactly: 0.58 of 50 rows are 29.
    #[must_use]
    pub fn suppression_limit(&self) -> u64 {
        self.suppression.floor_of(self.table.rows())
    }

    /// The largest size asked of classes (k), if some model asks for one. Where k counts persons, a class may need more rows.
    #[must_use]
    pub fn k(&self) -> Option<u64> {
        let size = |model: &dyn Model| match model.class_test()? {
            test if test.only_size() => Some(model.required() as u64),
            test => Some(test.needs_size()).filter(|size| *size > 0),
        };
        let about_all = self.models.iter().filter(|model| self.is_about_all(&***model));
        about_all.filter_map(|model| size(&**model)).max()
    }

    /// Suppresses every class that fails a model and, under [`StarPolicy::Strict`], further smallest classes until
    /// the suppressed rows meet every model themselves (models.md 0.2).
    pub fn suppress_failing(&self, assignment: Assignment) -> Result<Classes> {
        // Models of the whole table, or of some columns, are not decided by classes; whoever serves them judges what is left.
        let tests = self.decided_by_class();
        let payloads = self.table.payloads();
        let mut classes = Classes::new(assignment, &self.table, &self.quasi, self.star_policy);
        let people =
            |classes: &Classes, class: usize| classes.people().map_or(0, |people| people.of_class[class]);
        let suppressed: Vec<bool> = (0..classes.len())
            .map(|class| {
                classes.is_suppressed(class)
                    || !tests.pass(&classes.view(class, payloads), people(&classes, class))
            })
            .collect();
        classes.suppress(suppressed, payloads.len());
        if self.star_policy == StarPolicy::Strict {
            self.repair_star(&mut classes, &tests)?;
        } else if let Some((0, absent)) = classes.rest().next()
            && !tests.absent_pass(absent)
        {
            return Err(Error::infeasible(format!(
                "{absent} people of the population are in no class of the release, which tells that they are not in it, and \
                 delta_min forbids that; coarsen the hierarchies, lower delta_min, or use --star-policy strict"
            )));
        }
        let limit = self.suppression_limit();
        if classes.suppressed_rows() > limit {
            return Err(Error::infeasible(format!(
                "{} of {} rows would have to be suppressed, more than the {limit} that the suppression limit of {} \
                 allows; raise the limit (--suppression), coarsen the hierarchies, or lower the requirement",
                classes.suppressed_rows(),
                self.table.rows(),
                self.suppression
            )));
        }
        Ok(classes)
    }

    fn repair_star(&self, classes: &mut Classes, tests: &Tests<'_>) -> Result<()> {
        let payloads = self.table.payloads();
        let Some((mut star, mut people)) = classes.rest().next() else { return Ok(()) };
        if tests.rest_passes(&classes.star(payloads), people) {
            return Ok(());
        }
        let mut kept: Vec<usize> =
            (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).collect();
        // Classes are numbered by content, so equal sizes are taken in the order of their content.
        kept.sort_by_key(|class| classes.size(*class));
        let mut suppressed = classes.assignment.suppressed.clone();
        let mut rows = vec![0_u32; payloads.len()];
        for cell in classes.star(payloads).cells {
            rows[cell.payload as usize] = cell.rows;
        }
        for class in kept {
            suppressed[class] = true;
            star += classes.size(class);
            people += classes.people().map_or(0, |people| people.of_class[class]);
            for cell in classes.class_cells(class) {
                rows[cell.payload as usize] += cell.rows;
            }
            let cells: Vec<_> = (0..)
                .zip(&rows)
                .filter(|(_, rows)| **rows > 0)
                .map(|(payload, rows)| crate::frequency::Cell { payload, rows: *rows })
                .collect();
            if tests.pass(&ClassView { size: star, cells: &cells, payloads }, people) {
                classes.suppress(suppressed, payloads.len());
                return Ok(());
            }
        }
        Err(Error::infeasible(
            "the suppressed rows can be told from all others, so they must meet every model themselves, and no choice of \
             further classes to suppress makes them; use --star-policy drop to leave those rows out, or lower the requirement",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_with_nothing_to_show_gives_up() {
        assert!(Progress::default().until(Duration::from_secs(3600)).check().is_ok());
        let over = Progress::default().until(Duration::ZERO).check();
        assert!(matches!(over, Err(Error::Resources(message)) if message.contains("--budget")));
    }

    #[test]
    fn a_budget_of_time_tells_the_steps_that_repeat_it() {
        let none = Budget::default();
        assert!(!none.is_spent(u64::MAX - 1));
        assert_eq!(none.spent_after(), None);
        let timed = Budget::new(None, Some(Duration::ZERO));
        assert!(timed.is_spent(7) && timed.is_spent(9));
        assert_eq!(timed.spent_after(), Some(7));
        let again = Budget::new(timed.spent_after(), None);
        assert!(!again.is_spent(6) && again.is_spent(7));
    }
}
