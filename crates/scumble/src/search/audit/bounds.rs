//! Bounds on unknowns, propagated from sum to sum, and a guess at a possible world that keeps to them.
//!
//! The guess equals the truth wherever the bounds allow it. So the search only visits what an assumption affects, however large the
//! table is. All arithmetic is in whole numbers, and every change can be undone.

use std::collections::{BTreeMap, VecDeque};

use super::known::Known;

/// A change: an unknown, with its bounds or its guess before the change.
enum Change {
    Bounds(u32, u32, u32),
    Guess(u32, u32),
}

/// An upper bound on a sum of unknowns that the search has found. It holds in every world.
struct Cut {
    unknowns: Vec<u32>,
    most: i64,
}

/// The state of a search. The bounds of sums are numbered first, those of cuts after them.
pub(super) struct Bounds<'k> {
    pub(super) known: &'k Known<'k>,
    /// The least and the most of each unknown.
    pub(super) least: Vec<u32>,
    pub(super) most: Vec<u32>,
    pub(super) guess: Vec<u32>,
    /// The sum that each bound belongs to.
    sum_of_bound: Vec<u32>,
    /// The most rows of any tuple in each sum.
    widest: Vec<i64>,
    /// The least and the greatest possible value of each sum, and its value by the guess.
    low: Vec<i64>,
    high: Vec<i64>,
    now: Vec<i64>,
    cuts: Vec<Cut>,
    cuts_of: BTreeMap<u32, Vec<u32>>,
    changes: Vec<Change>,
    queue: VecDeque<u32>,
    waits: Vec<bool>,
    tuples: VecDeque<u32>,
    tuple_waits: Vec<bool>,
    /// Tuples whose guess must be made anew.
    stale: Vec<u32>,
    /// Bounds that the guess may violate.
    outside: Vec<u32>,
    is_outside: Vec<bool>,
    /// The work done so far.
    pub(super) steps: u64,
}

impl<'k> Bounds<'k> {
    pub(super) fn new(known: &'k Known<'k>) -> Self {
        let most: Vec<u32> = known.tuple.iter().map(|tuple| known.rows[*tuple as usize]).collect();
        let numbers = known.true_sums.len();
        let mut sum_of_bound = Vec::with_capacity(numbers);
        for (number, sum) in (0..).zip(&known.sums) {
            sum_of_bound.resize(sum_of_bound.len() + sum.bounds.len(), number);
        }
        let widest = known.sums.iter().map(|sum| {
            let tuples = sum.tuples.iter().chain(&sum.minus);
            tuples.map(|tuple| i64::from(known.rows[*tuple as usize])).max().unwrap_or(0)
        });
        let mut found = Self {
            least: vec![0; most.len()],
            guess: known.truth.clone(),
            sum_of_bound,
            widest: widest.collect(),
            low: vec![0; numbers],
            high: vec![0; numbers],
            now: known.true_sums.clone(),
            cuts: Vec::new(),
            cuts_of: BTreeMap::new(),
            changes: Vec::new(),
            queue: (0..numbers as u32).collect(),
            waits: vec![true; numbers],
            tuples: (0..known.rows.len() as u32).collect(),
            tuple_waits: vec![true; known.rows.len()],
            stale: Vec::new(),
            outside: Vec::new(),
            is_outside: vec![false; numbers],
            steps: 0,
            most,
            known,
        };
        for unknown in 0..found.most.len() as u32 {
            found.shift(unknown, 0, i64::from(found.most[unknown as usize]), false);
        }
        found
    }

    /// The least and the greatest value that a bound allows.
    fn allowed(&self, bound: u32) -> (i64, i64) {
        match self.sum_of_bound.get(bound as usize) {
            Some(sum) => {
                let place = bound - self.known.first_bound[*sum as usize];
                let (_, least, most) = self.known.sums[*sum as usize].bounds[place as usize];
                (least, most)
            }
            None => (i64::MIN, self.cuts[bound as usize - self.sum_of_bound.len()].most),
        }
    }

    /// Returns how far the guess would violate a bound if its sum changed by `by`. The result is negative if the sum is too small.
    fn excess(&self, bound: u32, by: i64) -> i64 {
        let ((least, most), now) = (self.allowed(bound), self.now[bound as usize] + by);
        if now > most {
            now - most
        } else if now < least {
            now - least
        } else {
            0
        }
    }

    /// Calls a function with each bound that contains an unknown, and with whether the unknown is added or subtracted there.
    fn each_bound(&self, unknown: u32, mut call: impl FnMut(u32, bool)) {
        let (tuple, value) = (self.known.tuple[unknown as usize], self.known.value[unknown as usize]);
        for of in self.known.of_tuple.of(tuple) {
            let sum = (of / 2) as usize;
            if let Some(place) = self.known.sums[sum].place(value) {
                call(self.known.first_bound[sum] + place as u32, of % 2 == 0);
            }
        }
        if !self.cuts.is_empty() {
            let first = self.sum_of_bound.len() as u32;
            let cuts = self.cuts_of.get(&unknown).map(|cuts| &cuts[..]).unwrap_or_default();
            cuts.iter().for_each(|cut| call(first + cut, true));
        }
    }

    /// Updates the sums after the least and the most of an unknown have grown by these amounts. With `look`, queues the bounds that may
    /// now narrow other unknowns, and returns whether every sum can still be within its bounds.
    fn shift(&mut self, unknown: u32, least: i64, most: i64, look: bool) -> bool {
        let (tuple, value) = (self.known.tuple[unknown as usize], self.known.value[unknown as usize]);
        let mut possible = true;
        let sums = self.known.of_tuple.of(tuple);
        self.steps += sums.len() as u64;
        for of in sums {
            let sum = (of / 2) as usize;
            let Some(place) = self.known.sums[sum].place(value) else { continue };
            let bound = self.known.first_bound[sum] as usize + place;
            let (_, from, to) = self.known.sums[sum].bounds[place];
            let (low, high) = if of % 2 == 0 { (least, most) } else { (-most, -least) };
            self.low[bound] += low;
            self.high[bound] += high;
            if look {
                possible &= self.low[bound] <= to && self.high[bound] >= from;
                if to - self.low[bound] < self.widest[sum] || self.high[bound] - from < self.widest[sum] {
                    self.wait_for(bound as u32);
                }
            }
        }
        if !self.cuts.is_empty()
            && let Some(cuts) = self.cuts_of.get(&unknown)
        {
            self.steps += cuts.len() as u64;
            for cut in cuts.clone() {
                let bound = self.sum_of_bound.len() + cut as usize;
                self.low[bound] += least;
                self.high[bound] += most;
                if look {
                    possible &= self.low[bound] <= self.cuts[cut as usize].most;
                    self.wait_for(bound as u32);
                }
            }
        }
        possible
    }

    fn wait_for(&mut self, bound: u32) {
        if !std::mem::replace(&mut self.waits[bound as usize], true) {
            self.queue.push_back(bound);
        }
    }

    /// Narrows the bounds of an unknown. Returns false if none of its values remains possible.
    pub(super) fn narrow(&mut self, unknown: u32, least: u32, most: u32) -> bool {
        let (old_least, old_most) = (self.least[unknown as usize], self.most[unknown as usize]);
        let (least, most) = (least.max(old_least), most.min(old_most));
        if least > most {
            return false;
        }
        if (least, most) == (old_least, old_most) {
            return true;
        }
        self.changes.push(Change::Bounds(unknown, old_least, old_most));
        (self.least[unknown as usize], self.most[unknown as usize]) = (least, most);
        let tuple = self.known.tuple[unknown as usize];
        self.stale.push(tuple);
        if !std::mem::replace(&mut self.tuple_waits[tuple as usize], true) {
            self.tuples.push_back(tuple);
        }
        self.shift(
            unknown,
            i64::from(least) - i64::from(old_least),
            i64::from(most) - i64::from(old_most),
            true,
        )
    }

    /// Propagates bounds until nothing changes, and makes the guess anew. Returns false if the bounds contradict each other; then
    /// everything must be undone.
    pub(super) fn propagate(&mut self) -> bool {
        let possible = self.pass_on();
        let mut stale = std::mem::take(&mut self.stale);
        self.forget();
        if possible {
            stale.sort_unstable();
            stale.dedup();
            stale.iter().for_each(|tuple| self.guess_again(*tuple));
        }
        possible
    }

    fn pass_on(&mut self) -> bool {
        loop {
            if let Some(tuple) = self.tuples.pop_front() {
                self.tuple_waits[tuple as usize] = false;
                if !self.settle(tuple) {
                    return false;
                }
            } else if let Some(bound) = self.queue.pop_front() {
                self.waits[bound as usize] = false;
                if !self.tighten(bound) {
                    return false;
                }
            } else {
                return true;
            }
        }
    }

    /// Narrows the unknowns of a tuple: they add up to its rows, so each is bounded by what the others leave.
    fn settle(&mut self, tuple: u32) -> bool {
        let range = self.known.unknowns(tuple);
        let rows = self.known.rows[tuple as usize];
        let add = |of: &[u32]| -> u64 { of.iter().map(|rows| u64::from(*rows)).sum() };
        let places = range.start as usize..range.end as usize;
        let (mut least, mut most) = (add(&self.least[places.clone()]), add(&self.most[places]));
        let all = u64::from(rows);
        if least > all || most < all {
            return false;
        }
        for unknown in range {
            let (own_least, own_most) =
                (u64::from(self.least[unknown as usize]), u64::from(self.most[unknown as usize]));
            let to = own_most.min(all - (least - own_least));
            let from = own_least.max(all.saturating_sub(most - own_most));
            if !self.narrow(unknown, from as u32, to as u32) {
                return false;
            }
            (least, most) = (least + from - own_least, most + to - own_most);
        }
        true
    }

    /// Narrows the unknowns of a sum by its bounds.
    fn tighten(&mut self, bound: u32) -> bool {
        let known = self.known;
        let (from, to) = self.allowed(bound);
        let at = bound as usize;
        if self.low[at] > to || self.high[at] < from {
            return false;
        }
        let Some(sum) = self.sum_of_bound.get(at).map(|sum| *sum as usize) else {
            let cut = at - self.sum_of_bound.len();
            let unknowns = std::mem::take(&mut self.cuts[cut].unknowns);
            self.steps += unknowns.len() as u64;
            let possible = unknowns.iter().all(|unknown| {
                let free = to - self.low[at];
                let most = i64::from(self.least[*unknown as usize]) + free;
                free >= 0 && self.narrow(*unknown, 0, most.min(i64::from(u32::MAX)) as u32)
            });
            self.cuts[cut].unknowns = unknowns;
            return possible;
        };
        if to - self.low[at] >= self.widest[sum] && self.high[at] - from >= self.widest[sum] {
            return true;
        }
        let value = known.sums[sum].bounds[at - known.first_bound[sum] as usize].0;
        for (plus, tuples) in [(true, &known.sums[sum].tuples[..]), (false, &known.sums[sum].minus[..])] {
            self.steps += tuples.len() as u64;
            for tuple in tuples {
                let Some(unknown) = known.unknown(*tuple, value) else { continue };
                let (least, most) =
                    (i64::from(self.least[unknown as usize]), i64::from(self.most[unknown as usize]));
                if least == most {
                    continue;
                }
                // How much the sum may still rise above its low end, and fall below its high end.
                let (rise, fall) = (to - self.low[at], self.high[at] - from);
                if rise < 0 || fall < 0 {
                    return false;
                }
                let (up, down) = if plus { (rise, fall) } else { (fall, rise) };
                let (least, most) = (least.max(most - down), most.min(least + up));
                if !self.narrow(unknown, least as u32, most as u32) {
                    return false;
                }
            }
        }
        true
    }

    /// Makes the guess for a tuple: the truth, or whatever is nearest to it within the bounds.
    fn guess_again(&mut self, tuple: u32) {
        let range = self.known.unknowns(tuple);
        let within = |unknown: u32| {
            let at = unknown as usize;
            self.known.truth[at].clamp(self.least[at], self.most[at])
        };
        let mut wanted: Vec<u32> = range.clone().map(within).collect();
        let all = i64::from(self.known.rows[tuple as usize]);
        let mut missing = all - wanted.iter().map(|rows| i64::from(*rows)).sum::<i64>();
        for (unknown, rows) in range.clone().zip(&mut wanted) {
            let (least, most) = (self.least[unknown as usize], self.most[unknown as usize]);
            let more = missing.clamp(i64::from(least) - i64::from(*rows), i64::from(most) - i64::from(*rows));
            *rows = (i64::from(*rows) + more) as u32;
            missing -= more;
        }
        for (unknown, rows) in range.zip(wanted) {
            let old = self.guess[unknown as usize];
            if old != rows {
                self.changes.push(Change::Guess(unknown, old));
                self.set_guess(unknown, rows);
            }
        }
    }

    fn set_guess(&mut self, unknown: u32, rows: u32) {
        let by = i64::from(rows) - i64::from(self.guess[unknown as usize]);
        self.guess[unknown as usize] = rows;
        let mut changed = Vec::new();
        self.each_bound(unknown, |bound, plus| changed.push((bound, plus)));
        self.steps += changed.len() as u64;
        for (bound, plus) in changed {
            self.now[bound as usize] += if plus { by } else { -by };
            if !self.is_outside[bound as usize] && self.excess(bound, 0) != 0 {
                self.is_outside[bound as usize] = true;
                self.outside.push(bound);
            }
        }
    }

    /// Returns one of the shortest bounds that the guess violates, and whether its sum is too great.
    pub(super) fn violated(&mut self) -> Option<(u32, bool)> {
        let mut outside = std::mem::take(&mut self.outside);
        outside.retain(|bound| {
            self.is_outside[*bound as usize] = self.excess(*bound, 0) != 0;
            self.is_outside[*bound as usize]
        });
        self.steps += outside.len() as u64;
        let length = |bound: &u32| match self.sum_of_bound.get(*bound as usize) {
            Some(sum) => {
                let sum = &self.known.sums[*sum as usize];
                sum.tuples.len() + sum.minus.len()
            }
            None => self.cuts[*bound as usize - self.sum_of_bound.len()].unknowns.len(),
        };
        let found = outside.iter().min_by_key(|bound| (length(bound), **bound)).copied();
        self.outside = outside;
        found.map(|bound| (bound, self.excess(bound, 0) > 0))
    }

    /// Returns an unknown whose guess can change so that a violated sum comes nearer to its bounds, and whether it must rise. Tries the
    /// first few unknowns, beginning near the tuple `near`, and takes the one that violates other bounds least.
    pub(super) fn repair(&mut self, bound: u32, falls: bool, near: u32) -> Option<(u32, bool)> {
        const LOOKS: usize = 48;
        let known = self.known;
        let mut found: Vec<(u32, bool)> = Vec::new();
        let can = |unknown: u32, rises: bool| {
            let at = unknown as usize;
            if rises { self.guess[at] < self.most[at] } else { self.guess[at] > self.least[at] }
        };
        let mut steps = 0;
        match self.sum_of_bound.get(bound as usize).map(|sum| *sum as usize) {
            Some(number) => {
                let sum = &known.sums[number];
                let value = sum.bounds[(bound - known.first_bound[number]) as usize].0;
                for (plus, tuples) in [(true, &sum.tuples[..]), (false, &sum.minus[..])] {
                    let rises = plus != falls;
                    // Tuples with near numbers come first: they have much in common.
                    let (before, after) = tuples.split_at(tuples.partition_point(|tuple| *tuple < near));
                    let (mut before, mut after) = (before.iter().rev(), after.iter());
                    let wanted = found.len() + LOOKS;
                    loop {
                        let pair = [after.next(), before.next()];
                        if pair == [None, None] || found.len() >= wanted {
                            break;
                        }
                        let unknowns =
                            pair.iter().flatten().filter_map(|tuple| known.unknown(**tuple, value));
                        found.extend(unknowns.filter(|of| can(*of, rises)).map(|of| (of, rises)));
                        steps += 2;
                    }
                }
            }
            None => {
                let unknowns = &self.cuts[bound as usize - self.sum_of_bound.len()].unknowns;
                steps += unknowns.len() as u64;
                let fitting = unknowns.iter().copied().filter(|unknown| can(*unknown, !falls));
                found.extend(fitting.map(|unknown| (unknown, !falls)).take(LOOKS));
            }
        }
        self.steps += steps;
        // The best possible change ends all violations.
        let perfect = -self.outside.iter().map(|bound| self.excess(*bound, 0).abs()).sum::<i64>();
        let mut best: Option<(i64, (u32, bool))> = None;
        for (unknown, rises) in found {
            let cost = self.cost(unknown, rises);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, (unknown, rises)));
            }
            if cost == perfect {
                break;
            }
        }
        best.map(|(_, found)| found)
    }

    /// Returns by how much the violation of all bounds grows if an unknown changes by one and the best other unknown of its tuple makes
    /// up for it.
    fn cost(&mut self, unknown: u32, rises: bool) -> i64 {
        let tuple = self.known.tuple[unknown as usize];
        let change = |unknown: u32, by: i64| -> i64 {
            let mut sum = 0;
            self.each_bound(unknown, |bound, plus| {
                let by = if plus { by } else { -by };
                sum += self.excess(bound, by).abs() - self.excess(bound, 0).abs();
            });
            sum
        };
        let by = if rises { 1 } else { -1 };
        let others = self.known.unknowns(tuple).filter(|other| *other != unknown);
        let can = |other: &u32| {
            let at = *other as usize;
            if rises { self.guess[at] > self.least[at] } else { self.guess[at] < self.most[at] }
        };
        let other = others.filter(can).map(|other| change(other, -by)).min();
        let cost = change(unknown, by) + other.unwrap_or(i64::from(u32::MAX));
        let cuts = self.cuts_of.get(&unknown).map_or(0, Vec::len);
        self.steps += (self.known.of_tuple.of(tuple).len() + cuts) as u64 * 2;
        cost
    }

    /// Adds a bound that holds in every world.
    pub(super) fn add_cut(&mut self, unknowns: Vec<u32>, most: i64) {
        let number = self.cuts.len() as u32;
        let add = |of: &[u32]| -> i64 { unknowns.iter().map(|at| i64::from(of[*at as usize])).sum() };
        self.low.push(add(&self.least));
        self.high.push(add(&self.most));
        self.now.push(add(&self.guess));
        self.waits.push(true);
        self.is_outside.push(true);
        let bound = self.low.len() as u32 - 1;
        self.queue.push_back(bound);
        self.outside.push(bound);
        self.steps += unknowns.len() as u64;
        unknowns.iter().for_each(|unknown| self.cuts_of.entry(*unknown).or_default().push(number));
        self.cuts.push(Cut { unknowns, most });
    }

    /// Queues every cut to be checked again.
    pub(super) fn look_at_cuts(&mut self) {
        (self.sum_of_bound.len()..self.low.len()).for_each(|bound| self.wait_for(bound as u32));
    }

    /// The number of unknowns in all cuts together.
    pub(super) fn cut_size(&self) -> usize {
        self.cuts.iter().map(|cut| cut.unknowns.len()).sum()
    }

    /// Empties the queues: what is in them came from changes that are undone next.
    pub(super) fn forget(&mut self) {
        self.queue.drain(..).for_each(|bound| self.waits[bound as usize] = false);
        self.tuples.drain(..).for_each(|tuple| self.tuple_waits[tuple as usize] = false);
        self.stale.clear();
    }

    /// A point to which changes can be undone.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Undoes everything after a mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.changes.len() > mark {
            match self.changes.pop() {
                Some(Change::Bounds(unknown, least, most)) => {
                    let at = unknown as usize;
                    let (from, to) = (i64::from(self.least[at]), i64::from(self.most[at]));
                    (self.least[at], self.most[at]) = (least, most);
                    self.shift(unknown, i64::from(least) - from, i64::from(most) - to, false);
                }
                Some(Change::Guess(unknown, rows)) => self.set_guess(unknown, rows),
                None => {}
            }
        }
    }

    /// Makes all changes so far permanent.
    pub(super) fn keep(&mut self) {
        self.changes.clear();
    }

    /// The unknowns whose guess differs from the truth, and by how much.
    pub(super) fn differences(&self) -> Vec<(u32, i64)> {
        let touched = self.changes.iter().filter_map(|change| match change {
            Change::Guess(unknown, _) => Some(*unknown),
            Change::Bounds(..) => None,
        });
        let mut touched: Vec<u32> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        let by = |unknown: &u32| {
            i64::from(self.guess[*unknown as usize]) - i64::from(self.known.truth[*unknown as usize])
        };
        touched.iter().map(|unknown| (*unknown, by(unknown))).filter(|(_, by)| *by != 0).collect()
    }
}

#[cfg(test)]
#[path = "bounds_tests.rs"]
mod tests;
