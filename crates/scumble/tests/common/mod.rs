//! What the tests over the registry share: random tables, requirements, runs, and a naive second opinion that works on
//! released strings alone.
#![allow(dead_code, reason = "each test file uses its own part of this")]

pub(crate) mod asking;
pub(crate) mod column;
pub(crate) mod cost;
pub(crate) mod demand;
pub(crate) mod grid;
pub(crate) mod memory;
pub(crate) mod naive;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod served;
pub(crate) mod table;
pub(crate) mod wide;

use proptest::test_runner::{Config, RngSeed};

/// The same cases in every run: a failure is a failure for everybody, and the time is known.
pub(crate) fn seeded(seed: u64, cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    }
}
