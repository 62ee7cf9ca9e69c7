//! Discernibility (Bayardo, Agrawal 2005; models.md 2.2): how many rows look like each row.

use super::{ClassSum, Metric};
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;

/// The sum.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "discernibility",
    title: "discernibility (DM)",
    paper: "Bayardo, Agrawal 2005",
    standing: Standing::Classic,
    about: "The sum over rows of the size of their group; a suppressed row counts as many as the table has rows.",
    parameters: &[],
    build: &Discernibility { normalised: false },
};

/// The sum over the largest possible.
pub(crate) const NORMALISED: Entry<&'static dyn Metric> = Entry {
    name: "discernibility_normalised",
    title: "discernibility, normalised",
    paper: "Bayardo, Agrawal 2005",
    standing: Standing::Classic,
    about: "Discernibility over its largest value, the square of the number of rows: 1 shows nothing.",
    parameters: &[],
    build: &Discernibility { normalised: true },
};

struct Discernibility {
    normalised: bool,
}

impl Metric for Discernibility {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
        let mut sizes = kept.map(|class| classes.size(class));
        self.of_sizes(&mut sizes, classes.suppressed_rows(), problem.table.rows())
    }

    fn of_sizes(&self, kept: &mut dyn Iterator<Item = u64>, suppressed: u64, rows: u64) -> Option<f64> {
        let sum: u128 = kept.map(|size| u128::from(size).pow(2)).sum();
        let total = (sum + u128::from(rows) * u128::from(suppressed)) as f64;
        Some(if self.normalised { total / (rows.max(1) as f64).powi(2) } else { total })
    }

    fn range(&self) -> Option<(f64, f64)> {
        self.normalised.then_some((0.0, 1.0))
    }

    fn class_sum(&self) -> Option<ClassSum> {
        Some(ClassSum::Squares)
    }

    fn worsens(&self) -> bool {
        true
    }
}
