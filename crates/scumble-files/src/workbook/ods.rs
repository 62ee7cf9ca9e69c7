//! Counts the cells of an OpenDocument table before its reader does.
//!
//! A cell and a row can say how often they are repeated, and the reader holds every repetition. A file of a few kilobytes can ask for
//! more memory than there is.

use std::fs::File;
use std::io::{BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::flaws::Told;
use crate::error::Result;
use crate::pipeline::Memory;
use crate::read::ReadOptions;

/// The bytes of memory for a cell, with its formula, and while the list of cells grows.
const OF_CELL: u64 = 100;

/// The most rows and columns that the reader takes.
const ROWS: u64 = 1_048_576;
const COLUMNS: u64 = 16_384;

/// Checks that the tables of a file fit into memory.
pub(super) fn check(told: Told<'_>, file: &File, options: &ReadOptions) -> Result<()> {
    let mut archive = told.decode(|| ZipArchive::new(BufReader::new(file)))?;
    let content = told.decode(|| archive.by_name("content.xml"))?;
    let memory = Memory::new(told.name, options.memory);
    let mut cells = Tables::default();
    let mut reader = Reader::from_reader(BufReader::new(content));
    let mut block = Vec::new();
    loop {
        options.control.check()?;
        // Some thousand elements between two looks at the control.
        let is_done = told.decode(|| some_elements(&mut reader, &mut block, &mut cells))?;
        // Memory counts up, and this is the sum so far.
        memory.take(cells.growth().saturating_mul(OF_CELL))?;
        if is_done {
            return Ok(());
        }
    }
}

fn some_elements<R: Read>(
    reader: &mut Reader<BufReader<R>>,
    block: &mut Vec<u8>,
    cells: &mut Tables,
) -> Result<bool, quick_xml::Error> {
    for _ in 0..10_000 {
        block.clear();
        match reader.read_event_into(block)? {
            Event::Start(element) | Event::Empty(element) => cells.begin(&element),
            Event::End(element) if element.name().0 == "table:table" => cells.end_table(),
            Event::Eof => {
                cells.end_table();
                return Ok(true);
            }
            _ => {}
        }
    }
    Ok(false)
}

/// The cells that the reader will hold.
#[derive(Debug, Default)]
struct Tables {
    /// The cells of all tables so far, and how many of them were counted before.
    all: u64,
    counted: u64,
    /// The rows of the present table, and how many of them end with the last filled one.
    rows: u64,
    filled_rows: u64,
    /// The cells of the widest row, as far as its last filled cell.
    widest: u64,
    row_repeats: u64,
    /// The cells of the present row, and of its filled part.
    cells: u64,
    filled: u64,
}

impl Tables {
    fn begin(&mut self, element: &BytesStart<'_>) {
        match element.name().0 {
            "table:table-row" => {
                self.end_row();
                self.row_repeats = repeats(element, "table:number-rows-repeated");
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let before = self.cells;
                self.cells = (before + repeats(element, "table:number-columns-repeated")).min(COLUMNS);
                if is_filled(element) {
                    self.filled = self.cells;
                }
            }
            _ => {}
        }
    }

    fn end_row(&mut self) {
        // The reader holds the row once, and once more for every repetition.
        self.all = self.all.saturating_add(self.filled);
        self.rows = (self.rows + self.row_repeats).min(ROWS);
        if self.filled > 0 {
            self.filled_rows = self.rows;
        }
        self.widest = self.widest.max(self.filled);
        (self.row_repeats, self.cells, self.filled) = (0, 0, 0);
    }

    fn end_table(&mut self) {
        self.end_row();
        self.all = self.all.saturating_add(self.widest * self.filled_rows);
        (self.rows, self.filled_rows, self.widest) = (0, 0, 0);
    }

    /// The cells since the last call.
    fn growth(&mut self) -> u64 {
        self.all - std::mem::replace(&mut self.counted, self.all)
    }
}

fn repeats(element: &BytesStart<'_>, attribute: &str) -> u64 {
    let found = element.try_get_attribute(attribute).ok().flatten();
    found.and_then(|found| found.value.parse().ok()).unwrap_or(1)
}

/// Whether a cell has a value or a formula. One that has only a style is not held at the end of a row.
fn is_filled(element: &BytesStart<'_>) -> bool {
    element
        .attributes()
        .with_checks(false)
        .flatten()
        .any(|attribute| attribute.key.0.starts_with("office:") || attribute.key.0 == "table:formula")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(table: &str) -> u64 {
        let mut counted = Tables::default();
        let mut reader = Reader::from_reader(BufReader::new(table.as_bytes()));
        let mut block = Vec::new();
        while !some_elements(&mut reader, &mut block, &mut counted).unwrap() {}
        counted.all
    }

    #[test]
    fn repetitions_count_where_they_are_held() {
        let cell = "<table:table-cell office:value=\"1\" office:value-type=\"float\"/>";
        let many = cell.replace("table-cell ", "table-cell table:number-columns-repeated=\"1000\" ");
        let blank = "<table:table-cell table:number-columns-repeated=\"16000\"/>";
        let row = |inside: &str| format!("<table:table-row>{inside}</table:table-row>");
        let rows = |inside: &str| {
            format!("<table:table-row table:number-rows-repeated=\"50\">{inside}</table:table-row>")
        };
        let table = |inside: &str| format!("<table:table>{inside}</table:table>");
        assert_eq!(cells(&table(&row(&[cell, blank].concat()))), 2);
        assert_eq!(cells(&table(&row(&[blank, cell].concat()))), 2 * 16_001);
        assert_eq!(cells(&table(&row(&many))), 2000);
        assert_eq!(cells(&table(&rows(&many))), 51_000);
        // Empty rows count where a filled one follows.
        assert_eq!(cells(&table(&rows(blank))), 0);
        assert_eq!(cells(&table(&[rows(blank), row(cell)].concat())), 52);
        assert_eq!(cells(&[table(&row(cell)), table(&row(cell))].concat()), 4);
    }
}
