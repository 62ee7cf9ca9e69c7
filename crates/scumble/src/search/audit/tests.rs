use scumble_files::table::Texts;

use super::*;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::{Shape, Value};

pub(super) const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };

/// A table with columns of texts in their order, and rows given as codes with a sensitive value.
pub(super) fn table(sizes: &[u32], rows: &[(Vec<u32>, u32)], values: usize) -> (Vec<Quasi>, FrequencyTable) {
    let texts = |count: u32| -> Texts {
        let texts: Vec<String> = (0..count).map(|code| format!("v{code}")).collect();
        texts.iter().map(String::as_str).collect()
    };
    let quasi = sizes.iter().map(|size| Quasi {
        name: "q".into(),
        measure: TEXT,
        shape: Shape::Set(texts(*size)),
        priority: 1.0,
        tight: false,
        sets: false,
    });
    let column = PayloadColumn {
        name: "s".into(),
        values: texts(values as u32),
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![column], rows.len(), |_, row| rows[row].1);
    let code = |column: usize, row: usize| rows[row].0[column];
    let (table, _) = FrequencyTable::count(sizes, rows.len(), code, payloads, &of_row, |_| 1);
    (quasi.collect(), table)
}

/// A record of a tuple and a sensitive value: the ends of what it shows, its count of each value, and the tuples that it counts.
fn record(tuple: u32, value: u32, shown: &[(u32, u32)], counts: &[u64], members: &[u32]) -> Record {
    let shown = shown.iter().map(|(low, high)| Value::Span(*low, *high)).collect();
    Record { tuple, value, rows: 1, shown, counts: counts.to_vec(), members: members.to_vec(), others: 0 }
}

pub(super) fn run(quasi: &[Quasi], table: &FrequencyTable, records: &[Record], k: u64) -> Audit {
    audit(table, quasi, 0, records, k, &Progress::default()).expect("not stopped")
}

/// The paper's Table 2. Ages 21, 30, 47, 55 and places 10023, 10055, 10165, 10224 in their order; A, D, F, M. The tuples in
/// their order are those of Carol, Bob, Alice, Eve and David.
#[test]
fn the_paper_gives_three_of_five_away() {
    let rows = [(vec![0, 0], 0), (vec![0, 1], 2), (vec![1, 1], 3), (vec![2, 3], 1), (vec![3, 2], 2)];
    let (quasi, table) = table(&[4, 4], &rows, 4);
    let young = [(0, 1), (0, 1)];
    let old = [(2, 3), (0, 3)];
    let records = [
        record(0, 0, &young, &[1, 0, 0, 1], &[0, 2]),
        record(1, 2, &[(0, 0), (0, 1)], &[1, 0, 1, 0], &[0, 1]),
        record(2, 3, &[(0, 1), (1, 1)], &[0, 0, 1, 1], &[1, 2]),
        record(3, 1, &old, &[0, 1, 1, 0], &[3, 4]),
        record(4, 2, &old, &[0, 1, 1, 0], &[3, 4]),
    ];
    let found = run(&quasi, &table, &records, 2);
    assert_eq!(found.by_cover, Disclosure { records: 4, certain: 3, unknown: 0 });
    assert_eq!(found.by_mask, Disclosure { records: 5, certain: 3, unknown: 0 });
    assert_eq!(found.least_covered, 2);
    // Table 1(c) has the same covers: 11 pairs, all of them part of some assignment (models.md 4.10).
    assert_eq!((found.degrees.least_matching, found.degrees.rows_below_k), (2, 0));
    assert!((found.degrees.mean_matching - 11.0 / 5.0).abs() < 1e-12);
}

/// models.md 1.15: two records cover the third row, but only one of them can belong to it.
#[test]
fn degrees_are_not_matches() {
    let rows: Vec<(Vec<u32>, u32)> = (0..5).map(|code| (vec![code], 0)).collect();
    let (quasi, table) = table(&[5], &rows, 1);
    let ends = [(0, 1), (0, 1), (0, 2), (2, 4), (2, 4)];
    let records: Vec<Record> =
        (0..).zip(ends).map(|(tuple, ends)| record(tuple, 0, &[ends], &[], &[])).collect();
    let found = run(&quasi, &table, &records, 2);
    assert_eq!((found.degrees.least_covering, found.degrees.least_matching), (2, 1));
    assert_eq!(found.degrees.rows_below_k, 1);
    assert!((found.degrees.mean_matching - 9.0 / 5.0).abs() < 1e-12);
    assert_eq!(found.by_cover.records, 0);
}

/// (k,1) alone: D = 1, 2, 3 published as {1,2}, {1,2}, {2,3}.
#[test]
fn a_row_that_only_its_own_record_covers() {
    let rows: Vec<(Vec<u32>, u32)> = (0..3).map(|code| (vec![code], 0)).collect();
    let (quasi, table) = table(&[3], &rows, 1);
    let ends = [(0, 1), (0, 1), (1, 2)];
    let records: Vec<Record> =
        (0..).zip(ends).map(|(tuple, ends)| record(tuple, 0, &[ends], &[], &[])).collect();
    let found = run(&quasi, &table, &records, 2);
    assert_eq!((found.least_covered, found.degrees.least_covering), (2, 1));
}

/// Three tuples of one row each with the values 0, 0 and 1, and every record covers all three. The first record lists 0 only; the others
/// list both values, so they are alike. A row that gives a record away must have it, a row that takes one must have a value that it
/// lists, and no record may be left over or missing.
#[test]
fn records_that_change_hands_are_counted_again() {
    let rows = [(vec![0], 0), (vec![1], 0), (vec![2], 1)];
    let (quasi, table) = table(&[3], &rows, 2);
    let all = [(0, 2)];
    let records = [
        record(0, 0, &all, &[1, 0], &[0]),
        record(1, 0, &all, &[1, 1], &[1, 2]),
        record(2, 1, &all, &[1, 1], &[1, 2]),
    ];
    let progress = Progress::default();
    let covers = Covers::new(&Coverage::new(&table, &quasi), &records, &progress).expect("covers");
    let known =
        Known::by_cover(&table, 0, &records, &covers, &progress).expect("true").expect("few unknowns");
    let [first, second] = [0, 1].map(|tuple| known.unknown(tuple, 0).expect("an unknown"));
    let third = known.unknown(2, 1).expect("an unknown");
    let (lone, alike) = (0, 1);
    let holds = |transfers: &[owners::Transfer]| known.owners.holds(&known, &[], transfers);
    assert!(holds(&[]));
    assert!(holds(&[(first, lone, -1), (first, alike, 1), (second, alike, -1), (second, lone, 1)]));
    // The first row takes another record, but nobody gives that one away or takes the first row's.
    assert!(!holds(&[(first, lone, -1), (first, alike, 1)]));
    // Now the first row has two records, and the second none.
    assert!(!holds(&[(first, alike, 1), (second, alike, -1)]));
    // The first record does not list the value of the third row.
    assert!(!holds(&[(first, lone, -1), (first, alike, 1), (third, alike, -1), (third, lone, 1)]));
    // The first row has no record of the group that it gives away.
    assert!(!holds(&[(first, alike, -1), (first, lone, 1), (second, lone, -1), (second, alike, 1)]));
}
