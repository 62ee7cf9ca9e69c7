//! Several small codes in one integer, in lexicographic order.
//!
//! Sorting and grouping tuples is sorting and grouping integers, the fastest thing there is. Where 64
//! bits do not hold all columns, the columns so far are replaced by their rank, which keeps the order.

use rayon::prelude::*;

/// Keys of rows under construction: one `u64` a row, columns appended from the most significant down.
pub(crate) struct Packer {
    keys: Vec<u64>,
    bits: u32,
}

/// The bits that codes below `values` need.
pub(crate) fn bits_for(values: u32) -> u32 {
    32 - values.saturating_sub(1).leading_zeros()
}

impl Packer {
    /// Keys of `rows` rows, all equal so far.
    #[must_use]
    pub(crate) fn new(rows: usize) -> Self {
        Self { keys: vec![0; rows], bits: 0 }
    }

    /// Appends a column: `code(row)`, always below `values`.
    pub(crate) fn push(&mut self, values: u32, code: impl Fn(usize) -> u32 + Sync) {
        let bits = bits_for(values);
        if self.bits + bits > 64 {
            self.replace_by_ranks();
        }
        self.keys
            .par_iter_mut()
            .with_min_len(1 << 14)
            .enumerate()
            .for_each(|(row, key)| *key = *key << bits | u64::from(code(row)));
        self.bits += bits;
    }

    /// Replaces each key by its rank among the distinct keys: at most 32 bits, the same order.
    fn replace_by_ranks(&mut self) {
        let mut distinct = self.keys.clone();
        distinct.par_sort_unstable();
        distinct.dedup();
        self.keys.par_iter_mut().for_each(|key| {
            *key = distinct.binary_search(key).expect("every key is among the distinct ones") as u64;
        });
        self.bits = bits_for(u32::try_from(distinct.len()).unwrap_or(u32::MAX));
    }

    /// One key a row: equal for equal tuples, ordered as the tuples are.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<u64> {
        self.keys
    }
}

/// Rows grouped by key.
pub(crate) struct Groups {
    /// The group of each row; groups are numbered by ascending key.
    pub(crate) group_of_row: Vec<u32>,
    /// One row of each group, the first one.
    pub(crate) representative: Vec<u32>,
}

/// Groups rows with equal keys.
#[must_use]
pub(crate) fn group(keys: Vec<u64>) -> Groups {
    let mut pairs: Vec<(u64, u32)> =
        keys.into_par_iter().enumerate().map(|(row, key)| (key, row as u32)).collect();
    pairs.par_sort_unstable();
    let mut group_of_row = vec![0; pairs.len()];
    let mut representative = Vec::new();
    let mut last = None;
    for (key, row) in pairs {
        if last != Some(key) {
            representative.push(row);
            last = Some(key);
        }
        group_of_row[row as usize] = representative.len() as u32 - 1;
    }
    Groups { group_of_row, representative }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_follow_the_tuples_order() {
        let rows = [[2, 0], [0, 1], [2, 0], [0, 0]];
        let mut packer = Packer::new(rows.len());
        packer.push(3, |row| rows[row][0]);
        packer.push(2, |row| rows[row][1]);
        let groups = group(packer.finish());
        assert_eq!(groups.group_of_row, [2, 1, 2, 0]);
        assert_eq!(groups.representative, [3, 1, 0]);
    }

    #[test]
    fn more_than_64_bits_keep_the_order() {
        // Eight columns of 20 bits; the tuples differ in the first and in the last column only.
        let rows: Vec<[u32; 8]> =
            (0..50_u32).map(|i| [i % 3, 7, 7, 7, 7, 7, 7, 1_000_000 - i * 1_000]).collect();
        let mut packer = Packer::new(rows.len());
        (0..8).for_each(|column| packer.push(1 << 20, |row| rows[row][column]));
        let groups = group(packer.finish());
        let mut sorted = rows.clone();
        sorted.sort_unstable();
        for (row, tuple) in rows.iter().enumerate() {
            assert_eq!(sorted[groups.group_of_row[row] as usize], *tuple);
        }
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits_for), [0, 0, 1, 2, 2, 3, 8, 9]);
    }
}
