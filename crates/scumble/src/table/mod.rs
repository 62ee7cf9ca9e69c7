//! What is seen: values and their kinds, hierarchies, columns as codes, and the frequency table.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

pub mod date;
pub(crate) mod decimal;
pub mod frequency;
pub mod hierarchy;
pub mod kind;
pub mod label;
pub(crate) mod moment;
pub(crate) mod normal;
pub(crate) mod pack;
pub mod payload;
pub mod personal;
pub mod quasi;
pub(crate) mod stretch;
mod wide;
