//! Is a released value true of its original? The reading of one column's texts.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet, HashTable};
use scumble_files::Control;
use scumble_files::table::Texts;

use crate::error::VerifyError;
use crate::label::{Interval, Label, Separator, parse};
use crate::named::Named;
use crate::value::{Value, ValueKind};
use crate::watch::Pace;

/// How the released values of a coarsened column are to be read.
///
/// An original value is covered by
/// * `*`;
/// * the same text, or a number or date of the same value;
/// * a node's label, if the hierarchy has the original among the node's leaves. In number and date columns a leaf may be an
///   interval, and then has every value inside it below it;
/// * an interval that contains its value;
/// * a set that names it, or a node above it.
///
/// A node that is called as an interval or a set is true of what the interval or the set says, and of nothing else. A missing original is covered only by `*`,
/// a missing marker (also in a set) and a node that has it among its leaves; a missing marker covers nothing else.
#[derive(Debug, Clone)]
pub struct Cover {
    /// What the column's texts mean.
    pub kind: ValueKind,
    /// The column's hierarchy; empty if there is none.
    pub nodes: Nodes,
    /// The texts that stand for a missing value.
    pub missing: Vec<String>,
}

/// A hierarchy, from leaves up.
///
/// A tree of a million leaves should not take much more than its labels, so a node is a label and the number of the node above.
#[derive(Debug, Clone, Default)]
pub struct Nodes {
    /// The label of each node.
    labels: Texts,
    /// The node above each; [`NONE`] for those on top.
    parents: Vec<u32>,
    is_leaf: Vec<bool>,
    /// The nodes by their labels. Several may share one.
    index: HashTable<u32>,
    /// Nodes that texts which are no leaves may lie below, by what the nodes are called.
    named: Vec<u32>,
}

/// No node.
const NONE: u32 = u32::MAX;

impl Nodes {
    /// Builds it from each leaf's text and its ancestors' labels, the nearest first; leaves in any order.
    pub fn from_paths<S: AsRef<str>>(
        paths: impl IntoIterator<Item = (S, Vec<S>)>,
    ) -> Result<Self, VerifyError> {
        let mut told = TreeTold::all();
        for (leaf, ancestors) in paths {
            ancestors.iter().rev().for_each(|label| told.open(label.as_ref()));
            told.leaf(leaf.as_ref())?;
            ancestors.iter().for_each(|_| told.close());
        }
        Ok(told.finish())
    }

    /// The same, where originals may be none of its leaves: they lie below these nodes, given by their labels and those above,
    /// as far as the labels say so. An interval has every value inside it below it, a period (`2024-03`, `2024-Q1`, `2024`,
    /// `2020s`, `2000-2099`) every day, and a masked code (`43**`) every text that begins so and is as long; with one star alone of
    /// any length. Labels that say nothing of the kind have nothing more below them.
    #[must_use]
    pub fn with_named<S: AsRef<str>>(mut self, paths: impl IntoIterator<Item = (S, Vec<S>)>) -> Self {
        for (label, ancestors) in paths {
            let node = self.insert(label.as_ref(), &ancestors);
            self.named.push(node);
        }
        self
    }

    /// The node with that label below those ancestors.
    fn insert<S: AsRef<str>>(&mut self, label: &str, ancestors: &[S]) -> u32 {
        let mut above = NONE;
        for ancestor in ancestors.iter().rev() {
            above = self.child(above, ancestor.as_ref());
        }
        self.child(above, label)
    }

    fn child(&mut self, above: u32, label: &str) -> u32 {
        let (labels, parents) = (&self.labels, &self.parents);
        let found = self
            .index
            .find(hash(label), |&node| parents[node as usize] == above && labels.get(node) == label)
            .copied();
        if let Some(node) = found {
            return node;
        }
        let node = self.labels.push(label);
        self.parents.push(above);
        self.is_leaf.push(false);
        let labels = &self.labels;
        self.index.insert_unique(hash(label), node, |&node| hash(labels.get(node)));
        node
    }

    /// All nodes with that label.
    fn labelled<'a>(&'a self, label: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.index.iter_hash(hash(label)).copied().filter(move |&node| self.labels.get(node) == label)
    }

    /// The leaf with that text.
    fn leaf(&self, text: &str) -> Option<u32> {
        self.labelled(text).find(|&node| self.is_leaf[node as usize])
    }

    /// The leaves.
    fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.parents.len() as u32).filter(|&node| self.is_leaf[node as usize])
    }

    /// A node and those above it.
    fn with_above(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |node: &u32| Some(self.parents[*node as usize]).filter(|above| *above != NONE);
        std::iter::successors(Some(node), above)
    }

    /// The labels of a node and of those above it, in ascending order.
    fn labels_above(&self, node: u32) -> Vec<&str> {
        let mut labels: Vec<&str> = self.with_above(node).map(|node| self.labels.get(node)).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// A hierarchy that is told node by node, from the root down: open a node, tell what is below it, close it.
///
/// Where the texts are known that a release shows, only nodes that one of them names are kept, besides the leaves: no other can make
/// anything true. A node that was left out by mistake would make a true value look false, never the other way round.
pub struct TreeTold<'r> {
    nodes: Nodes,
    /// What the release shows, ascending, and the members of its sets.
    shown: Option<(&'r Texts, HashSet<String, FixedState>)>,
    /// The lowest node that is kept, for each that is open; [`NONE`] above the first.
    open: Vec<u32>,
}

impl<'r> TreeTold<'r> {
    /// All nodes are kept.
    #[must_use]
    pub fn all() -> Self {
        Self { nodes: Nodes::default(), shown: None, open: Vec::new() }
    }

    /// For a release that shows these texts, which are in ascending order, and about so many leaves.
    #[must_use]
    pub fn shown(texts: &'r Texts, leaves: usize) -> Self {
        let mut members = HashSet::default();
        for text in texts.iter() {
            if let Label::Set(of) = parse(text) {
                members.extend(of);
            }
        }
        // Room for all leaves at once: a table that grows is there twice.
        let nodes = Nodes { index: HashTable::with_capacity(leaves), ..Nodes::default() };
        Self { nodes, shown: Some((texts, members)), open: Vec::new() }
    }

    /// How many nodes are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Begins a node below the one that is open.
    pub fn open(&mut self, label: &str) {
        let above = self.lowest();
        let kept = self
            .shown
            .as_ref()
            .is_none_or(|(texts, members)| texts.find_sorted(label).is_some() || members.contains(label));
        self.open.push(if kept { self.nodes.child(above, label) } else { above });
    }

    /// Ends the node that is open.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// A leaf below the node that is open.
    pub fn leaf(&mut self, text: &str) -> Result<(), VerifyError> {
        let above = self.lowest();
        let nodes = &mut self.nodes;
        let known = nodes.leaf(text);
        let node = nodes.child(above, text);
        match known {
            Some(known) if known != node && nodes.labels_above(known) != nodes.labels_above(node) => {
                let why = "it lists a leaf twice, with different ancestors".to_owned();
                return Err(VerifyError::Domain { what: "hierarchy", column: String::new(), why });
            }
            Some(_) => {}
            None => nodes.is_leaf[node as usize] = true,
        }
        Ok(())
    }

    /// The hierarchy.
    #[must_use]
    pub fn finish(self) -> Nodes {
        self.nodes
    }

    fn lowest(&self) -> u32 {
        self.open.last().copied().unwrap_or(NONE)
    }
}

fn hash(label: &str) -> u64 {
    FixedState::default().hash_one(label)
}

/// For each original text the released texts that are true of it, by their places, ascending.
pub fn covering(
    cover: &Cover,
    released: &Texts,
    originals: &Texts,
    control: &Control,
) -> Result<Vec<Vec<u32>>, VerifyError> {
    covering_with(cover, released, originals, |found| found, control)
}

/// The same in another form, into which each list is put as soon as it is known: together they may be large.
pub fn covering_with<T>(
    cover: &Cover,
    released: &Texts,
    originals: &Texts,
    put: impl Fn(Vec<u32>) -> T,
    control: &Control,
) -> Result<Vec<T>, VerifyError> {
    let mut pace = Pace::new(control);
    let reading = Reading::new(cover);
    let mut labels: Vec<Released> = Vec::with_capacity(released.len());
    for text in released.iter() {
        pace.tick(4)?;
        labels.push(reading.released(text));
    }
    let index = LabelIndex::new(&labels);
    let mut all = Vec::with_capacity(originals.len());
    for text in originals.iter() {
        let found = index.covering(&reading.original(text));
        // Every broad label is tried, also those that do not cover it.
        pace.tick(4 + index.broad.len() / 4 + found.len())?;
        all.push(put(found));
    }
    Ok(all)
}

/// An original text, understood.
pub(crate) struct Original<'a> {
    text: &'a str,
    missing: bool,
    value: Option<Value>,
    /// The nodes it lies under, ascending.
    pub(crate) nodes: Vec<u32>,
}

/// A released text, understood: it is true of an original if one of these is.
#[derive(Default)]
pub(crate) struct Released {
    /// `*`.
    pub(crate) star: bool,
    /// Raw values.
    pub(crate) raw: Vec<Raw>,
    /// Nodes.
    pub(crate) nodes: Vec<u32>,
    /// An interval.
    pub(crate) range: Option<Range>,
}

/// A raw value that a released text names.
pub(crate) struct Raw {
    pub(crate) text: String,
    pub(crate) value: Option<Value>,
    pub(crate) missing: bool,
}

/// An interval of values.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    low: Value,
    high: Value,
    closed: bool,
}

impl Range {
    pub(crate) fn contains(self, value: Value) -> bool {
        self.low <= value && (value < self.high || (self.closed && value == self.high))
    }
}

/// A column's reading with what is looked up often.
pub(crate) struct Reading<'a> {
    cover: &'a Cover,
    /// Leaves by value, for numbers and dates.
    leaf_values: HashMap<Value, Vec<u32>, FixedState>,
    /// Leaves that are intervals.
    leaf_ranges: Vec<(Range, u32)>,
    /// Nodes that say what lies below them.
    named: Vec<(Named, u32)>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(cover: &'a Cover) -> Self {
        let mut reading =
            Self { cover, leaf_values: HashMap::default(), leaf_ranges: Vec::new(), named: Vec::new() };
        for &node in &cover.nodes.named {
            let label = cover.nodes.labels.get(node);
            let named = match parse(label) {
                Label::Interval(interval) => reading.range(&interval).map(Named::Inside),
                _ => Named::read(label, cover.kind),
            };
            reading.named.extend(named.map(|named| (named, node)));
        }
        for node in cover.nodes.leaves() {
            let leaf = cover.nodes.labels.get(node);
            if reading.is_missing(leaf) {
                continue;
            }
            if let Some(value) = reading.value(leaf) {
                reading.leaf_values.entry(value).or_default().push(node);
            } else if leaf.starts_with('[')
                && let Label::Interval(interval) = parse(leaf)
                && let Some(range) = reading.range(&interval)
            {
                reading.leaf_ranges.push((range, node));
            }
        }
        reading
    }

    fn value(&self, text: &str) -> Option<Value> {
        Value::read(text, self.cover.kind)
    }

    fn is_missing(&self, text: &str) -> bool {
        self.cover.missing.iter().any(|marker| marker == text)
    }

    /// The meaning of an interval, if it is one in a column of this kind.
    fn range(&self, interval: &Interval) -> Option<Range> {
        let expected = match self.cover.kind {
            ValueKind::Number { comma: true } => Separator::Semicolon,
            _ => Separator::Comma,
        };
        if interval.separator != expected {
            return None;
        }
        let (low, high) = (self.value(&interval.low)?, self.value(&interval.high)?);
        Some(Range { low, high, closed: interval.closed })
    }

    pub(crate) fn original(&self, text: &'a str) -> Original<'a> {
        let missing = self.is_missing(text);
        let value = if missing { None } else { self.value(text) };
        let mut leaves: Vec<u32> = self.cover.nodes.leaf(text).into_iter().collect();
        if let Some(value) = value {
            leaves.extend(self.leaf_values.get(&value).into_iter().flatten());
            let inside = self.leaf_ranges.iter().filter(|(range, _)| range.contains(value));
            leaves.extend(inside.map(|&(_, node)| node));
        }
        let mut nodes: Vec<u32> = leaves.iter().flat_map(|&leaf| self.cover.nodes.with_above(leaf)).collect();
        if leaves.is_empty() && !missing {
            let below = self.named.iter().filter(|(named, _)| named.holds(text, value));
            nodes.extend(below.flat_map(|&(_, node)| self.cover.nodes.with_above(node)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        Original { text, missing, value, nodes }
    }

    pub(crate) fn released(&self, text: &str) -> Released {
        let nodes = |label: &str| self.cover.nodes.labelled(label).collect::<Vec<u32>>();
        let raw = |text: String| Raw { value: self.value(&text), missing: self.is_missing(&text), text };
        match parse(text) {
            Label::Suppressed => Released { star: true, ..Released::default() },
            Label::Quoted(value) => Released { raw: vec![raw(value)], ..Released::default() },
            Label::Plain(value) => {
                Released { nodes: nodes(text), raw: vec![raw(value)], ..Released::default() }
            }
            // What an interval or a set says is all that it says: no hierarchy makes it true of anything else.
            Label::Interval(interval) => match self.range(&interval) {
                Some(range) => Released { range: Some(range), ..Released::default() },
                None => Released { nodes: nodes(text), ..Released::default() },
            },
            Label::Set(members) => Released {
                nodes: members.iter().map(String::as_str).flat_map(nodes).collect(),
                raw: members.into_iter().map(raw).collect(),
                ..Released::default()
            },
        }
    }
}

impl Released {
    /// Whether this is true of the original.
    pub(crate) fn covers(&self, original: &Original<'_>) -> bool {
        if self.star || self.nodes.iter().any(|node| original.nodes.binary_search(node).is_ok()) {
            return true;
        }
        if original.missing {
            return self.raw.iter().any(|raw| raw.missing);
        }
        let same = |raw: &Raw| {
            let same_value = raw.value.is_some() && raw.value == original.value;
            !raw.missing && (raw.text == original.text || same_value)
        };
        self.raw.iter().any(same)
            || self.range.zip(original.value).is_some_and(|(range, value)| range.contains(value))
    }
}

/// Released labels by what they can cover, to find those of an original without trying all.
pub(crate) struct LabelIndex<'a> {
    labels: &'a [Released],
    /// Labels that may cover many originals, or cannot be found by a key: `*` and intervals.
    broad: Vec<u32>,
    missing: Vec<u32>,
    by_text: HashMap<&'a str, Vec<u32>, FixedState>,
    by_value: HashMap<Value, Vec<u32>, FixedState>,
    by_node: HashMap<u32, Vec<u32>, FixedState>,
}

impl<'a> LabelIndex<'a> {
    pub(crate) fn new(labels: &'a [Released]) -> Self {
        let mut index = Self {
            labels,
            broad: Vec::new(),
            missing: Vec::new(),
            by_text: HashMap::default(),
            by_value: HashMap::default(),
            by_node: HashMap::default(),
        };
        for (code, label) in labels.iter().enumerate() {
            let code = code as u32;
            if label.star || label.range.is_some() {
                index.broad.push(code);
            }
            for &node in &label.nodes {
                index.by_node.entry(node).or_default().push(code);
            }
            for raw in &label.raw {
                if raw.missing {
                    index.missing.push(code);
                }
                index.by_text.entry(raw.text.as_str()).or_default().push(code);
                if let Some(value) = raw.value {
                    index.by_value.entry(value).or_default().push(code);
                }
            }
        }
        index
    }

    /// The codes of the labels that cover an original, ascending.
    pub(crate) fn covering(&self, original: &Original<'_>) -> Vec<u32> {
        let mut found = self.broad.clone();
        if original.missing {
            found.extend(&self.missing);
        }
        found.extend(self.by_text.get(original.text).into_iter().flatten());
        if let Some(value) = original.value {
            found.extend(self.by_value.get(&value).into_iter().flatten());
        }
        for node in &original.nodes {
            found.extend(self.by_node.get(node).into_iter().flatten());
        }
        found.sort_unstable();
        found.dedup();
        // The index only proposes.
        found.retain(|&code| self.labels[code as usize].covers(original));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::DateFormat;
    use proptest::prelude::*;

    fn cover(kind: ValueKind, paths: &[&[&str]], missing: &[&str]) -> Cover {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let paths = paths.iter().map(|path| (path[0].to_owned(), owned(&path[1..])));
        Cover { kind, nodes: Nodes::from_paths(paths).expect("a hierarchy"), missing: owned(missing) }
    }

    fn covers(cover: &Cover, original: &str, released: &str) -> bool {
        let reading = Reading::new(cover);
        reading.released(released).covers(&reading.original(original))
    }

    const NUMBER: ValueKind = ValueKind::Number { comma: false };

    #[test]
    fn numbers() {
        let age = cover(NUMBER, &[], &["?"]);
        for (original, released, expected) in [
            ("25", "*", true),
            ("25", "25", true),
            ("25", "25.0", true),
            ("25", "26", false),
            ("25", "=25", true),
            ("20", "[20,30)", true),
            ("19.999", "[20,30)", false),
            ("30", "[20,30)", false),
            ("29.99", "[20,30)", true),
            ("30", "[20,30]", true),
            ("30.01", "[20,30]", false),
            ("20", "[20,20]", true),
            ("20", "[20,20)", false),
            ("25", "[30,20]", false),
            ("-5", "[-10,-1]", true),
            ("25", "[20;30]", false),
            ("25", "=[20,30]", false),
            ("25", "{24|25.0}", true),
            ("25", "{24|26}", false),
            ("?", "?", true),
            ("?", "*", true),
            ("?", "{25|?}", true),
            ("?", "{25}", false),
            ("?", "[0,99]", false),
            ("25", "?", false),
            ("abc", "[0,99]", false),
            ("abc", "abc", true),
            ("abc", "abd", false),
            ("25", "young", false),
        ] {
            assert_eq!(covers(&age, original, released), expected, "{original} {released}");
        }
    }

    #[test]
    fn decimal_commas_and_dates() {
        let price = cover(ValueKind::Number { comma: true }, &[], &[]);
        assert!(covers(&price, "1,5", "[1,5;2,5]") && covers(&price, "2,5", "[1,5;2,5]"));
        assert!(!covers(&price, "1,49", "[1,5;2,5]") && !covers(&price, "2,51", "[1,5;2,5]"));
        assert!(!covers(&price, "3", "[1,5]"));
        let day = cover(ValueKind::Date { format: DateFormat::DayMonthYearDot }, &[], &[]);
        assert!(covers(&day, "02.01.2020", "[31.12.2019,01.02.2020)"));
        assert!(!covers(&day, "01.02.2020", "[31.12.2019,01.02.2020)"));
        assert!(covers(&day, "1.2.2020", "01.02.2020"));
        assert!(!covers(&day, "30.02.2020", "[01.01.2020,31.12.2020]"));
    }

    #[test]
    fn missing_markers_that_look_like_values() {
        let coded = cover(NUMBER, &[], &["-9", ""]);
        assert!(covers(&coded, "-9", "") && covers(&coded, "", "-9"));
        assert!(!covers(&coded, "-9", "[-10,0]"));
        assert!(!covers(&coded, "-9.0", "-9"));
        assert!(!covers(&coded, "-9", "-9.0"));
        assert!(covers(&coded, "-8", "[-10,0]"));
        // Nor by a node whose leaf is an interval around the marker, unless the marker itself is a leaf.
        let coded = cover(NUMBER, &[&["[-10,0)", "negative"], &["", "negative"]], &["-9", ""]);
        assert!(covers(&coded, "-8", "negative") && !covers(&coded, "-9", "negative"));
        assert!(covers(&coded, "", "negative"));
    }

    #[test]
    fn hierarchies() {
        let job = cover(
            ValueKind::Text,
            &[
                &["nurse", "health", "any"],
                &["doctor", "health", "any"],
                &["cook", "food", "any"],
                &["?", "any"],
            ],
            &["?"],
        );
        for (original, released, expected) in [
            ("nurse", "health", true),
            ("nurse", "any", true),
            ("nurse", "food", false),
            ("nurse", "nurse", true),
            ("nurse", "doctor", false),
            ("nurse", "=health", false),
            ("nurse", "{cook|nurse}", true),
            ("nurse", "{food|health}", true),
            ("nurse", "{cook|food}", false),
            ("?", "any", true),
            ("?", "health", false),
            ("nurse", "?", false),
            ("baker", "food", false),
            ("baker", "baker", true),
        ] {
            assert_eq!(covers(&job, original, released), expected, "{original} {released}");
        }
    }

    #[test]
    fn quoted_values_are_raw() {
        let odd = cover(ValueKind::Text, &[], &[]);
        assert!(covers(&odd, "*", "=*") && !covers(&odd, "x", "=*"));
        assert!(covers(&odd, "=x", "==x") && !covers(&odd, "=x", "=x"));
        assert!(covers(&odd, "{a|b}", "={a|b}") && !covers(&odd, "a", "={a|b}"));
        assert!(covers(&odd, "a|b", r"{a\|b|c}") && !covers(&odd, "a", r"{a\|b|c}"));
    }

    #[test]
    fn intervals_as_leaves() {
        let age = cover(
            NUMBER,
            &[&["[0,18)", "minor", "any"], &["[18,99]", "adult", "any"], &["100", "old", "any"]],
            &[],
        );
        assert!(covers(&age, "17", "minor") && covers(&age, "17", "[0,18)") && covers(&age, "17", "any"));
        assert!(covers(&age, "18", "adult") && !covers(&age, "18", "minor"));
        assert!(covers(&age, "100.0", "old") && !covers(&age, "101", "any"));
    }

    #[test]
    fn a_node_that_is_written_as_an_interval_or_a_set_is_one() {
        let age = cover(NUMBER, &[&["30", "[20,30)"]], &[]);
        assert!(!covers(&age, "30", "[20,30)") && covers(&age, "25", "[20,30)"));
        let text = cover(ValueKind::Text, &[&["b", "{a|d}"], &["a", "{a|d}"], &["c", "[1,2]"]], &[]);
        assert!(!covers(&text, "b", "{a|d}") && covers(&text, "a", "{a|d}"));
        assert!(covers(&text, "c", "[1,2]"), "no interval in a column of texts");
    }

    #[test]
    fn texts_that_are_no_leaves_lie_below_nodes_that_say_so() {
        let path = |labels: &[&str]| {
            let mut labels = labels.iter().map(|&label| label.to_owned());
            (labels.next().expect("a label"), labels.collect::<Vec<_>>())
        };
        let mut age = cover(NUMBER, &[&["25", "[20,30)", "young", "any"], &["31", "young", "any"]], &["?"]);
        assert!(!covers(&age, "26", "young"));
        age.nodes = age.nodes.with_named([path(&["[20,30)", "young", "any"]), path(&["young", "any"])]);
        for (original, released, expected) in [
            ("26", "[20,30)", true),
            ("26", "young", true),
            ("26", "any", true),
            ("30", "young", false),
            ("31", "[20,30)", false),
            ("?", "young", false),
            ("x", "young", false),
        ] {
            assert_eq!(covers(&age, original, released), expected, "{original} {released}");
        }
        let mut zip = cover(ValueKind::Text, &[&["4350", "435*", "43**", "north"]], &[]);
        zip.nodes = zip.nodes.with_named([path(&["435*", "43**", "north"]), path(&["43**", "north"])]);
        assert!(covers(&zip, "4399", "43**") && covers(&zip, "4399", "north"));
        assert!(!covers(&zip, "4399", "435*") && !covers(&zip, "4400", "north"));
    }

    #[test]
    fn a_leaf_with_two_parents_is_refused() {
        let path = |leaf: &str, parent: &str| (leaf.to_owned(), vec![parent.to_owned()]);
        assert!(Nodes::from_paths([path("a", "x"), path("a", "x")]).is_ok());
        assert!(Nodes::from_paths([path("a", "x"), path("a", "y")]).is_err());
    }

    proptest! {
        #[test]
        fn the_index_finds_what_trying_all_finds(
            originals in proptest::collection::vec(r"[?!ab]|[0-6](\.0)?|\[1,3\)", 1..8),
            labels in proptest::collection::vec(r"\*|[?!]|=?[ab]|=\[1,3\)|[0-6](\.0)?|\[[0-3],[3-6][\])]|\{[0-6?a]\|[0-6n]\}|n|m", 1..12),
        ) {
            let cover = cover(NUMBER, &[&["a", "n", "r"], &["1", "n", "r"], &["?", "m"], &["[2,4)", "m"], &["5.0", "{1|n}"]], &["?", "!"]);
            let reading = Reading::new(&cover);
            let released: Vec<Released> = labels.iter().map(|label| reading.released(label)).collect();
            let index = LabelIndex::new(&released);
            for text in &originals {
                let original = reading.original(text);
                let tried: Vec<u32> =
                    (0..released.len() as u32).filter(|&code| released[code as usize].covers(&original)).collect();
                prop_assert_eq!(index.covering(&original), tried);
            }
        }
    }
}
