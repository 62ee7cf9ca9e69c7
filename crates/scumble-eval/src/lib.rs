//! What is a release still good for? Protocols that learn from releases and score on rows the release never saw, and
//! the statistics that say whether a difference means anything.
//!
//! * [`protocol`]: splits, releases of the training part, features, scores.
//! * [`statistics`]: tests, intervals and the critical-difference diagram.
#![forbid(unsafe_code)]

pub mod protocol;
pub mod statistics;
