//! The distance between the sensitive values of one class and those of the original table, in exact fractions.
//!
//! Let p be the counts of the class (of size s) and q those of the original (of n rows). Then all distances are integers over a
//! common denominator: p/s − q/n = (p·n − q·s) / (s·n).

use std::collections::BTreeMap;

use hashbrown::HashMap;
use scumble_files::table::CodedColumn;

use super::Judgement;
use super::original::{Baseline, Original, described, fault};
use crate::error::VerifyError;
use crate::exact::Rational;
use crate::value::{Value, ValueKind};

/// The distance between values that the claim uses.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ground {
    Equal,
    Ordered { order: Option<Vec<String>> },
    Hierarchical { tree: Option<Vec<(String, Vec<String>)>> },
}

impl Ground {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Ordered { .. } => "ordered",
            Self::Hierarchical { .. } => "hierarchical",
        }
    }
}

/// The original distribution of one column, ready to be compared with classes.
pub(super) struct Closeness {
    original: Original,
    distance: Distance,
}

enum Distance {
    Equal,
    Ordered(Line),
    Hierarchical(Tree),
}

impl Closeness {
    /// Prepares the comparison. The remark says what a reader must know about it.
    pub(super) fn new(
        column: &CodedColumn,
        ground: &Ground,
        baseline: Baseline<'_>,
    ) -> Result<(Self, Option<String>), VerifyError> {
        let (described, remark) = described(column, baseline)?;
        let (original, counts) = Original::new(column, &described)?;
        let distance = match ground {
            Ground::Equal => Distance::Equal,
            Ground::Ordered { order } => {
                Distance::Ordered(Line::new(column, &counts, order.as_ref().or(described.order.as_ref()))?)
            }
            Ground::Hierarchical { tree } => {
                Distance::Hierarchical(Tree::new(column, &counts, tree.as_ref().or(described.tree.as_ref()))?)
            }
        };
        Ok((Self { original, distance }, remark))
    }

    pub(super) fn judge(&self, t: Rational, size: u64, histogram: &[(u32, u64)]) -> Judgement {
        let (numerator, denominator) = self.distance(size, histogram);
        Judgement {
            holds: t.compare(numerator, denominator).is_ge(),
            attained: numerator as f64 / denominator as f64,
        }
    }

    /// Returns the distance of a class as a fraction.
    pub(super) fn distance(&self, size: u64, histogram: &[(u32, u64)]) -> (u128, u128) {
        let (s, n) = (u128::from(size), u128::from(self.original.total));
        match &self.distance {
            Distance::Equal => {
                // Values that the class does not have differ by their whole share in the original.
                let mut elsewhere = n;
                let mut sum = 0u128;
                for &(code, p) in histogram {
                    let q = u128::from(self.original.count[code as usize]);
                    elsewhere -= q;
                    sum += (u128::from(p) * n).abs_diff(q * s);
                }
                (sum + elsewhere * s, 2 * s * n)
            }
            Distance::Ordered(line) => line.distance(s, n, histogram),
            Distance::Hierarchical(tree) => tree.distance(s, n, histogram),
        }
    }
}

/// A domain of ordered values. The cost of a move is the number of steps.
struct Line {
    /// The rank of each code of the release.
    rank: Vec<u32>,
    /// The number of original rows up to and including each rank.
    cumulative: Vec<u64>,
    /// Sums of `cumulative` before each rank.
    sums: Vec<u128>,
}

impl Line {
    fn new(
        column: &CodedColumn,
        counts: &[(&str, u64)],
        order: Option<&Vec<String>>,
    ) -> Result<Self, VerifyError> {
        let numeric;
        let order: &[String] = match order {
            Some(order) => order,
            None => {
                numeric = numeric_order(column, counts).ok_or_else(|| {
                    fault("order", column, "none is given and its values are not all numbers; list the values in ascending order")
                })?;
                &numeric
            }
        };
        let mut rank_of: HashMap<&str, u32, foldhash::fast::FixedState> = HashMap::default();
        for (rank, text) in order.iter().enumerate() {
            if rank_of.insert(text, rank as u32).is_some() {
                return Err(fault("order", column, "it lists a value twice"));
            }
        }
        let missing =
            || fault("order", column, "it does not list every value of the column; add the missing ones");
        let rank = column
            .values
            .iter()
            .map(|text| rank_of.get(text).copied())
            .collect::<Option<_>>()
            .ok_or_else(missing)?;
        let mut cumulative = vec![0u64; order.len()];
        for &(text, count) in counts {
            cumulative[*rank_of.get(text).ok_or_else(missing)? as usize] = count;
        }
        let mut sums = vec![0u128; order.len() + 1];
        for rank in 0..order.len() {
            cumulative[rank] += if rank > 0 { cumulative[rank - 1] } else { 0 };
            sums[rank + 1] = sums[rank] + u128::from(cumulative[rank]);
        }
        Ok(Self { rank, cumulative, sums })
    }

    fn distance(&self, s: u128, n: u128, histogram: &[(u32, u64)]) -> (u128, u128) {
        let steps = self.cumulative.len().saturating_sub(1);
        if steps == 0 {
            return (0, 1);
        }
        let mut ranked: Vec<(usize, u64)> =
            histogram.iter().map(|&(code, count)| (self.rank[code as usize] as usize, count)).collect();
        ranked.sort_unstable();
        // Between two values of the class, its cumulative count does not change.
        let (mut sum, mut from, mut so_far) = (0, 0, 0u64);
        for (rank, count) in ranked {
            sum += self.stretch(from, rank, u128::from(so_far) * n, s);
            (from, so_far) = (rank, so_far + count);
        }
        sum += self.stretch(from, steps, u128::from(so_far) * n, s);
        (sum, steps as u128 * s * n)
    }

    /// Returns the sum of |class − cumulative · s| over the ranks from `from` to just before `to`.
    fn stretch(&self, from: usize, to: usize, class: u128, s: u128) -> u128 {
        let below =
            self.cumulative[from..to].partition_point(|&cumulative| u128::from(cumulative) * s <= class);
        let middle = from + below;
        let (lower, upper) = (self.sums[middle] - self.sums[from], self.sums[to] - self.sums[middle]);
        (class * below as u128 - lower * s) + (upper * s - class * (to - middle) as u128)
    }
}

/// Returns all values that occur, in numerical order, or `None` if one of them is not a number.
fn numeric_order(column: &CodedColumn, counts: &[(&str, u64)]) -> Option<Vec<String>> {
    let texts = || column.values.iter().chain(counts.iter().map(|&(text, _)| text));
    let read = |comma| {
        let number = |text| Some((Value::read(text, ValueKind::Number { comma })?, text));
        texts().map(number).collect::<Option<Vec<_>>>()
    };
    let mut numbers = read(false).or_else(|| read(true))?;
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers.into_iter().map(|(_, text)| text.to_owned()).collect())
}

/// A domain that is a tree. The cost of a move is the height of the lowest common ancestor over the height of the tree.
struct Tree {
    /// The parent of each node; none for the root. Nodes are numbered so that a parent comes after its children.
    parent: Vec<Option<u32>>,
    /// The length of the longest path down to a leaf; 0 for leaves.
    height: Vec<u32>,
    /// The number of original rows below each node.
    count: Vec<u64>,
    /// The leaf of each code of the release.
    leaf: Vec<u32>,
}

impl Tree {
    fn new(
        column: &CodedColumn,
        counts: &[(&str, u64)],
        paths: Option<&Vec<(String, Vec<String>)>>,
    ) -> Result<Self, VerifyError> {
        let paths = paths
            .ok_or_else(|| fault("tree", column, "none is given; give the path of each value to the root"))?;
        // A node is identified by its label and its parent, since a label may occur again elsewhere. Leaves are nodes of their
        // own.
        let mut inner: HashMap<(&str, Option<u32>), u32, foldhash::fast::FixedState> = HashMap::default();
        let mut leaf_of: HashMap<&str, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut parents: Vec<Option<u32>> = Vec::new();
        for (leaf, ancestors) in paths {
            let mut parent = None;
            for label in ancestors.iter().rev() {
                parent = Some(*inner.entry((label.as_str(), parent)).or_insert_with(|| {
                    parents.push(parent);
                    (parents.len() - 1) as u32
                }));
            }
            match leaf_of.get(leaf.as_str()) {
                // Two spellings of one value, in the same place.
                Some(&known) if parents[known as usize] == parent => continue,
                Some(_) => return Err(fault("tree", column, "it lists a value twice, in two places")),
                None => {
                    parents.push(parent);
                    leaf_of.insert(leaf, (parents.len() - 1) as u32);
                }
            }
        }
        if parents.iter().filter(|parent| parent.is_none()).count() != 1 {
            return Err(fault("tree", column, "its paths do not end in one root"));
        }
        // Nodes were made from the root down; in reverse, children come first.
        let last = parents.len() as u32 - 1;
        let parent: Vec<Option<u32>> =
            parents.iter().rev().map(|parent| parent.map(|node| last - node)).collect();
        let leaf_node = |text: &str| leaf_of.get(text).map(|&node| last - node);
        let missing =
            || fault("tree", column, "it does not hold every value of the column; add the missing ones");
        let mut count = vec![0u64; parent.len()];
        for &(text, rows) in counts {
            count[leaf_node(text).ok_or_else(missing)? as usize] = rows;
        }
        let mut height = vec![0u32; parent.len()];
        for node in 0..parent.len() {
            if let Some(above) = parent[node] {
                count[above as usize] += count[node];
                height[above as usize] = height[above as usize].max(height[node] + 1);
            }
        }
        let leaf = column.values.iter().map(leaf_node).collect::<Option<_>>().ok_or_else(missing)?;
        Ok(Self { parent, height, count, leaf })
    }

    fn distance(&self, s: u128, n: u128, histogram: &[(u32, u64)]) -> (u128, u128) {
        let tree_height = self.height.last().copied().unwrap_or(0);
        if tree_height == 0 {
            return (0, 1);
        }
        // Only nodes above the class's values can have a child with a surplus, and only there something moves. They are visited
        // children first. For each node: the class's rows below it, and the surplus of its children.
        let mut waiting: BTreeMap<u32, (u128, u128)> = BTreeMap::new();
        for &(code, count) in histogram {
            waiting.entry(self.leaf[code as usize]).or_default().0 += u128::from(count);
        }
        let mut cost = 0u128;
        while let Some((node, (rows, surplus))) = waiting.pop_first() {
            let node = node as usize;
            let (here, original) = (rows * n, u128::from(self.count[node]) * s);
            // surplus − shortage of the children = here − original.
            let shortage = (surplus + original).saturating_sub(here);
            cost += u128::from(self.height[node]) * surplus.min(shortage);
            if let Some(parent) = self.parent[node] {
                let above = waiting.entry(parent).or_default();
                above.0 += rows;
                above.1 += here.saturating_sub(original);
            }
        }
        (cost, u128::from(tree_height) * s * n)
    }
}
