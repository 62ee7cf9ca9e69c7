//! The two traits: what learns, and what has been learnt.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::table::{Features, Table};

/// Says whether somebody still wants the result; asked on every thread, at least every 50 ms or so of work. It must be quick, and what
/// is learnt does not depend on it: after the first no there is [`Error::Stopped`] and nothing else.
pub type GoesOn<'a> = dyn Fn() -> bool + Sync + 'a;

/// [`Error::Stopped`] if nobody wants the result any more.
pub(crate) fn check(goes_on: &GoesOn<'_>) -> Result<()> {
    if goes_on() { Ok(()) } else { Err(Error::Stopped) }
}

/// So many rows are looked at between two questions whether to go on. A row may take a millisecond, where a learner keeps all it has seen.
const STRIDE: usize = 64;

/// Something that learns to tell classes apart.
///
/// The same table and seed give the same classifier, whatever the order of the rows and the number of threads; a row of
/// weight 3 counts as three rows.
pub trait Learner: std::fmt::Debug + Send + Sync {
    /// Learns from all rows of a table. Learners without randomness ignore the seed.
    fn train(&self, table: &Table, seed: u64) -> Result<Box<dyn Classifier>> {
        self.train_while(table, seed, &|| true)
    }

    /// The same for callers who may lose interest: [`Error::Stopped`] once `goes_on` says no.
    fn train_while(&self, table: &Table, seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>>;
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
        // Nothing but a no makes it fail.
        self.predict_while(features, &|| true).unwrap_or_default()
    }

    /// The same for callers who may lose interest.
    fn predict_while(&self, features: &Features, goes_on: &GoesOn<'_>) -> Result<Vec<u32>> {
        let class = |row: usize| {
            if row.is_multiple_of(STRIDE) {
                check(goes_on)?;
            }
            Ok(self.classify(features, row))
        };
        (0..features.rows()).into_par_iter().with_min_len(256).map(class).collect()
    }

    /// The share of the table's weight whose class is the predicted one.
    fn accuracy(&self, table: &Table) -> f64 {
        // As above.
        self.accuracy_while(table, &|| true).unwrap_or_default()
    }

    /// The same for callers who may lose interest.
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
