//! Checks records that show a value of another row: each must have had the same chance to show the value of any row it is said to
//! be drawn from.

use rayon::prelude::*;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use crate::columns::{ORIGINAL, RELEASE, column};
use crate::error::VerifyError;
use crate::models::ModelClaim;
use crate::records::{Covering, Originals, parameter};
use crate::truth::ColumnTruth;
use crate::watch::{Pace, check};

/// A column in which records have exchanged values.
#[derive(Clone, Copy)]
pub struct Exchanged<'a> {
    /// The column.
    pub column: &'a str,
    /// For each released row, the numbers of the original rows whose value it might have shown. Private, and known only where a
    /// release is made.
    pub windows: Option<&'a [Vec<u32>]>,
}

/// Returns, for each released row, how many values it might have shown, each with the same chance. The number is 0 unless all of
/// this holds:
/// * the row's own original is among the rows whose value it might show, and it covers all of them;
/// * it shows the value of exactly one of them, and no other released row shows that original row's value;
/// * each of them may be shown by as many released rows as this row has to choose from, or the chances could not be equal;
/// * these released rows all show different values: a value that is shown twice cannot come from a row with l neighbours of
///   different values, and would leave fewer values for it.
pub(crate) fn choices(
    release: &CodedTable,
    originals: Originals<'_>,
    model: &ModelClaim,
    name: &str,
    windows: &[Vec<u32>],
    control: &Control,
) -> Result<Vec<u64>, VerifyError> {
    let map = originals.row_map.filter(|map| map.len() == release.rows && windows.len() == release.rows);
    let map =
        map.ok_or_else(|| parameter(model, "column", "who might have shown whose value is not known"))?;
    if windows.iter().flatten().any(|row| *row as usize >= originals.table.rows) {
        let why = "it points to a row the original table does not have".to_owned();
        return Err(VerifyError::RowMap { why });
    }
    let (released, original) = (column(release, RELEASE, name)?, column(originals.table, ORIGINAL, name)?);
    let shown: Vec<Option<u32>> = original_codes(released, original);
    let value = |row: u32| original.codes.get(row as usize);
    let covering = Covering::new(release, originals, control)?;
    let mut pace = Pace::new(control);

    // For each original row, the released rows that might show its value, and how many do.
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); originals.table.rows];
    let mut shows = vec![0_u32; originals.table.rows];
    let mut source = vec![None; release.rows];
    for (row, window) in (0_u32..).zip(windows) {
        pace.tick(1 + window.len())?;
        window.iter().for_each(|of| holders[*of as usize].push(row));
        let mut fitting = window.iter().filter(|of| Some(value(**of)) == shown[row as usize]);
        if let (Some(only), None) = (fitting.next(), fitting.next()) {
            shows[*only as usize] += 1;
            source[row as usize] = Some(*only);
        }
    }
    let differ = |rows: &Vec<u32>| {
        let mut values: Vec<Option<u32>> = rows.iter().map(|row| shown[*row as usize]).collect();
        values.sort_unstable();
        values.windows(2).all(|pair| pair[0] != pair[1])
    };
    let differ: Vec<bool> = holders.iter().map(differ).collect();
    check(control)?;
    let choices = |(row, window): (u32, &Vec<u32>)| {
        pace.tick(1 + window.len())?;
        let fair = |of: &u32| {
            holders[*of as usize].len() == window.len() && differ[*of as usize] && covering.covers(row, *of)
        };
        let mut values: Vec<u32> = window.iter().map(|of| value(*of)).collect();
        values.sort_unstable();
        values.dedup();
        let holds = window.contains(&map[row as usize])
            && window.iter().all(fair)
            && values.len() == window.len()
            && source[row as usize].is_some_and(|of| shows[of as usize] == 1);
        Ok(if holds { window.len() as u64 } else { 0 })
    };
    (0..).zip(windows).map(choices).collect()
}

/// Returns, for each released row, how many different values the original rows that it covers have. The row can show no other
/// value. Which of them it might have shown, and how likely, the release does not say.
pub(crate) fn covered_values(
    release: &CodedTable,
    originals: Originals<'_>,
    name: &str,
    control: &Control,
) -> Result<Vec<u64>, VerifyError> {
    let original = column(originals.table, ORIGINAL, name)?;
    let covering = Covering::new(release, originals, control)?;
    let mut of_tuple = vec![Vec::new(); covering.tuples.len()];
    for (row, tuple) in covering.tuples.of_row.iter().enumerate() {
        of_tuple[*tuple as usize].push(original.codes.get(row));
    }
    of_tuple.par_iter_mut().for_each(|values: &mut Vec<u32>| {
        values.sort_unstable();
        values.dedup();
    });
    let count = |row: &u32| {
        check(control)?;
        let mut values: Vec<u32> =
            covering.tuples_of(*row).flat_map(|tuple| &of_tuple[tuple as usize]).copied().collect();
        values.sort_unstable();
        values.dedup();
        Ok(values.len() as u64)
    };
    let of_record: Vec<u64> =
        covering.records.first_row.par_iter().map(count).collect::<Result<_, VerifyError>>()?;
    Ok(covering.records.of_row.iter().map(|record| of_record[*record as usize]).collect())
}

/// Returns, for each released row, the original's code of the text that it shows.
fn original_codes(released: &CodedColumn, original: &CodedColumn) -> Vec<Option<u32>> {
    let same: Vec<Option<u32>> =
        released.values.iter().map(|text| original.values.find_sorted(text)).collect();
    released.codes.iter().map(|code| same[code as usize]).collect()
}

/// Compares the values of a column as a whole. A released value is false if the original has it less often.
pub(crate) fn compare(released: &CodedColumn, original: &CodedColumn) -> ColumnTruth {
    let mut left = vec![0_u64; original.values.len()];
    original.codes.iter().for_each(|code| left[code as usize] += 1);
    let mut truth =
        ColumnTruth { column: released.name.clone(), false_pairs: 0, false_cells: 0, first_row: None };
    let mut false_values = Vec::new();
    for (row, code) in (1..).zip(original_codes(released, original)) {
        match code.map(|code| &mut left[code as usize]) {
            Some(left) if *left > 0 => *left -= 1,
            _ => {
                false_values.push(released.codes.get(row as usize - 1));
                truth.false_cells += 1;
                truth.first_row.get_or_insert(row);
            }
        }
    }
    false_values.sort_unstable();
    false_values.dedup();
    truth.false_pairs = false_values.len() as u64;
    truth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;
    use crate::{Cover, Drops, Nodes, Truth, ValueKind, check_records, check_truth, check_truth_with_map};

    fn original() -> CodedTable {
        table(&[("age", &["1", "2", "3", "4"]), ("ill", &["a", "b", "a", "b"])])
    }

    /// Four rows on a ring with l = 2. Each shows its own value or that of the next.
    fn released(values: &[&str]) -> CodedTable {
        table(&[("age", &["[1,2]", "[2,3]", "[3,4]", "[1,4]"]), ("ill", values)])
    }

    fn covers() -> Vec<(String, Cover)> {
        let kind = ValueKind::Number { comma: false };
        vec![("age".into(), Cover { kind, nodes: Nodes::default(), missing: Vec::new() })]
    }

    fn failing(values: &[&str], windows: &[Vec<u32>], map: &[u32]) -> u64 {
        let (release, original, quasi) = (released(values), original(), covers());
        let claim =
            serde_json::json!({"model": "l_diversity", "variant": "frequency", "column": "ill", "l": "2"});
        let claim = ModelClaim::from_json(&claim).expect("a claim");
        let originals = Originals {
            table: &original,
            quasi: &quasi,
            row_map: Some(map),
            exchanged: Some(Exchanged { column: "ill", windows: Some(windows) }),
        };
        let outcome =
            check_records(&release, &[], &[claim], Some(originals), &Control::default()).expect("judged");
        assert_eq!(outcome.holds, outcome.models[0].failing_rows == 0);
        outcome.models[0].failing_rows
    }

    #[test]
    fn both_turns_of_a_ring_hold_and_nothing_else() {
        let ring = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0]];
        let own = [0, 1, 2, 3];
        assert_eq!(failing(&["a", "b", "a", "b"], &ring, &own), 0);
        assert_eq!(failing(&["b", "a", "b", "a"], &ring, &own), 0);
        // Two neighbours show the same value, so the row that both cover has the other value.
        assert!(failing(&["a", "a", "b", "b"], &ring, &own) > 0);
        assert!(failing(&["b", "b", "a", "a"], &ring, &own) > 0);
        // A value that no row has, and a value that two rows show.
        assert!(failing(&["c", "b", "a", "b"], &ring, &own) > 0);
        assert!(failing(&["a", "b", "a", "a"], &ring, &own) > 0);
        // Records that do not cover the rows they might have shown, or not their own row.
        assert!(failing(&["a", "b", "a", "b"], &[vec![0, 3], vec![1, 2], vec![2, 1], vec![3, 0]], &own) > 0);
        assert!(failing(&["a", "b", "a", "b"], &ring, &[2, 1, 0, 3]) > 0);
        // Fewer than l rows to choose from, and rows that are chosen from more often than others.
        assert_eq!(failing(&["a", "b", "a", "b"], &[vec![0], vec![1], vec![2], vec![3]], &own), 4);
        assert!(failing(&["a", "b", "a", "b"], &[vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 2]], &own) > 0);
        // Two rows to choose from with the same value.
        assert!(failing(&["a", "b", "a", "b"], &[vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 1]], &own) > 0);
    }

    #[test]
    fn exchanged_values_are_those_of_the_original() {
        let truths: Vec<(String, Truth)> = covers()
            .into_iter()
            .map(|(name, cover)| (name, Truth::Covers(cover)))
            .chain([("ill".to_owned(), Truth::Permuted)])
            .collect();
        let holds = |values: &[&str]| {
            let (release, original) = (released(values), original());
            let mapped = check_truth_with_map(
                &release,
                &original,
                &[0, 1, 2, 3],
                &truths,
                Drops::Forbidden,
                &Control::default(),
            );
            let free = check_truth(&release, &original, &truths, Drops::Forbidden, &Control::default());
            let (mapped, free) = (mapped.expect("compared"), free.expect("compared"));
            assert_eq!(mapped.holds, free.holds);
            assert_eq!(
                mapped.columns.last().map(|of| of.false_cells),
                free.columns.last().map(|of| of.false_cells)
            );
            mapped.holds
        };
        assert!(holds(&["b", "a", "b", "a"]) && holds(&["a", "a", "b", "b"]));
        assert!(!holds(&["a", "a", "a", "b"]) && !holds(&["a", "b", "a", "c"]));
    }
}
