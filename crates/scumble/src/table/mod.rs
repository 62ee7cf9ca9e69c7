//! What is seen: values and their kinds, hierarchies, columns as codes, and the frequency table.

pub mod date;
pub mod frequency;
pub mod hierarchy;
pub mod kind;
pub mod label;
pub(crate) mod normal;
pub(crate) mod pack;
pub mod payload;
pub mod personal;
pub mod quasi;
