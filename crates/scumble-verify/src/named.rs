//! Nodes whose names say what lies below them, for texts that a hierarchy does not list: intervals, calendar periods, and codes
//! with a masked end.

use crate::clock;
use crate::cover::Range;
use crate::value::{Value, ValueKind};

/// What the name of a node says.
pub(crate) enum Named {
    /// `[20,30)`: every value inside the interval.
    Inside(Range),
    /// `2024-03`, `2024-Q1`, `2024`, `2020s`, `2000-2099`: every day from the first to the last, as `yyyymmdd`.
    Days(u32, u32),
    /// `2024-03-09T10`, `morning`: every moment from the first up to, but not including, the second.
    Moments(i128, i128),
    /// `43**`: every text with this beginning; if several characters are masked, also of this length.
    Begins(String, Option<usize>),
}

impl Named {
    /// Returns the meaning of a name that is not an interval, if it has one.
    pub(crate) fn read(name: &str, kind: ValueKind) -> Option<Self> {
        if matches!(kind, ValueKind::Date { .. })
            && let Some((first, last)) = days(name)
        {
            return Some(Self::Days(first, last));
        }
        let moments = match kind {
            ValueKind::Timestamp { .. } => clock::of_calendar(name, days(name)),
            ValueKind::Time => clock::of_day(name),
            _ => None,
        };
        if let Some((from, to)) = moments {
            return Some(Self::Moments(from, to));
        }
        let kept = name.trim_end_matches('*');
        let masked = name.len() - kept.len();
        if masked == 0 || kept.is_empty() || kept.contains('*') {
            return None;
        }
        Some(Self::Begins(kept.to_owned(), (masked > 1).then(|| name.chars().count())))
    }

    /// Whether the node has a text with this meaning below it.
    pub(crate) fn holds(&self, text: &str, value: Option<Value>) -> bool {
        match self {
            Self::Inside(range) => value.is_some_and(|value| range.contains(value)),
            Self::Days(first, last) => {
                matches!(value, Some(Value::Date(day)) if (*first..=*last).contains(&day))
            }
            Self::Moments(from, to) => {
                matches!(value, Some(Value::Moment(moment)) if (*from..*to).contains(&moment))
            }
            Self::Begins(kept, length) => {
                text.starts_with(kept.as_str()) && length.is_none_or(|length| text.chars().count() == length)
            }
        }
    }
}

/// Returns the first and last day of a period, as `yyyymmdd`. The last day may be later than the month really has, which does not
/// matter for comparisons.
fn days(name: &str) -> Option<(u32, u32)> {
    let digits = |text: &str, length: usize| {
        let good = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        good.then(|| text.parse::<u32>().ok()).flatten()
    };
    let months =
        |year: u32, first: u32, last: u32| (year * 10_000 + first * 100, year * 10_000 + last * 100 + 99);
    let years = |first: u32, last: u32| (first * 10_000, last * 10_000 + 9_999);
    if let Some(decade) = name.strip_suffix('s') {
        return digits(decade, 4).filter(|year| year % 10 == 0).map(|year| years(year, year + 9));
    }
    let Some((first, second)) = name.split_once('-') else {
        return digits(name, 4).map(|year| years(year, year));
    };
    let first = digits(first, 4)?;
    if let Some(quarter) = second.strip_prefix('Q') {
        let quarter = digits(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
        return Some(months(first, 3 * quarter - 2, 3 * quarter));
    }
    match digits(second, 2).filter(|month| (1..=12).contains(month)) {
        Some(month) => Some(months(first, month, month)),
        None => digits(second, 4)
            .filter(|last| first % 100 == 0 && *last == first + 99)
            .map(|last| years(first, last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods() {
        assert_eq!(days("2024-02"), Some((20_240_200, 20_240_299)));
        assert_eq!(days("2024-Q4"), Some((20_241_000, 20_241_299)));
        assert_eq!(days("2024"), Some((20_240_000, 20_249_999)));
        assert_eq!(days("2020s"), Some((20_200_000, 20_299_999)));
        assert_eq!(days("1900-1999"), Some((19_000_000, 19_999_999)));
        for name in [
            "2024-13",
            "2024-00",
            "2024-Q5",
            "2024-Q",
            "2021s",
            "1950-2049",
            "1900-1998",
            "24",
            "any",
            "*",
            "",
        ] {
            assert_eq!(days(name), None, "{name}");
        }
    }

    #[test]
    fn masks() {
        let holds = |name: &str, text: &str| {
            Named::read(name, ValueKind::Text).is_some_and(|name| name.holds(text, None))
        };
        assert!(holds("43**", "4350") && !holds("43**", "435") && !holds("43**", "4450"));
        assert!(holds("I21*", "I21") && holds("I21*", "I2199") && !holds("I21*", "I22"));
        assert!(!holds("*", "x") && !holds("**", "xy") && !holds("a*b", "a*b") && !holds("plain", "plain"));
    }
}
