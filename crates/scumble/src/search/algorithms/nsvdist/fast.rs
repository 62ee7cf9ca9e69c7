//! Finds the same masks without examining every row for every place of every mask (algorithms.md A4).
//!
//! The cost of a cover together with a tuple never falls while the cover grows. Every tuple keeps a bound on that cost. When
//! the cover grows, the bound is updated only for the columns in which the cover grows. Exact costs are computed only where
//! the bound does not exceed the best cost found. All rows that lead to the best cover are taken at once, so the work does
//! not grow with the size of the masks, but with the number of covers on the way, and there are few of them.

use super::arena::{Arena, Bundle};
use super::feasible::{Demand, share};
use super::masks::Rules;
use super::ruler::{Reach, Ruler, Sight};
use crate::recoding::published::Record;

/// Searches masks around one tuple after the other, and keeps what neighbouring tuples share.
pub(super) struct Searcher<'a> {
    rules: &'a Rules<'a>,
    arena: &'a Arena,
    demand: Demand,
    /// The number of low bits dropped from costs so that bounds fit into 32 bits.
    shift: u32,
    sights: Vec<Sight>,
    /// Per column and rank, a bound on the cost of covering the rank together with the current tuple.
    column_bounds: Vec<Vec<u32>>,
    /// The same per combination of a bundle, and per tuple.
    bundle_bounds: Vec<Vec<u32>>,
    bounds: Vec<u32>,
    /// Tuples with a bound above this are not candidates yet.
    horizon: u32,
    candidates: Candidates,
    looked: bool,
}

/// The tuples that may be chosen next.
#[derive(Default)]
struct Candidates {
    places: Vec<u32>,
    /// Bounds on the cost of covering them together with the mask.
    bounds: Vec<u32>,
    /// For each bundle, the combinations of these tuples.
    combinations: Vec<Vec<u32>>,
}

/// The cheapest cover seen in a step.
struct Best {
    cost: u64,
    reach: Vec<Reach>,
    /// The candidates that lead to it.
    members: Vec<usize>,
}

/// A mask under construction.
struct Growing {
    reach: Vec<Reach>,
    /// The rows per sensitive value, and the most that are allowed.
    counts: Vec<u64>,
    most: u64,
    need: u64,
    /// By place and value: rows of candidates inside the cover that are already in the mask.
    used: Vec<(u32, u32)>,
    /// The rows in the mask, by place.
    taken: Vec<(u32, u32)>,
    /// For each column with a tree, the cost of each step under the cover.
    step_costs: Vec<Vec<u64>>,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(rules: &'a Rules<'a>, arena: &'a Arena, demand: Demand) -> Self {
        let greatest: u64 = rules.rulers.iter().map(Ruler::greatest).sum();
        let width = rules.rulers.len();
        Self {
            rules,
            arena,
            demand,
            shift: (u64::BITS - greatest.leading_zeros()).saturating_sub(u32::BITS - 1),
            sights: (0..width).map(|_| Sight::default()).collect(),
            column_bounds: vec![Vec::new(); width],
            bundle_bounds: vec![Vec::new(); arena.bundles.len()],
            bounds: vec![0; arena.len()],
            horizon: 0,
            candidates: Candidates {
                combinations: vec![Vec::new(); arena.bundles.len()],
                ..Candidates::default()
            },
            looked: false,
        }
    }

    /// The masks around a tuple: one for each of its sensitive values.
    pub(super) fn search(&mut self, place: usize) -> Vec<Record> {
        self.look(place);
        let values: Vec<(u32, u32)> = self.arena.cells(place).to_vec();
        values.iter().map(|(value, rows)| self.mask(place, *value, *rows)).collect()
    }

    /// Computes the bounds of all tuples as seen from one of them.
    fn look(&mut self, place: usize) {
        let ranks = self.arena.ranks(place);
        let mut changed = vec![false; ranks.len()];
        for (column, ruler) in self.rules.rulers.iter().enumerate() {
            if self.looked && self.sights[column].rank == ranks[column] {
                continue;
            }
            changed[column] = true;
            ruler.look(ranks[column], &mut self.sights[column]);
            self.column_bounds[column] = self.by_rank(column, |reach| self.bound(column, reach));
        }
        self.looked = true;
        for (bundle, bounds) in self.arena.bundles.iter().zip(&mut self.bundle_bounds) {
            if bundle.columns.iter().any(|column| changed[*column]) {
                let columns = bundle.columns.iter().map(|column| (*column, &self.column_bounds[*column][..]));
                *bounds = of_combinations(bundle, columns);
            }
        }
        self.bounds.fill(0);
        let mut bundles = self.arena.bundles.iter().zip(&self.bundle_bounds);
        // Handle two bundles at a time, so that the sums are read and written half as often.
        while let Some((first, of_first)) = bundles.next() {
            match bundles.next() {
                Some((second, of_second)) => {
                    let pairs = first.of_tuple.iter().zip(&second.of_tuple);
                    for (bound, (one, two)) in self.bounds.iter_mut().zip(pairs) {
                        *bound += of_first[*one as usize] + of_second[*two as usize];
                    }
                }
                None => {
                    for (bound, one) in self.bounds.iter_mut().zip(&first.of_tuple) {
                        *bound += of_first[*one as usize];
                    }
                }
            }
        }
    }

    /// A bound on the cost of covers that reach at least this far in a column.
    fn bound(&self, column: usize, reach: Reach) -> u32 {
        (self.rules.rulers[column].floor(&self.sights[column], reach) >> self.shift) as u32
    }

    /// Computes a figure for each rank of a column, from how far a cover with that rank reaches.
    fn by_rank(&self, column: usize, figure: impl Fn(Reach) -> u32) -> Vec<u32> {
        let (ruler, sight) = (&self.rules.rulers[column], &self.sights[column]);
        match ruler.steps(sight) {
            Some((steps, count)) => {
                let of_step: Vec<u32> = (0..count as u32).map(|step| figure((step, 0))).collect();
                steps.iter().map(|step| of_step[*step as usize]).collect()
            }
            None => (0..ruler.len() as u32).map(|rank| figure(ruler.reach(sight, rank))).collect(),
        }
    }

    fn mask(&mut self, place: usize, value: u32, rows: u32) -> Record {
        let nowhere = vec![(0, 0); self.rules.rulers.len()];
        let mut growing = self.begin(&nowhere, self.demand.most, self.demand.size - 1);
        growing.counts[value as usize] = 1;
        growing.used.push((place as u32, value));
        growing.taken.push((place as u32, 1));
        self.drop_dead(&growing);
        let mut spent = self.grow(&mut growing);
        let mut reach = growing.reach;
        if self.demand.cover > self.demand.size {
            // The mask stays unchanged, and the cover grows on until it contains enough rows of any value.
            let mut wider = self.begin(&reach, u64::MAX, self.demand.cover);
            spent = self.grow(&mut wider);
            reach = wider.reach;
        }
        // The next tuple is a neighbour, and its mask will cost about the same.
        let spent = (spent >> self.shift) as u32;
        self.horizon = spent.saturating_add(spent / 16).max(1);
        let cover = self.rules.rulers.iter().zip(&self.sights).zip(&reach);
        let (members, others) = self.arena.whole_tuples(growing.taken);
        Record {
            tuple: self.arena.tuples[place],
            value,
            rows,
            shown: cover.map(|((ruler, sight), reach)| ruler.value(sight, *reach)).collect(),
            counts: growing.counts,
            members,
            others,
        }
    }

    /// An empty mask under a cover, with all near tuples as candidates.
    fn begin(&mut self, reach: &[Reach], most: u64, need: u64) -> Growing {
        self.candidates.clear();
        let mut growing = Growing {
            reach: vec![(0, 0); reach.len()],
            counts: vec![0; self.arena.values],
            most,
            need,
            used: Vec::new(),
            taken: Vec::new(),
            step_costs: vec![Vec::new(); reach.len()],
        };
        self.enlist(&growing, None);
        (0..reach.len()).for_each(|column| self.price(&mut growing, column));
        self.widen(&mut growing, reach);
        growing
    }

    /// Adds rows until there are enough, and returns the cost of the last cover.
    fn grow(&mut self, growing: &mut Growing) -> u64 {
        let mut spent = 0;
        while growing.need > 0 {
            let Some(best) = self.best(growing) else { break };
            spent = best.cost;
            self.take(growing, best);
        }
        spent
    }

    /// Makes candidates of the tuples whose bound is above `from` and at most the horizon.
    fn enlist(&mut self, growing: &Growing, from: Option<u32>) {
        for (place, bound) in (0..).zip(&self.bounds) {
            if *bound > self.horizon
                || from.is_some_and(|from| *bound <= from)
                || !self.is_live(growing, place)
            {
                continue;
            }
            // A mask that has already grown costs more than the bound that was computed for its first row.
            let bound = if from.is_none() {
                *bound
            } else {
                let ranks = self.arena.ranks(place as usize).iter().enumerate();
                let reach = |(column, rank): (usize, &u32)| {
                    let far = self.rules.rulers[column].reach(&self.sights[column], *rank);
                    self.bound(column, joint(growing.reach[column], far))
                };
                ranks.map(reach).sum()
            };
            self.candidates.places.push(place);
            self.candidates.bounds.push(bound);
            for (bundle, combinations) in self.arena.bundles.iter().zip(&mut self.candidates.combinations) {
                combinations.push(bundle.of_tuple[place as usize]);
            }
        }
    }

    /// Widens the cover, and updates the bounds of the candidates.
    fn widen(&mut self, growing: &mut Growing, reach: &[Reach]) {
        for number in 0..self.arena.bundles.len() {
            let bundle = &self.arena.bundles[number];
            let changed =
                bundle.columns.iter().copied().filter(|column| reach[*column] != growing.reach[*column]);
            let more: Vec<(usize, Vec<u32>)> = changed
                .map(|column| {
                    let (old, new) = (growing.reach[column], reach[column]);
                    let more = self.by_rank(column, |far| {
                        self.bound(column, joint(new, far)).wrapping_sub(self.bound(column, joint(old, far)))
                    });
                    (column, more)
                })
                .collect();
            if more.is_empty() {
                continue;
            }
            let more = of_combinations(bundle, more.iter().map(|(column, more)| (*column, &more[..])));
            let combinations = &self.candidates.combinations[number];
            for (bound, combination) in self.candidates.bounds.iter_mut().zip(combinations) {
                *bound = bound.wrapping_add(more[*combination as usize]);
            }
        }
        for (column, new) in reach.iter().enumerate() {
            if *new != growing.reach[column] {
                growing.reach[column] = *new;
                self.price(growing, column);
            }
        }
    }

    /// Computes the cost of each step of a column under the cover.
    fn price(&self, growing: &mut Growing, column: usize) {
        let (ruler, sight) = (&self.rules.rulers[column], &self.sights[column]);
        if let Some((_, count)) = ruler.steps(sight) {
            let from = growing.reach[column].0;
            growing.step_costs[column] =
                (0..count as u32).map(|step| ruler.cost(sight, (step.max(from), 0))).collect();
        }
    }

    /// Returns the cheapest cover with one more row, and all candidates for which it is enough. Ties go to the cover that
    /// leaves early columns finer.
    fn best(&mut self, growing: &Growing) -> Option<Best> {
        let mut best: Option<Best> = None;
        let mut seen = 0;
        loop {
            // The candidate that is likely to be cheapest comes first, so that most others need not be considered.
            if best.is_none()
                && let Some(at) =
                    (seen..self.candidates.bounds.len()).min_by_key(|at| self.candidates.bounds[*at])
            {
                self.candidates.swap(at, seen);
                self.consider(growing, seen, &mut best);
                seen += 1;
            }
            while let Some(best_cost) = best.as_ref().map(|best| (best.cost >> self.shift) as u32) {
                let Some(ahead) = first_within(&self.candidates.bounds[seen..], best_cost) else { break };
                self.consider(growing, seen + ahead, &mut best);
                seen += ahead + 1;
            }
            seen = self.candidates.bounds.len();
            // Tuples beyond the horizon may be as cheap as the best one found.
            let sure = best.as_ref().is_some_and(|best| best.cost >> self.shift <= u64::from(self.horizon));
            if sure || self.horizon == u32::MAX {
                return best;
            }
            let old = self.horizon;
            let wanted = best.as_ref().map_or(0, |best| (best.cost >> self.shift) as u32);
            self.horizon = wanted.max(old.saturating_mul(2)).max(1);
            self.enlist(growing, Some(old));
        }
    }

    /// Whether a tuple has a row whose value is still allowed in the mask.
    fn is_live(&self, growing: &Growing, place: u32) -> bool {
        let most = growing.most;
        self.arena.cells(place as usize).iter().any(|(value, _)| growing.counts[*value as usize] < most)
    }

    /// Removes the candidates without any row that may still be taken.
    fn drop_dead(&mut self, growing: &Growing) {
        if growing.counts.iter().all(|count| *count < growing.most) {
            return;
        }
        for at in (0..self.candidates.places.len()).rev() {
            if !self.is_live(growing, self.candidates.places[at]) {
                self.candidates.remove(at);
            }
        }
    }

    /// Computes the cost of a candidate.
    fn consider(&self, growing: &Growing, at: usize, best: &mut Option<Best>) {
        let ranks = self.arena.ranks(self.candidates.places[at] as usize);
        let columns = self.rules.rulers.iter().zip(&self.sights).zip(ranks).enumerate();
        let cost = columns
            .map(|(column, ((ruler, sight), rank))| match ruler.steps(sight) {
                Some((steps, _)) => growing.step_costs[column][steps[*rank as usize] as usize],
                None => ruler.cost(sight, joint(growing.reach[column], ruler.reach(sight, *rank))),
            })
            .sum();
        if best.as_ref().is_some_and(|best| best.cost < cost) {
            return;
        }
        let reach = self.rules.join(&self.sights, &growing.reach, ranks);
        match best {
            Some(best) if best.cost == cost && best.reach < reach => {}
            Some(best) if best.cost == cost && best.reach == reach => best.members.push(at),
            _ => *best = Some(Best { cost, reach, members: vec![at] }),
        }
    }

    /// Takes the rows that lead to the best cover into the mask.
    fn take(&mut self, growing: &mut Growing, best: Best) {
        let mut places: Vec<u32> = best.members.iter().map(|at| self.candidates.places[*at]).collect();
        places.sort_unstable();
        // The rows that may be taken, by place and value.
        let mut rows: Vec<(u32, u32, u32)> = Vec::new();
        for place in places {
            rows.extend(self.arena.cells(place as usize).iter().map(|(value, rows)| (place, *value, *rows)));
        }
        let grows = best.reach != growing.reach;
        if grows {
            self.widen(growing, &best.reach);
        } else {
            for (place, value) in growing.used.drain(..) {
                rows.iter_mut().filter(|of| (of.0, of.1) == (place, value)).for_each(|of| of.2 -= 1);
            }
        }
        let mut pool = vec![0_u64; self.arena.values];
        rows.iter().for_each(|(_, value, rows)| pool[*value as usize] += u64::from(*rows));
        let room: Vec<u64> = growing.counts.iter().map(|count| growing.most - count).collect();
        let one_by_one = grows && !self.rules.cost.is_monotone();
        let mut taken: Vec<u64> = pool.iter().zip(&room).map(|(rows, room)| *rows.min(room)).collect();
        if one_by_one {
            // A larger cover may be cheaper than this one, so only one row is certain to come next (algorithms.md A4).
            let live = (0..pool.len()).filter(|value| taken[*value] > 0);
            let most = live.max_by_key(|value| (pool[*value], std::cmp::Reverse(*value)));
            taken.fill(0);
            most.into_iter().for_each(|value| taken[value] = 1);
        } else if taken.iter().sum::<u64>() > growing.need {
            taken = share(growing.need, &pool, &room);
        }
        growing.need -= taken.iter().sum::<u64>();
        let filled = taken.iter().zip(&room).any(|(taken, room)| *taken > 0 && taken == room);
        for (count, more) in growing.counts.iter_mut().zip(&taken) {
            *count += more;
        }
        // Which rows of a value are taken makes no difference to the release. Take the first ones.
        for (place, value, rows) in rows {
            let left = &mut taken[value as usize];
            let now = u64::from(rows).min(*left);
            *left -= now;
            if now > 0 {
                growing.taken.push((place, now as u32));
                if one_by_one {
                    growing.used.push((place, value));
                }
            }
        }
        if !one_by_one {
            let mut members = best.members;
            members.sort_unstable();
            members.iter().rev().for_each(|at| self.candidates.remove(*at));
        }
        if filled {
            self.drop_dead(growing);
        }
    }
}

impl Candidates {
    fn clear(&mut self) {
        self.places.clear();
        self.bounds.clear();
        self.combinations.iter_mut().for_each(Vec::clear);
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.places.swap(one, other);
        self.bounds.swap(one, other);
        self.combinations.iter_mut().for_each(|of| of.swap(one, other));
    }

    fn remove(&mut self, at: usize) {
        self.places.swap_remove(at);
        self.bounds.swap_remove(at);
        self.combinations.iter_mut().for_each(|of| {
            of.swap_remove(at);
        });
    }
}

/// For each combination of a bundle, adds up a figure by rank over some of its columns.
fn of_combinations<'f>(bundle: &Bundle, figures: impl Iterator<Item = (usize, &'f [u32])>) -> Vec<u32> {
    let mut sums = vec![0_u32; bundle.ranks[0].len()];
    for (column, figure) in figures {
        let Some(at) = bundle.columns.iter().position(|of| *of == column) else { continue };
        for (sum, rank) in sums.iter_mut().zip(&bundle.ranks[at]) {
            *sum = sum.wrapping_add(figure[*rank as usize]);
        }
    }
    sums
}

/// The first bound that is at most `limit`. Most are greater, so many are compared at a time.
fn first_within(bounds: &[u32], limit: u32) -> Option<usize> {
    let mut from = 0;
    for chunk in bounds.chunks(64) {
        if chunk.iter().fold(u32::MAX, |least, bound| least.min(*bound)) <= limit {
            return chunk.iter().position(|bound| *bound <= limit).map(|at| from + at);
        }
        from += chunk.len();
    }
    None
}

/// The reach of a cover that reaches as far as both.
pub(super) fn joint(one: Reach, other: Reach) -> Reach {
    (one.0.max(other.0), one.1.max(other.1))
}
