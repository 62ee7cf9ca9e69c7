//! Checks whether released survey weights were made of the original ones as declared.
//!
//! Means and calibrated weights have six decimal places more than the original weights, and are the nearest such numbers; of two equally
//! near ones the even one.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use scumble_files::table::{CodedColumn, Texts};

use crate::columns::part;
use crate::exact::compare_products;
use crate::group::group;
use crate::normal::of_rows;
use crate::truth::{ColumnTruth, MeanPairing, Pairing};
use crate::value::Decimal;

/// How released weights were made of the original ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightRule {
    /// What a row shows.
    pub shows: ShownWeight,
    /// The column of the original within whose texts weights were raised, so that released rows add up to the total of all rows.
    pub stratum: Option<String>,
    /// Whether the decimal mark is a comma.
    pub comma: bool,
}

/// What a row shows of its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownWeight {
    /// The number itself.
    Same,
    /// The number with two significant digits.
    Rounded,
    /// The mean of all released rows that show the same in every column declared `Covers` or `Aggregate`.
    GroupMean,
}

/// A released column of weights with its original.
pub(crate) struct WeightPairing<'a> {
    pub(crate) released: &'a CodedColumn,
    pub(crate) original: &'a CodedColumn,
    pub(crate) stratum: Option<&'a CodedColumn>,
    pub(crate) rule: &'a WeightRule,
}

impl WeightPairing<'_> {
    /// Whether all rows must be there to say what one shows.
    pub(crate) fn needs_all_rows(&self) -> bool {
        self.stratum.is_some() || self.rule.shows == ShownWeight::GroupMean
    }
}

/// Checks every column of weights.
pub(crate) fn check(
    weights: &[WeightPairing<'_>],
    means: &[MeanPairing<'_>],
    pairings: &[Pairing<'_>],
    row_map: &[u32],
) -> Vec<ColumnTruth> {
    let one = |pairing: &WeightPairing<'_>| {
        let expected = expected(pairing, means, pairings, row_map);
        let made: Vec<Option<i128>> =
            scaled(&pairing.released.values, pairing.rule.comma, |_| true, places(pairing));
        let (originals, released) = (part(pairing.original).codes, part(pairing.released).codes);
        let mut pairs: HashSet<(u32, u32), FixedState> = HashSet::default();
        let mut found = ColumnTruth {
            column: pairing.released.name.clone(),
            false_pairs: 0,
            false_cells: 0,
            first_row: None,
        };
        for (row, source) in row_map.iter().enumerate() {
            let code = released.get(row);
            let both = expected.as_ref().and_then(|of_row| of_row[row]).zip(made[code as usize]);
            if both.is_some_and(|(expected, made)| is_true(pairing.rule.shows, expected, made)) {
                continue;
            }
            pairs.insert((originals.get(*source as usize), code));
            found.false_cells += 1;
            found.first_row = found.first_row.or(Some(row as u64 + 1));
        }
        found.false_pairs = pairs.len() as u64;
        found
    };
    weights.iter().map(one).collect()
}

/// The decimal places with which weights are computed.
fn places(pairing: &WeightPairing<'_>) -> i64 {
    let numbers = of_rows(pairing.original).filter_map(|text| Decimal::read(text, pairing.rule.comma));
    numbers.map(Decimal::places).max().unwrap_or(0).max(0) + 6
}

/// The numbers of texts, times 10 to the power of `places`; `None` for what is no number of at least 0.
fn scaled(texts: &Texts, comma: bool, is_used: impl Fn(u32) -> bool, places: i64) -> Vec<Option<i128>> {
    let number = |(code, text): (u32, &str)| {
        let number = is_used(code).then(|| Decimal::read(text, comma)).flatten()?.scaled(places)?;
        (number >= 0).then_some(number)
    };
    (0..).zip(texts.iter()).map(number).collect()
}

/// For each released row the number that it shows, before rounding to digits; `None` if a number cannot be computed.
fn expected(
    pairing: &WeightPairing<'_>,
    means: &[MeanPairing<'_>],
    pairings: &[Pairing<'_>],
    row_map: &[u32],
) -> Option<Vec<Option<i128>>> {
    let originals = part(pairing.original).codes;
    let of_code = scaled(&pairing.original.values, pairing.rule.comma, |_| true, places(pairing));
    let weight = |row: u32| of_code[originals.get(row as usize) as usize];
    let mut of_row: Vec<Option<i128>> = row_map.iter().map(|row| weight(*row)).collect();
    if let Some(stratum) = pairing.stratum {
        let strata = part(stratum).codes;
        let mut all: BTreeMap<u32, i128> = BTreeMap::new();
        let mut kept = all.clone();
        for row in 0..pairing.original.codes.len() as u32 {
            let total = all.entry(strata.get(row as usize)).or_default();
            *total = total.checked_add(weight(row)?)?;
        }
        for row in row_map {
            let total = kept.entry(strata.get(*row as usize)).or_default();
            *total = total.checked_add(weight(*row)?)?;
        }
        // Rows of one weight and one stratum are raised alike.
        let mut known: BTreeMap<(i128, u32), Option<i128>> = BTreeMap::new();
        for (shown, row) in of_row.iter_mut().zip(row_map) {
            let (own, code) = ((*shown)?, strata.get(*row as usize));
            let (all, kept) = (*all.get(&code)?, *kept.get(&code)?);
            if kept > 0 {
                *shown = *known.entry((own, code)).or_insert_with(|| quotient(own, all, kept));
            }
        }
    }
    if pairing.rule.shows == ShownWeight::GroupMean {
        let parts: Vec<_> = crate::aggregate::shown(means, pairings).map(part).collect();
        let groups = group(&parts, row_map.len());
        let mut sums = vec![Some(0_i128); groups.size.len()];
        for (shown, class) in of_row.iter().zip(&groups.of_row) {
            let sum = &mut sums[*class as usize];
            *sum = sum.zip(*shown).and_then(|(sum, shown)| sum.checked_add(shown));
        }
        let mean = |class: u32| quotient(sums[class as usize]?, 1, i128::from(groups.size[class as usize]));
        of_row = groups.of_row.iter().map(|class| mean(*class)).collect();
    }
    Some(of_row)
}

/// The whole number nearest to `a · b / c`, of two equally near ones the even one. It is searched for by products, never divided.
fn quotient(a: i128, b: i128, c: i128) -> Option<i128> {
    let [a, b, c] = [u128::try_from(a).ok()?, u128::try_from(b).ok()?, u128::try_from(c).ok()?];
    let (mut low, mut beyond) = (0_u128, 1_u128 << 120);
    if compare_products(beyond, c, a, b) != Ordering::Greater {
        return None;
    }
    while beyond - low > 1 {
        let middle = low + (beyond - low) / 2;
        if compare_products(middle, c, a, b) == Ordering::Greater {
            beyond = middle;
        } else {
            low = middle;
        }
    }
    let up = match compare_products(2 * low + 1, c, a.checked_mul(2)?, b) {
        Ordering::Less => true,
        Ordering::Equal => low % 2 == 1,
        Ordering::Greater => false,
    };
    i128::try_from(low + u128::from(up)).ok()
}

/// Whether a row may show this number.
fn is_true(shows: ShownWeight, expected: i128, made: i128) -> bool {
    if shows != ShownWeight::Rounded {
        return expected == made;
    }
    let spare = expected.to_string().len().saturating_sub(2) as u32;
    let Some(unit) = 10_i128.checked_pow(spare) else { return false };
    let twice = 2 * (made - expected).abs();
    made % unit == 0 && (twice < unit || twice == unit && made / unit % 2 == 0)
}

#[cfg(test)]
mod tests {
    use scumble_files::Control;
    use scumble_files::table::CodedTable;

    use super::*;
    use crate::{Cover, Drops, Nodes, Truth, TruthOutcome, ValueKind, check_truth, check_truth_with_map};

    fn table(columns: &[(&str, &[&str])]) -> CodedTable {
        let one = |(name, texts): &(&str, &[&str])| CodedColumn::of_texts(name, texts.iter().copied());
        CodedTable { columns: columns.iter().map(one).collect(), rows: columns[0].1.len() }
    }

    fn truths(shows: ShownWeight, stratum: bool) -> Vec<(String, Truth)> {
        let rule = WeightRule { shows, stratum: stratum.then(|| "region".to_owned()), comma: false };
        let cover = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
        vec![
            ("age".to_owned(), Truth::Covers(cover)),
            ("region".to_owned(), Truth::Absent),
            ("w".to_owned(), Truth::Weight(rule)),
        ]
    }

    fn checked(truths: &[(String, Truth)], weights: [&str; 4], shown: &[&str], map: &[u32]) -> TruthOutcome {
        let ages = ["30", "30", "40", "40"];
        let original = table(&[("age", &ages), ("region", &["n", "n", "n", "s"]), ("w", &weights)]);
        let of_age: Vec<&str> = map.iter().map(|row| ages[*row as usize]).collect();
        let release = table(&[("age", &of_age), ("w", shown)]);
        check_truth_with_map(&release, &original, map, truths, Drops::Allowed, &Control::default())
            .expect("compared")
    }

    const ALL: &[u32] = &[0, 1, 2, 3];

    #[test]
    fn two_digits() {
        let rule = truths(ShownWeight::Rounded, false);
        let given = ["12345", "0.0456", "125", "7"];
        let right = ["12000", "0.046", "120", "7"];
        assert!(checked(&rule, given, &right, ALL).holds);
        for (row, wrong) in
            [(0, "12300"), (0, "13000"), (1, "0.045"), (2, "130"), (3, "7.1"), (3, "x"), (3, "-7")]
        {
            let mut shown = right;
            shown[row] = wrong;
            let outcome = checked(&rule, given, &shown, ALL);
            assert!(!outcome.holds, "{wrong}");
            assert_eq!(
                outcome.first_false.map(|cell| (cell.row, cell.column)),
                Some((row as u64 + 1, "w".into()))
            );
        }
    }

    #[test]
    fn means_of_groups() {
        let rule = truths(ShownWeight::GroupMean, false);
        assert!(checked(&rule, ["1", "2", "3", "3.1"], &["1.5", "1.5", "3.05", "3.05"], ALL).holds);
        assert!(
            !checked(&rule, ["1", "2", "3", "3.1"], &["1.5", "1.5", "3.1", "3"], ALL).holds,
            "not exchanged"
        );
        assert!(
            !checked(&rule, ["1", "2", "3", "3.1"], &["1.5", "1.5", "3.1", "3.1"], ALL).holds,
            "not rounded"
        );
        // The row that is left out does not count.
        assert!(checked(&rule, ["1", "2", "3", "3.1"], &["1.5", "1.5", "3"], &[0, 1, 2]).holds);
        let thirds =
            table(&[("age", &["1", "1", "1"]), ("region", &["n", "n", "n"]), ("w", &["1", "1", "2"])]);
        for (shown, holds) in [("1.333333", true), ("1.333334", false), ("1.33", false)] {
            let release = table(&[("age", &["1", "1", "1"]), ("w", &[shown, shown, shown])]);
            let outcome = check_truth_with_map(
                &release,
                &thirds,
                &[0, 1, 2],
                &rule,
                Drops::Forbidden,
                &Control::default(),
            );
            assert_eq!(outcome.expect("compared").holds, holds, "{shown}");
        }
    }

    /// The specification's example (transforms.md 4.2), and a stratum whose row is still there.
    #[test]
    fn weights_are_raised_within_strata() {
        let rule = truths(ShownWeight::Same, true);
        let given = ["10", "20", "30", "40"];
        assert!(checked(&rule, given, &["15", "45", "40"], &[0, 2, 3]).holds);
        for wrong in [["10", "30", "40"], ["16", "44", "40"], ["15", "45", "40.000001"]] {
            assert!(!checked(&rule, given, &wrong, &[0, 2, 3]).holds, "{wrong:?}");
        }
        assert_eq!(quotient(30, 100, 80), Some(38), "37.5 is as near to 37, which is odd");
        assert_eq!(quotient(1, 5, 2), Some(2));
        let large = 10_i128.pow(30);
        assert_eq!(quotient(large, 3 * large, 2 * large), Some(large / 2 * 3));
        assert_eq!(quotient(large, large, 1), None);
        let rounded = truths(ShownWeight::Rounded, true);
        assert!(checked(&rounded, given, &["15", "45", "40"], &[0, 2, 3]).holds);
        assert!(!checked(&rounded, given, &["10", "30", "40"], &[0, 2, 3]).holds);
    }

    #[test]
    fn without_a_row_map_weights_are_not_compared() {
        let rule = truths(ShownWeight::Rounded, false);
        let original = table(&[("age", &["30"]), ("region", &["n"]), ("w", &["123"])]);
        let release = table(&[("age", &["30"]), ("w", &["120"])]);
        let outcome = check_truth(&release, &original, &rule, Drops::Forbidden, &Control::default());
        assert_eq!(outcome.expect("compared").unchecked, ["w"]);
    }
}
