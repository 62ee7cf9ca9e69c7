//! IACK (Li, Liu, Baig, Wong 2011, Algorithm 1; algorithms.md A1): each column goes to the level that says most
//! about the class column per bit that it shows, then every class that fails a model is suppressed, or generalised further.

use super::{Algorithm, Capabilities, Finding, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::metrics::contingency::{Contingency, TIE};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::recoding::{Assignment, Step};

mod leftover;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "iack",
    title: "IACK: information-based anonymization for classification, given k",
    paper: "Li, Liu, Baig, Wong 2011, Algorithm 1",
    standing: Standing::Recommended,
    about: "For tables that will train classifiers: chooses each column's level by its normalised mutual information with \
            the class column, whatever k is, so all releases of a table share one domain; then suppresses the rows of groups that fail a model. Needs a class column and a hierarchy for every quasi-identifier.",
    parameters: &[(
        "leftover",
        "suppress (default): rows of groups that fail a model are suppressed; generalize: they are coarsened further, and only \
         those that still fail are suppressed",
    )],
    build,
};

struct Iack {
    /// Whether rows of failing classes are generalised further.
    generalize: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let leftover = parameters.choice("leftover", &["suppress", "generalize"])?;
    Ok(Box::new(Iack { generalize: leftover == Some("generalize") }))
}

/// The class column, or an error that says how to give one.
pub(super) fn class_of(problem: &Problem, algorithm: &str) -> Result<usize> {
    problem.class.ok_or_else(|| {
        Error::config(format!("'{algorithm}' needs a class column, the label that classifiers will predict"))
            .set(Setting::role("class"), "name the class column")
            .another_that("use an algorithm that needs no class column")
    })
}

/// The normalised information I_N between a column and the class at every level, from the leaves (level 0) to the
/// root.
#[must_use]
pub(crate) fn information_by_level(problem: &Problem, column: usize, class: usize) -> Vec<f64> {
    let quasi = &problem.quasi[column];
    let Some(tree) = quasi.tree() else { return Vec::new() };
    let leaves = Contingency::of_column(&problem.table, column, quasi.size() as usize, class);
    (0..=tree.height())
        .map(|level| {
            leaves.roll_up(&tree.level_map(level), tree.node_count() as usize).normalised_information()
        })
        .collect()
}

/// Returns the most specific of the levels with the highest score. A curve that rises towards the leaves, or is
/// flat, leaves the column unchanged, so no separate "no peak" rule is needed.
fn best_level(scores: &[f64]) -> u32 {
    let best = scores.iter().copied().fold(0.0, f64::max);
    scores.iter().position(|score| *score >= best - TIE).unwrap_or(0) as u32
}

/// The level of each column.
pub(super) fn levels(problem: &Problem, class: usize) -> Result<Vec<u32>> {
    use rayon::prelude::*;
    let level = |column| {
        problem.progress.check()?;
        let level = best_level(&information_by_level(problem, column, class));
        problem.progress.advance(1);
        problem.progress.check().map(|()| level)
    };
    problem.progress.control().begin(Some(problem.quasi.len() as u64));
    (0..problem.quasi.len()).into_par_iter().map(level).collect()
}

/// Whether one outcome suppresses more rows than another, or loses more.
fn worse(one: &Classes, other: &Classes, problem: &Problem) -> bool {
    let loss = |classes: &Classes| {
        let means = crate::metrics::loss::by_column(classes, problem);
        means.iter().zip(&problem.quasi).map(|(mean, quasi)| mean * quasi.priority).sum::<f64>()
    };
    one.suppressed_rows() > other.suppressed_rows() || loss(one) > loss(other) + TIE
}

impl Algorithm for Iack {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            needs_class: true,
            // Levels depend on what they say about the class label as a whole.
            is_led_by_sensitive: false,
            default_suppression: Rational::ONE,
            // Generalising rows further one by one makes classes that overlap.
            serves_population: !self.generalize,
            // Rows that are generalised further join classes that were checked before.
            serves_unmergeable: !self.generalize,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        class_of(problem, ENTRY.name)?;
        problem.check_trees(ENTRY.name)?;
        if self.capabilities().serves_population {
            problem.tests().map(|_| ())
        } else {
            problem.class_tests().map(|_| ())
        }
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let class = class_of(problem, ENTRY.name)?;
        let levels = levels(problem, class)?;
        let step = Step::Levels(levels.clone());
        problem.progress.check()?;
        let assignment = step.apply(&problem.table, &problem.quasi);
        let further =
            if self.generalize { leftover::generalize(problem, &levels, &assignment)? } else { None };
        let suppressed = problem.suppress_failing(assignment);
        let (step, classes, rows) = match (further, suppressed) {
            (Some(further), suppressed)
                if suppressed.as_ref().map_or(true, |other| !worse(&further.0, other, problem)) =>
            {
                let (classes, rows) = further;
                let regions =
                    Assignment { suppressed: vec![false; classes.len()], ..classes.assignment.clone() };
                (Step::Regions(Box::new(regions)), classes, rows)
            }
            (_, suppressed) => (step, suppressed?, 0),
        };
        let (alpha, beta) = crate::metrics::information::largest_changes(&classes, problem, class);
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut findings = vec![
            Finding::new(
                "alpha",
                finite(alpha),
                "the largest change of a column's normalised mutual information with the class by suppression",
            ),
            Finding::new(
                "beta",
                finite(beta),
                "the largest normalised Kullback-Leibler divergence of a column by suppression",
            ),
        ];
        if self.generalize {
            findings.push(Finding::new(
                "generalised",
                Some(rows as f64),
                "the rows that were generalised further and so not suppressed",
            ));
        }
        Ok(Solution::of_classes(step, classes, findings))
    }
}

#[cfg(test)]
mod tests {
    use super::best_level;

    #[test]
    fn ties_go_to_the_more_specific_level() {
        assert_eq!(best_level(&[0.2, 0.3, 0.3, 0.0]), 1);
        assert_eq!(best_level(&[0.0, 0.0]), 0);
        assert_eq!(best_level(&[0.5, 0.4, 0.0]), 0);
    }
}
