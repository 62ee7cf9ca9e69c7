//! Truthfulness on tables made by hand, with and without a row map.

use super::table;
use crate::{
    ColumnFault, ColumnFaultKind, Cover, Drops, FalseCell, Nodes, Truth, TruthOutcome, ValueKind,
    VerifyError, check_truth, check_truth_with_map,
};
use scumble_files::Control;
use scumble_files::table::CodedTable;

fn number() -> Truth {
    let kind = ValueKind::Number { comma: false };
    Truth::Covers(Cover { kind, nodes: Nodes::default(), missing: vec!["?".to_owned()] })
}

fn declared(columns: &[(&str, Truth)]) -> Vec<(String, Truth)> {
    columns.iter().map(|(name, truth)| ((*name).to_owned(), truth.clone())).collect()
}

fn people() -> CodedTable {
    table(&[
        ("name", &["Ann", "Bob", "Cem", "Dee"]),
        ("age", &["21", "25", "34", "38"]),
        ("disease", &["flu", "hiv", "flu", "flu"]),
    ])
}

fn declaration() -> Vec<(String, Truth)> {
    declared(&[("name", Truth::Absent), ("age", number()), ("disease", Truth::Exact)])
}

fn with_map(release: &CodedTable, map: &[u32], drops: Drops) -> TruthOutcome {
    check_truth_with_map(release, &people(), map, &declaration(), drops, &Control::default())
        .expect("a check")
}

fn without_map(release: &CodedTable, drops: Drops) -> TruthOutcome {
    check_truth(release, &people(), &declaration(), drops, &Control::default()).expect("a check")
}

/// A release sorted by content: rows 4, 1, 3, 2 of the original.
fn release() -> CodedTable {
    table(&[("age", &["*", "[20,30)", "[30,40)", "[20,30)"]), ("disease", &["flu", "flu", "flu", "hiv"])])
}

#[test]
fn a_true_release_holds_both_ways() {
    let outcome = with_map(&release(), &[3, 0, 2, 1], Drops::Forbidden);
    assert!(outcome.holds);
    assert_eq!((outcome.released_rows, outcome.original_rows, outcome.unreleased_rows), (4, 4, 0));
    assert_eq!(outcome.columns.len(), 2);
    assert!(without_map(&release(), Drops::Forbidden).holds);
}

#[test]
fn swapped_rows_fail_with_the_map() {
    let outcome = with_map(&release(), &[3, 2, 0, 1], Drops::Forbidden);
    assert!(!outcome.holds);
    assert_eq!(outcome.first_false, Some(FalseCell { row: 2, column: "age".to_owned() }));
    assert_eq!((outcome.columns[0].false_pairs, outcome.columns[0].false_cells), (2, 2));
    assert_eq!(outcome.columns[1].false_cells, 0);
    // A swap that leaves the ages true shows in the column that is kept exactly.
    let outcome = with_map(&release(), &[3, 1, 2, 0], Drops::Forbidden);
    assert_eq!(outcome.first_false, Some(FalseCell { row: 2, column: "disease".to_owned() }));
    assert_eq!((outcome.columns[1].false_pairs, outcome.columns[1].false_cells), (2, 2));
}

#[test]
fn an_interval_that_misses_its_original_fails_both_ways() {
    let release = table(&[
        ("age", &["*", "[20,25)", "[30,40)", "[20,25)"]),
        ("disease", &["flu", "flu", "flu", "hiv"]),
    ]);
    let outcome = with_map(&release, &[3, 0, 2, 1], Drops::Forbidden);
    assert!(!outcome.holds);
    assert_eq!(outcome.first_false, Some(FalseCell { row: 4, column: "age".to_owned() }));
    let outcome = without_map(&release, Drops::Forbidden);
    assert!(!outcome.holds);
    assert_eq!(outcome.unassigned_rows, 1);
}

#[test]
fn repeated_and_dropped_rows() {
    let outcome = with_map(&release(), &[3, 0, 3, 1], Drops::Allowed);
    assert!(!outcome.holds && outcome.first_false.is_none());
    assert_eq!((outcome.repeated_rows, outcome.unreleased_rows), (1, 1));
    let three = table(&[("age", &["[20,30)", "[30,40)", "*"]), ("disease", &["flu", "flu", "flu"])]);
    assert!(with_map(&three, &[0, 2, 3], Drops::Allowed).holds);
    let kept = with_map(&three, &[0, 2, 3], Drops::Forbidden);
    assert!(!kept.holds);
    assert_eq!(kept.unreleased_rows, 1);
    assert!(without_map(&three, Drops::Allowed).holds);
    let kept = without_map(&three, Drops::Forbidden);
    assert_eq!((kept.holds, kept.unreleased_rows, kept.unassigned_rows), (false, 1, 0));
    let five = table(&[("age", &["*"; 5]), ("disease", &["flu", "flu", "flu", "hiv", "hiv"])]);
    assert_eq!(without_map(&five, Drops::Allowed).unassigned_rows, 1);
}

#[test]
fn row_maps_that_are_none() {
    let check = |map: &[u32]| {
        check_truth_with_map(&release(), &people(), map, &declaration(), Drops::Allowed, &Control::default())
    };
    assert!(matches!(check(&[3, 0, 2]), Err(VerifyError::RowMap { .. })));
    assert!(matches!(check(&[3, 0, 2, 4]), Err(VerifyError::RowMap { .. })));
}

#[test]
fn an_identifier_in_the_release_fails() {
    let mut leaky = release();
    leaky.columns.push(table(&[("name", &["Dee", "Ann", "Cem", "Bob"])]).columns.remove(0));
    let fault = |column: &str, fault| vec![ColumnFault { column: column.to_owned(), fault }];
    for outcome in [with_map(&leaky, &[3, 0, 2, 1], Drops::Allowed), without_map(&leaky, Drops::Allowed)] {
        assert!(!outcome.holds);
        assert_eq!(outcome.column_faults, fault("name", ColumnFaultKind::MustBeAbsent));
    }
    leaky.columns[2].name = "who".to_owned();
    for outcome in [with_map(&leaky, &[3, 0, 2, 1], Drops::Allowed), without_map(&leaky, Drops::Allowed)] {
        assert!(!outcome.holds);
        assert_eq!(outcome.column_faults, fault("who", ColumnFaultKind::Undeclared));
    }
    leaky.columns.remove(2);
    leaky.columns.remove(1);
    for outcome in [with_map(&leaky, &[3, 0, 2, 1], Drops::Allowed), without_map(&leaky, Drops::Allowed)] {
        assert!(!outcome.holds);
        assert_eq!(outcome.column_faults, fault("disease", ColumnFaultKind::Missing));
    }
}

#[test]
fn columns_named_twice_are_refused() {
    let mut twice = release();
    twice.columns.push(twice.columns[0].clone());
    assert!(matches!(
        check_truth(&twice, &people(), &declaration(), Drops::Allowed, &Control::default()),
        Err(VerifyError::Repeated { .. })
    ));
    let mut columns = declaration();
    columns.push(columns[0].clone());
    assert!(check_truth(&release(), &people(), &columns, Drops::Allowed, &Control::default()).is_err());
    let columns = declared(&[("age", number()), ("disease", Truth::Exact), ("zip", Truth::Exact)]);
    let mut more = release();
    more.columns.push(table(&[("zip", &["1", "2", "3", "4"])]).columns.remove(0));
    assert!(matches!(
        check_truth(&more, &people(), &columns, Drops::Allowed, &Control::default()),
        Err(VerifyError::NoSuchColumn { .. })
    ));
}

#[test]
fn exact_columns_are_verbatim() {
    for cell in ["*", "=flu", "FLU", "{flu}", "flu "] {
        let release = table(&[("age", &["*"]), ("disease", &[cell])]);
        assert!(!with_map(&release, &[0], Drops::Allowed).holds, "{cell}");
        assert_eq!(without_map(&release, Drops::Allowed).unassigned_rows, 1, "{cell}");
    }
}

/// Each released row is true of some original row, but there are not enough of these.
#[test]
fn counts_matter_and_not_only_compatibility() {
    let release = table(&[("age", &["[20,30)", "[20,30)", "[20,26)"]), ("disease", &["flu", "hiv", "hiv"])]);
    assert_eq!(without_map(&release, Drops::Allowed).unassigned_rows, 1);
    // 34 must go to the narrow row and 38 to the wide one; an assignment that gave 34 the wide row first would fail.
    let release = table(&[("age", &["[30,40)", "[30,35)"]), ("disease", &["flu", "flu"])]);
    assert!(without_map(&release, Drops::Allowed).holds);
    let release = table(&[("age", &["[30,35)", "[30,35)"]), ("disease", &["flu", "flu"])]);
    assert_eq!(without_map(&release, Drops::Allowed).unassigned_rows, 1);
}

/// Each kept text is somewhere in the original, but no row has them together.
#[test]
fn kept_columns_are_compared_together() {
    let original = table(&[("age", &["1", "1"]), ("a", &["x", "y"]), ("b", &["u", "v"])]);
    let columns = declared(&[("age", number()), ("a", Truth::Exact), ("b", Truth::Exact)]);
    let check = |a: &[&str], b: &[&str]| {
        let release = table(&[("age", &["*", "*"]), ("a", a), ("b", b)]);
        check_truth(&release, &original, &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
            .unassigned_rows
    };
    assert_eq!(check(&["x", "y"], &["u", "v"]), 0);
    assert_eq!(check(&["x", "y"], &["v", "u"]), 2);
    assert_eq!(check(&["x", "y"], &["u", "u"]), 1);
}

#[test]
fn star_rows_take_what_is_left() {
    let release = table(&[("age", &["*", "*", "[30,40)"]), ("disease", &["flu", "flu", "flu"])]);
    assert!(without_map(&release, Drops::Allowed).holds);
    let release = table(&[("age", &["*", "*", "*", "[30,40)"]), ("disease", &["flu"; 4])]);
    assert_eq!(without_map(&release, Drops::Allowed).unassigned_rows, 1);
}

#[test]
fn empty_tables() {
    let empty = table(&[("age", &[]), ("disease", &[])]);
    assert!(with_map(&empty, &[], Drops::Allowed).holds);
    assert!(without_map(&empty, Drops::Allowed).holds);
    assert!(!without_map(&empty, Drops::Forbidden).holds);
}
