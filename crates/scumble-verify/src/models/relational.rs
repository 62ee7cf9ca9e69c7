//! Multirelational k-anonymity (models.md 1.7): at least k people share what all rows of a person show together.

use std::collections::BTreeMap;

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use super::{Classes, ModelOutcome, StarRows, WORST, WorstClass};
use crate::columns::{RELEASE, column};
use crate::error::VerifyError;
use crate::watch::Pace;

/// The requirement, without the column that names the person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Relational {
    pub(super) k: u64,
    /// Whether only a person's distinct classes count, and not how often each occurs.
    pub(super) set: bool,
}

/// What a person shows in a table: the number of the table, the class, and the number of rows.
type Seen = (usize, u32, u64);

/// One of several released tables about the same people.
#[derive(Debug, Clone, Copy)]
pub struct Relation<'a> {
    /// The table.
    pub table: &'a CodedTable,
    /// Its quasi-identifiers.
    pub quasi: &'a [String],
    /// The column that says who a row is about. Equal texts mean the same person.
    pub person: &'a str,
}

/// Checks multirelational k-anonymity over several tables: at least `k` people share all rows of a person in all tables. A
/// person without rows in a table shows nothing there. With `set`, it does not matter how often a person shows the same.
pub fn check_relations(
    relations: &[Relation<'_>],
    k: u64,
    set: bool,
    star: StarRows,
    control: &Control,
) -> Result<ModelOutcome, VerifyError> {
    let relational = Relational { k, set };
    let mut classes = Vec::new();
    for relation in relations {
        let person = column(relation.table, RELEASE, relation.person)?;
        classes.push((Classes::of(relation.table, relation.quasi, star)?, person));
    }
    let tables: Vec<(&Classes, &CodedColumn)> =
        classes.iter().map(|(classes, person)| (classes, *person)).collect();
    relational.judge("multirelational", relational.label(tables.len()), &tables, control)
}

impl Relational {
    pub(super) fn label(&self, tables: usize) -> String {
        let over = if tables > 1 { format!(" over {tables} tables") } else { String::new() };
        let numbers = if self.set { ", whatever the number of rows" } else { "" };
        format!("multirelational k-anonymity{over}{numbers}")
    }

    /// Checks all people of some tables. The classes of the outcome are groups of people here.
    pub(super) fn judge(
        &self,
        name: &str,
        label: String,
        tables: &[(&Classes, &CodedColumn)],
        control: &Control,
    ) -> Result<ModelOutcome, VerifyError> {
        let mut pace = Pace::new(control);
        let mut seen: BTreeMap<&str, Vec<Seen>> = BTreeMap::new();
        let mut unjudged: Vec<&str> = Vec::new();
        for (number, (classes, person)) in tables.iter().enumerate() {
            let star = classes.star.filter(|_| classes.star_rule == StarRows::Unjudged);
            for (row, class) in classes.groups.of_row.iter().enumerate() {
                pace.tick(1)?;
                let who = person.values.get(person.codes.get(row));
                seen.entry(who).or_default().push((number, *class, classes.groups.weight(row)));
                if Some(*class as usize) == star {
                    unjudged.push(who);
                }
            }
        }
        unjudged.iter().for_each(|who| drop(seen.remove(who)));
        let mut groups: BTreeMap<Vec<Seen>, (u64, u64)> = BTreeMap::new();
        for mut shown in seen.into_values() {
            pace.tick(1)?;
            let rows = shown.iter().map(|(_, _, rows)| rows).sum::<u64>();
            shown.sort_unstable();
            shown.dedup_by(|next, one| {
                let is_same = (next.0, next.1) == (one.0, one.1);
                one.2 += if is_same { next.2 } else { 0 };
                is_same
            });
            if self.set {
                shown.iter_mut().for_each(|(_, _, rows)| *rows = 1);
            }
            let (persons, all) = groups.entry(shown).or_default();
            *persons += 1;
            *all += rows;
        }
        let groups: Vec<(u64, u64)> = groups.into_values().collect();
        let failing: Vec<&(u64, u64)> = groups.iter().filter(|(persons, _)| *persons < self.k).collect();
        let class = |&(persons, size): &(u64, u64)| WorstClass { size, attained: persons as f64 };
        let mut worst: Vec<WorstClass> = groups.iter().map(class).collect();
        worst.sort_unstable_by(|a, b| a.worse_first(b, true));
        worst.truncate(WORST);
        Ok(ModelOutcome {
            name: name.to_owned(),
            label,
            required: self.k as f64,
            attained: worst.first().map(|class| class.attained),
            holds: failing.is_empty(),
            failing_classes: failing.len() as u64,
            failing_rows: failing.iter().map(|(_, rows)| rows).sum(),
            worst,
            note: None,
        })
    }
}
