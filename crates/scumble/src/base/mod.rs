//! What everything stands on: texts and numbers for people, randomness, memory, and the lists of what can be chosen by name.

pub(crate) mod amount;
pub mod chance;
pub(crate) mod entry;
pub(crate) mod format;
pub mod memory;
pub mod text;
