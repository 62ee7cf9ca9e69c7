//! LM (Iyengar 2002; models.md 2.1): how much of its domain each published cell leaves open.

use super::{ByColumn, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::Value;

/// The mean over all cells.
pub const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "loss",
    title: "LM, mean loss per cell",
    paper: "Iyengar 2002",
    standing: Standing::Recommended,
    about: "The mean over all original rows and quasi-identifiers of (values covered − 1) / (values in the domain − 1): 0 is \
            untouched, 1 shows nothing. A suppressed cell counts 1. Columns weigh as their `priority` says.",
    parameters: &[],
    build: &Loss { geometric: false },
};

/// The columns' means aggregated as ARX does.
pub const GEOMETRIC: Entry<&'static dyn Metric> = Entry {
    name: "loss_geometric",
    title: "LM, geometric mean over the columns",
    paper: "Iyengar 2002; aggregated as in ARX",
    standing: Standing::Classic,
    about: "The columns' mean losses v aggregated as the product of (v + 1)^(1/columns), minus 1. Comparable with ARX's \
            default quality model.",
    parameters: &[],
    build: &Loss { geometric: true },
};

struct Loss {
    geometric: bool,
}

/// The mean loss of each column over all original rows.
#[must_use]
pub fn by_column(classes: &Classes, problem: &Problem) -> Vec<f64> {
    super::column_means(&Losses { problem, geometric: false }, classes, problem)
}

impl Metric for Loss {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        super::of_columns(self, classes, problem)
    }

    /// Some papers add up the columns instead of taking their mean.
    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        if self.geometric {
            return Vec::new();
        }
        vec![("sum_of_columns", by_column(classes, problem).iter().sum())]
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn by_column<'p>(&self, problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        Some(Box::new(Losses { problem, geometric: self.geometric }))
    }

    fn worsens(&self) -> bool {
        true
    }
}

/// The losses of a problem's columns.
struct Losses<'p> {
    problem: &'p Problem,
    geometric: bool,
}

impl ByColumn for Losses<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        self.problem.quasi[column].loss(value)
    }

    /// The mean weighed by the columns' priorities (models.md 2.1).
    fn figure(&self, means: &[f64]) -> Option<f64> {
        if !self.geometric {
            return Some(super::weighted_mean(means, self.problem));
        }
        let weights = || self.problem.quasi.iter().map(|quasi| quasi.priority);
        let all: f64 = weights().sum();
        let weighed = means.iter().zip(weights());
        Some(weighed.map(|(loss, weight)| (loss + 1.0).powf(weight / all)).product::<f64>() - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::partition::testing::{numbers, problem, words};

    /// models.md 2.1: the records of Table 1(b) and (c) of Last et al., ages from 21 to 55 and four postcodes.
    #[test]
    fn records_of_the_papers_table_1() {
        let rows = [(vec![0, 0], 0), (vec![3, 3], 0)];
        let problem = problem(vec![numbers(&[21, 30, 47, 55]), words(4)], &rows, 1, 1);
        let losses = Losses { problem: &problem, geometric: false };
        let of_record = |age: Value, zip: Value| {
            losses.figure(&[losses.penalty(0, age), losses.penalty(1, zip)]).expect("always defined")
        };
        let (young, old) = (Value::Span(0, 1), Value::Span(2, 3));
        // The postcodes 10023 and 10055 are 100**, all four are 10***.
        let (one_zip, two_zips) = (Value::Span(1, 1), Value::Subset(0b11));
        let shown = [
            (young, one_zip, 9.0 / 68.0),
            (Value::Span(0, 0), two_zips, 1.0 / 6.0),
            (young, two_zips, 61.0 / 204.0),
            (old, Value::Star, 21.0 / 34.0),
            (old, Value::Star, 21.0 / 34.0),
        ];
        for (age, zip, loss) in shown {
            assert!((of_record(age, zip) - loss).abs() < 1e-12, "{loss}");
        }
        let mean = |of: &[usize]| of.iter().map(|row| shown[*row].2).sum::<f64>() / of.len() as f64;
        assert!((mean(&[0, 1, 2, 3, 4]) - 11.0 / 30.0).abs() < 1e-12, "records of their own");
        assert!((mean(&[2, 2, 2, 3, 4]) - 29.0 / 68.0).abs() < 1e-12, "two classes");
    }
}
