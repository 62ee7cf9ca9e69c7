//! The values that cover a row and its neighbours in one column, and their costs.
//!
//! Every cover of a row contains the row, so it is determined by how far it reaches from there: in a tree by the number of steps up, on a line
//! by the distances to its two ends. A cover that must also contain another row reaches to the further of the two, component by component
//! (algorithms.md A4). So no tree has to be walked while a mask grows.

use crate::search::algorithms::clustering::space::{ONE, fixed};
use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::{Hierarchy, NodeId};
use crate::table::quasi::{Line, Quasi, Shape, Value};

/// How far a cover reaches from a row in one column: steps up and 0 in a tree; the distances to the right and to the left on a line. Of covers
/// with the same cost the one with the smaller reach is taken, so of two neighbours at the same distance the smaller.
pub(super) type Reach = (u32, u32);

/// The reach of the cover of all values.
const EVERYTHING: Reach = (u32::MAX, u32::MAX);

/// The kind of cost of a cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// LM: the share of the domain that the cover contains.
    Loss,
    /// The entropy of the column's values below the cover. A larger cover may cost less.
    Entropy,
    /// The same, multiplied by the share of the rows below the cover. A larger cover never costs less.
    MonotoneEntropy,
}

impl Cost {
    /// Whether a larger cover never costs less.
    pub(super) fn is_monotone(self) -> bool {
        self != Self::Entropy
    }
}

/// One column. Codes are numbered by their rank among those that occur.
pub(super) struct Ruler<'p> {
    quasi: &'p Quasi,
    /// The codes that occur, ascending.
    codes: Vec<u32>,
    scale: Scale<'p>,
}

enum Scale<'p> {
    /// For each node its cost, the least cost of the node and those above it, and the ranks below it.
    Tree { tree: &'p Hierarchy, costs: Vec<u64>, floors: Vec<u64>, ranks: Vec<(u32, u32)> },
    /// For each rank where its stretch begins and ends; the length of the domain; and the rank of the missing value, which lies in no stretch.
    /// The cost of a stretch is rounded once, from its length, so that equally long ones cost the same (algorithms.md A4).
    Line { begins: Vec<f64>, ends: Vec<f64>, length: f64, missing: Option<u32> },
    /// Sums over the ranks before each rank: of shares of rows, and of their contributions to the entropy.
    Entropy { masses: Vec<f64>, terms: Vec<f64>, missing: Option<u32>, cost: Cost },
}

/// A column as seen from one row.
#[derive(Default)]
pub(super) struct Sight {
    pub(super) rank: u32,
    /// The nodes from the row's leaf to the root.
    chain: Vec<NodeId>,
    /// For each rank, the place in the chain of the lowest node that also contains it.
    steps: Vec<u8>,
}

/// Entropies of spans are differences of floating-point sums, so a larger span may seem cheaper by a few units.
const ROUNDING: u64 = 1 << 10;

/// Where the interval of a single number begins and ends, measured from the beginning of the domain.
fn ends_from(quasi: &Quasi, line: &Line, code: u32) -> (f64, f64) {
    let (first, last) = line.domain();
    if Some(code) == line.missing() {
        return (0.0, (last - first) as f64);
    }
    let (from, to) = if quasi.tight { line.extremes(code, code) } else { line.interval(code, code) };
    ((from.clamp(first, last) - first) as f64, (to.clamp(first, last) - first) as f64)
}

fn plogp(share: f64) -> f64 {
    if share > 0.0 { share * share.log2() } else { 0.0 }
}

/// The cost of values with this share of the rows. `terms` is the sum of p·log p over their own shares p.
fn entropy(cost: Cost, mass: f64, terms: f64) -> u64 {
    if mass <= 0.0 {
        return 0;
    }
    let weighed = (plogp(mass) - terms).max(0.0);
    fixed(if cost == Cost::MonotoneEntropy { weighed } else { weighed / mass })
}

impl<'p> Ruler<'p> {
    pub(super) fn new(quasi: &'p Quasi, column: usize, table: &FrequencyTable, cost: Cost) -> Self {
        let rows = table.marginal(column, quasi.size() as usize);
        let codes: Vec<u32> = (0..quasi.size()).filter(|code| rows[*code as usize] > 0).collect();
        let share = |code: &u32| rows[*code as usize] as f64 / table.rows().max(1) as f64;
        let missing = match &quasi.shape {
            Shape::Line(line) => codes.iter().position(|code| Some(*code) == line.missing()),
            _ => None,
        };
        let missing = missing.map(|rank| rank as u32);
        let scale = match &quasi.shape {
            Shape::Tree(tree) => {
                let rank = |code: u32| codes.partition_point(|present| *present < code) as u32;
                let below = |node: NodeId| (rank(tree.range(node).0), rank(tree.range(node).1 + 1));
                let ranks: Vec<(u32, u32)> = (0..tree.node_count()).map(below).collect();
                let of_node = |node: NodeId| {
                    if cost == Cost::Loss {
                        return fixed(quasi.loss(Value::Node(node)));
                    }
                    let (from, to) = ranks[node as usize];
                    let shares = || codes[from as usize..to as usize].iter().map(share);
                    entropy(cost, shares().sum(), shares().map(plogp).sum())
                };
                let costs: Vec<u64> = (0..tree.node_count()).map(of_node).collect();
                let mut floors = costs.clone();
                // Parents come before their children.
                for node in 0..tree.node_count() {
                    if let Some(parent) = tree.parent(node) {
                        floors[node as usize] = floors[node as usize].min(floors[parent as usize]);
                    }
                }
                Scale::Tree { tree, costs, floors, ranks }
            }
            _ if cost != Cost::Loss => {
                let sums = |of: &dyn Fn(f64) -> f64| {
                    let running = codes.iter().map(share).scan(0.0, |sum, share| {
                        *sum += of(share);
                        Some(*sum)
                    });
                    std::iter::once(0.0).chain(running).collect()
                };
                Scale::Entropy { masses: sums(&|share| share), terms: sums(&plogp), missing, cost }
            }
            Shape::Line(line) => {
                let (first, last) = line.domain();
                let (begins, ends) = codes.iter().map(|code| ends_from(quasi, line, *code)).unzip();
                Scale::Line { begins, ends, length: ((last - first) as f64).max(1.0), missing }
            }
            Shape::Set(_) => {
                let length = f64::from((quasi.size() - 1).max(1));
                let places: Vec<f64> = codes.iter().copied().map(f64::from).collect();
                Scale::Line { begins: places.clone(), ends: places, length, missing }
            }
        };
        Self { quasi, codes, scale }
    }

    /// The number of codes that occur.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// The rank of a code that occurs.
    pub(super) fn rank(&self, code: u32) -> u32 {
        self.codes.partition_point(|present| *present < code) as u32
    }

    /// Computes the sight of the column from a row of this rank.
    pub(super) fn look(&self, rank: u32, sight: &mut Sight) {
        sight.rank = rank;
        let Scale::Tree { tree, ranks, .. } = &self.scale else { return };
        sight.steps.resize(self.len(), 0);
        sight.chain.clear();
        let leaf = tree.leaf(self.codes[rank as usize]);
        let (mut from, mut to) = (rank, rank);
        for node in std::iter::successors(Some(leaf), |node| tree.parent(*node)) {
            let (first, end) = ranks[node as usize];
            let step = sight.chain.len() as u8;
            sight.steps[first as usize..from as usize].fill(step);
            sight.steps[to as usize..end as usize].fill(step);
            sight.chain.push(node);
            (from, to) = (first, end);
        }
    }

    fn missing(&self) -> Option<u32> {
        match &self.scale {
            Scale::Tree { .. } => None,
            Scale::Line { missing, .. } | Scale::Entropy { missing, .. } => *missing,
        }
    }

    /// The reach of a cover of the row that contains another rank.
    pub(super) fn reach(&self, sight: &Sight, rank: u32) -> Reach {
        match &self.scale {
            Scale::Tree { .. } => (u32::from(sight.steps[rank as usize]), 0),
            _ if rank != sight.rank
                && self.missing().is_some_and(|none| none == rank || none == sight.rank) =>
            {
                EVERYTHING
            }
            _ => (rank.saturating_sub(sight.rank), sight.rank.saturating_sub(rank)),
        }
    }

    /// The ranks at the two ends of a reach; `None` if it covers everything.
    fn ends(sight: &Sight, reach: Reach) -> Option<(usize, usize)> {
        (reach != EVERYTHING).then(|| ((sight.rank - reach.1) as usize, (sight.rank + reach.0) as usize))
    }

    /// The cost of a cover with this reach.
    pub(super) fn cost(&self, sight: &Sight, reach: Reach) -> u64 {
        match &self.scale {
            Scale::Tree { costs, .. } => costs[sight.chain[reach.0 as usize] as usize],
            Scale::Line { begins, ends, length, missing } => match Self::ends(sight, reach) {
                Some((low, _)) if *missing == Some(low as u32) => 0,
                Some((low, high)) => fixed((ends[high] - begins[low]) / length),
                None => ONE,
            },
            Scale::Entropy { masses, terms, cost, .. } => {
                let (low, high) = Self::ends(sight, reach).unwrap_or((0, self.len() - 1));
                entropy(*cost, masses[high + 1] - masses[low], terms[high + 1] - terms[low])
            }
        }
    }

    /// The least cost of any cover that reaches at least this far.
    pub(super) fn floor(&self, sight: &Sight, reach: Reach) -> u64 {
        match &self.scale {
            Scale::Tree { floors, .. } => floors[sight.chain[reach.0 as usize] as usize],
            Scale::Line { .. } => self.cost(sight, reach),
            Scale::Entropy { cost: Cost::MonotoneEntropy, .. } => {
                self.cost(sight, reach).saturating_sub(ROUNDING)
            }
            Scale::Entropy { .. } => 0,
        }
    }

    /// The number of steps from the row to each rank, and the number of nodes in the chain, if the column has a tree.
    pub(super) fn steps<'s>(&self, sight: &'s Sight) -> Option<(&'s [u8], usize)> {
        matches!(self.scale, Scale::Tree { .. }).then_some((&sight.steps[..], sight.chain.len()))
    }

    /// The greatest cost of any cover.
    pub(super) fn greatest(&self) -> u64 {
        match &self.scale {
            Scale::Tree { costs, .. } => costs.iter().copied().max().unwrap_or(0),
            Scale::Line { .. } => ONE,
            // The entropy of n values is at most log n.
            Scale::Entropy { .. } => fixed((self.len() as f64).log2() + 1.0),
        }
    }

    /// The value that a release shows for a cover.
    pub(super) fn value(&self, sight: &Sight, reach: Reach) -> Value {
        if matches!(self.scale, Scale::Tree { .. }) {
            return Value::Node(sight.chain[reach.0 as usize]);
        }
        match Self::ends(sight, reach) {
            Some((low, high)) => self.quasi.cover(self.codes[low], self.codes[high]),
            None => Value::Star,
        }
    }

    /// Where a stretch of ranks may be cut: the last ranks of its parts.
    pub(super) fn parts(&self, low: u32, high: u32) -> Vec<u32> {
        match &self.scale {
            Scale::Tree { tree, ranks, .. } => {
                let node = tree.lca_of_range(self.codes[low as usize], self.codes[high as usize]);
                let ends = tree.children(node).map(|child| ranks[child as usize].1);
                ends.filter(|end| *end > low && *end <= high).map(|end| end - 1).collect()
            }
            _ => (low..high).collect(),
        }
    }

    /// The cost of covering a stretch of ranks.
    pub(super) fn width(&self, low: u32, high: u32) -> u64 {
        let mut sight = Sight::default();
        self.look(low, &mut sight);
        self.cost(&sight, self.reach(&sight, high))
    }
}
