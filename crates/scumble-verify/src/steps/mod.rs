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
use rayon::prelude::*;
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

/// Whether a value may stand in the new column where these values stood.
enum Rule<'a> {
    /// By the texts.
    Texts(Box<TextRule<'a>>),
    /// By the codes, for columns whose texts are read once.
    Codes(Box<CodeRule<'a>>),
}

type TextRule<'a> = dyn Fn(&[&str], &str) -> bool + Sync + 'a;
type CodeRule<'a> = dyn Fn(&[u32], u32) -> bool + Sync + 'a;

impl<'a> Rule<'a> {
    fn texts(rule: impl Fn(&[&str], &str) -> bool + Sync + 'a) -> Self {
        Self::Texts(Box::new(rule))
    }

    fn codes(rule: impl Fn(&[u32], u32) -> bool + Sync + 'a) -> Self {
        Self::Codes(Box::new(rule))
    }
}

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
    let (first, second) = (claim.read[0], claim.read.get(1));
    let rule = claim.rule()?;
    // What a rounded number is rounded with says nothing about it; all other rules make their value of both columns.
    let making = if claim.rule == "round" { 1 } else { claim.read.len() };
    let missing: Vec<Vec<bool>> = (0..making).map(|place| claim.missing_codes(place)).collect();
    let holds = |codes: &[u32], made_code: u32| {
        let mut texts = claim.read.iter().zip(codes).map(|(column, code)| column.values.get(*code));
        // A missing value stays as it is.
        if let Some(place) = (0..making).find(|place| missing[*place][codes[*place] as usize]) {
            return texts.nth(place) == Some(made.values.get(made_code));
        }
        match &rule {
            Rule::Texts(rule) => rule(&texts.collect::<Vec<_>>(), made.values.get(made_code)),
            Rule::Codes(rule) => rule(codes, made_code),
        }
    };
    let mut pairs = Pairs { met: vec![None; first.values.len()], further: HashSet::default() };
    let mut pace = Pace::new(control);
    // Rows are checked block by block, so that a check can stop and the first false row is found.
    for begin in (0..made.codes.len()).step_by(BLOCK) {
        let end = (begin + BLOCK).min(made.codes.len());
        pace.tick(end - begin)?;
        let wrong = match second {
            // What becomes of a value is checked once.
            None => {
                let new = |row: &usize| pairs.is_new(first.codes.get(*row), made.codes.get(*row));
                let rows: Vec<usize> = (begin..end).filter(new).collect();
                let is_wrong = |row: &usize| !holds(&[first.codes.get(*row)], made.codes.get(*row));
                rows.into_par_iter().with_min_len(1 << 10).filter(is_wrong).min()
            }
            // Combinations of two columns are too many to be remembered.
            Some(second) => {
                let codes = |row: usize| [first.codes.get(row), second.codes.get(row)];
                let is_wrong = |row: &usize| !holds(&codes(*row), made.codes.get(*row));
                (begin..end).into_par_iter().with_min_len(1 << 10).filter(is_wrong).min()
            }
        };
        if let Some(row) = wrong {
            return Ok(StepOutcome::false_in(row));
        }
    }
    Ok(StepOutcome::TRUE)
}

/// How many rows are checked before it is asked whether to stop.
const BLOCK: usize = 1 << 17;

/// The pairs of an original value and a new one that were met.
struct Pairs {
    /// The new value that was first met with each original one.
    met: Vec<Option<u32>>,
    /// Pairs with another new value, as draws make them.
    further: HashSet<(u32, u32), FixedState>,
}

impl Pairs {
    fn is_new(&mut self, code: u32, made: u32) -> bool {
        match &mut self.met[code as usize] {
            Some(before) if *before == made => false,
            Some(_) => self.further.insert((code, made)),
            met => {
                *met = Some(made);
                true
            }
        }
    }
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

    /// Whether each code of a column means a missing value.
    fn missing_codes(&self, place: usize) -> Vec<bool> {
        by_code(self.read[place], |text| self.is_missing(place, text))
    }

    /// Whether a text of a column means a missing value.
    fn is_missing(&self, place: usize, text: &str) -> bool {
        self.missing.get(place).is_some_and(|markers| markers.iter().any(|marker| marker == text))
    }
}

/// What each text of a column means, by its code.
fn by_code<T: Send>(column: &CodedColumn, read: impl Fn(&str) -> T + Sync) -> Vec<T> {
    let codes = (0..column.values.len() as u32).into_par_iter().with_min_len(1 << 10);
    codes.map(|code| read(column.values.get(code))).collect()
}

/// A number or a text as a text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
