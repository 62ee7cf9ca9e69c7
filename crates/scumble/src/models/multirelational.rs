//! Multirelational k-anonymity (models.md 1.7): all rows of a person together are shared by at least k people.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::values::largest;
use super::{Model, ModelContext, Monotonicity, Verdict, Words, needs};
use crate::base::entry::{Entry, Standing};
use crate::base::text::grouped;
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};
use crate::recoding::published::{ClassView, Classes, Look};
use crate::table::payload::Payloads;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "multirelational",
    title: "multirelational k-anonymity",
    paper: "Nergiz, Clifton, Nergiz 2007",
    standing: Standing::Recommended,
    about: "For somebody who knows all rows of a person: every person has at least k − 1 others whose rows, taken together, show the same \
            in the quasi-identifiers, as often. k-anonymity that counts persons protects against someone who knows one row. It judges \
            the whole table and no single group.",
    parameters: &[
        ("k", "the least number of persons whose rows look the same, at least 1"),
        (
            "count",
            "multiset (default): also how many rows look the same; set: only which, for outsiders who do not know how many rows there \
             are",
        ),
    ],
    build,
};

struct Multirelational {
    k: u64,
    set: bool,
    person: String,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let (k, set) = settings(parameters)?;
    let person = context.person().ok_or_else(no_subject)?;
    Ok(vec![Box::new(Multirelational { k, set, person: person.to_owned() })])
}

/// k, and whether only sets count.
pub(crate) fn settings(parameters: &Parameters) -> Result<(u64, bool)> {
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 5))?;
    Ok((k, parameters.choice("count", &["multiset", "set"])? == Some("set")))
}

/// The error where nobody says who rows are about.
pub(crate) fn no_subject() -> Error {
    Error::config("model 'multirelational' is about the rows of persons")
        .set(Setting::role("subject"), "say which column tells persons apart")
}

impl Multirelational {
    /// The people by what all their rows show, with how many rows that is.
    fn groups(&self, classes: &Classes, payloads: &Payloads) -> Vec<(u64, u64)> {
        let mut shown: BTreeMap<u32, Vec<(Look, u32)>> = BTreeMap::new();
        for (class, look) in classes.looks().into_iter().enumerate() {
            let Some(look) = look else { continue };
            for cell in classes.class_cells(class) {
                let person = payloads.person_of(cell.payload).unwrap_or(cell.payload);
                shown.entry(person).or_default().push((look, cell.rows));
            }
        }
        let mut alike: BTreeMap<Vec<(Look, u32)>, (u64, u64)> = BTreeMap::new();
        for mut looks in shown.into_values() {
            looks.sort_unstable();
            let rows = looks.iter().map(|(_, rows)| u64::from(*rows)).sum::<u64>();
            looks.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            if self.set {
                looks.iter_mut().for_each(|(_, rows)| *rows = 1);
            }
            // Nobody checks suppressed rows there, nor whom they are of.
            let unjudged = looks.iter().any(|(look, _)| *look == Look::Unjudged);
            if !unjudged {
                let group = alike.entry(looks).or_default();
                *group = (group.0 + 1, group.1 + rows);
            }
        }
        alike.into_values().collect()
    }
}

impl Model for Multirelational {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let what = if self.set { ", whatever the number of rows" } else { "" };
        format!("multirelational {}-anonymity{what}", self.k)
    }
    fn unit(&self) -> &'static str {
        "k"
    }
    fn words(&self) -> Words {
        let meaning = format!(
            "Whoever knows these columns of all rows of a person finds at least {} persons whose rows look the same.",
            grouped(self.k)
        );
        Words::new(self.title()).meaning(meaning).limits(
            "Learning what the rows of these persons have in common. Nor against people who know further columns.",
        )
    }
    fn claim(&self) -> Map<String, Value> {
        Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            ("k".into(), self.k.into()),
            ("count".into(), if self.set { "set" } else { "multiset" }.into()),
            ("person".into(), self.person.clone().into()),
        ])
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn monotonicity(&self) -> Monotonicity {
        // People whose rows look alike still do when looks become one, or are left out.
        Monotonicity { merging: true, dropping: true, upward: false }
    }
    /// Where every row shows the same, people with as many rows look alike; nothing finer is better.
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        let mut rows: BTreeMap<Option<u32>, u64> = BTreeMap::new();
        for cell in whole.cells {
            *rows.entry(whole.payloads.person_of(cell.payload)).or_default() += u64::from(cell.rows);
        }
        let mut alike: BTreeMap<u64, u64> = BTreeMap::new();
        rows.into_values().for_each(|rows| *alike.entry(if self.set { 0 } else { rows }).or_default() += 1);
        let (rows, most) = alike.into_iter().min_by_key(|(_, persons)| *persons).unwrap_or((0, 0));
        if most >= self.k {
            return Ok(());
        }
        let error = Error::infeasible(format!(
            "{} cannot be met: not even if every row showed nothing",
            self.title()
        ));
        let largest = largest("k", most);
        Err(if self.set {
            error.concede(largest)
        } else {
            error
                .concede(format!("{largest}, since so few have {}", crate::base::text::rows(rows)))
                .concede("use count = \"set\" where outsiders do not know how many rows somebody has")
        })
    }
    fn judge(&self, classes: &Classes, payloads: &Payloads) -> Verdict {
        let groups = self.groups(classes, payloads);
        let failing: Vec<&(u64, u64)> = groups.iter().filter(|(persons, _)| *persons < self.k).collect();
        Verdict {
            holds: failing.is_empty(),
            attained: groups.iter().map(|(persons, _)| *persons as f64).fold(f64::INFINITY, f64::min),
            failing_classes: failing.len(),
            failing_rows: failing.iter().map(|(_, rows)| rows).sum(),
        }
    }
}
