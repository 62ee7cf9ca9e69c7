//! The coverage so far, kept in a file so that a run can continue where it stopped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::plan::{ALGORITHMS, MODELS};

/// Counts by name, and the next index.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) next: u64,
    counts: BTreeMap<String, u64>,
}

impl Tally {
    /// Reads the counts of an earlier run with the same seed.
    pub(crate) fn read(path: &Path, seed: u64) -> io::Result<Self> {
        let Ok(text) = fs::read_to_string(path) else { return Ok(Self::default()) };
        let mut tally = Self::default();
        for line in text.lines() {
            let Some((count, name)) = line.split_once('\t') else { continue };
            let count = count.parse().map_err(io::Error::other)?;
            match name {
                "seed" if count != seed => {
                    return Err(io::Error::other("the file of figures is of another seed"));
                }
                "seed" => {}
                "next" => tally.next = count,
                _ => {
                    tally.counts.insert(name.to_owned(), count);
                }
            }
        }
        Ok(tally)
    }

    /// Writes the counts, completely or not at all.
    pub(crate) fn write(&self, path: &Path, seed: u64) -> io::Result<()> {
        let mut text = format!("{seed}\tseed\n{}\tnext\n", self.next);
        for (name, count) in &self.counts {
            let _ = writeln!(text, "{count}\t{name}");
        }
        let new = path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, path)
    }

    pub(crate) fn add(&mut self, name: impl Into<String>) -> u64 {
        let count = self.counts.entry(name.into()).or_default();
        *count += 1;
        *count
    }

    fn of(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    pub(crate) fn findings(&self) -> u64 {
        self.counts.iter().filter(|(name, _)| name.starts_with("finding/")).map(|(_, count)| count).sum()
    }

    /// Returns everything as a table for people.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("{} runs\n\n{:28}", self.next, "releases judged");
        let outcomes = ["released", "infeasible", "refused", "data"];
        for outcome in outcomes {
            let _ = write!(text, "{outcome:>11}");
        }
        for (name, ..) in ALGORITHMS {
            let _ = write!(text, "\n{name:28}");
            for outcome in outcomes {
                let _ = write!(text, "{:>11}", self.of(&format!("run/{name}/{outcome}")));
            }
        }
        let _ = write!(text, "\n{:28}", "all");
        for outcome in outcomes {
            let all: u64 =
                ALGORITHMS.iter().map(|(name, ..)| self.of(&format!("run/{name}/{outcome}"))).sum();
            let _ = write!(text, "{all:>11}");
        }
        text += "\n\nreleases by algorithm and model\n";
        let _ = write!(text, "{:28}", "");
        for number in 1..=MODELS.len() {
            let _ = write!(text, "{number:>6}");
        }
        for (name, ..) in ALGORITHMS {
            let _ = write!(text, "\n{name:28}");
            for model in MODELS {
                let _ = write!(text, "{:>6}", self.of(&format!("model/{name}/{model}")));
            }
        }
        text += "\n\n";
        for (number, model) in MODELS.iter().enumerate() {
            let _ = write!(text, "{} = {model}; ", number + 1);
        }
        text += "\n\n";
        for (name, count) in &self.counts {
            if !name.starts_with("run/") && !name.starts_with("model/") {
                let _ = writeln!(text, "{count:>9}  {name}");
            }
        }
        text
    }
}
