//! What is lost: figures on what would be published.

use crate::problem::Problem;
use crate::published::{Classes, Published};
use crate::quasi::{Quasi, Value};

pub mod average_class;
pub mod classification;
pub mod discernibility;
pub mod information;
pub mod loss;
pub mod precision;

/// A figure on a release.
pub trait Metric: Send + Sync {
    /// The figure; `None` where it is not defined (no class column, no class left, no levels).
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64>;
    /// Whether less is better.
    fn lower_is_better(&self) -> bool {
        true
    }
    /// The columns' part, where their mean penalties decide the figure: a search then needs no classes for it.
    fn by_column(&self) -> Option<&dyn ByColumn> {
        None
    }
    /// The figure from the sizes of the kept classes, the suppressed rows and all rows, where these decide it.
    fn of_sizes(&self, _kept: &mut dyn Iterator<Item = u64>, _suppressed: u64, _rows: u64) -> Option<f64> {
        None
    }
    /// The sum over classes that the figure is, in some unit, for searches that know bounds on it.
    fn class_sum(&self) -> Option<ClassSum> {
        None
    }
    /// Whether neither merging classes nor suppressing them ever makes the figure better. A search may then skip what is
    /// coarser than a recoding that is too bad already.
    fn worsens(&self) -> bool {
        self.by_column().is_some()
    }
}

/// Whole numbers that are added up over classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassSum {
    /// The square of a class's size; a suppressed row counts as many as the table has rows.
    Squares,
    /// The rows of a class that do not have its most frequent class label; a suppressed row counts 1.
    Minorities,
}

/// A figure that the mean penalties of the columns decide. It gets no better when one of them grows.
pub trait ByColumn: Send + Sync {
    /// The penalty of a row that shows this value, at most that of [`Value::Star`], and not less for a coarser value.
    fn penalty(&self, quasi: &Quasi, value: Value) -> f64;
    /// The figure of the columns' mean penalties over all original rows.
    fn figure(&self, means: &[f64], quasi: &[Quasi]) -> Option<f64>;
}

/// The mean penalty of each column over all original rows.
#[must_use]
pub fn column_means(metric: &dyn ByColumn, classes: &Classes, problem: &Problem) -> Vec<f64> {
    let rows = problem.table.rows().max(1) as f64;
    problem
        .quasi
        .iter()
        .zip(&classes.assignment.columns)
        .map(|(quasi, column)| {
            // Rows per value are exact, so the sum does not depend on the order of classes.
            let mut rows_of_value = vec![0_u64; column.values.len()];
            for (class, value) in column.of_class.iter().enumerate() {
                if !classes.is_suppressed(class) {
                    rows_of_value[value as usize] += classes.size(class);
                }
            }
            let penalties = column.values.iter().map(|value| metric.penalty(quasi, *value));
            let shown: f64 =
                rows_of_value.iter().zip(penalties).map(|(rows, each)| *rows as f64 * each).sum();
            (shown + classes.suppressed_rows() as f64 * metric.penalty(quasi, Value::Star)) / rows
        })
        .collect()
}
