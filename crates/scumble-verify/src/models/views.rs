//! k-uncertainty over several tables (models.md 1.13): the number of sensitive values that are possible for each person in all
//! tables together.

use std::collections::BTreeSet;

use scumble_files::Control;
use scumble_files::table::CodedTable;

use super::{Classes, ModelOutcome, StarRows, WORST, WorstClass};
use crate::columns::{POPULATION, RELEASE, column, part};
use crate::error::VerifyError;
use crate::group::group;
use crate::population::Population;
use crate::watch::Pace;

/// One of several published tables about the same people.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The table.
    pub table: &'a CodedTable,
    /// The columns that outsiders may know.
    pub quasi: &'a [String],
}

/// What the rows show in the columns that the views are joined on.
type Shown<'a> = BTreeSet<Vec<&'a str>>;

/// Checks k-uncertainty: each of `people`, looked up in every view, must have at least `k` values of `sensitive` that all views
/// allow. Views are joined on everything that all of them share: on what outsiders know, which comes with each person; on the
/// sensitive value; and on further columns, which nobody knows and which therefore are part of what is intersected.
pub fn check_views(
    views: &[View<'_>],
    people: &Population<'_>,
    sensitive: &str,
    k: u64,
    control: &Control,
) -> Result<ModelOutcome, VerifyError> {
    let joined = joined(views, sensitive)?;
    let mut pace = Pace::new(control);
    let mut allowed: Vec<(Vec<u32>, Vec<Shown<'_>>)> = Vec::new();
    for (number, view) in views.iter().enumerate() {
        let values =
            joined.iter().map(|name| column(view.table, RELEASE, name)).collect::<Result<Vec<_>, _>>()?;
        let classes = Classes::of(view.table, view.quasi, StarRows::Judged)?;
        let mut of_class: Vec<Shown<'_>> = vec![BTreeSet::new(); classes.groups.len()];
        for (row, class) in classes.groups.of_row.iter().enumerate() {
            pace.tick(1)?;
            let shown = values.iter().map(|column| column.values.get(column.codes.get(row))).collect();
            of_class[*class as usize].insert(shown);
        }
        let placed = people.placed(view.table, view.quasi, &classes.groups, classes.star, control)?;
        let mut of_tuple = Vec::new();
        for (found, row) in placed.classes.iter().zip(&placed.tuples.first_row) {
            pace.tick(1 + found.len())?;
            // People who are in no other class are among the suppressed rows.
            let found = if found.is_empty() { classes.star.as_slice() } else { found };
            if found.is_empty() {
                let why = format!(
                    "its row {} is in no group of table {}, so it cannot be looked up in all of them",
                    row + 1,
                    number + 1
                );
                return Err(VerifyError::Population { why });
            }
            of_tuple.push(found.iter().flat_map(|&class| of_class[class].iter().cloned()).collect());
        }
        allowed.push((placed.tuples.of_row, of_tuple));
    }

    let mut known: Vec<&String> = views.iter().flat_map(|view| view.quasi).collect();
    known.sort_unstable();
    known.dedup();
    let known =
        known.iter().map(|name| column(people.table, POPULATION, name)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = known.iter().map(|column| part(column)).collect();
    let looked_up = group(&parts, people.table.rows);
    let found = looked_up.first_row.iter().zip(&looked_up.size).map(|(&row, &size)| {
        let mut of_views = allowed.iter().map(|(of_row, of_tuple)| &of_tuple[of_row[row as usize] as usize]);
        let first = of_views.next().cloned().unwrap_or_default();
        pace.tick(1 + first.len())?;
        let left = of_views.fold(first, |left, other| left.intersection(other).cloned().collect());
        // The sensitive value comes first.
        let values: BTreeSet<&str> = left.iter().filter_map(|shown| shown.first().copied()).collect();
        Ok(WorstClass { size, attained: values.len() as f64 })
    });
    let mut worst: Vec<WorstClass> = found.collect::<Result<_, VerifyError>>()?;
    let failing = || worst.iter().filter(|of| of.attained < k as f64);
    let (failing_classes, failing_rows) = (failing().count() as u64, failing().map(|of| of.size).sum());
    worst.sort_unstable_by(|a, b| a.worse_first(b, true));
    worst.truncate(WORST);
    Ok(ModelOutcome {
        name: "k_uncertainty".to_owned(),
        label: format!("k-uncertainty of {sensitive} over {} tables", views.len()),
        required: k as f64,
        attained: worst.first().map(|of| of.attained),
        holds: failing_classes == 0,
        failing_classes,
        failing_rows,
        worst,
        note: None,
    })
}

/// Returns the columns that views are joined on besides what outsiders know, the sensitive one first. A column that only some
/// views share could only be joined view by view.
fn joined<'a>(views: &[View<'a>], sensitive: &'a str) -> Result<Vec<&'a str>, VerifyError> {
    let known = |name: &str| views.iter().any(|view| view.quasi.iter().any(|quasi| quasi == name));
    let mut joined = vec![sensitive];
    for column in views.iter().flat_map(|view| &view.table.columns) {
        let name = column.name.as_str();
        let having = views.iter().filter(|view| view.table.column(name).is_some()).count();
        if having < 2 || known(name) || joined.contains(&name) {
            continue;
        }
        if having < views.len() {
            let why = format!(
                "some of the tables share the column `{name}` and others lack it; leave it out, or check them in pairs"
            );
            return Err(VerifyError::Population { why });
        }
        joined.push(name);
    }
    Ok(joined)
}
