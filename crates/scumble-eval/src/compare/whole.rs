//! Makes releases of the whole table in memory, attacks them, and searches for the least k that keeps the limits.

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::{self, Standing};
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble::release::{Trial, TrialOutcome, try_release};
use scumble::{ErrorKind, Result};

use super::least_k::{Attempt, Range};
use super::outcome::Candidate;
use super::request::{Request, about};
use super::risk::{Risk, attained_k, risk_of};
use super::steps::Steps;
use crate::abreast::abreast;

/// The metrics that are reported besides the loss: cheap ones that people know.
const METRICS: [&str; 3] = ["c_avg", "discernibility_normalised", "classification"];

/// One release that was tried.
pub(super) struct Tried {
    pub(super) algorithm: String,
    pub(super) k: u64,
    /// The figures of the release, or why there are none.
    pub(super) made: std::result::Result<Candidate, String>,
}

/// Makes and attacks releases of the whole table.
pub(super) struct Whole<'a> {
    pub(super) request: &'a Request,
    pub(super) plan: &'a Plan,
    pub(super) table: &'a SpeltTable,
    pub(super) resources: &'a Resources,
    pub(super) progress: &'a Progress,
    pub(super) least_k: Option<u64>,
}

impl Whole<'_> {
    /// Tries these algorithms and k, side by side.
    pub(super) fn try_all(
        &self,
        asked: &[(&str, u64)],
        steps: &Steps<'_>,
        tried: &mut Vec<Tried>,
    ) -> Result<()> {
        let one = |(name, k): &(&str, u64)| {
            let tried = self.try_one(name, *k)?;
            steps.add(1);
            Ok(tried)
        };
        tried.extend(abreast(asked, self.progress.control(), one)?);
        Ok(())
    }

    fn try_one(&self, name: &str, k: u64) -> Result<Tried> {
        self.progress.check()?;
        let request = self.request;
        let plan = request.release_plan(self.plan, name, k)?;
        let trial = try_release(&plan, self.table, self.resources, self.progress.clone());
        let made = listed(trial.and_then(|trial| {
            let risk = risk_of(&trial, self.table, &plan, self.resources, request.seed)?;
            let below_plan = self.least_k.is_some_and(|least| k < least);
            let mut found = Candidate { below_plan, ..candidate(trial, name, k, risk) };
            if !request.plan.accept_attribute_disclosure {
                found.warnings.iter_mut().for_each(as_not_accepted);
            }
            Ok(found)
        }))?;
        Ok(Tried { algorithm: name.to_owned(), k, made })
    }

    /// Searches, for each algorithm that may be recommended, the least k that keeps the limits. Of the releases tried on the way only that
    /// one is kept. Every release that is kept adds `further` steps.
    pub(super) fn search(
        &self,
        names: &[String],
        range: Range,
        (steps, further): (&Steps<'_>, usize),
        tried: &mut Vec<Tried>,
    ) -> Result<()> {
        let ladder = tried.len();
        loop {
            let best = self.best_loss(tried);
            // An algorithm that fails for a k beyond the ladder is not tried further.
            let goes_on =
                |name: &&String| !tried[ladder..].iter().any(|of| of.algorithm == **name && of.made.is_err());
            let next = |name: &String| range.next(&self.attempts(tried, name), best);
            let asked: Vec<(&str, u64)> =
                names.iter().filter(goes_on).filter_map(|name| Some((name.as_str(), next(name)?))).collect();
            if asked.is_empty() {
                break;
            }
            steps.expect(asked.len());
            self.try_all(&asked, steps, tried)?;
        }
        let mut found = tried.split_off(ladder);
        for name in names {
            let kept = found.iter().enumerate().filter(|(_, of)| of.algorithm == *name && self.keeps(of));
            if let Some((place, _)) = kept.min_by_key(|(_, of)| of.k) {
                steps.expect(further);
                tried.push(found.swap_remove(place));
            }
        }
        let place = |of: &Tried| names.iter().position(|name| *name == of.algorithm);
        tried.sort_by_key(|of| (place(of), of.k));
        Ok(())
    }

    fn keeps(&self, tried: &Tried) -> bool {
        tried.made.as_ref().is_ok_and(|made| !made.below_plan && self.request.limits.kept_by(&made.risk))
    }

    /// Returns the least loss of the releases that keep the limits and may be recommended.
    fn best_loss(&self, tried: &[Tried]) -> Option<f64> {
        let kept = tried.iter().filter(|of| self.keeps(of)).filter_map(|of| of.made.as_ref().ok());
        let losses = kept.filter(|made| made.standing != Standing::Experimental).map(|made| made.loss);
        losses.min_by(f64::total_cmp)
    }

    /// Returns the attempts of an algorithm so far, or none if it may not be recommended.
    fn attempts(&self, tried: &[Tried], name: &str) -> Vec<Attempt> {
        let own = || tried.iter().filter(|of| of.algorithm == name);
        let served = || own().filter_map(|of| Some((of, of.made.as_ref().ok()?)));
        if served().any(|(_, made)| made.standing == Standing::Experimental) {
            return Vec::new();
        }
        let attempt =
            |(of, made): (&Tried, &Candidate)| Attempt { k: of.k, kept: self.keeps(of), loss: made.loss };
        served().map(attempt).collect()
    }
}

/// Rewords the warning: disclosure is measured here, whether or not the plan accepts it, but `anonymize` asks first.
fn as_not_accepted(warning: &mut String) {
    if warning == scumble::release::DISCLOSURE_ACCEPTED {
        "a sensitive column is not protected by a model, so anonymize refuses this plan until you add one or accept the disclosure \
         (accept_attribute_disclosure)"
            .clone_into(warning);
    }
}

/// Collects the figures of a release.
fn candidate(trial: Trial, name: &str, k: u64, risk: Risk) -> Candidate {
    let attained_k = attained_k(&trial);
    let standing = registry::method(name).map_or(Standing::Experimental, |method| about(&method).1);
    let Trial { problem, outcome, loss, suppressed, seconds, warnings, .. } = trial;
    let mut metrics = Vec::new();
    if let TrialOutcome::Classes { classes, .. } = outcome {
        let wanted = registry::METRICS.iter().filter(|entry| METRICS.contains(&entry.name));
        metrics
            .extend(wanted.filter_map(|entry| Some((entry.name, entry.build.measure(&classes, &problem)?))));
    }
    let algorithm = name.to_owned();
    Candidate {
        algorithm,
        standing,
        k,
        below_plan: false,
        risk,
        loss,
        metrics,
        suppressed,
        attained_k,
        accuracy: None,
        warnings,
        seconds,
    }
}

/// Turns an error that concerns one algorithm into its message. Other errors stop everything.
pub(super) fn listed<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match error.kind() {
            ErrorKind::Config
            | ErrorKind::Data
            | ErrorKind::Refused
            | ErrorKind::Infeasible
            | ErrorKind::OutOfBudget
            | ErrorKind::Audit
            | ErrorKind::Resources => Ok(Err(error.to_string())),
            _ => Err(error),
        },
    }
}
