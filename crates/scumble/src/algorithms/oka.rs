//! OKA, one-pass k-means (Lin, Wei 2008): every row goes to the nearest of n/k growing clusters, then clusters that are too
//! large give rows to those that are too small.

use rayon::prelude::*;

use super::clustering::finish::{solution, tuples_alone};
use super::clustering::space::{ONE, Space};
use super::clustering::stock::{Cluster, Part, Stock, Which};
use super::clustering::{check_models, cluster_size};
use super::{Algorithm, Solution};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "oka",
    title: "OKA: one-pass k-means",
    paper: "Lin, Wei 2008",
    standing: Standing::Classic,
    about: "Starts n/k clusters at evenly spaced rows of the sorted table, puts every other row into the nearest, and then moves \
            rows from clusters that are too large to those that are too small. Suppresses nothing, needs no hierarchies. \
            Superseded by k_member, which loses less.",
    parameters: &[],
    build,
};

struct Oka;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Oka))
}

impl Algorithm for Oka {
    fn needs_trees(&self) -> bool {
        false
    }

    fn default_suppression(&self) -> Rational {
        Rational::ZERO
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        check_models(problem, ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = Space::of_loss(&problem.table, &problem.quasi);
        let mut stock = Stock::new(&problem.table, None);
        let k = cluster_size(problem) as usize;
        let clusters = if k > 1 {
            clusters(problem, &space, &mut stock, k)?
        } else {
            tuples_alone(problem, &space, &mut stock)
        };
        solution(problem, &space, clusters)
    }
}

/// Clusters beyond this many are compared with a row by both cores.
const PARALLEL: usize = 1 << 10;

/// A cluster under construction, with what the distance to it needs.
struct Centre {
    cluster: Cluster,
    /// Per column the sum of the places and the count of its numbers, where the column is a line.
    sums: Vec<(u128, u64)>,
}

impl Centre {
    fn new(space: &Space<'_>, part: Part) -> Self {
        let sums = vec![(0, 0); space.axes.len()];
        let mut centre = Self { cluster: Cluster::around(space, part.tuple), sums };
        centre.add(space, part);
        centre
    }

    fn add(&mut self, space: &Space<'_>, part: Part) {
        for ((axis, rank), sum) in space.axes.iter().zip(space.ranks(part.tuple)).zip(&mut self.sums) {
            if let Some(place) = axis.place(*rank) {
                *sum = (sum.0 + u128::from(place), sum.1 + 1);
            }
        }
        self.cluster.add(space, part);
    }

    /// The distance of a row, or something above `most` if it is above that.
    fn distance(&self, space: &Space<'_>, row: &Row, most: u64) -> u64 {
        let mut sum = 0;
        for (column, axis) in space.axes.iter().enumerate() {
            let (total, count) = self.sums[column];
            sum += match row.places[column] {
                Some(place) if count > 0 => place.abs_diff((total / u128::from(count)) as u64),
                // A number is as far as can be from rows without one, and the other way round.
                Some(_) => ONE,
                None if axis.is_line() => {
                    if count > 0 {
                        ONE
                    } else {
                        0
                    }
                }
                None => axis.reach(&row.tables[column], row.ranks[column], self.cluster.extent[column]),
            };
            if sum > most {
                break;
            }
        }
        sum
    }
}

/// A row as distances see it.
#[derive(Default)]
struct Row {
    ranks: Vec<u32>,
    places: Vec<Option<u64>>,
    tables: Vec<Vec<u64>>,
}

impl Row {
    /// Turns to the rows of a tuple.
    fn turn_to(&mut self, space: &Space<'_>, tuple: u32) {
        self.ranks = space.ranks(tuple).to_vec();
        let columns = space.axes.iter().zip(&self.ranks);
        self.places = columns.clone().map(|(axis, rank)| axis.place(*rank)).collect();
        self.tables.resize(space.axes.len(), Vec::new());
        for ((axis, rank), table) in columns.zip(&mut self.tables) {
            if !axis.is_line() {
                table.resize(axis.len(), 0);
                axis.fill((*rank, *rank), table);
            }
        }
    }
}

/// The nearest of some centres, of equal ones the first. The one at `likely` is looked at first, so that most others are
/// soon too far.
fn nearest(
    space: &Space<'_>,
    centres: &[Centre],
    row: &Row,
    likely: usize,
    eligible: impl Fn(&Centre) -> bool + Sync,
) -> Option<usize> {
    let at = |place: usize, most: u64| (centres[place].distance(space, row, most), place);
    let start = Some(likely).filter(|place| eligible(&centres[*place])).map(|place| at(place, u64::MAX));
    let best_of = |places: std::ops::Range<usize>| {
        places.filter(|place| eligible(&centres[*place])).fold(start, |best, place| {
            let found = at(place, best.map_or(u64::MAX, |(distance, _)| distance));
            Some(best.map_or(found, |best| best.min(found)))
        })
    };
    let best = if centres.len() < PARALLEL {
        best_of(0..centres.len())
    } else {
        let chunk = centres.len().div_ceil(rayon::current_num_threads().max(1));
        let chunks = (0..centres.len()).into_par_iter().step_by(chunk);
        chunks.filter_map(|first| best_of(first..(first + chunk).min(centres.len()))).min()
    };
    best.map(|(_, place)| place)
}

fn clusters(problem: &Problem, space: &Space<'_>, stock: &mut Stock<'_>, k: usize) -> Result<Vec<Cluster>> {
    // Every row by itself, in the order of content.
    let mut rows: Vec<Part> = Vec::new();
    for tuple in 0..problem.table.tuples() as u32 {
        for part in stock.take(tuple, problem.table.weight(tuple), Which::Any) {
            rows.extend(std::iter::repeat_n(Part { rows: 1, ..part }, part.rows as usize));
        }
    }
    let count = rows.len() / k;
    // The paper draws the first row of each cluster; here it is the middle one of each of as many equal stretches.
    let seeds: Vec<usize> = (0..count).map(|place| (2 * place + 1) * rows.len() / (2 * count)).collect();
    let mut centres: Vec<Centre> = seeds.iter().map(|seed| Centre::new(space, rows[*seed])).collect();
    let mut seeds = seeds.into_iter().peekable();
    let (mut row, mut turned, mut likely) = (Row::default(), None, 0);
    let mut turn = |row: &mut Row, tuple: u32| {
        if turned != Some(tuple) {
            row.turn_to(space, tuple);
            turned = Some(tuple);
        }
    };
    for (place, part) in rows.iter().enumerate() {
        problem.progress.check()?;
        problem.progress.advance(1);
        if seeds.next_if_eq(&place).is_some() {
            continue;
        }
        turn(&mut row, part.tuple);
        likely = nearest(space, &centres, &row, likely, |_| true).unwrap_or(0);
        centres[likely].add(space, *part);
    }
    // Clusters that are too large give their furthest rows away, of equally far ones the later.
    let mut given: Vec<(u32, u32)> = Vec::new();
    for centre in &mut centres {
        if centre.cluster.size as usize > k {
            let mut members: Vec<(u64, u32, u32)> = Vec::new();
            for part in &centre.cluster.parts {
                turn(&mut row, part.tuple);
                members.push((centre.distance(space, &row, u64::MAX), part.tuple, part.payload));
            }
            members.sort_unstable();
            given.extend(members.drain(k..).map(|(_, tuple, payload)| (tuple, payload)));
            let mut kept = members.into_iter().map(|(_, tuple, payload)| Part { tuple, payload, rows: 1 });
            if let Some(first) = kept.next() {
                *centre = Centre::new(space, first);
                kept.for_each(|part| centre.add(space, part));
            }
        }
    }
    given.sort_unstable();
    let mut small = centres.iter().filter(|centre| (centre.cluster.size as usize) < k).count();
    for (tuple, payload) in given {
        problem.progress.check()?;
        turn(&mut row, tuple);
        let is_small = |centre: &Centre| (centre.cluster.size as usize) < k;
        let Some(place) = nearest(space, &centres, &row, likely, |centre| small == 0 || is_small(centre))
        else {
            continue;
        };
        centres[place].add(space, Part { tuple, payload, rows: 1 });
        small -= usize::from(centres[place].cluster.size as usize == k);
        likely = place;
    }
    Ok(centres.into_iter().map(|centre| centre.cluster).collect())
}
