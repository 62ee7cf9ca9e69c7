//! OLA (El Emam et al. 2009; algorithms.md B18): finds the minimal satisfying nodes by bisecting sublattices.

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::problem::Problem;
use crate::search::lattice::{Best, Checker, Lattice, Pruning};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "ola",
    title: "OLA, optimal lattice anonymization",
    paper: "El Emam, Dankar et al. 2009",
    standing: Standing::Classic,
    about: "Finds the minimal combinations of levels (no finer one meets the models) by bisecting sublattices, and takes the \
            best of these by the metric. When rows may be suppressed, a coarser combination that suppresses fewer can be better \
            still: 'optimal' finds it.",
    parameters: &[],
    build,
};

struct Ola;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Ola))
}

impl Algorithm for Ola {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            fineness: Fineness::OneStep,
            serves_population: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, _: &Problem) -> bool {
        true
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        Lattice::new(problem, ENTRY.name)?;
        problem.tests()?;
        Pruning::required(problem, ENTRY.name).map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        let mut search = OlaSearch {
            lattice: &lattice,
            checker: Checker::new(problem, &lattice)?,
            tags: vec![None; lattice.nodes()],
            seen: Default::default(),
        };
        search.minimal(0, lattice.top())?;
        let minimal = search.satisfying(|search, node| {
            lattice.predecessors(node).all(|finer| search.tags[finer] == Some(false))
        });
        let mut best = Best::of(&minimal, &mut search.checker, &lattice)?;
        if best.node().is_none() {
            // The suppressed rows of all minimal nodes themselves fail the models. Coarser nodes suppress
            // fewer.
            let all = search.satisfying(|_, _| true);
            best = Best::of(&all, &mut search.checker, &lattice)?;
        }
        let mut findings = super::lattice_findings(&lattice, &search.checker);
        findings.push(Finding::new(
            "minimal",
            Some(minimal.len() as f64),
            "the combinations of levels that meet every model while no finer one does",
        ));
        super::solution_at(problem, &lattice, best.required()?, findings)
    }
}

struct OlaSearch<'a> {
    lattice: &'a Lattice,
    checker: Checker<'a>,
    /// Whether each node satisfies; `None` if that is not known yet.
    tags: Vec<Option<bool>>,
    /// The sublattices visited so far. Bisection reaches the same ones in many ways.
    seen: hashbrown::HashSet<(usize, usize), foldhash::fast::FixedState>,
}

impl OlaSearch<'_> {
    /// Tags every node between two nodes.
    fn minimal(&mut self, fine: usize, coarse: usize) -> Result<()> {
        if !self.seen.insert((fine, coarse)) {
            return Ok(());
        }
        let (low, high) = (self.lattice.height(fine), self.lattice.height(coarse));
        if high - low <= 1 {
            self.satisfies(fine)?;
            self.satisfies(coarse)?;
            return Ok(());
        }
        let mut middle = Vec::new();
        self.lattice.between(fine, coarse, |node| {
            if self.lattice.height(node) == low + (high - low) / 2 {
                middle.push(node);
            }
        });
        for node in middle {
            if self.satisfies(node)? {
                self.minimal(fine, node)?;
            } else {
                self.minimal(node, coarse)?;
            }
        }
        Ok(())
    }

    fn satisfies(&mut self, node: usize) -> Result<bool> {
        if let Some(known) = self.tags[node] {
            return Ok(known);
        }
        let satisfies = self.checker.failing(node)? <= self.checker.limit();
        let (fine, coarse) = if satisfies { (node, self.lattice.top()) } else { (0, node) };
        let tags = &mut self.tags;
        self.lattice.between(fine, coarse, |node| tags[node] = Some(satisfies));
        Ok(satisfies)
    }

    /// The satisfying nodes for which `also` is true, ascending.
    fn satisfying(&self, also: impl Fn(&Self, usize) -> bool) -> Vec<usize> {
        (0..self.lattice.nodes()).filter(|node| self.tags[*node] == Some(true) && also(self, *node)).collect()
    }
}
