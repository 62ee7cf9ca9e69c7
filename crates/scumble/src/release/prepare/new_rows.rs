//! Prepares rows that are new to a recoding: the quasi-identifiers are given, not made from the rows.

use scumble_files::table::{CodedColumn, CodedTable};

use super::payloads::{PayloadRows, payload_rows, persons};
use super::{Prepared, planned};
use crate::config::Plan;
use crate::error::{Error, Result};
use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::Quasi;

/// Codes new rows. A column has the codes of its texts as they were read, not those of the quasi-identifier: the rule may treat two texts
/// alike, and yet a released value may be true of only one of them.
pub(crate) fn prepare_new(
    table: &CodedTable,
    plan: &Plan,
    quasi: Vec<Quasi>,
    payload_trees: Vec<(String, Hierarchy)>,
) -> Result<Prepared> {
    let planned = planned(table, plan);
    let PayloadRows { payloads, of_row: payload_of_row, class } =
        payload_rows(&planned, persons(&planned, plan)?, plan, table.rows)?;
    let columns: Vec<&CodedColumn> = quasi
        .iter()
        .map(|quasi| {
            table.column(&quasi.name).ok_or_else(|| Error::internal("a quasi-identifier was not read"))
        })
        .collect::<Result<_>>()?;
    let sizes: Vec<u32> = columns.iter().map(|column| column.values.len() as u32).collect();
    let code = |column: usize, row: usize| columns[column].codes.get(row);
    let (frequency, tuple_of_row) =
        FrequencyTable::count(&sizes, table.rows, code, payloads, &payload_of_row, |_| 1);
    let missing = planned.iter().map(|column| (column.name.to_owned(), column.missing.to_vec())).collect();
    Ok(Prepared {
        quasi,
        table: frequency,
        tuple_of_row,
        payload_of_row,
        class,
        payload_trees,
        missing,
        notes: Vec::new(),
        warnings: Vec::new(),
    })
}
