//! The logarithm of the gamma function, which the standard library lacks, and sums of reciprocals.

/// From this number on the asymptotic series are exact to the last digits.
const LARGE: f64 = 12.0;

/// `sum_{i=0}^{count-1} 1 / (x + i)` for `x > 0` and a whole `count`, which is `ψ(x + count) - ψ(x)`. Exact to nearly the last
/// digits even where `x` is far larger than `count`; a difference of two digammas would lose them.
pub(super) fn harmonic(mut x: f64, mut count: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE && count > 0.0 {
        sum += 1.0 / x;
        x += 1.0;
        count -= 1.0;
    }
    if count <= 0.0 {
        return sum;
    }
    // ψ(x) = ln x - 1/(2x) - tail(x), and the difference of each part without subtracting like numbers.
    let end = x + count;
    sum + (count / x).ln_1p() + 0.5 * count / (x * end) + tail(x) - tail(end)
}

/// Bernoulli numbers over `2n`: 1/12, -1/120, 1/252, -1/240, 1/132, -691/32760.
fn tail(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    let small = 1.0 / 240.0 - square * (1.0 / 132.0 - square * (691.0 / 32760.0));
    square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * small)))
}

/// `ln Γ(x)` for `x > 0`.
pub(super) fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    // Γ(x) = Γ(x + 1) / x
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    // Stirling: Bernoulli numbers over 2n (2n - 1).
    let series = inverse
        * (1.0 / 12.0
            - square
                * (1.0 / 360.0
                    - square * (1.0 / 1260.0 - square * (1.0 / 1680.0 - square * (1.0 / 1188.0)))));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert!(ln_gamma(1.0).abs() < 1e-13 && ln_gamma(2.0).abs() < 1e-13);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
        // 20! = 2432902008176640000
        assert!((ln_gamma(21.0) - 2_432_902_008_176_640_000_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn sums_of_reciprocals() {
        for (x, count) in [(0.3, 99), (1e-9, 3), (1.0, 1), (5.5, 2), (40.0, 5_000), (13.0, 0), (12.0, 20)] {
            let sum: f64 = (0..count).map(|i| 1.0 / (x + f64::from(i))).sum();
            assert!((harmonic(x, f64::from(count)) - sum).abs() <= 1e-13 * sum.max(1.0), "{x} {count}");
        }
        // Far from zero all terms are nearly alike: 1e-13 (1 - 4.5e-13) ten times.
        assert!((harmonic(1e13, 10.0) - (1e-12 - 4.5e-25)).abs() < 1e-27);
    }
}
