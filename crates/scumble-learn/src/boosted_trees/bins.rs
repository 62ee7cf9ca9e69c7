//! Turns columns into small integers.

use crate::ranks::Ranks;
use crate::table::{Cells, Features, MISSING, Table};

/// The most bins that numbers are put into.
const MOST: usize = 255;

/// How cells become bins. Bin 0 is for missing and unknown values.
#[derive(Debug)]
pub(super) struct Bins {
    pub(super) columns: Vec<Binning>,
}

/// One column's bins.
#[derive(Debug)]
pub(super) enum Binning {
    /// Code `c` is in bin `c + 1`.
    Nominal { values: usize },
    /// Bin `i + 1` ends at `ends[i]`; the last bin has no end.
    Numeric { ends: Vec<f64> },
}

impl Binning {
    /// The number of bins.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Nominal { values } => values + 1,
            Self::Numeric { ends } => ends.len() + 2,
        }
    }

    fn bin(&self, cells: &Cells, row: usize) -> u32 {
        match (self, cells) {
            (Self::Nominal { values }, Cells::Nominal { codes, .. }) if (codes[row] as usize) < *values => {
                codes[row] + 1
            }
            (Self::Numeric { ends }, Cells::Numeric(numbers)) if !numbers[row].is_nan() => {
                ends.partition_point(|end| *end < numbers[row]) as u32 + 1
            }
            _ => 0,
        }
    }
}

impl Bins {
    pub(super) fn new(table: &Table) -> Self {
        let binning = |cells: &Cells| match cells {
            Cells::Nominal { values, .. } => Binning::Nominal { values: *values },
            Cells::Numeric(numbers) => Binning::Numeric { ends: ends(table, numbers) },
        };
        Self { columns: table.columns().iter().map(|column| binning(column.cells())).collect() }
    }

    /// Returns the bins of all rows, column by column.
    pub(super) fn table(&self, features: &Features) -> Vec<Vec<u32>> {
        self.columns
            .iter()
            .zip(features.columns())
            .map(|(binning, column)| {
                (0..features.rows()).map(|row| binning.bin(column.cells(), row)).collect()
            })
            .collect()
    }

    /// Returns the bins of one row.
    pub(super) fn row(&self, features: &Features, row: usize) -> Vec<u32> {
        let columns = self.columns.iter().zip(features.columns());
        columns.map(|(binning, column)| binning.bin(column.cells(), row)).collect()
    }
}

/// Returns where bins of about equal weight end: halfway between two distinct numbers.
fn ends(table: &Table, numbers: &[f64]) -> Vec<f64> {
    let ranks = Ranks::new(numbers);
    let mut weights = vec![0.0; ranks.values.len()];
    for (&rank, &weight) in ranks.ranks.iter().zip(table.weights()) {
        if rank != MISSING {
            weights[rank as usize] += f64::from(weight);
        }
    }
    let total: f64 = weights.iter().sum();
    let few = ranks.values.len() <= MOST;
    let (mut ends, mut weight) = (Vec::new(), 0.0);
    for (place, pair) in ranks.values.windows(2).enumerate() {
        weight += weights[place];
        // The next bin ends once this many bins' worth of weight has passed.
        if few || weight >= total * (ends.len() + 1) as f64 / MOST as f64 {
            ends.push(pair[0] + (pair[1] - pair[0]) / 2.0);
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn bins_of_numbers_and_codes() {
        let columns = vec![
            Column::numeric("a", vec![1.0, 3.0, f64::NAN, 3.0]),
            Column::nominal("b", vec![0, MISSING, 1, 1], 2),
        ];
        let features = Features::new(columns, 4).unwrap();
        let bins = Bins::new(&Table::new(features.clone(), vec![0; 4], 1).unwrap());
        assert_eq!(bins.table(&features), [[1, 2, 0, 2], [1, 0, 2, 2]]);
        assert_eq!(bins.row(&features, 1), [2, 0]);
        assert_eq!([bins.columns[0].count(), bins.columns[1].count()], [3, 3]);
    }

    #[test]
    fn many_numbers_share_bins() {
        let numbers: Vec<f64> = (0..10_000).map(f64::from).collect();
        let features = Features::new(vec![Column::numeric("a", numbers)], 10_000).unwrap();
        let bins = Bins::new(&Table::new(features, vec![0; 10_000], 1).unwrap());
        assert_eq!(bins.columns[0].count(), MOST + 1);
    }
}
