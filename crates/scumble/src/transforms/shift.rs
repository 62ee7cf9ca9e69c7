//! Dates moved by a secret number of days, the same for all dates of a person.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use scumble_files::table::{CodedColumn, Codes};

use super::age::day_of;
use super::dates::{Dates, NOT_A_DATE, format};
use super::keyed::Project;
use super::values::{fault, present, recoded};
use super::{BuildTransform, Facts, Given, Made, StepTruth, Transform};
use crate::base::entry::{Entry, Standing};
use crate::base::key::Keyed;
use crate::config::profile::NameSays;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};
use crate::table::date::{Date, DateFormat};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "shift",
    title: "Shifting dates",
    paper: "Hripcsak et al. 2016, shift and truncate; HMAC, RFC 2104",
    standing: Standing::Recommended,
    about: "Moves dates by a secret number of days, which is the same for all dates of a person and never 0. The time between two dates of a \
            person stays exact. Whoever knows one true date of a person knows all of them, so shifted dates keep the role of true ones.",
    parameters: &[
        ("project", "the name of the study: other projects have other offsets"),
        ("max", "the most days by which a date is moved (182)"),
        ("unit", "offsets are multiples of this many days (1); 7 keeps days of the week"),
        ("direction", "both (default), or past: dates only become earlier"),
        ("subject", "the column that says whose date it is (the column with the role subject)"),
        (
            "not_after",
            "the last day that a moved date may show, such as the day on which the data was taken: 2026-01-31",
        ),
        ("format", "how the dates are written, where that is not clear: dd/mm/yyyy"),
        ("key_id", "refuses any other key; saved recodings have it"),
    ],
    build: |parameters| Ok(Box::new(Shift::new(parameters)?)),
};

/// What separates the uses of a key.
const SALT: &str = "scumble/date-shift/1";

/// The most days by which a date can be moved: a hundred years.
const FARTHEST: u64 = 36_525;

/// The offsets that a step can choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offsets {
    /// How many lie on each side of 0.
    steps: u64,
    unit: i64,
    past: bool,
}

struct Shift {
    project: Project,
    offsets: Offsets,
    subject: Option<String>,
    not_after: Option<i64>,
    format: Option<DateFormat>,
}

impl Offsets {
    fn new(parameters: &Parameters) -> Result<Self> {
        let max = parameters.whole("max", 1)?.unwrap_or(182);
        let unit = parameters.whole("unit", 1)?.unwrap_or(1);
        let wrong = |name: &str, what: String| Err(parameters.placed(name, Error::config(what)));
        if max > FARTHEST {
            return wrong("max", format!("max is a number of days, and at most {FARTHEST}"));
        }
        if unit > max {
            return wrong(
                "unit",
                format!(
                    "dates are to move by multiples of {unit} days and by at most {max}, so they could not move at all"
                ),
            );
        }
        let past = parameters.choice("direction", &["both", "past"])? == Some("past");
        Ok(Self { steps: max / unit, unit: unit as i64, past })
    }

    /// The offset that a number stands for. Each is as likely as any other, and none is 0.
    fn of(self, number: u64) -> i64 {
        let of = |count: u64| ((u128::from(number) * u128::from(count)) >> 64) as i64;
        let steps = self.steps as i64;
        let chosen = match self.past {
            true => -(of(self.steps) + 1),
            false => match of(2 * self.steps) {
                below if below < steps => below - steps,
                above => above - steps + 1,
            },
        };
        chosen * self.unit
    }
}

impl Shift {
    fn new(parameters: &Parameters) -> Result<Self> {
        let not_after = parameters.text("not_after")?.map(|day| day_of(parameters, "not_after", day));
        Ok(Self {
            project: Project::new(parameters)?,
            offsets: Offsets::new(parameters)?,
            subject: parameters.text("subject")?.map(str::to_owned),
            not_after: not_after.transpose()?,
            format: format(parameters)?,
        })
    }

    /// The offset of a person.
    fn offset(&self, keyed: &Keyed, person: &str) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = keyed.of(&[person.as_bytes()]);
        self.offsets.of(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    /// The text of a date that was moved to a day, or why it cannot be there. `text` is the date as it was.
    fn moved(&self, dates: Dates, text: &str, day: i64) -> Result<String, &'static str> {
        if !(1..=9_999).contains(&Date::of(day).year) {
            return Err("would be moved out of the calendar, which has the years 1 to 9999");
        }
        if self.not_after.is_some_and(|last| day > last) {
            return Err(TOO_LATE);
        }
        Ok(match dates {
            Dates::Days(format) => format.format(day),
            // The time of day, and the offset from UTC, stay as they are written.
            Dates::Moments { .. } => {
                DateFormat::YearMonthDay.format(day) + text.trim().get(10..).unwrap_or_default()
            }
        })
    }

    /// A warning if the column seems to hold dates of birth.
    fn of_birth(&self, given: &Given<'_>, column: &CodedColumn, dates: Dates) -> Option<String> {
        let years = present(given, column).into_iter().filter_map(|(_, text)| dates.read(text, false));
        let years: Vec<i64> = years.map(|moment| Date::of(moment.day).year).collect();
        let span = years.iter().max().zip(years.iter().min()).map_or(0, |(last, first)| last - first);
        let looks = NameSays::of(&column.name).birth || NameSays::of(given.makes()).birth || span > 40;
        looks.then(|| {
            format!(
                "'{}' looks like dates of birth: moved by days, they give wrong ages; make ages of them (age)",
                column.name
            )
        })
    }
}

/// What a text of the column shows.
#[derive(Clone, Copy)]
enum Shown {
    Date(i64),
    Missing,
    /// No date.
    Nothing,
}

impl Shown {
    fn of(given: &Given<'_>, column: &CodedColumn, dates: Dates, text: &str) -> Self {
        if given.is_missing(column, text) {
            return Self::Missing;
        }
        dates.read(text, false).map_or(Self::Nothing, |moment| Self::Date(moment.day))
    }
}

/// Why a date cannot be moved that far.
const TOO_LATE: &str = "would be moved behind the last day that dates may show (not_after)";

impl Transform for Shift {
    fn also_reads(&self) -> Vec<&str> {
        self.subject.as_deref().into_iter().collect()
    }

    fn facts(&self) -> Facts {
        Facts { truth: StepTruth::Shifted, needs_key: true, ..Facts::DERIVED }
    }

    fn words(&self) -> String {
        let weekdays = if self.offsets.unit % 7 == 0 { "" } else { ", the days of the week" };
        format!(
            "dates moved by a secret number of days, which is the same for all dates of a person; the time between two dates of a person is \
             true, the dates themselves, the seasons{weekdays} and ages on that day are not; whoever knows one true date of a person knows all \
             of them"
        )
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let subject = given.also.first().copied().ok_or_else(|| Error::internal("a shift has no subject"))?;
        let (key, key_id) = self.project.key(given)?;
        let keyed = key.derive(SALT, self.project.name.as_bytes())?.function()?;
        let dates = Dates::of(given, column, self.format)?;
        let people: Vec<Option<&str>> = subject
            .values
            .iter()
            .map(|text| (!given.is_missing(subject, text)).then(|| text.trim()))
            .collect();
        let offsets: Vec<Option<i64>> =
            people.par_iter().map(|person| person.map(|person| self.offset(&keyed, person))).collect();
        let days: Vec<Shown> =
            column.values.iter().map(|text| Shown::of(given, column, dates, text)).collect();
        // What is shown depends on the day that a date is moved to, so there are few different texts, however many rows there are.
        let mut places: HashMap<(i64, u32), u32, FixedState> = HashMap::default();
        let mut made: Vec<Result<Option<String>, &'static str>> = Vec::new();
        let mut codes = Vec::with_capacity(column.codes.len());
        let mut pace = given.control.pace();
        for (row, code) in column.codes.iter().enumerate() {
            pace.tick(1)?;
            let day = match (days[code as usize], offsets[subject.codes.get(row) as usize]) {
                (Shown::Date(day), Some(offset)) => Shown::Date(day + offset),
                (Shown::Date(_), None) => {
                    let missing = |row: &usize| offsets[subject.codes.get(*row) as usize].is_none();
                    let rows = (0..column.codes.len()).filter(missing);
                    return Err(fault(
                        given,
                        subject,
                        "is missing, so nobody can tell whose date it is",
                        rows,
                    ));
                }
                (other, _) => other,
            };
            let place = match (day, dates) {
                (Shown::Date(day), Dates::Days(_)) => (day, 0),
                (Shown::Date(day), Dates::Moments { .. }) => (day, code),
                _ => (i64::MIN, code),
            };
            codes.push(*places.entry(place).or_insert_with(|| {
                let text = column.values.get(code);
                made.push(match day {
                    Shown::Missing => Ok(Some(text.to_owned())),
                    Shown::Nothing => Err(NOT_A_DATE),
                    Shown::Date(day) => self.moved(dates, text, day).map(Some),
                });
                made.len() as u32 - 1
            }));
        }
        if let Some(reason) = made.iter().find_map(|made| made.as_ref().err()) {
            let rows = (0..codes.len()).filter(|row| made[codes[*row] as usize] == Err(*reason));
            let error = fault(given, column, reason, rows);
            return Err(match *reason == TOO_LATE {
                true => error.advise("move dates into the past only: direction = \"past\""),
                false => error,
            });
        }
        let texts: Vec<Option<String>> = made.into_iter().map(|made| made.unwrap_or(None)).collect();
        let moved = recoded(given.makes(), &texts, &Codes::narrow(texts.len(), &codes));
        let mut settled = vec![("key_id", Value::from(key_id.as_str()))];
        if let Dates::Days(format) = dates {
            settled.push(("format", Value::from(format.name())));
        }
        let known = format!(
            "the dates of '{}' were moved; that protects nobody from people who know one of the true dates, so outsiders who do know dates \
             call for the role quasi",
            column.name
        );
        let warnings = self.of_birth(given, column, dates).into_iter().collect();
        Ok(Made { settled, notes: vec![known], warnings, ..Made::of(moved) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rows, run};
    use super::*;

    const PROJECT: (&str, &str) = ("project", "clinic-2026");
    const PEOPLE: &[&str] = &["p-001", "p-002", "p-003"];

    /// By how many days 15 June 2020 is moved, for each person.
    fn moved(given: &[(&str, &str)], people: &[&str]) -> Vec<i64> {
        let dates = vec!["2020-06-15"; people.len()];
        let made = run(&ENTRY, &[&[PROJECT], given].concat(), &[&dates], &[people], false).expect("dates");
        let day = |text: &str| DateFormat::YearMonthDay.parse(text).expect("a date");
        rows(&made).iter().map(|text| day(text) - day("2020-06-15")).collect()
    }

    fn message(given: &[(&str, &str)], dates: &[&str], people: &[&str]) -> String {
        match run(&ENTRY, &[&[PROJECT], given].concat(), &[dates], &[people], false) {
            Ok(_) => panic!("it must fail"),
            Err(error) => error.to_string(),
        }
    }

    /// The specification's vectors (transforms.md 1.7).
    #[test]
    fn offsets_of_the_specification() {
        assert_eq!(moved(&[("max", "30")], PEOPLE), [-27, -30, 18]);
        assert_eq!(moved(&[("unit", "7")], PEOPLE), [-168, -182, 112]);
        assert_eq!(moved(&[("max", "365"), ("direction", "past")], PEOPLE), [-21, -5, -291]);
    }

    #[test]
    fn every_offset_but_zero_is_chosen() {
        let offsets = Offsets { steps: 3, unit: 7, past: false };
        let of = |share: u128| offsets.of(((share << 64) / 6) as u64 + 1);
        assert_eq!((0..6).map(of).collect::<Vec<_>>(), [-21, -14, -7, 7, 14, 21]);
        assert_eq!((offsets.of(0), offsets.of(u64::MAX)), (-21, 21));
        let past = Offsets { past: true, ..offsets };
        assert_eq!((past.of(0), past.of(u64::MAX)), (-7, -21));
        assert_eq!(Offsets { steps: 1, unit: 1, past: false }.of(u64::MAX / 2 + 1), 1);
    }

    /// 6,000 people and 60 offsets: 100 are expected of each. Chi-square with 59 degrees of freedom is above 112 once in 30,000 times.
    #[test]
    fn offsets_are_uniform() {
        let people: Vec<String> = (0..6_000).map(|person| format!("person {person}")).collect();
        let people: Vec<&str> = people.iter().map(String::as_str).collect();
        let mut counts = std::collections::BTreeMap::new();
        moved(&[("max", "30")], &people)
            .into_iter()
            .for_each(|offset| *counts.entry(offset).or_insert(0_i64) += 1);
        assert_eq!(counts.len(), 60);
        let chi_square: i64 = counts.values().map(|count| (count - 100) * (count - 100)).sum::<i64>() / 100;
        assert!(chi_square < 112, "{chi_square}");
    }

    #[test]
    fn dates_keep_their_form_and_their_distances() {
        let of = |given: &[(&str, &str)], dates: &[&str], people: &[&str]| {
            let given = [&[PROJECT, ("max", "30")], given].concat();
            rows(&run(&ENTRY, &given, &[dates], &[people], false).expect("dates"))
        };
        // p-001 is moved by −27 days, p-003 by +18.
        let dates = ["31.03.2024", "01.04.2024", "NA", "31.12.2023"];
        let shown = of(&[], &dates, &["p-001", " p-001", "NA", "p-003"]);
        assert_eq!(shown, ["04.03.2024", "05.03.2024", "NA", "18.01.2024"]);
        let times = ["2024-03-31T23:30:00-05:00", "2024-03-31 08:00:01.5+02:00"];
        let shown = of(&[], &times, &["p-001", "p-003"]);
        assert_eq!(shown, ["2024-03-04T23:30:00-05:00", "2024-04-18 08:00:01.5+02:00"]);
        // The form is kept for other rows.
        let made = run(&ENTRY, &[PROJECT], &[&["31.03.2024"]], &[&["p-001"]], false).expect("dates");
        assert!(made.settled.contains(&("format", Value::from("dd.mm.yyyy"))));
    }

    #[test]
    fn dates_of_birth_are_warned_of() {
        let notes = |dates: &[&str]| {
            let made = run(&ENTRY, &[PROJECT], &[dates], &[&["a", "b"]], false).expect("dates");
            made.warnings.into_iter().chain(made.notes).collect::<Vec<_>>().join(" ")
        };
        assert!(notes(&["1940-01-02", "2001-05-06"]).contains("dates of birth"));
        let visits = notes(&["2020-01-02", "2021-05-06"]);
        assert!(!visits.contains("birth") && visits.contains("one of the true dates"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let date: &[&str] = &["2024-03-31"];
        let one: &[&str] = &["p-001"];
        assert!(message(&[("max", "3"), ("unit", "7")], date, one).contains("could not move at all"));
        assert!(message(&[("max", "0")], date, one).contains("at least 1"));
        assert!(message(&[("max", "40000")], date, one).contains("at most 36525"));
        assert!(message(&[("direction", "future")], date, one).contains("one of both, past"));
        assert!(message(&[("not_after", "soon")], date, one).contains("not_after must be a day"));
        assert!(message(&[], &["2024-03-31", "2024-02-30"], &["p", "p"]).contains("row 2"));
        assert!(message(&[], date, &["NA"]).contains("whose date it is"));
        assert!(message(&[("max", "30")], &["0001-01-05"], one).contains("out of the calendar"));
        let late = message(&[("max", "30"), ("not_after", "2024-04-01")], &["2024-03-31"], &["p-003"]);
        assert!(
            late.contains("direction = \"past\"") && late.contains("row 1") && !late.contains("2024"),
            "{late}"
        );
        assert!(message(&[("key_id", "0123456789abcdef")], date, one).contains("begun with the key"));
    }
}
