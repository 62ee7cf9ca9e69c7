//! Divides rows into those learnt from and those scored.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scumble::base::chance::shuffle;

/// Rows to learn from and rows to score, as ascending row numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The rows that are released and learnt from.
    pub train: Vec<u32>,
    /// The rows that are scored.
    pub test: Vec<u32>,
}

/// The position of a split in a protocol, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Part {
    /// The repetition.
    pub repetition: u32,
    /// The fold.
    pub fold: u32,
}

/// Deals the rows of every class to `folds` folds: shuffled with the seed, one after the other, and each class continues where the last one
/// ended. So the sizes of folds differ by at most 1, and so do their numbers of rows of any class.
#[must_use]
pub fn stratified_folds(class: &[u32], folds: usize, seed: u64) -> Vec<Split> {
    let mut of_class: Vec<Vec<u32>> =
        vec![Vec::new(); class.iter().max().map_or(0, |most| *most as usize + 1)];
    (0_u32..).zip(class).for_each(|(row, class)| of_class[*class as usize].push(row));
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut fold_of_row = vec![0; class.len()];
    let mut next = 0;
    for mut rows in of_class {
        shuffle(&mut rows, &mut chance);
        for row in rows {
            fold_of_row[row as usize] = next;
            next = (next + 1) % folds.max(1);
        }
    }
    let rows = |wanted: &dyn Fn(usize) -> bool| {
        (0_u32..).zip(&fold_of_row).filter(|(_, fold)| wanted(**fold)).map(|(row, _)| row).collect()
    };
    (0..folds).map(|fold| Split { train: rows(&|of| of != fold), test: rows(&|of| of == fold) }).collect()
}

/// Divides rows into halves five times, stratified; each half is learnt from once and scored once. The halves are the same for every
/// method.
#[must_use]
pub fn five_by_two(class: &[u32], seed: u64) -> Vec<[Split; 2]> {
    let halves = |repetition: u64| {
        // Similar seeds must not give similar halves.
        let mut folds = stratified_folds(class, 2, seed.wrapping_add(repetition.wrapping_mul(0x9E37_79B9)));
        let second = folds.pop()?;
        Some([folds.pop()?, second])
    };
    (0..5).filter_map(halves).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn folds_are_even_in_size_and_in_every_class(
            class in prop::collection::vec(0..4_u32, 1..120),
            folds in 2..7_usize,
            seed in 0..50_u64,
        ) {
            let splits = stratified_folds(&class, folds, seed);
            prop_assert_eq!(splits.len(), folds);
            let mut tested = vec![0; class.len()];
            for split in &splits {
                prop_assert_eq!(split.train.len() + split.test.len(), class.len());
                split.test.iter().for_each(|row| tested[*row as usize] += 1);
                prop_assert!(split.test.iter().all(|row| split.train.binary_search(row).is_err()));
            }
            prop_assert!(tested.iter().all(|times| *times == 1), "every row is scored once");
            let even = |sizes: Vec<usize>| sizes.iter().max().zip(sizes.iter().min()).is_some_and(|(a, b)| a - b <= 1);
            prop_assert!(even(splits.iter().map(|split| split.test.len()).collect()));
            for wanted in 0..4 {
                let of_class = |split: &Split| split.test.iter().filter(|row| class[**row as usize] == wanted).count();
                prop_assert!(even(splits.iter().map(of_class).collect()));
            }
        }
    }

    #[test]
    fn five_by_two_swaps_halves_and_repeats_differently() {
        let class: Vec<u32> = (0..40).map(|row| row % 2).collect();
        let found = five_by_two(&class, 7);
        assert_eq!(found.len(), 5);
        for [one, other] in &found {
            assert_eq!((&one.train, &one.test), (&other.test, &other.train));
            assert_eq!(one.train.len(), 20);
        }
        assert_ne!(found[0], found[1]);
        assert_eq!(found, five_by_two(&class, 7), "the seed decides");
        assert_ne!(found, five_by_two(&class, 8));
    }
}
