//! What a program needs to make, check and judge releases.

pub use scumble_files::{Batches, Control, RecordBatch, Source};

pub use crate::check::Checked;
pub use crate::config::{AlgorithmSpec, Column, ModelSpec, Plan, Role, Roles, StarPolicy, Value};
pub use crate::error::{Error, Result};
pub use crate::hierarchy::Builder;
pub use crate::release::{Manifest, Release, Stage, Summary};
pub use crate::report::data::Report;
pub use crate::resources::Resources;
pub use crate::risk::Assessment;
