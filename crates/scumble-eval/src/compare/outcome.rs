//! The result of a comparison.

use scumble::registry::Standing;

use super::frontier::{Spot, non_dominated};
use super::limits::Limits;
use super::risk::Risk;
use crate::statistics::wilson_interval;

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The rows of the table, after those that the plan leaves out.
    pub rows: u64,
    /// The columns that attackers know.
    pub quasi: Vec<String>,
    /// The columns that attackers must not learn.
    pub sensitive: Vec<String>,
    /// The column that models predict.
    pub class: Option<String>,
    /// The column that tells households apart.
    pub household: Option<String>,
    /// The columns that were left out.
    pub left_out: Vec<String>,
    /// The models that every release keeps besides its k, in words.
    pub models: Vec<String>,
    /// The values of k.
    pub ks: Vec<u64>,
    /// The least k that keeps every model of the plan, if the plan sets one.
    pub least_k: Option<u64>,
    /// The machine-learning models, by name.
    pub learners: Vec<String>,
    /// The number of parts of the rows that were scored, and the number of all parts.
    pub parts: (usize, usize),
    /// What models get right without any release.
    pub baselines: Option<Baselines>,
    /// The releases, in the order of algorithms and k.
    pub candidates: Vec<Candidate>,
    /// What failed, and why.
    pub unserved: Vec<Unserved>,
    /// The limits on a release that may be recommended.
    pub limits: Limits,
    /// Notes about the table.
    pub notes: Vec<String>,
}

/// One release of the whole table.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The algorithm.
    pub algorithm: String,
    /// Whether the algorithm is recommended, classic or experimental.
    pub standing: Standing,
    /// The k that was asked for.
    pub k: u64,
    /// Whether the plan's models ask for a greater k, so that the release is shown but must not be taken.
    pub below_plan: bool,
    /// What attackers achieve.
    pub risk: Risk,
    /// The mean loss (LM), from 0 to 1.
    pub loss: f64,
    /// Further figures, by the names of the registry's metrics.
    pub metrics: Vec<(&'static str, f64)>,
    /// The number of suppressed rows.
    pub suppressed: u64,
    /// The smallest number of people who look the same, if rows form equivalence classes.
    pub attained_k: Option<u64>,
    /// What models get right that learnt from releases of training parts.
    pub accuracy: Option<Accuracy>,
    /// The warnings that `anonymize` would give.
    pub warnings: Vec<String>,
    /// How long the release took. This differs from run to run.
    pub seconds: f64,
}

/// What models get right.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy {
    /// The mean over machine-learning models and scored parts.
    pub mean: f64,
    /// The mean of each machine-learning model, in their order.
    pub by_learner: Vec<f64>,
}

/// What models get right without any release.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// Models that learnt from original rows.
    pub original: Accuracy,
    /// Always guessing the most frequent class of the training part.
    pub majority: f64,
    /// The number of rows that were scored in all.
    pub scored: u64,
}

/// What failed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unserved {
    /// The algorithm.
    pub algorithm: String,
    /// The values of k that failed.
    pub ks: Vec<u64>,
    /// Whether there is a release whose accuracy alone could not be measured.
    pub released: bool,
    /// Why.
    pub reason: String,
}

/// What measures the utility of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// What models get right.
    Accuracy,
    /// The detail that is left: 1 less the mean loss.
    Detail,
}

impl Comparison {
    /// Returns how releases are measured: by models if there is a class column, else by the loss.
    #[must_use]
    pub fn utility(&self) -> Utility {
        if self.baselines.is_some() { Utility::Accuracy } else { Utility::Detail }
    }

    /// Returns where a release lies on the chart; `None` if its utility could not be measured.
    #[must_use]
    pub fn spot(&self, candidate: &Candidate, by: Utility) -> Option<Spot> {
        let utility = match by {
            Utility::Accuracy => candidate.accuracy.as_ref()?.mean,
            Utility::Detail => 1.0 - candidate.loss,
        };
        Some(Spot { risk: candidate.risk.worst(), utility })
    }

    /// Says for each release whether no other, measured by the same utility, has less risk and more utility.
    #[must_use]
    pub fn on_frontier(&self, by: Utility) -> Vec<bool> {
        self.mark(|candidate| self.spot(candidate, by).map(Spot::goods))
    }

    /// Says for each release whether no other is at least as good in everything and better in something: risk, certainty, accuracy, detail.
    /// If an algorithm makes the same release for several k, the greatest k stands for all of them.
    #[must_use]
    pub fn not_beaten(&self) -> Vec<bool> {
        let mut marks = self.mark(|candidate| self.goods(candidate));
        let same = |a: &Candidate, b: &Candidate| {
            a.algorithm == b.algorithm && a.k < b.k && self.goods(a) == self.goods(b)
        };
        for (mark, own) in marks.iter_mut().zip(&self.candidates) {
            *mark &= !self.candidates.iter().any(|other| same(own, other));
            // A release that could not be measured is not called beaten.
            *mark |= self.goods(own).is_none();
        }
        marks
    }

    /// Returns the figures of a release, more being better; `None` if its accuracy could not be measured.
    pub(super) fn goods(&self, candidate: &Candidate) -> Option<[f64; 4]> {
        let accuracy = self.accuracy_of(candidate)?;
        Some([-candidate.risk.worst(), -candidate.risk.certain(), accuracy, 1.0 - candidate.loss])
    }

    /// Returns the accuracy, or 0 if there is no class column; `None` if the accuracy could not be measured.
    pub(super) fn accuracy_of(&self, candidate: &Candidate) -> Option<f64> {
        match self.utility() {
            Utility::Accuracy => Some(candidate.accuracy.as_ref()?.mean),
            Utility::Detail => Some(0.0),
        }
    }

    /// Marks the releases that no other dominates, among those that can be compared.
    fn mark<const N: usize>(&self, goods: impl Fn(&Candidate) -> Option<[f64; N]>) -> Vec<bool> {
        let all: Vec<Option<[f64; N]>> = self.candidates.iter().map(goods).collect();
        let known: Vec<[f64; N]> = all.iter().copied().flatten().collect();
        let mut marks = non_dominated(&known).into_iter();
        all.iter().map(|goods| goods.is_some() && marks.next().unwrap_or(false)).collect()
    }

    /// Returns the places of the releases, the least risky first, among ties the most useful.
    #[must_use]
    pub fn by_risk(&self) -> Vec<usize> {
        let key = |place: &usize| {
            let candidate = &self.candidates[*place];
            let utility = self.spot(candidate, self.utility()).map_or(0.0, |spot| spot.utility);
            (candidate.risk.worst(), utility)
        };
        let mut places: Vec<usize> = (0..self.candidates.len()).collect();
        places.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1))
        });
        places
    }

    /// Returns the half width of the 95 % interval of an accuracy as high as the best: smaller differences mean nothing. 0 for the loss,
    /// which is no estimate.
    #[must_use]
    pub fn margin(&self, best: f64) -> f64 {
        let Some(baselines) = &self.baselines else { return 0.0 };
        let right = (best * baselines.scored as f64).round() as u64;
        let interval = wilson_interval(right.min(baselines.scored), baselines.scored);
        interval.map_or(0.0, |found| (found.high - found.low) / 2.0)
    }
}
