//! Is what a step made of columns true of what they were?
//!
//! Every rule is written here a second time, from its definition, and every distinct pair of an original value and a new one is checked.

mod dates;
mod grid;
mod numbers;
mod people;
mod perturbed;
mod texts;

use foldhash::fast::FixedState;
use hashbrown::HashSet;
use scumble_files::Control;
use scumble_files::table::CodedColumn;
use serde_json::{Map, Value};

use crate::error::VerifyError;
use crate::watch::Pace;

pub use people::KnownOffsets;

/// A step that was carried out, with all of its parameters, those that were taken from the data included.
#[derive(Debug, Clone, Copy)]
pub struct StepClaim<'a> {
    /// The name of the transform.
    pub rule: &'a str,
    /// Its parameters.
    pub parameters: &'a Map<String, Value>,
    /// The columns that it changed, and then those that it also read.
    pub read: &'a [&'a CodedColumn],
    /// For each of these columns the texts that mean a missing value.
    pub missing: &'a [&'a [String]],
    /// For each of these columns the least and the greatest value that it may show.
    pub bounds: &'a [(Option<f64>, Option<f64>)],
    /// The columns that it made.
    pub made: &'a [&'a CodedColumn],
}

/// The result of checking a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOutcome {
    /// Whether every value of the new column is true of its original.
    pub holds: bool,
    /// The first row, counted from 0, whose value is not.
    pub first_false: Option<usize>,
}

impl StepOutcome {
    const TRUE: Self = Self { holds: true, first_false: None };

    fn false_in(row: usize) -> Self {
        Self { holds: false, first_false: Some(row) }
    }
}

/// Whether a text may stand in the new column where these texts stood.
type Rule<'a> = Box<dyn Fn(&[&str], &str) -> bool + Sync + 'a>;

/// Checks a step row by row. Returns an error if the rule is not known or does not fit its columns. `offsets` are those by which earlier steps
/// have moved dates.
pub fn check_step(
    claim: &StepClaim<'_>,
    offsets: &mut KnownOffsets,
    control: &Control,
) -> Result<StepOutcome, VerifyError> {
    let Some(first) = claim.made.first() else {
        return Err(claim.wrong("the columns that the step made are not there"));
    };
    let rows = first.codes.len();
    if claim.read.is_empty() || claim.read.len() != claim.missing.len() {
        return Err(claim.wrong("the columns that the step read are not all there"));
    }
    if claim.read.iter().chain(claim.made).any(|column| column.codes.len() != rows) {
        return Err(claim.wrong("the columns of the step have different numbers of rows"));
    }
    if let Some(outcome) = perturbed::check(claim, control) {
        return outcome;
    }
    let (1, 1..=2) = (claim.made.len(), claim.read.len()) else {
        return Err(claim.wrong("the step reads and makes other numbers of columns"));
    };
    match claim.rule {
        "pseudonym" => return people::are_codes(claim, control),
        "shift" => return people::are_moved(claim, offsets, control),
        _ => offsets.follow(claim),
    }
    check_values(claim, control)
}

/// Checks a rule that says what becomes of each value.
fn check_values(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let made = claim.made();
    let rows = made.codes.len();
    let rule = claim.rule()?;
    let holds = |codes: &[u32], made: u32| {
        let texts: Vec<&str> =
            claim.read.iter().zip(codes).map(|(column, code)| column.values.get(*code)).collect();
        let made = claim.made().values.get(made);
        // A missing value stays as it is.
        match (0..texts.len()).position(|place| claim.is_missing(place, texts[place])) {
            Some(place) => made == texts[place],
            None => rule(&texts, made),
        }
    };
    // Each distinct combination is checked once. A second column makes combinations too many to list by its codes.
    let first = claim.read[0];
    let second = claim.read.get(1);
    let mut met: Vec<Option<u32>> = vec![None; if second.is_none() { first.values.len() } else { 0 }];
    let mut seen: HashSet<(u32, u32, u32), FixedState> = HashSet::default();
    let mut pace = Pace::new(control);
    for row in 0..rows {
        pace.tick(1)?;
        let (code, made) = (first.codes.get(row), made.codes.get(row));
        let other = second.map_or(0, |column| column.codes.get(row));
        if let Some(before) = met.get_mut(code as usize) {
            if *before == Some(made) {
                continue;
            }
            before.get_or_insert(made);
        }
        if seen.insert((code, other, made)) && !holds(&[code, other][..claim.read.len()], made) {
            return Ok(StepOutcome { holds: false, first_false: Some(row) });
        }
    }
    Ok(StepOutcome { holds: true, first_false: None })
}

impl<'a> StepClaim<'a> {
    /// The first, and mostly only, column that the step made.
    fn made(&self) -> &'a CodedColumn {
        self.made[0]
    }

    fn rule(&self) -> Result<Rule<'a>, VerifyError> {
        match self.rule {
            "top" => numbers::coded(self, true),
            "bottom" => numbers::coded(self, false),
            "round" => numbers::rounded(self),
            "cut" => numbers::in_bands(self),
            "lump" => texts::lumped(self),
            "mask" => texts::masked(self),
            "zip3" => texts::zip3(self),
            "age" => dates::age(self),
            "days_since" => dates::days_since(self),
            "truncate" => dates::truncated(self),
            "geo" => grid::cell(self),
            _ => Err(VerifyError::Step {
                rule: self.rule.to_owned(),
                why: "this checker does not know the step".to_owned(),
            }),
        }
    }

    fn wrong(&self, why: &str) -> VerifyError {
        VerifyError::Step { rule: self.rule.to_owned(), why: why.to_owned() }
    }

    fn parameter(&self, name: &str) -> Option<&'a Value> {
        self.parameters.get(name)
    }

    /// A parameter that is a text.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.parameter(name)?.as_str()
    }

    /// A parameter that is a whole number.
    fn whole(&self, name: &str) -> Option<usize> {
        usize::try_from(self.parameter(name)?.as_u64()?).ok()
    }

    /// A parameter that is a number or a text, as a text.
    fn plain(&self, name: &str) -> Option<String> {
        self.parameter(name).map(plain)
    }

    /// A parameter that is a list, or one value alone, as texts.
    fn list(&self, name: &str) -> Option<Vec<String>> {
        Some(match self.parameter(name)? {
            Value::Array(items) => items.iter().map(plain).collect(),
            one => vec![plain(one)],
        })
    }

    /// The texts of a column that are no missing values and stand in some row.
    fn present(&self, place: usize) -> Vec<&'a str> {
        let Some((column, markers)) = self.read.get(place).zip(self.missing.get(place)) else {
            return Vec::new();
        };
        let mut occurs = vec![false; column.values.len()];
        column.codes.iter().for_each(|code| occurs[code as usize] = true);
        let texts = column.values.iter().zip(occurs).filter(|(_, occurs)| *occurs).map(|(text, _)| text);
        texts.filter(|text| !markers.iter().any(|marker| marker == text)).collect()
    }

    /// Whether a text of a column means a missing value.
    fn is_missing(&self, place: usize, text: &str) -> bool {
        self.missing.get(place).is_some_and(|markers| markers.iter().any(|marker| marker == text))
    }
}

/// A number or a text as a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
