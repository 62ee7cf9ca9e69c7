//! Clustering for the least loss: gathers compact classes of k rows, outliers first, then runs a long local search.

use rayon::prelude::*;

use super::{Algorithm, Capabilities, Finding, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::{Recoding, Step};
use crate::search::partition::{Cluster, Member, Partition, Space};
use crate::search::polish::{blocks, gather, polish};
use crate::table::quasi::Value;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "cluster",
    title: "Clustering with a local search, for the least loss",
    paper: "k-member clustering (Byun, Kamra, Bertino, Li 2007), with a local search of this project",
    standing: Standing::Recommended,
    about: "Loses least of all algorithms here, and takes seconds where Mondrian takes milliseconds. Gathers k near rows at a time, \
            beginning far out, then moves and exchanges rows, and splits, dissolves and founds groups while the loss falls. \
            Suppresses nothing and needs hierarchies only where you want them. Rows with equal quasi-identifiers may end up in \
            different groups.",
    parameters: &[],
    build,
};

/// The number of kinds of rows that are gathered into clusters together. The time grows with its square.
const BLOCK: usize = 1 << 12;

/// Within a budget, larger tables (by kinds of rows) begin with Mondrian's classes, because gathering takes long and has nothing to show
/// before its end.
const LARGE: usize = 16 * BLOCK;

/// The finding that says that the search began with Mondrian's classes.
pub(crate) const MONDRIAN_START: &str = "mondrian_start";

struct Clustering;

/// Mondrian's classes, as a start.
fn mondrian(problem: &Problem) -> Result<Solution> {
    let mondrian = (super::mondrian::ENTRY.build)(&Parameters::default())?;
    let mut start = mondrian.run(problem)?;
    let about = "the search began with the groups of mondrian";
    start.findings.push(Finding::new(MONDRIAN_START, Some(start.assignment.classes() as f64), about));
    Ok(start)
}

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Clustering))
}

impl Algorithm for Clustering {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fineness: Fineness::TrueOfClass,
            takes_steps: true,
            never_suppresses: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, problem: &Problem) -> bool {
        problem.metric.worsens() && problem.metric.by_column(problem).is_some()
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let penalty = |column: usize, value: Value| {
            let quasi = &problem.quasi[column];
            quasi.loss(value) * quasi.priority
        };
        let space = Space::new(problem, &penalty)?;
        if !space.only_size() {
            // Gathering near rows ignores sensitive values, whereas Mondrian's classes meet every model.
            return polish(problem, mondrian(problem)?);
        }
        if problem.budget.is_limited() && space.kinds().len() > LARGE {
            drop(space);
            return polish(problem, mondrian(problem)?);
        }
        let most = BLOCK.max(8 * space.least() as usize);
        let code = |kind: usize, column: usize| space.codes(kind as u32)[column];
        let blocks = blocks(space.kinds().len(), &space, most, 0, code)?;
        let gather = |kinds: &Vec<usize>| {
            let free =
                kinds.iter().map(|kind| Member { kind: *kind as u32, rows: space.kind(*kind as u32).rows });
            gather(&space, free.collect())
        };
        let gathered: Result<Vec<Vec<Cluster>>> = blocks.par_iter().map(gather).collect();
        let partition = Partition::new(gathered?.into_iter().flatten().collect());
        let assignment = partition.assignment(&space, &[]);
        let recoding = Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None };
        polish(problem, Solution { recoding, assignment, findings: Vec::new() })
    }
}
