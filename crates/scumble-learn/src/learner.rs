//! The two traits: what learns, and what has been learnt.

use rayon::prelude::*;

use crate::error::Result;
use crate::table::{Features, Table};

/// Something that learns to tell classes apart.
///
/// The same table and seed give the same classifier, whatever the order of the rows and the number of threads; a row of
/// weight 3 counts as three rows.
pub trait Learner: std::fmt::Debug + Send + Sync {
    /// Learns from all rows of a table. Learners without randomness ignore the seed.
    fn train(&self, table: &Table, seed: u64) -> Result<Box<dyn Classifier>>;
}

/// Something learnt: it gives each row a probability for each class.
///
/// It is asked about rows whose columns are coded as those it has learnt from. A code that its column did not have then
/// is taken as missing.
pub trait Classifier: std::fmt::Debug + Send + Sync {
    /// The number of classes.
    fn classes(&self) -> usize;

    /// Writes the probability of each class for a row: non-negative numbers that add up to 1.
    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]);

    /// The most probable class of a row; among equals the lowest.
    fn classify(&self, features: &Features, row: usize) -> u32 {
        let mut probabilities = vec![0.0; self.classes()];
        self.distribution(features, row, &mut probabilities);
        most_probable(&probabilities)
    }

    /// The most probable class of every row.
    fn predict(&self, features: &Features) -> Vec<u32> {
        (0..features.rows())
            .into_par_iter()
            .with_min_len(256)
            .map(|row| self.classify(features, row))
            .collect()
    }

    /// The share of the table's weight whose class is the predicted one.
    fn accuracy(&self, table: &Table) -> f64 {
        let predicted = self.predict(table.features());
        let right: f64 = predicted
            .iter()
            .zip(table.class())
            .zip(table.weights())
            .filter(|((predicted, class), _)| predicted == class)
            .map(|(_, &weight)| f64::from(weight))
            .sum();
        right / table.weight()
    }
}

/// Probabilities this near are equal: what differs less is rounding, and must not decide which class wins a tie.
const SAME: f64 = 1e-12;

/// The index of the largest number; among equals the first.
pub(crate) fn most_probable(probabilities: &[f64]) -> u32 {
    let mut best = 0;
    for (class, &probability) in probabilities.iter().enumerate() {
        if probability > probabilities[best] + SAME {
            best = class;
        }
    }
    best as u32
}

/// Turns logarithms of weights into probabilities.
pub(crate) fn from_logarithms(out: &mut [f64]) {
    let largest = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    out.iter_mut().for_each(|value| *value = (*value - largest).exp());
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|value| *value /= sum);
}
