//! NCP (Xu et al. 2006; models.md 2.1): the share of its domain that each generalised cell stands for.

use super::{ByColumn, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::{Quasi, Shape, Value};

/// The registry entry.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "ncp_xu",
    title: "NCP, normalised certainty penalty",
    paper: "Xu, Wang, Pei, Wang, Shi, Fu 2006",
    standing: Standing::Classic,
    about: "The mean over all original rows and quasi-identifiers of (values covered / values in the domain), 0 for a cell that \
            shows its value; ranges of numbers count as in the loss. For comparison with papers that report it: the loss subtracts \
            1 above and below. Columns weigh as their `priority` says.",
    parameters: &[],
    build: &NcpXu,
};

struct NcpXu;

impl Metric for NcpXu {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        super::of_columns(self, classes, problem)
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn by_column<'p>(&self, problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        Some(Box::new(Shares { problem }))
    }

    fn worsens(&self) -> bool {
        true
    }
}

struct Shares<'p> {
    problem: &'p Problem,
}

impl ByColumn for Shares<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        share(&self.problem.quasi[column], value)
    }

    fn figure(&self, means: &[f64]) -> Option<f64> {
        Some(super::weighted_mean(means, self.problem))
    }
}

/// The share of its domain that a value stands for; 0 for a value of its own, and in a column with one value.
fn share(quasi: &Quasi, value: Value) -> f64 {
    let covered = match (value, &quasi.shape) {
        (Value::Star, _) => quasi.size(),
        (_, Shape::Line(_)) => return quasi.loss(value),
        (Value::Subset(codes), _) => codes.count_ones(),
        _ => {
            let (low, high) = quasi.codes(value);
            high - low + 1
        }
    };
    if covered <= 1 { 0.0 } else { f64::from(covered) / f64::from(quasi.size()) }
}
