//! How a recoding is found: the algorithms, and what they share.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

pub mod algorithms;
pub(crate) mod audit;
mod deal;
pub mod lattice;
pub(crate) mod offers;
pub(crate) mod partition;
pub mod polish;
pub mod relabel;
pub mod rough;
