//! Clustering for the least loss: compact classes of k rows, outliers first, and then a long local search.

use rayon::prelude::*;

use super::{Algorithm, Solution};
use crate::config::Parameters;
use crate::error::Result;
use crate::partition::{Cluster, Partition, Space};
use crate::polish::{blocks, polish};
use crate::problem::Problem;
use crate::quasi::Value;
use crate::recoding::{Recoding, Step};
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "cluster",
    title: "Clustering with a local search, for the least loss",
    paper: "k-member clustering (Byun, Kamra, Bertino, Li 2007), with a local search of this project",
    standing: Standing::Recommended,
    about: "Loses least of all algorithms here, and takes seconds where Mondrian takes milliseconds. Gathers k near rows at a time, \
            beginning far out, then moves and exchanges rows, and splits, dissolves and founds classes while the loss falls. \
            Suppresses nothing and needs hierarchies only where you want them. Rows with equal quasi-identifiers may end up in \
            different classes.",
    parameters: &[],
    build,
};

/// So many kinds of rows are gathered into clusters together; the time grows with the square.
const BLOCK: usize = 1 << 12;

struct Clustering;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Clustering))
}

impl Algorithm for Clustering {
    fn needs_trees(&self) -> bool {
        false
    }

    fn takes_steps(&self) -> bool {
        true
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let penalty = |column: usize, value: Value| problem.quasi[column].loss(value);
        let space = Space::new(problem, &penalty)?;
        if !space.only_size() {
            // Gathering near rows says nothing about sensitive values; Mondrian's classes meet every model.
            let mondrian = (super::mondrian::ENTRY.build)(&Parameters::default())?;
            return polish(problem, mondrian.run(problem)?);
        }
        let most = BLOCK.max(8 * space.least() as usize);
        let code = |kind: usize, column: usize| space.codes(kind as u32)[column];
        let blocks = blocks(space.kinds().len(), space.width(), most, 0, code);
        let gathered: Result<Vec<Vec<Cluster>>> =
            blocks.into_par_iter().map(|kinds| gather(&space, &kinds)).collect();
        let partition = Partition::new(gathered?.into_iter().flatten().collect());
        let assignment = partition.assignment(&space, &[]);
        let recoding = Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None };
        polish(problem, Solution { recoding, assignment, findings: Vec::new() })
    }
}

/// Clusters of k rows: the row farthest from the last cluster's first, and those that cost least with it; the rows that are left
/// over go where they cost least.
fn gather(space: &Space<'_>, kinds: &[usize]) -> Result<Vec<Cluster>> {
    let least = space.least();
    let mut free: Vec<(u32, u32)> =
        kinds.iter().map(|kind| (*kind as u32, space.kind(*kind as u32).rows)).collect();
    let mut rows: u64 = free.iter().map(|(_, rows)| u64::from(*rows)).sum();
    let mut clusters: Vec<Cluster> = Vec::new();
    let Some(mut seed) = free.iter().map(|(kind, _)| *kind).min() else { return Ok(clusters) };
    while rows >= least && rows > 0 {
        space.problem().progress.check()?;
        let far = free.iter().map(|(kind, _)| (space.distance(seed, *kind), u32::MAX - kind)).max();
        seed = far.map_or(seed, |(_, kind)| u32::MAX - kind);
        // Only the nearest can be wanted: every row has a kind of its own at worst.
        let mut near: Vec<(u64, u32, u32)> =
            free.iter().map(|(kind, rows)| (space.distance(seed, *kind), *kind, *rows)).collect();
        let enough = 8 * least as usize + 32;
        if near.len() > enough {
            near.select_nth_unstable(enough);
            near.truncate(enough);
        }
        near.sort_unstable();
        let mut cluster = Cluster::empty(space);
        let mut next = seed;
        while cluster.size() < least {
            let Some(place) = near.iter().position(|(_, kind, _)| *kind == next) else { break };
            // More rows of the same kind cost nothing more.
            let taken = u64::from(near[place].2).min(least - cluster.size()) as u32;
            cluster.add(space, next, taken);
            near[place].2 -= taken;
            let cheapest = near
                .iter()
                .filter(|(_, _, rows)| *rows > 0)
                .min_by_key(|(_, kind, _)| (cluster.cost_of_change(space, None, Some(*kind)), *kind));
            match cheapest {
                Some((_, kind, _)) => next = *kind,
                None => break,
            }
        }
        for member in cluster.members() {
            if let Some(place) = free.iter().position(|(kind, _)| *kind == member.kind) {
                free[place].1 -= member.rows;
                if free[place].1 == 0 {
                    free.swap_remove(place);
                }
            }
        }
        rows -= cluster.size();
        clusters.push(cluster);
    }
    free.sort_unstable();
    for (kind, rows) in free {
        for _ in 0..rows {
            let added = |place: &usize| {
                let cluster = &clusters[*place];
                let with = (cluster.size() + 1) * cluster.cost_of_change(space, None, Some(kind));
                (with - cluster.total(), *place)
            };
            if let Some(place) = (0..clusters.len()).min_by_key(added) {
                clusters[place].add(space, kind, 1);
            }
        }
    }
    Ok(clusters)
}
