//! Points of numbers, so that a distance is a sum of squares.

use super::prepare::{Number, Prepared};

/// People and rows as points: one after the other, `width` coordinates each.
pub(super) struct Space {
    pub(super) width: usize,
    pub(super) known: Vec<f64>,
    pub(super) shown: Vec<f64>,
}

/// The mean and the standard deviation of the numbers that are there (divisor n − 1).
pub(super) fn moments(values: &[f64]) -> (f64, f64) {
    let there = || values.iter().filter(|value| !value.is_nan());
    let amount = there().count();
    let mean = there().sum::<f64>() / amount.max(1) as f64;
    let squares: f64 = there().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / amount.saturating_sub(1).max(1) as f64).sqrt())
}

/// A number that is missing lies at the mean, so it neither helps nor disturbs.
fn centred(value: f64, mean: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value - mean }
}

/// Each column in units of the original's standard deviation. A column in which all people are alike tells nothing.
pub(super) fn euclidean(prepared: &Prepared) -> Space {
    let scaled: Vec<(&Number, f64, f64)> = prepared
        .numbers
        .iter()
        .map(|number| (number, moments(&number.known)))
        .filter(|(_, (_, deviation))| *deviation > 0.0)
        .map(|(number, (mean, deviation))| (number, mean, deviation))
        .collect();
    let points = |side: fn(&Number) -> &[f64]| {
        let of_row = |row: usize| {
            scaled.iter().map(move |(number, mean, deviation)| centred(side(number)[row], *mean) / deviation)
        };
        (0..prepared.rows).flat_map(of_row).collect()
    };
    Space {
        width: scaled.len(),
        known: points(|number| &number.known),
        shown: points(|number| &number.shown),
    }
}

/// The columns whitened by the original's covariance, after undoing what is public of the method.
pub(super) fn matched(prepared: &Prepared) -> Space {
    let means: Vec<f64> = prepared.numbers.iter().map(|number| moments(&number.known).0).collect();
    let factor = Factor::of(&covariance(prepared, &means));
    let points = |side: fn(&Number) -> &[f64]| {
        let mut points = Vec::with_capacity(prepared.rows * factor.kept.len());
        let mut values = vec![0.0; prepared.numbers.len()];
        for row in 0..prepared.rows {
            for (value, (number, mean)) in values.iter_mut().zip(prepared.numbers.iter().zip(&means)) {
                *value = centred(side(number)[row], *mean);
            }
            factor.whiten(&values, &mut points);
        }
        points
    };
    Space {
        width: factor.kept.len(),
        known: points(|number| &number.known),
        shown: points(|number| &number.undone),
    }
}

fn covariance(prepared: &Prepared, means: &[f64]) -> Vec<Vec<f64>> {
    let columns: Vec<Vec<f64>> = prepared
        .numbers
        .iter()
        .zip(means)
        .map(|(number, mean)| number.known.iter().map(|value| centred(*value, *mean)).collect())
        .collect();
    let divisor = prepared.rows.saturating_sub(1).max(1) as f64;
    let product =
        |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(left, right)| left * right).sum::<f64>();
    columns.iter().map(|left| columns.iter().map(|right| product(left, right) / divisor).collect()).collect()
}

/// Cholesky's factor of a covariance: lower triangular, for the columns that those before them do not decide.
pub(super) struct Factor {
    pub(super) kept: Vec<usize>,
    /// For each kept column its row of the factor, up to its own place.
    rows: Vec<Vec<f64>>,
}

impl Factor {
    pub(super) fn of(covariance: &[Vec<f64>]) -> Self {
        let (mut kept, mut rows): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (column, of_column) in covariance.iter().enumerate() {
            let mut row: Vec<f64> = Vec::with_capacity(rows.len() + 1);
            for (place, other) in kept.iter().enumerate() {
                let known: f64 = row.iter().zip(&rows[place]).map(|(left, right)| left * right).sum();
                row.push((of_column[*other] - known) / rows[place][place]);
            }
            let left = of_column[column] - row.iter().map(|value| value * value).sum::<f64>();
            // What remains of a column that others decide is rounding, and dividing by it would drown everything else.
            if left > 1e-10 * of_column[column] {
                row.push(left.sqrt());
                rows.push(row);
                kept.push(column);
            }
        }
        Self { kept, rows }
    }

    /// Adds the whitened coordinates of centred values to a list.
    fn whiten(&self, values: &[f64], to: &mut Vec<f64>) {
        let start = to.len();
        for (place, row) in self.rows.iter().enumerate() {
            let known: f64 = row.iter().zip(&to[start..]).map(|(left, right)| left * right).sum();
            to.push((values[self.kept[place]] - known) / row[place]);
        }
    }
}
