//! The greedy descent that `tds`, `tdr` and `pais` share (algorithms.md B5 to B7). Every column begins at its root. Again
//! and again the descent makes the best of the refinements after which every class still meets the models, until none is
//! left.
//!
//! The cuts are the same for all rows, so the release has one domain per column. The state before each step meets every
//! model, so nothing is ever suppressed. Which refinements are allowed is computed from the current classes each time, and
//! nothing is ruled out for good, so models need not be monotone under merging.

mod cut;
mod partition;
#[cfg(test)]
pub(super) mod tests;

use self::cut::Cut;
use self::partition::ColumnClasses;
use super::gain::{Gains, Threshold};
use super::{Finding, Solution};
use crate::error::Result;
use crate::metrics::contingency::TIE;
use crate::problem::{Problem, Progress, Projection};
use crate::recoding::Step;

/// The measure by which refinements are compared; larger is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Score {
    /// Information gain per row that the smallest class loses; the gain itself where it loses none (B6).
    GainPerLoss,
    /// Information gain divided by one more than the rows that the smallest class loses (B7).
    GainPerLossAndOne,
    /// Information gain (B5).
    Gain,
    /// The sum of the squared sizes of the classes that are divided (B5, for general use).
    Discernibility,
}

impl Score {
    /// Whether the score depends on a class column.
    fn needs_class(self) -> bool {
        self != Self::Discernibility
    }
}

/// A refinement that may be made.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Candidate {
    column: usize,
    value: u32,
    refinement: usize,
    score: f64,
}

/// The state of the descent.
struct Descent<'a> {
    score: Score,
    cuts: Vec<Cut<'a>>,
    partitions: Vec<ColumnClasses<'a>>,
}

impl<'a> Descent<'a> {
    /// Starts with every column at its root.
    fn new(problem: &'a Problem, score: Score) -> Result<Self> {
        let class = problem.class.filter(|_| score.needs_class());
        let by = if score.needs_class() { Threshold::Informative } else { Threshold::Middle };
        let cut = |(column, quasi): (usize, &'a crate::table::quasi::Quasi)| {
            Cut::at_root(quasi, Gains::of_column(&problem.table, column, quasi.size(), class, by))
        };
        let cuts: Vec<Cut<'a>> = problem.quasi.iter().enumerate().map(cut).collect();
        let mut projections = problem.projections()?;
        let all: Vec<usize> = (0..cuts.len()).collect();
        if score == Score::Discernibility && projections.iter().all(|projection| projection.columns != all) {
            // Discernibility is about the classes of all columns, whether or not a model applies to them.
            projections.push(Projection { columns: all, tests: Vec::new() });
        }
        let partitions = projections
            .into_iter()
            .map(|projection| ColumnClasses::new(&problem.table, projection, &cuts))
            .collect();
        Ok(Self { score, cuts, partitions })
    }

    /// The refinements that are allowed and can help, in the order in which ties are broken.
    fn candidates(&self, progress: &Progress) -> Result<Vec<Candidate>> {
        let smallest: Vec<u64> = self.partitions.iter().map(ColumnClasses::smallest).collect();
        let mut candidates = Vec::new();
        for (column, cut) in self.cuts.iter().enumerate() {
            for (value, refinable) in cut.open() {
                if self.score.needs_class() && !refinable.is_mixed() {
                    continue;
                }
                for refinement in 0..refinable.refinements() {
                    progress.check()?;
                    if let Some(loss) = self.loss(&smallest, column, value, refinement) {
                        let gain = refinable.gain(refinement);
                        let score = self.score_of(column, value, gain, loss);
                        candidates.push(Candidate { column, value, refinement, score });
                    }
                }
            }
        }
        Ok(candidates)
    }

    /// How much the smallest class loses, averaged over the sets of columns that contain this column and have a model;
    /// `None` if a class would fail.
    fn loss(&self, smallest: &[u64], column: usize, value: u32, refinement: usize) -> Option<f64> {
        let (mut lost, mut sets) = (0, 0);
        for (partition, smallest) in self.partitions.iter().zip(smallest) {
            let Some(place) = partition.place(column).filter(|_| partition.is_judged()) else { continue };
            let outlook = partition.outlook(place, value, refinement);
            if !outlook.passes {
                return None;
            }
            lost += smallest.saturating_sub(outlook.least);
            sets += 1;
        }
        Some(lost as f64 / f64::from(sets.max(1)))
    }

    fn score_of(&self, column: usize, value: u32, gain: f64, loss: f64) -> f64 {
        match self.score {
            Score::GainPerLoss if loss > 0.0 => gain / loss,
            Score::GainPerLoss | Score::Gain => gain,
            Score::GainPerLossAndOne => gain / (loss + 1.0),
            Score::Discernibility => {
                let whole = self.partitions.iter().find(|partition| partition.width() == self.cuts.len());
                let squares = whole.and_then(|whole| Some(whole.squares(whole.place(column)?, value)));
                squares.unwrap_or(0) as f64
            }
        }
    }

    /// Returns the best refinement; the first wins ties.
    fn best(&self, progress: &Progress) -> Result<Option<Candidate>> {
        let better = |best: Option<Candidate>, next: Candidate| match best {
            Some(best) if next.score <= best.score + TIE => Some(best),
            _ => Some(next),
        };
        Ok(self.candidates(progress)?.into_iter().fold(None, better))
    }

    /// Makes a refinement. Only sets that contain the column are updated, and in them only the classes that show the value.
    fn refine(&mut self, candidate: Candidate) {
        self.cuts[candidate.column].refine(candidate.value, candidate.refinement);
        for partition in &mut self.partitions {
            if let Some(place) = partition.place(candidate.column) {
                partition.refine(place, candidate.value, &self.cuts);
            }
        }
    }
}

/// Runs the whole descent.
pub(super) fn descend(problem: &Problem, score: Score) -> Result<Solution> {
    let mut descent = Descent::new(problem, score)?;
    let mut steps = 0_u64;
    while let Some(best) = descent.best(&problem.progress)? {
        problem.progress.check()?;
        descent.refine(best);
        problem.progress.advance(1);
        steps += 1;
    }
    let findings = vec![Finding::new(
        "specialisations",
        Some(steps as f64),
        "how often a value was replaced by finer ones",
    )];
    let step = Step::Maps(descent.cuts.iter().map(Cut::shown).collect());
    Ok(Solution::of_sound_step(problem, step, findings))
}
