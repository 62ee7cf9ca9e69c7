//! Grows a tree: splits until nothing is gained.

use super::parts::{self, Part, SMALL};
use super::split::Splitter;
use super::tree::Test;
use crate::learner::GoesOn;
use crate::table::Table;

/// Deeper trees are cut off. No table of people comes near this depth, which keeps the recursion within any thread's stack.
const DEEPEST: usize = 400;

/// A tree that is being grown and pruned.
pub(super) struct Branch {
    pub(super) test: Option<Test>,
    pub(super) children: Vec<Branch>,
    pub(super) counts: Vec<f64>,
}

impl Branch {
    pub(super) fn make_leaf(&mut self) {
        self.test = None;
        self.children.clear();
    }
}

/// Grows the unpruned tree of a table.
pub(super) fn grow(table: &Table, min_objects: f64, goes_on: &GoesOn<'_>) -> Branch {
    let splitter = Splitter::new(table, min_objects, goes_on);
    branch(&splitter, table, &parts::all(table), 0)
}

fn branch(splitter: &Splitter<'_>, table: &Table, parts: &[Part], depth: usize) -> Branch {
    let counts = parts::count(table, parts);
    let test = if depth < DEEPEST { splitter.best(parts, &counts) } else { None };
    let children = match &test {
        Some(test) => parts::divide(test, table, parts)
            .iter()
            .map(|parts| branch(splitter, table, parts, depth + 1))
            .collect(),
        None => Vec::new(),
    };
    Branch { test, children, counts }
}

/// The weight of the rows that are not of the most frequent class.
pub(super) fn errors(counts: &[f64]) -> f64 {
    let wrong = counts.iter().sum::<f64>() - counts.iter().copied().fold(0.0, f64::max);
    if wrong < SMALL { 0.0 } else { wrong }
}
