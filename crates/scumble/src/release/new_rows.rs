//! Recodes rows that no search has seen like the rows of a release: by the hierarchy, not by a list of seen values.
//!
//! [`CodeFinder`] finds the code that a value would have had; [`NewRows::shown`] finds what a row with these codes would show. No rows are
//! suppressed here: suppression is about rows that share a class, and a new row shares none.

use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::recoding::{ClassColumn, CutTree, Step};
use crate::table::label::STAR;
use crate::table::quasi::{Quasi, Value};

mod finder;
pub(super) mod names;
mod regions;

pub use finder::{CodeFinder, LookedUp};
use regions::Regions;

/// A recoding as a rule for new rows.
pub struct NewRows<'a> {
    quasi: &'a [Quasi],
    rule: Rule<'a>,
    /// The most frequent code of each column, by which a row is routed whose own value has none.
    typical: Vec<u32>,
}

enum Rule<'a> {
    /// What each code of each column shows.
    Columns(Vec<Vec<Value>>),
    /// A tree of cuts, and what its classes show.
    Cuts(&'a CutTree, &'a [ClassColumn]),
    /// The class that fits best.
    Nearest(Regions),
}

/// What a row shows, and the class of the release that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Column by column; a column without a code has no value to show.
    pub values: Vec<Option<Value>>,
    /// The class, where the rule leads to one.
    pub class: Option<u32>,
}

/// The most frequent code of a column; the first if there are several.
pub(crate) fn typical(problem: &Problem, column: usize) -> u32 {
    let rows = problem.table.marginal(column, problem.quasi[column].size() as usize);
    let most = (0_u32..).zip(rows).max_by_key(|(code, rows)| (*rows, std::cmp::Reverse(*code)));
    most.map_or(0, |(code, _)| code)
}

impl<'a> NewRows<'a> {
    /// The rule of a release: its step or, where it has none, the classes that it shows.
    #[must_use]
    pub fn new(problem: &'a Problem, classes: &'a Classes, step: Option<&'a Step>) -> Self {
        let typical = (0..problem.quasi.len()).map(|column| typical(problem, column)).collect();
        let assignment = &classes.assignment;
        Self::of_rule(&problem.quasi, step, &assignment.columns, &assignment.suppressed, typical)
    }

    /// The rule of a step or, where there is none, of what the classes show that are not suppressed. `typical` has the codes that route a row
    /// whose own value has none.
    #[must_use]
    pub fn of_rule(
        quasi: &'a [Quasi],
        step: Option<&'a Step>,
        columns: &'a [ClassColumn],
        suppressed: &[bool],
        typical: Vec<u32>,
    ) -> Self {
        let rule = match step {
            Some(Step::Levels(levels)) => {
                let nodes = |(quasi, level): (&Quasi, &u32)| {
                    let map = quasi.tree().map(|tree| tree.level_map(*level)).unwrap_or_default();
                    map.into_iter().map(Value::Node).collect()
                };
                Rule::Columns(quasi.iter().zip(levels).map(nodes).collect())
            }
            Some(Step::Maps(maps)) => Rule::Columns(maps.clone()),
            Some(Step::Cuts(tree)) => Rule::Cuts(tree, columns),
            _ => Rule::Nearest(Regions::new(quasi, columns, suppressed)),
        };
        Self { quasi, rule, typical }
    }

    /// What a row with these codes shows, column by column; a column without a code has no value to show.
    #[must_use]
    pub fn shown(&self, codes: &[Option<u32>]) -> Vec<Option<Value>> {
        self.placed(codes).values
    }

    /// What a row with these codes shows, and the class that shows it.
    #[must_use]
    pub fn placed(&self, codes: &[Option<u32>]) -> Shown {
        let code = |column: usize| codes[column].unwrap_or(self.typical[column]);
        let (values, class): (Vec<Value>, _) = match &self.rule {
            Rule::Columns(maps) => {
                let value = |(column, map): (usize, &Vec<Value>)| {
                    map.get(code(column) as usize).copied().unwrap_or(Value::Star)
                };
                (maps.iter().enumerate().map(value).collect(), None)
            }
            Rule::Cuts(tree, columns) => {
                let class = tree.class(code);
                (columns.iter().map(|column| column.value(class as usize)).collect(), Some(class))
            }
            Rule::Nearest(regions) => match regions.nearest(self.quasi, code) {
                Some(region) => (region.values.clone(), Some(region.class)),
                None => (vec![Value::Star; self.quasi.len()], None),
            },
        };
        // `*` is true of every value, even of one that has no place.
        let says_nothing = |column: usize, value: Value| self.quasi[column].label(value) == STAR;
        let shown = |(column, value): (usize, Value)| {
            (codes[column].is_some() || says_nothing(column, value)).then_some(value)
        };
        let values = values.into_iter().enumerate().map(shown).collect();
        Shown { values, class }
    }
}

/// Whether a value covers a code.
fn covers(quasi: &Quasi, value: Value, code: u32) -> bool {
    let (low, high) = quasi.codes(value);
    match value {
        Value::Subset(codes) => codes >> code & 1 == 1,
        _ => (low..=high).contains(&code),
    }
}
