//! Which release to take.
//!
//! The rule: of the releases that keep the limits, take those on which models do as well as on the best of them, as far as can be measured,
//! and of those the one that keeps most detail. The limits concern the person worst off and what can be inferred. Experimental algorithms
//! are not recommended, since their protection is weaker than a figure shows. A release below the plan's models is not even a next step:
//! the plan says what must hold.

use scumble::registry::Standing;

use super::outcome::{Candidate, Comparison};

/// The release to take, and the next steps from there, all by their place among the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// The release to take.
    pub chosen: usize,
    /// Whether it keeps the limits. If not, it is the least risky of all.
    pub within: bool,
    /// How many releases keep the limits.
    pub eligible: usize,
    /// The release that the same rule takes at half the risk of the chosen one.
    pub safer: Option<usize>,
    /// The least risky of those that are more useful: models measurably get more right, or as much right with more detail.
    pub more_useful: Option<usize>,
}

/// The figures of one release that decide.
#[derive(Debug, Clone, Copy)]
struct Figures {
    place: usize,
    k: u64,
    risk: f64,
    /// Whether no more people's values are certain than the limit allows.
    certainty_kept: bool,
    /// The average chance that a person is found.
    average: f64,
    accuracy: f64,
    loss: f64,
}

impl Figures {
    fn shows_something(&self) -> bool {
        self.loss < 1.0
    }
}

impl Advice {
    /// The release that is recommended, if any may be.
    #[must_use]
    pub fn recommended(&self) -> Option<usize> {
        self.within.then_some(self.chosen)
    }

    /// Decides which release to take; `None` if no release that keeps the plan's models could be measured.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Option<Self> {
        let limits = &comparison.limits;
        let figures = |(place, candidate): (usize, &Candidate)| {
            if candidate.below_plan {
                return None;
            }
            let figures = Figures {
                place,
                k: candidate.k,
                risk: candidate.risk.worst(),
                certainty_kept: limits.certainty_kept_by(&candidate.risk),
                average: candidate.risk.identity,
                accuracy: comparison.accuracy_of(candidate)?,
                loss: candidate.loss,
            };
            Some((candidate.standing, figures))
        };
        let mut known: Vec<(Standing, Figures)> =
            comparison.candidates.iter().enumerate().filter_map(figures).collect();
        if known.iter().any(|(standing, _)| *standing != Standing::Experimental) {
            known.retain(|(standing, _)| *standing != Standing::Experimental);
        }
        let mut known: Vec<Figures> = known.into_iter().map(|(_, figures)| figures).collect();
        // A release that shows nothing has no risk and no use.
        if known.iter().any(Figures::shows_something) {
            known.retain(Figures::shows_something);
        }
        let kept = |figures: &&Figures| figures.certainty_kept && figures.risk <= limits.risk;
        let eligible = known.iter().filter(kept).count();
        let within = best_within(comparison, &known, limits.risk);
        let chosen = within.or_else(|| least_risky(known.iter()))?;
        let margin = comparison.margin(chosen.accuracy);
        let more_useful = |figures: &&Figures| {
            figures.accuracy > chosen.accuracy + margin
                || (figures.accuracy >= chosen.accuracy - margin && figures.loss < chosen.loss)
        };
        let half = best_within(comparison, &known, chosen.risk / 2.0);
        Some(Self {
            chosen: chosen.place,
            within: within.is_some(),
            eligible,
            safer: half.map(|figures| figures.place),
            more_useful: least_risky(known.iter().filter(more_useful)).map(|figures| figures.place),
        })
    }
}

/// Applies the rule: of the releases with at most that risk, those on which models do as well as on the best, and of those the one with the
/// least loss. Among equals the least risky counts, then the most right, the greatest k, the first.
fn best_within(comparison: &Comparison, known: &[Figures], risk: f64) -> Option<Figures> {
    let eligible = || known.iter().filter(move |figures| figures.certainty_kept && figures.risk <= risk);
    let best = eligible().map(|figures| figures.accuracy).fold(0.0, f64::max);
    let enough = best - comparison.margin(best);
    let better = |a: &&Figures, b: &&Figures| a.loss.total_cmp(&b.loss).then(by_risk(a, b));
    eligible().filter(|figures| figures.accuracy >= enough).min_by(better).copied()
}

/// The least risky release; among ties the most right, then the one with the least loss, the greatest k, the first.
fn least_risky<'a>(figures: impl Iterator<Item = &'a Figures>) -> Option<Figures> {
    figures.min_by(|a, b| by_risk(a, b)).copied()
}

/// Releases in which too many people's values are certain come last. The average decides between releases whose person worst off is equally
/// well hidden.
fn by_risk(a: &Figures, b: &Figures) -> std::cmp::Ordering {
    b.certainty_kept
        .cmp(&a.certainty_kept)
        .then(a.risk.total_cmp(&b.risk))
        .then(a.average.total_cmp(&b.average))
        .then(b.accuracy.total_cmp(&a.accuracy))
        .then(a.loss.total_cmp(&b.loss))
        .then(b.k.cmp(&a.k))
        .then(a.place.cmp(&b.place))
}

#[cfg(test)]
#[path = "advice_tests.rs"]
mod tests;
