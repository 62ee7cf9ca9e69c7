//! Ages, days since a day, and periods.

use super::{Rule, StepClaim, by_code};
use crate::clock;
use crate::error::VerifyError;
use crate::value::{DateFormat, read_date};

/// A day and the nanoseconds since its midnight.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    year: i128,
    month: i128,
    day: i128,
    nanos: i128,
}

/// How the dates of a column are read.
#[derive(Clone, Copy)]
pub(super) enum Dates {
    Days(DateFormat),
    Local,
    Zoned { utc: bool },
}

const FORMATS: [DateFormat; 5] = [
    DateFormat::YearMonthDayDash,
    DateFormat::YearMonthDaySlash,
    DateFormat::DayMonthYearDot,
    DateFormat::DayMonthYearSlash,
    DateFormat::MonthDayYearSlash,
];

impl Dates {
    /// The only way in which all dates of a column can be read; a format that is given decides between several.
    pub(super) fn of(
        claim: &StepClaim<'_>,
        place: usize,
        format: Option<&str>,
        utc: bool,
    ) -> Result<Self, VerifyError> {
        if let Some(format) = format {
            return Ok(Self::Days(format.parse()?));
        }
        let texts = claim.present(place);
        let days = FORMATS.map(Self::Days).into_iter();
        let mut fitting = days
            .chain([Self::Local, Self::Zoned { utc }])
            .filter(|way| texts.iter().all(|text| way.read(text).is_some()));
        match (fitting.next(), fitting.next()) {
            (Some(way), None) => Ok(way),
            // Nothing has to be read.
            (Some(way), Some(_)) if texts.is_empty() => Ok(way),
            _ => Err(claim.wrong("its dates can be read in no way, or in several")),
        }
    }

    pub(super) fn read(self, text: &str) -> Option<Moment> {
        let text = text.trim();
        match self {
            Self::Days(format) => {
                let date = i128::from(read_date(text, format)?);
                Some(Moment { year: date / 10_000, month: date / 100 % 100, day: date % 100, nanos: 0 })
            }
            Self::Local => written(text, clock::timestamp(text, false)?),
            Self::Zoned { utc: true } => {
                let instant = clock::timestamp(text, true)?;
                let nanos = instant.rem_euclid(DAY);
                let (year, month, day) = clock::date(instant.div_euclid(DAY));
                Some(Moment { year, month, day, nanos })
            }
            Self::Zoned { utc: false } => {
                clock::timestamp(text, true)?;
                let end = 11 + text[11..].find(['Z', 'z', '+', '-'])?;
                let local = text[..end].trim_end();
                written(local, clock::timestamp(local, false)?)
            }
        }
    }
}

const DAY: i128 = 86_400_000_000_000;

/// The day that a timestamp begins with, and its time.
fn written(text: &str, nanos: i128) -> Option<Moment> {
    let date = i128::from(read_date(text.get(..10)?, DateFormat::YearMonthDayDash)?);
    Some(Moment {
        year: date / 10_000,
        month: date / 100 % 100,
        day: date % 100,
        nanos: nanos.rem_euclid(DAY),
    })
}

impl Moment {
    /// A number that grows by one from day to day.
    pub(super) fn number(self) -> i128 {
        clock::first_of(self.year, self.month) + self.day - 1
    }
}

/// A day among the parameters.
pub(super) fn day_of(claim: &StepClaim<'_>, name: &str) -> Option<Moment> {
    Dates::Days(DateFormat::YearMonthDayDash).read(claim.text(name)?)
}

/// The day up to which a step counts.
enum To {
    /// It is given.
    Day(Moment),
    /// The second column has it.
    Column(Vec<Option<Moment>>),
}

/// The days between which a step counts, and what it makes of them; all by code.
struct Days {
    from: Vec<Option<Moment>>,
    to: To,
    /// The whole number that a new value writes.
    made: Vec<Option<i128>>,
}

impl Days {
    /// `day` and `column` are the parameters that name the second day.
    fn of(claim: &StepClaim<'_>, day: &str, column: &str) -> Result<Self, VerifyError> {
        let read = |place: usize, format: Option<&str>| {
            let dates = Dates::of(claim, place, format, false)?;
            Ok::<_, VerifyError>(by_code(claim.read[place], |text| dates.read(text)))
        };
        let to = match (day_of(claim, day), claim.text(column)) {
            (Some(day), None) => To::Day(day),
            (None, Some(_)) if claim.read.len() == 2 => To::Column(read(1, None)?),
            _ => return Err(claim.wrong("the day to compare with is not known")),
        };
        let whole = |text: &str| text.parse().ok().filter(|number: &i128| number.to_string() == text);
        Ok(Self { from: read(0, claim.text("format"))?, to, made: by_code(claim.made(), whole) })
    }

    /// A rule by the two days and the number that is shown.
    fn rule<'a>(self, holds: impl Fn(Moment, Moment, i128) -> bool + Sync + 'a) -> Rule<'a> {
        Rule::codes(move |codes, made| {
            let to = match &self.to {
                To::Day(day) => Some(*day),
                To::Column(days) => codes.get(1).and_then(|code| days[*code as usize]),
            };
            let found = self.from[codes[0] as usize].zip(to).zip(self.made[made as usize]);
            found.is_some_and(|((from, to), made)| holds(from, to, made))
        })
    }
}

pub(super) fn age<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let unit = claim.text("unit").unwrap_or("years").to_owned();
    Ok(Days::of(claim, "at", "at_column")?.rule(move |born, at, made| {
        if born.number() > at.number() {
            return false;
        }
        // A birthday has come if the day of the year has.
        let years = at.year - born.year - i128::from((at.month, at.day) < (born.month, born.day));
        let months = (at.year - born.year) * 12 + at.month - born.month - i128::from(at.day < born.day);
        match unit.as_str() {
            "years" => made == years,
            "months" => made == months,
            "days" => made == at.number() - born.number(),
            _ => false,
        }
    }))
}

pub(super) fn days_since<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let days = Days::of(claim, "since", "since_column")?;
    Ok(days.rule(|day, since, made| made == day.number() - since.number()))
}

pub(super) fn truncated<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let utc = claim.parameter("utc").and_then(serde_json::Value::as_bool) == Some(true);
    let dates = Dates::of(claim, 0, claim.text("format"), utc)?;
    let unit = claim.text("unit").ok_or_else(|| claim.wrong("the unit is not known"))?.to_owned();
    Ok(Rule::texts(move |texts, made| {
        dates.read(texts[0]).and_then(|moment| period(moment, &unit)).as_deref() == Some(made)
    }))
}

/// What the period of a moment is called; `None` for a unit that there is not.
fn period(moment: Moment, unit: &str) -> Option<String> {
    let Moment { year, month, day, nanos } = moment;
    let seconds = nanos / 1_000_000_000;
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(match unit {
        "year" => date[..4].to_owned(),
        "month" => date[..7].to_owned(),
        "quarter" => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
        "week" => week(moment),
        "day" => date,
        "hour" => format!("{date}T{:02}", seconds / 3_600),
        "minute" => format!("{date}T{:02}:{:02}", seconds / 3_600, seconds / 60 % 60),
        "second" => format!("{date}T{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60),
        _ => return None,
    })
}

/// The ISO week: weeks begin on Monday, and the first week of a year is the one with 4 January.
fn week(moment: Moment) -> String {
    // 2024-01-01 was a Monday.
    let monday = clock::first_of(2024, 1);
    let begin = |number: i128| number - (number - monday).rem_euclid(7);
    let first = |year: i128| begin(clock::first_of(year, 1) + 3);
    let day = moment.number();
    let year =
        (moment.year - 1..=moment.year + 1).rev().find(|year| first(*year) <= day).unwrap_or(moment.year);
    format!("{year:04}-W{:02}", (day - first(year)) / 7 + 1)
}
