//! The range of (k,e)-anonymity: how far apart the numbers of a class are.

use scumble_files::table::CodedColumn;

use super::super::original::fault;
use super::super::requirement::{Parameters, texts};
use super::super::{Judgement, LIST};
use super::Judge;
use crate::error::VerifyError;
use crate::exact::{Rational, compare_products};
use crate::value::Decimal;

/// The numbers of a class must be at least `e` apart, from the least to the greatest.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Span {
    pub(in super::super) e: Rational,
    /// Whether the decimal mark is a comma.
    comma: bool,
    /// Texts that are not numbers, even if they look like one.
    missing: Vec<String>,
}

impl Span {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        Ok(Self {
            e: parameters.number("e")?,
            comma: parameters.boolean("comma")?,
            missing: parameters.optional("missing", LIST, texts)?.unwrap_or_default(),
        })
    }

    pub(super) fn prepare(&self, column: &CodedColumn) -> Result<Judge<'_>, VerifyError> {
        let numbers = Numbers::read(column, self.comma, &self.missing)?;
        Ok(Box::new(move |_, histogram| {
            let range = numbers.range(histogram);
            let order = compare_products(range, self.e.denominator, self.e.numerator, numbers.unit);
            Judgement { holds: order.is_ge(), attained: numbers.figure(range) }
        }))
    }
}

/// The numbers that the texts of a column stand for, as integers in a common unit.
pub(in super::super) struct Numbers {
    of_code: Vec<Option<i128>>,
    /// The number of units in 1.
    unit: u128,
}

impl Numbers {
    /// Reads the numbers of a column. A text that is not a number has none, and neither has a missing value. It is left out of
    /// the range, which can only make the range smaller.
    pub(in super::super) fn read(
        column: &CodedColumn,
        comma: bool,
        missing: &[String],
    ) -> Result<Self, VerifyError> {
        let read = |text: &str| {
            if missing.iter().any(|marker| marker == text) { None } else { Decimal::read(text, comma) }
        };
        let numbers: Vec<Option<Decimal>> = column.values.iter().map(read).collect();
        let places = numbers.iter().flatten().map(|number| number.places()).max().unwrap_or(0);
        let too_long = || fault("numbers", column, "they have too many digits to be compared exactly");
        let unit = u32::try_from(places).ok().and_then(|places| 10u128.checked_pow(places));
        let scaled = |number: Option<Decimal>| match number {
            Some(number) => number.scaled(places).map(Some).ok_or_else(too_long),
            None => Ok(None),
        };
        let of_code = numbers.into_iter().map(scaled).collect::<Result<_, _>>()?;
        Ok(Self { of_code, unit: unit.ok_or_else(too_long)? })
    }

    /// The number of each code, in units.
    pub(super) fn of_codes(&self) -> &[Option<i128>] {
        &self.of_code
    }

    /// The number of units in 1.
    pub(super) fn units(&self) -> u128 {
        self.unit
    }

    /// The difference of the extremes of a class in units; 0 if the class has no numbers.
    pub(in super::super) fn range(&self, histogram: &[(u32, u64)]) -> u128 {
        let numbers = || histogram.iter().filter_map(|&(code, _)| self.of_code[code as usize]);
        numbers().max().zip(numbers().min()).map_or(0, |(most, least)| most.abs_diff(least))
    }

    /// So many units in the column's own unit, for reports.
    pub(in super::super) fn figure(&self, range: u128) -> f64 {
        range as f64 / self.unit as f64
    }
}
