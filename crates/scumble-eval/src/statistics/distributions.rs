//! Tails and quantiles of the distributions that tests need. Degrees of freedom are whole numbers above 0 here, so every distribution
//! exists. If one did not, nothing would be significant.

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// Returns the probability that a standard normal number lies above `z`.
pub(super) fn normal_above(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// Returns the number below which a standard normal number lies with this probability.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability)
}

/// Returns the number below which a number of Student's t distribution lies with this probability.
pub(super) fn t_quantile(probability: f64, freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, freedom as f64).map_or(f64::INFINITY, |t| t.inverse_cdf(probability))
}

/// Returns the probability that a chi-squared number lies above `x`.
pub(super) fn chi_squared_above(x: f64, freedom: usize) -> f64 {
    ChiSquared::new(freedom as f64).map_or(1.0, |chi| chi.sf(x))
}

/// Returns the probability that a number of Fisher's F distribution lies above `f`, which may be infinite.
pub(super) fn f_above(f: f64, freedoms: (usize, usize)) -> f64 {
    if f.is_infinite() {
        return 0.0;
    }
    FisherSnedecor::new(freedoms.0 as f64, freedoms.1 as f64).map_or(1.0, |fisher| fisher.sf(f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_textbooks() {
        let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 5e-7, "{found} for {wanted}");
        near(normal_above(1.959_964), 0.025);
        near(normal_quantile(0.975), 1.959_964);
        near(t_quantile(0.975, 9), 2.262_157);
        near(chi_squared_above(14.25, 3), 0.002_584);
        near(f_above(4.735_063, (10, 5)), 0.05);
        assert_eq!(f_above(f64::INFINITY, (10, 5)), 0.0);
    }
}
