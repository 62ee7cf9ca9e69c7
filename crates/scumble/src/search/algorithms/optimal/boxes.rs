//! The search that divides the lattice into boxes, for lattices with too many nodes to store notes about each.
//!
//! A box consists of all nodes from a finest to a coarsest one. None of them costs less than the finest node would, if it
//! suppressed the rows that fail in all of them according to the coarsest node (branch and bound). The box with the least
//! bound comes first, so its bound is one for all remaining nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::BestNode;
use super::climb::Climb;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::search::lattice::{Best, Bounds, Checker, Cost, Lattice};

/// The number of boxes taken at once. It is fixed, so that the nodes visited do not depend on the number of threads.
const BATCH: usize = 4;

/// A box: all nodes from one to a coarser one. The order of the fields is the order in which boxes are taken: the least bound
/// first, then the coarser ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    /// A lower bound on the cost of its nodes.
    bound: Cost,
    low: Reverse<usize>,
    high: usize,
    /// A lower bound on the rows that fail in each of its nodes.
    failing: u64,
    /// Whether its coarsest node has been checked.
    looked: bool,
}

/// Finds the best node, or the best one within the budget.
pub(super) fn search<'a>(
    problem: &'a Problem,
    lattice: &'a Lattice,
    mut checker: Checker<'a>,
) -> Result<BestNode<'a>> {
    let bounds = checker.bounds();
    let mut best = Best::default();
    if let Err(error) = Climb::new(lattice, &mut checker, bounds.as_ref(), &problem.budget, &mut best).run() {
        ended(problem, &best, checker.checked(), error)?;
    }
    let least = |node: usize, failing: u64| {
        bounds
            .as_ref()
            .map_or(Cost::LEAST, |bounds: &Bounds<'_>| bounds.least(&lattice.levels(node), failing))
    };
    let whole = Span { bound: least(0, 0), low: Reverse(0), high: lattice.top(), failing: 0, looked: false };
    let mut open = BinaryHeap::from([Reverse(whole)]);
    // A round is a step even if no node is checked, because boxes are divided.
    let mut rounds = 0;
    while let Some(Reverse(first)) = open.peek() {
        if !best.can_be_beaten_by(first.bound, 0, 0) {
            open.clear();
            break;
        }
        if best.node().is_some() && problem.budget.is_spent(checker.checked() + rounds) {
            break;
        }
        let mut spans = Vec::with_capacity(BATCH);
        while spans.len() < BATCH
            && let Some(Reverse(span)) = open.pop()
        {
            if best.can_be_beaten_by(span.bound, span.failing, span.low.0) {
                spans.push(span);
            }
        }
        let coarsest: Vec<usize> = spans.iter().filter(|span| !span.looked).map(|span| span.high).collect();
        let mut visits = match checker.visit_all(&coarsest) {
            Ok(visits) => visits.into_iter(),
            Err(error) => {
                // Nothing was learnt, and the boxes are unchanged.
                ended(problem, &best, checker.checked() + rounds, error)?;
                open.extend(spans.into_iter().map(Reverse));
                break;
            }
        };
        for span in &mut spans {
            if span.looked {
                continue;
            }
            let Some(visit) = visits.next() else { break };
            best.offer(span.high, visit.outcome);
            span.looked = true;
            if visit.finer > span.failing {
                span.failing = visit.finer;
                span.bound = span.bound.max(least(span.low.0, span.failing));
            }
        }
        rounds += 1;
        let beats = |span: &Span| {
            span.failing <= checker.limit() && best.can_be_beaten_by(span.bound, span.failing, span.low.0)
        };
        for span in spans.into_iter().filter(|span| span.low.0 != span.high && beats(span)) {
            open.extend(divide(lattice, &span, least).into_iter().filter(beats).map(Reverse));
        }
    }
    let left = open.peek().map_or(f64::INFINITY, |Reverse(first)| first.bound.value());
    let gap = best.cost().map_or(f64::INFINITY, |best| (best.value() - left).max(0.0));
    Ok(BestNode { best, gap, checker })
}

/// Ends a search that ran out of time during a check, if it has found something.
fn ended(problem: &Problem, best: &Best, steps: u64, error: Error) -> Result<()> {
    match best.node() {
        Some(_) => problem.budget.end_at(steps, error),
        None => Err(error),
    }
}

/// Divides a box into two halves, in the column where that raises the bound of the coarser half most.
fn divide(lattice: &Lattice, span: &Span, least: impl Fn(usize, u64) -> Cost) -> Vec<Span> {
    let (low, high) = (span.low.0, span.high);
    let middles = (0..lattice.width()).filter_map(|column| {
        let (from, to) = (lattice.level(low, column), lattice.level(high, column));
        (from < to).then(|| (column, from + (to - from) / 2))
    });
    let halves = middles.map(|(column, middle)| {
        let finer = lattice.with_level(high, column, middle);
        let coarser = lattice.with_level(low, column, middle + 1);
        (span.bound.max(least(coarser, span.failing)), Reverse(column), finer, coarser)
    });
    let Some((bound, _, finer, coarser)) = halves.max() else { return Vec::new() };
    vec![Span { high: finer, looked: false, ..*span }, Span { low: Reverse(coarser), bound, ..*span }]
}
