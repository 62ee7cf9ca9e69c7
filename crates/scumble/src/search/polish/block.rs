//! A local search among clusters that lie near each other.

use super::divide::cut_in_two;
use super::rebuild::TOGETHER;
use crate::error::Result;
use crate::search::partition::{Cluster, Member, Space};

/// The number of nearest clusters with which a cluster may move and exchange rows.
const NEAR: usize = 20;
/// The number of nearest clusters with which a cluster is divided anew. It is smaller because dividing takes longer.
const NEAREST: usize = 8;
/// The most sweeps over all pairs of near clusters.
const SWEEPS: usize = 10;
/// The most kinds of rows at the edge of a cluster that are tried in an exchange: those whose removal saves most.
const TRIED: usize = 24;
/// The most kinds of rows that are divided anew, or sent away, together.
const DIVIDED: usize = 48;
/// The most kinds of rows at an end of a column that leave a cluster together.
const EJECTED: usize = 12;

/// A search among clusters that can be paused and resumed.
#[derive(Clone)]
pub(super) struct Block<'a> {
    pub(super) space: &'a Space<'a>,
    pub(super) clusters: Vec<Cluster>,
    /// The nearest clusters of each, nearest first.
    pub(super) near: Vec<Vec<u32>>,
    /// How often each cluster has changed.
    pub(super) version: Vec<u32>,
    /// The number of changes weighed plus the number of times the search turned to another cluster.
    pub(super) steps: u64,
    /// For each cluster and each of its near ones, the versions of the two at which no change helped.
    seen: Vec<Vec<(u32, u32)>>,
    at: Stage,
}

/// What the search does next. An unnamed number, like `a`, is the place of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Finds the nearest clusters of each cluster.
    Near(usize),
    /// Moves and exchanges single rows between near clusters, until nothing helps.
    Change {
        sweep: usize,
        a: usize,
        changed: bool,
    },
    /// Sends rows at the ends of a cluster, or all its rows, each to the cluster where it costs least.
    Eject(usize),
    /// Founds new clusters of rows that others can spare.
    Found(usize),
    /// Divides the rows of two near clusters anew.
    Divide(usize),
    /// Takes several near clusters apart and builds them anew.
    Rebuild {
        turn: usize,
        a: usize,
    },
    Done,
}

impl<'a> Block<'a> {
    pub(super) fn new(space: &'a Space<'a>, clusters: Vec<Cluster>) -> Self {
        let version = vec![0; clusters.len()];
        let at = Stage::Near(0);
        Self { space, clusters, near: Vec::new(), version, steps: 0, seen: Vec::new(), at }
    }

    /// Lowers the cost for this many steps, or until nothing more is found. After an error the clusters are
    /// unusable.
    pub(super) fn go_on(&mut self, steps: u64) -> Result<()> {
        let begun = self.steps;
        while self.steps < begun + steps && !self.is_done() {
            self.check()?;
            self.steps += 1;
            self.at = self.advance()?;
        }
        self.space.problem().progress.advance(self.steps - begun);
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == Stage::Done
    }

    /// The clusters as they are now.
    pub(super) fn into_clusters(self) -> Vec<Cluster> {
        let mut clusters = self.clusters;
        clusters.retain(|cluster| cluster.size() > 0);
        clusters
    }

    pub(super) fn check(&self) -> Result<()> {
        self.space.problem().progress.check()
    }

    /// Works on one cluster and returns the next stage.
    fn advance(&mut self) -> Result<Stage> {
        Ok(match self.at {
            Stage::Near(a) if a < self.clusters.len() => {
                self.find_near(a);
                Stage::Near(a + 1)
            }
            Stage::Near(_) => {
                self.seen = self.near.iter().map(|near| vec![(u32::MAX, u32::MAX); near.len()]).collect();
                Stage::Change { sweep: 0, a: 0, changed: false }
            }
            Stage::Change { sweep, a, changed } if a < self.near.len() => {
                let changed = self.change_pairs(a)? || changed;
                Stage::Change { sweep, a: a + 1, changed }
            }
            Stage::Change { sweep, changed: true, .. } if sweep + 1 < SWEEPS => {
                Stage::Change { sweep: sweep + 1, a: 0, changed: false }
            }
            Stage::Change { .. } => Stage::Eject(0),
            Stage::Eject(a) if a < self.clusters.len() => {
                self.eject_or_dissolve(a)?;
                Stage::Eject(a + 1)
            }
            Stage::Eject(_) => Stage::Found(0),
            Stage::Found(a) if a < self.near.len() => {
                self.found(a)?;
                Stage::Found(a + 1)
            }
            Stage::Found(_) => Stage::Divide(0),
            Stage::Divide(a) if a < self.near.len() => {
                for place in 0..self.near[a].len().min(NEAREST) {
                    self.divide_pair(a, self.near[a][place] as usize)?;
                }
                Stage::Divide(a + 1)
            }
            // Rebuilding gathers near rows and ignores sensitive values, so it is only of use where size alone
            // decides.
            Stage::Divide(_) if !self.space.only_size() => Stage::Done,
            Stage::Divide(_) => Stage::Rebuild { turn: 0, a: 0 },
            Stage::Rebuild { turn, a } if turn < TOGETHER.len() && a < self.near.len() => {
                self.rebuild(a, TOGETHER[turn])?;
                Stage::Rebuild { turn, a: a + 1 }
            }
            Stage::Rebuild { turn, .. } if turn + 1 < TOGETHER.len() => {
                Stage::Rebuild { turn: turn + 1, a: 0 }
            }
            Stage::Rebuild { .. } | Stage::Done => Stage::Done,
        })
    }

    fn find_near(&mut self, a: usize) {
        let others = (0..self.clusters.len()).filter(|b| *b != a);
        let mut costs: Vec<(u64, u32)> =
            others.map(|b| (self.clusters[a].cost_with(self.space, &self.clusters[b]), b as u32)).collect();
        if costs.len() > NEAR {
            costs.select_nth_unstable(NEAR);
            costs.truncate(NEAR);
        }
        costs.sort_unstable();
        self.near.push(costs.into_iter().map(|(_, b)| b).collect());
    }

    /// Moves and exchanges single rows between a cluster and those near it. Returns whether anything changed.
    fn change_pairs(&mut self, a: usize) -> Result<bool> {
        let mut changed = false;
        for place in 0..self.near[a].len() {
            let b = self.near[a][place] as usize;
            if self.seen[a][place] == (self.version[a], self.version[b]) {
                continue;
            }
            while self.change_pair(a, b) {
                self.check()?;
                changed = true;
            }
            self.seen[a][place] = (self.version[a], self.version[b]);
        }
        Ok(changed)
    }

    /// Makes the best move or exchange between two clusters. Returns whether one helped.
    pub(super) fn change_pair(&mut self, a: usize, b: usize) -> bool {
        self.steps += 1;
        let (space, one, other) = (self.space, &self.clusters[a], &self.clusters[b]);
        let before = one.total() + other.total();
        if before == 0 || one.size() == 0 || other.size() == 0 {
            return false;
        }
        let mut least = before;
        let mut best = None;
        let mut weigh = |out: Option<u32>, into: Option<u32>| {
            let (gone, come) = (u64::from(out.is_some()), u64::from(into.is_some()));
            let first = (one.size() - gone + come) * one.cost_of_change(space, out, into);
            if first >= least {
                return;
            }
            let cost = first + (other.size() - come + gone) * other.cost_of_change(space, into, out);
            if cost < least && one.passes_changed(space, out, into) && other.passes_changed(space, into, out)
            {
                least = cost;
                best = Some((out, into));
            }
        };
        let (edge, other_edge) = (edge(space, one), edge(space, other));
        if one.size() > space.least() {
            edge.iter().for_each(|kind| weigh(Some(*kind), None));
        }
        if other.size() > space.least() {
            other_edge.iter().for_each(|kind| weigh(None, Some(*kind)));
        }
        // An exchange helps only if one of the two rows lies at the edge of its cluster.
        for out in &edge {
            other.members().iter().take(4 * TRIED).for_each(|into| weigh(Some(*out), Some(into.kind)));
        }
        for into in &other_edge {
            let inner = one.members().iter().take(4 * TRIED).filter(|out| !edge.contains(&out.kind));
            inner.for_each(|out| weigh(Some(out.kind), Some(*into)));
        }
        let Some((out, into)) = best else { return false };
        for (kind, from, to) in [(out, a, b), (into, b, a)] {
            if let Some(kind) = kind {
                self.clusters[from].remove(space, kind, 1);
                self.clusters[to].add(space, kind, 1);
            }
        }
        self.version[a] += 1;
        self.version[b] += 1;
        true
    }

    /// Sends rows at the ends of a cluster, or all its rows, each to the cluster where it costs least.
    fn eject_or_dissolve(&mut self, a: usize) -> Result<()> {
        if self.clusters[a].total() == 0 {
            return Ok(());
        }
        let all = self.clusters[a].members().to_vec();
        if all.len() <= DIVIDED && self.eject(a, &all)? {
            return Ok(());
        }
        while self.eject_some(a)? {}
        Ok(())
    }

    fn eject_some(&mut self, a: usize) -> Result<bool> {
        let surplus = self.clusters[a].size().saturating_sub(self.space.least());
        if surplus == 0 {
            return Ok(false);
        }
        for column in 0..self.space.width() {
            // From the low end of the column, then from the high end.
            let mut members = self.clusters[a].members().to_vec();
            members.sort_by_key(|member| self.space.codes(member.kind)[column]);
            if self.eject_ends(a, &members, surplus)? {
                return Ok(true);
            }
            members.reverse();
            if self.eject_ends(a, &members, surplus)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn eject_ends(&mut self, a: usize, members: &[Member], surplus: u64) -> Result<bool> {
        let mut rows = 0;
        for count in 1..=members.len().min(EJECTED) {
            rows += u64::from(members[count - 1].rows);
            if rows > surplus {
                return Ok(false);
            }
            if self.eject(a, &members[..count])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends these rows of a cluster to where they cost least, if that lowers the cost.
    fn eject(&mut self, a: usize, sent: &[Member]) -> Result<bool> {
        self.steps += 1;
        let space = self.space;
        let mut rest = self.clusters[a].clone();
        sent.iter().for_each(|member| rest.remove(space, member.kind, member.rows));
        if rest.total() >= self.clusters[a].total() || (rest.size() > 0 && !space.passes(rest.members())) {
            return Ok(false);
        }
        // The most that the rows may cost elsewhere.
        let mut room = self.clusters[a].total() - rest.total();
        let mut old = vec![(a, std::mem::replace(&mut self.clusters[a], rest))];
        for member in sent {
            for _ in 0..member.rows {
                self.check()?;
                let Some((cost, to)) = self.cheapest(member.kind, a, room) else {
                    // Put everything back.
                    old.into_iter().rev().for_each(|(place, cluster)| self.clusters[place] = cluster);
                    return Ok(false);
                };
                room -= cost;
                old.push((to, self.clusters[to].clone()));
                self.clusters[to].add(space, member.kind, 1);
            }
        }
        old.iter().for_each(|(place, _)| self.version[*place] += 1);
        Ok(true)
    }

    /// Returns the cluster where one more row of this kind adds least, if that is less than `room`, and the cost it
    /// adds.
    fn cheapest(&self, kind: u32, except: usize, room: u64) -> Option<(u64, usize)> {
        let mut least = room;
        let mut best = None;
        for (place, cluster) in self.clusters.iter().enumerate() {
            // The row itself costs at least as much as each row of the cluster costs already.
            if cluster.cost() >= least || place == except || cluster.size() == 0 {
                continue;
            }
            let with = (cluster.size() + 1) * cluster.cost_of_change(self.space, None, Some(kind));
            let added = with - cluster.total();
            if added < least && cluster.passes_changed(self.space, None, Some(kind)) {
                least = added;
                best = Some((added, place));
            }
        }
        best
    }

    /// Founds new clusters of rows that a cluster and those near it can spare.
    fn found(&mut self, a: usize) -> Result<()> {
        for member in self.clusters[a].members().to_vec() {
            if self.clusters[a].size() <= self.space.least() || self.clusters[a].cost() == 0 {
                break;
            }
            // A cluster founded just before may have taken these rows.
            if self.clusters[a].has(member.kind) {
                self.found_with(a, member.kind)?;
            }
        }
        Ok(())
    }

    /// Founds a new cluster around one row of a cluster, if that lowers the cost.
    fn found_with(&mut self, a: usize, kind: u32) -> Result<()> {
        self.steps += 1;
        let space = self.space;
        if !self.clusters[a].passes_changed(space, Some(kind), None) {
            return Ok(());
        }
        let mut new = Cluster::empty(space);
        let mut old: Vec<(usize, Cluster)> = Vec::new();
        let mut balance = 0_i128;
        let mut next = Some((kind, a));
        while let Some((kind, from)) = next {
            self.check()?;
            balance -= i128::from(new.total()) + i128::from(self.clusters[from].total());
            old.push((from, self.clusters[from].clone()));
            self.clusters[from].remove(space, kind, 1);
            new.add(space, kind, 1);
            balance += i128::from(new.total()) + i128::from(self.clusters[from].total());
            if new.size() >= space.least() && space.passes(new.members()) {
                break;
            }
            next = if new.size() < 3 * space.least() + 3 { self.spared(a, &new) } else { None };
        }
        if next.is_none() || balance >= 0 {
            old.into_iter().rev().for_each(|(place, cluster)| self.clusters[place] = cluster);
            return Ok(());
        }
        old.iter().for_each(|(place, _)| self.version[*place] += 1);
        self.clusters.push(new);
        self.version.push(0);
        Ok(())
    }

    /// Among the rows that a cluster and those near it can spare, returns the one that joins a new cluster at the
    /// least cost.
    fn spared(&self, a: usize, new: &Cluster) -> Option<(u32, usize)> {
        let space = self.space;
        let (mut least, mut best) = (i128::MAX, None);
        for place in std::iter::once(a).chain(self.near[a].iter().map(|b| *b as usize)) {
            let cluster = &self.clusters[place];
            if cluster.size() <= space.least() {
                continue;
            }
            for member in cluster.members().iter().take(4 * TRIED) {
                let grown = (new.size() + 1) * new.cost_of_change(space, None, Some(member.kind));
                let grown = i128::from(grown) - i128::from(new.total());
                // The row cannot save more than the whole cost of its cluster.
                if grown - i128::from(cluster.total()) >= least {
                    continue;
                }
                let left = (cluster.size() - 1) * cluster.cost_of_change(space, Some(member.kind), None);
                let cost = grown - (i128::from(cluster.total()) - i128::from(left));
                if cost < least && cluster.passes_changed(space, Some(member.kind), None) {
                    (least, best) = (cost, Some((member.kind, place)));
                }
            }
        }
        best
    }

    /// Divides the rows of two near clusters anew.
    fn divide_pair(&mut self, a: usize, b: usize) -> Result<()> {
        self.steps += 1;
        let (one, other) = (&self.clusters[a], &self.clusters[b]);
        let before = one.total() + other.total();
        if before == 0 || one.members().len() + other.members().len() > DIVIDED {
            return Ok(());
        }
        let mut both = one.clone();
        other.members().iter().for_each(|member| both.add(self.space, member.kind, member.rows));
        if let Some((left, right)) = cut_in_two(self.space, both.members(), before)? {
            self.clusters[a] = left;
            self.clusters[b] = right;
            self.version[a] += 1;
            self.version[b] += 1;
            while self.change_pair(a, b) {
                self.check()?;
            }
        }
        Ok(())
    }
}

/// The kinds of rows whose removal makes a cluster cheaper, those that save most first.
fn edge(space: &Space<'_>, cluster: &Cluster) -> Vec<u32> {
    let mut edge: Vec<(u64, u32)> = cluster
        .members()
        .iter()
        .map(|member| (cluster.cost_of_change(space, Some(member.kind), None), member.kind))
        .filter(|(cost, _)| *cost < cluster.cost())
        .collect();
    if edge.len() > TRIED {
        edge.sort_unstable();
        edge.truncate(TRIED);
    }
    edge.into_iter().map(|(_, kind)| kind).collect()
}
