//! What is lost: figures on what would be published.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

use crate::base::entry::Entry;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::Value;

pub use crate::problem::metric::{ByColumn, ClassSum, Measured, Metric};

pub(crate) mod average_class;
pub(crate) mod classification;
pub(crate) mod contingency;
pub(crate) mod discernibility;
pub(crate) mod distortion;
pub(crate) mod entropy;
pub(crate) mod information;
pub mod loss;
pub(crate) mod ncp_xu;
pub(crate) mod precision;
pub(crate) mod query_error;
pub(crate) mod sensitive;
pub(crate) mod trade_off;

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
