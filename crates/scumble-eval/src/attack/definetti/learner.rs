//! Learns which values go with which known attributes, from classes that only report which values they contain. Two
//! steps take turns: naive Bayes learns from the current beliefs about everybody, and then beliefs are updated class by
//! class.

use rayon::prelude::*;
use scumble_files::Control;

use super::dealing::dealt;

/// An equivalence class: its members by kind, and its values.
pub(super) struct Room {
    /// Kinds with their number of members, ascending.
    pub kinds: Vec<(u32, u64)>,
    /// Values with their amount, ascending.
    pub values: Vec<(u32, u64)>,
}

/// The beliefs about the people of a class: for each of its kinds, the chance of each of its values.
pub(super) type Belief = Vec<Vec<f64>>;

/// The attacker, who learns round by round.
pub(super) struct Learner<'a> {
    rooms: &'a [Room],
    /// The bins of each kind, column by column.
    kinds: &'a [Vec<u32>],
    /// The number of bins of each column.
    bins: Vec<usize>,
    /// The number of values.
    values: usize,
    /// The current beliefs.
    pub beliefs: Vec<Belief>,
    /// The last scaling factors of each class, from which the next round starts.
    factors: Vec<Vec<f64>>,
}

/// The weight of every bin before any person is counted (Laplace).
const BEFORE: f64 = 1.0;

impl<'a> Learner<'a> {
    /// Starts with the shares that the classes report.
    pub(super) fn new(rooms: &'a [Room], kinds: &'a [Vec<u32>], bins: Vec<usize>, values: usize) -> Self {
        let at_first = |room: &Room| {
            let all = room.values.iter().map(|(_, amount)| *amount).sum::<u64>() as f64;
            let shares: Vec<f64> = room.values.iter().map(|(_, amount)| *amount as f64 / all).collect();
            vec![shares; room.kinds.len()]
        };
        let beliefs = rooms.iter().map(at_first).collect();
        let factors = rooms.iter().map(|room| vec![1.0; room.values.len()]).collect();
        Self { rooms, kinds, bins, values, beliefs, factors }
    }

    /// Learns once and returns the largest change of a belief. After a stop the beliefs mean nothing.
    pub(super) fn round(&mut self, control: &Control) -> f64 {
        let fits = self.fits();
        let mut factors = std::mem::take(&mut self.factors);
        let believe = |(room, factors): (&Room, &mut Vec<f64>)| {
            // After a stop, nobody reads the beliefs.
            if control.is_cancelled() {
                return Belief::new();
            }
            let fit = |kind: u32, value: u32| -> f64 {
                let bins = self.kinds[kind as usize].iter().zip(&fits);
                bins.map(|(bin, fits)| fits[*bin as usize * self.values + value as usize]).sum()
            };
            let weights = |(kind, _): &(u32, u64)| {
                let fits: Vec<f64> = room.values.iter().map(|(value, _)| fit(*kind, *value)).collect();
                // Only ratios of the weights matter, so the best is 1. Even much worse weights must not become 0.
                let best = fits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                fits.iter().map(|fit| (fit - best).exp().max(1e-200)).collect()
            };
            let people: Vec<u64> = room.kinds.iter().map(|(_, people)| *people).collect();
            let amounts: Vec<u64> = room.values.iter().map(|(_, amount)| *amount).collect();
            dealt(&room.kinds.iter().map(weights).collect::<Vec<_>>(), &people, &amounts, factors)
        };
        let beliefs: Vec<Belief> = self.rooms.par_iter().zip(&mut factors).map(believe).collect();
        self.factors = factors;
        let change = |(new, old): (&Belief, &Belief)| {
            let pairs = new.iter().flatten().zip(old.iter().flatten());
            pairs.map(|(new, old)| (new - old).abs()).fold(0.0, f64::max)
        };
        let change = beliefs.iter().zip(&self.beliefs).map(change).fold(0.0, f64::max);
        self.beliefs = beliefs;
        change
    }

    /// Computes for every column, bin and value the logarithm of the share of people with the value who are in the bin.
    /// Sums run in the order of classes, so that they do not depend on threads.
    fn fits(&self) -> Vec<Vec<f64>> {
        let of_column = |(column, bins): (usize, &usize)| {
            let mut sums = vec![BEFORE; bins * self.values];
            let mut all = vec![BEFORE * *bins as f64; self.values];
            for (room, belief) in self.rooms.iter().zip(&self.beliefs) {
                for ((kind, people), chances) in room.kinds.iter().zip(belief) {
                    let start = self.kinds[*kind as usize][column] as usize * self.values;
                    for ((value, _), chance) in room.values.iter().zip(chances) {
                        sums[start + *value as usize] += chance * *people as f64;
                        all[*value as usize] += chance * *people as f64;
                    }
                }
            }
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum = (*sum / all[place % self.values]).ln();
            }
            sums
        };
        self.bins.par_iter().enumerate().map(of_column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds: 0 does not smoke, 1 does. Values: 0 none, 1 cancer. Three classes of a smoker and a non-smoker with one cancer; two smokers with
    /// cancer; two non-smokers without.
    fn smokers() -> Vec<Room> {
        let mixed = || Room { kinds: vec![(0, 1), (1, 1)], values: vec![(0, 1), (1, 1)] };
        let all = |kind: u32| Room { kinds: vec![(kind, 2)], values: vec![(kind, 2)] };
        vec![mixed(), mixed(), mixed(), all(1), all(0)]
    }

    #[test]
    fn the_trace_of_the_specification() {
        let (rooms, kinds) = (smokers(), [vec![0], vec![1]]);
        let mut learner = Learner::new(&rooms, &kinds, vec![2], 2);
        for wanted in [0.764_151, 0.905_719, 0.952_065, 0.963_254, 0.965_686] {
            learner.round(&Control::default());
            let smoker = learner.beliefs[0][1][1];
            assert!((smoker - wanted).abs() < 5e-7, "{smoker} for {wanted}");
        }
        assert_eq!(learner.beliefs[3], [[1.0]]);
    }

    #[test]
    fn where_nothing_goes_with_anything_beliefs_stay() {
        let rooms = [Room { kinds: vec![(0, 2)], values: vec![(0, 1), (1, 1)] }];
        let kinds = [vec![0, 0]];
        let mut learner = Learner::new(&rooms, &kinds, vec![1, 1], 2);
        assert!(learner.round(&Control::default()) < 1e-12);
        assert_eq!(learner.beliefs, [[[0.5, 0.5]]]);
        let mut nobody = Learner::new(&[], &[], vec![1], 2);
        assert_eq!(nobody.round(&Control::default()), 0.0);
    }
}
