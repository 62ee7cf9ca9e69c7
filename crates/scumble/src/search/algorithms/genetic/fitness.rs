//! The fitness of a chromosome, computed on the frequency table.

use hashbrown::HashMap;

use crate::config::StarPolicy;
use crate::error::{Error, ErrorKind, Result, Setting};
use crate::metrics::{ByColumn, ClassSum};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::ClassView;
use crate::search::algorithms::iack;
use crate::search::algorithms::splits::{self, SplitSpace};
use crate::search::lattice::Cost;
use crate::table::frequency::{Cell, cells_by_group};
use crate::table::pack::Packer;
use crate::table::quasi::Value;

/// The fitness of a chromosome. Less is better, and chromosomes that cannot be published come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fitness {
    /// The rows suppressed beyond the limit.
    pub(super) excess: u64,
    /// The cost by the metric.
    pub(super) cost: Cost,
}

/// What the search minimises.
#[derive(Clone, Copy)]
enum Goal {
    Columns,
    /// The rows in the minority of their class, by this payload column of class labels.
    Minorities(usize),
}

/// Evaluates chromosomes.
pub(super) struct Evaluator<'a> {
    problem: &'a Problem,
    space: &'a SplitSpace<'a>,
    tests: Vec<&'a dyn ClassTest>,
    goal: Goal,
    /// The columns' part of the metric, if the goal is to minimise it.
    by_column: Option<Box<dyn ByColumn + 'a>>,
    /// Whether classes need their rows per payload.
    reads_payloads: bool,
    limit: u64,
    /// The rows of each code, column by column.
    marginals: Vec<Vec<u64>>,
}

/// Whether the metric can be minimised.
pub(super) fn is_served(problem: &Problem) -> bool {
    problem.metric.class_sum() == Some(ClassSum::Minorities)
        || problem.metric.lower_is_better() && problem.metric.by_column(problem).is_some()
}

/// Returns what is minimised, or an error if the metric cannot be.
fn goal(problem: &Problem) -> Result<Goal> {
    if problem.metric.class_sum() == Some(ClassSum::Minorities) {
        return iack::class_of(problem, "genetic").map(Goal::Minorities);
    }
    if is_served(problem) {
        Ok(Goal::Columns)
    } else {
        Err(Error::refused(
            "'genetic' minimises classification and what is a mean over cells, such as loss, and another metric was asked for",
        )
        .set(Setting::search("metric").to("loss"), "choose a metric that genetic minimises")
        .another_that("use an algorithm that minimises the metric"))
    }
}

/// Returns an error if the problem is not supported.
pub(super) fn check(problem: &Problem) -> Result<()> {
    goal(problem)?;
    problem.class_tests().map(|_| ())
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(problem: &'a Problem, space: &'a SplitSpace<'a>) -> Result<Self> {
        let mut tests = problem.class_tests()?;
        tests.sort_by_key(|test| !test.only_size());
        let goal = goal(problem)?;
        let columns = problem.quasi.iter().enumerate();
        Ok(Self {
            problem,
            space,
            reads_payloads: matches!(goal, Goal::Minorities(_)) || tests.iter().any(|test| !test.only_size()),
            tests,
            by_column: problem.metric.by_column(problem).filter(|_| matches!(goal, Goal::Columns)),
            goal,
            limit: problem.suppression_limit(),
            marginals: columns.map(|(at, quasi)| problem.table.marginal(at, quasi.size() as usize)).collect(),
        })
    }

    /// The fitness of a chromosome: exactly the cost of publishing its parts.
    pub(super) fn fitness(&self, bits: &[bool]) -> Result<Fitness> {
        let progress = &self.problem.progress;
        progress.check()?;
        let parts = self.space.parts(bits);
        let part_of_code: Vec<Vec<u32>> = parts
            .iter()
            .zip(&self.problem.quasi)
            .map(|(parts, quasi)| numbers(parts, quasi.size()))
            .collect();
        let (class_of_tuple, first) = self.classes(&parts, &part_of_code)?;
        let mut sizes = vec![0_u64; first.len()];
        (0..)
            .zip(&class_of_tuple)
            .for_each(|(tuple, class)| sizes[*class as usize] += self.problem.table.weight(tuple));
        let (starts, cells) =
            if self.reads_payloads { self.cells(&class_of_tuple, first.len()) } else { Default::default() };
        let cells_of = |class: usize| match starts.get(class..class + 2) {
            Some(ends) => &cells[ends[0] as usize..ends[1] as usize],
            None => &[],
        };
        progress.check()?;
        let nothing = self.shows_nothing(&parts, &part_of_code, &first);
        let suppressed: Vec<usize> = (0..first.len())
            .filter(|class| Some(*class) == nothing || !self.passes(sizes[*class], cells_of(*class)))
            .collect();
        let rows: u64 = suppressed.iter().map(|class| sizes[*class]).sum();
        if rows > self.limit {
            return Ok(Fitness { excess: rows - self.limit, cost: Cost::new(None, true) });
        }
        if rows > 0 && rows == self.problem.table.rows() && self.problem.star_policy == StarPolicy::Drop {
            // No row would be published.
            return Ok(Fitness { excess: rows, cost: Cost::new(None, true) });
        }
        if rows > 0 && self.problem.star_policy == StarPolicy::Strict {
            let mut star: Vec<Cell> = suppressed.iter().flat_map(|class| cells_of(*class)).copied().collect();
            if self.reads_payloads {
                star = cells_by_group(1, || star.iter().map(|cell| (0, *cell))).1;
            }
            if !self.passes(rows, &star) {
                return self.repaired(bits);
            }
        }
        let cost = match (self.goal, &self.by_column) {
            (Goal::Minorities(column), _) => {
                let mut is_kept = vec![true; first.len()];
                suppressed.iter().for_each(|class| is_kept[*class] = false);
                let mut tally = Vec::new();
                let mut penalties = rows;
                for class in (0..first.len()).filter(|class| is_kept[*class]) {
                    self.view(sizes[class], cells_of(class)).tally(column, &mut tally);
                    penalties += sizes[class] - tally.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
                }
                Some(penalties as f64 / self.problem.table.rows().max(1) as f64)
            }
            (Goal::Columns, by_column) => {
                let hidden = suppressed.iter().map(|class| (first[*class], sizes[*class]));
                let hidden: Vec<(u32, u64)> = hidden.collect();
                by_column
                    .as_ref()
                    .and_then(|metric| self.of_columns(&**metric, &parts, &part_of_code, &hidden))
            }
        };
        Ok(Fitness { excess: 0, cost: Cost::new(cost, true) })
    }

    /// The class of each tuple, numbered as they come, and the first tuple of each class.
    fn classes(&self, parts: &[Vec<(u32, u32)>], part_of_code: &[Vec<u32>]) -> Result<(Vec<u32>, Vec<u32>)> {
        let table = &self.problem.table;
        let mut packer = Packer::new(table.tuples());
        for (column, part_of_code) in part_of_code.iter().enumerate() {
            let codes = table.column(column);
            packer.push(parts[column].len() as u32, |tuple| part_of_code[codes.get(tuple) as usize]);
            self.problem.progress.check()?;
        }
        let mut number: HashMap<u64, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut first = Vec::new();
        let class = |(tuple, key): (u32, u64)| {
            *number.entry(key).or_insert_with(|| {
                first.push(tuple);
                first.len() as u32 - 1
            })
        };
        let class_of_tuple = (0..).zip(packer.finish()).map(class).collect();
        Ok((class_of_tuple, first))
    }

    fn cells(&self, class_of_tuple: &[u32], classes: usize) -> (Vec<u32>, Vec<Cell>) {
        cells_by_group(classes, || {
            (0..).zip(class_of_tuple).flat_map(|(tuple, class)| {
                self.problem.table.cells(tuple).iter().map(move |cell| (*class, *cell))
            })
        })
    }

    fn view<'c>(&'c self, size: u64, cells: &'c [Cell]) -> ClassView<'c> {
        ClassView { size, cells, payloads: self.problem.table.payloads() }
    }

    fn passes(&self, size: u64, cells: &[Cell]) -> bool {
        self.tests.iter().all(|test| test.passes(&self.view(size, cells)))
    }

    /// The class that shows nothing, which is as good as suppressed.
    fn shows_nothing(
        &self,
        parts: &[Vec<(u32, u32)>],
        part_of_code: &[Vec<u32>],
        first: &[u32],
    ) -> Option<usize> {
        if parts.is_empty() {
            return None;
        }
        let stars: Vec<u32> = parts
            .iter()
            .zip(&self.problem.quasi)
            .map(|(parts, quasi)| {
                let star = |(low, high): &(u32, u32)| splits::is_star(quasi, quasi.cover(*low, *high));
                parts.iter().position(star).map(|place| place as u32)
            })
            .collect::<Option<_>>()?;
        let code = |column: usize, tuple: u32| self.problem.table.column(column).get(tuple as usize) as usize;
        first.iter().position(|tuple| {
            stars.iter().enumerate().all(|(column, star)| part_of_code[column][code(column, *tuple)] == *star)
        })
    }

    /// The metric's figure from the mean penalties of the columns. Some classes are suppressed, each given by
    /// a tuple and its number of rows.
    fn of_columns(
        &self,
        metric: &dyn ByColumn,
        parts: &[Vec<(u32, u32)>],
        part_of_code: &[Vec<u32>],
        hidden: &[(u32, u64)],
    ) -> Option<f64> {
        let rows = self.problem.table.rows().max(1) as f64;
        let suppressed: u64 = hidden.iter().map(|(_, rows)| rows).sum();
        let means: Vec<f64> = self
            .problem
            .quasi
            .iter()
            .enumerate()
            .map(|(column, quasi)| {
                let of_part = |(low, high): &(u32, u32)| {
                    self.marginals[column][*low as usize..=*high as usize].iter().sum::<u64>()
                };
                let mut shown: Vec<u64> = parts[column].iter().map(of_part).collect();
                for (tuple, rows) in hidden {
                    let code = self.problem.table.column(column).get(*tuple as usize);
                    shown[part_of_code[column][code as usize] as usize] -= rows;
                }
                let penalty = |(low, high): &(u32, u32)| metric.penalty(column, quasi.cover(*low, *high));
                let sum: f64 =
                    parts[column].iter().zip(shown).map(|(part, rows)| rows as f64 * penalty(part)).sum();
                (sum + suppressed as f64 * metric.penalty(column, Value::Star)) / rows
            })
            .collect();
        metric.figure(&means)
    }

    /// Computes the fitness where further classes must be suppressed to protect the suppressed rows. This is
    /// slow.
    fn repaired(&self, bits: &[bool]) -> Result<Fitness> {
        let assignment = Step::Maps(self.space.maps(bits)).apply(&self.problem.table, &self.problem.quasi);
        match self.problem.suppress_failing(assignment) {
            Ok(classes) => {
                let figure = self.problem.metric.measure(&classes, self.problem);
                Ok(Fitness { excess: 0, cost: Cost::new(figure, true) })
            }
            Err(error) if error.kind() == ErrorKind::Infeasible => {
                Ok(Fitness { excess: self.problem.table.rows(), cost: Cost::new(None, true) })
            }
            Err(error) => Err(error),
        }
    }
}

/// The number of the part of each code that occurs.
fn numbers(parts: &[(u32, u32)], size: u32) -> Vec<u32> {
    let mut numbers = vec![0; size as usize];
    (0..).zip(parts).for_each(|(part, (low, high))| numbers[*low as usize..=*high as usize].fill(part));
    numbers
}
