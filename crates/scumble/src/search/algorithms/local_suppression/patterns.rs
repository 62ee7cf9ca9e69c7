//! Patterns: which cells of a row are blank, as bits. Tuples are encoded as integers, so that a mask can blank their
//! columns.

use crate::error::{Error, Result};
use crate::problem::Problem;

/// A choice of columns to blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pattern {
    /// A bit for each blanked column.
    pub(super) blanks: u64,
    /// The weight of the blanked columns.
    pub(super) cost: u64,
    /// The bits of a tuple that remain.
    mask: u128,
}

impl Pattern {
    /// Whether a column is blank.
    pub(super) fn blanks_out(self, column: usize) -> bool {
        self.blanks >> column & 1 == 1
    }

    /// The part of a tuple that is still shown.
    pub(super) fn shown(self, key: u128) -> u128 {
        key & self.mask
    }
}

/// The patterns that are tried, and what tuples show under them.
pub(super) struct Patterns {
    /// Every pattern that is tried and shows something, the cheapest first.
    pub(super) all: Vec<Pattern>,
    costs: Vec<u64>,
    /// For each column, where its bits begin, and their mask.
    fields: Vec<(u32, u128)>,
}

/// If there are more patterns than this, not all are tried, but all with few blanks are.
const MOST: usize = 1 << 12;

impl Patterns {
    /// The patterns of a problem's columns, whose blanks weigh `costs`.
    pub(super) fn new(problem: &Problem, costs: Vec<u64>, algorithm: &str) -> Result<Self> {
        let mut fields = Vec::new();
        let mut used = 0;
        for quasi in &problem.quasi {
            let bits = 32 - quasi.size().saturating_sub(1).leading_zeros();
            fields.push((used, ((1_u128 << bits) - 1).checked_shl(used).unwrap_or(0)));
            used += bits;
        }
        if used > 128 || costs.len() > 64 {
            return Err(Error::refused(format!(
                "'{algorithm}' compares tuples of at most 64 columns and 128 bits, and these {} quasi-identifiers need {used} \
                 bits",
                costs.len()
            ))
            .advise("use fewer quasi-identifiers")
            .advise("give hierarchies to columns with many values and publish a coarser level")
            .another_that("use an algorithm that takes as many columns"));
        }
        let mut patterns = Self { all: Vec::new(), costs, fields };
        patterns.all = patterns.list(problem);
        Ok(patterns)
    }

    fn list(&self, problem: &Problem) -> Vec<Pattern> {
        let width = self.costs.len();
        let mut masks: Vec<u64> = vec![0];
        let mut last: Vec<u64> = vec![0];
        for _ in 1..width {
            let longer = |mask: &u64| {
                let from = 64 - mask.leading_zeros() as usize;
                let mask = *mask;
                (from..width).map(move |column| mask | 1 << column)
            };
            let next: Vec<u64> = last.iter().flat_map(longer).collect();
            if masks.len() + next.len() > MOST {
                break;
            }
            masks.extend(&next);
            last = next;
        }
        // Add one chain down to a single column, for rows that no other pattern takes. Cheap columns with many values
        // are blanked first.
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by_key(|column| (self.costs[*column], u32::MAX - problem.quasi[*column].size(), *column));
        let mut chain = 0;
        for column in order.into_iter().take(width.saturating_sub(1)) {
            chain |= 1_u64 << column;
            masks.push(chain);
        }
        let mut all: Vec<Pattern> = masks.into_iter().map(|blanks| self.pattern(blanks)).collect();
        all.sort_unstable_by_key(|pattern| (pattern.cost, pattern.blanks.count_ones(), pattern.blanks));
        all.dedup();
        all
    }

    fn pattern(&self, blanks: u64) -> Pattern {
        let is_blank = |column: usize| blanks >> column & 1 == 1;
        let mut pattern = Pattern { blanks, cost: 0, mask: 0 };
        for (column, (cost, (_, field))) in self.costs.iter().zip(&self.fields).enumerate() {
            if is_blank(column) {
                pattern.cost += cost;
            } else {
                pattern.mask |= field;
            }
        }
        pattern
    }

    /// The pattern that blanks every column.
    pub(super) fn nothing(&self) -> Pattern {
        self.pattern(u64::MAX >> (64 - self.costs.len().clamp(1, 64)))
    }

    /// A tuple as an integer.
    pub(super) fn key(&self, code: impl Fn(usize) -> u32) -> u128 {
        let field = |(column, (shift, _)): (usize, &(u32, u128))| match code(column) {
            0 => 0,
            code => u128::from(code) << *shift,
        };
        self.fields.iter().enumerate().map(field).fold(0, |key, field| key | field)
    }
}
