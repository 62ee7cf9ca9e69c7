//! Ages in completed years.

use rayon::prelude::*;
use scumble_files::table::CodedColumn;

use super::dates::{Dates, NOT_A_DATE, format};
use super::values::{each_value, fault, of_rows, present};
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::date::{Date, DateFormat};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "age",
    title: "Age",
    paper: "Completed years, as registers and HIPAA count them",
    standing: Standing::Recommended,
    about: "Makes completed years of a date of birth, at a day that is given or that another column has. Somebody born on 29 February is a \
            year older on 1 March of other years. There is no \"today\": a release must come out the same tomorrow.",
    parameters: &[
        ("at", "the day at which people have this age: 2026-01-01"),
        ("at_column", "in place of at: the column with the day, such as the date of admission"),
        ("unit", "years (default), months or days"),
        ("max", "the highest age that is believed (120 years)"),
        ("format", "how the dates are written, where that is not clear: dd/mm/yyyy"),
    ],
    build: |parameters| Ok(Box::new(Age::new(parameters)?)),
};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Years,
    Months,
    Days,
}

enum At {
    Day(i64),
    Column(String),
}

struct Age {
    at: At,
    unit: Unit,
    max: i64,
    format: Option<DateFormat>,
}

/// Why a value has no age.
const BORN_LATER: &str = "is later than the day at which the age is asked for";
const TOO_OLD: &str = "gives an age above the highest that is believed (max)";

impl Age {
    fn new(parameters: &Parameters) -> Result<Self> {
        let at = match (parameters.text("at")?, parameters.text("at_column")?) {
            (Some(_), Some(_)) => {
                return Err(parameters
                    .placed("at", Error::config("at and at_column are both given, and one decides")));
            }
            (Some(day), None) => At::Day(day_of(parameters, "at", day)?),
            (None, Some(column)) => At::Column(column.to_owned()),
            (None, None) => {
                return Err(Error::config(
                    "an age needs a day at which people have it; today would give another release tomorrow",
                )
                .advise("give the day: at = \"2026-01-01\"")
                .advise("name a column of days: at_column = \"admission_date\""));
            }
        };
        let unit = match parameters.choice("unit", &["years", "months", "days"])? {
            Some("months") => Unit::Months,
            Some("days") => Unit::Days,
            _ => Unit::Years,
        };
        let max = parameters.whole("max", 1)?.map_or(120, |max| i64::try_from(max).unwrap_or(i64::MAX));
        Ok(Self { at, unit, max, format: format(parameters)? })
    }

    fn between(&self, born: i64, at: i64) -> Result<i64, &'static str> {
        if born > at {
            return Err(BORN_LATER);
        }
        let months = completed_months(born, at);
        if months / 12 > self.max {
            return Err(TOO_OLD);
        }
        Ok(match self.unit {
            Unit::Years => months / 12,
            Unit::Months => months,
            Unit::Days => at - born,
        })
    }
}

/// A day among the parameters, as ISO 8601 writes it.
pub(super) fn day_of(parameters: &Parameters, name: &str, text: &str) -> Result<i64> {
    let wrong =
        || parameters.placed(name, Error::config(format_args!("{name} must be a day such as 2026-01-01")));
    DateFormat::YearMonthDay.parse(text).ok_or_else(wrong)
}

/// The completed months between two days.
fn completed_months(from: i64, to: i64) -> i64 {
    let (from, to) = (Date::of(from), Date::of(to));
    (to.year - from.year) * 12 + to.month - from.month - i64::from(to.day < from.day)
}

impl Transform for Age {
    fn also_reads(&self) -> Vec<&str> {
        match &self.at {
            At::Day(_) => Vec::new(),
            At::Column(column) => vec![column],
        }
    }

    fn facts(&self) -> Facts {
        Facts::DERIVED
    }

    fn words(&self) -> String {
        let unit = match self.unit {
            Unit::Years => "years",
            Unit::Months => "months",
            Unit::Days => "days",
        };
        match self.at {
            At::Day(day) => format!("age in completed {unit} on {}", DateFormat::YearMonthDay.format(day)),
            At::Column(_) => format!("age in completed {unit} at the date of the row"),
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let dates = Dates::of(given, column, self.format)?;
        let born = |text: &str| dates.read(text, false).map(|moment| moment.day).ok_or(NOT_A_DATE);
        match &self.at {
            At::Day(at) => Ok(Made::of(each_value(given, column, |text| {
                Ok(self.between(born(text)?, *at)?.to_string())
            })?)),
            At::Column(_) => pairs(given, born, |born, at| self.between(born, at)),
        }
    }
}

/// Makes a number of each row of the changed column and the column of days that the step also reads. Where either is missing, the result is
/// missing as the changed column writes it, or as the other does.
pub(super) fn pairs(
    given: &Given<'_>,
    first: impl Fn(&str) -> Result<i64, &'static str> + Sync,
    rule: impl Fn(i64, i64) -> Result<i64, &'static str>,
) -> Result<Made> {
    let column = given.column()?;
    let Some(other) = given.also.first() else {
        return Err(Error::internal("the column of days was not read"));
    };
    let dates = Dates::of(given, other, None)?;
    let firsts = days(given, column, first)?;
    let others =
        days(given, other, |text| dates.read(text, false).map(|moment| moment.day).ok_or(NOT_A_DATE))?;
    let mut made = Vec::with_capacity(column.codes.len());
    let mut wrong: Option<(&'static str, Vec<usize>)> = None;
    for (row, (code, of_other)) in column.codes.iter().zip(other.codes.iter()).enumerate() {
        made.push(match (firsts[code as usize], others[of_other as usize]) {
            (Some(a), Some(b)) => match rule(a, b) {
                Ok(number) => Cell::Number(number),
                Err(reason) => {
                    let (first, rows) = wrong.get_or_insert((reason, Vec::new()));
                    rows.extend((*first == reason).then_some(row));
                    Cell::Number(0)
                }
            },
            (None, _) => Cell::Missing(code),
            (_, None) => Cell::OtherMissing(of_other),
        });
    }
    if let Some((reason, rows)) = wrong {
        return Err(fault(given, column, reason, rows.into_iter()));
    }
    let text = |cell| match cell {
        Cell::Number(number) => number.to_string(),
        Cell::Missing(code) => column.values.get(code).to_owned(),
        Cell::OtherMissing(code) => other.values.get(code).to_owned(),
    };
    Ok(Made::of(of_rows(given.makes(), made.into_iter(), text)))
}

/// What a row shows: a number, or a missing value of one of the columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    Number(i64),
    Missing(u32),
    OtherMissing(u32),
}

/// The day of each value of a column; none where it is missing or in no row. Values that are no day are reported with their rows.
fn days(
    given: &Given<'_>,
    column: &CodedColumn,
    day: impl Fn(&str) -> Result<i64, &'static str> + Sync,
) -> Result<Vec<Option<i64>>> {
    let mut of_code = vec![None; column.values.len()];
    let mut wrong: Option<(&'static str, Vec<bool>)> = None;
    let present = present(given, column);
    let read: Vec<_> =
        present.par_iter().with_min_len(1 << 10).map(|(code, text)| (*code as usize, day(text))).collect();
    for (code, day) in read {
        match day {
            Ok(day) => of_code[code] = Some(day),
            Err(reason) => {
                let (first, codes) = wrong.get_or_insert_with(|| (reason, vec![false; column.values.len()]));
                codes[code] = *first == reason;
            }
        }
    }
    let Some((reason, codes)) = wrong else { return Ok(of_code) };
    let rows = (0..).zip(column.codes.iter()).filter(|(_, code)| codes[*code as usize]);
    Err(fault(given, column, reason, rows.map(|(row, _)| row)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    fn age(born: &str, at: &str) -> String {
        made(&ENTRY, &[("at", at)], &[born]).expect("an age").remove(0)
    }

    /// The specification's examples (transforms.md 1.5).
    #[test]
    fn completed_years() {
        assert_eq!(age("2000-02-29", "2023-02-28"), "22");
        assert_eq!(age("2000-02-29", "2023-03-01"), "23");
        assert_eq!(age("1933-05-01", "2023-04-30"), "89");
        assert_eq!(age("1933-05-01", "2023-05-01"), "90");
        assert_eq!(age("31.12.1999", "2000-01-01"), "0");
        let months = made(&ENTRY, &[("at", "2024-03-30"), ("unit", "months")], &["2024-01-31"]);
        assert_eq!(months.expect("months"), ["1"]);
        let days = made(&ENTRY, &[("at", "2024-03-01"), ("unit", "days")], &["2024-02-28", "NA"]);
        assert_eq!(days.expect("days"), ["2", "NA"]);
    }

    /// Over 400 years, the age is the number of birthdays that a walk through the calendar meets.
    #[test]
    fn ages_agree_with_a_walk_through_the_calendar() {
        let born = Date { year: 1896, month: 2, day: 29 }.number();
        let mut birthdays = 0;
        for day in born + 1..=born + 146_097 {
            let date = Date::of(day);
            let leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
            birthdays += i64::from(if leap {
                (date.month, date.day) == (2, 29)
            } else {
                (date.month, date.day) == (3, 1)
            });
            assert_eq!(completed_months(born, day) / 12, birthdays, "{date:?}");
        }
    }

    #[test]
    fn ages_at_the_day_of_another_column() {
        let born: &[&str] = &["2000-06-15", "NA", "1990-01-01"];
        let at: &[&str] = &["2020-06-14", "2020-01-01", "NA"];
        let made = run(&ENTRY, &[("at_column", "c")], &[born], &[at], false).expect("ages");
        assert_eq!(rows(&made), ["19", "NA", "NA"]);
        let born: &[&str] = &["2000-06-15", "2030-01-01", "2030-01-02"];
        let at: &[&str] = &["2020-06-14"; 3];
        let error =
            run(&ENTRY, &[("at_column", "c")], &[born], &[at], false).err().expect("born later").to_string();
        assert!(error.contains("row 2") && error.contains("1 further row"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &[(&str, &str)], texts: &[&str]| made(&ENTRY, given, texts).expect_err("wrong");
        assert!(message(&[], &["2000-01-01"]).contains("needs a day"));
        assert!(message(&[("at", "1.1.2020")], &["2000-01-01"]).contains("such as 2026-01-01"));
        assert!(message(&[("at", "2020-01-01")], &["2000-01-01", "2020-01-02"]).contains("row 2"));
        assert!(message(&[("at", "2020-01-01")], &["1898-12-31"]).contains("highest"));
        assert!(message(&[("at", "2020-01-01")], &["2000-01-01", "soon", "2001-01-01"]).contains("row 2"));
        assert!(message(&[("at", "2020-01-01")], &["01/02/2000"]).contains("format = \"dd/mm/yyyy\""));
        assert!(message(&[("at", "2020-01-01")], &["a"]).contains("needs dates"));
    }
}
