//! Cuts chosen by what they say about the class column (algorithms.md B2).

use super::cuts::Ranked;
use super::part::{Code, Division, Extent, Part};
use super::search::MondrianSearch;
use crate::metrics::contingency::{TIE, entropy};

/// Converts an entropy to whole multiples of [`TIE`], so that entropies closer than that are equal.
fn key(entropy: f64) -> u64 {
    (entropy / TIE).round() as u64
}

/// The entropy that remains after a cut, in bits: the sum over parts, weighted by their shares of the rows. `rows` are the
/// rows of each part per class.
fn remaining(rows: &[&[u64]]) -> f64 {
    let size = |rows: &[u64]| rows.iter().sum::<u64>() as f64;
    let whole: f64 = rows.iter().map(|rows| size(rows)).sum();
    rows.iter().map(|rows| size(rows) / whole * entropy(rows.iter().copied())).sum()
}

impl MondrianSearch<'_> {
    /// The allowable cut of these columns that says most about the class column; of several, the one in the first column.
    /// Returns `None` if that gains less than `min_gain` bits.
    pub(super) fn most_informative<C: Code>(
        &self,
        part: &Part<'_, C>,
        columns: impl Iterator<Item = usize>,
        extents: &[Extent],
        class: usize,
        min_gain: f64,
    ) -> Option<(usize, Division)> {
        let left = |column: usize, division: &Division| {
            let rows = self.class_rows(part, division.parts(), class, |unit, codes| {
                division.part(codes[column].into(), unit)
            });
            remaining(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        let cuts = columns.filter_map(|column| {
            let division = self.cut(part, column, &extents[column])?;
            Some((left(column, &division), column, division))
        });
        let (after, column, division) = cuts.min_by_key(|(after, column, _)| (key(*after), *column))?;
        let before = self.class_rows(part, 1, class, |_, _| 0);
        let gain = entropy(before[0].iter().copied()) - after;
        (gain >= min_gain - TIE).then_some((column, division))
    }

    /// Rows per class of each group of units.
    fn class_rows<C: Code>(
        &self,
        part: &Part<'_, C>,
        groups: usize,
        class: usize,
        group: impl Fn(u32, &[C]) -> usize,
    ) -> Vec<Vec<u64>> {
        let payloads = self.problem.table.payloads();
        let mut rows = vec![vec![0; payloads.columns[class].values.len()]; groups];
        for (unit, codes) in part.units() {
            let rows = &mut rows[group(unit, codes)];
            for cell in self.units.cells(unit) {
                rows[payloads.value(cell.payload, class) as usize] += u64::from(cell.rows);
            }
        }
        rows
    }

    /// Every cut of a column; the less entropy of the class remains, the better.
    pub(super) fn by_information<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        extent: &Extent,
        class: usize,
    ) -> Vec<Ranked> {
        let by_code = self.rows_by_code(part, column, extent);
        let place = |code: u32| by_code.partition_point(|(of, _)| *of < code);
        let rows = self.class_rows(part, by_code.len(), class, |_, codes| place(codes[column].into()));
        let mut left = vec![0; rows[0].len()];
        let mut right: Vec<u64> = left.clone();
        rows.iter().for_each(|rows| right.iter_mut().zip(rows).for_each(|(sum, rows)| *sum += rows));
        let cuts = by_code.iter().zip(&rows).take(by_code.len() - 1).map(|((code, _), rows)| {
            for ((left, right), rows) in left.iter_mut().zip(&mut right).zip(rows) {
                *left += rows;
                *right -= rows;
            }
            Ranked { key: key(remaining(&[&left, &right])), code: *code, left: left.iter().sum() }
        });
        cuts.collect()
    }
}
