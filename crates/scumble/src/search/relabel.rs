//! Changes to the labels of any algorithm's result: sets of exactly the values present, and one domain for each column.

use crate::error::{Error, Result, Setting, Wish};
use crate::models::Verdict;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::recoding::{Assignment, ClassColumn};
use crate::table::quasi::{Quasi, Value};

/// Shows exactly the values present in each class, in the columns that ask for sets. Classes that then show the same are merged.
/// Returns an error if a model does not hold for the merged classes.
pub fn show_sets(problem: &Problem, assignment: Assignment) -> Result<Assignment> {
    let (table, quasi) = (&problem.table, &problem.quasi);
    if !quasi.iter().any(|quasi| quasi.sets) {
        return Ok(assignment);
    }
    let mut regions: Vec<Vec<Value>> =
        (0..assignment.classes()).map(|class| assignment.values(class)).collect();
    for (column, _) in quasi.iter().enumerate().filter(|(_, quasi)| quasi.sets) {
        let mut present = vec![0_u64; regions.len()];
        let codes = table.column(column);
        for share in assignment.members.shares(table) {
            present[share.class as usize] |= 1 << codes.get(share.tuple as usize);
        }
        for (values, present) in regions.iter_mut().zip(present) {
            // A class that shows nothing here still shows nothing.
            if values[column] != Value::Star {
                values[column] = Value::Subset(present);
            }
        }
    }
    judged(problem, with_values(assignment, regions), "label = \"set\"")
        .map_err(|error| error.advise("label the columns by nodes"))
}

/// Gives every column one domain: the coarsest of the values that overlap, or the value that covers them together. Classes that
/// then show the same are merged. Returns an error if a model does not hold for the merged classes, or if nothing is shown any
/// more.
pub fn flatten(problem: &Problem, assignment: Assignment) -> Result<Assignment> {
    let shown: Vec<Vec<Value>> = problem
        .quasi
        .iter()
        .zip(&assignment.columns)
        .map(|(quasi, column)| common_values(quasi, column, &assignment.suppressed))
        .collect();
    let value =
        |class: usize, column: usize| shown[column][assignment.columns[column].of_class.get(class) as usize];
    let regions = (0..assignment.classes())
        .map(|class| (0..shown.len()).map(|column| value(class, column)).collect())
        .collect();
    let showed_something = assignment.suppressed.contains(&false);
    let remedied =
        |error: Error| error.unset(Setting::search("flatten"), "leave flatten out").another(Wish::OneDomain);
    let flat = judged(problem, with_values(assignment, regions), "flatten").map_err(remedied)?;
    if showed_something && !flat.suppressed.contains(&false) {
        return Err(remedied(Error::infeasible(
            "flatten leaves nothing: with one domain for each column every row would show * everywhere",
        )));
    }
    Ok(flat)
}

/// Returns the classes, some of which may have been merged, if every model holds for them.
fn judged(problem: &Problem, assignment: Assignment, why: &str) -> Result<Assignment> {
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    for model in &problem.models {
        let Verdict { holds, failing_classes, .. } = model.judge(&classes, problem.table.payloads());
        if !holds {
            return Err(Error::infeasible(format!(
                "{why} merges groups, and {} does not hold for {failing_classes} of the merged ones",
                model.title()
            )));
        }
    }
    Ok(classes.assignment)
}

/// Returns what each value of a column becomes so that no two values overlap. Values of suppressed classes do not count.
fn common_values(quasi: &Quasi, column: &ClassColumn, suppressed: &[bool]) -> Vec<Value> {
    let mut counts = vec![false; column.values.len()];
    for (class, value) in column.of_class.iter().enumerate() {
        counts[value as usize] |= !suppressed[class];
    }
    let counted =
        || column.values.iter().zip(&counts).filter(|(_, counts)| **counts).map(|(value, _)| *value);
    // Means are numbers, and no two different numbers overlap.
    if counted().any(|value| matches!(value, Value::Mean { .. })) {
        return column.values.clone();
    }
    let groups: Vec<Value> = if counted().any(|value| value == Value::Star) {
        vec![Value::Star]
    } else if counted().any(|value| matches!(value, Value::Subset(_))) {
        disjoint_sets(counted())
    } else {
        disjoint_ranges(quasi, counted())
    };
    // Numbers and missing values together have only `*` in common, which overlaps with everything.
    let groups = if groups.contains(&Value::Star) { vec![Value::Star] } else { groups };
    let group = |value: &Value| {
        let of = quasi.codes(*value);
        let over = |group: &&Value| match (group, value) {
            (Value::Subset(all), Value::Subset(codes)) => all & codes != 0,
            _ => {
                let over = quasi.codes(**group);
                over.0 <= of.0 && of.1 <= over.1
            }
        };
        groups.iter().find(over).copied().unwrap_or(*value)
    };
    column.values.iter().map(group).collect()
}

/// The unions of the sets that have members in common, directly or through others.
fn disjoint_sets(sets: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut unions: Vec<u64> = Vec::new();
    for set in sets {
        let Value::Subset(mut codes) = set else { continue };
        unions.retain(|union| {
            let apart = union & codes == 0;
            if !apart {
                codes |= union;
            }
            apart
        });
        unions.push(codes);
    }
    unions.into_iter().map(Value::Subset).collect()
}

/// The unions of the ranges of codes that overlap; for a tree these are its nodes, since nodes overlap only if one holds the other.
fn disjoint_ranges(quasi: &Quasi, values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut ranges: Vec<(u32, u32)> = values.map(|value| quasi.codes(value)).collect();
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let overlap = next.0 <= kept.1;
        if overlap {
            kept.1 = kept.1.max(next.1);
        }
        overlap
    });
    ranges.into_iter().map(|(low, high)| quasi.cover(low, high)).collect()
}

/// Gives the classes other values and merges those that then show the same. A suppressed class stays suppressed and is never merged
/// with one that is not.
pub(crate) fn with_values(assignment: Assignment, mut regions: Vec<Vec<Value>>) -> Assignment {
    // One more column marks the suppressed classes, so that they are not merged with the others.
    for (values, suppressed) in regions.iter_mut().zip(&assignment.suppressed) {
        values.push(if *suppressed { Value::Star } else { Value::Span(0, 0) });
    }
    let mut relabelled = Assignment::of_regions(assignment.members, &regions);
    if let Some(column) = relabelled.columns.pop() {
        for (class, suppressed) in relabelled.suppressed.iter_mut().enumerate() {
            *suppressed = column.value(class) == Value::Star;
        }
    }
    relabelled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_in_a_chain_become_one() {
        let sets = [0b0011, 0b1000, 0b0110, 0b10000].map(Value::Subset);
        assert_eq!(disjoint_sets(sets.into_iter()), [0b1000, 0b0111, 0b10000].map(Value::Subset));
    }
}
