//! What a search may ask of a metric: a figure on what would be published. The metrics themselves are in `metrics/`.

use super::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::Value;

/// A figure on a release.
pub trait Metric: Send + Sync {
    /// The figure; `None` where it is not defined (no class column, no class left, no levels).
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64>;
    /// Further figures that belong to it, by name: the same in another unit, what it is made of, how sure it is.
    fn details(&self, _classes: &Classes, _problem: &Problem) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    /// The figure and its details, for metrics that find them together.
    fn measure_fully(&self, classes: &Classes, problem: &Problem) -> Measured {
        Measured { value: self.measure(classes, problem), details: self.details(classes, problem) }
    }
    /// Whether less is better.
    fn lower_is_better(&self) -> bool {
        true
    }
    /// The least and the greatest value that it can have, where both are known for every table.
    fn range(&self) -> Option<(f64, f64)> {
        None
    }
    /// The columns' part, where their mean penalties decide the figure: a search then needs no classes for it.
    fn by_column<'p>(&self, _problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        None
    }
    /// The figure from the sizes of the kept classes, the suppressed rows and all rows, where these decide it.
    fn of_sizes(&self, _kept: &mut dyn Iterator<Item = u64>, _suppressed: u64, _rows: u64) -> Option<f64> {
        None
    }
    /// The sum over classes that the figure is, in some unit, for searches that know bounds on it.
    fn class_sum(&self) -> Option<ClassSum> {
        None
    }
    /// Whether neither merging classes, nor showing coarser values, nor suppressing rows ever makes the figure better. A search
    /// may then skip what is coarser than a recoding that is too bad already.
    fn worsens(&self) -> bool;
}

/// A figure with what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The figure; `None` where it is not defined.
    pub value: Option<f64>,
    /// Further figures, by name.
    pub details: Vec<(&'static str, f64)>,
}

/// Whole numbers that are added up over classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassSum {
    /// The square of a class's size; a suppressed row counts as many as the table has rows.
    Squares,
    /// The rows of a class that do not have its most frequent class label; a suppressed row counts 1.
    Minorities,
}

/// A figure that the mean penalties of the columns decide. If the metric worsens, it gets no better when one of them grows, and
/// a penalty is at most that of [`Value::Star`] and not less for a coarser value.
pub trait ByColumn: Send + Sync {
    /// The penalty of a row that shows this value. The mean over all rows of the table is what counts: a single penalty may lack
    /// what is the same for every way to publish the table, and so be negative.
    fn penalty(&self, column: usize, value: Value) -> f64;
    /// The figure of the columns' mean penalties over all original rows.
    fn figure(&self, means: &[f64]) -> Option<f64>;
}
