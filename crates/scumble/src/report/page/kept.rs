//! Columns that are published exactly, and sensitive values that all rows of a class share.

use crate::base::format::{count, counted, share};
use crate::report::data::{Homogeneity, KeptColumn, Report, Uniqueness};
use crate::report::words;
use minijinja::{Value, context};

/// The columns that are published exactly. Perturbed ones have a section of their own.
pub(super) fn columns(report: &Report) -> impl Iterator<Item = &KeptColumn> {
    let is_perturbed = |column: &&KeptColumn| {
        report.perturbation.as_ref().is_some_and(|found| found.names().contains(&&*column.name))
    };
    report.kept.iter().flat_map(|kept| &kept.columns).filter(move |column| !is_perturbed(column))
}

pub(super) fn section(report: &Report) -> Option<Value> {
    let kept = report.kept.as_ref()?;
    if columns(report).next().is_none() && kept.homogeneous.is_empty() {
        return None;
    }
    let columns: Vec<Value> = columns(report)
        .map(|column| {
            context! {
                name => &column.name,
                role => words::role(column.role),
                distinct => count(column.uniqueness.distinct),
                unique => count(column.uniqueness.unique_rows),
                share => share(column.uniqueness.unique_rows, column.uniqueness.rows),
            }
        })
        .collect();
    let homogeneous: Vec<Value> = kept.homogeneous.iter().map(homogeneity).collect();
    Some(context! { columns, together => kept.together.map(together), homogeneous })
}

fn together(all: Uniqueness) -> String {
    if all.unique_rows == 0 {
        return "Taken together, no combination of their values belongs to one row only.".to_owned();
    }
    format!(
        "Taken together, their values are unique for {} of {} ({}): whoever already has these columns can recognise \
         those rows. What was promised above holds only if outsiders do not have them.",
        count(all.unique_rows),
        counted(all.rows, "row", "rows"),
        share(all.unique_rows, all.rows)
    )
}

fn homogeneity(found: &Homogeneity) -> Value {
    let sentence = if found.rows == 0 {
        "no group shows the same value throughout.".to_owned()
    } else {
        format!(
            "{} ({}) are in {} of {} where everybody has the same value. Whoever finds the group knows the value, \
             without finding the row.",
            counted(found.rows, "row", "rows"),
            share(found.rows, found.rows_in_all),
            count(found.classes),
            counted(found.classes_in_all, "group", "groups")
        )
    };
    context! { column => &found.column, sentence, none => found.rows == 0 }
}
