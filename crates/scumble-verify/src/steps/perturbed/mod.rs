//! Steps after which no value is promised to be true: does the law of the method hold?
//!
//! Chance decides what such a step makes, so these checks say what it may have made: missing values stay missing, exchanged values are the same as
//! a whole and did not move too far, noise stays within bounds.

mod categories;
mod households;
mod noise;
mod ranks;

use scumble_files::Control;
use scumble_files::table::CodedColumn;

use super::numbers::has_comma;
use super::{StepClaim, StepOutcome};
use crate::error::VerifyError;
use crate::value::Decimal;

/// Checks a step that perturbs; `None` if it is another.
pub(super) fn check(claim: &StepClaim<'_>, control: &Control) -> Option<Result<StepOutcome, VerifyError>> {
    let law = match claim.rule {
        "noise" => noise::is_noisy,
        "multiply" => noise::is_multiplied,
        "rank_swap" => ranks::is_swapped,
        "shuffle" => ranks::is_shuffled,
        "pram" => categories::is_redrawn,
        "record_swap" => households::are_swapped,
        _ => return None,
    };
    if claim.made.len() > claim.read.len() || claim.bounds.len() != claim.read.len() {
        return Some(Err(claim.wrong("the step reads and makes other numbers of columns")));
    }
    Some(law(claim, control))
}

/// A column of numbers before and after a step.
struct Numbers<'a> {
    before: &'a CodedColumn,
    after: &'a CodedColumn,
    of_code: Vec<Option<Decimal>>,
    of_new_code: Vec<Option<Decimal>>,
    missing: Vec<bool>,
}

impl<'a> Numbers<'a> {
    /// The numbers of a column; an error if it has something else.
    fn of(claim: &StepClaim<'a>, place: usize) -> Result<Self, VerifyError> {
        let (before, after) = (claim.read[place], claim.made[place]);
        let comma = has_comma(&claim.present(place));
        let read = |column: &CodedColumn| -> Vec<Option<Decimal>> {
            column.values.iter().map(|text| Decimal::read(text.trim(), comma)).collect()
        };
        let missing = before.values.iter().map(|text| claim.is_missing(place, text)).collect();
        Ok(Self { before, after, of_code: read(before), of_new_code: read(after), missing })
    }

    fn rows(&self) -> usize {
        self.before.codes.len()
    }

    fn is_missing(&self, row: usize) -> bool {
        self.missing[self.before.codes.get(row) as usize]
    }

    /// The number before and after; `None` where one of them is none.
    fn pair(&self, row: usize) -> Option<(Decimal, Decimal)> {
        let before = self.of_code[self.before.codes.get(row) as usize];
        before.zip(self.of_new_code[self.after.codes.get(row) as usize])
    }

    fn texts(&self, row: usize) -> (&'a str, &'a str) {
        let (before, after) = (self.before, self.after);
        (before.values.get(before.codes.get(row)), after.values.get(after.codes.get(row)))
    }

    /// The first row in which a missing value did not stay, or a number did not become a number.
    fn first_without_pair(&self) -> Option<usize> {
        (0..self.rows()).find(|row| match self.is_missing(*row) {
            true => {
                let (before, after) = self.texts(*row);
                before != after
            }
            false => self.pair(*row).is_none(),
        })
    }

    /// The decimal places that the column writes: no number that it shows may have more.
    fn places(&self) -> i64 {
        let mut occurs = vec![false; self.before.values.len()];
        self.before.codes.iter().for_each(|code| occurs[code as usize] = true);
        let written = |(code, text): (usize, &str)| {
            (occurs[code] && !self.missing[code] && self.of_code[code].is_some())
                .then(|| written_places(text))
        };
        self.before.values.iter().enumerate().filter_map(written).max().unwrap_or(0)
    }
}

/// The decimal places that a number writes, zeros at its end included.
fn written_places(text: &str) -> i64 {
    let (digits, exponent) = text.trim().split_once(['e', 'E']).unwrap_or((text.trim(), "0"));
    let places = digits.rsplit_once(['.', ',']).map_or(0, |(_, places)| places.len() as i64);
    (places - exponent.parse::<i64>().unwrap_or(0)).max(0)
}

/// The rows of each group of a column, or all rows.
fn groups(within: Option<&CodedColumn>, rows: usize) -> Vec<Vec<usize>> {
    let Some(within) = within else { return vec![(0..rows).collect()] };
    let mut groups = vec![Vec::new(); within.values.len()];
    (0..rows).for_each(|row| groups[within.codes.get(row) as usize].push(row));
    groups
}

#[cfg(test)]
mod tests;
