//! Texts that point to a person by themselves: numbers that states, banks and makers give out, and ways to reach someone.
//!
//! [`kinds_of`] checks one text, [`mod@column`] the texts of a column. A detector is a pure function of one text. Most rest on check
//! digits, which a random number passes one time in ten or in a hundred. So one text proves little, and a column much.

mod checksums;
pub mod column;
mod compact;
mod contact;
mod devices;
mod gated;
mod inside;
mod kinds;
mod national;
mod payment;
pub mod people;
pub mod places;
#[cfg(test)]
mod tests;

pub use gated::GatedKind;
pub use kinds::{Evidence, Kind, Kinds};

use compact::Compact;

/// The longest text that is examined. Web addresses are the longest things that are looked for.
const LONGEST: usize = 2_048;
/// No number that is looked for has fewer digits: a British one has six, an Italian one seven, of which letters may stand for some.
const FEWEST_DIGITS: usize = 5;

/// What a text is, by itself: all kinds that it fits.
///
/// Upper and lower case count the same, and so do the ways to set a number in groups: blanks, `-`, `.` and `/` do not count. One dot
/// between digits is the exception. That is a decimal number, and decimal numbers are none of these kinds.
#[must_use]
pub fn kinds_of(text: &str) -> Kinds {
    let text = text.trim();
    let mut kinds = Kinds::NONE;
    if text.is_empty() || text.len() > LONGEST {
        return kinds;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // Most texts of a table are words: nothing that is looked for is without digits and these signs.
    if digits == 0 && !text.contains(['@', ':']) && !contact::is_url(text) {
        return kinds;
    }
    contact::add(text, digits, &mut kinds);
    places::add(text, digits, &mut kinds);
    if digits >= FEWEST_DIGITS
        && let Some(compact) = Compact::of(text)
    {
        payment::add(&compact, &mut kinds);
        devices::add(&compact, &mut kinds);
        national::add(text, &compact, &mut kinds);
    }
    kinds
}

/// Whether a text has check digits of a kind that many numbers have, whoever gave them out: 13 to 19 digits with Luhn's, as devices and cards
/// have, or the form of an IBAN of a country that is not in the list.
#[must_use]
pub fn has_common_check_digits(text: &str) -> bool {
    let Some(number) = Compact::of(text.trim()) else { return false };
    let luhn = |digits: &[u8]| (13..=19).contains(&digits.len()) && checksums::luhn(digits);
    number.digits().is_some_and(luhn) || payment::is_iban_of_any_country(number.signs())
}

/// As [`kinds_of`], in a column whose name suggests some kinds. Nine digits are a social security number of the United States only
/// where hyphens stand in the right places or the name says so.
#[must_use]
pub fn kinds_of_named(text: &str, named: Kinds) -> Kinds {
    let mut kinds = kinds_of(text);
    if named.has(Kind::UsSsn)
        && let Some(compact) = Compact::of(text.trim())
    {
        kinds.add_if(Kind::UsSsn, national::is_social_security_number(&compact));
    }
    kinds
}
