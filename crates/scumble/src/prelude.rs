//! What a program needs to make, check and judge releases.

pub use scumble_files::{Batches, Control, RecordBatch, Source, Unit};

pub use crate::config::{
    AlgorithmSpec, Column, Label, ModelSpec, Plan, Rest, RiskSpec, Role, Roles, StarPolicy, TableSpec, Value,
};
pub use crate::error::{Action, Error, ErrorKind, Place, Remedy, Result};
pub use crate::problem::Progress;
pub use crate::release::check::{Checked, CheckedTables};
pub use crate::release::resources::Resources;
pub use crate::release::saved::SavedRecoding;
pub use crate::release::{Manifest, PublishedTables, RecodedRows, Release, RowMap, Stage, Summary};
pub use crate::report::data::Report;
pub use crate::risk::Assessment;
pub use crate::table::hierarchy::Builder;
