//! The unit of counts: rows, or people where some have several rows.

use serde::{Deserialize, Serialize};

use crate::base::format::counted;

/// The unit in which the classes of a table are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Rows: each is one person.
    #[default]
    Rows,
    /// People: some have several rows. A person counts once in each class, and once in each figure, where they are found most easily.
    Persons,
}

impl Unit {
    /// The singular.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Self::Rows => "row",
            Self::Persons => "person",
        }
    }

    /// The plural.
    #[must_use]
    pub fn many(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Persons => "persons",
        }
    }

    /// A number of them: `1 row`, `2,802 persons`.
    #[must_use]
    pub fn counted(self, number: u64) -> String {
        counted(number, self.one(), self.many())
    }
}
