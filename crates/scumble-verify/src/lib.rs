//! The independent checker of released tables.
//!
//! It shares no code with whatever made a release: it takes the table as it was written and read back, groups its texts
//! again, and checks them by the definitions. A release that breaks its requirement must not pass, so anything that is not
//! understood (a model, a parameter, a column) is an error, never a pass.
//!
//! | question | function |
//! |---|---|
//! | Does the release keep what is claimed? | [`check_models`] |
//! | The same where models compare with a population? | [`check_models_with`] |
//! | The same where the release is larger than memory? | [`ReleaseInParts`] |
//! | Do several tables together keep what is claimed about people? | [`check_relations`] |
//! | Do tables that codes join, such as households and people, keep what is claimed when they are joined? | [`Joins`] |
//! | How many sensitive values are possible for each person in several tables together? | [`check_views`] |
//! | How many rows of several projections, side by side, may be a person's? | [`check_projections`], [`projections_at_least`] |
//! | Do rows in groups keep what is claimed about their values? | [`check_groups`] |
//! | What does the release attain, where nothing is claimed? | [`attained`] |
//! | Do records that overlap keep what is claimed? | [`Distributed::read`], [`check_records`] |
//! | Is every released value true of its original row, if the private row map is known? | [`check_truth_with_map`] |
//! | The same where both tables are larger than memory? | [`TruthInParts`] |
//! | What does a private row map say? | [`RowMap::read`], [`Mapped`] |
//! | Without it, can the released rows be true of distinct original rows at all? | [`check_truth`] |
//! | What does a released text say? | [`label::parse`] |
//! | What does a table mean that was written for a spreadsheet program? | [`WrittenForm`] |
//! | Is what a step made of columns true of what they were? | [`check_step`] |
//! | Which texts stand for the same value? | [`in_normal_form`], [`further_spellings`] |
//! | Which released texts are true of which original? | [`covering`], [`covering_with`] |
//! | Which people may be in which places, if everybody is in one? | [`assign`] |
//!
//! ```
//! use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};
//! use scumble_verify::{Claim, ModelClaim, StarRows, check_models};
//!
//! let column = |name: &str, values: &[&str], codes: &[u8]| CodedColumn {
//!     name: name.to_owned(),
//!     values: values.iter().copied().collect(),
//!     codes: Codes::U8(codes.to_vec()),
//! };
//! let release = CodedTable {
//!     columns: vec![
//!         column("age", &["[20,30)", "[30,40)"], &[0, 0, 0, 1, 1]),
//!         column("disease", &["asthma", "flu"], &[0, 1, 1, 0, 1]),
//!     ],
//!     rows: 5,
//! };
//! let model = ModelClaim::from_json(&serde_json::json!({"model": "k_anonymity", "k": 3}))?;
//! let claim = Claim { quasi: vec!["age".to_owned()], models: vec![model], star: StarRows::Judged, values: Vec::new() };
//! let outcome = check_models(&release, &claim, None)?;
//! assert!(!outcome.holds);
//! assert_eq!(outcome.smallest_class, Some(2));
//! # Ok::<(), scumble_verify::VerifyError>(())
//! ```
//!
//! The modules: `columns` looks columns up without trusting them. `group` numbers rows of equal content. `models` checks equivalence
//! classes. `exact` and `value` compare without rounding. `cover` finds which released text is true of which original, and `named`
//! does so by the names of nodes. `normal` finds which texts are one value. `truth` compares row by row, and `weights` survey weights, `renumbered` fresh numbers. `row_map` reads which row is
//! whose. `steps` checks what was done to columns before the search. `exchange` checks values that went to other rows. `written`,
//! `spreadsheet`, `decimal_comma` and `ranges` undo what was written for a program. `matching` and `flow` find an assignment where
//! the row map is not known.

mod aggregate;
mod clock;
mod columns;
mod cover;
mod decimal_comma;
mod distribution;
mod error;
mod exact;
mod exchange;
mod figure;
mod flow;
mod group;
pub mod label;
mod links;
mod matching;
mod models;
mod named;
mod normal;
mod population;
mod ranges;
mod records;
mod renumbered;
mod row_map;
mod spreadsheet;
mod steps;
mod tables;
#[cfg(test)]
mod tests;
mod truth;
mod value;
mod watch;
mod weights;
mod written;

pub use cover::{Cover, Nodes, TreeTold, covering, covering_with};
pub use distribution::Distributed;
pub use error::VerifyError;
pub use exchange::Exchanged;
pub use flow::assign;
pub use label::{Label, parse};
pub use models::{
    Attained, AttainedColumn, Beside, Claim, JoinKey, JoinedOutcome, JoinedTable, Joins, ModelClaim,
    ModelOutcome, Orphans, Outcome, Reference, ReferenceColumn, Relation, ReleaseInParts, SensitiveColumn,
    StarRows, View, WorstClass, attained, attained_with, check_models, check_models_with, check_relations,
    check_views, distinct_given_others,
};
pub use normal::{further_spellings, in_normal_form};
pub use population::Population;
pub use records::{Originals, RecordOutcome, check_records};
pub use row_map::{Mapped, MappedTable, RowMap};
pub use steps::{KnownOffsets, StepClaim, StepOutcome, check_step};
pub use tables::{
    GroupTables, GroupedOriginal, GroupsOutcome, Joint, Sums, check_groups, check_projections,
    projections_at_least, sorted_by_content,
};
pub use truth::{
    ColumnFault, ColumnFaultKind, ColumnTruth, Drops, FalseCell, Truth, TruthInParts, TruthOutcome,
    check_truth, check_truth_with_map,
};
pub use value::{DateFormat, ValueKind};
pub use weights::{ShownWeight, WeightRule};
pub use written::WrittenForm;
