//! The best full-domain recoding (algorithms.md B14, B18, B19): exact for every set of models, metric and suppression limit.
//!
//! Every node is either looked at, or known to fail because a coarser one does, or known to cost more than the best. Where
//! models allow conclusions from one node to finer ones, paths through what is left are bisected (as Flash does), which
//! settles most of it; else nodes are looked at from the least possible cost upwards.

use super::{Algorithm, Finding, Solution};
use crate::config::Parameters;
use crate::error::Result;
use crate::lattice::{Best, Bounds, Checker, Cost, Lattice, Pruning, Visit};
use crate::problem::{Budget, Problem};
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "optimal",
    title: "optimal full-domain recoding",
    paper: "bounds and bisection after El Emam et al. 2009 and Kohlmayer, Prasser et al. 2012",
    standing: Standing::Recommended,
    about: "Finds the best of all combinations of levels under any models, metric and suppression limit, so every column keeps \
            one consistent domain. Needs a hierarchy for every quasi-identifier. Exact; with a number of steps it returns the \
            best found by then and how far from the optimum it can be.",
    parameters: &[],
    build,
};

struct Optimal;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Optimal))
}

/// How many nodes are looked at together where nothing follows from one to another. Fixed, so that which nodes are looked at
/// does not depend on the number of threads.
const BATCH: usize = 8;

impl Algorithm for Optimal {
    fn needs_trees(&self) -> bool {
        true
    }

    fn takes_steps(&self) -> bool {
        true
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        Lattice::new(problem, ENTRY.name)?;
        problem.class_tests().map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        let mut search = Search::new(problem, &lattice)?;
        let gap = search.run()?;
        let mut findings = super::lattice_findings(&lattice, &search.checker);
        findings.push(Finding {
            name: "gap",
            value: gap.is_finite().then_some(gap),
            meaning: "how much better than the best found a combination that was not looked at could be at most",
column: None,
        });
        super::solution_at(problem, &lattice, search.best.required()?, findings)
    }
}

struct Search<'a> {
    lattice: &'a Lattice,
    checker: Checker<'a>,
    pruning: Pruning,
    bounds: Option<Bounds<'a>>,
    /// What each node costs at least: by its columns, or learnt from finer ones. Empty if nothing is known.
    floor: Vec<Cost>,
    /// How many rows each node suppresses at least, learnt from coarser ones.
    failing: Vec<u32>,
    visited: Vec<bool>,
    best: Best,
    budget: &'a Budget,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, lattice: &'a Lattice) -> Result<Self> {
        let checker = Checker::new(problem, lattice)?;
        let bounds = checker.bounds();
        let floor = floor(lattice, bounds.as_ref(), problem);
        Ok(Self {
            lattice,
            pruning: Pruning::of(problem),
            floor,
            bounds,
            failing: vec![0; lattice.nodes()],
            visited: vec![false; lattice.nodes()],
            best: Best::default(),
            budget: &problem.budget,
            checker,
        })
    }

    /// Settles every node, or as many as the steps allow; returns what may be missing to the optimum.
    fn run(&mut self) -> Result<f64> {
        let order = self.order();
        let mut next = 0;
        while next < order.len() {
            // Costs grow along the order where the columns decide them: nothing behind this can be better.
            if self.bounds.is_some() && !self.best.can_be_beaten_by(order[next].0, 0, 0) {
                return Ok(0.0);
            }
            // The first answer is worth more than keeping the number of steps.
            if self.best.node().is_some() && self.budget.is_spent(self.checker.checked()) {
                return Ok(self.gap(&order[next..]));
            }
            if self.pruning == Pruning::Nothing {
                let mut batch = Vec::with_capacity(BATCH);
                while batch.len() < BATCH && next < order.len() {
                    let node = order[next].1 as usize;
                    if self.is_open(node) {
                        batch.push(node);
                    }
                    next += 1;
                }
                let visits = self.checker.visit_all(&batch)?;
                batch.into_iter().zip(visits).for_each(|(node, visit)| self.learn(node, visit));
            } else if self.is_open(order[next].1 as usize) {
                self.bisect(&self.path(order[next].1 as usize))?;
            } else {
                next += 1;
            }
        }
        Ok(0.0)
    }

    /// All nodes by what they cost at least, or from fine to coarse where that is not known.
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

    /// What a node costs at least.
    fn floor(&self, node: usize) -> Cost {
        self.floor.get(node).copied().unwrap_or(Cost::LEAST)
    }

    /// What a node costs at least, with the rows that it suppresses for certain.
    fn least(&self, node: usize) -> Cost {
        match (&self.bounds, self.failing[node]) {
            (None, _) | (Some(_), 0) => self.floor(node),
            (Some(bounds), failing) => bounds.least(&self.lattice.levels(node), u64::from(failing)),
        }
    }

    /// Whether a node must still be looked at.
    fn is_open(&self, node: usize) -> bool {
        let failing = u64::from(self.failing[node]);
        !self.visited[node]
            && failing <= self.checker.limit()
            && self.best.can_be_beaten_by(self.floor(node), failing, node)
            && self.best.can_be_beaten_by(self.least(node), failing, node)
    }

    /// A path upwards through open nodes, always to the one that may cost least.
    fn path(&self, from: usize) -> Vec<usize> {
        let mut path = vec![from];
        let mut last = from;
        let next = |node: usize| {
            let open = self.lattice.successors(node).filter(|node| self.is_open(*node));
            open.min_by_key(|node| (self.floor(*node), *node))
        };
        while let Some(node) = next(last) {
            path.push(node);
            last = node;
        }
        path
    }

    fn bisect(&mut self, path: &[usize]) -> Result<()> {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high) / 2;
            let node = path[middle];
            if !self.is_open(node) {
                // Not finer than a failing node, so it costs too much by now, and so does what is above it.
                high = middle;
                continue;
            }
            let visit = self.checker.visit(node)?;
            self.learn(node, visit);
            if visit.failing <= self.checker.limit() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(())
    }

    /// Notes what follows from a look at a node.
    fn learn(&mut self, node: usize, visit: Visit) {
        self.visited[node] = true;
        self.best.offer(node, visit.outcome);
        let failing = match self.pruning {
            Pruning::Counts => visit.failing,
            Pruning::Verdicts if visit.failing > 0 => visit.failing,
            _ => 0,
        };
        if failing > 0 {
            let failing = u32::try_from(failing).unwrap_or(u32::MAX);
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

    /// How much better the best of the nodes not looked at could be.
    fn gap(&self, left: &[(Cost, u32)]) -> f64 {
        let open = left.iter().map(|(_, node)| *node as usize).filter(|node| self.is_open(*node));
        let least = open.map(|node| self.least(node).value()).fold(f64::INFINITY, f64::min);
        self.best.cost().map_or(f64::INFINITY, |best| (best.value() - least).max(0.0))
    }
}

/// What each node costs at least before any was looked at; empty if nothing will ever be known.
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
