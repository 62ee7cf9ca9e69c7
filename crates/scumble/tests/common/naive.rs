//! A second opinion on a release, from its strings alone: no code of the library or of the verifier is used.

use std::collections::BTreeMap;

use scumble::config::StarPolicy;

use super::column::{Shape, is_missing};
use super::demand::Demand;
use super::run::{Ask, Written};
use super::table::Table;

/// A release, read back.
#[derive(Debug, PartialEq)]
pub(crate) struct Strings {
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Strings {
    /// Reads comma-separated text by the rules of RFC 4180.
    pub(crate) fn parse(text: &str) -> Self {
        let mut records: Vec<Vec<String>> = Vec::new();
        let mut record: Vec<String> = Vec::new();
        let mut field = String::new();
        let mut quoted = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' if quoted && characters.peek() == Some(&'"') => field.extend(characters.next()),
                '"' => quoted = !quoted,
                ',' if !quoted => record.push(std::mem::take(&mut field)),
                '\n' if !quoted => {
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                }
                '\r' if !quoted => {}
                other => field.push(other),
            }
        }
        assert!(!quoted && field.is_empty() && record.is_empty(), "the text ends inside a record");
        let header = records.remove(0);
        assert!(records.iter().all(|record| record.len() == header.len()), "records of unequal length");
        Self { header, rows: records }
    }

    pub(crate) fn place(&self, name: &str) -> usize {
        self.header.iter().position(|of| of == name).expect("a column of the release")
    }

    pub(crate) fn cell(&self, row: usize, name: &str) -> &str {
        &self.rows[row][self.place(name)]
    }

    /// The rows of each class, by what they show in the quasi-identifiers.
    pub(crate) fn classes(&self, quasi: &[String]) -> BTreeMap<Vec<&str>, Vec<usize>> {
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.rows.len() {
            classes.entry(quasi.iter().map(|name| self.cell(row, name)).collect()).or_default().push(row);
        }
        classes
    }
}

pub(crate) fn is_star(shown: &[&str]) -> bool {
    shown.iter().all(|text| *text == "*")
}

/// The largest whole number that is at most a share of `rows`, without rounding.
pub(crate) fn limit(share: &str, rows: u64) -> u64 {
    let (whole, places) = share.split_once('.').unwrap_or((share, ""));
    let digits: u64 = format!("{whole}{places}").parse().expect("a decimal");
    digits * rows / 10_u64.pow(places.len() as u32)
}

/// Whether the whole table as one class keeps every requirement.
pub(crate) fn whole_holds(table: &Table, ask: &Ask) -> bool {
    let rows = table.surviving(ask.class);
    ask.demands.iter().all(|demand| {
        let values = table.values(demand.column().unwrap_or("serial"), &rows);
        demand.holds(&values, &values)
    })
}

/// The original row of each released row, where it is known.
fn alignment(strings: &Strings, ask: &Ask, surviving: &[usize]) -> Option<Vec<usize>> {
    if ask.serial {
        let rows =
            (0..strings.rows.len()).map(|row| strings.cell(row, "serial").parse().expect("a row number"));
        return Some(rows.collect());
    }
    (ask.keep_order && ask.policy != StarPolicy::Drop).then(|| surviving.to_vec())
}

/// Everything that must be true of a release; panics with what is not.
pub(crate) fn check(table: &Table, ask: &Ask, written: &Written) {
    let strings = Strings::parse(&written.text);
    let surviving = table.surviving(ask.class);
    assert_eq!(strings.header, ask.published(table), "the columns of the release");
    assert!(!written.text.contains("canary"), "an identifier is in the release");
    assert!(!written.datasheet.contains("canary"), "an identifier is in the datasheet");
    if ask.policy != StarPolicy::Drop {
        assert_eq!(strings.rows.len(), surviving.len(), "rows of the release");
    }
    match alignment(&strings, ask, &surviving) {
        Some(original) => check_rows(table, ask, &strings, &original, &surviving),
        None => check_multisets(table, ask, &strings, &surviving),
    }
    if !ask.keep_order {
        check_sorted(table, ask, &strings);
    }
    check_demands(table, ask, &strings, written, &surviving);
}

/// Every released row against its original.
fn check_rows(table: &Table, ask: &Ask, strings: &Strings, original: &[usize], surviving: &[usize]) {
    let mut used: Vec<usize> = original.to_vec();
    used.sort_unstable();
    assert!(
        used.windows(2).all(|pair| pair[0] != pair[1]),
        "an original row stands behind two released ones"
    );
    assert!(
        used.iter().all(|row| surviving.contains(row)),
        "a row was released that should have been left out"
    );
    assert_eq!(strings.rows.len(), original.len());
    if ask.algorithm == "mdav" {
        check_means(table, strings, original);
    }
    let quasi = table.quasi();
    for (row, source) in original.iter().enumerate() {
        for name in ask.published(table) {
            let (from, shown) = (&table.column(name)[*source], strings.cell(row, name));
            match quasi.iter().position(|of| of == name) {
                Some(_) if ask.algorithm == "mdav" => {}
                Some(place) => {
                    let kind = table.kinds[place];
                    assert!(kind.covers(from, shown), "{name}: {shown:?} is not true of {from:?} ({kind:?})");
                    if kind.shape == Shape::Alphabetic && shown.starts_with("group ") {
                        assert_eq!(shown, alphabetic_group(&table.values(name, surviving), from, shown));
                    }
                }
                None => {
                    assert_eq!(kept(ask, name, from), kept(ask, name, shown), "{name} must be kept as it is");
                }
            }
        }
    }
}

/// A decimal number in millionths, and how many places it writes.
fn millionths(text: &str) -> (i128, u32) {
    let text = text.replace(',', ".");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(&text)),
    };
    let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
    let number: i128 = format!("0{whole}{places:0<6}").parse().expect("a number of at most six places");
    (sign * number, places.len() as u32)
}

/// Every class shows the means of its original rows, up to half a unit of the last digit, within their extremes.
fn check_means(table: &Table, strings: &Strings, original: &[usize]) {
    for rows in strings.classes(&table.quasi()).values() {
        for name in table.quasi() {
            let numbers = rows.iter().map(|row| millionths(&table.column(&name)[original[*row]]).0);
            let (shown, places) = millionths(strings.cell(rows[0], &name));
            let count = rows.len() as i128;
            let off = (shown * count - numbers.clone().sum::<i128>()).abs();
            assert!(2 * off <= count * 10_i128.pow(6 - places), "{name}: not the mean of its class");
            assert!(
                numbers.clone().min() <= Some(shown) && Some(shown) <= numbers.max(),
                "{name}: beyond its class"
            );
            assert!(places >= 2, "{name}: a mean of too few places");
        }
    }
}

/// What is kept of a cell: a column that models read has one spelling of a missing value.
fn kept<'a>(ask: &Ask, name: &str, text: &'a str) -> &'a str {
    if is_missing(text) && ask.sensitive().contains(&name) { "?" } else { text }
}

/// The kept columns, where it is not known which row is which.
fn check_multisets(table: &Table, ask: &Ask, strings: &Strings, surviving: &[usize]) {
    let published = ask.published(table);
    let columns: Vec<&str> = published.into_iter().filter(|name| !name.starts_with('q')).collect();
    let count = |rows: Vec<Vec<&str>>| {
        let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for row in rows {
            *counts.entry(row.into_iter().map(str::to_owned).collect()).or_default() += 1;
        }
        counts
    };
    let of_table =
        |row: &usize| columns.iter().map(|name| kept(ask, name, &table.column(name)[*row])).collect();
    let before = count(surviving.iter().map(of_table).collect());
    let after = count(
        (0..strings.rows.len())
            .map(|row| columns.iter().map(|name| kept(ask, name, strings.cell(row, name))).collect())
            .collect(),
    );
    if ask.policy == StarPolicy::Drop {
        assert!(after.iter().all(|(row, count)| before.get(row) >= Some(count)), "a kept value was changed");
    } else {
        assert_eq!(before, after, "a kept value was changed");
    }
}

/// Rows are sorted by what they show, so that the original order leaves no trace.
fn check_sorted(table: &Table, ask: &Ask, strings: &Strings) {
    if ask.respell {
        // They are sorted by the spellings that the release has.
        return;
    }
    let names = ask.published(table);
    let order: Vec<&str> = names
        .iter()
        .filter(|name| name.starts_with('q'))
        .chain(names.iter().filter(|name| !name.starts_with('q')))
        .copied()
        .collect();
    let key = |row: usize| order.iter().map(|name| strings.cell(row, name)).collect::<Vec<_>>();
    assert!(
        (1..strings.rows.len()).all(|row| key(row - 1) <= key(row)),
        "the rows are not sorted by their content"
    );
}

/// Every requirement on every class that must keep it, and the figures of the summary.
fn check_demands(table: &Table, ask: &Ask, strings: &Strings, written: &Written, surviving: &[usize]) {
    let summary = &written.summary;
    let quasi = table.quasi();
    let classes = strings.classes(&quasi);
    let judged: Vec<&Vec<usize>> = classes
        .iter()
        .filter(|(shown, _)| ask.policy != StarPolicy::Paper || !is_star(shown))
        .map(|(_, rows)| rows)
        .collect();
    let demands: Vec<Demand> = ask.demands.iter().flat_map(|demand| demand.parts()).collect();
    assert_eq!(summary.models.len(), demands.len());
    for (demand, model) in demands.iter().zip(&summary.models) {
        let column = demand.column().unwrap_or("ill");
        let original = table.values(column, surviving);
        let mut worst = None;
        let groups = demand.known().map(|known| groups_of_any(known, strings, &quasi, ask.policy));
        for rows in groups.as_ref().map_or_else(|| judged.clone(), |groups| groups.iter().collect()) {
            let class: Vec<&str> = rows.iter().map(|row| strings.cell(*row, column)).collect();
            assert!(
                demand.holds(&class, &original),
                "{demand:?} does not hold in a class of {}",
                class.len()
            );
            let attained = demand.attained(&class, &original);
            let is_worse =
                worst.is_none_or(
                    |worst| if demand.larger_is_better() { attained < worst } else { attained > worst },
                );
            worst = if is_worse { Some(attained) } else { worst };
        }
        assert!(model.holds && model.name == demand.model());
        match (worst, model.attained) {
            (Some(naive), Some(reported)) => {
                assert!((naive - reported).abs() < 1e-9, "{demand:?}: {naive} or {reported}?");
            }
            (naive, reported) => assert_eq!(naive, reported, "{demand:?}"),
        }
    }
    let star = classes.iter().find(|(shown, _)| is_star(shown)).map_or(0, |(_, rows)| rows.len());
    let dropped = surviving.len() - strings.rows.len();
    // What shows nothing is suppressed, and nothing suppressed is there where it is to be left out.
    assert!(ask.policy != StarPolicy::Drop || star == 0, "rows that show nothing were not left out");
    let suppressed = star + dropped;
    assert_eq!(summary.rows, surviving.len() as u64);
    assert_eq!(summary.released, strings.rows.len() as u64);
    assert_eq!(summary.suppressed, suppressed as u64);
    assert_eq!(summary.classes, (classes.len() - usize::from(star > 0)) as u64);
    assert_eq!(summary.smallest_class, judged.iter().map(|rows| rows.len() as u64).min());
}

/// The groups of rows by any combination of this many columns. Where fully suppressed rows are not checked, neither are their groups.
fn groups_of_any(known: usize, strings: &Strings, quasi: &[String], policy: StarPolicy) -> Vec<Vec<usize>> {
    let known = known.min(quasi.len());
    let sets = (0..1_u32 << quasi.len()).filter(|set| set.count_ones() as usize == known);
    let starred =
        |row: &usize| is_star(&quasi.iter().map(|name| strings.cell(*row, name)).collect::<Vec<_>>());
    let judged = |rows: &Vec<usize>| policy != StarPolicy::Paper || !rows.iter().any(starred);
    sets.flat_map(|set| {
        let columns: Vec<String> = (0..quasi.len())
            .filter(|place| set >> place & 1 == 1)
            .map(|place| quasi[place].clone())
            .collect();
        strings.classes(&columns).into_values().filter(judged).collect::<Vec<_>>()
    })
    .collect()
}

/// A requirement that is sure to hold, for tests that are not about requirements.
pub(crate) const ANY: Demand = Demand::K(1);

/// The group of a value at the level that a label names by its number of groups: five neighbours in text order make a group,
/// five groups the next one up.
fn alphabetic_group(values: &[&str], value: &str, label: &str) -> String {
    let mut sorted: Vec<&str> = values.iter().copied().filter(|value| !is_missing(value)).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = sorted.iter().position(|other| *other == value).expect("a missing value is in no group");
    let levels = (1..).map(|level| 5_usize.pow(level)).take_while(|width| *width < sorted.len());
    let names =
        levels.map(|width| format!("group {} of {}", place / width + 1, sorted.len().div_ceil(width)));
    let groups = |name: &str| name.rsplit(' ').next().map(str::to_owned);
    names.into_iter().find(|name| groups(name) == groups(label)).expect("a level of that many groups")
}
