//! Collecting what is wrong with a hierarchy, and checks of the whole tree.

use std::collections::BTreeMap;

use super::listing::Listing;
use super::tree::Hierarchy;
use crate::error::{Error, Result};

/// Messages shown in full; the rest is counted.
const SHOWN: usize = 10;

/// Findings about one file, with their lines. Many are shown at once, so that they can be corrected at once.
#[derive(Debug, Default)]
pub(super) struct Findings {
    file: String,
    shown: Vec<String>,
    more: usize,
}

impl Findings {
    /// No findings yet about this file.
    pub(super) fn about(file: &str) -> Self {
        Self { file: file.to_string(), ..Self::default() }
    }

    /// Adds a finding at a line.
    pub(super) fn at(&mut self, line: u32, message: impl std::fmt::Display) {
        if self.shown.len() < SHOWN {
            self.shown.push(format!("{}:{line}: {message}", self.file));
        } else {
            self.more += 1;
        }
    }

    /// Adds a finding about the whole file.
    pub(super) fn whole(&mut self, message: impl std::fmt::Display) {
        if self.shown.len() < SHOWN {
            self.shown.push(format!("{}: {message}", self.file));
        } else {
            self.more += 1;
        }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The findings as notes.
    pub(super) fn into_notes(mut self) -> Vec<String> {
        if self.more > 0 {
            self.shown.push(format!("{}: … and {} more of this kind", self.file, self.more));
        }
        self.shown
    }

    /// An error with all findings, if there are any.
    pub(super) fn into_result(self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Error::data(self.into_notes().join("; "))) }
    }
}

/// A text without its white space, to see whether two differ in nothing else.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// Only a root may be called `*`, which stands for a suppressed value.
pub(super) fn check_star(listing: &Listing, problems: &mut Findings) {
    for node in (1..listing.len()).filter(|node| listing.label(*node) == "*" && listing.label(0) != "*") {
        problems.at(
            listing.lines[node as usize],
            "'*' stands for a suppressed value, so only the root may be called that",
        );
    }
}

/// Notes labels that differ only in white space: likely one thing, written in two ways.
pub(super) fn note_white_space(listing: &Listing, notes: &mut Findings) {
    if !listing.labels.iter().any(|label| label.contains(char::is_whitespace)) {
        return;
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for node in 0..listing.len() {
        let label = listing.label(node);
        let first = *seen.entry(squeezed(label)).or_insert(node);
        if listing.label(first) != label {
            notes.at(
                listing.lines[node as usize],
                format_args!(
                    "'{label}' differs from '{}' (line {}) only in spaces",
                    listing.label(first),
                    listing.lines[first as usize]
                ),
            );
        }
    }
}

/// One note per level that groups nothing beyond the level below it.
pub(super) fn idle_levels(tree: &Hierarchy, column: &str) -> Vec<String> {
    let sizes = tree.level_sizes();
    (1..sizes.len())
        .filter(|level| sizes[*level] == sizes[level - 1])
        .map(|level| {
            format!(
                "column '{column}': level {level} of its hierarchy groups the same values as level {}; \
                 remove it to speed up the search",
                level - 1
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_findings_are_counted() {
        let mut findings = Findings::about("f.csv");
        assert!(findings.is_empty());
        for line in 1..=12 {
            findings.at(line, "bad");
        }
        let notes = findings.into_notes();
        assert_eq!(notes.len(), 11);
        assert_eq!(notes[0], "f.csv:1: bad");
        assert_eq!(notes[10], "f.csv: … and 2 more of this kind");
        assert!(Findings::about("f").into_result().is_ok());
    }
}
