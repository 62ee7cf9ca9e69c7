//! Requirements, as the plan states them, as the verifier takes them, and judged here by the definitions alone.

use std::collections::BTreeMap;

use scumble::config::{ModelSpec, Parameters, Value};
use serde_json::json;

use super::column::is_missing;

/// An exact number.
pub(crate) type Ratio = (i128, i128);

/// How far apart sensitive values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    Equal,
    Ordered,
    Hierarchical,
}

/// One requirement on one column (k-anonymity looks at none).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    K(i128),
    Distinct(&'static str, i128),
    Entropy(&'static str, Ratio),
    Recursive(&'static str, Ratio, usize),
    Frequency(&'static str, Ratio),
    Close(&'static str, Ratio, Ground),
    /// Whoever knows so many columns finds so many rows (LKC-privacy).
    Known(usize, i128),
    /// Whoever knows so many columns finds at most such a share of one value (LKC-privacy).
    Share(&'static str, usize, Ratio),
}

/// The tree of the sensitive column `ill`: ragged, each value with its ancestors below the root.
pub(crate) const ILLNESSES: &[(&str, &[&str])] = &[
    // The shallow one first: a node is as high as its highest child, not as its first or last.
    ("asthma", &["lung"]),
    ("flu", &["virus", "lung"]),
    ("corona", &["virus", "lung"]),
    ("ulcer", &["gut"]),
    ("hiv", &[]),
    // Declared, and in no row.
    ("gastritis", &["gut"]),
];

/// The file of that tree.
pub(crate) fn illness_file() -> String {
    let line = |(leaf, above): &(&str, &[&str])| {
        [*leaf].iter().chain(*above).chain(&["*"]).copied().collect::<Vec<_>>().join(";") + "\n"
    };
    ILLNESSES.iter().map(line).collect()
}

/// The path of an illness from its leaf to the root; a missing one lies directly under the root.
fn illness_path(text: &str) -> Vec<&str> {
    let above = ILLNESSES.iter().find(|(ill, _)| *ill == text).map_or(&[][..], |(_, above)| above);
    [text].into_iter().chain(above.iter().copied()).chain(["*"]).collect()
}

fn text((numerator, denominator): Ratio) -> String {
    format!("{numerator}/{denominator}")
}

/// Every variant of every model in the registry, with values from weak to hardly possible.
pub(crate) fn variants(column: &'static str) -> Vec<(&'static str, Vec<Demand>)> {
    use Demand::{Close, Distinct, Entropy, Frequency, K, Known, Recursive, Share};
    let close =
        |ground| [(0, 1), (1, 10), (1, 4), (1, 3), (1, 2), (1, 1)].map(|t| Close(column, t, ground)).to_vec();
    vec![
        ("k_anonymity", [1, 2, 3, 5, 61].map(K).to_vec()),
        ("l_diversity distinct", [1, 2, 3].map(|l| Distinct(column, l)).to_vec()),
        ("l_diversity entropy", [(1, 1), (3, 2), (2, 1), (5, 2)].map(|l| Entropy(column, l)).to_vec()),
        (
            "l_diversity recursive",
            [((1, 2), 2), ((2, 1), 2), ((9, 1), 2), ((4, 1), 3)]
                .map(|(c, l)| Recursive(column, c, l))
                .to_vec(),
        ),
        (
            "l_diversity frequency",
            [(1, 1), (131, 100), (5, 3), (2, 1), (5, 2)].map(|l| Frequency(column, l)).to_vec(),
        ),
        ("t_closeness equal", close(Ground::Equal)),
        ("t_closeness ordered", close(Ground::Ordered)),
        ("t_closeness hierarchical", close(Ground::Hierarchical)),
        ("lkc sizes", [(1, 2), (1, 5), (2, 2), (2, 3), (9, 3)].map(|(l, k)| Known(l, k)).to_vec()),
        (
            "lkc shares",
            [(1, (9, 10)), (1, (2, 3)), (2, (4, 5)), (9, (3, 4))].map(|(l, c)| Share(column, l, c)).to_vec(),
        ),
    ]
}

impl Demand {
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::K(_) | Self::Known(..) => None,
            Self::Share(column, ..)
            | Self::Distinct(column, _)
            | Self::Entropy(column, _)
            | Self::Recursive(column, ..)
            | Self::Frequency(column, _)
            | Self::Close(column, ..) => Some(column),
        }
    }

    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::K(_) => "k_anonymity",
            Self::Close(..) => "t_closeness",
            Self::Known(..) | Self::Share(..) => "lkc",
            _ => "l_diversity",
        }
    }

    /// The parameters, by name.
    fn parameters(self) -> Vec<(&'static str, Value)> {
        let word = |name: &str| Value::Text(name.to_owned());
        let ratio = |ratio: Ratio| Value::Text(text(ratio));
        match self {
            Self::K(k) => vec![("k", Value::Integer(k as i64))],
            Self::Distinct(_, l) => vec![("variant", word("distinct")), ("l", Value::Integer(l as i64))],
            Self::Entropy(_, l) => vec![("variant", word("entropy")), ("l", ratio(l))],
            Self::Recursive(_, c, l) => {
                vec![("variant", word("recursive")), ("l", Value::Integer(l as i64)), ("c", ratio(c))]
            }
            Self::Frequency(_, l) => vec![("variant", word("frequency")), ("l", ratio(l))],
            Self::Close(_, t, ground) => {
                let distance = match ground {
                    Ground::Equal => "equal",
                    Ground::Ordered => "ordered",
                    Ground::Hierarchical => "hierarchical",
                };
                vec![("t", ratio(t)), ("distance", word(distance))]
            }
            Self::Known(l, k) => vec![("l", Value::Integer(l as i64)), ("k", Value::Integer(k as i64))],
            Self::Share(_, l, c) => {
                vec![("l", Value::Integer(l as i64)), ("k", Value::Integer(1)), ("c", ratio(c))]
            }
        }
    }

    /// As a plan states it.
    pub(crate) fn spec(self) -> ModelSpec {
        let named = self.parameters().into_iter().map(|(name, value)| (name.to_owned(), value));
        ModelSpec {
            model: self.model().to_owned(),
            columns: self.column().into_iter().map(str::to_owned).collect(),
            quasi: None,
            parameters: named.collect::<Parameters>(),
        }
    }

    /// As the verifier takes it, written here and not by the model. `original` are the column's values.
    pub(crate) fn claim(self, original: &[&str]) -> serde_json::Value {
        let mut claim = json!({"model": self.model()});
        for (name, value) in self.parameters() {
            claim[name] = match value {
                Value::Integer(number) => number.into(),
                other => other.to_text().into(),
            };
        }
        if let Some(column) = self.column() {
            claim["column"] = column.into();
        }
        if let (Self::Share(..), Some(claim)) = (self, claim.as_object_mut()) {
            // One claim is about sizes or about shares.
            claim.shift_remove("k");
        }
        match self {
            Self::Close(_, _, Ground::Ordered) => claim["order"] = in_order(original).into(),
            Self::Close(_, _, Ground::Hierarchical) => {
                let mut leaves: Vec<&str> = ILLNESSES.iter().map(|(ill, _)| *ill).collect();
                leaves.extend(in_order(original));
                leaves.sort_unstable();
                leaves.dedup();
                claim["tree"] = leaves.into_iter().map(illness_path).collect::<Vec<_>>().into();
            }
            _ => {}
        }
        claim
    }

    /// Whether a class keeps the requirement. `class` and `original` are the column's values in the class and in the
    /// original table; decided in integers, the entropy excepted.
    pub(crate) fn holds(self, class: &[&str], original: &[&str]) -> bool {
        let (class, original) = (&one_spelling(class, original)[..], &one_spelling(original, original)[..]);
        let size = class.len() as i128;
        let rows = descending(class);
        let most = rows.first().copied().unwrap_or(0);
        match self {
            Self::K(k) => size >= k,
            Self::Distinct(_, l) => rows.len() as i128 >= l,
            Self::Entropy(_, l) => self.attained(class, original) >= l.0 as f64 / l.1 as f64 - 1e-9,
            Self::Recursive(_, c, l) => most * c.1 < c.0 * rows.iter().skip(l - 1).sum::<i128>(),
            Self::Frequency(_, l) => most * l.0 <= size * l.1,
            Self::Known(_, k) => size >= k,
            Self::Share(_, _, c) => most * c.1 <= size * c.0,
            Self::Close(_, t, ground) => {
                let (distance, whole) = earth_movers(class, original, ground);
                distance * t.1 <= t.0 * whole
            }
        }
    }

    /// What a class attains, in the requirement's own unit.
    pub(crate) fn attained(self, class: &[&str], original: &[&str]) -> f64 {
        let (class, original) = (&one_spelling(class, original)[..], &one_spelling(original, original)[..]);
        let size = class.len() as f64;
        let rows = descending(class);
        let most = rows.first().copied().unwrap_or(0) as f64;
        match self {
            Self::K(_) => size,
            Self::Distinct(..) => rows.len() as f64,
            Self::Entropy(..) => {
                let shares = rows.iter().map(|rows| *rows as f64 / size);
                shares.map(|share| -share * share.ln()).sum::<f64>().exp()
            }
            Self::Recursive(_, _, l) => most / rows.iter().skip(l - 1).sum::<i128>() as f64,
            Self::Frequency(..) => size / most,
            Self::Known(..) => size,
            Self::Share(..) => most / size,
            Self::Close(_, _, ground) => {
                let (distance, whole) = earth_movers(class, original, ground);
                distance as f64 / whole as f64
            }
        }
    }

    /// Whether more is better.
    pub(crate) fn larger_is_better(self) -> bool {
        !matches!(self, Self::Recursive(..) | Self::Close(..) | Self::Share(..))
    }

    /// How many columns outsiders know, where that is not all of them.
    pub(crate) fn known(self) -> Option<usize> {
        match self {
            Self::Known(l, _) | Self::Share(_, l, _) => Some(l),
            _ => None,
        }
    }
}

fn tally<'a>(values: &[&'a str]) -> BTreeMap<&'a str, i128> {
    let mut tally = BTreeMap::new();
    values.iter().for_each(|value| *tally.entry(*value).or_default() += 1);
    tally
}

/// Rows per value, largest first.
fn descending(values: &[&str]) -> Vec<i128> {
    let mut rows: Vec<i128> = tally(values).into_values().collect();
    rows.sort_unstable_by(|a, b| b.cmp(a));
    rows
}

/// The distinct values in the order of the column: numbers by value, texts bytewise, missing ones last.
pub(crate) fn in_order<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut order: Vec<&str> = tally(values).into_keys().collect();
    let numbers = order.iter().all(|text| is_missing(text) || text.parse::<i64>().is_ok());
    order.sort_by_key(|text| {
        (is_missing(text), if numbers { text.parse().unwrap_or(i64::MAX) } else { 0 }, *text)
    });
    order
}

/// The earth mover's distance between class and original as a fraction, by the flows that must pass.
fn earth_movers(class: &[&str], original: &[&str], ground: Ground) -> Ratio {
    let (own, all) = (tally(class), tally(original));
    let (size, rows) = (class.len() as i128, original.len() as i128);
    // What a value has too much of, in units of 1 / (size · rows).
    let extra = |value: &str| own.get(value).unwrap_or(&0) * rows - all.get(value).unwrap_or(&0) * size;
    let whole = size * rows;
    match ground {
        Ground::Equal => (all.keys().map(|value| extra(value).abs()).sum(), 2 * whole),
        Ground::Ordered => {
            let order = in_order(original);
            let passes = |last: usize| order[..=last].iter().map(|value| extra(value)).sum::<i128>().abs();
            match order.len() {
                1 => (0, 1),
                values => ((0..values - 1).map(passes).sum(), (values as i128 - 1) * whole),
            }
        }
        Ground::Hierarchical => {
            // On a tree the flow through an edge is what lies below it. Moving between two leaves costs the height of
            // their lowest common ancestor, so each of the two ways up costs half of that.
            let mut nodes: BTreeMap<Vec<&str>, i128> = BTreeMap::new();
            let leaves = ILLNESSES.iter().map(|(ill, _)| *ill).chain(all.keys().copied());
            for leaf in leaves.collect::<std::collections::BTreeSet<_>>() {
                let path: Vec<&str> = illness_path(leaf).into_iter().rev().collect();
                for depth in 1..=path.len() {
                    *nodes.entry(path[..depth].to_vec()).or_default() += extra(leaf);
                }
            }
            let height = |node: &Vec<&str>| {
                let below = nodes.keys().filter(|other| other.starts_with(node));
                below.map(|other| (other.len() - node.len()) as i128).max().unwrap_or(0)
            };
            let edges = nodes.iter().filter(|(node, _)| node.len() > 1);
            let cost = edges
                .map(|(node, extra)| extra.abs() * (height(&node[..node.len() - 1].to_vec()) - height(node)));
            (cost.sum(), 2 * whole * height(&vec!["*"]))
        }
    }
}

/// Two spellings of one value are one value: a missing one is `?`, and a number is the first of its spellings in the table.
fn one_spelling<'a>(texts: &[&'a str], table: &[&'a str]) -> Vec<&'a str> {
    let same = |a: &str, b: &str| {
        a == b || a.parse::<f64>().ok().zip(b.parse::<f64>().ok()).is_some_and(|(a, b)| a == b)
    };
    let spelling = |text: &'a str| match text {
        "?" | "" | "NA" => "?",
        text => table.iter().copied().filter(|other| same(text, other)).min().unwrap_or(text),
    };
    texts.iter().map(|text| spelling(text)).collect()
}
