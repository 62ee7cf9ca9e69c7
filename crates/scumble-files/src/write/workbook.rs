//! Writes an Excel workbook with one sheet.
//!
//! Texts are written as texts, so no program runs them. Numbers and dates are written as such where every text of a column reads
//! back as it was. The bytes depend on the table alone: the workbook has no author, and its date of creation is always the same.

use std::fs::File;
use std::io::{self, BufWriter};

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};

use super::typed::{parse_date, parse_float, parse_integer};
use super::{ColumnType, OutColumn};
use crate::control::Control;
use crate::error::{Error, Result, Setting, writing};

/// The most that a sheet can hold, and the longest text of a cell in units of UTF-16.
const ROWS: usize = 1_048_576;
const COLUMNS: usize = 16_384;
const TEXT: usize = 32_767;

/// The rows that are gathered at a time.
const BLOCK_ROWS: usize = 8192;

/// The name of the sheet.
const SHEET: &str = "release";

/// Whole numbers from here on lose digits in spreadsheet programs.
const WHOLE: i64 = 1_000_000_000_000_000;

/// What is added to the days since 1970 to count from Excel's epoch, and the first and the last day on which all programs agree.
const EPOCH: i32 = 25_569;
const DAYS: std::ops::RangeInclusive<i32> = 61..=2_958_465;

/// What stands in the cells of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    /// Nothing: the text is empty.
    Blank,
    Text,
    Number(f64),
    /// Days since Excel's epoch.
    Date(f64),
}

/// The cells of a column, by code.
struct Cells {
    kind: ColumnType,
    cells: Vec<Cell>,
}

impl Cells {
    /// Returns the cells of the texts that are written, or `None` if one of them does not read back as it was.
    fn of(column: &OutColumn<'_>, used: &[u32], kind: ColumnType) -> Option<Self> {
        // Other codes are not looked up.
        let mut cells = vec![Cell::Blank; column.texts.len()];
        for code in used {
            let text = column.texts.get(*code);
            if !text.is_empty() {
                cells[*code as usize] = cell_of(text, kind)?;
            }
        }
        Some(Self { kind, cells })
    }
}

fn cell_of(text: &str, kind: ColumnType) -> Option<Cell> {
    match kind {
        ColumnType::Integer => parse_integer(text)
            .filter(|number| number.abs() < WHOLE)
            .map(|number| Cell::Number(number as f64)),
        // There is one zero in a workbook, and nothing that is not a number.
        ColumnType::Float => parse_float(text)
            .filter(|number| number.is_finite() && !(*number == 0.0 && number.is_sign_negative()))
            .map(Cell::Number),
        ColumnType::Date => parse_date(text)
            .map(|days| days + EPOCH)
            .filter(|day| DAYS.contains(day))
            .map(|day| Cell::Date(day.into())),
        _ => Some(Cell::Text),
    }
}

/// Writes a whole table. All that a workbook cannot hold is found before anything is written.
pub(super) fn write_table(
    out: &mut File,
    columns: &[OutColumn<'_>],
    order: &[u32],
    name: &str,
    control: &Control,
) -> Result<()> {
    check_rows(order.len(), name)?;
    let mut all = Vec::with_capacity(columns.len());
    for column in columns {
        let used = column.used_codes(order);
        check_texts(column, &used, name)?;
        let cells =
            Cells::of(column, &used, column.kind).or_else(|| Cells::of(column, &used, ColumnType::Text));
        all.push(cells.ok_or_else(|| super::misfit(ColumnType::Text, column.name, name))?);
    }
    let kinds: Vec<(&str, ColumnType)> =
        columns.iter().zip(&all).map(|(column, cells)| (column.name, cells.kind)).collect();
    let mut writer = Writer::begin(out, &kinds, name)?;
    writer.write_cells(columns, &all, order, control)?;
    writer.finish()
}

/// Writes a workbook row by row. Rows wait in an unnamed temporary file.
pub(super) struct Writer<'f> {
    out: &'f mut File,
    book: Workbook,
    kinds: Vec<ColumnType>,
    date: Format,
    name: &'f str,
    /// The rows written so far, with the header.
    rows: usize,
}

impl<'f> Writer<'f> {
    /// Begins a workbook of these columns and writes its header.
    pub(super) fn begin(out: &'f mut File, columns: &[(&str, ColumnType)], name: &'f str) -> Result<Self> {
        if columns.len() > COLUMNS {
            let what = format!(
                "'{name}': {} columns do not fit into a workbook, which has at most {COLUMNS}",
                columns.len()
            );
            return Err(elsewhere(Error::data(what)));
        }
        if let Some((column, _)) = columns.iter().find(|(column, _)| is_too_long(column)) {
            return Err(too_long(column, name));
        }
        let mut book = Workbook::new();
        let created = ExcelDateTime::from_ymd(2000, 1, 1).map_err(|error| failed(error, name))?;
        book.set_properties(&DocProperties::new().set_creation_datetime(&created));
        let date = Format::new().set_num_format("yyyy-mm-dd");
        let sheet = book.add_worksheet_with_constant_memory().map_err(|error| failed(error, name))?;
        let header = |sheet: &mut Worksheet| {
            sheet.set_name(SHEET)?;
            for (at, (column, _)) in (0..).zip(columns) {
                sheet.write_string(0, at, *column)?;
            }
            Ok(())
        };
        header(sheet).map_err(|error| failed(error, name))?;
        let kinds = columns.iter().map(|(_, kind)| *kind).collect();
        Ok(Self { out, book, kinds, date, name, rows: 1 })
    }

    /// Writes further rows. Fails if a text cannot be written as its column's type.
    pub(super) fn write(
        &mut self,
        columns: &[OutColumn<'_>],
        order: &[u32],
        control: &Control,
    ) -> Result<()> {
        let name = self.name;
        check_rows(self.rows - 1 + order.len(), name)?;
        let mut all = Vec::with_capacity(columns.len());
        for (column, kind) in columns.iter().zip(&self.kinds) {
            let used = column.used_codes(order);
            check_texts(column, &used, name)?;
            let cells = Cells::of(column, &used, *kind);
            all.push(cells.ok_or_else(|| super::misfit(*kind, column.name, name))?);
        }
        self.write_cells(columns, &all, order, control)
    }

    fn write_cells(
        &mut self,
        columns: &[OutColumn<'_>],
        all: &[Cells],
        order: &[u32],
        control: &Control,
    ) -> Result<()> {
        let name = self.name;
        let sheet = self.book.worksheet_from_index(0).map_err(|error| failed(error, name))?;
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        for block in order.chunks(BLOCK_ROWS) {
            control.check()?;
            columns.iter().zip(&mut codes).for_each(|(column, codes)| column.cells.gather(block, codes));
            for (at, _) in block.iter().enumerate() {
                let row = (self.rows + at) as u32;
                let mut is_blank = true;
                for (place, column) in columns.iter().enumerate() {
                    let code = codes[place][at];
                    let written = match all[place].cells[code as usize] {
                        Cell::Blank => continue,
                        Cell::Text => sheet.write_string(row, place as u16, column.texts.get(code)),
                        Cell::Number(number) => sheet.write_number(row, place as u16, number),
                        Cell::Date(day) => sheet.write_number_with_format(row, place as u16, day, &self.date),
                    };
                    written.map_err(|error| failed(error, name))?;
                    is_blank = false;
                }
                if is_blank {
                    let what = format!(
                        "'{name}': a row without any value would be lost in a workbook, where it is an empty row"
                    );
                    return Err(elsewhere(Error::data(what)));
                }
            }
            self.rows += block.len();
            control.advance(block.len() as u64);
        }
        Ok(())
    }

    /// Puts the workbook together and writes it.
    pub(super) fn finish(mut self) -> Result<()> {
        let name = self.name;
        let mut buffered = BufWriter::with_capacity(1 << 20, self.out);
        self.book.save_to_writer(&mut buffered).map_err(|error| failed(error, name))?;
        // Dropping a buffered writer would lose its last error.
        buffered.into_inner().map(drop).map_err(|error| writing(name, error.into_error()))
    }
}

fn check_rows(rows: usize, name: &str) -> Result<()> {
    if rows < ROWS {
        return Ok(());
    }
    let what = format!(
        "'{name}': {rows} rows do not fit into a workbook, which has at most {} below the header",
        ROWS - 1
    );
    Err(elsewhere(Error::data(what)))
}

fn check_texts(column: &OutColumn<'_>, used: &[u32], name: &str) -> Result<()> {
    let too_long_one = used.iter().any(|code| is_too_long(column.texts.get(*code)));
    if too_long_one { Err(too_long(column.name, name)) } else { Ok(()) }
}

fn is_too_long(text: &str) -> bool {
    // A text has at most as many units as bytes.
    text.len() > TEXT && text.encode_utf16().count() > TEXT
}

fn too_long(column: &str, name: &str) -> Error {
    elsewhere(
        Error::data(format!(
            "a text does not fit into a cell of a workbook, which holds at most {TEXT} characters, and '{name}' is one"
        ))
        .in_column(column),
    )
}

fn elsewhere(error: Error) -> Error {
    error.set(Setting::root("output"), "give the output another ending, such as .csv or .parquet")
}

fn failed(error: XlsxError, name: &str) -> Error {
    match error {
        XlsxError::IoError(source) | XlsxError::TempFileError(_, source) => writing(name, source),
        other => writing(name, io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_read_back_identically_are_typed() {
        assert_eq!(cell_of("-12", ColumnType::Integer), Some(Cell::Number(-12.0)));
        for other in ["007", "1000000000000000", "-1000000000000000", "1.0"] {
            assert_eq!(cell_of(other, ColumnType::Integer), None, "{other}");
        }
        assert_eq!(cell_of("2.5", ColumnType::Float), Some(Cell::Number(2.5)));
        for other in ["-0", "inf", "NaN", "2.50"] {
            assert_eq!(cell_of(other, ColumnType::Float), None, "{other}");
        }
        assert_eq!(cell_of("2024-01-31", ColumnType::Date), Some(Cell::Date(45_322.0)));
        for other in ["1900-01-01", "1900-02-28", "1899-12-31", "10000-01-01", "31.01.2024"] {
            assert_eq!(cell_of(other, ColumnType::Date), None, "{other}");
        }
        assert_eq!(cell_of("=1+1", ColumnType::Text), Some(Cell::Text));
    }
}
