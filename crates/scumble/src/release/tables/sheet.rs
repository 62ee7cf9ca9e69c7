//! The datasheet of several tables, and the warnings to their owner before publishing.

use super::TablesRun;
use super::manifest::TableFile;
use crate::config::Role;
use crate::release::datasheet::{
    ColumnSheet, Datasheet, Guarantee, ONE_END, kept_sheet, limits_of_counting, value_kind,
};
use crate::release::requirements::disclosure_accepted;
use crate::search::algorithms::tables::{GroupValues, Shown, Tables};
use crate::table::quasi::{Quasi, Shape};

/// The promises about the tables together, in words.
pub(super) fn promises(run: &TablesRun<'_>) -> Vec<String> {
    let promise = |model: &dyn crate::models::Model| match &run.found.solution.tables {
        Tables::Projections(tables) => match tables.len() {
            1 => model.title(),
            tables => format!("{} for someone who puts the {tables} tables side by side", model.title()),
        },
        Tables::Groups { .. } => format!("{} in every group", model.title()),
    };
    run.problem.models.iter().map(|model| promise(&**model)).collect()
}

pub(super) fn datasheet(run: &TablesRun<'_>, tables: &[TableFile], rows: u64) -> Datasheet {
    let published = |name: &str| tables.iter().any(|table| table.columns.iter().any(|of| of == name));
    let known: Vec<String> = run.known_columns().filter(|name| published(name)).map(str::to_owned).collect();
    let promises = promises(run);
    let on = if known.is_empty() { String::new() } else { format!(" on {}", known.join(", ")) };
    let statement = match &run.found.solution.tables {
        Tables::Projections(_) => format!("{}{on}; checked on the published files.", promises.join(" and ")),
        Tables::Groups { .. } => {
            format!("{}; checked on the published files. Rows can be told apart.", promises.join(" and "))
        }
    };
    Datasheet {
        guarantees: promises.into_iter().map(|model| Guarantee { model, on: known.clone() }).collect(),
        columns: run
            .plan
            .columns
            .iter()
            .filter(|(name, _)| published(name))
            .filter_map(|(name, column)| column_sheet(run, name, &column.role))
            .collect(),
        reading: reading(run),
        limits: limits(run).into_iter().chain(limits_of_counting(run.plan)).collect(),
        ..Datasheet::of(run, statement, rows)
    }
}

fn column_sheet(run: &TablesRun<'_>, name: &str, roles: &crate::config::Roles) -> Option<ColumnSheet> {
    let place = run.problem.quasi.iter().position(|quasi| quasi.name == name);
    let Some(place) = place else {
        let mut sheet = kept_sheet(name, roles, run.source, run.plan)?;
        if let Tables::Groups { values, .. } = &run.found.solution.tables {
            sheet.how = match values {
                GroupValues::Counted => "counted in each group".into(),
                GroupValues::Permuted => "permuted within each group".into(),
            };
        }
        return Some(sheet);
    };
    let quasi = &run.problem.quasi[place];
    let (how, kinds) = match &run.found.solution.shown[place] {
        Shown::AsItIs => ("published as it is", vec!["value"]),
        Shown::Coarser(values) => {
            let mut kinds: Vec<&str> = values.iter().map(|value| value_kind(quasi, *value)).collect();
            kinds.sort_unstable();
            kinds.dedup();
            ("in ranges cut by the data, the same in every table", kinds)
        }
    };
    Some(ColumnSheet {
        name: name.to_owned(),
        role: match roles.as_slice() {
            [Role::Quasi] => "quasi-identifier",
            [Role::Class] => "class",
            _ => "other",
        },
        how: how.into(),
        kinds,
        hierarchy: matches!(run.found.solution.shown[place], Shown::Coarser(_)).then_some("from data"),
    })
}

fn reading(run: &TablesRun<'_>) -> Vec<&'static str> {
    let mut lines = Vec::new();
    let is_range = |(quasi, shown): (&Quasi, &Shown)| {
        matches!(quasi.shape, Shape::Line(_)) && matches!(shown, Shown::Coarser(_))
    };
    if run.problem.quasi.iter().zip(&run.found.solution.shown).any(is_range) {
        lines.push("[a,b] stands for any value from a to b, both included; [a,b) leaves b out.");
    }
    if run.problem.quasi.iter().any(Quasi::has_stretches) {
        lines.push(ONE_END);
    }
    lines.push("A leading = marks a value that would otherwise look like a range, a set or *.");
    match &run.found.solution.tables {
        Tables::Projections(tables) if tables.len() == 1 => {}
        Tables::Projections(_) => lines.push(
            "Every table has all rows, each sorted by its own content: rows of two tables that stand at the same place have nothing \
             to do with each other. Learn from each table alone, and let the models vote.",
        ),
        Tables::Groups { values: GroupValues::Counted, .. } => lines.push(
            "The rows of a group have the values that the second table counts for it, in an order that is not published.",
        ),
        Tables::Groups { values: GroupValues::Permuted, .. } => lines.push(
            "Within a group the values were permuted at random: sums and means over whole groups are exact, and the value that a row \
             shows need not be its own.",
        ),
    }
    lines.push("Rows are sorted by content; their order says nothing.");
    lines
}

/// The limits of the promises.
fn limits(run: &TablesRun<'_>) -> Vec<String> {
    let target = &run.target().name;
    let mut lines = match &run.found.solution.tables {
        Tables::Projections(_) => vec![
            "The guarantees hold on the quasi-identifiers named above, for someone who looks for one person and knows no other \
             column of this table."
                .to_owned(),
            "Someone who knows the quasi-identifiers of everyone and fits all people to all rows at once is not thought of.".to_owned(),
            format!("{target} is published with every row: nothing is promised about what the rows of a group have in common."),
        ],
        Tables::Groups { .. } => vec![
            "Quasi-identifiers are published as they are: who is in this table can be read from it. Only the link to the sensitive \
             value is uncertain."
                .to_owned(),
            format!("Someone who knows {target} of other rows of a group learns more about the rest of it."),
        ],
    };
    lines.push("One row is taken for one person.".to_owned());
    lines.extend(run.found.solution.limits.iter().cloned());
    if is_seeded(run) {
        lines.push(
            "For tests, not for publication: draws were made from a seed, and whoever has it can undo them."
                .to_owned(),
        );
    }
    lines
}

/// Whether anybody with the random seed could repeat draws that protect people.
fn is_seeded(run: &TablesRun<'_>) -> bool {
    matches!(run.found.solution.tables, Tables::Groups { .. }) && run.plan.algorithm.seed.is_some()
}

/// Warnings that call for a decision before publishing.
pub(super) fn warnings(run: &TablesRun<'_>) -> Vec<String> {
    let mut warnings = run.found.solution.warnings.clone();
    if run.algorithm.standing == crate::registry::Standing::Experimental {
        warnings.push(format!(
            "'{0}' is experimental: its protection is weaker than it looks (scumble explain {0} says why)",
            run.algorithm.name
        ));
    }
    warnings.extend(disclosure_accepted(run.plan, &run.problem));
    if is_seeded(run) {
        warnings.push(
            "a seed was given, and whoever knows it can undo the draws: this release is for tests, not for publication".into(),
        );
    }
    warnings
}
