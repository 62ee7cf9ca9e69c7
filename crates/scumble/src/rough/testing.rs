//! Small decision tables for tests.

use proptest::prelude::*;

use super::DecisionTable;
use crate::frequency::FrequencyTable;
use crate::kind::{Kind, Measure};
use crate::payload::{PayloadColumn, Payloads};

/// The codes of a row, below 10, and its decision, below 3.
pub(crate) type Row = (Vec<u32>, u32);

/// The decision table of some rows.
pub(crate) fn table(width: usize, rows: &[Row]) -> DecisionTable {
    let decision = PayloadColumn {
        name: "decision".into(),
        values: ["n", "y", "z"].into_iter().collect(),
        measure: Measure { kind: Kind::Text, scale: 0 },
        missing: Vec::new(),
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

/// The fifteen rows of Table 3 of the paper; the last column is the decision.
pub(crate) const PAPER: &str = "\
    39 Private 77516 BA 13 Married Exec Not White M 2174 0 40 USA n\n\
    39 Private 83311 BA 13 Married Exec Husband White M 0 0 13 USA n\n\
    38 Private 215646 BA 9 Divorced Exec Not White M 0 0 40 USA n\n\
    53 Private 234721 BA 7 Married Exec Husband Black M 0 0 40 USA n\n\
    28 Private 338409 BA 13 Married Exec Wife Black M 0 0 40 Cuba n\n\
    37 Private 284532 BA 14 Married Exec Wife White M 0 0 40 Cuba n\n\
    49 Private 160187 BA 5 Married Exec Not Black M 0 0 16 Cuba n\n\
    52 State 209642 BA 9 Married Exec Husband White M 0 0 45 Cuba y\n\
    31 State 45781 BA 14 Married Exec Not White M 14084 0 50 Cuba y\n\
    42 State 159449 MA 13 Married Exec Husband White M 5178 0 40 Cuba y\n\
    37 State 280464 MA 10 Married Exec Husband Black F 0 0 80 Cuba y\n\
    30 State 141297 MA 13 Married Sales Husband Asian F 0 0 40 Cuba y\n\
    30 State 141297 MA 13 Married Sales Husband Asian F 0 2 60 Cuba y\n\
    30 State 141297 MA 13 Married Sales Husband Asian F 0 1 80 Cuba n\n\
    34 State 245487 7th 4 Married Sales Husband Indian F 0 0 45 Mexico n";

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
