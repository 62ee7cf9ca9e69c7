//! Requirements, as the plan states them, as the verifier takes them, and checked here by the definitions alone.

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

/// One requirement on one column (k-anonymity reads none).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    K(i128),
    Distinct(&'static str, i128),
    Entropy(&'static str, Ratio),
    Recursive(&'static str, Ratio, usize),
    Frequency(&'static str, Ratio),
    Close(&'static str, Ratio, Ground),
    /// Somebody who knows this many columns finds this many rows (LKC-privacy).
    Known(usize, i128),
    /// The threshold rule: every set of so many columns has groups of at least so many rows.
    Threshold(usize, i128),
    /// Somebody who knows this many columns finds at most this share of one value (LKC-privacy).
    Share(&'static str, usize, Ratio),
    /// No value has more than such a share, and these values no more than theirs ((alpha,k)-anonymity).
    Shares(&'static str, Option<Ratio>, &'static [(&'static str, Ratio)]),
    /// This many different values, or rows if so ((k,e)-anonymity).
    Values(&'static str, i128, bool),
    /// Numbers so far apart ((k,e)-anonymity).
    Range(&'static str, Ratio),
    /// This many different values, or categories if so (p-sensitivity).
    Several(&'static str, i128, bool),
    /// Values that weigh so much, each once or in every row if so ((p,alpha)-sensitivity).
    Weight(&'static str, Ratio, bool),
    /// Shares grow by so much, enhanced if so (beta-likeness).
    Growth(&'static str, Ratio, bool),
    /// Logarithms of shares change by less than so much (delta-disclosure privacy).
    Change(&'static str, Ratio),
    /// This many different values of Y ((X,Y)-anonymity).
    Different(&'static str, i128),
    /// The same as k-uncertainty of one table.
    Uncertain(&'static str, i128),
    /// No value of Y above a share ((X,Y)-linkability).
    Linked(&'static str, Ratio),
}

/// The illnesses by category, the most sensitive first.
const CATEGORIES: &[&[&str]] =
    &[&["hiv"], &["ulcer", "corona", "?", "NA", ""], &["flu", "asthma", "gastritis"]];

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
    use Demand::{
        Change, Close, Distinct, Entropy, Frequency, Growth, K, Known, Recursive, Several, Share, Shares,
        Weight,
    };
    let growth = |enhanced| {
        [(1, 4), (2, 3), (1, 1), (5, 1), (40, 1)].map(|beta| Growth(column, beta, enhanced)).to_vec()
    };
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
        (
            "threshold rule",
            [(1, 2), (1, 5), (2, 2), (2, 3), (9, 3)]
                .map(|(size, least)| Demand::Threshold(size, least))
                .to_vec(),
        ),
        ("lkc sizes", [(1, 2), (1, 5), (2, 2), (2, 3), (9, 3)].map(|(l, k)| Known(l, k)).to_vec()),
        (
            "lkc shares",
            [(1, (9, 10)), (1, (2, 3)), (2, (4, 5)), (9, (3, 4))].map(|(l, c)| Share(column, l, c)).to_vec(),
        ),
        ("alpha_k", [(1, 1), (3, 4), (2, 3), (1, 2)].map(|alpha| Shares(column, Some(alpha), &[])).to_vec()),
        (
            "alpha_k by value",
            vec![
                Shares(column, None, &[("hiv", (1, 2))]),
                Shares(column, None, &[("flu", (2, 3)), ("asthma", (1, 1))]),
                Shares(column, Some((3, 4)), &[("ulcer", (1, 3))]),
            ],
        ),
        ("p_sensitive values", [1, 2, 3].map(|p| Several(column, p, false)).to_vec()),
        ("p_sensitive categories", [1, 2, 3].map(|p| Several(column, p, true)).to_vec()),
        (
            "p_sensitive weights",
            [((0, 1), false), ((1, 2), false), ((2, 1), false), ((5, 2), true)]
                .map(|(alpha, rows)| Weight(column, alpha, rows))
                .to_vec(),
        ),
        ("beta_likeness basic", growth(false)),
        ("beta_likeness enhanced", growth(true)),
        ("xy_anonymity", [1, 2, 3].map(|k| Demand::Different(column, k)).to_vec()),
        ("k_uncertainty", [1, 2, 3].map(|k| Demand::Uncertain(column, k)).to_vec()),
        ("xy_linkability", [(1, 1), (2, 3), (1, 2)].map(|h| Demand::Linked(column, h)).to_vec()),
        ("delta_disclosure", [(1, 2), (1, 1), (3, 2), (5, 1)].map(|delta| Change(column, delta)).to_vec()),
    ]
}

/// The variants of models that are about numbers.
pub(crate) fn numeric_variants(column: &'static str) -> Vec<(&'static str, Vec<Demand>)> {
    let values = [(1, false), (2, false), (3, false), (3, true)];
    vec![
        ("k_e values", values.map(|(k, rows)| Demand::Values(column, k, rows)).to_vec()),
        ("k_e range", [(0, 1), (25, 1), (101, 2), (125, 1)].map(|e| Demand::Range(column, e)).to_vec()),
    ]
}

impl Demand {
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Self::K(_) | Self::Known(..) | Self::Threshold(..) => None,
            Self::Share(column, ..)
            | Self::Distinct(column, _)
            | Self::Entropy(column, _)
            | Self::Recursive(column, ..)
            | Self::Frequency(column, _)
            | Self::Shares(column, ..)
            | Self::Values(column, ..)
            | Self::Range(column, _)
            | Self::Several(column, ..)
            | Self::Weight(column, ..)
            | Self::Growth(column, ..)
            | Self::Change(column, _)
            | Self::Different(column, _)
            | Self::Uncertain(column, _)
            | Self::Linked(column, _)
            | Self::Close(column, ..) => Some(column),
        }
    }

    pub(crate) fn model(self) -> &'static str {
        match self {
            Self::K(_) => "k_anonymity",
            Self::Close(..) => "t_closeness",
            Self::Known(..) | Self::Share(..) => "lkc",
            Self::Threshold(..) => "threshold_rule",
            Self::Shares(..) => "alpha_k",
            Self::Values(..) | Self::Range(..) => "k_e",
            Self::Several(..) | Self::Weight(..) => "p_sensitive",
            Self::Growth(..) => "beta_likeness",
            Self::Change(..) => "delta_disclosure",
            Self::Different(..) => "xy_anonymity",
            Self::Uncertain(..) => "k_uncertainty",
            Self::Linked(..) => "xy_linkability",
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
            Self::Threshold(size, least) => {
                vec![("size", Value::Integer(size as i64)), ("least", Value::Integer(least as i64))]
            }
            Self::Known(l, k) => vec![("l", Value::Integer(l as i64)), ("k", Value::Integer(k as i64))],
            Self::Share(_, l, c) => {
                vec![("l", Value::Integer(l as i64)), ("k", Value::Integer(1)), ("c", ratio(c))]
            }
            Self::Shares(_, alpha, named) => {
                let alpha = alpha.map(|alpha| ("alpha", ratio(alpha)));
                let named: Vec<Value> = named
                    .iter()
                    .map(|(value, share)| Value::Text(format!("{value}={}", text(*share))))
                    .collect();
                let named = (!named.is_empty()).then_some(("alphas", Value::List(named)));
                alpha.into_iter().chain(named).collect()
            }
            Self::Values(_, k, rows) => {
                let count = if rows { "rows" } else { "distinct" };
                vec![("k", Value::Integer(k as i64)), ("count", word(count)), ("e", Value::Integer(0))]
            }
            Self::Range(_, e) => vec![("k", Value::Integer(1)), ("e", ratio(e))],
            Self::Several(_, p, false) => vec![("p", Value::Integer(p as i64))],
            Self::Several(_, p, true) => vec![("p", Value::Integer(p as i64)), ("categories", categories())],
            Self::Weight(_, alpha, rows) => vec![
                ("p", Value::Integer(1)),
                ("alpha", ratio(alpha)),
                ("categories", categories()),
                ("weight_over", word(if rows { "rows" } else { "distinct" })),
            ],
            Self::Growth(_, beta, enhanced) => {
                vec![("beta", ratio(beta)), ("variant", word(if enhanced { "enhanced" } else { "basic" }))]
            }
            Self::Change(_, delta) => vec![("delta", ratio(delta))],
            Self::Different(column, k) => vec![("k", Value::Integer(k as i64)), ("y", word(column))],
            Self::Linked(column, h) => vec![("h", ratio(h)), ("y", word(column))],
            Self::Uncertain(_, k) => vec![("k", Value::Integer(k as i64))],
        }
    }

    /// The requirements that a plan states with this one: some models have two parts, of which the other asks for nothing.
    pub(crate) fn parts(self) -> Vec<Self> {
        match self {
            Self::Values(column, ..) => vec![self, Self::Range(column, (0, 1))],
            Self::Range(column, _) => vec![Self::Values(column, 1, false), self],
            Self::Weight(column, ..) => vec![Self::Several(column, 1, true), self],
            _ => vec![self],
        }
    }

    /// Whether a table has the values that are named: a plan must not name others.
    pub(crate) fn fits(self, original: &[&str]) -> bool {
        match self {
            Self::Shares(_, _, named) => named.iter().all(|(value, _)| original.contains(value)),
            _ => true,
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
        let own = claim.as_object_mut().expect("an object");
        match self {
            Self::Values(..) => drop(own.shift_remove("e")),
            Self::Range(..) => {
                own.shift_remove("k");
                own.insert("comma".into(), false.into());
            }
            Self::Weight(..) => drop(own.shift_remove("p")),
            Self::Different(..) | Self::Linked(..) => drop(own.shift_remove("y")),
            Self::Shares(_, _, named) if !named.is_empty() => {
                let pairs = named.iter().map(|(value, share)| json!([value, text(*share)]));
                own.insert("alphas".into(), pairs.collect());
            }
            _ => {}
        }
        if own.contains_key("categories") {
            // Where missing values do not count, they are in no category.
            let counts = |value: &&&str| !is_missing(value) || original.iter().any(|text| is_missing(text));
            let listed = |values: &&[&'static str]| values.iter().filter(counts).copied().collect::<Vec<_>>();
            own.insert("categories".into(), CATEGORIES.iter().map(listed).collect::<Vec<_>>().into());
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
    /// original table. A missing value is no value: rows without one are left aside, and a class of nothing else fails.
    pub(crate) fn holds(self, class: &[&str], original: &[&str]) -> bool {
        match self.present(class, original) {
            Some((class, original)) => self.holds_of_all(&class, &original),
            None => false,
        }
    }

    /// What a class attains, in the requirement's own unit, among the rows that have a value.
    pub(crate) fn attained(self, class: &[&str], original: &[&str]) -> f64 {
        match self.present(class, original) {
            Some((class, original)) => self.attained_of_all(&class, &original),
            None if self.larger_is_better() => 0.0,
            None => f64::INFINITY,
        }
    }

    /// The values that are there, of a class and of the original table; none if the class has none.
    fn present<'a>(self, class: &[&'a str], original: &[&'a str]) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
        let counts = |text: &&str| self.column().is_none() || !is_missing(text);
        let of = |texts: &[&'a str]| texts.iter().copied().filter(counts).collect::<Vec<_>>();
        let class = of(class);
        (!class.is_empty()).then(|| (class, of(original)))
    }

    /// The same where a missing value counts as a value; decided in integers, the entropy excepted.
    pub(crate) fn holds_of_all(self, class: &[&str], original: &[&str]) -> bool {
        let (class, original) = (&one_spelling(class, original)[..], &one_spelling(original, original)[..]);
        let size = class.len() as i128;
        let rows = descending(class);
        let most = rows.first().copied().unwrap_or(0);
        match self {
            Self::K(k) => size >= k,
            Self::Distinct(_, l) => rows.len() as i128 >= l,
            Self::Entropy(_, l) => self.attained_of_all(class, original) >= l.0 as f64 / l.1 as f64 - 1e-9,
            Self::Recursive(_, c, l) => most * c.1 < c.0 * rows.iter().skip(l - 1).sum::<i128>(),
            Self::Frequency(_, l) => most * l.0 <= size * l.1,
            Self::Known(_, k) | Self::Threshold(_, k) => size >= k,
            Self::Share(_, _, c) => most * c.1 <= size * c.0,
            Self::Shares(_, alpha, named) => tally(class).into_iter().all(|(value, rows)| {
                let (share, of) = allowed(value, alpha, named).unwrap_or((1, 1));
                rows * of <= share * size
            }),
            Self::Values(_, k, true) => size >= k,
            Self::Values(_, k, false)
            | Self::Several(_, k, false)
            | Self::Different(_, k)
            | Self::Uncertain(_, k) => rows.len() as i128 >= k,
            Self::Linked(_, h) => most * h.1 <= size * h.0,
            Self::Range(_, e) => range(class) * e.1 >= e.0,
            Self::Several(_, p, true) => categories_of(class) as i128 >= p,
            Self::Weight(_, alpha, rows) => halves(class, rows) * alpha.1 >= 2 * alpha.0,
            Self::Growth(_, beta, enhanced) => gains(class, original).into_iter().all(|(gain, of, share)| {
                gain * beta.1 <= beta.0 * of && (!enhanced || gain as f64 / of as f64 <= -share.ln())
            }),
            Self::Change(_, delta) => self.attained_of_all(class, original) < delta.0 as f64 / delta.1 as f64,
            Self::Close(_, t, ground) => {
                let (distance, whole) = earth_movers(class, original, ground);
                distance * t.1 <= t.0 * whole
            }
        }
    }

    /// What a class attains, in the requirement's own unit, where a missing value counts as a value.
    pub(crate) fn attained_of_all(self, class: &[&str], original: &[&str]) -> f64 {
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
            Self::Known(..) | Self::Threshold(..) => size,
            Self::Share(..) => most / size,
            Self::Shares(_, _, []) => most / size,
            Self::Shares(_, alpha, named) => tally(class)
                .into_iter()
                .filter_map(|(value, rows)| {
                    let (share, of) = allowed(value, alpha, named).filter(|(share, of)| share < of)?;
                    Some(rows as f64 / size / (share as f64 / of as f64))
                })
                .fold(0.0, f64::max),
            Self::Values(_, _, true) => size,
            Self::Values(..) | Self::Several(_, _, false) | Self::Different(..) | Self::Uncertain(..) => {
                rows.len() as f64
            }
            Self::Linked(..) => most / size,
            Self::Range(..) => range(class) as f64,
            Self::Several(..) => categories_of(class) as f64,
            Self::Weight(_, _, rows) => halves(class, rows) as f64 / 2.0,
            Self::Growth(_, _, enhanced) => {
                let figure = |(gain, of, share): (i128, i128, f64)| {
                    let gain = gain as f64 / of as f64;
                    if enhanced && gain > -share.ln() { f64::INFINITY } else { gain }
                };
                gains(class, original).into_iter().map(figure).fold(0.0, f64::max)
            }
            Self::Change(..) => {
                let (own, all) = (tally(class), original.len() as f64);
                let change = |(value, rows): (&str, i128)| {
                    let here = own.get(value).copied().unwrap_or(0) as f64 / size;
                    (here.ln() - (rows as f64 / all).ln()).abs()
                };
                tally(original).into_iter().map(change).fold(0.0, f64::max)
            }
            Self::Close(_, _, ground) => {
                let (distance, whole) = earth_movers(class, original, ground);
                distance as f64 / whole as f64
            }
        }
    }

    /// Whether more is better.
    pub(crate) fn larger_is_better(self) -> bool {
        !matches!(
            self,
            Self::Recursive(..)
                | Self::Close(..)
                | Self::Share(..)
                | Self::Shares(..)
                | Self::Growth(..)
                | Self::Change(..)
                | Self::Linked(..)
        )
    }

    /// How many columns outsiders know, where that is not all of them.
    pub(crate) fn known(self) -> Option<usize> {
        match self {
            Self::Known(l, _) | Self::Threshold(l, _) | Self::Share(_, l, _) => Some(l),
            _ => None,
        }
    }
}

/// The categories as a plan lists them.
fn categories() -> Value {
    Value::List(CATEGORIES.iter().map(|values| Value::Text(values.join("|"))).collect())
}

/// The share that a value may have.
fn allowed(value: &str, alpha: Option<Ratio>, named: &[(&str, Ratio)]) -> Option<Ratio> {
    named.iter().find(|(other, _)| *other == value).map(|(_, share)| *share).or(alpha)
}

/// The largest number less the smallest; missing values are none.
fn range(class: &[&str]) -> i128 {
    let numbers = || class.iter().filter_map(|text| text.parse::<i128>().ok());
    numbers().max().unwrap_or(0) - numbers().min().unwrap_or(0)
}

fn category(value: &str) -> i128 {
    CATEGORIES.iter().position(|values| values.contains(&value)).expect("every illness has one") as i128
}

fn categories_of(class: &[&str]) -> usize {
    class.iter().map(|value| category(value)).collect::<std::collections::BTreeSet<_>>().len()
}

/// The weight of a class in halves: there are three categories.
fn halves(class: &[&str], every_row: bool) -> i128 {
    tally(class).into_iter().map(|(value, rows)| category(value) * if every_row { rows } else { 1 }).sum()
}

/// For each value that is more frequent in the class than in the original: by which fraction of its share, and that share.
fn gains(class: &[&str], original: &[&str]) -> Vec<(i128, i128, f64)> {
    let (own, all) = (tally(class), tally(original));
    let (size, rows) = (class.len() as i128, original.len() as i128);
    let gain = |(value, here): (&str, i128)| {
        let there = all.get(value).copied().unwrap_or(0);
        (here * rows - there * size, there * size, there as f64 / rows as f64)
    };
    own.into_iter().map(gain).filter(|(gain, ..)| *gain > 0).collect()
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
