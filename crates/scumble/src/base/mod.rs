//! What everything stands on: texts and numbers for people, randomness, memory, and the lists of what can be chosen by name.

pub mod amount;
pub mod chance;
pub mod entry;
pub mod format;
pub mod memory;
pub mod text;
