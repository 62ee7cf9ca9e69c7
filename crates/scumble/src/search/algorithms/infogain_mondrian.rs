//! InfoGain Mondrian (LeFevre, DeWitt, Ramakrishnan 2006b and 2008; algorithms.md B2): makes Mondrian's cuts, and chooses them
//! over all columns by what they say about the class column.

use super::mondrian::search::{self, Rule, Settings, SmallChildren};
use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "infogain_mondrian",
    title: "InfoGain Mondrian, partitioning for a class column",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006b, 2008",
    standing: Standing::Classic,
    about: "For tables that will train classifiers: cuts like Mondrian, but of all cuts that the models allow it makes the one \
            after which the class column is known best. Suppresses nothing; values of one column may overlap between groups. \
            Needs a class column.",
    parameters: &[
        (
            "min_gain",
            "the least gain of information, in bits, for which a part is cut (default 0: every allowable cut is made)",
        ),
        (
            "small_children",
            "together (default): children of a node that are too small alone stay together under the node; refuse: one \
             such child forbids the cut, as in the paper",
        ),
    ],
    build,
};

struct InfoGainMondrian {
    min_gain: f64,
    small_children: SmallChildren,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let min_gain = parameters.rational("min_gain", Rational::ZERO, None)?.map_or(0.0, |gain| gain.to_f64());
    Ok(Box::new(InfoGainMondrian { min_gain, small_children: SmallChildren::read(parameters)? }))
}

impl Algorithm for InfoGainMondrian {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_class: true,
            is_for_learners: true,
            fineness: Fineness::TrueOfClass,
            serves_unmergeable: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        super::iack::class_of(problem, ENTRY.name)?;
        problem.class_tests()?;
        problem.check_whole(ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let class = super::iack::class_of(problem, ENTRY.name)?;
        let rule = Rule::Information { class, min_gain: self.min_gain };
        search::run(problem, Settings { rule, relaxed: false, small_children: self.small_children })
    }
}
