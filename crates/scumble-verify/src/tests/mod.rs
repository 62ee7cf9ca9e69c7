//! Whole checks on handmade and random tables, against a second, naive implementation of the definitions.

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

/// Builds a table from columns of texts.
pub(crate) fn table(columns: &[(&str, &[&str])]) -> CodedTable {
    let rows = columns.first().map_or(0, |(_, cells)| cells.len());
    let code = |(name, cells): &(&str, &[&str])| {
        let mut distinct = cells.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let values: Texts = distinct.iter().copied().collect();
        let mut codes = Codes::with_capacity(values.len(), cells.len());
        for cell in *cells {
            codes.push(values.find_sorted(cell).expect("just put there"));
        }
        CodedColumn { name: (*name).to_owned(), values, codes }
    };
    CodedTable { columns: columns.iter().map(code).collect(), rows }
}

mod attains;
mod closeness;
mod judged;
mod means;
pub(crate) mod naive;
mod outcomes;
mod parts;
mod persons;
mod scale;
mod sets;
mod truthful;
mod valued;
