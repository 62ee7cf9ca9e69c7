//! Selects rows of a table.

use scumble_files::table::{CodedColumn, CodedTable, Codes};

/// The rows given, in that order.
#[must_use]
pub fn rows(table: &CodedTable, rows: &[u32]) -> CodedTable {
    let columns = table.columns.iter().map(|of| column(of, rows)).collect();
    CodedTable { columns, rows: rows.len() }
}

/// One column of these rows, with its whole dictionary.
pub(super) fn column(column: &CodedColumn, rows: &[u32]) -> CodedColumn {
    let mut codes = Codes::with_capacity(column.values.len(), rows.len());
    rows.iter().for_each(|row| codes.push(column.codes.get(*row as usize)));
    CodedColumn { name: column.name.clone(), values: column.values.clone(), codes }
}
