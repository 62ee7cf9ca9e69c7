//! Ranges that are written as two columns, read back as labels.
//!
//! ```text
//! age_low  age_high     means
//! 20       29           [20,29]   any value from 20 to 29, both included
//! 20       20           20        exactly this value
//!                       *         nothing is said
//! ```
//! This reader shares no code with the writer of the two columns.

use std::collections::BTreeMap;

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use crate::error::VerifyError;
use crate::label::SUPPRESSED;
use crate::value::{DateFormat, Value, ValueKind};

/// The kinds that the ends of ranges can have. Numbers with a decimal comma are turned into others before.
const KINDS: [ValueKind; 9] = [
    ValueKind::Number { comma: false },
    ValueKind::Date { format: DateFormat::YearMonthDayDash },
    ValueKind::Date { format: DateFormat::YearMonthDaySlash },
    ValueKind::Date { format: DateFormat::DayMonthYearDot },
    ValueKind::Date { format: DateFormat::DayMonthYearSlash },
    ValueKind::Date { format: DateFormat::MonthDayYearSlash },
    ValueKind::Timestamp { zone: true },
    ValueKind::Timestamp { zone: false },
    ValueKind::Time,
];

/// The names of the two columns of a range.
pub(crate) fn columns_of(name: &str) -> [String; 2] {
    ["low", "high"].map(|end| format!("{name}_{end}"))
}

/// Returns a table in which a column of labels takes the place of the two columns of a range. A table that has neither of them stays as it is.
pub(crate) fn joined(table: CodedTable, name: &str) -> Result<CodedTable, VerifyError> {
    let names = columns_of(name);
    let [low, high] =
        match names.each_ref().map(|of| table.columns.iter().position(|column| column.name == *of)) {
            [None, None] => return Ok(table),
            [Some(low), Some(high)] => [low, high],
            [low, _] => {
                let absent = usize::from(low.is_some());
                return Err(VerifyError::NoSuchColumn { table: "release", column: names[absent].clone() });
            }
        };
    if table.columns.iter().any(|column| column.name == name) {
        return Err(VerifyError::Repeated { place: "release", column: name.to_owned() });
    }
    let column = join(name, &table.columns[low], &table.columns[high])?;
    let mut columns = table.columns;
    columns[low] = column;
    columns.remove(high);
    Ok(CodedTable { columns, rows: table.rows })
}

/// The column of labels.
fn join(name: &str, low: &CodedColumn, high: &CodedColumn) -> Result<CodedColumn, VerifyError> {
    let fault = |row: usize, why: &'static str| VerifyError::Range {
        column: name.to_owned(),
        row: row as u64 + 1,
        why,
    };
    // The first row of each pair of codes.
    let mut pairs: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (row, pair) in low.codes.iter().zip(high.codes.iter()).enumerate() {
        pairs.entry(pair).or_insert(row);
    }
    let texts = |pair: &(u32, u32)| (low.values.get(pair.0), high.values.get(pair.1));
    let mut rows: Vec<(usize, (u32, u32))> = pairs.iter().map(|(pair, row)| (*row, *pair)).collect();
    rows.sort_unstable();
    for (row, pair) in &rows {
        let (from, to) = texts(pair);
        if from.is_empty() != to.is_empty() {
            return Err(fault(*row, "only one end of the range is given"));
        }
    }
    let ends: Vec<(usize, &str, &str)> = rows
        .iter()
        .map(|(row, pair)| (*row, texts(pair).0, texts(pair).1))
        .filter(|(_, from, _)| !from.is_empty())
        .collect();
    let read = |kind: ValueKind, text: &str| Value::read(text, kind);
    let fits = |kind: &ValueKind| {
        ends.iter().all(|(_, from, to)| read(*kind, from).is_some() && read(*kind, to).is_some())
    };
    let mut kinds = KINDS.into_iter().filter(fits).peekable();
    if kinds.peek().is_none() {
        let (row, ..) = ends[0];
        return Err(fault(
            row,
            "the ends of ranges must all be numbers, or all dates, timestamps or times of one form",
        ));
    }
    // Dates may be of one form or another; the kind of the column decides when the labels are compared with the original.
    let turned = |kind: ValueKind| {
        ends.iter().find(|(_, from, to)| read(kind, from) > read(kind, to)).map(|(row, ..)| *row)
    };
    let mut first = None;
    for kind in kinds {
        first = turned(kind);
        if first.is_none() {
            break;
        }
    }
    if let Some(row) = first {
        return Err(fault(row, "the low end of the range lies above the high end"));
    }
    let label = |pair: &(u32, u32)| match texts(pair) {
        ("", _) => SUPPRESSED.to_owned(),
        (from, to) if from == to => from.to_owned(),
        (from, to) => format!("[{from},{to}]"),
    };
    let label_of: BTreeMap<(u32, u32), String> = pairs.keys().map(|pair| (*pair, label(pair))).collect();
    let code_of: BTreeMap<&str, u32> = {
        let distinct: BTreeMap<&str, ()> = label_of.values().map(|label| (label.as_str(), ())).collect();
        distinct.into_keys().zip(0..).collect()
    };
    let values: Texts = code_of.keys().copied().collect();
    let mut codes = Codes::with_capacity(values.len(), low.codes.len());
    low.codes.iter().zip(high.codes.iter()).for_each(|pair| codes.push(code_of[label_of[&pair].as_str()]));
    Ok(CodedColumn { name: name.to_owned(), values, codes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;

    fn labels(low: &[&str], high: &[&str]) -> Result<Vec<String>, VerifyError> {
        let read = joined(table(&[("x", &vec!["-"; low.len()]), ("a_low", low), ("a_high", high)]), "a")?;
        assert_eq!(read.columns.len(), 2);
        let column = &read.columns[1];
        assert!(column.name == "a" && column.values.iter().is_sorted());
        Ok(column.codes.iter().map(|code| column.values.get(code).to_owned()).collect())
    }

    #[test]
    fn two_ends_are_one_label() {
        assert_eq!(
            labels(&["20", "9", "", "-1.5"], &["29", "9", "", "10"]).unwrap(),
            ["[20,29]", "9", "*", "[-1.5,10]"]
        );
        assert_eq!(labels(&["31.01.2020"], &["01.02.2020"]).unwrap(), ["[31.01.2020,01.02.2020]"]);
        assert_eq!(labels(&["08:00", "09:30"], &["09:00", "09:30"]).unwrap(), ["[08:00,09:00]", "09:30"]);
        // Either day or month may be first; in one of the readings the range is upright.
        assert_eq!(labels(&["03/04/2020"], &["02/05/2020"]).unwrap(), ["[03/04/2020,02/05/2020]"]);
        assert_eq!(labels(&["", ""], &["", ""]).unwrap(), ["*", "*"]);
        assert_eq!(labels(&[], &[]).unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_no_range_is_an_error() {
        let row = |low: &[&str], high: &[&str]| match labels(low, high).unwrap_err() {
            VerifyError::Range { column, row, .. } if column == "a" => row,
            other => panic!("{other}"),
        };
        assert_eq!(row(&["1", "2"], &["2", ""]), 2);
        assert_eq!(row(&["1", "3"], &["2", "2"]), 2);
        assert_eq!(row(&["", "x"], &["", "y"]), 2);
        assert_eq!(row(&["1"], &["2020-01-01"]), 1);
        assert_eq!(row(&["1,5"], &["2,5"]), 1);
    }

    #[test]
    fn both_columns_must_be_there() {
        let missing = joined(table(&[("a_low", &["1"])]), "a").unwrap_err();
        assert_eq!(missing, VerifyError::NoSuchColumn { table: "release", column: "a_high".into() });
        let twice = joined(table(&[("a", &["1"]), ("a_low", &["1"]), ("a_high", &["1"])]), "a").unwrap_err();
        assert_eq!(twice, VerifyError::Repeated { place: "release", column: "a".into() });
        let plain = table(&[("b", &["1"])]);
        assert_eq!(joined(plain, "a").unwrap().columns[0].name, "b");
    }
}
