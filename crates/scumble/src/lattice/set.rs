//! The frequency set of a node: its classes with their rows, rolled up from a finer node's.

use crate::frequency::{Cell, FrequencyTable, cells_by_group};

/// The classes of a node, in the order in which the finer set has them first.
#[derive(Debug)]
pub(super) struct FrequencySet {
    /// One tuple of each class.
    pub(super) tuples: Vec<u32>,
    /// The rows of each class.
    pub(super) sizes: Vec<u32>,
    /// The rows of each class per payload (compressed sparse rows); empty if no model reads payloads.
    starts: Vec<u32>,
    cells: Vec<Cell>,
}

const NONE: u32 = u32::MAX;

impl FrequencySet {
    /// The distinct tuples themselves: the finest node.
    pub(super) fn of_tuples(table: &FrequencyTable, payloads: bool) -> Self {
        let tuples: Vec<u32> = (0..table.tuples() as u32).collect();
        let sizes = tuples.iter().map(|tuple| table.weight(*tuple) as u32).collect();
        let (mut starts, mut cells) = (Vec::new(), Vec::new());
        if payloads {
            starts.push(0);
            for tuple in &tuples {
                cells.extend_from_slice(table.cells(*tuple));
                starts.push(cells.len() as u32);
            }
        }
        Self { tuples, sizes, starts, cells }
    }

    /// The number of classes.
    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    /// What it occupies.
    pub(super) fn bytes(&self) -> usize {
        8 * self.tuples.len() + 4 * self.starts.len() + 8 * self.cells.len()
    }

    /// The rows of a class per payload.
    pub(super) fn cells(&self, class: usize) -> &[Cell] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.cells[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// Merges the classes with equal keys; all keys are below `bound`.
    pub(super) fn roll_up(&self, keys: &[u64], bound: u64) -> Self {
        let mut merged =
            Self { tuples: Vec::new(), sizes: Vec::new(), starts: Vec::new(), cells: Vec::new() };
        let mut class_of = Vec::with_capacity(if self.starts.is_empty() { 0 } else { self.len() });
        let mut add = |merged: &mut Self, slot: &mut u32, place: usize| {
            if *slot == NONE {
                *slot = merged.tuples.len() as u32;
                merged.tuples.push(self.tuples[place]);
                merged.sizes.push(0);
            }
            merged.sizes[*slot as usize] += self.sizes[place];
            if !self.starts.is_empty() {
                class_of.push(*slot);
            }
        };
        if bound <= 4 * self.len() as u64 + 1024 {
            let mut slots = vec![NONE; bound as usize];
            for (place, key) in keys.iter().enumerate() {
                add(&mut merged, &mut slots[*key as usize], place);
            }
        } else {
            // Open addressing with the key beside the class. The multiplier spreads keys that differ in few digits; the
            // order of slots never shows in the result.
            let bits = (2 * self.len()).next_power_of_two().trailing_zeros().max(1);
            let mut slots = vec![(0_u64, NONE); 1 << bits];
            for (place, key) in keys.iter().enumerate() {
                let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
                while slots[at].1 != NONE && slots[at].0 != *key {
                    at = (at + 1) & ((1 << bits) - 1);
                }
                slots[at].0 = *key;
                add(&mut merged, &mut slots[at].1, place);
            }
        }
        if !self.starts.is_empty() {
            let pairs = || {
                (0..self.len()).flat_map(|place| {
                    let class = class_of[place];
                    self.cells(place).iter().map(move |cell| (class, *cell))
                })
            };
            (merged.starts, merged.cells) = cells_by_group(merged.len(), pairs);
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> FrequencySet {
        let cell = |payload, rows| Cell { payload, rows };
        FrequencySet {
            tuples: vec![0, 1, 2, 3],
            sizes: vec![3, 1, 2, 5],
            starts: vec![0, 2, 3, 4, 5],
            cells: vec![cell(0, 1), cell(1, 2), cell(0, 1), cell(1, 2), cell(2, 5)],
        }
    }

    /// A small bound takes a table, a large one hashing; both give the same.
    #[test]
    fn classes_with_equal_keys_become_one() {
        for bound in [10, u64::MAX] {
            let merged = set().roll_up(&[7, 9, 7, 9], bound);
            assert_eq!((merged.tuples.as_slice(), merged.sizes.as_slice()), (&[0, 1][..], &[5, 6][..]));
            assert_eq!(merged.cells(0), [Cell { payload: 0, rows: 1 }, Cell { payload: 1, rows: 4 }]);
            assert_eq!(merged.cells(1), [Cell { payload: 0, rows: 1 }, Cell { payload: 2, rows: 5 }]);
        }
    }
}
