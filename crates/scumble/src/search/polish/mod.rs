//! A local search on top of any partition into classes. It moves and exchanges rows, and splits, dissolves and founds classes, as long as
//! every model holds and the cost falls.
//!
//! Classes that lie near each other are searched together, block by block. Blocks share nothing, so they run in parallel and the result
//! does not depend on the number of threads. Every round makes different blocks.

mod block;
mod divide;
mod gather;
mod rebuild;
#[cfg(test)]
mod tests;

use std::time::Instant;

use rayon::prelude::*;

use block::Block;
pub(crate) use gather::gather;

use crate::error::{Error, Result, Setting, Wish};
use crate::metrics::loss;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::Classes;
use crate::search::algorithms::{Finding, Solution};
use crate::search::partition::{Cluster, FIXED_ONE, Member, Partition, Space, fixed};
use crate::table::quasi::Value;

/// The number of clusters that are searched together. With more of them more pairs can be near each other, but the cost grows with the
/// square.
const BLOCK: usize = if cfg!(test) { 4 } else { 1 << 11 };
/// The number of blocks that run in parallel. It is not the number of threads, because the result may not depend on that.
const BATCH: usize = 16;
/// The steps that each block takes between two checks of the budget. If time runs out within a slice, the clusters go back to what they
/// were before the slice.
const SLICE: u64 = if cfg!(test) { 8 } else { 1 << 9 };
/// The number of clusters split between two checks of the budget, so that a large table improves long before all its clusters are split.
const SPLIT: usize = if cfg!(test) { 4 } else { 1 << 12 };
/// The most rounds of a search.
const ROUNDS: usize = 40;
/// The search ends after a round that saves less than one part in this many of the cost.
const LEAST_SHARE: u128 = 20_000;

/// What a search did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    /// The number of changes weighed plus the number of times the search turned to another cluster.
    pub steps: u64,
    /// The number of rounds over all clusters.
    pub rounds: usize,
}

/// Lowers the cost of a partition until nothing more is found or the budget is spent. Every cluster must meet every model before, and
/// still does afterwards.
pub fn improve(space: &Space<'_>, partition: &mut Partition) -> Result<Effort> {
    let problem = space.problem();
    let budget = &problem.budget;
    let mut effort = Effort::default();
    let begun = budget.asked();
    if budget.is_spent(begun) {
        return Ok(effort);
    }
    if !split_all(space, partition, begun, &mut effort)? {
        return Ok(effort);
    }
    let mut before = partition.cost();
    for round in 0..ROUNDS {
        let clusters = partition.clusters();
        let near = |place: usize, column: usize| clusters[place].least_code(column);
        let blocks = match blocks(clusters.len(), space, BLOCK, round, near) {
            Ok(blocks) => blocks,
            Err(error) => {
                budget.end_at(begun + effort.steps, error)?;
                return Ok(effort);
            }
        };
        let mut clusters = std::mem::take(partition.clusters_mut());
        let mut done = Vec::with_capacity(clusters.len());
        let mut taken = |places: &Vec<usize>| -> Block<'_> {
            let take = |place: &usize| std::mem::replace(&mut clusters[*place], Cluster::empty(space));
            Block::new(space, places.iter().map(take).collect())
        };
        let mut spent = false;
        for batch in blocks.chunks(BATCH) {
            let mut batch: Vec<Block<'_>> = batch.iter().map(&mut taken).collect();
            while !spent && !batch.iter().all(Block::is_done) {
                spent = budget.is_spent(begun + effort.steps) || !search_on(&mut batch, begun, &mut effort)?;
            }
            done.extend(batch.into_iter().flat_map(Block::into_clusters));
        }
        *partition.clusters_mut() = done;
        effort.rounds = round + 1;
        let after = partition.cost();
        if spent || before - after <= before / LEAST_SHARE {
            break;
        }
        before = after;
    }
    Ok(effort)
}

/// Splits clusters as long as that makes them cheaper, one batch at a time. Returns whether any budget is left; if not, the remaining
/// clusters stay as they were.
fn split_all(space: &Space<'_>, partition: &mut Partition, begun: u64, effort: &mut Effort) -> Result<bool> {
    let problem = space.problem();
    let clusters = std::mem::take(partition.clusters_mut());
    let split = |cluster: &Cluster| divide::split_fully(space, cluster.clone());
    let mut done = Vec::with_capacity(clusters.len());
    let mut goes_on = true;
    for slice in clusters.chunks(SPLIT) {
        goes_on = goes_on && !problem.budget.is_spent(begun + effort.steps);
        if goes_on {
            match slice.par_iter().map(split).collect::<Result<Vec<_>>>() {
                Ok(split) => {
                    done.extend(split.into_iter().flatten());
                    effort.steps += 1;
                    problem.progress.advance(1);
                    continue;
                }
                Err(error) => problem.budget.end_at(begun + effort.steps, error)?,
            }
            goes_on = false;
        }
        done.extend_from_slice(slice);
    }
    *partition.clusters_mut() = done;
    Ok(goes_on)
}

/// Continues the search in some blocks for one slice. Returns whether any budget is left; if not, the blocks stay as they were.
fn search_on(batch: &mut Vec<Block<'_>>, begun: u64, effort: &mut Effort) -> Result<bool> {
    let Some(first) = batch.first() else { return Ok(true) };
    let budget = &first.space.problem().budget;
    let before = budget.is_timed().then(|| batch.clone());
    let steps = |batch: &[Block<'_>]| batch.iter().map(|block| block.steps).sum::<u64>();
    let taken = steps(batch);
    match batch.par_iter_mut().with_max_len(1).try_for_each(|block| block.go_on(SLICE)) {
        Ok(()) => {
            effort.steps += steps(batch) - taken;
            Ok(true)
        }
        Err(error) => {
            budget.end_at(begun + effort.steps, error)?;
            *batch = before.unwrap_or_default();
            Ok(false)
        }
    }
}

/// Divides places into blocks of near ones, with at most `most` places each. The places are halved along one column after another,
/// beginning with the column `first`; `code(place, column)` says where a place lies in a column.
pub(crate) fn blocks(
    places: usize,
    space: &Space<'_>,
    most: usize,
    first: usize,
    code: impl Fn(usize, usize) -> u32 + Sync,
) -> Result<Vec<Vec<usize>>> {
    let width = space.width();
    let mut blocks = Vec::new();
    let mut rest = vec![((0..places).collect::<Vec<usize>>(), first)];
    while let Some((mut places, first)) = rest.pop() {
        space.problem().progress.check()?;
        if places.len() <= most {
            blocks.push(places);
            continue;
        }
        let code = &code;
        let key = |place: usize| (0..width).map(move |column| code(place, (first + column) % width));
        places.par_sort_by(|a, b| key(*a).cmp(key(*b)).then(a.cmp(b)));
        let half = places.split_off(places.len() / 2);
        rest.push((half, first + 1));
        rest.push((places, first + 1));
    }
    Ok(blocks)
}

/// Improves the classes of a solution by the chosen metric, or by the loss where the metric cannot be computed class by class. Returns the
/// solution unchanged if nothing better is found.
pub fn polish(problem: &Problem, solution: Solution) -> Result<Solution> {
    let mut shown = solution.assignment.columns.iter().flat_map(|column| &column.values);
    if shown.any(|value| matches!(value, Value::Mean { .. })) {
        return Err(Error::refused(
            "polish makes groups whose values cover their rows, and this algorithm shows means",
        )
        .unset(Setting::search("polish"), "leave polish out")
        .another(Wish::WithoutMeans));
    }
    let own = problem.metric.by_column(problem).filter(|_| problem.metric.worsens());
    let by_column = own.or_else(|| loss::ENTRY.build.by_column(problem));
    let weighed = |column: usize, value: Value| {
        by_column
            .as_ref()
            .map_or(0.0, |metric| metric.penalty(column, value) * problem.quasi[column].priority)
    };
    // Costs are counted from the cheapest value of each column, so that none is negative.
    let cheapest: Vec<f64> = (0..problem.quasi.len())
        .map(|column| {
            let alone = |code| weighed(column, problem.quasi[column].cover(code, code));
            (0..problem.quasi[column].size()).map(alone).fold(f64::INFINITY, f64::min).min(0.0)
        })
        .collect();
    let penalty = |column: usize, value: Value| weighed(column, value) - cheapest[column];
    let clock = Instant::now();
    // A search whose share done was known may have come first.
    problem.progress.control().begin(None);
    let space = Space::new(problem, &penalty)?;
    let (mut partition, mut suppressed) = Partition::of_assignment(&space, &solution.assignment);
    let cells = (problem.table.rows() * problem.quasi.len() as u64).max(1) as f64;
    let hidden: u64 = (0..problem.quasi.len()).map(|column| fixed(penalty(column, Value::Star))).sum();
    let rows_hidden =
        |suppressed: &[Member]| -> u64 { suppressed.iter().map(|member| u64::from(member.rows)).sum() };
    let before = partition.cost() + u128::from(rows_hidden(&suppressed) * hidden);
    // Suppressed rows that meet the models among themselves need not be suppressed: they become an ordinary class.
    if !suppressed.is_empty() && space.passes(&suppressed) {
        let class = Cluster::new(&space, std::mem::take(&mut suppressed));
        partition.clusters_mut().push(class);
    }
    let classes = |assignment| Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    let old = classes(solution.assignment.clone());
    let old_figure = problem.metric.measure(&old, problem);
    // Labelling and checking the result takes about as long as everything done so far with the old classes.
    problem.budget.reserve(clock.elapsed());
    let effort = improve(&space, &mut partition)?;
    let after = match effort.steps {
        0 => before,
        _ => partition.cost() + u128::from(rows_hidden(&suppressed) * hidden),
    };
    let mut findings = solution.findings.clone();
    let offset = cheapest.iter().sum::<f64>() / cheapest.len().max(1) as f64;
    let mean = |cost: u128| Some(cost as f64 / FIXED_ONE / cells + offset);
    findings.extend([
        Finding::new(
            "polish_before",
            mean(before),
            "the mean cost of a cell before the local search, with each group as narrow as its rows allow",
        ),
        Finding::new("polish_after", mean(after), "the mean cost of a cell after the local search"),
        Finding::new(
            "polish_steps",
            Some(effort.steps as f64),
            "the steps of the local search: changes of groups that were tried, and moves to another group",
        ),
    ]);
    if effort.steps == 0 {
        return Ok(Solution { findings, ..solution });
    }
    let new = classes(partition.assignment(&space, &suppressed));
    let payloads = problem.table.payloads();
    let holds = problem.models.iter().all(|model| model.judge(&new, payloads).holds);
    let no_worse = match [old_figure, problem.metric.measure(&new, problem)] {
        [Some(old), Some(new)] if problem.metric.lower_is_better() => new <= old,
        [Some(old), Some(new)] => new >= old,
        _ => after <= before,
    };
    if !holds || !no_worse || new.suppressed_rows() > old.suppressed_rows() {
        return Ok(Solution { findings, ..solution });
    }
    let step = Step::Regions(Box::new(new.assignment.clone()));
    Ok(Solution::of_classes(step, new, findings))
}
