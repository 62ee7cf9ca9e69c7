//! MinGen (Sweeney 2002; algorithms.md B16): checks every node and takes the one of the highest precision.

use super::{Algorithm, Capabilities, Fineness, Reach, Solution, exhaustive};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::metrics;
use crate::problem::Problem;
use crate::search::lattice::{Best, Checker, Lattice};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "mingen",
    title: "MinGen, exhaustive full-domain search",
    paper: "Sweeney 2002",
    standing: Standing::Classic,
    about: "Looks at every combination of levels and takes the one of the highest precision, whatever metric is asked for. For \
            comparison: 'optimal' with the metric 'precision' gives the same after looking at a few of them.",
    parameters: &[],
    build,
};

struct MinGen;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(MinGen))
}

/// The most nodes that are enumerated.
const MOST: usize = 1_000_000;

/// The number of nodes checked in one batch.
const BATCH: usize = 64;

/// Whether some model does not apply to single classes of all columns. Then every combination is published and checked as a
/// whole.
fn one_by_one(problem: &Problem) -> bool {
    problem.judges_whole_tables() || !problem.models.iter().all(|model| problem.is_about_all(&**model))
}

impl Algorithm for MinGen {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            fineness: Fineness::OneStep,
            default_suppression: Rational::ZERO,
            default_metric: "precision",
            serves_projections: true,
            serves_population: true,
            serves_unmergeable: true,
            serves_whole_tables: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let nodes = Lattice::new(problem, ENTRY.name)?.nodes();
        if nodes > MOST {
            return Err(Error::refused(format!(
                "'mingen' looks at every combination of levels, and there are {nodes}, more than {MOST}"
            ))
            .another_that("use an algorithm that does not look at every combination"));
        }
        if !one_by_one(problem) {
            return problem.tests().map(|_| ());
        }
        if nodes > exhaustive::MOST {
            return Err(Error::refused(format!(
                "models of the whole table, or of some columns, are checked on every combination of levels, and there are {nodes}, more \
                 than {}",
                exhaustive::MOST
            ))
            .advise("use fewer quasi-identifiers")
            .advise("use hierarchies with fewer levels"));
        }
        Ok(())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        if one_by_one(problem) {
            return exhaustive::search(problem, &lattice, metrics::precision::ENTRY.build);
        }
        let mut checker = Checker::by(problem, metrics::precision::ENTRY.build, &lattice)?;
        let mut best = Best::default();
        let nodes: Vec<usize> = (0..lattice.nodes()).collect();
        for batch in nodes.chunks(BATCH) {
            for (node, visit) in batch.iter().zip(checker.visit_all(batch)?) {
                best.offer(*node, visit.outcome);
            }
        }
        let findings = super::lattice_findings(&lattice, &checker);
        super::solution_at(problem, &lattice, best.required()?, findings)
    }
}
