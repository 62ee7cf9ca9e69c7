//! Numbers and dates as texts, with exact comparison.

use std::cmp::Ordering;
use std::str::FromStr;

use crate::clock;
use crate::error::VerifyError;

/// What the texts of a column mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Decimal numbers.
    Number {
        /// Whether the decimal mark is a comma.
        comma: bool,
    },
    /// Calendar dates.
    Date {
        /// How they are written.
        format: DateFormat,
    },
    /// Timestamps as ISO 8601 writes them.
    Timestamp {
        /// Whether they have a zone. If so, they are compared by instant.
        zone: bool,
    },
    /// Times of day.
    Time,
    /// Texts without an order.
    Text,
}

/// How a column's dates are written. [`FromStr`] reads the names given at the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateFormat {
    /// `yyyy-mm-dd`
    YearMonthDayDash,
    /// `yyyy/mm/dd`
    YearMonthDaySlash,
    /// `dd.mm.yyyy`
    DayMonthYearDot,
    /// `dd/mm/yyyy`
    DayMonthYearSlash,
    /// `mm/dd/yyyy`
    MonthDayYearSlash,
}

impl FromStr for DateFormat {
    type Err = VerifyError;

    fn from_str(name: &str) -> Result<Self, VerifyError> {
        match name {
            "yyyy-mm-dd" => Ok(Self::YearMonthDayDash),
            "yyyy/mm/dd" => Ok(Self::YearMonthDaySlash),
            "dd.mm.yyyy" => Ok(Self::DayMonthYearDot),
            "dd/mm/yyyy" => Ok(Self::DayMonthYearSlash),
            "mm/dd/yyyy" => Ok(Self::MonthDayYearSlash),
            _ => Err(VerifyError::DateFormat { format: name.to_owned() }),
        }
    }
}

/// What a text of a number or date column means. A column has only one kind, so numbers and dates are never compared with each
/// other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    Number(Decimal),
    /// `yyyymmdd` as a number, which sorts in calendar order.
    Date(u32),
    /// Nanoseconds: of a timestamp, or since midnight.
    Moment(i128),
}

impl Value {
    /// Returns the meaning of a text, if it has one in a column of this kind.
    pub(crate) fn read(text: &str, kind: ValueKind) -> Option<Self> {
        match kind {
            ValueKind::Number { comma } => Decimal::read(text, comma).map(Self::Number),
            ValueKind::Date { format } => read_date(text, format).map(Self::Date),
            ValueKind::Timestamp { zone } => clock::timestamp(text, zone).map(Self::Moment),
            ValueKind::Time => clock::time(text).map(Self::Moment),
            ValueKind::Text => None,
        }
    }
}

/// A decimal number `± 0.d1d2d3… · 10^exponent` with d1 > 0, exact to 38 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    /// -1, 0 or 1.
    sign: i8,
    exponent: i64,
    /// The digits as an integer, padded with zeros on the right to 38 places, so that it compares like the fraction.
    digits: u128,
    /// How many digits there are without the padding.
    length: u8,
}

/// The number of significant digits that fit a `u128`.
const DIGITS: usize = 38;

impl Decimal {
    pub(crate) fn read(text: &str, comma: bool) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix(['+', '-']) {
            Some(rest) => (text.starts_with('-'), rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, i64::from(exponent.parse::<i32>().ok()?)),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once(if comma { ',' } else { '.' }).unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        if all().next().is_none() || !all().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let leading = all().take_while(|&byte| byte == b'0').count();
        let length = whole.len() + fraction.len();
        if leading == length {
            return Some(Self { sign: 0, exponent: 0, digits: 0, length: 0 });
        }
        let trailing = whole.bytes().chain(fraction.bytes()).rev().take_while(|&byte| byte == b'0').count();
        let significant = length - leading - trailing;
        if significant > DIGITS {
            return None;
        }
        let digits =
            all().skip(leading).take(significant).fold(0u128, |sum, byte| sum * 10 + u128::from(byte - b'0'));
        Some(Self {
            sign: if negative { -1 } else { 1 },
            exponent: exponent + whole.len() as i64 - leading as i64,
            digits: digits * 10u128.pow((DIGITS - significant) as u32),
            length: significant as u8,
        })
    }

    /// The power of ten of the first digit; zero has none.
    pub(crate) fn first_place(self) -> Option<i64> {
        (self.sign != 0).then_some(self.exponent - 1)
    }

    /// The number of decimal places that the number needs.
    pub(crate) fn places(self) -> i64 {
        (i64::from(self.length) - self.exponent).max(0)
    }

    /// The nearest floating-point number.
    pub(crate) fn float(self) -> f64 {
        f64::from(self.sign) * self.digits as f64 * 10_f64.powi((self.exponent - DIGITS as i64) as i32)
    }

    /// The number times 10 to the power of `places`, if that is an integer that fits.
    pub(crate) fn scaled(self, places: i64) -> Option<i128> {
        if self.sign == 0 {
            return Some(0);
        }
        // The last of its digits is not zero, so fewer places cannot write it.
        let zeros = u32::try_from(self.exponent - i64::from(self.length) + places).ok()?;
        let digits = self.digits / 10u128.pow(DIGITS as u32 - u32::from(self.length));
        let magnitude = digits.checked_mul(10u128.checked_pow(zeros)?)?;
        i128::try_from(magnitude).ok().map(|number| number * i128::from(self.sign))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = || (self.exponent, self.digits).cmp(&(other.exponent, other.digits));
        self.sign
            .cmp(&other.sign)
            .then_with(|| if self.sign < 0 { magnitude().reverse() } else { magnitude() })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(crate) fn read_date(text: &str, format: DateFormat) -> Option<u32> {
    let mark = match format {
        DateFormat::YearMonthDayDash => '-',
        DateFormat::DayMonthYearDot => '.',
        _ => '/',
    };
    let mut parts = text.trim().split(mark);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = match format {
        DateFormat::YearMonthDayDash | DateFormat::YearMonthDaySlash => (first, second, third),
        DateFormat::DayMonthYearDot | DateFormat::DayMonthYearSlash => (third, second, first),
        DateFormat::MonthDayYearSlash => (third, first, second),
    };
    let number = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        let good = lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        good.then(|| part.parse::<u32>().ok()).flatten()
    };
    let (year, month, day) = (number(year, 4..=4)?, number(month, 1..=2)?, number(day, 1..=2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(year * 10_000 + month * 100 + day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Decimal {
        Decimal::read(text, false).expect(text)
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let ascending = [
            "-1e3",
            "-10",
            "-9.5",
            "-0.01",
            "-0.001",
            "0",
            "0.001",
            "0.01",
            "9.4999",
            "9.5",
            "10",
            "1e3",
            "123456789.5",
        ];
        for pair in ascending.windows(2) {
            assert!(number(pair[0]) < number(pair[1]), "{pair:?}");
        }
        for (a, b) in [
            ("1", "1.0"),
            ("1", "01"),
            ("-0", "0.00"),
            ("1e2", "100"),
            ("+5", "5"),
            ("0.5", ".5"),
            ("5.", "5"),
            (" 7", "7"),
        ] {
            assert_eq!(number(a), number(b), "{a} {b}");
        }
        // In floats, 0.1 + 0.2 is not 0.3.
        assert!(number("0.30000000000000004") > number("0.3"));
    }

    #[test]
    fn what_is_not_a_number() {
        for text in ["", ".", "-", "1,5", "1.2.3", "x", "1e", "--1", "1 2", "NaN", "0x1", "1e99999999999"] {
            assert_eq!(Decimal::read(text, false), None, "{text}");
        }
        assert_eq!(Decimal::read(&"1".repeat(39), false), None);
        assert!(Decimal::read(&format!("{}0", "1".repeat(38)), false).is_some());
        assert_eq!(Decimal::read("1,5", true), Decimal::read("1.5", false));
        assert_eq!(Decimal::read("1.5", true), None);
    }

    #[test]
    fn dates_are_calendar_dates() {
        let read = |text, format: &str| read_date(text, format.parse().expect("known"));
        assert_eq!(read("2024-02-29", "yyyy-mm-dd"), Some(20_240_229));
        assert_eq!(read("2023-02-29", "yyyy-mm-dd"), None);
        assert_eq!(read("1900-02-29", "yyyy-mm-dd"), None);
        assert_eq!(read("2000-02-29", "yyyy-mm-dd"), Some(20_000_229));
        assert_eq!(read("2024/12/31", "yyyy/mm/dd"), Some(20_241_231));
        assert_eq!(read("31.12.2024", "dd.mm.yyyy"), Some(20_241_231));
        assert_eq!(read("3/4/2024", "dd/mm/yyyy"), Some(20_240_403));
        assert_eq!(read("3/4/2024", "mm/dd/yyyy"), Some(20_240_304));
        for text in [
            "2024-04-31",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "2024-1",
            "24-01-01",
            "2024-01-01-01",
            "2024/01/01",
            "2024-+1-01",
        ] {
            assert_eq!(read(text, "yyyy-mm-dd"), None, "{text}");
        }
        assert!("yy-mm-dd".parse::<DateFormat>().is_err());
    }

    proptest! {
        #[test]
        fn decimals_agree_with_integers_in_thousandths(a in -2_000_000i64..2_000_000, b in -2_000_000i64..2_000_000) {
            let write = |n: i64| format!("{}{}.{:03}", if n < 0 { "-" } else { "" }, n.abs() / 1000, n.abs() % 1000);
            prop_assert_eq!(number(&write(a)).cmp(&number(&write(b))), a.cmp(&b));
        }
    }
}
