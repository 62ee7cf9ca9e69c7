//! Chance on which protection rests.

use std::fs::File;
use std::io::Read;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::error::{Error, Result};

/// Chance from the operating system, which nobody can repeat; from a seed only where one is given, for tests.
pub(crate) fn start(seed: Option<u64>) -> Result<ChaCha20Rng> {
    match seed {
        Some(seed) => Ok(ChaCha20Rng::seed_from_u64(seed)),
        None => Ok(ChaCha20Rng::from_seed(secret()?)),
    }
}

/// A secret start: a known one would let somebody undo the draws.
fn secret() -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut seed)).map_err(|source| {
        Error::Io { what: "the system gives no random numbers (/dev/urandom)".into(), source }
    })?;
    Ok(seed)
}

/// A number below another, all equally likely.
pub(crate) fn below(end: u64, chance: &mut ChaCha20Rng) -> u64 {
    let end = end.max(1);
    let fair = u64::MAX - u64::MAX % end;
    loop {
        let number = chance.next_u64();
        if number < fair {
            return number % end;
        }
    }
}
