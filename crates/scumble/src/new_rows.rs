//! Rows that no search has seen, recoded as the rows of a release were: by the hierarchy, not by a list of seen values.
//!
//! A value finds the code that it would have had ([`CodeFinder`]); the codes of a row find what it would show
//! ([`NewRows::shown`]). Rows are not suppressed here: suppression is about rows that share a class, and a new row shares none.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use crate::hierarchy::NodeId;
use crate::kind::{Kind, Measure};
use crate::label;
use crate::problem::Problem;
use crate::published::Classes;
use crate::quasi::{Quasi, Shape, Value};
use crate::recoding::{ClassColumn, CutTree, Step};

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
        let by_number = by_number.filter_map(|(text, code)| Some((quasi.measure.number(text)?, code)));
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
        self.look(text).code
    }

    /// The code of a text, and what is surely known about it.
    #[must_use]
    pub fn look(&self, text: &str) -> Found {
        let known = |code: Option<u32>| Found { code, sure: code.map_or(Sure::Nothing, Sure::Code) };
        if self.markers.iter().any(|marker| marker == text) {
            return known(self.missing);
        }
        if let Some(code) = self.by_text.get(text) {
            return known(Some(*code));
        }
        let measure = &self.quasi.measure;
        let Some(exact) = Exact::read(measure, text) else { return known(None) };
        let Some(number) = exact.floor(measure) else { return known(None) };
        if let Some(code) = self.by_number.get(&number).filter(|_| exact.cmp_in(measure, number).is_eq()) {
            return known(Some(*code));
        }
        let below = self.by_number.range(..=number).next_back();
        let above = self.by_number.range(number..).next();
        let code = match (below, above) {
            (Some(below), Some(above)) => Some(self.nearer(number, below, above)),
            (one, other) => one.or(other).map(|(_, code)| *code),
        };
        let node = code.and_then(|code| self.node_of(code, exact));
        Found { code, sure: Sure::Number(exact, node) }
    }

    /// The lowest node above a neighbour's leaf whose own label is an interval that a number lies in.
    fn node_of(&self, neighbour: u32, exact: Exact) -> Option<NodeId> {
        let tree = self.quasi.tree()?;
        let holds = |node: &NodeId| interval(&self.quasi.measure, tree.label(*node), exact) == Some(true);
        std::iter::successors(Some(tree.leaf(neighbour)), |node| tree.parent(*node)).find(holds)
    }

    /// Whether a released value is surely true of a text that was looked up: of a value that the hierarchy lists, or of a number
    /// in the interval that is released.
    #[must_use]
    pub fn covers(&self, value: Value, found: &Found) -> bool {
        let quasi = self.quasi;
        match (value, &quasi.shape) {
            (Value::Star, _) => return true,
            (Value::Node(node), Shape::Tree(tree)) if tree.label(node) == label::STAR => return true,
            _ => {}
        }
        match (found.sure, value, &quasi.shape) {
            (Sure::Code(code), ..) => covers(quasi, value, code),
            (Sure::Number(exact, _), Value::Span(low, high), Shape::Line(line)) => {
                let missing = line.missing().is_some_and(|missing| high >= missing);
                let (from, to) = if missing { return false } else { quasi.bounds(line, low, high) };
                exact.cmp_in(&quasi.measure, from).is_ge() && exact.cmp_in(&quasi.measure, to).is_le()
            }
            (Sure::Number(exact, lowest), Value::Node(node), Shape::Tree(tree)) => {
                let above = |lowest: NodeId| {
                    let ((from, to), (low, high)) = (tree.range(node), tree.range(lowest));
                    from <= low && high <= to && tree.depth(node) <= tree.depth(lowest)
                };
                lowest.is_some_and(above) || interval(&quasi.measure, tree.label(node), exact) == Some(true)
            }
            _ => false,
        }
    }

    /// Which of two neighbours a number between them belongs to.
    fn nearer(&self, number: i128, below: (&i128, &u32), above: (&i128, &u32)) -> u32 {
        let closest = if number.saturating_sub(*below.0) <= above.0.saturating_sub(number) {
            *below.1
        } else {
            *above.1
        };
        match &self.quasi.shape {
            Shape::Line(line) => {
                let (_, end) = line.interval(*below.1, *below.1);
                if number <= end { *below.1 } else { *above.1 }
            }
            Shape::Tree(tree) => {
                let holds = |code: &u32| {
                    let parent = tree.parent(tree.leaf(*code))?;
                    let number = Exact { digits: number, scale: self.quasi.measure.scale };
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

/// A text that was looked up in a column.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// The code that it has, or would have had.
    pub code: Option<u32>,
    sure: Sure,
}

/// What is surely known about a text.
#[derive(Debug, Clone, Copy)]
enum Sure {
    /// Nothing: the hierarchy does not list it.
    Nothing,
    /// It is this value.
    Code(u32),
    /// It is a number that no row had, and lies in the interval of this node.
    Number(Exact, Option<NodeId>),
}

/// A number with as many places as it is written with, which may be more than its column has.
#[derive(Debug, Clone, Copy)]
struct Exact {
    digits: i128,
    scale: u32,
}

impl Exact {
    fn read(measure: &Measure, text: &str) -> Option<Self> {
        let kind = match measure.kind {
            Kind::Text => return None,
            // A column of whole numbers may be asked for `1.5`.
            Kind::Integer => Kind::Decimal,
            kind => kind,
        };
        let own = Measure::of(kind, std::iter::once(text));
        Some(Self { digits: own.number(text)?, scale: own.scale })
    }

    /// The greatest number of a measure that is not greater.
    fn floor(self, measure: &Measure) -> Option<i128> {
        match self.scale.checked_sub(measure.scale) {
            Some(finer) => Some(self.digits.div_euclid(10_i128.pow(finer))),
            None => self.digits.checked_mul(10_i128.pow(measure.scale - self.scale)),
        }
    }

    /// How it compares with a number of a measure.
    fn cmp_in(self, measure: &Measure, number: i128) -> Ordering {
        let Some(floor) = self.floor(measure) else { return self.digits.cmp(&0) };
        let rest = || match self.scale.checked_sub(measure.scale) {
            Some(finer) => self.digits.rem_euclid(10_i128.pow(finer)).cmp(&0),
            None => Ordering::Equal,
        };
        floor.cmp(&number).then_with(rest)
    }
}

/// Whether a number lies in the interval that a label writes as `[a,b]` or `[a,b)`; `None` if it is no such label.
fn interval(measure: &Measure, label: &str, number: Exact) -> Option<bool> {
    let inner = label.strip_prefix('[')?;
    let (inner, open) = match inner.strip_suffix(')') {
        Some(inner) => (inner, true),
        None => (inner.strip_suffix(']')?, false),
    };
    let (from, to) = inner.split_once(measure.separator())?;
    let read = |end: &str| match measure.kind {
        Kind::Date(_) => measure.number(end),
        _ => measure.number(end.trim()),
    };
    let (from, to) = (read(from)?, read(to)?);
    let below = number.cmp_in(measure, to);
    Some(number.cmp_in(measure, from).is_ge() && (below.is_lt() || (!open && below.is_eq())))
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
    Cuts(&'a CutTree, &'a [ClassColumn]),
    /// The class that fits best: classes by ascending loss.
    Nearest(Vec<Region>),
}

/// A class by what it shows.
struct Region {
    class: u32,
    values: Vec<Value>,
    loss: f64,
}

/// What a row shows, and which class of the release shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Column by column; a column without a code has no value to show.
    pub values: Vec<Option<Value>>,
    /// The class, where the rule leads to one.
    pub class: Option<u32>,
}

/// The code of a column that most rows have; the first of several.
pub(crate) fn typical(problem: &Problem, column: usize) -> u32 {
    let rows = problem.table.marginal(column, problem.quasi[column].size() as usize);
    let most = (0_u32..).zip(rows).max_by_key(|(code, rows)| (*rows, std::cmp::Reverse(*code)));
    most.map_or(0, |(code, _)| code)
}

impl<'a> NewRows<'a> {
    /// The rule of a release: by its step, or where it has none by the classes that it shows.
    #[must_use]
    pub fn new(problem: &'a Problem, classes: &'a Classes, step: Option<&'a Step>) -> Self {
        let typical = (0..problem.quasi.len()).map(|column| typical(problem, column)).collect();
        let assignment = &classes.assignment;
        Self::of_rule(&problem.quasi, step, &assignment.columns, &assignment.suppressed, typical)
    }

    /// A rule by its step, or where it has none by what the classes show that are not suppressed. `typical` are the codes for
    /// routing a row whose own value has none.
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
            _ => Rule::Nearest(regions(quasi, columns, suppressed)),
        };
        Self { quasi, rule, typical }
    }

    /// What a row with these codes shows, column by column; a column without a code has no value to show.
    #[must_use]
    pub fn shown(&self, codes: &[Option<u32>]) -> Vec<Option<Value>> {
        self.placed(codes).values
    }

    /// What a row with these codes shows, and by which class.
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
            Rule::Nearest(regions) => match self.nearest(regions, code) {
                Some(region) => (region.values.clone(), Some(region.class)),
                None => (vec![Value::Star; self.quasi.len()], None),
            },
        };
        let values = values.into_iter().zip(codes).map(|(value, code)| code.map(|_| value)).collect();
        Shown { values, class }
    }

    /// The class that covers the row in most columns; among equals the one that shows most, then the first.
    fn nearest<'r>(&self, regions: &'r [Region], code: impl Fn(usize) -> u32) -> Option<&'r Region> {
        let mut best: Option<(usize, &Region)> = None;
        for region in regions {
            let outside =
                |(column, value): &(usize, &Value)| !covers(&self.quasi[*column], **value, code(*column));
            let outside = region.values.iter().enumerate().filter(outside).count();
            if best.is_none_or(|(least, _)| outside < least) {
                best = Some((outside, region));
            }
            if outside == 0 {
                break;
            }
        }
        best.map(|(_, region)| region)
    }
}

/// The classes that are shown, by ascending loss.
fn regions(quasi: &[Quasi], columns: &[ClassColumn], suppressed: &[bool]) -> Vec<Region> {
    let region = |(class, _): (u32, &bool)| {
        let values: Vec<Value> = columns.iter().map(|column| column.value(class as usize)).collect();
        let loss = quasi.iter().zip(&values).map(|(quasi, value)| quasi.loss(*value)).sum();
        Region { class, values, loss }
    };
    let shown = (0_u32..).zip(suppressed).filter(|(_, suppressed)| !**suppressed);
    let mut regions: Vec<Region> = shown.map(region).collect();
    regions.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.class.cmp(&b.class)));
    regions
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
    fn a_value_is_shown_only_where_it_is_true() {
        let quasi = ages(&["?"]);
        let markers = ["?".to_owned()];
        let finder = CodeFinder::new(&quasi, &markers);
        let covers = |value: Value, text: &str| finder.covers(value, &finder.look(text));
        // The interval of 20 and 30 is [20,38]: 38 is as round as 31 to 38 get that are next to neither 30 nor 40.
        assert_eq!(quasi.label(Value::Span(0, 1)), "[20,32]");
        for (text, expected) in [
            ("20", true),
            ("20.0", true),
            ("25", true),
            ("19", false),
            ("19.9", false),
            ("32", true),
            ("32.1", false),
            ("40", false),
            ("?", false),
            ("old", false),
        ] {
            assert_eq!(covers(Value::Span(0, 1), text), expected, "{text}");
        }
        assert!(covers(Value::Span(3, 3), "?") && !covers(Value::Span(3, 3), "99"));
        assert!(covers(Value::Star, "old") && covers(Value::Star, "?"));
    }

    #[test]
    fn an_unseen_number_lies_below_the_intervals_that_hold_it() {
        let outline = r#"{"provenance": "declared", "nodes": [[0, "any"], [1, "young"], [2, "[0,20)"], [3, "5"], [3, "12"],
            [2, "[20,40)"], [3, "25"], [1, "[40,99]"], [2, "50"]]}"#;
        let outline: crate::hierarchy::Outline = serde_json::from_str(outline).expect("an outline");
        let tree = outline.tree("age").expect("a tree");
        let quasi = Quasi { shape: Shape::Tree(tree), ..ages(&[]) };
        let finder = CodeFinder::new(&quasi, &[]);
        let nodes = |text: &str| {
            let found = finder.look(text);
            let labels = (0..9).filter(|node| finder.covers(Value::Node(*node), &found));
            labels.map(|node| quasi.label(Value::Node(node))).collect::<Vec<_>>()
        };
        assert_eq!(nodes("12"), ["any", "young", "[0,20)", "12"]);
        assert_eq!(nodes("12.0"), ["any", "young", "[0,20)", "12"]);
        assert_eq!(nodes("13"), ["any", "young", "[0,20)"]);
        assert_eq!(nodes("39.9"), ["any", "young", "[20,40)"]);
        assert_eq!(nodes("99"), ["any", "[40,99]"]);
        assert!(nodes("100").is_empty(), "nothing says that it is any");
        assert!(nodes("x").is_empty());
    }

    #[test]
    fn intervals_are_read_as_labels_write_them() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let inside = |label: &str, text: &str| interval(&measure, label, Exact::read(&measure, text)?);
        assert_eq!(inside("[20,30)", "29"), Some(true));
        assert_eq!(inside("[20,30)", "29.9"), Some(true));
        assert_eq!(inside("[20,30)", "30"), Some(false));
        assert_eq!(inside("[20,30]", "30.0"), Some(true));
        assert_eq!(inside("[20,30]", "30.5"), Some(false));
        assert_eq!(inside("[-3,30]", "-3.5"), Some(false));
        assert_eq!(inside("young", "30"), None);
    }
}
