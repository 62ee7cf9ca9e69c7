//! OKA, one-pass k-means (Lin, Wei 2008): every row goes to the nearest of n/k growing clusters, then clusters that are too
//! large give rows to those that are too small.

use rayon::prelude::*;

use super::clustering::finish::{solution, tuples_alone};
use super::clustering::space::{ONE, Space};
use super::clustering::stock::{Cluster, Part, Stock, Which};
use super::clustering::{check_models, cluster_size};
use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
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
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fineness: Fineness::TrueOfClass,
            default_suppression: Rational::ZERO,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
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

/// With more clusters than this, a row is compared with them in parallel.
const PARALLEL: usize = 1 << 10;

/// Clusters under construction, with the data for computing distances to them.
struct Centres<'s, 'p> {
    space: &'s Space<'p>,
    clusters: Vec<Cluster>,
    /// Per cluster and column. They are stored contiguously, because most of the time goes into scanning them.
    marks: Vec<Mark>,
    /// Per cluster and column, the sum of the places of its numbers.
    sums: Vec<u128>,
}

/// The location of a cluster in one column.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The ranks that it covers.
    extent: (u32, u32),
    /// The mean place of its numbers, and how many there are. Used for columns of numbers only.
    mean: u64,
    numbers: u64,
}

impl<'s, 'p> Centres<'s, 'p> {
    /// Clusters of one row each.
    fn new(space: &'s Space<'p>, seeds: impl Iterator<Item = Part>) -> Self {
        let seeds: Vec<Part> = seeds.collect();
        let cells = seeds.len() * space.axes.len();
        let mut centres = Self {
            space,
            clusters: seeds.iter().map(|part| Cluster::around(space, part.tuple)).collect(),
            marks: vec![Mark::default(); cells],
            sums: vec![0; cells],
        };
        for (place, part) in seeds.into_iter().enumerate() {
            centres.add(place, part);
        }
        centres
    }

    fn len(&self) -> usize {
        self.clusters.len()
    }

    fn size(&self, place: usize) -> usize {
        self.clusters[place].size as usize
    }

    fn add(&mut self, place: usize, part: Part) {
        self.clusters[place].add(self.space, part);
        let width = self.space.axes.len();
        for (column, axis) in self.space.axes.iter().enumerate() {
            let mark = &mut self.marks[place * width + column];
            mark.extent = self.clusters[place].extent[column];
            if let Some(number) = axis.place(self.space.ranks(part.tuple)[column]) {
                let sum = &mut self.sums[place * width + column];
                *sum += u128::from(number);
                mark.numbers += 1;
                mark.mean = (*sum / u128::from(mark.numbers)) as u64;
            }
        }
    }

    /// Rebuilds a cluster from its rows.
    fn reset(&mut self, place: usize, parts: impl Iterator<Item = Part>) {
        let width = self.space.axes.len();
        self.marks[place * width..][..width].fill(Mark::default());
        self.sums[place * width..][..width].fill(0);
        for (number, part) in parts.enumerate() {
            if number == 0 {
                self.clusters[place] = Cluster::around(self.space, part.tuple);
            }
            self.add(place, part);
        }
    }

    /// Returns the distance of a row. If that exceeds `most`, the result may be any number above `most`.
    fn distance(&self, place: usize, row: &Row, most: u64) -> u64 {
        let width = self.space.axes.len();
        let mut sum = 0;
        for (column, mark) in self.marks[place * width..][..width].iter().enumerate() {
            let axis = &self.space.axes[column];
            sum += match row.places[column] {
                Some(place) if mark.numbers > 0 => place.abs_diff(mark.mean),
                // The distance between a number and rows without one is the greatest possible.
                Some(_) => ONE,
                None if axis.is_line() => u64::from(mark.numbers > 0) * ONE,
                None => axis.reach(&row.tables[column], row.ranks[column], mark.extent),
            };
            if sum > most {
                break;
            }
        }
        sum
    }

    /// Returns the nearest of the eligible clusters, the first of several. The one at `likely` is checked first, because the
    /// search can then give up on most others early.
    fn nearest(&self, row: &Row, likely: usize, eligible: impl Fn(usize) -> bool + Sync) -> Option<usize> {
        let at = |place: usize, most: u64| (self.distance(place, row, most), place);
        let start = Some(likely).filter(|place| eligible(*place)).map(|place| at(place, u64::MAX));
        let best_of = |places: std::ops::Range<usize>| {
            places.filter(|place| eligible(*place)).fold(start, |best, place| {
                let found = at(place, best.map_or(u64::MAX, |(distance, _)| distance));
                Some(best.map_or(found, |best| best.min(found)))
            })
        };
        let best = if self.len() < PARALLEL {
            best_of(0..self.len())
        } else {
            let chunk = self.len().div_ceil(rayon::current_num_threads().max(1));
            let chunks = (0..self.len()).into_par_iter().step_by(chunk);
            chunks.filter_map(|first| best_of(first..(first + chunk).min(self.len()))).min()
        };
        best.map(|(_, place)| place)
    }
}

/// A row, prepared for computing distances.
#[derive(Default)]
struct Row {
    tuple: Option<u32>,
    ranks: Vec<u32>,
    places: Vec<Option<u64>>,
    tables: Vec<Vec<u64>>,
}

impl Row {
    /// Switches to the rows of a tuple.
    fn turn_to(&mut self, space: &Space<'_>, tuple: u32) {
        if self.tuple.replace(tuple) == Some(tuple) {
            return;
        }
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

fn clusters(problem: &Problem, space: &Space<'_>, stock: &mut Stock<'_>, k: usize) -> Result<Vec<Cluster>> {
    // All rows, one by one, in the order of their content.
    let mut rows: Vec<Part> = Vec::new();
    for tuple in 0..problem.table.tuples() as u32 {
        for part in stock.take(tuple, problem.table.weight(tuple), Which::Any) {
            rows.extend(std::iter::repeat_n(Part { rows: 1, ..part }, part.rows as usize));
        }
    }
    let count = rows.len() / k;
    // The paper draws the first row of each cluster at random. Here the rows are divided into equal stretches, and the middle
    // row of each is taken.
    let seeds: Vec<usize> = (0..count).map(|place| (2 * place + 1) * rows.len() / (2 * count)).collect();
    let mut centres = Centres::new(space, seeds.iter().map(|seed| rows[*seed]));
    let mut seeds = seeds.into_iter().peekable();
    let (mut row, mut likely) = (Row::default(), 0);
    for (place, part) in rows.iter().enumerate() {
        problem.progress.check()?;
        problem.progress.advance(1);
        if seeds.next_if_eq(&place).is_some() {
            continue;
        }
        row.turn_to(space, part.tuple);
        likely = centres.nearest(&row, likely, |_| true).unwrap_or(0);
        centres.add(likely, *part);
    }
    let given = give_away(&mut centres, &mut row, k);
    let mut small = (0..centres.len()).filter(|place| centres.size(*place) < k).count();
    for part in given {
        problem.progress.check()?;
        row.turn_to(space, part.tuple);
        let eligible = |place: usize| small == 0 || centres.size(place) < k;
        let Some(place) = centres.nearest(&row, likely, eligible) else { continue };
        centres.add(place, part);
        small -= usize::from(centres.size(place) == k);
        likely = place;
    }
    Ok(centres.clusters)
}

/// Takes from each cluster of more than k rows those that are furthest from its centroid, the later ones of several.
fn give_away(centres: &mut Centres<'_, '_>, row: &mut Row, k: usize) -> Vec<Part> {
    let mut given = Vec::new();
    for place in 0..centres.len() {
        if centres.size(place) <= k {
            continue;
        }
        let mut members: Vec<(u64, u32, u32)> = Vec::new();
        for part in &centres.clusters[place].parts {
            row.turn_to(centres.space, part.tuple);
            members.push((centres.distance(place, row, u64::MAX), part.tuple, part.payload));
        }
        members.sort_unstable();
        given.extend(members.drain(k..).map(|(_, tuple, payload)| (tuple, payload)));
        let part = |(_, tuple, payload)| Part { tuple, payload, rows: 1 };
        centres.reset(place, members.into_iter().map(part));
    }
    given.sort_unstable();
    given.into_iter().map(|(tuple, payload)| Part { tuple, payload, rows: 1 }).collect()
}
