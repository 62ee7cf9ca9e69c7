//! The content of a saved recoding, as JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::config::{Audience, Column, MissingPolicy, ModelSpec, StarPolicy, TransformSpec, ordered};
use crate::recoding::CutNode;
use crate::table::hierarchy::Outline;
use crate::table::kind::Measure;
use crate::table::quasi::Value;

/// The version that is written, and the latest that can be read.
pub(crate) const VERSION: u32 = 1;

/// Everything needed to recode other rows in the same way and to check them. Private. Large parts are borrowed from the run
/// that writes them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecodingFile<'t> {
    /// The version of this format; it also says what kind of file this is.
    pub(crate) scumble_recoding: u32,
    /// The algorithm that found it.
    pub(crate) algorithm: String,
    /// The models that the release keeps, as in the plan.
    pub(crate) privacy: Vec<ModelSpec>,
    /// The plan's named sets of quasi-identifiers.
    #[serde(with = "ordered")]
    pub(crate) quasi_sets: Vec<(String, Vec<String>)>,
    /// Whether sensitive columns that no model protects are published.
    pub(crate) accept_attribute_disclosure: bool,
    /// Whether codes may link the rows of a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) accept_linkable_rows: bool,
    /// Whether the release was also checked against other tables: a population, or tables that were published before.
    pub(crate) other_tables: bool,
    /// Who will read the release, which decides what may be accepted.
    #[serde(default, skip_serializing_if = "Audience::is_default")]
    pub(crate) audience: Audience,
    /// How suppressed rows are published.
    pub(crate) star_policy: StarPolicy,
    /// The texts that mean a missing value.
    pub(crate) missing: Vec<String>,
    /// What is done with missing values.
    pub(crate) missing_policy: MissingPolicy,
    /// What is done to columns first, with all that was taken from the data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) transform: Vec<TransformSpec>,
    /// The columns of the table in their order, with their roles and types.
    #[serde(with = "ordered")]
    pub(crate) columns: Vec<(String, Column)>,
    /// The hierarchies of sensitive columns that have one.
    #[serde(with = "ordered")]
    pub(crate) hierarchies: Vec<(String, Outline<'t>)>,
    /// The quasi-identifiers, and what the classes show in each.
    pub(crate) quasi: Vec<QuasiFile<'t>>,
    /// How tuples become classes.
    pub(crate) rule: RuleFile<'t>,
    /// The number of classes in the release, including suppressed ones.
    pub(crate) classes: u32,
    /// The suppressed classes, ascending.
    pub(crate) suppressed: Vec<u32>,
}

/// One quasi-identifier.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuasiFile<'t> {
    pub(crate) name: String,
    /// How its values are measured.
    pub(crate) measure: Measure,
    /// Whether ranges are written by the extremes present.
    pub(crate) tight: bool,
    /// Whether classes are written by the set of the values present.
    pub(crate) sets: bool,
    /// Its values in the order of their codes.
    pub(crate) shape: ShapeFile<'t>,
    /// The code that most rows had.
    pub(crate) typical: u32,
    /// The distinct values that classes show.
    pub(crate) values: Cow<'t, [Value]>,
    /// For each class the place of its value in `values`.
    pub(crate) of_class: Vec<u32>,
}

/// The meaning of a column's codes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ShapeFile<'t> {
    /// Leaves of a tree.
    Tree(Outline<'t>),
    /// Numbers or dates in ascending order.
    Line {
        /// Their texts when they are released alone.
        texts: Vec<String>,
        /// How a missing value is released, if one was missing.
        missing: Option<String>,
        /// The least number that a released interval may name.
        from: String,
        /// The greatest.
        to: String,
        /// Whether these were declared.
        declared: bool,
    },
    /// Texts in an order.
    Set(Vec<String>),
}

/// How tuples become classes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum RuleFile<'t> {
    /// Every column to one level of its tree.
    Levels(Vec<u32>),
    /// What each code of each column shows.
    Maps(Cow<'t, [Vec<Value>]>),
    /// A tree of cuts.
    Cuts(Cow<'t, [CutNode]>),
    /// A row belongs to the class that covers most of it.
    Nearest,
}
