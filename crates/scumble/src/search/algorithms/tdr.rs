//! TDR, top-down refinement (Fung, Wang, Yu 2007; algorithms.md B7): TDS for columns with and without hierarchies.

use super::iack::class_of;
use super::top_down::{Score, descend};
use super::{Algorithm, Capabilities, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "tdr",
    title: "TDR, top-down refinement",
    paper: "Fung, Wang, Yu 2007",
    standing: Standing::Recommended,
    about: "TDS for columns with and without hierarchies: a hierarchy is gone down, an interval of numbers is cut where that helps most to predict the class column, and texts without a hierarchy are hidden until they are disclosed one by one. Suppresses \
            no row, and each column shows one set of values in all rows. Needs a class column. Several sets of \
            quasi-identifiers may each have their own requirement.",
    parameters: &[],
    build,
};

struct Tdr;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Tdr))
}

impl Algorithm for Tdr {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
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
        problem.projections()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        descend(problem, Score::GainPerLossAndOne)
    }
}
