//! Algorithms that publish several tables together, instead of one with coarser values: their problems and their
//! solutions.

use super::{Finding, TablesCapabilities};
use crate::config::Parameters;
use crate::error::Result;
use crate::problem::Problem;
use crate::table::quasi::{Quasi, Value};

/// A search for several tables.
pub trait TablesAlgorithm: Send + Sync {
    /// What the search does, and what the tables are about.
    fn capabilities(&self) -> TablesCapabilities;
    /// Returns an error if this problem is not supported. Called before any work.
    fn check(&self, problem: &TablesProblem) -> Result<()>;
    /// Runs the search.
    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution>;
}

/// Makes an algorithm for several tables from its parameters.
pub type BuildTablesAlgorithm = fn(&Parameters) -> Result<Box<dyn TablesAlgorithm>>;

/// The column that several tables are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The class label, which models are to predict; the sensitive column if there is no class label.
    Decision,
    /// The sensitive column, which must not be linked to people.
    Sensitive,
}

/// The problem of an algorithm for several tables.
pub struct TablesProblem {
    /// The table and the requirements. Its quasi-identifiers are all columns that may be published in addition to the target, whether
    /// or not outsiders know them.
    pub problem: Problem,
    /// For each of those columns, whether outsiders may know it.
    pub known: Vec<bool>,
    /// The payload column of the target.
    pub target: usize,
    /// The random seed, if one was given. Without one, random choices on which protection depends are secret.
    pub seed: Option<u64>,
}

/// The solution: several tables.
pub struct TablesSolution {
    /// How each column of the problem is shown wherever it is published.
    pub shown: Vec<Shown>,
    /// The tables to publish.
    pub tables: Tables,
    /// Notes for the report.
    pub findings: Vec<Finding>,
    /// What somebody should consider before publishing.
    pub warnings: Vec<String>,
    /// What is not promised, beyond what no release of this kind promises. Public.
    pub limits: Vec<String>,
}

/// How a column is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Each value unchanged.
    AsItIs,
    /// For each code the coarser value that stands for it.
    Coarser(Vec<Value>),
}

impl Shown {
    /// The text that a release shows for a code of the column.
    #[must_use]
    pub fn label(&self, quasi: &Quasi, code: u32) -> String {
        match self {
            Self::AsItIs => quasi.leaf_label(quasi.text(code)),
            Self::Coarser(values) => quasi.label(values[code as usize]),
        }
    }
}

/// The tables that are published together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tables {
    /// One table for each set of columns (ascending): those columns and the target of every row.
    Projections(Vec<Vec<usize>>),
    /// All columns of every row with the number of its group, and the target's values of each group.
    Groups {
        /// The rows of each group.
        members: Vec<Vec<GroupRow>>,
        /// How the target's values of a group are published.
        values: GroupValues,
    },
}

/// A row of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupRow {
    /// Its tuple.
    pub tuple: u32,
    /// Its value of the target.
    pub value: u32,
}

/// How the target's values of a group are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupValues {
    /// In a second table, each value with its number of rows.
    Counted,
    /// In the rows, permuted at random within the group; a second table has the least, the greatest and the sum.
    Permuted,
}
