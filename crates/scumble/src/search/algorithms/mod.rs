//! The algorithms, one file each: a problem in, a recoding out.

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

/// What an algorithm returns: the rule, and what it wants told about how it was found.
pub struct Solution {
    /// The rule.
    pub recoding: Recoding,
    /// The rule applied to the problem's table, since a search mostly has it at hand.
    pub assignment: Assignment,
    /// Notes for the report, such as the k reached.
    pub findings: Vec<Finding>,
}

impl Solution {
    /// A rule that shows the classes that are kept.
    pub(crate) fn of_classes(step: Step, classes: Classes, findings: Vec<Finding>) -> Self {
        let assignment = classes.assignment;
        let shown = (0..assignment.classes()).filter(|class| !assignment.suppressed[*class]);
        let shown = shown.map(|class| assignment.values(class)).collect();
        Self { recoding: Recoding { step, shown: Some(shown) }, assignment, findings }
    }

    /// A rule under which every class meets every model already, so that nothing is suppressed. Rows that show `*` everywhere
    /// because nothing finer was possible are counted as suppressed nevertheless: they say as little.
    fn of_sound_step(problem: &Problem, step: Step, findings: Vec<Finding>) -> Self {
        let assignment = step.apply(&problem.table, &problem.quasi);
        let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        Self::of_classes(step, classes, findings)
    }

    /// A rule, with the classes that fail a model suppressed; an error if they are more than may be.
    pub fn of_step(problem: &Problem, step: Step, findings: Vec<Finding>) -> Result<Self> {
        let classes = problem.suppress_failing(step.apply(&problem.table, &problem.quasi))?;
        Ok(Self::of_classes(step, classes, findings))
    }
}

/// Something that an algorithm found out, for the report and the JSON summary.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// A short name, such as `k_actual`.
    pub name: &'static str,
    /// The figure; `None` is infinite.
    pub value: Option<f64>,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// The column that it is about, if it is about one.
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
    /// What it needs, serves and promises.
    fn capabilities(&self) -> Capabilities;
    /// Whether the search minimises the problem's metric. One that looks at no metric, or at one of its own, does not.
    fn minimises(&self, _problem: &Problem) -> bool {
        false
    }
    /// What it does not promise by itself, and what was done about it, by what it found for so many quasi-identifiers.
    fn caveat(&self, _findings: &[Finding], _quasi: usize) -> Option<String> {
        None
    }
    /// An error if this problem cannot be served, before any work.
    fn check(&self, problem: &Problem) -> Result<()>;
    /// The search.
    fn run(&self, problem: &Problem) -> Result<Solution>;
}

/// A search for records that cover rows of their own choice and may overlap, so that there are no classes.
pub trait RecordAlgorithm: Send + Sync {
    /// What it does, and what k is about.
    fn capabilities(&self) -> RecordCapabilities;
    /// An error if this problem cannot be served, before any work.
    fn check(&self, problem: &Problem) -> Result<()>;
    /// The search, and the audit of what it found.
    fn run(&self, problem: &Problem) -> Result<RecordSolution>;
}

/// What a search for records returns.
pub struct RecordSolution {
    /// The records, by tuple, then sensitive value.
    pub records: Vec<Record>,
    /// The payload column that is not published row by row, if one is not: as frequencies, or exchanged in rings.
    pub column: Option<usize>,
    /// What k is about.
    pub linkage: Linkage,
    /// How many rows each record counts.
    pub size: u64,
    /// How frequencies are written.
    pub format: Format,
    /// The rings in which records exchange the column's values, where they do.
    pub rings: Option<Rings>,
    /// What somebody may infer.
    pub audit: Audit,
    /// Notes for the report.
    pub findings: Vec<Finding>,
    /// What somebody should decide about before publishing.
    pub warnings: Vec<String>,
}

/// Records that exchange their values: each shows that of one of the `size` records from itself on in its ring.
pub struct Rings {
    /// Each ring as places of records, of which each is in one ring and stands for one row. Private, as the draw is.
    pub rings: Vec<Vec<u32>>,
    /// How it is drawn whose value is shown.
    pub exchange: nhaa::Exchange,
}

/// What k is about where records overlap (models.md 1.15).
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
    /// Not at all: concrete tables are drawn from the records.
    Sampled {
        /// How many.
        tables: u64,
    },
}

/// How an algorithm for records is made from its parameters.
pub type BuildRecordAlgorithm = fn(&Parameters) -> Result<Box<dyn RecordAlgorithm>>;

/// How an algorithm is made from its parameters.
pub type BuildAlgorithm = fn(&Parameters) -> Result<Box<dyn Algorithm>>;

/// The full-domain rule of a node, with the classes that fail suppressed.
fn solution_at(
    problem: &Problem,
    lattice: &Lattice,
    node: usize,
    findings: Vec<Finding>,
) -> Result<Solution> {
    Solution::of_step(problem, Step::Levels(lattice.levels(node)), findings)
}

/// What every search of the lattice tells.
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
            "how often the classes of a combination were looked at",
        ),
    ]
}
