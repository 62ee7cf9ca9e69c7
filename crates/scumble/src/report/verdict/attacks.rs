//! The evidence of simulated attacks against publishing.

use super::rules::protect;
use super::{Point, Step, Verdict, Words};
use crate::base::format::percent;
use crate::config::Audience;
use crate::report::data::{AttackFigure, AttackGain, AttackResult, Criteria, Learns};
use crate::report::words;

/// The verdict on attacks alone, for a page of their own.
pub(super) fn verdict(found: &[AttackResult], criteria: Option<&Criteria>, audience: Audience) -> Verdict {
    let run: Vec<&AttackResult> = found.iter().filter(|found| found.run).collect();
    let sentence = match (by_severity(found).first(), run.len()) {
        (Some(worst), 1..) => worst.sentence.clone(),
        _ => "No attack could be run.".to_owned(),
    };
    let mut points = points(found, audience);
    if run.is_empty() {
        points.push(Point::decide("No attack could be run.", "Look below for what each attack needs."));
    }
    points.extend(of_criteria(criteria));
    let words = Words {
        green: format!("No simulated attack exceeds the limit for {}", words::readers(audience)),
        amber: "Attackers still learn something: ",
        red: "People can be singled out",
        fine: vec![Step::plain(
            "Read what each attacker is assumed to know: somebody who knows more may do better.",
        )],
        after: None,
    };
    Verdict::of(points, sentence, words)
}

/// The point that criteria give rise to which are not met, or were not measured.
pub(super) fn of_criteria(criteria: Option<&Criteria>) -> impl Iterator<Item = Point> {
    let found = criteria.map(Criteria::findings).unwrap_or_default();
    found.into_iter().map(|(says, step)| Point::decide(says, step))
}

/// The points that attacks give rise to.
pub(super) fn points(found: &[AttackResult], audience: Audience) -> Vec<Point> {
    by_severity(found).into_iter().filter_map(|found| point(found, audience)).collect()
}

/// The point that an attack gives rise to, if it was run and found enough.
pub(super) fn point(found: &AttackResult, audience: Audience) -> Option<Point> {
    if !found.run {
        return None;
    }
    let limit = audience.limit().to_f64();
    let of_rows = found.learns == Learns::Row;
    let at_risk = found.at_risk.as_ref().filter(|figure| figure.share);
    let share = at_risk.and_then(|figure| figure.value.finite()).unwrap_or(0.0);
    let why = match (found.gain, at_risk) {
        (Some(gain), _) if gain.gained() > limit => Some(gain_words(gain, limit)),
        // The sentence says so itself.
        _ if found.is_certain() => None,
        _ if of_rows && share > limit => {
            Some(format!("That is {} of the people; the limit is {}.", percent(share), percent(limit)))
        }
        (_, Some(figure)) if of_rows && upper_end(figure) > limit => Some(format!(
            "The estimate is {} of the people, but it may be as high as {}; the limit is {}.",
            percent(share),
            percent(upper_end(figure)),
            percent(limit)
        )),
        _ => return None,
    };
    let why = why.map_or_else(String::new, |why| format!(" {why}"));
    let says = format!("{}: {}{why}", found.title, found.sentence);
    let step = match (found.learns, &found.column) {
        (Learns::Row, _) => "Ask for larger groups, or coarsen the columns that single people out.".to_owned(),
        (Learns::Value, column) => protect(column.as_deref().unwrap_or("the sensitive columns")),
        (Learns::Presence, _) => {
            "Decide whether being in this table is a secret by itself. If it is, publish only a sample of the rows, or coarsen the columns more."
                .to_owned()
        }
        (Learns::Detail, _) => "Ask for a larger k than you need, or accept that readers can narrow some values down.".to_owned(),
    };
    Some(if of_rows && share > limit && audience == Audience::Public {
        Point::stop(says, format!("Do not publish this file. {step}"))
    } else {
        Point::decide(says, step)
    })
}

/// Compares the gain with its limit. The sentence of the attack has the two shares that it is the difference of.
fn gain_words(gain: AttackGain, limit: f64) -> String {
    format!("The gain is {} percentage points; the limit is {}.", as_points(gain.gained()), as_points(limit))
}

/// A difference of two shares in percentage points, without a unit.
pub(in crate::report) fn as_points(difference: f64) -> String {
    percent(difference).trim_end_matches(['%', '\u{a0}']).to_owned()
}

fn upper_end(figure: &AttackFigure) -> f64 {
    figure.interval.map(|(_, high)| high).or(figure.value.finite()).unwrap_or(0.0)
}

/// Attacks that were run, the most severe first.
pub(in crate::report) fn by_severity(found: &[AttackResult]) -> Vec<&AttackResult> {
    let mut run: Vec<&AttackResult> = found.iter().filter(|found| found.run).collect();
    run.sort_by(|a, b| b.severity().total_cmp(&a.severity()));
    run
}

impl AttackResult {
    /// Whether the attack is certain about somebody.
    pub(in crate::report) fn is_certain(&self) -> bool {
        let some =
            self.at_risk.as_ref().and_then(|figure| figure.value.finite()).is_some_and(|share| share > 0.0);
        some && self.worst.is_some_and(|worst| worst >= 1.0)
    }

    /// The severity from 0 to 1: the greater of the share of people at risk and of what is gained.
    pub(in crate::report) fn severity(&self) -> f64 {
        self.share_at_risk().max(self.gained()).clamp(0.0, 1.0)
    }

    /// The share of people at risk, if it is a share.
    pub(in crate::report) fn share_at_risk(&self) -> f64 {
        let share = self.at_risk.as_ref().filter(|figure| figure.share);
        share.and_then(|figure| figure.value.finite()).unwrap_or(0.0)
    }

    /// How much larger the share of right guesses is with the release than without it; 0 if the attack does not guess.
    pub(in crate::report) fn gained(&self) -> f64 {
        self.gain.map_or(0.0, AttackGain::gained)
    }
}

impl AttackGain {
    /// How much larger the share of right guesses is with the release than without it.
    pub(in crate::report) fn gained(self) -> f64 {
        (self.right - self.without).max(0.0)
    }
}
