//! Datafly (Sweeney 1998; algorithms.md B20): generalises the column with the most values until few rows are left over.

use super::{Algorithm, Capabilities, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::search::lattice::{Checker, Lattice};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "datafly",
    title: "Datafly, greedy full-domain generalisation",
    paper: "Sweeney 1998",
    standing: Standing::Classic,
    about: "Raises the column with the most distinct values by one level, again and again, until at most k rows are in groups \
            that fail a model, and suppresses those. Quick, and mostly coarser than needed: 'optimal' loses less.",
    parameters: &[],
    build,
};

struct Datafly;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Datafly))
}

impl Algorithm for Datafly {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            default_suppression: Rational::ONE,
            is_quick: true,
            serves_population: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        Lattice::of_any_width(problem, ENTRY.name)?;
        problem.tests().map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::of_any_width(problem, ENTRY.name)?;
        let mut checker = Checker::new(problem, &lattice)?;
        // The published algorithm stops at k rows. If the suppression limit is lower, the loop continues.
        let few = problem.k().unwrap_or(1).min(checker.limit());
        // Use vectors instead of numbers of nodes: hundreds of columns have more combinations than there are numbers.
        let mut levels = vec![0; lattice.width()];
        loop {
            let enough = checker.all_failing_at(&levels)? <= few;
            let growing = |column: &usize| levels[*column] < lattice.heights()[*column];
            let values = |column: usize| checker.values(column, levels[column]);
            let most = (0..lattice.width())
                .filter(growing)
                .max_by(|a, b| values(*a).cmp(&values(*b)).then(b.cmp(a)));
            if enough || most.is_none() {
                let findings = super::lattice_findings(&lattice, &checker);
                let solution = Solution::of_step(problem, Step::Levels(levels.clone()), findings);
                // The suppressed rows themselves may fail the models, and repairing that may suppress too many.
                if solution.is_ok() || most.is_none() {
                    return solution;
                }
            }
            if let Some(column) = most {
                levels[column] += 1;
            }
        }
    }
}
