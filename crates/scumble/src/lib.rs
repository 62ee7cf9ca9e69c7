//! Scumble publishes tables about people without publishing the people.
pub mod error;
pub mod report;
