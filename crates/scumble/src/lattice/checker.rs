//! What becomes of the rows at one node. Rows are never touched: classes are rolled up from those of a finer node.

use std::sync::Arc;

use rayon::prelude::*;

use super::cache::Cache;
use super::domain::Domain;
use super::set::FrequencySet;
use super::{Bounds, Cost, Lattice};
use crate::config::StarPolicy;
use crate::error::{Error, Result};
use crate::frequency::Cell;
use crate::metrics::Metric;
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::published::{ClassView, Classes, Published};
use crate::quasi::Value;
use crate::recoding::Step;

/// Looks at nodes.
pub struct Checker<'a> {
    problem: &'a Problem,
    metric: &'static dyn Metric,
    lattice: &'a Lattice,
    tests: Vec<&'a dyn ClassTest>,
    limit: u64,
    domain: Domain,
    cache: Cache,
    checked: u64,
}

/// What a look at a node found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// The rows in classes that fail a model; where they are more than the suppression limit, only a part of them.
    pub failing: u64,
    /// No coarser node costs less than this.
    pub bound: Cost,
    /// What publishing at this node gives, if it can be.
    pub outcome: Option<Outcome>,
}

/// What publishing at a node gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// By the metric.
    pub cost: Cost,
    /// The rows suppressed in all, also for the sake of the other suppressed ones.
    pub suppressed: u64,
}

impl<'a> Checker<'a> {
    /// A checker for the nodes of a problem's lattice.
    pub fn new(problem: &'a Problem, lattice: &'a Lattice) -> Result<Self> {
        Self::by(problem, problem.metric, lattice)
    }

    /// A checker that measures by another metric than the problem's.
    pub fn by(problem: &'a Problem, metric: &'static dyn Metric, lattice: &'a Lattice) -> Result<Self> {
        let mut tests = problem.class_tests()?;
        // Sizes are compared first: that is cheap and mostly decides.
        tests.sort_by_key(|test| !test.only_size());
        let payloads = tests.iter().any(|test| !test.only_size());
        Ok(Self {
            problem,
            metric,
            lattice,
            tests,
            limit: problem.suppression_limit(),
            domain: Domain::new(problem),
            cache: Cache::new(FrequencySet::of_tuples(&problem.table, payloads)),
            checked: 0,
        })
    }

    /// The nodes looked at so far.
    #[must_use]
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// How many rows may be suppressed.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How many distinct values a column shows at a level.
    #[must_use]
    pub fn values(&self, column: usize, level: u32) -> usize {
        self.domain.level(column, level).values.len()
    }

    /// Lower bounds for nodes not looked at, if the columns decide the metric.
    #[must_use]
    pub fn bounds(&self) -> Option<Bounds<'a>> {
        Bounds::new(self.problem, self.metric, self.lattice, &self.domain)
    }

    /// The rows in failing classes; where they are more than the suppression limit, only a part of them.
    pub fn failing(&mut self, node: usize) -> Result<u64> {
        let levels = self.lattice.levels(node);
        let set = self.set(&levels)?;
        Ok(self.failing_classes(&set).0)
    }

    /// The rows in failing classes, all of them whatever the limit.
    pub fn all_failing(&mut self, node: usize) -> Result<u64> {
        let levels = self.lattice.levels(node);
        let set = self.set(&levels)?;
        let failing =
            (0..set.len()).filter(|class| !self.passes(u64::from(set.sizes[*class]), set.cells(*class)));
        Ok(failing.map(|class| u64::from(set.sizes[class])).sum())
    }

    /// Looks at a node.
    pub fn visit(&mut self, node: usize) -> Result<Visit> {
        let levels = self.lattice.levels(node);
        let set = self.set(&levels)?;
        self.judge(&levels, &set)
    }

    /// Looks at several nodes at once, on all cores.
    pub fn visit_all(&mut self, nodes: &[usize]) -> Result<Vec<Visit>> {
        self.problem.progress.check()?;
        self.checked += nodes.len() as u64;
        self.problem.progress.advance(nodes.len() as u64);
        // What a node is rolled up from is settled before, so that nothing depends on which thread is faster.
        let jobs: Vec<_> = nodes
            .iter()
            .map(|node| self.lattice.levels(*node))
            .map(|levels| (self.cache.nearest(&levels), levels))
            .collect();
        let visited: Vec<_> = jobs
            .into_par_iter()
            .with_max_len(1)
            .map(|(source, levels)| {
                let set = Arc::new(self.roll_up(&source, &levels));
                self.judge(&levels, &set).map(|visit| (levels, set, visit))
            })
            .collect::<Result<_>>()?;
        Ok(visited
            .into_iter()
            .map(|(levels, set, visit)| {
                self.cache.keep(&levels, set);
                visit
            })
            .collect())
    }

    fn set(&mut self, levels: &[u32]) -> Result<Arc<FrequencySet>> {
        self.problem.progress.check()?;
        self.problem.progress.advance(1);
        self.checked += 1;
        let source = self.cache.nearest(levels);
        let set = Arc::new(self.roll_up(&source, levels));
        self.cache.keep(levels, Arc::clone(&set));
        Ok(set)
    }

    fn roll_up(&self, source: &FrequencySet, levels: &[u32]) -> FrequencySet {
        let (keys, bound) = self.domain.keys(&source.tuples, levels);
        source.roll_up(&keys, bound)
    }

    fn passes(&self, size: u64, cells: &[Cell]) -> bool {
        let class = ClassView { size, cells, payloads: self.problem.table.payloads() };
        self.tests.iter().all(|test| test.passes(&class))
    }

    /// The rows of failing classes and these classes, until there are more than may be suppressed.
    fn failing_classes(&self, set: &FrequencySet) -> (u64, Vec<usize>) {
        let (mut rows, mut classes) = (0, Vec::new());
        for (class, size) in set.sizes.iter().enumerate() {
            if !self.passes(u64::from(*size), set.cells(class)) {
                rows += u64::from(*size);
                classes.push(class);
                if rows > self.limit {
                    break;
                }
            }
        }
        (rows, classes)
    }

    fn judge(&self, levels: &[u32], set: &FrequencySet) -> Result<Visit> {
        let metric = self.metric;
        let rows = self.problem.table.rows();
        let mut all = set.sizes.iter().map(|size| u64::from(*size));
        let whole = metric.of_sizes(&mut all, 0, rows).filter(|_| metric.worsens());
        let bound = whole.map_or(Cost::LEAST, |figure| self.cost(Some(figure)));
        let (failing, classes) = self.failing_classes(set);
        let mut visit = Visit { failing, bound, outcome: None };
        if failing > self.limit {
            return Ok(visit);
        }
        if metric.by_column().is_none() && whole.is_none() {
            let step = Step::Levels(levels.to_vec());
            return self.judge_by_classes(&step, visit);
        }
        if let Some(suppressed) = self.suppressed(levels, set, failing, classes) {
            visit.outcome = Some(self.outcome(levels, set, &suppressed));
        }
        Ok(visit)
    }

    fn cost(&self, figure: Option<f64>) -> Cost {
        Cost::new(figure, self.metric.lower_is_better())
    }

    /// The classes that are suppressed at last, as [`Problem::suppress_failing`] does it; `None` if their rows are too many.
    fn suppressed(
        &self,
        levels: &[u32],
        set: &FrequencySet,
        failing: u64,
        mut classes: Vec<usize>,
    ) -> Option<Vec<usize>> {
        let policy = self.problem.star_policy;
        let mut rows = failing;
        if policy != StarPolicy::Drop
            && !levels.is_empty()
            && self.domain.at(levels).all(|at| at.star.contains(&true))
        {
            let shows_nothing = |class: &usize| {
                (0..).zip(self.domain.at(levels)).zip(levels).all(|((column, at), level)| {
                    at.star[self.domain.place(set.tuples[*class], column, *level) as usize]
                })
            };
            if let Some(class) = (0..set.len()).find(shows_nothing)
                && !classes.contains(&class)
            {
                rows += u64::from(set.sizes[class]);
                classes.push(class);
            }
        }
        if policy == StarPolicy::Strict && rows > 0 && rows <= self.limit {
            rows = self.repair_star(levels, set, rows, &mut classes)?;
        }
        (rows <= self.limit).then_some(classes)
    }

    /// Adds the smallest classes until the suppressed rows pass; `None` if they are too many by then.
    fn repair_star(
        &self,
        levels: &[u32],
        set: &FrequencySet,
        mut rows: u64,
        classes: &mut Vec<usize>,
    ) -> Option<u64> {
        let mut star = vec![0_u32; self.problem.table.payloads().len()];
        let add = |star: &mut [u32], class: usize| {
            set.cells(class).iter().for_each(|cell| star[cell.payload as usize] += cell.rows);
        };
        let passes = |star: &[u32], rows: u64| {
            let present = (0..).zip(star).filter(|(_, rows)| **rows > 0);
            let cells: Vec<Cell> = present.map(|(payload, rows)| Cell { payload, rows: *rows }).collect();
            self.passes(rows, &cells)
        };
        classes.iter().for_each(|class| add(&mut star, *class));
        if passes(&star, rows) {
            return Some(rows);
        }
        let mut is_suppressed = vec![false; set.len()];
        classes.iter().for_each(|class| is_suppressed[*class] = true);
        // A class that alone is more than may still be suppressed cannot help, nor can any that come after it.
        let room = self.limit - rows;
        let mut kept: Vec<usize> = (0..set.len())
            .filter(|class| !is_suppressed[*class] && u64::from(set.sizes[*class]) <= room)
            .collect();
        let places = |class: usize| {
            (0..).zip(levels).map(move |(column, level)| self.domain.place(set.tuples[class], column, *level))
        };
        kept.sort_by(|a, b| set.sizes[*a].cmp(&set.sizes[*b]).then_with(|| places(*a).cmp(places(*b))));
        for class in kept {
            rows += u64::from(set.sizes[class]);
            if rows > self.limit {
                return None;
            }
            classes.push(class);
            add(&mut star, class);
            if passes(&star, rows) {
                return Some(rows);
            }
        }
        None
    }

    fn outcome(&self, levels: &[u32], set: &FrequencySet, classes: &[usize]) -> Outcome {
        let suppressed = classes.iter().map(|class| u64::from(set.sizes[*class])).sum();
        let rows = self.problem.table.rows();
        let Some(metric) = self.metric.by_column() else {
            let mut is_kept = vec![true; set.len()];
            classes.iter().for_each(|class| is_kept[*class] = false);
            let mut kept =
                set.sizes.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(size, _)| u64::from(*size));
            let figure = self.metric.of_sizes(&mut kept, suppressed, rows);
            return Outcome { cost: self.cost(figure), suppressed };
        };
        let means: Vec<f64> = (0..)
            .zip(self.domain.at(levels))
            .zip(levels)
            .zip(&self.problem.quasi)
            .map(|(((column, at), level), quasi)| {
                let mut shown = at.rows.clone();
                for class in classes {
                    let place = self.domain.place(set.tuples[*class], column, *level);
                    shown[place as usize] -= u64::from(set.sizes[*class]);
                }
                let penalties = at.values.iter().map(|value| metric.penalty(quasi, *value));
                let sum: f64 = shown.iter().zip(penalties).map(|(rows, each)| *rows as f64 * each).sum();
                (sum + suppressed as f64 * metric.penalty(quasi, Value::Star)) / rows.max(1) as f64
            })
            .collect();
        Outcome { cost: self.cost(metric.figure(&means, &self.problem.quasi)), suppressed }
    }

    /// The long way, for metrics that look at more than columns and sizes.
    fn judge_by_classes(&self, step: &Step, mut visit: Visit) -> Result<Visit> {
        let problem = self.problem;
        let measure = |classes: Classes| self.metric.measure(&Published::Classes(classes), problem);
        let assignment = step.apply(&problem.table, &problem.quasi);
        if self.metric.worsens() {
            let whole = Classes::new(assignment.clone(), &problem.table, &problem.quasi, StarPolicy::Drop);
            visit.bound = measure(whole).map_or(Cost::LEAST, |figure| self.cost(Some(figure)));
        }
        match problem.suppress_failing(assignment) {
            Ok(classes) => {
                let suppressed = classes.suppressed_rows();
                visit.outcome = Some(Outcome { cost: self.cost(measure(classes)), suppressed });
                Ok(visit)
            }
            Err(Error::Infeasible(_)) => Ok(visit),
            Err(error) => Err(error),
        }
    }
}
