//! The frequency set of a node: its classes with their rows, rolled up from a finer node's.

use std::cell::RefCell;

use rayon::prelude::*;

use crate::table::frequency::{Cell, cells_by_group};

/// The classes of a node, in an order that depends only on the set from which they were rolled up.
#[derive(Debug)]
pub(super) struct FrequencySet {
    /// The node.
    pub(super) levels: Box<[u32]>,
    /// What each class shows, as encoded by the domain.
    pub(super) keys: Vec<u64>,
    /// The rows of each class.
    pub(super) sizes: Vec<u32>,
    /// The people of each class; empty if no model counts people. A class without rows may have people.
    pub(super) people: Vec<u32>,
    /// The rows of each class per payload (compressed sparse rows); empty if no model reads payloads.
    pub(super) starts: Vec<u32>,
    pub(super) cells: Vec<Cell>,
}

/// How the classes of a set merge into those of a coarser node.
pub(super) struct Merge<'a> {
    /// The coarser node.
    pub(super) levels: &'a [u32],
    /// For each class a number that is equal for classes that become one.
    pub(super) marks: &'a [u64],
    /// Whether the marks are the keys of the coarser classes. If not, a coarser class keeps the key of its first part.
    pub(super) marks_are_keys: bool,
    /// The most classes that are possible.
    pub(super) most: usize,
    /// The number of payloads.
    pub(super) payloads: usize,
}

/// Sets of more classes than this are merged in parts, whose tables fit in the cache of a core.
const PART: usize = 1 << 16;

/// In sets of fewer classes than this, no part is checked before the whole.
const PROBED: usize = 1 << 12;

/// Spreads marks that differ in few bits.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

thread_local! {
    /// Tables are used thousands of times. Allocating them each time would cost more than filling them.
    static TABLE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) };
}

/// Numbers equal marks. Calls `see` with the number of each mark, where numbers ascend from 0 as marks first occur, and
/// returns the distinct marks in that order. `skipped` leading bits of the hash are the same for all marks.
fn number(
    marks: impl Iterator<Item = u64>,
    count: usize,
    most: usize,
    skipped: u32,
    mut see: impl FnMut(u32),
) -> Vec<u64> {
    let bits = (2 * count.min(most)).next_power_of_two().trailing_zeros().max(4);
    let mask = (1_usize << bits) - 1;
    let mut known: Vec<u64> = Vec::new();
    TABLE.with_borrow_mut(|table| {
        // Open addressing: a slot holds a number plus one, and the marks of the numbers are stored separately.
        table.clear();
        table.resize(1 << bits, 0);
        let mut last: Option<(u64, u32)> = None;
        for mark in marks {
            // Tuples are sorted, so equal marks often follow each other.
            let number = if let Some((_, number)) = last.filter(|(known, _)| *known == mark) {
                number
            } else {
                let mut at = (mark.wrapping_mul(SPREAD) << skipped >> (64 - bits)) as usize;
                loop {
                    match table[at] {
                        0 => {
                            known.push(mark);
                            table[at] = known.len() as u32;
                            break known.len() as u32 - 1;
                        }
                        slot if known[slot as usize - 1] == mark => break slot - 1,
                        _ => at = (at + 1) & mask,
                    }
                }
            };
            last = Some((mark, number));
            see(number);
        }
    });
    known
}

impl FrequencySet {
    /// The number of classes.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The memory that the set occupies, in bytes.
    pub(super) fn bytes(&self) -> usize {
        12 * self.keys.len() + 4 * self.people.len() + 4 * self.starts.len() + 8 * self.cells.len()
    }

    /// The people of a class.
    pub(super) fn people(&self, class: usize) -> u64 {
        self.people.get(class).map_or(0, |people| u64::from(*people))
    }

    /// The rows of a class per payload.
    pub(super) fn cells(&self, class: usize) -> &[Cell] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.cells[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The number of rows in coarser classes with fewer than `least` rows, counting only a part of all classes; 0 where
    /// checking a part is not worthwhile.
    pub(super) fn smaller_than(&self, least: u64, merge: &Merge<'_>) -> u64 {
        if self.len() < PROBED {
            return 0;
        }
        // Equal marks have equal hashes, so the classes of the part are complete.
        let in_part = |(mark, _): &(&u64, &u32)| mark.wrapping_mul(SPREAD) >> (64 - 3) == 5;
        let (mut marks, mut added) = (Vec::new(), Vec::new());
        for (mark, size) in merge.marks.iter().zip(&self.sizes).filter(in_part) {
            marks.push(*mark);
            added.push(*size);
        }
        let mut added = added.into_iter();
        let mut sizes: Vec<u32> = Vec::new();
        number(marks.iter().copied(), marks.len(), merge.most, 3, |class| {
            if class as usize == sizes.len() {
                sizes.push(0);
            }
            sizes[class as usize] += added.next().unwrap_or(0);
        });
        sizes.iter().map(|size| u64::from(*size)).filter(|size| *size < least).sum()
    }

    /// Merges classes into those of a coarser node.
    pub(super) fn roll_up(&self, merge: &Merge<'_>) -> Self {
        if self.starts.is_empty() && self.people.is_empty() && self.len() > PART && merge.marks_are_keys {
            return self.roll_up_in_parts(merge);
        }
        let (mut firsts, mut sizes): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut people: Vec<u32> = Vec::new();
        let mut added = self.people.iter();
        let mut class_of = Vec::with_capacity(if self.starts.is_empty() { 0 } else { self.len() });
        let mut parts = self.keys.iter().zip(&self.sizes);
        let marks = number(merge.marks.iter().copied(), self.len(), merge.most, 0, |class| {
            let Some((key, size)) = parts.next() else { return };
            if class as usize == sizes.len() {
                sizes.push(0);
                if !merge.marks_are_keys {
                    firsts.push(*key);
                }
            }
            sizes[class as usize] += size;
            if let Some(added) = added.next() {
                people.resize(sizes.len(), 0);
                people[class as usize] += added;
            }
            if !self.starts.is_empty() {
                class_of.push(class);
            }
        });
        let keys = if merge.marks_are_keys { marks } else { firsts };
        let (starts, cells) = if self.starts.is_empty() {
            (Vec::new(), Vec::new())
        } else {
            self.merge_cells(&class_of, keys.len(), merge.payloads)
        };
        Self { levels: merge.levels.into(), keys, sizes, people, starts, cells }
    }

    /// Merges the cells of classes into those of the coarser classes.
    fn merge_cells(&self, class_of: &[u32], classes: usize, payloads: usize) -> (Vec<u32>, Vec<Cell>) {
        // Adding up in a table of all payloads is fastest as long as most of the table is used.
        if classes.saturating_mul(payloads) > 4 * self.cells.len() {
            return cells_by_group(classes, || {
                (0..self.len()).flat_map(|place| {
                    let class = class_of[place];
                    self.cells(place).iter().map(move |cell| (class, *cell))
                })
            });
        }
        let mut rows = vec![0_u32; classes * payloads];
        for (place, class) in class_of.iter().enumerate() {
            let of_class = &mut rows[*class as usize * payloads..][..payloads];
            self.cells(place).iter().for_each(|cell| of_class[cell.payload as usize] += cell.rows);
        }
        let (mut starts, mut cells) = (vec![0], Vec::new());
        for of_class in rows.chunks_exact(payloads) {
            let present = (0..).zip(of_class).filter(|(_, rows)| **rows > 0);
            cells.extend(present.map(|(payload, rows)| Cell { payload, rows: *rows }));
            starts.push(cells.len() as u32);
        }
        (starts, cells)
    }

    /// Does the same for large sets without payloads. A hash deals out classes to parts, and each part is merged by itself.
    fn roll_up_in_parts(&self, merge: &Merge<'_>) -> Self {
        let bits = (self.len() / (PART / 4)).next_power_of_two().trailing_zeros().max(1);
        let part = |mark: u64| (mark.wrapping_mul(SPREAD) >> (64 - bits)) as usize;
        // One thread deals out each chunk. The number of chunks is fixed, so nothing depends on the number of threads.
        let chunk = self.len().div_ceil(4);
        let dealt: Vec<(Vec<usize>, Vec<u64>, Vec<u32>)> = merge
            .marks
            .par_chunks(chunk)
            .zip(self.sizes.par_chunks(chunk))
            .map(|(marks, sizes)| {
                let mut ends = vec![0; (1 << bits) + 1];
                marks.iter().for_each(|mark| ends[part(*mark) + 1] += 1);
                (0..1 << bits).for_each(|part| ends[part + 1] += ends[part]);
                let mut next = ends.clone();
                let (mut dealt_marks, mut dealt_sizes) = (vec![0; marks.len()], vec![0; marks.len()]);
                for (mark, size) in marks.iter().zip(sizes) {
                    let place = &mut next[part(*mark)];
                    dealt_marks[*place] = *mark;
                    dealt_sizes[*place] = *size;
                    *place += 1;
                }
                (ends, dealt_marks, dealt_sizes)
            })
            .collect();
        let parts: Vec<(Vec<u64>, Vec<u32>)> = (0..1_usize << bits)
            .into_par_iter()
            .map(|part| {
                let range = |ends: &[usize]| ends[part]..ends[part + 1];
                let count = dealt.iter().map(|(ends, ..)| range(ends).len()).sum();
                let marks = dealt.iter().flat_map(|(ends, marks, _)| marks[range(ends)].iter().copied());
                let mut added = dealt.iter().flat_map(|(ends, _, sizes)| sizes[range(ends)].iter().copied());
                let mut sizes: Vec<u32> = Vec::new();
                let keys = number(marks, count, merge.most, bits, |class| {
                    if class as usize == sizes.len() {
                        sizes.push(0);
                    }
                    sizes[class as usize] += added.next().unwrap_or(0);
                });
                (keys, sizes)
            })
            .collect();
        drop(dealt);
        let classes = parts.iter().map(|(keys, _)| keys.len()).sum();
        let (mut keys, mut sizes) = (Vec::with_capacity(classes), Vec::with_capacity(classes));
        for (of_part, sizes_of_part) in parts {
            keys.extend_from_slice(&of_part);
            sizes.extend_from_slice(&sizes_of_part);
        }
        let (people, starts, cells) = (Vec::new(), Vec::new(), Vec::new());
        Self { levels: merge.levels.into(), keys, sizes, people, starts, cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(payload: u32, rows: u32) -> Cell {
        Cell { payload, rows }
    }

    #[test]
    fn classes_with_equal_marks_become_one() {
        let set = FrequencySet {
            levels: [0].into(),
            keys: vec![4, 5, 6, 7],
            sizes: vec![3, 1, 2, 5],
            people: vec![4, 1, 7, 9],
            starts: vec![0, 2, 3, 4, 5],
            cells: vec![cell(0, 1), cell(1, 2), cell(0, 1), cell(1, 2), cell(2, 5)],
        };
        // Three payloads are added up in a table; a thousand are sorted.
        for (marks_are_keys, keys, payloads) in [(true, [2, 9], 3), (false, [4, 5], 1_000)] {
            let merge = Merge { levels: &[1], marks: &[2, 9, 2, 9], marks_are_keys, most: 2, payloads };
            let merged = set.roll_up(&merge);
            assert_eq!((merged.keys.as_slice(), merged.sizes.as_slice()), (&keys[..], &[5, 6][..]));
            assert_eq!(merged.people, [11, 10]);
            assert_eq!(merged.cells(0), [cell(0, 1), cell(1, 4)]);
            assert_eq!(merged.cells(1), [cell(0, 1), cell(2, 5)]);
        }
    }

    /// Large sets are merged in parts; the classes are those of a sorted list.
    #[test]
    fn parts_lose_nothing() {
        let count = 3 * PART as u64 + 17;
        let marks: Vec<u64> = (0..count).map(|place| ((place * place) % 100_003) << 20).collect();
        let set = FrequencySet {
            levels: [0].into(),
            keys: (0..count).collect(),
            sizes: (0..count).map(|place| 1 + (place % 3) as u32).collect(),
            people: Vec::new(),
            starts: Vec::new(),
            cells: Vec::new(),
        };
        let merge =
            Merge { levels: &[1], marks: &marks, marks_are_keys: true, most: usize::MAX, payloads: 0 };
        let merged = set.roll_up(&merge);
        let mut found: Vec<(u64, u32)> = merged.keys.into_iter().zip(merged.sizes).collect();
        found.sort_unstable();
        let mut expected = std::collections::BTreeMap::new();
        marks.iter().zip(&set.sizes).for_each(|(mark, size)| *expected.entry(*mark).or_insert(0) += size);
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
    }
}
