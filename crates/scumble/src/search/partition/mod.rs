//! Partitions of rows into clusters that can be changed row by row, for clusterings and local searches.
//!
//! Rows that neither a model nor a cost can tell apart form one *kind*. A cluster has a number of rows of each kind, and
//! several clusters may have rows of the same kind. Each cluster knows its closure (the least coarse values that cover its
//! rows), and enough about the edges of that closure to compute at once the effect of adding or removing a row. The cost of a
//! partition is the sum over clusters of size times the cost of the closure. It is in fixed point (algorithms.md 0.3), so it
//! does not depend on the order of additions.

mod cluster;
mod space;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use cluster::{Cluster, Member};
pub(crate) use space::{FIXED_ONE, Space, fixed};

use crate::recoding::{Assignment, Members, Share};
use crate::search::deal;
use crate::table::frequency::Cell;
use crate::table::quasi::Value;

/// Rows in clusters.
#[derive(Debug, Clone, Default)]
pub struct Partition {
    clusters: Vec<Cluster>,
}

impl Partition {
    /// A partition into these clusters.
    #[must_use]
    pub fn new(clusters: Vec<Cluster>) -> Self {
        Self { clusters }
    }

    /// Returns the classes of an assignment that are not suppressed, in their order, and the suppressed rows.
    #[must_use]
    pub fn of_assignment(space: &Space<'_>, assignment: &Assignment) -> (Self, Vec<Member>) {
        let mut members: Vec<Vec<Member>> = vec![Vec::new(); assignment.classes()];
        let mut suppressed: Vec<Member> = Vec::new();
        for share in assignment.members.shares(space.table()) {
            let into = match assignment.suppressed[share.class as usize] {
                true => &mut suppressed,
                false => &mut members[share.class as usize],
            };
            // Shares ascend by tuple and payload, and so do kinds.
            let kind = space.kind_of(share.tuple, share.payload);
            match into.last_mut() {
                Some(last) if last.kind == kind => last.rows += share.rows,
                _ => into.push(Member { kind, rows: share.rows }),
            }
        }
        let kept = members.into_iter().filter(|members| !members.is_empty());
        (Self { clusters: kept.map(|members| Cluster::new(space, members)).collect() }, suppressed)
    }

    /// The clusters; some may be empty.
    #[must_use]
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// The clusters, for modification.
    pub fn clusters_mut(&mut self) -> &mut Vec<Cluster> {
        &mut self.clusters
    }

    /// The cost of all clusters.
    #[must_use]
    pub fn cost(&self) -> u128 {
        self.clusters.iter().map(|cluster| u128::from(cluster.total())).sum()
    }

    /// Moves a row of a kind from one cluster into another.
    pub fn shift(&mut self, space: &Space<'_>, kind: u32, from: usize, to: usize) {
        self.clusters[from].remove(space, kind, 1);
        self.clusters[to].add(space, kind, 1);
    }

    /// The classes as a recoding shows them. The `suppressed` rows form an additional class that is marked as suppressed.
    ///
    /// The rows of a kind are dealt fairly to clusters in the order of what the clusters show, so the result does not depend on
    /// how clusters are numbered.
    #[must_use]
    pub fn assignment(&self, space: &Space<'_>, suppressed: &[Member]) -> Assignment {
        let mut shown: Vec<(Vec<Value>, &[Member])> = self
            .clusters
            .iter()
            .filter(|cluster| cluster.size() > 0)
            .map(|cluster| (cluster.values(space), cluster.members()))
            .collect();
        shown.sort_unstable();
        if !suppressed.is_empty() {
            shown.push((vec![Value::Star; space.width()], suppressed));
        }
        let mut parts: Vec<(u32, u32, u32)> = Vec::new();
        for (class, (_, members)) in (0..).zip(&shown) {
            parts.extend(members.iter().map(|member| (member.kind, class, member.rows)));
        }
        parts.sort_unstable();
        let mut shares = Vec::with_capacity(parts.len());
        for of_kind in parts.chunk_by(|a, b| a.0 == b.0) {
            let kind = of_kind[0].0;
            let cells = space.cells(kind);
            let mut left: Vec<u32> = cells.iter().map(|cell| cell.rows).collect();
            for (_, class, rows) in of_kind {
                let taken = deal::take(&cells, &mut left, u64::from(*rows), |_| true);
                let share = |cell: Cell| Share {
                    tuple: space.kind(kind).tuple,
                    payload: cell.payload,
                    class: *class,
                    rows: cell.rows,
                };
                shares.extend(taken.into_iter().map(share));
            }
        }
        let regions: Vec<Vec<Value>> = shown.into_iter().map(|(values, _)| values).collect();
        let mut assignment = Assignment::of_regions(Members::of_shares(shares), &regions);
        if !suppressed.is_empty() {
            for class in 0..assignment.classes() {
                let star = assignment.values(class).iter().all(|value| *value == Value::Star);
                assignment.suppressed[class] = star;
            }
        }
        assignment
    }
}
