//! The protocol behind every figure: which rows are released, which are learnt from, and which are scored.
//!
//! 1. [`Dataset`] reads the table of a release plan. Its rows are sorted by content, so the order in the file decides nothing.
//! 2. [`Split`] deals rows to a training and a test part ([`stratified_folds`], [`five_by_two`], or a test table given).
//! 3. The training part alone is anonymised, in memory ([`scumble::release::try_release`]). Hierarchies built from data,
//!    levels, cuts, value frequencies, dictionaries: everything that is learnt from data is learnt from it.
//! 4. Machine-learning models see what the release shows, in one of two ways ([`TestRows`]):
//!    * `mapped`: the released labels, and test rows recoded by the training part's recoding;
//!    * `original`: concrete tables drawn from the release, and test rows without coarsening.
//!    * Several tables of some columns each are learnt from one by one, and the classifiers vote; test rows are shown as the
//!      columns are, in both ways.
//! 5. The score is the share of test rows whose class is predicted right.
//!
//! **Values as features** (`mapped`). A label is a value of a nominal column. `*` and suppressed rows are missing values, and so is a test
//! value that no training label covers. A column of numbers stays one if all of them are published exactly or as means. If they are ranges,
//! [`Numbers`] says whether a range is a nominal value (the default) or the number in its middle. Columns that are published unchanged
//! (roles `other` and `sensitive`) are features unchanged.
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

mod dataset;
mod encode;
mod fold;
mod mapped;
mod projections;
mod sample;
mod split;

pub use dataset::Dataset;
pub use dataset::refuse_parts;
pub(crate) use dataset::{by_content, sorted};
pub(crate) use encode::Cell;
pub use encode::Encoder;
pub use fold::{Fold, Learnt, Material, MetricEntry, Protocol, Together, baseline, measured, released};
pub(crate) use fold::{learning, table};
pub use split::{Part, Split, five_by_two, stratified_folds};

/// Which rows are scored.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TestRows {
    /// Test rows recoded as the training part was: for users who learn from a release and apply the result to data released in the same
    /// way.
    #[default]
    Mapped,
    /// Test rows without coarsening: for users who learn from a release and apply the result to people.
    Original,
}

/// How machine-learning models read a range of numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// As a nominal value.
    #[default]
    Nominal,
    /// As the number in its middle.
    Midpoint,
}
