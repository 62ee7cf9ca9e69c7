//! Pitman's model: classes follow the sampling formula of Ewens and Pitman with the parameters theta and alpha, which are
//! chosen by maximum likelihood (Hoshino 2001).

use super::gamma::{harmonic, ln_gamma};
use super::{Sample, bisect};

/// The fitted model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pitman {
    pub(super) theta: f64,
    pub(super) alpha: f64,
    /// The people who are unique in the population, by the limit for large populations that ARX uses.
    pub(super) limit: f64,
    /// The people who are unique in the population, by the exact expectation.
    pub(super) exact: f64,
}

/// The estimate; `None` if the likelihood has no maximum with `0 < alpha < 1`.
pub(super) fn estimate(sample: &Sample<'_>) -> Option<Pitman> {
    let classes = sample.classes() as f64;
    // Without a class of two rows nothing keeps alpha below 1; with only one class there is nothing to fit.
    if sample.classes() == sample.rows || classes < 2.0 {
        return None;
    }
    let theta_of = |alpha: f64| theta(sample, alpha);
    let slope = |alpha: f64| alpha_slope(sample, theta_of(alpha)?, alpha);
    let (low, high) = (1e-9, 1.0 - 1e-9);
    // The likelihood, with the best theta for each alpha, rises at the left and falls at the right of its maximum.
    if slope(low)? <= 0.0 || slope(high)? >= 0.0 {
        return None;
    }
    let alpha = bisect(low, high, |alpha| slope(alpha).map(|slope| -slope))?;
    let theta = theta_of(alpha)?;
    let people = sample.population as f64;
    let limit = (ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * people.ln()).exp();
    let exact = (people.ln() + ln_gamma(theta + 1.0) + ln_gamma(theta + alpha + people - 1.0)
        - ln_gamma(theta + alpha)
        - ln_gamma(theta + people))
    .exp();
    (limit.is_finite() && exact.is_finite()).then_some(Pitman { theta, alpha, limit, exact })
}

/// `sum_{i=1}^{u-1} 1 / (theta + i alpha)`, where `theta > -alpha`.
fn class_sum(sample: &Sample<'_>, theta: f64, alpha: f64) -> f64 {
    harmonic(theta / alpha + 1.0, sample.classes() as f64 - 1.0) / alpha
}

/// The theta that is most likely for an alpha: `class_sum = sum_{i=1}^{n-1} 1 / (theta + i)`.
fn theta(sample: &Sample<'_>, alpha: f64) -> Option<f64> {
    let rows = sample.rows as f64;
    let excess = |theta: f64| harmonic(theta + 1.0, rows - 1.0) - class_sum(sample, theta, alpha);
    // theta = -alpha + e^x: the excess is negative next to -alpha and positive for large theta.
    let shifted = |x: f64| Some(excess(x.exp() - alpha)).filter(|excess| excess.is_finite());
    let (low, high) = (alpha.ln() - 25.0, (rows * rows).ln() + 10.0);
    if shifted(low)? >= 0.0 || shifted(high)? <= 0.0 {
        return None;
    }
    bisect(low, high, shifted).map(|x| x.exp() - alpha)
}

/// The slope of the likelihood in alpha: `sum i / (theta + i alpha) - sum_j c_j sum_{t=1}^{j-1} 1 / (t - alpha)`.
fn alpha_slope(sample: &Sample<'_>, theta: f64, alpha: f64) -> Option<f64> {
    let classes = sample.classes() as f64;
    let rising = (classes - 1.0 - theta * class_sum(sample, theta, alpha)) / alpha;
    let falling: f64 = sample
        .sizes
        .iter()
        .map(|(size, classes)| *classes as f64 * harmonic(1.0 - alpha, *size as f64 - 1.0))
        .sum();
    Some(rising - falling).filter(|slope| slope.is_finite())
}
