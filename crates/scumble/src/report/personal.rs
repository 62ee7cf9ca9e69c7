//! Personal data in columns that are published: what the plan accepts, and what is too rare to stop the release.

use serde::{Deserialize, Serialize};

/// Personal data and free text in published columns. Counts and row numbers, never values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonalData {
    /// Findings that would have stopped the release if the plan did not accept them. A release with any of these never gets a green
    /// verdict.
    pub accepted: Vec<AcceptedPersonalData>,
    /// Findings in so few values that they do not stop the release. Somebody should check these rows.
    pub noticed: Vec<NoticedPersonalData>,
}

/// Personal data that a plan accepts in one column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AcceptedPersonalData {
    /// The column.
    pub column: String,
    /// The kinds that were found and are accepted; empty where the text is accepted as a whole.
    pub kinds: Vec<PersonalKindFound>,
    /// Whether the column is free text, in which a search can miss personal data.
    pub free_text: bool,
    /// The number of distinct values in the column.
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
    /// The number of distinct values that were checked.
    pub values: u64,
}

/// One kind of personal data in one column.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonalKindFound {
    /// Its name in a plan, such as `email`.
    pub kind: String,
    /// The number of distinct values of this kind.
    pub values: u64,
    /// The first rows of the table with such values, at most five; empty where they are not known.
    pub rows: Vec<u64>,
}

impl PersonalData {
    /// Adds other findings.
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
