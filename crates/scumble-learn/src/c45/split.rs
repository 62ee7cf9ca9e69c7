//! Finds the test that best separates the classes at a node: information gain, gain ratio and J48's conditions on them.

use super::parts::{Part, SMALL};
use super::tree::Test;
use crate::learner::GoesOn;
use crate::ranks::Ranks;
use crate::table::{Cells, MISSING, Table};

/// A cut needs two numbers that differ by more than this.
const GAP: f64 = 1e-5;

/// A column prepared for training.
enum Prepared<'a> {
    Nominal { codes: &'a [u32], values: usize },
    Numeric(Ranks),
}

/// A test that meets the conditions, with its figures.
struct Candidate {
    test: Test,
    gain: f64,
    ratio: f64,
    /// Whether the test counts in the average gain, which a column with very many values would distort.
    in_average: bool,
}

/// The search for tests on one training table.
pub(super) struct Splitter<'a> {
    table: &'a Table,
    columns: Vec<Prepared<'a>>,
    min_objects: f64,
    /// Whether to go on; if not, no split is found.
    goes_on: &'a GoesOn<'a>,
    /// A nominal column with at least this many values is left out of the average gain.
    many_values: f64,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(table: &'a Table, min_objects: f64, goes_on: &'a GoesOn<'a>) -> Self {
        let columns = table.columns().iter().map(|column| match column.cells() {
            Cells::Nominal { codes, values } => Prepared::Nominal { codes, values: *values },
            Cells::Numeric(numbers) => Prepared::Numeric(Ranks::new(numbers)),
        });
        let columns: Vec<Prepared<'a>> = columns.collect();
        let many = 0.3 * table.weight();
        let all_have_many = columns.iter().all(|column| match column {
            Prepared::Nominal { values, .. } => *values as f64 >= many,
            Prepared::Numeric(_) => false,
        });
        let many_values = if all_have_many { f64::INFINITY } else { many };
        Self { table, columns, min_objects, goes_on, many_values }
    }

    /// Returns the test with the largest gain ratio among those of at least average gain. The first column wins ties.
    pub(super) fn best(&self, parts: &[Part], counts: &[f64]) -> Option<Test> {
        let total: f64 = counts.iter().sum();
        let largest = counts.iter().copied().fold(0.0, f64::max);
        if total < 2.0 * self.min_objects - SMALL || total - largest <= SMALL {
            return None;
        }
        let candidates: Vec<Candidate> =
            (0..self.columns.len()).filter_map(|column| self.candidate(column, parts, total)).collect();
        let averaged: Vec<f64> =
            candidates.iter().filter(|found| found.in_average).map(|found| found.gain).collect();
        if averaged.is_empty() {
            return None;
        }
        let average = averaged.iter().sum::<f64>() / averaged.len() as f64;
        let mut best: Option<&Candidate> = None;
        for found in candidates.iter().filter(|found| found.gain >= average - 1e-3) {
            if found.ratio > best.map_or(0.0, |best| best.ratio) + SMALL {
                best = Some(found);
            }
        }
        best.map(|best| best.test)
    }

    fn candidate(&self, column: usize, parts: &[Part], total: f64) -> Option<Candidate> {
        if !(self.goes_on)() {
            return None;
        }
        match &self.columns[column] {
            Prepared::Nominal { codes, values } => self.nominal(column, codes, *values, parts, total),
            Prepared::Numeric(ranks) => self.numeric(column, ranks, parts, total),
        }
    }

    fn nominal(
        &self,
        column: usize,
        codes: &[u32],
        values: usize,
        parts: &[Part],
        total: f64,
    ) -> Option<Candidate> {
        let classes = self.table.classes();
        let mut bags = vec![0.0; values * classes];
        for part in parts {
            let code = codes[part.row as usize];
            if code != MISSING {
                bags[code as usize * classes + self.class(part)] += part.weight;
            }
        }
        let sizes: Vec<f64> = bags.chunks(classes).map(|bag| bag.iter().sum()).collect();
        if sizes.iter().filter(|&&size| size >= self.min_objects - SMALL).count() < 2 {
            return None;
        }
        let mut known = vec![0.0; classes];
        for bag in bags.chunks(classes) {
            known.iter_mut().zip(bag).for_each(|(sum, count)| *sum += count);
        }
        let after: f64 = bags.chunks(classes).map(entropy).sum();
        let gain = gain(entropy(&known), after, total);
        let ratio = gain / split_information(&sizes, total);
        let in_average = (values as f64) < self.many_values;
        Some(Candidate { test: Test::Values { column, values }, gain, ratio, in_average })
    }

    fn numeric(&self, column: usize, ranks: &Ranks, parts: &[Part], total: f64) -> Option<Candidate> {
        let classes = self.table.classes();
        // The rank is in the high bits and the position in the low ones, so one integer sort puts the parts in the order of their
        // numbers.
        let mut order: Vec<u64> = Vec::with_capacity(parts.len());
        let mut above = vec![0.0; classes];
        for (place, part) in parts.iter().enumerate() {
            let rank = ranks.ranks[part.row as usize];
            if rank != MISSING {
                order.push(u64::from(rank) << 32 | place as u64);
                above[self.class(part)] += part.weight;
            }
        }
        order.sort_unstable();
        let known: f64 = above.iter().sum();
        let share = 0.1 * known / classes as f64;
        let least = if share <= self.min_objects { self.min_objects } else { share.min(25.0) };
        if known < 2.0 * least - SMALL {
            return None;
        }

        let before = entropy(&above);
        let mut below = vec![0.0; classes];
        let (mut below_size, mut cuts) = (0.0, 0u32);
        let mut best: Option<(f64, [u32; 2], f64)> = None;
        let rank_at = |place: usize| (order[place] >> 32) as u32;
        for place in 0..order.len().saturating_sub(1) {
            let part = &parts[order[place] as u32 as usize];
            let class = self.class(part);
            below[class] += part.weight;
            above[class] -= part.weight;
            below_size += part.weight;
            let (low, high) = (rank_at(place), rank_at(place + 1));
            if low == high || ranks.values[low as usize] + GAP >= ranks.values[high as usize] {
                continue;
            }
            if below_size < least - SMALL || known - below_size < least - SMALL {
                continue;
            }
            cuts += 1;
            let gain = gain(before, entropy(&below) + entropy(&above), total);
            if gain > best.map_or(0.0, |(best, ..)| best) + SMALL {
                best = Some((gain, [low, high], below_size));
            }
        }

        let (gain, [low, high], below_size) = best?;
        // The cost of saying which of the cuts it was.
        let gain = gain - f64::from(cuts).log2() / total;
        if gain <= SMALL {
            return None;
        }
        let ratio = gain / split_information(&[below_size, known - below_size], total);
        let [low, high] = [low, high].map(|rank| ranks.values[rank as usize]);
        let middle = low + (high - low) / 2.0;
        let at = ranks.values[ranks.values.partition_point(|&value| value <= middle && value < high) - 1];
        Some(Candidate { test: Test::Threshold { column, at }, gain, ratio, in_average: true })
    }

    fn class(&self, part: &Part) -> usize {
        self.table.class()[part.row as usize] as usize
    }
}

/// `x log2 x`, which is 0 at 0. Subtracting weights may leave a tiny negative rest.
fn x_log_x(x: f64) -> f64 {
    if x > 1e-9 { x * x.log2() } else { 0.0 }
}

/// The class entropy of rows in bits, times their weight.
fn entropy(counts: &[f64]) -> f64 {
    x_log_x(counts.iter().sum()) - counts.iter().copied().map(x_log_x).sum::<f64>()
}

/// The bits gained per row. Entropies are of the rows with a known value, so dividing by the weight of all rows multiplies the
/// gain by the known share.
fn gain(before: f64, after: f64, total: f64) -> f64 {
    (before - after) / total
}

/// The bits per row that it takes to say which branch the row goes down. Rows with a missing value count as one more branch.
fn split_information(sizes: &[f64], total: f64) -> f64 {
    let missing = total - sizes.iter().sum::<f64>();
    let parts: f64 = sizes.iter().copied().map(x_log_x).sum();
    ((x_log_x(total) - parts - x_log_x(missing)) / total).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// models.md 3.3, point 3: Quinlan's outlook; on 9 of 14 days people play.
    #[test]
    fn gain_and_ratio_of_outlook() {
        let (sunny, overcast, rain) = ([2.0, 3.0], [4.0, 0.0], [3.0, 2.0]);
        let after = entropy(&sunny) + entropy(&overcast) + entropy(&rain);
        let found = gain(entropy(&[9.0, 5.0]), after, 14.0);
        let information = split_information(&[5.0, 4.0, 5.0], 14.0);
        assert!((found - 0.246_750).abs() < 5e-7, "{found}");
        assert!((information - 1.577_406).abs() < 5e-7, "{information}");
        assert!((found / information - 0.156_428).abs() < 5e-7);

        // The outlook of one overcast day is missing.
        let after = entropy(&sunny) + entropy(&[3.0, 0.0]) + entropy(&rain);
        let found = gain(entropy(&[8.0, 5.0]), after, 14.0);
        let information = split_information(&[5.0, 3.0, 5.0], 14.0);
        assert!((found - 0.199_041).abs() < 5e-7, "{found}");
        assert!((information - 1.809_200).abs() < 5e-7, "{information}");
        assert!((found / information - 0.110_016).abs() < 5e-7);
    }
}
