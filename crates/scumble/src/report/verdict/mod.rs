//! The verdict: colour, sentence and next steps, from all evidence there is. Every page gets its verdict here.
//!
//! A rule reads one kind of evidence and lists the points that somebody has to decide about. A point that stops makes the
//! verdict red, and any other point makes it amber. The verdict is green only if no rule finds a point. So evidence can never make a
//! verdict better, and a new rule can only make it stricter.

mod attacks;
#[cfg(test)]
mod cases;
mod rules;
mod table;

pub(super) use attacks::by_severity;

use super::data::{AttackResult, Criteria, Report};
use super::words;
use crate::base::format::counted;
use crate::config::Audience;
use crate::risk::Assessment;

/// The most next steps at the top of a page. Readers do not follow more.
const STEPS: usize = 3;

/// The overall answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    /// No rule found a point.
    Green,
    /// Somebody has to decide about something.
    Amber,
    /// Something speaks against publishing.
    Red,
}

impl Colour {
    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Amber => "amber",
            Self::Red => "red",
        }
    }

    /// The CSS class of the banner.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Green => "good",
            Self::Amber => "warn",
            Self::Red => "bad",
        }
    }
}

/// How serious a point is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// The release must not be published unchanged.
    Stop,
    /// Somebody has to decide about it.
    Decide,
}

/// A finding that somebody has to act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Point {
    weight: Weight,
    /// What was found.
    pub(super) says: String,
    /// What to do about it.
    pub(super) step: String,
}

impl Point {
    fn stop(says: impl Into<String>, step: impl Into<String>) -> Self {
        Self { weight: Weight::Stop, says: says.into(), step: step.into() }
    }

    fn decide(says: impl Into<String>, step: impl Into<String>) -> Self {
        Self { weight: Weight::Decide, says: says.into(), step: step.into() }
    }
}

/// A next step, with the finding behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// What to do.
    pub(super) todo: String,
    /// The reason, if it is a point.
    pub(super) because: Option<String>,
}

impl Step {
    fn plain(todo: &str) -> Self {
        Self { todo: todo.to_owned(), because: None }
    }
}

/// The opening of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) colour: Colour,
    pub(super) heading: String,
    pub(super) sentence: String,
    /// At most three.
    pub(super) steps: Vec<Step>,
    /// All points, the most serious first.
    pub(super) points: Vec<Point>,
}

/// The words that differ from page to page.
struct Words {
    /// The heading if no point was found.
    green: String,
    /// The heading before the number of points.
    amber: &'static str,
    /// The heading if a point stops.
    red: &'static str,
    /// What to do if no point was found.
    fine: Vec<Step>,
    /// What to do once the points are decided.
    after: Option<Step>,
}

impl Verdict {
    fn of(mut points: Vec<Point>, sentence: String, words: Words) -> Self {
        points.sort_by_key(|point| point.weight);
        let colour = match points.first().map(|point| point.weight) {
            Some(Weight::Stop) => Colour::Red,
            Some(Weight::Decide) => Colour::Amber,
            None => Colour::Green,
        };
        let heading = match colour {
            Colour::Green => words.green,
            Colour::Amber => {
                format!("{}{} to decide", words.amber, counted(points.len() as u64, "point", "points"))
            }
            Colour::Red => words.red.to_owned(),
        };
        let because = |point: &Point| Some(point.says.clone()).filter(|says| !point.step.contains(says));
        let of_points = points.iter().map(|point| Step { todo: point.step.clone(), because: because(point) });
        let steps = match colour {
            Colour::Green => words.fine,
            Colour::Amber => of_points.chain(words.after).take(STEPS).collect(),
            Colour::Red => of_points.take(STEPS).collect(),
        };
        Self { colour, heading, sentence, steps, points }
    }

    /// The verdict on a release.
    pub(super) fn of_release(report: &Report) -> Self {
        let publish = match &report.next_step {
            Some(step) => step.clone(),
            None => "Publish the release with its datasheet.".to_owned(),
        };
        let mut fine = vec![
            Step { todo: publish, because: None },
            Step::plain("Keep the private files of this run inside your organisation."),
        ];
        if !report.attacks.iter().any(|attack| attack.run) {
            fine.insert(
                0,
                Step::plain(
                    "Simulate attacks on the release: they test what the requirements do not promise.",
                ),
            );
        }
        let words = Words {
            green: "Released and checked".to_owned(),
            amber: "Checked, with ",
            red: "Not ready to publish",
            fine,
            after: Some(Step::plain(
                "Then publish the release with its datasheet, and keep the private files of this run inside your organisation.",
            )),
        };
        Self::of(rules::points(report), words::verdict(report), words)
    }

    /// The verdict on what simulated attacks found.
    pub(super) fn of_attacks(
        found: &[AttackResult],
        criteria: Option<&Criteria>,
        audience: Audience,
    ) -> Self {
        attacks::verdict(found, criteria, audience)
    }

    /// The verdict on the risk in a table.
    pub(super) fn of_table(found: &Assessment) -> Self {
        table::verdict(found)
    }
}
