//! All combinations of levels of a small lattice, and the result of each.

use serde::{Deserialize, Serialize};

/// The combinations of levels that a full-domain search chose from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Combinations {
    /// The columns, in the order of the levels.
    pub columns: Vec<String>,
    /// Every combination, in the order of the levels.
    pub nodes: Vec<Combination>,
    /// The number of them that the search checked, if it reports it.
    pub checked: Option<u64>,
}

/// A combination: one level for each column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Combination {
    /// Steps above the lowest level, column by column.
    pub levels: Vec<u32>,
    /// The rows that are suppressed; `None` if it cannot be published within the limit.
    pub suppressed: Option<u64>,
    /// Whether it is the one released.
    pub chosen: bool,
}
