//! The slide negative binomial model: the size of a population class is 1 plus a negative binomial number (Chen and
//! Keller-McNulty 1998).

use super::{Sample, bisect};

/// The fitted model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Snb {
    /// Classes of the population.
    pub(super) classes: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// The people who are unique in the population.
    pub(super) uniques: f64,
}

/// The range of log odds of beta in which a solution is searched. Beyond it the model equals a Poisson model to the last digit
/// (large beta), or has too few unique classes to be worth a figure (small beta).
const WIDEST: f64 = 40.0;

/// The largest relative difference between the expected numbers of classes and those of the sample.
const TOLERANCE: f64 = 1e-9;

/// The estimate; `None` if no parameters give the numbers of classes of one and of two rows that the sample has.
pub(super) fn estimate(sample: &Sample<'_>) -> Option<Snb> {
    let (ones, twos) = (sample.classes_of(1) as f64, sample.classes_of(2) as f64);
    solve(ones, twos, population_classes(sample), sample.fraction())
}

/// The parameters under which a sample is expected to have this many classes of one and of two rows.
///
/// For each beta the ratio of the two numbers leaves one alpha, so one equation in the log odds of beta remains. There is no known proof that
/// its left side grows with beta, but the tests find that it does: a model is found again from its own numbers, and where no solution is found,
/// a dense scan finds none either.
fn solve(ones: f64, twos: f64, classes: f64, fraction: f64) -> Option<Snb> {
    if ones <= 0.0 || twos <= 0.0 || fraction >= 1.0 || !classes.is_finite() || classes <= 0.0 {
        return None;
    }
    let ratio = 2.0 * twos / (ones * fraction);
    let excess = |odds: f64| {
        let point = Point::at(odds, ratio, fraction)?;
        let found = (classes * fraction).ln() + point.log_ones - ones.ln();
        found.is_finite().then_some(found)
    };
    if excess(-WIDEST)? >= 0.0 || excess(WIDEST)? <= 0.0 {
        return None;
    }
    let point = Point::at(bisect(-WIDEST, WIDEST, excess)?, ratio, fraction)?;
    let (alpha, beta) = (point.alpha, point.beta);
    let found = Snb { classes, alpha, beta, uniques: classes * point.log_unique.exp() };
    let (first, second) = expected(&found, fraction);
    let is_near = |found: f64, wanted: f64| (found / wanted - 1.0).abs() <= TOLERANCE;
    (is_near(first, ones) && is_near(second, twos) && found.uniques.is_finite()).then_some(found)
}

/// The model with one beta, and the alpha that the ratio of ones and twos leaves for it.
///
/// Everything is computed from `1 - beta` and `(1 - beta) / beta` themselves. They cannot be computed from a beta near 1, where
/// `1 - beta` is nothing but rounding.
struct Point {
    alpha: f64,
    beta: f64,
    /// The logarithm of the share of classes that show one row in the sample, divided by the sampling fraction.
    log_ones: f64,
    /// The logarithm of the share of classes that have one person.
    log_unique: f64,
}

impl Point {
    fn at(odds: f64, ratio: f64, fraction: f64) -> Option<Self> {
        let (beta, rest) = (1.0 / (1.0 + (-odds).exp()), 1.0 / (1.0 + odds.exp()));
        let against = (-odds).exp(); // (1 - beta) / beta
        let q = (1.0 - fraction) * rest;
        let p = beta + fraction * rest; // 1 - q
        // `ratio = alpha (1 - beta)(2 - (1 - alpha) q) / ((1 - q)(1 - q + alpha q))` is a quadratic equation in
        // mean = alpha (1 - beta). Its two roots have different signs.
        let square = 1.0 - fraction;
        let linear = (2.0 - q) - ratio * p * square;
        let constant = ratio * p * p;
        let root = (linear * linear + 4.0 * square * constant).sqrt();
        // Of the two ways to write the positive root, this one does not subtract nearly equal numbers.
        let mean =
            if linear > 0.0 { 2.0 * constant / (linear + root) } else { (root - linear) / (2.0 * square) };
        let alpha = mean / rest;
        let point = Self {
            alpha,
            beta,
            log_ones: (mean * square / p).ln_1p() - alpha * (fraction * against).ln_1p(),
            log_unique: -alpha * against.ln_1p(),
        };
        (alpha.is_finite() && alpha > 0.0).then_some(point)
    }
}

/// The numbers of classes of one and of two rows that are expected in a sample (models.md 4.2).
fn expected(model: &Snb, fraction: f64) -> (f64, f64) {
    let Snb { classes, alpha, beta, .. } = *model;
    let p = beta + fraction * (1.0 - beta);
    let q = (1.0 - fraction) * (1.0 - beta);
    let none = classes * (alpha * (beta / p).ln()).exp();
    let ones = none * fraction * (1.0 + alpha * q / p);
    let twos = none * fraction * fraction / 2.0 * alpha * (1.0 - beta) * (2.0 - (1.0 - alpha) * q) / (p * p);
    (ones, twos)
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
    use proptest::prelude::*;

    use super::*;

    /// The expected numbers of classes of one and of two rows, by summing over the sizes of classes: a class has 1 + k people
    /// with k negative binomial, and each of them is in the sample with probability pi.
    fn summed(alpha: f64, beta: f64, pi: f64) -> (f64, f64) {
        let (mut ones, mut twos, mut mass) = (0.0, 0.0, (alpha * beta.ln()).exp());
        let mut k = 0.0;
        loop {
            let alone = mass * (k + 1.0) * pi * (1.0 - pi).powf(k);
            let pair = mass * (k + 1.0) * k / 2.0 * pi * pi * (1.0 - pi).powf(k - 1.0);
            ones += alone;
            twos += pair;
            mass *= (k + alpha) / (k + 1.0) * (1.0 - beta);
            k += 1.0;
            let far = k > 10.0 + alpha * (1.0 - beta) / beta;
            if far && alone + pair < 1e-18 * (ones + twos) || k > 1e6 {
                return (ones, twos);
            }
        }
    }

    #[test]
    fn the_expected_numbers_are_those_of_direct_summation() {
        for (alpha, beta, pi) in [(0.7, 0.2, 0.3), (0.05, 0.01, 0.9), (12.0, 0.97, 0.1), (3.0, 0.5, 0.5)] {
            let (ones, twos) = summed(alpha, beta, pi);
            let model = Snb { classes: 1.0, alpha, beta, uniques: 0.0 };
            let (first, second) = expected(&model, pi);
            assert!((first / ones - 1.0).abs() < 1e-12 && (second / twos - 1.0).abs() < 1e-12);
        }
    }

    /// A scan that began where `1 - beta` is rounding gave 50.87 here.
    #[test]
    fn rounding_is_not_a_solution() {
        let sizes = [(1, 31), (2, 5), (3, 1)];
        let found = estimate(&Sample { sizes: &sizes, rows: 44, population: 147 }).expect("a solution");
        let near = |found: f64, printed: f64| assert!((found - printed).abs() < 6e-5, "{found}");
        near(found.alpha, 0.215_7);
        near(found.beta, 0.204_1);
        assert!((found.uniques - 68.29).abs() < 5e-3, "{}", found.uniques);
    }

    /// Whether the equation has a solution, by a dense scan of sums over class sizes. For each beta, alpha is found by
    /// bisection on the ratio of twos and ones, which grows with it.
    fn has_solution(ones: f64, twos: f64, classes: f64, pi: f64) -> bool {
        let excess = |beta: f64| {
            let (mut low, mut high) = (1e-9_f64.ln(), 1e9_f64.ln());
            for _ in 0..60 {
                let middle = f64::midpoint(low, high);
                let alpha = middle.exp();
                let (p, q) = (beta + pi * (1.0 - beta), (1.0 - pi) * (1.0 - beta));
                // The share of classes without a row in the sample is left out: both terms have it as a factor, and it may be too small for
                // a number.
                let first = 1.0 + alpha * q / p;
                let second = pi / 2.0 * alpha * (1.0 - beta) * (2.0 - (1.0 - alpha) * q) / (p * p);
                if second * ones < first * twos { low = middle } else { high = middle }
            }
            let model = Snb { classes, alpha: low.exp(), beta, uniques: 0.0 };
            expected(&model, pi).0 - ones
        };
        let betas = (1..500).map(|step| f64::from(step) / 500.0);
        let signs: Vec<bool> = betas.map(|beta| excess(beta) > 0.0).collect();
        signs.iter().any(|sign| *sign != signs[0])
    }

    proptest! {
        #[test]
        fn a_model_is_found_again(
            alpha in 0.02_f64..20.0, beta in 0.005_f64..0.98, pi in 0.02_f64..0.95,
        ) {
            let (ones, twos) = summed(alpha, beta, pi);
            prop_assume!(ones > 1e-6 && twos > 1e-6);
            let found = solve(1000.0 * ones, 1000.0 * twos, 1000.0, pi).expect("a solution");
            let uniques = 1000.0 * beta.powf(alpha);
            prop_assert!((found.uniques - uniques).abs() < 1e-5 * uniques + 1e-6, "{found:?} {uniques}");
        }

        #[test]
        fn what_is_found_solves_the_equations_and_what_is_not_has_no_solution(
            counts in prop::collection::vec(0_u64..60, 2..20), more in 1_u64..2_000,
        ) {
            let sizes: Vec<(u64, u64)> = (1..).zip(counts).filter(|(_, classes)| *classes > 0).collect();
            let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
            let sample = Sample { sizes: &sizes, rows, population: rows + more };
            let (ones, twos) = (sample.classes_of(1) as f64, sample.classes_of(2) as f64);
            prop_assume!(ones > 0.0 && twos > 0.0);
            let pi = sample.fraction();
            match estimate(&sample) {
                Some(found) => {
                    let (first, second) = summed(found.alpha, found.beta, pi);
                    prop_assert!((found.classes * first / ones - 1.0).abs() < 1e-7, "{found:?}");
                    prop_assert!((found.classes * second / twos - 1.0).abs() < 1e-7, "{found:?}");
                }
                None => prop_assert!(!has_solution(ones, twos, population_classes(&sample), pi)),
            }
        }
    }
}
