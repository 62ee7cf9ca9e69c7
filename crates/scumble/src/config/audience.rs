//! Who will read a release, and how much risk each of its people may be left with for that.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rational::Rational;

/// Who will read a release. The wider the circle, the less risk a person may be left with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Anybody: nobody may be found with a chance above 0.09.
    #[default]
    Public,
    /// Researchers under an agreement: nobody may be found with a chance above 0.2.
    Researchers,
    /// Colleagues in the same organisation: nobody may be found with a chance above 1/3.
    Inside,
}

impl Audience {
    /// All of them, the widest first.
    pub const ALL: [Self; 3] = [Self::Public, Self::Researchers, Self::Inside];

    /// The greatest chance with which the person worst off may be found.
    #[must_use]
    pub fn limit(self) -> Rational {
        let (part, whole) = match self {
            Self::Public => (9, 100),
            Self::Researchers => (1, 5),
            Self::Inside => (1, 3),
        };
        Rational::new(part, whole).unwrap_or(Rational::ZERO)
    }

    /// The least k that keeps the limit, since a person in a group of k is found with a chance of 1/k.
    #[must_use]
    pub fn least_k(self) -> u64 {
        let limit = self.limit();
        limit.denominator().div_ceil(limit.numerator())
    }

    /// The audience as a plan writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Researchers => "researchers",
            Self::Inside => "inside",
        }
    }

    /// Whether this is the audience where none is named.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_circle_needs_larger_groups() {
        assert_eq!(Audience::ALL.map(Audience::least_k), [12, 5, 3]);
        for audience in Audience::ALL {
            let (k, limit) = (audience.least_k(), audience.limit());
            let risk = |k| Rational::new(1, k).expect("a chance");
            assert!(risk(k) <= limit && risk(k - 1) > limit, "{}", audience.name());
        }
    }
}
