//! Makes every release, attacks it, and lets models learn from it.

use scumble::config::{Plan, Role};
use scumble::error::Setting;
use scumble::problem::Progress;
use scumble::registry;
use scumble::release::prepare::SpeltTable;
use scumble::release::read_planned;
use scumble::{Error, Result};
use scumble_learn::{Learner, Settings};

use super::least_k::{Range, ladder};
use super::outcome::{Accuracy, Baselines, Candidate, Comparison, Unserved};
use super::request::{Request, about, default_algorithms, least_k};
use super::steps::Steps;
use super::whole::{Tried, Whole, listed};
use crate::abreast::abreast;
use crate::protocol::{
    Dataset, Fold, Material, Split, baseline, by_content, learning, refuse_parts, released, stratified_folds,
};

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Steps done: releases of the whole table and of training parts.
    pub done: usize,
    /// All steps, as far as they are known.
    pub all: usize,
}

/// Tries everything. An algorithm that does not support the table is listed with the reason. The comparison fails only if none can.
pub fn compare(request: &Request, progress: &Progress, tell: &(dyn Fn(Told) + Sync)) -> Result<Comparison> {
    request.check()?;
    let control = progress.control();
    let resources = request.resources.for_a_run().watched_by(progress.control());
    let has_class = request.plan.names_with(Role::Class).next().is_some();
    let no_parts = refuse_parts(&request.plan).err().filter(|_| has_class);
    let learns = has_class && no_parts.is_none();
    let read_data = || Dataset::read("the table", &request.plan, &resources, None);
    let data = learns.then(|| control.run(read_data)).transpose()?;
    let read;
    let (plan, table, notes): (&Plan, &SpeltTable, &[String]) = match &data {
        Some(data) => (&data.plan, &data.table, &data.notes),
        None => {
            let (plan, table, notes) = control.run(|| read_planned(&request.plan, &resources))?;
            read = (plan, table.select(&by_content(&table)), notes);
            (&read.0, &read.1, &read.2)
        }
    };
    let mut names: Vec<String> = Vec::new();
    for name in &request.algorithms {
        let name = about(&registry::method(name)?).0.to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names = default_algorithms(plan);
    }
    let mut ks = match &request.ks[..] {
        [] => ladder(plan, &request.limits, table.rows as u64),
        named => named.to_vec(),
    };
    let folds = data.as_ref().map_or_else(|| Ok(Vec::new()), |data| control.run(|| folds(request, data)))?;
    let least_k = least_k(plan);
    let steps = Steps::new(names.len() * ks.len() * (1 + folds.len()) + folds.len(), tell);
    let whole = Whole { request, plan, table, resources: &resources, progress, least_k };
    let mut tried = Vec::new();
    let asked: Vec<(&str, u64)> =
        names.iter().flat_map(|name| ks.iter().map(move |k| (name.as_str(), *k))).collect();
    whole.try_all(&asked, &steps, &mut tried)?;
    if request.ks.is_empty() {
        let range = Range::of(plan, &request.limits, table.rows as u64);
        whole.search(&names, range, (&steps, folds.len()), &mut tried)?;
        ks.extend(tried.iter().map(|tried| tried.k));
        ks.sort_unstable();
        ks.dedup();
    }
    let mut unserved = Vec::new();
    let mut candidates = Vec::new();
    for Tried { algorithm, k, made } in tried {
        match made {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => {
                steps.add(folds.len());
                note(&mut unserved, &algorithm, k, false, reason);
            }
        }
    }
    if candidates.is_empty() {
        return Err(nothing_served(&unserved));
    }

    if let Some(error) = no_parts {
        for candidate in &candidates {
            note(&mut unserved, &candidate.algorithm, candidate.k, true, error.to_string());
        }
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
    let k_free = |spec: &&scumble::config::ModelSpec| !spec.is_size_alone();
    Ok(Comparison {
        rows: table.rows as u64,
        quasi: plan.names_with(Role::Quasi).map(str::to_owned).collect(),
        sensitive: plan.names_with(Role::Sensitive).map(str::to_owned).collect(),
        class: data.as_ref().map(|data| data.class.clone()),
        household: plan.names_with(Role::Household).next().map(str::to_owned),
        left_out: plan.names_with(Role::Drop).map(str::to_owned).collect(),
        models: plan.privacy.iter().filter(k_free).map(model_in_words).collect(),
        ks,
        least_k,
        learners: request.learners.clone(),
        parts: (folds.len(), request.parts().0),
        baselines,
        candidates,
        unserved,
        limits: request.limits,
        notes: notes.to_vec(),
    })
}

/// Returns the splits whose test parts are scored.
fn folds<'a>(request: &Request, data: &'a Dataset) -> Result<Vec<Fold<'a>>> {
    let (parts, scored) = request.parts();
    let splits: Vec<Split> = stratified_folds(&data.classes_of(&data.table)?, parts, request.seed);
    if splits.iter().any(|split| split.test.is_empty() || split.train.is_empty()) {
        let error = Error::data("the table has too few rows for so many folds: some would have no row");
        return Err(error.set(Setting::root("folds"), "use fewer folds"));
    }
    let numbered = (0..).zip(&splits).take(scored);
    Ok(numbered.map(|(number, split)| Fold::of_split(data, split, number)).collect())
}

/// Measures what models get right.
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
        let control = self.progress.control();
        let accuracy =
            |learner: &dyn Learner| Ok(material.learn(learner, self.request.seed, control)?.accuracy);
        learners.iter().map(|learner| accuracy(&**learner)).collect()
    }

    fn baselines(&self) -> Result<Baselines> {
        let majority = scumble_learn::registry::build("majority", &Settings::default()).map_err(learning)?;
        let of_fold = |fold: &Fold<'_>| {
            self.progress.check()?;
            let material = baseline(fold)?;
            let guessed = material.learn(&*majority, self.request.seed, self.progress.control())?.accuracy;
            let learnt = self.learn(&material)?;
            self.steps.add(1);
            Ok((learnt, guessed))
        };
        let found: Vec<(Vec<f64>, f64)> = abreast(self.folds, self.progress.control(), of_fold)?;
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
            let material = released(fold, &plan, self.request.protocol(), &[], self.progress);
            let learnt = listed(material.and_then(|material| self.learn(&material)))?;
            self.steps.add(1);
            Ok(learnt)
        };
        let found: Vec<std::result::Result<Vec<f64>, String>> =
            abreast(&cells, self.progress.control(), cell)?;
        let of_candidate = |cells: &[std::result::Result<Vec<f64>, String>]| {
            let parts: std::result::Result<Vec<Vec<f64>>, String> = cells.iter().cloned().collect();
            parts.map(|parts| accuracy(&parts))
        };
        Ok(found.chunks(self.folds.len().max(1)).map(of_candidate).collect())
    }
}

/// Returns the means of accuracies that were measured part by part, model by model.
fn accuracy(parts: &[Vec<f64>]) -> Accuracy {
    let learners = parts.first().map_or(0, Vec::len);
    let of_learner = |learner: usize| mean(&parts.iter().map(|part| part[learner]).collect::<Vec<_>>());
    let by_learner: Vec<f64> = (0..learners).map(of_learner).collect();
    Accuracy { mean: mean(&by_learner), by_learner }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Adds a failure to the list. An algorithm that fails for several k with the same reason is listed once.
fn note(unserved: &mut Vec<Unserved>, algorithm: &str, k: u64, released: bool, reason: String) {
    let same = |other: &&mut Unserved| {
        other.algorithm == algorithm && other.released == released && other.reason == reason
    };
    match unserved.iter_mut().find(same) {
        Some(known) => known.ks.push(k),
        None => unserved.push(Unserved { algorithm: algorithm.to_owned(), ks: vec![k], released, reason }),
    }
}

/// Returns the error if nothing could be done: the reason that all share, else the first.
fn nothing_served(unserved: &[Unserved]) -> Error {
    let Some(first) = unserved.first() else {
        return Error::config("there is nothing to compare").advise("name an algorithm and a k");
    };
    match unserved.iter().all(|other| other.reason == first.reason) {
        true => Error::refused(format!("no algorithm can serve this: {}", first.reason)),
        false => Error::refused(format!(
            "no algorithm can serve this; '{}', for one, says: {}",
            first.algorithm, first.reason
        )),
    }
}

/// Writes a model as `l_diversity l = 2`, with a note if the independent verifier does not know it.
fn model_in_words(spec: &scumble::config::ModelSpec) -> String {
    let parameters: Vec<String> = spec
        .parameters
        .iter()
        .filter(|(name, _)| *name != "k")
        .map(|(name, value)| format!("{name} = {}", value.to_text()))
        .collect();
    let model = format!("{} {}", spec.model, parameters.join(", "));
    let is_own = scumble::registry::MODELS
        .get(&spec.model)
        .is_some_and(|entry| scumble::registry::MODELS.is_own(entry.name));
    format!("{}{}", model.trim_end(), if is_own { "" } else { " (not independently verified)" })
}

#[cfg(test)]
mod tests {
    use scumble::config::ModelSpec;

    use super::*;

    #[test]
    fn a_model_that_the_verifier_does_not_know_says_so() {
        let own = ModelSpec::new("l-diversity").with("l", 2);
        assert_eq!(model_in_words(&own), "l_diversity l = 2");
        let added = ModelSpec::new("added_by_a_program");
        assert_eq!(model_in_words(&added), "added_by_a_program (not independently verified)");
    }
}
