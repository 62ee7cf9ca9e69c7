//! Cutting the rows of a cluster in two.

use crate::error::Result;
use crate::search::partition::{Cluster, Member, Space};

/// Clusters of more kinds of rows than this are cut in the order of their distances from two far rows; smaller ones are cut
/// more carefully.
const CAREFUL: usize = 48;
/// Clusters of more kinds of rows than this are cut in the middle.
const LARGE: usize = 256;
/// The most cuts that are tested against the models.
const CUTS: usize = 64;

/// Cuts a cluster, and then its parts, as long as that makes it cheaper and all parts meet every model.
pub(super) fn split_fully(space: &Space<'_>, cluster: Cluster) -> Result<Vec<Cluster>> {
    let mut done = Vec::new();
    let mut rest = vec![cluster];
    while let Some(cluster) = rest.pop() {
        space.problem().progress.check()?;
        match cut_in_two(space, cluster.members(), cluster.total())? {
            Some((left, right)) => rest.extend([right, left]),
            None => done.push(cluster),
        }
    }
    Ok(done)
}

/// Returns the best of several ways to cut rows in two, if it costs less than `most`.
pub(super) fn cut_in_two(
    space: &Space<'_>,
    members: &[Member],
    most: u64,
) -> Result<Option<(Cluster, Cluster)>> {
    let rows: u64 = members.iter().map(|member| u64::from(member.rows)).sum();
    if rows < 2 * space.least() || most == 0 {
        return Ok(None);
    }
    if members.len() > CAREFUL {
        return cut_in_order(space, members, most);
    }
    let kinds: Vec<u32> = members.iter().map(|member| member.kind).collect();
    let pairs = (0..kinds.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    let farthest = pairs
        .map(|(a, b)| (space.distance(kinds[a], kinds[b]), (a, b)))
        .max_by_key(|(distance, pair)| (*distance, std::cmp::Reverse(*pair)));
    let Some((_, (a, b))) = farthest else { return Ok(None) };
    let (mut best, mut most) = (None, most);
    for seed in [a, b] {
        if let Some((cost, cut)) = grow(space, members, seed, most)? {
            (best, most) = (Some(cut), cost);
        }
    }
    Ok(best)
}

/// Takes rows out one by one, beginning with a seed and always choosing the cheapest. Returns the best cut on the way.
fn grow(
    space: &Space<'_>,
    members: &[Member],
    seed: usize,
    mut most: u64,
) -> Result<Option<(u64, (Cluster, Cluster))>> {
    let mut pace = space.problem().progress.pace();
    let mut right = Cluster::new(space, members.to_vec());
    let mut left = Cluster::empty(space);
    let mut next = members[seed].kind;
    let mut best = None;
    while right.size() > space.least() {
        pace.tick(members.len())?;
        right.remove(space, next, 1);
        left.add(space, next, 1);
        let cost = left.total() + right.total();
        if cost < most
            && left.size() >= space.least()
            && space.passes(left.members())
            && space.passes(right.members())
        {
            most = cost;
            best = Some((cost, (left.clone(), right.clone())));
        }
        let nearest = |member: &&Member| (left.cost_of_change(space, None, Some(member.kind)), member.kind);
        match right.members().iter().min_by_key(nearest) {
            Some(member) => next = member.kind,
            None => break,
        }
    }
    Ok(best)
}

/// Cuts rows at the cheapest place of an order that leads from one of two far rows to the other.
fn cut_in_order(space: &Space<'_>, members: &[Member], most: u64) -> Result<Option<(Cluster, Cluster)>> {
    let progress = &space.problem().progress;
    let farthest = |from: u32| {
        members
            .iter()
            .map(|member| (space.distance(from, member.kind), member.kind))
            .max_by_key(|(d, kind)| (*d, u32::MAX - kind))
    };
    let a = members.first().and_then(|first| farthest(first.kind));
    let Some(((_, b), (_, a))) = a.and_then(|far| farthest(far.1).zip(Some(far))) else { return Ok(None) };
    progress.check()?;
    let mut order: Vec<(i128, Member)> = members
        .iter()
        .map(|member| {
            let (to_a, to_b) = (space.distance(a, member.kind), space.distance(b, member.kind));
            (i128::from(to_a) - i128::from(to_b), *member)
        })
        .collect();
    order.sort_unstable();
    // The cost of the first rows together, and of the last rows together.
    let totals = |order: &mut dyn Iterator<Item = &Member>| -> Result<Vec<u64>> {
        let mut cluster = Cluster::empty(space);
        let mut pace = progress.pace();
        order
            .map(|member| {
                cluster.add(space, member.kind, member.rows);
                pace.tick(1).map(|()| cluster.total())
            })
            .collect()
    };
    let first = totals(&mut order.iter().map(|(_, member)| member))?;
    let last = totals(&mut order.iter().rev().map(|(_, member)| member))?;
    let count = order.len();
    // A large cluster is cut near the middle if possible: cutting small pieces off its ends would take too long.
    let at_an_end = |cut: usize| count > LARGE && (8 * cut < count || 8 * cut > 7 * count);
    let mut cuts: Vec<(bool, u64, usize)> = (1..count)
        .map(|cut| (at_an_end(cut), first[cut - 1] + last[count - cut - 1], cut))
        .filter(|(_, cost, _)| *cost < most)
        .collect();
    cuts.sort_unstable();
    cuts.truncate(CUTS);
    let part = |members: &[(i128, Member)]| {
        let mut members: Vec<Member> = members.iter().map(|(_, member)| *member).collect();
        members.sort_unstable();
        members
    };
    for (_, _, cut) in cuts {
        progress.check()?;
        let (left, right) = (part(&order[..cut]), part(&order[cut..]));
        if space.passes(&left) && space.passes(&right) {
            return Ok(Some((Cluster::new(space, left), Cluster::new(space, right))));
        }
    }
    Ok(None)
}
