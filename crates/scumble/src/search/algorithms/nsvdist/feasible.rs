//! The size of a mask, and how often it may contain one sensitive value.

use crate::base::text::{grouped, rows};
use crate::config::Rational;
use crate::error::{Error, Result, Setting};

/// The requirements of every mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The number of rows of a mask.
    pub size: u64,
    /// The most of these rows that may have the same sensitive value.
    pub most: u64,
    /// The least number of rows that the published values cover.
    pub cover: u64,
}

impl Demand {
    /// The requirements of the smallest masks of at least `k` rows that are `l`-diverse, for a table with these rows per
    /// sensitive value (algorithms.md A3). There may be no mask of exactly k rows although there are larger ones: with two
    /// values, no three rows can be chosen so that neither value has more than half of them.
    pub(crate) fn new(k: u64, l: Rational, rows_per_value: &[u64]) -> Result<Self> {
        let all: u64 = rows_per_value.iter().sum();
        let most = rows_per_value.iter().copied().max().unwrap_or(0);
        if k > all {
            return Err(Error::infeasible(format!(
                "k = {} is more than the {} of the table",
                grouped(k),
                rows(all)
            ))
            .weaken(Setting::model("k").to(all), "ask for the largest possible k"));
        }
        let of_size = |size: u64| Self { size, most: at_most(size, l), cover: size };
        // If l exceeds the diversity of the whole table, masks would reveal less than everybody knows anyway.
        let possible = l.cmp_ratio(all, most) != std::cmp::Ordering::Greater;
        let sizes = (k.max(1)..=all).filter(|_| possible);
        sizes.map(of_size).find(|demand| demand.fits(rows_per_value)).ok_or_else(|| {
            // Rounded down, so that the suggested figure is itself possible.
            let largest = (u128::from(all) * 10_000 / u128::from(most.max(1))) as f64 / 1e4;
            Error::infeasible(format!(
                "l = {l} cannot be kept: the most frequent sensitive value has {most} of {all} rows"
            ))
            .weaken(Setting::model("l").to(largest), "ask for the largest possible l")
        })
    }

    /// Whether rows with these counts per value are enough for a mask, around whichever row.
    #[must_use]
    pub(crate) fn fits(&self, rows_per_value: &[u64]) -> bool {
        self.most > 0 && rows_per_value.iter().map(|rows| (*rows).min(self.most)).sum::<u64>() >= self.size
    }
}

/// The largest count of one value in a mask of `size` rows: `size / l`, rounded down exactly.
fn at_most(size: u64, l: Rational) -> u64 {
    let count = u128::from(size) * u128::from(l.denominator()) / u128::from(l.numerator().max(1));
    u64::try_from(count).unwrap_or(u64::MAX).min(size)
}

/// Shares `need` places among values in proportion to `available`, without exceeding the `room` of any (largest remainders;
/// ties to the smaller value). `need` must be at most what all values together can take.
pub(super) fn share(need: u64, available: &[u64], room: &[u64]) -> Vec<u64> {
    let limit: Vec<u64> = available.iter().zip(room).map(|(rows, room)| *rows.min(room)).collect();
    let mut given = vec![0; available.len()];
    let mut active: Vec<usize> = (0..available.len()).filter(|value| limit[*value] > 0).collect();
    let mut left = need;
    loop {
        let all: u64 = active.iter().map(|value| available[*value]).sum();
        if all == 0 || left == 0 {
            return given;
        }
        let quota = |value: usize| u128::from(left) * u128::from(available[value]);
        let over = |value: &usize| quota(*value) > u128::from(limit[*value]) * u128::from(all);
        let full: Vec<usize> = active.iter().copied().filter(over).collect();
        if full.is_empty() {
            for value in &active {
                given[*value] = (quota(*value) / u128::from(all)) as u64;
            }
            let rest = left - active.iter().map(|value| given[*value]).sum::<u64>();
            active.retain(|value| given[*value] < limit[*value]);
            active.sort_by_key(|value| (std::cmp::Reverse(quota(*value) % u128::from(all)), *value));
            active.iter().take(rest as usize).for_each(|value| given[*value] += 1);
            return given;
        }
        for value in &full {
            given[*value] = limit[*value];
            left -= limit[*value];
        }
        active.retain(|value| !full.contains(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(k: u64, l: &str, rows: &[u64]) -> Option<u64> {
        Demand::new(k, l.parse().expect("a fraction"), rows).ok().map(|demand| demand.size)
    }

    /// The numbers of algorithms.md A3.
    #[test]
    fn masks_grow_until_they_can_be_diverse() {
        let halves = [5, 5];
        let sizes = [1, 2, 3, 4, 5, 7, 9, 10].map(|k| size(k, "2", &halves));
        assert_eq!(sizes, [2, 2, 4, 4, 6, 8, 10, 10].map(Some));
        let skewed = [75, 25];
        for (k, most) in [(2, 1), (3, 2), (4, 3), (5, 3), (10, 7)] {
            assert_eq!(
                Demand::new(k, "1.3".parse().expect("l"), &skewed).ok(),
                Some(Demand { size: k, most, cover: k })
            );
        }
    }

    #[test]
    fn what_no_mask_can_hold_is_refused() {
        assert_eq!(size(11, "1", &[5, 5]), None);
        assert_eq!(size(2, "2.1", &[5, 5]), None);
        assert_eq!(size(2, "1.34", &[75, 25]), None);
        assert_eq!(size(2, "4/3", &[75, 25]), Some(2));
    }

    /// The numbers of algorithms.md A3, and remainders.
    #[test]
    fn the_last_places_are_shared_in_proportion() {
        assert_eq!(share(5, &[6, 3, 1], &[9, 9, 9]), [3, 2, 0]);
        assert_eq!(share(5, &[6, 3, 1], &[2, 9, 9]), [2, 2, 1]);
        assert_eq!(share(3, &[2, 2, 2], &[9, 9, 9]), [1, 1, 1]);
        assert_eq!(share(2, &[2, 2, 2], &[9, 9, 9]), [1, 1, 0]);
        assert_eq!(share(4, &[1, 9, 0], &[9, 3, 9]), [1, 3, 0]);
        assert_eq!(share(0, &[1, 9], &[9, 9]), [0, 0]);
    }
}
