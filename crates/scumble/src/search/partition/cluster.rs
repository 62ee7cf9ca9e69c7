//! One cluster: its rows, its closure, and the effect of adding or removing a row.

use super::space::Space;
use crate::table::quasi::Value;

/// Rows of one kind in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// The kind.
    pub kind: u32,
    /// The number of rows.
    pub rows: u32,
}

/// The codes of a cluster in one column that determine its closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// The two least and the two greatest codes over the rows. If two rows share the least (or greatest) code, it appears twice,
    /// so the second code is always what remains when a row with the first is removed.
    Extent { low: [u32; 2], high: [u32; 2] },
    /// The codes present as bits, and the codes that only one row has.
    Set { present: u64, single: u64 },
}

impl Edge {
    /// The edge of a cluster without rows.
    fn none(set: bool) -> Self {
        if set {
            Self::Set { present: 0, single: 0 }
        } else {
            Self::Extent { low: [u32::MAX; 2], high: [0; 2] }
        }
    }

    fn add(&mut self, code: u32, rows: u32) {
        match self {
            Self::Extent { low, high } => {
                // `high` is 0 both without rows and for a single row with code 0, so `low` says how many rows there are.
                let empty = low[0] == u32::MAX;
                let lone = low[1] == u32::MAX;
                if code < low[0] {
                    *low = [code, low[0]];
                } else if code < low[1] {
                    low[1] = code;
                }
                if empty || code > high[0] {
                    *high = [code, high[0]];
                } else if lone || code > high[1] {
                    high[1] = code;
                }
                if rows > 1 {
                    self.add(code, 1);
                }
            }
            Self::Set { present, single } => {
                let bit = 1_u64 << code;
                *single = if *present & bit == 0 && rows == 1 { *single | bit } else { *single & !bit };
                *present |= bit;
            }
        }
    }

    /// Whether a row with this code can be removed without recounting the edge.
    fn is_inside(&self, code: u32) -> bool {
        match self {
            Self::Extent { low, high } => low[1] < code && code < high[1],
            Self::Set { .. } => false,
        }
    }
}

/// Rows that show the same values.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Ascending by kind.
    members: Vec<Member>,
    size: u64,
    edges: Vec<Edge>,
    cost: u64,
}

impl Cluster {
    /// A cluster of these rows, given by ascending kind with one member per kind.
    #[must_use]
    pub fn new(space: &Space<'_>, members: Vec<Member>) -> Self {
        let size = members.iter().map(|member| u64::from(member.rows)).sum();
        let edges = (0..space.width()).map(|column| Edge::none(space.is_set(column))).collect();
        let mut cluster = Self { members, size, edges, cost: 0 };
        (0..space.width()).for_each(|column| cluster.recount(space, column));
        cluster.cost = cluster.cost_of_change(space, None, None);
        cluster
    }

    /// A cluster without rows.
    #[must_use]
    pub fn empty(space: &Space<'_>) -> Self {
        Self::new(space, Vec::new())
    }

    /// Its rows, ascending by kind.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether it has rows of a kind.
    #[must_use]
    pub fn has(&self, kind: u32) -> bool {
        self.members.binary_search_by_key(&kind, |member| member.kind).is_ok()
    }

    /// The number of rows of the cluster.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The cost of its closure, for each of its rows.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// The cost of its closure for all its rows.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.size * self.cost
    }

    /// The cost of the closure with one row of the kind `out` removed and one of the kind `into` added.
    #[must_use]
    pub fn cost_of_change(&self, space: &Space<'_>, out: Option<u32>, into: Option<u32>) -> u64 {
        if self.size + u64::from(into.is_some()) == u64::from(out.is_some()) {
            return 0;
        }
        let (out, into) = (out.map(|kind| space.codes(kind)), into.map(|kind| space.codes(kind)));
        let mut cost = 0;
        for (column, edge) in self.edges.iter().enumerate() {
            let (out, into) = (out.map(|codes| codes[column]), into.map(|codes| codes[column]));
            cost += match edge {
                Edge::Extent { low, high } => {
                    let (mut least, mut greatest) = (low[0], high[0]);
                    if let Some(code) = out {
                        if code == least {
                            least = low[1];
                        }
                        if code == greatest {
                            greatest = high[1];
                        }
                    }
                    if let Some(code) = into {
                        // The only row may just have been removed.
                        let empty = least == u32::MAX;
                        least = least.min(code);
                        greatest = if empty { code } else { greatest.max(code) };
                    }
                    space.extent_cost(column, least, greatest)
                }
                Edge::Set { present, single } => {
                    let mut present = *present;
                    if let Some(code) = out {
                        present &= !(single & 1 << code);
                    }
                    if let Some(code) = into {
                        present |= 1 << code;
                    }
                    space.set_cost(column, present.count_ones())
                }
            };
        }
        cost
    }

    /// The cost of the closure of this cluster and another one together.
    #[must_use]
    pub fn cost_with(&self, space: &Space<'_>, other: &Self) -> u64 {
        let mut cost = 0;
        for (column, edges) in self.edges.iter().zip(&other.edges).enumerate() {
            cost += match edges {
                (Edge::Extent { low: a, high: b }, Edge::Extent { low: c, high: d }) => {
                    space.extent_cost(column, a[0].min(c[0]), b[0].max(d[0]))
                }
                (Edge::Set { present: a, .. }, Edge::Set { present: b, .. }) => {
                    space.set_cost(column, (a | b).count_ones())
                }
                _ => 0,
            };
        }
        cost
    }

    /// The least code in a column. It is used to sort clusters.
    #[must_use]
    pub fn least_code(&self, column: usize) -> u32 {
        match self.edges[column] {
            Edge::Extent { low, .. } => low[0],
            Edge::Set { present, .. } => present.trailing_zeros(),
        }
    }

    /// Adds rows of a kind.
    pub fn add(&mut self, space: &Space<'_>, kind: u32, rows: u32) {
        match self.members.binary_search_by_key(&kind, |member| member.kind) {
            Ok(place) => self.members[place].rows += rows,
            Err(place) => self.members.insert(place, Member { kind, rows }),
        }
        self.size += u64::from(rows);
        for (edge, code) in self.edges.iter_mut().zip(space.codes(kind)) {
            edge.add(*code, rows);
        }
        self.cost = self.cost_of_change(space, None, None);
    }

    /// Removes rows of a kind, of which the cluster must have enough.
    pub fn remove(&mut self, space: &Space<'_>, kind: u32, rows: u32) {
        let found = self.members.binary_search_by_key(&kind, |member| member.kind);
        debug_assert!(found.is_ok_and(|place| self.members[place].rows >= rows), "no such rows to remove");
        let Ok(place) = found else { return };
        let rows = rows.min(self.members[place].rows);
        self.members[place].rows -= rows;
        if self.members[place].rows == 0 {
            self.members.remove(place);
        }
        self.size -= u64::from(rows);
        for (column, code) in space.codes(kind).iter().enumerate() {
            if !self.edges[column].is_inside(*code) {
                self.recount(space, column);
            }
        }
        self.cost = self.cost_of_change(space, None, None);
    }

    fn recount(&mut self, space: &Space<'_>, column: usize) {
        let mut edge = Edge::none(space.is_set(column));
        for member in &self.members {
            edge.add(space.codes(member.kind)[column], member.rows);
        }
        self.edges[column] = edge;
    }

    /// Whether the cluster would meet every model with one row of the kind `out` removed and one of the kind `into` added.
    #[must_use]
    pub fn passes_changed(&self, space: &Space<'_>, out: Option<u32>, into: Option<u32>) -> bool {
        if space.only_size() {
            return space.passes_size(self.size - u64::from(out.is_some()) + u64::from(into.is_some()));
        }
        let mut members = self.members.clone();
        if let Some(kind) = out
            && let Ok(place) = members.binary_search_by_key(&kind, |member| member.kind)
        {
            members[place].rows -= 1;
        }
        members.extend(into.map(|kind| Member { kind, rows: 1 }));
        space.passes(&members)
    }

    /// The values that the cluster shows.
    #[must_use]
    pub fn values(&self, space: &Space<'_>) -> Vec<Value> {
        let value = |(column, edge): (usize, &Edge)| match edge {
            Edge::Extent { low, high } => space.quasi(column).cover(low[0], high[0]),
            Edge::Set { present, .. } => Value::Subset(*present),
        };
        self.edges.iter().enumerate().map(value).collect()
    }
}
