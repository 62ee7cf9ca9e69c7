//! What can be wrong with a row, and the error message for it.

use crate::dictionary::Refusal;
use crate::encoding::Encoding;
use crate::error::{Error, ErrorKind, Setting};

/// What is wrong with a row, before the file's name and the row's number are known.
#[derive(Debug)]
pub(crate) enum Flaw {
    /// The row has this many fields, which is not the number of columns.
    Ragged(usize),
    /// The field in this column of the file has a value, but the column has no name.
    Unnamed(usize),
    /// The field in this column of the file is not text in the file's encoding.
    NotUtf8(usize),
    /// The date or time in this column of the file is outside the calendar's range.
    OutOfRange(usize),
    /// The file cannot be decoded behind the previous row.
    Undecodable,
    /// The field in this column of the file is longer than the limit.
    FieldTooLong(usize),
    /// A quote opens in the row, and the quoted field is longer than the limit.
    QuotedFieldTooLong,
    /// The row is longer than all its fields together may be.
    RecordTooLong,
    /// A quote opens in the row, and the file ends before it closes.
    QuoteNeverClosed,
    /// The dictionary of this column of the file is full.
    DictionaryFull(usize),
    /// An error that has no row.
    Other(Error),
}

/// The first flaw of a file and the number of good rows before it.
pub(crate) struct FirstFlaw {
    pub(crate) rows_before: usize,
    pub(crate) flaw: Flaw,
}

impl Flaw {
    /// Returns the flaw that a dictionary's refusal of a field means.
    pub(crate) fn refused(refusal: Refusal, column: usize) -> Self {
        match refusal {
            Refusal::Full => Self::DictionaryFull(column),
            Refusal::NotUtf8 => Self::NotUtf8(column),
        }
    }
}

/// What messages need to know about a file.
#[derive(Clone, Copy)]
pub(crate) struct Teller<'a> {
    /// The file's name.
    pub(crate) file: &'a str,
    /// The names of its columns, if they are already known.
    pub(crate) names: &'a [String],
    /// The number of fields that each row must have.
    pub(crate) width: usize,
    /// What that number comes from: `the header` or `the first row`.
    pub(crate) reference: &'a str,
    /// The file's encoding, if it is text.
    pub(crate) encoding: Encoding,
    /// The longest a field may be.
    pub(crate) field_limit: usize,
}

impl Teller<'_> {
    /// Returns the error for the first flaw of a file.
    pub(crate) fn first_flaw(&self, FirstFlaw { rows_before, flaw }: FirstFlaw) -> Error {
        self.flaw(Some(rows_before as u64 + 1), flaw)
    }

    /// Returns the error for a flaw in a row, or in the first row if no row number is given.
    pub(crate) fn flaw(&self, row: Option<u64>, flaw: Flaw) -> Error {
        let limit = counted(self.field_limit, "byte");
        let error = match flaw {
            Flaw::Other(error) => return error,
            Flaw::DictionaryFull(column) => return self.too_much_text(column),
            Flaw::Ragged(fields) => {
                let error = Error::data(format!(
                    "there {} where {} has {}: is a delimiter, quote or line end in its text not quoted?",
                    if fields == 1 { "is 1 field".to_owned() } else { format!("are {fields} fields") },
                    self.reference,
                    self.width
                ));
                if self.width > 1 {
                    error
                } else {
                    error.set(Setting::read("skip_rows"), "skip the lines above the header, if there are any")
                }
            }
            Flaw::Unnamed(column) => Error::data(format!(
                "column {} of {} has a value here, but no name in the header",
                column + 1,
                self.width
            ))
            .advise("name the column in the header")
            .set(Setting::read("skip_rows"), "skip the rows above the header, if there are any"),
            Flaw::NotUtf8(column) => {
                let error = self.in_column(column, "the bytes are not UTF-8");
                let what = "and it is not clear which encoding it is";
                error.reworded(|words| format!("{words}, {what}")).advise("save the file as UTF-8").set(
                    Setting::read("encoding").to("windows-1252"),
                    "say that the file was made on Windows in western Europe or America, if it was",
                )
            }
            Flaw::OutOfRange(column) => self
                .in_column(column, "the value is a date or time that no calendar has")
                .advise("correct the value or leave the column out"),
            Flaw::Undecodable => Error::data(format!(
                "the bytes are not {}: is the encoding right, or is the file cut off?",
                self.encoding
            )),
            Flaw::FieldTooLong(column) => self.in_column(
                column,
                &format!("there is a field of more than {limit}: is a quote never closed?"),
            ),
            Flaw::QuotedFieldTooLong => {
                Error::data(format!("there is a field of more than {limit}: is a quote never closed?"))
            }
            Flaw::RecordTooLong => Error::data(format!(
                "there is more text than fields of at most {limit} can hold: is a quote never closed, or is this not a table?"
            )),
            Flaw::QuoteNeverClosed => Error::data("a quote that opens here is never closed")
                .advise("close the quote, or double it if it is text"),
        };
        match row {
            Some(row) => error.in_row(row),
            None => error.reworded(|what| format!("in the first row, {what}")),
        }
        .in_file(self.file)
    }

    /// The error of a column whose dictionary is full.
    pub(crate) fn too_much_text(&self, column: usize) -> Error {
        self.in_column(column, "its distinct texts take more than 4 GiB")
            .advise("leave the column out")
            .of_kind(ErrorKind::Resources)
            .in_file(self.file)
    }

    /// An error of a column of the file: by its name, or by its number if its name is not known yet.
    fn in_column(&self, index: usize, what: &str) -> Error {
        match self.names.get(index) {
            Some(name) => Error::data(what).in_column(name),
            None => Error::data(format!("column {}: {what}", index + 1)),
        }
    }
}

/// A number with its noun.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
