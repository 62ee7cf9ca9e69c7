//! How a recoding is found: the algorithms, and what they share.

pub mod algorithms;
pub(crate) mod audit;
mod deal;
pub mod lattice;
pub(crate) mod offers;
pub(crate) mod partition;
pub mod polish;
pub mod relabel;
pub mod rough;
