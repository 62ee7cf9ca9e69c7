//! The slide negative binomial model: the size of a population class is 1 plus a negative binomial number (Chen and
//! Keller-McNulty 1998).

use super::{Sample, bisect};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Snb {
    /// Classes of the population.
    pub(super) classes: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// The people who are unique in the population.
    pub(super) uniques: f64,
}

/// Where the zero of the one equation that is left is looked for, in steps of log odds of beta.
const STEPS: i32 = 400;
const WIDEST: f64 = 40.0;

/// The estimate; none if no parameters give the numbers of classes of one and of two rows that the sample has.
pub(super) fn estimate(sample: &Sample<'_>) -> Option<Snb> {
    let fraction = sample.fraction();
    let (ones, twos) = (sample.classes_of(1) as f64, sample.classes_of(2) as f64);
    let classes = population_classes(sample);
    if ones == 0.0 || twos == 0.0 || fraction >= 1.0 || !classes.is_finite() || classes <= 0.0 {
        return None;
    }
    // c1 = K pi (beta / (1 - q))^alpha (1 + alpha q / (1 - q)) with q = (1 - pi)(1 - beta), in logarithms. For each beta
    // the ratio c2 / c1 leaves one alpha, so this is an equation in beta alone.
    let excess = |odds: f64| {
        let beta = 1.0 / (1.0 + (-odds).exp());
        let q = (1.0 - fraction) * (1.0 - beta);
        let alpha = alpha_of(2.0 * twos / (ones * fraction), beta, q)?;
        let found =
            (classes * fraction).ln() + alpha * (beta / (1.0 - q)).ln() + (alpha * q / (1.0 - q)).ln_1p()
                - ones.ln();
        found.is_finite().then_some((found, alpha, beta))
    };
    let at = |step: i32| WIDEST * (2.0 * f64::from(step) / f64::from(STEPS) - 1.0);
    // From large beta down: of several solutions, the one with the most even classes.
    for step in (0..STEPS).rev() {
        let (low, high) = (at(step), at(step + 1));
        let (Some((left, ..)), Some((right, ..))) = (excess(low), excess(high)) else { continue };
        if left == 0.0 || left.signum() != right.signum() {
            let odds = bisect(low, high, |odds| excess(odds).map(|(found, ..)| found * right.signum()))?;
            let (_, alpha, beta) = excess(odds)?;
            let uniques = classes * (alpha * beta.ln()).exp();
            return uniques.is_finite().then_some(Snb { classes, alpha, beta, uniques });
        }
    }
    None
}

/// The alpha for which `2 c2 / (c1 pi) = alpha (1 - beta)(2 - (1 - alpha) q) / ((1 - q)(1 - q + alpha q))`: the positive
/// root of a quadratic whose roots have different signs.
fn alpha_of(ratio: f64, beta: f64, q: f64) -> Option<f64> {
    let square = (1.0 - beta) * q;
    let linear = (1.0 - beta) * (2.0 - q) - ratio * (1.0 - q) * q;
    let constant = ratio * (1.0 - q) * (1.0 - q);
    let root = (linear * linear + 4.0 * square * constant).sqrt();
    // Of the two ways to write the root, the one that does not subtract like numbers.
    let alpha =
        if linear > 0.0 { 2.0 * constant / (linear + root) } else { (root - linear) / (2.0 * square) };
    (alpha.is_finite() && alpha > 0.0).then_some(alpha)
}

/// The number of classes in the population by Shlosser's estimator as modified by Haas and Stokes (1998).
fn population_classes(sample: &Sample<'_>) -> f64 {
    let pi = sample.fraction();
    let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
        sample.sizes.iter().map(|(size, classes)| *classes as f64 * term(*size as f64)).sum()
    };
    let squares = sum(&|i| i * pi * pi * (1.0 - pi * pi).powf(i - 1.0));
    let excess = sum(&|i| (1.0 - pi).powf(i) * ((1.0 + pi).powf(i) - 1.0));
    let unseen = sum(&|i| (1.0 - pi).powf(i));
    let single = sum(&|i| i * pi * (1.0 - pi).powf(i - 1.0));
    sample.classes() as f64
        + sample.classes_of(1) as f64 * (squares / excess) * (unseen / single) * (unseen / single)
}

#[cfg(test)]
mod tests {
    /// The expectations of models.md 4.2 against direct summation over class sizes: a class has 1 + k people with k negative
    /// binomial, and each is in the sample with probability pi.
    #[test]
    fn the_expected_numbers_of_ones_and_twos_are_those_of_direct_summation() {
        let (alpha, beta, pi): (f64, f64, f64) = (0.7, 0.2, 0.3);
        let (mut ones, mut twos, mut mass) = (0.0, 0.0, beta.powf(alpha));
        for k in 0..2_000 {
            let size = f64::from(k) + 1.0;
            ones += mass * size * pi * (1.0 - pi).powf(size - 1.0);
            twos += mass * size * (size - 1.0) / 2.0 * pi * pi * (1.0 - pi).powf(size - 2.0);
            mass *= (f64::from(k) + alpha) / (f64::from(k) + 1.0) * (1.0 - beta);
        }
        let q = (1.0 - pi) * (1.0 - beta);
        let first = pi * (beta / (1.0 - q)).powf(alpha) * (1.0 + alpha * q / (1.0 - q));
        let second = pi * pi / 2.0 * alpha * beta.powf(alpha) * (1.0 - beta) * (2.0 - (1.0 - alpha) * q)
            / (1.0 - q).powf(alpha + 2.0);
        assert!((first - ones).abs() < 1e-12 && (second - twos).abs() < 1e-12);
        let ratio = 2.0 * twos / (ones * pi);
        assert!((super::alpha_of(ratio, beta, q).expect("a root") - alpha).abs() < 1e-9);
    }
}
