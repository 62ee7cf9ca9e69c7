//! RIPPER rules as Weka's JRip learns them (models.md 3.5).
//!
//! Classes are taken in ascending order of frequency. For each, rules are grown that separate it from all classes that are left,
//! on two thirds of the rows; they are pruned on the rest, then optimised twice. Rows that no rule covers are of the last, most
//! frequent class. The random partition is not Java's, so the rules agree with Weka's in quality, not one by one.

mod data;
mod grow;
mod length;
mod rule;
mod ruleset;

pub use rule::{Condition, Rule};

use data::{Data, RuleSearch};
use ruleset::OneClass;

use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check};
use crate::random::Random;
use crate::registry::Entry;
use crate::settings::Settings;
use crate::table::{Features, Table};

/// RIPPER in the registry.
pub const ENTRY: Entry = Entry {
    name: "ripper",
    title: "RIPPER rules (JRip)",
    paper: "Cohen, Fast effective rule induction, 1995; as in Weka's JRip",
    about: "A list of rules for each class from the rarest up, grown by information gain, pruned on held-out rows and \
            optimised by description length; the most frequent class is the default.",
    parameters: &[
        ("folds", "one part in so many is held out for pruning (default 3)"),
        ("min_weight", "least weight of the class that a condition must cover (default 2)"),
        ("optimizations", "rounds of optimisation (default 2)"),
    ],
    build: |settings| Ok(Box::new(Ripper::from_settings(settings)?)),
};

/// The machine-learning model and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Ripper {
    /// One part in `folds` is held out for pruning; at least 2.
    pub folds: usize,
    /// The least weight of the class that a condition must cover.
    pub min_weight: f64,
    /// The number of rounds of optimisation.
    pub optimizations: usize,
}

impl Default for Ripper {
    fn default() -> Self {
        Self { folds: 3, min_weight: 2.0, optimizations: 2 }
    }
}

impl Ripper {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let default = Self::default();
        Ok(Self {
            folds: settings.whole("folds", default.folds, 2, 1000)?,
            min_weight: settings.number("min_weight", default.min_weight, 0.0, 1e9)?,
            optimizations: settings.whole("optimizations", default.optimizations, 0, 100)?,
        })
    }

    /// Learns the rules for a table.
    pub fn learn(&self, table: &Table, seed: u64) -> Result<Rules> {
        self.learn_while(table, seed, &|| true)
    }

    /// Does the same for callers that may stop it.
    pub fn learn_while(&self, table: &Table, seed: u64, goes_on: &GoesOn<'_>) -> Result<Rules> {
        check(goes_on)?;
        let table = table.canonical()?;
        let counts = table.class_weights();
        let mut order: Vec<u32> = (0..table.classes() as u32).collect();
        order.sort_by(|&a, &b| counts[a as usize].total_cmp(&counts[b as usize]));

        let search = RuleSearch::new(&table);
        let mut random = Random::new(seed);
        let mut data = Data::all(&table);
        let mut found = Rules { listed: Vec::new(), default: Vec::new() };
        let mut left = table.weight();
        for &class in &order[..order.len() - 1] {
            let count = counts[class as usize];
            if count == 0.0 || data.of_class(&table, class) == 0.0 {
                left -= count;
                continue;
            }
            let problem = OneClass::new(self, &table, &search, &order, class, count / left, &data, goes_on);
            let rules = problem.learn(&mut random);
            check(goes_on)?;
            for rule in rules {
                let (covered, rest) = data.split(&table, &rule);
                found.listed.push((rule, covered.shares(&table, class)));
                data = rest;
            }
            left -= count;
        }
        found.default = data.shares(&table, order[order.len() - 1]);
        Ok(found)
    }
}

impl Learner for Ripper {
    fn train_while(&self, table: &Table, seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        Ok(Box::new(self.learn_while(table, seed, goes_on)?))
    }
}

/// A list of rules. The first rule that covers a row answers with the class shares of the training rows that it was the first to
/// cover.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    listed: Vec<(Rule, Vec<f64>)>,
    default: Vec<f64>,
}

impl Rules {
    /// The rules in order, each with its class shares. The default rule is not among them.
    #[must_use]
    pub fn listed(&self) -> &[(Rule, Vec<f64>)] {
        &self.listed
    }
}

impl Classifier for Rules {
    fn classes(&self) -> usize {
        self.default.len()
    }

    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        let first = self.listed.iter().find(|(rule, _)| rule.covers(features, row));
        out.copy_from_slice(first.map_or(&self.default, |(_, shares)| shares));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    /// Class 1 is everything red of size at least 10. RIPPER finds one rule with these two conditions.
    #[test]
    fn a_conjunction_is_found() {
        let rows: Vec<(u32, u32)> =
            (0..3).flat_map(|colour| (0..20).map(move |size| (colour, size))).collect();
        let class = rows.iter().map(|&(colour, size)| u32::from(colour == 2 && size >= 10)).collect();
        let columns = vec![
            Column::nominal("colour", rows.iter().map(|row| row.0).collect(), 3),
            Column::numeric("size", rows.iter().map(|row| f64::from(row.1)).collect()),
        ];
        let features = Features::new(columns, rows.len()).unwrap();
        let table = Table::weighted(features, class, 2, vec![5; rows.len()]).unwrap();
        let rules = Ripper::default().learn(&table, 1).unwrap();
        let [(rule, shares)] = rules.listed() else { panic!("{rules:?}") };
        let mut conditions = rule.conditions.clone();
        conditions.sort_by_key(|condition| condition.column());
        assert_eq!(
            conditions,
            [Condition::Is { column: 0, code: 2 }, Condition::AtLeast { column: 1, at: 10.0 }]
        );
        assert_eq!((shares, &rules.default), (&vec![0.0, 1.0], &vec![1.0, 0.0]));
        assert_eq!(rules.accuracy(&table), 1.0);
    }

    #[test]
    fn one_class_needs_no_rule() {
        let features = Features::new(vec![Column::nominal("a", vec![0, 1], 2)], 2).unwrap();
        let rules = Ripper::default().learn(&Table::new(features, vec![1, 1], 3).unwrap(), 1).unwrap();
        assert!(rules.listed().is_empty());
        assert_eq!(rules.default, [0.0, 1.0, 0.0]);
    }
}
