//! Whose each row is. A release does not say, and attacks on perturbed values cannot be judged without.

use scumble::release::SavedRowMap;
use scumble::release::prepare::{SpeltTable, select};
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_files::table::CodedTable;

/// What is known of whose each row of a release is.
#[derive(Debug, Clone, Default)]
pub enum Whose {
    /// Nothing.
    #[default]
    Unknown,
    /// The rows of the release stand in the order of the original.
    SameOrder,
    /// The private row map of the release.
    Mapped(SavedRowMap),
}

/// People and their own rows, by their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Rows of the original.
    pub people: Vec<u32>,
    /// For each of them its row of the release.
    pub rows: Vec<u32>,
}

/// People and their own rows: row `i` of the release is about person `i`.
pub struct OwnRows {
    /// The people who have a row.
    pub original: SpeltTable,
    /// Their rows.
    pub release: CodedTable,
    /// The number of people who have none.
    pub without_row: u64,
    /// The perturbed columns that outsiders know.
    pub known: Vec<String>,
}

impl Whose {
    /// Pairs people with their rows. `kept` says for each row of the original's file whether it was read.
    pub(super) fn pairs(&self, original: &Source, kept: &[bool], released: usize) -> Result<Option<Pairs>> {
        let read = kept.iter().filter(|kept| **kept).count();
        match self {
            Self::Unknown => Ok(None),
            Self::Mapped(map) => {
                let people = map.sources(original, kept, released)?;
                Ok(Some(Pairs { rows: (0..people.len() as u32).collect(), people }))
            }
            Self::SameOrder if released == read => {
                let all: Vec<u32> = (0..read as u32).collect();
                Ok(Some(Pairs { people: all.clone(), rows: all }))
            }
            // The release has rows of the original that were not read because a value is missing.
            Self::SameOrder if released == kept.len() => {
                let rows = (0..released as u32).filter(|row| kept[*row as usize]).collect();
                Ok(Some(Pairs { people: (0..read as u32).collect(), rows }))
            }
            Self::SameOrder => Err(Error::config(format!(
                "the rows of the release cannot stand in the order of the original: it has {released} rows, and the original has {}",
                kept.len()
            ))
            .advise("give the row map of the release, if there is one")),
        }
    }
}

impl OwnRows {
    pub(super) fn of(pairs: &Pairs, original: &SpeltTable, release: &CodedTable, known: Vec<String>) -> Self {
        Self {
            original: original.select(&pairs.people),
            release: select::rows(release, &pairs.rows),
            without_row: (original.rows - pairs.people.len()) as u64,
            known,
        }
    }
}
