//! Columns that show the means of their equivalence classes.

use super::table;
use crate::{Cover, Drops, FalseCell, Nodes, Truth, ValueKind, check_truth, check_truth_with_map};
use scumble_files::Control;

const MEAN: Truth = Truth::Aggregate { comma: false };

fn declared(columns: &[(&str, Truth)]) -> Vec<(String, Truth)> {
    columns.iter().map(|(name, truth)| ((*name).to_owned(), truth.clone())).collect()
}

/// Counts the false cells of ages and heights that show these means in five rows: one class has ages 20 and 25, the other 30, 31
/// and 33.
fn false_cells(age: [&str; 5], height: [&str; 5], map: [u32; 5]) -> Vec<u64> {
    let original =
        table(&[("age", &["20", "25", "30", "31", "33"]), ("height", &["1.6", "1.7", "1.80", "2", "1.9"])]);
    let release = table(&[("age", &age), ("height", &height)]);
    let columns = declared(&[("age", MEAN), ("height", MEAN)]);
    let outcome =
        check_truth_with_map(&release, &original, &map, &columns, Drops::Forbidden, &Control::default())
            .expect("a check");
    assert_eq!(outcome.holds, outcome.columns.iter().all(|column| column.false_cells == 0));
    assert!(outcome.unchecked.is_empty());
    outcome.columns.iter().map(|column| column.false_cells).collect()
}

const AGE: [&str; 5] = ["22.50", "22.50", "31.33", "31.33", "31.33"];
const HEIGHT: [&str; 5] = ["1.650", "1.650", "1.900", "1.900", "1.900"];

#[test]
fn means_of_their_classes_are_true() {
    assert_eq!(false_cells(AGE, HEIGHT, [0, 1, 2, 3, 4]), [0, 0]);
    // Within a class it does not matter which row is which.
    assert_eq!(false_cells(AGE, HEIGHT, [1, 0, 4, 2, 3]), [0, 0]);
    // 22.5 rounded to whole numbers is 22 or 23; 31.33 is 31.
    assert_eq!(false_cells(["23", "23", "31", "31", "31"], HEIGHT, [0, 1, 2, 3, 4]), [0, 0]);
    assert_eq!(false_cells(["22", "22", "31", "31", "31"], HEIGHT, [0, 1, 2, 3, 4]), [0, 0]);
}

#[test]
fn other_numbers_are_false() {
    let map = [0, 1, 2, 3, 4];
    // One unit of the last digit off, in one class.
    assert_eq!(false_cells(["22.51", "22.51", "31.33", "31.33", "31.33"], HEIGHT, map), [2, 0]);
    assert_eq!(false_cells(["22.50", "22.50", "31.34", "31.34", "31.34"], HEIGHT, map), [3, 0]);
    // Further digits must be right too.
    assert_eq!(false_cells(["22.50", "22.50", "31.330", "31.330", "31.330"], HEIGHT, map), [3, 0]);
    // Texts that are no means.
    for text in ["*", "[20,25]", "", "2.25e1", "22,50", "=22.50"] {
        assert_eq!(false_cells([text, text, "31.33", "31.33", "31.33"], HEIGHT, map), [2, 0], "{text}");
    }
    // A row of the first class shows the second class's age, so it forms a class of its own.
    assert_eq!(false_cells(["22.50", "31.33", "31.33", "31.33", "31.33"], HEIGHT, map), [2, 2]);
    // Rows swapped between the classes.
    assert_eq!(false_cells(AGE, HEIGHT, [0, 2, 1, 3, 4]), [5, 5]);
}

/// A mean may be off by half a unit of the last written digit, however many digits the original has: 0.145 may be 0.1 but not
/// 0.2, and 0.15 may be either.
#[test]
fn fewer_digits_allow_half_a_unit_and_no_more() {
    let is_true = |numbers: [&str; 2], shown: &str| {
        let (original, release) = (table(&[("dose", &numbers)]), table(&[("dose", &[shown, shown])]));
        let columns = declared(&[("dose", MEAN)]);
        check_truth_with_map(&release, &original, &[0, 1], &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
            .holds
    };
    assert!(is_true(["0.00", "0.29"], "0.1") && !is_true(["0.00", "0.29"], "0.2"));
    assert!(is_true(["0.00", "0.30"], "0.1") && is_true(["0.00", "0.30"], "0.2"));
}

/// A class is what shows the same in all quasi-identifiers, including the coarsened ones.
#[test]
fn means_are_those_of_whole_classes() {
    let original = table(&[("age", &["20", "24", "30", "34"]), ("sex", &["m", "m", "f", "f"])]);
    let cover = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
    let columns = declared(&[("age", MEAN), ("sex", Truth::Covers(cover))]);
    let check = |age: &[&str; 4], sex: &[&str; 4]| {
        let release = table(&[("age", age), ("sex", sex)]);
        check_truth_with_map(
            &release,
            &original,
            &[0, 1, 2, 3],
            &columns,
            Drops::Forbidden,
            &Control::default(),
        )
        .expect("a check")
    };
    assert!(check(&["22", "22", "32", "32"], &["m", "m", "f", "f"]).holds);
    assert!(check(&["27"; 4], &["*"; 4]).holds);
    let outcome = check(&["27"; 4], &["m", "m", "f", "f"]);
    assert_eq!(outcome.first_false, Some(FalseCell { row: 1, column: "age".to_owned() }));
}

#[test]
fn decimal_commas_and_negative_numbers() {
    let original = table(&[("x", &["-1,5", "-2", "0,25"])]);
    let columns = declared(&[("x", Truth::Aggregate { comma: true })]);
    let check = |shown: &str| {
        let release = table(&[("x", &[shown; 3])]);
        check_truth_with_map(&release, &original, &[0, 1, 2], &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
            .holds
    };
    // -3.25 / 3 = -1.08333…
    assert!(check("-1,0833") && check("-1,08") && check("-1"));
    assert!(!check("-1,0834") && !check("1,0833") && !check("-1.0833"));
}

/// Without a row map nobody can say whose mean it is. The outcome reports that, and the other columns are compared.
#[test]
fn without_a_map_means_are_unchecked() {
    let original = table(&[("age", &["20", "24"]), ("ill", &["flu", "hiv"])]);
    let columns = declared(&[("age", MEAN), ("ill", Truth::Exact)]);
    let check = |age: &[&str; 2], ill: &[&str; 2]| {
        let release = table(&[("age", age), ("ill", ill)]);
        check_truth(&release, &original, &columns, Drops::Forbidden, &Control::default()).expect("a check")
    };
    let outcome = check(&["22", "22"], &["flu", "hiv"]);
    assert_eq!((outcome.holds, outcome.unchecked), (true, vec!["age".to_owned()]));
    assert!(!check(&["22", "22"], &["flu", "flu"]).holds);
}
