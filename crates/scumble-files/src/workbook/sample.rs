//! The first rows of a sheet, as texts: what finding the sheet and its header looks at.

use super::book::Book;
use super::rows::{Row, Rows};
use crate::error::Result;

/// The number of rows that are looked at.
const ROWS: usize = 200;

/// The first rows of a sheet that hold something.
pub(super) struct Sample {
    pub(super) rows: Vec<SampleRow>,
}

pub(super) struct SampleRow {
    /// The number of the row in the sheet, counted from 0.
    pub(super) number: u32,
    /// The columns of the filled cells, with their texts.
    cells: Vec<(u32, String)>,
}

impl Sample {
    /// Reads the first rows, from the one with this number on.
    pub(super) fn of(book: &mut Book<'_>, sheet: usize, from: u64) -> Result<Self> {
        let told = book.told;
        let mut rows = Rows::new(told, book.cells(sheet)?);
        let (mut row, mut found) = (Row::new(), Vec::new());
        while found.len() < ROWS
            && let Some(number) = rows.next(&mut row)?
        {
            if u64::from(number) >= from {
                // A date that no calendar has is an error when the table is read.
                let text = |(column, value): &(u32, super::value::Value<'_>)| {
                    (*column, value.text().unwrap_or_default())
                };
                found.push(SampleRow { number, cells: row.iter().map(text).collect() });
            }
        }
        Ok(Self { rows: found })
    }

    /// Whether this can be a table of several columns, or of one.
    pub(super) fn is_table(&self, columns: usize) -> bool {
        self.rows.len() >= 2 && self.rows.iter().any(|row| row.cells.len() >= columns)
    }
}

impl SampleRow {
    /// The number of filled cells.
    pub(super) fn filled(&self) -> usize {
        self.cells.iter().filter(|(_, text)| !text.trim().is_empty()).count()
    }

    /// The first and the last column with a filled cell.
    pub(super) fn reach(&self) -> (u32, u32) {
        let column = |cell: Option<&(u32, String)>| cell.map_or(0, |(column, _)| *column);
        (column(self.cells.first()), column(self.cells.last()))
    }

    /// The texts of some columns; cells that hold nothing are empty.
    pub(super) fn texts(&self, left: u32, right: u32) -> Vec<String> {
        let mut texts = vec![String::new(); (right - left) as usize + 1];
        for (column, text) in self.cells.iter().filter(|(column, _)| (left..=right).contains(column)) {
            texts[(column - left) as usize].clone_from(text);
        }
        texts
    }
}
