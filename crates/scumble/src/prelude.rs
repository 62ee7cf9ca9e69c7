//! What a program needs to make, check and judge releases.

pub use scumble_files::{Batches, Control, RecordBatch, Source, Unit};

pub use crate::config::{
    AlgorithmSpec, Column, Label, ModelSpec, Plan, Rest, RiskSpec, Role, Roles, StarPolicy, TableSpec, Value,
};
pub use crate::error::{Error, ErrorKind, Place, Remedy, Result};
pub use crate::problem::Progress;
pub use crate::program::{Assessed, Beside};
pub use crate::release::check::{Checked, CheckedTables, WhatWasRead};
pub use crate::release::resources::Resources;
pub use crate::release::saved::SavedRecoding;
pub use crate::release::{
    Manifest, PublishedTables, RecodedRows, Release, RowMap, SavedRowMap, Stage, Summary, WrittenTable,
};
pub use crate::report::data::Report;
pub use crate::risk::Assessment;
pub use crate::table::hierarchy::Builder;
