//! The positive region while columns are added, and the approximations of each decision.

use super::decision::{DecisionTable, SEVERAL};
use super::partition::{Slots, TupleClasses};

/// What some columns decide: the rows in classes with one decision, and the classes with several.
///
/// A class with one decision keeps it however it is divided, so only the others are refined further.
#[derive(Debug, Clone)]
pub struct Region {
    open: TupleClasses,
    positive: u64,
}

/// The common decision of all tuples, or [`SEVERAL`].
fn decision(table: &DecisionTable, class: &[u32]) -> u32 {
    let mut decisions = class.iter().map(|tuple| table.decision(*tuple));
    let first = decisions.next().unwrap_or(SEVERAL);
    if decisions.all(|other| other == first) { first } else { SEVERAL }
}

fn size(table: &DecisionTable, class: &[u32]) -> u64 {
    class.iter().map(|tuple| table.weight(*tuple)).sum()
}

impl Region {
    /// The region of no columns.
    #[must_use]
    pub fn of_nothing(table: &DecisionTable) -> Self {
        Self::settled(table, &TupleClasses::whole(table), 0)
    }

    /// The region of these columns.
    #[must_use]
    pub fn of(table: &DecisionTable, columns: &[usize]) -> Self {
        columns.iter().fold(Self::of_nothing(table), |region, column| region.with(table, *column))
    }

    fn settled(table: &DecisionTable, classes: &TupleClasses, before: u64) -> Self {
        let mut positive = before;
        let open = classes.classes().filter(|class| {
            let decided = decision(table, class) != SEVERAL;
            positive += if decided { size(table, class) } else { 0 };
            !decided
        });
        let open = TupleClasses::from_classes(open);
        Self { open, positive }
    }

    /// The rows of the positive region.
    #[must_use]
    pub fn positive(&self) -> u64 {
        self.positive
    }

    /// The region with a further column added.
    #[must_use]
    pub fn with(&self, table: &DecisionTable, column: usize) -> Self {
        Self::settled(table, &self.open.refine(table, column), self.positive)
    }

    /// The rows of the positive region with a further column.
    #[must_use]
    pub fn positive_with(&self, table: &DecisionTable, column: usize) -> u64 {
        let codes = table.column(column);
        let mut slots = Slots::new(table.size(column));
        let mut parts: Vec<(u64, u32)> = Vec::new();
        let mut positive = self.positive;
        for class in self.open.classes() {
            slots.begin();
            parts.clear();
            for tuple in class {
                let (weight, decision) = (table.weight(*tuple), table.decision(*tuple));
                match parts.get_mut(slots.number(codes[*tuple as usize])) {
                    None => parts.push((weight, decision)),
                    Some(part) => {
                        part.0 += weight;
                        part.1 = if part.1 == decision { decision } else { SEVERAL };
                    }
                }
            }
            positive += parts.iter().filter(|part| part.1 != SEVERAL).map(|part| part.0).sum::<u64>();
        }
        positive
    }
}

/// The rows that surely, and those that possibly, have a decision, by the classes of some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approximation {
    /// The rows in classes that have only this decision.
    pub lower: u64,
    /// The rows in classes that have this decision at all.
    pub upper: u64,
}

/// The approximations of every decision by the classes of some columns.
#[must_use]
pub fn approximations(table: &DecisionTable, classes: &TupleClasses) -> Vec<Approximation> {
    let mut found = vec![Approximation { lower: 0, upper: 0 }; table.decisions() as usize];
    let mut present: Vec<u32> = Vec::new();
    for class in classes.classes() {
        present.clear();
        let cells = class.iter().flat_map(|tuple| table.cells(*tuple));
        present.extend(cells.map(|cell| cell.payload));
        present.sort_unstable();
        present.dedup();
        let rows = size(table, class);
        for decision in &present {
            let approximation = &mut found[*decision as usize];
            approximation.upper += rows;
            approximation.lower += if present.len() == 1 { rows } else { 0 };
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::testing::{Row, rows, table};
    use super::*;

    /// Rows in groups that agree on some columns, by decision: straight from the definitions.
    fn approximated(rows: &[Row], columns: &[usize], decision: u32) -> Approximation {
        let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (codes, decision) in rows {
            groups.entry(columns.iter().map(|c| codes[*c]).collect()).or_default().push(*decision);
        }
        let sum = |keep: &dyn Fn(&Vec<u32>) -> bool| {
            groups.values().filter(|group| keep(group)).map(|group| group.len() as u64).sum()
        };
        Approximation {
            lower: sum(&|group| group.iter().all(|d| *d == decision)),
            upper: sum(&|group| group.contains(&decision)),
        }
    }

    #[test]
    fn the_class_of_three_columns() {
        // algorithms.md A6, tiny: the first column decides everything, the others nothing.
        let rows: Vec<Row> = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
            .into_iter()
            .zip([1, 1, 1, 0, 0, 0])
            .map(|(codes, decision)| (codes.to_vec(), decision))
            .collect();
        let table = table(3, &rows);
        let positive = |columns: &[usize]| Region::of(&table, columns).positive();
        assert_eq!([positive(&[]), positive(&[0]), positive(&[1]), positive(&[1, 2])], [0, 6, 0, 2]);
        let of_second = approximations(&table, &TupleClasses::of(&table, &[1, 2]));
        // Classes 11 {y}, 12 {y, n}, 21 {y, n}, 22 {n}.
        assert_eq!(of_second[0], Approximation { lower: 1, upper: 5 });
        assert_eq!(of_second[1], Approximation { lower: 1, upper: 5 });
    }

    proptest! {
        #[test]
        fn regions_are_those_of_the_definition(rows in rows(4), columns in prop::collection::vec(0..4_usize, 0..4)) {
            let table = table(4, &rows);
            let region = Region::of(&table, &columns);
            let wanted: Vec<_> = (0..3).map(|decision| approximated(&rows, &columns, decision)).collect();
            prop_assert_eq!(region.positive(), wanted.iter().map(|one| one.lower).sum::<u64>());
            prop_assert_eq!(approximations(&table, &TupleClasses::of(&table, &columns)), wanted);
            for column in 0..4 {
                let with = region.with(&table, column).positive();
                prop_assert_eq!(region.positive_with(&table, column), with);
                prop_assert!(with >= region.positive());
            }
        }
    }
}
