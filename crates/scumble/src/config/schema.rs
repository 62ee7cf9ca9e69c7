//! The JSON Schema of the plan file, for editors and other tools.

use super::plan::Plan;

/// The JSON Schema of `release.toml`.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Plan);
    schema.insert("title".to_owned(), "The plan of a Scumble release (release.toml)".into());
    schema.to_value()
}
