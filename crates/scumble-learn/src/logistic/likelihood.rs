//! The function to minimise, the negative log-likelihood plus the ridge, with its gradient and its curvature along a direction.

use crate::encode::Sparse;
use crate::learner::from_logarithms;
use crate::table::Table;

/// The function on one table. Coefficients are laid out by position, with one for each class. The last position is the constant,
/// which the ridge does not affect.
pub(super) struct Likelihood<'a> {
    rows: &'a [Sparse],
    class: &'a [u32],
    weights: Vec<f64>,
    classes: usize,
    width: usize,
    ridge: f64,
}

/// The function, evaluated at a point.
pub(super) struct Evaluation {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// The probability of each class for each row.
    probabilities: Vec<f64>,
}

/// A row's score for each class.
pub(super) fn scores(row: &Sparse, coefficients: &[f64], out: &mut [f64]) {
    let classes = out.len();
    out.fill(0.0);
    for &(place, number) in row {
        let start = place as usize * classes;
        for (score, coefficient) in out.iter_mut().zip(&coefficients[start..start + classes]) {
            *score += number * coefficient;
        }
    }
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(table: &'a Table, rows: &'a [Sparse], width: usize, ridge: f64) -> Self {
        let weights = table.weights().iter().map(|&weight| f64::from(weight)).collect();
        Self { rows, class: table.class(), weights, classes: table.classes(), width, ridge }
    }

    /// The number of coefficients.
    pub(super) fn size(&self) -> usize {
        self.width * self.classes
    }

    /// The number of coefficients that the ridge penalises.
    fn ridged(&self) -> usize {
        (self.width - 1) * self.classes
    }

    pub(super) fn evaluate(&self, coefficients: &[f64]) -> Evaluation {
        let classes = self.classes;
        let mut probabilities = vec![0.0; self.rows.len() * classes];
        let mut gradient = vec![0.0; self.size()];
        let mut value = 0.0;
        let mut rest = vec![0.0; classes];
        for (index, row) in self.rows.iter().enumerate() {
            let out = &mut probabilities[index * classes..(index + 1) * classes];
            scores(row, coefficients, out);
            let own = self.class[index] as usize;
            let score = out[own];
            let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = out.iter().map(|score| (score - largest).exp()).sum();
            value += self.weights[index] * (largest + sum.ln() - score);
            from_logarithms(out);
            for (class, rest) in rest.iter_mut().enumerate() {
                *rest = self.weights[index] * (out[class] - f64::from(u8::from(class == own)));
            }
            spread(row, &rest, &mut gradient);
        }
        for (slope, coefficient) in gradient[..self.ridged()].iter_mut().zip(coefficients) {
            value += self.ridge * coefficient * coefficient;
            *slope += 2.0 * self.ridge * coefficient;
        }
        Evaluation { value, gradient, probabilities }
    }

    /// The second derivative times a direction.
    pub(super) fn curvature(&self, at: &Evaluation, direction: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; self.size()];
        let mut change = vec![0.0; self.classes];
        for (index, row) in self.rows.iter().enumerate() {
            scores(row, direction, &mut change);
            let probabilities = &at.probabilities[index * self.classes..(index + 1) * self.classes];
            let mean: f64 = probabilities.iter().zip(&change).map(|(p, change)| p * change).sum();
            for (change, p) in change.iter_mut().zip(probabilities) {
                *change = self.weights[index] * p * (*change - mean);
            }
            spread(row, &change, &mut result);
        }
        for (result, part) in result[..self.ridged()].iter_mut().zip(direction) {
            *result += 2.0 * self.ridge * part;
        }
        result
    }

    /// The diagonal of the second derivative.
    pub(super) fn diagonal(&self, at: &Evaluation) -> Vec<f64> {
        let mut result = vec![0.0; self.size()];
        for (index, row) in self.rows.iter().enumerate() {
            let probabilities = &at.probabilities[index * self.classes..(index + 1) * self.classes];
            for &(place, number) in row {
                let start = place as usize * self.classes;
                for (sum, p) in result[start..start + self.classes].iter_mut().zip(probabilities) {
                    *sum += self.weights[index] * number * number * p * (1.0 - p);
                }
            }
        }
        result[..self.ridged()].iter_mut().for_each(|sum| *sum += 2.0 * self.ridge);
        result
    }
}

/// Adds the products of a row's numbers with one number for each class.
fn spread(row: &Sparse, by_class: &[f64], into: &mut [f64]) {
    let classes = by_class.len();
    for &(place, number) in row {
        let start = place as usize * classes;
        for (sum, part) in into[start..start + classes].iter_mut().zip(by_class) {
            *sum += number * part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Features;

    /// Compares gradient and curvature with finite differences.
    #[test]
    fn derivatives() {
        let table =
            Table::weighted(Features::new(vec![], 3).unwrap(), vec![0, 1, 2], 3, vec![1, 2, 3]).unwrap();
        let rows = vec![vec![(0, 1.5), (1, 1.0)], vec![(0, -0.5), (1, 1.0)], vec![(1, 1.0)]];
        let likelihood = Likelihood::new(&table, &rows, 2, 0.1);
        let point = [0.3, -0.2, 0.5, 0.1, 0.0, -0.4];
        let here = likelihood.evaluate(&point);
        let diagonal = likelihood.diagonal(&here);
        for place in 0..6 {
            let step = 1e-5;
            let mut moved = point;
            moved[place] += step;
            let there = likelihood.evaluate(&moved);
            assert!(((there.value - here.value) / step - here.gradient[place]).abs() < 1e-4);
            let mut direction = [0.0; 6];
            direction[place] = 1.0;
            let curvature = likelihood.curvature(&here, &direction);
            assert!((curvature[place] - diagonal[place]).abs() < 1e-12);
            for (other, curvature) in curvature.iter().enumerate() {
                let change = (there.gradient[other] - here.gradient[other]) / step;
                assert!((change - curvature).abs() < 1e-4, "{place} {other}: {change} {curvature}");
            }
        }
    }
}
