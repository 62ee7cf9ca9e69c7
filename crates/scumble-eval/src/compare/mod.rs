//! Compares many releases of one table: what an attacker could still learn from each, and how useful each still is.
//!
//! * [`Request`] says what to try, algorithms × k, and [`Limits`] what a release may reveal. [`compare`] tries them, and [`Comparison`] is
//!   the result: for each release of the whole table its [`Risk`] and its utility, measured by loss and, if there is a class column, by
//!   models that learnt from releases of training parts.
//! * [`non_dominated`] finds the releases that no other beats in both. [`Advice`] says which of them to take, by a simple rule, and
//!   [`Advice::sentences`] puts it into words.
//! * [`html`] makes the private page with the frontier.
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

mod advice;
mod chart;
mod frontier;
mod least_k;
mod limits;
mod outcome;
mod page;
mod request;
mod risk;
mod run;
mod steps;
mod table;
mod whole;
mod words;

pub use advice::Advice;
pub use frontier::{Spot, dominates, non_dominated};
pub use least_k::ladder;
pub use limits::Limits;
pub use outcome::{Accuracy, Baselines, Candidate, Comparison, Unserved, Utility};
pub use page::{accuracy_is, html};
pub use request::{BUDGET, FOLDS, LEARNERS, Request, default_algorithms};
pub use risk::{Certain, Guess, Risk, risk_of};
pub use run::{Told, compare};
pub use table::{to_csv, to_json};
pub use words::attained;
