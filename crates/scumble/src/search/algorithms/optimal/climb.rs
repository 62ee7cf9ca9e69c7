//! Finds a good node quickly: descends from the top as long as that pays, then again and again from a little above the best.

use hashbrown::HashMap;

use crate::error::Result;
use crate::problem::Budget;
use crate::search::lattice::{Best, Bounds, Checker, Cost, Lattice};

/// The number of nodes checked together. It is fixed, so that the nodes checked do not depend on the number of threads.
const BATCH: usize = 4;

/// The result of checking a node.
#[derive(Clone, Copy)]
struct Seen {
    passes: bool,
    cost: Cost,
}

/// Descents through a lattice of any size.
pub(super) struct Climb<'s, 'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) checker: &'s mut Checker<'a>,
    pub(super) bounds: Option<&'s Bounds<'a>>,
    pub(super) budget: &'a Budget,
    pub(super) best: &'s mut Best,
    /// The cost of each node that was checked; the greatest possible if the node fails, or cannot be published unchanged.
    seen: HashMap<usize, Seen, foldhash::fast::FixedState>,
    /// Whatever is finer than one of these nodes fails.
    failing: Vec<Vec<u32>>,
}

impl<'s, 'a> Climb<'s, 'a> {
    pub(super) fn new(
        lattice: &'a Lattice,
        checker: &'s mut Checker<'a>,
        bounds: Option<&'s Bounds<'a>>,
        budget: &'a Budget,
        best: &'s mut Best,
    ) -> Self {
        Self { lattice, checker, bounds, budget, best, seen: HashMap::default(), failing: Vec::new() }
    }

    /// Descends from the top, then from nodes one and two steps above the best, until nothing better is found.
    pub(super) fn run(&mut self) -> Result<()> {
        self.look(&[self.lattice.top()])?;
        self.descend(self.lattice.top(), &[])?;
        loop {
            let before = self.best.node();
            let Some(best) = before else { return Ok(()) };
            for raised in self.above(best) {
                if self.is_spent() {
                    return Ok(());
                }
                let columns: Vec<usize> = (0..self.lattice.width())
                    .filter(|column| self.lattice.level(raised, *column) > self.lattice.level(best, *column))
                    .collect();
                self.look(&[raised])?;
                self.descend(raised, &columns)?;
                if self.best.node() != before {
                    break;
                }
            }
            if self.best.node() == before {
                return Ok(());
            }
        }
    }

    fn is_spent(&self) -> bool {
        self.best.node().is_some() && self.budget.is_spent(self.checker.checked())
    }

    /// The nodes one step above a node, then those two steps above.
    fn above(&self, node: usize) -> Vec<usize> {
        let mut above: Vec<usize> = self.lattice.successors(node).collect();
        let mut two: Vec<usize> = above.iter().flat_map(|node| self.lattice.successors(*node)).collect();
        two.sort_unstable();
        two.dedup();
        above.extend(two);
        above
    }

    /// Descends as long as a finer node passes and costs less. Columns that lose much and separate few rows go first. The
    /// columns in `held` stay unchanged.
    fn descend(&mut self, from: usize, held: &[usize]) -> Result<()> {
        let mut node = from;
        'down: while !self.is_spent() {
            let mut finer: Vec<(f64, usize)> = (0..self.lattice.width())
                .filter(|column| !held.contains(column) && self.lattice.level(node, *column) > 0)
                .map(|column| (self.worth(node, column), self.finer(node, column)))
                .collect();
            finer.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let finer: Vec<usize> = finer.into_iter().map(|(_, node)| node).collect();
            for batch in finer.chunks(BATCH) {
                self.look(batch)?;
                // A node that passes may still be impossible to publish, such as a node that shows nothing.
                let cost = self.seen.get(&node).map_or(Cost::MOST, |seen| seen.cost);
                let pays = |seen: &Seen| seen.passes && (seen.cost < cost || cost == Cost::MOST);
                if let Some(next) = batch.iter().find(|node| self.seen.get(*node).is_some_and(pays)) {
                    node = *next;
                    continue 'down;
                }
                if self.is_spent() {
                    return Ok(());
                }
            }
            return Ok(());
        }
        Ok(())
    }

    fn finer(&self, node: usize, column: usize) -> usize {
        self.lattice.with_level(node, column, self.lattice.level(node, column) - 1)
    }

    /// How much cost a step down in a column saves, relative to how far it separates rows.
    fn worth(&self, node: usize, column: usize) -> f64 {
        let level = self.lattice.level(node, column);
        let told = self.checker.entropy(column, level - 1) - self.checker.entropy(column, level);
        let gain = self.bounds.map_or(1.0, |bounds| {
            let least = |node: usize| bounds.least(&self.lattice.levels(node), 0).value();
            least(node) - least(self.finer(node, column))
        });
        gain / told.max(1e-9)
    }

    /// Checks those of the nodes that are neither known nor finer than a failing one.
    fn look(&mut self, nodes: &[usize]) -> Result<()> {
        let levels: Vec<Vec<u32>> = nodes.iter().map(|node| self.lattice.levels(*node)).collect();
        let fails = |levels: &[u32]| {
            self.failing
                .iter()
                .any(|failing| levels.iter().zip(failing).all(|(level, failing)| level <= failing))
        };
        let new: Vec<usize> = nodes
            .iter()
            .zip(&levels)
            .filter(|(node, levels)| !self.seen.contains_key(*node) && !fails(levels))
            .map(|(node, _)| *node)
            .collect();
        for (node, visit) in new.iter().zip(self.checker.visit_all(&new)?) {
            if visit.finer > self.checker.limit() {
                self.failing.push(self.lattice.levels(*node));
            }
            let passes = visit.failing <= self.checker.limit();
            let cost = visit.outcome.map_or(Cost::MOST, |outcome| outcome.cost);
            self.seen.insert(*node, Seen { passes, cost });
            self.best.offer(*node, visit.outcome);
        }
        Ok(())
    }
}
