//! The two traits: what learns, and what has been learnt.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::table::{Features, Table};

/// Says whether to go on. It is called on every thread, after at most about 50 ms of work, so it must be quick. What is learnt
/// does not depend on it: after it has once returned false, the only result is [`Error::Stopped`].
pub type GoesOn<'a> = dyn Fn() -> bool + Sync + 'a;

/// Returns [`Error::Stopped`] if the work is to stop.
pub(crate) fn check(goes_on: &GoesOn<'_>) -> Result<()> {
    if goes_on() { Ok(()) } else { Err(Error::Stopped) }
}

/// The number of rows between two checks whether to go on. A row may take a millisecond if a machine-learning model keeps all its
/// training rows.
const STRIDE: usize = 64;

/// Something that learns to predict class labels.
///
/// The same table and seed give the same classifier, whatever the order of the rows and the number of threads. A row of weight 3
/// counts as three rows.
pub trait Learner: std::fmt::Debug + Send + Sync {
    /// Learns from all rows of a table. Machine-learning models without randomness ignore the seed.
    fn train(&self, table: &Table, seed: u64) -> Result<Box<dyn Classifier>> {
        self.train_while(table, seed, &|| true)
    }

    /// Does the same for callers that may stop it: returns [`Error::Stopped`] once `goes_on` returns false.
    fn train_while(&self, table: &Table, seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>>;
}

/// A trained classifier, which gives each row a probability for each class.
///
/// The columns of the rows must be coded as those it learnt from. A code that a column did not have in training is taken as
/// missing.
pub trait Classifier: std::fmt::Debug + Send + Sync {
    /// The number of classes.
    fn classes(&self) -> usize;

    /// Writes the probability of each class for a row: non-negative numbers that add up to 1.
    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]);

    /// The most probable class of a row; of several the lowest.
    fn classify(&self, features: &Features, row: usize) -> u32 {
        let mut probabilities = vec![0.0; self.classes()];
        self.distribution(features, row, &mut probabilities);
        most_probable(&probabilities)
    }

    /// The most probable class of every row.
    fn predict(&self, features: &Features) -> Vec<u32> {
        // This fails only when it is stopped, and nothing stops it.
        self.predict_while(features, &|| true).unwrap_or_default()
    }

    /// Does the same for callers that may stop it.
    fn predict_while(&self, features: &Features, goes_on: &GoesOn<'_>) -> Result<Vec<u32>> {
        let class = |row: usize| {
            if row.is_multiple_of(STRIDE) {
                check(goes_on)?;
            }
            Ok(self.classify(features, row))
        };
        (0..features.rows()).into_par_iter().with_min_len(256).map(class).collect()
    }

    /// The share of the table's weight whose class is predicted right.
    fn accuracy(&self, table: &Table) -> f64 {
        // This cannot fail, as in `predict`.
        self.accuracy_while(table, &|| true).unwrap_or_default()
    }

    /// Does the same for callers that may stop it.
    fn accuracy_while(&self, table: &Table, goes_on: &GoesOn<'_>) -> Result<f64> {
        let predicted = self.predict_while(table.features(), goes_on)?;
        let right: f64 = predicted
            .iter()
            .zip(table.class())
            .zip(table.weights())
            .filter(|((predicted, class), _)| predicted == class)
            .map(|(_, &weight)| f64::from(weight))
            .sum();
        Ok(right / table.weight())
    }
}

/// Probabilities that differ by less are equal: the difference is rounding, and must not decide which class wins a tie.
const SAME: f64 = 1e-12;

/// The index of the largest number; of several the first.
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
