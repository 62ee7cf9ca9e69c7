//! Which sheet of a workbook is read.

use super::book::Book;
use super::sample::Sample;
use crate::error::{Error, Result, Setting};
use crate::read::ReadOptions;
use crate::shown::listed;

/// The sheet that is read, and what the user should know about the choice.
pub(super) struct Choice {
    pub(super) sheet: usize,
    pub(super) notes: Vec<String>,
}

/// Returns the sheet that the options name, or else the only visible one that holds a table.
pub(super) fn choose(book: &mut Book<'_>, options: &ReadOptions) -> Result<Choice> {
    let name = book.told.name;
    if let Some(wanted) = &options.sheet {
        return Ok(Choice { sheet: named(book, wanted)?, notes: Vec::new() });
    }
    let visible: Vec<usize> = (0..book.sheets.len()).filter(|sheet| book.is_visible(*sheet)).collect();
    // A workbook with one sheet leaves no choice, whatever the sheet holds.
    if let ([only], 1) = (&visible[..], book.sheets.len()) {
        return Ok(Choice { sheet: *only, notes: Vec::new() });
    }
    let (mut tables, mut lists) = (Vec::new(), Vec::new());
    for sheet in visible {
        let sample = Sample::of(book, sheet, options.skip_rows.unwrap_or(0))?;
        if sample.is_table(2) {
            tables.push(sheet);
        } else if sample.is_table(1) {
            lists.push(sheet);
        }
    }
    // One column of text may be a table, but beside tables of several columns it is a remark.
    let found = if tables.is_empty() { lists } else { tables };
    match found[..] {
        [] => Err(wants_a_sheet(
            book,
            &(0..book.sheets.len()).collect::<Vec<_>>(),
            &format!("no visible sheet of '{name}' holds a table: a header and at least one row"),
        )),
        [only] => Ok(Choice { sheet: only, notes: vec![chosen(book, only)] }),
        _ => Err(wants_a_sheet(
            book,
            &found,
            &format!("'{name}' has {} sheets that hold a table", found.len()),
        )),
    }
}

/// The sheet of that name, or of that number, counted from 1.
fn named(book: &Book<'_>, wanted: &str) -> Result<usize> {
    let by_name = || book.sheets.iter().position(|sheet| sheet.name == wanted);
    let by_number = || {
        let number: usize = wanted.trim().parse().ok()?;
        (1..=book.sheets.len()).contains(&number).then(|| number - 1)
    };
    by_name().or_else(by_number).ok_or_else(|| {
        let what = format!("'{}' has no sheet '{}'", book.told.name, crate::shown::on_one_line(wanted));
        wants_a_sheet(book, &(0..book.sheets.len()).collect::<Vec<_>>(), &what)
    })
}

fn wants_a_sheet(book: &Book<'_>, sheets: &[usize], what: &str) -> Error {
    let names: Vec<&str> = sheets.iter().map(|sheet| book.name_of(*sheet)).collect();
    if names.is_empty() {
        return Error::data(what)
            .advise("put the table on a sheet of its own, with the names of the columns above it");
    }
    Error::config(format!("{what} (its sheets are {})", listed(&names)))
        .set(Setting::read("sheet"), "say which sheet to read, by its name or its number")
}

fn chosen(book: &Book<'_>, sheet: usize) -> String {
    format!(
        "'{}': the sheet '{}' was read, the only visible one of {} that holds a table",
        book.told.name,
        crate::shown::on_one_line(book.name_of(sheet)),
        book.sheets.len()
    )
}
