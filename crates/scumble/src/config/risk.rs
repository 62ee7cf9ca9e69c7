//! `[risk]`: how the risk that is left is assessed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audience::Audience;
use super::rational::Rational;
use crate::error::{Error, Result};

/// What is wrong where the size of the population is said twice.
pub(super) const ONE_SIZE: &str = "give one of the population's table, its size and the sampling fraction; each says how large the population is";

/// How risk is assessed: by itself, where a release is checked (the threshold), and in the private report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RiskSpec {
    /// Who will read the release: it decides how much risk the person worst off may be left with.
    #[serde(skip_serializing_if = "Audience::is_default")]
    pub audience: Audience,
    /// The risk above which a row counts as exposed, from 0 to 1. If not given, the limit of the audience.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<Rational>,
    /// How many people the population has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population_size: Option<u64>,
    /// The share of the population that is in the table, above 0 and at most 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_fraction: Option<Rational>,
    /// The most columns that are tested together for singling people out; 0 skips the test.
    pub combination_size: u32,
    /// The column of survey weights: how many people of the population a row stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The column that shows which rows belong to one household.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub household: Option<String>,
    /// The largest share of people whom attacks may link to their row, where quasi-identifiers are perturbed: above it nothing is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linkage_limit: Option<Rational>,
}

impl Default for RiskSpec {
    fn default() -> Self {
        Self {
            audience: Audience::default(),
            threshold: None,
            population_size: None,
            sampling_fraction: None,
            combination_size: 3,
            weight: None,
            household: None,
            linkage_limit: None,
        }
    }
}

impl RiskSpec {
    /// Whether nothing was asked for that is not the default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The key that is wrong, and what is wrong with it.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        if self.threshold.is_some_and(|threshold| threshold > Rational::ONE) {
            return Some(("threshold", "the risk threshold is a chance: a number from 0 to 1"));
        }
        if self.linkage_limit.is_some_and(|limit| limit > Rational::ONE) {
            return Some(("linkage_limit", "the linkage limit is a share of people: a number from 0 to 1"));
        }
        if self.sampling_fraction.is_some_and(|share| share == Rational::ZERO || share > Rational::ONE) {
            return Some((
                "sampling_fraction",
                "the sampling fraction is the share of the population that is in the table: above 0 and at most 1",
            ));
        }
        if self.population_size.is_some() && self.sampling_fraction.is_some() {
            return Some(("sampling_fraction", ONE_SIZE));
        }
        None
    }

    /// The risk above which a row counts as exposed.
    #[must_use]
    pub fn exposed_above(&self) -> Rational {
        self.threshold.unwrap_or_else(|| self.audience.limit())
    }

    /// Whether the size of the population was said.
    #[must_use]
    pub fn knows_size(&self) -> bool {
        self.population_size.is_some() || self.sampling_fraction.is_some()
    }

    /// An error if the settings contradict themselves.
    pub fn check(&self) -> Result<()> {
        self.fault().map_or(Ok(()), |(_, message)| Err(Error::config(message)))
    }

    /// How many people the population of a table with this many rows has, where that was said.
    pub fn people(&self, rows: u64) -> Result<Option<u64>> {
        if let Some(size) = self.population_size {
            return if size < rows {
                Err(Error::config(format!(
                    "the population has {size} people, but the table already has {rows} rows; the population includes them"
                )))
            } else {
                Ok(Some(size))
            };
        }
        // The nearest whole number of people; never fewer than there are rows, since the share is at most 1.
        Ok(self.sampling_fraction.map(|share| {
            let (part, whole) = (u128::from(share.numerator()), u128::from(share.denominator()));
            let people = (u128::from(rows) * whole * 2 + part) / (part * 2);
            u64::try_from(people).unwrap_or(u64::MAX)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: u64, whole: u64) -> Option<Rational> {
        Rational::new(part, whole)
    }

    #[test]
    fn the_population_is_as_large_as_was_said() {
        let with = |population_size, sampling_fraction| {
            RiskSpec { population_size, sampling_fraction, ..RiskSpec::default() }.people(190)
        };
        assert_eq!(with(None, None).expect("nothing said"), None);
        assert_eq!(with(Some(2000), None).expect("a size"), Some(2000));
        assert_eq!(with(None, share(95, 1000)).expect("a share"), Some(2000));
        assert_eq!(with(None, share(1, 1)).expect("a share"), Some(190));
        // 190 / 0.3 = 633.3
        assert_eq!(with(None, share(3, 10)).expect("a share"), Some(633));
        assert!(with(Some(100), None).expect_err("too few").to_string().contains("already has 190 rows"));
    }

    #[test]
    fn faults_are_found() {
        let fault = |spec: RiskSpec| spec.check().expect_err("a fault").to_string();
        let spec = RiskSpec::default;
        assert!(spec().check().is_ok() && spec().is_default());
        assert!(fault(RiskSpec { threshold: Some(Rational::whole(2)), ..spec() }).contains("from 0 to 1"));
        for wrong in [share(0, 1), share(11, 10)] {
            assert!(fault(RiskSpec { sampling_fraction: wrong, ..spec() }).contains("above 0 and at most 1"));
        }
        let two = RiskSpec { population_size: Some(9), sampling_fraction: share(1, 2), ..spec() };
        assert!(fault(two).contains("give one of"));
    }
}
