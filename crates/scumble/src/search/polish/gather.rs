//! Builds clusters from scratch: gathers near rows, k at a time.

use crate::error::Result;
use crate::search::partition::{Cluster, Member, Space};

/// Builds clusters of k rows. Each begins with the row farthest from the seed of the last one and adds the rows that cost least
/// with it. Rows that are left over go where they cost least. There must be at least k rows.
pub(crate) fn gather(space: &Space<'_>, mut free: Vec<Member>) -> Result<Vec<Cluster>> {
    let least = space.least();
    let mut rows: u64 = free.iter().map(|member| u64::from(member.rows)).sum();
    let mut clusters: Vec<Cluster> = Vec::new();
    let Some(mut seed) = free.iter().map(|member| member.kind).min() else { return Ok(clusters) };
    while rows >= least && rows > 0 {
        space.problem().progress.check()?;
        let far = free.iter().map(|member| (space.distance(seed, member.kind), u32::MAX - member.kind)).max();
        seed = far.map_or(seed, |(_, kind)| u32::MAX - kind);
        // Only the nearest kinds can be chosen: even if every row has a kind of its own, this many are enough.
        let mut near: Vec<(u64, u32, u32)> =
            free.iter().map(|member| (space.distance(seed, member.kind), member.kind, member.rows)).collect();
        let enough = 8 * least as usize + 32;
        if near.len() > enough {
            near.select_nth_unstable(enough);
            near.truncate(enough);
        }
        near.sort_unstable();
        let mut cluster = Cluster::empty(space);
        let mut next = seed;
        while cluster.size() < least {
            let Some(place) = near.iter().position(|(_, kind, _)| *kind == next) else { break };
            // More rows of the same kind add nothing to the cost of a row.
            let taken = u64::from(near[place].2).min(least - cluster.size()) as u32;
            cluster.add(space, next, taken);
            near[place].2 -= taken;
            let cheapest = near
                .iter()
                .filter(|(_, _, rows)| *rows > 0)
                .min_by_key(|(_, kind, _)| (cluster.cost_of_change(space, None, Some(*kind)), *kind));
            match cheapest {
                Some((_, kind, _)) => next = *kind,
                None => break,
            }
        }
        for member in cluster.members() {
            if let Some(place) = free.iter().position(|of| of.kind == member.kind) {
                free[place].rows -= member.rows;
                if free[place].rows == 0 {
                    free.swap_remove(place);
                }
            }
        }
        rows -= cluster.size();
        clusters.push(cluster);
    }
    free.sort_unstable();
    for Member { kind, rows } in free {
        for _ in 0..rows {
            space.problem().progress.check()?;
            let added = |place: &usize| {
                let cluster = &clusters[*place];
                let with = (cluster.size() + 1) * cluster.cost_of_change(space, None, Some(kind));
                (with - cluster.total(), *place)
            };
            if let Some(place) = (0..clusters.len()).min_by_key(added) {
                clusters[place].add(space, kind, 1);
            }
        }
    }
    Ok(clusters)
}
