//! Workbooks: `.xlsx`, `.xls` and `.ods`. One sheet is read, from its header on, as a table of typed cells.
//!
//! A sheet of an `.xlsx` file is read cell by cell, so memory holds its shared texts and the codes; the other formats are held as a
//! whole by the library that reads them.

mod area;
mod book;
mod choose;
mod flaws;
mod head;
mod kind;
mod met;
mod moment;
mod ods;
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
use crate::error::Result;
use crate::flaw::{FirstFlaw, Flaw, Teller};
use crate::names::Selection;
use crate::pipeline::{self, Encoder, Memory};
use crate::read::{FileFormat, Header, ReadOptions, Table};
use crate::threads;
use area::{Area, Job};
use book::Book;
use head::Head;
use met::Met;
use rows::{Row, Rows};
use sample::Sample;

/// The cells that are encoded at a time.
const JOB_CELLS: usize = 32 << 10;

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
    notes.extend(met.notes(name, &head, &merged));
    Ok(Table { coded, format: FileFormat::Workbook, notes })
}

/// Reads the rows of a sheet below its header.
fn read_rows(mut rows: Rows<'_>, area: &Area<'_>, options: &ReadOptions) -> Result<(Pieces, Met), FirstFlaw> {
    let (mut met, mut row, mut ended) = (Met::default(), Row::new(), None);
    let produce = || {
        if let Err(interrupted) = options.control.check() {
            return Some(Err(Flaw::Other(interrupted)));
        }
        let mut job = Job::default();
        // A row of a table without selected columns counts as a cell, so that every job ends.
        while ended.is_none() && job.cells.len() + job.rows.len() < JOB_CELLS {
            match area.next_row(&mut rows, &mut row) {
                Ok(Some(number)) => area.take(number, &mut row, &mut job, &mut met),
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
