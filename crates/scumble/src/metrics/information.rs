//! What suppression does to each column (Li et al. 2011; models.md 2.8): the Kullback-Leibler divergence of its
//! distribution, and the change of its normalised mutual information with the class.

use super::Metric;
use crate::base::entry::{Entry, Standing};
use crate::metrics::contingency::Contingency;
use crate::problem::Problem;
use crate::recoding::published::Classes;

/// The largest divergence.
pub(crate) const DIVERGENCE: Entry<&'static dyn Metric> = Entry {
    name: "kl_divergence",
    title: "largest normalised Kullback-Leibler divergence",
    paper: "Li, Liu, Baig, Wong 2011",
    standing: Standing::Classic,
    about: "How much suppression distorts the distribution of the most distorted column, relative to that column's entropy. \
            Infinite when a value disappears from the release.",
    parameters: &[],
    build: &Information { divergence: true },
};

/// The largest change of mutual information.
pub(crate) const MUTUAL_INFORMATION: Entry<&'static dyn Metric> = Entry {
    name: "mutual_information_change",
    title: "largest change of normalised mutual information",
    paper: "Li, Liu, Baig, Wong 2011",
    standing: Standing::Classic,
    about: "How much suppression changes what the most changed column says about the class column. Needs a class column.",
    parameters: &[],
    build: &Information { divergence: false },
};

struct Information {
    divergence: bool,
}

/// Rows per shown value and class label of each column, before and after suppression; without a class all rows have one label.
#[must_use]
pub(crate) fn contingencies(
    classes: &Classes,
    problem: &Problem,
    class: Option<usize>,
) -> Vec<(Contingency, Contingency)> {
    let payloads = problem.table.payloads();
    let labels = class.map_or(1, |class| payloads.columns[class].values.len());
    classes
        .assignment
        .columns
        .iter()
        .map(|column| {
            let mut before = Contingency::new(column.values.len(), labels);
            let mut after = before.clone();
            for (place, value) in column.of_class.iter().enumerate() {
                for cell in classes.class_cells(place) {
                    let label = class.map_or(0, |class| payloads.value(cell.payload, class));
                    before.add(value, label, u64::from(cell.rows));
                    if !classes.is_suppressed(place) {
                        after.add(value, label, u64::from(cell.rows));
                    }
                }
            }
            (before, after)
        })
        .collect()
}

/// The largest |change of I_N| and the largest D_N over the columns (the paper's alpha and beta).
#[must_use]
pub(crate) fn largest_changes(classes: &Classes, problem: &Problem, class: usize) -> (f64, f64) {
    contingencies(classes, problem, Some(class)).iter().fold(
        (0.0, 0.0),
        |(alpha, beta): (f64, f64), (before, after)| {
            (alpha.max(before.information_change(after)), beta.max(before.divergence_to(after)))
        },
    )
}

impl Metric for Information {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        if self.divergence {
            // Distributions of values have no labels in them.
            let columns = contingencies(classes, problem, None);
            return Some(
                columns.iter().map(|(before, after)| before.divergence_to(after)).fold(0.0, f64::max),
            );
        }
        Some(largest_changes(classes, problem, problem.class?).0)
    }

    /// Where a value is lost the divergence is infinite; then also how many are, and the finite companion in which a lost value
    /// counts as half a row (models.md 2.8).
    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        if !self.divergence {
            return Vec::new();
        }
        let columns = contingencies(classes, problem, None);
        let lost: usize = columns.iter().map(|(before, after)| before.vanished(after)).sum();
        let finite = columns.iter().map(|(before, after)| before.finite_divergence_to(after));
        vec![("lost_values", lost as f64), ("finite", finite.fold(0.0, f64::max))]
    }

    /// Suppressing more rows can bring a column's distribution back.
    fn worsens(&self) -> bool {
        false
    }
}
