//! Columns made of columns, by their distinct values.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use scumble_files::table::{CodedColumn, Codes, Texts};

use super::Given;
use crate::base::text::counted;
use crate::error::{Error, Result};

/// Which values of a column occur in a row. Rows may have been left out since the dictionary was made.
pub(super) fn occurring(column: &CodedColumn) -> Vec<bool> {
    let mut occurs = vec![false; column.values.len()];
    column.codes.iter().for_each(|code| occurs[code as usize] = true);
    occurs
}

/// The values of a column that occur and are not missing, with their codes.
pub(super) fn present<'c>(given: &Given<'_>, column: &'c CodedColumn) -> Vec<(u32, &'c str)> {
    let occurs = occurring(column);
    let values = (0..).zip(column.values.iter());
    values.filter(|(code, text)| occurs[*code as usize] && !given.is_missing(column, text)).collect()
}

/// The rows of each value of a column; where rows are not people, the people.
pub(super) fn counts(given: &Given<'_>, column: &CodedColumn) -> Vec<u64> {
    let mut counts = vec![0; column.values.len()];
    let Some(persons) = given.persons else {
        column.codes.iter().for_each(|code| counts[code as usize] += 1);
        return counts;
    };
    let mut pairs: Vec<(u32, u32)> = column.codes.iter().zip(persons.iter().copied()).collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs.iter().for_each(|(code, _)| counts[*code as usize] += 1);
    counts
}

/// What a rule makes of a value, or why it can make nothing of it: "is not a number".
pub(super) type Outcome = Result<String, &'static str>;

/// A column in which each value is what a rule makes of it. Missing values stay as they are. Values of which the rule makes nothing are an
/// error that names their rows and shows none of them.
pub(super) fn each_value(
    given: &Given<'_>,
    column: &CodedColumn,
    rule: impl Fn(&str) -> Outcome + Sync,
) -> Result<CodedColumn> {
    each_occurring(given, column, |_, text| rule(text))
}

/// Does the same with a rule that also looks at the code of the value.
pub(super) fn each_occurring(
    given: &Given<'_>,
    column: &CodedColumn,
    rule: impl Fn(u32, &str) -> Outcome + Sync,
) -> Result<CodedColumn> {
    given.control.check()?;
    let occurs = occurring(column);
    let markers = (given.missing)(&column.name);
    let of_code = |code: u32| {
        let text = column.values.get(code);
        match occurs[code as usize] {
            false => Ok(None),
            true if markers.iter().any(|marker| marker == text) => Ok(Some(text.to_owned())),
            true => rule(code, text).map(Some),
        }
    };
    let made: Vec<Result<Option<String>, &'static str>> =
        (0..column.values.len() as u32).into_par_iter().with_min_len(1 << 10).map(of_code).collect();
    if let Some(reason) = made.iter().find_map(|made| made.as_ref().err()) {
        let rows =
            (0_usize..).zip(column.codes.iter()).filter(|(_, code)| made[*code as usize] == Err(*reason));
        return Err(fault(given, column, reason, rows.map(|(row, _)| row)));
    }
    let made: Vec<Option<String>> = made.into_iter().map(|made| made.unwrap_or(None)).collect();
    Ok(recoded(given.makes(), &made, &column.codes))
}

/// The error of rows whose value a step cannot use. It shows no value.
pub(super) fn fault(
    given: &Given<'_>,
    column: &CodedColumn,
    reason: &str,
    rows: impl Iterator<Item = usize>,
) -> Error {
    let rows: Vec<usize> = rows.collect();
    let number = rows.first().map_or(0, |row| (given.number)(*row));
    let others = match rows.len() as u64 {
        0 | 1 => String::new(),
        more => format!(", and the same is true of {}", counted(more - 1, "further row", "further rows")),
    };
    Error::data(format!("the value {reason}{others}"))
        .in_row(number)
        .in_column(&column.name)
        .advise("correct the values, or declare them as missing (missing)")
}

/// A column of new texts: one for each old code that occurs.
pub(super) fn recoded(name: &str, text_of_code: &[Option<String>], codes: &Codes) -> CodedColumn {
    let texts = (0..).zip(text_of_code).filter_map(|(code, text)| text.as_deref().map(|text| (code, text)));
    let mut sorted: Vec<(u64, &str, u32)> = texts.map(|(code, text)| (beginning(text), text, code)).collect();
    // Most steps keep the order of most values, which a stable sort makes use of.
    sorted.par_sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let mut values = Texts::default();
    let mut place_of_code = vec![0; text_of_code.len()];
    let mut last = None;
    for (_, text, code) in sorted {
        if last != Some(text) {
            values.push(text);
            last = Some(text);
        }
        place_of_code[code as usize] = values.len() as u32 - 1;
    }
    let mut new = Codes::with_capacity(values.len(), codes.len());
    codes.iter().for_each(|code| new.push(place_of_code[code as usize]));
    CodedColumn { name: name.to_owned(), values, codes: new }
}

/// The first bytes of a text as a number that sorts like them.
fn beginning(text: &str) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(8);
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    u64::from_be_bytes(bytes)
}

/// A column with a value for each row, of which each different one is written once.
pub(super) fn of_rows<V: Copy + Eq + Hash>(
    name: &str,
    rows: impl Iterator<Item = V>,
    text: impl Fn(V) -> String,
) -> CodedColumn {
    let mut known: HashMap<V, u32, FixedState> = HashMap::default();
    let mut texts = Vec::new();
    let codes: Vec<u32> = rows
        .map(|value| {
            *known.entry(value).or_insert_with(|| {
                texts.push(Some(text(value)));
                texts.len() as u32 - 1
            })
        })
        .collect();
    recoded(name, &texts, &Codes::narrow(texts.len(), &codes))
}
