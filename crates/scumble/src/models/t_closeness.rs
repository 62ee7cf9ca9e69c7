//! t-closeness (models.md 1.4): the sensitive values of every class are distributed nearly as in the
//! whole original table.
//!
//! Every distance here is a ratio of integers: with class counts `c`, class size `s`, original counts
//! `o` and size `n`, all differences are multiples of `1 / (s n)`, so the decision is exact.

use serde_json::{Map, Value};

use super::{ClassTest, Model, ModelContext, Monotonicity, protected_columns};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::kind::Kind;
use crate::published::ClassView;
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildModel> = Entry {
    name: "t_closeness",
    title: "t-closeness",
    paper: "Li, Li, Venkatasubramanian 2007",
    standing: Standing::Recommended,
    about: "In every class the sensitive values are distributed as in the whole original table, up to an earth \
            mover's distance of t: learning someone's class changes little about what is believed of them. Ground \
            distances: equal, ordered (by rank, not magnitude) and hierarchical (by the column's tree).",
    parameters: &[
        ("t", "the largest distance, from 0 to 1"),
        ("distance", "equal, ordered or hierarchical; ordered for numbers and dates, else equal, if absent"),
        ("columns", "the columns protected; all sensitive ones if absent"),
    ],
    build,
};

/// How far apart two sensitive values are.
enum Distance {
    /// Any two different values are 1 apart.
    Equal,
    /// By rank among the values of the original table.
    Ordered,
    /// By the height at which a tree joins them.
    Hierarchical(Tree),
}

/// A tree over the values: nodes in an order in which children come before their parents.
struct Tree {
    /// For each value, the node of its leaf.
    leaf_of_value: Vec<usize>,
    /// For each node its parent and its height above the leaves (the longest path).
    nodes: Vec<(Option<usize>, u32)>,
    /// Leaf to root label paths, for the verifier.
    paths: Vec<(String, Vec<String>)>,
    height: u32,
}

struct TCloseness {
    t: Rational,
    distance: Distance,
    column: String,
    place: usize,
    /// Rows per value in the original table.
    original: Vec<u64>,
    /// Rows up to each value, the value included: `up_to[i + 1]` for value `i`.
    up_to: Vec<i128>,
    /// Sums of `up_to`: `sums[i + 1]` up to value `i`.
    sums: Vec<i128>,
    rows: u64,
    values: Vec<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let t = parameters
        .rational("t", Rational::ZERO, Some(Rational::ONE))?
        .ok_or_else(|| Error::config("model 't_closeness' needs t, e.g. t = 0.2"))?;
    let distance = parameters.choice("distance", &["equal", "ordered", "hierarchical"])?;
    protected_columns(ENTRY.name, context)?
        .into_iter()
        .map(|(column, place)| {
            let payload = &context.table.payloads().columns[place];
            let mut original = vec![0_u64; payload.values.len()];
            for cell in context.table.payload_totals() {
                original[context.table.payloads().value(cell.payload, place) as usize] +=
                    u64::from(cell.rows);
            }
            let distance = match distance {
                Some("equal") => Distance::Equal,
                Some("ordered") => Distance::Ordered,
                Some(_) => {
                    let tree = (context.trees)(&column).ok_or_else(|| {
                        Error::config(format!(
                            "hierarchical t-closeness needs a hierarchy for '{column}'; give one \
                             (hierarchy = … or --hierarchies DIR), or use distance = \"equal\""
                        ))
                    })?;
                    Distance::Hierarchical(Tree::new(tree, payload.values.iter())?)
                }
                None if payload.measure.kind == Kind::Text => Distance::Equal,
                None => Distance::Ordered,
            };
            let rows = original.iter().sum();
            let (mut up_to, mut sums) = (vec![0_i128], vec![0_i128]);
            for (place, rows) in original.iter().enumerate() {
                up_to.push(up_to[place] + i128::from(*rows));
                sums.push(sums[place] + up_to[place + 1]);
            }
            let values = payload.values.iter().map(str::to_owned).collect();
            Ok(Box::new(TCloseness { t, distance, column, place, original, up_to, sums, rows, values })
                as Box<dyn Model>)
        })
        .collect()
}

/// Leaf to root label paths as the verifier takes them.
pub(crate) fn owned_paths(tree: &Hierarchy) -> Vec<(String, Vec<String>)> {
    tree.paths()
        .map(|(leaf, above)| (leaf.to_owned(), above.into_iter().map(str::to_owned).collect()))
        .collect()
}

impl Tree {
    fn new<'a>(tree: &Hierarchy, values: impl Iterator<Item = &'a str>) -> Result<Self> {
        let leaf_of_value = values
            .map(|value| tree.code_of(value).map(|code| tree.leaf(code) as usize))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Error::data("the hierarchy of a sensitive column misses one of its values"))?;
        let count = tree.node_count() as usize;
        let mut nodes: Vec<(Option<usize>, u32)> =
            (0..count).map(|node| (tree.parent(node as u32).map(|parent| parent as usize), 0)).collect();
        // Parents come before their children in preorder, so backwards every node is final when it is passed up.
        for node in (1..count).rev() {
            let (parent, height) = nodes[node];
            if let Some(parent) = parent {
                nodes[parent].1 = nodes[parent].1.max(height + 1);
            }
        }
        let height = nodes[0].1;
        Ok(Self { leaf_of_value, nodes, paths: owned_paths(tree), height })
    }
}

impl TCloseness {
    /// The distance of a class to the original as a fraction (numerator, denominator).
    fn distance(&self, class: &ClassView<'_>) -> (u128, u128) {
        let mut tally = Vec::new();
        class.tally(self.place, &mut tally);
        let whole = u128::from(class.size) * u128::from(self.rows);
        match &self.distance {
            Distance::Equal => (self.equal(class.size, &tally), 2 * whole),
            Distance::Ordered => {
                (self.ordered(class.size, &tally), whole * (self.original.len() as u128 - 1).max(1))
            }
            Distance::Hierarchical(tree) => {
                (self.hierarchical(tree, class.size, &tally), whole * u128::from(tree.height.max(1)))
            }
        }
    }

    /// Σ |c n − o s|. Values that are not in the class contribute o s each, and all o s together are n s.
    fn equal(&self, size: u64, tally: &[(u32, u64)]) -> u128 {
        let (size, rows) = (u128::from(size), u128::from(self.rows));
        let mut absent = size * rows;
        let mut moved = 0;
        for (value, count) in tally {
            let expected = u128::from(self.original[*value as usize]) * size;
            absent -= expected;
            moved += (u128::from(*count) * rows).abs_diff(expected);
        }
        moved + absent
    }

    /// Σ over values of |C n − O s|, C and O the counts up to the value. C only changes at values of the class; between two of
    /// them O grows, so the sign changes at most once and prefix sums give the rest: no step over values that are absent.
    fn ordered(&self, size: u64, tally: &[(u32, u64)]) -> u128 {
        let (size, rows) = (i128::from(size), i128::from(self.rows));
        let mut moved = 0_i128;
        let mut from = 0_usize;
        let mut counted = 0_i128;
        for (value, count) in
            tally.iter().map(|(value, count)| (*value as usize, *count)).chain([(self.original.len(), 0)])
        {
            let reached = counted * rows;
            // The values from..value have C = counted; up to `turn` O s is at most C n.
            let turn = from + self.up_to[from + 1..=value].partition_point(|up_to| up_to * size <= reached);
            let sum = |low: usize, high: usize| (self.sums[high] - self.sums[low]) * size;
            moved += reached * (turn - from) as i128 - sum(from, turn);
            moved += sum(turn, value) - reached * (value - turn) as i128;
            counted += i128::from(count);
            from = value;
        }
        moved.unsigned_abs()
    }

    fn hierarchical(&self, tree: &Tree, size: u64, tally: &[(u32, u64)]) -> u128 {
        let mut at_leaf = vec![0_i128; tree.nodes.len()];
        for (value, rows) in self.original.iter().enumerate() {
            at_leaf[tree.leaf_of_value[value]] -= i128::from(*rows) * i128::from(size);
        }
        for (value, count) in tally {
            at_leaf[tree.leaf_of_value[*value as usize]] += i128::from(*count) * i128::from(self.rows);
        }
        let mut pos = vec![0_u128; tree.nodes.len()];
        let mut neg = vec![0_u128; tree.nodes.len()];
        let mut cost = 0_u128;
        for node in (0..tree.nodes.len()).rev() {
            let (parent, height) = tree.nodes[node];
            cost += u128::from(height) * pos[node].min(neg[node]);
            let extra = pos[node] as i128 - neg[node] as i128 + at_leaf[node];
            if let Some(parent) = parent {
                let side = if extra > 0 { &mut pos } else { &mut neg };
                side[parent] += extra.unsigned_abs();
            }
        }
        cost
    }
}

impl Model for TCloseness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let distance = match self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => "ordered",
            Distance::Hierarchical(_) => "hierarchical",
        };
        format!("{}-closeness of {} ({distance} distance)", self.t, self.column)
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            ("column".into(), self.column.clone().into()),
            ("t".into(), self.t.to_string().into()),
        ]);
        let distance = match &self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => {
                claim.insert("order".into(), self.values.clone().into());
                "ordered"
            }
            Distance::Hierarchical(tree) => {
                let paths = tree.paths.iter().map(|(leaf, above)| {
                    Value::from(std::iter::once(leaf).chain(above).cloned().collect::<Vec<_>>())
                });
                claim.insert("tree".into(), paths.collect());
                "hierarchical"
            }
        };
        claim.insert("distance".into(), distance.into());
        claim
    }
    fn required(&self) -> f64 {
        self.t.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn protects(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: false }
    }
    fn check_feasible(&self, _: &ClassView<'_>) -> Result<()> {
        // The whole table is at distance 0 from itself.
        Ok(())
    }
}

impl ClassTest for TCloseness {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        let (distance, whole) = self.distance(class);
        // distance / whole <= t, by cross multiplication: whole is at most rows², far from overflowing 128 bits with a
        // denominator of 64 bits only for tables that no machine holds, and then the test fails closed.
        let (numerator, denominator) = (u128::from(self.t.numerator()), u128::from(self.t.denominator()));
        match (distance.checked_mul(denominator), whole.checked_mul(numerator)) {
            (Some(distance), Some(limit)) => distance <= limit,
            _ => (distance as f64 / whole as f64) < self.t.to_f64() * (1.0 - 1e-9),
        }
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let (distance, whole) = self.distance(class);
        distance as f64 / whole as f64
    }
}
