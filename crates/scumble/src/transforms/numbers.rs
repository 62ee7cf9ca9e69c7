//! A column's texts as exact numbers.

use rayon::prelude::*;
use scumble_files::table::CodedColumn;

use super::Given;
use super::values::{fault, occurring};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;
use crate::table::kind::{Inference, Kind};

/// Why a text is no number here.
pub(super) const NOT_A_NUMBER: &str = "is not a number";

/// How a column writes its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The decimal mark.
    mark: char,
}

/// The numbers of a column, of which each distinct value was read once.
pub(super) struct ReadNumbers<'c> {
    column: &'c CodedColumn,
    pub(super) numbers: Numbers,
    /// The number of each code; none where the value is missing, in no row, or no number.
    pub(super) of_code: Vec<Option<Decimal>>,
    /// Whether each code is in some row and not missing.
    present: Vec<bool>,
}

impl<'c> ReadNumbers<'c> {
    /// Reads a column; an error if it has no number at all.
    pub(super) fn of(given: &Given<'_>, column: &'c CodedColumn) -> Result<Self> {
        let markers = (given.missing)(&column.name);
        let mut present = occurring(column);
        present.par_iter_mut().enumerate().with_min_len(1 << 10).for_each(|(code, present)| {
            let text = column.values.get(code as u32);
            *present = *present && !markers.iter().any(|marker| marker == text);
        });
        let read = |numbers: Numbers| -> Vec<Option<Decimal>> {
            let one = |(code, present): (usize, &bool)| {
                present.then(|| numbers.read(column.values.get(code as u32))).flatten()
            };
            present.par_iter().enumerate().with_min_len(1 << 10).map(one).collect()
        };
        let mut numbers = Numbers { mark: '.' };
        let mut of_code = read(numbers);
        let is_unread = |of_code: &[Option<Decimal>]| {
            present.iter().zip(of_code).any(|(present, number)| *present && number.is_none())
        };
        if is_unread(&of_code) {
            let texts = (0..).zip(&present).filter(|(_, present)| **present);
            // What a step at one end has coded is written like the numbers.
            let end = |text: &'c str| text.strip_prefix(">=").or(text.strip_prefix("<=")).unwrap_or(text);
            numbers = Numbers::written_as(texts.map(|(code, _)| end(column.values.get(code))));
            of_code = read(numbers);
        }
        if present.contains(&true) && of_code.iter().all(Option::is_none) {
            return Err(Error::config("the step needs numbers, and no value of the column is one")
                .in_column(&column.name));
        }
        Ok(Self { column, numbers, of_code, present })
    }

    /// Reads a column; an error if a value is no number.
    pub(super) fn all(given: &Given<'_>, column: &'c CodedColumn) -> Result<Self> {
        let read = Self::of(given, column)?;
        read.refuse(given, NOT_A_NUMBER, |code| read.of_code[code].is_none())?;
        Ok(read)
    }

    /// Returns an error if something is wrong with a value, by its code.
    pub(super) fn refuse(
        &self,
        given: &Given<'_>,
        reason: &str,
        is_wrong: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let wrong: Vec<bool> =
            self.present.iter().enumerate().map(|(code, present)| *present && is_wrong(code)).collect();
        if !wrong.contains(&true) {
            return Ok(());
        }
        let rows = (0..).zip(self.column.codes.iter()).filter(|(_, code)| wrong[*code as usize]);
        Err(fault(given, self.column, reason, rows.map(|(row, _)| row)))
    }

    /// The values that are in some row and not missing.
    pub(super) fn texts(&self) -> impl Iterator<Item = &'c str> {
        let present = (0..).zip(&self.present).filter(|(_, present)| **present);
        present.map(|(code, _)| self.column.values.get(code))
    }

    /// The number of each row.
    pub(super) fn of_rows(&self) -> impl Iterator<Item = Option<Decimal>> {
        self.column.codes.iter().map(|code| self.of_code[code as usize])
    }
}

impl Numbers {
    /// How numbers are written by these texts, most of which are numbers.
    pub(super) fn written_as<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mark = match Kind::infer(texts) {
            Inference::Clear(kind) if kind.is_number() && kind.has_comma() => ',',
            // A single bad value must not hide that the others are numbers: it is reported with its row.
            _ => '.',
        };
        Self { mark }
    }

    /// The number that a text writes.
    pub(super) fn read(self, text: &str) -> Option<Decimal> {
        Decimal::read(text.trim(), self.mark as u8).map(|(number, _)| number)
    }

    /// The decimal places that a text writes.
    pub(super) fn places(self, text: &str) -> u32 {
        Decimal::read(text.trim(), self.mark as u8).map_or(0, |(_, places)| places)
    }

    /// An interval that includes its lower end only. Where the comma is the decimal mark, a semicolon stands between the ends.
    pub(super) fn interval(self, low: &str, high: &str) -> String {
        let between = if self.mark == ',' { ';' } else { ',' };
        format!("[{low}{between}{high})")
    }

    /// An interval that includes its upper end only.
    pub(super) fn interval_above(self, low: &str, high: &str) -> String {
        let between = if self.mark == ',' { ';' } else { ',' };
        format!("({low}{between}{high}]")
    }

    /// A number as the column writes it.
    pub(super) fn write(self, number: Decimal) -> String {
        number.text(self.mark)
    }
}

/// A number and the unit that it shares with others, as integers: `12.5` and `0.25` are 1250 and 25 hundredths.
pub(super) fn in_one_unit(number: Decimal, other: Decimal) -> Option<(i128, i128, u32)> {
    let scale = number.places().max(other.places());
    Some((number.scaled(scale)?, other.scaled(scale)?, scale))
}
