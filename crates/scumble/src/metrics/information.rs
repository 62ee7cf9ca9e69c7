//! What suppression does to each column (Li et al. 2011; models.md 2.8): the Kullback-Leibler divergence of its
//! distribution, and the change of its normalised mutual information with the class.

use super::Metric;
use crate::information::Contingency;
use crate::problem::Problem;
use crate::published::{Classes, Published};
use crate::registry::{Entry, Standing};

/// The largest divergence.
pub const DIVERGENCE: Entry<&'static dyn Metric> = Entry {
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
pub const MUTUAL_INFORMATION: Entry<&'static dyn Metric> = Entry {
    name: "mutual_information_change",
    title: "largest change of normalised mutual information",
    paper: "Li, Liu, Baig, Wong 2011",
    standing: Standing::Classic,
    about: "How much suppression changes what the most changed column tells about the class. Needs a class column.",
    parameters: &[],
    build: &Information { divergence: false },
};

struct Information {
    divergence: bool,
}

/// Rows per shown value and class of each column, before and after suppression.
#[must_use]
pub fn contingencies(classes: &Classes, problem: &Problem, class: usize) -> Vec<(Contingency, Contingency)> {
    let payloads = problem.table.payloads();
    let labels = payloads.columns[class].values.len();
    classes
        .assignment
        .columns
        .iter()
        .map(|column| {
            let mut before = Contingency::new(column.values.len(), labels);
            let mut after = before.clone();
            for (place, value) in column.of_class.iter().enumerate() {
                for cell in classes.class_cells(place) {
                    let label = payloads.value(cell.payload, class);
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
pub fn largest_changes(classes: &Classes, problem: &Problem, class: usize) -> (f64, f64) {
    contingencies(classes, problem, class).iter().fold(
        (0.0, 0.0),
        |(alpha, beta): (f64, f64), (before, after)| {
            (alpha.max(before.information_change(after)), beta.max(before.divergence_to(after, None)))
        },
    )
}

impl Metric for Information {
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64> {
        let classes = super::classes_of(published);
        let (alpha, beta) = largest_changes(classes, problem, problem.class?);
        Some(if self.divergence { beta } else { alpha })
    }

    /// Where a value is lost the divergence is infinite; then also how many are, and the finite companion in which a lost value
    /// counts as half a row (models.md 2.8).
    fn details(&self, published: &Published, problem: &Problem) -> Vec<(&'static str, f64)> {
        let Some(class) = problem.class.filter(|_| self.divergence) else { return Vec::new() };
        let columns = contingencies(super::classes_of(published), problem, class);
        let lost: usize = columns.iter().map(|(before, after)| before.vanished(after)).sum();
        let floor = 0.5 / problem.table.rows().max(1) as f64;
        let finite = columns.iter().map(|(before, after)| before.divergence_to(after, Some(floor)));
        vec![("lost_values", lost as f64), ("finite", finite.fold(0.0, f64::max))]
    }

    /// Suppressing more rows can bring a column's distribution back.
    fn worsens(&self) -> bool {
        false
    }
}
