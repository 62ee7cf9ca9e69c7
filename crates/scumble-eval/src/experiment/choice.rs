//! The parts of an evaluation plan: tables, algorithms, machine-learning models, metrics.

use std::collections::BTreeMap;

use scumble::config::{AlgorithmSpec, Value};
use scumble::metrics::Metric;
use scumble::registry::{self, Method};
use scumble::{Error, Result};
use scumble_learn::Settings;
use serde::{Deserialize, Serialize};

/// A table and what its columns are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataChoice {
    /// Its name on the page.
    #[serde(default)]
    pub name: String,
    /// A release plan, as for `scumble anonymize`: it names the table, the roles of its columns, hierarchies and models.
    pub plan: String,
    /// A table of test rows with the same columns: it is scored, and all rows of the plan's table are learnt from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// Parameters of models with values for this table alone, in place of those of the plan.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vary: BTreeMap<String, Vec<Value>>,
}

/// An algorithm and its settings, as in `[algorithm]` of a release plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AlgorithmChoice {
    /// Its name on the page, where the algorithm's own is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The algorithm.
    #[serde(flatten)]
    pub spec: AlgorithmSpec,
}

/// A machine-learning model and its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LearnerChoice {
    /// The machine-learning model.
    pub name: String,
    /// Its name on the page, where that of the model is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its settings.
    #[serde(flatten)]
    pub settings: BTreeMap<String, Value>,
}

/// A metric that every release is measured by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureChoice {
    /// The metric, as the registry names it: `distortion`, `classification`.
    pub metric: String,
    /// Its name on the page, where the metric's own is not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl AlgorithmChoice {
    /// Returns the name on the page.
    #[must_use]
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.spec.name)
    }

    /// Fails unless the algorithm and its parameters are known.
    pub(super) fn check(&self) -> Result<()> {
        let spec = &self.spec;
        let known = |parameters: &'static [(&'static str, &'static str)]| {
            let names: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
            spec.allow_only(&names)
        };
        let checked = match registry::method(&spec.name)? {
            Method::Classes(entry) => {
                known(entry.parameters).and_then(|()| (entry.build)(&spec.parameters).map(drop))
            }
            Method::Records(entry) => {
                known(entry.parameters).and_then(|()| (entry.build)(&spec.parameters).map(drop))
            }
            Method::Tables(entry) => {
                known(entry.parameters).and_then(|()| (entry.build)(&spec.parameters).map(drop))
            }
        };
        checked.map_err(|error| Error::config(format!("[[algorithm]] '{}': {error}", self.title())))
    }
}

impl LearnerChoice {
    /// Returns the name on the page.
    #[must_use]
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// Builds the machine-learning model.
    pub fn build(&self) -> Result<Box<dyn scumble_learn::Learner>> {
        let settings = Settings::new(self.settings.iter().map(|(name, value)| (name, value.to_text())));
        scumble_learn::registry::build(&self.name, &settings)
            .map_err(|error| Error::config(format!("[[learner]] '{}': {error}", self.title())))
    }
}

impl MeasureChoice {
    /// Returns the name on the page.
    #[must_use]
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.metric)
    }

    /// Returns the metric's name in the registry, in small letters and with underscores.
    #[must_use]
    pub fn name(&self) -> String {
        self.metric.replace('-', "_").to_lowercase()
    }

    /// Returns the registry's entry of the metric.
    pub fn entry(&self) -> Result<&'static registry::Entry<&'static dyn Metric>> {
        registry::METRICS
            .find(&self.metric)
            .map_err(|error| Error::config(format!("[[measure]] '{}': {error}", self.title())))
    }
}
