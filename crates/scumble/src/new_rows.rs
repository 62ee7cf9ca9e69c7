//! Rows that no search has seen, recoded as the rows of a release were: by the hierarchy, not by a list of seen values.
//!
//! A value finds the code that it would have had ([`CodeFinder`]); the codes of a row find what it would show
//! ([`NewRows::shown`]). Rows are not suppressed here: suppression is about rows that share a class, and a new row shares none.

use std::collections::{BTreeMap, HashMap};

use crate::kind::{Kind, Measure};
use crate::problem::Problem;
use crate::published::Classes;
use crate::quasi::{Quasi, Shape, Value};
use crate::recoding::{CutTree, Step};

/// Finds the codes of a column's values, also of values that the searched table does not have.
pub struct CodeFinder<'a> {
    quasi: &'a Quasi,
    by_text: HashMap<&'a str, u32>,
    by_number: BTreeMap<i128, u32>,
    /// The code of missing values, if the searched table had one.
    missing: Option<u32>,
    markers: &'a [String],
}

impl<'a> CodeFinder<'a> {
    /// For a quasi-identifier whose missing values are written as the markers say.
    #[must_use]
    pub fn new(quasi: &'a Quasi, markers: &'a [String]) -> Self {
        let codes = || (0..quasi.size()).map(|code| (quasi.text(code), code));
        let is_marker = |text: &str| markers.iter().any(|marker| marker == text);
        let by_number = codes().filter(|(text, _)| !is_marker(text));
        let by_number = by_number.filter_map(|(text, code)| Some((number(&quasi.measure, text)?, code)));
        Self {
            quasi,
            by_text: codes().collect(),
            by_number: by_number.collect(),
            missing: codes().find(|(text, _)| is_marker(text)).map(|(_, code)| code),
            markers,
        }
    }

    /// The code of a text. An unseen number has the code of the neighbour whose range it lies in; an unseen text that the hierarchy
    /// does not list has none, and neither has a missing value where no row lacked one.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<u32> {
        if self.markers.iter().any(|marker| marker == text) {
            return self.missing;
        }
        if let Some(code) = self.by_text.get(text) {
            return Some(*code);
        }
        let number = number(&self.quasi.measure, text)?;
        let below = self.by_number.range(..=number).next_back();
        let above = self.by_number.range(number..).next();
        match (below, above) {
            (Some(below), Some(above)) => Some(self.nearer(number, below, above)),
            (one, other) => one.or(other).map(|(_, code)| *code),
        }
    }

    /// Which of two neighbours a number between them belongs to.
    fn nearer(&self, number: i128, below: (&i128, &u32), above: (&i128, &u32)) -> u32 {
        let closest = if number - below.0 <= above.0 - number { *below.1 } else { *above.1 };
        match &self.quasi.shape {
            Shape::Line(line) => {
                let (_, end) = line.interval(*below.1, *below.1);
                if number <= end { *below.1 } else { *above.1 }
            }
            Shape::Tree(tree) => {
                let holds = |code: &u32| {
                    let parent = tree.parent(tree.leaf(*code))?;
                    interval(&self.quasi.measure, tree.label(parent), number)
                };
                match (holds(below.1), holds(above.1)) {
                    (Some(true), _) | (_, Some(false)) => *below.1,
                    (_, Some(true)) | (Some(false), _) => *above.1,
                    _ => closest,
                }
            }
            Shape::Set(_) => closest,
        }
    }
}

/// The number behind a text; a column of whole numbers may be asked for `1.5`, which is then rounded down.
fn number(measure: &Measure, text: &str) -> Option<i128> {
    match measure.kind {
        Kind::Text => None,
        Kind::Integer => measure.number(text).or_else(|| {
            let number: f64 = text.parse().ok()?;
            number.is_finite().then(|| number.floor() as i128)
        }),
        _ => measure.number(text),
    }
}

/// Whether a number lies in the interval that a label writes as `[a,b]` or `[a,b)`; `None` if it is no such label.
fn interval(measure: &Measure, label: &str, number: i128) -> Option<bool> {
    let inner = label.strip_prefix('[')?;
    let (inner, open) = match inner.strip_suffix(')') {
        Some(inner) => (inner, true),
        None => (inner.strip_suffix(']')?, false),
    };
    let (from, to) = inner.split_once(measure.separator())?;
    let (from, to) = (measure.number(from.trim())?, measure.number(to.trim())?);
    Some(from <= number && (number < to || (!open && number == to)))
}

/// A recoding as a rule for new rows.
pub struct NewRows<'a> {
    quasi: &'a [Quasi],
    rule: Rule<'a>,
    /// The code of each column that most rows have, for routing a row whose own value has none.
    typical: Vec<u32>,
}

enum Rule<'a> {
    /// What each code of each column shows.
    Columns(Vec<Vec<Value>>),
    /// A tree of cuts, and what its classes show.
    Cuts(&'a CutTree, &'a Classes),
    /// The class that fits best.
    Nearest(Vec<Vec<Value>>),
}

impl<'a> NewRows<'a> {
    /// The rule of a release: by its step, or where it has none by the classes that it shows.
    #[must_use]
    pub fn new(problem: &'a Problem, classes: &'a Classes, step: Option<&'a Step>) -> Self {
        let quasi = &problem.quasi[..];
        let rule = match step {
            Some(Step::Levels(levels)) => {
                let nodes = |(quasi, level): (&Quasi, &u32)| {
                    let map = quasi.tree().map(|tree| tree.level_map(*level)).unwrap_or_default();
                    map.into_iter().map(Value::Node).collect()
                };
                Rule::Columns(quasi.iter().zip(levels).map(nodes).collect())
            }
            Some(Step::Maps(maps)) => Rule::Columns(maps.clone()),
            Some(Step::Cuts(tree)) => Rule::Cuts(tree, classes),
            _ => {
                let shown = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
                Rule::Nearest(shown.map(|class| classes.assignment.values(class)).collect())
            }
        };
        let typical = (0..quasi.len()).map(|column| {
            let rows = problem.table.marginal(column, quasi[column].size() as usize);
            let most = (0_u32..).zip(rows).max_by_key(|(code, rows)| (*rows, std::cmp::Reverse(*code)));
            most.map_or(0, |(code, _)| code)
        });
        Self { quasi, rule, typical: typical.collect() }
    }

    /// What a row with these codes shows, column by column; a column without a code has no value to show.
    #[must_use]
    pub fn shown(&self, codes: &[Option<u32>]) -> Vec<Option<Value>> {
        let code = |column: usize| codes[column].unwrap_or(self.typical[column]);
        let values = match &self.rule {
            Rule::Columns(maps) => maps
                .iter()
                .enumerate()
                .map(|(column, map)| map.get(code(column) as usize).copied().unwrap_or(Value::Star))
                .collect(),
            Rule::Cuts(tree, classes) => classes.assignment.values(tree.class(code) as usize),
            Rule::Nearest(classes) => self.nearest(classes, code),
        };
        values.into_iter().zip(codes).map(|(value, code)| code.map(|_| value)).collect()
    }

    /// The class that covers the row in most columns; among equals the one that shows most, then the first.
    fn nearest(&self, classes: &[Vec<Value>], code: impl Fn(usize) -> u32) -> Vec<Value> {
        let fit = |values: &Vec<Value>| {
            let mut outside = 0;
            let mut loss = 0.0;
            for (column, (quasi, value)) in self.quasi.iter().zip(values).enumerate() {
                outside += u32::from(!covers(quasi, *value, code(column)));
                loss += quasi.loss(*value);
            }
            (outside, loss)
        };
        let better = |a: &(u32, f64), b: &(u32, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let best = classes.iter().map(|values| (fit(values), values)).min_by(|a, b| better(&a.0, &b.0));
        best.map_or_else(|| vec![Value::Star; self.quasi.len()], |(_, values)| values.clone())
    }
}

/// Whether a value stands for a code, among others.
fn covers(quasi: &Quasi, value: Value, code: u32) -> bool {
    let (low, high) = quasi.codes(value);
    match value {
        Value::Subset(codes) => codes >> code & 1 == 1,
        _ => (low..=high).contains(&code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quasi::Line;

    fn ages(markers: &[&str]) -> Quasi {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let texts = ["20", "30", "40"].into_iter().chain(markers.iter().copied()).collect();
        let line = Line::new(&measure, vec![20, 30, 40], texts, (20, 49), false);
        let shape = Shape::Line(line);
        Quasi { name: "age".into(), measure, shape, priority: 1.0, tight: false, sets: false }
    }

    #[test]
    fn an_unseen_number_goes_where_its_range_is() {
        let quasi = ages(&["?"]);
        let markers = ["?".to_owned(), "NA".to_owned()];
        let finder = CodeFinder::new(&quasi, &markers);
        // Ranges meet at the roundest number between two: 29 and 39 are the last of theirs.
        let Shape::Line(line) = &quasi.shape else { panic!("a line") };
        for number in 15..60_i128 {
            let found = finder.find(&number.to_string()).expect("a code");
            let (from, to) = line.interval(found, found);
            assert!((from..=to).contains(&number) || !(20..=49).contains(&number), "{number}");
        }
        assert_eq!([finder.find("?"), finder.find("NA"), finder.find("old")], [Some(3), Some(3), None]);
        let whole = ages(&[]);
        let without = CodeFinder::new(&whole, &markers);
        assert_eq!(without.find("?"), None);
        assert_eq!(without.find("30.0"), Some(1));
    }

    #[test]
    fn intervals_are_read_as_labels_write_them() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        assert_eq!(interval(&measure, "[20,30)", 29), Some(true));
        assert_eq!(interval(&measure, "[20,30)", 30), Some(false));
        assert_eq!(interval(&measure, "[20,30]", 30), Some(true));
        assert_eq!(interval(&measure, "young", 30), None);
    }
}
