//! The search for a recoding: the algorithms, and the code they share.
//!
//! Whatever of this module is not re-exported by [`crate::prelude`] or [`crate::extend`] may change from version to version.

pub mod algorithms;
pub(crate) mod audit;
mod deal;
pub mod lattice;
pub(crate) mod offers;
pub(crate) mod partition;
pub mod polish;
pub mod relabel;
pub mod rough;
