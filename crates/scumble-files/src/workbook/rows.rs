//! Cells put together into rows.

use super::book::Cells;
use super::flaws::{self, Told};
use super::value::Value;
use crate::error::{Error, Result};

/// The most rows and columns that a sheet can have.
const ROWS: u32 = 1_048_576;
const COLUMNS: u32 = 16_384;

/// The rows of a sheet that hold something.
pub(super) struct Rows<'a> {
    told: Told<'a>,
    cells: Cells<'a>,
    /// The first cell of the next row.
    next: Option<(u32, u32, Value<'a>)>,
    /// Whether all cells were read. The reader may not be asked again then.
    is_done: bool,
    /// The cells that stand in the file and hold nothing.
    pub(super) blank: Blank,
}

/// Where cells that hold nothing were met.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Blank {
    pub(super) is_met: bool,
    /// The last row and the last column with such a cell.
    pub(super) row: u32,
    pub(super) column: u32,
}

/// The filled cells of a row with their columns, in order.
pub(super) type Row<'a> = Vec<(u32, Value<'a>)>;

impl<'a> Rows<'a> {
    pub(super) fn new(told: Told<'a>, cells: Cells<'a>) -> Self {
        Self { told, cells, next: None, is_done: false, blank: Blank::default() }
    }

    /// Puts the next row that holds something into `row`. Returns its number, counted from 0.
    pub(super) fn next(&mut self, row: &mut Row<'a>) -> Result<Option<u32>> {
        row.clear();
        let told = self.told;
        let (number, column, value) = match self.next.take() {
            Some(first) => first,
            None => match self.next_cell()? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        row.push((column, value));
        let mut is_ascending = true;
        while let Some((at, column, value)) = self.next_cell()? {
            if at != number {
                if at < number {
                    return Err(out_of_order(told));
                }
                self.next = Some((at, column, value));
                break;
            }
            is_ascending = is_ascending && row.last().is_none_or(|(last, _)| *last < column);
            row.push((column, value));
        }
        if !is_ascending {
            row.sort_by_key(|(column, _)| *column);
            if row.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                return Err(out_of_order(told));
            }
        }
        Ok(Some(number))
    }

    /// The next cell that holds something.
    fn next_cell(&mut self) -> Result<Option<(u32, u32, Value<'a>)>> {
        while !self.is_done {
            let Some((row, column, value)) = self.cells.next(self.told)? else {
                self.is_done = true;
                break;
            };
            if row >= ROWS || column >= COLUMNS {
                return Err(flaws::damaged(self.told)
                    .reworded(|what| format!("{what} (a cell stands outside of every sheet)")));
            }
            if value != Value::Empty {
                return Ok(Some((row, column, value)));
            }
            let Blank { row: last, column: widest, .. } = self.blank;
            self.blank = Blank { is_met: true, row: last.max(row), column: widest.max(column) };
        }
        Ok(None)
    }
}

fn out_of_order(told: Told<'_>) -> Error {
    flaws::damaged(told).reworded(|what| format!("{what} (its cells do not stand in order)"))
}
