//! The remaining risk of a release and that of its original, for the private report.

use std::collections::BTreeMap;

use scumble_files::Control;

use super::ClassRun;
use crate::config::{RiskSpec, StarPolicy};
use crate::error::Result;
use crate::recoding::people::people_of_tuples;
use crate::recoding::published::ClassView;
use crate::report::data::{PopulationUniques, Risk, RiskFigures, Singling};
use crate::risk::uniques::{Sample, estimate};
use crate::risk::{RiskClasses, Unit, combinations, singling};
use crate::table::frequency::Cell;
use crate::table::label::STAR;
use crate::table::payload::Payloads;

/// The most tuples to examine, over all combinations of columns: at most a second of work. For larger tables, `scumble risk`
/// is the place, where the user waits for nothing else.
const MOST_LOOKS: u64 = 30_000_000;

pub(super) fn risk(run: &ClassRun<'_>) -> Result<Risk> {
    let spec = &run.plan.risk;
    let (before, after) = (original(run), released(run));
    let figures =
        |classes: &RiskClasses| RiskFigures::of_sizes(&classes.rows_by_size(), spec.exposed_above());
    let persons = run.problem.table.payloads().person();
    let repeated = persons.is_some_and(|persons| (persons.values.len() as u64) < run.problem.table.rows());
    let unit = if repeated { Unit::Persons } else { Unit::Rows };
    // The estimators assume one row for each person.
    let people = spec.people(before.rows()).unwrap_or_default().filter(|_| unit == Unit::Rows);
    // The check before the search made sure that there are at least as many people as rows.
    let alone = |classes: &RiskClasses| -> Option<PopulationUniques> {
        Some(estimate(&Sample { sizes: &classes.histogram(), rows: classes.rows(), population: people? }))
    };
    let journalist = |classes: &RiskClasses, people: Vec<u64>| {
        // A class counts as at least as large as in the table, whether or not the population has everybody.
        let sizes: Vec<u64> =
            classes.sizes.iter().zip(people).map(|(here, there)| there.max(*here)).collect();
        RiskFigures::of_sizes(&classes.rows_by(&sizes), spec.exposed_above())
    };
    let (table, control) = (&run.problem.table, run.problem.progress.control());
    Ok(Risk {
        unit,
        before: Some(figures(&before)),
        after: figures(&after),
        journalist_before: table
            .population()
            .map(|there| journalist(&before, people_of_tuples(table, there))),
        journalist_after: people_of_classes(run).map(|people| journalist(&after, people)),
        singling_before: look(&before, spec, people, control)?,
        singling_after: look(&after, spec, people, control)?,
        population_before: alone(&before),
        population_after: alone(&after),
    })
}

/// The number of people in each class of [`released`]; `None` without a population, or if a person may be in several classes.
fn people_of_classes(run: &ClassRun<'_>) -> Option<Vec<u64>> {
    let classes = &run.found.classes;
    let people = classes.people()?;
    let (gone, kept): (Vec<usize>, Vec<usize>) =
        (0..classes.len()).partition(|class| classes.is_suppressed(*class));
    // People who are in no shown class may be among the suppressed rows.
    let star = people.outside + gone.iter().map(|class| people.of_class[*class]).sum::<u64>();
    Some(kept.iter().map(|class| people.of_class[*class]).chain([star]).collect())
}

/// Finds the columns that single people out, if that is quick.
fn look(
    classes: &RiskClasses,
    spec: &RiskSpec,
    people: Option<u64>,
    control: &Control,
) -> Result<Option<Singling>> {
    let fraction = people.map(|people| classes.rows() as f64 / people as f64);
    let size = spec.combination_size as usize;
    if classes.codes.is_empty() {
        return Ok(None);
    }
    Ok(Some(singling(classes, size, fraction, control)?.0))
}

/// Whether all combinations of at most `size` columns can be searched quickly.
fn is_quick(tuples: usize, columns: usize, size: u32) -> bool {
    let sets = combinations(columns, size as usize);
    size > 0 && columns <= 64 && sets.saturating_mul(tuples as u64) <= MOST_LOOKS
}

/// A person of a class, where people have several rows.
fn a_person(cells: &[Cell], payloads: &Payloads) -> Option<u32> {
    payloads.person_of(cells.first()?.payload)
}

/// The people of a class, where people have several rows.
fn members(class: usize, cells: &[Cell], payloads: &Payloads) -> Vec<(u32, u32)> {
    let mut persons: Vec<(u32, u32)> = cells
        .iter()
        .filter_map(|cell| payloads.person_of(cell.payload))
        .map(|person| (class as u32, person))
        .collect();
    persons.sort_unstable();
    persons.dedup();
    persons
}

/// The tuples of the original; without their codes if combinations are not searched.
fn original(run: &ClassRun<'_>) -> RiskClasses {
    let table = &run.problem.table;
    let payloads = table.payloads();
    // Rows of one person do not hide each other.
    let people =
        |tuple: u32| ClassView { size: table.weight(tuple), cells: table.cells(tuple), payloads }.persons();
    let sizes = (0..table.tuples() as u32).map(people).collect();
    let person =
        (0..table.tuples() as u32).map_while(|tuple| a_person(table.cells(tuple), payloads)).collect();
    let members: Vec<(u32, u32)> =
        (0..table.tuples()).flat_map(|tuple| members(tuple, table.cells(tuple as u32), payloads)).collect();
    if !is_quick(table.tuples(), table.width(), run.plan.risk.combination_size) {
        return RiskClasses { sizes, person, members, ..RiskClasses::default() };
    }
    RiskClasses {
        names: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        values: run.problem.quasi.iter().map(crate::table::quasi::Quasi::size).collect(),
        codes: (0..table.width()).map(|column| table.column(column).iter().collect()).collect(),
        sizes,
        person,
        members,
        ..RiskClasses::default()
    }
}

/// The classes as readers see them. Suppressed rows hide each other, whether or not they were checked.
fn released(run: &ClassRun<'_>) -> RiskClasses {
    let classes = &run.found.classes;
    let kept: Vec<usize> = (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).collect();
    let dropped = run.problem.star_policy == StarPolicy::Drop;
    let payloads = run.problem.table.payloads();
    let star = (!dropped && classes.suppressed_rows() > 0).then(|| classes.star(payloads).persons());
    let of_star = star.and_then(|_| a_person(classes.star(payloads).cells, payloads));
    let of_kept = kept.iter().map_while(|class| a_person(classes.view(*class, payloads).cells, payloads));
    let cells_of = kept.iter().map(|class| classes.view(*class, payloads).cells);
    let cells_of = cells_of.chain(star.map(|_| classes.star(payloads).cells));
    let mut seen = RiskClasses {
        members: cells_of.enumerate().flat_map(|(class, cells)| members(class, cells, payloads)).collect(),
        person: of_kept.chain(of_star).collect(),
        sizes: kept.iter().map(|class| classes.view(*class, payloads).persons()).chain(star).collect(),
        ..RiskClasses::default()
    };
    if !is_quick(seen.sizes.len(), run.problem.quasi.len(), run.plan.risk.combination_size) {
        return seen;
    }
    for (quasi, column) in run.problem.quasi.iter().zip(&classes.assignment.columns) {
        // Readers see texts, not codes: equal texts are one value.
        let labels: Vec<String> = column.values.iter().map(|value| quasi.label(*value)).collect();
        let distinct: BTreeMap<&str, u32> = {
            let mut texts: Vec<&str> = labels.iter().map(String::as_str).chain([STAR]).collect();
            texts.sort_unstable();
            texts.dedup();
            texts.into_iter().zip(0..).collect()
        };
        let code_of: Vec<u32> = labels.iter().map(|label| distinct[label.as_str()]).collect();
        let shown = kept.iter().map(|class| code_of[column.of_class.get(*class) as usize]);
        seen.codes.push(shown.chain(star.map(|_| distinct[STAR])).collect());
        seen.values.push(distinct.len() as u32);
        seen.names.push(quasi.name.clone());
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::is_quick;

    #[test]
    fn large_tables_are_not_looked_at_on_the_way() {
        // Nine columns have 9 + 36 + 84 = 129 sets of at most three.
        assert!(is_quick(30_000_000 / 129, 9, 3));
        assert!(!is_quick(30_000_000 / 129 + 1, 9, 3));
        assert!(is_quick(10, 2, 3) && !is_quick(10, 2, 0) && !is_quick(10, 65, 1));
    }
}
