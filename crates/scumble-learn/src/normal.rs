//! The standard normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// The density at `z`.
pub(crate) fn density(z: f64) -> f64 {
    (-z * z / 2.0).exp() / (2.0 * PI).sqrt()
}

/// The probability of a value below `z`.
pub(crate) fn below(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The point with this probability of a value below it, for probabilities from 0.5 to 1 - 1e-6.
pub(crate) fn quantile(probability: f64) -> f64 {
    // Newton's method from the middle never overshoots, since the distribution function is concave above 0.
    let mut z = 0.0;
    for _ in 0..60 {
        z += (probability - below(z)) / density(z);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        for (probability, z) in [(0.5, 0.0), (0.75, 0.674_490), (0.975, 1.959_964), (0.999, 3.090_232)] {
            assert!((quantile(probability) - z).abs() < 1e-6, "{probability}");
        }
        assert!((quantile(1.0 - 1e-6) - 4.753_424).abs() < 1e-5);
    }
}
