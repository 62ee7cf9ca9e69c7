//! Reproducible random numbers: only whole-number draws, so that every machine draws the same table.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The random numbers of one block of rows.
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    /// Starts a block's own stream of the seed's generator, so that blocks can be drawn in any order.
    pub(super) fn new(seed: u64, block: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(block);
        Self(rng)
    }

    /// Draws a number in `0..n`, practically uniform for the small `n` used here.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(n)) >> 32) as u32
    }

    /// Returns true in `per_mille` of 1000 throws.
    pub(super) fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// Draws one of the words, all equally likely.
    pub(super) fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len() as u32) as usize]
    }
}

/// A wheel of fortune: position `i` comes up in proportion to its weight.
pub(super) struct Wheel {
    cumulative: Vec<u32>,
}

impl Wheel {
    /// Makes a wheel. At least one weight must be positive.
    pub(super) fn new(weights: impl IntoIterator<Item = u32>) -> Self {
        let cumulative: Vec<u32> = weights
            .into_iter()
            .scan(0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        assert!(cumulative.last().is_some_and(|&sum| sum > 0), "a wheel needs a positive weight");
        Self { cumulative }
    }

    pub(super) fn spin(&self, dice: &mut Dice) -> usize {
        let total = self.cumulative[self.cumulative.len() - 1];
        let mark = dice.below(total);
        self.cumulative.partition_point(|&upto| upto <= mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheel_follows_its_weights_and_never_stops_at_zero() {
        let wheel = Wheel::new([0, 1, 0, 3, 0]);
        let mut dice = Dice::new(1, 0);
        let mut seen = [0; 5];
        for _ in 0..4000 {
            seen[wheel.spin(&mut dice)] += 1;
        }
        assert_eq!((seen[0], seen[2], seen[4]), (0, 0, 0));
        assert!((900..1100).contains(&seen[1]), "expected about 1000 of 4000, got {}", seen[1]);
    }

    #[test]
    fn blocks_and_seeds_have_streams_of_their_own() {
        let first = |seed, block| Dice::new(seed, block).below(u32::MAX);
        assert_eq!(first(1, 0), first(1, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
    }
}
