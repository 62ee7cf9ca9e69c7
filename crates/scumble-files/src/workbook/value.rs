//! The value of a cell, and its text. The same value always has the same text, as in typed columns of other files.

use std::borrow::Cow;
use std::io::Write as _;

use calamine::{Data, DataRef, ExcelDateTime};

use super::moment::{Epoch, Moment, Shows, clock_of_duration};
use crate::columnar::shortest;

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    /// Nothing, or the empty text that a formula gave.
    Empty,
    /// An error such as `#N/A`: a value that is missing.
    Failed,
    Text(Cow<'a, str>),
    Number(f64),
    Boolean(bool),
    Moment(Moment),
}

/// Whole numbers below this are written with all their digits, which is how [`shortest`] writes them as well.
const PLAIN: f64 = 1e15;

impl<'a> Value<'a> {
    /// The value of a cell of an `.xlsx` file; `shows` is what the cell's number format shows of a moment.
    pub(super) fn of_streamed(data: &DataRef<'a>, shows: Shows, epoch: Epoch) -> Self {
        match data {
            DataRef::Empty => Self::Empty,
            DataRef::Error(_) => Self::Failed,
            DataRef::SharedString(text) => Self::of_text(Cow::Borrowed(text)),
            DataRef::String(text) | DataRef::DateTimeIso(text) => Self::of_text(Cow::Owned(text.clone())),
            DataRef::DurationIso(text) => {
                Self::of_text(Cow::Owned(clock_of_duration(text).unwrap_or_else(|| text.clone())))
            }
            DataRef::Float(number) => Self::Number(*number),
            DataRef::Int(number) => Self::of_whole(*number),
            DataRef::Bool(is) => Self::Boolean(*is),
            DataRef::DateTime(time) => Self::of_moment(*time, shows, epoch),
        }
    }

    /// The value of a cell of a sheet that is held in memory. Its number format is not known there.
    pub(super) fn of_held(data: &'a Data, epoch: Epoch) -> Self {
        match data {
            Data::Empty => Self::Empty,
            Data::Error(_) => Self::Failed,
            // OpenDocument stores the word for an error as the text of the cell.
            Data::String(text) if epoch == Epoch::Iso && is_error_word(text) => Self::Failed,
            Data::String(text) | Data::DateTimeIso(text) => Self::of_text(Cow::Borrowed(text)),
            Data::DurationIso(text) => {
                Self::of_text(clock_of_duration(text).map_or(Cow::Borrowed(text), Cow::Owned))
            }
            Data::Float(number) => Self::Number(*number),
            Data::Int(number) => Self::of_whole(*number),
            Data::Bool(is) => Self::Boolean(*is),
            Data::DateTime(time) => Self::of_moment(*time, Shows::Unknown, epoch),
        }
    }

    fn of_text(text: Cow<'a, str>) -> Self {
        if text.is_empty() { Self::Empty } else { Self::Text(text) }
    }

    fn of_whole(number: i64) -> Self {
        // Workbooks store numbers as doubles; a few old records are whole numbers of 30 bits.
        Self::Number(number as f64)
    }

    fn of_moment(time: ExcelDateTime, shows: Shows, epoch: Epoch) -> Self {
        let shows = if time.is_duration() { Shows::Duration } else { shows };
        Self::Moment(Moment { serial: time.as_f64(), epoch, shows })
    }

    /// Appends the text. Returns `None` if the value is a date that no calendar has.
    pub(super) fn write(&self, text: &mut Vec<u8>) -> Option<()> {
        match self {
            Self::Empty | Self::Failed => {}
            Self::Text(cell) => text.extend_from_slice(cell.as_bytes()),
            Self::Boolean(is) => text.extend_from_slice(if *is { b"true" } else { b"false" }),
            // Writing to memory does not fail.
            Self::Number(number) if number.fract() == 0.0 && number.abs() < PLAIN => {
                write!(text, "{}", *number as i64).ok()?;
            }
            Self::Number(number) => text.extend_from_slice(shortest(*number).as_bytes()),
            Self::Moment(moment) => text.extend_from_slice(moment.text()?.as_bytes()),
        }
        Some(())
    }

    /// The text, if there is one.
    pub(super) fn text(&self) -> Option<String> {
        let mut text = Vec::new();
        self.write(&mut text)?;
        String::from_utf8(text).ok()
    }
}

/// Whether this is the word that a spreadsheet program shows for an error.
fn is_error_word(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["#N/A", "#DIV/0!", "#REF!", "#NAME?", "#VALUE!", "#NUM!", "#NULL!", "#GETTING_DATA"];
    let is_numbered = |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    WORDS.contains(&text) || text.strip_prefix("Err:").is_some_and(is_numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_text_of_typed_columns() {
        let text = |number: f64| Value::Number(number).text().unwrap();
        for number in [12.0, -3.0, 0.1 + 0.2, 1e15, 1e16, 123_456_789_012_345.0, 1e-7, 2.5, f64::MAX] {
            assert_eq!(text(number), shortest(number));
            assert_eq!(text(number).parse(), Ok(number));
        }
        assert_eq!((text(12.0), text(-0.0), text(0.5)), ("12".into(), "0".into(), "0.5".into()));
    }

    #[test]
    fn errors_are_missing_and_their_words_only_where_they_stand_for_errors() {
        let word = Data::String("#N/A".to_owned());
        assert_eq!(Value::of_held(&word, Epoch::Iso), Value::Failed);
        assert_eq!(Value::of_held(&word, Epoch::From1900).text().unwrap(), "#N/A");
        assert_eq!(Value::of_held(&Data::String("Err:502".to_owned()), Epoch::Iso), Value::Failed);
        assert_eq!(
            Value::of_held(&Data::Error(calamine::CellErrorType::Div0), Epoch::From1900),
            Value::Failed
        );
    }
}
