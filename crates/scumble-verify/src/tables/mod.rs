//! Several tables about the same rows, published beside each other instead of one.

mod groups;
mod projections;

pub use groups::{GroupTables, GroupedOriginal, GroupsOutcome, Sums, check_groups};
pub use projections::{Joint, check_projections, projections_at_least};
