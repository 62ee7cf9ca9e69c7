//! Intervals of a mean over repetitions and of a share of rows.

use super::distributions::{normal_quantile, t_quantile};

/// A figure with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The figure itself.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The probability below the upper end of a two-sided interval of 95 %.
pub(super) const UPPER: f64 = 0.975;

/// Returns the mean of repetitions with Student's interval; `None` without a repetition. A single repetition says nothing about the spread,
/// so its interval is the mean itself.
///
/// Folds share training rows, so they are not independent, and the interval is narrower than it should be. Use it to read results. To
/// decide, use [`super::combined_f_test`] and [`super::Friedman`].
#[must_use]
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let count = values.len();
    if count == 0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    if count == 1 {
        return Some(Interval { estimate: mean, low: mean, high: mean });
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1) as f64 / count as f64).sqrt();
    let half = t_quantile(UPPER, count - 1) * error;
    Some(Interval { estimate: mean, low: mean - half, high: mean + half })
}

/// Returns a share with Wilson's interval, which stays between 0 and 1 and suits small numbers; `None` without a trial.
#[must_use]
pub fn wilson_interval(hits: u64, trials: u64) -> Option<Interval> {
    if trials == 0 {
        return None;
    }
    let (n, share, z) = (trials as f64, hits as f64 / trials as f64, normal_quantile(UPPER));
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding must not push an end past the share itself, nor outside 0 to 1.
    let (low, high) = ((middle - half).max(0.0).min(share), (middle + half).min(1.0).max(share));
    Some(Interval { estimate: share, low, high })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 5e-7, "{found} for {wanted}");
    }

    #[test]
    fn student() {
        // Mean 3, standard deviation 1.581139, t(4) = 2.776445: half width 1.963243.
        let found = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]).expect("five values");
        near(found.estimate, 3.0);
        near(found.high, 4.963_243);
        let one = mean_interval(&[0.8]).expect("one value");
        assert_eq!((one.low, one.high), (0.8, 0.8));
        assert_eq!(mean_interval(&[]), None);
    }

    #[test]
    fn wilson() {
        // 8 of 10: 0.490162 to 0.943318.
        let found = wilson_interval(8, 10).expect("ten trials");
        near(found.low, 0.490_162);
        near(found.high, 0.943_318);
        assert_eq!(wilson_interval(0, 0), None);
    }

    proptest! {
        #[test]
        fn wilson_stays_between_nothing_and_all(hits in 0..1000_u64, more in 0..1000_u64) {
            prop_assume!(hits + more > 0);
            let found = wilson_interval(hits, hits + more).expect("some trials");
            prop_assert!(0.0 <= found.low && found.low <= found.estimate);
            prop_assert!(found.estimate <= found.high && found.high <= 1.0);
        }
    }
}
