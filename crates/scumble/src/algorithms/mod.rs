//! The algorithms, one file each: a problem in, a recoding out.

use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::lattice::{Checker, Lattice};
use crate::problem::Problem;
use crate::published::Classes;
use crate::recoding::{Assignment, Recoding, Step};

pub mod datafly;
pub mod flash;
pub mod genetic;
pub mod iacc;
pub mod iack;
pub mod incognito;
pub mod k_optimize;
pub mod mingen;
pub mod mondrian;
pub mod ola;
pub mod optimal;
pub mod samarati;
mod space;

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
    fn of_classes(step: Step, classes: Classes, findings: Vec<Finding>) -> Self {
        let assignment = classes.assignment;
        let shown = (0..assignment.classes()).filter(|class| !assignment.suppressed[*class]);
        let shown = shown.map(|class| assignment.values(class)).collect();
        Self { recoding: Recoding { step, shown: Some(shown) }, assignment, findings }
    }

    /// A rule, with the classes that fail a model suppressed; an error if they are more than may be.
    fn of_step(problem: &Problem, step: Step, findings: Vec<Finding>) -> Result<Self> {
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
}

/// A search for a recoding.
pub trait Algorithm: Send + Sync {
    /// Whether every quasi-identifier must have levels.
    fn needs_trees(&self) -> bool;
    /// Whether a run without any model makes no sense.
    fn needs_model(&self) -> bool {
        true
    }
    /// The suppression limit where the user gives none.
    fn default_suppression(&self) -> Rational {
        Rational::new(1, 20).unwrap_or(Rational::ZERO)
    }
    /// The metric that is minimised where the user names none.
    fn default_metric(&self) -> &'static str {
        "loss"
    }
    /// Whether the search can stop after a number of steps with the best it has found.
    fn takes_steps(&self) -> bool {
        false
    }
    /// An error if this problem cannot be served, before any work.
    fn check(&self, problem: &Problem) -> Result<()>;
    /// The search.
    fn run(&self, problem: &Problem) -> Result<Solution>;
}

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
        Finding {
            name: "nodes",
            value: Some(lattice.nodes() as f64),
            meaning: "the combinations of levels that there are",
        },
        Finding {
            name: "checked",
            value: Some(checker.checked() as f64),
            meaning: "how often the classes of a combination were looked at",
        },
    ]
}
