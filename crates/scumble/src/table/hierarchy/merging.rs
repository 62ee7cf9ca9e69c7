//! Ordered merging: neighbours are merged level by level, so that order is kept.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::alphabetic::level_of_numbers;
use super::domain::{Built, Domain};
use super::intervals::{label_span, nest};
use super::nested::level_of_cuts;
use super::tree::Provenance;
use crate::error::{Error, Result};

/// Merges `fanout` neighbours at a time, or, without one, halves the number of groups from level to
/// level by merging the neighbours that have the fewest rows together.
pub(super) fn build(domain: &Domain, fanout: Option<usize>) -> Result<Built> {
    if fanout.is_some_and(|fanout| fanout < 2) {
        return Err(Error::config("fanout must be at least 2").in_column(domain.name));
    }
    let numbers = match domain.measure.kind.is_ordered() {
        true => Some(domain.numbers("ordered_merging")?),
        false => None,
    };
    // Different spellings of one number are never parted.
    let first_of_value = |place: &usize| match &numbers {
        Some(numbers) => *place == 0 || numbers[place - 1] != numbers[*place],
        None => true,
    };
    let mut starts: Vec<usize> = (0..domain.values.len()).filter(first_of_value).collect();
    let mut levels = Vec::new();
    loop {
        starts = match fanout {
            Some(fanout) => starts.into_iter().step_by(fanout).collect(),
            None => halve(domain.rows, &starts),
        };
        if starts.len() < 2 {
            break;
        }
        levels.push(match &numbers {
            Some(numbers) => {
                level_of_cuts(&domain.measure, numbers, label_span(domain, numbers)?, starts.clone())
            }
            None => level_of_numbers(starts.clone()),
        });
    }
    nest(domain, levels, if numbers.is_some() { Provenance::FromData } else { Provenance::Numbered })
}

/// Merges the pair of neighbours with the smallest sum of rows (the leftmost of several) until half of
/// the groups are left, and returns where they start.
fn halve(rows: &[u64], starts: &[usize]) -> Vec<usize> {
    let groups = starts.len();
    let end = |group: usize| starts.get(group + 1).copied().unwrap_or(rows.len());
    let mut sums: Vec<u64> = (0..groups).map(|group| rows[starts[group]..end(group)].iter().sum()).collect();
    // The live groups are a chain; a merged group lives on in its left part.
    let mut next: Vec<usize> = (1..=groups).collect();
    let mut previous: Vec<Option<usize>> = (0..groups).map(|group| group.checked_sub(1)).collect();
    let mut alive = vec![true; groups];
    let mut pairs: BinaryHeap<Reverse<(u64, usize, usize)>> = (1..groups)
        .map(|right| Reverse((sums[right - 1].saturating_add(sums[right]), right - 1, right)))
        .collect();
    let mut left_over = groups;
    while left_over > groups.div_ceil(2) {
        let Some(Reverse((sum, left, right))) = pairs.pop() else { break };
        // A pair whose parts have since been merged otherwise is out of date.
        if !alive[left]
            || !alive[right]
            || next[left] != right
            || sum != sums[left].saturating_add(sums[right])
        {
            continue;
        }
        alive[right] = false;
        sums[left] = sum;
        next[left] = next[right];
        left_over -= 1;
        if next[left] < groups {
            previous[next[left]] = Some(left);
            pairs.push(Reverse((sum.saturating_add(sums[next[left]]), left, next[left])));
        }
        if let Some(before) = previous[left] {
            pairs.push(Reverse((sums[before].saturating_add(sum), before, left)));
        }
    }
    (0..groups).filter(|group| alive[*group]).map(|group| starts[group]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{level, path, weighted};
    use super::*;
    use crate::table::kind::Kind;

    #[test]
    fn the_smallest_sums_merge_first() {
        // 9 1 2 8 1 1: 1+1 = 2, then 1+2 = 3 leave 9 | 1 2 | 8 | 1 1; then 3 groups: (8)+(1 1) = 10 < 11 < 12.
        assert_eq!(halve(&[9, 1, 2, 8, 1, 1], &[0, 1, 2, 3, 4, 5]), [0, 1, 3]);
        // All equal: the leftmost pair, then the next best.
        assert_eq!(halve(&[1, 1, 1, 1], &[0, 1, 2, 3]), [0, 2]);
        assert_eq!(halve(&[1, 1, 1], &[0, 1, 2]), [0, 2]);
        assert_eq!(halve(&[5], &[0]), [0]);
        assert_eq!(halve(&[], &[]), Vec::<usize>::new());
    }

    #[test]
    fn every_level_halves() {
        let values = [("a", 9), ("b", 1), ("c", 2), ("d", 8), ("e", 1), ("f", 1)];
        let built = build(&weighted(Kind::Text, &values), None).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["group 1 of 3", "group 2 of 3", "group 3 of 3"]);
        assert_eq!(level(&built.hierarchy, 2), ["group 1 of 2", "group 2 of 2"]);
        assert_eq!(built.hierarchy.height(), 3);
        assert_eq!(path(&built.hierarchy, "e"), "e;group 3 of 3;group 2 of 2;*");
    }

    #[test]
    fn a_fixed_fanout_groups_neighbours() {
        let values = [("1", 1), ("2", 1), ("5", 1), ("40", 1), ("41", 1)];
        let built = build(&weighted(Kind::Integer, &values), Some(2)).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["[0,4]", "[5,40]", "[41,44]"]);
        assert_eq!(level(&built.hierarchy, 2), ["[0,40]", "[41,44]"]);
        assert!(build(&weighted(Kind::Integer, &values), Some(1)).is_err());
        let same = weighted(Kind::Decimal, &[("1", 1), ("1.0", 1), ("2", 1)]);
        let built = build(&same, Some(2)).unwrap();
        assert_eq!(built.hierarchy.height(), 1, "1 and 1.0 are one value, and 2 makes two");
    }
}
