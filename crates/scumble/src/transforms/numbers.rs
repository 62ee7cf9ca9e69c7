//! A column's texts as exact numbers.

use scumble_files::table::CodedColumn;

use super::Given;
use super::values::present;
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

impl Numbers {
    /// How the numbers of a column are written; an error if it has none.
    pub(super) fn of(given: &Given<'_>, column: &CodedColumn) -> Result<Self> {
        let texts: Vec<&str> = present(given, column).into_iter().map(|(_, text)| text).collect();
        // What a step at one end has coded is written like the numbers.
        let end = |text: &str| text.strip_prefix(">=").or(text.strip_prefix("<=")).unwrap_or(text).to_owned();
        let ends: Vec<String> = texts.iter().map(|text| end(text)).collect();
        let numbers = Self::written_as(ends.iter().map(String::as_str));
        if texts.is_empty() || texts.iter().any(|text| numbers.read(text).is_some()) {
            return Ok(numbers);
        }
        Err(Error::config("the step needs numbers, and no value of the column is one")
            .in_column(&column.name))
    }

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
