//! How a recoding is found: the algorithms, and what they share.

pub mod algorithms;
pub mod audit;
mod deal;
pub mod lattice;
pub(crate) mod offers;
pub mod partition;
pub mod polish;
pub mod relabel;
pub mod rough;
