//! The private row map: which original row each released row comes from, and which group it is in. It is written when a release
//! is made; this file reads it.
//!
//! A fault of a row map is an error, never a result about the release: the map of another table says nothing about this one.

use serde::Deserialize;

use crate::error::VerifyError;
use crate::truth::Drops;

/// The version of the file format that is understood.
const VERSION: u32 = 1;

/// A row map as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowMap {
    scumble_row_map: u32,
    original: MappedOriginal,
    tables: Vec<MappedTable>,
    /// The group of each original row.
    #[serde(default)]
    groups: Option<Vec<Option<String>>>,
}

/// The original table that a row map is about.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct MappedOriginal {
    rows: usize,
    sha256: String,
}

/// The part of a row map that is about one table of the release.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappedTable {
    file: String,
    sha256: String,
    /// For each original row its row in this table, counted from 1; `None` if it is not there.
    released_row: Vec<Option<u32>>,
}

/// A row map, together with the original that it is about.
#[derive(Debug, Clone, Copy)]
pub struct Mapped<'a> {
    /// The row map.
    pub map: &'a RowMap,
    /// For each row of the original, as it was read, whether it is compared. Rows with missing values may have been left out.
    pub kept: &'a [bool],
}

fn unusable(why: impl Into<String>) -> VerifyError {
    VerifyError::RowMap { why: why.into() }
}

impl RowMap {
    /// Reads a row map.
    pub fn read(text: &[u8]) -> Result<Self, VerifyError> {
        // The library's own message could quote what it has read.
        let map: Self = serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            unusable(format!("it is not a row map that Scumble has written (line {line}, column {column})"))
        })?;
        if map.scumble_row_map != VERSION {
            return Err(VerifyError::OtherMap {
                why: "another version of Scumble has written it",
                remedy: "make the release again",
            });
        }
        let lists = map.tables.iter().map(|table| table.released_row.len());
        for listed in lists.chain(map.groups.iter().map(Vec::len)) {
            if listed != map.original.rows {
                return Err(unusable(format!(
                    "it lists {listed} rows, and says that the original has {}; every row of the original must be in it once",
                    map.original.rows
                )));
            }
        }
        Ok(map)
    }

    /// Returns an error if the map is about another original than the one with this SHA-256.
    pub fn check_original(&self, sha256: &str) -> Result<(), VerifyError> {
        if self.original.sha256 == sha256 {
            return Ok(());
        }
        Err(VerifyError::OtherMap {
            why: "it is about another original: the SHA-256 is not the one of the file that was given",
            remedy: "give the very file that the release was made from",
        })
    }

    /// The tables of the release, in their order.
    #[must_use]
    pub fn tables(&self) -> &[MappedTable] {
        &self.tables
    }

    /// The part of the map that is about a file of the release.
    #[must_use]
    pub fn table(&self, file: &str) -> Option<&MappedTable> {
        self.tables.iter().find(|table| table.file == file)
    }

    /// The table of a release that has only one, whatever its file is called now.
    pub fn only_table(&self) -> Result<&MappedTable, VerifyError> {
        match (&self.tables[..], &self.groups) {
            ([only], None) => Ok(only),
            _ => Err(VerifyError::OtherMap {
                why: "it is about a folder of several tables, and not about one table",
                remedy: "check the folder",
            }),
        }
    }
}

impl MappedTable {
    /// The name of the table's file when it was written.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether the map was written together with the file of this SHA-256.
    #[must_use]
    pub fn is_of(&self, sha256: &str) -> bool {
        self.sha256 == sha256
    }
}

impl<'a> Mapped<'a> {
    /// Returns, for each released row of a table, its original row, counted from 0 among the rows that are compared.
    pub fn sources(
        &self,
        table: &MappedTable,
        released: usize,
        drops: Drops,
    ) -> Result<Vec<u32>, VerifyError> {
        self.check_rows()?;
        let mut sources: Vec<Option<u32>> = vec![None; released];
        let mut source = 0;
        for (row, (place, kept)) in (1..).zip(table.released_row.iter().zip(self.kept)) {
            if !kept {
                if place.is_some() {
                    let why = format!(
                        "row {row} of the original has a missing value and is left out here, and yet it says where that row is"
                    );
                    return Err(VerifyError::OtherRows { why });
                }
                continue;
            }
            let this = source;
            source += 1;
            let Some(place) = place else {
                if drops == Drops::Allowed {
                    continue;
                }
                let why = format!(
                    "it does not say where row {row} of the original is, and every row must be in the release unless rows with missing \
                     values were left out"
                );
                return Err(VerifyError::OtherRows { why });
            };
            let at = (*place as usize).checked_sub(1).and_then(|place| sources.get_mut(place));
            let at = at.ok_or_else(|| {
                unusable(format!("row {row} of the original is said to be in row {place}, and the release has {released} rows"))
            })?;
            if at.is_some() {
                return Err(unusable(format!(
                    "two rows of the original are said to be in row {place} of the release"
                )));
            }
            *at = Some(this);
        }
        let nobody = |at: usize| unusable(format!("row {} of the release is nobody's by it", at + 1));
        sources.iter().enumerate().map(|(at, source)| source.ok_or_else(|| nobody(at))).collect()
    }

    /// Returns the group of each original row that is compared.
    pub fn groups(&self) -> Result<Vec<&'a str>, VerifyError> {
        self.check_rows()?;
        let groups = self.map.groups.as_ref();
        let groups = groups.ok_or_else(|| unusable("it has no groups, and the release has"))?;
        let compared = (1..).zip(groups).zip(self.kept).filter(|(_, kept)| **kept);
        compared
            .map(|((row, group), _)| {
                let group = group.as_deref();
                group.ok_or_else(|| unusable(format!("row {row} of the original is in no group")))
            })
            .collect()
    }

    /// Returns an error if the original does not have as many rows as the map says.
    fn check_rows(&self) -> Result<(), VerifyError> {
        let (said, found) = (self.map.original.rows, self.kept.len());
        if said == found {
            return Ok(());
        }
        Err(unusable(format!("it is about an original of {said} rows, and this one has {found}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(released: &str, groups: &str) -> Result<RowMap, VerifyError> {
        let text = format!(
            r#"{{"scumble_row_map":1,"original":{{"rows":4,"sha256":"aa"}},
                "tables":[{{"file":"rows.csv","sha256":"bb","released_row":{released}}}],"groups":{groups}}}"#
        );
        RowMap::read(text.as_bytes())
    }

    const GROUPS: &str = r#"["1","2","1",null]"#;

    fn sources(released: &str, kept: &[bool], rows: usize, drops: Drops) -> Result<Vec<u32>, String> {
        let map = map(released, GROUPS).map_err(|error| error.to_string())?;
        let mapped = Mapped { map: &map, kept };
        mapped.sources(&map.tables[0], rows, drops).map_err(|error| error.to_string())
    }

    #[test]
    fn released_rows_get_their_originals() {
        let kept = [true, true, true, false];
        assert_eq!(sources("[3,1,2,null]", &kept, 3, Drops::Forbidden).unwrap(), [1, 2, 0]);
        // A row that was left out for a missing value is not counted.
        let later = [false, true, true, true];
        assert_eq!(sources("[null,3,1,2]", &later, 3, Drops::Forbidden).unwrap(), [1, 2, 0]);
        assert_eq!(sources("[2,null,1,null]", &kept, 2, Drops::Allowed).unwrap(), [2, 0]);
        let map = map("[3,1,2,null]", GROUPS).unwrap();
        assert_eq!(Mapped { map: &map, kept: &kept }.groups().unwrap(), ["1", "2", "1"]);
        assert!(Mapped { map: &map, kept: &[true; 4] }.groups().is_err(), "row 4 is in no group");
        assert!(map.check_original("aa").is_ok() && map.check_original("bb").is_err());
        assert!(map.table("rows.csv").unwrap().is_of("bb") && map.table("other.csv").is_none());
        assert!(map.only_table().is_err());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let kept = [true, true, true, false];
        for (released, words) in [
            ("[3,1,2]", "lists 3 rows"),
            ("[3,1,null,null]", "does not say where row 3"),
            ("[3,1,1,null]", "two rows of the original are said to be in row 1"),
            ("[3,1,4,null]", "said to be in row 4, and the release has 3 rows"),
            ("[3,1,0,null]", "said to be in row 0"),
            ("[3,1,2,4]", "row 4 of the original has a missing value"),
            ("[3,1,\"secret\",null]", "not a row map"),
        ] {
            let error = sources(released, &kept, 3, Drops::Forbidden).unwrap_err();
            assert!(error.contains(words) && !error.contains("secret"), "{error}");
        }
        let error = sources("[1,null,2,null]", &kept, 3, Drops::Allowed).unwrap_err();
        assert!(error.contains("row 3 of the release is nobody's"), "{error}");
        let error = sources("[3,1,2,null]", &kept[..3], 3, Drops::Forbidden).unwrap_err();
        assert!(error.contains("an original of 4 rows, and this one has 3"), "{error}");
        assert!(RowMap::read(b"{}").is_err());
    }
}
