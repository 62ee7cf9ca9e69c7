//! Means and covariances of columns, and the triangular root of a covariance.

use nalgebra::{Cholesky, DMatrix, Dyn};

use super::cells::Cells;
use crate::error::{Error, Result};

/// The share of a column's variance that the columns before it must leave open.
const LEAST_OWN_SHARE: f64 = 1e-10;

/// What is known of columns together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    pub(super) means: Vec<f64>,
    pub(super) covariance: DMatrix<f64>,
}

impl Moments {
    /// The means and covariances of rows, each with a number for every column.
    pub(super) fn of<'r>(columns: usize, rows: impl Iterator<Item = &'r [f64]> + Clone) -> Self {
        let count = rows.clone().count() as f64;
        let mut means = vec![0.0; columns];
        rows.clone().for_each(|row| means.iter_mut().zip(row).for_each(|(sum, number)| *sum += number));
        means.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        let mut covariance = DMatrix::zeros(columns, columns);
        for row in rows {
            for (at, (number, mean)) in row.iter().zip(&means).enumerate() {
                for (other, (second, second_mean)) in row.iter().zip(&means).enumerate().take(at + 1) {
                    covariance[(at, other)] += (number - mean) * (second - second_mean);
                }
            }
        }
        covariance /= (count - 1.0).max(1.0);
        covariance.fill_upper_triangle_with_lower_triangle();
        Self { means, covariance }
    }

    /// The lower triangular matrix whose square is the covariance; an error that names the column which the others determine.
    pub(super) fn root(&self, cells: &[Cells<'_>]) -> Result<DMatrix<f64>> {
        for size in 1..=cells.len() {
            let part = self.covariance.view((0, 0), (size, size)).into_owned();
            let own = part[(size - 1, size - 1)];
            let left =
                Cholesky::<f64, Dyn>::new(part).map(|root| root.l_dirty()[(size - 1, size - 1)].powi(2));
            if left.is_none_or(|left| left <= LEAST_OWN_SHARE * own) {
                let before: Vec<&str> =
                    cells[..size - 1].iter().map(|cells| cells.column.name.as_str()).collect();
                let why = match before[..] {
                    [] => "has one value only".to_owned(),
                    _ => format!("is determined by {}", before.join(", ")),
                };
                return Err(Error::refused(format!("the column {why}, so it has no noise of its own"))
                    .in_column(&cells[size - 1].column.name)
                    .advise("leave the column out of the step; what follows from other columns can be computed from the released ones"));
            }
        }
        let root = Cholesky::new(self.covariance.clone());
        root.map(|root| root.l()).ok_or_else(|| Error::internal("a covariance has no root"))
    }
}

/// A matrix, row by row.
pub(super) fn flat(matrix: &DMatrix<f64>) -> Vec<f64> {
    matrix.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()).collect()
}
