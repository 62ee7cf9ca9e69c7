//! The tables of a release that has several.

use crate::base::format::{count, list};
use crate::report::data::{Report, TableNote};
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    if report.tables.is_empty() {
        return None;
    }
    let row = |table: &TableNote| {
        context! {
            file => &table.file,
            columns => list(&table.columns, 30),
            rows => count(table.rows),
            alone => table.alone.map(count),
        }
    };
    let alone = report.tables.iter().any(|table| table.alone.is_some());
    Some(context! { rows => report.tables.iter().map(row).collect::<Vec<_>>(), alone })
}
