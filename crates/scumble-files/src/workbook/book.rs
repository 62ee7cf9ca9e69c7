//! An open workbook: its sheets, and the cells of one of them.

use std::fs::File;
use std::io::{BufReader, Seek as _};

use calamine::{
    Data, Dimensions, Ods, OdsError, Range, Reader as _, Sheet, SheetType, SheetVisible, Xls, XlsError, Xlsx,
    XlsxCellReader,
};

use super::flaws::Told;
use super::kind::Kind;
use super::moment::{Epoch, Shows, shown_by};
use super::value::Value;
use super::{ods, ole, parts};
use crate::error::{Result, reading};
use crate::read::ReadOptions;

type Input = BufReader<File>;

/// An open workbook.
pub(super) struct Book<'n> {
    pub(super) told: Told<'n>,
    /// The sheets that can hold a table, in the order of the workbook.
    pub(super) sheets: Vec<Sheet>,
    content: Content,
    epoch: Epoch,
}

enum Content {
    /// Sheets are read from the file, cell by cell.
    Streamed(Box<Xlsx<Input>>, parts::Seen),
    /// All cells are in memory, which is how the other formats are read.
    Held(Vec<Held>),
}

struct Held {
    cells: Range<Data>,
    merged: Vec<Dimensions>,
}

impl<'n> Book<'n> {
    pub(super) fn open(name: &'n str, kind: Kind, mut file: &File, options: &ReadOptions) -> Result<Self> {
        let told = Told { name, kind };
        let seen = match kind {
            Kind::Xlsx => parts::weigh(told, file, options)?,
            Kind::Xls => {
                ole::check(told, file, options)?;
                parts::Seen::default()
            }
            Kind::Ods => {
                let seen = parts::weigh(told, file, options)?;
                ods::check(told, file, options)?;
                seen
            }
        };
        file.rewind().map_err(|error| reading(name, error))?;
        let input = BufReader::new(file.try_clone().map_err(|error| reading(name, error))?);
        match kind {
            Kind::Xlsx => {
                let book = told.decode(|| Xlsx::new(input))?;
                let (sheets, epoch) = (worksheets(book.sheets_metadata()), epoch(book.has_1904_epoch()));
                Ok(Self { told, sheets, content: Content::Streamed(Box::new(book), seen), epoch })
            }
            Kind::Xls => {
                let mut book = told.open(|| Xls::new(input), |error| matches!(error, XlsError::Password))?;
                let (sheets, epoch) = (worksheets(book.sheets_metadata()), epoch(book.has_1904_epoch()));
                let held = sheets.iter().map(|sheet| {
                    let cells = told.decode(|| book.worksheet_range(&sheet.name))?;
                    let merged = told.decode(|| book.merge_cells_by_sheet_name(&sheet.name))?;
                    Ok(Held { cells, merged })
                });
                let content = Content::Held(held.collect::<Result<_>>()?);
                Ok(Self { told, sheets, content, epoch })
            }
            Kind::Ods => {
                let mut book: Ods<Input> =
                    told.open(|| Ods::new(input), |error| matches!(error, OdsError::Password))?;
                let sheets = worksheets(book.sheets_metadata());
                let held = sheets.iter().map(|sheet| {
                    let cells = told.decode(|| book.worksheet_range(&sheet.name))?;
                    Ok(Held { cells, merged: Vec::new() })
                });
                let content = Content::Held(held.collect::<Result<_>>()?);
                Ok(Self { told, sheets, content, epoch: Epoch::Iso })
            }
        }
    }

    /// The name of a sheet.
    pub(super) fn name_of(&self, sheet: usize) -> &str {
        &self.sheets[sheet].name
    }

    /// Whether a sheet is shown.
    pub(super) fn is_visible(&self, sheet: usize) -> bool {
        self.sheets[sheet].visible == SheetVisible::Visible
    }

    /// The cells of a sheet, in the order of the file.
    pub(super) fn cells(&mut self, sheet: usize) -> Result<Cells<'_>> {
        let (told, epoch) = (self.told, self.epoch);
        match &mut self.content {
            Content::Streamed(book, _) => {
                let name = &self.sheets[sheet].name;
                let reader = told.decode(|| book.worksheet_cells_reader(name))?;
                let shows = reader.styles().iter().map(|style| {
                    style
                        .number_format
                        .as_ref()
                        .map_or(Shows::Unknown, |format| shown_by(&format.format_code))
                });
                let shows = shows.collect();
                Ok(Cells::Streamed { reader: Box::new(reader), shows, epoch })
            }
            Content::Held(held) => {
                let cells = &held[sheet].cells;
                let (first_row, first_column) = cells.start().unwrap_or_default();
                let placed = cells.used_cells().map(move |(row, column, data)| {
                    (first_row + row as u32, first_column + column as u32, data)
                });
                Ok(Cells::Held { placed: Box::new(placed), epoch })
            }
        }
    }

    /// The merged cells of a sheet. What spreadsheets of OpenDocument merge is not known.
    pub(super) fn merged(&mut self, sheet: usize) -> Result<Vec<Dimensions>> {
        let told = self.told;
        match &mut self.content {
            Content::Streamed(book, seen) if seen.merged => {
                let name = &self.sheets[sheet].name;
                told.decode(|| book.merge_cells_by_sheet_name(name))
            }
            Content::Streamed(..) => Ok(Vec::new()),
            Content::Held(held) => Ok(held[sheet].merged.clone()),
        }
    }

    /// The first formula without a stored value that stands at a place that is `wanted`.
    pub(super) fn formula_without_value(
        &mut self,
        sheet: usize,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Result<Option<(u32, u32)>> {
        let told = self.told;
        let Content::Streamed(book, seen) = &mut self.content else { return Ok(None) };
        if !seen.formulas {
            return Ok(None);
        }
        let name = &self.sheets[sheet].name;
        let mut reader = told.decode(|| book.worksheet_cells_reader(name))?;
        told.decode(|| {
            while let Some(cell) = reader.next_cell_with_formula_metadata()? {
                let is_without = cell.formula.is_some() && cell.value == calamine::DataRef::Empty;
                if is_without && wanted(cell.pos.0, cell.pos.1) {
                    return Ok::<_, calamine::XlsxError>(Some(cell.pos));
                }
            }
            Ok(None)
        })
    }
}

/// The sheets that hold cells, and no chart or macro.
fn worksheets(all: &[Sheet]) -> Vec<Sheet> {
    all.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet).cloned().collect()
}

fn epoch(is_1904: bool) -> Epoch {
    if is_1904 { Epoch::From1904 } else { Epoch::From1900 }
}

/// The cells of a sheet, one after the other.
pub(super) enum Cells<'a> {
    Streamed {
        reader: Box<XlsxCellReader<'a, Input>>,
        /// What each number format of the workbook shows of a moment.
        shows: Vec<Shows>,
        epoch: Epoch,
    },
    Held {
        placed: Box<dyn Iterator<Item = (u32, u32, &'a Data)> + 'a>,
        epoch: Epoch,
    },
}

impl<'a> Cells<'a> {
    /// The next cell with its row and column, counted from 0.
    pub(super) fn next(&mut self, told: Told<'_>) -> Result<Option<(u32, u32, Value<'a>)>> {
        match self {
            Self::Streamed { reader, shows, epoch } => {
                let Some((cell, style)) = told.decode(|| reader.next_cell_with_style_id())? else {
                    return Ok(None);
                };
                let shows = shows.get(style).copied().unwrap_or(Shows::Unknown);
                let (row, column) = cell.get_position();
                Ok(Some((row, column, Value::of_streamed(cell.get_value(), shows, *epoch))))
            }
            Self::Held { placed, epoch } => {
                Ok(placed.next().map(|(row, column, data)| (row, column, Value::of_held(data, *epoch))))
            }
        }
    }
}
