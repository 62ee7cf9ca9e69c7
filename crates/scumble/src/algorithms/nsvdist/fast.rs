//! The same masks without looking at every row for every place of every mask (algorithms.md A4).
//!
//! What a cover costs together with a tuple never falls while the cover grows, so what was found about a tuple earlier
//! bounds what it costs now. A tuple is looked at again only where its bound does not exceed the best cost found. All rows
//! that lead to the best cover are taken at once, so the work does not grow with the size of the masks but with the number
//! of covers on the way, of which there are few.

use super::arena::Arena;
use super::feasible::{Demand, share};
use super::masks::Rules;
use super::ruler::{Reach, Ruler, Sight};
use crate::published::Record;

/// Searches masks around one tuple after the other, keeping what neighbouring tuples share.
pub(super) struct Searcher<'a> {
    rules: &'a Rules<'a>,
    arena: &'a Arena,
    demand: Demand,
    /// By how many bits costs are shortened to 32 bits for bounds.
    shift: u32,
    sights: Vec<Sight>,
    /// Per column and rank a bound on the cost of covering it, and whether it changed since its bundle was added up.
    column_bounds: Vec<Vec<u32>>,
    bundle_bounds: Vec<Vec<u32>>,
    /// Per tuple a bound on the cost of covering it together with the tuple searched for.
    bounds: Vec<u32>,
    /// Tuples with a bound above this are not candidates yet.
    horizon: u32,
    candidates: Candidates,
    looked: bool,
}

/// The tuples that may be chosen next, with bounds on their costs.
#[derive(Default)]
struct Candidates {
    places: Vec<u32>,
    bounds: Vec<u32>,
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
    /// Rows per sensitive value, and how many there may be.
    counts: Vec<u64>,
    most: u64,
    need: u64,
    /// Rows of candidates inside the cover that are in the mask already, by place and value.
    used: Vec<(u32, u32)>,
    /// The rows in the mask, by place.
    taken: Vec<(u32, u32)>,
    /// Per column what each step costs under the cover, where it has a tree: costs, and bounds.
    step_costs: Vec<Vec<(u64, u64)>>,
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
            candidates: Candidates::default(),
            looked: false,
        }
    }

    /// The masks around a tuple: one for each of its sensitive values.
    pub(super) fn search(&mut self, place: usize) -> Vec<Record> {
        self.look(place);
        let values: Vec<(u32, u32)> = self.arena.cells(place).to_vec();
        values.iter().map(|(value, rows)| self.mask(place, *value, *rows)).collect()
    }

    /// Looks at all tuples from one of them.
    fn look(&mut self, place: usize) {
        let ranks = self.arena.ranks(place);
        let mut changed = vec![false; ranks.len()];
        for (column, ruler) in self.rules.rulers.iter().enumerate() {
            let sight = &mut self.sights[column];
            if self.looked && sight.rank == ranks[column] {
                continue;
            }
            changed[column] = true;
            ruler.look(ranks[column], sight);
            let bounds = &mut self.column_bounds[column];
            bounds.clear();
            match ruler.steps(sight) {
                Some((steps, count)) => {
                    let of_step: Vec<u32> = (0..count as u32)
                        .map(|step| (ruler.floor(sight, (step, 0)) >> self.shift) as u32)
                        .collect();
                    bounds.extend(steps.iter().map(|step| of_step[*step as usize]));
                }
                None => bounds.extend(
                    (0..ruler.len() as u32)
                        .map(|rank| (ruler.floor(sight, ruler.reach(sight, rank)) >> self.shift) as u32),
                ),
            }
        }
        self.looked = true;
        for (bundle, bounds) in self.arena.bundles.iter().zip(&mut self.bundle_bounds) {
            if !bundle.columns.iter().any(|column| changed[*column]) {
                continue;
            }
            let of_column: Vec<&[u32]> =
                bundle.columns.iter().map(|column| &self.column_bounds[*column][..]).collect();
            let sum =
                |ranks: &[u32]| of_column.iter().zip(ranks).map(|(of, rank)| of[*rank as usize]).sum::<u32>();
            bounds.clear();
            bounds.extend(bundle.combinations.chunks_exact(bundle.columns.len()).map(sum));
        }
        self.bounds.fill(0);
        let mut bundles = self.arena.bundles.iter().zip(&self.bundle_bounds);
        // Two bundles in one go: the sums are read and written half as often.
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

    /// Takes the tuples as candidates whose bound is above `from` and at most the horizon.
    fn enlist(&mut self, from: Option<u32>) {
        for (place, bound) in (0..).zip(&self.bounds) {
            if *bound <= self.horizon && from.is_none_or(|from| *bound > from) {
                self.candidates.places.push(place);
                self.candidates.bounds.push(*bound);
            }
        }
    }

    fn mask(&mut self, place: usize, value: u32, rows: u32) -> Record {
        let nowhere = vec![(0, 0); self.rules.rulers.len()];
        let mut growing = self.begin(nowhere, self.demand.most, self.demand.size - 1);
        growing.counts[value as usize] = 1;
        growing.used.push((place as u32, value));
        growing.taken.push((place as u32, 1));
        let mut spent = self.grow(&mut growing);
        let mut reach = growing.reach;
        if self.demand.cover > self.demand.size {
            // The mask stays as it is, and the cover goes on growing until it holds enough rows of any value.
            let mut wider = self.begin(reach, u64::MAX, self.demand.cover);
            spent = self.grow(&mut wider);
            reach = wider.reach;
        }
        // The next tuple is a neighbour, and its mask will cost about as much.
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
    fn begin(&mut self, reach: Vec<Reach>, most: u64, need: u64) -> Growing {
        self.candidates.places.clear();
        self.candidates.bounds.clear();
        self.enlist(None);
        let step_costs = vec![Vec::new(); reach.len()];
        let counts = vec![0; self.arena.values];
        let mut growing =
            Growing { reach, counts, most, need, used: Vec::new(), taken: Vec::new(), step_costs };
        self.widen(&mut growing, None);
        growing
    }

    /// Adds rows until there are enough, and says what the last cover costs.
    fn grow(&mut self, growing: &mut Growing) -> u64 {
        let mut spent = 0;
        while growing.need > 0 {
            let Some(best) = self.best(growing) else { break };
            spent = best.cost;
            self.take(growing, best);
        }
        spent
    }

    /// Makes the cover reach as far as it must, and works out what steps cost from there.
    fn widen(&self, growing: &mut Growing, reach: Option<&[Reach]>) {
        for (column, ruler) in self.rules.rulers.iter().enumerate() {
            let old = growing.reach[column];
            let new = reach.map_or(old, |reach| reach[column]);
            if reach.is_some() && new == old {
                continue;
            }
            growing.reach[column] = new;
            let sight = &self.sights[column];
            if let Some((_, count)) = ruler.steps(sight) {
                let of_step = (0..count as u32).map(|step| {
                    let reach = (step.max(new.0), 0);
                    (ruler.cost(sight, reach), ruler.floor(sight, reach))
                });
                growing.step_costs[column] = of_step.collect();
            }
        }
    }

    /// The cheapest cover that one more row needs, with all candidates that need just that; ties go to the cover that leaves
    /// early columns finer.
    fn best(&mut self, growing: &Growing) -> Option<Best> {
        let mut best: Option<Best> = None;
        let mut seen = 0;
        loop {
            // A candidate that is likely to be cheap first, so that most others need no look.
            if best.is_none() {
                let first = (seen..self.candidates.places.len()).min_by_key(|at| self.candidates.bounds[*at]);
                if let Some(at) = first {
                    self.candidates.swap(at, seen);
                }
            }
            while seen < self.candidates.places.len() {
                let limit = best.as_ref().map_or(u32::MAX, |best| (best.cost >> self.shift) as u32);
                let ahead = self.candidates.bounds[seen..].iter().position(|bound| *bound <= limit);
                let Some(ahead) = ahead else {
                    seen = self.candidates.places.len();
                    break;
                };
                seen += ahead;
                if !self.is_live(growing, self.candidates.places[seen]) {
                    self.candidates.remove(seen);
                    continue;
                }
                self.consider(growing, seen, &mut best);
                seen += 1;
            }
            // Tuples beyond the horizon may be as cheap as what was found.
            let sure = best.as_ref().is_some_and(|best| best.cost >> self.shift <= u64::from(self.horizon));
            if sure || self.horizon == u32::MAX {
                return best;
            }
            let old = self.horizon;
            let wanted = best.as_ref().map_or(0, |best| (best.cost >> self.shift) as u32);
            self.horizon = wanted.max(old.saturating_mul(2)).max(1);
            self.enlist(Some(old));
        }
    }

    /// Whether a tuple has a row whose value is not in the mask too often already.
    fn is_live(&self, growing: &Growing, place: u32) -> bool {
        let most = growing.most;
        self.arena.cells(place as usize).iter().any(|(value, _)| growing.counts[*value as usize] < most)
    }

    /// Works out what a candidate costs.
    fn consider(&mut self, growing: &Growing, at: usize, best: &mut Option<Best>) {
        let ranks = self.arena.ranks(self.candidates.places[at] as usize);
        let (mut cost, mut floor) = (0, 0);
        let columns = self.rules.rulers.iter().zip(&self.sights).zip(ranks).enumerate();
        for (column, ((ruler, sight), rank)) in columns {
            let (of_column, least) = match ruler.steps(sight) {
                Some((steps, _)) => growing.step_costs[column][steps[*rank as usize] as usize],
                None => {
                    let reach = joint(growing.reach[column], ruler.reach(sight, *rank));
                    (ruler.cost(sight, reach), ruler.floor(sight, reach))
                }
            };
            cost += of_column;
            floor += least;
        }
        let bound = &mut self.candidates.bounds[at];
        *bound = (*bound).max((floor >> self.shift) as u32);
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

    /// Takes what leads to the best cover into the mask.
    fn take(&mut self, growing: &mut Growing, best: Best) {
        let mut places: Vec<u32> = best.members.iter().map(|at| self.candidates.places[*at]).collect();
        places.sort_unstable();
        // The rows that may come in, by place and value.
        let mut rows: Vec<(u32, u32, u32)> = Vec::new();
        for place in places {
            rows.extend(self.arena.cells(place as usize).iter().map(|(value, rows)| (place, *value, *rows)));
        }
        let grows = best.reach != growing.reach;
        if grows {
            self.widen(growing, Some(&best.reach));
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
            // A larger cover may be cheaper than this one, so only one row is sure to come next (algorithms.md A4).
            let live = (0..pool.len()).filter(|value| taken[*value] > 0);
            let most = live.max_by_key(|value| (pool[*value], std::cmp::Reverse(*value)));
            taken.fill(0);
            most.into_iter().for_each(|value| taken[value] = 1);
        } else if taken.iter().sum::<u64>() > growing.need {
            taken = share(growing.need, &pool, &room);
        }
        growing.need -= taken.iter().sum::<u64>();
        for (count, more) in growing.counts.iter_mut().zip(&taken) {
            *count += more;
        }
        // Which rows of a value they are makes no difference to what is published; here they are the first ones.
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
            best.members.iter().rev().for_each(|at| self.candidates.remove(*at));
        }
    }
}

impl Candidates {
    fn swap(&mut self, one: usize, other: usize) {
        self.places.swap(one, other);
        self.bounds.swap(one, other);
    }

    fn remove(&mut self, at: usize) {
        self.places.swap_remove(at);
        self.bounds.swap_remove(at);
    }
}

/// The reach of a cover that reaches as far as both.
pub(super) fn joint(one: Reach, other: Reach) -> Reach {
    (one.0.max(other.0), one.1.max(other.1))
}
