//! Incognito (LeFevre, DeWitt, Ramakrishnan 2005; algorithms.md B17): finds all satisfying nodes, from small sets of columns
//! to all columns.

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::search::lattice::{Best, Checker, Lattice, Pruning};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "incognito",
    title: "Incognito, full-domain search over sets of columns",
    paper: "LeFevre, DeWitt, Ramakrishnan 2005",
    standing: Standing::Classic,
    about: "Finds every combination of levels that meets the models by looking at one column, then two, and so on: what fails \
            for some columns fails for more. Then takes the best by the metric. 'optimal' finds the same best with fewer looks.",
    parameters: &[],
    build,
};

struct Incognito;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Incognito))
}

/// The most columns: each further one doubles the number of sets of columns.
const MOST_COLUMNS: usize = 16;

impl Algorithm for Incognito {
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
        if problem.quasi.len() > MOST_COLUMNS {
            return Err(Error::refused(format!(
                "'incognito' goes through all sets of quasi-identifiers, and {} have too many",
                problem.quasi.len()
            ))
            .another_that("use an algorithm that does not go through all sets of quasi-identifiers"));
        }
        Pruning::required(problem, ENTRY.name).map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        let mut checker = Checker::new(problem, &lattice)?;
        let satisfying = satisfying(&lattice, &mut checker)?;
        let best = Best::of(&satisfying, &mut checker, &lattice)?;
        let mut findings = super::lattice_findings(&lattice, &checker);
        findings.push(Finding::new(
            "satisfying",
            Some(satisfying.len() as f64),
            "the combinations of levels that meet every model within the suppression limit",
        ));
        super::solution_at(problem, &lattice, best.required()?, findings)
    }
}

/// Returns all nodes whose failing rows are within the limit, ascending.
///
/// A node of a set of columns is the node of the whole lattice that has all other columns at the root, where they distinguish
/// nothing: a projection is a roll-up.
fn satisfying(lattice: &Lattice, checker: &mut Checker<'_>) -> Result<Vec<usize>> {
    let width = lattice.width();
    let mut fails = vec![false; lattice.nodes()];
    let mut sets: Vec<u32> = (1..1_u32 << width).collect();
    sets.sort_by_key(|set| (set.count_ones(), *set));
    let mut survivors = vec![lattice.top()];
    for set in sets {
        let root = |column: usize| set & (1 << column) == 0;
        let fine: Vec<u32> =
            (0..width).map(|column| if root(column) { lattice.heights()[column] } else { 0 }).collect();
        let mut nodes = Vec::new();
        lattice.between(lattice.node(&fine), lattice.top(), |node| nodes.push(node));
        nodes.sort_by_key(|node| (lattice.height(*node), *node));
        let mut passes = vec![false; nodes.len()];
        let mut known = hashbrown::HashSet::<usize, foldhash::fast::FixedState>::default();
        for (node, passes) in nodes.iter().zip(&mut passes) {
            // A priori: a node can only survive if it survives without each of its columns.
            let fails_with_fewer = (0..width).filter(|column| !root(*column)).any(|column| {
                let mut levels = lattice.levels(*node);
                let at_root = levels[column] == lattice.heights()[column];
                levels[column] = lattice.heights()[column];
                !at_root && fails[lattice.node(&levels)]
            });
            *passes =
                !fails_with_fewer && (known.contains(node) || checker.failing(*node)? <= checker.limit());
            if *passes {
                known.extend(lattice.successors(*node));
            } else {
                fails[*node] = true;
            }
        }
        if set.count_ones() as usize == width {
            survivors =
                nodes.into_iter().zip(passes).filter(|(_, passes)| *passes).map(|(node, _)| node).collect();
            survivors.sort_unstable();
        }
    }
    Ok(survivors)
}
