//! Estimates, from the people at hand, how much of the population a group's description fits.
//!
//! Counting the people whom all labels fit would show nothing, because the release drew its groups around them. Taking columns as
//! independent would make common combinations look rare. So columns are joined in pairs: the shares of the single labels are multiplied,
//! and then, along a tree of pairs (Chow and Liu 1968), by how much more often both labels of a pair fit than if they were independent. Of
//! all trees the one with the largest result is used, so that a description is rather taken for common than for rare. The people of the
//! group itself are counted, too, which makes it look still more common.

use std::collections::BTreeMap;

use crate::attack::Scene;

/// For every label of some looks, the people whom it fits.
pub(super) struct Weights {
    people: u64,
    /// One bit for each person, by column and label.
    fits: Vec<BTreeMap<u32, Vec<u64>>>,
}

impl Weights {
    /// Prepares weights from these people, for these looks.
    pub(super) fn new(scene: &Scene, people: &[u32], looks: &[u32]) -> Self {
        let column = |column: usize| {
            let known = &scene.known[column];
            let mut of_label: BTreeMap<u32, Vec<u64>> = looks
                .iter()
                .map(|look| (scene.looks[*look as usize].labels[column], vec![0; people.len().div_ceil(64)]))
                .collect();
            for (place, person) in people.iter().enumerate() {
                for label in known.covering[known.of_person[*person as usize] as usize].iter() {
                    if let Some(bits) = of_label.get_mut(&label) {
                        bits[place / 64] |= 1 << (place % 64);
                    }
                }
            }
            of_label
        };
        Self { people: people.len() as u64, fits: (0..scene.known.len()).map(column).collect() }
    }

    /// Returns the share of the population whom all these labels fit. A label that fits none of the people at hand counts as if it fitted
    /// one.
    pub(super) fn of(&self, labels: &[u32]) -> f64 {
        let bits: Vec<&[u64]> = self.fits.iter().zip(labels).map(|(of, label)| &of[label][..]).collect();
        let share = |fitting: u64| fitting.max(1) as f64 / self.people as f64;
        let single: Vec<f64> = bits.iter().map(|bits| share(ones(bits.iter().copied()))).collect();
        let lift = |one: usize, other: usize| {
            let both = ones(bits[one].iter().zip(bits[other]).map(|(a, b)| a & b));
            share(both) / (single[one] * single[other])
        };
        (single.iter().product::<f64>() * largest_tree(bits.len(), lift)).min(1.0)
    }
}

fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}

/// Returns the largest product of lifts along pairs that form no cycle. Pairs that would make it smaller are left out (Prim).
fn largest_tree(columns: usize, lift: impl Fn(usize, usize) -> f64) -> f64 {
    let mut product = 1.0;
    // The largest lift between each column that is not in the tree and one that is.
    let mut best: Vec<Option<f64>> =
        (0..columns).map(|column| (column > 0).then(|| lift(0, column))).collect();
    for _ in 1..columns {
        let outside = best.iter().enumerate().filter_map(|(column, best)| Some((column, (*best)?)));
        let Some((next, largest)) = outside.reduce(|best, next| if next.1 > best.1 { next } else { best })
        else {
            break;
        };
        product *= largest.max(1.0);
        best[next] = None;
        for (column, best) in best.iter_mut().enumerate() {
            *best = best.map(|before| before.max(lift(next, column)));
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::staged::Stage;
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("a", "quasi"), ("b", "quasi"), ("c", "quasi")];

    fn weight(people: &[[&str; 3]], labels: [&str; 3]) -> f64 {
        let stage = Stage::new(COLUMNS, &[labels], people);
        let all: Vec<u32> = (0..people.len() as u32).collect();
        Weights::new(stage.case().scene, &all, &[0]).of(&stage.case().scene.looks[0].labels)
    }

    #[test]
    fn independent_columns_are_multiplied() {
        // All eight combinations, each once: a half of a half of a half.
        let rows: Vec<[&str; 3]> =
            (0..8).map(|row| [0, 1, 2].map(|bit| if row >> bit & 1 == 1 { "x" } else { "y" })).collect();
        assert!((weight(&rows, ["x", "y", "x"]) - 0.125).abs() < 1e-12);
        assert!((weight(&rows, ["x", "*", "x"]) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn columns_that_go_together_are_no_rarer_than_each() {
        // b repeats a, and c is independent of both: 1/2 · 1/2 · 1/2, times the lift of 2 between a and b.
        let rows = [["x", "x", "x"], ["x", "x", "y"], ["y", "y", "x"], ["y", "y", "y"]];
        assert!((weight(&rows, ["x", "x", "x"]) - 0.25).abs() < 1e-12);
        // Nobody has x and y. This pair would make the product smaller and is left out.
        assert!((weight(&rows, ["x", "y", "x"]) - 0.125).abs() < 1e-12);
    }

    #[test]
    fn labels_that_fit_nobody_are_as_rare_as_so_few_people_can_tell() {
        assert!((weight(&[["x", "x", "x"]; 3], ["z", "x", "x"]) - 1.0 / 3.0).abs() < 1e-12);
    }

    proptest! {
        /// The weight is never below the product of the columns' shares, and never above the share of any single label.
        #[test]
        fn between_independence_and_certainty(rows in prop::collection::vec(prop::array::uniform3(0..2_usize), 1..30)) {
            let texts = ["x", "y"];
            let people: Vec<[&str; 3]> = rows.iter().map(|row| row.map(|value| texts[value])).collect();
            let share = |column: usize| rows.iter().filter(|row| row[column] == 0).count().max(1) as f64 / rows.len() as f64;
            let shares = [0, 1, 2].map(share);
            let found = weight(&people, ["x", "x", "x"]);
            prop_assert!(found >= shares.iter().product::<f64>() - 1e-12);
            prop_assert!(shares.iter().all(|share| found <= share + 1e-12), "{found} {shares:?}");
        }
    }
}
