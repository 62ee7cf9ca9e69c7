//! What does a release still give away? Attacks, simulated by somebody who also knows the truth (models.md 4.3 to 4.9).
//!
//! Every attack takes a [`Case`] and gives [`Finding`]s. `scene` is what attackers see and know; one attack a file.

mod definetti;
mod downcoding;
mod finding;
mod finer;
mod minimality;
#[cfg(test)]
mod premises;
mod scene;
#[cfg(test)]
mod staged;

use std::path::Path;

use scumble::Result;
use scumble::config::Plan;
use scumble_files::table::CodedTable;

pub use finding::{Figure, Finding};
pub use scene::{Class, Known, Look, Scene, Secret, Tally, View};

/// An attack that can be simulated.
pub struct Attack {
    /// The name, as in `--only`.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Who described it.
    pub paper: &'static str,
    /// Simulates it: one finding, or one for each sensitive column.
    pub run: fn(&Case<'_>) -> Result<Vec<Finding>>,
}

/// Every attack, in the order of the report.
pub const ATTACKS: &[Attack] = &[minimality::ATTACK, definetti::ATTACK, downcoding::ATTACK];

/// What attacks are given.
pub struct Case<'a> {
    /// The release beside the people it is about.
    pub scene: &'a Scene,
    /// Further releases about the same people, in the same order of people.
    pub others: &'a [Scene],
    /// The release as it reads.
    pub release: &'a CodedTable,
    /// The people it is about.
    pub original: &'a CodedTable,
    /// People like them who are not in it, where such are at hand.
    pub outsiders: Option<&'a CodedTable>,
    /// How the release was made, as far as that is known: the roles of columns, their hierarchies, the models and the algorithm.
    pub plan: &'a Plan,
    /// Where the plan's file names start.
    pub folder: &'a Path,
    /// What is to be tried.
    pub options: &'a Options,
}

/// How attacks are simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The start of all chance.
    pub seed: u64,
    /// How many people are looked at, where looking at all of them takes long.
    pub people: usize,
    /// How many combinations of columns of a size are looked at, where there are more.
    pub combinations: usize,
    /// The most columns that an attacker with partial knowledge knows; all are tried in addition.
    pub known_columns: usize,
    /// The share of what attackers think they know that is wrong.
    pub noise: f64,
    /// The chance of being right from which on somebody counts as at risk.
    pub threshold: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, people: 2_000, combinations: 64, known_columns: 3, noise: 0.0, threshold: 0.5 }
    }
}
