//! Checks the outcome for the rows at one node. It never reads the rows themselves: classes are rolled up from those of a
//! finer node.

use std::sync::Arc;

use rayon::prelude::*;

use super::cache::Cache;
use super::domain::Domain;
use super::set::{FrequencySet, Merge};
use super::{Bounds, Cost, Lattice};
use crate::config::StarPolicy;
use crate::error::{ErrorKind, Result};
use crate::metrics::{ByColumn, Metric};
use crate::models::{ClassTest, Monotonicity, PopulationTest};
use crate::problem::{Problem, Tests};
use crate::recoding::Step;
use crate::recoding::published::{ClassView, Classes};
use crate::table::frequency::{Cell, FrequencyTable};
use crate::table::quasi::Value;

/// Checks nodes.
pub struct Checker<'a> {
    problem: &'a Problem,
    metric: &'static dyn Metric,
    lattice: &'a Lattice,
    /// The rows that a class needs, and the tests that check more than the size.
    least_size: u64,
    tests: Tests<'a>,
    limit: u64,
    domain: Domain,
    by_column: Option<Box<dyn ByColumn + 'a>>,
    /// By column, level and value, where the columns decide the metric.
    penalties: Vec<Vec<Vec<f64>>>,
    cache: Cache,
    checked: u64,
}

/// The result of checking a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// The rows in groups that fail a model. If they exceed the suppression limit, this may count only some of them.
    pub failing: u64,
    /// A lower bound on the rows in failing classes at every finer node.
    pub finer: u64,
    /// No coarser node costs less than this.
    pub bound: Cost,
    /// The outcome of publishing at this node, if that is possible.
    pub outcome: Option<Outcome>,
}

/// The outcome of publishing at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// By the metric.
    pub cost: Cost,
    /// All suppressed rows, including those suppressed only to protect the others.
    pub suppressed: u64,
}

/// The failures at a node.
struct Failing {
    rows: u64,
    finer: u64,
    classes: Vec<u32>,
}

impl<'a> Checker<'a> {
    /// A checker for the nodes of a problem's lattice.
    pub fn new(problem: &'a Problem, lattice: &'a Lattice) -> Result<Self> {
        Self::by(problem, problem.metric, lattice)
    }

    /// A checker that measures by another metric than the problem's.
    pub fn by(problem: &'a Problem, metric: &'static dyn Metric, lattice: &'a Lattice) -> Result<Self> {
        let Tests { of_rows, of_people } = problem.tests()?;
        let (sizes, of_rows): (Vec<_>, Vec<_>) = of_rows.into_iter().partition(|(test, _)| test.only_size());
        let tests = Tests { of_rows, of_people };
        let domain = Domain::new(problem);
        let table = &problem.table;
        let (mut starts, mut cells) = (Vec::new(), Vec::new());
        if !tests.of_rows.is_empty() {
            starts.push(0);
            for tuple in 0..table.tuples() as u32 {
                cells.extend_from_slice(table.cells(tuple));
                starts.push(cells.len() as u32);
            }
        }
        let weights = |table: &FrequencyTable| -> Vec<u32> {
            (0..table.tuples() as u32).map(|tuple| table.weight(tuple) as u32).collect()
        };
        let (mut sizes_of_tuples, mut people) = (weights(table), Vec::new());
        if let Some(population) = problem.population() {
            // A tuple of the population may also be in the table. That does no harm, because sets are rolled up before they
            // are read.
            people.resize(table.tuples(), 0);
            people.extend(weights(population));
            sizes_of_tuples.resize(people.len(), 0);
            if !starts.is_empty() {
                starts.resize(people.len() + 1, cells.len() as u32);
            }
        }
        let base = FrequencySet {
            levels: vec![0; lattice.width()].into(),
            keys: domain.tuples(problem),
            sizes: sizes_of_tuples,
            people,
            starts,
            cells,
        };
        let by_column = metric.by_column(problem);
        let penalties = by_column.as_ref().map_or_else(Vec::new, |metric| domain.penalties(&**metric));
        Ok(Self {
            problem,
            metric,
            lattice,
            least_size: sizes.iter().filter_map(|(test, _)| test.least_size()).max().unwrap_or(0),
            tests,
            limit: problem.suppression_limit(),
            domain,
            by_column,
            penalties,
            cache: Cache::new(base),
            checked: 0,
        })
    }

    /// The number of nodes checked so far.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// The most rows that may be suppressed.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The number of distinct values that a column shows at a level.
    #[must_use]
    pub fn values(&self, column: usize, level: u32) -> usize {
        self.domain.level(column, level).rows.iter().filter(|rows| **rows > 0).count()
    }

    /// How well a column at a level identifies a row: the entropy of its values.
    #[must_use]
    pub fn entropy(&self, column: usize, level: u32) -> f64 {
        let all = self.problem.table.rows() as f64;
        let of_value = |rows: &u64| -(*rows as f64 / all) * (*rows as f64 / all).ln();
        self.domain.level(column, level).rows.iter().filter(|rows| **rows > 0).map(of_value).sum()
    }

    /// Lower bounds for unchecked nodes, if the metric depends only on the columns and never improves towards coarser nodes.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds<'a>> {
        Bounds::new(self.problem, self.metric, &self.domain, &self.penalties)
    }

    /// The rows in failing classes. If they exceed the suppression limit, this may count only some of them.
    pub fn failing(&mut self, node: usize) -> Result<u64> {
        Ok(self.visit(node)?.failing)
    }

    /// All rows in failing classes, whatever the limit.
    pub fn all_failing(&mut self, node: usize) -> Result<u64> {
        let levels = self.lattice.levels(node);
        self.all_failing_at(&levels)
    }

    /// The same for a vector of levels.
    pub fn all_failing_at(&mut self, levels: &[u32]) -> Result<u64> {
        let set = self.set(levels)?;
        let failing = (0..set.len()).filter(|class| {
            !self.passes(u64::from(set.sizes[*class]), set.cells(*class), set.people(*class))
        });
        Ok(failing.map(|class| u64::from(set.sizes[class])).sum())
    }

    /// Checks a node.
    pub fn visit(&mut self, node: usize) -> Result<Visit> {
        let levels = self.lattice.levels(node);
        let source = self.source(&levels)?;
        let (set, visit) = self.look(&source, &levels)?;
        self.looked();
        set.into_iter().for_each(|set| self.cache.keep(set));
        Ok(visit)
    }

    /// Counts a finished check. An unfinished one has changed nothing.
    fn looked(&mut self) {
        self.checked += 1;
        self.problem.progress.advance(1);
    }

    /// Checks several nodes in parallel.
    pub fn visit_all(&mut self, nodes: &[usize]) -> Result<Vec<Visit>> {
        self.problem.progress.check()?;
        // The sources of all nodes are fixed before any work starts, so the result does not depend on which thread is
        // faster.
        let jobs: Vec<_> = nodes
            .iter()
            .map(|node| self.lattice.levels(*node))
            .map(|levels| (self.cache.nearest(&levels), levels))
            .collect();
        let visited: Vec<_> = jobs
            .into_par_iter()
            .with_max_len(1)
            .map(|(source, levels)| self.look(&source, &levels))
            .collect::<Result<_>>()?;
        self.checked += nodes.len() as u64;
        self.problem.progress.advance(nodes.len() as u64);
        Ok(visited
            .into_iter()
            .map(|(set, visit)| {
                set.into_iter().for_each(|set| self.cache.keep(set));
                visit
            })
            .collect())
    }

    fn set(&mut self, levels: &[u32]) -> Result<Arc<FrequencySet>> {
        let source = self.source(levels)?;
        let set = Arc::new(self.roll_up(&source, levels)?);
        self.looked();
        self.cache.keep(Arc::clone(&set));
        Ok(set)
    }

    /// The set from which the classes of a node are rolled up.
    fn source(&mut self, levels: &[u32]) -> Result<Arc<FrequencySet>> {
        self.problem.progress.check()?;
        Ok(self.cache.nearest(levels))
    }

    /// Returns the outcome for the rows at a node, and its set if all of it was needed.
    fn look(&self, source: &FrequencySet, levels: &[u32]) -> Result<(Option<Arc<FrequencySet>>, Visit)> {
        let marks = self.domain.coarsen(&source.keys, &source.levels, levels);
        self.problem.progress.check()?;
        let merge = self.merge(levels, &marks);
        // Fine nodes mostly suppress far too many rows, and a part of the classes is enough to see that. But where the
        // metric depends on more than the columns, the figure on all classes is a bound for coarser nodes, so all of them
        // are needed.
        if self.least_size > 1 && self.by_column.is_some() {
            let failing = source.smaller_than(self.least_size, &merge);
            if failing > self.limit {
                return Ok((None, Visit { failing, finer: failing, bound: Cost::LEAST, outcome: None }));
            }
        }
        self.problem.progress.check()?;
        let set = source.roll_up(&merge);
        self.problem.progress.check()?;
        let visit = self.judge(levels, &set)?;
        Ok((Some(Arc::new(set)), visit))
    }

    fn merge<'m>(&self, levels: &'m [u32], marks: &'m [u64]) -> Merge<'m> {
        Merge {
            levels,
            marks,
            marks_are_keys: self.domain.is_packed(),
            most: self.domain.most_classes(levels),
            payloads: self.problem.table.payloads().len(),
        }
    }

    fn roll_up(&self, source: &FrequencySet, levels: &[u32]) -> Result<FrequencySet> {
        let marks = self.domain.coarsen(&source.keys, &source.levels, levels);
        self.problem.progress.check()?;
        Ok(source.roll_up(&self.merge(levels, &marks)))
    }

    fn passes(&self, size: u64, cells: &[Cell], people: u64) -> bool {
        let class = ClassView { size, cells, payloads: self.problem.table.payloads() };
        size >= self.least_size && self.tests.pass(&class, people)
    }

    /// Returns a lower bound on the rows of a class that are in failing classes however it is divided; `None` if the class
    /// passes.
    fn failing_part(&self, class: &ClassView<'_>, people: u64) -> Option<u64> {
        if class.size < self.least_size {
            return Some(class.size);
        }
        let of_rows = self.tests.of_rows.iter().filter(|(test, _)| !test.passes(class));
        let part = |(test, monotonicity): &(&dyn ClassTest, Monotonicity)| match monotonicity {
            // If any part of the class passed, the whole would pass too.
            Monotonicity { upward: true, .. } => class.size,
            // If all parts of the class passed, the whole would pass too.
            Monotonicity { merging: true, .. } => test.failing_part(class).max(1),
            _ => 0,
        };
        let of_people = self.tests.of_people.iter().filter(|(test, _)| !test.passes(class.size, people));
        let part_with_people = |(test, monotonicity): &(&dyn PopulationTest, Monotonicity)| match monotonicity
        {
            Monotonicity { upward: true, .. } => class.size,
            // The failing part may consist of people without a row, for whom suppressed rows may still stand in.
            Monotonicity { merging: true, .. } => u64::from(!test.judges_absent() || self.limit == 0),
            _ => 0,
        };
        of_rows.map(part).chain(of_people.map(part_with_people)).max()
    }

    /// Collects the failing classes, and stops as soon as neither this node nor a finer one can be published.
    fn failing_classes(&self, set: &FrequencySet) -> Failing {
        let mut failing = Failing { rows: 0, finer: 0, classes: Vec::new() };
        let payloads = self.problem.table.payloads();
        let no_tests = self.tests.of_rows.is_empty() && self.tests.of_people.is_empty();
        for (class, size) in set.sizes.iter().enumerate() {
            let size = u64::from(*size);
            if no_tests && size >= self.least_size {
                continue;
            }
            if size == 0 {
                // Where nothing is suppressed, no row stands in for people without a row, so they fail by themselves.
                let fails = self.limit == 0 && !self.tests.absent_pass(set.people(class));
                failing.rows += u64::from(fails);
                failing.finer += u64::from(fails);
                continue;
            }
            let view = ClassView { size, cells: set.cells(class), payloads };
            if let Some(part) = self.failing_part(&view, set.people(class)) {
                failing.rows += size;
                failing.finer += part;
                failing.classes.push(class as u32);
                if failing.finer > self.limit {
                    break;
                }
            }
        }
        failing
    }

    fn judge(&self, levels: &[u32], set: &FrequencySet) -> Result<Visit> {
        let metric = self.metric;
        let mut all = set.sizes.iter().filter(|size| **size > 0).map(|size| u64::from(*size));
        let whole = metric.of_sizes(&mut all, 0, self.problem.table.rows()).filter(|_| metric.worsens());
        let bound = whole.map_or(Cost::LEAST, |figure| self.cost(Some(figure)));
        let Failing { rows, finer, classes } = self.failing_classes(set);
        let mut visit = Visit { failing: rows, finer, bound, outcome: None };
        if rows > self.limit {
            return Ok(visit);
        }
        if self.by_column.is_none() && whole.is_none() {
            let step = Step::Levels(levels.to_vec());
            return self.judge_by_classes(&step, visit);
        }
        if let Some(suppressed) = self.suppressed(levels, set, rows, classes) {
            visit.outcome = Some(self.outcome(levels, set, &suppressed));
        }
        Ok(visit)
    }

    fn cost(&self, figure: Option<f64>) -> Cost {
        Cost::new(figure, self.metric.lower_is_better())
    }

    /// Returns the classes that are suppressed in the end, as [`Problem::suppress_failing`] would; `None` if they have too
    /// many rows.
    fn suppressed(
        &self,
        levels: &[u32],
        set: &FrequencySet,
        failing: u64,
        mut classes: Vec<u32>,
    ) -> Option<Vec<u32>> {
        let policy = self.problem.star_policy;
        let mut rows = failing;
        if !levels.is_empty() && self.domain.at(levels).all(|at| at.star.contains(&true)) {
            let shows_nothing = |class: &u32| {
                (0..).zip(self.domain.at(levels)).zip(levels).all(|((column, at), level)| {
                    at.star[self.domain.place(set.keys[*class as usize], column, *level) as usize]
                })
            };
            if let Some(class) = (0..set.len() as u32).find(shows_nothing)
                && !classes.contains(&class)
            {
                rows += u64::from(set.sizes[class as usize]);
                classes.push(class);
            }
        }
        let nothing_left = policy == StarPolicy::Drop && rows > 0 && rows == self.problem.table.rows();
        if rows > self.limit || nothing_left {
            return None;
        }
        if policy == StarPolicy::Strict && (rows > 0 || !set.people.is_empty()) {
            rows = self.repair_star(levels, set, rows, &mut classes)?;
        } else if policy == StarPolicy::Drop || rows == 0 {
            let told = self.tests.absent_pass(self.people_of_rest(set, &classes));
            return told.then_some(classes);
        }
        (rows <= self.limit).then_some(classes)
    }

    /// The number of people who are in no class that is shown.
    fn people_of_rest(&self, set: &FrequencySet, suppressed: &[u32]) -> u64 {
        let without_rows = (0..set.people.len()).filter(|class| set.sizes[*class] == 0);
        let suppressed = suppressed.iter().map(|class| *class as usize);
        without_rows.chain(suppressed).map(|class| set.people(class)).sum()
    }

    /// Suppresses the smallest classes as well until the suppressed rows pass; `None` if they are then too many.
    fn repair_star(
        &self,
        levels: &[u32],
        set: &FrequencySet,
        mut rows: u64,
        classes: &mut Vec<u32>,
    ) -> Option<u64> {
        let mut star = vec![0_u32; self.problem.table.payloads().len()];
        let add = |star: &mut [u32], class: u32| {
            set.cells(class as usize).iter().for_each(|cell| star[cell.payload as usize] += cell.rows);
        };
        let mut people = self.people_of_rest(set, classes);
        let passes = |star: &[u32], rows: u64, people: u64| {
            let present = (0..).zip(star).filter(|(_, rows)| **rows > 0);
            let cells: Vec<Cell> = present.map(|(payload, rows)| Cell { payload, rows: *rows }).collect();
            if rows == 0 { self.tests.absent_pass(people) } else { self.passes(rows, &cells, people) }
        };
        classes.iter().for_each(|class| add(&mut star, *class));
        if passes(&star, rows, people) {
            return Some(rows);
        }
        let mut is_suppressed = vec![false; set.len()];
        classes.iter().for_each(|class| is_suppressed[*class as usize] = true);
        // A class larger than what may still be suppressed cannot help, and neither can those after it, which are no
        // smaller.
        let room = self.limit - rows;
        let size = |class: u32| set.sizes[class as usize];
        let mut kept: Vec<u32> = (0..set.len() as u32)
            .filter(|class| size(*class) > 0)
            .filter(|class| !is_suppressed[*class as usize] && u64::from(size(*class)) <= room)
            .collect();
        let places = |class: u32| {
            let key = set.keys[class as usize];
            (0..).zip(levels).map(move |(column, level)| self.domain.place(key, column, *level))
        };
        kept.sort_by(|a, b| size(*a).cmp(&size(*b)).then_with(|| places(*a).cmp(places(*b))));
        for class in kept {
            rows += u64::from(size(class));
            if rows > self.limit {
                return None;
            }
            classes.push(class);
            add(&mut star, class);
            people += set.people(class as usize);
            if passes(&star, rows, people) {
                return Some(rows);
            }
        }
        None
    }

    fn outcome(&self, levels: &[u32], set: &FrequencySet, classes: &[u32]) -> Outcome {
        let suppressed = classes.iter().map(|class| u64::from(set.sizes[*class as usize])).sum();
        let rows = self.problem.table.rows();
        let Some(by_column) = &self.by_column else {
            let mut is_kept = vec![true; set.len()];
            classes.iter().for_each(|class| is_kept[*class as usize] = false);
            let mut kept = set
                .sizes
                .iter()
                .zip(&is_kept)
                .filter(|(size, kept)| **kept && **size > 0)
                .map(|(size, _)| u64::from(*size));
            let figure = self.metric.of_sizes(&mut kept, suppressed, rows);
            return Outcome { cost: self.cost(figure), suppressed };
        };
        let means: Vec<f64> = (0..)
            .zip(self.domain.at(levels))
            .zip(levels)
            .map(|((column, at), level)| {
                let mut shown = at.rows.clone();
                for class in classes {
                    let place = self.domain.place(set.keys[*class as usize], column, *level);
                    shown[place as usize] -= u64::from(set.sizes[*class as usize]);
                }
                let penalties = &self.penalties[column][*level as usize];
                let sum: f64 = shown.iter().zip(penalties).map(|(rows, each)| *rows as f64 * each).sum();
                let star = by_column.penalty(column, Value::Star);
                (sum + suppressed as f64 * star) / rows.max(1) as f64
            })
            .collect();
        Outcome { cost: self.cost(by_column.figure(&means)), suppressed }
    }

    /// Measures the published classes, for metrics that read more than columns and sizes. This is slow.
    fn judge_by_classes(&self, step: &Step, mut visit: Visit) -> Result<Visit> {
        let problem = self.problem;
        let measure = |classes: Classes| self.metric.measure(&classes, problem);
        let assignment = step.apply(&problem.table, &problem.quasi);
        if self.metric.worsens() {
            let whole =
                Classes::as_they_are(assignment.clone(), &problem.table, &problem.quasi, StarPolicy::Drop);
            visit.bound = measure(whole).map_or(Cost::LEAST, |figure| self.cost(Some(figure)));
        }
        match problem.suppress_failing(assignment) {
            Ok(classes) => {
                let suppressed = classes.suppressed_rows();
                visit.outcome = Some(Outcome { cost: self.cost(measure(classes)), suppressed });
                Ok(visit)
            }
            Err(error) if error.kind() == ErrorKind::Infeasible => Ok(visit),
            Err(error) => Err(error),
        }
    }
}
