//! The tables of an evaluation, in files or in memory.

use std::collections::BTreeMap;
use std::path::Path;

use scumble::config::{Plan, Value};
use scumble::release::resources::Resources;
use scumble::{Error, Result};
use scumble_files::Batches;
use scumble_files::database::{from_here, located};

use super::choice::DataChoice;

/// The name of a table in memory whose rows are scored.
const TEST_ROWS: &str = "the test rows";

/// A table to evaluate on, with everything its release plan names.
#[derive(Debug, Clone)]
pub struct EvaluationTable {
    /// Its name on the page.
    pub name: String,
    /// The release plan: the roles of the columns, hierarchies and models.
    pub plan: Plan,
    /// Other inputs that the plan names.
    pub resources: Resources,
    /// Parameters of models with values for this table alone, in place of those of the evaluation.
    pub vary: BTreeMap<String, Vec<Value>>,
    /// The name of the table of test rows, and the resources that hold it.
    pub(super) test: Option<(String, Resources)>,
}

impl EvaluationTable {
    /// Takes a table in memory.
    #[must_use]
    pub fn of(name: &str, table: impl Into<Batches>, plan: &Plan) -> Self {
        Self {
            name: name.to_owned(),
            plan: Plan { input: name.to_owned(), ..plan.clone() },
            resources: Resources::default().with_table(name, table),
            vary: BTreeMap::new(),
            test: None,
        }
    }

    /// Adds rows to score. All rows of the table itself are then learnt from.
    #[must_use]
    pub fn scored_on(self, rows: impl Into<Batches>) -> Self {
        let resources = Resources::default().with_table(TEST_ROWS, rows);
        Self { test: Some((TEST_ROWS.to_owned(), resources)), ..self }
    }

    /// Takes a table that an evaluation plan names. The plan's file names are relative to `folder`.
    pub fn in_folder(choice: &DataChoice, folder: &Path) -> Result<Self> {
        let path = folder.join(&choice.plan);
        let beside = path.parent().map(Path::to_owned).unwrap_or_default();
        let test = |test: &String| {
            let path = located(folder, test);
            let input = from_here(&path)
                .map_err(|source| Error::io(format!("cannot use '{}'", path.display()), source))?;
            Ok::<_, Error>((input.to_string_lossy().into_owned(), Resources::in_folder("")))
        };
        Ok(Self {
            name: choice.name.clone(),
            plan: Plan::load(&path)?,
            resources: Resources::in_folder(beside),
            vary: choice.vary.clone(),
            test: choice.test.as_ref().map(test).transpose()?,
        })
    }

    /// Returns the table as an evaluation plan names it.
    pub(super) fn choice(&self) -> DataChoice {
        DataChoice {
            name: self.name.clone(),
            plan: String::new(),
            test: self.test.as_ref().map(|(name, _)| name.clone()),
            vary: self.vary.clone(),
        }
    }
}
