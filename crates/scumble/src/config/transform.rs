//! One step of a plan: what is done to columns before anything else looks at the table.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parameters::Parameters;
use super::plan::plain_name;
use super::value::Value;
use crate::base::entry::plain;

/// A step: a transform, its columns and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransformSpec {
    /// The transform's name, such as `round`.
    #[serde(rename = "do", deserialize_with = "plain_name")]
    pub transform: String,
    /// The column it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The columns it changes, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The name of a new column for the result. Without it, the result takes the place of the column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// Whether some of the parameters were taken from the data. Saved recodings say so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_data: bool,
    /// The transform's own parameters.
    #[serde(flatten)]
    pub parameters: Parameters,
}

impl TransformSpec {
    /// A step on one column, with nothing else said.
    #[must_use]
    pub fn new(transform: &str, column: &str) -> Self {
        Self {
            transform: plain(transform),
            column: Some(column.to_owned()),
            columns: Vec::new(),
            into: None,
            from_data: false,
            parameters: Parameters::default(),
        }
    }

    /// With a parameter.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.parameters.set(name, value.into());
        self
    }

    /// With a new column for the result.
    #[must_use]
    pub fn into_column(mut self, name: &str) -> Self {
        self.into = Some(name.to_owned());
        self
    }

    /// The columns that the step changes, or makes its new column of.
    pub fn changed(&self) -> impl Iterator<Item = &str> {
        self.column.iter().chain(&self.columns).map(String::as_str)
    }
}
