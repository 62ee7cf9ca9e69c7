//! The search that stores notes about every node.

use super::BestNode;
use crate::error::Result;
use crate::problem::{Budget, Problem};
use crate::search::lattice::{Best, Bounds, Checker, Cost, Lattice, Visit};

/// Finds the best node, or the best one within the budget.
pub(super) fn search<'a>(
    problem: &'a Problem,
    lattice: &'a Lattice,
    checker: Checker<'a>,
) -> Result<BestNode<'a>> {
    let mut search = NotedSearch::new(problem, lattice, checker);
    let gap = search.run()?;
    Ok(BestNode { best: search.best, gap, checker: search.checker })
}

/// What is known about every node, and the best node so far.
struct NotedSearch<'a> {
    lattice: &'a Lattice,
    checker: Checker<'a>,
    bounds: Option<Bounds<'a>>,
    /// A lower bound on the cost of each node: from its columns and the rows that it certainly suppresses, or learnt from
    /// finer nodes. Empty if nothing is known.
    floor: Vec<Cost>,
    /// A lower bound on the rows that each node suppresses, learnt from coarser nodes.
    failing: Vec<u32>,
    /// The number of suppressed rows for which each floor was computed.
    floored: Vec<u32>,
    visited: Vec<bool>,
    /// The columns, those that separate fewest rows first.
    columns: Vec<usize>,
    best: Best,
    budget: &'a Budget,
}

impl<'a> NotedSearch<'a> {
    fn new(problem: &'a Problem, lattice: &'a Lattice, checker: Checker<'a>) -> Self {
        let bounds = checker.bounds();
        let floor = floor(lattice, bounds.as_ref(), problem);
        let mut columns: Vec<usize> = (0..lattice.width()).collect();
        columns.sort_by_key(|column| (checker.values(*column, 0), *column));
        Self {
            lattice,
            floor,
            bounds,
            failing: vec![0; lattice.nodes()],
            floored: vec![0; lattice.nodes()],
            visited: vec![false; lattice.nodes()],
            columns,
            best: Best::default(),
            budget: &problem.budget,
            checker,
        }
    }

    /// Settles every node, or as many as the budget allows. Returns how much better the optimum could be.
    fn run(&mut self) -> Result<f64> {
        let order = self.order();
        let mut next = 0;
        while next < order.len() {
            // Where the columns decide the cost, it grows along this order, so nothing after this node can be better.
            if self.bounds.is_some() && !self.best.can_be_beaten_by(order[next].0, 0, 0) {
                return Ok(0.0);
            }
            // Having a first answer is more important than keeping to the number of steps.
            if self.best.node().is_some() && self.budget.is_spent(self.checker.checked()) {
                return Ok(self.gap(&order[next..]));
            }
            let node = order[next].1 as usize;
            if self.is_open(node) {
                // An unfinished check has taught nothing.
                if let Err(error) = self.settle(node) {
                    if self.best.node().is_none() {
                        return Err(error);
                    }
                    self.budget.end_at(self.checker.checked(), error)?;
                    return Ok(self.gap(&order[next..]));
                }
            } else {
                next += 1;
            }
        }
        Ok(0.0)
    }

    /// All nodes ordered by their lower bounds, or from fine to coarse if there are no bounds.
    fn order(&self) -> Vec<(Cost, u32)> {
        use rayon::prelude::*;
        if self.bounds.is_none() {
            return self
                .lattice
                .by_height()
                .concat()
                .into_iter()
                .map(|node| (Cost::LEAST, node as u32))
                .collect();
        }
        let mut order: Vec<(Cost, u32)> = self.floor.iter().copied().zip(0..).collect();
        order.par_sort_unstable();
        order
    }

    /// A lower bound on the cost of a node.
    fn floor(&mut self, node: usize) -> Cost {
        if let Some(bounds) = &self.bounds
            && self.floored[node] < self.failing[node]
        {
            self.floored[node] = self.failing[node];
            self.floor[node] = bounds.least(&self.lattice.levels(node), u64::from(self.failing[node]));
        }
        self.floor.get(node).copied().unwrap_or(Cost::LEAST)
    }

    /// Whether a node must still be checked.
    fn is_open(&mut self, node: usize) -> bool {
        let failing = u64::from(self.failing[node]);
        !self.visited[node] && failing <= self.checker.limit() && {
            let floor = self.floor(node);
            self.best.can_be_beaten_by(floor, failing, node)
        }
    }

    /// Checks nodes from an open one upwards until that one is settled. The aim is the coarsest node that proves that the open
    /// one cannot be the best, because that settles most others too.
    fn settle(&mut self, open: usize) -> Result<()> {
        let (path, open_until) = self.path(open);
        let (mut low, mut high) = (0, path.len());
        // As long as there is no best node, everything is open, and the middle is the best guess.
        let mut middle = if self.best.node().is_some() { open_until } else { path.len() / 2 };
        while low < high {
            // Every check is a step. The caller handles what is left of this search.
            if self.best.node().is_some() && self.budget.is_spent(self.checker.checked()) {
                return Ok(());
            }
            let node = path[middle];
            if !self.visited[node] {
                let visit = self.checker.visit(node)?;
                self.learn(node, visit);
            }
            if self.is_open(open) {
                high = middle;
            } else {
                low = middle + 1;
            }
            middle = (low + high) / 2;
        }
        Ok(())
    }

    /// A path upwards from an open node: through open nodes as long as there are any, always to the one with the least bound;
    /// then column by column to the top, beginning with the columns that separate fewest rows. Also returns the place of the
    /// last open node.
    fn path(&mut self, from: usize) -> (Vec<usize>, usize) {
        let mut path = vec![from];
        let mut last = from;
        loop {
            let lattice = self.lattice;
            let open = lattice.successors(last).filter(|node| self.is_open(*node)).collect::<Vec<_>>();
            let Some(node) = open.into_iter().min_by_key(|node| (self.floor(*node), *node)) else { break };
            path.push(node);
            last = node;
        }
        let open_until = path.len() - 1;
        let mut levels = self.lattice.levels(last);
        for column in &self.columns {
            if levels[*column] < self.lattice.heights()[*column] {
                levels[*column] = self.lattice.heights()[*column];
                path.push(self.lattice.node(&levels));
            }
        }
        (path, open_until)
    }

    /// Records what follows from checking a node.
    fn learn(&mut self, node: usize, visit: Visit) {
        self.visited[node] = true;
        self.best.offer(node, visit.outcome);
        if visit.finer > 0 {
            let failing = u32::try_from(visit.finer).unwrap_or(u32::MAX);
            let known = &mut self.failing;
            self.lattice.between(0, node, |finer| known[finer] = known[finer].max(failing));
        }
        if self.bounds.is_none() && !self.floor.is_empty() && visit.bound > Cost::LEAST {
            let floor = &mut self.floor;
            self.lattice.between(node, self.lattice.top(), |coarser| {
                floor[coarser] = floor[coarser].max(visit.bound);
            });
        }
    }

    /// How much better the best of the unchecked nodes could be.
    fn gap(&mut self, left: &[(Cost, u32)]) -> f64 {
        let mut least = f64::INFINITY;
        for (_, node) in left {
            if self.is_open(*node as usize) {
                least = least.min(self.floor(*node as usize).value());
            }
        }
        self.best.cost().map_or(f64::INFINITY, |best| (best.value() - least).max(0.0))
    }
}

/// A lower bound on the cost of each node before any is checked; empty if there will never be one.
fn floor(lattice: &Lattice, bounds: Option<&Bounds<'_>>, problem: &Problem) -> Vec<Cost> {
    use rayon::prelude::*;
    match bounds {
        Some(bounds) => (0..lattice.nodes())
            .into_par_iter()
            .with_min_len(1 << 10)
            .map(|node| bounds.least(&lattice.levels(node), 0))
            .collect(),
        None if problem.metric.worsens() => vec![Cost::LEAST; lattice.nodes()],
        None => Vec::new(),
    }
}
