//! TDS, top-down specialisation (Fung, Wang, Yu 2005; algorithms.md B6).

use super::iack::class_of;
use super::top_down::{Score, descend};
use super::{Algorithm, Capabilities, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "tds",
    title: "TDS, top-down specialisation",
    paper: "Fung, Wang, Yu 2005",
    standing: Standing::Recommended,
    about: "For tables that will train classifiers: starts with every column fully coarsened, then refines one value at a time: each time the value whose refinement helps most to predict the class column, per row by which the smallest group shrinks. Suppresses nothing, and \
            each column shows one set of values in all rows. Needs a class column; numbers and texts without a hierarchy are \
            better served by tdr.",
    parameters: &[],
    build,
};

struct Tds;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Tds))
}

impl Algorithm for Tds {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            needs_class: true,
            reach: Reach::Label,
            fineness: Fineness::OneTellingStep,
            default_suppression: Rational::ZERO,
            serves_projections: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        class_of(problem, ENTRY.name)?;
        problem.check_trees(ENTRY.name)?;
        problem.projections()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        descend(problem, Score::GainPerLoss)
    }
}
