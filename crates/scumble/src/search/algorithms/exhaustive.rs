//! Publishes and checks every combination of levels as a whole, for models that cannot be checked class by
//! class.

use rayon::prelude::*;

use super::{Finding, Solution};
use crate::error::{ErrorKind, Result};
use crate::metrics::Metric;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::Classes;
use crate::search::lattice::{Best, Cost, Lattice, Outcome};

/// The most nodes that are published one by one.
pub(super) const MOST: usize = 100_000;

/// The number of nodes checked in one batch.
const BATCH: usize = 64;

/// Finds the best node by a metric at which every model holds, including models of the whole table.
pub(super) fn search(problem: &Problem, lattice: &Lattice, metric: &dyn Metric) -> Result<Solution> {
    let mut best = Best::default();
    let nodes: Vec<usize> = (0..lattice.nodes()).collect();
    for batch in nodes.chunks(BATCH) {
        problem.progress.check()?;
        problem.progress.advance(batch.len() as u64);
        let outcomes: Vec<Option<Outcome>> =
            batch.par_iter().map(|node| outcome(problem, lattice, *node, metric)).collect::<Result<_>>()?;
        batch.iter().zip(outcomes).for_each(|(node, outcome)| best.offer(*node, outcome));
    }
    let step = Step::Levels(lattice.levels(best.required()?));
    let classes = problem.suppress_failing(step.apply(&problem.table, &problem.quasi))?;
    let count = |name, meaning| Finding::new(name, Some(lattice.nodes() as f64), meaning);
    let findings = vec![
        count("nodes", "the combinations of levels that there are"),
        count("checked", "how often the groups of a combination were looked at"),
    ];
    Ok(Solution::of_classes(step, classes, findings))
}

fn outcome(
    problem: &Problem,
    lattice: &Lattice,
    node: usize,
    metric: &dyn Metric,
) -> Result<Option<Outcome>> {
    let step = Step::Levels(lattice.levels(node));
    let classes: Classes = match problem.suppress_failing(step.apply(&problem.table, &problem.quasi)) {
        Ok(classes) => classes,
        Err(error) if error.kind() == ErrorKind::Infeasible => return Ok(None),
        Err(other) => return Err(other),
    };
    let suppressed = classes.suppressed_rows();
    let payloads = problem.table.payloads();
    if !problem.models.iter().all(|model| model.judge(&classes, payloads).holds) {
        return Ok(None);
    }
    let cost = Cost::new(metric.measure(&classes, problem), metric.lower_is_better());
    Ok(Some(Outcome { cost, suppressed }))
}
