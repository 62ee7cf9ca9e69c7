//! What a program needs to make, check, compare, evaluate and attack releases. These names stay from version to version.

pub use scumble::prelude::*;

// Attacks.
pub use crate::attack::{
    ATTACKS, Attack, AttackRequest, AttackTables, Attacked, Figure, Finding, Options as AttackOptions, Whose,
    attack,
};

// One table, many releases.
pub use crate::compare::{Advice, Candidate, Comparison, Request, Told, compare};
pub use crate::compare::{html as comparison_html, to_csv as comparison_csv, to_json as comparison_json};
pub use crate::protocol::TestRows;

// Tables × algorithms × parameters × machine-learning models.
pub use crate::experiment::{
    EvaluationPlan, EvaluationTable, Experiment, Journal, Results, json_schema as evaluation_schema,
    write_results,
};
pub use crate::page::html as evaluation_html;
/// The machine-learning models.
pub use scumble_learn::registry::LEARNERS;
