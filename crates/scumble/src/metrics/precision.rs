//! Prec (Sweeney 2002; models.md 2.5): how few generalisation steps the cells took.

use super::{ByColumn, Metric};
use crate::problem::Problem;
use crate::published::Published;
use crate::quasi::{Quasi, Value};
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "precision",
    title: "precision (Prec)",
    paper: "Sweeney 2002",
    standing: Standing::Classic,
    about: "1 minus the mean over cells of (steps taken / steps to the root): 1 is untouched. Defined for columns that have a \
            hierarchy; others are left out.",
    parameters: &[],
    build: &Precision,
};

struct Precision;

impl Metric for Precision {
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64> {
        let Published::Classes(classes) = published;
        self.figure(&super::column_means(self, classes, problem), &problem.quasi)
    }

    fn lower_is_better(&self) -> bool {
        false
    }

    fn by_column(&self) -> Option<&dyn ByColumn> {
        Some(self)
    }
}

impl ByColumn for Precision {
    fn penalty(&self, quasi: &Quasi, value: Value) -> f64 {
        match quasi.steps(value) {
            Some((steps, height)) if height > 0 => f64::from(steps) / f64::from(height),
            _ => 0.0,
        }
    }

    fn figure(&self, means: &[f64], quasi: &[Quasi]) -> Option<f64> {
        let columns = quasi.iter().filter(|quasi| quasi.tree().is_some_and(|tree| tree.height() > 0)).count();
        (columns > 0).then(|| 1.0 - means.iter().sum::<f64>() / columns as f64)
    }
}
