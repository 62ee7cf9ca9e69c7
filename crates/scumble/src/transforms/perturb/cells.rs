//! The numbers of a column, row by row, and the column of the numbers that take their place.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use scumble_files::table::{CodedColumn, Codes};

use super::super::numbers::{NOT_A_NUMBER, Numbers, ReadNumbers};
use super::super::values::recoded;
use super::super::{Bounds, Given};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The most decimal places that noise is written with.
const MOST_PLACES: u32 = 12;

/// A column of numbers.
pub(super) struct Cells<'a> {
    pub(super) column: &'a CodedColumn,
    numbers: Numbers,
    /// How many decimal places its numbers have.
    pub(super) places: u32,
    of_code: Vec<Option<Decimal>>,
    floats: Vec<Option<f64>>,
    bounds: Bounds,
}

impl<'a> Cells<'a> {
    /// Reads a column; an error if a value is no number. `places` are the decimal places, where an earlier table has settled them.
    pub(super) fn of(given: &Given<'a>, column: &'a CodedColumn, places: Option<u32>) -> Result<Self> {
        let read = ReadNumbers::of(given, column).map_err(|error| {
            error.advise("for a column of categories use pram: it draws another category")
        })?;
        read.refuse(given, NOT_A_NUMBER, |code| read.of_code[code].is_none())?;
        let (numbers, of_code) = (read.numbers, read.of_code);
        let floats: Vec<Option<f64>> = of_code.iter().map(|number| number.map(Decimal::float)).collect();
        let read = column.values.iter().zip(&of_code).filter(|(_, number)| number.is_some());
        let most = read.map(|(text, _)| numbers.places(text)).max().unwrap_or(0);
        let places = places.unwrap_or(most).min(MOST_PLACES);
        Ok(Self { column, numbers, places, of_code, floats, bounds: (given.bounds)(&column.name) })
    }

    pub(super) fn rows(&self) -> usize {
        self.column.codes.len()
    }

    /// The number of a row, if it has one.
    pub(super) fn get(&self, row: usize) -> Option<f64> {
        self.floats[self.column.codes.get(row) as usize]
    }

    /// The exact number of a row, if it has one.
    pub(super) fn exact(&self, row: usize) -> Option<Decimal> {
        self.of_code[self.column.codes.get(row) as usize]
    }

    /// The least step between two numbers of the column.
    pub(super) fn unit(&self) -> f64 {
        0.1_f64.powi(self.places as i32)
    }

    /// A number as a multiple of the unit.
    pub(super) fn in_units(&self, number: f64) -> f64 {
        number * 10_f64.powi(self.places as i32)
    }

    /// Whether the plan lets the column show a number.
    pub(super) fn allows(&self, number: f64) -> bool {
        let (low, high) = self.bounds;
        low.is_none_or(|low| low <= number) && high.is_none_or(|high| number <= high)
    }

    /// A number that lies beyond a declared bound, reflected there; at the bound if that is not enough.
    pub(super) fn reflected(&self, number: f64) -> f64 {
        let once = match self.bounds {
            (Some(low), _) if number < low => 2.0 * low - number,
            (_, Some(high)) if number > high => 2.0 * high - number,
            _ => number,
        };
        self.clipped(once)
    }

    /// A number, or the bound that it lies beyond.
    pub(super) fn clipped(&self, number: f64) -> f64 {
        let (low, high) = self.bounds;
        number.max(low.unwrap_or(f64::NEG_INFINITY)).min(high.unwrap_or(f64::INFINITY))
    }

    /// The column with other numbers, in multiples of the unit; a row without one stays as it is.
    pub(super) fn with(&self, name: &str, of_row: impl Iterator<Item = Option<f64>>) -> Result<CodedColumn> {
        let mut places: HashMap<(u64, u32), u32, FixedState> = HashMap::default();
        let mut texts: Vec<Option<String>> = Vec::new();
        let mut codes = Vec::with_capacity(self.rows());
        let mut is_too_large = false;
        for (code, units) in self.column.codes.iter().zip(of_row) {
            let key = match units {
                // Zero has two bit patterns.
                Some(units) => ((units + 0.0).to_bits(), u32::MAX),
                None => (0, code),
            };
            codes.push(*places.entry(key).or_insert_with(|| {
                let text = match units {
                    None => self.column.values.get(code).to_owned(),
                    Some(units) => {
                        // Whole numbers beyond this are not exact.
                        is_too_large |= units.is_nan() || units.abs() > (1_u64 << 53) as f64;
                        self.numbers.write(Decimal::of(units as i128, -(self.places as i32)))
                    }
                };
                texts.push(Some(text));
                texts.len() as u32 - 1
            }));
        }
        if is_too_large {
            return Err(Error::data("the numbers have more than 15 digits, which is too many for this step")
                .in_column(&self.column.name)
                .advise("round the column first, with the step round"));
        }
        Ok(recoded(name, &texts, &Codes::narrow(texts.len(), &codes)))
    }

    /// The column with the exact number of some rows replaced.
    pub(super) fn with_exact(
        &self,
        name: &str,
        of_row: impl Iterator<Item = Option<Decimal>>,
    ) -> CodedColumn {
        let mut places: HashMap<Result<Decimal, u32>, u32, FixedState> = HashMap::default();
        let mut texts: Vec<Option<String>> = Vec::new();
        let mut codes = Vec::with_capacity(self.rows());
        for (code, number) in self.column.codes.iter().zip(of_row) {
            codes.push(*places.entry(number.ok_or(code)).or_insert_with(|| {
                texts.push(Some(match number {
                    Some(number) => self.numbers.write(number),
                    None => self.column.values.get(code).to_owned(),
                }));
                texts.len() as u32 - 1
            }));
        }
        recoded(name, &texts, &Codes::narrow(texts.len(), &codes))
    }
}

/// The number of each row of a column; `None` where it has none.
#[must_use]
pub fn floats_of_rows(column: &CodedColumn, missing: &[String]) -> Vec<Option<f64>> {
    let present = |text: &&str| !missing.iter().any(|marker| marker == text);
    let numbers = Numbers::written_as(column.values.iter().filter(present));
    let read = |text: &str| numbers.read(text).map(Decimal::float).filter(|_| present(&text));
    let of_code: Vec<Option<f64>> = column.values.iter().map(read).collect();
    column.codes.iter().map(|code| of_code[code as usize]).collect()
}
