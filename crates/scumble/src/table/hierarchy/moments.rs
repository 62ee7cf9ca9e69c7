//! Timestamps by hour, part of day, day, week and the periods of dates; times of day by hour and part of day.

use scumble_files::table::Texts;
use serde::{Deserialize, Serialize};

use super::dates::DateLevel;
use super::domain::{Built, Domain};
use super::intervals::nest;
use super::nested::Level;
use super::tree::Provenance;
use crate::error::{Error, Result, Setting};
use crate::table::date::Date;
use crate::table::kind::Kind;
use crate::table::moment::{DAY, HOUR, day_of, part_of_day, week};

/// A period of timestamps, from fine to coarse.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TimestampLevel {
    /// `2024-03-09T10`
    Hour,
    /// `2024-03-09 morning`: night from 0, morning from 6, afternoon from 12, evening from 18 o'clock.
    PartOfDay,
    /// `2024-03-09`
    Day,
    /// `2024-W10`, from Monday on. Months do not consist of weeks, so nothing coarser goes with it.
    Week,
    /// `2024-03`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024`
    Year,
    /// `2020s`
    Decade,
    /// `2000-2099`
    Century,
}

/// A period of times of day, from fine to coarse.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TimeLevel {
    /// `10:00-10:59`
    Hour,
    /// `morning`: night from 0, morning from 6, afternoon from 12, evening from 18 o'clock.
    PartOfDay,
}

impl TimestampLevel {
    /// The period that a timestamp lies in: a number that distinguishes it from its neighbours, and its name.
    fn period(self, nanos: i128) -> (i128, String) {
        let day = day_of(nanos);
        let Date { year, month, day: of_month } = Date::of(day);
        let date = format!("{year:04}-{month:02}-{of_month:02}");
        let calendar = |level: DateLevel| {
            let (key, name) = level.period(Date::of(day));
            (i128::from(key), name)
        };
        match self {
            Self::Hour => (nanos.div_euclid(HOUR), format!("{date}T{:02}", nanos.rem_euclid(DAY) / HOUR)),
            Self::PartOfDay => {
                let (place, name) = part_of_day(nanos);
                (i128::from(day) * 4 + place, format!("{date} {name}"))
            }
            Self::Day => (i128::from(day), date),
            Self::Week => {
                let (monday, year, number) = week(day);
                (i128::from(monday), format!("{year:04}-W{number:02}"))
            }
            Self::Month => calendar(DateLevel::Month),
            Self::Quarter => calendar(DateLevel::Quarter),
            Self::Year => calendar(DateLevel::Year),
            Self::Decade => calendar(DateLevel::Decade),
            Self::Century => calendar(DateLevel::Century),
        }
    }
}

impl TimeLevel {
    fn period(self, nanos: i128) -> (i128, String) {
        match self {
            Self::Hour => {
                let hour = nanos / HOUR;
                (hour, format!("{hour:02}:00-{hour:02}:59"))
            }
            Self::PartOfDay => {
                let (place, name) = part_of_day(nanos);
                (place, name.to_owned())
            }
        }
    }
}

/// The tree of timestamps, finest level first.
pub(super) fn timestamps(domain: &Domain, levels: &[TimestampLevel]) -> Result<Built> {
    let Kind::Timestamp { .. } = domain.measure.kind else {
        return Err(wrong(domain, "'timestamps' needs a column of timestamps", "timestamp"));
    };
    let weeks_within = levels.contains(&TimestampLevel::Week) && levels.last() != Some(&TimestampLevel::Week);
    if weeks_within || levels.is_empty() || !levels.is_sorted_by(|finer, coarser| finer < coarser) {
        return Err(Error::config(
            "levels of timestamps go from fine to coarse: hour, part_of_day, day, then either week or month, quarter, year, decade, century",
        )
        .in_column(domain.name));
    }
    let nanos = nanos(domain, "timestamps")?;
    let level = |level: &TimestampLevel| level_by(&nanos, |nanos| level.period(nanos));
    nest(domain, levels.iter().map(level).collect(), Provenance::Declared)
}

/// The tree of times of day, finest level first.
pub(super) fn times(domain: &Domain, levels: &[TimeLevel]) -> Result<Built> {
    if domain.measure.kind != Kind::Time {
        return Err(wrong(domain, "'times' needs a column of times of day", "time"));
    }
    if levels.is_empty() || !levels.is_sorted_by(|finer, coarser| finer < coarser) {
        return Err(
            Error::config("levels of times go from fine to coarse: hour, part_of_day").in_column(domain.name)
        );
    }
    let nanos = nanos(domain, "times")?;
    let level = |level: &TimeLevel| level_by(&nanos, |nanos| level.period(nanos));
    nest(domain, levels.iter().map(level).collect(), Provenance::Declared)
}

fn wrong(domain: &Domain, what: &str, kind: &str) -> Error {
    Error::config(what)
        .in_column(domain.name)
        .set(Setting::column("type").of(&[domain.name]).to(kind), "give the column its type")
        .set(Setting::column("hierarchy").of(&[domain.name]), "use another hierarchy")
}

/// The values in nanoseconds.
fn nanos(domain: &Domain, builder: &str) -> Result<Vec<i128>> {
    let unit = domain.measure.nanos();
    Ok(domain.numbers(builder)?.into_iter().map(|number| number * unit).collect())
}

/// The level of neighbours that `group` gives the same key; the second part is the label.
fn level_by(nanos: &[i128], group: impl Fn(i128) -> (i128, String)) -> Level {
    let mut level = Level { starts: Vec::new(), labels: Texts::default() };
    let mut current = None;
    for (place, nanos) in nanos.iter().enumerate() {
        let (key, label) = group(*nanos);
        if current != Some(key) {
            current = Some(key);
            level.starts.push(place);
            level.labels.push(&label);
        }
    }
    level
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, path};
    use super::*;

    #[test]
    fn timestamps_by_periods() {
        let zoned = Kind::Timestamp { zone: true };
        let values = domain(zoned, &["2024-03-09T00:30:00+02:00", "2024-03-09T10:15:00Z"]);
        use TimestampLevel::{Day, Hour, Month, PartOfDay, Week, Year};
        let tree = timestamps(&values, &[Hour, PartOfDay, Day, Month, Year]).unwrap().hierarchy;
        // Periods are in UTC.
        assert_eq!(
            path(&tree, "2024-03-09T00:30:00+02:00"),
            "2024-03-09T00:30:00+02:00;2024-03-08T22;2024-03-08 evening;2024-03-08;2024-03;2024;*"
        );
        let tree = timestamps(&values, &[Day, Week]).unwrap().hierarchy;
        assert_eq!(path(&tree, "2024-03-09T10:15:00Z"), "2024-03-09T10:15:00Z;2024-03-09;2024-W10;*");
        for levels in [&[][..], &[Day, Hour], &[Week, Month]] {
            assert!(timestamps(&values, levels).is_err(), "{levels:?}");
        }
        assert!(
            timestamps(&domain(Kind::Text, &["x"]), &[Day])
                .unwrap_err()
                .to_string()
                .contains("needs a column of timestamps")
        );
    }

    #[test]
    fn times_by_hours() {
        let values = domain(Kind::Time, &["05:59", "10:15:30"]);
        let tree = times(&values, &[TimeLevel::Hour, TimeLevel::PartOfDay]).unwrap().hierarchy;
        assert_eq!(path(&tree, "10:15:30"), "10:15:30;10:00-10:59;morning;*");
        assert_eq!(path(&tree, "05:59"), "05:59;05:00-05:59;night;*");
        assert!(times(&values, &[]).is_err());
        assert!(times(&domain(Kind::Text, &["x"]), &[TimeLevel::Hour]).is_err());
    }
}
