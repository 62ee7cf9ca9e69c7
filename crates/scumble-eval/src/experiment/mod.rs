//! A plan of data × algorithms × parameters × machine-learning models, carried out cell by cell.
//!
//! * [`EvaluationPlan`]: what `scumble evaluate` reads. [`Experiment`]: the plan with its tables ([`EvaluationTable`], from files or from a
//!   program), divided into cells.
//! * [`Journal`]: a line for every finished cell and machine-learning model, so that a run can continue where it was stopped. A line is
//!   used again only if everything it depends on is the same: after changes to a plan or table, only the cells concerned are run again.
//! * [`Results`]: the results. [`write_results`] writes them as CSV or Parquet, and [`crate::page`] as a page.
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

mod cell;
mod choice;
mod input;
mod journal;
mod plan;
mod results;
mod run;
mod table;

pub use cell::{Cell, Setting};
pub use choice::{AlgorithmChoice, DataChoice, LearnerChoice, MeasureChoice};
pub use input::EvaluationTable;
pub use journal::{Entry, Journal};
pub(crate) use plan::set_parameter;
pub use plan::{EvaluationPlan, ProtocolSpec, SplitKind, StatisticsSpec};
pub use results::{Curve, Group, Results, Summary};
pub use run::{Experiment, Told};
pub use table::write_results;

/// The JSON Schema of evaluation plans, for editors and other tools.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(EvaluationPlan);
    schema.insert("title".to_owned(), "The plan of a Scumble evaluation".into());
    schema.to_value()
}
