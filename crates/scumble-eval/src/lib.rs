//! Measures how useful a release still is: protocols learn from releases and score on rows that the releases never saw, and statistics say
//! whether a difference means anything.
//!
//! * [`attack`]: what a release still gives away.
//! * [`compare`](mod@compare): one table, many releases, risk against utility.
//! * [`experiment`]: a plan of data × algorithms × parameters × machine-learning models, its journal and its results.
//! * [`page`]: the results as one HTML page.
//! * [`prelude`]: the items for programs.
//! * [`protocol`]: splits, releases of the training part, features, scores.
//! * [`statistics`]: tests, intervals and the critical-difference diagram.
#![forbid(unsafe_code)]

mod abreast;
pub mod attack;
pub mod compare;
pub mod experiment;
pub mod page;
pub mod prelude;
pub mod protocol;
pub mod statistics;

/// The examples of the guide for programs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/program.md")]
struct GuideForPrograms;
