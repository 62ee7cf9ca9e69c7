//! Taking a few near clusters apart and building them anew.

use super::block::Block;
use super::gather::gather;
use crate::error::Result;
use crate::search::partition::{Cluster, Member};

/// The numbers of clusters that are taken apart together, one after the other.
pub(super) const TOGETHER: [usize; 2] = [4, 6];
/// The most kinds of rows that are rebuilt together; more would take too long.
const MOST: usize = 150;
/// The most sweeps over all pairs of new clusters.
const SWEEPS: usize = 6;

impl Block<'_> {
    /// Builds the rows of a cluster and of some near ones anew, and keeps the result if it costs less.
    pub(super) fn rebuild(&mut self, a: usize, count: usize) -> Result<()> {
        let near = std::iter::once(a).chain(self.near[a].iter().map(|b| *b as usize));
        let mut places: Vec<usize> =
            near.filter(|place| self.clusters[*place].size() > 0).take(count).collect();
        let before: u64 = places.iter().map(|place| self.clusters[*place].total()).sum();
        let mut members: Vec<Member> =
            places.iter().flat_map(|place| self.clusters[*place].members()).copied().collect();
        if places.len() < 3 || before == 0 || members.len() > MOST {
            return Ok(());
        }
        self.steps += 1;
        members.sort_unstable();
        members.dedup_by(|next, kept| {
            let same = next.kind == kept.kind;
            if same {
                kept.rows += next.rows;
            }
            same
        });
        let new = gather(self.space, members)?;
        let had = self.clusters.len();
        while places.len() < new.len() {
            places.push(self.clusters.len());
            self.clusters.push(Cluster::empty(self.space));
            self.version.push(0);
        }
        let mut new = new.into_iter();
        let old: Vec<Cluster> = places
            .iter()
            .map(|place| {
                let next = new.next().unwrap_or_else(|| Cluster::empty(self.space));
                std::mem::replace(&mut self.clusters[*place], next)
            })
            .collect();
        self.settle(&places)?;
        let after: u64 = places.iter().map(|place| self.clusters[*place].total()).sum();
        if after < before {
            places.iter().for_each(|place| self.version[*place] += 1);
            return Ok(());
        }
        places.iter().zip(old).for_each(|(place, cluster)| self.clusters[*place] = cluster);
        self.clusters.truncate(had);
        self.version.truncate(had);
        Ok(())
    }

    /// Moves and exchanges rows between these clusters until nothing helps.
    fn settle(&mut self, places: &[usize]) -> Result<()> {
        for _ in 0..SWEEPS {
            let mut changed = false;
            for (count, a) in places.iter().enumerate() {
                for b in &places[..count] {
                    while self.change_pair(*a, *b) {
                        self.check()?;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }
}
