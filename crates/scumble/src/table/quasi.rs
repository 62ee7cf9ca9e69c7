//! A quasi-identifier: its codes, and the coarser values that a release may show for them.

use scumble_files::table::Texts;

use crate::table::hierarchy::{Hierarchy, NodeId};
use crate::table::kind::Measure;
use crate::table::label;
use crate::table::stretch::Stretch;

/// A coarser value: what a release shows in place of some codes of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Value {
    /// A node of the column's hierarchy.
    Node(NodeId),
    /// The codes from the first to the last, both included.
    Span(u32, u32),
    /// Exactly these codes, one bit each, the lowest for code 0: for columns of at most [`LARGEST_SUBSET`] codes.
    Subset(u64),
    /// The mean of a class in a column of numbers. It covers nothing: it is true of the class, not of any of its rows.
    Mean {
        /// The code of the least number of the class.
        low: u32,
        /// The code of the greatest.
        high: u32,
        /// The mean as it is shown: in units of the column's measure divided by 10 to the [`MEAN_PLACES`].
        mean: i64,
    },
    /// Nothing is shown.
    Star,
}

/// How many codes a column may have whose released values are sets of any of them.
pub const LARGEST_SUBSET: u32 = u64::BITS;

/// How many decimal places a mean shows beyond those of its column's values.
pub const MEAN_PLACES: u32 = 2;

/// One quasi-identifier column.
#[derive(Debug, Clone)]
pub struct Quasi {
    /// The column's name.
    pub name: String,
    /// How its values are measured.
    pub measure: Measure,
    /// What its codes are and how they can be coarsened.
    pub shape: Shape,
    /// Importance from 0 to 1, for methods and metrics that weigh columns.
    pub priority: f64,
    /// Whether a span of codes is published by the extremes present in it (opt-in: they are real values).
    pub tight: bool,
    /// Whether a class is published by the set of the values present in it (opt-in: which values are present is a fact about the
    /// data). Only where the column has at most [`LARGEST_SUBSET`] codes.
    pub sets: bool,
}

/// How the codes of a column can be coarsened.
#[derive(Debug, Clone)]
pub enum Shape {
    /// Codes are the leaves of a tree.
    Tree(Hierarchy),
    /// Codes are ranks of numbers or dates; coarser values are intervals.
    Line(Line),
    /// Codes are ranks of texts; coarser values are sets of neighbours in that order.
    Set(Texts),
}

/// The numbers of a column without a hierarchy.
#[derive(Debug, Clone)]
pub struct Line {
    /// The distinct numbers present, ascending, as integers of the column's measure.
    pub numbers: Vec<i128>,
    /// The texts of those numbers as they are released alone; then the missing value's, if there is one.
    pub texts: Texts,
    /// For each number the last one of a released interval that reaches up to it.
    ends: Vec<i128>,
    /// The least number that a released interval may name.
    first: i128,
    /// Whether the bounds were declared by the user.
    pub declared: bool,
}

impl Line {
    /// The numbers of a column, whose released intervals reach from `bounds.0` to `bounds.1`.
    #[must_use]
    pub fn new(
        measure: &Measure,
        numbers: Vec<i128>,
        texts: Texts,
        bounds: (i128, i128),
        declared: bool,
    ) -> Self {
        let between = numbers.windows(2).map(|pair| measure.roundest_between(pair[0], pair[1]));
        let ends = between.chain([bounds.1]).collect();
        Self { numbers, texts, ends, first: bounds.0, declared }
    }

    /// The code of missing values, which lie in no interval.
    #[must_use]
    pub fn missing(&self) -> Option<u32> {
        (self.texts.len() > self.numbers.len()).then_some(self.numbers.len() as u32)
    }

    /// The interval that stands for a span of number codes.
    ///
    /// Neighbouring spans leave no gap; they meet at the roundest number between two people's numbers, and the outermost end
    /// at the bounds, so that no end is a real value where another place is left.
    #[must_use]
    pub fn interval(&self, low: u32, high: u32) -> (i128, i128) {
        let first = if low == 0 { self.first } else { self.ends[low as usize - 1] + 1 };
        (first, self.ends[high as usize])
    }

    /// The declared range, or that of the numbers present where none is declared: what losses are relative to.
    #[must_use]
    pub fn domain(&self) -> (i128, i128) {
        let all = self.numbers.len() as u32 - 1;
        if self.declared { self.interval(0, all) } else { self.extremes(0, all) }
    }

    /// The first and last number of a span.
    #[must_use]
    pub fn extremes(&self, low: u32, high: u32) -> (i128, i128) {
        (self.numbers[low as usize], self.numbers[high as usize])
    }
}

impl Quasi {
    /// How many codes there are.
    #[must_use]
    pub fn size(&self) -> u32 {
        match &self.shape {
            Shape::Tree(tree) => tree.leaf_count(),
            Shape::Line(line) => line.texts.len() as u32,
            Shape::Set(texts) => texts.len() as u32,
        }
    }

    /// The tree, where there is one.
    #[must_use]
    pub fn tree(&self) -> Option<&Hierarchy> {
        match &self.shape {
            Shape::Tree(tree) => Some(tree),
            _ => None,
        }
    }

    /// Whether some of its values stand for many numbers.
    #[must_use]
    pub fn has_stretches(&self) -> bool {
        self.tree().is_some_and(|tree| tree.openness(tree.root()).is_some())
    }

    /// The value as it is in the data, for one code.
    #[must_use]
    pub fn text(&self, code: u32) -> &str {
        match &self.shape {
            Shape::Tree(tree) => tree.leaf_label(code),
            Shape::Line(line) => line.texts.get(code),
            Shape::Set(texts) => texts.get(code),
        }
    }

    /// The smallest value that covers the codes `low` to `high`, which are present in a class.
    #[must_use]
    pub fn cover(&self, low: u32, high: u32) -> Value {
        match &self.shape {
            Shape::Tree(tree) => Value::Node(tree.lca_of_range(low, high)),
            Shape::Line(line) if low != high && Some(high) == line.missing() => Value::Star,
            Shape::Line(_) | Shape::Set(_) => Value::Span(low, high),
        }
    }

    /// The smallest value that covers these codes, which are all that are present in a class.
    #[must_use]
    pub fn cover_codes(&self, codes: impl Iterator<Item = u32> + Clone) -> Value {
        if self.sets {
            return Value::Subset(self.present(codes));
        }
        match (codes.clone().min(), codes.max()) {
            (Some(low), Some(high)) => self.cover(low, high),
            _ => Value::Star,
        }
    }

    /// Codes as the bits of a [`Value::Subset`].
    #[must_use]
    pub fn present(&self, codes: impl Iterator<Item = u32>) -> u64 {
        codes.fold(0, |present, code| present | 1 << code)
    }

    /// The least and the greatest code that a value stands for; of all codes for a suppressed one.
    #[must_use]
    pub fn codes(&self, value: Value) -> (u32, u32) {
        match (value, &self.shape) {
            (Value::Node(node), Shape::Tree(tree)) => tree.range(node),
            (Value::Span(low, high) | Value::Mean { low, high, .. }, _) => (low, high),
            (Value::Subset(codes), _) if codes != 0 => (codes.trailing_zeros(), codes.ilog2()),
            _ => (0, self.size().saturating_sub(1)),
        }
    }

    /// The ends of the interval that a release shows for numbers of this column.
    #[must_use]
    pub fn bounds(&self, line: &Line, low: u32, high: u32) -> (i128, i128) {
        if self.tight { line.extremes(low, high) } else { line.interval(low, high) }
    }

    /// How much of the domain a value leaves open: 0 for one value, 1 for anything (models.md 2.1).
    #[must_use]
    pub fn loss(&self, value: Value) -> f64 {
        if self.size() <= 1 {
            return 0.0;
        }
        if let (Value::Node(node), Shape::Tree(tree)) = (value, &self.shape)
            && let Some(open) = tree.openness(node)
        {
            return open;
        }
        match (value, &self.shape) {
            (Value::Star, _) => 1.0,
            (Value::Span(low, high), Shape::Line(line)) => {
                if low == high {
                    // A lone number may still be published as an interval between its neighbours.
                    if Some(low) == line.missing() || self.tight {
                        return 0.0;
                    }
                }
                let (first, last) = line.domain();
                if first == last {
                    return 0.0;
                }
                let (from, to) = self.bounds(line, low, high);
                (to.min(last) - from.max(first)) as f64 / (last - first) as f64
            }
            (Value::Mean { low, high, .. }, Shape::Line(line)) => {
                // What the mean leaves open: where in the range of its class a row lies.
                let ((first, last), (from, to)) = (line.domain(), line.extremes(low, high));
                (to - from) as f64 / ((last - first) as f64).max(1.0)
            }
            // What nobody can read is lost.
            (Value::Node(node), Shape::Tree(tree)) if tree.is_numbered(node) => 1.0,
            (Value::Subset(codes), _) => {
                f64::from(codes.count_ones().saturating_sub(1)) / f64::from(self.size() - 1)
            }
            _ => {
                let (low, high) = self.codes(value);
                f64::from(high - low) / f64::from(self.size() - 1)
            }
        }
    }

    /// The value as the release writes it.
    #[must_use]
    pub fn label(&self, value: Value) -> String {
        match (value, &self.shape) {
            (Value::Star, _) => label::STAR.to_owned(),
            (Value::Node(node), Shape::Tree(tree)) if tree.children(node).next().is_some() => {
                tree.label(node).into_owned()
            }
            (Value::Node(node), Shape::Tree(tree)) => self.leaf_label(&tree.label(node)),
            (Value::Span(low, high), Shape::Line(line)) => {
                if low == high && (self.tight || Some(low) == line.missing()) {
                    return label::raw(line.texts.get(low));
                }
                let (from, to) = self.bounds(line, low, high);
                if from == to { label::raw(line.texts.get(high)) } else { self.measure.interval(from, to) }
            }
            (Value::Span(low, high), _) if low == high => label::raw(self.text(low)),
            (Value::Span(low, high), _) => label::set((low..=high).map(|code| self.text(code))),
            (Value::Subset(codes), _) if codes.count_ones() == 1 => {
                label::raw(self.text(codes.trailing_zeros()))
            }
            (Value::Subset(codes), _) => {
                let present = (0..LARGEST_SUBSET).filter(|code| codes >> code & 1 == 1);
                label::set(present.map(|code| self.text(code)))
            }
            (Value::Mean { mean, .. }, _) => self.measure.with_places(i128::from(mean), MEAN_PLACES),
            (Value::Node(_), _) => label::STAR.to_owned(),
        }
    }

    /// A value of the data as the release writes it. What stands for many numbers is no text that could be taken for something else.
    pub(crate) fn leaf_label(&self, text: &str) -> String {
        if Stretch::read(&self.measure, text).is_some() { text.to_owned() } else { label::raw(text) }
    }

    /// How many generalisation steps lead to a value, where the column has levels.
    #[must_use]
    pub fn steps(&self, value: Value) -> Option<(u32, u32)> {
        let tree = self.tree()?;
        let steps = match value {
            Value::Node(node) => tree.level_of(node),
            Value::Span(..) | Value::Subset(_) | Value::Mean { .. } => {
                let (low, high) = self.codes(value);
                tree.level_of(tree.lca_of_range(low, high))
            }
            Value::Star => tree.height(),
        };
        Some((steps, tree.height()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::Kind;

    fn letters(sets: bool) -> Quasi {
        let shape = Shape::Set(["a", "b|c", "d", "e", "f"].into_iter().collect());
        let measure = Measure { kind: Kind::Text, scale: 0 };
        Quasi { name: "letter".into(), measure, shape, priority: 1.0, tight: false, sets }
    }

    #[test]
    fn a_set_shows_exactly_the_codes_present() {
        let quasi = letters(true);
        let set = quasi.cover_codes([3, 1, 1, 4].into_iter());
        assert_eq!(set, Value::Subset(0b11010));
        assert_eq!(quasi.label(set), "{b\\|c|e|f}");
        assert_eq!(quasi.codes(set), (1, 4));
        // models.md 2.1, set form: (3 - 1) / (5 - 1).
        assert_eq!(quasi.loss(set), 0.5);
        let one = quasi.cover_codes([2].into_iter());
        assert_eq!((quasi.label(one).as_str(), quasi.loss(one)), ("d", 0.0));
    }

    #[test]
    fn without_sets_codes_are_covered_by_all_between_them() {
        let quasi = letters(false);
        assert_eq!(quasi.cover_codes([3, 1].into_iter()), Value::Span(1, 3));
        assert_eq!(quasi.cover_codes(std::iter::empty()), Value::Star);
    }

    #[test]
    fn a_mean_shows_its_places_and_loses_the_range_of_its_class() {
        let measure = Measure { kind: Kind::DecimalComma, scale: 1 };
        let texts = ["-2,5", "0", "2,5"].into_iter().collect();
        let line = Line::new(&measure, vec![-25, 0, 25], texts, (-30, 30), false);
        let quasi = Quasi { measure, shape: Shape::Line(line), ..letters(false) };
        let mean = Value::Mean { low: 0, high: 1, mean: -1250 };
        assert_eq!((quasi.label(mean).as_str(), quasi.codes(mean)), ("-1,250", (0, 1)));
        assert_eq!(quasi.loss(mean), 0.5);
        assert_eq!(quasi.label(Value::Mean { low: 0, high: 1, mean: -50 }), "-0,050");
        assert_eq!(quasi.label(Value::Mean { low: 0, high: 2, mean: 0 }), "0,000");
    }

    #[test]
    fn a_group_that_only_a_number_names_is_lost() {
        use crate::table::hierarchy::{Builder, Domain, Order, build};
        let values: Vec<String> = (0..30).map(|value| format!("v{value:02}")).collect();
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let domain = Domain {
            name: "letter",
            measure: Measure { kind: Kind::Text, scale: 0 },
            values: &texts,
            rows: &[1; 30],
            first_rows: None,
            missing: None,
            classes: None,
            declared: None,
            form: None,
        };
        let quasi = |builder: Builder| {
            let built = build(&builder.into(), &domain).expect("a tree");
            Quasi { shape: Shape::Tree(built.hierarchy), ..letters(false) }
        };
        let numbered = quasi(Builder::Alphabetic { order: Order::Text });
        let node = numbered.cover(0, 1);
        assert_eq!((numbered.label(node).as_str(), numbered.loss(node)), ("group 1 of 6", 1.0));
        assert_eq!(numbered.loss(numbered.cover(3, 3)), 0.0);
        let readable = quasi(Builder::Prefix { lengths: None, pad: None });
        assert!(readable.loss(readable.cover(0, 1)) < 0.5);
    }

    #[test]
    fn a_set_may_have_the_last_of_64_codes() {
        let texts = (0..LARGEST_SUBSET).map(|code| format!("v{code:02}")).collect::<Vec<_>>();
        let shape = Shape::Set(texts.iter().map(String::as_str).collect());
        let quasi = Quasi { shape, ..letters(true) };
        let ends = quasi.cover_codes([0, 63].into_iter());
        assert_eq!((quasi.label(ends).as_str(), quasi.codes(ends)), ("{v00|v63}", (0, 63)));
        assert_eq!(quasi.loss(quasi.cover_codes(0..64)), 1.0);
    }
}
