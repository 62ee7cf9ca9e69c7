//! Where the header of a sheet stands, and the names in it.

use calamine::Dimensions;

use super::flaws::{Told, address};
use super::sample::Sample;
use crate::error::{Error, Result, Setting};
use crate::heading;
use crate::names;
use crate::read::ReadOptions;
use crate::sniff;

/// The columns of a table in a sheet.
pub(super) struct Head {
    pub(super) names: Vec<String>,
    /// The column of the first name, counted from 0.
    pub(super) left: u32,
    /// The row from which on rows are data, counted from 0.
    pub(super) first: u32,
    /// What the user should know.
    pub(super) notes: Vec<String>,
}

impl Head {
    /// The column behind the last name, counted from 0.
    pub(super) fn right(&self) -> u32 {
        self.left + self.names.len() as u32
    }
}

/// Finds the header in the first rows of a sheet.
pub(super) fn find(
    told: Told<'_>,
    sheet: &str,
    sample: &Sample,
    merged: &[Dimensions],
    options: &ReadOptions,
) -> Result<Head> {
    let sheet = crate::shown::on_one_line(sheet);
    if sample.rows.is_empty() {
        return Err(nothing_there(told, &sheet, options.skip_rows));
    }
    let mut notes = Vec::new();
    let may_have_titles = options.skip_rows.is_none() && options.header.is_none();
    let head = if may_have_titles { titles(sample) } else { 0 };
    let rows = &sample.rows[head..];
    let (left, right) = reach(rows);
    let row = &rows[0];
    if head > 0 {
        notes.push(heading::skipped_note(told.name, u64::from(row.number)));
    }
    let mut cells = row.texts(left, right);
    if !options.header.unwrap_or_else(|| sniff::is_header(&cells)) {
        if options.header.is_none() {
            notes.push(heading::no_header_note(told.name, cells.len()));
        }
        return Ok(Head { names: heading::numbered(cells.len()), left, first: row.number, notes });
    }
    check_merged(told, &sheet, row.number, (left, right), merged)?;
    let below: Vec<Vec<String>> = rows[1..].iter().map(|row| row.texts(left, right)).collect();
    if options.header.is_none() && has_second_header(&below) {
        return Err(two_headers(told, &sheet, row.number, rows[1].number));
    }
    // Columns behind the last name must be empty; their cells are looked at when the table is read.
    let last = cells.iter().rposition(|name| !name.trim().is_empty());
    cells.truncate(last.map_or(cells.len(), |last| last + 1));
    names::check(told.name, &cells)?;
    Ok(Head { names: cells, left, first: row.number + 1, notes })
}

/// The number of rows above the header, where it is clear that they are no part of the table.
fn titles(sample: &Sample) -> usize {
    let Some(head) = sample.rows.iter().position(|row| row.filled() >= 2) else { return 0 };
    let (left, right) = reach(&sample.rows[head..]);
    let below: Vec<Vec<String>> = sample.rows[head..].iter().map(|row| row.texts(left, right)).collect();
    let is_header = heading::is_header(&below[0], &below[1..].iter().map(Vec::as_slice));
    if is_header { head } else { 0 }
}

/// The first and the last column of some rows.
fn reach(rows: &[super::sample::SampleRow]) -> (u32, u32) {
    let reach = rows.iter().map(super::sample::SampleRow::reach);
    reach.fold((u32::MAX, 0), |(left, right), row| (left.min(row.0), right.max(row.1)))
}

/// Whether the first row below the header is a second header, with units or longer names: it holds words, and nothing but numbers
/// and dates stand below each of them where there are any.
fn has_second_header(below: &[Vec<String>]) -> bool {
    let [second, rows @ ..] = below else { return false };
    let is_word = |cell: &String| {
        let cell = cell.trim();
        let is_missing = ["na", "n/a", "nan", "null", "none"].contains(&cell.to_lowercase().as_str());
        cell.chars().any(char::is_alphabetic)
            && !is_missing
            && !sniff::is_number(cell)
            && !sniff::is_date(cell)
    };
    let measured: Vec<&String> = (0..second.len())
        .filter(|column| heading::is_measured(rows.iter().map(Vec::as_slice), *column))
        .map(|column| &second[column])
        .collect();
    rows.len() >= 3
        && measured.iter().any(|cell| is_word(cell))
        && measured.iter().all(|cell| cell.trim().is_empty() || is_word(cell))
}

fn two_headers(told: Told<'_>, sheet: &str, first: u32, second: u32) -> Error {
    let (first, second) = (u64::from(first) + 1, u64::from(second) + 1);
    Error::data(format!(
        "'{}', sheet '{sheet}': rows {first} and {second} both look like a header: words stand in row {second} where the rows below \
         hold numbers or dates",
        told.name
    ))
    .advise("make one row of the two in the workbook")
    .set(Setting::read("skip_rows").to(second - 1), format!("take the names from row {second}"))
    .set(Setting::read("header").to(true), format!("say that row {second} is data"))
}

/// Fails if cells of the header are merged with others: which column has which name cannot be known then.
fn check_merged(
    told: Told<'_>,
    sheet: &str,
    row: u32,
    (left, right): (u32, u32),
    merged: &[Dimensions],
) -> Result<()> {
    let touches = |area: &&Dimensions| {
        (area.start.0..=area.end.0).contains(&row) && area.start.1 <= right && area.end.1 >= left
    };
    let Some(area) = merged.iter().find(touches) else { return Ok(()) };
    let (from, to) = (address(area.start.0, area.start.1), address(area.end.0, area.end.1));
    Err(Error::data(format!(
        "'{}', sheet '{sheet}': the header in row {} has merged cells ({from} to {to}), so not every column has a name of its own",
        told.name,
        u64::from(row) + 1
    ))
    .advise("unmerge the cells and give every column a name")
    .set(Setting::read("skip_rows"), "skip the rows above the header, if this is a title"))
}

fn nothing_there(told: Told<'_>, sheet: &str, skipped: Option<u64>) -> Error {
    let needs = "a table needs a header and at least one row";
    match skipped {
        Some(rows) if rows > 0 => Error::config(format!(
            "'{}', sheet '{sheet}': no cell below the first {rows} rows holds anything, and {needs}",
            told.name
        ))
        .set(Setting::read("skip_rows"), "skip fewer rows"),
        _ => Error::data(format!("'{}', sheet '{sheet}': no cell holds anything, and {needs}", told.name))
            .set(Setting::read("sheet"), "choose another sheet, if the table is there"),
    }
}
