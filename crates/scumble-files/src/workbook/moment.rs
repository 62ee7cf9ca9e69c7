//! Dates, times and durations of workbooks: serial numbers of days, as texts.
//!
//! A date is the number of days since an epoch, and a time is a share of a day. Whether a number is a date, a time or both is only
//! said by the number format of its cell.

use arrow_array::temporal_conversions::date32_to_datetime;

/// From where a workbook counts its days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Epoch {
    /// Day 1 is 1 January 1900, and day 60 the 29 February 1900 that never was: an old program took 1900 for a leap year.
    From1900,
    /// Day 0 is 1 January 1904.
    From1904,
    /// The workbook has dates in ISO 8601 and counts no days.
    Iso,
}

/// What a number format shows of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shows {
    Date,
    Time,
    DateAndTime,
    /// Hours beyond 24, or minutes beyond 60.
    Duration,
    Unknown,
}

/// A moment or a duration, as a workbook stores it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moment {
    pub(super) serial: f64,
    pub(super) epoch: Epoch,
    pub(super) shows: Shows,
}

/// The milliseconds of a day. Spreadsheet programs know no smaller unit.
const DAY: i64 = 86_400_000;

/// 31 December 9999, the last day that spreadsheet programs know, in days since 1970.
const LAST_DAY: i64 = 2_932_896;

impl Moment {
    /// The text: `2024-01-31`, `2024-01-31T10:30:00`, `10:30:00` for a time of day, or `36:00:00` for a duration. Returns `None`
    /// if no calendar has the date.
    pub(super) fn text(self) -> Option<String> {
        // Beyond this no date is near, and a double has no room for milliseconds.
        if !self.serial.is_finite() || self.serial.abs() >= 1e9 {
            return None;
        }
        let millis = (self.serial * DAY as f64).round() as i64;
        if self.shows == Shows::Duration {
            let sign = if millis < 0 { "-" } else { "" };
            return Some(format!("{sign}{}", clock(millis.abs())));
        }
        let (days, time) = (millis.div_euclid(DAY), millis.rem_euclid(DAY));
        // Below one day there is no date, unless the format shows one and there is a day 0.
        let has_day_zero = self.epoch == Epoch::From1904;
        let shows_date = matches!(self.shows, Shows::Date | Shows::DateAndTime);
        if days == 0 && !(shows_date && has_day_zero) {
            // A date of 0 is what a formula makes of an empty cell.
            return (self.shows != Shows::Date).then(|| clock(time));
        }
        let date = self.date(days)?;
        let is_date = time == 0 && matches!(self.shows, Shows::Date | Shows::Unknown);
        Some(if is_date { date } else { format!("{date}T{}", clock(time)) })
    }

    /// The date of a number of days.
    fn date(self, days: i64) -> Option<String> {
        let since_1970 = match (self.epoch, days) {
            (_, ..0) | (Epoch::From1900, 0 | 60) => return None,
            // Before the day that never was, one less is counted.
            (Epoch::From1900, 1..60) => days - 25_568,
            (Epoch::From1900 | Epoch::Iso, _) => days - 25_569,
            (Epoch::From1904, _) => days - 24_107,
        };
        if since_1970 > LAST_DAY {
            return None;
        }
        Some(date32_to_datetime(i32::try_from(since_1970).ok()?)?.date().to_string())
    }
}

/// Milliseconds as hours, minutes and seconds, with milliseconds where there are some.
fn clock(millis: i64) -> String {
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    format!("{hours:02}:{minutes:02}:{seconds:02}{fraction}")
}

/// Writes a duration of ISO 8601, such as `PT10H30M00S`, as hours, minutes and seconds. This is how OpenDocument stores times of
/// day as well. Returns `None` if it has another form.
pub(super) fn clock_of_duration(text: &str) -> Option<String> {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let rest = rest.strip_prefix('P')?;
    let (days, time) = rest.split_once('T')?;
    let days: i64 = if days.is_empty() { 0 } else { days.strip_suffix('D')?.parse().ok()? };
    let (mut millis, mut rest) = (days.checked_mul(DAY)?, time);
    for (unit, size) in [('H', 3_600_000), ('M', 60_000)] {
        if let Some((number, behind)) = rest.split_once(unit) {
            millis = number.parse::<i64>().ok()?.checked_mul(size)?.checked_add(millis)?;
            rest = behind;
        }
    }
    if !rest.is_empty() {
        let seconds: f64 = rest.strip_suffix('S')?.replace(',', ".").parse().ok()?;
        millis = millis.checked_add((seconds * 1000.0).round() as i64)?;
    }
    (0..i64::from(i32::MAX) * DAY).contains(&millis).then(|| format!("{sign}{}", clock(millis)))
}

/// Reads from a number format what it shows: `yyyy-mm-dd`, `hh:mm`, `d.m.yy h:mm`.
pub(super) fn shown_by(format: &str) -> Shows {
    let (mut has_date, mut has_time, mut has_m) = (false, false, false);
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        match letter.to_ascii_lowercase() {
            // What is quoted or escaped is shown as it stands; brackets hold colours and languages.
            '"' => while letters.next().is_some_and(|quoted| quoted != '"') {},
            '[' => while letters.next().is_some_and(|inside| inside != ']') {},
            '\\' | '_' | '*' => {
                letters.next();
            }
            ';' => break,
            'y' | 'd' | 'e' => has_date = true,
            'h' | 's' => has_time = true,
            'm' => has_m = true,
            // The m of AM/PM is no month.
            'a' | 'p' => letters = letters.as_str().trim_start_matches(['m', 'M']).chars(),
            _ => {}
        }
    }
    // Beside hours or seconds, m is minutes; elsewhere it is months.
    match (has_date || (has_m && !has_time), has_time) {
        (true, true) => Shows::DateAndTime,
        (true, false) => Shows::Date,
        (false, true) => Shows::Time,
        (false, false) => Shows::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(serial: f64, epoch: Epoch, shows: Shows) -> Option<String> {
        Moment { serial, epoch, shows }.text()
    }

    /// The numbers are those that Excel shows for these dates.
    #[test]
    fn days_are_counted_from_either_epoch() {
        for (serial, date) in [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (61.0, "1900-03-01"),
            (25_569.0, "1970-01-01"),
            (45_322.0, "2024-01-31"),
            (45_351.0, "2024-02-29"),
            (2_958_465.0, "9999-12-31"),
        ] {
            assert_eq!(text(serial, Epoch::From1900, Shows::Date).unwrap(), date);
        }
        for (serial, date) in [(0.0, "1904-01-01"), (43_860.0, "2024-01-31"), (2_957_003.0, "9999-12-31")] {
            assert_eq!(text(serial, Epoch::From1904, Shows::Date).unwrap(), date);
        }
    }

    #[test]
    fn what_no_calendar_has_has_no_text() {
        for serial in [60.0, 60.5, -1.0, 0.0, 2_958_466.0, 1e300, f64::NAN] {
            assert_eq!(text(serial, Epoch::From1900, Shows::Date), None, "{serial}");
        }
        assert_eq!(text(2_957_004.0, Epoch::From1904, Shows::Unknown), None);
    }

    #[test]
    fn times_are_rounded_to_milliseconds() {
        use Shows::{Date, DateAndTime, Duration, Time, Unknown};
        for (serial, shows, expected) in [
            (45_322.437_5, DateAndTime, "2024-01-31T10:30:00"),
            (45_322.0, DateAndTime, "2024-01-31T00:00:00"),
            (45_322.0, Unknown, "2024-01-31"),
            (45_322.437_5, Date, "2024-01-31T10:30:00"),
            (45_321.999_999_999, Date, "2024-01-31"),
            (0.437_5, Time, "10:30:00"),
            (0.0, Time, "00:00:00"),
            (0.5, DateAndTime, "12:00:00"),
            (0.520_838_912_037_037, Unknown, "12:30:00.482"),
            (1.5, Duration, "36:00:00"),
            (-0.25, Duration, "-06:00:00"),
        ] {
            assert_eq!(text(serial, Epoch::From1900, shows).unwrap(), expected, "{serial} {shows:?}");
        }
        assert_eq!(text(0.5, Epoch::From1904, DateAndTime).unwrap(), "1904-01-01T12:00:00");
        assert_eq!(text(0.5, Epoch::From1904, Time).unwrap(), "12:00:00");
    }

    #[test]
    fn durations_of_opendocument() {
        for (iso, clock) in [
            ("PT10H30M00S", "10:30:00"),
            ("PT36H0M0S", "36:00:00"),
            ("P1DT2H", "26:00:00"),
            ("-PT1M", "-00:01:00"),
        ] {
            assert_eq!(clock_of_duration(iso).unwrap(), clock);
        }
        assert_eq!(clock_of_duration("PT00H00M01.5S").unwrap(), "00:00:01.500");
        for other in ["", "10:30", "P1Y", "PTxH", "PT1H-", "PT99999999999999999H"] {
            assert_eq!(clock_of_duration(other), None, "{other}");
        }
    }

    #[test]
    fn formats_say_what_is_shown() {
        for (format, shows) in [
            ("yyyy-mm-dd", Shows::Date),
            ("mmm-yy", Shows::Date),
            ("mmmm", Shows::Date),
            ("[$-407]d. mmmm yyyy;@", Shows::Date),
            ("dd/mm/yyyy hh:mm", Shows::DateAndTime),
            ("h:mm", Shows::Time),
            ("h:mm AM/PM", Shows::Time),
            ("mm:ss", Shows::Time),
            ("\"day\" h:mm", Shows::Time),
            ("0.00", Shows::Unknown),
        ] {
            assert_eq!(shown_by(format), shows, "{format}");
        }
    }
}
