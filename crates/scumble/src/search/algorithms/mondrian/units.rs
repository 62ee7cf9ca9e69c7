//! The units that move from part to part: whole tuples if equal rows must stay together, otherwise single
//! rows.

use crate::table::frequency::{Cell, FrequencyTable};

/// The indivisible units of a search, numbered in the order of the tuples.
pub(super) enum Units<'a> {
    /// Tuples with all their rows (strict partitioning).
    Tuples(&'a FrequencyTable),
    /// Single rows: the tuple of each and its payload, ascending (relaxed partitioning).
    Rows(Vec<(u32, Cell)>),
}

impl<'a> Units<'a> {
    /// The tuples of a table.
    pub(super) fn tuples(table: &'a FrequencyTable) -> Self {
        Self::Tuples(table)
    }

    /// The rows of a table, by tuple and payload.
    pub(super) fn rows(table: &FrequencyTable) -> Self {
        let rows_of = |tuple: u32| {
            let cells = table.cells(tuple).iter();
            cells.flat_map(move |cell| {
                let row = (tuple, Cell { payload: cell.payload, rows: 1 });
                std::iter::repeat_n(row, cell.rows as usize)
            })
        };
        Self::Rows((0..table.tuples() as u32).flat_map(rows_of).collect())
    }

    /// The number of units.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Tuples(table) => table.tuples(),
            Self::Rows(rows) => rows.len(),
        }
    }

    /// The tuple of a unit.
    pub(super) fn tuple(&self, unit: u32) -> u32 {
        match self {
            Self::Tuples(_) => unit,
            Self::Rows(rows) => rows[unit as usize].0,
        }
    }

    /// The rows of a unit.
    pub(super) fn weight(&self, unit: u32) -> u64 {
        match self {
            Self::Tuples(table) => table.weight(unit),
            Self::Rows(_) => 1,
        }
    }

    /// The rows of a unit per payload.
    pub(super) fn cells(&self, unit: u32) -> &[Cell] {
        match self {
            Self::Tuples(table) => table.cells(unit),
            Self::Rows(rows) => std::slice::from_ref(&rows[unit as usize].1),
        }
    }
}
