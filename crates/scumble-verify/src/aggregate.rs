//! Checks whether a released mean is that of the original numbers of its equivalence class.

use scumble_files::table::CodedColumn;

use crate::columns::part;
use crate::group::group;
use crate::truth::{ColumnTruth, MeanPairing, Pairing};
use crate::value::Decimal;

/// Returns the columns that form the equivalence classes which readers see: rows that show the same in all coarsened columns and
/// all means.
pub(crate) fn shown<'a>(
    means: &[MeanPairing<'a>],
    pairings: &[Pairing<'a>],
) -> impl Iterator<Item = &'a CodedColumn> {
    let coarse = pairings.iter().filter(|pairing| pairing.cover.is_some()).map(|pairing| pairing.released);
    coarse.chain(means.iter().map(|mean| mean.released))
}

/// Checks each column of means, by the equivalence classes that readers see.
pub(crate) fn check(
    means: &[MeanPairing<'_>],
    pairings: &[Pairing<'_>],
    row_map: &[u32],
) -> Vec<ColumnTruth> {
    if means.is_empty() {
        return Vec::new();
    }
    let parts: Vec<_> = shown(means, pairings).map(part).collect();
    let groups = group(&parts, row_map.len());
    means
        .iter()
        .map(|mean| {
            let is_true = mean.classes(row_map, &groups.of_row, &groups.size);
            let mut false_rows = (1..).zip(&groups.of_row).filter(|(_, class)| !is_true[**class as usize]);
            ColumnTruth {
                column: mean.released.name.clone(),
                // A class shows one mean, so it counts as one pair of a mean and its originals.
                false_pairs: is_true.iter().filter(|is_true| !**is_true).count() as u64,
                false_cells: false_rows.clone().count() as u64,
                first_row: false_rows.next().map(|(row, _)| row),
            }
        })
        .collect()
}

/// Returns how many digits a plain decimal number has behind its decimal mark, or `None` for other texts.
fn written_places(text: &str, comma: bool) -> Option<i64> {
    if text.contains(['e', 'E']) {
        return None;
    }
    let places = text.split_once(if comma { ',' } else { '.' }).map_or(0, |(_, places)| places.len());
    i64::try_from(places).ok()
}

/// A released mean.
#[derive(Clone, Copy)]
struct Shown {
    /// The mean, times 10 to the power of the column's places.
    mean: i128,
    /// One unit of its last written digit, scaled the same way.
    unit: i128,
}

impl MeanPairing<'_> {
    /// For each class, whether it shows its mean. A number that cannot be read, or is too long to be added up exactly, makes this
    /// false.
    fn classes(&self, row_map: &[u32], class_of_row: &[u32], sizes: &[u64]) -> Vec<bool> {
        let read = |text: &str| Decimal::read(text, self.comma);
        let originals: Vec<Option<Decimal>> = self.original.values.iter().map(read).collect();
        let released: Vec<Option<(Decimal, i64)>> = self
            .released
            .values
            .iter()
            .map(|text| Some((read(text)?, written_places(text, self.comma)?)))
            .collect();
        // With this number of decimal places all numbers become whole.
        let needed = originals.iter().flatten().map(|number| number.places());
        let written = released.iter().flatten().map(|(_, places)| *places);
        let places = needed.chain(written).max().unwrap_or(0);
        let originals: Vec<Option<i128>> =
            originals.into_iter().map(|number| number?.scaled(places)).collect();
        let shown = |number: Option<(Decimal, i64)>| {
            let (number, written) = number?;
            let unit = 10_i128.checked_pow(u32::try_from(places - written).ok()?)?;
            Some(Shown { mean: number.scaled(places)?, unit })
        };
        let released: Vec<Option<Shown>> = released.into_iter().map(shown).collect();

        let mut sums: Vec<Option<i128>> = vec![Some(0); sizes.len()];
        let mut shown: Vec<Option<Shown>> = vec![None; sizes.len()];
        let (original_codes, released_codes) = (part(self.original).codes, part(self.released).codes);
        for (row, (source, class)) in row_map.iter().zip(class_of_row).enumerate() {
            let number = originals[original_codes.get(*source as usize) as usize];
            let sum = &mut sums[*class as usize];
            *sum = sum.zip(number).and_then(|(sum, number)| sum.checked_add(number));
            shown[*class as usize] = released[released_codes.get(row) as usize];
        }
        let is_mean = |shown: Shown, sum: i128, rows: u64| {
            let rows = i128::from(rows);
            let off = shown.mean.checked_mul(rows)?.checked_sub(sum)?.checked_abs()?.checked_mul(2)?;
            Some(off <= shown.unit.checked_mul(rows)?)
        };
        let classes = shown.into_iter().zip(sums).zip(sizes);
        classes
            .map(|((shown, sum), rows)| {
                shown.zip(sum).and_then(|(shown, sum)| is_mean(shown, sum, *rows)) == Some(true)
            })
            .collect()
    }
}
