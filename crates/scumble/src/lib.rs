//! Scumble publishes tables about people without publishing the people.
pub mod config;
pub mod date;
pub mod error;
pub mod kind;
pub mod profile;
