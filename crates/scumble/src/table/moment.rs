//! Timestamps and times of day, as ISO 8601 writes them, in nanoseconds: `2024-03-09T10:15:00+01:00`, `10:15`.
//!
//! A timestamp with a zone is its instant, whatever its offset; one without is counted as if it were in UTC. Both are never mixed in a column.

use crate::table::date::{Date, DateFormat};

/// Nanoseconds of a second, an hour, a day.
const SECOND: i128 = 1_000_000_000;
pub(crate) const HOUR: i128 = 3_600 * SECOND;
pub(crate) const DAY: i128 = 24 * HOUR;

/// The parts of a day by the hour at which they begin.
const PARTS: [(i128, &str); 4] = [(0, "night"), (6, "morning"), (12, "afternoon"), (18, "evening")];

/// Two digits below a limit.
fn two(text: &str, limit: i128) -> Option<i128> {
    let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?.filter(|number| *number < limit)
}

/// The time of day that a text writes, and how many digits follow the second: `10:15`, `10:15:30`, `10:15:30.125`.
pub(crate) fn time(text: &str) -> Option<(i128, u32)> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute) = (two(parts.next()?, 24)?, two(parts.next()?, 60)?);
    let (second, fraction) = match parts.next() {
        None => (0, ""),
        Some(rest) => match rest.split_once(['.', ',']) {
            Some((second, fraction)) if !fraction.is_empty() => (two(second, 60)?, fraction),
            Some(_) => return None,
            None => (two(rest, 60)?, ""),
        },
    };
    let places = fraction.len();
    if places > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nanos = format!("{fraction:0<9}").parse::<i128>().ok()?;
    Some((hour * HOUR + (minute * 60 + second) * SECOND + nanos, places as u32))
}

/// The offset from UTC that ends a text, and the text before it: `Z`, `+01:00`, `-0530`, `+02`.
fn offset(text: &str) -> Option<(&str, i128)> {
    if let Some(before) = text.strip_suffix(['Z', 'z']) {
        return Some((before, 0));
    }
    let at = text.rfind(['+', '-'])?;
    let (before, sign, digits) = (&text[..at], &text[at..=at], &text[at + 1..]);
    let (hours, minutes) = match digits.len() {
        2 => (digits, "00"),
        4 => digits.split_at_checked(2)?,
        _ => digits.split_once(':')?,
    };
    let offset = two(hours, 19)? * HOUR + two(minutes, 60)? * 60 * SECOND;
    Some((before, if sign == "-" { -offset } else { offset }))
}

/// The timestamp that a text writes, with a zone or without, and how many digits follow its second.
pub(crate) fn timestamp(text: &str, zone: bool) -> Option<(i128, u32)> {
    let (day, rest) = text.split_at_checked(10)?;
    let day = DateFormat::YearMonthDay.parse(day)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = if zone { offset(rest.trim_end())? } else { (rest, 0) };
    let (time, places) = time(clock.trim_end())?;
    Some((i128::from(day) * DAY + time - offset, places))
}

/// A time of day as text, with as many digits after the second as it needs.
pub(crate) fn time_text(nanos: i128) -> String {
    let (seconds, rest) = (nanos.div_euclid(SECOND), nanos.rem_euclid(SECOND));
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{rest:09}");
    match fraction.trim_end_matches('0') {
        "" => clock,
        fraction => format!("{clock}.{fraction}"),
    }
}

/// A timestamp as text; in UTC, with a `Z`, if it has a zone.
pub(crate) fn timestamp_text(nanos: i128, zone: bool) -> String {
    let day = DateFormat::YearMonthDay.format(day_of(nanos));
    format!("{day}T{}{}", time_text(nanos.rem_euclid(DAY)), if zone { "Z" } else { "" })
}

/// The day number of a timestamp.
pub(crate) fn day_of(nanos: i128) -> i64 {
    i64::try_from(nanos.div_euclid(DAY)).unwrap_or(0)
}

/// The part of the day of a time: its place and its name.
pub(crate) fn part_of_day(nanos: i128) -> (i128, &'static str) {
    let place = PARTS.partition_point(|(hour, _)| *hour * HOUR <= nanos.rem_euclid(DAY)) - 1;
    (place as i128, PARTS[place].1)
}

/// The ISO week of a day: its Monday, its year and its number.
pub(crate) fn week(day: i64) -> (i64, i64, i64) {
    // 1970-01-01 was a Thursday.
    let monday = day - (day + 3).rem_euclid(7);
    let year = Date::of(monday + 3).year;
    let first_thursday = Date { year, month: 1, day: 4 }.number();
    let first_monday = first_thursday - (first_thursday + 3).rem_euclid(7);
    (monday, year, (monday - first_monday) / 7 + 1)
}

/// The first and the last nanosecond of a time of day that a label names: `10:00-10:59`, `morning`.
pub(crate) fn time_period(label: &str) -> Option<(i128, i128)> {
    if let Some(place) = PARTS.iter().position(|(_, name)| *name == label) {
        let end = PARTS.get(place + 1).map_or(24, |(hour, _)| *hour);
        return Some((PARTS[place].0 * HOUR, end * HOUR - 1));
    }
    let (from, to) = label.split_once('-')?;
    let (from, to) = (from.strip_suffix(":00")?, to.strip_suffix(":59")?);
    let hour = two(from, 24).filter(|_| from == to)?;
    Some((hour * HOUR, (hour + 1) * HOUR - 1))
}

/// The first and the last nanosecond of a period of a day or shorter, or of a week: `2024-03-09T10`, `2024-03-09 morning`, `2024-03-09`, `2024-W10`.
pub(crate) fn short_period(label: &str) -> Option<(i128, i128)> {
    let days = |day: i64, days: i128| (i128::from(day) * DAY, (i128::from(day) + days) * DAY - 1);
    if let Some((year, number)) = label.split_once("-W") {
        let january = DateFormat::YearMonthDay.parse(&format!("{year}-01-04"))?;
        let number = two(number, 54)? as i64;
        let monday = week(january).0 + 7 * (number - 1);
        return (number >= 1 && week(monday).1 == Date::of(january).year).then(|| days(monday, 7));
    }
    let (day, rest) = label.split_at_checked(10)?;
    let day = DateFormat::YearMonthDay.parse(day)?;
    if rest.is_empty() {
        return Some(days(day, 1));
    }
    let (from, to) = match rest.strip_prefix('T') {
        Some(hour) => two(hour, 24).map(|hour| (hour * HOUR, (hour + 1) * HOUR - 1))?,
        None => time_period(rest.strip_prefix(' ')?).filter(|_| !rest.contains(':'))?,
    };
    let start = i128::from(day) * DAY;
    Some((start + from, start + to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_instants() {
        let zoned = |text| timestamp(text, true).map(|(nanos, _)| nanos);
        assert_eq!(zoned("2024-03-09T10:15:00+01:00"), zoned("2024-03-09 09:15Z"));
        assert_eq!(zoned("2024-03-09T00:30+02"), zoned("2024-03-08T22:30:00.000Z"));
        assert_eq!(zoned("2024-03-09T00:30:00-0530"), zoned("2024-03-09T06:00Z"));
        assert_eq!(timestamp("1970-01-02T00:00:01.5", false), Some((DAY + 1_500_000_000, 1)));
        assert_eq!(zoned("2024-03-09T10:15:00"), None, "no zone");
        assert_eq!(timestamp("2024-03-09T10:15:00Z", false), None);
        for text in [
            "2024-03-09",
            "2024-02-30T10:00",
            "2024-03-09T24:00",
            "2024-03-09T10",
            "2024-03-09x10:00",
            "2024-03-09T10:15:61",
            "2024-03-09T10:15:00.",
        ] {
            assert_eq!(timestamp(text, false), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for nanos in [0, -1, DAY - 1, 1_709_978_130_125_000_000, -86_400_000_000_001] {
            assert_eq!(timestamp(&timestamp_text(nanos, true), true).map(|(nanos, _)| nanos), Some(nanos));
        }
        assert_eq!(time_text(time("07:05").expect("a time").0), "07:05:00");
    }

    #[test]
    fn periods_hold_what_they_say() {
        let at = |text| timestamp(text, false).expect("a timestamp").0;
        for (label, first, last) in [
            ("2024-03-09T10", "2024-03-09T10:00", "2024-03-09T10:59:59.999999999"),
            ("2024-03-09 morning", "2024-03-09T06:00", "2024-03-09T11:59:59.999999999"),
            ("2024-03-09", "2024-03-09T00:00", "2024-03-09T23:59:59.999999999"),
            ("2024-W10", "2024-03-04T00:00", "2024-03-10T23:59:59.999999999"),
            ("2020-W53", "2020-12-28T00:00", "2021-01-03T23:59:59.999999999"),
        ] {
            assert_eq!(short_period(label), Some((at(first), at(last))), "{label}");
        }
        for label in [
            "2024-W53",
            "2024-W00",
            "2024-03",
            "2024-03-09T24",
            "2024-03-09 noon",
            "2024-03-09 10:00-10:59",
            "*",
        ] {
            assert_eq!(short_period(label), None, "{label}");
        }
        assert_eq!(time_period("10:00-10:59"), Some((10 * HOUR, 11 * HOUR - 1)));
        assert_eq!(time_period("evening"), Some((18 * HOUR, DAY - 1)));
        assert_eq!(time_period("10:00-11:59"), None);
        assert_eq!(week(DateFormat::YearMonthDay.parse("2021-01-03").expect("a day")).1, 2020);
    }
}
