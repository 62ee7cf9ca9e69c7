//! What two equations about nearly the same rows reveal about the rows in which they differ.
//!
//! Neighbours have nearly the same masks. If two masks differ in one row each, and their counts differ too, the values of these two rows
//! follow: the one row has the value that is counted once more, the other the value that is counted once less. Neither equation alone shows
//! this, and elimination only finds that the two unknowns differ. So the difference of two such equations becomes an equation of its own.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::known::Sum;
use crate::error::Result;
use crate::problem::Progress;

/// The most tuples on each side in which two equations may differ.
const MOST: usize = 4;

/// The most differences kept for each equation, and the most comparisons in all.
const EACH: usize = 8;
const COMPARED: u64 = 1 << 24;

/// Returns the differences between equations about nearly the same rows, all of whose tuples are counted as a whole.
pub(super) fn between<'a>(sums: &[Sum<'_>], tuples: usize, progress: &Progress) -> Result<Vec<Sum<'a>>> {
    let exact: Vec<&Sum<'_>> = sums.iter().filter(|sum| sum.is_exact()).collect();
    let mut count = vec![0_u32; tuples];
    exact.iter().flat_map(|equation| &*equation.tuples).for_each(|tuple| count[*tuple as usize] += 1);
    // However their members are ordered, two sets that share all but a few of them share one of the first few. With the rarest members first,
    // the fewest pairs need comparing.
    let rarest = |equation: &Sum<'_>| {
        let mut members = equation.tuples.to_vec();
        members.sort_unstable_by_key(|tuple| (count[*tuple as usize], *tuple));
        members.truncate(MOST + 1);
        members
    };
    let mut with: Vec<Vec<u32>> = vec![Vec::new(); tuples];
    let (mut found, mut compared) = (Vec::new(), 0);
    for (number, equation) in (0..).zip(&exact) {
        progress.check()?;
        let first = rarest(equation);
        let mut others: Vec<u32> = first.iter().flat_map(|tuple| &with[*tuple as usize]).copied().collect();
        others.sort_unstable();
        others.dedup();
        let known = found.len();
        for other in others {
            compared += 1;
            if compared > COMPARED || found.len() >= known + EACH {
                break;
            }
            found.extend(difference(equation, exact[other as usize]));
        }
        first.iter().for_each(|tuple| with[*tuple as usize].push(number));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Subtracts one equation from another, if they differ in few tuples.
fn difference<'a>(one: &Sum<'_>, other: &Sum<'_>) -> Option<Sum<'a>> {
    let without = |these: &[u32], those: &[u32]| -> Option<Vec<u32>> {
        let mut left = Vec::new();
        let mut rest = those.iter().peekable();
        for tuple in these {
            while rest.next_if(|of| *of < tuple).is_some() {}
            if rest.next_if(|of| *of == tuple).is_none() {
                if left.len() == MOST {
                    return None;
                }
                left.push(*tuple);
            }
        }
        Some(left)
    };
    let tuples = without(&one.tuples, &other.tuples)?;
    let minus = without(&other.tuples, &one.tuples)?;
    let mut counts: BTreeMap<u32, i64> = one.bounds.iter().map(|(value, rows, _)| (*value, *rows)).collect();
    other.bounds.iter().for_each(|(value, rows, _)| *counts.entry(*value).or_default() -= rows);
    let bounds = counts.into_iter().map(|(value, rows)| (value, rows, rows)).collect();
    let differs = !tuples.is_empty() || !minus.is_empty();
    differs.then_some(Sum { tuples: Cow::Owned(tuples), minus, bounds, only: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_on_either_side() {
        let of = |tuples: &[u32], counts: &[(u32, i64)]| Sum {
            tuples: Cow::Owned(tuples.to_vec()),
            minus: Vec::new(),
            bounds: counts.iter().map(|(value, rows)| (*value, *rows, *rows)).collect(),
            only: true,
        };
        let one = of(&[0, 1, 2, 3, 4, 5], &[(0, 4), (1, 2)]);
        let other = of(&[0, 1, 2, 3, 4, 9], &[(0, 3), (1, 2), (2, 1)]);
        let far = of(&[20, 21, 22, 23, 24, 25], &[(0, 6)]);
        let found =
            between(&[one.clone(), other.clone(), far], 30, &Progress::default()).expect("not stopped");
        let bounds = vec![(0, -1, -1), (1, 0, 0), (2, 1, 1)];
        assert_eq!(found, [Sum { tuples: Cow::Owned(vec![9]), minus: vec![5], bounds, only: false }]);
        // Numbers that are not known exactly hide the difference.
        let vague = Sum { only: false, ..other };
        assert!(between(&[one, vague], 30, &Progress::default()).expect("not stopped").is_empty());
    }
}
