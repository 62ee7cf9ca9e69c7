//! Whether a row above others is their header, and what is said about the rows above it. Text files and workbooks share it.

use std::collections::BTreeSet;

use crate::sniff;

/// The number of cells of a row that are not blank.
pub(crate) fn filled(row: &[String]) -> usize {
    row.iter().filter(|cell| !cell.trim().is_empty()).count()
}

/// Whether a row below others is the header of the rows below it, so that the rows above it are titles: its names are all there
/// and differ, all rows below are as long, and some column below it holds nothing but numbers or dates.
pub(crate) fn is_header<'r>(header: &[String], rows: &(impl Iterator<Item = &'r [String]> + Clone)) -> bool {
    let named = header.iter().rposition(|name| !name.trim().is_empty()).map_or(0, |last| last + 1);
    let names = &header[..named];
    let differ = names.iter().collect::<BTreeSet<_>>().len() == names.len();
    rows.clone().nth(1).is_some()
        && named >= 2
        && differ
        && names.iter().all(|name| !name.trim().is_empty())
        && sniff::is_header(names)
        && rows.clone().all(|row| row.len() == header.len())
        && (0..named).any(|column| is_measured(rows.clone(), column))
}

/// Whether a column holds something, and nothing but numbers or dates.
pub(crate) fn is_measured<'r>(rows: impl Iterator<Item = &'r [String]>, column: usize) -> bool {
    let mut cells = rows
        .filter_map(|row| row.get(column))
        .map(|cell| cell.trim())
        .filter(|cell| !cell.is_empty())
        .peekable();
    cells.peek().is_some() && cells.all(|cell| sniff::is_number(cell) || sniff::is_date(cell))
}

/// Says that rows above the header were skipped.
pub(crate) fn skipped_note(name: &str, rows: u64) -> String {
    let (rows, were) = if rows == 1 { ("row".to_owned(), "was") } else { (format!("{rows} rows"), "were") };
    format!(
        "'{name}': the first {rows} {were} skipped, since the names of the columns stand below; skip_rows = 0 reads the file \
         from its first row"
    )
}

/// Says that there is no header.
pub(crate) fn no_header_note(name: &str, columns: usize) -> String {
    format!(
        "'{name}': the first row holds a number or a date, so it was read as data and the columns are called column_1 to \
         column_{columns}; if it is a header, say so"
    )
}

/// The names of columns without a header.
pub(crate) fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|number| format!("column_{number}")).collect()
}
