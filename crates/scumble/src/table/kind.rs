//! What kind of values a column holds, and the exact integers behind them.
//!
//! Numbers and dates are measured as integers: a number as its value times `10^scale` of the column,
//! a date as its day number. Order, equality and interval ends are then exact; no float decides.

use serde::{Deserialize, Serialize};

use crate::table::date::{Date, DateFormat};

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers with a decimal point.
    Decimal,
    /// Numbers with a decimal comma.
    DecimalComma,
    /// Calendar dates in one format.
    Date(DateFormat),
    /// Anything else; also codes with leading zeros.
    Text,
}

/// What looking at all values of a column says about its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inference {
    /// One kind fits all values.
    Clear(Kind),
    /// Dates in which day and month cannot be told apart; the user must say which it is.
    AmbiguousDate,
}

/// The deepest precision of a number that is taken as a number.
pub(crate) const MAX_SCALE: u32 = 18;
/// The most digits of a number that is taken as a number; more is a code, not a quantity.
const MAX_DIGITS: usize = 30;

impl Kind {
    /// The kind that fits every text; without any text it is `Text`.
    #[expect(clippy::needless_pass_by_value, reason = "an iterator is passed by value, as everywhere")]
    pub fn infer<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Inference {
        if texts.clone().next().is_none() {
            return Inference::Clear(Self::Text);
        }
        for kind in [Self::Integer, Self::Decimal] {
            if texts.clone().all(|text| kind.mantissa(text).is_some()) {
                return Inference::Clear(kind);
            }
        }
        // "1,234" may be a thousand: only a column with some other number of places is surely decimal.
        let mut places =
            texts.clone().filter_map(|text| text.split_once(',')).map(|(_, after)| after.trim_end().len());
        if places.any(|places| places != 3)
            && texts.clone().all(|text| Self::DecimalComma.mantissa(text).is_some())
        {
            return Inference::Clear(Self::DecimalComma);
        }
        let fitting: Vec<DateFormat> = DateFormat::ALL
            .into_iter()
            .filter(|format| texts.clone().all(|text| format.parse(text).is_some()))
            .collect();
        match fitting[..] {
            [] => Inference::Clear(Self::Text),
            [format] => Inference::Clear(Self::Date(format)),
            _ => Inference::AmbiguousDate,
        }
    }

    /// Whether values lie on a line, so that intervals of them mean something.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        self != Self::Text
    }

    /// A number as digits and decimal places, exactly; `None` for texts and dates.
    fn mantissa(self, text: &str) -> Option<(i128, u32)> {
        // Blanks around a number mean nothing.
        let text = text.trim();
        let (negative, digits) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (digits, exponent) = match (self, digits.split_once(['e', 'E'])) {
            (Self::Decimal, Some((digits, exponent))) => (digits, exponent.parse::<i32>().ok()?),
            _ => (digits, 0),
        };
        let (whole, places) = match self {
            Self::Integer => (digits, ""),
            Self::Decimal => digits.split_once('.').unwrap_or((digits, "")),
            Self::DecimalComma => digits.split_once(',').unwrap_or((digits, "")),
            Self::Date(_) | Self::Text => return None,
        };
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if whole.len() + places.len() == 0
            || whole.len() + places.len() > MAX_DIGITS
            || !all_digits(whole)
            || !all_digits(places)
            || leading_zero
        {
            return None;
        }
        let mut value: i128 = 0;
        for byte in whole.bytes().chain(places.bytes()) {
            value = value * 10 + i128::from(byte - b'0');
        }
        let scale = places.len() as i32 - exponent;
        let (value, scale) = if scale < 0 {
            (value.checked_mul(10_i128.checked_pow(scale.unsigned_abs())?)?, 0)
        } else {
            (value, scale as u32)
        };
        (scale <= MAX_SCALE).then_some((if negative { -value } else { value }, scale))
    }
}

/// How the texts of one column are measured: the kind and, for numbers, the decimal places kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// The kind of the values.
    pub kind: Kind,
    /// Numbers are multiples of `10^-scale`; 0 for dates and texts.
    pub scale: u32,
}

impl Measure {
    /// The measure of a column with these texts: the finest precision among them.
    pub fn of<'a>(kind: Kind, texts: impl Iterator<Item = &'a str>) -> Self {
        let scale = texts.filter_map(|text| kind.mantissa(text)).map(|(_, scale)| scale).max();
        Self { kind, scale: scale.unwrap_or(0) }
    }

    /// The integer behind a text, or `None` if it is not of this kind or finer than this precision.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<i128> {
        if let Kind::Date(format) = self.kind {
            return format.parse(text).map(i128::from);
        }
        let (value, scale) = self.kind.mantissa(text)?;
        if scale <= self.scale {
            return value.checked_mul(10_i128.pow(self.scale - scale));
        }
        let divisor = 10_i128.pow(scale - self.scale);
        (value % divisor == 0).then_some(value / divisor)
    }

    /// The plain text of an integer of this measure.
    #[must_use]
    pub fn text(&self, number: i128) -> String {
        if let Kind::Date(format) = self.kind {
            return i64::try_from(number).map(|day| format.format(day)).unwrap_or_default();
        }
        if self.scale == 0 {
            return number.to_string();
        }
        let unit = 10_u128.pow(self.scale);
        let sign = if number < 0 { "-" } else { "" };
        let mark = if self.kind == Kind::DecimalComma { ',' } else { '.' };
        let (whole, places) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
        let places = format!("{places:0width$}", width = self.scale as usize);
        match places.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            places => format!("{sign}{whole}{mark}{places}"),
        }
    }

    /// A number of `more` places beyond this measure, all of them written, zeros too: they say how exact it is.
    #[must_use]
    pub fn with_places(&self, number: i128, more: u32) -> String {
        let places = self.scale + more;
        let unit = 10_u128.pow(places);
        let sign = if number < 0 { "-" } else { "" };
        let mark = if self.kind == Kind::DecimalComma { ',' } else { '.' };
        let (whole, rest) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
        format!("{sign}{whole}{mark}{rest:0width$}", width = places as usize)
    }

    /// A round number at which intervals can meet between two neighbouring values of a column: the last of the lower
    /// interval. It is neither value, nor next to one, where there is room for that.
    #[must_use]
    pub fn roundest_between(&self, below: i128, above: i128) -> i128 {
        let (low, high) = if above - below >= 4 { (below + 2, above - 2) } else { (below, above - 1) };
        if let Kind::Date(_) = self.kind {
            return last_of_period(low, high);
        }
        let mut round = low;
        let mut step = 10_i128;
        // The largest power of ten that has a multiple in reach.
        while let Some(multiple) = high.div_euclid(step).checked_mul(step).filter(|multiple| *multiple >= low)
        {
            round = multiple;
            step = match step.checked_mul(10) {
                Some(next) => next,
                None => break,
            };
        }
        round
    }

    /// The integer as a float in the column's own unit, for reports and widths.
    #[must_use]
    pub fn float(&self, number: i128) -> f64 {
        number as f64 / 10_f64.powi(self.scale as i32)
    }

    /// The closed interval between two integers as released: `[17,24]`, `[1,5;2,5]` with decimal commas.
    #[must_use]
    pub fn interval(&self, low: i128, high: i128) -> String {
        format!("[{}{}{}]", self.text(low), self.separator(), self.text(high))
    }

    /// What stands between the two ends of an interval.
    #[must_use]
    pub fn separator(&self) -> char {
        if self.kind == Kind::DecimalComma { ';' } else { ',' }
    }
}

/// The last day of a year between two day numbers, else of a month, else the first day.
fn last_of_period(low: i128, high: i128) -> i128 {
    let (Ok(first), Ok(last)) = (i64::try_from(low), i64::try_from(high)) else { return low };
    let date = Date::of(last + 1);
    let year = Date { year: date.year, month: 1, day: 1 }.number() - 1;
    let month = Date { year: date.year, month: date.month, day: 1 }.number() - 1;
    i128::from([year, month].into_iter().find(|day| (first..=last).contains(day)).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_meet_at_round_numbers() {
        let numbers = Measure { kind: Kind::Integer, scale: 0 };
        assert_eq!(numbers.roundest_between(4_711, 5_093), 5_000);
        assert_eq!(numbers.roundest_between(4_711, 4_713), 4_711, "no room but between the two");
        assert_eq!(numbers.roundest_between(4_711, 4_719), 4_713);
        assert_eq!(numbers.roundest_between(-13, 9), 0);
        let dates = Measure { kind: Kind::Date(DateFormat::YearMonthDay), scale: 0 };
        let between = |a: &str, b: &str| {
            let day = |text: &str| dates.number(text).expect("a date");
            dates.text(dates.roundest_between(day(a), day(b)))
        };
        assert_eq!(between("2023-11-05", "2024-02-20"), "2023-12-31");
        assert_eq!(between("2024-01-05", "2024-02-20"), "2024-01-31");
        assert_eq!(between("2024-01-05", "2024-01-20"), "2024-01-07");
        assert_eq!(between("2024-01-05", "2024-01-06"), "2024-01-05");
    }

    fn infer(texts: &[&str]) -> Inference {
        Kind::infer(texts.iter().copied())
    }

    #[test]
    fn kinds_are_inferred() {
        assert_eq!(infer(&["1", "-20", "0"]), Inference::Clear(Kind::Integer));
        assert_eq!(infer(&["1", "2.50", ".4", "1e3"]), Inference::Clear(Kind::Decimal));
        assert_eq!(infer(&[" 1", "-20 ", "0"]), Inference::Clear(Kind::Integer), "blanks mean nothing");
        assert_eq!(infer(&["1,500 ", "20"]), Inference::Clear(Kind::Text), "nor do they tell places");
        assert_eq!(infer(&["1,5", "20"]), Inference::Clear(Kind::DecimalComma));
        assert_eq!(infer(&["1,500", "20"]), Inference::Clear(Kind::Text), "may be thousands");
        assert_eq!(infer(&["01067", "10115"]), Inference::Clear(Kind::Text), "codes with leading zeros");
        assert_eq!(infer(&["2020-02-29"]), Inference::Clear(Kind::Date(DateFormat::YearMonthDay)));
        assert_eq!(infer(&["2021-02-29"]), Inference::Clear(Kind::Text), "no such day");
        assert_eq!(infer(&["03/04/2020", "12/11/2021"]), Inference::AmbiguousDate);
        assert_eq!(
            infer(&["03/04/2020", "13/11/2021"]),
            Inference::Clear(Kind::Date(DateFormat::DayMonthYear))
        );
        assert_eq!(infer(&["03/14/2020"]), Inference::Clear(Kind::Date(DateFormat::MonthDayYear)));
        assert_eq!(infer(&["a", "1"]), Inference::Clear(Kind::Text));
        assert_eq!(infer(&[]), Inference::Clear(Kind::Text));
        assert_eq!(infer(&["NaN", "1.0"]), Inference::Clear(Kind::Text));
    }

    #[test]
    fn numbers_are_exact() {
        let measure = Measure::of(Kind::Decimal, ["1.25", "0.1", "-3"].into_iter());
        assert_eq!(measure.scale, 2);
        assert_eq!(measure.number("0.1"), Some(10));
        assert_eq!(measure.number("-3"), Some(-300));
        assert_eq!(measure.number("0.001"), None, "finer than the column");
        assert_eq!(measure.text(10), "0.1");
        assert_eq!(measure.text(-305), "-3.05");
        assert_eq!(measure.interval(10, 125), "[0.1,1.25]");
        let comma = Measure::of(Kind::DecimalComma, ["1,5"].into_iter());
        assert_eq!(comma.interval(15, 25), "[1,5;2,5]");
    }
}
