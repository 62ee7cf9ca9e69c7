//! Classification metric (Iyengar 2002; models.md 2.3): rows that do not have the majority label of their class.
//!
//! There are two readings of rows whose values were generalised until they show `*` everywhere. A reader cannot distinguish them from
//! suppressed rows, so `classification` charges every one of them. Sun, Wang and Li (2009) charge a row that "is suppressed or the class
//! label of \[which\] is different from the class label of the majority in the QI-group": such rows were not suppressed, they are a
//! group, and `classification_minority` charges the minority of it.

use std::collections::BTreeMap;

use super::{ClassSum, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;

/// The registry entry.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "classification",
    title: "classification metric (CM), share of rows",
    paper: "Iyengar 2002",
    standing: Standing::Classic,
    about: "The share of rows that are suppressed or do not have the most frequent value of the class column in their group. Rows that show '*' in every \
            quasi-identifier count as suppressed, whatever the reason. Needs a class column.",
    parameters: &[],
    build: &Classification,
};

/// The registry entry of the other reading.
pub(crate) const MINORITY: Entry<&'static dyn Metric> = Entry {
    name: "classification_minority",
    title: "classification metric (CM), rows generalised to '*' as a group, share of rows",
    paper: "Sun, Wang, Li 2009",
    standing: Standing::Classic,
    about: "As 'classification', but rows that no search suppressed and that show '*' in every quasi-identifier, because their values were \
            generalised so far, are a group like others: only those without its most frequent value are charged. Needs a class column.",
    parameters: &[],
    build: &Minority,
};

struct Classification;

struct Minority;

/// The rows that are suppressed or in the minority of their class.
#[must_use]
pub(crate) fn penalties(classes: &Classes, problem: &Problem) -> Option<u64> {
    Some(classes.suppressed_rows() + of_shown_classes(classes, problem, problem.class?))
}

/// The same, where rows that were generalised until they show nothing are one class.
#[must_use]
pub(crate) fn minority_penalties(classes: &Classes, problem: &Problem) -> Option<u64> {
    let column = problem.class?;
    let mut penalties = of_shown_classes(classes, problem, column);
    let mut tally = Vec::new();
    // To a reader they are one class, however many clusters they come from.
    let mut generalised: BTreeMap<u32, u64> = BTreeMap::new();
    for class in (0..classes.len()).filter(|class| classes.is_suppressed(*class)) {
        if classes.is_generalised_away(class) {
            classes.view(class, problem.table.payloads()).tally(column, &mut tally);
            tally.iter().for_each(|(label, rows)| *generalised.entry(*label).or_default() += rows);
        } else {
            penalties += classes.size(class);
        }
    }
    Some(penalties + generalised.values().sum::<u64>() - generalised.values().max().unwrap_or(&0))
}

fn of_shown_classes(classes: &Classes, problem: &Problem, column: usize) -> u64 {
    let mut tally = Vec::new();
    let mut penalties = 0;
    for class in (0..classes.len()).filter(|class| !classes.is_suppressed(*class)) {
        classes.view(class, problem.table.payloads()).tally(column, &mut tally);
        let majority = tally.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
        penalties += classes.size(class) - majority;
    }
    penalties
}

fn share(penalties: Option<u64>, problem: &Problem) -> Option<f64> {
    penalties.map(|rows| rows as f64 / problem.table.rows().max(1) as f64)
}

fn rows(penalties: Option<u64>) -> Vec<(&'static str, f64)> {
    penalties.map(|rows| ("rows", rows as f64)).into_iter().collect()
}

impl Metric for Classification {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        share(penalties(classes, problem), problem)
    }

    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        rows(penalties(classes, problem))
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn class_sum(&self) -> Option<ClassSum> {
        Some(ClassSum::Minorities)
    }

    fn worsens(&self) -> bool {
        true
    }
}

impl Metric for Minority {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        share(minority_penalties(classes, problem), problem)
    }

    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        rows(minority_penalties(classes, problem))
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn worsens(&self) -> bool {
        // A row that was suppressed and is generalised away instead costs less; merging and coarser values cost no less.
        false
    }
}
