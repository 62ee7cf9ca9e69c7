//! PAIS, privacy-aware information sharing (Mohammed, Fung, Hung, Lee 2009; algorithms.md B5).

use super::iack::class_of;
use super::top_down::{Score, descend};
use super::{Algorithm, Capabilities, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "pais",
    title: "PAIS, privacy-aware information sharing",
    paper: "Mohammed, Fung, Hung, Lee 2009",
    standing: Standing::Recommended,
    about: "The search for LKC-privacy, which assumes that outsiders know at most L of the quasi-identifiers: goes down from the \
            roots by what helps most to predict the class column; without a class column, by what divides the largest groups. Takes columns with and without hierarchies, suppresses no row, and each column shows one set of \
            values in all rows.",
    parameters: &[(
        "score",
        "infogain (default with a class column): what helps most to predict that column; discernibility (default without one): what divides the largest groups",
    )],
    build,
};

struct Pais {
    /// Not given: by whether there is a class column.
    score: Option<Score>,
}

impl Pais {
    fn score(&self, problem: &Problem) -> Score {
        self.score.unwrap_or(match problem.class {
            Some(_) => Score::Gain,
            None => Score::Discernibility,
        })
    }
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let score = match parameters.choice("score", &["infogain", "discernibility"])? {
        Some("discernibility") => Some(Score::Discernibility),
        Some(_) => Some(Score::Gain),
        None => None,
    };
    Ok(Box::new(Pais { score }))
}

impl Algorithm for Pais {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_class: self.score == Some(Score::Gain),
            reach: Reach::Label,
            fineness: Fineness::OneTellingStep,
            default_suppression: Rational::ZERO,
            serves_projections: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        if self.score(problem) == Score::Gain {
            class_of(problem, "pais with score = infogain")?;
        }
        problem.projections()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        descend(problem, self.score(problem))
    }
}
