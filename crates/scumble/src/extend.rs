//! Algorithms, privacy models and metrics from another crate.
//!
//! A program adds an [`Entry`] under a name of its own and asks for it by that name, like for any other. What an added algorithm finds
//! is written, read back and verified as every release is. An added model has no second implementation in the verifier: it checks
//! the classes itself, and its verdict says "not independently verified" wherever it is shown. `examples/own_methods.rs` adds one
//! of each kind, and an algorithm that returns clusters. The names here stay from version to version.

pub use crate::base::entry::{Entry, Standing};
pub use crate::config::{Parameters, Rational};
pub use crate::metrics::Metric;
pub use crate::models::{
    BuildModel, ClassTest, Demand, Model, ModelContext, Monotonicity, Verdict, Words, protected_columns,
};
pub use crate::problem::Problem;
pub use crate::recoding::published::{ClassView, Classes};
pub use crate::recoding::{Assignment, ClassColumn, Members, Recoding, Share, Step};
pub use crate::registry::{add_algorithm, add_metric, add_model};
pub use crate::search::algorithms::{
    Algorithm, BuildAlgorithm, Capabilities, Finding, Fineness, Reach, Solution,
};
pub use crate::table::frequency::{Cell, FrequencyTable};
pub use crate::table::hierarchy::Hierarchy;
pub use crate::table::payload::Payloads;
pub use crate::table::quasi::{Line, Quasi, Shape, Value};
