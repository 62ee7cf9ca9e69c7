//! Rules: conditions that must all hold.

use crate::table::{Cells, Features};

/// A condition on a row. A missing value meets no condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// A nominal column has this code.
    Is {
        /// The column's position in the table.
        column: usize,
        /// The code.
        code: u32,
    },
    /// A number is at most this.
    AtMost {
        /// The column's position in the table.
        column: usize,
        /// The bound.
        at: f64,
    },
    /// A number is at least this.
    AtLeast {
        /// The column's position in the table.
        column: usize,
        /// The bound.
        at: f64,
    },
}

impl Condition {
    /// The column that is tested.
    #[must_use]
    pub fn column(&self) -> usize {
        match *self {
            Self::Is { column, .. } | Self::AtMost { column, .. } | Self::AtLeast { column, .. } => column,
        }
    }

    /// Whether a row meets the condition. Comparisons with a missing number, `NaN`, are false.
    #[must_use]
    pub fn holds(&self, features: &Features, row: usize) -> bool {
        match (*self, features.columns()[self.column()].cells()) {
            (Self::Is { code, .. }, Cells::Nominal { codes, .. }) => codes[row] == code,
            (Self::AtMost { at, .. }, Cells::Numeric(numbers)) => numbers[row] <= at,
            (Self::AtLeast { at, .. }, Cells::Numeric(numbers)) => numbers[row] >= at,
            _ => false,
        }
    }
}

/// A rule for one class. Without conditions it covers everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The class that the rule is for.
    pub class: u32,
    /// The conditions, in the order in which they were found.
    pub conditions: Vec<Condition>,
}

impl Rule {
    /// Whether all conditions hold.
    #[must_use]
    pub fn covers(&self, features: &Features, row: usize) -> bool {
        self.conditions.iter().all(|condition| condition.holds(features, row))
    }
}
