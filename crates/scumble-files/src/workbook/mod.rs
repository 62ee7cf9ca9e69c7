//! Workbooks: `.xlsx`, `.xls` and `.ods`. One sheet is read, from its header on, as a table of typed cells.
//!
//! A sheet of an `.xlsx` file is read cell by cell, so memory holds its shared texts and the codes; the other formats are held as a
//! whole by the library that reads them.

mod book;
mod choose;
mod flaws;
mod head;
mod kind;
mod moment;
mod ole;
mod parts;
mod rows;
mod sample;
mod value;

pub(crate) use kind::{Container, Kind};

use std::fs::File;

use calamine::Dimensions;

use crate::codes::Pieces;
use crate::encoding::Encoding;
use crate::error::{Error, Result, Setting};
use crate::flaw::{FirstFlaw, Flaw, Teller};
use crate::names::Selection;
use crate::pipeline::{self, Done, Encoder, Memory};
use crate::read::{FileFormat, Header, ReadOptions, Table};
use crate::threads;
use book::Book;
use flaws::{Told, address};
use head::Head;
use rows::{Blank, Row, Rows};
use sample::Sample;
use value::Value;

/// The cells that are encoded at a time.
const JOB_CELLS: usize = 32 << 10;

/// Some rows of a sheet.
struct Job<'a> {
    /// The numbers of the rows in the sheet.
    rows: Vec<u32>,
    /// The cells of the selected columns, row by row.
    cells: Vec<Value<'a>>,
}

/// What was met while a sheet was read.
#[derive(Debug, Default)]
struct Met {
    /// Cells with an error.
    failed: u64,
    /// The last row that held something, counted from 0.
    last: Option<u32>,
    /// Rows that held nothing, with others below them.
    empty_rows: u64,
    blank: Blank,
}

/// Reads the table of a workbook.
pub(crate) fn read_table(name: &str, kind: Kind, file: &File, options: &ReadOptions) -> Result<Table> {
    let mut book = Book::open(name, kind, file, options)?;
    let Opened { sheet, head, merged, mut notes } = open(&mut book, options)?;
    let selection = Selection::new(name, head.names.clone(), options.columns.as_deref())?;
    let teller = Teller {
        file: name,
        names: &head.names,
        width: head.names.len(),
        reference: "the header",
        encoding: Encoding::Utf8,
        field_limit: options.field_limit,
    };
    let area = Area {
        told: book.told,
        sheet: crate::shown::on_one_line(book.name_of(sheet)),
        head: &head,
        selection: &selection,
    };
    let rows = Rows::new(area.told, book.cells(sheet)?);
    let (pieces, met) = read_rows(rows, &area, options).map_err(|first| teller.first_flaw(first))?;
    if met.blank.is_met
        && let Some((row, column)) =
            book.formula_without_value(sheet, |row, column| area.holds(row, column))?
    {
        return Err(area.without_value(row, column));
    }
    let merge = || pieces.merge(&selection, options.text_limit);
    let coded = threads::run(options.threads, merge)?.map_err(|column| teller.too_much_text(column))?;
    notes.extend(met.notes(name, &head));
    notes.extend(merged_note(name, &head, met.last, &merged));
    Ok(Table { coded, format: FileFormat::Workbook, notes })
}

/// Reads the rows of a sheet below its header.
fn read_rows(mut rows: Rows<'_>, area: &Area<'_>, options: &ReadOptions) -> Result<(Pieces, Met), FirstFlaw> {
    let (mut met, mut row, mut ended) = (Met::default(), Row::new(), None);
    let produce = || {
        if let Err(interrupted) = options.control.check() {
            return Some(Err(Flaw::Other(interrupted)));
        }
        let mut job = Job { rows: Vec::new(), cells: Vec::new() };
        // A row of a table without selected columns counts as a cell, so that every job ends.
        while ended.is_none() && job.cells.len() + job.rows.len() < JOB_CELLS {
            match area.next_row(&mut rows, &mut row) {
                Ok(Some(number)) => met.take(number, &mut row, area, &mut job),
                Ok(None) => ended = Some(None),
                Err(error) => ended = Some(Some(error)),
            }
        }
        met.blank = rows.blank;
        if !job.rows.is_empty() {
            options.control.advance(job.rows.len() as u64);
            return Some(Ok(job));
        }
        ended.as_mut().and_then(Option::take).map(|error| Err(Flaw::Other(error)))
    };
    let memory = Memory::new(area.told.name, options.memory);
    let (workers, width) = (threads::count(options.threads), area.selection.names.len());
    let encode = |encoder: &mut Encoder, job: Job<'_>| area.encode(encoder, &job);
    let pieces = pipeline::run(workers, width, options.text_limit, &memory, produce, encode)?;
    Ok((pieces, met))
}

/// Reads only the names of the columns.
pub(crate) fn read_header(name: &str, kind: Kind, file: &File, options: &ReadOptions) -> Result<Header> {
    let mut book = Book::open(name, kind, file, options)?;
    let Opened { head, notes, .. } = open(&mut book, options)?;
    Ok(Header { names: head.names, format: FileFormat::Workbook, notes })
}

/// A sheet whose header has been found.
struct Opened {
    sheet: usize,
    head: Head,
    merged: Vec<Dimensions>,
    notes: Vec<String>,
}

fn open(book: &mut Book<'_>, options: &ReadOptions) -> Result<Opened> {
    let choose::Choice { sheet, mut notes } = choose::choose(book, options)?;
    let merged = book.merged(sheet)?;
    let sample = Sample::of(book, sheet, options.skip_rows.unwrap_or(0))?;
    let mut head = head::find(book.told, book.name_of(sheet), &sample, &merged, options)?;
    notes.append(&mut head.notes);
    Ok(Opened { sheet, head, merged, notes })
}

/// The part of a sheet that is read.
struct Area<'a> {
    told: Told<'a>,
    /// The name of the sheet, fit to be shown.
    sheet: String,
    head: &'a Head,
    selection: &'a Selection,
}

impl Area<'_> {
    /// Whether a cell is one of those that are read.
    fn holds(&self, row: u32, column: u32) -> bool {
        let place = column.checked_sub(self.head.left).and_then(|at| self.selection.places.get(at as usize));
        row >= self.head.first && place.is_some_and(Option::is_some)
    }

    /// Puts the next row of the table into `row`. Fails if a cell of it stands outside of the named columns.
    fn next_row<'r>(&self, rows: &mut Rows<'r>, row: &mut Row<'r>) -> Result<Option<u32>> {
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

    /// Encodes the rows of a job.
    fn encode(&self, encoder: &mut Encoder, job: &Job<'_>) -> Done {
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
    fn without_value(&self, row: u32, column: u32) -> Error {
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

impl Met {
    /// Moves the selected cells of a row into a job.
    fn take<'a>(&mut self, number: u32, row: &mut Row<'a>, area: &Area<'_>, job: &mut Job<'a>) {
        let Area { head, selection, .. } = area;
        self.empty_rows += u64::from(number - self.last.map_or(head.first, |last| last + 1));
        self.last = Some(number);
        let start = job.cells.len();
        job.rows.push(number);
        job.cells.resize(start + selection.names.len(), Value::Empty);
        for (column, value) in row.drain(..) {
            if let Some(place) = selection.places[(column - head.left) as usize] {
                self.failed += u64::from(value == Value::Failed);
                job.cells[start + place] = value;
            }
        }
    }

    /// What the user should know about the cells.
    fn notes(&self, name: &str, head: &Head) -> Vec<String> {
        let mut notes = Vec::new();
        if self.blank.is_met && self.blank.column >= head.right() {
            let more = counted(
                u64::from(self.blank.column - head.right() + 1),
                "empty column was",
                "empty columns were",
            );
            notes.push(format!("'{name}': {more} left out behind the last name"));
        }
        let below = self.last.map_or(0, |last| u64::from(self.blank.row.saturating_sub(last)));
        if self.empty_rows + below > 0 {
            let rows = counted(self.empty_rows + below, "empty row was", "empty rows were");
            notes.push(format!("'{name}': {rows} left out"));
        }
        if self.failed > 0 {
            let cells = counted(self.failed, "cell holds an error", "cells hold an error");
            notes.push(format!("'{name}': {cells} (such as #N/A), and counted as missing"));
        }
        notes
    }
}

/// Says how many cells of the table are merged with another that has the value.
fn merged_note(name: &str, head: &Head, last: Option<u32>, merged: &[Dimensions]) -> Option<String> {
    let (last, right) = (last?, head.right() - 1);
    let inside = merged.iter().map(|area| {
        let rows = u64::from((area.end.0.min(last) + 1).saturating_sub(area.start.0.max(head.first)));
        let columns = u64::from((area.end.1.min(right) + 1).saturating_sub(area.start.1.max(head.left)));
        let has_first = area.start.0 >= head.first && area.start.1 >= head.left;
        (rows * columns).saturating_sub(u64::from(has_first))
    });
    let cells: u64 = inside.sum();
    (cells > 0).then(|| {
        format!(
            "'{name}': {} merged with another cell, which alone has the value, and counted as missing",
            counted(cells, "cell is", "cells are")
        )
    })
}

/// A number with its noun.
fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
