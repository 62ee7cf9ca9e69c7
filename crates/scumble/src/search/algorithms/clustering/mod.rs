//! Code shared by the clustering algorithms.
//!
//! | file | what |
//! |---|---|
//! | `space.rs` | the cost of covering tuples by one coarser value in each column, in fixed point |
//! | `boxes.rs` | nearest and furthest rows by a tree of boxes; exact, rows can be removed |
//! | `stock.rs` | the rows that are in no cluster yet, and clusters under construction |
//! | `finish.rs` | leftovers, further models, and the step from clusters to a release |

pub(super) mod boxes;
pub(super) mod finish;
pub(super) mod space;
pub(super) mod stock;

use crate::config::{Parameters, Rational, Value};
use crate::error::{Error, Result};
use crate::problem::Problem;
use space::ONE;

/// The cost of a row with another class label, where a method prefers clusters of one label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LabelCost {
    /// The payload column of the label.
    pub(super) column: usize,
    /// The cost in fixed point.
    pub(super) cost: u64,
}

/// Greater than any distance, so that labels are compared first and distances second.
const LABELS_FIRST: u64 = 1 << 62;

/// A weight such as `1.5` or `"infinity"`, in fixed point.
pub(super) fn label_weight(parameters: &Parameters, name: &str, default: Rational) -> Result<u64> {
    if matches!(parameters.get(name), Some(Value::Text(text)) if text == "infinity") {
        return Ok(LABELS_FIRST);
    }
    let weight = parameters.rational(name, Rational::ZERO, Some(Rational::whole(1_000_000)))?;
    let weight = weight.unwrap_or(default);
    let scaled = u128::from(weight.numerator()) * u128::from(ONE) * 2 / u128::from(weight.denominator());
    Ok(scaled.div_ceil(2) as u64)
}

/// The size of clusters: the largest k asked for, or 1 if no k is asked for, so that other models alone decide.
pub(super) fn cluster_size(problem: &Problem) -> u64 {
    problem.k().unwrap_or(1)
}

/// Returns an error if merging can break a model. Clusters that fail a model are merged until none fails, which
/// only works if merging cannot break one.
pub(super) fn check_models(problem: &Problem, algorithm: &str) -> Result<()> {
    problem.class_tests()?;
    if let Some(model) = problem.models.iter().find(|model| !model.monotonicity().merging) {
        return Err(Error::refused(format!(
            "'{algorithm}' merges clusters until every model holds, and {} can break when groups are merged",
            model.title()
        ))
        .another_that("use an algorithm that does not merge groups"));
    }
    problem.check_feasible()
}
