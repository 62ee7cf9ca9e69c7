//! Seeded random numbers, the same on every machine.

/// Steele, Lea and Flood's SplitMix64: small, and good enough to shuffle rows.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // Takes the high half of a 128-bit product. Its bias is below bound / 2^64.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Puts things in a random order.
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence_and_a_permutation() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        let mut things: Vec<u32> = (0..50).collect();
        random.shuffle(&mut things);
        assert_ne!(things, (0..50).collect::<Vec<u32>>());
        things.sort_unstable();
        assert_eq!(things, (0..50).collect::<Vec<u32>>());
    }
}
