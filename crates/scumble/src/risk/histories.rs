//! Histories: what the rows of one person show together, where a release shows which rows these are.
//!
//! Whoever knows that somebody came back after 3 days, then after 40, then after 7, looks for these intervals. It does not help that every date
//! was moved: all dates of a person were moved alike, so the intervals are the true ones. Several dates in one row have intervals, too, even
//! where nothing links rows.
//!
//! All figures are numbers of people, so the order of the rows does not matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::table::pack::Packer;

/// What a release shows of histories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Histories {
    /// Whether they were measured. Some kinds of release show no rows of people.
    pub measured: bool,
    /// For each column that shows which rows belong together, what these rows show.
    pub linked: Vec<History>,
    /// The intervals between the moved dates of a row.
    pub within_rows: Option<WithinRows>,
}

/// What rows show together that belong to one person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    /// The column that shows which rows belong together.
    pub column: String,
    /// How many people it tells apart.
    pub people: u64,
    /// The released rows.
    pub rows: u64,
    /// The rows of the person who has the most.
    pub most_rows: u64,
    /// Found by the number of rows alone.
    pub by_rows: Alike,
    /// The columns with dates or numbers of days.
    pub dates: Vec<String>,
    /// Found by all intervals between the dates, where there are dates.
    pub by_intervals: Option<Alike>,
    /// Found by some two intervals that follow each other.
    pub by_two_intervals: Option<Alike>,
    /// Found by some three.
    pub by_three_intervals: Option<Alike>,
    /// The columns among these whose dates were not moved.
    pub true_dates: Vec<String>,
    /// Found by some two of these dates that follow each other.
    pub by_two_dates: Option<Alike>,
    /// Found by some three.
    pub by_three_dates: Option<Alike>,
    /// The other columns that outsiders may know.
    pub values: Vec<String>,
    /// Found by all values of these columns in all rows of the person.
    pub by_values: Option<Alike>,
}

/// How many people are found by something that they show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Alike {
    /// People who share it with nobody.
    pub unique: u64,
    /// For the person worst off, the number of people who show the same, this person included. 0 if nobody shows it.
    pub k: u64,
}

/// The intervals between the moved dates of one row.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WithinRows {
    /// The columns with dates.
    pub dates: Vec<String>,
    /// The released rows.
    pub rows: u64,
    /// Found by the intervals alone.
    pub alone: Alike,
    /// Found by the intervals together with the released quasi-identifiers.
    pub with_quasi: Alike,
}

/// What a column of dates shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The column.
    pub name: String,
    /// The time between moments means something if they are on one clock.
    pub clock: u32,
    /// Whether all moments of a person were moved by one secret time.
    pub moved: bool,
    /// For each text of the column when it begins and how long it is; `None` if it shows no moment.
    pub moments: Vec<Option<(i64, i64)>>,
    /// The text of each row.
    pub of_row: Vec<u32>,
}

impl Line {
    fn at(&self, row: u32) -> Option<(i64, i64)> {
        self.moments[self.of_row[row as usize] as usize]
    }
}

/// An event in somebody's history: its column, the time since the event before it or since the beginning of all time, and how long it is.
type Event = (u32, Option<i64>, i64);

/// The longest run of intervals that is looked at.
const LONGEST: usize = 3;

/// A run of intervals or dates that follow each other, with 0 for none. It begins with what it begins at.
type Stretch = [u32; LONGEST + 1];

/// Measures what the rows of each person show. `rows` are the released ones, `person` and `values` have a number for each row of the table, and
/// equal numbers stand for the same person and the same values.
#[must_use]
pub fn history(rows: &[u32], person: &[u32], lines: &[Line], values: Option<&[u64]>) -> History {
    let mut order = rows.to_vec();
    order.sort_unstable_by_key(|row| person[*row as usize]);
    let people: Vec<&[u32]> = order.chunk_by(|a, b| person[*a as usize] == person[*b as usize]).collect();
    let name = |line: &Line| line.name.clone();
    let mut found = History {
        people: people.len() as u64,
        rows: rows.len() as u64,
        most_rows: people.iter().map(|rows| rows.len() as u64).max().unwrap_or(0),
        by_rows: alike(people.iter().map(|rows| rows.len()).collect()),
        dates: lines.iter().map(name).collect(),
        true_dates: lines.iter().filter(|line| !line.moved).map(name).collect(),
        ..History::default()
    };
    if let Some(values) = values {
        let of_person = |rows: &&[u32]| {
            let mut shown: Vec<u64> = rows.iter().map(|row| values[*row as usize]).collect();
            shown.sort_unstable();
            shown
        };
        found.by_values = Some(alike(people.iter().map(of_person).collect()));
    }
    if !lines.is_empty() {
        let runs: Vec<Vec<Run>> = people.iter().map(|rows| runs(rows, lines, |_| true)).collect();
        let numbers = Numbers::of(runs.iter().flatten().flat_map(Run::intervals));
        let all = runs.iter().map(|runs| runs.iter().flat_map(|run| numbers.of_run(run)).collect());
        found.by_intervals = Some(alike::<Vec<u32>>(all.collect()));
        let known = |length| some(&runs, |run| numbers.stretches(run, length));
        (found.by_two_intervals, found.by_three_intervals) = (Some(known(2)), Some(known(3)));
    }
    if !found.true_dates.is_empty() {
        let runs: Vec<Vec<Run>> = people.iter().map(|rows| runs(rows, lines, |line| !line.moved)).collect();
        let numbers = Numbers::of(runs.iter().flatten().flat_map(Run::dates));
        let known = |length| some(&runs, |run| numbers.dates(run, length));
        (found.by_two_dates, found.by_three_dates) = (Some(known(2)), Some(known(3)));
    }
    found
}

/// The moments of a person on one clock, in their order: when each begins, how long it is, and its column.
struct Run(Vec<(i64, i64, u32)>);

fn runs(rows: &[u32], lines: &[Line], is_asked: impl Fn(&Line) -> bool) -> Vec<Run> {
    let mut clocks: BTreeMap<u32, Vec<(i64, i64, u32)>> = BTreeMap::new();
    for (place, line) in (0..).zip(lines).filter(|(_, line)| is_asked(line)) {
        let moments = rows.iter().filter_map(|row| line.at(*row));
        clocks.entry(line.clock).or_default().extend(moments.map(|(at, length)| (at, length, place)));
    }
    let sorted = |mut moments: Vec<(i64, i64, u32)>| {
        moments.sort_unstable();
        Run(moments)
    };
    clocks.into_values().filter(|moments| !moments.is_empty()).map(sorted).collect()
}

impl Run {
    fn begins(&self, place: usize) -> Event {
        let (_, length, line) = self.0[place];
        (line, None, length)
    }

    fn goes_on(&self, place: usize) -> Event {
        let (at, length, line) = self.0[place];
        (line, Some(at - self.0[place - 1].0), length)
    }

    fn date(&self, place: usize) -> Event {
        let (at, length, line) = self.0[place];
        (line, Some(at), length)
    }

    /// All that runs of intervals can show.
    fn intervals(&self) -> impl Iterator<Item = Event> {
        let all = 0..self.0.len();
        all.clone().map(|place| self.begins(place)).chain(all.skip(1).map(|place| self.goes_on(place)))
    }

    fn dates(&self) -> impl Iterator<Item = Event> {
        (0..self.0.len()).map(|place| self.date(place))
    }
}

/// Numbers of events, from 1 on.
struct Numbers(Vec<Event>);

impl Numbers {
    fn of(events: impl Iterator<Item = Event>) -> Self {
        let mut events: Vec<Event> = events.collect();
        events.sort_unstable();
        events.dedup();
        Self(events)
    }

    fn number(&self, event: Event) -> u32 {
        self.0.partition_point(|other| *other <= event) as u32
    }

    /// All intervals of a run.
    fn of_run<'a>(&'a self, run: &'a Run) -> impl Iterator<Item = u32> + 'a {
        let rest = (1..run.0.len()).map(|place| self.number(run.goes_on(place)));
        std::iter::once(self.number(run.begins(0))).chain(rest)
    }

    /// All stretches of so many intervals of a run.
    fn stretches(&self, run: &Run, intervals: usize) -> Vec<Stretch> {
        let from = |first: usize| {
            let mut stretch = [0; LONGEST + 1];
            stretch[0] = self.number(run.begins(first));
            (1..=intervals).for_each(|step| stretch[step] = self.number(run.goes_on(first + step)));
            stretch
        };
        (0..run.0.len().saturating_sub(intervals)).map(from).collect()
    }

    /// All stretches of so many dates of a run.
    fn dates(&self, run: &Run, dates: usize) -> Vec<Stretch> {
        let from = |first: usize| {
            let mut stretch = [0; LONGEST + 1];
            (0..dates).for_each(|step| stretch[step] = self.number(run.date(first + step)));
            stretch
        };
        (0..(run.0.len() + 1).saturating_sub(dates)).map(from).collect()
    }
}

/// How many people show what nobody else shows.
fn alike<T: Ord>(mut shown: Vec<T>) -> Alike {
    shown.sort_unstable();
    let groups = || shown.chunk_by(|a, b| a == b).map(|group| group.len() as u64);
    Alike { unique: groups().filter(|people| *people == 1).count() as u64, k: groups().min().unwrap_or(0) }
}

/// How many people show, somewhere in their history, a stretch that nobody else shows anywhere.
fn some(people: &[Vec<Run>], stretches: impl Fn(&Run) -> Vec<Stretch>) -> Alike {
    let mut shown: Vec<(Stretch, u32)> = Vec::new();
    for (person, runs) in (0..).zip(people) {
        shown.extend(runs.iter().flat_map(&stretches).map(|stretch| (stretch, person)));
    }
    shown.sort_unstable();
    shown.dedup();
    let groups = || shown.chunk_by(|a, b| a.0 == b.0);
    let mut found: Vec<u32> = groups().filter(|group| group.len() == 1).map(|group| group[0].1).collect();
    found.sort_unstable();
    found.dedup();
    Alike { unique: found.len() as u64, k: groups().map(|group| group.len() as u64).min().unwrap_or(0) }
}

/// Measures the intervals between the moved dates of each row; `None` where no row has two on one clock. `look` has a number for each row that
/// stands for what it shows in the quasi-identifiers. Rows of one person hide nobody else, so groups are counted in people.
#[must_use]
pub fn within_rows(rows: &[u32], person: &[u32], look: &[u32], lines: &[Line]) -> Option<WithinRows> {
    let moved: Vec<(u32, &Line)> = (0..).zip(lines).filter(|(_, line)| line.moved).collect();
    let on = |clock: u32| moved.iter().filter(move |(_, line)| line.clock == clock);
    let of_clock: Vec<&(u32, &Line)> = moved.iter().filter(|(_, line)| on(line.clock).count() > 1).collect();
    if of_clock.is_empty() {
        return None;
    }
    let mut has_interval = vec![false; rows.len()];
    let mut packer = Packer::new(rows.len());
    for (place, line) in &of_clock {
        // The interval since the first date of the row on this clock, whichever column that is in.
        let interval = |row: u32| {
            let (base, first) = on(line.clock).find_map(|(of, line)| Some((*of, line.at(row)?)))?;
            let (at, length) = line.at(row)?;
            (base != *place).then_some((base, Some(at - first.0), length))
        };
        let of_rows: Vec<Option<Event>> = rows.iter().map(|row| interval(*row)).collect();
        let numbers = Numbers::of(of_rows.iter().copied().flatten());
        has_interval.iter_mut().zip(&of_rows).for_each(|(has, of)| *has |= of.is_some());
        packer.push(numbers.0.len() as u32 + 1, |row| of_rows[row].map_or(0, |of| numbers.number(of)));
    }
    let alone = packer.finish();
    let count = |keys: Vec<(u64, u32)>| {
        let shown = keys.into_iter().zip(rows).zip(&has_interval).filter(|(_, has)| **has);
        let mut shown: Vec<((u64, u32), u32)> =
            shown.map(|((key, row), _)| (key, person[*row as usize])).collect();
        shown.sort_unstable();
        let mut found = Alike { unique: 0, k: u64::MAX };
        for group in shown.chunk_by(|a, b| a.0 == b.0) {
            let people = group.chunk_by(|a, b| a.1 == b.1).count() as u64;
            found.k = found.k.min(people);
            found.unique += if people == 1 { group.len() as u64 } else { 0 };
        }
        Alike { k: if found.k == u64::MAX { 0 } else { found.k }, ..found }
    };
    Some(WithinRows {
        dates: of_clock.iter().map(|(_, line)| line.name.clone()).collect(),
        rows: rows.len() as u64,
        alone: count(alone.iter().map(|key| (*key, 0)).collect()),
        with_quasi: count(alone.iter().zip(rows).map(|(key, row)| (*key, look[*row as usize])).collect()),
    })
}

#[cfg(test)]
#[path = "histories_tests.rs"]
mod tests;
