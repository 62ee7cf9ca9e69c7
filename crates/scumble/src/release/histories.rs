//! What the rows of a person show together, measured on what is released: the labels of quasi-identifiers, and moved dates as they were moved.

use std::collections::BTreeSet;

use super::households::LEFT_OUT;
use super::linkable;
use super::new_rows::names::period_of_days;
use super::pipeline::{Releasable, ShownColumn};
use super::prepare::value_of_text;
use super::report::open_columns;
use super::run::Run;
use super::steps;
use crate::config::{Plan, Role};
use crate::error::Result;
use crate::report::data::Histories;
use crate::risk::histories::{History, Line, history, within_rows};
use crate::table::date::{Date, DateFormat};
use crate::table::label::STAR;
use crate::table::moment::{DAY, short_period, timestamp};
use crate::table::pack::Packer;
use crate::transforms::{Step, StepTruth};

/// Measures them, and returns the figures with the warnings; `None` where nothing shows which rows belong together and no row has two moved
/// dates.
pub(super) fn measure<'a, Found>(run: &Run<'a, Found>) -> Result<Option<(Histories, Vec<String>)>>
where
    Run<'a, Found>: Releasable,
{
    let plan = run.plan;
    if run.is_for_owner() {
        return Ok(None);
    }
    let steps = crate::transforms::steps(&plan.transform)?;
    let untouched: Vec<&str> = run.untouched_columns().collect();
    let linking = linkable::linking(plan, &untouched, run.source)?;
    let dates = Dates::of(&steps);
    let published: Vec<&str> = plan
        .columns
        .iter()
        .filter(|(_, column)| Role::PUBLISHED.iter().any(|role| column.role.has(*role)))
        .map(|(name, _)| name.as_str())
        .collect();
    if linking.is_empty() && published.iter().filter(|name| dates.moved.contains(**name)).count() < 2 {
        return Ok(None);
    }
    let Some(looks) = run.looks() else {
        let named = |name: &String| History { column: name.clone(), ..History::default() };
        return told(plan, Histories { linked: linking.iter().map(named).collect(), ..Histories::default() });
    };
    let rows: Vec<u32> =
        (0..).zip(&looks).filter(|(_, look)| **look != LEFT_OUT).map(|(row, _)| row).collect();
    let mut open: BTreeSet<&str> = open_columns(plan, &untouched).into_iter().collect();
    let quasi = run.quasi_names();
    open.extend(quasi.iter().map(String::as_str));
    let codes = steps::codes(plan);
    let perturbed: BTreeSet<&str> =
        steps.iter().filter(|step| step.perturbs()).flat_map(Step::makes).collect();
    let (mut lines, mut values, mut of_values) = (Vec::new(), Vec::new(), Packer::new(run.source.rows));
    for name in published {
        let is_known = !linking.iter().chain(&codes).any(|of| of == name) && !perturbed.contains(name);
        let Some(shown) = is_known.then(|| run.shows(name)).flatten() else { continue };
        match dates.line(plan, name, &shown) {
            Some(line) => lines.push(Line { of_row: shown.of_row, ..line }),
            None if open.contains(name) => {
                of_values.push(shown.texts.len() as u32, |row| shown.of_row[row]);
                values.push(name.to_owned());
            }
            None => {}
        }
    }
    let of_values = (!values.is_empty()).then(|| of_values.finish());
    let linked = linking.iter().map(|column| History {
        column: column.clone(),
        values: values.clone(),
        ..history(&rows, &people(run, &[column.as_str()]), &lines, of_values.as_deref())
    });
    let subject: Vec<&str> = plan.names_with(Role::Subject).collect();
    let found = Histories {
        measured: true,
        linked: linked.collect(),
        within_rows: within_rows(&rows, &people(run, &subject), &looks, &lines),
    };
    if found.linked.is_empty() && found.within_rows.is_none() {
        return Ok(None);
    }
    told(plan, found)
}

/// The figures with the warnings that they give rise to.
fn told(plan: &Plan, found: Histories) -> Result<Option<(Histories, Vec<String>)>> {
    let warnings =
        found.findings(plan.risk.audience).into_iter().map(|(says, _)| says.trim_end_matches('.').to_owned());
    let warnings = warnings.collect();
    Ok(Some((found, warnings)))
}

/// The person of each row, as the first of these columns that the table has tells people apart. A row without a person, and every row where no
/// column tells them apart, is a person of its own.
fn people<Found>(run: &Run<'_, Found>, columns: &[&str]) -> Vec<u32> {
    let column = columns.iter().find_map(|name| run.source.column(name));
    let Some(column) = column else { return (0..run.source.rows as u32).collect() };
    let missing = missing_of(run.plan, &column.name);
    let is_missing: Vec<bool> =
        column.values.iter().map(|text| missing.iter().any(|of| of == text)).collect();
    let number = value_of_text(column, run.plan);
    let mut next = number.iter().max().map_or(0, |last| last + 1);
    let person = |code: u32| {
        if is_missing[code as usize] {
            next += 1;
            next - 1
        } else {
            number[code as usize]
        }
    };
    column.codes.iter().map(person).collect()
}

fn missing_of<'p>(plan: &'p Plan, name: &str) -> &'p [String] {
    plan.column(name).and_then(|column| column.missing.as_deref()).unwrap_or(&plan.read.missing)
}

/// What steps have made of dates.
struct Dates<'a> {
    /// Columns of dates that were moved, and what was made of them.
    moved: BTreeSet<&'a str>,
    /// Columns with numbers of days, in the order of their steps.
    days: Vec<&'a str>,
}

impl<'a> Dates<'a> {
    fn of(steps: &'a [Step]) -> Self {
        let (mut moved, mut days) = (BTreeSet::new(), Vec::new());
        for step in steps {
            let facts = step.transform.facts();
            let from_moved = step.columns().iter().any(|name| moved.contains(name));
            for made in step.makes() {
                if facts.truth == StepTruth::Shifted || from_moved {
                    moved.insert(made);
                } else {
                    moved.remove(made);
                }
                if facts.makes_days && !days.contains(&made) {
                    days.push(made);
                }
            }
        }
        Self { moved, days }
    }

    /// What a column shows of time, without its rows; `None` if some of its texts are neither dates nor numbers of days.
    fn line(&self, plan: &Plan, name: &str, shown: &ShownColumn) -> Option<Line> {
        let missing = missing_of(plan, name);
        let is_present = |text: &&str| *text != STAR && !missing.iter().any(|marker| marker == text);
        let present: Vec<&str> = shown.texts.iter().filter(is_present).collect();
        if present.is_empty() {
            return None;
        }
        let moved = self.moved.contains(name);
        let days = self.days.iter().position(|of| *of == name);
        let (clock, moments) = match days {
            Some(place) => (OWN_CLOCKS + place as u32, reads_all(&present, number_of_days)?),
            None => {
                let (unit, moments) = moments(&present)?;
                // Years as they are, such as those of birth, are values like others.
                if unit == YEARS && !moved {
                    return None;
                }
                (2 * unit + u32::from(moved), moments)
            }
        };
        let mut moments = moments.into_iter();
        let of_text = |text: &str| if is_present(&text) { moments.next() } else { None };
        let moments = shown.texts.iter().map(of_text).collect();
        Some(Line { name: name.to_owned(), clock, moved, moments, of_row: Vec::new() })
    }
}

/// The first clock of a column with numbers of days: what these count from may differ from person to person.
const OWN_CLOCKS: u32 = 16;

/// The unit of columns that show whole years.
const YEARS: u32 = 3;

/// When something begins and how long it is.
type Moment = (i64, i64);

fn reads_all(texts: &[&str], read: impl Fn(&str) -> Option<Moment>) -> Option<Vec<Moment>> {
    texts.iter().map(|text| read(text.trim())).collect()
}

/// The moments that texts show, and the unit that they are counted in. Months, quarters and years are counted as such, since they are not
/// equally long; everything else in milliseconds.
fn moments(texts: &[&str]) -> Option<(u32, Vec<Moment>)> {
    let formats = || DateFormat::ALL.into_iter();
    let day = |format: DateFormat| {
        move |text: &str| format.parse(text).map(|day| of_nanos(i128::from(day) * DAY, DAY))
    };
    let zone = |zone: bool| move |text: &str| timestamp(text, zone).map(|(nanos, _)| of_nanos(nanos, 0));
    formats()
        .find_map(|format| reads_all(texts, day(format)))
        .or_else(|| reads_all(texts, zone(true)))
        .or_else(|| reads_all(texts, zone(false)))
        .map(|moments| (0, moments))
        .or_else(|| reads_all(texts, |text| months(text, 1)).map(|moments| (1, moments)))
        .or_else(|| reads_all(texts, |text| months(text, 3)).map(|moments| (2, moments)))
        .or_else(|| reads_all(texts, |text| months(text, 12)).map(|moments| (YEARS, moments)))
        .or_else(|| {
            formats()
                .find_map(|format| reads_all(texts, |text| stretch(text, format)))
                .map(|moments| (0, moments))
        })
}

fn of_nanos(from: i128, length: i128) -> Moment {
    let milliseconds = |nanos: i128| i64::try_from(nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX / 4);
    (milliseconds(from), milliseconds(length))
}

/// The number of a month, quarter or year, where the text is one.
fn months(text: &str, months: i64) -> Option<Moment> {
    let (first, last) = period_of_days(text)?;
    let date = |nanos: i128| i64::try_from(nanos.div_euclid(DAY)).ok().map(Date::of);
    let is_year = is_year(first.div_euclid(DAY));
    let (first, after) = (date(first)?, date(last + 1)?);
    let number = first.year * 12 + first.month - 1;
    (is_year && after.year * 12 + after.month - 1 - number == months).then_some((number / months, 1))
}

/// Whether a day is in a year of which tables tell.
fn is_year(day: i128) -> bool {
    i64::try_from(day).is_ok_and(|day| (1_800..2_200).contains(&Date::of(day).year))
}

/// The time that a label stands for: `[2024-01-01,2024-03-01)`, `2024-W10`, `2020s`, `2024-03-09`.
fn stretch(text: &str, format: DateFormat) -> Option<Moment> {
    let period = |text: &str| {
        let day = format.parse(text).map(|day| (i128::from(day) * DAY, (i128::from(day) + 1) * DAY - 1));
        let moment =
            || [true, false].into_iter().find_map(|zone| timestamp(text, zone)).map(|(at, _)| (at, at));
        day.or_else(moment).or_else(|| short_period(text))
    };
    let Some((from, to)) = ends(text) else {
        // Four digits may also be an amount of money.
        let is_year = |(from, _): &(i128, i128)| is_year(from.div_euclid(DAY));
        let longer = || period_of_days(text).filter(is_year);
        return period(text).or_else(longer).map(|(from, to)| of_nanos(from, to - from + 1));
    };
    let (from, to) = (period(from.trim())?.0, period(to.trim())?.1);
    Some(of_nanos(from, to - from + 1))
}

/// A number of days, or an interval of such numbers.
fn number_of_days(text: &str) -> Option<Moment> {
    let Some((from, to)) = ends(text) else { return text.parse().ok().map(|day| (day, 1)) };
    let (from, to): (i64, i64) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    Some((from, to.checked_sub(from)? + i64::from(text.ends_with(']'))))
}

/// The ends of an interval, as a label writes it.
fn ends(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('[')?.strip_suffix([']', ')'])?.split_once([',', ';'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(texts: &[&str]) -> Option<(u32, Vec<i64>)> {
        let (unit, moments) = moments(texts)?;
        Some((unit, moments.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()))
    }

    const OF_DAY: i64 = 86_400_000;

    #[test]
    fn dates_are_read_as_they_are_shown() {
        assert_eq!(gaps(&["2024-02-28", "2024-03-01"]), Some((0, vec![2 * OF_DAY])));
        assert_eq!(gaps(&["28.02.2024", "01.03.2024"]), Some((0, vec![2 * OF_DAY])));
        assert_eq!(gaps(&["2024-02-28T10:00", "2024-02-28T10:15"]), Some((0, vec![15 * 60_000])));
        assert_eq!(gaps(&["2024-02-28T10:00Z", "2024-02-28T12:00+01:00"]), Some((0, vec![60 * 60_000])));
        assert_eq!(gaps(&["2024-11", "2025-02"]), Some((1, vec![3])));
        assert_eq!(gaps(&["2024-Q1", "2025-Q1"]), Some((2, vec![4])));
        assert_eq!(gaps(&["1999", "2024"]), Some((3, vec![25])));
        assert_eq!(gaps(&["2024-W01", "2024-W03"]), Some((0, vec![14 * OF_DAY])));
        assert_eq!(gaps(&["[2024-01-01,2024-01-05)", "2024-01-07"]), Some((0, vec![6 * OF_DAY])));
        assert_eq!(gaps(&["2024-01", "2024-Q2"]), Some((0, vec![91 * OF_DAY])));
        for texts in [
            &["1250", "3999"][..],
            &["[1900,1950)", "[1950,2000]"],
            &["2024-01-01", "north"],
            &["12.5"],
            &["{2024-01-01|2024-01-02}"],
        ] {
            assert_eq!(gaps(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn numbers_of_days_and_their_ranges() {
        assert_eq!(number_of_days("-3"), Some((-3, 1)));
        assert_eq!(number_of_days("[10,20)"), Some((10, 10)));
        assert_eq!(number_of_days("[10,20]"), Some((10, 11)));
        assert_eq!(number_of_days("ten"), None);
    }
}
