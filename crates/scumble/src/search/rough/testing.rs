//! Small decision tables for tests.

use proptest::prelude::*;

use super::DecisionTable;
use crate::table::frequency::FrequencyTable;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};

/// The codes of a row, below 10, and its decision, below 3.
pub(crate) type Row = (Vec<u32>, u32);

/// The decision table of some rows.
pub(crate) fn table(width: usize, rows: &[Row]) -> DecisionTable {
    let decision = PayloadColumn {
        name: "decision".into(),
        values: ["n", "y", "z"].into_iter().collect(),
        measure: Measure { kind: Kind::Text, scale: 0 },
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![decision], rows.len(), |_, row| rows[row].1);
    let sizes = vec![16; width];
    let code = |column: usize, row: usize| rows[row].0[column];
    let (counted, _) = FrequencyTable::count(&sizes, rows.len(), code, payloads, &of_row, |_| 1);
    DecisionTable::new(&counted, &sizes, &vec![None; width], 0)
}

/// Rows of some columns with few values.
pub(super) fn rows(width: usize) -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((prop::collection::vec(0..3_u32, width), 0..3_u32), 1..25)
}

/// The fifteen rows of Table 3 of the paper, reduced to which rows agree in which of its fourteen columns: values are numbered as
/// they come. The last column is the decision.
pub(crate) const PAPER: &str = "\
    0 0 0 0 0 0 0 0 0 0 0 0 0 0 n\n\
    0 0 1 0 0 0 0 1 0 0 1 0 1 0 n\n\
    1 0 2 0 1 1 0 0 0 0 1 0 0 0 n\n\
    2 0 3 0 2 0 0 1 1 0 1 0 0 0 n\n\
    3 0 4 0 0 0 0 2 1 0 1 0 0 1 n\n\
    4 0 5 0 3 0 0 2 0 0 1 0 0 1 n\n\
    5 0 6 0 4 0 0 0 1 0 1 0 2 1 n\n\
    6 1 7 0 1 0 0 1 0 0 1 0 3 1 y\n\
    7 1 8 0 3 0 0 0 0 0 2 0 4 1 y\n\
    8 1 9 1 0 0 0 1 0 0 3 0 0 1 y\n\
    4 1 10 1 5 0 0 1 1 1 1 0 5 1 y\n\
    9 1 11 1 0 0 1 1 2 1 1 0 0 1 y\n\
    9 1 11 1 0 0 1 1 2 1 1 1 6 1 y\n\
    9 1 11 1 0 0 1 1 2 1 1 2 5 1 n\n\
    10 1 12 2 6 0 1 1 3 1 1 0 3 2 n";

/// That table, with each column's values numbered as they come.
pub(super) fn paper() -> DecisionTable {
    let lines: Vec<Vec<&str>> = PAPER.lines().map(|line| line.split_whitespace().collect()).collect();
    let number = |row: usize, column: usize| {
        let mut seen: Vec<&str> = Vec::new();
        lines.iter().for_each(|line| {
            if !seen.contains(&line[column]) {
                seen.push(line[column]);
            }
        });
        seen.iter().position(|text| *text == lines[row][column]).expect("it is among them") as u32
    };
    let rows: Vec<Row> = (0..lines.len())
        .map(|row| ((0..14).map(|column| number(row, column)).collect(), number(row, 14)))
        .collect();
    table(14, &rows)
}
