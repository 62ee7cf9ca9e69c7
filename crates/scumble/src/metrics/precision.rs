//! Prec (Sweeney 2002; models.md 2.5): how few generalisation steps the cells took.

use super::{ByColumn, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::Value;

/// The registry entry.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "precision",
    title: "precision (Prec)",
    paper: "Sweeney 2002",
    standing: Standing::Classic,
    about: "1 minus the mean over cells of (steps taken / steps to the root): 1 is untouched. Defined for columns that have a \
            hierarchy; others are left out. Columns weigh as their `priority` says.",
    parameters: &[],
    build: &Precision,
};

struct Precision;

impl Metric for Precision {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        super::of_columns(self, classes, problem)
    }

    fn lower_is_better(&self) -> bool {
        false
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn by_column<'p>(&self, problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        Some(Box::new(Steps { problem }))
    }

    fn worsens(&self) -> bool {
        true
    }
}

/// Steps taken of those that there are.
struct Steps<'p> {
    problem: &'p Problem,
}

impl ByColumn for Steps<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        match self.problem.quasi[column].steps(value) {
            Some((steps, height)) if height > 0 => f64::from(steps) / f64::from(height),
            _ => 0.0,
        }
    }

    fn figure(&self, means: &[f64]) -> Option<f64> {
        let with_levels =
            |quasi: &&crate::table::quasi::Quasi| quasi.tree().is_some_and(|tree| tree.height() > 0);
        let quasi = self.problem.quasi.iter();
        let all: f64 = quasi.clone().filter(with_levels).map(|quasi| quasi.priority).sum();
        // The others have no steps to take.
        let taken: f64 = means.iter().zip(quasi).map(|(mean, quasi)| mean * quasi.priority).sum();
        (all > 0.0).then(|| 1.0 - taken / all)
    }
}
