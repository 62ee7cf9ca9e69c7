//! A local search on top of any partition into classes: rows move and change places, classes are split, dissolved and founded,
//! while every model holds and the cost falls.
//!
//! Classes that lie near each other are searched together, block by block; blocks share nothing, so they run side by side
//! and the result does not depend on the number of threads. Every round makes other blocks.

mod block;
mod divide;
mod gather;
mod rebuild;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

pub(crate) use gather::gather;

use crate::algorithms::{Finding, Solution};
use crate::error::{Error, Result};
use crate::metrics::loss;
use crate::partition::{Cluster, FIXED_ONE, Member, Partition, Space, fixed};
use crate::problem::Problem;
use crate::published::{Classes, Published};
use crate::quasi::Value;
use crate::recoding::Step;

/// So many clusters are searched together. More see more of each other, at a cost that grows with their square.
const BLOCK: usize = if cfg!(test) { 4 } else { 1 << 11 };
/// So many blocks are searched between two looks at the budget; not the number of threads, on which no result may depend.
const BATCH: usize = 16;
/// No search goes on for more rounds.
const ROUNDS: usize = 40;
/// The search ends with a round that saves less than this share of the cost.
const LEAST_SHARE: u128 = 20_000;

/// What a search did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Effort {
    /// How many changes were weighed.
    pub steps: u64,
    /// How many rounds over all clusters there were.
    pub rounds: usize,
}

/// Lowers the cost of a partition until nothing more is found or the budget is spent. Every cluster meets every model before,
/// and so it does after.
pub fn improve(space: &Space<'_>, partition: &mut Partition) -> Result<Effort> {
    let problem = space.problem();
    let mut effort = Effort::default();
    let begun = problem.budget.asked();
    if problem.budget.is_spent(begun) {
        return Ok(effort);
    }
    let clusters = std::mem::take(partition.clusters_mut());
    let split: Vec<Vec<Cluster>> =
        clusters.into_par_iter().map(|cluster| divide::split_fully(space, cluster)).collect();
    *partition.clusters_mut() = split.into_iter().flatten().collect();
    let mut before = partition.cost();
    for round in 0..ROUNDS {
        let mut clusters = std::mem::take(partition.clusters_mut());
        let near = |place: usize, column: usize| clusters[place].least_code(column);
        let blocks = blocks(clusters.len(), space.width(), BLOCK, round, near);
        let mut done = Vec::with_capacity(clusters.len());
        let mut taken = |places: &Vec<usize>| -> Vec<Cluster> {
            places
                .iter()
                .map(|place| std::mem::replace(&mut clusters[*place], Cluster::empty(space)))
                .collect()
        };
        let mut spent = false;
        for batch in blocks.chunks(BATCH) {
            let batch: Vec<Vec<Cluster>> = batch.iter().map(&mut taken).collect();
            spent = spent || problem.budget.is_spent(begun + effort.steps);
            if spent {
                done.extend(batch.into_iter().flatten());
                continue;
            }
            let searched: Result<Vec<(Vec<Cluster>, u64)>> =
                batch.into_par_iter().map(|clusters| block::search(space, clusters)).collect();
            for (clusters, steps) in searched? {
                done.extend(clusters);
                effort.steps += steps;
            }
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

/// Places by blocks of near ones, of at most `most` places each: halved along one column after another, beginning with the
/// column `first`. `code(place, column)` is where a place lies in a column.
pub(crate) fn blocks(
    places: usize,
    width: usize,
    most: usize,
    first: usize,
    code: impl Fn(usize, usize) -> u32 + Sync,
) -> Vec<Vec<usize>> {
    let mut blocks = Vec::new();
    let mut rest = vec![((0..places).collect::<Vec<usize>>(), first)];
    while let Some((mut places, first)) = rest.pop() {
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
    blocks
}

/// Improves the classes of a solution by the metric that is asked for, or by the loss where classes do not decide the metric one
/// by one. The solution comes back as it was if nothing better is found.
pub fn polish(problem: &Problem, solution: Solution) -> Result<Solution> {
    let mut shown = solution.assignment.columns.iter().flat_map(|column| &column.values);
    if shown.any(|value| matches!(value, Value::Mean { .. })) {
        return Err(Error::refused(
            "polish makes classes whose values cover their rows, and this algorithm shows means; leave polish out, or use a \
             clustering such as k_member",
        ));
    }
    let own = problem.metric.by_column(problem).filter(|_| problem.metric.worsens());
    let by_column = own.or_else(|| loss::ENTRY.build.by_column(problem));
    let weighed = |column: usize, value: Value| {
        by_column
            .as_ref()
            .map_or(0.0, |metric| metric.penalty(column, value) * problem.quasi[column].priority)
    };
    // Costs are counted from what the cheapest value of a column costs, so that none is negative.
    let cheapest: Vec<f64> = (0..problem.quasi.len())
        .map(|column| {
            let alone = |code| weighed(column, problem.quasi[column].cover(code, code));
            (0..problem.quasi[column].size()).map(alone).fold(f64::INFINITY, f64::min).min(0.0)
        })
        .collect();
    let penalty = |column: usize, value: Value| weighed(column, value) - cheapest[column];
    let space = Space::new(problem, &penalty)?;
    let (mut partition, mut suppressed) = Partition::of_assignment(&space, &solution.assignment);
    let cells = (problem.table.rows() * problem.quasi.len() as u64).max(1) as f64;
    let hidden: u64 = (0..problem.quasi.len()).map(|column| fixed(penalty(column, Value::Star))).sum();
    let rows_hidden =
        |suppressed: &[Member]| -> u64 { suppressed.iter().map(|member| u64::from(member.rows)).sum() };
    let before = partition.cost() + u128::from(rows_hidden(&suppressed) * hidden);
    // Suppressed rows that meet the models among themselves need not be suppressed: they are a class like others.
    if !suppressed.is_empty() && space.passes(&suppressed) {
        let class = Cluster::new(&space, std::mem::take(&mut suppressed));
        partition.clusters_mut().push(class);
    }
    let effort = improve(&space, &mut partition)?;
    let after = partition.cost() + u128::from(rows_hidden(&suppressed) * hidden);
    let published = |assignment| {
        Published::Classes(Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy))
    };
    let old = published(solution.assignment.clone());
    let new = published(partition.assignment(&space, &suppressed));
    let mut findings = solution.findings.clone();
    let offset = cheapest.iter().sum::<f64>() / cheapest.len().max(1) as f64;
    let mean = |cost: u128| Some(cost as f64 / FIXED_ONE / cells + offset);
    findings.extend([
        Finding::new("polish_before", mean(before), "the mean cost of a cell with each class as tight as its rows allow, before the classes were polished"),
        Finding::new("polish_after", mean(after), "the mean cost of a cell after that"),
        Finding::new("polish_steps", Some(effort.steps as f64), "how many changes of classes were weighed"),
    ]);
    let Published::Classes(old_classes) = &old;
    let Published::Classes(new_classes) = &new;
    let payloads = problem.table.payloads();
    let holds = problem.models.iter().all(|model| model.judge(&new, payloads).holds);
    let figures = [&old, &new].map(|published| problem.metric.measure(published, problem));
    let no_worse = match figures {
        [Some(old), Some(new)] if problem.metric.lower_is_better() => new <= old,
        [Some(old), Some(new)] => new >= old,
        _ => after <= before,
    };
    if !holds || !no_worse || new_classes.suppressed_rows() > old_classes.suppressed_rows() {
        return Ok(Solution { findings, ..solution });
    }
    let Published::Classes(classes) = new;
    let step = Step::Regions(Box::new(classes.assignment.clone()));
    Ok(Solution::of_classes(step, classes, findings))
}
