//! What can be wrong with a workbook, in words. No word of the libraries is repeated, since it may hold the value of a cell.

use std::error::Error as StdError;
use std::io;

use super::kind::Kind;
use crate::decoding;
use crate::error::{Error, Result, reading};

/// A workbook, for messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Kind,
}

impl Told<'_> {
    fn what(self) -> &'static str {
        match self.kind {
            Kind::Xlsx => "Excel workbook",
            Kind::Xls => "Excel workbook of the old format (.xls)",
            Kind::Ods => "OpenDocument spreadsheet (.ods)",
        }
    }

    /// Runs a step of decoding. Errors and panics of the decoder mean the same: the workbook is damaged.
    pub(super) fn decode<T, E: StdError + 'static>(self, step: impl FnOnce() -> Result<T, E>) -> Result<T> {
        self.open(step, |_| false)
    }

    /// Does the same for a step that can also find out that the workbook has a password.
    pub(super) fn open<T, E: StdError + 'static>(
        self,
        step: impl FnOnce() -> Result<T, E>,
        is_protected: impl FnOnce(&E) -> bool,
    ) -> Result<T> {
        match decoding::caught(step) {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) if is_protected(&error) => Err(protected(self.name)),
            Some(Err(error)) => Err(match of_system(&error) {
                Some(source) => reading(self.name, source),
                None => damaged(self),
            }),
            None => Err(damaged(self)),
        }
    }
}

/// The error of the system behind an error, if there is one.
fn of_system(error: &(dyn StdError + 'static)) -> Option<io::Error> {
    let mut error = Some(error);
    while let Some(now) = error {
        if let Some(found) = now.downcast_ref::<io::Error>()
            && let Some(code) = found.raw_os_error()
        {
            return Some(io::Error::from_raw_os_error(code));
        }
        error = now.source();
    }
    None
}

/// The error of a workbook that cannot be understood.
pub(super) fn damaged(told: Told<'_>) -> Error {
    saved_again(Error::data(format!(
        "'{}' is a damaged {}, or of a kind that is not known here",
        told.name,
        told.what()
    )))
}

/// The error of a workbook whose end is missing.
pub(super) fn cut_off(told: Told<'_>) -> Error {
    Error::data(format!(
        "'{}' is a damaged {}: the list of its parts is missing or broken",
        told.name,
        told.what()
    ))
    .advise("copy or download the file again")
}

/// The error of a workbook with a password.
pub(super) fn protected(name: &str) -> Error {
    Error::data(format!("'{name}' is protected by a password, so its cells cannot be read"))
        .advise("open it in a spreadsheet program, take the password away and save it")
}

/// The error of an old container that holds something else.
pub(super) fn no_workbook(name: &str) -> Error {
    Error::data(format!("'{name}' is a document of an old Office program, but no workbook"))
        .advise("give the table as a workbook or as CSV")
}

fn saved_again(error: Error) -> Error {
    error
        .advise("open it in Excel or LibreOffice and save it again")
        .advise("save the sheet as CSV, and give that file")
}

/// The address of a cell as spreadsheet programs show it: `G12`.
pub(super) fn address(row: u32, column: u32) -> String {
    format!("{}{}", letters(column), u64::from(row) + 1)
}

/// The letters of a column.
fn letters(column: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(column) + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_of_spreadsheets() {
        let cells =
            [(0, 0, "A1"), (11, 6, "G12"), (0, 25, "Z1"), (0, 26, "AA1"), (1_048_575, 16_383, "XFD1048576")];
        for (row, column, shown) in cells {
            assert_eq!(address(row, column), shown);
        }
    }
}
