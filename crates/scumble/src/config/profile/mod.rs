//! Reads the columns of a table and guesses what they are: roles, types and hierarchies, each with a reason.
//!
//! Guesses are made from names and values, and no reason quotes a value. [`plan_toml`] writes them as a commented
//! plan in which every role is marked as a guess until a person confirms it.

mod hierarchies;
mod households;
mod kind_words;
mod kinds;
mod marks;
mod missing;
mod name_says;
pub(crate) mod plan_words;
mod plan_writer;
mod roles;
mod shared;
mod signs;
#[cfg(test)]
mod tests;
mod unjudged;
mod words;

pub use hierarchies::HierarchyGuess;
pub use marks::Mark;
pub(crate) use marks::speaks_of;
pub use missing::LooksMissing;
pub(crate) use name_says::NameSays;
pub use plan_writer::{PlanFiles, plan_toml, plan_toml_of};
pub use signs::Sign;
pub use unjudged::{column_values, refuse_unjudged};

use std::collections::BTreeMap;

use scumble_files::table::Codes;

use crate::config::{Roles, ValueType};
use crate::table::kind::{Inference, Kind};
use crate::table::personal::column::{HowMany, InColumn, Sample, kinds_in};
use crate::table::personal::places::{LATITUDE, LONGITUDE, is_degrees};
use crate::table::personal::{self, Kinds};
use kind_words::{Axis, kinds_named};

/// The distinct values of a column.
#[derive(Debug, Clone)]
pub struct ColumnValues<'a> {
    /// The column's name.
    pub name: &'a str,
    /// The distinct values, ascending, without the texts that mean a missing value.
    pub values: Vec<&'a str>,
    /// How many rows have each value.
    pub counts: Vec<u64>,
    /// How many rows have none.
    pub missing: u64,
    /// All rows.
    pub rows: u64,
    /// Which rows share a value, where that is known: a number for each row, equal for equal texts.
    pub cells: Option<&'a Codes>,
}

/// What a column looks like, and what it probably is.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnProfile {
    /// The column's name.
    pub name: String,
    /// All rows.
    pub rows: u64,
    /// Rows without a value.
    pub missing: u64,
    /// Distinct values, missing ones not counted.
    pub distinct: u64,
    /// Rows that have a value which no other row has.
    pub unique_rows: u64,
    /// The kind of values.
    pub kind: Inference,
    /// The type to write into a plan; text where numbers are only codes.
    pub value_type: ValueType,
    /// What the values look like.
    pub signs: Vec<Sign>,
    /// What the column is about, in the words of templates.
    pub marks: Vec<Mark>,
    /// The guessed roles, not confirmed.
    pub roles: Roles,
    /// How sure the guess is.
    pub confidence: Confidence,
    /// Why, as a sentence without any value of the table.
    pub reason: String,
    /// The lowest and highest value by the meaning of the column, not by its data: ages lie from 0 to 120.
    pub domain: Option<(i64, i64)>,
    /// How values could be generalised, for quasi-identifiers.
    pub hierarchy: Option<HierarchyGuess>,
    /// Texts that look like missing values. Those that are words are counted as missing here.
    pub looks_missing: LooksMissing,
}

/// How sure a guess is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Hardly more than a default.
    Low,
    /// The name or the values speak for it.
    Medium,
    /// The values leave little doubt, or name and values agree.
    High,
}

impl Confidence {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What the guesses are made from.
struct Facts<'a> {
    column: &'a ColumnValues<'a>,
    topic: Option<words::Topic>,
    kind: Inference,
    /// The kinds of personal texts that the name suggests.
    named: Kinds,
    /// Those that the values are.
    personal: InColumn,
    signs: Vec<Sign>,
    distinct: u64,
    unique_rows: u64,
    /// Rows with a value.
    present: u64,
}

impl<'a> Facts<'a> {
    fn of(column: &'a ColumnValues<'a>) -> Self {
        let kind = Kind::infer(column.values.iter().copied());
        let topic = words::topic_of(column.name);
        let named = kinds_named(column.name);
        let sample = Sample::of(&column.values, &column.counts);
        let personal = kinds_in(&sample, named);
        Self {
            column,
            topic,
            kind,
            named,
            personal,
            signs: signs::signs_of(column, &sample, personal.kinds, kind, topic),
            distinct: column.values.len() as u64,
            unique_rows: column.counts.iter().filter(|count| **count == 1).count() as u64,
            present: column.rows.saturating_sub(column.missing),
        }
    }

    /// Whether the column is one half of places on the map, by its name and by all its values.
    fn is_half_of_places(&self, half: Axis) -> bool {
        let most = match half {
            Axis::Latitude => LATITUDE,
            Axis::Longitude => LONGITUDE,
        };
        self.distinct > 0
            && Axis::named(self.column.name) == Some(half)
            && self.column.values.iter().all(|value| is_degrees(value.trim(), most, 0))
    }

    /// Values as they are released: a missing one is a value too.
    fn outcomes(&self) -> u64 {
        self.distinct + u64::from(self.column.missing > 0)
    }

    fn is_number(&self) -> bool {
        matches!(self.kind, Inference::Clear(Kind::Integer | Kind::Decimal | Kind::DecimalComma))
    }

    /// Whether all values are small whole numbers, as counts of people around a person are.
    fn counts_few(&self) -> bool {
        const MOST: u64 = 20;
        let small = |value: &&str| value.trim().parse::<u64>().is_ok_and(|number| number <= MOST);
        self.distinct > 1 && self.distinct <= MOST && self.column.values.iter().all(small)
    }

    /// Whether most values are a date with a time of day behind it.
    fn holds_moments(&self) -> bool {
        let is_moment = |text: &str| {
            let Some((date, time)) = text.split_once(['T', ' ']) else { return false };
            time.contains(':')
                && matches!(
                    Kind::infer([date].into_iter()),
                    Inference::AmbiguousDate | Inference::Clear(Kind::Date(_))
                )
        };
        Sample::of(&self.column.values, &self.column.counts).at_least((4, 5), is_moment)
    }

    fn is_date(&self) -> bool {
        matches!(
            self.kind,
            Inference::AmbiguousDate | Inference::Clear(Kind::Date(_) | Kind::Timestamp { .. })
        )
    }

    /// Whether at least nine of ten rows differ; a table of a few rows says nothing.
    fn nearly_unique(&self) -> bool {
        self.present >= 20 && 10 * self.distinct >= 9 * self.present
    }
}

/// What is said of a sensitive column that writes values in several ways. A plan is private, so the spellings of the most frequent of
/// these values are named, unless so few rows have it that it may be about one person.
fn spellings(facts: &Facts<'_>) -> String {
    const MOST: usize = 5;
    const FEWEST_ROWS: u64 = 5;
    let column = facts.column;
    let form = crate::table::normal::Form::of(Kind::Text, column.values.iter().copied());
    let mut by_key: BTreeMap<String, Vec<(&str, u64)>> = BTreeMap::new();
    for (text, rows) in column.values.iter().zip(&column.counts) {
        by_key.entry(form.key(text)).or_default().push((text, *rows));
    }
    by_key.retain(|_, spellings| spellings.len() > 1);
    let rows = |spellings: &Vec<(&str, u64)>| spellings.iter().map(|(_, rows)| rows).sum::<u64>();
    let said = match by_key.len() {
        0 => return String::new(),
        1 => " 1 value is written in several ways, which count as one value".to_owned(),
        values => format!(" {values} values are written in several ways, which count as one value each"),
    };
    let frequent =
        by_key.values().max_by_key(|spellings| rows(spellings)).filter(|of| rows(of) >= FEWEST_ROWS);
    let Some(frequent) = frequent else { return said + "." };
    let mut named: Vec<String> = frequent.iter().take(MOST).map(|(text, _)| format!("{text:?}")).collect();
    if frequent.len() > MOST {
        named.push("…".to_owned());
    }
    format!("{said}: {}.", named.join(", "))
}

/// Latitudes and longitudes next to each other are places, which neither of them is alone.
fn find_places(columns: &mut [Facts<'_>]) {
    const PLACES: personal::Kind = personal::Kind::Coordinates;
    let halves = [Axis::Latitude, Axis::Longitude]
        .map(|half| columns.iter().map(|facts| facts.is_half_of_places(half)).collect::<Vec<bool>>());
    if halves.iter().any(|half| !half.contains(&true)) {
        return;
    }
    for (place, facts) in columns.iter_mut().enumerate() {
        if halves.iter().any(|half| half[place]) {
            facts.personal = InColumn { kinds: [PLACES].into_iter().collect(), how_many: HowMany::All };
            facts.signs.insert(0, Sign::Personal(PLACES));
        }
    }
}

/// Profiles all columns of a table, in their order: some guesses depend on the others.
#[must_use]
pub fn profile(columns: &[ColumnValues<'_>]) -> Vec<ColumnProfile> {
    let (looks_missing, columns): (Vec<LooksMissing>, Vec<ColumnValues<'_>>) =
        columns.iter().map(missing::apart).unzip();
    let mut facts: Vec<Facts<'_>> = columns.iter().map(Facts::of).collect();
    find_places(&mut facts);
    let guesses = roles::guess(&facts);
    facts
        .into_iter()
        .zip(guesses)
        .zip(looks_missing)
        .map(|((facts, guess), looks_missing)| {
            let value_type = hierarchies::value_type(&facts);
            let quasi = guess.roles.has(crate::config::Role::Quasi);
            let sensitive = guess.roles.has(crate::config::Role::Sensitive);
            ColumnProfile {
                marks: Mark::of(&facts, &guess),
                name: facts.column.name.to_owned(),
                rows: facts.column.rows,
                missing: facts.column.missing,
                distinct: facts.distinct,
                unique_rows: facts.unique_rows,
                kind: facts.kind,
                value_type,
                roles: guess.roles.guessed(),
                confidence: guess.confidence,
                reason: guess.reason + &if sensitive { spellings(&facts) } else { String::new() },
                domain: if quasi { hierarchies::domain(&facts) } else { None },
                hierarchy: quasi.then(|| hierarchies::guess(&facts, value_type)),
                signs: facts.signs,
                looks_missing,
            }
        })
        .collect()
}
