//! Prec (Sweeney 2002; models.md 2.5): how few generalisation steps the cells took.

use super::Metric;
use crate::problem::Problem;
use crate::published::Published;
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
        let (mut steps_taken, mut columns) = (0.0, 0_u32);
        for (quasi, column) in problem.quasi.iter().zip(&classes.assignment.columns) {
            let Some(height) = quasi.tree().map(|tree| tree.height()).filter(|height| *height > 0) else {
                continue;
            };
            let mut rows_of_value = vec![0_u64; column.values.len()];
            for (class, value) in column.of_class.iter().enumerate() {
                if !classes.is_suppressed(class) {
                    rows_of_value[value as usize] += classes.size(class);
                }
            }
            let shown: f64 = rows_of_value
                .iter()
                .zip(&column.values)
                .map(|(rows, value)| {
                    let steps = quasi.steps(*value).map_or(0, |(steps, _)| steps);
                    *rows as f64 * f64::from(steps) / f64::from(height)
                })
                .sum();
            steps_taken += shown + classes.suppressed_rows() as f64;
            columns += 1;
        }
        (columns > 0).then(|| 1.0 - steps_taken / (problem.table.rows().max(1) as f64 * f64::from(columns)))
    }

    fn lower_is_better(&self) -> bool {
        false
    }
}
