//! What a program needs to make, check and measure releases, group by group. These names stay from version to version.

// Tables in and out, and who watches the work.
pub use scumble_files::{Batches, Control, RecordBatch, Source, Unit};

// A plan: as TOML, or in code.
pub use crate::config::{
    AlgorithmSpec, ModelSpec, Parameters, Plan, QuasiSet, Rest, RiskSpec, StarPolicy, TableSpec,
    TransformSpec, Value, json_schema as plan_schema,
};
// The secret key that some steps need.
pub use crate::base::key::Key;
// Its columns, and how values are read.
pub use crate::config::{
    AcceptFreeText, AcceptPii, Budget, Column, Equality, Label, MissingPolicy, OutputDialect, Range,
    Rational, Read, Role, Roles, Size, ValueType,
};
pub use crate::table::date::DateFormat;
pub use crate::table::personal::GatedKind;
// How hierarchies are built.
pub use crate::table::hierarchy::{Builder, DateLevel, LifeStages, Listing, Order, Quantity, Unlisted};
// What a table shows before there is a plan: guessed roles, and the tree of a column.
pub use crate::config::profile::{ColumnProfile, PlanFiles};
pub use crate::program::Guess;
pub use crate::release::prepare::ColumnTree;

// A release in memory, what else its plan names, and the same rule for new rows.
pub use crate::release::resources::Resources;
pub use crate::release::saved::SavedRecoding;
pub use crate::release::{Manifest, PublishedTables, RecodedRows, Release, RowMap, Stage, Summary};
// A release in files.
pub use crate::problem::Progress;
pub use crate::release::{Applied, Released, RunOptions, anonymize, apply};
// Several tables that stay joined, in files.
pub use crate::release::outputs::Outputs;
pub use crate::release::{Joined, JoinedModel, PlanOfTable, ReleasedTogether, anonymize_joined};

// Questions about tables.
pub use crate::program::{Assessed, Beside};
pub use crate::release::check::{Checked, CheckedTables, WhatWasRead};
pub use crate::release::{SavedRowMap, WrittenForm, WrittenTable};
pub use crate::risk::Assessment;

// Pages and JSON. All are private.
pub use crate::report::data::{AttackResult, Report};
pub use crate::report::{
    Conclusion, attacks_html, html as report_html, json as report_json, risk_html, summary_html,
};

// What can be chosen by name.
pub use crate::base::entry::{Entry, Registry, Standing};
pub use crate::registry::{
    ALGORITHMS, METRICS, MODELS, RECORD_ALGORITHMS, TABLES_ALGORITHMS, TRANSFORMS, algorithm_names,
};

// What goes wrong.
pub use crate::error::{Action, Error, ErrorKind, Place, Remedy, Result};
