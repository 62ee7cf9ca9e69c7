//! Lower bounds on the cost of a node, computed before the node is checked.

use std::cmp::Ordering;

use super::domain::Domain;
use crate::metrics::{ByColumn, Metric};
use crate::problem::Problem;
use crate::table::quasi::Value;

/// A figure that orders nodes: less is better, and figures that differ only by rounding are equal.
#[derive(Debug, Clone, Copy)]
pub struct Cost(f64);

impl Cost {
    /// The cost of a metric's figure. An undefined figure is the worst of all.
    #[must_use]
    pub fn new(figure: Option<f64>, lower_is_better: bool) -> Self {
        match figure {
            Some(figure) if !figure.is_nan() => Self(if lower_is_better { figure } else { -figure }),
            _ => Self(f64::INFINITY),
        }
    }

    /// Better than any.
    pub const LEAST: Self = Self(f64::NEG_INFINITY);

    /// Worse than any.
    pub const MOST: Self = Self(f64::INFINITY);

    /// The number.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }

    /// Subtracts a little, so that a bound remains a bound even if its sums were rounded up.
    fn rounded_down(self) -> Self {
        if self.0.is_finite() { Self(self.0 - 1e-13 * (1.0 + self.0.abs())) } else { self }
    }

    /// The cost in whole steps of 1e-12. Sums of the same losses in another order differ in the last digits, but not in these
    /// steps (algorithms.md 0.3).
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
        // Costs this far apart cannot be in the same step, and near 0 the steps are exact.
        let near = |cost: &Self| cost.0.abs() < 1e3;
        if near(self) && near(other) && (self.0 - other.0).abs() > 1e-11 {
            return self.0.total_cmp(&other.0);
        }
        self.steps().cmp(&other.steps())
    }
}

/// Lower bounds computed from the columns alone, for metrics that depend only on the columns and never improve towards coarser
/// nodes.
pub struct Bounds<'a> {
    by_column: Box<dyn ByColumn + 'a>,
    lower_is_better: bool,
    problem: &'a Problem,
    /// By column and level.
    sums: Vec<Vec<Sum>>,
}

/// The penalties of a column at one level, and what suppressing rows adds to them. At best the rows with the largest penalties
/// are suppressed.
struct Sum {
    shown: f64,
    /// Cumulative, with the values of the largest penalty first: the rows so far, and what suppressing all of them adds.
    hidden: Vec<(u64, f64)>,
}

impl Sum {
    fn new(penalties: &[f64], rows: &[u64], star: f64) -> Self {
        let mut values: Vec<(f64, u64)> = penalties.iter().copied().zip(rows.iter().copied()).collect();
        let shown = values.iter().map(|(penalty, rows)| *rows as f64 * penalty).sum();
        values.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut up_to = (0, 0.0);
        let mut hidden = vec![up_to];
        for of_penalty in values.chunk_by(|a, b| a.0 == b.0) {
            let rows: u64 = of_penalty.iter().map(|(_, rows)| rows).sum();
            up_to = (up_to.0 + rows, up_to.1 + rows as f64 * (star - of_penalty[0].0));
            hidden.push(up_to);
        }
        Self { shown, hidden }
    }

    /// The least sum when this many rows are suppressed.
    fn least(&self, hidden: u64) -> f64 {
        if hidden == 0 {
            return self.shown;
        }
        let place = self.hidden.partition_point(|(rows, _)| *rows < hidden).clamp(1, self.hidden.len() - 1);
        let ((fewer, added), (more, added_then)) = (self.hidden[place - 1], self.hidden[place]);
        let share = (hidden.min(more) - fewer) as f64 / (more - fewer).max(1) as f64;
        self.shown + added + share * (added_then - added)
    }
}

impl<'a> Bounds<'a> {
    /// The bounds of a metric; `None` if it depends on more than the columns, or if suppressing a row can improve it.
    pub(super) fn new(
        problem: &'a Problem,
        metric: &'static dyn Metric,
        domain: &Domain,
        penalties: &[Vec<Vec<f64>>],
    ) -> Option<Self> {
        let lower_is_better = metric.lower_is_better();
        let by_column = metric.by_column(problem).filter(|_| metric.worsens())?;
        let of_column = |(column, levels): (usize, &Vec<Vec<f64>>)| {
            let star = by_column.penalty(column, Value::Star);
            let of_level = |(level, penalties): (u32, &Vec<f64>)| {
                Sum::new(penalties, &domain.level(column, level).rows, star)
            };
            (0..).zip(levels).map(of_level).collect()
        };
        let sums = penalties.iter().enumerate().map(of_column).collect();
        Some(Self { by_column, lower_is_better, problem, sums })
    }

    /// The least cost of a node when at least this many rows are suppressed.
    #[must_use]
    pub fn least(&self, levels: &[u32], suppressed: u64) -> Cost {
        let rows = self.problem.table.rows().max(1) as f64;
        let sums = self.sums.iter().zip(levels).map(|(column, level)| &column[*level as usize]);
        let means: Vec<f64> = sums.map(|sum| sum.least(suppressed) / rows).collect();
        Cost::new(self.by_column.figure(&means), self.lower_is_better).rounded_down()
    }
}

#[cfg(test)]
mod tests {
    use super::Cost;

    #[test]
    fn the_rows_that_show_least_are_hidden_first() {
        let sum = super::Sum::new(&[0.5, 0.0, 0.5], &[3, 10, 1], 1.0);
        assert_eq!([0, 1, 4, 6, 14, 20].map(|hidden| sum.least(hidden)), [2.0, 2.5, 4.0, 6.0, 14.0, 14.0]);
    }

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
