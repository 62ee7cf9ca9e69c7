//! The manifest of a folder of several tables: enough for `scumble check` to put them side by side again. Public.

use std::path::Path;

use scumble_verify::WrittenForm;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// The name of the manifest in its folder.
pub const MANIFEST: &str = "manifest.json";

/// The content of a folder of several tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The program that made the folder.
    pub made_with: String,
    /// The column that the tables are about.
    pub target: String,
    /// The published columns that outsiders may know.
    pub quasi: Vec<String>,
    /// The models that all tables together keep, in the verifier's words.
    pub models: Vec<Map<String, Value>>,
    /// How the tables belong together.
    pub together: Together,
    /// The tables.
    pub tables: Vec<TableFile>,
    /// How they are written, where that differs from what they mean.
    #[serde(flatten)]
    pub written: WrittenForm,
}

/// How tables belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Together {
    /// Each has some of the columns of every row.
    #[default]
    Projections,
    /// The first has the rows with the number of their group; the second has each group's values of the target.
    Groups {
        /// The column of the group's number.
        group: String,
        /// The column that counts rows.
        count: String,
        /// Where the rows show the target, permuted: the columns of the least value, the greatest, and the sum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sums: Option<[String; 3]>,
    },
}

/// One of several tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableFile {
    /// The name of its file, in the same folder.
    pub file: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its number of rows.
    pub rows: u64,
}

impl Manifest {
    /// Reads the manifest of a folder. A file name that would lead out of the folder is an error.
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = scumble_files::limits::read_whole(&path).map_err(|source| {
            Error::io(
                format!("'{}' cannot be read, which a folder of several tables has", path.display()),
                source,
            )
        })?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|error| {
            Error::data(format!(
                "'{}' is not the manifest of a release of several tables: {error}",
                path.display()
            ))
        })?;
        let stays = |name: &str| Path::new(name).file_name().is_some_and(|only| only == name);
        match manifest.tables.iter().find(|table| !stays(&table.file)) {
            Some(table) => Err(Error::data(format!(
                "'{}' names the table '{}', which is not a file of the same folder",
                path.display(),
                table.file
            ))),
            None => Ok(manifest),
        }
    }

    /// Every file of the folder.
    pub(crate) fn files(&self) -> Vec<&str> {
        self.described_files().into_iter().chain(crate::release::described::ENDINGS).collect()
    }

    /// The files that the datasheet of the folder names.
    pub(crate) fn described_files(&self) -> Vec<&str> {
        self.tables.iter().map(|table| table.file.as_str()).chain([MANIFEST]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_cannot_lead_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest = Manifest {
            made_with: "Scumble".into(),
            target: "d".into(),
            quasi: vec!["a".into()],
            models: Vec::new(),
            together: Together::Projections,
            tables: vec![TableFile { file: "table-1.csv".into(), columns: vec!["a".into()], rows: 1 }],
            written: WrittenForm::default(),
        };
        let write = |manifest: &Manifest| {
            std::fs::write(folder.path().join(MANIFEST), serde_json::to_vec(manifest).unwrap()).unwrap();
            Manifest::load(folder.path())
        };
        assert_eq!(write(&manifest).unwrap(), manifest);
        let mut odd = serde_json::to_value(&manifest).unwrap();
        odd["spreadsheet_safe"] = true.into();
        let read = |json: &Value| serde_json::from_value::<Manifest>(json.clone());
        assert!(read(&odd).unwrap().written.spreadsheet_safe);
        odd["spreadsheet"] = true.into();
        assert!(read(&odd).is_err(), "what is not known is not skipped");
        for elsewhere in ["../secret.csv", "/etc/passwd", "..", "a/b.csv"] {
            manifest.tables[0].file = elsewhere.into();
            assert!(write(&manifest).is_err(), "{elsewhere}");
        }
    }
}
