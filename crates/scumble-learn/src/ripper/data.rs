//! The rows under consideration, each with the weight that is in use, and the ranks of numbers to search among.

use super::rule::Rule;
use crate::random::Random;
use crate::ranks::Ranks;
use crate::table::{Cells, Table};

/// Columns prepared for the search for conditions.
pub(super) enum Prepared<'a> {
    Nominal { codes: &'a [u32], values: usize },
    Numeric(Ranks),
}

/// All columns, prepared.
pub(super) struct RuleSearch<'a> {
    pub(super) columns: Vec<Prepared<'a>>,
}

impl<'a> RuleSearch<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        let columns = table.columns().iter().map(|column| match column.cells() {
            Cells::Nominal { codes, values } => Prepared::Nominal { codes, values: *values },
            Cells::Numeric(numbers) => Prepared::Numeric(Ranks::new(numbers)),
        });
        Self { columns: columns.collect() }
    }

    /// The number of possible conditions: one for each nominal value, two for each number.
    pub(super) fn possible_conditions(&self) -> f64 {
        let conditions = |column: &Prepared<'_>| match column {
            Prepared::Nominal { values, .. } => *values,
            Prepared::Numeric(ranks) => 2 * ranks.values.len(),
        };
        self.columns.iter().map(conditions).sum::<usize>() as f64
    }
}

/// Rows and weights.
#[derive(Debug, Clone, Default)]
pub(super) struct Data {
    pub(super) rows: Vec<(u32, u32)>,
}

impl Data {
    pub(super) fn all(table: &Table) -> Self {
        Self { rows: (0..).zip(table.weights().iter().copied()).collect() }
    }

    pub(super) fn weight(&self) -> f64 {
        self.rows.iter().map(|&(_, weight)| f64::from(weight)).sum()
    }

    pub(super) fn of_class(&self, table: &Table, class: u32) -> f64 {
        let of_class = self.rows.iter().filter(|(row, _)| table.class()[*row as usize] == class);
        of_class.map(|&(_, weight)| f64::from(weight)).sum()
    }

    /// Splits the data into what a rule covers and the rest.
    pub(super) fn split(&self, table: &Table, rule: &Rule) -> (Self, Self) {
        let covered = |(row, _): &(u32, u32)| rule.covers(table.features(), *row as usize);
        let (covered, rest) = self.rows.iter().copied().partition(covered);
        (Self { rows: covered }, Self { rows: rest })
    }

    /// The share of each class. Without any rows, `class` has the whole share.
    pub(super) fn shares(&self, table: &Table, class: u32) -> Vec<f64> {
        let mut shares = vec![0.0; table.classes()];
        let total = self.weight();
        if total == 0.0 {
            shares[class as usize] = 1.0;
            return shares;
        }
        for &(row, weight) in &self.rows {
            shares[table.class()[row as usize] as usize] += f64::from(weight);
        }
        shares.iter_mut().for_each(|share| *share /= total);
        shares
    }

    /// Divides the data into a part to grow on and a part to prune on. The rows of each class are put in a random order, and one
    /// in `folds` is held out for pruning; the count runs on from class to class. A row of weight 3 counts as three rows, which
    /// may go to both parts.
    pub(super) fn hold_out(
        &self,
        table: &Table,
        order: &[u32],
        folds: usize,
        random: &mut Random,
    ) -> (Self, Self) {
        let mut pruning = vec![0u32; self.rows.len()];
        let mut place = 0;
        for &class in order {
            let of_class =
                self.rows.iter().enumerate().filter(|(_, (row, _))| table.class()[*row as usize] == class);
            let mut units: Vec<u32> = of_class
                .flat_map(|(index, &(_, weight))| std::iter::repeat_n(index as u32, weight as usize))
                .collect();
            random.shuffle(&mut units);
            for unit in units {
                if place % folds == folds - 1 {
                    pruning[unit as usize] += 1;
                }
                place += 1;
            }
        }
        let (mut grow, mut prune) = (Self::default(), Self::default());
        for (&(row, weight), &held_out) in self.rows.iter().zip(&pruning) {
            if weight > held_out {
                grow.rows.push((row, weight - held_out));
            }
            if held_out > 0 {
                prune.rows.push((row, held_out));
            }
        }
        (grow, prune)
    }
}
