//! Chance: fair draws, and the kind that protection rests on, which nobody may know unless a seed is given, for tests.

use std::fs::File;
use std::io::Read;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::error::{Error, Result};

/// Chance from a seed, or from the system's secret numbers.
pub(crate) fn secret_unless(seed: Option<u64>) -> Result<ChaCha20Rng> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => Ok(ChaCha20Rng::from_seed(secret()?)),
    }
}

/// A secret start: a known one would let somebody undo the draws.
pub(crate) fn secret() -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut seed))
        .map_err(|source| Error::io("the system gives no random numbers (/dev/urandom)", source))?;
    Ok(seed)
}

/// A number below another, all equally likely.
pub fn below(end: u64, chance: &mut impl Rng) -> u64 {
    let end = end.max(1);
    let fair = u64::MAX - u64::MAX % end;
    loop {
        let number = chance.next_u64();
        if number < fair {
            return number % end;
        }
    }
}

/// Any order of the items is as likely as any other.
pub fn shuffle<T>(items: &mut [T], chance: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(last as u64 + 1, chance) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All six orders of three things come up, about equally often: 1000 each is expected, and 150 are more than five times the
    /// standard deviation of 29.
    #[test]
    fn every_order_is_as_likely() {
        let mut chance = secret_unless(Some(7)).unwrap();
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            shuffle(&mut items, &mut chance);
            *seen.entry(items).or_insert(0_i32) += 1;
        }
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|times| (times - 1000).abs() < 150), "{seen:?}");
    }

    #[test]
    fn without_a_seed_every_run_differs() {
        let draw = || below(u64::MAX, &mut secret_unless(None).unwrap());
        assert_ne!(draw(), draw());
    }
}
