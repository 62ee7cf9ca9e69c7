//! What a release still reveals about the sensitive values of its rows (models.md 2.11): the distribution of a row's class, against
//! the truth.

use super::Metric;
use crate::base::entry::{Entry, Standing};
use crate::config::StarPolicy;
use crate::problem::Problem;
use crate::recoding::published::{ClassView, Classes};

/// One minus the share of the true value.
pub(crate) const SHARE: Entry<&'static dyn Metric> = Entry {
    name: "sensitive_loss",
    title: "sensitive-distribution loss",
    paper: "total variation to the truth",
    standing: Standing::Classic,
    about: "The mean over all rows of 1 minus the share that the row's own sensitive value has in its group: 0 if every group has \
            one value, which is what protection forbids. For comparing releases that keep the same models; lower keeps more. Needs \
            a model that protects a column.",
    parameters: &[],
    build: &Sensitive { bits: false },
};

/// The bits that the distribution leaves open.
pub(crate) const BITS: Entry<&'static dyn Metric> = Entry {
    name: "sensitive_bits",
    title: "sensitive-distribution loss in bits",
    paper: "logarithmic loss",
    standing: Standing::Classic,
    about: "The mean over all rows of -log2 of the share that the row's own sensitive value has in its group: the bits that are \
            left to learn about it. Lower keeps more. Needs a model that protects a column.",
    parameters: &[],
    build: &Sensitive { bits: true },
};

struct Sensitive {
    bits: bool,
}

impl Sensitive {
    /// The loss of the rows of a class, summed.
    fn of_tally(&self, tally: &[(u32, u64)]) -> f64 {
        let size: u64 = tally.iter().map(|(_, rows)| rows).sum();
        let of_value = |(_, rows): &(u32, u64)| {
            let share = *rows as f64 / size as f64;
            *rows as f64 * if self.bits { -share.log2() } else { 1.0 - share }
        };
        tally.iter().map(of_value).sum()
    }

    /// The loss of a row that is not there: each value that occurs is as likely as the others.
    fn of_unknown(&self, values: usize) -> f64 {
        let values = values.max(1) as f64;
        if self.bits { values.log2() } else { 1.0 - 1.0 / values }
    }
}

impl Metric for Sensitive {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        let columns = super::protected(problem);
        let payloads = problem.table.payloads();
        let mut tally = Vec::new();
        let mut of_class = |view: ClassView<'_>, column: usize| {
            view.tally(column, &mut tally);
            self.of_tally(&tally)
        };
        let mut sum = 0.0;
        for column in &columns {
            for class in (0..classes.len()).filter(|class| !classes.is_suppressed(*class)) {
                sum += of_class(classes.view(class, payloads), *column);
            }
            sum += if classes.policy == StarPolicy::Drop {
                let values = payloads.columns[*column].values.len();
                classes.suppressed_rows() as f64 * self.of_unknown(values)
            } else {
                of_class(classes.star(payloads), *column)
            };
        }
        let rows = problem.table.rows() as usize * columns.len();
        (rows > 0).then(|| (sum / rows as f64).max(0.0))
    }

    fn range(&self) -> Option<(f64, f64)> {
        (!self.bits).then_some((0.0, 1.0))
    }

    /// Both forms are concave in the distribution: a mixture of classes loses at least what they lose on average.
    fn worsens(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_thirds_flu_one_third_angina() {
        // Two rows lose 1/3 each, one 2/3.
        let share = Sensitive { bits: false };
        assert!((share.of_tally(&[(0, 2), (1, 1)]) - 4.0 / 3.0).abs() < 1e-12);
        let bits = Sensitive { bits: true };
        assert!((bits.of_tally(&[(0, 2), (1, 1)]) - (2.0 * 1.5_f64.log2() + 3.0_f64.log2())).abs() < 1e-12);
        assert_eq!((share.of_tally(&[(7, 3)]), bits.of_tally(&[(7, 3)])), (0.0, 0.0));
        assert_eq!((share.of_unknown(4), bits.of_unknown(4)), (0.75, 2.0));
    }
}
