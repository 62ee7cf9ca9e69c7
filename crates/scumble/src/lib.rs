//! Scumble publishes tables about people without publishing the people.
pub mod date;
pub mod error;
pub mod hierarchy;
pub mod kind;
