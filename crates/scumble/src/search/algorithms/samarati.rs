//! Samarati's binary search (2001; algorithms.md B15): the least height of the lattice at which some node satisfies.

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::problem::Problem;
use crate::search::lattice::{Checker, Lattice, Pruning};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "samarati",
    title: "Samarati's binary search",
    paper: "Samarati 2001",
    standing: Standing::Classic,
    about: "Finds a combination of levels of the least height (sum of levels) by bisecting the heights; of those, the one with \
            the fewest suppressed rows. The least height is not the least loss: 'optimal' finds that.",
    parameters: &[],
    build,
};

struct Samarati;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Samarati))
}

impl Algorithm for Samarati {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            fineness: Fineness::OneStep,
            serves_population: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        Lattice::new(problem, ENTRY.name)?;
        problem.tests()?;
        Pruning::required(problem, ENTRY.name).map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        let mut checker = Checker::new(problem, &lattice)?;
        let by_height = lattice.by_height();
        let (mut low, mut high) = (0, by_height.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            if some_satisfies(&mut checker, &by_height[middle])? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        // A satisfying node may still not be publishable, where the suppressed rows must meet the models too. Then go
        // up.
        let mut found = None;
        for (height, nodes) in by_height.iter().enumerate().skip(low) {
            for node in nodes {
                if let Some(outcome) = checker.visit(*node)?.outcome {
                    found =
                        found.min(Some((outcome.suppressed, *node))).or(Some((outcome.suppressed, *node)));
                }
            }
            if let Some((_, node)) = found {
                let mut findings = super::lattice_findings(&lattice, &checker);
                findings.push(Finding::new(
                    "height",
                    Some(height as f64),
                    "the least sum of levels at which some combination can be published",
                ));
                return super::solution_at(problem, &lattice, node, findings);
            }
        }
        // No node can be published; the error for the coarsest node says why.
        super::solution_at(problem, &lattice, lattice.top(), Vec::new())
    }
}

fn some_satisfies(checker: &mut Checker<'_>, nodes: &[usize]) -> Result<bool> {
    for node in nodes {
        if checker.failing(*node)? <= checker.limit() {
            return Ok(true);
        }
    }
    Ok(false)
}
