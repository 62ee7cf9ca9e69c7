//! Multirelational k-anonymity (models.md 1.7): what all rows of a person show together is shared by at least k persons.

use std::collections::BTreeMap;

use scumble_files::table::CodedColumn;

use super::{Classes, ModelOutcome, StarRows, WORST, WorstClass};

/// The requirement, without the column of persons.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Relational {
    pub(super) k: u64,
    /// Whether only the different classes of a person count, and not how often each occurs.
    pub(super) set: bool,
}

impl Relational {
    /// Judges all persons of a release. What the outcome calls classes are the groups of persons.
    pub(super) fn judge(
        &self,
        name: &str,
        label: String,
        classes: &Classes,
        person: &CodedColumn,
    ) -> ModelOutcome {
        let mut seen: Vec<Vec<u32>> = vec![Vec::new(); person.values.len()];
        for (row, class) in classes.groups.of_row.iter().enumerate() {
            seen[person.codes.get(row) as usize].push(*class);
        }
        let star = classes.star.filter(|_| classes.star_rule == StarRows::Unjudged);
        let mut groups: BTreeMap<Vec<u32>, (u64, u64)> = BTreeMap::new();
        for mut tuples in seen.into_iter().filter(|tuples| !tuples.is_empty()) {
            if tuples.iter().any(|&class| Some(class as usize) == star) {
                continue;
            }
            let rows = tuples.len() as u64;
            tuples.sort_unstable();
            if self.set {
                tuples.dedup();
            }
            let (persons, all) = groups.entry(tuples).or_default();
            *persons += 1;
            *all += rows;
        }
        let groups: Vec<(u64, u64)> = groups.into_values().collect();
        let failing: Vec<&(u64, u64)> = groups.iter().filter(|(persons, _)| *persons < self.k).collect();
        let class = |&(persons, size): &(u64, u64)| WorstClass { size, attained: persons as f64 };
        let mut worst: Vec<WorstClass> = groups.iter().map(class).collect();
        worst.sort_unstable_by(|a, b| a.worse_first(b, true));
        worst.truncate(WORST);
        ModelOutcome {
            name: name.to_owned(),
            label,
            required: self.k as f64,
            attained: worst.first().map(|class| class.attained),
            holds: failing.is_empty(),
            failing_classes: failing.len() as u64,
            failing_rows: failing.iter().map(|(_, rows)| rows).sum(),
            worst,
            note: None,
        }
    }
}
