//! Checks fresh numbers of households: they are 1, 2, 3 …, each stands for one household of the original, and they follow what the rows show.

use std::collections::BTreeMap;

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use crate::columns::part;
use crate::error::VerifyError;
use crate::group::group;
use crate::models::SensitiveColumn;
use crate::normal::in_normal_form;
use crate::truth::ColumnTruth;

/// A released column of fresh numbers with its original.
pub(crate) struct NumberPairing<'a> {
    pub(crate) released: &'a CodedColumn,
    pub(crate) original: &'a CodedColumn,
    /// How the original texts are read.
    pub(crate) values: &'a SensitiveColumn,
    /// Whether rows are sorted by what they show.
    pub(crate) sorted: bool,
}

/// Checks every column of fresh numbers.
pub(crate) fn check(
    pairings: &[NumberPairing<'_>],
    release: &CodedTable,
    row_map: &[u32],
    control: &Control,
) -> Result<Vec<ColumnTruth>, VerifyError> {
    pairings.iter().map(|pairing| one(pairing, release, row_map, control)).collect()
}

fn one(
    pairing: &NumberPairing<'_>,
    release: &CodedTable,
    row_map: &[u32],
    control: &Control,
) -> Result<ColumnTruth, VerifyError> {
    // Two spellings of a number are one household.
    let own = CodedTable { columns: vec![pairing.original.clone()], rows: pairing.original.codes.len() };
    let own = in_normal_form(&own, std::slice::from_ref(pairing.values), None, control)?;
    let original = |row: u32| own.columns[0].codes.get(row as usize);
    let number = |row: usize| -> Option<u64> {
        let text = pairing.released.values.get(pairing.released.codes.get(row));
        text.parse().ok().filter(|number: &u64| *number > 0 && number.to_string() == text)
    };
    let mut new_of_old: BTreeMap<u32, u64> = BTreeMap::new();
    let mut old_of_new: BTreeMap<u64, u32> = BTreeMap::new();
    let mut wrong: Vec<bool> = vec![false; row_map.len()];
    for (row, source) in row_map.iter().enumerate() {
        let old = original(*source);
        wrong[row] = match number(row) {
            None => true,
            Some(new) => {
                *new_of_old.entry(old).or_insert(new) != new || *old_of_new.entry(new).or_insert(old) != old
            }
        };
    }
    // No number is left out, so the greatest says nothing but how many there are.
    let gap = (1..).zip(old_of_new.keys()).find(|(place, number)| place != *number).map(|(place, _)| place);
    let unsorted =
        if pairing.sorted { first_unsorted(pairing, release, row_map.len(), &number) } else { None };
    for from in [gap, unsorted].into_iter().flatten() {
        (0..row_map.len()).for_each(|row| wrong[row] |= number(row).is_some_and(|number| number >= from));
    }
    let false_rows = || (1_u64..).zip(&wrong).filter(|(_, wrong)| **wrong);
    Ok(ColumnTruth {
        column: pairing.released.name.clone(),
        false_pairs: false_rows().count() as u64,
        false_cells: false_rows().count() as u64,
        first_row: false_rows().next().map(|(row, _)| row),
    })
}

/// The first number whose rows show less than those of the number before it. Rows are sorted by what they show besides the number, so the place
/// where a content is first met ranks it.
fn first_unsorted(
    pairing: &NumberPairing<'_>,
    release: &CodedTable,
    rows: usize,
    number: &dyn Fn(usize) -> Option<u64>,
) -> Option<u64> {
    let others = release.columns.iter().filter(|column| column.name != pairing.released.name);
    let parts: Vec<_> = others.map(part).collect();
    let groups = group(&parts, rows);
    let mut rank: BTreeMap<u32, u64> = BTreeMap::new();
    let mut shown: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for row in 0..rows {
        let next = rank.len() as u64;
        let place = *rank.entry(groups.of_row[row]).or_insert(next);
        shown.entry(number(row).unwrap_or(0)).or_default().push(place);
    }
    shown.values_mut().for_each(|ranks| ranks.sort_unstable());
    let all: Vec<(&u64, &Vec<u64>)> = shown.iter().collect();
    all.windows(2).find(|pair| pair[0].1 > pair[1].1).map(|pair| *pair[1].0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Drops, Truth, TruthOutcome, check_truth_with_map};

    const AGES: [&str; 5] = ["30", "30", "40", "40", "40"];
    const HOMES: [&str; 5] = ["h7", "h3", "h7", "h1", "H1"];

    fn checked(numbers: [&str; 5], sorted: bool) -> TruthOutcome {
        let table = |columns: [(&str, [&str; 5]); 2]| CodedTable {
            columns: columns.map(|(name, texts)| CodedColumn::of_texts(name, texts.into_iter())).into(),
            rows: 5,
        };
        let original = table([("age", AGES), ("home", HOMES)]);
        let release = table([("age", AGES), ("home", numbers)]);
        let numbers = Truth::Renumbered { values: SensitiveColumn::texts("home"), sorted };
        let truths = [("age".to_owned(), Truth::Exact), ("home".to_owned(), numbers)];
        check_truth_with_map(
            &release,
            &original,
            &[0, 1, 2, 3, 4],
            &truths,
            Drops::Forbidden,
            &Control::default(),
        )
        .expect("compared")
    }

    #[test]
    fn each_number_stands_for_one_household() {
        // h7 shows 30 and 40, h3 shows 30, h1 shows 40 twice.
        assert!(checked(["2", "1", "2", "3", "3"], true).holds);
        for (why, wrong) in [
            ("a household is split", ["2", "1", "4", "3", "3"]),
            ("two households are one", ["2", "1", "2", "2", "2"]),
            ("a member is with others", ["2", "1", "3", "3", "3"]),
            ("a number is left out", ["2", "1", "2", "4", "4"]),
            ("it is no fresh number", ["2", "1", "2", "h1", "h1"]),
            ("it is another spelling", ["2", "1", "2", "03", "03"]),
            ("it is nothing", ["0", "1", "0", "2", "2"]),
        ] {
            assert!(!checked(wrong, false).holds, "{why}");
        }
    }

    #[test]
    fn numbers_follow_what_rows_show() {
        let by_chance = ["1", "3", "1", "2", "2"];
        assert!(checked(by_chance, false).holds);
        assert!(!checked(by_chance, true).holds, "the numbers show an order that content does not have");
    }
}
