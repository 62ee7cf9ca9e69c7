//! Arranges the rows of a part in a ring, in which any l neighbours have different values (algorithms.md B10, step 2).

use std::collections::BTreeMap;

use crate::error::Result;
use crate::problem::Progress;
use crate::search::algorithms::clustering::space::{Extent, Space};

/// Returns the value at each place of a ring, so that any l neighbours have different values. `counts` are the rows per value; none may exceed
/// a 1/l share of all rows.
///
/// The ring consists of b = ⌊rows / l⌋ blocks of ⌊rows / b⌋ places or one more, which is at least l. The values, those with most rows first,
/// are dealt to the first places of all blocks, then to the second places, and so on. At most ⌊rows / b⌋ values have b rows. These fill the
/// same place of every block, so their rows are one block apart. Every other value has fewer than b rows. So if it continues from the last
/// block to the next place of the first one, it skips a block before it meets itself again. No order has to be searched for, whether or not l
/// divides the number of rows.
pub(super) fn places(counts: &[u64], l: u64) -> Vec<u32> {
    let rows: u64 = counts.iter().sum();
    let blocks = (rows / l.max(1)).max(1);
    let mut values: Vec<u32> = (0..counts.len() as u32).collect();
    values.sort_by_key(|value| (std::cmp::Reverse(counts[*value as usize]), *value));
    let mut dealt =
        values.into_iter().flat_map(|value| std::iter::repeat_n(value, counts[value as usize] as usize));
    let (size, longer) = (rows / blocks, rows % blocks);
    let mut found = vec![0; rows as usize];
    for place in 0..=size {
        let with_place = if place < size { blocks } else { longer };
        for block in 0..with_place {
            let begin = block * size + block.min(longer);
            if let (Some(value), Some(found)) = (dealt.next(), found.get_mut((begin + place) as usize)) {
                *found = value;
            }
        }
    }
    found
}

/// The rows of a part with one value.
pub(super) struct Rows {
    pub(super) value: u32,
    /// The number of rows, by tuple.
    pub(super) tuples: BTreeMap<u32, u32>,
}

/// The number of rows of a value that are compared on either side of the row before, by content. Parts are mostly smaller.
const NEAR: usize = 1024;

/// The rows of a part in the order of its ring, each as its tuple and its value. Rows of one value may swap places, so each place gets the row
/// that is nearest to the l − 1 places before it.
pub(super) fn ring(
    space: &Space<'_>,
    mut rows: Vec<Rows>,
    l: u64,
    progress: &Progress,
) -> Result<Vec<(u32, u32)>> {
    let counts: Vec<u64> =
        rows.iter().map(|of| of.tuples.values().map(|rows| u64::from(*rows)).sum()).collect();
    let mut ring: Vec<(u32, u32)> = Vec::new();
    for number in places(&counts, l) {
        progress.check()?;
        progress.advance(1);
        let before = &ring[ring.len().saturating_sub(l as usize - 1)..];
        let Rows { value, tuples: free } = &mut rows[number as usize];
        let nearest = match before.last() {
            None => free.keys().next().copied(),
            Some((left, _)) => {
                let mut extent: Extent = space.point(*left);
                before.iter().for_each(|(tuple, _)| space.widen(&mut extent, *tuple));
                let near = free.range(..left).rev().take(NEAR).chain(free.range(left..).take(NEAR));
                near.map(|(tuple, _)| {
                    let point = space.ranks(*tuple).iter().map(|rank| (*rank, *rank));
                    (space.joint_cost(&extent, point), *tuple)
                })
                .min()
                .map(|(_, tuple)| tuple)
            }
        };
        let Some(tuple) = nearest else { continue };
        if let Some(left) = free.get_mut(&tuple) {
            *left -= 1;
            if *left == 0 {
                free.remove(&tuple);
            }
        }
        ring.push((tuple, *value));
    }
    Ok(ring)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Whether any `l` neighbours on a ring differ.
    pub(in super::super) fn windows_differ(ring: &[u32], l: usize) -> bool {
        (0..ring.len()).all(|place| {
            (1..l).all(|step| step == ring.len() || ring[place] != ring[(place + step) % ring.len()])
        })
    }

    /// All ways to write a number as a sum of numbers of at most `most`, largest first.
    fn sums(rows: u64, most: u64) -> Vec<Vec<u64>> {
        if rows == 0 {
            return vec![Vec::new()];
        }
        let of_first =
            |first: u64| sums(rows - first, first).into_iter().map(move |rest| [vec![first], rest].concat());
        (1..=most.min(rows)).flat_map(of_first).collect()
    }

    /// All possible counts, for rings of up to 24 rows, whether or not l divides the number of rows.
    #[test]
    fn any_l_neighbours_differ_for_all_counts() {
        let mut rings = (0, 0);
        for l in 2..=6 {
            for rows in l..=24 {
                for counts in sums(rows, rows / l) {
                    let ring = places(&counts, l);
                    assert!(windows_differ(&ring, l as usize), "l = {l}, {counts:?}: {ring:?}");
                    for (value, count) in counts.iter().enumerate() {
                        let placed = ring.iter().filter(|of| **of == value as u32).count();
                        assert_eq!(placed as u64, *count);
                    }
                    if rows % l == 0 {
                        rings.0 += 1;
                    } else {
                        rings.1 += 1;
                    }
                }
            }
        }
        assert!(rings.0 > 264 && rings.1 > 176, "{rings:?}");
    }

    #[test]
    fn values_are_dealt_block_by_block() {
        // Three blocks of two places; a has one row in each.
        assert_eq!(places(&[3, 2, 1], 2), [0, 1, 0, 1, 0, 2]);
        // Two blocks for seven rows: one of four places, one of three.
        assert_eq!(places(&[2, 2, 2, 1], 3), [0, 1, 2, 3, 0, 1, 2]);
    }
}
