//! The plan file `release.toml`: what to release, how, and what must hold.
//!
//! ```
//! use scumble::config::{Plan, Role};
//!
//! let text = r#"
//!     input = "patients.csv"
//!     output = "release.csv"
//!     [columns.age]
//!     role = "quasi"
//!     [columns.diagnosis]
//!     role = "sensitive"
//!     [[privacy]]
//!     model = "l_diversity"
//!     variant = "entropy"
//!     l = 1.31
//! "#;
//! let plan = Plan::from_toml(text, "release.toml")?;
//! plan.ready()?;
//! assert!(plan.column("age").is_some_and(|column| column.role.has(Role::Quasi)));
//! # Ok::<(), scumble::error::Error>(())
//! ```
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

mod audience;
mod check;
mod column;
mod consent;
mod duration;
mod keys;
pub(crate) mod ordered;
mod output;
mod parameters;
mod plan;
pub mod profile;
mod rational;
mod risk;
mod roles;
mod schema;
mod sheet;
mod size;
mod source;
pub mod template;
#[cfg(test)]
mod tests;
mod transform;
mod value;
mod weights;
mod wp216;

pub use audience::Audience;
pub(crate) use check::no_quasi_identifier;
pub use column::{Column, Equality, Label, ValueType};
pub use consent::{AcceptFreeText, AcceptPii};
pub use duration::Budget;
pub use keys::{KeySource, Keys, key_does_not_belong_here, shows_key};
pub use output::{OutputDialect, Range};
pub use parameters::Parameters;
pub use plan::{
    AlgorithmSpec, Drawn, MissingPolicy, ModelSpec, Plan, QuasiSet, Read, Rest, StarPolicy, TableSpec,
};
pub use rational::Rational;
pub use risk::RiskSpec;
pub use roles::{Role, Roles};
pub use schema::json_schema;
pub use sheet::Sheet;
pub use size::Size;
pub use source::{has_any_key, read_toml, toml_words};
pub use transform::TransformSpec;
pub use value::Value;
pub use weights::Weights;
pub use wp216::Wp216Spec;
