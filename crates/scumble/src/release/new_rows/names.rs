//! Nodes whose names say what lies below them: intervals, calendar periods, codes with a masked end.

use std::cmp::Ordering;

use crate::table::date::Date;
use crate::table::decimal::Decimal;
use crate::table::kind::{Kind, Measure};
use crate::table::moment;

/// A number with all the decimal places of its text, which may be more than its column has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact(Decimal);

impl Exact {
    /// The number that a text means, in a column of numbers, dates or times.
    pub(super) fn read(measure: &Measure, text: &str) -> Option<Self> {
        measure.exact(text).map(Self)
    }

    /// The greatest number of a measure that is not greater than this one; `None` if it is out of range.
    pub(super) fn floor(self, measure: &Measure) -> Option<i128> {
        measure.floor(self.0)
    }

    /// Compares it with a number of a measure.
    pub(super) fn cmp_in(self, measure: &Measure, number: i128) -> Ordering {
        self.0.cmp(&measure.decimal(number))
    }
}

/// Whether a label says that a number lies below it.
pub(super) fn holds(measure: &Measure, label: &str, number: Exact) -> bool {
    let reaches =
        |(from, to): (i128, i128)| number.cmp_in(measure, from).is_ge() && number.cmp_in(measure, to).is_le();
    let from_one_end = || open_interval(measure, label, number);
    interval(measure, label, number).or_else(from_one_end).unwrap_or_else(|| match measure.kind {
        Kind::Date(_) => period(label).is_some_and(reaches),
        Kind::Timestamp { .. } => {
            moment::short_period(label).or_else(|| period_of_days(label)).is_some_and(within(number))
        }
        Kind::Time => moment::time_period(label).is_some_and(within(number)),
        _ => false,
    })
}

/// Whether a timestamp or a time is between two others, in nanoseconds.
fn within(number: Exact) -> impl Fn((i128, i128)) -> bool {
    move |(from, to)| number.0 >= Decimal::of(from, -9) && number.0 <= Decimal::of(to, -9)
}

/// The first and the last nanosecond of a month or a longer period.
pub(in crate::release) fn period_of_days(label: &str) -> Option<(i128, i128)> {
    period(label).map(|(first, last)| (first * moment::DAY, (last + 1) * moment::DAY - 1))
}

/// Whether a number lies in the interval that a label writes as `[a,b]` or `[a,b)`; `None` if the label is not an interval.
fn interval(measure: &Measure, label: &str, number: Exact) -> Option<bool> {
    let inner = label.strip_prefix('[')?;
    let (inner, open) = match inner.strip_suffix(')') {
        Some(inner) => (inner, true),
        None => (inner.strip_suffix(']')?, false),
    };
    let (from, to) = inner.split_once(measure.separator())?;
    let (from, to) = (measure.exact(from.trim())?, measure.exact(to.trim())?);
    let below = number.0.cmp(&to);
    Some(number.0 >= from && (below.is_lt() || (!open && below.is_eq())))
}

/// Whether a number lies in `>=90` or `<=18`; `None` if the label is none of them.
fn open_interval(measure: &Measure, label: &str, number: Exact) -> Option<bool> {
    if !measure.kind.is_number() {
        return None;
    }
    match label.strip_prefix(">=") {
        Some(low) => Some(number.0 >= measure.exact(low)?),
        None => Some(number.0 <= measure.exact(label.strip_prefix("<=")?)?),
    }
}

/// The first and the last day of `2024-03`, `2024-Q1`, `2024`, `2020s` or `2000-2099`.
fn period(label: &str) -> Option<(i128, i128)> {
    let year = |text: &str| -> Option<i64> {
        (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let first = |year: i64, months: i64| {
        Date { year: year + months.div_euclid(12), month: months.rem_euclid(12) + 1, day: 1 }.number()
    };
    // The year, the months before the period, and how many it has.
    let (year, before, months) = match label.split_once('-') {
        Some((from, part)) if part.starts_with('Q') => {
            let quarter = part.strip_prefix('Q')?.parse::<i64>().ok().filter(|of| (1..=4).contains(of))?;
            (year(from)?, 3 * (quarter - 1), 3)
        }
        Some((from, part)) if part.len() == 2 => {
            let month = part.parse::<i64>().ok().filter(|of| (1..=12).contains(of))?;
            (year(from)?, month - 1, 1)
        }
        Some((from, to)) => {
            let from = year(from).filter(|from| from % 100 == 0)?;
            year(to).filter(|to| *to == from + 99)?;
            (from, 0, 1200)
        }
        None => match label.strip_suffix('s') {
            Some(decade) => (year(decade).filter(|decade| decade % 10 == 0)?, 0, 120),
            None => (year(label)?, 0, 12),
        },
    };
    Some((first(year, before).into(), (first(year, before + months) - 1).into()))
}

/// A code with a masked end: its prefix, and its number of characters if the mask shows it.
pub(super) fn mask(label: &str) -> Option<(&str, Option<usize>)> {
    let prefix = label.trim_end_matches('*');
    let stars = label.len() - prefix.len();
    let length = (stars > 1).then(|| label.chars().count());
    (stars > 0 && !prefix.is_empty() && !prefix.contains('*')).then_some((prefix, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::date::DateFormat;

    #[test]
    fn intervals_are_read_as_labels_write_them() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let inside =
            |label: &str, text: &str| holds(&measure, label, Exact::read(&measure, text).expect("a number"));
        for (label, text, expected) in [
            ("[20,30)", "29", true),
            ("[20,30)", "29.9", true),
            ("[20,30)", "30", false),
            ("[20,30]", "30.0", true),
            ("[20,30]", "30.5", false),
            ("[-3,30]", "-3.5", false),
            ("young", "30", false),
            ("2020", "2020", false),
        ] {
            assert_eq!(inside(label, text), expected, "{label} {text}");
        }
    }

    #[test]
    fn periods_hold_their_days() {
        let measure = Measure { kind: Kind::Date(DateFormat::DayMonthYearDot), scale: 0 };
        let inside =
            |label: &str, text: &str| holds(&measure, label, Exact::read(&measure, text).expect("a date"));
        for (label, first, last, outside) in [
            ("2024-02", "01.02.2024", "29.02.2024", ["31.01.2024", "01.03.2024"]),
            ("2023-12", "01.12.2023", "31.12.2023", ["30.11.2023", "01.01.2024"]),
            ("2023-Q4", "01.10.2023", "31.12.2023", ["30.09.2023", "01.01.2024"]),
            ("2023", "01.01.2023", "31.12.2023", ["31.12.2022", "01.01.2024"]),
            ("2020s", "01.01.2020", "31.12.2029", ["31.12.2019", "01.01.2030"]),
            ("1900-1999", "01.01.1900", "31.12.1999", ["31.12.1899", "01.01.2000"]),
            ("[01.01.2020,01.02.2020)", "01.01.2020", "31.01.2020", ["31.12.2019", "01.02.2020"]),
        ] {
            assert!(inside(label, first) && inside(label, last), "{label}");
            assert!(!outside.iter().any(|day| inside(label, day)), "{label}");
        }
        for label in
            ["2024-13", "2024-Q5", "2024-2", "2021s", "1950-2049", "under 18 on 31.12.2024", "*", "20"]
        {
            assert_eq!(period(label), None, "{label}");
        }
    }

    #[test]
    fn masks_tell_their_beginning() {
        assert_eq!(mask("43**"), Some(("43", Some(4))));
        assert_eq!(mask("I21*"), Some(("I21", None)));
        for label in ["*", "**", "435", "4*5*", ""] {
            assert_eq!(mask(label), None, "{label}");
        }
    }
}
