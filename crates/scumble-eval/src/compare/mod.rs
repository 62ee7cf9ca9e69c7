//! One table, many releases of it: what could an attacker still learn, and what are they still good for?
//!
//! * [`Request`] says what is tried: algorithms × k, and [`Limits`] what a release may leave people with. [`compare`] tries it, and [`Comparison`] is what came out: for each release of the
//!   whole table its [`Risk`], and its utility by loss and, where there is a class, by learners that learnt from releases of
//!   training parts.
//! * [`non_dominated`]: the releases that no other beats in both. [`Advice`]: which of them to take, by a rule that can be told in a
//!   sentence, and [`Advice::sentences`] tells it.
//! * [`html`]: the private page with the frontier.
//!
//! What of this is not in [`crate::prelude`] is not promised: it may change from version to version.

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
pub use page::html;
pub use request::{BUDGET, FOLDS, LEARNERS, Request, default_algorithms};
pub use risk::{Certain, Guess, Risk, risk_of};
pub use run::{Told, compare};
pub use table::{to_csv, to_json};
