//! What a column's values look like: patterns, by the share of distinct values that have them.

use super::ColumnValues;
use super::name_says::may_name_people;
use super::words::Topic;
use crate::table::date::{Date, DateFormat};
use crate::table::kind::{Inference, Kind};
use crate::table::personal::column::Sample;
use crate::table::personal::people::{FEW_ROWS, are_free_text, are_names};
use crate::table::personal::{self, Kinds, has_common_check_digits};

/// Shares of the values that have a sign: the first number of the second.
const MOSTLY: (usize, usize) = (4, 5);
const NEARLY: (usize, usize) = (9, 10);

/// Something the values of a column look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// Texts that point to a person by themselves.
    Personal(personal::Kind),
    /// Names of people.
    PersonName,
    /// Sentences.
    FreeText,
    /// Written as numbers are that states, banks or programs give, whether or not check digits are right.
    IdNumber,
    /// Postcodes.
    Postcode,
    /// Codes of diseases (ICD-10).
    Icd,
    /// Dates of birth.
    BirthDate,
    /// Numbers that count up from row to row.
    SequentialId,
}

impl Sign {
    /// What the values look like, to follow "its values look like".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::Personal(kind) => kind.many(),
            Self::PersonName => "names of people",
            Self::FreeText => "free text",
            Self::IdNumber => "personal numbers",
            Self::Postcode => "postcodes",
            Self::Icd => "codes of diseases",
            Self::BirthDate => "dates of birth",
            Self::SequentialId => "running numbers",
        }
    }
}

/// The signs of a column, in the order of [`Sign`]; `kinds` are what its values are by themselves.
pub(super) fn signs_of(
    column: &ColumnValues<'_>,
    sample: &Sample<'_>,
    kinds: Kinds,
    kind: Inference,
    topic: Option<Topic>,
) -> Vec<Sign> {
    let mut signs: Vec<Sign> = kinds.iter().map(Sign::Personal).collect();
    let distinct = column.values.len() as u64;
    let present = column.rows.saturating_sub(column.missing);
    let mut add = |sign, found: bool| {
        if found {
            signs.push(sign);
        }
    };
    add(Sign::PersonName, are_names(sample, distinct, present, may_name_people(topic)));
    add(Sign::FreeText, are_free_text(sample, distinct, present, topic == Some(Topic::FreeText)));
    let numbered =
        || sample.at_least(MOSTLY, |value| is_written_as_id(value) || has_common_check_digits(value));
    add(Sign::IdNumber, kinds.is_empty() && numbered());
    let texts = sample.texts();
    // Five digits alone may be anything; a leading zero or the column's name decides.
    let plain_postcodes = topic == Some(Topic::Postcode) || texts.iter().any(|value| value.starts_with('0'));
    let is_postcode = |value: &str| is_marked_postcode(value) || plain_postcodes && shape(value) == "99999";
    add(Sign::Postcode, sample.at_least(NEARLY, is_postcode));
    // So is a letter with two digits.
    let dotted = topic == Some(Topic::Health) || texts.iter().any(|value| value.contains('.'));
    add(Sign::Icd, dotted && sample.at_least(NEARLY, is_icd));
    add(Sign::BirthDate, is_birth_date(column, kind, topic));
    let each_its_own = present >= FEW_ROWS / 2 && distinct == present;
    add(Sign::SequentialId, each_its_own && counts_up(&column.values));
    signs
}

/// The shape of a text: `9` for digits, `A` for letters, other characters unchanged.
fn shape(value: &str) -> String {
    let kind = |letter: char| match letter {
        _ if letter.is_ascii_digit() => '9',
        _ if letter.is_alphabetic() => 'A',
        _ => letter,
    };
    value.chars().map(kind).collect()
}

/// The shapes of numbers that name people, also where no check digit is right.
fn is_written_as_id(value: &str) -> bool {
    [
        "999-99-9999",      // United States: social security
        "AA999999A",        // United Kingdom: national insurance
        "AA 99 99 99 A",    // the same, spaced
        "99999999A",        // Spain: identity card
        "999.999.999-99",   // Brazil: taxpayer
        "999.9999.9999.99", // Switzerland: old-age insurance
        "AAAAAA99A99A999A", // Italy: tax code
    ]
    .contains(&shape(value).as_str())
}

/// Postcodes that their shape gives away.
fn is_marked_postcode(value: &str) -> bool {
    [
        "99999-9999", // United States
        "99999-999",  // Brazil
        "9999-999",   // Portugal
        "999-9999",   // Japan
        "99-999",     // Poland
        "999 99",     // Sweden, Czechia
        "9999 AA",    // Netherlands
        "9999AA",     // Netherlands
        "A9A 9A9",    // Canada
        "A9 9AA",     // United Kingdom, and the next five
        "A99 9AA",
        "AA9 9AA",
        "AA99 9AA",
        "A9A 9AA",
        "AA9A 9AA",
    ]
    .contains(&shape(value).as_str())
}

fn is_icd(value: &str) -> bool {
    let (category, detail) = value.split_once('.').unwrap_or((value, ""));
    let mut signs = category.chars();
    let chapter = signs.next().is_some_and(|letter| letter.is_ascii_uppercase());
    let rest = signs.as_str();
    chapter
        && rest.len() == 2
        && rest.starts_with(|letter: char| letter.is_ascii_digit())
        && rest.chars().all(|letter| letter.is_ascii_alphanumeric())
        && detail.len() <= 4
        && detail.chars().all(|letter| letter.is_ascii_alphanumeric())
        && !value.ends_with('.')
}

/// Dates by the name of birth, or over more than 40 years: few other events of a table spread so far.
fn is_birth_date(column: &ColumnValues<'_>, kind: Inference, topic: Option<Topic>) -> bool {
    let format = match kind {
        Inference::Clear(Kind::Date(format)) => format,
        // The year, which is all that counts here, is the same in both readings.
        Inference::AmbiguousDate => DateFormat::DayMonthYear,
        Inference::Clear(_) => return false,
    };
    let years = || column.values.iter().filter_map(|value| format.parse(value)).map(|day| Date::of(day).year);
    let span = years().max().zip(years().min()).map_or(0, |(last, first)| last - first);
    topic == Some(Topic::BirthDate) || topic.is_none_or(|topic| topic == Topic::Date) && span > 40
}

/// Whether all values are numbers, perhaps after a common prefix, that fill nine tenths of their range.
pub(super) fn counts_up(values: &[&str]) -> bool {
    let split = |value: &str| {
        let prefix = value.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        value[prefix..].parse::<u64>().ok().map(|number| (prefix, number))
    };
    let Some((first, rest)) = values.split_first() else { return false };
    let Some((prefix, number)) = split(first) else { return false };
    let (mut low, mut high) = (number, number);
    for value in rest {
        match split(value) {
            Some((length, number)) if length == prefix && value[..length] == first[..length] => {
                (low, high) = (low.min(number), high.max(number));
            }
            _ => return false,
        }
    }
    u128::from(high - low) * 9 <= values.len() as u128 * 10
}
