//! The best node found so far, and what can still beat it.

use super::{Bounds, Checker, Cost, Lattice, Outcome};
use crate::error::{Error, Result, Setting, Wish};

/// The best node so far: the least cost, then the fewest suppressed rows, then the smallest vector.
#[derive(Debug, Clone, Copy, Default)]
pub struct Best {
    found: Option<(Cost, u64, usize)>,
}

impl Best {
    /// Keeps a node if it is better.
    pub fn offer(&mut self, node: usize, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome
            && self.can_be_beaten_by(outcome.cost, outcome.suppressed, node)
        {
            self.found = Some((outcome.cost, outcome.suppressed, node));
        }
    }

    /// Whether a node with at least this cost and at least this many suppressed rows might be better.
    #[must_use]
    pub fn can_be_beaten_by(&self, cost: Cost, suppressed: u64, node: usize) -> bool {
        self.found.is_none_or(|found| (cost, suppressed, node) < found)
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> Option<usize> {
        self.found.map(|(_, _, node)| node)
    }

    /// Its cost.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        self.found.map(|(cost, _, _)| cost)
    }

    /// Finds the best of some nodes. Skips the nodes that cannot be the best.
    pub fn of(nodes: &[usize], checker: &mut Checker<'_>, lattice: &Lattice) -> Result<Self> {
        let bounds = checker.bounds();
        let least = |node: usize| {
            bounds.as_ref().map_or(Cost::LEAST, |bounds: &Bounds<'_>| bounds.least(&lattice.levels(node), 0))
        };
        let mut nodes: Vec<(Cost, usize)> = nodes.iter().map(|node| (least(*node), *node)).collect();
        nodes.sort_unstable();
        let mut best = Self::default();
        for (least, node) in nodes {
            if best.can_be_beaten_by(least, 0, node) {
                best.offer(node, checker.visit(node)?.outcome);
            }
        }
        Ok(best)
    }

    /// Returns the node, or an error if there is none.
    pub fn required(&self) -> Result<usize> {
        self.node().ok_or_else(|| {
            Error::infeasible(
                "no combination of levels meets every model within the suppression limit without showing nothing at all",
            )
            .set(Setting::search("suppression"), "allow more rows to be suppressed")
            .another(Wish::WithoutLevels)
            .set(Setting::search("star_policy").to("drop"), "leave suppressed rows out")
            .weaken(Setting::search("star_policy").to("paper"), "ask nothing of suppressed rows")
            .concede("lower the requirement")
        })
    }
}
