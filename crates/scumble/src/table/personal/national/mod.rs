//! Numbers that states give to people, each by its country's rule. Where the specification names a rule in a few words, the definition
//! that the country publishes is used, and the comment names it.

mod americas;
mod asia_pacific;
mod central_europe;
mod nordic;
mod southern_europe;
mod western_europe;

use super::compact::Compact;
use super::{Kind, Kinds};

pub(super) use americas::is_social_security_number;

/// Adds the kinds of a number, given also as it is written.
pub(super) fn add(text: &str, number: &Compact, kinds: &mut Kinds) {
    americas::add(text, number, kinds);
    western_europe::add(number, kinds);
    central_europe::add(number, kinds);
    southern_europe::add(number, kinds);
    nordic::add(text, number, kinds);
    asia_pacific::add(number, kinds);
}

/// A number of two, three or four digits.
fn read(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number, digit| number * 10 + u32::from(*digit))
}

/// Whether a month has a day in some year. In which century a year of two digits lies is mostly not said, so the 29th of February is
/// there in every fourth year.
fn is_day(year: u32, month: u32, day: u32) -> bool {
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// Eleven less a sum's remainder modulo 11, as many countries have their check digit: 11 is 0, and 10 is no digit.
fn eleven_less(sum: u32) -> u32 {
    (11 - sum % 11) % 11
}
