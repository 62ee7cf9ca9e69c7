//! What an attacker could still learn from a release.

use std::collections::BTreeMap;

use rayon::prelude::*;
use scumble::algorithms::tables::Shown;
use scumble::config::StarPolicy;
use scumble::frequency::Cell;
use scumble::published::{Classes, Group, Look, Record};
use scumble::quasi::{Quasi, Value};
use scumble::release::{Outcome, Trial};

/// What attackers attain who know the quasi-identifiers of everybody in the table.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Risk {
    /// The share of people whom they find, if they choose one of the rows that may be a person's: the mean of one in so many.
    pub identity: f64,
    /// How much better they guess a sensitive value, where there is one: for the column for which they do best.
    pub attribute: Option<Guess>,
}

/// How much better somebody guesses a sensitive value with the release than without.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Guess {
    /// The sensitive column.
    pub column: String,
    /// The share of people whose value is right, less the share that the most frequent value of the whole table gets right.
    pub advantage: f64,
}

impl Risk {
    /// What the attack that does best attains.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.attribute.as_ref().map_or(self.identity, |guess| guess.advantage.max(self.identity))
    }
}

/// Attacks a release in memory. `sensitive` are the columns that outsiders must not learn.
#[must_use]
pub fn risk_of(trial: &Trial, sensitive: &[String]) -> Risk {
    let payloads = trial.problem.table.payloads();
    let columns: Vec<(usize, &String)> =
        sensitive.iter().filter_map(|name| payloads.position(name).map(|place| (place, name))).collect();
    let (identity, right): (f64, Vec<u64>) = match &trial.outcome {
        Outcome::Classes { classes, .. } => {
            let (groups, hidden) = groups(classes);
            let found: f64 = groups.iter().map(|group| found_in(trial, group)).sum();
            let right = |(column, _): &(usize, &String)| right_in_groups(trial, &groups, &hidden, *column);
            (found, columns.iter().map(right).collect())
        }
        Outcome::Records { records, column, .. } => {
            let right = |(place, _): &(usize, &String)| {
                // Any other column than that of the frequencies stands beside the record as it is.
                if *column == Some(*place) { right_in_records(records) } else { trial.problem.table.rows() }
            };
            (found_in_records(trial, records), columns.iter().map(right).collect())
        }
        Outcome::Projections { tables, shown, .. } => {
            let best = tables.iter().map(|columns| in_projection(trial, columns, shown)).fold(
                (0.0, vec![0; columns.len()]),
                |(found, right), groups| {
                    let here: f64 = groups.iter().map(|group| found_in(trial, group)).sum();
                    let more = columns.iter().zip(right).map(|((column, _), before): (_, u64)| {
                        before.max(right_in_groups(trial, &groups, &[], *column))
                    });
                    (f64::max(found, here), more.collect())
                },
            );
            best
        }
    };
    let people = trial.problem.table.rows().max(1) as f64;
    let advantage = |((place, name), right): (&(usize, &String), &u64)| {
        let blind = most_of(trial, &trial.problem.table.payload_totals(), *place).1;
        Guess { column: (*name).clone(), advantage: (*right as f64 - blind as f64).max(0.0) / people }
    };
    // Among equals the first column.
    let attribute = columns
        .iter()
        .zip(&right)
        .map(advantage)
        .reduce(|best, next| if next.advantage > best.advantage { next } else { best });
    Risk { identity: identity / people, attribute }
}

/// The smallest number of people who show the same; `None` where people are covered by records of their own.
#[must_use]
pub(super) fn attained_k(trial: &Trial) -> Option<u64> {
    let Outcome::Classes { classes, .. } = &trial.outcome else { return None };
    let payloads = trial.problem.table.payloads();
    groups(classes).0.iter().map(|group| group.view(payloads).persons()).min()
}

/// The rows that a reader cannot tell apart, and those that are not in the release.
fn groups(classes: &Classes) -> (Vec<Group>, Vec<Cell>) {
    let mut groups: BTreeMap<Look, Group> = BTreeMap::new();
    let mut hidden = Vec::new();
    for (class, look) in classes.looks().into_iter().enumerate() {
        let cells = classes.class_cells(class);
        match look {
            None => hidden.extend_from_slice(cells),
            Some(look) => {
                let group = groups.entry(look).or_insert_with(|| Group { size: 0, cells: Vec::new() });
                group.size += classes.size(class);
                group.cells.extend_from_slice(cells);
            }
        }
    }
    debug_assert!(hidden.is_empty() || classes.policy == StarPolicy::Drop);
    (groups.into_values().map(sorted).collect(), hidden)
}

fn sorted(mut group: Group) -> Group {
    group.cells.sort_unstable_by_key(|cell| cell.payload);
    group.cells.dedup_by(|next, kept| {
        let same = next.payload == kept.payload;
        kept.rows += if same { next.rows } else { 0 };
        same
    });
    group
}

/// How many rows of a group somebody finds who chooses one of its people for each.
fn found_in(trial: &Trial, group: &Group) -> f64 {
    let persons = group.view(trial.problem.table.payloads()).persons();
    group.size as f64 / persons.max(1) as f64
}

/// The most frequent value of some rows in a payload column, the lowest among equals, and how many have it.
fn most_of(trial: &Trial, cells: &[Cell], column: usize) -> (u32, u64) {
    let payloads = trial.problem.table.payloads();
    let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
    for cell in cells {
        *rows.entry(payloads.value(cell.payload, column)).or_default() += u64::from(cell.rows);
    }
    let most = rows.into_iter().max_by_key(|(value, rows)| (*rows, std::cmp::Reverse(*value)));
    most.unwrap_or((0, 0))
}

/// How many rows have the value that somebody guesses: the most frequent of their group, or of the table where they are in none.
fn right_in_groups(trial: &Trial, groups: &[Group], hidden: &[Cell], column: usize) -> u64 {
    let payloads = trial.problem.table.payloads();
    let blind = most_of(trial, &trial.problem.table.payload_totals(), column).0;
    let outside = hidden.iter().filter(|cell| payloads.value(cell.payload, column) == blind);
    let outside: u64 = outside.map(|cell| u64::from(cell.rows)).sum();
    outside + groups.iter().map(|group| most_of(trial, &group.cells, column).1).sum::<u64>()
}

/// How many rows somebody finds who chooses one of the records that cover a person.
fn found_in_records(trial: &Trial, records: &[Record]) -> f64 {
    let (table, quasi) = (&trial.problem.table, &trial.problem.quasi);
    let covered_by = |tuple: u32| {
        let covers = |record: &&Record| {
            let holds = |(column, quasi): (usize, &Quasi)| {
                covers(quasi, record.shown[column], table.column(column).get(tuple as usize))
            };
            quasi.iter().enumerate().all(holds)
        };
        let rows: u64 = records.iter().filter(covers).map(|record| u64::from(record.rows)).sum();
        table.weight(tuple) as f64 / rows.max(1) as f64
    };
    // Collected before they are added up, so that the sum does not depend on threads.
    let found: Vec<f64> = (0..table.tuples() as u32).into_par_iter().map(covered_by).collect();
    found.iter().sum()
}

fn covers(quasi: &Quasi, value: Value, code: u32) -> bool {
    let (low, high) = quasi.codes(value);
    (low..=high).contains(&code)
        && match value {
            Value::Subset(codes) => codes >> code & 1 == 1,
            _ => true,
        }
}

/// How many rows have the most frequent value of their own record.
fn right_in_records(records: &[Record]) -> u64 {
    let guess = |record: &Record| {
        let most =
            (0_u32..).zip(&record.counts).max_by_key(|(value, rows)| (**rows, std::cmp::Reverse(*value)));
        most.map(|(value, _)| value)
    };
    let right = records.iter().filter(|record| guess(record) == Some(record.value));
    right.map(|record| u64::from(record.rows)).sum()
}

/// The rows of one of several tables that a reader cannot tell apart.
fn in_projection(trial: &Trial, columns: &[usize], shown: &[Shown]) -> Vec<Group> {
    let table = &trial.problem.table;
    let mut groups: BTreeMap<Vec<(u32, Option<Value>)>, Group> = BTreeMap::new();
    for tuple in 0..table.tuples() as u32 {
        let key = |column: &usize| {
            let code = table.column(*column).get(tuple as usize);
            match &shown[*column] {
                Shown::AsItIs => (code, None),
                Shown::Coarser(values) => (0, Some(values[code as usize])),
            }
        };
        let group = groups
            .entry(columns.iter().map(key).collect())
            .or_insert_with(|| Group { size: 0, cells: Vec::new() });
        group.size += table.weight(tuple);
        group.cells.extend_from_slice(table.cells(tuple));
    }
    groups.into_values().map(sorted).collect()
}
