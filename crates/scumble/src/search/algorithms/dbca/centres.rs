//! Clusters around dense rows (Sun, Wang, Li 2009, Definitions 11 and 12; algorithms.md A8).

use rayon::prelude::*;

use crate::error::Result;
use crate::problem::Problem;
use crate::search::algorithms::clustering::LabelCost;
use crate::search::algorithms::clustering::boxes::{Boxes, Found, Keys, Query};
use crate::search::algorithms::clustering::finish::{add_leftovers, gather};
use crate::search::algorithms::clustering::space::Space;
use crate::search::algorithms::clustering::stock::{Cluster, Stock, Which};

/// The distance of two tuples is the distortion of both together, which is twice the cost of covering them.
const BOTH: u64 = 2;

/// The settings of a search for clusters.
pub(super) struct Wanted {
    /// The rows of a cluster, at least 2.
    pub(super) k: u64,
    /// Whether a centre must be distant from all earlier centres, and not only from the last.
    pub(super) all_centres: bool,
    /// Whether a row is excluded from its own neighbours.
    pub(super) exclude_self: bool,
    /// Whether densities are computed among the remaining rows instead of the whole table.
    pub(super) dynamic: bool,
    /// The cost of rows with another label than the centre's.
    pub(super) labels: Option<LabelCost>,
}

impl Wanted {
    /// The number of nearest rows that determine a row's density. The row itself is one of them and costs nothing, so if it is
    /// excluded, there is one more.
    fn neighbours(&self) -> u64 {
        self.k + u64::from(self.exclude_self)
    }
}

/// Forms clusters of k rows, and of a few more where rows are left over.
pub(super) fn clusters(
    problem: &Problem,
    space: &Space<'_>,
    stock: &mut Stock<'_>,
    wanted: &Wanted,
) -> Result<Vec<Cluster>> {
    let tuples = problem.table.tuples() as u32;
    let mut boxes = Boxes::new(space, stock, tuples, &problem.progress)?;
    let mut search = if wanted.dynamic {
        NextCentre::Dynamic(Vec::new())
    } else {
        NextCentre::Static(Candidates::new(nearness(problem, space, &boxes, wanted)?, wanted))
    };
    let mut clusters = Vec::new();
    let mut query = Query::default();
    while stock.rows >= wanted.k {
        problem.progress.check()?;
        let next = match &mut search {
            NextCentre::Static(candidates) => candidates.next(space, &boxes, &query),
            NextCentre::Dynamic(centres) => densest_left(problem, space, &boxes, wanted, centres)?,
        };
        let Some(centre) = next else { break };
        boxes.ask(space, &space.point(centre), &mut query);
        let mut cluster = Cluster::around(space, centre);
        gather(space, stock, &mut boxes, &mut cluster, (centre, 1, Which::Any));
        let label = wanted.labels.and_then(|labels| {
            let payload = cluster.parts.first()?.payload;
            Some((stock.label(payload), labels.cost))
        });
        for found in boxes.nearest(&query, Keys { factor: BOTH, label }, wanted.k - 1) {
            let which = match (label, found.other) {
                (None, _) => Which::Any,
                (Some((label, _)), false) => Which::Of(label),
                (Some((label, _)), true) => Which::NotOf(label),
            };
            let need = wanted.k - cluster.size;
            gather(space, stock, &mut boxes, &mut cluster, (found.tuple, need, which));
        }
        problem.progress.advance(cluster.size);
        clusters.push(cluster);
    }
    add_leftovers(space, stock, tuples, wanted.labels, &mut clusters);
    Ok(clusters)
}

/// How the next centre is found.
enum NextCentre<'w> {
    /// By the densities in the whole table.
    Static(Candidates<'w>),
    /// By the densities among the remaining rows. Holds the centres so far, with the nearness that each had.
    Dynamic(Vec<(u32, u128)>),
}

/// Returns the next centre by the densities among the remaining rows: the densest tuple that is distant enough, otherwise the
/// densest of all.
fn densest_left(
    problem: &Problem,
    space: &Space<'_>,
    boxes: &Boxes,
    wanted: &Wanted,
    centres: &mut Vec<(u32, u128)>,
) -> Result<Option<u32>> {
    let nearness = nearness(problem, space, boxes, wanted)?;
    let near = |tuple: u32| nearness[tuple as usize];
    let mut left: Vec<u32> = (0..nearness.len() as u32).filter(|tuple| boxes.rows(*tuple) > 0).collect();
    left.par_sort_unstable_by_key(|tuple| (near(*tuple), *tuple));
    let first = if wanted.all_centres { 0 } else { centres.len().saturating_sub(1) };
    let keeps_distance = |tuple: &&u32| {
        let point = space.point(**tuple);
        centres[first..].iter().all(|(centre, of_centre)| {
            let other = space.ranks(*centre).iter().map(|rank| (*rank, *rank));
            u128::from(wanted.k) * u128::from(space.joint_cost(&point, other)) > of_centre + near(**tuple)
        })
    };
    let centre = left.iter().find(keeps_distance).or(left.first()).copied();
    centres.extend(centre.map(|centre| (centre, near(centre))));
    Ok(centre)
}

/// For each tuple with rows left, the sum of the costs of its k nearest rows, including itself unless it is excluded. That is
/// k/2 times the mean distance DistKNN. Densities are the reciprocals; no quotient is ever formed, since the sum may be 0.
fn nearness(problem: &Problem, space: &Space<'_>, boxes: &Boxes, wanted: &Wanted) -> Result<Vec<u128>> {
    let k = wanted.neighbours();
    // Rows of all labels count.
    let keys = Keys { factor: 1, label: None };
    let sum = |found: Vec<Found>| {
        let mut need = k;
        found.into_iter().fold(0, |sum, found| {
            let rows = need.min(u64::from(found.rows));
            need -= rows;
            sum + u128::from(rows) * u128::from(found.key)
        })
    };
    let of_tuple = |query: &mut Query, tuple: &u32| {
        problem.progress.check()?;
        if boxes.rows(*tuple) == 0 {
            return Ok((*tuple, 0));
        }
        boxes.ask(space, &space.point(*tuple), query);
        Ok((*tuple, sum(boxes.nearest(query, keys, k))))
    };
    let sums: Result<Vec<(u32, u128)>> =
        boxes.order().par_iter().with_min_len(64).map_init(Query::default, of_tuple).collect();
    let mut nearness = vec![0; boxes.order().len()];
    sums?.into_iter().for_each(|(tuple, sum)| nearness[tuple as usize] = sum);
    Ok(nearness)
}

/// The tuples that may become centres, densest first.
struct Candidates<'w> {
    wanted: &'w Wanted,
    nearness: Vec<u128>,
    /// The tuples by nearness, then number.
    order: Vec<u32>,
    /// Per place in the order, the next place that may have rows left.
    skip: Vec<u32>,
    /// The centres so far.
    centres: Vec<u32>,
    /// Per place, the number of centres that it is known to be distant from; used only with `all_centres`.
    away: Vec<u32>,
    /// Places that are too near to some centre; used only with `all_centres`.
    blocked: Vec<bool>,
}

impl<'w> Candidates<'w> {
    fn new(nearness: Vec<u128>, wanted: &'w Wanted) -> Self {
        let mut order: Vec<u32> = (0..nearness.len() as u32).collect();
        order.par_sort_unstable_by_key(|tuple| (nearness[*tuple as usize], *tuple));
        let places = if wanted.all_centres { order.len() } else { 0 };
        Self {
            wanted,
            nearness,
            skip: (0..=order.len() as u32).collect(),
            order,
            centres: Vec::new(),
            away: vec![0; places],
            blocked: vec![false; places],
        }
    }

    /// The first place from `place` on that has rows left.
    fn left(&mut self, boxes: &Boxes, mut place: usize) -> usize {
        loop {
            let to = self.skip[place] as usize;
            if to == place {
                if place == self.order.len() || boxes.rows(self.order[place]) > 0 {
                    return place;
                }
                self.skip[place] = place as u32 + 1;
            } else {
                // Shorten the path for later searches.
                self.skip[place] = self.skip[to];
                place = to;
            }
        }
    }

    /// Returns the next centre: the densest tuple that is distant enough, otherwise the densest of all. `query` must be about
    /// the last centre.
    fn next(&mut self, space: &Space<'_>, boxes: &Boxes, query: &Query) -> Option<u32> {
        let first = self.left(boxes, 0);
        let densest = *self.order.get(first)?;
        let mut place = first;
        while place < self.order.len() && !self.keeps_distance(space, boxes, query, place) {
            place = self.left(boxes, place + 1);
        }
        let centre = self.order.get(place).copied().unwrap_or(densest);
        self.centres.push(centre);
        Some(centre)
    }

    /// Whether Dist(centre, t) > DistKNN(centre) + DistKNN(t), for the last centre or for all.
    fn keeps_distance(&mut self, space: &Space<'_>, boxes: &Boxes, query: &Query, place: usize) -> bool {
        let tuple = self.order[place];
        let nearness = &self.nearness;
        let k = u128::from(self.wanted.k);
        let far = |centre: u32, cost: u64| {
            k * u128::from(cost) > nearness[centre as usize] + nearness[tuple as usize]
        };
        if !self.wanted.all_centres {
            return self.centres.last().is_none_or(|centre| far(*centre, boxes.cost(query, tuple)));
        }
        if self.blocked[place] {
            return false;
        }
        let point = space.point(tuple);
        let unseen = &self.centres[self.away[place] as usize..];
        let near = unseen.iter().any(|centre| {
            let other = space.ranks(*centre).iter().map(|rank| (*rank, *rank));
            !far(*centre, space.joint_cost(&point, other))
        });
        self.away[place] = self.centres.len() as u32;
        self.blocked[place] = near;
        !near
    }
}
