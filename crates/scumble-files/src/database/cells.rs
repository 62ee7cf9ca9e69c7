//! The types that the columns of a new table get. A column has a type only if every text that is written comes back from the database as it
//! went in.

use crate::write::{ColumnType, OutColumn};

/// A column of a new table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedColumn {
    /// Its name.
    pub name: String,
    /// What its cells are.
    pub cell: Cell,
}

/// What the cells of a column are. The empty text is null in every type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Texts.
    Text,
    /// 64-bit integers.
    Integer,
    /// Numbers with a point.
    Decimal {
        /// Whether a floating-point number keeps the text of each.
        is_float: bool,
    },
    /// Dates, `2024-01-31`.
    Date,
    /// Dates with a time, `2024-01-31T10:30:00`.
    Timestamp {
        /// Whether they are in UTC, with a `Z` behind them.
        zone: bool,
    },
    /// Times of day, `10:30:00`.
    Time,
    /// `true` and `false`.
    Boolean,
}

/// The columns of a new table with these rows.
#[must_use]
pub fn typed_columns(columns: &[OutColumn<'_>], order: &[u32]) -> Vec<TypedColumn> {
    let typed =
        |column: &OutColumn<'_>| TypedColumn { name: column.name.to_owned(), cell: cell_of(column, order) };
    columns.iter().map(typed).collect()
}

fn cell_of(column: &OutColumn<'_>, order: &[u32]) -> Cell {
    let wish = match column.kind {
        ColumnType::Integer => Cell::Integer,
        ColumnType::Float | ColumnType::Decimal { .. } => Cell::Decimal { is_float: true },
        ColumnType::Date => Cell::Date,
        ColumnType::Timestamp { zone, .. } => Cell::Timestamp { zone },
        ColumnType::Time { .. } => Cell::Time,
        ColumnType::Boolean => Cell::Boolean,
        ColumnType::Text | ColumnType::Frequencies => Cell::Text,
    };
    let holds =
        |cell: Cell| column.written_texts(order).into_iter().all(|text| text.is_empty() || keeps(cell, text));
    // A whole number that is too large is a decimal number without places.
    let candidates: &[Cell] = match wish {
        Cell::Text => &[],
        Cell::Integer => &[Cell::Integer, Cell::Decimal { is_float: false }],
        Cell::Decimal { .. } => &[Cell::Decimal { is_float: true }, Cell::Decimal { is_float: false }],
        _ => std::slice::from_ref(&wish),
    };
    candidates.iter().copied().find(|cell| holds(*cell)).unwrap_or(Cell::Text)
}

/// Whether a database gives a text back as it got it.
fn keeps(cell: Cell, text: &str) -> bool {
    match cell {
        Cell::Text => true,
        Cell::Integer => text.parse::<i64>().is_ok_and(|number| number.to_string() == text),
        Cell::Decimal { is_float } => {
            is_decimal(text)
                && (!is_float || text.parse::<f64>().is_ok_and(|number| number.to_string() == text))
        }
        Cell::Date => is_date(text),
        Cell::Timestamp { zone } => {
            let text = if zone { text.strip_suffix('Z') } else { Some(text) };
            text.and_then(|text| text.split_once('T'))
                .is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        Cell::Time => is_time(text),
        Cell::Boolean => matches!(text, "true" | "false"),
    }
}

/// The digits of a decimal number, before and behind its point, that a database of exact numbers keeps.
const DIGITS: usize = 1_000;

/// Whether a text is a decimal number in plain digits, without zeros before it, and not minus zero.
fn is_decimal(text: &str) -> bool {
    let number = text.strip_prefix('-').unwrap_or(text);
    let (whole, places) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_zero = number.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    digits(whole)
        && digits(places)
        && (whole == "0" || !whole.starts_with('0'))
        && !(is_zero && text.starts_with('-'))
        && text.len() <= DIGITS
}

/// Whether a text is `2024-01-31`, from year 1 on.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() == 10
        && (digits(0..4) && digits(5..7) && digits(8..10))
        && (bytes[4] == b'-' && bytes[7] == b'-')
        && !text.starts_with("0000")
}

/// Whether a text is `10:30:00`, perhaps with up to six places of a second that do not end with a zero.
fn is_time(text: &str) -> bool {
    let (clock, places) = text.split_once('.').unwrap_or((text, "1"));
    let bytes = clock.as_bytes();
    let digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    bytes.len() == 8
        && (digits(&bytes[..2]) && digits(&bytes[3..5]) && digits(&bytes[6..]))
        && (bytes[2] == b':' && bytes[5] == b':' && clock < "24")
        && !places.is_empty()
        && places.len() <= 6
        && digits(places.as_bytes())
        && !places.ends_with('0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Codes, Texts};
    use crate::write::Cells;

    fn of(kind: ColumnType, texts: &[&str]) -> Cell {
        let texts: Texts = texts.iter().copied().collect();
        let codes = Codes::narrow(texts.len(), &(0..texts.len() as u32).collect::<Vec<_>>());
        let column = OutColumn { name: "c", texts: &texts, cells: Cells::Direct(&codes), kind };
        let order: Vec<u32> = (0..texts.len() as u32).collect();
        typed_columns(&[column], &order)[0].cell
    }

    #[test]
    fn a_type_keeps_every_text() {
        let (exact, float) = (Cell::Decimal { is_float: false }, Cell::Decimal { is_float: true });
        for (kind, texts, expected) in [
            (ColumnType::Integer, &["1", "", "-7"][..], Cell::Integer),
            (ColumnType::Integer, &["1", "007"], Cell::Text),
            (ColumnType::Integer, &["1", "99999999999999999999"], exact),
            (ColumnType::Float, &["0.5", "-3", "12.25"], float),
            (ColumnType::Float, &["2.50", "3.25"], exact),
            (ColumnType::Float, &["1e5", "2"], Cell::Text),
            (ColumnType::Float, &["-0.0"], Cell::Text),
            (ColumnType::Float, &[".5"], Cell::Text),
            (ColumnType::Date, &["2024-01-31"], Cell::Date),
            (ColumnType::Date, &["2024-01-31", "0000-01-01"], Cell::Text),
            (ColumnType::Date, &["31.01.2024"], Cell::Text),
            (ColumnType::Time { unit: crate::Tick::Micro }, &["10:30:00", "23:59:59.25"], Cell::Time),
            (ColumnType::Time { unit: crate::Tick::Micro }, &["10:30:00.50"], Cell::Text),
            (ColumnType::Time { unit: crate::Tick::Micro }, &["24:00:00"], Cell::Text),
            (ColumnType::Boolean, &["true", "", "false"], Cell::Boolean),
            (ColumnType::Text, &["1"], Cell::Text),
        ] {
            assert_eq!(of(kind, texts), expected, "{texts:?}");
        }
        for (zone, text) in [(true, "2024-01-31T10:30:00Z"), (false, "2024-01-31T10:30:00.5")] {
            let kind = ColumnType::Timestamp { zone, unit: crate::Tick::Micro };
            assert_eq!(of(kind, &[text]), Cell::Timestamp { zone });
            assert_eq!(
                of(ColumnType::Timestamp { zone: !zone, unit: crate::Tick::Micro }, &[text]),
                Cell::Text
            );
        }
    }

    #[test]
    fn only_texts_in_written_rows_count() {
        let texts: Texts = ["1", "x"].into_iter().collect();
        let codes = Codes::narrow(2, &[0, 1]);
        let column =
            OutColumn { name: "c", texts: &texts, cells: Cells::Direct(&codes), kind: ColumnType::Integer };
        assert_eq!(typed_columns(&[column], &[0])[0].cell, Cell::Integer);
        assert_eq!(typed_columns(&[column], &[0, 1])[0].cell, Cell::Text);
    }
}
