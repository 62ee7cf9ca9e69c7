//! Classes of indiscernible tuples, refined by one column at a time.

use super::decision::DecisionTable;

/// Tuples in classes: each class is a stretch of `order`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TupleClasses {
    order: Vec<u32>,
    /// Where each class begins, and the end of the last.
    starts: Vec<u32>,
}

/// Numbers the values that occur within one class. It needs only one table for all classes.
pub(super) struct Slots {
    /// For each value, the class that it was last seen in (from 1 on) and its number there.
    met: Vec<(u32, u32)>,
    class: u32,
    /// The number of values that the class has so far.
    pub(super) found: u32,
}

impl Slots {
    pub(super) fn new(size: u32) -> Self {
        Self { met: vec![(0, 0); size as usize], class: 0, found: 0 }
    }

    /// Begins the next class.
    pub(super) fn begin(&mut self) {
        self.class += 1;
        self.found = 0;
    }

    /// The number of a value in the class: 0 for the first, 1 for the next new one, and so on.
    pub(super) fn number(&mut self, value: u32) -> usize {
        let slot = &mut self.met[value as usize];
        if slot.0 != self.class {
            *slot = (self.class, self.found);
            self.found += 1;
        }
        slot.1 as usize
    }
}

impl TupleClasses {
    /// All tuples in one class; none where there are no tuples.
    #[must_use]
    pub fn whole(table: &DecisionTable) -> Self {
        let tuples = table.tuples() as u32;
        Self { order: (0..tuples).collect(), starts: if tuples == 0 { vec![0] } else { vec![0, tuples] } }
    }

    /// The classes of these columns.
    #[must_use]
    pub fn of(table: &DecisionTable, columns: &[usize]) -> Self {
        columns.iter().fold(Self::whole(table), |partition, column| partition.refine(table, *column))
    }

    /// Classes that are given one by one.
    pub(super) fn from_classes<'a>(classes: impl Iterator<Item = &'a [u32]>) -> Self {
        let (mut order, mut starts) = (Vec::new(), vec![0]);
        for class in classes {
            order.extend_from_slice(class);
            starts.push(order.len() as u32);
        }
        Self { order, starts }
    }

    /// The number of classes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no class.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tuples of each class.
    pub fn classes(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.order[ends[0] as usize..ends[1] as usize])
    }

    /// The class of each tuple of a table. Every tuple must be in some class.
    #[must_use]
    pub fn class_of_tuples(&self) -> Vec<u32> {
        let mut class_of = vec![0; self.order.len()];
        for (class, tuples) in (0..).zip(self.classes()) {
            tuples.iter().for_each(|tuple| class_of[*tuple as usize] = class);
        }
        class_of
    }

    /// Divides every class by the values of a further column. The parts are in the order in which the values
    /// first occur.
    #[must_use]
    pub fn refine(&self, table: &DecisionTable, column: usize) -> Self {
        let codes = table.column(column);
        let mut slots = Slots::new(table.size(column));
        let mut order = vec![0; self.order.len()];
        let mut starts = Vec::with_capacity(self.starts.len());
        let mut numbers: Vec<u32> = Vec::new();
        let mut ends: Vec<u32> = Vec::new();
        let mut start = 0;
        for class in self.classes() {
            slots.begin();
            numbers.clear();
            ends.clear();
            for tuple in class {
                let number = slots.number(codes[*tuple as usize]);
                if number == ends.len() {
                    ends.push(0);
                }
                ends[number] += 1;
                numbers.push(number as u32);
            }
            // Turn sizes into starts; a counting sort then moves the tuples there.
            for size in &mut ends {
                starts.push(start);
                (start, *size) = (start + *size, start);
            }
            for (tuple, number) in class.iter().zip(&numbers) {
                let next = &mut ends[*number as usize];
                order[*next as usize] = *tuple;
                *next += 1;
            }
        }
        starts.push(start);
        Self { order, starts }
    }

    /// The rows of the smallest class; all rows of the table if there is no class.
    #[must_use]
    pub fn smallest(&self, table: &DecisionTable) -> u64 {
        let rows = |class: &[u32]| class.iter().map(|tuple| table.weight(*tuple)).sum();
        self.classes().map(rows).min().unwrap_or(table.rows())
    }

    /// The rows of the smallest class after refining by a column, computed without refining.
    #[must_use]
    pub fn smallest_with(&self, table: &DecisionTable, column: usize) -> u64 {
        let codes = table.column(column);
        let mut slots = Slots::new(table.size(column));
        let mut sizes: Vec<u64> = Vec::new();
        let mut smallest = table.rows();
        for class in self.classes() {
            slots.begin();
            sizes.clear();
            for tuple in class {
                let number = slots.number(codes[*tuple as usize]);
                if number == sizes.len() {
                    sizes.push(0);
                }
                sizes[number] += table.weight(*tuple);
            }
            smallest = sizes.iter().fold(smallest, |least, size| least.min(*size));
        }
        smallest
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::testing::{rows, table};
    use super::*;

    proptest! {
        #[test]
        fn refining_groups_equal_tuples(rows in rows(3), columns in prop::collection::vec(0..3_usize, 0..4)) {
            let table = table(3, &rows);
            let partition = TupleClasses::of(&table, &columns);
            let mut groups: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
            for tuple in 0..table.tuples() as u32 {
                let key = columns.iter().map(|column| table.column(*column)[tuple as usize]).collect();
                groups.entry(key).or_default().push(tuple);
            }
            let mut found: Vec<Vec<u32>> = partition.classes().map(<[u32]>::to_vec).collect();
            found.iter_mut().for_each(|class| class.sort_unstable());
            found.sort();
            let mut wanted: Vec<Vec<u32>> = groups.into_values().collect();
            wanted.sort();
            prop_assert_eq!(&found, &wanted);
            let size = |class: &Vec<u32>| class.iter().map(|tuple| table.weight(*tuple)).sum();
            prop_assert_eq!(partition.smallest(&table), wanted.iter().map(size).min().unwrap_or(table.rows()));
            for column in 0..3 {
                let refined = partition.refine(&table, column);
                prop_assert_eq!(partition.smallest_with(&table, column), refined.smallest(&table));
            }
        }
    }
}
