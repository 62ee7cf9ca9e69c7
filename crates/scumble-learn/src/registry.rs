//! The list of all machine-learning models. Help, errors, forms and test loops are made from it.

use crate::error::{Error, Result};
use crate::learner::Learner;
use crate::settings::Settings;
use crate::{boosted_trees, c45, logistic, majority, naive_bayes, ripper, svm};

/// A machine-learning model that users can choose by name.
pub struct Entry {
    /// The name in snake_case.
    pub name: &'static str,
    /// The name as people say it.
    pub title: &'static str,
    /// The publication it comes from.
    pub paper: &'static str,
    /// What it does, in a sentence or two.
    pub about: &'static str,
    /// Its settings, each with a line that explains it and gives its default.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Builds the machine-learning model from its settings.
    pub build: fn(&Settings) -> Result<Box<dyn Learner>>,
}

/// Every machine-learning model.
pub const LEARNERS: &[Entry] = &[
    c45::ENTRY,
    naive_bayes::ENTRY,
    ripper::ENTRY,
    logistic::ENTRY,
    boosted_trees::ENTRY,
    svm::ENTRY,
    majority::ENTRY,
];

/// Builds the machine-learning model of that name (hyphens count as underscores). All settings must be known to it.
pub fn build(name: &str, settings: &Settings) -> Result<Box<dyn Learner>> {
    let wanted = name.replace('-', "_");
    let Some(entry) = LEARNERS.iter().find(|entry| entry.name == wanted) else {
        let known: Vec<&str> = LEARNERS.iter().map(|entry| entry.name).collect();
        return Err(Error::Config(format!(
            "unknown machine-learning model '{name}'; known: {}",
            known.join(", ")
        )));
    };
    settings.allow_only(entry.parameters)?;
    (entry.build)(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_is_built_by_its_name_with_its_defaults() {
        for entry in LEARNERS {
            build(entry.name, &Settings::default()).unwrap();
        }
        let error = build("c46", &Settings::default()).unwrap_err().to_string();
        assert!(error.starts_with("unknown machine-learning model 'c46'; known: c45"), "{error}");
        assert!(build("c45", &Settings::new([("k", "1")])).is_err());
    }
}
