//! Tries every release, attacks it, and lets learners learn from it.

use std::sync::Mutex;

use rayon::prelude::*;
use scumble::config::{Plan, Role};
use scumble::problem::Progress;
use scumble::published::Published;
use scumble::registry::{self, Standing};
use scumble::release::{Outcome, Trial, read_planned, try_release};
use scumble::{Error, Result};
use scumble_files::table::CodedTable;
use scumble_learn::Settings;

use super::frontier::{Spot, non_dominated};
use super::request::{Request, about, default_algorithms, spread};
use super::risk::{Risk, attained_k, risk_of};
use crate::protocol::{Dataset, Fold, Material, Split, baseline, learning, released, stratified_folds};
use crate::statistics::{Interval, wilson_interval};

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The rows of the table, after those that the plan leaves out.
    pub rows: u64,
    /// The columns that attackers know.
    pub quasi: Vec<String>,
    /// The columns that they must not learn.
    pub sensitive: Vec<String>,
    /// The column that learners predict.
    pub class: Option<String>,
    /// The columns that were left out.
    pub left_out: Vec<String>,
    /// What every release keeps besides its k, in words.
    pub models: Vec<String>,
    /// The values of k.
    pub ks: Vec<u64>,
    /// The learners, by name.
    pub learners: Vec<String>,
    /// How many of how many parts of the rows were scored.
    pub parts: (usize, usize),
    /// What learners get right without any release.
    pub baselines: Option<Baselines>,
    /// The releases, in the order of algorithms and k.
    pub candidates: Vec<Candidate>,
    /// What could not be done, and why.
    pub unserved: Vec<Unserved>,
    /// The risk that a release may have to be recommended.
    pub max_risk: f64,
    /// What is worth knowing about the table.
    pub notes: Vec<String>,
}

/// One release of the whole table.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The algorithm.
    pub algorithm: String,
    /// How far it is to be trusted.
    pub standing: Standing,
    /// The k that was asked for.
    pub k: u64,
    /// What attackers attain.
    pub risk: Risk,
    /// The mean loss (LM), from 0 to 1.
    pub loss: f64,
    /// Further figures, by the names of the registry's metrics.
    pub metrics: Vec<(&'static str, f64)>,
    /// How many rows are suppressed.
    pub suppressed: u64,
    /// The smallest number of people who show the same, where rows form classes.
    pub attained_k: Option<u64>,
    /// What learners get right that learnt from releases of training parts.
    pub accuracy: Option<Accuracy>,
    /// How long the release took. No two runs share it.
    pub seconds: f64,
}

/// What learners get right.
#[derive(Debug, Clone, PartialEq)]
pub struct Accuracy {
    /// The mean over learners and scored parts.
    pub mean: f64,
    /// Each learner's, in the order of the learners.
    pub by_learner: Vec<f64>,
}

/// What learners get right without any release.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// Learners that learnt from original rows.
    pub original: Accuracy,
    /// The most frequent class of the training part.
    pub majority: f64,
    /// How many rows were scored in all.
    pub scored: u64,
}

/// What could not be done, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unserved {
    /// The algorithm.
    pub algorithm: String,
    /// For which k.
    pub ks: Vec<u64>,
    /// Whether there is a release, and only its accuracy could not be measured.
    pub released: bool,
    /// Why.
    pub reason: String,
}

/// What a release is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// What learners get right.
    Accuracy,
    /// What is left of the detail: 1 less the mean loss.
    Detail,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Steps done: releases of the whole table and of training parts.
    pub done: usize,
    /// All steps.
    pub all: usize,
}

/// The metrics that are told besides the loss: cheap ones that people know.
const METRICS: [&str; 3] = ["c_avg", "discernibility_normalised", "classification"];

impl Comparison {
    /// What releases are judged by: learners where there is a class, else the loss.
    #[must_use]
    pub fn utility(&self) -> Utility {
        if self.baselines.is_some() { Utility::Accuracy } else { Utility::Detail }
    }

    /// Where a release lies; `None` where its utility could not be measured.
    #[must_use]
    pub fn spot(&self, candidate: &Candidate, by: Utility) -> Option<Spot> {
        let utility = match by {
            Utility::Accuracy => candidate.accuracy.as_ref()?.mean,
            Utility::Detail => 1.0 - candidate.loss,
        };
        Some(Spot { risk: candidate.risk.worst(), utility })
    }

    /// For each release whether no other that is judged by the same utility has less risk and more of it.
    #[must_use]
    pub fn on_frontier(&self, by: Utility) -> Vec<bool> {
        self.mark(|candidate| self.spot(candidate, by).map(Spot::goods))
    }

    /// For each release whether no other beats it in everything: risk, what learners get right, and detail. Where an algorithm makes
    /// the same release for several k, the greatest stands for all of them.
    #[must_use]
    pub fn not_beaten(&self) -> Vec<bool> {
        let mut marks = self.mark(|candidate| self.goods(candidate));
        let same = |a: &Candidate, b: &Candidate| {
            a.algorithm == b.algorithm && a.k < b.k && self.goods(a) == self.goods(b)
        };
        for (mark, own) in marks.iter_mut().zip(&self.candidates) {
            *mark &= !self.candidates.iter().any(|other| same(own, other));
        }
        marks
    }

    /// What is good about a release; `None` where learners could not be asked.
    pub(super) fn goods(&self, candidate: &Candidate) -> Option<[f64; 3]> {
        let accuracy = match self.utility() {
            Utility::Accuracy => candidate.accuracy.as_ref()?.mean,
            Utility::Detail => 0.0,
        };
        Some([-candidate.risk.worst(), accuracy, 1.0 - candidate.loss])
    }

    /// Marks what is not dominated among what can be compared.
    fn mark<const N: usize>(&self, goods: impl Fn(&Candidate) -> Option<[f64; N]>) -> Vec<bool> {
        let all: Vec<Option<[f64; N]>> = self.candidates.iter().map(goods).collect();
        let known: Vec<[f64; N]> = all.iter().copied().flatten().collect();
        let mut marks = non_dominated(&known).into_iter();
        all.iter().map(|goods| goods.is_some() && marks.next().unwrap_or(false)).collect()
    }

    /// The places of the releases, the least risky first, among equals the most useful.
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

    /// The half width of the 95 % interval of an accuracy as high as the best: smaller differences mean nothing here. 0 for the
    /// loss, which is no estimate.
    #[must_use]
    pub fn margin(&self, best: f64) -> f64 {
        let Some(baselines) = &self.baselines else { return 0.0 };
        let right = (best * baselines.scored as f64).round() as u64;
        let interval: Option<Interval> = wilson_interval(right.min(baselines.scored), baselines.scored);
        interval.map_or(0.0, |found| (found.high - found.low) / 2.0)
    }
}

/// What happened to one release.
type Tried = std::result::Result<Candidate, String>;

/// Tries everything. An algorithm that cannot serve the table is told with its reason; it is an error only if none can.
pub fn compare(request: &Request, progress: &Progress, tell: &(dyn Fn(Told) + Sync)) -> Result<Comparison> {
    request.check()?;
    let has_class = request.plan.names_with(Role::Class).next().is_some();
    let data =
        has_class.then(|| Dataset::read("the table", &request.plan, &request.folder, None)).transpose()?;
    let read;
    let (plan, table, notes): (&Plan, &CodedTable, &[String]) = match &data {
        Some(data) => (&data.plan, &data.table, &data.notes),
        None => {
            read = read_planned(&request.plan, &request.folder, 0)?;
            (&read.0, &read.1, &read.2)
        }
    };
    let names = match &request.algorithms[..] {
        [] => default_algorithms(plan),
        named => named
            .iter()
            .map(|name| Ok(about(&registry::method(name)?).0.to_owned()))
            .collect::<Result<_>>()?,
    };
    let ks = if request.ks.is_empty() { spread(plan, table.rows as u64) } else { request.ks.clone() };
    let asked: Vec<(&String, u64)> =
        names.iter().flat_map(|name| ks.iter().map(move |k| (name, *k))).collect();
    let folds = data.as_ref().map_or_else(|| Ok(Vec::new()), |data| folds(request, data))?;
    let steps = Steps { done: Mutex::new(0), all: (asked.len() + 1) * folds.len() + asked.len(), tell };
    steps.add(0);

    let sensitive: Vec<String> = plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    let whole = |(name, k): &(&String, u64)| {
        progress.check()?;
        let plan = request.release_plan(plan, name, *k)?;
        let trial = try_release(&plan, table, &request.folder, progress.clone());
        let tried = listed(trial.and_then(|trial| {
            let risk = risk_of(&trial, table, &plan, &request.folder, request.seed)?;
            Ok(candidate(trial, name, *k, risk))
        }))?;
        steps.add(1);
        Ok(tried)
    };
    let tried: Vec<Tried> = asked.par_iter().with_max_len(1).map(whole).collect::<Result<_>>()?;
    let mut unserved = Vec::new();
    let mut candidates = Vec::new();
    for ((name, k), tried) in asked.iter().zip(tried) {
        match tried {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => {
                steps.add(folds.len());
                note(&mut unserved, name, *k, false, reason);
            }
        }
    }
    if candidates.is_empty() {
        return Err(nothing_served(&unserved));
    }

    let scores = Scores { request, plan, folds: &folds, progress, steps: &steps };
    let baselines = data.as_ref().map(|_| scores.baselines()).transpose()?;
    if baselines.is_some() {
        let found = scores.of_candidates(&candidates)?;
        for (candidate, found) in candidates.iter_mut().zip(found) {
            match found {
                Ok(accuracy) => candidate.accuracy = Some(accuracy),
                Err(reason) => note(&mut unserved, &candidate.algorithm, candidate.k, true, reason),
            }
        }
    }
    let k_free = |spec: &&scumble::config::ModelSpec| spec.model != "k_anonymity";
    Ok(Comparison {
        rows: table.rows as u64,
        quasi: plan.names_with(Role::Quasi).map(str::to_owned).collect(),
        sensitive,
        class: data.as_ref().map(|data| data.class.clone()),
        left_out: plan.names_with(Role::Drop).map(str::to_owned).collect(),
        models: plan.privacy.iter().filter(k_free).map(model_in_words).collect(),
        ks,
        learners: request.learners.clone(),
        parts: (folds.len(), request.parts().0),
        baselines,
        candidates,
        unserved,
        max_risk: request.max_risk,
        notes: notes.to_vec(),
    })
}

/// Counts what is done.
struct Steps<'a> {
    done: Mutex<usize>,
    all: usize,
    tell: &'a (dyn Fn(Told) + Sync),
}

impl Steps<'_> {
    fn add(&self, more: usize) {
        if let Ok(mut done) = self.done.lock() {
            *done += more;
            (self.tell)(Told { done: *done, all: self.all });
        }
    }
}

/// The splits whose test parts are scored.
fn folds<'a>(request: &Request, data: &'a Dataset) -> Result<Vec<Fold<'a>>> {
    let (parts, scored) = request.parts();
    let splits: Vec<Split> = stratified_folds(&data.classes_of(&data.table)?, parts, request.seed);
    if splits.iter().any(|split| split.test.is_empty() || split.train.is_empty()) {
        return Err(Error::data(
            "the table has too few rows for so many folds: some would have no row; use fewer (--folds)",
        ));
    }
    let numbered = (0..).zip(&splits).take(scored);
    Ok(numbered.map(|(number, split)| Fold::of_split(data, split, number)).collect())
}

/// What learners get right.
struct Scores<'a> {
    request: &'a Request,
    plan: &'a Plan,
    folds: &'a [Fold<'a>],
    progress: &'a Progress,
    steps: &'a Steps<'a>,
}

impl Scores<'_> {
    fn learn(&self, material: &Material) -> Result<Vec<f64>> {
        let learners = self.request.built_learners()?;
        learners.iter().map(|learner| Ok(material.learn(&**learner, self.request.seed)?.accuracy)).collect()
    }

    fn baselines(&self) -> Result<Baselines> {
        let majority = scumble_learn::registry::build("majority", &Settings::default()).map_err(learning)?;
        let of_fold = |fold: &Fold<'_>| {
            self.progress.check()?;
            let material = baseline(fold)?;
            let guessed = material.learn(&*majority, self.request.seed)?.accuracy;
            let learnt = self.learn(&material)?;
            self.steps.add(1);
            Ok((learnt, guessed))
        };
        let found: Vec<(Vec<f64>, f64)> =
            self.folds.par_iter().with_max_len(1).map(of_fold).collect::<Result<_>>()?;
        let (learnt, guessed): (Vec<Vec<f64>>, Vec<f64>) = found.into_iter().unzip();
        Ok(Baselines {
            original: accuracy(&learnt),
            majority: mean(&guessed),
            scored: self.folds.iter().map(|fold| fold.test.rows as u64).sum(),
        })
    }

    fn of_candidates(&self, candidates: &[Candidate]) -> Result<Vec<std::result::Result<Accuracy, String>>> {
        let cells: Vec<(&Candidate, &Fold<'_>)> = candidates
            .iter()
            .flat_map(|candidate| self.folds.iter().map(move |fold| (candidate, fold)))
            .collect();
        let cell = |(candidate, fold): &(&Candidate, &Fold<'_>)| {
            self.progress.check()?;
            let plan = self.request.release_plan(self.plan, &candidate.algorithm, candidate.k)?;
            let material = released(fold, &plan, self.request.protocol(), self.progress);
            let learnt = listed(material.and_then(|material| self.learn(&material)))?;
            self.steps.add(1);
            Ok(learnt)
        };
        let found: Vec<std::result::Result<Vec<f64>, String>> =
            cells.par_iter().with_max_len(1).map(cell).collect::<Result<_>>()?;
        let of_candidate = |cells: &[std::result::Result<Vec<f64>, String>]| {
            let parts: std::result::Result<Vec<Vec<f64>>, String> = cells.iter().cloned().collect();
            parts.map(|parts| accuracy(&parts))
        };
        Ok(found.chunks(self.folds.len().max(1)).map(of_candidate).collect())
    }
}

/// The means of accuracies that were measured part by part, learner by learner.
fn accuracy(parts: &[Vec<f64>]) -> Accuracy {
    let learners = parts.first().map_or(0, Vec::len);
    let of_learner = |learner: usize| mean(&parts.iter().map(|part| part[learner]).collect::<Vec<_>>());
    let by_learner: Vec<f64> = (0..learners).map(of_learner).collect();
    Accuracy { mean: mean(&by_learner), by_learner }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The figures of a release.
fn candidate(trial: Trial, name: &str, k: u64, risk: Risk) -> Candidate {
    let attained_k = attained_k(&trial);
    let standing = registry::method(name).map_or(Standing::Experimental, |method| about(&method).1);
    let Trial { problem, outcome, loss, suppressed, seconds, .. } = trial;
    let mut metrics = Vec::new();
    if let Outcome::Classes { classes, .. } = outcome {
        let published = Published::Classes(*classes);
        let wanted = registry::METRICS.iter().filter(|entry| METRICS.contains(&entry.name));
        metrics.extend(
            wanted.filter_map(|entry| Some((entry.name, entry.build.measure(&published, &problem)?))),
        );
    }
    let algorithm = name.to_owned();
    Candidate { algorithm, standing, k, risk, loss, metrics, suppressed, attained_k, accuracy: None, seconds }
}

/// An error by which one algorithm cannot serve as its message; others stop everything.
fn listed<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(
            error @ (Error::Config(_)
            | Error::Data(_)
            | Error::Refused(_)
            | Error::Infeasible(_)
            | Error::Resources(_)),
        ) => Ok(Err(error.to_string())),
        Err(error) => Err(error),
    }
}

/// Adds to what could not be done; an algorithm that fails for several k by the same reason is told once.
fn note(unserved: &mut Vec<Unserved>, algorithm: &str, k: u64, released: bool, reason: String) {
    let same = |other: &&mut Unserved| {
        other.algorithm == algorithm && other.released == released && other.reason == reason
    };
    match unserved.iter_mut().find(same) {
        Some(known) => known.ks.push(k),
        None => unserved.push(Unserved { algorithm: algorithm.to_owned(), ks: vec![k], released, reason }),
    }
}

/// Nothing could be done: the reason, where it is one for all, else the first.
fn nothing_served(unserved: &[Unserved]) -> Error {
    let Some(first) = unserved.first() else {
        return Error::config("there is nothing to compare; name an algorithm and a k");
    };
    match unserved.iter().all(|other| other.reason == first.reason) {
        true => Error::refused(format!("no algorithm can serve this: {}", first.reason)),
        false => Error::refused(format!(
            "no algorithm can serve this; '{}', for one, says: {}",
            first.algorithm, first.reason
        )),
    }
}

/// `l_diversity l = 2`.
fn model_in_words(spec: &scumble::config::ModelSpec) -> String {
    let parameters: Vec<String> = spec
        .parameters
        .iter()
        .filter(|(name, _)| *name != "k")
        .map(|(name, value)| format!("{name} = {}", value.to_text()))
        .collect();
    format!("{} {}", spec.model, parameters.join(", ")).trim_end().to_owned()
}
