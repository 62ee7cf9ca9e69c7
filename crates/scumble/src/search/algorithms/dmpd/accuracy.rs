//! Measures by cross-validation how well the class label can be predicted from several tables together.
//!
//! One model is trained on each table. The probabilities are combined as naive Bayes combines columns: their product, divided by
//! the prior once for each table beyond the first. A table is learnt only once, whatever others it is combined with.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use scumble_learn::{Column, Features, Learner, Table};

use crate::base::chance::shuffle;
use crate::error::{Error, Result};
use crate::problem::Progress;
use crate::search::rough::{DecisionTable, TupleClasses};

/// Probabilities that differ by at most this are equal, and the lower label wins.
const SAME: f64 = 1e-12;

/// A column as a feature of a machine-learning model.
pub(super) enum FeatureKind {
    /// Codes.
    Nominal,
    /// The number of each code; `NaN` for a missing one.
    Numeric(Vec<f64>),
}

/// The rows dealt to folds, and a machine-learning model.
pub(super) struct Judge<'a> {
    table: &'a DecisionTable,
    kinds: Vec<FeatureKind>,
    learner: Box<dyn Learner>,
    folds: usize,
    /// For each cell of the table, tuple by tuple, the number of its rows in each fold.
    dealt: Vec<u32>,
    /// For each fold, the logarithm of each label's prior in the other folds.
    priors: Vec<Vec<f64>>,
}

/// The result of learning from one table.
pub(super) struct Learnt {
    class_of_tuple: Vec<u32>,
    /// The logarithm of each label's probability, by class, then fold.
    logarithms: Vec<f64>,
}

impl Learnt {
    /// The memory that it occupies, in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.class_of_tuple.len() + 8 * self.logarithms.len()
    }
}

impl<'a> Judge<'a> {
    /// Deals the rows of each label to folds, in a random order of their tuples. Each label continues with the fold where the one
    /// before ended.
    pub(super) fn new(
        table: &'a DecisionTable,
        kinds: Vec<FeatureKind>,
        learner: Box<dyn Learner>,
        folds: usize,
        seed: u64,
    ) -> Self {
        let labels = table.decisions() as usize;
        let mut of_label: Vec<Vec<(usize, u32)>> = vec![Vec::new(); labels];
        let cells = (0..table.tuples() as u32).flat_map(|tuple| table.cells(tuple));
        let mut count = 0;
        for cell in cells {
            of_label[cell.payload as usize].push((count, cell.rows));
            count += 1;
        }
        let mut chance = ChaCha20Rng::seed_from_u64(seed);
        let mut dealt = vec![0_u32; count * folds];
        let mut rows = vec![vec![0_u64; labels]; folds];
        let mut next = 0;
        for (label, mut cells) in of_label.into_iter().enumerate() {
            shuffle(&mut cells, &mut chance);
            for (cell, many) in cells {
                for place in 0..folds {
                    // The first `many % folds` folds from `next` on get one row more.
                    let more = u32::from(place < many as usize % folds);
                    let fold = (next + place) % folds;
                    dealt[cell * folds + fold] = many / folds as u32 + more;
                    rows[fold][label] += u64::from(many / folds as u32 + more);
                }
                next = (next + many as usize) % folds;
            }
        }
        let total: Vec<u64> = (0..labels).map(|label| rows.iter().map(|fold| fold[label]).sum()).collect();
        let prior = |fold: &Vec<u64>| {
            let left: Vec<u64> = total.iter().zip(fold).map(|(total, fold)| total - fold).collect();
            let all = (left.iter().sum::<u64>() + labels as u64) as f64;
            left.iter().map(|rows| ((rows + 1) as f64 / all).ln()).collect()
        };
        let priors = rows.iter().map(prior).collect();
        Self { table, kinds, learner, folds, dealt, priors }
    }

    /// Learns from the table of some columns: once for each fold, from all other folds.
    pub(super) fn learn(&self, columns: &[usize], seed: u64, progress: &Progress) -> Result<Learnt> {
        let classes = TupleClasses::of(self.table, columns);
        let class_of_tuple = classes.class_of_tuples();
        let labels = self.table.decisions() as usize;
        // The number of rows by class, label and fold.
        let mut rows = vec![0_u32; classes.len() * labels * self.folds];
        let mut cells = self.dealt.chunks_exact(self.folds);
        for tuple in 0..self.table.tuples() as u32 {
            let class = class_of_tuple[tuple as usize] as usize;
            for (cell, dealt) in self.table.cells(tuple).iter().zip(cells.by_ref()) {
                let first = (class * labels + cell.payload as usize) * self.folds;
                rows[first..first + self.folds].iter_mut().zip(dealt).for_each(|(sum, rows)| *sum += rows);
            }
        }
        let features = self.features(columns, &classes)?;
        let mut logarithms = vec![0.0; classes.len() * self.folds * labels];
        let mut probabilities = vec![0.0; labels];
        for fold in 0..self.folds {
            let (mut places, mut decisions, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            for (place, dealt) in rows.chunks_exact(self.folds).enumerate() {
                let left = dealt.iter().sum::<u32>() - dealt[fold];
                if left > 0 {
                    places.push((place / labels) as u32);
                    decisions.push((place % labels) as u32);
                    weights.push(left);
                }
            }
            let taught = Table::weighted(features.select(&places), decisions, labels, weights);
            // Without rows only the prior is known.
            let classifier = if places.is_empty() {
                None
            } else {
                let goes_on = || progress.check().is_ok();
                let learnt = taught.and_then(|table| self.learner.train_while(&table, seed, &goes_on));
                progress.check()?;
                Some(learnt.map_err(failed)?)
            };
            let rows: u64 = self.table.rows();
            // A table may be certain of something that others know to be wrong. One row's worth of doubt lets the others have a
            // say.
            let doubt = 1.0 / (rows + 1) as f64;
            let mut pace = progress.pace();
            for class in 0..classes.len() {
                pace.tick(1)?;
                let prior = self.priors[fold].iter().map(|logarithm| logarithm.exp());
                match &classifier {
                    Some(classifier) => classifier.distribution(&features, class, &mut probabilities),
                    None => probabilities.iter_mut().zip(prior.clone()).for_each(|(p, prior)| *p = prior),
                }
                let first = (class * self.folds + fold) * labels;
                let logarithms = logarithms[first..first + labels].iter_mut();
                for ((logarithm, probability), prior) in logarithms.zip(&probabilities).zip(prior) {
                    *logarithm = ((1.0 - doubt) * probability + doubt * prior).ln();
                }
            }
        }
        Ok(Learnt { class_of_tuple, logarithms })
    }

    /// The classes of some columns as features.
    fn features(&self, columns: &[usize], classes: &TupleClasses) -> Result<Features> {
        let first: Vec<usize> = classes.classes().map(|tuples| tuples[0] as usize).collect();
        let column = |column: &usize| {
            let codes = first.iter().map(|tuple| self.table.column(*column)[*tuple]);
            let name = column.to_string();
            match &self.kinds[*column] {
                FeatureKind::Nominal => {
                    Column::nominal(&name, codes.collect(), self.table.size(*column) as usize)
                }
                FeatureKind::Numeric(numbers) => {
                    Column::numeric(&name, codes.map(|code| numbers[code as usize]).collect())
                }
            }
        };
        Features::new(columns.iter().map(column).collect(), first.len()).map_err(failed)
    }

    /// Counts the rows whose label the tables predict correctly together, each row with the models learnt from the other folds.
    pub(super) fn right(&self, tables: &[&Learnt]) -> u64 {
        let labels = self.table.decisions() as usize;
        let mut right = 0;
        let mut sums = vec![0.0; labels];
        let mut cells = self.dealt.chunks_exact(self.folds);
        let mut of_tuple: Vec<(u32, &[u32])> = Vec::new();
        for tuple in 0..self.table.tuples() as u32 {
            of_tuple.clear();
            of_tuple.extend(self.table.cells(tuple).iter().map(|cell| cell.payload).zip(cells.by_ref()));
            for fold in 0..self.folds {
                if of_tuple.iter().all(|(_, dealt)| dealt[fold] == 0) {
                    continue;
                }
                let beyond = tables.len() as f64 - 1.0;
                sums.iter_mut().zip(&self.priors[fold]).for_each(|(sum, prior)| *sum = -beyond * prior);
                for learnt in tables {
                    let class = learnt.class_of_tuple[tuple as usize] as usize;
                    let first = (class * self.folds + fold) * labels;
                    let logarithms = &learnt.logarithms[first..first + labels];
                    sums.iter_mut().zip(logarithms).for_each(|(sum, logarithm)| *sum += logarithm);
                }
                let best = most(&sums);
                let hit = of_tuple.iter().filter(|(label, _)| *label as usize == best);
                right += hit.map(|(_, dealt)| u64::from(dealt[fold])).sum::<u64>();
            }
        }
        right
    }
}

/// The place of the largest number, the first of several.
fn most(sums: &[f64]) -> usize {
    let mut best = 0;
    for (place, sum) in sums.iter().enumerate() {
        if *sum > sums[best] + SAME {
            best = place;
        }
    }
    best
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::internal(format!("the classifier could not be trained: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rough::testing::{Row, table};

    fn judge(table: &DecisionTable, folds: usize, seed: u64) -> Judge<'_> {
        let learner =
            scumble_learn::registry::build("c45", &scumble_learn::Settings::default()).expect("a learner");
        let kinds = (0..table.width()).map(|_| FeatureKind::Nominal).collect();
        Judge::new(table, kinds, learner, folds, seed)
    }

    /// This many rows of each label, all with one tuple.
    fn one_tuple(labels: [usize; 2]) -> DecisionTable {
        let rows: Vec<Row> =
            (0..labels[0] + labels[1]).map(|row| (vec![0], u32::from(row >= labels[0]))).collect();
        table(1, &rows)
    }

    #[test]
    fn rows_are_dealt_evenly_and_all() {
        let rows: Vec<Row> = (0..23).map(|row| (vec![row % 7], row % 2 + row % 3 / 2)).collect();
        let table = table(1, &rows);
        for seed in 0..5 {
            let judge = judge(&table, 4, seed);
            let of_fold = |fold: usize| judge.dealt.iter().skip(fold).step_by(4).sum::<u32>();
            let sizes = [0, 1, 2, 3].map(of_fold);
            assert_eq!(sizes, [6, 6, 6, 5], "the counter goes on from label to label");
            let cells = (0..table.tuples() as u32).flat_map(|tuple| table.cells(tuple));
            for (cell, dealt) in cells.zip(judge.dealt.chunks(4)) {
                assert_eq!(dealt.iter().sum::<u32>(), cell.rows);
            }
        }
    }

    #[test]
    fn probabilities_are_multiplied_and_the_prior_counts_once() {
        let learnt = |one: f64, other: f64| Learnt {
            class_of_tuple: vec![0],
            // Two folds, three labels of which the last never occurs.
            logarithms: [one.ln(), other.ln(), -50.0, one.ln(), other.ln(), -50.0].to_vec(),
        };
        let (one, other) = (learnt(0.6, 0.4), learnt(0.3, 0.7));
        // Equal priors: 0.6 * 0.3 < 0.4 * 0.7, so the second label is predicted, and its five rows are right.
        let (even, uneven) = (one_tuple([5, 5]), one_tuple([2, 8]));
        assert_eq!(judge(&even, 2, 0).right(&[&one, &other]), 5);
        // One of the other fold's five rows has the first label: 0.18 / (2/8) > 0.28 / (5/8), so the first label is predicted.
        assert_eq!(judge(&uneven, 2, 0).right(&[&one, &other]), 2);
        assert_eq!(judge(&uneven, 2, 0).right(&[&other]), 8, "one table alone needs no prior");
        assert_eq!(judge(&uneven, 2, 0).right(&[]), 8, "no table: the most frequent label");
    }

    #[test]
    fn a_column_that_decides_is_learnt() {
        let rows: Vec<Row> = (0..30).map(|row| (vec![row % 3, row % 2], u32::from(row % 3 == 1))).collect();
        let table = table(2, &rows);
        let judge = judge(&table, 5, 1);
        let learnt = |columns: &[usize]| judge.learn(columns, 0, &Progress::default()).expect("it learns");
        assert_eq!(judge.right(&[&learnt(&[0])]), 30);
        assert_eq!(judge.right(&[&learnt(&[1])]), 20);
        assert_eq!(judge.right(&[&learnt(&[1]), &learnt(&[0])]), 30);
    }
}
