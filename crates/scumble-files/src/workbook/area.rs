//! The rows of the table in a sheet: which of its cells are read, and their codes.

use super::flaws::{Told, address};
use super::head::Head;
use super::met::Met;
use super::rows::{Row, Rows};
use super::value::Value;
use crate::error::{Error, Result, Setting};
use crate::flaw::Flaw;
use crate::names::Selection;
use crate::pipeline::{Done, Encoder};

/// Some rows of a sheet.
#[derive(Default)]
pub(super) struct Job<'a> {
    /// The numbers of the rows in the sheet.
    pub(super) rows: Vec<u32>,
    /// The cells of the selected columns, row by row.
    pub(super) cells: Vec<Value<'a>>,
}

/// The part of a sheet that is read.
pub(super) struct Area<'a> {
    pub(super) told: Told<'a>,
    /// The name of the sheet, fit to be shown.
    pub(super) sheet: String,
    pub(super) head: &'a Head,
    pub(super) selection: &'a Selection,
}

impl Area<'_> {
    /// Whether a cell is one of those that are read.
    pub(super) fn holds(&self, row: u32, column: u32) -> bool {
        let place = column.checked_sub(self.head.left).and_then(|at| self.selection.places.get(at as usize));
        row >= self.head.first && place.is_some_and(Option::is_some)
    }

    /// Puts the next row of the table into `row`. Fails if a cell of it stands outside of the named columns.
    pub(super) fn next_row<'r>(&self, rows: &mut Rows<'r>, row: &mut Row<'r>) -> Result<Option<u32>> {
        while let Some(number) = rows.next(row)? {
            if number < self.head.first {
                continue;
            }
            let columns = self.head.left..self.head.right();
            return match row.iter().find(|(column, _)| !columns.contains(column)) {
                None => Ok(Some(number)),
                Some((column, _)) => Err(self
                    .error(number, *column, "has a value, but its column has no name in the header")
                    .advise("name the column in the header")
                    .set(Setting::read("skip_rows"), "skip the rows above the header, if there are any")),
            };
        }
        Ok(None)
    }

    /// Moves the selected cells of a row into a job.
    pub(super) fn take<'r>(&self, number: u32, row: &mut Row<'r>, job: &mut Job<'r>, met: &mut Met) {
        let Self { head, selection, .. } = self;
        met.empty_rows += u64::from(number - met.last.map_or(head.first, |last| last + 1));
        met.last = Some(number);
        let start = job.cells.len();
        job.rows.push(number);
        job.cells.resize(start + selection.names.len(), Value::Empty);
        for (column, value) in row.drain(..) {
            if let Some(place) = selection.places[(column - head.left) as usize] {
                met.failed += u64::from(value == Value::Failed);
                job.cells[start + place] = value;
            }
        }
    }

    /// Encodes the rows of a job.
    pub(super) fn encode(&self, encoder: &mut Encoder, job: &Job<'_>) -> Done {
        let width = self.selection.names.len();
        let mut text = Vec::new();
        for (done, number) in job.rows.iter().enumerate() {
            for (place, value) in job.cells[done * width..][..width].iter().enumerate() {
                let column = || self.selection.column_of(place);
                text.clear();
                if value.write(&mut text).is_none() {
                    let what = "holds a date or time that no calendar has";
                    let error = self.error(*number, self.head.left + column() as u32, what);
                    return (
                        done,
                        Some(Flaw::Other(error.advise("correct the cell or leave the column out"))),
                    );
                }
                match encoder.dictionaries[place].code_of(&text) {
                    Ok(code) => encoder.codes[place].push(code),
                    Err(refusal) => return (done, Some(Flaw::refused(refusal, column()))),
                }
            }
        }
        (job.rows.len(), None)
    }
    pub(super) fn without_value(&self, row: u32, column: u32) -> Error {
        self.error(
            row,
            column,
            "is a formula without a stored value, as programs write it that do not calculate",
        )
        .advise("open the workbook in Excel or LibreOffice and save it, which stores the values")
    }

    /// An error of a cell.
    fn error(&self, row: u32, column: u32, what: &str) -> Error {
        let Self { told, sheet, .. } = self;
        Error::data(format!("'{}', sheet '{sheet}': cell {} {what}", told.name, address(row, column)))
    }
}
