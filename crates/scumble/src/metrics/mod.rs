//! What is lost: figures on what would be published.

use crate::problem::Problem;
use crate::published::Classes;
use crate::quasi::Value;
use crate::registry::Entry;

pub mod average_class;
pub mod classification;
pub mod discernibility;
pub mod distortion;
pub mod entropy;
pub mod information;
pub mod loss;
pub mod ncp_xu;
pub mod precision;
pub mod query_error;
pub mod sensitive;
pub mod trade_off;

/// A figure on a release.
pub trait Metric: Send + Sync {
    /// The figure; `None` where it is not defined (no class column, no class left, no levels).
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64>;
    /// Further figures that belong to it, by name: the same in another unit, what it is made of, how sure it is.
    fn details(&self, _classes: &Classes, _problem: &Problem) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    /// The figure and its details, for metrics that find them together.
    fn measure_fully(&self, classes: &Classes, problem: &Problem) -> Measured {
        Measured { value: self.measure(classes, problem), details: self.details(classes, problem) }
    }
    /// Whether less is better.
    fn lower_is_better(&self) -> bool {
        true
    }
    /// The least and the greatest value that it can have, where both are known for every table.
    fn range(&self) -> Option<(f64, f64)> {
        None
    }
    /// The columns' part, where their mean penalties decide the figure: a search then needs no classes for it.
    fn by_column<'p>(&self, _problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
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
    /// Whether neither merging classes, nor showing coarser values, nor suppressing rows ever makes the figure better. A search
    /// may then skip what is coarser than a recoding that is too bad already.
    fn worsens(&self) -> bool;
}

/// A figure with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The figure; `None` where it is not defined.
    pub value: Option<f64>,
    /// Further figures, by name.
    pub details: Vec<(&'static str, f64)>,
}

/// A metric of the registry with what it measured.
pub type Figure = (&'static Entry<&'static dyn Metric>, Measured);

/// One metric of the registry on a release.
#[must_use]
pub(crate) fn measure_one(
    entry: &'static Entry<&'static dyn Metric>,
    classes: &Classes,
    problem: &Problem,
) -> Figure {
    (entry, entry.build.measure_fully(classes, problem))
}

/// Whole numbers that are added up over classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassSum {
    /// The square of a class's size; a suppressed row counts as many as the table has rows.
    Squares,
    /// The rows of a class that do not have its most frequent class label; a suppressed row counts 1.
    Minorities,
}

/// A figure that the mean penalties of the columns decide. If the metric worsens, it gets no better when one of them grows, and
/// a penalty is at most that of [`Value::Star`] and not less for a coarser value.
pub trait ByColumn: Send + Sync {
    /// The penalty of a row that shows this value. The mean over all rows of the table is what counts: a single penalty may lack
    /// what is the same for every way to publish the table, and so be negative.
    fn penalty(&self, column: usize, value: Value) -> f64;
    /// The figure of the columns' mean penalties over all original rows.
    fn figure(&self, means: &[f64]) -> Option<f64>;
}

/// The figure of a metric that the columns decide.
fn of_columns(metric: &dyn Metric, classes: &Classes, problem: &Problem) -> Option<f64> {
    let by_column = metric.by_column(problem)?;
    by_column.figure(&column_means(&*by_column, classes, problem))
}

/// The mean of the columns' figures, weighed by their priorities; 0 without columns.
fn weighted_mean(means: &[f64], problem: &Problem) -> f64 {
    let weights = || problem.quasi.iter().map(|quasi| quasi.priority);
    let sum: f64 = means.iter().zip(weights()).map(|(mean, weight)| mean * weight).sum();
    if means.is_empty() { 0.0 } else { sum / weights().sum::<f64>() }
}

/// The payload columns that some model protects, in the order of the payloads.
fn protected(problem: &Problem) -> Vec<usize> {
    let payloads = problem.table.payloads();
    let named = problem.models.iter().filter_map(|model| payloads.position(model.protects()?));
    let mut columns: Vec<usize> = named.collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// The mean penalty of each column over all original rows.
#[must_use]
pub fn column_means(metric: &dyn ByColumn, classes: &Classes, problem: &Problem) -> Vec<f64> {
    let rows = problem.table.rows().max(1) as f64;
    column_sums(metric, classes).into_iter().map(|sum| sum / rows).collect()
}

/// The penalties of each column, summed over all original rows.
#[must_use]
pub fn column_sums(metric: &dyn ByColumn, classes: &Classes) -> Vec<f64> {
    classes
        .assignment
        .columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            // Rows per value are exact, so the sum does not depend on the order of classes.
            let mut rows_of_value = vec![0_u64; column.values.len()];
            for (class, value) in column.of_class.iter().enumerate() {
                if !classes.is_suppressed(class) {
                    rows_of_value[value as usize] += classes.size(class);
                }
            }
            // Values without rows are not shown, and may have no penalty.
            let used = rows_of_value.iter().zip(&column.values).filter(|(rows, _)| **rows > 0);
            let shown: f64 = used.map(|(rows, value)| *rows as f64 * metric.penalty(place, *value)).sum();
            shown + classes.suppressed_rows() as f64 * metric.penalty(place, Value::Star)
        })
        .collect()
}
