//! What an attack found: figures, and one plain sentence.

use scumble::report::data::{AttackFigure, AttackGain, AttackResult, Learns};
use serde::Serialize;

use super::Attack;
use crate::statistics::Interval;

/// What one attack found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The attack's name, as in `--only`.
    pub attack: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// The column whose values it guesses, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What it tries to learn.
    pub learns: Learns,
    /// How much better it guesses with the release than without it, where it guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<AttackGain>,
    /// One plain sentence.
    pub sentence: String,
    /// The share of people at risk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_risk: Option<Figure>,
    /// The chance with which the attack is right about the worst-off person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<f64>,
    /// Everything else, most telling first.
    pub figures: Vec<Figure>,
    /// What the figures do not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
    /// Why it was not run, if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
}

impl Finding {
    /// Nothing found yet.
    #[must_use]
    pub fn of(attack: &Attack) -> Self {
        Self {
            attack: attack.name,
            title: attack.title,
            column: None,
            learns: attack.learns,
            gain: None,
            sentence: String::new(),
            at_risk: None,
            worst: None,
            figures: Vec::new(),
            limits: Vec::new(),
            not_run: None,
        }
    }

    /// An attack that cannot be run here, with the reason, which is its sentence too.
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

/// As the report tells it.
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
    /// What it is.
    pub name: String,
    /// How much it is.
    pub value: f64,
    /// Whether it is a share or a chance, from 0 to 1.
    pub share: bool,
    /// The ends of its 95 % interval, where it was estimated from some people or some draws.
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

    /// A number that was estimated and is no share.
    #[must_use]
    pub fn estimated_number(name: impl Into<String>, found: Interval) -> Self {
        Self { interval: Some((found.low, found.high)), ..Self::number(name, found.estimate) }
    }

    /// A difference of shares that was estimated, and may be negative.
    #[must_use]
    pub fn difference(name: impl Into<String>, found: Interval) -> Self {
        Self { share: true, ..Self::estimated_number(name, found) }
    }

    /// A share that was estimated.
    #[must_use]
    pub fn estimated(name: impl Into<String>, found: Interval) -> Self {
        let interval = Some((found.low.max(0.0), found.high.min(1.0)));
        Self { interval, ..Self::counted(name, found.estimate) }
    }
}
