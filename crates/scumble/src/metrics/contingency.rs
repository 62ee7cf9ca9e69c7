//! Normalised mutual information of a column with the class, and what suppression does to it.
//!
//! Shared by IACK, IACc, the information metrics and the report (algorithms.md A1, models.md 2.8).

use crate::problem::Problem;
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::{LARGEST_SUBSET, Quasi, Value};

/// Two scores closer than this are a tie.
pub(crate) const TIE: f64 = 1e-12;

/// Rows per value and class of one column, at one level.
#[derive(Debug, Clone)]
pub(crate) struct Contingency {
    /// Rows per class, value by value.
    rows: Vec<u64>,
    classes: usize,
}

/// Entropy in bits of a distribution given by counts; `0 log 0 = 0`.
#[must_use]
pub(crate) fn entropy(counts: impl Iterator<Item = u64> + Clone) -> f64 {
    let total: u64 = counts.clone().sum();
    if total == 0 {
        return 0.0;
    }
    let term = |count: u64| match count {
        0 => 0.0,
        count => {
            let share = count as f64 / total as f64;
            -share * share.log2()
        }
    };
    counts.map(term).sum::<f64>().max(0.0)
}

/// The entropy of an original column within each of its coarser values (models.md 2.6).
#[derive(Debug, Clone)]
pub(crate) struct ColumnEntropy {
    /// For each code the rows and the rows times their logarithm of all codes before it.
    before: Vec<(u64, f64)>,
}

impl ColumnEntropy {
    /// The entropies of a quasi-identifier.
    #[must_use]
    pub(crate) fn new(problem: &Problem, column: usize) -> Self {
        let rows = problem.table.marginal(column, problem.quasi[column].size() as usize);
        let mut before = vec![(0, 0.0)];
        let mut sum = (0, 0.0);
        for rows in rows {
            sum = (sum.0 + rows, sum.1 + if rows > 0 { rows as f64 * (rows as f64).log2() } else { 0.0 });
            before.push(sum);
        }
        Self { before }
    }

    /// The original rows that a value stands for, and the sum of their counts times the counts' logarithms.
    fn sums(&self, quasi: &Quasi, value: Value) -> (u64, f64) {
        let between = |low: u32, high: u32| {
            let (from, to) = (self.before[low as usize], self.before[high as usize + 1]);
            (to.0 - from.0, to.1 - from.1)
        };
        match value {
            Value::Subset(codes) => {
                let present = (0..LARGEST_SUBSET).filter(|code| codes >> code & 1 == 1);
                present.map(|code| between(code, code)).fold((0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
            }
            _ if quasi.size() == 0 => (0, 0.0),
            _ => {
                let (low, high) = quasi.codes(value);
                between(low, high)
            }
        }
    }

    /// The original rows that a value stands for.
    #[must_use]
    pub(crate) fn rows(&self, quasi: &Quasi, value: Value) -> u64 {
        self.sums(quasi, value).0
    }

    /// The entropy in bits of the original values of the rows that a value stands for.
    #[must_use]
    pub(crate) fn bits(&self, quasi: &Quasi, value: Value) -> f64 {
        let (rows, sum) = self.sums(quasi, value);
        let bits = if rows == 0 { 0.0 } else { (rows as f64).log2() - sum / rows as f64 };
        // One value among absent ones leaves nothing open, whatever the sums were rounded to.
        if bits <= TIE { 0.0 } else { bits }
    }
}

impl Contingency {
    /// No rows yet.
    #[must_use]
    pub(crate) fn new(values: usize, classes: usize) -> Self {
        Self { rows: vec![0; values * classes], classes }
    }

    /// Counts a column of the frequency table at leaf level.
    #[must_use]
    pub(crate) fn of_column(table: &FrequencyTable, column: usize, values: usize, class: usize) -> Self {
        let mut counts = Self::new(values, table.payloads().columns[class].values.len());
        let codes = table.column(column);
        for tuple in 0..table.tuples() as u32 {
            for cell in table.cells(tuple) {
                let class = table.payloads().value(cell.payload, class);
                counts.add(codes.get(tuple as usize), class, u64::from(cell.rows));
            }
        }
        counts
    }

    /// Adds rows of a value and class.
    pub(crate) fn add(&mut self, value: u32, class: u32, rows: u64) {
        self.rows[value as usize * self.classes + class as usize] += rows;
    }

    /// Takes rows of a value and class away.
    pub(crate) fn remove(&mut self, value: u32, class: u32, rows: u64) {
        self.rows[value as usize * self.classes + class as usize] -= rows;
    }

    /// The counts after values are merged as `target` says.
    #[must_use]
    pub(crate) fn roll_up(&self, target: &[u32], values: usize) -> Self {
        let mut counts = Self::new(values, self.classes);
        for (value, rows) in self.rows.chunks_exact(self.classes.max(1)).enumerate() {
            for (class, rows) in rows.iter().enumerate() {
                counts.add(target[value], class as u32, *rows);
            }
        }
        counts
    }

    fn value_rows(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.rows.chunks_exact(self.classes.max(1)).map(|rows| rows.iter().sum())
    }

    /// All rows.
    #[must_use]
    pub(crate) fn total(&self) -> u64 {
        self.rows.iter().sum()
    }

    /// The entropy of the column, H(A).
    #[must_use]
    pub(crate) fn column_entropy(&self) -> f64 {
        entropy(self.value_rows())
    }

    /// The entropy of the class, H(C), over the rows counted here.
    #[must_use]
    pub(crate) fn class_entropy(&self) -> f64 {
        let rows = |class: usize| self.rows.iter().skip(class).step_by(self.classes).sum();
        entropy((0..self.classes).map(rows))
    }

    /// I(A;C): how many bits the column reveals about the class label. The conditional entropy is weighted by the
    /// frequency of the value, which the paper's formula leaves out but its numbers use.
    #[must_use]
    pub(crate) fn mutual_information(&self) -> f64 {
        let total = self.total();
        if total == 0 {
            return 0.0;
        }
        let conditional: f64 = self
            .rows
            .chunks_exact(self.classes.max(1))
            .map(|rows| rows.iter().sum::<u64>() as f64 / total as f64 * entropy(rows.iter().copied()))
            .sum();
        (self.class_entropy() - conditional).max(0.0)
    }

    /// I(A;C) / H(A), and 0 for a column that has one value.
    #[must_use]
    pub(crate) fn normalised_information(&self) -> f64 {
        let entropy = self.column_entropy();
        if entropy <= TIE { 0.0 } else { self.mutual_information() / entropy }
    }

    /// D(before‖after) / H(before), both over the rows of `before`; infinite if a value vanished.
    #[must_use]
    pub(crate) fn divergence_to(&self, after: &Self) -> f64 {
        self.divergence(after, 0.0)
    }

    /// The same with half a row for each value that vanished, so that it is finite.
    #[must_use]
    pub(crate) fn finite_divergence_to(&self, after: &Self) -> f64 {
        self.divergence(after, 0.5)
    }

    /// `vanished`: the rows that a value without rows in `after` counts as.
    fn divergence(&self, after: &Self, vanished: f64) -> f64 {
        let total = self.total() as f64;
        let entropy = self.column_entropy();
        if entropy <= TIE {
            return 0.0;
        }
        let term = |(before, after): (u64, u64)| {
            let after = if after == 0 { vanished } else { after as f64 } / total;
            let before = before as f64 / total;
            if before == 0.0 { 0.0 } else { before * (before / after).log2() }
        };
        let divergence: f64 = self.value_rows().zip(after.value_rows()).map(term).sum();
        divergence.max(0.0) / entropy
    }

    /// The largest divergence that keeps one row of every value: (log2 n − H) / H.
    #[must_use]
    pub(crate) fn largest_divergence(&self) -> f64 {
        let entropy = self.column_entropy();
        if entropy <= TIE { 0.0 } else { ((self.total() as f64).log2() - entropy) / entropy }
    }

    /// |I_N(after) − I_N(before)|, each over its own rows; 0 for a column that has one value.
    #[must_use]
    pub(crate) fn information_change(&self, after: &Self) -> f64 {
        if self.column_entropy() <= TIE {
            return 0.0;
        }
        (after.normalised_information() - self.normalised_information()).abs()
    }

    /// How many values have rows here but none in `after`.
    #[must_use]
    pub(crate) fn vanished(&self, after: &Self) -> usize {
        self.value_rows().zip(after.value_rows()).filter(|(before, after)| *before > 0 && *after == 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classes y y y y n n y n of the paper's Example 1, grouped by `group`.
    fn example(group: impl Fn(usize) -> u32) -> Contingency {
        let mut counts = Contingency::new(8, 2);
        for (row, class) in [1, 1, 1, 1, 0, 0, 1, 0].into_iter().enumerate() {
            counts.add(group(row), class, 1);
        }
        counts
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-5, "{a} is not {b}");
    }

    #[test]
    fn worked_example_1_of_the_specification() {
        near(example(|row| row as u32).normalised_information(), 0.3181);
        near(example(|row| row as u32 / 2).normalised_information(), 0.3522);
        near(example(|row| row as u32 / 4).normalised_information(), 0.5488);
        near(example(|_| 0).normalised_information(), 0.0);
        near(example(|row| row as u32 / 4).class_entropy(), 0.9544);
    }

    #[test]
    fn a_vanished_value_makes_the_divergence_infinite() {
        let (before, mut after) = (example(|row| row as u32 / 4), example(|row| row as u32 / 4));
        assert_eq!(before.divergence_to(&after), 0.0);
        for (class, rows) in [(1, 1), (0, 3)] {
            after.remove(1, class, rows);
        }
        assert_eq!(before.divergence_to(&after), f64::INFINITY);
        // Half of the rows are as before, the other half count as a sixteenth: 1/2 · log2 8, and H = 1.
        near(before.finite_divergence_to(&after), 1.5);
        assert_eq!(before.vanished(&after), 1);
        // Two values of four among eight rows, one row of each kept: 2 bits.
        near(before.largest_divergence(), 2.0);
    }
}
