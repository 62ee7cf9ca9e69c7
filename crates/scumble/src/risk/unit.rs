//! What is counted: rows, or persons where some have several rows.

use serde::{Deserialize, Serialize};

use crate::base::format::counted;

/// What the classes of a table are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Rows: each is one person.
    #[default]
    Rows,
    /// Persons: some have several rows. A person counts once in each class; in figures once in all, where they are found most easily.
    Persons,
}

impl Unit {
    /// One of them.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Self::Rows => "row",
            Self::Persons => "person",
        }
    }

    /// Many of them.
    #[must_use]
    pub fn many(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Persons => "persons",
        }
    }

    /// So many of them: `1 row`, `2,802 persons`.
    #[must_use]
    pub fn counted(self, number: u64) -> String {
        counted(number, self.one(), self.many())
    }
}
