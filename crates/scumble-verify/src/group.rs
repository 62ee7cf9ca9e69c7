//! Groups rows that agree on some columns, and numbers the groups.
//!
//! The codes of the columns are packed side by side into 64-bit keys. Where they do not fit, the groups so far become a column of
//! their own, and the remaining columns are packed next to it. Groups are numbered by first appearance in row order, so the result
//! does not depend on hashing or on the number of threads.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

/// One column of a grouping key. Its `codes` are below `bound`.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) codes: View<'a>,
    pub(crate) bound: usize,
}

/// Codes of any width.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
}

/// Rows divided into groups.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The group of each row.
    pub(crate) of_row: Vec<u32>,
    /// The first row of each group, ascending.
    pub(crate) first_row: Vec<u32>,
    /// The size of each group; a row that counts several times adds as much.
    pub(crate) size: Vec<u64>,
    /// How often each row counts; `None` if every row counts once.
    pub(crate) weights: Option<Weights>,
}

/// How often each row of a table counts.
pub(crate) type Weights = Arc<[u64]>;

impl Groups {
    pub(crate) fn len(&self) -> usize {
        self.first_row.len()
    }

    /// Returns the same groups with only these rows. A group may be left empty.
    pub(crate) fn only(&self, rows: &[u32]) -> Self {
        let of_row: Vec<u32> = rows.iter().map(|&row| self.of_row[row as usize]).collect();
        let mut size = vec![0; self.len()];
        of_row.iter().for_each(|&group| size[group as usize] += 1);
        let weights = self.weights.as_deref();
        let weights = weights.map(|weights| rows.iter().map(|&row| weights[row as usize]).collect());
        Self { of_row, first_row: self.first_row.clone(), size, weights: None }.weighted(weights)
    }

    /// Returns the same groups, with each row counting as often as `weights` says.
    pub(crate) fn weighted(mut self, weights: Option<Weights>) -> Self {
        if let Some(weights) = &weights {
            self.size.fill(0);
            for (group, weight) in self.of_row.iter().zip(&**weights) {
                self.size[*group as usize] += weight;
            }
        }
        Self { weights, ..self }
    }

    /// Returns how often a row counts.
    pub(crate) fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Returns the group of each row as a part of another key.
    pub(crate) fn part(&self) -> Part<'_> {
        Part { codes: View::U32(&self.of_row), bound: self.len() }
    }
}

/// Chunks smaller than this are not worth a thread.
const CHUNK: usize = 1 << 15;

/// Groups rows by the parts of their key. Without parts, all rows form one group.
pub(crate) fn group(parts: &[Part<'_>], rows: usize) -> Groups {
    let chunk = rows.div_ceil(rayon::current_num_threads()).max(CHUNK);
    group_in_chunks(parts, rows, chunk)
}

fn group_in_chunks(parts: &[Part<'_>], rows: usize, chunk: usize) -> Groups {
    let mut rest = parts;
    let mut groups: Option<Groups> = None;
    loop {
        let mut bits = groups.as_ref().map_or(0, |groups| width(groups.len()));
        // The groups take at most 32 bits, so at least one part fits and the loop ends.
        let fitting = rest
            .iter()
            .take_while(|part| {
                bits += width(part.bound);
                bits <= 64
            })
            .count();
        let (now, later) = rest.split_at(fitting);
        let mut packed: Vec<Part<'_>> = groups.iter().map(Groups::part).collect();
        packed.extend_from_slice(now);
        let next = pass(&packed, rows, chunk);
        if later.is_empty() {
            return next;
        }
        groups = Some(next);
        rest = later;
    }
}

/// The number of bits that hold every code below `bound`.
fn width(bound: usize) -> u32 {
    usize::BITS - bound.saturating_sub(1).leading_zeros()
}

/// The groups of one chunk, numbered within it.
struct Local {
    of_row: Vec<u32>,
    keys: Vec<u64>,
    first_row: Vec<u32>,
    size: Vec<u64>,
}

fn pass(parts: &[Part<'_>], rows: usize, chunk: usize) -> Groups {
    let starts: Vec<usize> = (0..rows).step_by(chunk).collect();
    let mut chunks: Vec<Local> =
        starts.par_iter().map(|&start| group_chunk(parts, start..rows.min(start + chunk))).collect();
    if chunks.len() == 1
        && let Some(Local { of_row, first_row, size, .. }) = chunks.pop()
    {
        return Groups { of_row, first_row, size, weights: None };
    }

    // Taking the chunks in order gives the numbers that one pass over all rows would give.
    let mut number_of_key = HashMap::with_hasher(FixedState::default());
    let mut all = Groups { of_row: Vec::new(), first_row: Vec::new(), size: Vec::new(), weights: None };
    let numbers: Vec<Vec<u32>> = chunks
        .iter()
        .map(|local| {
            let place = |((&key, &first), &size): ((&u64, &u32), &u64)| {
                let number = *number_of_key.entry(key).or_insert_with(|| {
                    all.first_row.push(first);
                    all.size.push(0);
                    (all.first_row.len() - 1) as u32
                });
                all.size[number as usize] += size;
                number
            };
            local.keys.iter().zip(&local.first_row).zip(&local.size).map(place).collect()
        })
        .collect();
    all.of_row = vec![0; rows];
    all.of_row.par_chunks_mut(chunk).zip(chunks.par_iter().zip(&numbers)).for_each(
        |(rows, (local, numbers))| {
            for (row, &group) in rows.iter_mut().zip(&local.of_row) {
                *row = numbers[group as usize];
            }
        },
    );
    all
}

fn group_chunk(parts: &[Part<'_>], rows: std::ops::Range<usize>) -> Local {
    let mut packed = vec![0u64; rows.len()];
    for part in parts {
        let bits = width(part.bound);
        // A column with one value adds nothing, and a shift by 64 would be an error.
        if bits == 0 {
            continue;
        }
        match part.codes {
            View::U8(codes) => append(&mut packed, &codes[rows.clone()], bits),
            View::U16(codes) => append(&mut packed, &codes[rows.clone()], bits),
            View::U32(codes) => append(&mut packed, &codes[rows.clone()], bits),
        }
    }

    let mut number_of_key = HashMap::with_hasher(FixedState::default());
    let mut local = Local {
        of_row: Vec::with_capacity(packed.len()),
        keys: Vec::new(),
        first_row: Vec::new(),
        size: Vec::new(),
    };
    // Releases are sorted by content, so most rows are like the previous one.
    let mut last: Option<(u64, u32)> = None;
    for (&key, row) in packed.iter().zip(rows) {
        let number = match last {
            Some((last_key, number)) if last_key == key => number,
            _ => *number_of_key.entry(key).or_insert_with(|| {
                local.keys.push(key);
                local.first_row.push(row as u32);
                local.size.push(0);
                (local.keys.len() - 1) as u32
            }),
        };
        last = Some((key, number));
        local.size[number as usize] += 1;
        local.of_row.push(number);
    }
    local
}

fn append<T: Copy + Into<u64>>(packed: &mut [u64], codes: &[T], bits: u32) {
    for (key, &code) in packed.iter_mut().zip(codes) {
        // The shift is done in two steps, since a shift by all 64 bits is not defined.
        *key = (*key << (bits - 1) << 1) | code.into();
    }
}

/// The number of cells in each of some groups, and the cells.
type Counts = (Vec<u32>, Vec<(u32, u64)>);

/// The histograms of the groups: how often each value of a column occurs in each group.
pub(crate) struct Histograms {
    start: Vec<u32>,
    cells: Vec<(u32, u64)>,
}

impl Histograms {
    /// Counts a column's codes for each group. Rows are sorted into their groups first, and each group is counted by itself.
    pub(crate) fn count(groups: &Groups, column: Part<'_>) -> Self {
        if let Some(weights) = &groups.weights {
            return Self::count_weighted(groups, column, weights);
        }
        let mut ends: Vec<u32> = Vec::with_capacity(groups.len() + 1);
        ends.push(0);
        ends.extend(groups.size.iter().scan(0, |sum, size| {
            *sum += *size as u32;
            Some(*sum)
        }));
        let mut codes = vec![0_u32; groups.of_row.len()];
        let mut next = ends.clone();
        let mut deal = |row: usize, code: u32| {
            let place = &mut next[groups.of_row[row] as usize];
            codes[*place as usize] = code;
            *place += 1;
        };
        match column.codes {
            View::U8(all) => all.iter().enumerate().for_each(|(row, code)| deal(row, u32::from(*code))),
            View::U16(all) => all.iter().enumerate().for_each(|(row, code)| deal(row, u32::from(*code))),
            View::U32(all) => all.iter().enumerate().for_each(|(row, code)| deal(row, *code)),
        }
        drop(next);
        // Chunks of whole groups, with about the same number of rows each.
        let mut chunks: Vec<(std::ops::Range<usize>, &mut [u32])> = Vec::new();
        let (mut rest, mut from) = (&mut codes[..], 0);
        while from < groups.len() {
            let wanted = ends[from].saturating_add(CHUNK as u32);
            let to = ends.partition_point(|end| *end < wanted).clamp(from + 1, groups.len());
            let (chunk, later) = rest.split_at_mut((ends[to] - ends[from]) as usize);
            chunks.push((from..to, chunk));
            (rest, from) = (later, to);
        }
        let counted: Vec<Counts> = chunks
            .into_par_iter()
            .map(|(groups, mut codes)| {
                let (mut lengths, mut cells) = (Vec::with_capacity(groups.len()), Vec::new());
                let mut counts: Vec<u32> = Vec::new();
                for group in groups {
                    let (own, later) = codes.split_at_mut((ends[group + 1] - ends[group]) as usize);
                    codes = later;
                    let before = cells.len();
                    tally(own, column.bound, &mut counts, &mut cells);
                    lengths.push((cells.len() - before) as u32);
                }
                (lengths, cells)
            })
            .collect();
        let mut start = Vec::with_capacity(groups.len() + 1);
        start.push(0);
        let mut cells = Vec::with_capacity(counted.iter().map(|(_, cells)| cells.len()).sum());
        for (lengths, of_chunk) in counted {
            start.extend(lengths.iter().scan(cells.len() as u32, |sum, length| {
                *sum += length;
                Some(*sum)
            }));
            cells.extend_from_slice(&of_chunk);
        }
        Self { start, cells }
    }

    /// Counts rows that count several times. Each group has few of them, so they are sorted.
    fn count_weighted(groups: &Groups, column: Part<'_>, weights: &[u64]) -> Self {
        let mut facts: Vec<(u32, u32, u64)> =
            (0..weights.len()).map(|row| (groups.of_row[row], column.codes.get(row), weights[row])).collect();
        facts.par_sort_unstable();
        let (mut start, mut cells) = (vec![0], Vec::new());
        let mut rest = &facts[..];
        for group in 0..groups.len() as u32 {
            let (own, later) = rest.split_at(rest.partition_point(|fact| fact.0 == group));
            rest = later;
            let same = own.chunk_by(|one, next| one.1 == next.1);
            cells.extend(same.map(|run| (run[0].1, run.iter().map(|fact| fact.2).sum())));
            start.push(cells.len() as u32);
        }
        Self { start, cells }
    }

    /// The values of a group with their counts, ascending by code.
    pub(crate) fn of(&self, group: usize) -> &[(u32, u64)] {
        &self.cells[self.start[group] as usize..self.start[group + 1] as usize]
    }
}

/// Counts codes below `bound` and appends them to `cells`, ascending. `counts` is a buffer with one count for each code, all 0
/// before and after.
fn tally(codes: &mut [u32], bound: usize, counts: &mut Vec<u32>, cells: &mut Vec<(u32, u64)>) {
    // Few codes over many rows are counted; many codes over few rows are sorted.
    if bound <= codes.len() {
        counts.resize(bound.max(counts.len()), 0);
        codes.iter().for_each(|code| counts[*code as usize] += 1);
        for (code, count) in (0..).zip(counts.iter_mut().take(bound)).filter(|(_, count)| **count > 0) {
            cells.push((code, u64::from(std::mem::take(count))));
        }
        return;
    }
    codes.sort_unstable();
    cells.extend(codes.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64)));
}

impl View<'_> {
    pub(crate) fn get(self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Groups by comparing whole rows with each other.
    fn naive(columns: &[Vec<u32>], rows: usize) -> Groups {
        let mut groups =
            Groups { of_row: Vec::new(), first_row: Vec::new(), size: Vec::new(), weights: None };
        for row in 0..rows {
            let same = |&first: &u32| columns.iter().all(|column| column[first as usize] == column[row]);
            let group = groups.first_row.iter().position(same).unwrap_or_else(|| {
                groups.first_row.push(row as u32);
                groups.size.push(0);
                groups.first_row.len() - 1
            });
            groups.size[group] += 1;
            groups.of_row.push(group as u32);
        }
        groups
    }

    #[test]
    fn width_holds_every_code() {
        for (bound, bits) in
            [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9), (1 << 32, 32)]
        {
            assert_eq!(width(bound), bits, "{bound}");
        }
    }

    #[test]
    fn no_parts_are_one_group_and_no_rows_are_none() {
        assert_eq!(group(&[], 3), naive(&[], 3));
        assert_eq!(group(&[], 3).size, [3]);
        assert_eq!(group(&[], 0).len(), 0);
        assert_eq!(group(&[Part { codes: View::U8(&[]), bound: 0 }], 0).len(), 0);
    }

    proptest! {
        /// Bounds far above the codes make the keys wide without many rows: 1 to 6 columns of up to 32 bits each.
        #[test]
        fn any_width_and_chunking_agrees_with_comparing_rows(
            bounds in proptest::collection::vec(prop_oneof![Just(2usize), Just(3), Just(1 << 16), Just((1 << 31) + 1), Just(1 << 32)], 0..6),
            seed in proptest::collection::vec(0u32..3, 0..200),
            chunk in 1usize..80,
        ) {
            let rows = if bounds.is_empty() { seed.len() } else { seed.len() / bounds.len() };
            // Codes are at both ends of the range, so that one bit too few would merge groups.
            let columns: Vec<Vec<u32>> = bounds.iter().enumerate().map(|(c, &bound)| {
                seed[c * rows..(c + 1) * rows].iter().map(|&s| if s == 2 { (bound - 1) as u32 } else { s }).collect()
            }).collect();
            let parts: Vec<Part<'_>> =
                columns.iter().zip(&bounds).map(|(codes, &bound)| Part { codes: View::U32(codes), bound }).collect();
            let expected = naive(&columns, rows);
            prop_assert_eq!(&group_in_chunks(&parts, rows, chunk), &expected);
            prop_assert_eq!(&group(&parts, rows), &expected);
        }

        #[test]
        fn histograms_count_pairs(pairs in proptest::collection::vec((0u8..4, 0u16..5), 0..100)) {
            let (class, value): (Vec<u8>, Vec<u16>) = pairs.iter().copied().unzip();
            let groups = group(&[Part { codes: View::U8(&class), bound: 4 }], pairs.len());
            let histograms = Histograms::count(&groups, Part { codes: View::U16(&value), bound: 5 });
            for g in 0..groups.len() {
                let key = class[groups.first_row[g] as usize];
                let expected: Vec<(u32, u64)> = (0..5u16)
                    .map(|v| (u32::from(v), pairs.iter().filter(|&&pair| pair == (key, v)).count() as u64))
                    .filter(|&(_, count)| count > 0)
                    .collect();
                prop_assert_eq!(histograms.of(g), &expected[..]);
            }
        }
    }
}
