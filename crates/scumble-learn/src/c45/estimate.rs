//! Estimates how many errors a leaf will make on new rows, from the errors that it makes on its own.

use crate::normal;

/// The pessimistic estimate: an upper confidence bound on the error rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    confidence: f64,
    /// The standard normal quantile of `1 - confidence`.
    z: f64,
}

impl Estimate {
    pub(super) fn new(confidence: f64) -> Self {
        Self { confidence, z: normal::quantile(1.0 - confidence) }
    }

    /// The number of errors to add to the `errors` that a leaf of this `weight` makes in training.
    pub(super) fn added(self, weight: f64, errors: f64) -> f64 {
        if errors < 1.0 {
            let none = weight * (1.0 - self.confidence.powf(1.0 / weight));
            if errors == 0.0 {
                return none;
            }
            return none + errors * (self.added(weight, 1.0) - none);
        }
        if errors + 0.5 >= weight {
            return (weight - errors).max(0.0);
        }
        let z = self.z;
        let rate = (errors + 0.5) / weight;
        let spread = rate / weight - rate * rate / weight + z * z / (4.0 * weight * weight);
        let bound = (rate + z * z / (2.0 * weight) + z * spread.sqrt()) / (1.0 + z * z / weight);
        bound * weight - errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of models.md 3.3, point 7.
    #[test]
    fn added_errors() {
        let estimate = Estimate::new(0.25);
        for (weight, errors, added) in [
            (6.0, 0.0, 1.237_797),
            (9.0, 0.0, 1.284_804),
            (1.0, 0.0, 0.750_000),
            (16.0, 1.0, 1.475_715),
            (16.0, 0.5, 1.401_825),
            (14.0, 5.0, 1.761_120),
            (100.0, 10.0, 2.749_611),
        ] {
            let found = estimate.added(weight, errors);
            assert!((found - added).abs() < 5e-7, "({weight}, {errors}): {found}");
        }
    }
}
