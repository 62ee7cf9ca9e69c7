//! The datasheet of a release of classes.

use super::ClassRun;
use crate::config::{Column, Role, StarPolicy, Weights};
use crate::models::forbids_sameness;
use crate::release::Summary;
use crate::release::claim::{is_verified, promise};
use crate::release::datasheet::{
    ColumnSheet, Datasheet, Guarantee, ONE_END, kept_sheet, limits_of_counting, provenance, value_kind,
};
use crate::table::quasi::{MEAN_PLACES, Shape};

pub(super) fn datasheet(run: &ClassRun<'_>, summary: &Summary) -> Datasheet {
    let quasi = run.quasi_names();
    let titles: Vec<String> = run.problem.models.iter().map(|model| promise(&**model)).collect();
    let sets: Vec<Vec<String>> = run
        .problem
        .models
        .iter()
        .map(|model| model.on().map_or_else(|| quasi.clone(), <[String]>::to_vec))
        .collect();
    let statement = if titles.is_empty() {
        format!("Generalised on {}; no privacy model was asked for.", quasi.join(", "))
    } else {
        let unjudged = unjudged_rows(run).map_or(String::new(), |rows| match rows {
            1 => ", except for the row that shows * in every one of them, which was not judged".to_owned(),
            rows => format!(
                ", except for the {rows} rows that show * in every one of them, which were not judged"
            ),
        });
        let promises = if sets.iter().all(|set| *set == quasi) {
            format!("{} on {}", titles.join(" and "), quasi.join(", "))
        } else {
            let each = titles.iter().zip(&sets).map(|(title, set)| format!("{title} on {}", set.join(", ")));
            each.collect::<Vec<_>>().join("; ")
        };
        let added = if run.problem.models.iter().all(|model| is_verified(&**model)) {
            ""
        } else {
            " What is not independently verified was checked only by the code that made the release."
        };
        format!("{promises}{unjudged}; checked on the published file.{added}")
    };
    let before: Vec<String> = run
        .found
        .together
        .iter()
        .map(|found| format!("{}: at least {}", found.label, found.required))
        .collect();
    let statement = if before.is_empty() {
        statement
    } else {
        format!("{statement} Together with tables that were published before: {}.", before.join("; "))
    };
    Datasheet {
        guarantees: titles
            .into_iter()
            .zip(sets)
            .map(|(model, on)| Guarantee { model, on })
            .chain(run.found.together.iter().map(|found| Guarantee {
                model: format!("{}: at least {}", found.label, found.required),
                on: quasi.clone(),
            }))
            .collect(),
        columns: run
            .plan
            .columns
            .iter()
            .filter_map(|(name, column)| column_sheet(run, name, &column.role))
            .collect(),
        reading: reading(run),
        limits: limits(run),
        ..Datasheet::of(run, statement, summary.released)
    }
}

/// The rows that the guarantees do not cover.
pub(crate) fn unjudged_rows(run: &ClassRun<'_>) -> Option<u64> {
    let rows = run.found.classes.suppressed_rows();
    (run.problem.star_policy == StarPolicy::Paper && rows > 0).then_some(rows)
}

fn column_sheet(run: &ClassRun<'_>, name: &str, roles: &crate::config::Roles) -> Option<ColumnSheet> {
    if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == name) {
        return Some(quasi_sheet(run, place));
    }
    if run.plan.renumbered() == Some(name) {
        let how = "fresh numbers by what rows show; rows with one number are of one household".to_owned();
        return Some(ColumnSheet {
            name: name.into(),
            role: "household",
            how,
            kinds: Vec::new(),
            hierarchy: None,
        });
    }
    if let Some((_, column, weights)) = run.plan.weights().find(|(of, ..)| *of == name) {
        return Some(weight_sheet(run, name, column, weights));
    }
    kept_sheet(name, roles, run.source, run.plan)
}

/// The entry of a column of survey weights. Only strata that are published are named.
fn weight_sheet(run: &ClassRun<'_>, name: &str, column: &Column, weights: Weights) -> ColumnSheet {
    let is_published = |name: &&String| {
        run.plan.column(name).is_some_and(|column| Role::PUBLISHED.iter().any(|role| column.role.has(*role)))
    };
    let raised = column.stratum.as_ref().map(|stratum| match Some(stratum).filter(is_published) {
        Some(stratum) => format!("; raised within each value of {stratum} for rows that were left out"),
        None => "; raised within strata that are not published, for rows that were left out".to_owned(),
    });
    let how = format!("{}{}", weights.words(), raised.unwrap_or_default());
    ColumnSheet { name: name.into(), role: "survey weight", how, kinds: Vec::new(), hierarchy: None }
}

fn quasi_sheet(run: &ClassRun<'_>, place: usize) -> ColumnSheet {
    let quasi = &run.problem.quasi[place];
    let classes = &run.found.classes;
    let column = &classes.assignment.columns[place];
    let mut kinds: Vec<&'static str> = column
        .of_class
        .iter()
        .enumerate()
        .filter(|(class, _)| !classes.is_suppressed(*class))
        .map(|(_, value)| value_kind(quasi, column.values[value as usize]))
        .collect();
    if classes.suppressed_rows() > 0 && run.problem.star_policy != StarPolicy::Drop {
        kinds.push("suppressed");
    }
    kinds.sort_unstable();
    kinds.dedup();
    let means = run.shows_means(place);
    let how = match (&run.found.levels, quasi.tree()) {
        _ if means => {
            let places = quasi.measure.scale + MEAN_PLACES;
            format!("replaced by the mean of the group, rounded to {places} decimal places")
        }
        (Some(levels), Some(tree)) => {
            format!("generalised to level {} of {}", levels[place], tree.height())
        }
        _ => "generalised group by group".into(),
    };
    ColumnSheet {
        name: quasi.name.clone(),
        role: "quasi-identifier",
        how,
        kinds,
        hierarchy: provenance(quasi).filter(|_| !means),
    }
}

fn reading(run: &ClassRun<'_>) -> Vec<&'static str> {
    let mut lines = vec!["A value stands for itself; a hierarchy node stands for any value below it."];
    let all = 0..run.problem.quasi.len();
    if all.clone().any(|column| run.shows_means(column)) {
        lines.push(
            "A mean is that of all rows that show the same in every quasi-identifier; it need not be the value of any of them.",
        );
    }
    let stretched = |column: usize| run.problem.quasi[column].has_stretches();
    let ranges = |column: usize| {
        stretched(column)
            || (matches!(run.problem.quasi[column].shape, Shape::Line(_)) && !run.shows_means(column))
    };
    if all.clone().any(ranges) {
        lines.push("[a,b] stands for any value from a to b, both included; [a,b) leaves b out.");
    }
    if all.clone().any(stretched) {
        lines.push(ONE_END);
    }
    if run.problem.quasi.iter().any(|quasi| quasi.sets || matches!(quasi.shape, Shape::Set(_))) {
        lines.push(
            "{a|b|c} stands for one of a, b and c; a backslash stands before |, } and \\ inside a value.",
        );
    }
    lines.push(
        "* stands for any value. A leading = marks a value that would otherwise look like one of these.",
    );
    if !run.plan.keep_order {
        lines.push("Rows are sorted by content; their order says nothing.");
    }
    lines
}

fn limits(run: &ClassRun<'_>) -> Vec<String> {
    let mut lines = vec![
        "The guarantees hold on the quasi-identifiers named above, for someone who knows no other column of this table.",
        if run.plan.renumbered().is_some() {
            "Households with several rows were counted once in every group; distributions and numbers of values are those of rows."
        } else if run.plan.counts_households() {
            "Households with several rows were counted once in every group, by a column that is not published; distributions and \
             numbers of values are those of rows."
        } else if run.problem.table.payloads().person().is_some() {
            "Persons with several rows were counted once in every group, by a column that is not published; distributions and \
             numbers of values are those of rows."
        } else {
            "One row is taken for one person."
        },
    ];
    if !run.problem.models.iter().any(|model| forbids_sameness(&**model, &run.problem.table)) {
        lines.push("Nothing is promised about what the rows of a group have in common.");
    }
    if run.problem.models.iter().any(|model| !run.problem.is_about_all(&**model)) {
        lines.push(
            "Someone who knows more of these columns together than a guarantee names may find a single row.",
        );
    }
    if (0..run.problem.quasi.len()).any(|column| run.shows_means(column)) {
        lines.push("Someone who knows the values of all other rows of a group can compute those of the last from the means.");
    }
    if run.plan.weights().next().is_some() {
        lines.push("Survey weights are not covered by the guarantees: who knows how people were sampled may learn from them who a row is about.");
    }
    if run.found.is_of_new_rows() {
        lines.push("The guarantees hold of this table by itself; rows of other tables that were recoded alike are not looked at.");
    }
    if unjudged_rows(run).is_some() {
        lines.push("Rows that show * in every quasi-identifier are not covered by the guarantees.");
        if run.problem.models.iter().any(|model| !run.problem.is_about_all(&**model)) {
            lines.push("Nor, for guarantees on fewer columns, are other rows that show * in all of these.");
        }
    }
    lines.into_iter().map(str::to_owned).chain(limits_of_counting(run.plan)).collect()
}
