//! Compares two shares of different people: is one larger than the other, and by how much?

use super::distributions::normal_above;
use super::interval::{Interval, wilson_interval};

/// The result of a test whether one share is larger than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharesTest {
    /// The difference in standard errors.
    pub z: f64,
    /// The probability of a difference as large or larger if both shares are in truth the same.
    pub p_value: f64,
}

/// Tests, one-sided and with the pooled share, whether the first of two shares is larger, each as hits among trials; `None` if either has
/// no trial. If everybody is a hit, or nobody, there is no difference.
#[must_use]
pub fn larger_share_test(first: (u64, u64), second: (u64, u64)) -> Option<SharesTest> {
    if first.1 == 0 || second.1 == 0 {
        return None;
    }
    let share = |(hits, trials): (u64, u64)| hits as f64 / trials as f64;
    let pooled = share((first.0 + second.0, first.1 + second.1));
    let error = (pooled * (1.0 - pooled) * (1.0 / first.1 as f64 + 1.0 / second.1 as f64)).sqrt();
    let z = if error > 0.0 { (share(first) - share(second)) / error } else { 0.0 };
    Some(SharesTest { z, p_value: normal_above(z) })
}

/// Returns the first share less the second with Newcombe's interval (1998, his method 10), which combines the two Wilson intervals and so
/// suits small numbers; `None` if either has no trial.
#[must_use]
pub fn difference_interval(first: (u64, u64), second: (u64, u64)) -> Option<Interval> {
    let (first, second) = (wilson_interval(first.0, first.1)?, wilson_interval(second.0, second.1)?);
    let difference = first.estimate - second.estimate;
    let below = (first.estimate - first.low).hypot(second.high - second.estimate);
    let above = (first.high - first.estimate).hypot(second.estimate - second.low);
    Some(Interval { estimate: difference, low: difference - below, high: difference + above })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, wanted: f64, by: f64) {
        assert!((found - wanted).abs() < by, "{found} for {wanted}");
    }

    /// 600 of 747 people in a table and 66 of 83 who are not in it (models.md 4.8).
    #[test]
    fn the_numbers_of_the_specification() {
        let found = larger_share_test((600, 747), (66, 83)).expect("people on both sides");
        near(found.z, 0.174_345, 5e-7);
        near(found.p_value, 0.430_797, 5e-7);
        let advantage = difference_interval((600, 747), (66, 83)).expect("people on both sides");
        near(advantage.estimate, 0.803_213 - 0.795_181, 1e-6);
        assert!(advantage.low < 0.0 && advantage.high > 0.0);
    }

    /// 56 of 70 against 48 of 80: Newcombe's own example, 0.0524 to 0.3339.
    #[test]
    fn newcombe() {
        let found = difference_interval((56, 70), (48, 80)).expect("people on both sides");
        near(found.estimate, 0.2, 1e-12);
        near(found.low, 0.0524, 5e-5);
        near(found.high, 0.3339, 5e-5);
    }

    #[test]
    fn where_there_is_nothing_to_compare() {
        assert_eq!(larger_share_test((0, 0), (1, 2)), None);
        assert_eq!(difference_interval((1, 2), (0, 0)), None);
        let all = larger_share_test((5, 5), (3, 3)).expect("people on both sides");
        assert_eq!((all.z, all.p_value), (0.0, 0.5));
    }

    proptest! {
        #[test]
        fn sides_can_be_swapped(
            (one, of_one) in (1..200_u64).prop_flat_map(|trials| (0..=trials, Just(trials))),
            (other, of_other) in (1..200_u64).prop_flat_map(|trials| (0..=trials, Just(trials))),
        ) {
            let (one, other) = ((one, of_one), (other, of_other));
            let there = larger_share_test(one, other).expect("trials");
            let back = larger_share_test(other, one).expect("trials");
            prop_assert!((there.p_value + back.p_value - 1.0).abs() < 1e-9);
            let (there, back) = (difference_interval(one, other).expect("trials"), difference_interval(other, one).expect("trials"));
            prop_assert!((there.low + back.high).abs() < 1e-12 && (there.high + back.low).abs() < 1e-12);
            prop_assert!(there.low <= there.estimate && there.estimate <= there.high);
            prop_assert!(-1.0 - 1e-12 <= there.low && there.high <= 1.0 + 1e-12);
        }
    }
}
