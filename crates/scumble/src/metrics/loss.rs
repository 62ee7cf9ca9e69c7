//! LM (Iyengar 2002; models.md 2.1): how much of its domain each published cell leaves open.

use super::Metric;
use crate::problem::Problem;
use crate::published::{Classes, Published};
use crate::registry::{Entry, Standing};

/// The mean over all cells.
pub const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "loss",
    title: "LM, mean loss per cell",
    paper: "Iyengar 2002",
    standing: Standing::Recommended,
    about: "The mean over all original rows and quasi-identifiers of (values covered − 1) / (values in the domain − 1): 0 is \
            untouched, 1 shows nothing. A suppressed cell counts 1.",
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
    let rows = problem.table.rows().max(1) as f64;
    problem
        .quasi
        .iter()
        .zip(&classes.assignment.columns)
        .map(|(quasi, column)| {
            let loss: Vec<f64> = column.values.iter().map(|value| quasi.loss(*value)).collect();
            // Rows per value are exact, so the sum does not depend on the order of classes.
            let mut rows_of_value = vec![0_u64; loss.len()];
            for (class, value) in column.of_class.iter().enumerate() {
                if !classes.is_suppressed(class) {
                    rows_of_value[value as usize] += classes.size(class);
                }
            }
            let shown: f64 = rows_of_value.iter().zip(&loss).map(|(rows, loss)| *rows as f64 * loss).sum();
            let hidden = if quasi.size() <= 1 { 0.0 } else { classes.suppressed_rows() as f64 };
            (shown + hidden) / rows
        })
        .collect()
}

impl Metric for Loss {
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64> {
        let Published::Classes(classes) = published;
        let columns = by_column(classes, problem);
        if columns.is_empty() {
            return Some(0.0);
        }
        let count = columns.len() as f64;
        Some(if self.geometric {
            columns.iter().map(|loss| (loss + 1.0).powf(1.0 / count)).product::<f64>() - 1.0
        } else {
            columns.iter().sum::<f64>() / count
        })
    }
}
