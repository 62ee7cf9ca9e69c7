//! Evaluates every combination of levels, for the report of a small lattice.

use super::ClassRun;
use crate::report::data::{Combination, Combinations};
use crate::search::lattice::{Checker, Lattice};

/// The most dots that can be told apart in the drawing.
const MOST: usize = 300;
/// The most classes to merge, which takes a fraction of a second.
const MOST_WORK: usize = 1 << 24;

/// Every combination of levels; `None` if levels were not chosen, or if there are too many to draw.
pub(super) fn combinations(run: &ClassRun<'_>) -> Option<Combinations> {
    let chosen = run.found.levels.as_ref()?;
    let problem = &run.problem;
    let lattice = Lattice::of_any_size(problem, run.algorithm.name).ok()?;
    if lattice.nodes() > MOST || lattice.nodes().saturating_mul(problem.table.tuples()) > MOST_WORK {
        return None;
    }
    let mut checker = Checker::new(problem, &lattice).ok()?;
    let nodes = (0..lattice.nodes()).map(|node| {
        let visit = checker.visit(node).ok()?;
        let levels = lattice.levels(node);
        let suppressed = visit.outcome.map(|outcome| outcome.suppressed);
        Some(Combination { chosen: levels == *chosen, levels, suppressed })
    });
    let checked = run.found.findings.iter().find(|finding| finding.name == "checked");
    Some(Combinations {
        nodes: nodes.collect::<Option<_>>()?,
        columns: problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        checked: checked.and_then(|finding| finding.value).map(|value| value as u64),
    })
}
