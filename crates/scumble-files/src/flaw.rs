//! What can be wrong with a row, and how it is told.

use crate::dictionary::Refusal;
use crate::encoding::Encoding;
use crate::error::FileError;

/// What is wrong with a row, before the file's name and the row's number are known.
#[derive(Debug)]
pub(crate) enum Flaw {
    /// The row has this many fields, and not as many as there are columns.
    Ragged(usize),
    /// The field in this column of the file is not text in the file's encoding.
    NotUtf8(usize),
    /// The date or time in this column of the file is out of the calendar's range.
    OutOfRange(usize),
    /// The file cannot be decoded behind the row before.
    Undecodable,
    /// The field in this column of the file is longer than the limit.
    FieldTooLong(usize),
    /// A quote opens in the row and the field is longer than the limit.
    QuotedFieldTooLong,
    /// The row is longer than all its fields may be.
    RecordTooLong,
    /// A quote opens in the row and the file ends before it closes.
    QuoteNeverClosed,
    /// The dictionary of this column of the file is full.
    DictionaryFull(usize),
    /// Something that is told without a row.
    Other(FileError),
}

/// The first flaw of a file and the number of good rows before it.
pub(crate) struct FirstFlaw {
    pub(crate) rows_before: usize,
    pub(crate) flaw: Flaw,
}

impl Flaw {
    /// What a dictionary's refusal of a field means.
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
    /// The names of its columns, if they are known already.
    pub(crate) names: &'a [String],
    /// What tells how many fields a row must have.
    pub(crate) reference: &'a str,
    /// The file's encoding, if it is text.
    pub(crate) encoding: Encoding,
    /// The longest a field may be.
    pub(crate) field_limit: usize,
}

impl Teller<'_> {
    /// The error that the first flaw of a file means.
    pub(crate) fn first_flaw(&self, FirstFlaw { rows_before, flaw }: FirstFlaw) -> FileError {
        self.flaw(&format!("row {}", rows_before + 1), flaw)
    }

    /// The error that a flaw means in the row that is called `row`.
    pub(crate) fn flaw(&self, row: &str, flaw: Flaw) -> FileError {
        let file = self.file;
        let limit = counted(self.field_limit, "byte");
        FileError::Data(match flaw {
            Flaw::Other(error) => return error,
            Flaw::DictionaryFull(column) => return self.too_much_text(column),
            Flaw::Ragged(fields) => format!(
                "'{file}', {row} has {} where {} has {}: is a delimiter, quote or line end in its text not quoted?",
                counted(fields, "field"),
                self.reference,
                self.names.len()
            ),
            Flaw::NotUtf8(column) => format!(
                "'{file}', {row}, {}: the bytes are not UTF-8; if the file was made on Windows, try --encoding \
                 windows-1252",
                self.column(column)
            ),
            Flaw::OutOfRange(column) => format!(
                "'{file}', {row}, {}: a date or time that no calendar has; correct it or leave the column out",
                self.column(column)
            ),
            Flaw::Undecodable => format!(
                "'{file}', {row}: the bytes are not {}; is the encoding right, or is the file cut off?",
                self.encoding
            ),
            Flaw::FieldTooLong(column) => {
                format!(
                    "'{file}', {row}, {}: a field of more than {limit}; is a quote never closed?",
                    self.column(column)
                )
            }
            Flaw::QuotedFieldTooLong => {
                format!("'{file}', {row} has a field of more than {limit}; is a quote never closed?")
            }
            Flaw::RecordTooLong => format!(
                "'{file}', {row} is longer than fields of at most {limit} can make it: is a quote never closed, or \
                 is this not a table?"
            ),
            Flaw::QuoteNeverClosed => {
                format!(
                    "'{file}': a quote that opens at {row} is never closed; close it, or double it if it is text"
                )
            }
        })
    }

    /// The error of a column whose dictionary is full.
    pub(crate) fn too_much_text(&self, column: usize) -> FileError {
        FileError::Resources(format!(
            "'{}': the distinct texts of {} take more than 4 GiB; leave the column out",
            self.file,
            self.column(column)
        ))
    }

    fn column(&self, index: usize) -> String {
        match self.names.get(index) {
            Some(name) => format!("column '{}'", crate::shown::on_one_line(name)),
            None => format!("column {}", index + 1),
        }
    }
}

/// A number with its noun.
fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
