//! Rows that belong to one person, and dates of one row: who is found by the intervals between dates.

use minijinja::{Value, context};

use crate::base::format::{count, counted, list, percent};
use crate::report::data::Report;
use crate::risk::histories::{Alike, Histories, History, WithinRows};

/// The found, of so many.
fn row(name: &str, found: Alike, whole: u64) -> Value {
    let share = match found.k {
        0 => "–".to_owned(),
        _ => format!("{} ({})", count(found.unique), percent(found.unique as f64 / whole.max(1) as f64)),
    };
    let k = if found.k == 0 { "–".to_owned() } else { count(found.k) };
    context! { name, share, k }
}

fn of_history(history: &History) -> Value {
    let rows: Vec<Value> =
        history.figures().iter().map(|(name, found)| row(name, *found, history.people)).collect();
    let mut told = vec![format!(
        "{} have {}, by {}. The most rows of one person: {}.",
        counted(history.people, "person", "people"),
        counted(history.rows, "row", "rows"),
        history.column,
        count(history.most_rows)
    )];
    let named = [("Dates", &history.dates), ("Other values that outsiders may know", &history.values)];
    let named = named.iter().filter(|(_, names)| !names.is_empty());
    told.extend(named.map(|(what, names)| format!("{what}: {}.", list(names, 6))));
    context! { title => format!("Rows with the same {}", history.column), told, rows, unit => "People found" }
}

fn of_rows(within: &WithinRows) -> Value {
    let rows = vec![
        row("the time between these dates", within.alone, within.rows),
        row("this time and the released quasi-identifiers", within.with_quasi, within.rows),
    ];
    let told = vec![format!("Dates: {}.", list(&within.dates, 6))];
    context! { title => "Several dates in one row", told, rows, unit => "Rows found" }
}

pub(super) fn section(report: &Report) -> Option<Value> {
    let found = report.histories.as_ref()?;
    let Histories { measured: true, linked, within_rows } = found else { return None };
    let cards: Vec<Value> = linked.iter().map(of_history).chain(within_rows.iter().map(of_rows)).collect();
    Some(context! { cards })
}
