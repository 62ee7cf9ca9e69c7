//! Timestamps and times of day as texts, and the periods that labels name. This is the verifier's own reading.

/// The nanoseconds in a minute, an hour and a day.
const MINUTE: i128 = 60_000_000_000;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

/// A text, read byte by byte from its beginning.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    /// Reads a number of exactly this many digits.
    fn number(&mut self, digits: usize) -> Option<i128> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number
            .iter()
            .try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + i128::from(byte - b'0')))
    }

    /// Reads one of some characters.
    fn any(&mut self, of: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        of.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f…`.
    fn time(&mut self) -> Option<i128> {
        let hour = self.number(2).filter(|hour| *hour < 24)?;
        self.any(b":")?;
        let minute = self.number(2).filter(|minute| *minute < 60)?;
        let mut nanos = hour * HOUR + minute * MINUTE;
        if self.any(b":").is_some() {
            nanos += self.number(2).filter(|second| *second < 60)? * (MINUTE / 60);
            if self.any(b".,").is_some() {
                let (mut unit, mut digits) = (MINUTE / 60, 0);
                while let Some(digit) = self.any(b"0123456789") {
                    unit /= 10;
                    digits += 1;
                    nanos += i128::from(digit - b'0') * unit;
                }
                if !(1..=9).contains(&digits) {
                    return None;
                }
            }
        }
        Some(nanos)
    }

    /// Reads `yyyy-mm-dd` as a number of days.
    fn day(&mut self) -> Option<i128> {
        let year = self.number(4)?;
        self.any(b"-")?;
        let month = self.number(2).filter(|month| (1..=12).contains(month))?;
        self.any(b"-")?;
        let day = self.number(2)?;
        let first = first_of(year, month);
        ((1..=first_of(year + month / 12, month % 12 + 1) - first).contains(&day)).then(|| first + day - 1)
    }

    /// Reads `Z`, `+hh`, `+hhmm` or `+hh:mm`.
    fn offset(&mut self) -> Option<i128> {
        let sign = match self.any(b"Zz+-")? {
            b'Z' | b'z' => return Some(0),
            b'-' => -1,
            _ => 1,
        };
        let hours = self.number(2).filter(|hours| *hours < 19)?;
        let minutes = if self.is_done() {
            0
        } else {
            self.any(b":");
            self.number(2).filter(|minutes| *minutes < 60)?
        };
        Some(sign * (hours * HOUR + minutes * MINUTE))
    }
}

/// The day number of the first day of a month. Only differences between such numbers have a meaning.
pub(crate) fn first_of(year: i128, month: i128) -> i128 {
    let before = year - 1;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let months = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let of_year = usize::try_from(month - 1).ok().and_then(|month| months.get(month)).copied().unwrap_or(0);
    before * 365 + before / 4 - before / 100 + before / 400 + of_year + i128::from(leap && month > 2)
}

/// The year, month and day of a day number.
pub(crate) fn date(number: i128) -> (i128, i128, i128) {
    let mut year = number / 366 + 1;
    while first_of(year + 1, 1) <= number {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| first_of(year, *month) <= number).unwrap_or(1);
    (year, month, number - first_of(year, month) + 1)
}

/// Reads a time of day, in nanoseconds.
pub(crate) fn time(text: &str) -> Option<i128> {
    let mut reader = Reader(text.trim().as_bytes());
    let time = reader.time()?;
    reader.is_done().then_some(time)
}

/// Reads an instant, in nanoseconds. If the column has no zones, the text is read as if in UTC.
pub(crate) fn timestamp(text: &str, zone: bool) -> Option<i128> {
    let mut reader = Reader(text.trim().as_bytes());
    let day = reader.day()?;
    reader.any(b"Tt ")?;
    let time = reader.time()?;
    while zone && reader.any(b" ").is_some() {}
    let offset = if zone { reader.offset()? } else { 0 };
    reader.is_done().then_some(day * DAY + time - offset)
}

/// Returns the hours at which a part of the day begins and ends.
fn part(name: &str) -> Option<(i128, i128)> {
    match name {
        "night" => Some((0, 6)),
        "morning" => Some((6, 12)),
        "afternoon" => Some((12, 18)),
        "evening" => Some((18, 24)),
        _ => None,
    }
}

/// Returns the first nanosecond of a period of the day and the first one after it: `morning`, `10:00-10:59`.
pub(crate) fn of_day(name: &str) -> Option<(i128, i128)> {
    if let Some((from, to)) = part(name) {
        return Some((from * HOUR, to * HOUR));
    }
    let (from, to) = name.split_once('-')?;
    let (first, last) = (time(from)?, time(to)?);
    let one_hour = from.len() == 5 && to.len() == 5 && first % HOUR == 0 && last - first == HOUR - MINUTE;
    one_hour.then_some((first, first + HOUR))
}

/// Returns the first nanosecond of a period of the calendar and the first one after it: `2024-03-09T10`, `2024-03-09 morning`,
/// `2024-03-09`, `2024-W10`. For a longer period, `days` gives its first and last day as `yyyymmdd`; day 99 stands for the end of
/// the month or year.
pub(crate) fn of_calendar(name: &str, days: Option<(u32, u32)>) -> Option<(i128, i128)> {
    if let Some((first, last)) = days {
        let month = |date: u32| (i128::from(date / 10_000), i128::from(date / 100 % 100));
        let ((from_year, from), (to_year, to)) = (month(first), month(last));
        let end = if to >= 12 { first_of(to_year + 1, 1) } else { first_of(to_year, to + 1) };
        return Some((first_of(from_year, from.max(1)) * DAY, end * DAY));
    }
    if let Some((year, number)) = name.split_once("-W") {
        let mut digits = Reader(year.as_bytes());
        let (year, mut week) = (digits.number(4).filter(|_| digits.is_done())?, Reader(number.as_bytes()));
        let number = week.number(2).filter(|_| week.is_done())?;
        // Day 0 of the count, 0001-01-01, was a Monday. Week 1 is the one with 4 January.
        let monday = |year: i128| (first_of(year, 1) + 3).div_euclid(7) * 7;
        let start = monday(year) + 7 * (number - 1);
        return (number >= 1 && start < monday(year + 1)).then_some((start * DAY, (start + 7) * DAY));
    }
    let mut reader = Reader(name.as_bytes());
    let start = reader.day()? * DAY;
    if reader.is_done() {
        return Some((start, start + DAY));
    }
    match reader.any(b"T ")? {
        b'T' => {
            let hour = reader.number(2).filter(|hour| *hour < 24 && reader.is_done())?;
            Some((start + hour * HOUR, start + (hour + 1) * HOUR))
        }
        _ => part(std::str::from_utf8(reader.0).ok()?)
            .map(|(from, to)| (start + from * HOUR, start + to * HOUR)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_are_dates_again() {
        let mut expected = (1600, 1, 1);
        for number in first_of(1600, 1)..first_of(2001, 1) {
            assert_eq!(date(number), expected);
            let (year, month, day) = expected;
            let next = if month == 12 { first_of(year + 1, 1) } else { first_of(year, month + 1) };
            expected = match (day == next - first_of(year, month), month) {
                (false, _) => (year, month, day + 1),
                (true, 12) => (year + 1, 1, 1),
                (true, _) => (year, month + 1, 1),
            };
        }
    }

    #[test]
    fn instants_are_compared_across_zones() {
        let at = |text| timestamp(text, true);
        assert_eq!(at("2024-03-09T10:15:00+01:00"), at("2024-03-09 09:15Z"));
        assert_eq!(at("2024-03-01T00:30+0100"), at("2024-02-29T23:30:00.0Z"));
        assert!(at("2023-12-31T23:59:59.999999999Z") < at("2024-01-01T00:00Z"));
        for text in
            ["2024-03-09T10:15", "2024-02-30T10:15Z", "2024-03-09T10:15:00.Z", "2024-03-09T24:00Z", "x", ""]
        {
            assert_eq!(at(text), None, "{text}");
        }
        assert_eq!(timestamp("2024-03-09T10:15Z", false), None);
        assert_eq!(time("10:15").zip(time("10:15:00.000")).map(|(a, b)| a == b), Some(true));
    }

    #[test]
    fn periods_hold_their_instants() {
        let at = |text| timestamp(text, false).expect("a timestamp");
        for (name, from, to) in [
            ("2024-03-09T10", "2024-03-09T10:00", "2024-03-09T11:00"),
            ("2024-03-09 evening", "2024-03-09T18:00", "2024-03-10T00:00"),
            ("2024-02-29", "2024-02-29T00:00", "2024-03-01T00:00"),
            ("2024-W10", "2024-03-04T00:00", "2024-03-11T00:00"),
            ("2020-W53", "2020-12-28T00:00", "2021-01-04T00:00"),
        ] {
            assert_eq!(of_calendar(name, None), Some((at(from), at(to))), "{name}");
        }
        assert_eq!(
            of_calendar("2024", Some((20_240_000, 20_249_999))),
            Some((at("2024-01-01T00:00"), at("2025-01-01T00:00")))
        );
        assert_eq!(
            of_calendar("2024-02", Some((20_240_200, 20_240_299))),
            Some((at("2024-02-01T00:00"), at("2024-03-01T00:00")))
        );
        for name in ["2024-W53", "2024-W00", "2024-02-30", "2024-03-09T24", "2024-03-09 noon", "*"] {
            assert_eq!(of_calendar(name, None), None, "{name}");
        }
        assert_eq!(of_day("10:00-10:59"), Some((10 * HOUR, 11 * HOUR)));
        assert_eq!(of_day("night"), Some((0, 6 * HOUR)));
        assert_eq!(of_day("10:30-11:29"), None);
    }
}
