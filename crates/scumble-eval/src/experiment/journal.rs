//! A journal with a line for every finished result, so that a run can continue where it was stopped.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use scumble::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::protocol::Part;

/// The result of one machine-learning model on one split of one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// A fingerprint of everything that the result depends on.
    pub key: String,
    /// The table.
    pub data: String,
    /// The algorithm's name on the page; `None` for original rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The varying parameters with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// The machine-learning model's name on the page; empty if releases are only measured.
    pub learner: String,
    /// The position of the split in the protocol.
    pub part: Part,
    /// The number of rows learnt from and the number scored.
    pub rows: (u64, u64),
    /// The share of test rows whose class was predicted right; `None` after an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// The mean loss of the release.
    #[serde(default)]
    pub loss: f64,
    /// The share of training rows that were suppressed.
    #[serde(default)]
    pub suppressed: f64,
    /// The share of test cells that no released label covers.
    #[serde(default)]
    pub unmapped: f64,
    /// The values of the plan's metrics, by their names in the registry. A metric that is not defined for the release is missing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<String, f64>,
    /// Seconds for the release.
    #[serde(default)]
    pub release_seconds: f64,
    /// Seconds for learning and scoring.
    #[serde(default)]
    pub learn_seconds: f64,
    /// Why there is no accuracy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Finished results: in a file, or in memory ([`Journal::default`]).
#[derive(Debug, Default)]
pub struct Journal {
    /// `None` if nothing is to outlast the run.
    file: Option<(PathBuf, File)>,
    entries: BTreeMap<String, Entry>,
}

impl Journal {
    /// Opens the journal, or starts a new one. A last line that was cut short by an interrupt is dropped.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(format!("cannot use the journal {}", path.display()), source);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut entries = BTreeMap::new();
        for (number, line) in (1..).zip(text[..whole].lines()) {
            let entry: Entry = serde_json::from_str(line).map_err(|_| {
                Error::data(format!("{}, line {number}: this is no line of a journal", path.display()))
                    .advise("restore the file")
                    .advise("delete the file to begin anew")
            })?;
            entries.insert(entry.key.clone(), entry);
        }
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        Ok(Self { file: Some((path.to_owned(), file)), entries })
    }

    /// Returns the result with that key, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// The number of results.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no results.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds results, which are in the file when this returns.
    pub fn add(&mut self, entries: Vec<Entry>) -> Result<()> {
        let mut lines = String::new();
        for entry in &entries {
            lines += &serde_json::to_string(entry).map_err(Error::internal)?;
            lines.push('\n');
        }
        // One write, so that an interrupt cuts at most the last line.
        if let Some((path, file)) = &mut self.file {
            file.write_all(lines.as_bytes()).and_then(|()| file.flush()).map_err(|source| {
                Error::io(format!("cannot write to the journal {}", path.display()), source)
            })?;
        }
        self.entries.extend(entries.into_iter().map(|entry| (entry.key.clone(), entry)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str) -> Entry {
        Entry {
            key: key.to_owned(),
            data: "clinic".to_owned(),
            algorithm: Some("mondrian".to_owned()),
            values: BTreeMap::from([("k".to_owned(), "5".to_owned())]),
            learner: "c45".to_owned(),
            part: Part { repetition: 1, fold: 2 },
            rows: (90, 10),
            accuracy: Some(0.1 + 0.2),
            loss: 0.25,
            suppressed: 0.0,
            unmapped: 0.0,
            measures: BTreeMap::from([("distortion".to_owned(), 0.1)]),
            release_seconds: 0.5,
            learn_seconds: 0.1,
            error: None,
        }
    }

    #[test]
    fn what_was_written_is_there_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::open(&path).expect("begun");
        assert!(journal.is_empty());
        journal.add(vec![entry("a"), entry("b")]).expect("written");
        let whole = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, format!("{whole}{{\"key\":\"c\",\"da")).expect("torn");
        let mut journal = Journal::open(&path).expect("opened");
        assert_eq!(journal.len(), 2);
        assert_eq!(journal.get("b"), Some(&entry("b")), "to the last bit");
        journal.add(vec![entry("c")]).expect("written");
        assert_eq!(Journal::open(&path).expect("opened").len(), 3);
        assert_eq!(std::fs::read_to_string(&path).expect("read").lines().count(), 3);
    }

    #[test]
    fn a_strange_line_is_told_by_its_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal.jsonl");
        std::fs::write(&path, "what is this\n").expect("written");
        let error = Journal::open(&path).expect_err("no journal").to_string();
        assert!(error.contains("line 1: this is no line of a journal"), "{error}");
    }
}
