//! Calendar dates as day numbers, in the formats that tables use.

use serde::{Deserialize, Serialize};

/// A way to write a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub enum DateFormat {
    /// `2024-03-09`
    #[serde(rename = "yyyy-mm-dd")]
    YearMonthDay,
    /// `2024/03/09`
    #[serde(rename = "yyyy/mm/dd")]
    YearMonthDaySlash,
    /// `09.03.2024`
    #[serde(rename = "dd.mm.yyyy")]
    DayMonthYearDot,
    /// `09/03/2024`
    #[serde(rename = "dd/mm/yyyy")]
    DayMonthYear,
    /// `03/09/2024`
    #[serde(rename = "mm/dd/yyyy")]
    MonthDayYear,
}

impl DateFormat {
    /// Every format that is recognised.
    pub const ALL: [Self; 5] = [
        Self::YearMonthDay,
        Self::YearMonthDaySlash,
        Self::DayMonthYearDot,
        Self::DayMonthYear,
        Self::MonthDayYear,
    ];

    /// The format as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::YearMonthDay => "yyyy-mm-dd",
            Self::YearMonthDaySlash => "yyyy/mm/dd",
            Self::DayMonthYearDot => "dd.mm.yyyy",
            Self::DayMonthYear => "dd/mm/yyyy",
            Self::MonthDayYear => "mm/dd/yyyy",
        }
    }

    /// The day number of a text, if it is a date in this format that exists.
    #[must_use]
    pub fn parse(self, text: &str) -> Option<i64> {
        let mark = match self {
            Self::YearMonthDay => '-',
            Self::DayMonthYearDot => '.',
            _ => '/',
        };
        let mut parts = text.split(mark);
        let parts = [parts.next()?, parts.next()?, parts.next()?, parts.next().unwrap_or("end")];
        let [a, b, c, "end"] = parts else { return None };
        let (year, month, day) = match self {
            Self::YearMonthDay | Self::YearMonthDaySlash => (a, b, c),
            Self::DayMonthYearDot | Self::DayMonthYear => (c, b, a),
            Self::MonthDayYear => (c, a, b),
        };
        let digits = |part: &str, longest: usize| {
            (part.len() <= longest && part.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| part.parse::<i64>().ok())
                .flatten()
        };
        if year.len() != 4 {
            return None;
        }
        let date = Date { year: digits(year, 4)?, month: digits(month, 2)?, day: digits(day, 2)? };
        (Date::of(date.number()) == date).then(|| date.number())
    }

    /// The text of a day number.
    #[must_use]
    pub fn format(self, number: i64) -> String {
        let Date { year, month, day } = Date::of(number);
        match self {
            Self::YearMonthDay => format!("{year:04}-{month:02}-{day:02}"),
            Self::YearMonthDaySlash => format!("{year:04}/{month:02}/{day:02}"),
            Self::DayMonthYearDot => format!("{day:02}.{month:02}.{year:04}"),
            Self::DayMonthYear => format!("{day:02}/{month:02}/{year:04}"),
            Self::MonthDayYear => format!("{month:02}/{day:02}/{year:04}"),
        }
    }
}

/// A date of the proleptic Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

/// Days of 400 Gregorian years.
const DAYS_OF_ERA: i64 = 146_097;

impl Date {
    /// Days since 1970-01-01. Years are counted from March, so that the leap day is the year's last.
    #[must_use]
    pub fn number(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let month_from_march = (self.month + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + self.day - 1;
        era * DAYS_OF_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    /// The date of a day number.
    #[must_use]
    pub fn of(number: i64) -> Self {
        let days = number + 719_468;
        let (era, day_of_era) = (days.div_euclid(DAYS_OF_ERA), days.rem_euclid(DAYS_OF_ERA));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day: day_of_year - (153 * month_from_march + 2) / 5 + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers() {
        let day = |text| DateFormat::YearMonthDay.parse(text);
        assert_eq!(day("1970-01-01"), Some(0));
        assert_eq!(day("2000-03-01"), Some(11_017));
        assert_eq!(day("1969-12-31"), Some(-1));
        assert_eq!(day("2023-02-29"), None);
        assert_eq!(day("2023-13-01"), None);
        assert_eq!(day("2023-1-5"), day("2023-01-05"));
        assert_eq!(day("23-01-05"), None);
        assert_eq!(day("2023-01-05-07"), None);
        assert_eq!(DateFormat::DayMonthYearDot.parse("09.03.2024"), day("2024-03-09"));
    }

    #[test]
    fn every_day_of_four_centuries_round_trips() {
        for number in -100_000..100_000 {
            for format in DateFormat::ALL {
                assert_eq!(format.parse(&format.format(number)), Some(number));
            }
        }
    }
}
