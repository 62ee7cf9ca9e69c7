//! Scumble publishes tables about people without publishing the people.
//!
//! It takes a table, the roles of its columns, hierarchies and a privacy requirement, and writes a table that keeps the
//! requirement and is still good for learning from. What is written is read back and verified by independent code
//! (`scumble-verify`) before it gets its name.
//!
//! Four words carry the design:
//! - the [frequency table](table::frequency::FrequencyTable) is what is *seen*: the distinct quasi-identifier tuples and their rows;
//! - a [model](models::Model) is what is *forbidden*: a test that the published table must pass;
//! - a [metric](metrics::Metric) is what is *lost*;
//! - a [recoding](recoding::Recoding) is what is *done*: the rule that an [algorithm](search::algorithms::Algorithm) returns.
//!
//! Everything that can be chosen by name is listed in the [registry]. For programs there is the [prelude]; record batches go in, and
//! verified record batches come out:
//!
//! ```
//! use scumble::arrow_array::{ArrayRef, Int64Array, StringArray};
//! use scumble::prelude::*;
//!
//! let age: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![34, 36, 61, 67]));
//! let disease: ArrayRef = std::sync::Arc::new(StringArray::from(vec!["flu", "gout", "flu", "gout"]));
//! let patients = RecordBatch::try_from_iter([("age", age), ("disease", disease)])?;
//!
//! let plan = Plan::of_columns([("age", Role::Quasi), ("disease", Role::Sensitive)])
//!     .require(ModelSpec::new("k_anonymity").with("k", 2))
//!     .require(ModelSpec::new("l_diversity").with("l", 2));
//! let release = Release::of(patients, &plan)?;
//!
//! let rows: &[RecordBatch] = release.table()?.batches();
//! assert_eq!((rows[0].num_rows(), release.summary.smallest_class), (4, Some(2)));
//! assert!(release.datasheet_markdown().starts_with("# Datasheet"));
//! assert!(release.report_html()?.is_some_and(|page| page.contains("<html")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files are read and written by [`release::anonymize`], which gives a release its name only once it is verified.
//!
//! The folders, from the ground up; each knows only those before it (a test holds that):
//! [`base`], [`table`] (what is seen), [`config`] (the plan), [`recoding`] (what is done), [`models`] (what is forbidden),
//! [`problem`] (what is asked of a search), [`metrics`] (what is lost), [`search`] with the algorithms, the [`registry`], [`risk`],
//! [`report`], and [`release`], the pipeline. What is not in the [`prelude`] or in [`extend`] may change from version to version.

pub mod base;
pub mod config;
pub mod error;
pub mod extend;
pub mod metrics;
pub mod models;
pub mod prelude;
pub mod problem;
mod program;
pub mod recoding;
pub mod registry;
pub mod release;
pub mod report;
pub mod risk;
pub mod search;
pub mod table;
pub mod transforms;

pub use error::{Action, Error, ErrorKind, Place, Remedy, Result};
/// Arrow as this crate uses it, for programs that make and read record batches.
pub use scumble_files::{arrow_array, arrow_schema};
