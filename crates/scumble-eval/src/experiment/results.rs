//! The results, gathered for tables and pages.

use std::collections::BTreeMap;

use super::journal::Entry;
use crate::statistics::{Interval, mean_interval};

/// All results of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// One result for each cell and machine-learning model, in the order of the plan.
    pub entries: Vec<Entry>,
    /// Results in the journal that this plan does not ask for.
    pub unused: usize,
}

/// The results of one setting and machine-learning model over all splits.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The table.
    pub data: String,
    /// The algorithm; `None` for original rows.
    pub algorithm: Option<String>,
    /// The varying parameters with their values.
    pub values: Vec<(String, String)>,
    /// The machine-learning model.
    pub learner: String,
    /// The accuracy over the splits; `None` if some split failed.
    pub accuracy: Option<Interval>,
    /// The accuracies, split by split.
    pub by_split: Vec<f64>,
    /// The mean loss over the splits.
    pub loss: f64,
    /// The mean share of suppressed rows.
    pub suppressed: f64,
    /// The mean share of test cells that no label covers.
    pub unmapped: f64,
    /// The means of the plan's metrics, by their names in the registry, if every split has them.
    pub measures: BTreeMap<String, f64>,
    /// The mean seconds for a release.
    pub release_seconds: f64,
    /// The mean seconds for learning and scoring.
    pub learn_seconds: f64,
    /// Why there is no accuracy.
    pub error: Option<String>,
}

/// The settings that differ only in one varying parameter: what a chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The table.
    pub data: String,
    /// The values of the other varying parameters.
    pub others: Vec<(String, String)>,
    /// The machine-learning model.
    pub learner: String,
    /// A curve for each algorithm.
    pub curves: Vec<Curve>,
    /// The machine-learning model's accuracy on original rows.
    pub original: Option<f64>,
}

impl Group {
    /// Returns the values of the parameter, in the order of the plan.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for (place, _) in self.curves.iter().flat_map(|curve| &curve.points) {
            if !places.contains(place) {
                places.push(place.clone());
            }
        }
        places
    }
}

/// An algorithm's summaries by a varying parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The algorithm.
    pub algorithm: String,
    /// The values of the varying parameter, each with its results.
    pub points: Vec<(String, Summary)>,
}

impl Results {
    /// Returns the results over all splits, in the order of the plan.
    #[must_use]
    pub fn summaries(&self) -> Vec<Summary> {
        let mut groups: Vec<Vec<&Entry>> = Vec::new();
        let same = |a: &Entry, b: &Entry| {
            (&a.data, &a.algorithm, &a.values, &a.learner) == (&b.data, &b.algorithm, &b.values, &b.learner)
        };
        for entry in &self.entries {
            // Entries of one setting are close to each other, since cells are in the order of settings.
            match groups.iter_mut().rev().find(|group| same(group[0], entry)) {
                Some(group) => group.push(entry),
                None => groups.push(vec![entry]),
            }
        }
        groups.iter().map(|group| summary(group)).collect()
    }

    /// Returns curves over one varying parameter, a group for each table, machine-learning model and combination of the others.
    #[must_use]
    pub fn groups(&self, parameter: &str) -> Vec<Group> {
        let summaries = self.summaries();
        let mut groups: Vec<Group> = Vec::new();
        for found in summaries.iter().filter(|summary| summary.algorithm.is_some()) {
            let others: Vec<(String, String)> =
                found.values.iter().filter(|(name, _)| name != parameter).cloned().collect();
            let at = found.values.iter().find(|(name, _)| name == parameter).map(|(_, value)| value.clone());
            let same = |group: &Group| {
                (&group.data, &group.learner, &group.others) == (&found.data, &found.learner, &others)
            };
            let place = groups.iter().position(same).unwrap_or_else(|| {
                let original = summaries.iter().find(|other| {
                    other.algorithm.is_none()
                        && (&other.data, &other.learner) == (&found.data, &found.learner)
                });
                groups.push(Group {
                    data: found.data.clone(),
                    others,
                    learner: found.learner.clone(),
                    curves: Vec::new(),
                    original: original.and_then(|summary| summary.accuracy).map(|accuracy| accuracy.estimate),
                });
                groups.len() - 1
            });
            let name = found.algorithm.clone().unwrap_or_default();
            let curves = &mut groups[place].curves;
            let point = (at.unwrap_or_default(), found.clone());
            match curves.iter_mut().find(|curve| curve.algorithm == name) {
                Some(curve) => curve.points.push(point),
                None => curves.push(Curve { algorithm: name, points: vec![point] }),
            }
        }
        groups
    }

    /// Returns the accuracies of every algorithm for one machine-learning model, block by block (a table with one combination of values),
    /// and the number of blocks that are left out because some algorithm failed in them.
    #[must_use]
    pub fn blocks(&self, learner: &str, algorithms: &[&str]) -> (Vec<Vec<f64>>, usize) {
        let summaries = self.summaries();
        let of_learner =
            summaries.iter().filter(|summary| summary.learner == learner && summary.algorithm.is_some());
        let mut keys: Vec<(&String, &Vec<(String, String)>)> = Vec::new();
        for summary in of_learner.clone() {
            let key = (&summary.data, &summary.values);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let block = |key: &(&String, &Vec<(String, String)>)| {
            let of_block = of_learner.clone().filter(|summary| (&summary.data, &summary.values) == *key);
            let score = |name: &&str| {
                let found = of_block.clone().find(|summary| summary.algorithm.as_deref() == Some(*name))?;
                found.accuracy.map(|accuracy| accuracy.estimate)
            };
            algorithms.iter().map(score).collect::<Option<Vec<f64>>>()
        };
        let whole: Vec<Vec<f64>> = keys.iter().filter_map(block).collect();
        let left_out = keys.len() - whole.len();
        (whole, left_out)
    }
}

fn summary(entries: &[&Entry]) -> Summary {
    let first = entries[0];
    let by_split: Vec<f64> = entries.iter().filter_map(|entry| entry.accuracy).collect();
    let mean = |figure: fn(&Entry) -> f64| {
        entries.iter().map(|entry| figure(entry)).sum::<f64>() / entries.len() as f64
    };
    let measure = |name: &String| {
        let each = entries.iter().map(|entry| entry.measures.get(name)).collect::<Option<Vec<_>>>()?;
        Some((name.clone(), each.into_iter().sum::<f64>() / entries.len() as f64))
    };
    Summary {
        data: first.data.clone(),
        algorithm: first.algorithm.clone(),
        values: first.values.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        learner: first.learner.clone(),
        accuracy: mean_interval(&by_split).filter(|_| by_split.len() == entries.len()),
        by_split,
        loss: mean(|entry| entry.loss),
        suppressed: mean(|entry| entry.suppressed),
        unmapped: mean(|entry| entry.unmapped),
        measures: first.measures.keys().filter_map(measure).collect(),
        release_seconds: mean(|entry| entry.release_seconds),
        learn_seconds: mean(|entry| entry.learn_seconds),
        error: entries.iter().find_map(|entry| entry.error.clone()),
    }
}
