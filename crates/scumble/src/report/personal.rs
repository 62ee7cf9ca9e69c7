//! Personal data in columns that are published: what the plan accepts, and what is too little to stop the release.

use serde::{Deserialize, Serialize};

/// Personal data that was found in published columns, and free text. Counts and row numbers, never values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonalData {
    /// What would have stopped the release, had the plan not accepted it. A release with any of this is never called good without a but.
    pub accepted: Vec<AcceptedPersonalData>,
    /// What was found in so few values that it stops nothing. Somebody should look at these rows.
    pub noticed: Vec<NoticedPersonalData>,
}

/// Personal data that a plan accepts in one column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedPersonalData {
    /// The column.
    pub column: String,
    /// The kinds that were found and are accepted; none where the text is accepted as a whole.
    pub kinds: Vec<PersonalKindFound>,
    /// Whether the column is free text, in which nothing can be looked for with certainty.
    pub free_text: bool,
    /// How many distinct values the column has.
    pub values: u64,
    /// Why it may be published, in the plan's words.
    pub reason: String,
}

/// Personal data in too few values of one column to stop a release.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NoticedPersonalData {
    /// The column.
    pub column: String,
    /// The kinds that were found.
    pub kinds: Vec<PersonalKindFound>,
    /// How many distinct values were looked at.
    pub values: u64,
}

/// One kind of personal data in one column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonalKindFound {
    /// Its name in a plan, such as `email`.
    pub kind: String,
    /// How many distinct values are of it.
    pub values: u64,
    /// The first rows of the table with such values, at most five; none where they are not known.
    pub rows: Vec<u64>,
}

impl PersonalData {
    /// With what was found elsewhere.
    pub(crate) fn extend(&mut self, other: Self) {
        self.accepted.extend(other.accepted);
        self.noticed.extend(other.noticed);
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.accepted.is_empty() && self.noticed.is_empty()
    }
}
