//! Scumble publishes tables about people without publishing the people.
//!
//! It takes a table, the roles of its columns, hierarchies and a privacy requirement, and writes a table that keeps the
//! requirement and is still good for learning from. What is written is read back and verified by independent code
//! (`scumble-verify`) before it gets its name.
//!
//! Four words carry the design:
//! - the [frequency table](frequency::FrequencyTable) is what is *seen*: the distinct quasi-identifier tuples and their rows;
//! - a [model](models::Model) is what is *forbidden*: a judgement on what would be published;
//! - a [metric](metrics::Metric) is what is *lost*;
//! - a [recoding](recoding::Recoding) is what is *done*: the rule that an [algorithm](algorithms::Algorithm) returns.
//!
//! Everything that can be chosen by name is listed in the [registry]. A whole run is one call:
//!
//! ```
//! use scumble::config::Plan;
//! use scumble::problem::Progress;
//! use scumble::release::{RunOptions, anonymize};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! std::fs::write(
//!     folder.join("patients.csv"),
//!     "name,age,sex,disease\nAnn,34,f,flu\nBob,36,m,flu\nCid,61,m,gout\nDee,67,f,flu\n",
//! )?;
//! let plan = Plan::from_toml(
//!     r#"
//!     input = "patients.csv"
//!     output = "release.csv"
//!     [columns.name]
//!     role = "identifier"
//!     [columns.age]
//!     role = "quasi"
//!     [columns.sex]
//!     role = "quasi"
//!     [columns.disease]
//!     role = "other"
//!     [[privacy]]
//!     model = "k_anonymity"
//!     k = 2
//!     "#,
//!     "release.toml",
//! )?;
//! let mut options = RunOptions {
//!     folder,
//!     threads: 0,
//!     progress: Progress::default(),
//!     stage: &|_| {},
//!     standard_output: None,
//! };
//! let released = anonymize(&plan, &mut options)?;
//! assert_eq!(released.summary.smallest_class, Some(2));
//! assert!(std::fs::read_to_string(folder.join("release.csv"))?.starts_with("age,sex,disease\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod algorithms;
pub mod audit;
mod budget;
pub mod chance;
pub mod check;
pub mod config;
pub mod date;
mod deal;
pub mod error;
pub mod frequency;
pub mod hierarchy;
pub mod information;
pub mod kind;
pub mod label;
pub mod lattice;
pub mod memory;
pub mod metrics;
pub mod models;
pub mod new_rows;
pub mod normal;
pub mod outputs;
mod pack;
pub mod partition;
pub mod payload;
pub mod polish;
pub mod population;
pub mod prepare;
pub mod problem;
pub mod profile;
pub mod published;
pub mod quasi;
pub mod recoding;
pub mod registry;
pub mod relabel;
pub mod release;
pub mod report;
pub mod resources;
pub mod risk;
pub mod rough;
pub mod saved;
pub mod text;

pub use error::{Error, Result};
