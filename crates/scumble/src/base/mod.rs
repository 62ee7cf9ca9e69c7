//! What everything stands on: texts and numbers for people, randomness, secret keys, memory, and the lists of what can be chosen by name.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

pub(crate) mod amount;
pub mod chance;
pub(crate) mod elsewhere;
pub(crate) mod entry;
pub(crate) mod format;
pub mod key;
pub mod memory;
pub mod text;
