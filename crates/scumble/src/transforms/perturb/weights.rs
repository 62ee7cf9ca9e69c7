//! Weighted draws among items that are taken away one after the other (a Fenwick tree).

use rand_chacha::rand_core::Rng;

use crate::base::chance::below;

/// The weights of items in a row.
pub(super) struct Weights {
    sums: Vec<u64>,
    weights: Vec<u64>,
}

impl Weights {
    pub(super) fn new(weights: Vec<u64>) -> Self {
        let mut sums = vec![0; weights.len() + 1];
        for (at, weight) in weights.iter().enumerate() {
            let place = at + 1;
            sums[place] += weight;
            let next = place + (place & place.wrapping_neg());
            if next < sums.len() {
                sums[next] += sums[place];
            }
        }
        Self { sums, weights }
    }

    pub(super) fn of(&self, item: usize) -> u64 {
        self.weights[item]
    }

    /// Takes an item away.
    pub(super) fn take(&mut self, item: usize) {
        let weight = std::mem::take(&mut self.weights[item]);
        let mut place = item + 1;
        while place < self.sums.len() {
            self.sums[place] -= weight;
            place += place & place.wrapping_neg();
        }
    }

    /// The sum of the items before one.
    pub(super) fn before(&self, item: usize) -> u64 {
        let (mut place, mut sum) = (item.min(self.weights.len()), 0);
        while place > 0 {
            sum += self.sums[place];
            place -= place & place.wrapping_neg();
        }
        sum
    }

    /// The item at which the sum of weights passes a number.
    fn at(&self, mut sum: u64) -> usize {
        let (mut place, mut step) = (0, self.weights.len().next_power_of_two());
        while step > 0 {
            if place + step < self.sums.len() && self.sums[place + step] <= sum {
                place += step;
                sum -= self.sums[place];
            }
            step /= 2;
        }
        place
    }

    /// An item of a range, each as likely as it weighs; `None` if nothing is left there.
    pub(super) fn draw_within(&self, range: std::ops::Range<usize>, chance: &mut impl Rng) -> Option<usize> {
        let (start, end) = (self.before(range.start), self.before(range.end));
        (start < end).then(|| self.at(start + below(end - start, chance)))
    }

    /// An item outside a range.
    pub(super) fn draw_outside(&self, range: std::ops::Range<usize>, chance: &mut impl Rng) -> Option<usize> {
        let (start, end) = (self.before(range.start), self.before(range.end));
        let outside = self.before(self.weights.len()) - (end - start);
        if outside == 0 {
            return None;
        }
        let drawn = below(outside, chance);
        Some(self.at(if drawn < start { drawn } else { drawn + end - start }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::chance::secret_unless;

    #[test]
    fn items_are_drawn_by_weight_until_they_are_taken() {
        let mut weights = Weights::new(vec![3, 0, 1, 4, 2]);
        assert_eq!((0..=5).map(|item| weights.before(item)).collect::<Vec<_>>(), [0, 3, 3, 4, 8, 10]);
        assert_eq!((0..10).map(|sum| weights.at(sum)).collect::<Vec<_>>(), [0, 0, 0, 2, 3, 3, 3, 3, 4, 4]);
        let mut chance = secret_unless(Some(3)).expect("chance");
        let mut drawn = [0; 5];
        (0..8_000).for_each(|_| drawn[weights.draw_within(1..4, &mut chance).expect("an item")] += 1);
        // 1,600 of 8,000 are expected; five standard deviations are 179.
        assert!(drawn[0] + drawn[1] + drawn[4] == 0 && (1_421..=1_779).contains(&drawn[2]), "{drawn:?}");
        let mut drawn = [0; 5];
        (0..5_000).for_each(|_| drawn[weights.draw_outside(2..4, &mut chance).expect("an item")] += 1);
        // 3,000 of 5,000; five standard deviations are 173.
        assert!(drawn[1] + drawn[2] + drawn[3] == 0 && (2_827..=3_173).contains(&drawn[0]), "{drawn:?}");
        weights.take(3);
        assert_eq!((weights.of(3), weights.before(5)), (0, 6));
        weights.take(2);
        assert_eq!(weights.draw_within(1..4, &mut chance), None);
        [0, 4].into_iter().for_each(|item| weights.take(item));
        assert_eq!(weights.draw_outside(1..2, &mut chance), None);
    }
}
