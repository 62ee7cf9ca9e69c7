//! A column's texts as dates or timestamps.

use scumble_files::table::CodedColumn;

use super::Given;
use super::values::present;
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::date::DateFormat;
use crate::table::kind::{Inference, Kind};
use crate::table::moment::{DAY, day_of, timestamp};

/// Why a text is no date here.
pub(super) const NOT_A_DATE: &str = "is not a date as the column writes them";

/// The format that a step names, if it does.
pub(super) fn format(parameters: &Parameters) -> Result<Option<DateFormat>> {
    let Some(name) = parameters.text("format")? else { return Ok(None) };
    let found = DateFormat::ALL.into_iter().find(|format| format.name() == name);
    found.map(Some).ok_or_else(|| {
        let names = DateFormat::ALL.map(DateFormat::name).join(", ");
        parameters.placed(
            "format",
            Error::config(format_args!("there is no date format '{name}'; known are {names}")),
        )
    })
}

/// How a column writes its dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dates {
    Days(DateFormat),
    Moments { zone: bool },
}

/// A date, or a moment in local time as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// The day number.
    pub(super) day: i64,
    /// The nanoseconds since midnight.
    pub(super) time: i128,
}

impl Dates {
    /// How the dates of a column are written; an error if it has none, or if nobody can tell which number is the day.
    pub(super) fn of(given: &Given<'_>, column: &CodedColumn, format: Option<DateFormat>) -> Result<Self> {
        if let Some(format) = format {
            return Ok(Self::Days(format));
        }
        let texts: Vec<&str> = present(given, column).into_iter().map(|(_, text)| text).collect();
        match Kind::infer(texts.iter().copied()) {
            Inference::Clear(Kind::Date(format)) => Ok(Self::Days(format)),
            Inference::Clear(Kind::Timestamp { zone }) => Ok(Self::Moments { zone }),
            Inference::AmbiguousDate => Err(Error::config("day and month of the dates cannot be told apart")
                .in_column(&column.name)
                .advise("say how the step's dates are written: format = \"dd/mm/yyyy\" or format = \"mm/dd/yyyy\"")),
            // A single bad value must not hide that the others are dates: it is reported with its row.
            Inference::Clear(_) => Self::of_most(&texts).ok_or_else(|| {
                Error::config("the step needs dates, and the column has none").in_column(&column.name)
            }),
        }
    }

    /// The form in which most of the texts are dates.
    fn of_most(texts: &[&str]) -> Option<Self> {
        if texts.is_empty() {
            return Some(Self::Days(DateFormat::YearMonthDay));
        }
        let forms = DateFormat::ALL.into_iter().map(Self::Days);
        let forms = forms.chain([true, false].map(|zone| Self::Moments { zone }));
        let fitting = |form: &Self| texts.iter().filter(|text| form.read(text, false).is_some()).count();
        forms.rev().max_by_key(fitting).filter(|form| fitting(form) > 0)
    }

    /// The moment that a text writes: in local time, or in UTC.
    pub(super) fn read(self, text: &str, utc: bool) -> Option<Moment> {
        let text = text.trim();
        match self {
            Self::Days(format) => format.parse(text).map(|day| Moment { day, time: 0 }),
            Self::Moments { zone } => {
                let local = if zone && !utc { without_offset(text)? } else { timestamp(text, zone)?.0 };
                Some(Moment { day: day_of(local), time: local.rem_euclid(DAY) })
            }
        }
    }

    /// Whether texts have an offset from UTC.
    pub(super) fn has_zone(self) -> bool {
        self == Self::Moments { zone: true }
    }
}

/// The nanoseconds of a timestamp with a zone, as a clock there showed them.
fn without_offset(text: &str) -> Option<i128> {
    // What is not a timestamp with a zone is none, whatever its beginning looks like.
    timestamp(text, true)?;
    let end =
        text.strip_suffix(['Z', 'z']).map_or_else(|| text.rfind(['+', '-']), |before| Some(before.len()))?;
    timestamp(text[..end].trim_end(), false).map(|(nanos, _)| nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_keep_the_time_of_their_clock() {
        let read = |text, utc| {
            Dates::Moments { zone: true }
                .read(text, utc)
                .map(|moment| (moment.day, moment.time / 3_600_000_000_000))
        };
        let day = DateFormat::YearMonthDay.parse("2024-03-09").expect("a date");
        assert_eq!(read("2024-03-09T23:15:00-05:00", false), Some((day, 23)));
        assert_eq!(read("2024-03-09T23:15:00-05:00", true), Some((day + 1, 4)));
        assert_eq!(read("2024-03-09T23:15:00Z", false), Some((day, 23)));
        assert_eq!(read("2024-03-09T23:15:00", false), None);
        assert_eq!(read("2024-03-09T25:15:00Z", false), None);
    }
}
