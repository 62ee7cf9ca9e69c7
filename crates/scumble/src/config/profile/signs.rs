//! What a column's values look like: patterns, by the share of distinct values that have them.

use super::ColumnValues;
use super::words::{Topic, is_first_name};
use crate::table::date::{Date, DateFormat};
use crate::table::kind::{Inference, Kind};

/// Something the values of a column look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// E-mail addresses.
    Email,
    /// Phone numbers.
    Phone,
    /// Names of people.
    PersonName,
    /// Sentences.
    FreeText,
    /// Addresses of web pages.
    Url,
    /// Network addresses of devices.
    IpAddress,
    /// Bank account numbers (IBAN) with right check digits.
    Iban,
    /// Numbers that states, banks or programs give: social security, identity card, payment card, UUID.
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
            Self::Email => "e-mail addresses",
            Self::Phone => "phone numbers",
            Self::PersonName => "names of people",
            Self::FreeText => "free text",
            Self::Url => "web addresses",
            Self::IpAddress => "network addresses",
            Self::Iban => "bank account numbers",
            Self::IdNumber => "personal numbers",
            Self::Postcode => "postcodes",
            Self::Icd => "codes of diseases",
            Self::BirthDate => "dates of birth",
            Self::SequentialId => "running numbers",
        }
    }
}

/// The most distinct values that are looked at for patterns; evenly spaced over the sorted ones.
const SAMPLE: usize = 2_000;
/// The fewest rows from which the values alone say something about uniqueness.
const FEW_ROWS: u64 = 20;

/// The signs of a column, in the order of [`Sign`].
pub(super) fn signs_of(column: &ColumnValues<'_>, kind: Inference, topic: Option<Topic>) -> Vec<Sign> {
    if column.values.is_empty() {
        return Vec::new();
    }
    let step = column.values.len().div_ceil(SAMPLE);
    let sample: Vec<&str> = column.values.iter().step_by(step).map(|value| value.trim()).collect();
    let share = |fits: &dyn Fn(&str) -> bool| {
        sample.iter().filter(|value| fits(value)).count() as f64 / sample.len() as f64
    };
    let distinct = column.values.len() as u64;
    let present = column.rows.saturating_sub(column.missing);
    let varied = present >= FEW_ROWS && 2 * distinct >= present;
    let mut signs = Vec::new();
    let mut add = |sign, found: bool| {
        if found {
            signs.push(sign);
        }
    };
    add(Sign::Email, share(&is_email) >= 0.8);
    add(Sign::Phone, share(&is_phone) >= 0.8);
    // A few values may be such words by chance.
    add(
        Sign::PersonName,
        distinct >= 10 && share(&has_first_name) >= 0.3 || varied && share(&looks_like_full_name) >= 0.9,
    );
    let wordy = match topic {
        Some(Topic::FreeText) => share(&|value| value.split_whitespace().count() >= 3) >= 0.3,
        _ => share(&|value| value.split_whitespace().count() >= 5) >= 0.5 && 3 * distinct >= present,
    };
    add(Sign::FreeText, wordy);
    add(Sign::Url, share(&is_url) >= 0.8);
    add(Sign::IpAddress, share(&is_ip_address) >= 0.8);
    add(Sign::Iban, share(&is_iban) >= 0.8);
    add(Sign::IdNumber, share(&is_id_number) >= 0.8);
    // Five digits alone may be anything; a leading zero or the column's name decides.
    let plain_postcodes = topic == Some(Topic::Postcode) || sample.iter().any(|value| value.starts_with('0'));
    add(
        Sign::Postcode,
        share(&|value| is_marked_postcode(value) || plain_postcodes && shape(value) == "99999") >= 0.9,
    );
    // So is a letter with two digits.
    let dotted = topic == Some(Topic::Health) || sample.iter().any(|value| value.contains('.'));
    add(Sign::Icd, dotted && share(&is_icd) >= 0.9);
    add(Sign::BirthDate, is_birth_date(column, kind, topic));
    add(Sign::SequentialId, present >= FEW_ROWS / 2 && distinct == present && counts_up(&column.values));
    signs
}

/// The shape of a text: `9` for digits, `A` for letters, other characters as they are.
fn shape(value: &str) -> String {
    let kind = |letter: char| match letter {
        _ if letter.is_ascii_digit() => '9',
        _ if letter.is_alphabetic() => 'A',
        _ => letter,
    };
    value.chars().map(kind).collect()
}

fn is_email(value: &str) -> bool {
    let Some((user, host)) = value.split_once('@') else { return false };
    let no_space = !value.contains(char::is_whitespace) && !host.contains('@');
    let labels = host.split('.').all(|label| !label.is_empty());
    !user.is_empty() && no_space && host.contains('.') && labels
}

fn is_url(value: &str) -> bool {
    let lower = value.to_lowercase();
    ["http://", "https://", "ftp://", "www."].iter().any(|start| lower.starts_with(start))
        && !value.contains(char::is_whitespace)
}

fn is_ip_address(value: &str) -> bool {
    value.parse::<std::net::IpAddr>().is_ok()
}

fn is_phone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let marks = value.chars().filter(|letter| " -/.()".contains(*letter)).count();
    let plus = value.starts_with('+');
    let other_signs = value.chars().count() - digits - marks - usize::from(plus);
    let long_with_zero = value.starts_with('0') && digits >= 9;
    if !(7..=15).contains(&digits) || other_signs > 0 || !(plus || marks >= 2 || long_with_zero) {
        return false;
    }
    let is_date = DateFormat::ALL.into_iter().any(|format| format.parse(value).is_some());
    // 1.234.567 is a number in many countries.
    let mut groups = value.split('.');
    let first = groups.next().map_or(0, str::len);
    let thousands =
        (1..=3).contains(&first) && groups.clone().count() > 1 && groups.all(|group| group.len() == 3);
    !is_date && !thousands && !is_ip_address(value) && !is_id_number(value) && !is_marked_postcode(value)
}

/// The account number's letters count as 10 to 35; the whole, with its first four signs last, is 1 modulo 97.
fn is_iban(value: &str) -> bool {
    let signs: Vec<char> = value.chars().filter(|letter| *letter != ' ').collect();
    if !(15..=34).contains(&signs.len()) || !signs.iter().all(char::is_ascii_alphanumeric) {
        return false;
    }
    let head: String = signs[..4].iter().collect();
    let remainder = signs[4..].iter().chain(&signs[..4]).fold(0_u32, |remainder, sign| {
        let digit = sign.to_digit(36).unwrap_or_default();
        (remainder * if digit < 10 { 10 } else { 100 } + digit) % 97
    });
    shape(&head) == "AA99" && remainder == 1
}

fn is_id_number(value: &str) -> bool {
    let shape = shape(value);
    let known_shape = [
        "999-99-9999",      // United States: social security
        "AA999999A",        // United Kingdom: national insurance
        "AA 99 99 99 A",    // the same, spaced
        "99999999A",        // Spain: identity card
        "999.999.999-99",   // Brazil: taxpayer
        "999.9999.9999.99", // Switzerland: old-age insurance
        "AAAAAA99A99A999A", // Italy: tax code
    ]
    .contains(&shape.as_str());
    known_shape || is_hexadecimal_key(value) || is_card_number(value)
}

fn is_hexadecimal_key(value: &str) -> bool {
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    let hexadecimal = value.chars().all(|letter| letter.is_ascii_hexdigit() || letter == '-');
    hexadecimal && (lengths == [8, 4, 4, 4, 12] || lengths.len() == 1 && lengths[0] >= 32)
}

/// A payment card: 13 to 19 digits of which every second, doubled, makes the digit sum a multiple of ten.
fn is_card_number(value: &str) -> bool {
    let digits: Vec<u32> = value.chars().filter_map(|letter| letter.to_digit(10)).collect();
    let only_digits = value.chars().all(|letter| letter.is_ascii_digit() || letter == ' ' || letter == '-');
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match digit * (1 + place as u32 % 2) {
            doubled @ 10.. => doubled - 9,
            digit => digit,
        })
        .sum();
    only_digits && (13..=19).contains(&digits.len()) && sum.is_multiple_of(10)
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

fn has_first_name(value: &str) -> bool {
    let mut words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let few_words = words.clone().count() <= 4;
    few_words && words.any(is_first_name)
}

/// Two to four words that begin with a capital and are made of letters: also many places, so that only a column
/// with mostly different values is one of names.
fn looks_like_full_name(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let name_like = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|letter| letter.is_alphabetic() || "-'’.".contains(letter))
            && (word.chars().count() < 2 || word.contains(char::is_lowercase))
    };
    (2..=4).contains(&words.len()) && words.iter().all(name_like)
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
fn counts_up(values: &[&str]) -> bool {
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
