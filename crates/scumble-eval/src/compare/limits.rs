//! The limits on a release that may be recommended.

use scumble::config::Audience;

use super::risk::Risk;

/// What a release may reveal and still be recommended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Who will read the release: this sets the limits that are not given.
    pub audience: Audience,
    /// The greatest chance with which the person worst off may be found, and the greatest share of people for whom guesses of a sensitive
    /// value may become right because of the release.
    pub risk: f64,
    /// The greatest share of people whose sensitive value may be certain, in columns that no model of the plan protects. If a model
    /// protects the column, the model decides. The same limit holds for values that are nearly certain, in every sensitive column.
    pub certain: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(Audience::default())
    }
}

impl Limits {
    /// Returns the limits for an audience.
    #[must_use]
    pub fn of(audience: Audience) -> Self {
        let certain = match audience {
            Audience::Public => 0.0,
            Audience::Researchers => 0.01,
            Audience::Inside => 0.05,
        };
        Self { audience, risk: audience.limit().to_f64(), certain }
    }

    /// Whether a release with this risk may be recommended.
    #[must_use]
    pub fn kept_by(&self, risk: &Risk) -> bool {
        risk.worst() <= self.risk && self.certainty_kept_by(risk)
    }

    /// Whether no more people's values are certain, or nearly, than the limit allows.
    pub(super) fn certainty_kept_by(&self, risk: &Risk) -> bool {
        risk.certain() <= self.certain && risk.nearly_certain() <= self.certain
    }

    /// Returns the least k that keeps the limit on the person worst off, since a person in a group of k is found with a chance of 1/k. No k
    /// does if nobody may be found at all.
    #[must_use]
    pub fn least_k(&self) -> Option<u64> {
        const MOST: u64 = 1 << 52;
        if self.risk <= 0.0 {
            return None;
        }
        let near = (1.0 / self.risk) as u64;
        (near.saturating_sub(1).max(1)..=near + 1)
            .find(|k| 1.0 / *k as f64 <= self.risk)
            .filter(|k| *k <= MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_k_is_that_of_the_audience() {
        for audience in Audience::ALL {
            assert_eq!(Limits::of(audience).least_k(), Some(audience.least_k()), "{}", audience.name());
        }
        let with = |risk: f64| Limits { risk, ..Limits::default() }.least_k();
        assert_eq!([with(1.0), with(0.5), with(0.1), with(0.0)], [Some(1), Some(2), Some(10), None]);
    }
}
