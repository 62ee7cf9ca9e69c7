//! Dates and timestamps cut off: to the month, the quarter, the year.

use super::dates::{Dates, Moment, NOT_A_DATE, format};
use super::values::each_value;
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::date::{Date, DateFormat};
use crate::table::moment::{HOUR, week};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "truncate",
    title: "Truncating dates",
    paper: "Periods as ISO 8601 writes them",
    standing: Standing::Recommended,
    about: "Shows the period that a date or timestamp lies in: the year, quarter, month, week, day, hour, minute or second. Timestamps are \
            read in local time as they are written; utc = true converts them first.",
    parameters: &[
        ("unit", "second, minute, hour, day, week (from Monday), month, quarter or year"),
        ("utc", "convert timestamps with an offset to UTC first (false)"),
        ("format", "how the dates are written, where that is not clear: dd/mm/yyyy"),
    ],
    build: |parameters| Ok(Box::new(Truncate::new(parameters)?)),
};

/// Every unit, the finest first.
const UNITS: [&str; 8] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

struct Truncate {
    unit: &'static str,
    utc: bool,
    format: Option<DateFormat>,
}

impl Truncate {
    fn new(parameters: &Parameters) -> Result<Self> {
        let unit = Parameters::required("unit", parameters.choice("unit", &UNITS)?)?;
        Ok(Self { unit, utc: parameters.boolean("utc")?.unwrap_or(false), format: format(parameters)? })
    }

    /// The period of a moment.
    fn period(&self, moment: Moment) -> String {
        let Date { year, month, .. } = Date::of(moment.day);
        let day = || DateFormat::YearMonthDay.format(moment.day);
        let (hour, minute) = (moment.time / HOUR, moment.time / (HOUR / 60) % 60);
        match self.unit {
            "year" => format!("{year:04}"),
            "quarter" => format!("{year:04}-Q{}", (month + 2) / 3),
            "month" => format!("{year:04}-{month:02}"),
            "week" => {
                let (_, year, number) = week(moment.day);
                format!("{year:04}-W{number:02}")
            }
            "day" => day(),
            "hour" => format!("{}T{hour:02}", day()),
            "minute" => format!("{}T{hour:02}:{minute:02}", day()),
            _ => format!("{}T{hour:02}:{minute:02}:{:02}", day(), moment.time / (HOUR / 3_600) % 60),
        }
    }
}

impl Transform for Truncate {
    fn facts(&self) -> Facts {
        Facts::DERIVED
    }

    fn words(&self) -> String {
        let zone = if self.utc { ", in UTC" } else { "" };
        format!("dates show the {} only{zone}", self.unit)
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let dates = Dates::of(given, column, self.format)?;
        if matches!(dates, Dates::Days(_)) && ["second", "minute", "hour"].contains(&self.unit) {
            return Err(Error::config(format_args!("dates have no {}", self.unit))
                .in_column(&column.name)
                .advise("choose day, week, month, quarter or year"));
        }
        let made = each_value(given, column, |text| {
            dates.read(text, self.utc).map(|moment| self.period(moment)).ok_or(NOT_A_DATE)
        })?;
        let mut notes = Vec::new();
        if dates.has_zone() && !self.utc {
            notes.push(format!(
                "the periods of '{}' are those of local time; the offset from UTC is dropped",
                column.name
            ));
        }
        Ok(Made { notes, ..Made::of(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, run};
    use super::*;

    fn period(unit: &str, text: &str) -> String {
        made(&ENTRY, &[("unit", unit)], &[text]).expect("a period").remove(0)
    }

    #[test]
    fn periods() {
        for (unit, period_of) in [
            ("second", "2024-05-06T14:30:05"),
            ("minute", "2024-05-06T14:30"),
            ("hour", "2024-05-06T14"),
            ("day", "2024-05-06"),
            ("week", "2024-W19"),
            ("month", "2024-05"),
            ("quarter", "2024-Q2"),
            ("year", "2024"),
        ] {
            assert_eq!(period(unit, "2024-05-06T14:30:05.125"), period_of);
        }
        assert_eq!(period("quarter", "31.12.2023"), "2023-Q4");
        // Weeks belong to the year of their Thursday.
        assert_eq!(period("week", "2021-01-03"), "2020-W53");
        assert_eq!(period("week", "2018-12-31"), "2019-W01");
        assert_eq!(period("week", "1970-01-01"), "1970-W01");
    }

    #[test]
    fn local_time_or_utc() {
        let texts: &[&str] = &["2023-12-31T23:30:00-05:00", "NA"];
        let local = run(&ENTRY, &[("unit", "year")], &[texts], &[], false).expect("periods");
        assert_eq!(super::super::testing::rows(&local), ["2023", "NA"]);
        assert!(local.notes[0].contains("local time"));
        assert_eq!(
            made(&ENTRY, &[("unit", "year"), ("utc", "true")], texts).expect("periods"),
            ["2024", "NA"]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(made(&ENTRY, &[], &["2024-01-01"]).expect_err("no unit").contains("'unit' is missing"));
        assert!(
            made(&ENTRY, &[("unit", "decade")], &["2024-01-01"])
                .expect_err("no unit")
                .contains("one of second")
        );
        assert!(made(&ENTRY, &[("unit", "hour")], &["2024-01-01"]).expect_err("no hour").contains("no hour"));
        assert!(
            made(&ENTRY, &[("unit", "day")], &["2024-01-01T24:01", "2024-01-01T10:00"])
                .expect_err("no time")
                .contains("row 1")
        );
    }
}
