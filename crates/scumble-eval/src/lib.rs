//! What is a release still good for? Protocols that learn from releases and score on rows the release never saw, and
//! the statistics that say whether a difference means anything.
//!
//! * [`statistics`]: tests, intervals and the critical-difference diagram.
#![forbid(unsafe_code)]

pub mod statistics;
