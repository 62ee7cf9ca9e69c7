//! The logarithm of the gamma function and its derivative, which the standard library lacks.

/// From here on the asymptotic series are exact to the last digits.
const LARGE: f64 = 12.0;

/// `ψ(x)`, the derivative of `ln Γ(x)`, for `x > 0`.
pub(super) fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    // ψ(x) = ψ(x + 1) - 1 / x
    while x < LARGE {
        below -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    // Bernoulli numbers over 2n: 1/12, -1/120, 1/252, -1/240, 1/132, -691/32760.
    let series = square
        * (1.0 / 12.0
            - square
                * (1.0 / 120.0
                    - square
                        * (1.0 / 252.0
                            - square * (1.0 / 240.0 - square * (1.0 / 132.0 - square * (691.0 / 32760.0))))));
    below + x.ln() - 0.5 * inverse - series
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

    const EULER: f64 = 0.577_215_664_901_532_9;

    #[test]
    fn known_values() {
        assert!((digamma(1.0) + EULER).abs() < 1e-14);
        // ψ(1/2) = -γ - 2 ln 2
        assert!((digamma(0.5) + EULER + 2.0 * 2_f64.ln()).abs() < 1e-13);
        assert!(ln_gamma(1.0).abs() < 1e-13 && ln_gamma(2.0).abs() < 1e-13);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-13);
        // 20! = 2432902008176640000
        assert!((ln_gamma(21.0) - 2_432_902_008_176_640_000_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn differences_of_digamma_are_sums() {
        let sum: f64 = (1..=99).map(|i| 1.0 / (0.3 + f64::from(i))).sum();
        assert!((digamma(100.3) - digamma(1.3) - sum).abs() < 1e-12);
    }
}
