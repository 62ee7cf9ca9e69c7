//! Replaces numbers by their positions among the distinct values of a column, so that sorting numbers is sorting integers.

use crate::table::MISSING;

/// A numeric column as ranks.
#[derive(Debug)]
pub(crate) struct Ranks {
    /// The distinct numbers, ascending.
    pub(crate) values: Vec<f64>,
    /// The position of each row's number in `values`, or [`MISSING`].
    pub(crate) ranks: Vec<u32>,
}

impl Ranks {
    pub(crate) fn new(numbers: &[f64]) -> Self {
        let mut values: Vec<f64> = numbers.iter().copied().filter(|number| !number.is_nan()).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let rank = |number: &f64| match values.binary_search_by(|value| value.total_cmp(number)) {
            Ok(rank) if !number.is_nan() => rank as u32,
            _ => MISSING,
        };
        let ranks = numbers.iter().map(rank).collect();
        Self { values, ranks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_share_a_rank() {
        let found = Ranks::new(&[2.5, f64::NAN, -1.0, 2.5]);
        assert_eq!(found.values, [-1.0, 2.5]);
        assert_eq!(found.ranks, [1, MISSING, 0, 1]);
    }
}
