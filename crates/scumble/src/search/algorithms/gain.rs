//! Information gain: how much separating some codes of a column says about the class column.

use crate::metrics::contingency::{TIE, entropy};
use crate::table::frequency::FrequencyTable;

/// Rows per code and class of one column.
#[derive(Clone)]
pub(super) struct Gains {
    /// Rows per class, code by code. Without a class column all rows have one class.
    rows: Vec<u64>,
    classes: usize,
    by: Threshold,
}

/// The way to choose where an interval of numbers is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threshold {
    /// Where the cut says most about the class column.
    Informative,
    /// As near as possible to the middle of the rows.
    Middle,
}

/// Rows per class in each part of a value.
pub(super) struct Tally {
    rows: Vec<u64>,
    classes: usize,
}

impl Gains {
    /// Counts a column; `class` is the payload column of the class.
    pub(super) fn of_column(
        table: &FrequencyTable,
        column: usize,
        codes: u32,
        class: Option<usize>,
        by: Threshold,
    ) -> Self {
        let payloads = table.payloads();
        let classes = class.map_or(1, |class| payloads.columns[class].values.len()).max(1);
        let mut rows = vec![0; codes as usize * classes];
        for (tuple, code) in (0..).zip(table.column(column).iter()) {
            for cell in table.cells(tuple) {
                let class = class.map_or(0, |class| payloads.value(cell.payload, class) as usize);
                rows[code as usize * classes + class] += u64::from(cell.rows);
            }
        }
        Self { rows, classes, by }
    }

    fn of_code(&self, code: u32) -> &[u64] {
        &self.rows[code as usize * self.classes..(code as usize + 1) * self.classes]
    }

    /// Counts rows per class in each part. `part_of` gives the part of each code.
    pub(super) fn tally(&self, part_of: impl Iterator<Item = (u32, u32)>, parts: usize) -> Tally {
        let mut rows = vec![0; parts * self.classes];
        for (code, part) in part_of {
            let start = part as usize * self.classes;
            add(&mut rows[start..start + self.classes], self.of_code(code));
        }
        Tally { rows, classes: self.classes }
    }

    /// Returns the last code on the left side of the best cut of an interval, with rows on both sides; the smaller code
    /// of several.
    pub(super) fn threshold(&self, low: u32, high: u32) -> Option<u32> {
        let mut left = vec![0; self.classes];
        let mut right = vec![0; self.classes];
        (low..=high).for_each(|code| add(&mut right, self.of_code(code)));
        let mut best: Option<(f64, u32)> = None;
        for code in low..high {
            let here = self.of_code(code);
            add(&mut left, here);
            right.iter_mut().zip(here).for_each(|(right, here)| *right -= here);
            let (below, above) = (left.iter().sum::<u64>(), right.iter().sum::<u64>());
            if below == 0 || above == 0 || here.iter().all(|rows| *rows == 0) {
                continue;
            }
            // The entropy of the whole is the same for every threshold, so the least remaining entropy is the greatest
            // gain.
            let score = match self.by {
                Threshold::Informative => -(below as f64 * info(&left) + above as f64 * info(&right)),
                Threshold::Middle => -(below.abs_diff(above) as f64),
            };
            let scale = (below + above) as f64;
            if best.is_none_or(|(most, _)| score / scale > most + TIE) {
                best = Some((score / scale, code));
            }
        }
        best.map(|(_, code)| code)
    }
}

fn add(sum: &mut [u64], rows: &[u64]) {
    sum.iter_mut().zip(rows).for_each(|(sum, rows)| *sum += rows);
}

fn info(rows: &[u64]) -> f64 {
    entropy(rows.iter().copied())
}

impl Tally {
    fn whole(&self) -> Vec<u64> {
        let mut whole = vec![0; self.classes];
        self.rows.chunks_exact(self.classes).for_each(|rows| add(&mut whole, rows));
        whole
    }

    fn gain<'a>(&self, parts: impl Iterator<Item = &'a [u64]>) -> f64 {
        let whole = self.whole();
        let total: u64 = whole.iter().sum();
        if total == 0 {
            return 0.0;
        }
        let left: f64 = parts.map(|rows| rows.iter().sum::<u64>() as f64 / total as f64 * info(rows)).sum();
        (info(&whole) - left).max(0.0)
    }

    /// The gain of separating all parts.
    pub(super) fn gain_of_all(&self) -> f64 {
        self.gain(self.rows.chunks_exact(self.classes))
    }

    /// The gain of separating one part from the others.
    pub(super) fn gain_of_one(&self, part: usize) -> f64 {
        let one = &self.rows[part * self.classes..(part + 1) * self.classes];
        let rest: Vec<u64> = self.whole().iter().zip(one).map(|(whole, one)| whole - one).collect();
        self.gain([one, &rest[..]].into_iter())
    }

    /// Whether the rows have different classes.
    pub(super) fn is_mixed(&self) -> bool {
        self.whole().iter().filter(|rows| **rows > 0).count() > 1
    }
}
