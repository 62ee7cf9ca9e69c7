//! Measures how well a score separates two groups: the area under its receiver operating characteristic.

use super::distributions::normal_quantile;
use super::interval::{Interval, UPPER};

/// Estimates the chance that a member of the first group has a higher score than a member of the second, counting ties half, with the
/// interval of DeLong, DeLong and Clarke-Pearson (1988). `None` if a group is empty. If a group has one member, the interval is everything
/// possible. If the groups do not overlap at all, it shrinks to a point.
#[must_use]
pub fn area_under_curve(first: &[f64], second: &[f64]) -> Option<Interval> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let over = shares_below(first, second);
    let under: Vec<f64> = shares_below(second, first).into_iter().map(|share| 1.0 - share).collect();
    let area = over.iter().sum::<f64>() / over.len() as f64;
    let error = variance_of_mean(&over).zip(variance_of_mean(&under)).map(|(a, b)| (a + b).sqrt());
    let Some(error) = error else { return Some(Interval { estimate: area, low: 0.0, high: 1.0 }) };
    let half = normal_quantile(UPPER) * error;
    Some(Interval { estimate: area, low: (area - half).max(0.0), high: (area + half).min(1.0) })
}

/// Returns for each score the share of the others that lie below it, counting ties half.
fn shares_below(scores: &[f64], others: &[f64]) -> Vec<f64> {
    let mut sorted = others.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let share = |score: &f64| {
        let below = sorted.partition_point(|other| other < score);
        let up_to = sorted.partition_point(|other| other <= score);
        f64::midpoint(below as f64, up_to as f64) / sorted.len() as f64
    };
    // Numbers are summed in one order, whatever the order of people.
    let mut shares: Vec<f64> = scores.iter().map(share).collect();
    shares.sort_unstable_by(f64::total_cmp);
    shares
}

fn variance_of_mean(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (count - 1.0) / count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 3 and 2 against 1 and 2: three and a half of four pairs; both groups' shares are 1 and 3/4, so the variance is
    /// 2 · (1/32)/2 and the half width 1.959964 · √(1/32) = 0.346476.
    #[test]
    fn four_pairs() {
        let found = area_under_curve(&[3.0, 2.0], &[1.0, 2.0]).expect("two groups");
        assert!((found.estimate - 0.875).abs() < 1e-12);
        assert!((found.low - 0.528_524).abs() < 5e-6, "{}", found.low);
        assert_eq!(found.high, 1.0);
    }

    #[test]
    fn groups_that_are_apart_or_empty_or_single() {
        let apart = area_under_curve(&[2.0, 3.0], &[0.0, 1.0]).expect("two groups");
        assert_eq!((apart.low, apart.estimate, apart.high), (1.0, 1.0, 1.0));
        assert_eq!(area_under_curve(&[], &[1.0]), None);
        let single = area_under_curve(&[1.0], &[0.0, 2.0]).expect("two groups");
        assert_eq!((single.low, single.estimate, single.high), (0.0, 0.5, 1.0));
    }

    proptest! {
        #[test]
        fn equal_scores_tell_nothing_and_groups_can_be_swapped(
            first in prop::collection::vec(0..9_i32, 1..40),
            second in prop::collection::vec(0..9_i32, 1..40),
        ) {
            let (first, second): (Vec<f64>, Vec<f64>) =
                (first.into_iter().map(f64::from).collect(), second.into_iter().map(f64::from).collect());
            let same = area_under_curve(&first, &first).expect("two groups");
            prop_assert!((same.estimate - 0.5).abs() < 1e-12);
            prop_assert!(same.low <= 0.5 && 0.5 <= same.high);
            let there = area_under_curve(&first, &second).expect("two groups");
            let back = area_under_curve(&second, &first).expect("two groups");
            prop_assert!((there.estimate + back.estimate - 1.0).abs() < 1e-12);
            prop_assert!((there.low + back.high - 1.0).abs() < 1e-9);
        }
    }
}
