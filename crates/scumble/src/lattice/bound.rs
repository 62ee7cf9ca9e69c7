//! What a node costs at least, before it is looked at.

use std::cmp::Ordering;

use super::Lattice;
use super::domain::Domain;
use crate::metrics::{ByColumn, Metric};
use crate::problem::Problem;
use crate::quasi::Value;

/// A figure by which nodes are ordered: less is better, and figures within rounding of each other are equal.
#[derive(Debug, Clone, Copy)]
pub struct Cost(f64);

impl Cost {
    /// The cost of a metric's figure; a figure that is not defined is the worst of all.
    #[must_use]
    pub fn new(figure: Option<f64>, lower_is_better: bool) -> Self {
        match figure {
            Some(figure) if !figure.is_nan() => Self(if lower_is_better { figure } else { -figure }),
            _ => Self(f64::INFINITY),
        }
    }

    /// Better than any.
    pub const LEAST: Self = Self(f64::NEG_INFINITY);

    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }

    /// Sums of the same losses in another order differ in the last digits; whole steps of 1e-12 do not (algorithms.md 0.3).
    fn steps(self) -> i128 {
        (self.0 * 1e12).round() as i128
    }
}

impl PartialEq for Cost {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        self.steps().cmp(&other.steps())
    }
}

/// Lower bounds from the columns alone, for metrics that the columns decide.
pub struct Bounds<'a> {
    metric: &'a dyn ByColumn,
    lower_is_better: bool,
    problem: &'a Problem,
    /// By column and level: penalties with their rows, largest penalty first.
    penalties: Vec<Vec<Vec<(f64, u64)>>>,
    /// The penalty of a suppressed row, by column.
    star: Vec<f64>,
}

impl<'a> Bounds<'a> {
    /// The bounds of a metric; `None` if the columns do not decide it.
    pub(super) fn new(
        problem: &'a Problem,
        metric: &'static dyn Metric,
        lattice: &Lattice,
        domain: &Domain,
    ) -> Option<Self> {
        let lower_is_better = metric.lower_is_better();
        let metric = metric.by_column()?;
        let penalties = (0..lattice.width())
            .map(|column| {
                let of_level = |level: u32| {
                    let level = domain.level(column, level);
                    let penalty = |value: &Value| metric.penalty(&problem.quasi[column], *value);
                    let mut pairs: Vec<(f64, u64)> =
                        level.values.iter().map(penalty).zip(level.rows.iter().copied()).collect();
                    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
                    pairs
                };
                (0..=lattice.heights()[column]).map(of_level).collect()
            })
            .collect();
        let star = problem.quasi.iter().map(|quasi| metric.penalty(quasi, Value::Star)).collect();
        Some(Self { metric, lower_is_better, problem, penalties, star })
    }

    /// What a node costs at least when at least so many rows are suppressed: at best, those that show least anyway.
    #[must_use]
    pub fn least(&self, levels: &[u32], suppressed: u64) -> Cost {
        let rows = self.problem.table.rows().max(1) as f64;
        let means: Vec<f64> = self
            .penalties
            .iter()
            .zip(levels)
            .zip(&self.star)
            .map(|((column, level), star)| {
                let mut hidden = suppressed;
                let sum: f64 = column[*level as usize]
                    .iter()
                    .map(|(penalty, rows)| {
                        let lost = hidden.min(*rows);
                        hidden -= lost;
                        (rows - lost) as f64 * penalty + lost as f64 * star
                    })
                    .sum();
                sum / rows
            })
            .collect();
        Cost::new(self.metric.figure(&means, &self.problem.quasi), self.lower_is_better)
    }
}

#[cfg(test)]
mod tests {
    use super::Cost;

    #[test]
    fn costs_within_rounding_are_equal() {
        let cost = |figure| Cost::new(Some(figure), true);
        assert_eq!(cost(0.1 + 0.2), cost(0.3));
        assert!(cost(0.3) < cost(0.300_000_1));
        assert!(Cost::new(Some(0.9), false) < Cost::new(Some(0.8), false));
        assert!(Cost::new(None, false) > cost(1e15));
        assert!(Cost::LEAST < cost(-1e15));
    }
}
