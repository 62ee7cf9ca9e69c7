//! The algorithms, one file each. Each takes a problem and returns a recoding.

use crate::config::Parameters;
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::published::{Classes, Record};
use crate::recoding::{Assignment, Recoding, Step};
use crate::search::audit::Audit;
use crate::search::lattice::{Checker, Lattice};

pub(crate) mod anatomy;
pub(crate) mod bottom_up;
mod capabilities;
pub(crate) mod cluster;
mod clustering;
pub(crate) mod datafly;
pub(crate) mod dbca;
pub(crate) mod dbca_cm;
pub(crate) mod dmpd;
mod exhaustive;
pub(crate) mod flash;
mod gain;
pub(crate) mod genetic;
pub(crate) mod iacc;
pub(crate) mod iack;
pub(crate) mod incognito;
pub(crate) mod infogain_mondrian;
pub(crate) mod k_concealment;
pub(crate) mod k_member;
pub(crate) mod k_optimize;
pub(crate) mod kactus;
pub(crate) mod local_suppression;
#[cfg(test)]
pub(crate) mod made;
pub(crate) mod mdav;
pub(crate) mod mingen;
pub(crate) mod mondrian;
pub(crate) mod mu_argus;
pub(crate) mod nhaa;
pub(crate) mod nsvdist;
pub(crate) mod oka;
pub(crate) mod ola;
pub mod optimal;
pub(crate) mod pais;
pub(crate) mod permutation;
mod projections;
pub(crate) mod reduct;
pub(crate) mod reduct_ensemble;
pub(crate) mod samarati;
pub(crate) mod seqa;
pub(crate) mod single_dimensional_mondrian;
mod splits;
pub mod tables;
pub(crate) mod tdr;
pub(crate) mod tds;
mod top_down;

pub use capabilities::{Capabilities, Fineness, Labels, Reach, RecordCapabilities, TablesCapabilities};

/// What an algorithm returns: a rule, and findings about the search.
pub struct Solution {
    /// The rule.
    pub recoding: Recoding,
    /// The rule applied to the problem's table, which most searches have computed anyway.
    pub assignment: Assignment,
    /// Notes for the report, such as the k reached.
    pub findings: Vec<Finding>,
}

impl Solution {
    /// A solution that shows the classes that are not suppressed.
    pub(crate) fn of_classes(step: Step, classes: Classes, findings: Vec<Finding>) -> Self {
        let assignment = classes.assignment;
        let shown = (0..assignment.classes()).filter(|class| !assignment.suppressed[*class]);
        let shown = shown.map(|class| assignment.values(class)).collect();
        Self { recoding: Recoding { step, shown: Some(shown) }, assignment, findings }
    }

    /// A solution for a rule under which every class already meets every model, so that nothing is suppressed. Rows that show
    /// `*` everywhere because nothing finer was possible still count as suppressed: they say just as little.
    fn of_sound_step(problem: &Problem, step: Step, findings: Vec<Finding>) -> Self {
        let assignment = step.apply(&problem.table, &problem.quasi);
        let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        Self::of_classes(step, classes, findings)
    }

    /// A solution that suppresses the classes that fail a model. Returns an error if they are more than the limit allows.
    pub fn of_step(problem: &Problem, step: Step, findings: Vec<Finding>) -> Result<Self> {
        let classes = problem.suppress_failing(step.apply(&problem.table, &problem.quasi))?;
        Ok(Self::of_classes(step, classes, findings))
    }
}

/// A finding of an algorithm, for the report and the JSON summary.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// A short name, such as `k_actual`.
    pub name: &'static str,
    /// The figure; `None` means infinite.
    pub value: Option<f64>,
    /// The meaning of the figure, in one sentence.
    pub meaning: &'static str,
    /// The column that the finding is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl Finding {
    /// A finding about the whole run.
    #[must_use]
    pub fn new(name: &'static str, value: Option<f64>, meaning: &'static str) -> Self {
        Self { name, value, meaning, column: None }
    }
}

/// A search for a recoding.
pub trait Algorithm: Send + Sync {
    /// What the algorithm needs, supports and promises.
    fn capabilities(&self) -> Capabilities;
    /// Whether the search minimises the problem's metric. A search that uses no metric, or one of its own, does not.
    fn minimises(&self, _problem: &Problem) -> bool {
        false
    }
    /// What the algorithm does not promise by itself, and what was done about it. Written from its findings and the number of
    /// quasi-identifiers.
    fn caveat(&self, _findings: &[Finding], _quasi: usize) -> Option<String> {
        None
    }
    /// Returns an error if this problem is not supported. Called before any work.
    fn check(&self, problem: &Problem) -> Result<()>;
    /// Runs the search.
    fn run(&self, problem: &Problem) -> Result<Solution>;
}

/// A search for records that may overlap. Each record covers rows of its own choice, so there are no classes.
pub trait RecordAlgorithm: Send + Sync {
    /// What the search does, and what k refers to.
    fn capabilities(&self) -> RecordCapabilities;
    /// Returns an error if this problem is not supported. Called before any work.
    fn check(&self, problem: &Problem) -> Result<()>;
    /// Runs the search and audits what it found.
    fn run(&self, problem: &Problem) -> Result<RecordSolution>;
}

/// What a search for records returns.
pub struct RecordSolution {
    /// The records, ordered by tuple, then sensitive value.
    pub records: Vec<Record>,
    /// The payload column that is not published row by row, if there is one. Its values are published as frequencies, or
    /// exchanged in rings.
    pub column: Option<usize>,
    /// What k refers to.
    pub linkage: Linkage,
    /// The number of rows that each record counts.
    pub size: u64,
    /// The format of the frequencies.
    pub format: Format,
    /// The rings in which records exchange the column's values, if they do.
    pub rings: Option<Rings>,
    /// What somebody may infer from the records.
    pub audit: Audit,
    /// Notes for the report.
    pub findings: Vec<Finding>,
    /// What somebody should consider before publishing.
    pub warnings: Vec<String>,
}

/// Records that exchange their values: each shows the value of one of the next `size` records of its ring, itself included.
pub struct Rings {
    /// The rings, as places of records. Each record is in one ring and stands for one row. The rings are private, as the draw
    /// is.
    pub rings: Vec<Vec<u32>>,
    /// How a record whose value is shown is drawn.
    pub exchange: nhaa::Exchange,
}

/// What k refers to where records overlap (models.md 1.15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// (k,1): every record covers k rows.
    Covers,
    /// (1,k): every row is covered by k records.
    Covered,
    /// (k,k): both.
    Both,
    /// k-concealment: every row has k records that may be its own.
    Matches,
}

impl Linkage {
    /// The name in parameters and claims.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Covers => "covers",
            Self::Covered => "covered",
            Self::Both => "both",
            Self::Matches => "matches",
        }
    }
}

/// How frequencies are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A column for each value: `disease=flu`.
    Columns,
    /// One column of JSON objects.
    Json,
    /// Not at all: complete tables are drawn from the records.
    Sampled {
        /// The number of tables.
        tables: u64,
    },
}

/// Makes an algorithm for records from its parameters.
pub type BuildRecordAlgorithm = fn(&Parameters) -> Result<Box<dyn RecordAlgorithm>>;

/// Makes an algorithm from its parameters.
pub type BuildAlgorithm = fn(&Parameters) -> Result<Box<dyn Algorithm>>;

/// Returns the full-domain rule of a node, with the failing classes suppressed.
fn solution_at(
    problem: &Problem,
    lattice: &Lattice,
    node: usize,
    findings: Vec<Finding>,
) -> Result<Solution> {
    Solution::of_step(problem, Step::Levels(lattice.levels(node)), findings)
}

/// The findings that every search of the lattice reports.
fn lattice_findings(lattice: &Lattice, checker: &Checker<'_>) -> Vec<Finding> {
    vec![
        Finding::new(
            "nodes",
            Some(lattice.combinations()).filter(|count| count.is_finite()),
            "the combinations of levels that there are",
        ),
        Finding::new(
            "checked",
            Some(checker.checked() as f64),
            "how often the groups of a combination were looked at",
        ),
    ]
}
