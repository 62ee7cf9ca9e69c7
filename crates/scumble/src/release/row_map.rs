//! The private row map as a file: it says for each row of the original where it stands in the release, and in which group.
//!
//! Nothing that is published says whose a row is, so the release alone cannot show whether everybody is in the right group. Whoever keeps the
//! row map can check it (`scumble check --row-map`). Rows are counted from 1, as in the file of the original.

use scumble_files::Source;
use scumble_verify::{Drops, Mapped, RowMap as MapRead};
use serde::Serialize;

use super::check::cannot_check;
use super::in_memory::RowMap;
use super::publish::unpublished;
use crate::config::Plan;
use crate::error::{Error, Result};

/// The version of the file.
const VERSION: u32 = 1;

/// The file that a release is made from, and which of its rows took part.
#[derive(Clone, Copy)]
pub(super) struct SourceRows<'a> {
    pub(super) source: &'a Source,
    /// For each row of the file whether it was kept; rows with missing values may be left out.
    pub(super) kept: &'a [bool],
}

/// A row map on its way to its file. The verifier reads it with code of its own (`scumble_verify::RowMap`).
#[derive(Serialize)]
pub(super) struct RowMapFile {
    scumble_row_map: u32,
    original: OriginalFile,
    tables: Vec<MappedFile>,
    /// For each row of the original its group, as the release numbers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<Option<String>>>,
}

#[derive(Serialize)]
struct OriginalFile {
    rows: usize,
    /// Ties the map to its original, so that it is not taken for the map of another table.
    sha256: String,
}

#[derive(Serialize)]
struct MappedFile {
    file: String,
    sha256: String,
    /// For each row of the original its row in this table; none where it was left out.
    released_row: Vec<Option<u32>>,
}

/// The note about a row map, which appears wherever the run is described.
pub(super) fn note(plan: &Plan) -> Option<String> {
    let name = plan.row_map.as_ref()?;
    Some(format!("'{name}' says whose each released row is: it is private, do not publish it"))
}

/// A private row map to check a release with: read from its file, or taken from a release in memory.
#[derive(Debug, Clone)]
pub struct SavedRowMap(Saved);

#[derive(Debug, Clone)]
enum Saved {
    File(MapRead),
    Memory(RowMap),
}

impl From<RowMap> for SavedRowMap {
    fn from(map: RowMap) -> Self {
        Self(Saved::Memory(map))
    }
}

impl SavedRowMap {
    /// Reads a row map from the content of its file.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        Ok(Self(Saved::File(MapRead::read(text).map_err(cannot_check)?)))
    }

    /// The row map as the verifier reads it, with `files` as the names of tables in memory. Returns an error if the map is about
    /// another original than this file.
    pub(crate) fn about(&self, original: &Source, files: &[&str]) -> Result<MapRead> {
        match &self.0 {
            Saved::File(map) => {
                map.check_original(&original.sha256()?).map_err(cannot_check)?;
                Ok(map.clone())
            }
            Saved::Memory(map) => {
                let text = serde_json::to_vec(&RowMapFile::of(map, files)).map_err(Error::internal)?;
                MapRead::read(&text).map_err(cannot_check)
            }
        }
    }

    /// For each row of a release of one table its row of the original, counted among the rows that were kept. Returns an error if the map is
    /// about another original or about other tables.
    pub fn sources(&self, original: &Source, kept: &[bool], released: usize) -> Result<Vec<u32>> {
        let map = self.about(original, &[""])?;
        let table = map.only_table().map_err(cannot_check)?;
        let sources = Mapped { map: &map, kept }.sources(table, released, Drops::Allowed);
        sources.map_err(cannot_check)
    }

    /// Whether the row map names files; a row map in memory does not.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.0, Saved::File(_))
    }
}

impl RowMapFile {
    /// The row map of a release in memory, as its file would be.
    fn of(map: &RowMap, files: &[&str]) -> Self {
        let table = |(place, rows): (usize, &Vec<Option<u32>>)| MappedFile {
            file: files.get(place).copied().unwrap_or_default().to_owned(),
            sha256: String::new(),
            released_row: rows.iter().map(|row| row.map(|row| row.saturating_add(1))).collect(),
        };
        let rows = map.tables.first().map_or(0, Vec::len);
        Self {
            scumble_row_map: VERSION,
            original: OriginalFile { rows, sha256: String::new() },
            tables: map.tables.iter().enumerate().map(table).collect(),
            groups: map.groups.clone(),
        }
    }

    /// Converts the map for a program: rows count from 0, and files have no names.
    pub(super) fn in_memory(self) -> RowMap {
        let from_zero =
            |table: MappedFile| table.released_row.into_iter().map(|row| row.map(|row| row - 1)).collect();
        RowMap { tables: self.tables.into_iter().map(from_zero).collect(), groups: self.groups }
    }

    /// Records which file each table has become, with its SHA-256.
    pub(super) fn is_about<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, &'a str)>) {
        for (table, (file, sha256)) in self.tables.iter_mut().zip(files) {
            (table.file, table.sha256) = (file.to_owned(), sha256.to_owned());
        }
    }
}

impl SourceRows<'_> {
    /// The row map of tables. `orders` has, for each row of a table, the original row that it came from, counted among the rows that were kept;
    /// `group_of_row` has the group of each of these, from 0.
    pub(super) fn row_map(&self, orders: &[&[u32]], group_of_row: Option<&[u32]>) -> Result<RowMapFile> {
        let number_of: Vec<usize> = (0..self.kept.len()).filter(|row| self.kept[*row]).collect();
        let table = |order: &&[u32]| {
            let mut released_row = vec![None; self.kept.len()];
            for (place, row) in (1..).zip(*order) {
                released_row[number_of[*row as usize]] = Some(place);
            }
            MappedFile { file: String::new(), sha256: String::new(), released_row }
        };
        let groups = group_of_row.map(|groups| {
            let mut of_row = vec![None; self.kept.len()];
            for (row, group) in number_of.iter().zip(groups) {
                of_row[*row] = Some((group + 1).to_string());
            }
            of_row
        });
        // A table in memory is not a file, so it cannot be taken for another.
        let sha256 =
            if self.source.is_file() { self.source.sha256().map_err(unpublished)? } else { String::new() };
        let original = OriginalFile { rows: self.kept.len(), sha256 };
        let map = RowMapFile {
            scumble_row_map: VERSION,
            original,
            tables: orders.iter().map(table).collect(),
            groups,
        };
        self.check(&map, orders)?;
        Ok(map)
    }

    /// Returns an error if the verifier reads anything else from the map than what it was given when it checked the release.
    fn check(&self, map: &RowMapFile, orders: &[&[u32]]) -> Result<()> {
        let failed = || Error::verification("the row map does not say what was verified".to_owned());
        let read = MapRead::read(&serde_json::to_vec(map).map_err(Error::internal)?)?;
        let mapped = Mapped { map: &read, kept: self.kept };
        if read.tables().len() != orders.len() {
            return Err(failed());
        }
        for (table, order) in read.tables().iter().zip(orders) {
            if mapped.sources(table, order.len(), Drops::Allowed)? != **order {
                return Err(failed());
            }
        }
        Ok(())
    }
}
