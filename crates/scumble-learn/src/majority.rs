//! The majority rule: every row gets the most frequent class. Any other classifier must do better than this.

use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner};
use crate::registry::Entry;
use crate::table::{Features, Table};

/// The majority rule in the registry.
pub const ENTRY: Entry = Entry {
    name: "majority",
    title: "Majority class",
    paper: "the baseline of every comparison",
    about: "Gives every row the class that is most frequent in training.",
    parameters: &[],
    build: |_| Ok(Box::new(Majority)),
};

/// The machine-learning model.
#[derive(Debug, Clone, Copy)]
pub struct Majority;

/// The shares of the classes in training.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares(Vec<f64>);

impl Learner for Majority {
    fn train_while(&self, table: &Table, _seed: u64, _goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        let table = table.canonical()?;
        let total = table.weight();
        Ok(Box::new(Shares(table.class_weights().iter().map(|weight| weight / total).collect())))
    }
}

impl Classifier for Shares {
    fn classes(&self) -> usize {
        self.0.len()
    }

    fn distribution(&self, _features: &Features, _row: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_class_wins_and_the_first_of_equals() {
        let table = |weights: Vec<u32>| {
            Table::weighted(Features::new(vec![], 3).unwrap(), vec![0, 1, 1], 2, weights).unwrap()
        };
        let predict = |weights: Vec<u32>| {
            Majority.train(&table(weights), 0).unwrap().predict(&Features::new(vec![], 1).unwrap())
        };
        assert_eq!(predict(vec![2, 1, 2]), [1]);
        assert_eq!(predict(vec![3, 1, 2]), [0]);
    }
}
