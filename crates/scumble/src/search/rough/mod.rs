//! Rough sets: which columns decide, and what publishing only those columns reveals.
//!
//! Two rows are *indiscernible* on some columns if they agree on all of them. The classes of that relation that have only one
//! decision form the *positive region*: there the columns decide. A *reduct* is a minimal set of columns with the same
//! positive region as all columns. The code works on the distinct tuples with their weights, and refines classes column by
//! column.
//!
//! | file | idea |
//! |---|---|
//! | `decision.rs` | the table: distinct tuples, their rows per decision |
//! | `partition.rs` | classes of indiscernible tuples, refined by one column at a time |
//! | `region.rs` | the positive region while columns are added; lower and upper approximation |
//! | `reducts.rs` | the core, and all reducts of a small table |
//! | `heuristic.rs` | one reduct that hides everyone among k, found greedily |
//! | `discretise.rs` | numbers as a few intervals, without which every row is alone |
//! | `joint.rs` `join.rs` `witness.rs` | among how many rows someone is hidden by several published projections |
//! | `rejoin.rs` | groups that are certain to exist when two projections are put side by side |

mod decision;
pub mod discretise;
mod heuristic;
mod join;
mod joint;
mod partition;
mod reducts;
mod region;
mod rejoin;
#[cfg(test)]
pub(crate) mod testing;
mod witness;

pub use decision::DecisionTable;
pub use heuristic::{Reduct, Wish, greedy};
pub use joint::{Joint, joint_anonymity, keep_level};
pub use partition::TupleClasses;
pub use reducts::{all_reducts, core};
pub use region::{Approximation, Region, approximations};
pub use rejoin::{Rejoined, rejoin};
