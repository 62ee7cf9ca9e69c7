//! Finds the file that a datasheet describes. A datasheet names the file, its SHA-256 and its rows, so that anybody can see whether a datasheet
//! and a release belong together.

use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};

use scumble_files::database::Address;
use scumble_files::{FolderLock, Source, folder_of, sha256};
use scumble_verify::WrittenForm;
use serde::{Deserialize, Serialize};

use super::tables::manifest::Manifest;
use super::targets::stem_of;
use crate::error::{Error, Result};

/// The endings of a datasheet, for programs and for people.
pub(crate) const ENDINGS: [&str; 2] = ["datasheet.json", "datasheet.md"];

/// One file that a datasheet is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSheet {
    /// Its name, without a folder.
    pub(crate) file: String,
    /// Its rows, if it is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rows: Option<u64>,
    /// Its SHA-256 in hexadecimal digits; of a table in a database, that of its rows as delimited text.
    pub(crate) sha256: String,
    /// Whether it is a table in a database.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) in_database: bool,
}

/// The part of a datasheet that says which files it describes.
#[derive(Deserialize)]
struct About {
    made_with: String,
    files: Vec<FileSheet>,
    #[serde(flatten)]
    written: WrittenForm,
    #[serde(default)]
    guarantees: Vec<Promised>,
}

/// One guarantee of a datasheet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Promised {
    /// The model, as people write it: `5-anonymity`.
    pub model: String,
    /// The columns that it is about.
    pub on: Vec<String>,
}

/// The guarantees in the datasheet beside a release; `None` if there is no datasheet, or if it does not describe this file.
#[must_use]
pub fn promised_by_datasheet(release: &Path) -> Option<Vec<Promised>> {
    if !has_datasheet(release) {
        return None;
    }
    let [sheet, _] = datasheets_of(release);
    read(&sheet).ok().flatten().map(|about| about.guarantees)
}

/// The result of comparing a release with its datasheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SheetCheck {
    /// The datasheet's file, without its folder.
    pub file: String,
    /// Whether it describes this release.
    pub describes: bool,
    /// The ways in which it does not.
    pub faults: Vec<String>,
}

/// The path beside which the documents of a release stand: its own if it is a file. A table in a database has them beside the database's
/// file, or where the program runs.
pub(crate) fn beside_release(release: &Path) -> Cow<'_, Path> {
    match release.to_str().and_then(Address::recognise) {
        Some(Ok(address)) => Cow::Owned(address.documents(Path::new(""))),
        _ => Cow::Borrowed(release),
    }
}

/// The datasheets of a release: `release.csv` has `release.csv.datasheet.json` and `release.csv.datasheet.md`, so that releases with
/// different endings never share one.
#[must_use]
pub fn datasheets_of(release: &Path) -> [PathBuf; 2] {
    let release = &*beside_release(release);
    let name = release.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ENDINGS.map(|ending| release.with_file_name(format!("{name}.{ending}")))
}

/// Datasheets of earlier versions of Scumble beside a release: `release.csv` had `release.datasheet.json`, which names no file.
#[must_use]
pub fn older_datasheets_of(release: &Path) -> Vec<PathBuf> {
    let release = &*beside_release(release);
    let sheets = ENDINGS.map(|ending| release.with_file_name(format!("{}.{ending}", stem_of(release))));
    sheets.into_iter().filter(|path| is_older_datasheet(path)).collect()
}

/// The most bytes of a datasheet; the largest seen has some kilobytes.
const LARGEST: u64 = 64 << 20;

/// The bytes of a possible datasheet. Only files are read: reading a pipe would wait for its writer.
fn bytes_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() || found.len() > LARGEST {
        return Err(std::io::ErrorKind::InvalidData.into());
    }
    std::fs::read(path)
}

/// Whether a file is a datasheet of an earlier version, which names no file.
fn is_older_datasheet(path: &Path) -> bool {
    let Ok(text) = bytes_of(path) else { return false };
    if path.extension().is_some_and(|ending| ending == "json") {
        let Ok(sheet) = serde_json::from_slice::<serde_json::Value>(&text) else { return false };
        let made = sheet.get("made_with").and_then(serde_json::Value::as_str);
        made.is_some_and(|made| made.starts_with("Scumble ")) && sheet.get("files").is_none()
    } else {
        let text = String::from_utf8_lossy(&text);
        is_markdown(&text) && !text.contains("SHA-256")
    }
}

fn is_markdown(text: &str) -> bool {
    text.starts_with("# Datasheet\n") && text.contains(" Made with Scumble ")
}

/// Whether a file is a datasheet.
pub(crate) fn is_datasheet(path: &Path) -> bool {
    if path.extension().is_some_and(|ending| ending == "json") {
        return matches!(read(path), Ok(Some(_)));
    }
    bytes_of(path).is_ok_and(|text| is_markdown(&String::from_utf8_lossy(&text)))
}

/// Whether a file is a release that its datasheet describes.
pub(crate) fn has_datasheet(release: &Path) -> bool {
    let [sheet, _] = datasheets_of(release);
    let release_file = beside_release(release);
    let (Ok(Some(about)), Some(name)) = (read(&sheet), release_file.file_name()) else { return false };
    let Some(of) = about.files.iter().find(|of| name == of.file.as_str()) else { return false };
    digest(release).is_ok_and(|digest| digest == of.sha256)
}

/// How a table is written, as the datasheet beside it says.
#[must_use]
pub fn written_form(release: &Path) -> WrittenForm {
    let [sheet, markdown] = datasheets_of(release);
    match read(&sheet) {
        Ok(about) => about.map(|about| about.written).unwrap_or_default(),
        // The form for people says so in words; which columns it means, only the other form says for programs.
        Err(_) => {
            let says = |words: &str| {
                bytes_of(&markdown).is_ok_and(|text| String::from_utf8_lossy(&text).contains(words))
            };
            let spreadsheet_safe = says(super::datasheet::SPREADSHEET_SAFE);
            WrittenForm { spreadsheet_safe, ..WrittenForm::default() }
        }
    }
}

/// Whether the tables of a folder are those that its datasheet describes.
pub(crate) fn folder_has_datasheet(folder: &Path) -> bool {
    let Ok(Some(about)) = read(&folder.join(ENDINGS[0])) else { return false };
    let as_said = |of: &FileSheet| digest(&folder.join(&of.file)).is_ok_and(|digest| digest == of.sha256);
    !about.files.is_empty() && about.files.iter().all(as_said)
}

/// Reads which files a datasheet describes; `None` if the file is not a datasheet.
fn read(path: &Path) -> std::io::Result<Option<About>> {
    let about: Option<About> = serde_json::from_slice(&bytes_of(path)?).ok();
    let inside =
        |of: &FileSheet| Path::new(&of.file).file_name().is_some_and(|only| only == of.file.as_str());
    Ok(about.filter(|about| about.made_with.starts_with("Scumble ") && about.files.iter().all(inside)))
}

fn digest(path: &Path) -> std::io::Result<String> {
    if path.to_str().is_some_and(|name| Address::recognise(name).is_some()) {
        return Source::open(path).and_then(|source| source.sha256()).map_err(std::io::Error::other);
    }
    sha256(&mut File::open(path)?)
}

/// Compares a release with the datasheet beside it. Returns `None` if there is no datasheet.
pub fn compare_with_datasheet(release: &Path, rows: u64) -> Result<Option<SheetCheck>> {
    // A run that is publishing at this moment has its release in place before its datasheet.
    let documents = beside_release(release);
    let _lock = FolderLock::shared(folder_of(&documents));
    let [data, markdown] = datasheets_of(release);
    let name = documents.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let found = || {
        digest(release).map_err(|source| {
            let unread = |source| Error::io(format!("cannot read '{}'", release.display()), source);
            source.downcast().unwrap_or_else(unread)
        })
    };
    compare(&data, &markdown, Some(&found), |about, faults| {
        let found = found()?;
        // A file that was renamed together with its datasheet is still the file that it describes.
        let by_name = about.files.iter().find(|of| of.file == name);
        let Some(of) = by_name.or_else(|| about.files.iter().find(|of| of.sha256 == found)) else {
            let others: Vec<String> =
                about.files.iter().map(|of| of.file.escape_debug().to_string()).collect();
            faults.push(format!("it is about another file ({})", others.join(", ")));
            return Ok(Vec::new());
        };
        judge(of, &found, Some(rows), "", faults);
        Ok(vec![found])
    })
}

/// Compares the tables of a folder and their rows with the datasheet in it. Returns `None` if there is no datasheet.
pub fn compare_folder_with_datasheet(folder: &Path, tables: &[(String, u64)]) -> Result<Option<SheetCheck>> {
    let _lock = FolderLock::shared(folder_of(folder));
    let [data, markdown] = ENDINGS.map(|ending| folder.join(ending));
    let manifest = Manifest::load(folder)?;
    compare(&data, &markdown, None, |about, faults| {
        let mut digests = Vec::new();
        for of in &about.files {
            let shown = of.file.escape_debug().to_string();
            match digest(&folder.join(&of.file)) {
                Ok(found) => {
                    let rows = tables.iter().find(|(name, _)| *name == of.file).map(|(_, rows)| *rows);
                    judge(of, &found, rows, &format!("{shown}: "), faults);
                    digests.push(found);
                }
                Err(_) => faults.push(format!("{shown}: it is not there, or cannot be read")),
            }
        }
        for name in manifest.described_files() {
            if !about.files.iter().any(|of| of.file == name) {
                faults.push(format!("{}: the datasheet does not name it", name.escape_debug()));
            }
        }
        Ok(digests)
    })
}

/// Compares files with both forms of a datasheet. `files` lists the differences and returns the digests that were found; `alone` returns the
/// digest of the only file, where the form for people is enough.
fn compare(
    data: &Path,
    markdown: &Path,
    alone: Option<&dyn Fn() -> Result<String>>,
    files: impl FnOnce(&About, &mut Vec<String>) -> Result<Vec<String>>,
) -> Result<Option<SheetCheck>> {
    let name =
        |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let text = bytes_of(markdown).ok().map(|text| String::from_utf8_lossy(&text).into_owned());
    let mut faults = Vec::new();
    let about = match read(data) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && text.is_none() => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let names = |digest: String| {
                text.as_ref().is_some_and(|text| is_markdown(text) && text.contains(&digest))
            };
            let describes = match alone {
                Some(digest) => names(digest()?),
                None => false,
            };
            if !describes {
                let why = if alone.is_some() { ", and it does not name this SHA-256" } else { "" };
                faults.push(format!("'{}' is missing; only the Markdown version is there{why}", name(data)));
            }
            return Ok(Some(SheetCheck { file: name(markdown), describes, faults }));
        }
        Err(_) => {
            faults.push("it cannot be read".to_owned());
            None
        }
        Ok(None) => {
            faults.push("it is not a datasheet of Scumble that names its files".to_owned());
            None
        }
        Ok(about) => about,
    };
    if let Some(about) = about {
        let digests = files(&about, &mut faults)?;
        if let Some(text) = text
            && !digests.iter().all(|digest| text.contains(digest))
        {
            faults.push(format!("'{}' names another SHA-256", name(markdown)));
        }
    }
    Ok(Some(SheetCheck { file: name(data), describes: faults.is_empty(), faults }))
}

/// Compares what a datasheet says of a file with the file.
fn judge(of: &FileSheet, digest: &str, rows: Option<u64>, before: &str, faults: &mut Vec<String>) {
    if of.sha256 != digest {
        faults.push(format!(
            "{before}its SHA-256 differs from the one in the datasheet: the file was changed, or the datasheet belongs to another release"
        ));
    }
    if let (Some(said), Some(found)) = (of.rows, rows)
        && said != found
    {
        faults.push(format!("{before}the datasheet says {said} rows, and there are {found}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_for_a_datasheet_is_not_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(LARGEST).expect("a size");
        assert!(bytes_of(file.path()).is_ok());
        file.as_file().set_len(LARGEST + 1).expect("a size");
        assert!(bytes_of(file.path()).is_err());
    }
}
