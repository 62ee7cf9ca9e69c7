//! What an attack found: figures and one plain sentence.

use scumble::report::data::{AttackFigure, AttackGain, AttackResult, Learns};
use serde::Serialize;

use super::Attack;
use crate::statistics::Interval;

/// What one attack found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The attack's name, as in `--only`.
    pub attack: &'static str,
    /// The title of the attack.
    pub title: &'static str,
    /// The column whose values the attack guesses, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What the attack tries to learn.
    pub learns: Learns,
    /// How much better the attack guesses with the release than without it, if it guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<AttackGain>,
    /// How much more often it is right with the release, or about people who are in it, as an estimate; where it measures that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advantage: Option<Figure>,
    /// One plain sentence.
    pub sentence: String,
    /// The share of people at risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_risk: Option<Figure>,
    /// The chance that the attack is right about the worst-off person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
    /// All other figures, the most telling first.
    pub figures: Vec<Figure>,
    /// What the figures do not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Why the attack was not run, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
}

impl Finding {
    /// Returns a finding without any figures yet.
    #[must_use]
    pub fn of(attack: &Attack) -> Self {
        Self {
            attack: attack.name,
            title: attack.title,
            column: None,
            learns: attack.learns,
            gain: None,
            advantage: None,
            sentence: String::new(),
            at_risk: None,
            worst: None,
            figures: Vec::new(),
            limits: Vec::new(),
            not_run: None,
        }
    }

    /// Returns the finding of an attack that cannot be run here. The reason is also its sentence.
    #[must_use]
    pub fn not_run(attack: &Attack, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { sentence: why.clone(), not_run: Some(why), ..Self::of(attack) }
    }
}

impl From<&Figure> for AttackFigure {
    fn from(figure: &Figure) -> Self {
        Self {
            name: figure.name.clone(),
            value: figure.value.into(),
            share: figure.share,
            interval: figure.interval,
        }
    }
}

/// The finding as reports show it.
impl From<&Finding> for AttackResult {
    fn from(found: &Finding) -> Self {
        Self {
            attack: found.attack.to_owned(),
            title: found.title.to_owned(),
            column: found.column.clone(),
            learns: found.learns,
            gain: found.gain,
            sentence: found.sentence.clone(),
            at_risk: found.at_risk.as_ref().map(Into::into),
            worst: found.worst,
            figures: found.figures.iter().map(Into::into).collect(),
            limits: found.limits.clone(),
            run: found.not_run.is_none(),
        }
    }
}

/// A number with a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The name.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Whether the number is a share or a chance, from 0 to 1.
    pub share: bool,
    /// The ends of the 95 % interval, if the number was estimated from some people or some draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
}

impl Figure {
    /// A share that was counted.
    #[must_use]
    pub fn counted(name: impl Into<String>, value: f64) -> Self {
        Self { name: name.into(), value, share: true, interval: None }
    }

    /// A number that is no share.
    #[must_use]
    pub fn number(name: impl Into<String>, value: f64) -> Self {
        Self { share: false, ..Self::counted(name, value) }
    }

    /// An estimated number that is no share.
    #[must_use]
    pub fn estimated_number(name: impl Into<String>, found: Interval) -> Self {
        Self { interval: Some((found.low, found.high)), ..Self::number(name, found.estimate) }
    }

    /// An estimated difference of shares, which may be negative.
    #[must_use]
    pub fn difference(name: impl Into<String>, found: Interval) -> Self {
        Self { share: true, ..Self::estimated_number(name, found) }
    }

    /// An estimated share.
    #[must_use]
    pub fn estimated(name: impl Into<String>, found: Interval) -> Self {
        let interval = Some((found.low.max(0.0), found.high.min(1.0)));
        Self { interval, ..Self::counted(name, found.estimate) }
    }
}
