//! Alpaydin's combined F test on five times two-fold cross-validation.

use super::SAME;
use super::distributions::f_above;

/// The outcome of a test whose statistic follows an F distribution under the null hypothesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FTest {
    /// The statistic; infinite if all differences are equal and not 0.
    pub f: f64,
    /// The probability of a statistic at least as large if there is no difference.
    pub p_value: f64,
}

/// Tests whether two methods differ, from the differences of their error rates: one pair of folds for each of five repetitions.
///
/// This is not Dietterich's t test on the same numbers, which takes its numerator from a single fold and may give another answer.
#[must_use]
pub fn combined_f_test(differences: &[[f64; 2]; 5]) -> FTest {
    let squares: f64 = differences.iter().flatten().map(|p| p * p).sum();
    let variances: f64 = differences
        .iter()
        .map(|pair| {
            let mean = f64::midpoint(pair[0], pair[1]);
            pair.iter().map(|p| (p - mean).powi(2)).sum::<f64>()
        })
        .sum();
    let f = if variances > SAME * SAME {
        squares / (2.0 * variances)
    } else if squares > SAME * SAME {
        f64::INFINITY
    } else {
        0.0
    };
    FTest { f, p_value: f_above(f, (10, 5)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_specification() {
        let test = combined_f_test(&[[0.03, 0.01], [0.02, 0.04], [0.0, 0.02], [0.03, 0.03], [0.01, 0.02]]);
        assert!((test.f - 4.384_615).abs() < 1e-6, "{}", test.f);
        assert!((test.p_value - 0.058_244).abs() < 1e-6, "{}", test.p_value);
    }

    #[test]
    fn equal_differences_have_no_variance() {
        let all = combined_f_test(&[[0.02, 0.02]; 5]);
        assert_eq!((all.f, all.p_value), (f64::INFINITY, 0.0));
        let none = combined_f_test(&[[0.0, 0.0]; 5]);
        assert_eq!((none.f, none.p_value), (0.0, 1.0));
    }
}
