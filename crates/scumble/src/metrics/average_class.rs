//! C_AVG (LeFevre, DeWitt, Ramakrishnan 2006; models.md 2.4): the mean class size over k.

use super::Metric;
use crate::base::entry::{Entry, Standing};
use crate::problem::Problem;
use crate::recoding::published::Classes;

/// The registry entry.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "c_avg",
    title: "normalised average group size (C_AVG)",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    standing: Standing::Classic,
    about: "The mean size of the groups that are kept, over k: 1 is the best possible. Needs k-anonymity among the models.",
    parameters: &[],
    build: &AverageClass,
};

struct AverageClass;

impl Metric for AverageClass {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        let kept = classes.kept();
        let rows = problem.table.rows() - classes.suppressed_rows();
        (kept > 0).then(|| rows as f64 / kept as f64).zip(problem.k()).map(|(mean, k)| mean / k as f64)
    }

    /// The survey's text divides all rows, suppressed ones too (models.md 2.4).
    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        let kept = classes.kept() as f64;
        let k = problem.k().filter(|_| kept > 0.0);
        k.map(|k| ("with_suppressed", problem.table.rows() as f64 / kept / k as f64)).into_iter().collect()
    }

    /// Suppressing a large class makes the mean smaller.
    fn worsens(&self) -> bool {
        false
    }
}
