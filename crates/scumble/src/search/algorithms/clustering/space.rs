//! The cost of showing one value per column for several tuples.
//!
//! Every column is an [`Axis`]: its codes in an order in which every coarser value is a stretch of neighbours. So the least and
//! the greatest of some codes determine what covers them. And the cost of covering one more code never falls with its distance
//! from a given stretch, on either side. The bounds of searches depend on that.

use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::{Line, Quasi, Shape, Value};

/// A cost of 1 in fixed point. In fixed point, sums of costs do not depend on their order (algorithms.md 0.3).
pub(in crate::search::algorithms) const ONE: u64 = 1 << 32;

/// A cost from 0 to 1 in fixed point, rounded half up.
pub(in crate::search::algorithms) fn fixed(cost: f64) -> u64 {
    (cost * ONE as f64 + 0.5) as u64
}

/// The ranks of the least and the greatest code in each column.
pub(in crate::search::algorithms) type Extent = Vec<(u32, u32)>;

/// One column. Codes are numbered by their rank among those that occur, so nothing depends on the size of a domain.
pub(in crate::search::algorithms) struct Axis<'p> {
    quasi: &'p Quasi,
    /// The codes that occur, ascending.
    codes: Vec<u32>,
    cost: Cost<'p>,
}

enum Cost<'p> {
    /// The cost of each node, and the ranks below it (empty stretches end before they begin).
    Nodes { tree: &'p Hierarchy, costs: Vec<u64>, ranks: Vec<(u32, u32)> },
    /// By rank, where its stretch begins and ends within the domain; the rank of the missing value, which lies in no stretch; and
    /// the cost of showing nothing when that rank is together with others.
    Ends { begins: Vec<u64>, ends: Vec<u64>, missing: Option<u32>, star: u64 },
    /// Every stretch of several ranks costs the same.
    Apart { step: u64, missing: Option<u32>, star: u64 },
}

impl<'p> Axis<'p> {
    /// A column with a tree, by the cost of each node. Costs must not fall towards the root.
    pub(in crate::search::algorithms) fn of_nodes(
        quasi: &'p Quasi,
        tree: &'p Hierarchy,
        codes: Vec<u32>,
        cost: impl Fn(u32) -> u64,
    ) -> Self {
        let rank = |code: u32| codes.partition_point(|present| *present < code) as u32;
        let ranks = (0..tree.node_count())
            .map(|node| {
                let (low, high) = tree.range(node);
                (rank(low), rank(high + 1))
            })
            .collect();
        let costs = (0..tree.node_count()).map(cost).collect();
        Self { quasi, codes, cost: Cost::Nodes { tree, costs, ranks } }
    }

    /// A column whose coarser values cost their loss (LM).
    pub(in crate::search::algorithms) fn of_loss(quasi: &'p Quasi, codes: Vec<u32>) -> Self {
        let per_code = |code: &u32| fixed(f64::from(*code) / f64::from((quasi.size() - 1).max(1)));
        let (begins, ends, missing) = match &quasi.shape {
            Shape::Tree(tree) => {
                return Self::of_nodes(quasi, tree, codes, |node| fixed(quasi.loss(Value::Node(node))));
            }
            Shape::Set(_) => {
                let places: Vec<u64> = codes.iter().map(per_code).collect();
                (places.clone(), places, None)
            }
            Shape::Line(line) => {
                let (begins, ends) = codes.iter().map(|code| line_ends(quasi, line, *code)).unzip();
                let missing = codes.iter().position(|code| Some(*code) == line.missing());
                (begins, ends, missing.map(|rank| rank as u32))
            }
        };
        Self { quasi, codes, cost: Cost::Ends { begins, ends, missing, star: ONE } }
    }

    /// A column of numbers without a tree. Several different numbers cost `step`, multiplied by the share of the domain between
    /// them if `scaled`. Showing nothing costs `star`.
    pub(in crate::search::algorithms) fn of_numbers(
        quasi: &'p Quasi,
        line: &Line,
        codes: Vec<u32>,
        (step, star, scaled): (f64, u64, bool),
    ) -> Self {
        let missing = codes.iter().position(|code| Some(*code) == line.missing()).map(|rank| rank as u32);
        if !scaled {
            return Self { quasi, codes, cost: Cost::Apart { step: fixed(step), missing, star } };
        }
        let (first, last) = line.domain();
        let share = |number: i128| (number - first) as f64 / ((last - first) as f64).max(1.0);
        let place =
            |code: &u32| line.numbers.get(*code as usize).map_or(0, |number| fixed(step * share(*number)));
        let places: Vec<u64> = codes.iter().map(place).collect();
        Self { quasi, codes, cost: Cost::Ends { begins: places.clone(), ends: places, missing, star } }
    }

    /// The cost of the value that covers the ranks `low` to `high`.
    pub(in crate::search::algorithms) fn cost(&self, low: u32, high: u32) -> u64 {
        match &self.cost {
            Cost::Nodes { tree, costs, .. } => {
                costs[tree.lca_of_range(self.codes[low as usize], self.codes[high as usize]) as usize]
            }
            Cost::Ends { missing, star, .. } | Cost::Apart { missing, star, .. }
                if *missing == Some(high) =>
            {
                if low == high {
                    0
                } else {
                    *star
                }
            }
            Cost::Ends { begins, ends, .. } => ends[high as usize] - begins[low as usize],
            Cost::Apart { step, .. } => {
                if low == high {
                    0
                } else {
                    *step
                }
            }
        }
    }

    /// Computes, for each rank, the cost of the value that covers it together with the ranks `low` to `high`.
    pub(in crate::search::algorithms) fn fill(&self, (low, high): (u32, u32), table: &mut [u64]) {
        match &self.cost {
            Cost::Nodes { tree, costs, ranks } => {
                let mut node = tree.lca_of_range(self.codes[low as usize], self.codes[high as usize]);
                let (mut from, mut to) = ranks[node as usize];
                table[from as usize..to as usize].fill(costs[node as usize]);
                while let Some(parent) = tree.parent(node) {
                    node = parent;
                    let (first, end) = ranks[node as usize];
                    table[first as usize..from as usize].fill(costs[node as usize]);
                    table[to as usize..end as usize].fill(costs[node as usize]);
                    (from, to) = (first, end);
                }
            }
            Cost::Ends { .. } | Cost::Apart { .. } => {
                for (rank, cost) in (0..).zip(table) {
                    *cost = self.cost(low.min(rank), high.max(rank));
                }
            }
        }
    }

    /// The first and last rank of the codes from `low` to `high`.
    pub(in crate::search::algorithms) fn ranks_of(&self, (low, high): (u32, u32)) -> (u32, u32) {
        let rank = |code: u32| self.codes.partition_point(|present| *present < code) as u32;
        (rank(low), rank(high + 1).saturating_sub(1))
    }

    /// The ranks of all codes covered by the value that covers the ranks `low` to `high`.
    pub(in crate::search::algorithms) fn closed(&self, (low, high): (u32, u32)) -> (u32, u32) {
        match &self.cost {
            Cost::Nodes { tree, ranks, .. } => {
                let node = tree.lca_of_range(self.codes[low as usize], self.codes[high as usize]);
                let (from, to) = ranks[node as usize];
                (from, to - 1)
            }
            Cost::Ends { missing, .. } | Cost::Apart { missing, .. }
                if low != high && *missing == Some(high) =>
            {
                (0, self.len() as u32 - 1)
            }
            Cost::Ends { .. } | Cost::Apart { .. } => (low, high),
        }
    }

    /// The number of codes that occur.
    pub(in crate::search::algorithms) fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether any coarser value costs something.
    pub(in crate::search::algorithms) fn matters(&self) -> bool {
        self.len() > 1 && self.cost(0, self.len() as u32 - 1) > 0
    }

    /// The last ranks of the parts into which a stretch of ranks divides most naturally: by the children of its node, or anywhere.
    pub(in crate::search::algorithms) fn parts(&self, low: u32, high: u32) -> Vec<u32> {
        match &self.cost {
            Cost::Nodes { tree, ranks, .. } => {
                let node = tree.lca_of_range(self.codes[low as usize], self.codes[high as usize]);
                let ends = tree.children(node).map(|child| ranks[child as usize].1);
                ends.filter(|end| *end > low && *end <= high).map(|end| end - 1).collect()
            }
            Cost::Ends { .. } | Cost::Apart { .. } => (low..high).collect(),
        }
    }

    /// Where the number of a rank lies in the domain, if the column is a line and the rank is a number.
    pub(in crate::search::algorithms) fn place(&self, rank: u32) -> Option<u64> {
        let Shape::Line(line) = &self.quasi.shape else { return None };
        let number = *line.numbers.get(self.codes[rank as usize] as usize)?;
        Some(place(line, number))
    }

    /// Whether the column is a line of numbers.
    pub(in crate::search::algorithms) fn is_line(&self) -> bool {
        matches!(self.quasi.shape, Shape::Line(_))
    }

    /// The cost of the value that covers a rank and a stretch, given the result of [`Axis::fill`] for the rank alone.
    pub(in crate::search::algorithms) fn reach(
        &self,
        table: &[u64],
        rank: u32,
        (low, high): (u32, u32),
    ) -> u64 {
        match &self.cost {
            // Both covers are nodes above the rank, so the costlier one contains the other.
            Cost::Nodes { .. } => table[low as usize].max(table[high as usize]),
            Cost::Ends { .. } | Cost::Apart { .. } => self.cost(low.min(rank), high.max(rank)),
        }
    }
}

/// The position of a number as a share of the domain.
fn place(line: &Line, number: i128) -> u64 {
    let (first, last) = line.domain();
    fixed((number.clamp(first, last) - first) as f64 / ((last - first) as f64).max(1.0))
}

/// Where the interval of a single number begins and ends, as shares of the domain.
fn line_ends(quasi: &Quasi, line: &Line, code: u32) -> (u64, u64) {
    if Some(code) == line.missing() {
        return (0, ONE);
    }
    let (from, to) = if quasi.tight { line.extremes(code, code) } else { line.interval(code, code) };
    (place(line, from), place(line, to))
}

/// All columns of a table, and its tuples as ranks.
pub(in crate::search::algorithms) struct Space<'p> {
    pub(in crate::search::algorithms) axes: Vec<Axis<'p>>,
    /// The ranks, tuple by tuple.
    ranks: Vec<u32>,
}

impl<'p> Space<'p> {
    /// The tuples of a table, with an axis for each column from the codes that occur in it.
    pub(in crate::search::algorithms) fn new(
        table: &FrequencyTable,
        quasi: &'p [Quasi],
        axis: impl Fn(usize, &'p Quasi, Vec<u32>) -> Axis<'p>,
    ) -> Self {
        let width = quasi.len();
        let mut ranks = vec![0; table.tuples() * width];
        let axes = quasi.iter().enumerate().map(|(column, of_column)| {
            let mut codes: Vec<u32> = table.column(column).iter().collect();
            codes.sort_unstable();
            codes.dedup();
            for (tuple, code) in table.column(column).iter().enumerate() {
                ranks[tuple * width + column] = codes.partition_point(|present| *present < code) as u32;
            }
            axis(column, of_column, codes)
        });
        let axes = axes.collect();
        Self { axes, ranks }
    }

    /// A space in which coarser values cost their loss (LM).
    pub(in crate::search::algorithms) fn of_loss(table: &FrequencyTable, quasi: &'p [Quasi]) -> Self {
        Self::new(table, quasi, |_, quasi, codes| Axis::of_loss(quasi, codes))
    }

    /// The ranks of a tuple.
    pub(in crate::search::algorithms) fn ranks(&self, tuple: u32) -> &[u32] {
        &self.ranks[tuple as usize * self.axes.len()..][..self.axes.len()]
    }

    /// The extent of one tuple.
    pub(in crate::search::algorithms) fn point(&self, tuple: u32) -> Extent {
        self.ranks(tuple).iter().map(|rank| (*rank, *rank)).collect()
    }

    /// Widens an extent so that it covers a tuple.
    pub(in crate::search::algorithms) fn widen(&self, extent: &mut Extent, tuple: u32) {
        for ((low, high), rank) in extent.iter_mut().zip(self.ranks(tuple)) {
            *low = (*low).min(*rank);
            *high = (*high).max(*rank);
        }
    }

    /// The cost of showing an extent, per row.
    pub(in crate::search::algorithms) fn cost(&self, extent: &Extent) -> u64 {
        self.axes.iter().zip(extent).map(|(axis, (low, high))| axis.cost(*low, *high)).sum()
    }

    /// The cost of an extent that covers two others.
    pub(in crate::search::algorithms) fn joint_cost(
        &self,
        one: &[(u32, u32)],
        other: impl Iterator<Item = (u32, u32)>,
    ) -> u64 {
        let both = self.axes.iter().zip(one).zip(other);
        both.map(|((axis, one), other)| axis.cost(one.0.min(other.0), one.1.max(other.1))).sum()
    }

    /// The values that a release shows for an extent.
    pub(in crate::search::algorithms) fn values(&self, extent: &Extent) -> Vec<Value> {
        let columns = self.axes.iter().zip(extent);
        let value = |(axis, (low, high)): (&Axis<'_>, &(u32, u32))| {
            axis.quasi.cover(axis.codes[*low as usize], axis.codes[*high as usize])
        };
        columns.map(value).collect()
    }
}
