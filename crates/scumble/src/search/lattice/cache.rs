//! Keeps frequency sets for reuse: a check rolls up from the smallest finer set instead of from all tuples.

use std::sync::Arc;

use super::set::FrequencySet;

/// Sets of nodes, limited in number and memory. The set that was used least recently is dropped first.
pub(super) struct Cache {
    base: Arc<FrequencySet>,
    kept: Vec<Kept>,
    bytes: usize,
    most_bytes: usize,
    clock: u64,
}

struct Kept {
    set: Arc<FrequencySet>,
    used: u64,
}

/// The most sets kept. Searching through more costs more than it saves.
const MOST: usize = 400;

impl Cache {
    pub(super) fn new(base: FrequencySet) -> Self {
        let most_bytes = (6 * base.bytes()).max(1 << 24);
        Self { base: Arc::new(base), kept: Vec::new(), bytes: 0, most_bytes, clock: 0 }
    }

    /// Returns the smallest set of a node at most as coarse as these levels.
    pub(super) fn nearest(&mut self, levels: &[u32]) -> Arc<FrequencySet> {
        self.clock += 1;
        let finer =
            |kept: &&mut Kept| kept.set.levels.iter().zip(levels).all(|(fine, coarse)| fine <= coarse);
        match self.kept.iter_mut().filter(finer).min_by_key(|kept| kept.set.len()) {
            Some(kept) => {
                kept.used = self.clock;
                Arc::clone(&kept.set)
            }
            None => Arc::clone(&self.base),
        }
    }

    /// Keeps the set of a node if it is small enough to help others.
    pub(super) fn keep(&mut self, set: Arc<FrequencySet>) {
        let known = self.kept.iter().any(|kept| kept.set.levels == set.levels);
        if known || 4 * set.len() > 3 * self.base.len() || set.bytes() > self.most_bytes {
            return;
        }
        self.bytes += set.bytes();
        self.clock += 1;
        self.kept.push(Kept { set, used: self.clock });
        while self.bytes > self.most_bytes || self.kept.len() > MOST {
            let oldest = (0..self.kept.len()).min_by_key(|at| self.kept[*at].used);
            let Some(oldest) = oldest else { return };
            self.bytes -= self.kept.swap_remove(oldest).set.bytes();
        }
    }
}
