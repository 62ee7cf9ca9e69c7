//! Collapses nodes that gain nothing on the training rows, then prunes those that would gain nothing on new rows.

use super::estimate::Estimate;
use super::grow::{Branch, errors};
use super::parts::{self, Part, SMALL};
use crate::learner::GoesOn;
use crate::table::Table;

/// How much worse the estimate of a simpler tree may be and the tree still be preferred.
const SLACK: f64 = 0.1;

/// From the root down, turns nodes into leaves if the tree below them makes no fewer training errors.
pub(super) fn collapse(branch: &mut Branch) {
    if branch.test.is_none() {
        return;
    }
    if training_errors(branch) >= errors(&branch.counts) - 1e-3 {
        branch.make_leaf();
    } else {
        branch.children.iter_mut().for_each(collapse);
    }
}

fn training_errors(branch: &Branch) -> f64 {
    match branch.test {
        None => errors(&branch.counts),
        Some(_) => branch.children.iter().map(training_errors).sum(),
    }
}

/// Pruning by estimated errors.
pub(super) struct Pruning<'a> {
    table: &'a Table,
    estimate: Estimate,
    raise: bool,
    /// Whether to go on; if not, the tree is left unchanged.
    goes_on: &'a GoesOn<'a>,
}

impl<'a> Pruning<'a> {
    pub(super) fn new(table: &'a Table, confidence: f64, raise: bool, goes_on: &'a GoesOn<'a>) -> Self {
        Self { table, estimate: Estimate::new(confidence), raise, goes_on }
    }

    /// Prunes from the leaves up. `parts` are the rows at this node.
    pub(super) fn prune(&self, branch: &mut Branch, parts: Vec<Part>) {
        let Some(test) = branch.test.filter(|_| (self.goes_on)()) else { return };
        let divided = parts::divide(&test, self.table, &parts);
        for (child, parts) in branch.children.iter_mut().zip(divided) {
            self.prune(child, parts);
        }
        let largest = self.largest(branch);
        let as_largest = match self.raise {
            true => self.errors_through(&branch.children[largest], &parts),
            false => f64::INFINITY,
        };
        let as_leaf = self.estimated(&branch.counts);
        let as_tree = self.errors_of(branch);
        if as_leaf <= as_tree + SLACK + SMALL && as_leaf <= as_largest + SLACK + SMALL {
            branch.make_leaf();
        } else if as_largest <= as_tree + SLACK + SMALL {
            *branch = branch.children.swap_remove(largest);
            self.recount(branch, &parts);
            self.prune(branch, parts);
        }
    }

    /// The child with the largest weight; of several the last, as in J48.
    fn largest(&self, branch: &Branch) -> usize {
        let weights: Vec<f64> = branch.children.iter().map(|child| child.counts.iter().sum()).collect();
        (0..weights.len())
            .fold(0, |best, next| if weights[next] >= weights[best] - SMALL { next } else { best })
    }

    fn estimated(&self, counts: &[f64]) -> f64 {
        let weight: f64 = counts.iter().sum();
        if weight <= SMALL {
            return 0.0;
        }
        let errors = errors(counts);
        errors + self.estimate.added(weight, errors)
    }

    fn errors_of(&self, branch: &Branch) -> f64 {
        match branch.test {
            None => self.estimated(&branch.counts),
            Some(_) => branch.children.iter().map(|child| self.errors_of(child)).sum(),
        }
    }

    /// The errors that a branch would make on these parts instead of its own.
    fn errors_through(&self, branch: &Branch, parts: &[Part]) -> f64 {
        match branch.test.as_ref().filter(|_| (self.goes_on)()) {
            None => self.estimated(&parts::count(self.table, parts)),
            Some(test) => branch
                .children
                .iter()
                .zip(parts::divide(test, self.table, parts))
                .map(|(child, parts)| self.errors_through(child, &parts))
                .sum(),
        }
    }

    /// Replaces the parts that go through a branch.
    fn recount(&self, branch: &mut Branch, parts: &[Part]) {
        branch.counts = parts::count(self.table, parts);
        if let Some(test) = &branch.test {
            for (child, parts) in branch.children.iter_mut().zip(parts::divide(test, self.table, parts)) {
                self.recount(child, &parts);
            }
        }
    }
}
