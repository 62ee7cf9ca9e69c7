//! The best full-domain recoding (algorithms.md B14, B18, B19): exact for every set of models, metric and suppression limit.
//!
//! Every node is checked, or known to suppress too many rows because a coarser one shows it, or known to cost more than the
//! best. `notes.rs` stores this for every node. Lattices too large for that are divided into boxes (`boxes.rs`), after
//! `climb.rs` has found a good node to compare with. Both searches can be stopped, and then report how far away the optimum
//! can be.

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting, Wish};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::search::lattice::{Best, Checker, Lattice};

mod boxes;
mod climb;
mod notes;

/// The registry entry.
pub const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "optimal",
    title: "optimal full-domain recoding",
    paper: "bounds and bisection after El Emam et al. 2009 and Kohlmayer, Prasser et al. 2012",
    standing: Standing::Recommended,
    about: "Finds the best of all combinations of levels under any models, metric and suppression limit, so every column keeps \
            one consistent domain. Needs a hierarchy for every quasi-identifier. Exact; with a budget it returns the best found \
            by then and how far from the optimum it can be.",
    parameters: &[],
    build,
};

/// The most nodes with notes. A note takes some 30 bytes, and every conclusion goes through all nodes that it concerns.
const NOTED: usize = 1 << 21;

/// Larger lattices are searched only with a budget, so that nobody starts an endless search by mistake.
const LARGEST: usize = 1 << 24;

struct Optimal {
    noted: usize,
}

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(noting_at_most(NOTED))
}

/// The search that stores notes about the nodes of lattices up to this size, and divides larger ones into boxes. The result
/// is the same either way.
#[must_use]
pub fn noting_at_most(nodes: usize) -> Box<dyn Algorithm> {
    Box::new(Optimal { noted: nodes })
}

impl Algorithm for Optimal {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            fineness: Fineness::OneStep,
            takes_steps: true,
            serves_population: true,
            serves_unmergeable: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, _: &Problem) -> bool {
        true
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let lattice = Lattice::of_any_size(problem, ENTRY.name)?;
        if lattice.nodes() > LARGEST && !problem.budget.is_limited() {
            return Err(Error::refused(format!(
                "the columns' levels combine to {} vectors, too many to search to the end",
                lattice.nodes()
            ))
            .set(Setting::search("budget").to("30s"), "say how long to search")
            .advise("give hierarchies with fewer levels")
            .advise("use fewer quasi-identifiers")
            .another(Wish::Quick));
        }
        problem.tests().map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::of_any_size(problem, ENTRY.name)?;
        let checker = Checker::new(problem, &lattice)?;
        let BestNode { best, gap, checker } = if lattice.nodes() <= self.noted {
            notes::search(problem, &lattice, checker)?
        } else {
            boxes::search(problem, &lattice, checker)?
        };
        problem.budget.settle();
        let mut findings = super::lattice_findings(&lattice, &checker);
        findings.push(Finding::new(
            "gap",
            gap.is_finite().then_some(gap),
            "by how much, at most, a combination of levels that was not tried could be better; 0: the result is the best possible",
        ));
        let solution = super::solution_at(problem, &lattice, best.required()?, findings)?;
        if problem.budget.spent_after().is_none()
            && best.cost().is_some_and(|cost| cost.value() == f64::INFINITY)
            && figure(problem, &solution).is_none()
        {
            return Err(Error::refused(
                "the metric asked for is not defined for any combination of levels that can be published, so none is the best",
            )
            .set(Setting::search("metric").to("loss"), "use a metric that is defined")
            .set(Setting::role("class"), "give what the metric needs, such as a class column"));
        }
        Ok(solution)
    }
}

/// The result of a search.
struct BestNode<'a> {
    best: Best,
    /// How much better a node that was not checked could be.
    gap: f64,
    checker: Checker<'a>,
}

/// The metric's figure for a solution.
fn figure(problem: &Problem, solution: &Solution) -> Option<f64> {
    let assignment = solution.assignment.clone();
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    problem.metric.measure(&classes, problem)
}
