//! Classification metric (Iyengar 2002; models.md 2.3): rows that do not have the majority label of their class.

use super::{ClassSum, Metric};
use crate::problem::Problem;
use crate::published::Published;
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "classification",
    title: "classification metric (CM), share of rows",
    paper: "Iyengar 2002",
    standing: Standing::Classic,
    about: "The share of rows that are suppressed or do not have the most frequent class label of their class. Needs a class \
            column.",
    parameters: &[],
    build: &Classification,
};

struct Classification;

/// The rows that are suppressed or in the minority of their class.
#[must_use]
pub fn penalties(published: &Published, problem: &Problem) -> Option<u64> {
    let classes = super::classes_of(published);
    let column = problem.class?;
    let mut tally = Vec::new();
    let mut penalties = classes.suppressed_rows();
    for class in (0..classes.len()).filter(|class| !classes.is_suppressed(*class)) {
        classes.view(class, problem.table.payloads()).tally(column, &mut tally);
        let majority = tally.iter().map(|(_, rows)| *rows).max().unwrap_or(0);
        penalties += classes.size(class) - majority;
    }
    Some(penalties)
}

impl Metric for Classification {
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64> {
        penalties(published, problem).map(|rows| rows as f64 / problem.table.rows().max(1) as f64)
    }

    fn details(&self, published: &Published, problem: &Problem) -> Vec<(&'static str, f64)> {
        penalties(published, problem).map(|rows| ("rows", rows as f64)).into_iter().collect()
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
