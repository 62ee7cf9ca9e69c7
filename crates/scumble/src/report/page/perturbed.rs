//! Perturbed columns: how many people are found by them, and what is left of the data.

use minijinja::{Value, context};

use crate::base::format::{counted, list, percent};
use crate::report::data::Report;
use crate::risk::linkage::{ChangedNumber, Changes, Found};

pub(super) fn note(report: &Report) -> String {
    let columns = report.perturbation.as_ref().map_or(0, |found| found.names().len());
    counted(columns as u64, "column", "columns")
}

pub(super) fn section(report: &Report) -> Option<Value> {
    let found = report.perturbation.as_ref()?;
    let changes = found.changes.as_ref()?;
    let numbers = changes.numbers.iter().map(of_number);
    let categories = changes.categories.iter().map(|column| {
        context! { name => &column.name, changed => percent(column.changed), loss => "–", mean => "–", variance => "–" }
    });
    let columns: Vec<Value> = numbers.chain(categories).collect();
    let remark = remark(changes);
    let Some(linked) = &found.linked else {
        let none: Vec<Value> = Vec::new();
        return Some(context! { known => "", attempts => none, guess => "", limit => "", columns, remark });
    };
    let attempts: Vec<Value> = linked.found.iter().map(attempt).collect();
    let limit = found.limit.map_or_else(String::new, |limit| {
        format!(
            "The plan lets the best attack link {} of people. Above that, nothing would have been published.",
            percent(limit)
        )
    });
    Some(context! {
        known => list(&found.known, 6), attempts, guess => percent(linked.by_guessing), limit, columns, remark
    })
}

fn attempt(found: &Found) -> Value {
    let interval = found
        .right
        .interval
        .map_or_else(String::new, |(low, high)| format!(" ({} to {})", percent(low), percent(high)));
    context! { words => found.attempt.words(), share => format!("{}{interval}", percent(found.right.value)) }
}

fn of_number(column: &ChangedNumber) -> Value {
    let deviations =
        |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.3} sd"));
    let signed = |figure: Option<f64>| {
        figure.map_or_else(
            || "–".to_owned(),
            |figure| format!("{}{}", if figure < 0.0 { "−" } else { "+" }, percent(figure.abs())),
        )
    };
    context! {
        name => &column.name,
        changed => percent(column.changed),
        loss => deviations(column.loss_per_cell.map(|loss| loss * std::f64::consts::SQRT_2)),
        mean => deviations(column.mean),
        variance => signed(column.variance),
    }
}

/// What changed between columns.
fn remark(changes: &Changes) -> String {
    let correlation = changes.correlation.as_ref().map_or_else(String::new, |found| {
        format!(
            " The correlation that changed most is that of {} and {}: it was {:.3} and is {:.3}.",
            found.columns[0], found.columns[1], found.before, found.after
        )
    });
    format!("Changes of cells and means are in standard deviations (sd) of the true values.{correlation}")
}
