//! Mondrian (LeFevre, DeWitt, Ramakrishnan 2006; algorithms.md B1): cuts the table along its widest column, again and
//! again, as long as every part meets every model.
//!
//! `units` defines what is divided, `part` divides it, `cuts` finds the cut of one column, and `search` cuts until nothing
//! can be cut. InfoGain Mondrian shares all of this and chooses its cuts by `gain`.

mod cuts;
mod gain;
mod part;
pub(super) mod search;
mod units;

use search::{Rule, Settings, SmallChildren};

use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "mondrian",
    title: "Mondrian, multidimensional partitioning",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    standing: Standing::Recommended,
    about: "The default: cuts the table along its widest column while every part meets every model, so each part is \
            coarsened only as far as it needs. Loses little, suppresses nothing, needs no class column, and hierarchies only where you \
            want them. Values of one column may overlap between groups.",
    parameters: &[
        (
            "mode",
            "strict (default): rows with equal values stay together; relaxed: rows equal to the median may go to both sides",
        ),
        ("cut", "nearest (default): the allowable cut nearest the middle; literal: only the median itself"),
        (
            "small_children",
            "together (default): children of a node that are too small alone stay together under the node; refuse: one \
             such child forbids the cut, as in the paper",
        ),
    ],
    build,
};

struct Mondrian {
    settings: Settings,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let literal = parameters.choice("cut", &["nearest", "literal"])? == Some("literal");
    let relaxed = parameters.choice("mode", &["strict", "relaxed"])? == Some("relaxed");
    let small_children = SmallChildren::read(parameters)?;
    Ok(Box::new(Mondrian { settings: Settings { rule: Rule::Widest { literal }, relaxed, small_children } }))
}

impl Algorithm for Mondrian {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fineness: if self.settings.relaxed {
                Fineness::TrueOfClass
            } else {
                let refuses_small_children = self.settings.small_children == SmallChildren::Refuse;
                Fineness::Uncuttable { refuses_small_children }
            },
            is_quick: true,
            serves_unmergeable: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        if let (true, Some(model)) =
            (self.settings.relaxed, problem.models.iter().find(|model| !model.monotonicity().merging))
        {
            return Err(Error::refused(format!(
                "relaxed partitioning may give two parts the same values, which then are one class, and {} can fail \
                 for a class whose parts keep it",
                model.title()
            ))
            .set(Setting::parameter("mode").to("strict"), "partition strictly"));
        }
        problem.check_whole(ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        search::run(problem, self.settings)
    }
}
