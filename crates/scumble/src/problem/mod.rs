//! What an algorithm is asked to do.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

use std::collections::BTreeMap;

use self::metric::Metric;
use crate::base::text::{grouped, rows};
use crate::config::{Rational, StarPolicy};
use crate::error::{Error, Result, Setting};
use crate::models::{ClassTest, Model, Monotonicity, PopulationTest};
pub use crate::problem::budget::{Budget, Pace, Progress};
use crate::recoding::Assignment;
use crate::recoding::published::{ClassView, Classes};
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::Quasi;

pub(crate) mod budget;
pub(crate) mod metric;

/// A requirement on a table, and all that a search may read.
pub struct Problem {
    /// The distinct tuples and their rows.
    pub table: FrequencyTable,
    /// The quasi-identifiers, in the order of the table's columns.
    pub quasi: Vec<Quasi>,
    /// What the release must meet.
    pub models: Vec<Box<dyn Model>>,
    /// What a search minimises.
    pub metric: &'static dyn Metric,
    /// The payload column that machine-learning models will predict.
    pub class: Option<usize>,
    /// The share of rows that may be suppressed.
    pub suppression: Rational,
    /// How suppressed rows are published.
    pub star_policy: StarPolicy,
    /// When a search that can stop early stops.
    pub budget: Budget,
    /// Where the random choices of a search begin.
    pub seed: u64,
    /// Where progress is reported and cancellation asked.
    pub progress: Progress,
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
    /// Those that check the rows of a class.
    pub of_rows: Vec<(&'a dyn ClassTest, Monotonicity)>,
    /// Those that check its people, too.
    pub of_people: Vec<(&'a dyn PopulationTest, Monotonicity)>,
}

impl Tests<'_> {
    /// Whether a class with this many people passes.
    #[must_use]
    pub fn pass(&self, class: &ClassView<'_>, people: u64) -> bool {
        self.of_rows.iter().all(|(test, _)| test.passes(class))
            && self.of_people.iter().all(|(test, _)| test.passes(class.size, people))
    }

    /// Whether those may be distinguished from all others who are in no class that is shown: the rows that stand for them in the
    /// release, if any, and these people.
    #[must_use]
    pub fn rest_passes(&self, star: &ClassView<'_>, people: u64) -> bool {
        if star.size > 0 { self.pass(star, people) } else { self.absent_pass(people) }
    }

    /// Whether this many people may be revealed not to be in the release.
    #[must_use]
    pub fn absent_pass(&self, people: u64) -> bool {
        people == 0 || self.of_people.iter().all(|(test, _)| !test.judges_absent() || test.passes(0, people))
    }
}

/// The class test of a model; an error says why it has none, and which algorithms support it.
pub(crate) fn class_test(model: &dyn Model) -> Result<&dyn ClassTest> {
    if model.population_test().is_some() {
        return Err(Error::refused(format!(
            "{} compares with a population, and this algorithm does not keep track of one",
            model.title()
        ))
        .another_that("use an algorithm that keeps track of a population"));
    }
    model.class_test().ok_or_else(|| {
        Error::refused(format!(
            "{} is not decided group by group, and this algorithm needs that",
            model.title()
        ))
        .another_that("use an algorithm that can check whole tables")
    })
}

impl Problem {
    /// Gives the search another budget. Its time ends the search at every check.
    pub fn limit(&mut self, budget: Budget) {
        self.progress = std::mem::take(&mut self.progress).within(&budget);
        self.budget = budget;
    }

    /// Whether a search that has taken this many steps, and could show what it has, is to go on; an error if it was cancelled.
    pub fn goes_on(&self, steps: u64) -> Result<bool> {
        if self.budget.is_spent(steps) {
            return Ok(false);
        }
        match self.progress.check() {
            Ok(()) => Ok(true),
            Err(error) => self.budget.end_at(steps, error).map(|()| false),
        }
    }

    /// The models' class tests, for searches that check whole classes; an error names a model that no single class decides, or
    /// that checks only some of the columns, and then the algorithms that support it.
    pub fn class_tests(&self) -> Result<Vec<&dyn ClassTest>> {
        self.models
            .iter()
            .map(|model| class_test(&**model).and_then(|test| self.check_about_all(&**model).map(|()| test)))
            .collect()
    }

    /// The tests of all models, for searches that check whole classes and keep track of people; an error as for
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
            "'{}' is checked on some of the quasi-identifiers without the others, and this algorithm can only check all of them together",
            model.title()
        ))
        .another_that("use an algorithm that can check some of the columns"))
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

    /// Whether a model checks the classes of all quasi-identifiers together, and no others.
    #[must_use]
    pub fn is_about_all(&self, model: &dyn Model) -> bool {
        let all: Vec<usize> = (0..self.quasi.len()).collect();
        model.projections(&all) == [&all[..]]
    }

    /// The sets of columns that the models check, with the tests on the classes of each set.
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

    /// An error if the whole table as one group fails a model, for searches that start there. For models that are kept by merging
    /// that is the same as being feasible.
    pub fn check_whole(&self, algorithm: &str) -> Result<()> {
        self.check_feasible()?;
        let cells = self.table.payload_totals();
        let whole = ClassView { size: self.table.rows(), cells: &cells, payloads: self.table.payloads() };
        let fails = |model: &&dyn Model| model.class_test().is_some_and(|test| !test.passes(&whole));
        match self.models.iter().map(AsRef::as_ref).find(fails) {
            None => Ok(()),
            Some(model) => Err(Error::refused(format!(
                "the whole table as one group fails {}, and '{algorithm}' starts there and divides only what passes",
                model.title()
            ))
            .another_that("use an algorithm that does not start from the whole table")
            .concede("lower the requirement")),
        }
    }

    /// Every quasi-identifier has a tree; an error says which has none.
    pub fn check_trees(&self, algorithm: &str) -> Result<()> {
        match self.quasi.iter().find(|quasi| quasi.tree().is_none()) {
            None => Ok(()),
            Some(quasi) => Err(Error::refused(format!(
                "'{algorithm}' generalises by levels, and '{}' has no hierarchy",
                quasi.name
            ))
            .set(Setting::column("hierarchy").of(&[&quasi.name]), "give the column a hierarchy")
            .another_that("use an algorithm that needs no hierarchies")),
        }
    }

    /// The most rows that may be suppressed, exactly: 0.58 of 50 rows are 29.
    #[must_use]
    pub fn suppression_limit(&self) -> u64 {
        self.suppression.floor_of(self.table.rows())
    }

    /// The largest size asked of classes (k), if some model asks for one. Where k counts people, a class may need more rows.
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
        // Models of the whole table, or of some columns, are not decided by classes; a search that supports them checks what is left.
        let tests = self.decided_by_class();
        let payloads = self.table.payloads();
        self.progress.check()?;
        let mut classes = Classes::new(assignment, &self.table, &self.quasi, self.star_policy);
        self.progress.check()?;
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
                 delta_min forbids that"
            ))
            .advise("coarsen the hierarchies")
            .set(Setting::search("star_policy").to("strict"), "keep suppressed rows")
            .concede("lower delta_min"));
        }
        let limit = self.suppression_limit();
        if classes.suppressed_rows() > limit {
            return Err(Error::infeasible(format!(
                "{} of {} would have to be suppressed, more than the {} that the suppression limit of {} allows",
                grouped(classes.suppressed_rows()),
                rows(self.table.rows()),
                grouped(limit),
                self.suppression
            ))
            .set(Setting::search("suppression"), "allow more rows to be suppressed")
            .advise("coarsen the hierarchies")
            .concede("lower the requirement"));
        }
        let rows = self.table.rows();
        if self.star_policy == StarPolicy::Drop && rows > 0 && classes.suppressed_rows() == rows {
            return Err(Error::infeasible(
                "every row would have to be left out, so there is nothing to release",
            )
            .advise("coarsen the hierarchies")
            .set(Setting::search("star_policy").to("strict"), "keep rows that show nothing")
            .concede("lower the requirement"));
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
            self.progress.control().check()?;
            suppressed[class] = true;
            star += classes.size(class);
            people += classes.people().map_or(0, |people| people.of_class[class]);
            for cell in classes.class_cells(class) {
                rows[cell.payload as usize] += cell.rows;
            }
            let cells: Vec<_> = (0..)
                .zip(&rows)
                .filter(|(_, rows)| **rows > 0)
                .map(|(payload, rows)| crate::table::frequency::Cell { payload, rows: *rows })
                .collect();
            if tests.pass(&ClassView { size: star, cells: &cells, payloads }, people) {
                classes.suppress(suppressed, payloads.len());
                return Ok(());
            }
        }
        Err(Error::infeasible(
            "the suppressed rows can be told from all others, so they must meet every model themselves, and no choice of \
             further classes to suppress makes them",
        )
        .set(Setting::search("star_policy").to("drop"), "leave suppressed rows out")
        .concede("lower the requirement"))
    }
}
