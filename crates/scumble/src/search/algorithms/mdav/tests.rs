//! Tests MDAV on points made by hand, and against the textbook's loops over rows.

use proptest::prelude::*;

use super::groups::{Group, Points, distance, groups};
use crate::problem::Progress;

fn on_line(numbers: &[i64], weights: &[u64], k: u64) -> Vec<Group> {
    groups(&Points::new(1, numbers.to_vec()), weights, k, &Progress::default()).expect("nobody interrupts")
}

/// The centroid of 1, 2, 3, 4, 10, 11, 12, 20 is 7.875. 20 is furthest (12.125), so it forms a group with 11 and 12. That leaves 1,
/// 2, 3, 4 and 10, fewer than 2k.
#[test]
fn eight_numbers_by_hand() {
    let numbers = [1, 2, 3, 4, 10, 11, 12, 20];
    assert_eq!(
        on_line(&numbers, &[1; 8], 3),
        [vec![(7, 1), (6, 1), (5, 1)], vec![(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]]
    );
    // k = 2: 20 with 12, and 1, which is furthest from 20, with 2. Then the centroid of 3, 4, 10, 11 is 7, and 3 and 11 are equally
    // far, so the first is taken.
    assert_eq!(
        on_line(&numbers, &[1; 8], 2),
        [vec![(7, 1), (6, 1)], vec![(0, 1), (1, 1)], vec![(2, 1), (3, 1)], vec![(4, 1), (5, 1)]]
    );
}

/// The rows of a tuple are divided where a group is full.
#[test]
fn rows_of_one_tuple_can_be_in_several_groups() {
    assert_eq!(on_line(&[5], &[7], 2), [vec![(0, 2)], vec![(0, 2)], vec![(0, 3)]]);
    assert_eq!(on_line(&[0, 9], &[1, 4], 2), [vec![(0, 1), (1, 1)], vec![(1, 3)]]);
    assert_eq!(on_line(&[1, 2, 3], &[1, 1, 1], 3), [vec![(0, 1), (1, 1), (2, 1)]]);
}

/// The paper's loops, row by row, with everything recomputed each time.
fn naive(points: &[Vec<i64>], weights: &[u64], k: usize) -> Vec<Group> {
    let mut rest: Vec<u32> =
        (0..).zip(weights).flat_map(|(tuple, rows)| std::iter::repeat_n(tuple, *rows as usize)).collect();
    let point = |tuple: u32| &points[tuple as usize];
    let furthest = |rest: &[u32], from: &[i64]| {
        let mut best = rest[0];
        for row in rest {
            if distance(point(*row), from) > distance(point(best), from) {
                best = *row;
            }
        }
        point(best).clone()
    };
    let take = |rest: &mut Vec<u32>, around: &[i64]| {
        let mut sorted = rest.clone();
        sorted.sort_by_key(|row| (distance(point(*row), around), *row));
        let group: Vec<u32> = sorted.drain(..k).collect();
        sorted.sort_unstable();
        *rest = sorted;
        group
    };
    let mut groups: Vec<Vec<u32>> = Vec::new();
    while rest.len() >= 2 * k {
        let mean =
            |column: usize| rest.iter().map(|row| point(*row)[column]).sum::<i64>() / rest.len() as i64;
        let centroid: Vec<i64> = (0..points[0].len()).map(mean).collect();
        let twice = rest.len() >= 3 * k;
        let one = furthest(&rest, &centroid);
        groups.push(take(&mut rest, &one));
        if twice {
            let other = furthest(&rest, &one);
            groups.push(take(&mut rest, &other));
        }
    }
    groups.push(rest);
    let counted = |rows: Vec<u32>| {
        let mut group = Group::new();
        for row in rows {
            match group.last_mut().filter(|(tuple, _)| *tuple == row) {
                Some((_, rows)) => *rows += 1,
                None => group.push((row, 1)),
            }
        }
        group
    };
    groups.into_iter().map(counted).collect()
}

proptest! {
    #[test]
    fn groups_are_the_naive_ones(
        places in prop::collection::vec((prop::collection::vec(0..12_i64, 2), 1..6_u64), 1..40),
        k in 2..8_u64,
    ) {
        let (points, weights): (Vec<Vec<i64>>, Vec<u64>) = places.into_iter().unzip();
        prop_assume!(weights.iter().sum::<u64>() >= k);
        let found = groups(&Points::new(2, points.concat()), &weights, k, &Progress::default()).expect("groups");
        for group in &found {
            let rows: u64 = group.iter().map(|(_, rows)| rows).sum();
            prop_assert!(k <= rows && rows < 2 * k, "{} rows", rows);
        }
        prop_assert_eq!(found, naive(&points, &weights, k as usize));
    }
}
