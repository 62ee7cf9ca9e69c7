//! Places leftovers, merges clusters for further models, and turns clusters into a release.

use rayon::prelude::*;

use super::LabelCost;
use super::boxes::Boxes;
use super::space::Space;
use super::stock::{Cluster, Part, Stock, Which};
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::published::ClassView;
use crate::recoding::{Assignment, Members, Recoding, Share, Step};
use crate::search::algorithms::{Finding, Solution};
use crate::table::frequency::Cell;

/// Puts each remaining row, in the order of the tuples, into the cluster whose cost it raises least; of several, the earlier.
/// A row whose label is not the most frequent one of the cluster costs more.
pub(in crate::search::algorithms) fn add_leftovers(
    space: &Space<'_>,
    stock: &mut Stock<'_>,
    tuples: u32,
    labels: Option<LabelCost>,
    clusters: &mut [Cluster],
) {
    for tuple in 0..tuples {
        while let Some(payload) = stock.next(tuple) {
            let label = stock.label(payload);
            let cost = |cluster: &Cluster| {
                let other =
                    labels.filter(|_| cluster.majority(|payload| stock.label(payload)) != Some(label));
                cluster.increase(space, tuple) + u128::from(other.map_or(0, |labels| labels.cost))
            };
            let nearest =
                clusters.par_iter().enumerate().map(|(place, cluster)| (cost(cluster), place)).min();
            let Some((_, place)) = nearest else { return };
            for part in stock.take(tuple, 1, Which::Any) {
                clusters[place].add(space, part);
            }
        }
    }
}

/// Moves rows from the stock into a cluster.
pub(in crate::search::algorithms) fn gather(
    space: &Space<'_>,
    stock: &mut Stock<'_>,
    boxes: &mut Boxes,
    cluster: &mut Cluster,
    (tuple, most, which): (u32, u64, Which),
) {
    for part in stock.take(tuple, most, which) {
        boxes.remove(&part, stock.label(part.payload));
        cluster.add(space, part);
    }
}

/// Makes every tuple a cluster of its own, which is the result of any clustering with k = 1.
pub(in crate::search::algorithms) fn tuples_alone(
    problem: &Problem,
    space: &Space<'_>,
    stock: &mut Stock<'_>,
) -> Vec<Cluster> {
    (0..problem.table.tuples() as u32)
        .map(|tuple| {
            let mut cluster = Cluster::around(space, tuple);
            let parts = stock.take(tuple, problem.table.weight(tuple), Which::Any);
            parts.into_iter().for_each(|part| cluster.add(space, part));
            cluster
        })
        .collect()
}

/// Whether a cluster meets every model.
fn passes(problem: &Problem, cluster: &Cluster) -> Result<bool> {
    let tests = problem.class_tests()?;
    let mut parts: Vec<(u32, u32)> = cluster.parts.iter().map(|part| (part.payload, part.rows)).collect();
    parts.sort_unstable();
    let mut cells: Vec<Cell> = Vec::new();
    for (payload, rows) in parts {
        match cells.last_mut().filter(|cell| cell.payload == payload) {
            Some(cell) => cell.rows += rows,
            None => cells.push(Cell { payload, rows }),
        }
    }
    let class = ClassView { size: cluster.size, cells: &cells, payloads: problem.table.payloads() };
    Ok(tests.iter().all(|test| test.passes(&class)))
}

/// Merges each cluster that fails a model, the earliest first, with the one that gives the least total cost together with it
/// (of several, the earliest), until none fails. Returns how many clusters disappeared.
pub(in crate::search::algorithms) fn merge_failing(
    problem: &Problem,
    space: &Space<'_>,
    clusters: &mut Vec<Cluster>,
) -> Result<usize> {
    let before = clusters.len();
    // The places of the remaining clusters, and whether they fail.
    let mut failing =
        clusters.iter().map(|of| passes(problem, of).map(|ok| !ok)).collect::<Result<Vec<_>>>()?;
    let mut there: Vec<usize> = (0..before).collect();
    let total = |size: u64, cost: u64| u128::from(size) * u128::from(cost);
    let mut costs: Vec<u128> = clusters.par_iter().map(|of| total(of.size, space.cost(&of.extent))).collect();
    let mut next = 0;
    while next < clusters.len() {
        if !failing[next] || there.len() == 1 {
            next += 1;
            continue;
        }
        problem.progress.check()?;
        let joint = |other: usize| {
            let (one, two) = (&clusters[next], &clusters[other]);
            total(one.size + two.size, space.joint_cost(&one.extent, two.extent.iter().copied()))
        };
        let nearest = there
            .par_iter()
            .with_min_len(256)
            .filter(|other| **other != next)
            .map(|other| {
                // The increase in cost, without the part that is the same for all.
                (joint(*other) - costs[*other], *other)
            })
            .min();
        let Some((_, other)) = nearest else { break };
        // The merged cluster goes to the earlier place.
        let (kept, gone) = (next.min(other), next.max(other));
        costs[kept] = joint(other);
        let merged = std::mem::replace(
            &mut clusters[gone],
            Cluster { parts: Vec::new(), extent: Vec::new(), size: 0 },
        );
        let cluster = &mut clusters[kept];
        for (mine, theirs) in cluster.extent.iter_mut().zip(&merged.extent) {
            *mine = (mine.0.min(theirs.0), mine.1.max(theirs.1));
        }
        cluster.size += merged.size;
        cluster.parts.extend(merged.parts);
        failing[gone] = false;
        failing[kept] = !passes(problem, &clusters[kept])?;
        there.retain(|place| *place != gone);
        next = next.min(kept);
    }
    clusters.retain(|cluster| cluster.size > 0);
    Ok(before - clusters.len())
}

/// The release that shows, for each cluster, the values that cover it. Clusters that fail a model are merged first.
pub(in crate::search::algorithms) fn solution(
    problem: &Problem,
    space: &Space<'_>,
    mut clusters: Vec<Cluster>,
) -> Result<Solution> {
    let found = clusters.len();
    let largest = clusters.iter().map(|cluster| cluster.size).max().unwrap_or(0);
    let merged = merge_failing(problem, space, &mut clusters)?;
    let share =
        |class: u32, part: &Part| Share { tuple: part.tuple, payload: part.payload, class, rows: part.rows };
    let shares = (0..)
        .zip(&clusters)
        .flat_map(|(class, cluster)| cluster.parts.iter().map(move |part| share(class, part)));
    let members = Members::of_shares(shares.collect());
    let regions: Vec<_> = clusters.iter().map(|cluster| space.values(&cluster.extent)).collect();
    let assignment = Assignment::of_regions(members, &regions);
    let step = Step::Regions(Box::new(assignment.clone()));
    let findings = vec![
        finding(
            "clusters",
            found as f64,
            "the clusters that were found; those that show the same are one group",
        ),
        finding("largest_cluster", largest as f64, "the rows of the largest of them"),
        finding(
            "merged",
            merged as f64,
            "the clusters that were merged into others because they failed a model",
        ),
    ];
    Ok(Solution { recoding: Recoding { step, shown: None }, assignment, findings })
}

/// A finding about the whole table.
pub(in crate::search::algorithms) fn finding(
    name: &'static str,
    value: f64,
    meaning: &'static str,
) -> Finding {
    Finding { name, value: Some(value), meaning, column: None }
}
