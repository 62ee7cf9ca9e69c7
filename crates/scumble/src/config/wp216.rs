//! `[wp216]`: the figures above which a criterion of Opinion 05/2014 of the Article 29 Working Party is not called met.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rational::Rational;
use crate::error::{Error, Result};

/// Thresholds for the three criteria of Opinion 05/2014. The Opinion names none: they are for the controller to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Wp216Spec {
    /// The highest chance of finding the person worst off, from 0 to 1.
    pub risk: Rational,
    /// The largest share of people whom an attacker links with their own row, from 0 to 1.
    pub linked: Rational,
    /// The highest chance of anybody's sensitive value, from 0 to 1.
    pub posterior: Rational,
    /// The most that the release helps to describe exactly one person, or to guess the values of those who are in it, from 0 to 1.
    pub advantage: Rational,
}

impl Default for Wp216Spec {
    fn default() -> Self {
        let part = |of: u64| Rational::new(1, of).unwrap_or(Rational::ZERO);
        Self { risk: part(5), linked: part(20), posterior: part(2), advantage: part(20) }
    }
}

impl Wp216Spec {
    /// The key that is wrong, and what is wrong with it.
    pub(super) fn fault(&self) -> Option<(&'static str, &'static str)> {
        let all = [
            ("risk", self.risk),
            ("linked", self.linked),
            ("posterior", self.posterior),
            ("advantage", self.advantage),
        ];
        all.into_iter()
            .find(|(_, threshold)| *threshold > Rational::ONE)
            .map(|(key, _)| (key, "the thresholds of [wp216] are chances and shares: numbers from 0 to 1"))
    }

    /// An error if a threshold is none.
    pub fn check(&self) -> Result<()> {
        self.fault().map_or(Ok(()), |(_, message)| Err(Error::config(message)))
    }

    /// The thresholds that are above those of another, with both.
    pub(super) fn above(&self, other: &Self) -> Option<(&'static str, Rational, Rational)> {
        let all = [
            ("risk", self.risk, other.risk),
            ("linked", self.linked, other.linked),
            ("posterior", self.posterior, other.posterior),
            ("advantage", self.advantage, other.advantage),
        ];
        all.into_iter().find(|(_, given, demanded)| given > demanded)
    }
}
