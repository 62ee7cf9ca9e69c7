//! What is true of a table and not of single values: codes that stand for one value each, and offsets of dates that are one for each person.
//!
//! The checker has no key. It cannot tell whether a code or an offset is the right one, only whether they keep what is promised of them.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use scumble_files::Control;
use scumble_files::table::Texts;

use super::dates::{Dates, day_of};
use super::{StepClaim, StepOutcome};
use crate::error::VerifyError;
use crate::watch::Pace;

/// The signs of a code: digits and letters, without those that look like others.
const SIGNS: &str = "0123456789abcdefghjkmnpqrstvwxyz";

/// What is known of dates that were moved.
#[derive(Debug, Default)]
pub struct KnownOffsets {
    /// The days by which the dates of people were moved, by project and person.
    days: BTreeMap<String, HashMap<String, i128, FixedState>>,
    /// The columns that hold moved dates, or what was made of some.
    moved: BTreeSet<String>,
}

impl KnownOffsets {
    /// Remembers what a step made of dates that had been moved.
    pub(super) fn follow(&mut self, claim: &StepClaim<'_>) {
        if claim.read.iter().any(|column| self.moved.contains(&column.name)) {
            self.moved.insert(claim.made().name.clone());
        }
    }
}

/// Whether equal values have equal codes, different values have different codes, and no code is a value.
pub(super) fn are_codes(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let &[column] = claim.read else { return Err(claim.wrong("codes are made of one column")) };
    let length = claim.whole("length").unwrap_or(16);
    let alike = claim.list("normalise").unwrap_or_else(|| vec!["trim".to_owned()]);
    let mut code_of: HashMap<String, u32, FixedState> = HashMap::default();
    let mut value_of: Vec<Option<String>> = vec![None; claim.made().values.len()];
    let mut made_of: Vec<Option<u32>> = vec![None; column.values.len()];
    let mut pace = Pace::new(control);
    for row in 0..column.codes.len() {
        pace.tick(1)?;
        let (read, made) = (column.codes.get(row), claim.made().codes.get(row));
        match made_of[read as usize].replace(made) {
            Some(before) if before == made => continue,
            Some(_) => return Ok(StepOutcome::false_in(row)),
            None => {}
        }
        let (text, code) = (column.values.get(read), claim.made().values.get(made));
        if claim.is_missing(0, text) {
            match text == code {
                true => continue,
                false => return Ok(StepOutcome::false_in(row)),
            }
        }
        let has_shape = code.chars().count() == length && code.chars().all(|sign| SIGNS.contains(sign));
        let value =
            made_alike(text, &alike).ok_or_else(|| claim.wrong("values are made alike in an unknown way"))?;
        let is_only = *code_of.entry(value.clone()).or_insert(made) == made
            && *value_of[made as usize].get_or_insert(value.clone()) == value;
        if !has_shape || !is_only || column.values.find_sorted(code).is_some() {
            return Ok(StepOutcome::false_in(row));
        }
    }
    Ok(StepOutcome::TRUE)
}

/// A value as it counts for its code; `None` if it is not known how.
fn made_alike(text: &str, how: &[String]) -> Option<String> {
    let mut value = text.to_owned();
    for step in how {
        value = match step.as_str() {
            "trim" => value.trim().to_owned(),
            "lower" => value.to_lowercase(),
            "digits" => value.chars().filter(char::is_ascii_digit).collect(),
            _ => return None,
        };
    }
    Some(value)
}

/// Whether all dates of a person were moved by one number of days, which the step may choose.
pub(super) fn are_moved(
    claim: &StepClaim<'_>,
    known: &mut KnownOffsets,
    control: &Control,
) -> Result<StepOutcome, VerifyError> {
    let &[column, people] = claim.read else { return Err(claim.wrong("dates and people are two columns")) };
    // Two moves may cancel each other out, and then a true date would count as a moved one.
    if known.moved.contains(&column.name) {
        return Err(claim.wrong("its dates were moved before"));
    }
    known.moved.insert(claim.made().name.clone());
    let dates = Dates::of(claim, 0, claim.text("format"), false)?;
    let max = claim.whole("max").unwrap_or(182) as i128;
    let unit = claim.whole("unit").unwrap_or(1) as i128;
    if unit == 0 {
        return Err(claim.wrong("the unit is 0"));
    }
    let past = match claim.text("direction") {
        None | Some("both") => false,
        Some("past") => true,
        Some(_) => return Err(claim.wrong("the direction is not known")),
    };
    let last = claim.text("not_after").map(|_| {
        let day = day_of(claim, "not_after").map(super::dates::Moment::number);
        day.ok_or_else(|| claim.wrong("the last day is not known"))
    });
    let last = last.transpose()?;
    let project = claim.plain("project").ok_or_else(|| claim.wrong("the project is not known"))?;
    let known = known.days.entry(project).or_default();
    let days = |texts: &Texts| -> Vec<Option<i128>> {
        texts.iter().map(|text| dates.read(text).map(super::dates::Moment::number)).collect()
    };
    let (from, to) = (days(&column.values), days(&claim.made().values));
    // The offset of each person of this column, so that a person is looked up once.
    let mut offset_of: Vec<Option<i128>> = vec![None; people.values.len()];
    let mut pace = Pace::new(control);
    for row in 0..column.codes.len() {
        pace.tick(1)?;
        let text = column.values.get(column.codes.get(row));
        let made = claim.made().values.get(claim.made().codes.get(row));
        if claim.is_missing(0, text) {
            match text == made {
                true => continue,
                false => return Ok(StepOutcome::false_in(row)),
            }
        }
        let person = people.codes.get(row);
        let (from, to) = (from[column.codes.get(row) as usize], to[claim.made().codes.get(row) as usize]);
        let Some((from, to)) = from.zip(to) else {
            return Ok(StepOutcome::false_in(row));
        };
        let offset = to - from;
        let is_allowed = offset != 0
            && offset.abs() <= max
            && offset % unit == 0
            && !(past && offset > 0)
            && last.is_none_or(|last| to <= last);
        let is_one = match offset_of[person as usize] {
            Some(before) => before == offset,
            None => {
                let person = people.values.get(person);
                !claim.is_missing(1, person)
                    && *known.entry(person.trim().to_owned()).or_insert(offset) == offset
            }
        };
        offset_of[person as usize] = Some(offset);
        // What follows the day is the time, which stays as it was written.
        let same_time = matches!(dates, Dates::Days(_)) || text.trim().get(10..) == made.get(10..);
        if !is_allowed || !is_one || !same_time {
            return Ok(StepOutcome::false_in(row));
        }
    }
    Ok(StepOutcome::TRUE)
}
