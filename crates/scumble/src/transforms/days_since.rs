//! Days since a day: study days.

use super::age::{day_of, pairs};
use super::dates::{Dates, NOT_A_DATE, format};
use super::values::each_value;
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::date::DateFormat;

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "days_since",
    title: "Days since",
    paper: "Relative dates, as EMA policy 0070 recommends them for trials",
    standing: Standing::Recommended,
    about: "Shows how many days a date is after a day that is given or that another column has, such as the first dose. The number is \
            negative for earlier dates.",
    parameters: &[
        ("since", "the day to count from: 2026-01-01"),
        ("since_column", "in place of since: the column with the day"),
        ("format", "how the dates are written, where that is not clear: dd/mm/yyyy"),
    ],
    build: |parameters| Ok(Box::new(DaysSince::new(parameters)?)),
};

enum Since {
    Day(i64),
    Column(String),
}

struct DaysSince {
    since: Since,
    format: Option<DateFormat>,
}

impl DaysSince {
    fn new(parameters: &Parameters) -> Result<Self> {
        let since = match (parameters.text("since")?, parameters.text("since_column")?) {
            (Some(_), Some(_)) => {
                let error = Error::config("since and since_column are both given, and one decides");
                return Err(parameters.placed("since", error));
            }
            (Some(day), None) => Since::Day(day_of(parameters, "since", day)?),
            (None, Some(column)) => Since::Column(column.to_owned()),
            (None, None) => {
                return Err(Error::config("the step needs a day to count from")
                    .advise("give the day: since = \"2026-01-01\"")
                    .advise("name a column of days: since_column = \"first_dose\""));
            }
        };
        Ok(Self { since, format: format(parameters)? })
    }
}

impl Transform for DaysSince {
    fn also_reads(&self) -> Vec<&str> {
        match &self.since {
            Since::Day(_) => Vec::new(),
            Since::Column(column) => vec![column],
        }
    }

    fn facts(&self) -> Facts {
        Facts { makes_days: true, ..Facts::DERIVED }
    }

    fn words(&self) -> String {
        match self.since {
            Since::Day(day) => format!("days since {}", DateFormat::YearMonthDay.format(day)),
            Since::Column(_) => "days since a date of the row".to_owned(),
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let dates = Dates::of(given, column, self.format)?;
        let day = |text: &str| dates.read(text, false).map(|moment| moment.day).ok_or(NOT_A_DATE);
        match &self.since {
            Since::Day(since) => {
                Ok(Made::of(each_value(given, column, |text| Ok((day(text)? - since).to_string()))?))
            }
            Since::Column(_) => pairs(given, day, |day, since| Ok(day - since)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    #[test]
    fn days_after_and_before() {
        let days =
            made(&ENTRY, &[("since", "2024-02-28")], &["2024-03-01", "2024-02-28", "2023-12-31", "NA"]);
        assert_eq!(days.expect("days"), ["2", "0", "-59", "NA"]);
        let dose: &[&str] = &["2024-01-10", "2024-01-10", "NA"];
        let visit: &[&str] = &["2024-01-17", "2024-01-03", "2024-01-01"];
        let made = run(&ENTRY, &[("since_column", "c")], &[visit], &[dose], false).expect("days");
        assert_eq!(rows(&made), ["7", "-7", "NA"]);
        // The time of day does not count.
        let hours = super::super::testing::made(
            &ENTRY,
            &[("since", "2024-01-01")],
            &["2024-01-02T23:59", "2024-01-03T00:00"],
        );
        assert_eq!(hours.expect("days"), ["1", "2"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(made(&ENTRY, &[], &["2024-01-01"]).expect_err("no day").contains("day to count from"));
        assert!(
            made(&ENTRY, &[("since", "now")], &["2024-01-01"])
                .expect_err("no day")
                .contains("since must be a day")
        );
    }
}
