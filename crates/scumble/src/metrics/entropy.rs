//! The entropy family (Gionis, Tassa 2009; models.md 2.6): how many bits about its original value each cell leaves open. All
//! probabilities are taken from the original column; logarithms are to the base 2.

use super::{ByColumn, Metric};
use crate::base::entry::{Entry, Standing};
use crate::metrics::contingency::ColumnEntropy;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::quasi::Value;

/// Mean uncertainty of a released value.
pub(crate) const ENTROPY: Entry<&'static dyn Metric> = Entry {
    name: "entropy",
    title: "entropy measure, share of all bits",
    paper: "Gionis, Tassa 2009",
    standing: Standing::Classic,
    about: "How uncertain a cell's original value is for a reader, as a share of the uncertainty without any value shown: H(column | what the cell shows) / H(column). Not monotone: showing a frequent value among others can cost less than showing only rare ones. Columns \
            weigh as their `priority` says.",
    parameters: &[],
    build: &Bits { kind: Variant::Plain },
};

/// The same, weighed so that it is monotone.
pub(crate) const MONOTONE: Entry<&'static dyn Metric> = Entry {
    name: "monotone_entropy",
    title: "monotone entropy measure, share of all bits",
    paper: "Gionis, Tassa 2009",
    standing: Standing::Classic,
    about: "As entropy, each cell times the share of original rows that its value stands for, which makes it monotone: coarser \
            never costs less. At most the entropy measure. Columns weigh as their `priority` says.",
    parameters: &[],
    build: &Bits { kind: Variant::Monotone },
};

/// The surprise at each row's own value.
pub(crate) const NON_UNIFORM: Entry<&'static dyn Metric> = Entry {
    name: "non_uniform_entropy",
    title: "non-uniform entropy, share of all bits",
    paper: "Gionis, Tassa 2009",
    standing: Standing::Recommended,
    about: "How many bits a reader lacks to know a cell's original value, on average, as a share of the bits needed if the cell showed nothing. A cell lacks -log2 of the original value's share in what it shows. Counts rare values as rare: hiding a common value costs little, hiding a rare \
            one much. Columns weigh as their `priority` says.",
    parameters: &[],
    build: &Bits { kind: Variant::NonUniform },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    Plain,
    Monotone,
    NonUniform,
}

struct Bits {
    kind: Variant,
}

impl Metric for Bits {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        super::of_columns(self, classes, problem)
    }

    /// The papers add up the bits of all cells.
    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        let sums = super::column_sums(&Open::new(problem, self.kind), classes);
        vec![("bits", sums.iter().sum::<f64>().max(0.0))]
    }

    /// Under local recoding the plain form may exceed what full suppression costs.
    fn range(&self) -> Option<(f64, f64)> {
        (self.kind != Variant::Plain).then_some((0.0, 1.0))
    }

    fn by_column<'p>(&self, problem: &'p Problem) -> Option<Box<dyn ByColumn + 'p>> {
        Some(Box::new(Open::new(problem, self.kind)))
    }

    fn worsens(&self) -> bool {
        self.kind != Variant::Plain
    }
}

/// The bits that values of a problem's columns leave open.
struct Open<'p> {
    problem: &'p Problem,
    kind: Variant,
    columns: Vec<ColumnEntropy>,
    /// The entropy of each column as it was.
    whole: Vec<f64>,
    /// All bits that can be lost in a row, weighed by priorities.
    most: f64,
}

impl<'p> Open<'p> {
    fn new(problem: &'p Problem, kind: Variant) -> Self {
        let of_column = |column: usize| ColumnEntropy::new(problem, column);
        let columns: Vec<ColumnEntropy> = (0..problem.quasi.len()).map(of_column).collect();
        let whole: Vec<f64> = columns
            .iter()
            .zip(&problem.quasi)
            .map(|(column, quasi)| column.bits(quasi, Value::Star))
            .collect();
        let most = whole.iter().zip(&problem.quasi).map(|(bits, quasi)| bits * quasi.priority).sum();
        Self { problem, kind, columns, whole, most }
    }
}

impl ByColumn for Open<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        let (quasi, entropy) = (&self.problem.quasi[column], &self.columns[column]);
        let share = entropy.rows(quasi, value) as f64 / self.problem.table.rows().max(1) as f64;
        match self.kind {
            // No row shows such a value.
            _ if share == 0.0 => 0.0,
            Variant::Plain => entropy.bits(quasi, value),
            Variant::Monotone => share * entropy.bits(quasi, value),
            // A row lacks log2 Pr(B) - log2 Pr(a). The second part is H(column) on average over the rows, however they are shown.
            Variant::NonUniform => self.whole[column] + share.log2(),
        }
    }

    fn figure(&self, means: &[f64]) -> Option<f64> {
        let sum: f64 = means.iter().zip(&self.problem.quasi).map(|(mean, quasi)| mean * quasi.priority).sum();
        // Columns of one value have nothing to lose.
        Some(if self.most > 0.0 { (sum / self.most).max(0.0) } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::partition::testing::{problem, words};

    /// models.md 2.6: what a row of a single value lacks once nothing is shown.
    #[test]
    fn bits_of_single_rows() {
        let of = |counts: &[u32]| {
            let codes = (0..).zip(counts).flat_map(|(code, rows)| (0..*rows).map(move |_| (vec![code], 0)));
            let rows: Vec<(Vec<u32>, u32)> = codes.collect();
            let problem = problem(vec![words(counts.len())], &rows, 1, 1);
            let lacks = |code: u32| {
                let bits = Open::new(&problem, Variant::NonUniform);
                bits.penalty(0, Value::Star) - bits.penalty(0, Value::Span(code, code))
            };
            let lacking: Vec<f64> = (0..counts.len() as u32).map(lacks).collect();
            (lacking, Open::new(&problem, Variant::Plain).penalty(0, Value::Star))
        };
        let near = |found: f64, bits: f64| assert!((found - bits).abs() < 1e-6, "{found} is not {bits}");
        let (lacking, entropy) = of(&[1, 1, 18]);
        near(lacking[0], 4.321928);
        near(lacking[2], 0.152003);
        near(entropy, 0.568996);
        let (lacking, entropy) = of(&[99, 1]);
        near(lacking[0], 0.014500);
        near(lacking[1], 6.643856);
        near(entropy, 0.080793);
    }
}
