//! Columns of survey weights: how many people of a population each row stands for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column::{Column, ValueType};
use super::plan::{Plan, StarPolicy};
use super::roles::Role;
use crate::error::{Error, Setting, among_columns};

/// What a release shows of a survey weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// The weight, rounded to two significant digits.
    Round,
    /// The mean weight of the rows that show the same in the quasi-identifiers.
    ClassMean,
    /// The weight as it is. Weights tell strata and rare designs, so a warning says how many differ.
    Keep,
}

impl Weights {
    /// Every way, by its name.
    pub const ALL: [(&'static str, Self); 3] =
        [("round", Self::Round), ("class_mean", Self::ClassMean), ("keep", Self::Keep)];

    /// What was done to the weights, for readers of the release.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Round => "rounded to 2 significant digits",
            Self::ClassMean => {
                "every row shows the mean weight of the rows that look like it in the quasi-identifiers"
            }
            Self::Keep => "published as it is",
        }
    }
}

impl Plan {
    /// The columns of survey weights, with what a release shows of them.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (&str, &Column, Weights)> {
        let weights = self.columns.iter().filter(|(_, column)| column.role.has(Role::Weight));
        weights.filter_map(|(name, column)| Some((name.as_str(), column, column.weights?)))
    }

    /// Whether weights are calibrated within the values of a column, so that it is read whatever its role.
    pub(crate) fn is_stratum(&self, name: &str) -> bool {
        self.columns.iter().any(|(_, column)| column.stratum.as_deref() == Some(name))
    }

    /// What is wrong with what a column says about weights, and the key of the column that it is about.
    pub(super) fn weights_fault(&self, name: &str, column: &Column) -> Option<(&'static str, Error)> {
        if !column.role.has(Role::Weight) {
            let of_others = |key: &str| {
                let what = format!("column '{name}' is no survey weight, and {key} is for weights");
                Error::config(what)
                    .set(Setting::role("weight").of(&[name]), "say that the column is a survey weight")
            };
            // One call for each key, so that it can be found in the source.
            return if column.weights.is_some() {
                let setting = Setting::column("weights").of(&[name]);
                Some(("weights", of_others("weights").unset(setting, "leave weights out")))
            } else if column.stratum.is_some() {
                let setting = Setting::column("stratum").of(&[name]);
                Some(("stratum", of_others("stratum").unset(setting, "leave stratum out")))
            } else {
                None
            };
        }
        let weights = || Setting::column("weights").of(&[name]);
        if column.weights.is_none() {
            let error = Error::config(format_args!(
                "column '{name}' is a survey weight, and the plan does not say what the release shows of it; exact weights tell strata and rare \
                 designs"
            ))
            .set(weights().to("round"), "show weights with 2 significant digits")
            .set(weights().to("class_mean"), "show every row the mean weight of its group")
            .set(Setting::role("drop").of(&[name]), "leave the column out")
            .weaken(weights().to("keep"), "publish exact weights");
            return Some(("role", error));
        }
        if let Some(of) = column.value_type
            && !matches!(of, ValueType::Integer | ValueType::Decimal | ValueType::DecimalComma)
        {
            let what = format!(
                "column '{name}' is a survey weight, and values of the type {} are no numbers",
                of.name()
            );
            let error = Error::config(what)
                .unset(Setting::column("type").of(&[name]), "leave the type out, so that it is detected");
            return Some(("type", error));
        }
        let stratum = column.stratum.as_deref()?;
        self.stratum_fault(name, stratum).map(|error| ("stratum", error))
    }

    /// What is wrong with a column within which weights are to be calibrated.
    fn stratum_fault(&self, name: &str, stratum: &str) -> Option<Error> {
        let without = |error: Error| {
            error.unset(
                Setting::column("stratum").of(&[name]),
                "leave stratum out, so that weights are not raised",
            )
        };
        let known = self.column(stratum);
        if known.is_none() && self.rest.is_none() || stratum == name {
            let names: Vec<&str> =
                self.columns.iter().map(|(of, _)| of.as_str()).filter(|of| *of != name).collect();
            let shown = crate::base::text::on_one_line(stratum);
            return Some(without(Error::config(format_args!(
                "the weights of '{name}' are to be calibrated within '{shown}', which is no other column of the plan{}",
                among_columns(stratum, &names)
            ))));
        }
        if known.is_some_and(|column| column.role.has(Role::Identifier)) {
            return Some(without(
                Error::config(format_args!(
                    "the weights of '{name}' are to be calibrated within '{stratum}', which is an identifier and is never read"
                ))
                .set(Setting::role("drop").of(&[stratum]), "give the stratum the role drop: it is read and not released"),
            ));
        }
        if self.algorithm.star_policy != StarPolicy::Drop {
            return Some(without(
                Error::config(format_args!(
                    "the weights of '{name}' are to be raised for rows that are left out, and with this star policy none is"
                ))
                .set(Setting::search("star_policy").to("drop"), "leave suppressed rows out"),
            ));
        }
        None
    }
}
