//! Larger tables, where chunks, wide keys and large flows matter. The figures are known by construction.

use scumble_files::Control;
use serde_json::json;

use super::table;
use crate::{
    Claim, Cover, Drops, ModelClaim, Nodes, StarRows, Truth, ValueKind, check_models, check_truth,
    check_truth_with_map,
};
use scumble_files::table::{CodedColumn, CodedTable, Codes};

/// A column of numbers below `distinct`, written with leading zeros so that their codes are the numbers themselves.
fn numbers(name: &str, distinct: u32, rows: usize, value: impl Fn(usize) -> u32) -> CodedColumn {
    let values: Vec<String> = (0..distinct).map(|number| format!("{number:07}")).collect();
    let mut codes = Codes::with_capacity(values.len(), rows);
    (0..rows).for_each(|row| codes.push(value(row)));
    CodedColumn { name: name.to_owned(), values: values.iter().map(String::as_str).collect(), codes }
}

/// Half-open intervals of a given width over such numbers.
fn intervals(
    name: &str,
    distinct: u32,
    width: u32,
    rows: usize,
    value: impl Fn(usize) -> u32,
) -> CodedColumn {
    let values: Vec<String> =
        (0..distinct.div_ceil(width)).map(|i| format!("[{:07},{:07})", i * width, (i + 1) * width)).collect();
    let mut codes = Codes::with_capacity(values.len(), rows);
    (0..rows).for_each(|row| codes.push(value(row) / width));
    CodedColumn { name: name.to_owned(), values: values.iter().map(String::as_str).collect(), codes }
}

/// Well-mixed bits of a row number.
fn mix(row: usize, salt: usize) -> u32 {
    let mut x = (row as u64 + 1)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add((salt as u64).wrapping_mul(0xD1B5_4A32_D192_ED03));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x ^ (x >> 31)) as u32 >> 1
}

fn cover() -> Truth {
    Truth::Covers(Cover {
        kind: ValueKind::Number { comma: false },
        nodes: Nodes::default(),
        missing: Vec::new(),
    })
}

/// Ten columns of 2,000 values (110 bits of key), each of which gives the row's class.
#[test]
fn wide_keys_over_many_chunks() {
    let (rows, classes) = (200_000usize, 2_000);
    let class = |row: usize| mix(row % classes as usize, 0) % classes;
    let columns: Vec<CodedColumn> =
        (0..10).map(|c| numbers(&format!("c{c}"), classes, rows, |row| (class(row) + c) % classes)).collect();
    let release = CodedTable { columns, rows };
    let quasi: Vec<String> = (0..10).map(|c| format!("c{c}")).collect();
    let model = ModelClaim::from_json(&json!({"model": "k_anonymity", "k": 100})).expect("a model");
    let mut claim = Claim { quasi, models: vec![model], star: StarRows::Judged, values: Vec::new() };
    let wide = check_models(&release, &claim, None).expect("a check");
    assert!(wide.holds);
    claim.quasi.truncate(1);
    assert_eq!(check_models(&release, &claim, None).expect("a check"), wide);
    let distinct: std::collections::BTreeSet<u32> =
        (0..classes as usize).map(|row| mix(row, 0) % classes).collect();
    assert_eq!(wide.classes, distinct.len() as u64);
}

/// Full-domain recoding of three columns, with one column kept exactly. Then one row is moved out of its interval.
#[test]
fn full_domain_recoding_is_assigned() {
    let rows = 100_000;
    let value = |c: usize| move |row: usize| mix(row, c) % 1_000;
    let kept = |row: usize| mix(row, 9) % 3;
    let original = CodedTable {
        columns: (0..3)
            .map(|c| numbers(&format!("c{c}"), 1_000, rows, value(c)))
            .chain([numbers("kept", 3, rows, kept)])
            .collect(),
        rows,
    };
    let release = |moved: bool| CodedTable {
        columns: (0..3)
            .map(|c| {
                let turned = move |row: usize| {
                    let true_value = value(c)(rows - 1 - row);
                    if moved && c == 1 && row == 7 { (true_value + 500) % 1_000 } else { true_value }
                };
                intervals(&format!("c{c}"), 1_000, 50, rows, turned)
            })
            .chain([numbers("kept", 3, rows, |row| kept(rows - 1 - row))])
            .collect(),
        rows,
    };
    let mut columns: Vec<(String, Truth)> = (0..3).map(|c| (format!("c{c}"), cover())).collect();
    columns.push(("kept".to_owned(), Truth::Exact));
    let map: Vec<u32> = (0..rows as u32).rev().collect();
    assert!(
        check_truth(&release(false), &original, &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
            .holds
    );
    assert!(
        check_truth_with_map(
            &release(false),
            &original,
            &map,
            &columns,
            Drops::Forbidden,
            &Control::default()
        )
        .expect("a check")
        .holds
    );
    let outcome = check_truth(&release(true), &original, &columns, Drops::Forbidden, &Control::default())
        .expect("a check");
    assert_eq!((outcome.holds, outcome.unassigned_rows), (false, 1));
    let outcome = check_truth_with_map(
        &release(true),
        &original,
        &map,
        &columns,
        Drops::Forbidden,
        &Control::default(),
    )
    .expect("a check");
    assert_eq!(outcome.first_false.map(|cell| (cell.row, cell.column)), Some((8, "c1".to_owned())));
}

/// Overlapping intervals everywhere: the general case of the flow.
#[test]
fn overlapping_intervals_are_assigned() {
    let rows = 3_000usize;
    let ages: Vec<String> = (0..rows).map(|row| (mix(row, 1) % 100).to_string()).collect();
    let labels: Vec<String> = (0..rows)
        .map(|row| {
            let age = mix(row, 1) % 100;
            format!("[{},{}]", age.saturating_sub(mix(row, 2) % 10), age + mix(row, 3) % 10)
        })
        .collect();
    let texts = |all: &[String]| all.iter().map(String::as_str).map(str::to_owned).collect::<Vec<String>>();
    let as_table = |all: &[String]| table(&[("age", &all.iter().map(String::as_str).collect::<Vec<_>>())]);
    let columns = [("age".to_owned(), cover())];
    let original = as_table(&ages);
    assert!(
        check_truth(&as_table(&labels), &original, &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
            .holds
    );
    // One more row that only the youngest can fill than there are of the youngest.
    let youngest = ages.iter().filter(|&age| age == "0").count();
    let mut crowded = texts(&labels);
    crowded[..=youngest].fill("[0,0]".to_owned());
    assert!(
        !check_truth(&as_table(&crowded), &original, &columns, Drops::Allowed, &Control::default())
            .expect("a check")
            .holds
    );
}

/// More pairs of values than a dense table could hold.
#[test]
fn many_distinct_values_with_a_row_map() {
    let rows = 5_000usize;
    let original = CodedTable { columns: vec![numbers("c", 5_000, rows, |row| row as u32)], rows };
    let columns = [("c".to_owned(), cover())];
    let map: Vec<u32> = (0..rows as u32).collect();
    let check = |value: &dyn Fn(usize) -> u32| {
        let release = CodedTable { columns: vec![numbers("c", 5_000, rows, value)], rows };
        check_truth_with_map(&release, &original, &map, &columns, Drops::Forbidden, &Control::default())
            .expect("a check")
    };
    assert!(check(&|row| row as u32).holds);
    let swapped = check(&|row| if row >= 4_998 { 9_997 - row as u32 } else { row as u32 });
    assert_eq!((swapped.columns[0].false_pairs, swapped.columns[0].first_row), (2, Some(4_999)));
}
