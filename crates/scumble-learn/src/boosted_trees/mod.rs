//! Gradient-boosted trees on histograms, which most practitioners would use today.
//!
//! Each round grows one small tree for each class on the slopes of the log-likelihood, best leaf first. There is no sampling, so
//! nothing is random. All columns are binned once: numbers into at most 255 bins of equal weight, nominal values unchanged, and
//! missing values into a bin of their own.

mod bins;
mod tree;

use bins::Bins;
use rayon::prelude::*;
use tree::{Grower, Tree};

use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check, from_logarithms};
use crate::registry::Entry;
use crate::settings::Settings;
use crate::table::{Features, Table};

/// Boosted trees in the registry.
pub const ENTRY: Entry = Entry {
    name: "boosted_trees",
    title: "Gradient-boosted trees",
    paper: "Friedman, Greedy function approximation: a gradient boosting machine, 2001; histograms as in LightGBM, 2017",
    about: "Many small trees, each correcting those before it; nominal values are grouped by their effect.",
    parameters: &[
        ("rounds", "trees for each class (default 100)"),
        ("rate", "how much of each tree's correction is taken, above 0 and at most 1 (default 0.1)"),
        ("leaves", "leaves of a tree at most (default 31)"),
        ("min_weight", "least weight of a leaf (default 20)"),
    ],
    build: |settings| Ok(Box::new(BoostedTrees::from_settings(settings)?)),
};

/// The machine-learning model and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostedTrees {
    /// The number of trees for each class.
    pub rounds: usize,
    /// The share of each tree's correction that is applied.
    pub rate: f64,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The least weight of a leaf.
    pub min_weight: f64,
}

impl Default for BoostedTrees {
    fn default() -> Self {
        Self { rounds: 100, rate: 0.1, leaves: 31, min_weight: 20.0 }
    }
}

impl BoostedTrees {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let default = Self::default();
        Ok(Self {
            rounds: settings.whole("rounds", default.rounds, 1, 10_000)?,
            rate: settings.number("rate", default.rate, 1e-6, 1.0)?,
            leaves: settings.whole("leaves", default.leaves, 2, 1000)?,
            min_weight: settings.number("min_weight", default.min_weight, 1.0, 1e9)?,
        })
    }
}

impl Learner for BoostedTrees {
    fn train_while(&self, table: &Table, _seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        check(goes_on)?;
        let table = table.canonical()?;
        let (classes, rows) = (table.classes(), table.rows());
        let bins = Bins::new(&table);
        let binned = bins.table(table.features());
        let weights: Vec<f64> = table.weights().iter().map(|&weight| f64::from(weight)).collect();
        let total = table.weight();
        // Each class gets half a row more, so that a class without rows has a logarithm too.
        let start: Vec<f64> =
            table.class_weights().iter().map(|weight| ((weight + 0.5) / total).ln()).collect();
        check(goes_on)?;
        let grower = Grower::new(self, &bins, &binned, &weights, classes);
        // Sorted by class, then by row, so that each class's tree reads and writes its own part.
        let mut scores: Vec<Vec<f64>> = start.iter().map(|&start| vec![start; rows]).collect();
        let mut trees: Vec<Vec<Tree>> = vec![Vec::with_capacity(self.rounds); classes];
        for _ in 0..self.rounds {
            check(goes_on)?;
            let probabilities = probabilities(&scores);
            scores.par_iter_mut().zip(&mut trees).zip(&probabilities).enumerate().try_for_each(
                |(class, ((scores, trees), probabilities))| {
                    let is_class = |row: usize| f64::from(u8::from(table.class()[row] as usize == class));
                    let slopes: Vec<[f64; 2]> = (0..rows)
                        .map(|row| {
                            let p = probabilities[row];
                            [weights[row] * (p - is_class(row)), weights[row] * p * (1.0 - p)]
                        })
                        .collect();
                    trees.push(grower.grow(&slopes, scores, goes_on)?);
                    Ok(())
                },
            )?;
        }
        Ok(Box::new(Model { bins, start, trees }))
    }
}

/// The probability of each class for each row, in the order of the scores.
fn probabilities(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let rows = scores[0].len();
    let mut result = vec![vec![0.0; rows]; scores.len()];
    let mut one = vec![0.0; scores.len()];
    for row in 0..rows {
        one.iter_mut().zip(scores).for_each(|(one, scores)| *one = scores[row]);
        from_logarithms(&mut one);
        result.iter_mut().zip(&one).for_each(|(result, one)| result[row] = *one);
    }
    result
}

/// The trained model.
#[derive(Debug)]
pub struct Model {
    bins: Bins,
    start: Vec<f64>,
    /// For each class, its trees.
    trees: Vec<Vec<Tree>>,
}

impl Classifier for Model {
    fn classes(&self) -> usize {
        self.start.len()
    }

    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        let binned = self.bins.row(features, row);
        for ((score, start), trees) in out.iter_mut().zip(&self.start).zip(&self.trees) {
            *score = start + trees.iter().map(|tree| tree.value(&binned)).sum::<f64>();
        }
        from_logarithms(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, MISSING};

    /// Exclusive or, which no single split shows. Its corners must have different weights for the first split to gain anything.
    #[test]
    fn exclusive_or_is_learnt() {
        let columns =
            vec![Column::nominal("a", vec![0, 0, 1, 1], 2), Column::numeric("b", vec![1.0, 2.0, 1.0, 2.0])];
        let features = Features::new(columns, 4).unwrap();
        let table = Table::weighted(features, vec![0, 1, 1, 0], 2, vec![40, 30, 35, 45]).unwrap();
        let model = BoostedTrees::default().train(&table, 0).unwrap();
        assert_eq!(model.predict(table.features()), [0, 1, 1, 0]);
    }

    /// Values 0, 3 and missing mean class 1. One split can separate them.
    #[test]
    fn values_are_grouped_by_their_effect() {
        let codes = vec![0, 1, 2, 3, MISSING];
        let features = Features::new(vec![Column::nominal("a", codes, 4)], 5).unwrap();
        let table = Table::weighted(features, vec![1, 0, 0, 1, 1], 2, vec![30; 5]).unwrap();
        let learner = BoostedTrees { leaves: 2, rounds: 30, ..BoostedTrees::default() };
        let model = learner.train(&table, 0).unwrap();
        assert_eq!(model.predict(table.features()), [1, 0, 0, 1, 1]);
    }
}
