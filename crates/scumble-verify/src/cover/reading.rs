//! Parses the texts of a column, and finds which released ones are true of an original one.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::Cover;
use crate::label::{Interval, Label, Separator, parse};
use crate::named::Named;
use crate::value::{Value, ValueKind};

/// A parsed original text.
pub(crate) struct Original<'a> {
    text: &'a str,
    missing: bool,
    value: Option<Value>,
    /// The numbers that it stands for, if they are many.
    range: Option<Range>,
    /// The nodes above it, ascending.
    pub(crate) nodes: Vec<u32>,
}

/// A parsed released text. It is true of an original if any of these is.
#[derive(Default)]
pub(crate) struct Released {
    /// Whether it is `*`.
    pub(crate) star: bool,
    /// Raw values.
    pub(crate) raw: Vec<Raw>,
    /// Nodes.
    pub(crate) nodes: Vec<u32>,
    /// The interval, if it is one.
    pub(crate) range: Option<Range>,
}

/// A raw value that a released text names.
pub(crate) struct Raw {
    pub(crate) text: String,
    pub(crate) value: Option<Value>,
    pub(crate) missing: bool,
}

/// An interval of values; without an end it has none there.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    low: Option<Value>,
    high: Option<Value>,
    /// Whether the high end is included. The low end always is.
    closed: bool,
}

impl Range {
    pub(crate) fn contains(self, value: Value) -> bool {
        self.low.is_none_or(|low| low <= value)
            && self.high.is_none_or(|high| value < high || (self.closed && value == high))
    }

    fn is_empty(self) -> bool {
        self.low.zip(self.high).is_some_and(|(low, high)| low > high || (low == high && !self.closed))
    }

    /// Whether all of another interval lies in this one.
    fn holds(self, other: Self) -> bool {
        let from = self.low.is_none_or(|low| other.low.is_some_and(|other| low <= other));
        let to = self.high.is_none_or(|high| {
            other.high.is_some_and(|end| end < high || (end == high && (self.closed || !other.closed)))
        });
        from && to
    }
}

/// A column's reading, with indexes for frequent lookups.
pub(crate) struct Reading<'a> {
    cover: &'a Cover,
    /// Leaves by value, for numbers and dates.
    leaf_values: HashMap<Value, Vec<u32>, FixedState>,
    /// Leaves that are intervals.
    leaf_ranges: Vec<(Range, u32)>,
    /// Nodes whose labels say what lies below them.
    named: Vec<(Named, u32)>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(cover: &'a Cover) -> Self {
        let mut reading =
            Self { cover, leaf_values: HashMap::default(), leaf_ranges: Vec::new(), named: Vec::new() };
        for &node in &cover.nodes.named {
            let label = cover.nodes.labels.get(node);
            let parsed = parse(label);
            let named = match (reading.stretch(&parsed), parsed) {
                (Some(range), _) => Some(Named::Inside(range)),
                (None, Label::Interval(_)) => None,
                (None, _) => Named::read(label, cover.kind),
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
            } else if let Some(range) = reading.stretch(&parse(leaf)) {
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

    /// Returns the meaning of an interval, if it has one in a column of this kind.
    fn range(&self, interval: &Interval) -> Option<Range> {
        let expected = match self.cover.kind {
            ValueKind::Number { comma: true } => Separator::Semicolon,
            _ => Separator::Comma,
        };
        if interval.separator != expected {
            return None;
        }
        let (low, high) = (self.value(&interval.low)?, self.value(&interval.high)?);
        Some(Range { low: Some(low), high: Some(high), closed: interval.closed })
    }

    /// Returns the numbers or dates that a label stands for, if it is an interval, perhaps without an end. Only numbers have intervals without
    /// one.
    fn stretch(&self, label: &Label) -> Option<Range> {
        let end = |text: &str| {
            matches!(self.cover.kind, ValueKind::Number { .. }).then(|| self.value(text)).flatten()
        };
        match label {
            Label::Interval(interval) => self.range(interval),
            Label::AtLeast(low) => Some(Range { low: Some(end(low)?), high: None, closed: true }),
            Label::AtMost(high) => Some(Range { low: None, high: Some(end(high)?), closed: true }),
            _ => None,
        }
    }

    pub(crate) fn original(&self, text: &'a str) -> Original<'a> {
        let missing = self.is_missing(text);
        let value = if missing { None } else { self.value(text) };
        let is_number = matches!(self.cover.kind, ValueKind::Number { .. });
        let stands_for_many = !missing && value.is_none() && is_number;
        let range = stands_for_many.then(|| self.stretch(&parse(text))).flatten();
        let range = range.filter(|range| !range.is_empty());
        let mut leaves: Vec<u32> = self.cover.nodes.leaf(text).into_iter().collect();
        if let Some(value) = value {
            leaves.extend(self.leaf_values.get(&value).into_iter().flatten());
            let inside = self.leaf_ranges.iter().filter(|(range, _)| range.contains(value));
            leaves.extend(inside.map(|&(_, node)| node));
        }
        let mut nodes: Vec<u32> = leaves.iter().flat_map(|&leaf| self.cover.nodes.with_above(leaf)).collect();
        if leaves.is_empty() && !missing && range.is_none() {
            let below = self.named.iter().filter(|(named, _)| named.holds(text, value));
            nodes.extend(below.flat_map(|&(_, node)| self.cover.nodes.with_above(node)));
        }
        nodes.sort_unstable();
        nodes.dedup();
        Original { text, missing, value, range, nodes }
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
            // Like an interval, where it means one; else a text like any other.
            label @ (Label::AtLeast(_) | Label::AtMost(_)) => match self.stretch(&label) {
                Some(range) => Released { range: Some(range), ..Released::default() },
                None => {
                    Released { nodes: nodes(text), raw: vec![raw(text.to_owned())], ..Released::default() }
                }
            },
            // An interval or a set is true only of what it says; no hierarchy makes it true of anything else.
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
    /// Whether the released text is true of the original.
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
            || self.range.is_some_and(|range| {
                original.value.is_some_and(|value| range.contains(value))
                    || original.range.is_some_and(|other| range.holds(other))
            })
    }
}

/// Released labels, indexed by what they can cover, so that not all must be tried.
pub(crate) struct LabelIndex<'a> {
    labels: &'a [Released],
    /// Labels that may cover many originals, or that have no key to find them by: `*` and intervals.
    pub(super) broad: Vec<u32>,
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

    /// Returns the codes of the labels that cover an original, ascending.
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
        // The index only proposes labels; each is checked here.
        found.retain(|&code| self.labels[code as usize].covers(original));
        found
    }
}
