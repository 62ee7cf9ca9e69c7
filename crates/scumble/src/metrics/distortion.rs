//! Weighted hierarchical distance (Sun, Wang, Li 2009, Definitions 3 to 6; models.md 2.7): how far up its hierarchy each cell
//! was lifted, with priorities of columns. DBCA minimises it.

use super::{ByColumn, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::{Quasi, Shape, Value};

/// Every step up a hierarchy weighs the same.
pub(crate) const UNIFORM: Entry<&'static dyn Metric> = Entry {
    name: "distortion",
    title: "weighted hierarchical distance (WHD), uniform",
    paper: "Sun, Wang, Li 2009",
    standing: Standing::Classic,
    about: "The mean over all original rows and quasi-identifiers of (steps taken up the hierarchy / steps to the root): 0 is \
            untouched, 1 shows nothing. A column without a hierarchy has the three levels value, range or set, and *; one that \
            has no steps to take is left out. Columns weigh as their `priority` says. DBCA minimises it.",
    parameters: &[],
    build: &Distance { weights: Weights::Uniform },
};

/// Steps near the root weigh more.
pub(crate) const HEIGHT: Entry<&'static dyn Metric> = Entry {
    name: "distortion_height",
    title: "weighted hierarchical distance (WHD), by height",
    paper: "Sun, Wang, Li 2009",
    standing: Standing::Classic,
    about: "As distortion, with steps that weigh more towards the root: the last one 1, the one before 1/2, then 1/3 and so on. \
            Columns weigh as their `priority` says. DBCA with weights = height and beta = 1 minimises it.",
    parameters: &[],
    build: &Distance { weights: Weights::Height { beta: 1.0 } },
};

/// How much the steps up a hierarchy weigh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weights {
    /// All the same.
    Uniform,
    /// More towards the root: the step between the levels j and j − 1, counted from the root (1), weighs 1/(j − 1)^beta.
    Height {
        /// How fast the weight falls, at least 1.
        beta: f64,
    },
}

impl Weights {
    /// WHD from a leaf to each level, from 0 at the leaves to 1 at the root of a tree of this height.
    #[must_use]
    pub(crate) fn levels(self, height: u32) -> Vec<f64> {
        // The step from level g − 1 to g, counted from the leaves, is the one between h − g + 1 and h − g of the paper.
        let step = |level: u32| match self {
            Self::Uniform => 1.0,
            Self::Height { beta } => power(f64::from(height - level + 1), beta).recip(),
        };
        let all: f64 = (1..=height).map(step).sum();
        let mut sum = 0.0;
        let upward = (1..=height).map(|level| {
            sum += step(level);
            if level == height { 1.0 } else { sum / all }
        });
        [0.0].into_iter().chain(upward).collect()
    }
}

/// A power; of a whole exponent by multiplication, which gives the same bits on every machine.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 {
        (0..exponent as u32).fold(1.0, |product, _| product * base)
    } else {
        base.powf(exponent)
    }
}

struct Distance {
    weights: Weights,
}

impl Metric for Distance {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        super::of_columns(self, classes, problem)
    }

    /// The paper adds up priority times distance over all cells.
    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        let sums = super::column_sums(&Distances::new(problem, self.weights), classes);
        vec![("total", sums.iter().zip(&problem.quasi).map(|(sum, quasi)| sum * quasi.priority).sum())]
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((0.0, 1.0))
    }

    fn by_column<'p>(&self, problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        Some(Box::new(Distances::new(problem, self.weights)))
    }

    fn worsens(&self) -> bool {
        true
    }
}

/// The distances of a problem's values from the original ones.
pub(crate) struct Distances<'p> {
    problem: &'p Problem,
    /// By column and level.
    levels: Vec<Vec<f64>>,
}

impl<'p> Distances<'p> {
    /// The distances of a problem's values.
    #[must_use]
    pub(crate) fn new(problem: &'p Problem, weights: Weights) -> Self {
        let levels = problem.quasi.iter().map(|quasi| weights.levels(height(quasi))).collect();
        Self { problem, levels }
    }
}

impl ByColumn for Distances<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        let quasi = &self.problem.quasi[column];
        let level = match quasi.steps(value) {
            Some((steps, _)) => steps,
            None => level_without_tree(quasi, value),
        };
        self.levels[column][level as usize]
    }

    /// Columns that have no steps to take cost nothing, even in a suppressed row, and are not counted, as in precision.
    fn figure(&self, means: &[f64]) -> Option<f64> {
        let columns = means.iter().zip(&self.levels).zip(&self.problem.quasi);
        let (taken, all) = columns
            .filter(|((_, levels), _)| levels.len() > 1)
            .fold((0.0, 0.0), |(taken, all), ((mean, _), quasi)| {
                (taken + mean * quasi.priority, all + quasi.priority)
            });
        Some(if all > 0.0 { taken / all } else { 0.0 })
    }
}

/// The steps from a value to nothing. Without a tree: the value, a range or set of values, nothing; none where there is one value.
fn height(quasi: &Quasi) -> u32 {
    quasi.tree().map_or(if quasi.size() <= 1 { 0 } else { 2 }, |tree| tree.height())
}

/// 0 for a value of its own, 1 for several, 2 for nothing; 0 where there is one value only.
fn level_without_tree(quasi: &Quasi, value: Value) -> u32 {
    if quasi.size() <= 1 {
        return 0;
    }
    let one = match (value, &quasi.shape) {
        (Value::Star, _) => return 2,
        (Value::Span(low, high), Shape::Line(line)) => {
            // A number alone may be published as the range between its neighbours.
            let (from, to) =
                if Some(high) == line.missing() { (0, 0) } else { quasi.bounds(line, low, high) };
            from == to
        }
        (Value::Subset(codes), _) => codes.count_ones() == 1,
        _ => quasi.codes(value).0 == quasi.codes(value).1,
    };
    u32::from(!one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::partition::testing::{numbers, problem, words};

    #[test]
    fn the_papers_distances() {
        // The date of birth has six levels, a gender two.
        assert_eq!(Weights::Uniform.levels(5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(Weights::Uniform.levels(1), [0.0, 1.0]);
        let height = Weights::Height { beta: 1.0 };
        assert!((height.levels(5)[1] - 12.0 / 137.0).abs() < 1e-12);
        // Eleven such cells cost less than one gender, twelve more.
        assert!((11.0 * height.levels(5)[1] - 0.963504).abs() < 1e-6);
        assert_eq!(height.levels(1), [0.0, 1.0]);
        // Two numbers that meet in an interval below the root: one third.
        assert!((height.levels(2)[1] - 1.0 / 3.0).abs() < 1e-12);
        // Of steps that weigh 1 and 1/4, the lower one is a fifth.
        assert!((Weights::Height { beta: 2.0 }.levels(2)[1] - 0.2).abs() < 1e-12);
    }

    /// A column of one value has no steps to take: whatever is shown, it costs nothing and leaves the figure alone.
    #[test]
    fn a_column_of_one_value_is_left_out() {
        assert_eq!(Weights::Uniform.levels(0), [0.0]);
        let rows = [(vec![0, 0], 0), (vec![1, 0], 0)];
        let problem = problem(vec![numbers(&[20, 30]), words(1)], &rows, 1, 1);
        let distances = Distances::new(&problem, Weights::Uniform);
        assert_eq!([0, 1].map(|column| distances.penalty(column, Value::Star)), [1.0, 0.0]);
        assert_eq!(distances.figure(&[1.0, 0.0]), Some(1.0), "nothing is shown");
        assert_eq!(distances.figure(&[0.5, 0.0]), Some(0.5));
    }
}
