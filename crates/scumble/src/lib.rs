//! Scumble publishes tables about people without publishing the people.
pub mod algorithms;
pub mod check;
pub mod config;
pub mod date;
pub mod error;
pub mod frequency;
pub mod hierarchy;
pub mod kind;
pub mod label;
pub mod memory;
pub mod metrics;
pub mod models;
mod pack;
pub mod payload;
pub mod prepare;
pub mod problem;
pub mod profile;
pub mod published;
pub mod quasi;
pub mod recoding;
pub mod registry;
pub mod release;
pub mod report;

pub use error::{Error, Result};
