//! How often each value of a nominal column occurs in each class.

use super::Variant;
use crate::table::{MISSING, Table};

/// Logarithms of the probabilities of a column's values.
#[derive(Debug)]
pub(super) struct Frequencies {
    classes: usize,
    values: usize,
    /// The logarithm for each class: for each value and, at the end, for the unknown value.
    logarithms: Vec<f64>,
}

impl Frequencies {
    pub(super) fn new(variant: Variant, table: &Table, codes: &[u32], values: usize) -> Self {
        let classes = table.classes();
        let mut counts = vec![0.0; (values + 1) * classes];
        for ((&code, &class), &weight) in codes.iter().zip(table.class()).zip(table.weights()) {
            let value = if code == MISSING { values } else { code as usize };
            counts[value * classes + class as usize] += f64::from(weight);
        }
        let (weights, total) = (table.class_weights(), table.weight());
        let logarithm = |(place, &count): (usize, &f64)| {
            let (value, class) = (place / classes, place % classes);
            match variant {
                Variant::Kernel => corrected(count, weights[class], total, values).ln(),
                // Weka skips a missing value, in training and afterwards.
                _ if value == values => 0.0,
                _ => {
                    let known = weights[class] - counts[values * classes + class];
                    ((count + 1.0) / (known + values as f64)).ln()
                }
            }
        };
        let logarithms = counts.iter().enumerate().map(logarithm).collect();
        Self { classes, values, logarithms }
    }

    /// Adds the logarithms for a value. A value that is missing, or was not declared in training, counts as the unknown one.
    pub(super) fn add(&self, code: u32, out: &mut [f64]) {
        let start = (code as usize).min(self.values) * self.classes;
        let column = &self.logarithms[start..start + self.classes];
        out.iter_mut().zip(column).for_each(|(sum, logarithm)| *sum += logarithm);
    }
}

/// RapidMiner's correction: 1/N, not 1, is added to each count, and the unknown value counts as one more.
fn corrected(count: f64, class_weight: f64, total: f64, values: usize) -> f64 {
    let added = 1.0 / total;
    (count + added) / (class_weight + added * (values as f64 + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of models.md 3.4.
    #[test]
    fn one_nth_is_added_and_not_one() {
        assert!((corrected(3.0, 4.0, 10.0, 2) - 0.720_930).abs() < 5e-7);
    }
}
