//! Forms the groups of MDAV: around the rows furthest from the centroid, and from each other.
//!
//! Equal rows are stored as one tuple with a number of rows. All comparisons are on integers, and equal distances are ordered
//! by tuple, and so by content.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::numbers;
use crate::error::Result;
use crate::problem::{Problem, Progress};

/// One standard deviation in fixed point, if distances leave room for it.
const DEVIATION: f64 = (1_u64 << 20) as f64;

/// The tuples as points: each number as its distance from the least number, in standard deviations and fixed point.
pub(super) struct Points {
    width: usize,
    places: Vec<i64>,
}

impl Points {
    pub(super) fn of(problem: &Problem) -> Self {
        let columns: Vec<Vec<f64>> =
            (0..problem.quasi.len()).map(|column| standard(problem, column)).collect();
        // No sum of squares may overflow, however far away a single row is.
        let reach = columns.iter().flatten().copied().fold(0.0, f64::max);
        let most = (u64::MAX / columns.len().max(1) as u64).isqrt() as f64;
        let mut unit = DEVIATION;
        while reach * unit >= most {
            unit /= 2.0;
        }
        let columns: Vec<Vec<i64>> = columns
            .into_iter()
            .map(|column| column.into_iter().map(|place| (place * unit + 0.5) as i64).collect())
            .collect();
        let codes = |tuple: usize| {
            let place = move |(column, places): (usize, &Vec<i64>)| {
                places[problem.table.column(column).get(tuple) as usize]
            };
            columns.iter().enumerate().map(place)
        };
        let places = (0..problem.table.tuples()).flat_map(codes).collect();
        Self { width: columns.len(), places }
    }

    #[cfg(test)]
    pub(super) fn new(width: usize, places: Vec<i64>) -> Self {
        Self { width, places }
    }

    pub(super) fn point(&self, tuple: u32) -> &[i64] {
        &self.places[tuple as usize * self.width..][..self.width]
    }
}

/// For each code of a column, how many standard deviations it is above the least; all 0 if all numbers are the same. Sums go
/// over the codes, so they do not depend on the order of rows.
fn standard(problem: &Problem, column: usize) -> Vec<f64> {
    let numbers = numbers(&problem.quasi[column]);
    let rows = problem.table.marginal(column, problem.quasi[column].size() as usize);
    let least = numbers.first().copied().unwrap_or(0);
    let above: Vec<f64> = numbers.iter().map(|number| (number - least) as f64).collect();
    let mean_of = |value: &dyn Fn(f64) -> f64| {
        let sum: f64 = above.iter().zip(&rows).map(|(above, rows)| value(*above) * *rows as f64).sum();
        sum / problem.table.rows().max(1) as f64
    };
    let mean = mean_of(&|above| above);
    let deviation = mean_of(&|above| (above - mean) * (above - mean)).sqrt();
    above.iter().map(|above| if deviation > 0.0 { above / deviation } else { 0.0 }).collect()
}

/// The squared distance.
pub(super) fn distance(one: &[i64], other: &[i64]) -> u64 {
    one.iter().zip(other).map(|(one, other)| one.abs_diff(*other).pow(2)).sum()
}

/// A group: tuples, each with the number of its rows in the group.
pub(super) type Group = Vec<(u32, u64)>;

/// The tuples with rows that are in no group yet. They are stored contiguously, because most of the time goes into scanning
/// them.
struct Rest {
    width: usize,
    places: Vec<i64>,
    tuples: Vec<(u32, u64)>,
    /// The sum of the rows' points.
    sums: Vec<i128>,
    rows: u64,
}

impl Rest {
    fn new(points: &Points, weights: &[u64]) -> Self {
        let mut sums = vec![0; points.width];
        for (tuple, rows) in (0..).zip(weights) {
            add(&mut sums, points.point(tuple), i128::from(*rows));
        }
        Self {
            width: points.width,
            places: points.places.clone(),
            tuples: (0..).zip(weights.iter().copied()).collect(),
            sums,
            rows: weights.iter().sum(),
        }
    }

    fn centroid(&self) -> Vec<i64> {
        self.sums.iter().map(|sum| (sum / i128::from(self.rows)) as i64).collect()
    }

    fn distances<'a>(&'a self, point: &'a [i64]) -> impl Iterator<Item = u64> + 'a {
        self.places.chunks_exact(self.width).map(|other| distance(point, other))
    }

    /// The point furthest from another; of several, that of the first tuple.
    fn furthest(&self, from: &[i64]) -> Vec<i64> {
        let far = self.distances(from).zip(&self.tuples).enumerate();
        let far = far.max_by_key(|(_, (distance, (tuple, _)))| (*distance, Reverse(*tuple)));
        let place = far.map_or(0, |(place, _)| place);
        self.places[place * self.width..][..self.width].to_vec()
    }

    /// Removes and returns the `need` rows nearest to a point; of several, those of the first tuples.
    fn take(&mut self, around: &[i64], need: u64) -> Group {
        // Keep as few tuples as have that many rows together, with the furthest on top.
        let mut near: BinaryHeap<(u64, u32, usize)> = BinaryHeap::new();
        let mut held = 0;
        let mut most = u64::MAX;
        for (place, (distance, (tuple, rows))) in self.distances(around).zip(&self.tuples).enumerate() {
            if distance > most {
                continue;
            }
            near.push((distance, *tuple, place));
            held += rows;
            while let Some((_, _, top)) = near.peek() {
                let without = held - self.tuples[*top].1;
                if without < need {
                    break;
                }
                held = without;
                near.pop();
            }
            if held >= need {
                most = near.peek().map_or(u64::MAX, |(distance, ..)| *distance);
            }
        }
        let mut left = need;
        let mut group = Group::new();
        let mut emptied = Vec::new();
        for (_, tuple, place) in near.into_sorted_vec() {
            let rows = self.tuples[place].1.min(left);
            left -= rows;
            self.tuples[place].1 -= rows;
            let point = &self.places[place * self.width..][..self.width];
            add(&mut self.sums, point, -i128::from(rows));
            group.push((tuple, rows));
            if self.tuples[place].1 == 0 {
                emptied.push(place);
            }
        }
        self.rows -= need - left;
        // Remove the last places first, so that whatever moves into a gap stays.
        emptied.sort_unstable_by_key(|place| Reverse(*place));
        for place in emptied {
            self.tuples.swap_remove(place);
            let last = self.places.len() - self.width;
            self.places.copy_within(last.., place * self.width);
            self.places.truncate(last);
        }
        group
    }
}

fn add(sums: &mut [i128], point: &[i64], rows: i128) {
    sums.iter_mut().zip(point).for_each(|(sum, place)| *sum += i128::from(*place) * rows);
}

/// Forms groups of k to 2k-1 rows from at least k rows. It takes the k rows around the one furthest from the centroid of what
/// is left, then the k rows around the one furthest from that row, and so on. The last group takes the rest.
pub(super) fn groups(points: &Points, weights: &[u64], k: u64, progress: &Progress) -> Result<Vec<Group>> {
    let mut rest = Rest::new(points, weights);
    let mut groups = Vec::new();
    while rest.rows / 2 >= k {
        progress.check()?;
        let before = rest.rows;
        let twice = rest.rows / 3 >= k;
        let one = rest.furthest(&rest.centroid());
        groups.push(rest.take(&one, k));
        if twice {
            let other = rest.furthest(&one);
            groups.push(rest.take(&other, k));
        }
        progress.advance(before - rest.rows);
    }
    if rest.rows > 0 {
        let mut last = rest.tuples;
        last.sort_unstable();
        groups.push(last);
    }
    Ok(groups)
}
