//! Finds the codes of values, including values that the searched table does not have.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::covers;
use super::names::{Exact, holds, mask};
use crate::table::hierarchy::{Hierarchy, NodeId};
use crate::table::kind::Kind;
use crate::table::label;
use crate::table::quasi::{Line, Quasi, Shape, Value};

/// Finds the codes of a column's values, including values that the searched table does not have.
pub struct CodeFinder<'a> {
    quasi: &'a Quasi,
    by_text: HashMap<&'a str, u32>,
    by_number: BTreeMap<i128, u32>,
    masks: Masks<'a>,
    /// The code of missing values, if the searched table had one.
    missing: Option<u32>,
    markers: &'a [String],
}

/// The nodes of a tree that are named by a code with a masked end.
#[derive(Default)]
struct Masks<'a> {
    /// By prefix: the node, and the number of characters of its codes.
    by_prefix: HashMap<&'a str, (NodeId, Option<usize>)>,
    /// The most bytes of a prefix.
    longest: usize,
}

/// A text that was looked up in a column.
#[derive(Debug, Clone, Copy)]
pub struct LookedUp {
    /// The code that it has, or would have had.
    pub code: Option<u32>,
    sure: Sure,
}

/// What is certain about a text.
#[derive(Debug, Clone, Copy)]
enum Sure {
    /// Nothing: no hierarchy says what it belongs to.
    Nothing,
    /// It is this value.
    Code(u32),
    /// It is a number that no row had.
    Number(Exact),
    /// It lies below this node, going by the node's name.
    Below(NodeId),
}

impl<'a> CodeFinder<'a> {
    /// A finder for a quasi-identifier; `markers` are the texts that mean a missing value.
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
            masks: quasi.tree().map(|tree| Masks::of(tree, is_marker)).unwrap_or_default(),
            missing: codes().find(|(text, _)| is_marker(text)).map(|(_, code)| code),
            markers,
        }
    }

    /// The code of a text. An unseen number has the code of the neighbour whose range it lies in. An unseen text that no
    /// hierarchy knows has none, and neither has a missing value if the searched table had no missing ones.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<u32> {
        let found = self.look(text);
        // A code alone cannot say that a text is only known to lie somewhere below a node.
        let vague = self.quasi.measure.kind == Kind::Text && matches!(found.sure, Sure::Below(_));
        found.code.filter(|_| !vague)
    }

    /// The code of a text, and what is certain about it.
    #[must_use]
    pub fn look(&self, text: &str) -> LookedUp {
        let known = |code: Option<u32>| LookedUp { code, sure: code.map_or(Sure::Nothing, Sure::Code) };
        if self.markers.iter().any(|marker| marker == text) {
            return known(self.missing);
        }
        if let Some(code) = self.by_text.get(text) {
            return known(Some(*code));
        }
        let measure = &self.quasi.measure;
        let exact = Exact::read(measure, text);
        let number = exact.and_then(|exact| Some((exact, exact.floor(measure)?)));
        if let Some((exact, floor)) = number
            && let Some(code) = self.by_number.get(&floor).filter(|_| exact.cmp_in(measure, floor).is_eq())
        {
            return known(Some(*code));
        }
        match (&self.quasi.shape, number) {
            (Shape::Line(line), Some((exact, floor))) => {
                LookedUp { code: self.on_line(line, floor), sure: Sure::Number(exact) }
            }
            (Shape::Tree(tree), number) => {
                let near = number.and_then(|(exact, floor)| self.in_tree(tree, exact, floor));
                let known = near.filter(|near| matches!(near.sure, Sure::Below(_)));
                known
                    .or_else(|| self.masks.find(tree, text))
                    .or(near)
                    .unwrap_or(LookedUp { code: None, sure: Sure::Nothing })
            }
            _ => known(None),
        }
    }

    /// The nearest numbers below and above an unseen one, with their codes.
    fn neighbours(&self, number: i128) -> [Option<(i128, u32)>; 2] {
        let above = (std::ops::Bound::Excluded(number), std::ops::Bound::Unbounded);
        let pair = [self.by_number.range(..=number).next_back(), self.by_number.range(above).next()];
        pair.map(|of| of.map(|(number, code)| (*number, *code)))
    }

    /// The code in whose range a number lies.
    fn on_line(&self, line: &Line, number: i128) -> Option<u32> {
        match self.neighbours(number) {
            [Some((_, below)), Some((_, above))] => {
                let (_, end) = line.interval(below, below);
                Some(if number <= end { below } else { above })
            }
            [one, other] => one.or(other).map(|(_, code)| code),
        }
    }

    /// The neighbour of a number under the lowest node whose name says that it holds the number, else the closer neighbour.
    fn in_tree(&self, tree: &Hierarchy, exact: Exact, number: i128) -> Option<LookedUp> {
        let node = |code: u32| {
            let mut above = std::iter::successors(Some(tree.leaf(code)), |node| tree.parent(*node));
            above.find(|node| holds(&self.quasi.measure, &tree.label(*node), exact))
        };
        let rank = |(other, code): &(i128, u32)| {
            let distance = number.saturating_sub(*other).unsigned_abs();
            (node(*code).map(|node| tree.depth(node)), Reverse(distance), Reverse(*other))
        };
        let (_, code) = self.neighbours(number).into_iter().flatten().max_by_key(rank)?;
        Some(LookedUp { code: Some(code), sure: node(code).map_or(Sure::Nothing, Sure::Below) })
    }

    /// Whether a released value is certainly true of a text that was looked up: of a value that the hierarchy lists, of a value below a
    /// node that is named after what it holds, or of a number in the released interval.
    #[must_use]
    pub fn covers(&self, value: Value, found: &LookedUp) -> bool {
        let quasi = self.quasi;
        match (value, found.sure, &quasi.shape) {
            (Value::Star, ..) => true,
            (Value::Node(node), _, Shape::Tree(tree)) if tree.label(node) == label::STAR => true,
            (_, Sure::Code(code), _) => covers(quasi, value, code),
            (Value::Span(low, high), Sure::Number(exact), Shape::Line(line)) => {
                if line.missing().is_some_and(|missing| high >= missing) {
                    return false;
                }
                let (from, to) = quasi.bounds(line, low, high);
                exact.cmp_in(&quasi.measure, from).is_ge() && exact.cmp_in(&quasi.measure, to).is_le()
            }
            (Value::Node(node), Sure::Below(lowest), Shape::Tree(tree)) => {
                let ((from, to), (low, high)) = (tree.range(node), tree.range(lowest));
                from <= low && high <= to && tree.depth(node) <= tree.depth(lowest)
            }
            _ => false,
        }
    }
}

impl<'a> Masks<'a> {
    /// The masks of a tree whose codes all begin with what the mask says.
    fn of(tree: &'a Hierarchy, is_marker: impl Fn(&str) -> bool) -> Self {
        let texts = |(low, high): (u32, u32)| (low..=high).map(|code| tree.leaf_label(code));
        let mut lengths =
            texts(tree.range(tree.root())).filter(|text| !is_marker(text)).map(|text| text.chars().count());
        let first = lengths.next();
        let common = first.filter(|first| lengths.all(|length| length == *first));
        let mut masks = Self::default();
        for node in (0..tree.node_count()).filter(|node| !tree.is_leaf(*node)) {
            let label = tree.label(node);
            let Some((prefix, length)) = mask(&label) else { continue };
            if texts(tree.range(node)).all(|text| text.starts_with(prefix)) {
                // The label may be a temporary text, so the prefix is borrowed from a leaf, which begins in the same way.
                let prefix = &tree.leaf_label(tree.range(node).0)[..prefix.len()];
                masks.longest = masks.longest.max(prefix.len());
                // If all codes have the same length, each `*` stands for one character.
                masks.by_prefix.insert(prefix, (node, length.or(common)));
            }
        }
        masks
    }

    /// The lowest mask that a text fits.
    fn find(&self, tree: &Hierarchy, text: &str) -> Option<LookedUp> {
        let length = text.chars().count();
        let ends = (1..=self.longest.min(text.len())).rev().filter(|end| text.is_char_boundary(*end));
        let fits = |end: usize| {
            let (node, wanted) = self.by_prefix.get(&text[..end])?;
            wanted.is_none_or(|wanted| wanted == length).then_some(*node)
        };
        let node = ends.filter_map(fits).next()?;
        Some(LookedUp { code: Some(tree.range(node).0), sure: Sure::Below(node) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::Measure;

    fn quasi(kind: Kind, shape: Shape) -> Quasi {
        let measure = Measure { kind, scale: 0 };
        Quasi { name: "age".into(), measure, shape, priority: 1.0, tight: false, sets: false }
    }

    fn ages(markers: &[&str]) -> Quasi {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let texts = ["20", "30", "40"].into_iter().chain(markers.iter().copied()).collect();
        quasi(Kind::Integer, Shape::Line(Line::new(&measure, vec![20, 30, 40], texts, (20, 49), false)))
    }

    fn tree(kind: Kind, nodes: &str) -> Quasi {
        let outline = format!("{{\"provenance\": \"declared\", \"nodes\": {nodes}}}");
        let outline: crate::table::hierarchy::Outline = serde_json::from_str(&outline).expect("an outline");
        quasi(kind, Shape::Tree(outline.tree("age").expect("a tree")))
    }

    /// The labels of all nodes that are certainly true of a text.
    fn nodes(quasi: &Quasi, text: &str) -> Vec<String> {
        let markers = ["?".to_owned()];
        let finder = CodeFinder::new(quasi, &markers);
        let found = finder.look(text);
        let all = 0..quasi.tree().expect("a tree").node_count();
        let labels = all.filter(|node| finder.covers(Value::Node(*node), &found));
        labels.map(|node| quasi.label(Value::Node(node))).collect()
    }

    #[test]
    fn an_unseen_number_goes_where_its_range_is() {
        let quasi = ages(&["?"]);
        let markers = ["?".to_owned(), "NA".to_owned()];
        let finder = CodeFinder::new(&quasi, &markers);
        // Ranges meet at the roundest number between two values: 29 and 39 are the last of theirs.
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
        let Shape::Line(line) = &quasi.shape else { panic!("a line") };
        let (from, to) = line.interval(0, 1);
        assert_eq!((from, (30..40).contains(&to)), (20, true));
        for (text, expected) in [
            ("20".to_owned(), true),
            ("20.0".to_owned(), true),
            ("25".to_owned(), true),
            ("19".to_owned(), false),
            ("19.9".to_owned(), false),
            (to.to_string(), true),
            (format!("{to}.1"), false),
            ("40".to_owned(), false),
            ("1e30".to_owned(), false),
            ("?".to_owned(), false),
            ("old".to_owned(), false),
        ] {
            assert_eq!(covers(Value::Span(0, 1), &text), expected, "{text}");
        }
        assert!(covers(Value::Span(3, 3), "?") && !covers(Value::Span(3, 3), "99"));
        assert!(covers(Value::Star, "old") && covers(Value::Star, "?"));
    }

    #[test]
    fn an_unseen_number_lies_below_the_intervals_that_hold_it() {
        let quasi = tree(
            Kind::Integer,
            r#"[[0, "any"], [1, "young"], [2, "[0,20)"], [3, "5"], [3, "12"], [2, "[20,40)"], [3, "25"], [1, "[40,99]"], [2, "50"]]"#,
        );
        assert_eq!(nodes(&quasi, "12"), ["any", "young", "[0,20)", "12"]);
        assert_eq!(nodes(&quasi, "12.0"), ["any", "young", "[0,20)", "12"]);
        assert_eq!(nodes(&quasi, "13"), ["any", "young", "[0,20)"]);
        assert_eq!(nodes(&quasi, "39.9"), ["any", "young", "[20,40)"]);
        assert_eq!(nodes(&quasi, "99"), ["any", "[40,99]"]);
        assert!(nodes(&quasi, "100").is_empty(), "nothing says that it is any");
        assert!(nodes(&quasi, "x").is_empty());
    }

    #[test]
    fn an_unseen_date_lies_in_its_periods() {
        let quasi = tree(
            Kind::Date(crate::table::date::DateFormat::YearMonthDay),
            r#"[[0, "*"], [1, "2010s"], [2, "2019"], [3, "2019-12"], [4, "2019-12-31"], [1, "2020s"], [2, "2020"], [3, "2020-01"],
                [4, "2020-01-09"]]"#,
        );
        assert_eq!(nodes(&quasi, "2020-01-01"), ["*", "2020s", "2020", "2020-01"]);
        assert_eq!(nodes(&quasi, "2019-12-01"), ["*", "2010s", "2019", "2019-12"]);
        assert_eq!(nodes(&quasi, "2019-11-30"), ["*", "2010s", "2019"]);
        assert_eq!(nodes(&quasi, "2031-11-30"), ["*"]);
    }

    #[test]
    fn an_unseen_code_lies_below_the_masks_that_it_fits() {
        let codes =
            r#"[[0, "*"], [1, "4***"], [2, "43**"], [3, "435*"], [4, "4350"], [4, "4351"], [1, "?"]]"#;
        for kind in [Kind::Text, Kind::Integer] {
            let quasi = tree(kind, codes);
            assert_eq!(nodes(&quasi, "4359"), ["*", "4***", "43**", "435*"]);
            assert_eq!(nodes(&quasi, "4400"), ["*", "4***"]);
            assert_eq!(nodes(&quasi, "435"), ["*"], "too short");
            assert_eq!(nodes(&quasi, "43500"), ["*"], "too long");
            assert_eq!(nodes(&quasi, "5000"), ["*"]);
            assert_eq!(nodes(&quasi, "?"), ["*", "?"]);
        }
        let lengths = tree(Kind::Text, r#"[[0, "*"], [1, "I*"], [2, "I21*"], [3, "I21"], [3, "I219"]]"#);
        assert_eq!(nodes(&lengths, "I2155"), ["*", "I*", "I21*"]);
        let padded = tree(Kind::Text, r#"[[0, "*"], [1, "04**"], [2, "435"]]"#);
        assert_eq!(nodes(&padded, "0499"), ["*"], "these are no codes that begin so");
    }
}
