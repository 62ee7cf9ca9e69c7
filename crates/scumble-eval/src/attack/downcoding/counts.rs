//! The number of rows of a class that have each finer value, given that the published value could not have been finer:
//! the ways to spread rows over values are weighed by how frequent the values are.
//!
//! Values are taken one after the other. The number of remaining rows that take a value is binomial, and a rule says
//! which numbers are allowed.

/// What the attacker knows of how rows spread over values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing.
    Anything,
    /// At least two values appear, or the single one would have been shown.
    Several,
    /// The first and the last value appear, since the label is the range of the values.
    Ends,
    /// All values appear, since the label is the set of the values.
    All,
    /// At least two values appear, and no value with at least k rows leaves at least k others: it would have been cut
    /// off.
    Unsplittable(u64),
    /// At least two values appear, and one of them has fewer than k rows; otherwise each would have been shown by
    /// itself.
    SmallPart(u64),
    /// No value that appears has fewer than k rows.
    NoSmallPart(u64),
}

impl Rule {
    /// Whether `rows` of all `all` rows may have this value.
    fn allows(self, value: usize, values: usize, rows: u64, all: u64) -> bool {
        match self {
            Self::Anything | Self::Several | Self::SmallPart(_) => true,
            Self::Ends => rows > 0 || (value != 0 && value + 1 != values),
            Self::All => rows > 0,
            Self::Unsplittable(k) => rows < all && (rows < k || all - rows < k),
            Self::NoSmallPart(k) => rows == 0 || rows >= k,
        }
    }

    /// Returns what to remember once a value has this many rows: the number of values that appear, up to two, and
    /// whether one is small.
    fn next(self, (there, small): (u8, bool), rows: u64) -> (u8, bool) {
        match self {
            Self::Several => ((there + u8::from(rows > 0)).min(2), false),
            Self::SmallPart(k) => ((there + u8::from(rows > 0)).min(2), small || (rows > 0 && rows < k)),
            _ => (0, false),
        }
    }

    fn accepts(self, (there, small): (u8, bool)) -> bool {
        match self {
            Self::Several => there == 2,
            Self::SmallPart(_) => there == 2 && small,
            _ => true,
        }
    }

    /// The number of rows whose value is certain, however the rows spread.
    pub(super) fn sure(self, rows: u64, values: usize) -> u64 {
        let sure = match self {
            Self::Anything | Self::NoSmallPart(_) => 0,
            Self::Ends => 2.min(values as u64),
            Self::All => values as u64,
            Self::Several | Self::Unsplittable(_) | Self::SmallPart(_) => {
                if values == 2 {
                    2
                } else {
                    0
                }
            }
        };
        sure.min(rows)
    }

    /// Whether rows that spread like this obey the rule.
    pub(super) fn holds(self, spread: &[u64]) -> bool {
        let all = spread.iter().sum();
        let allowed =
            spread.iter().enumerate().all(|(value, rows)| self.allows(value, spread.len(), *rows, all));
        allowed && self.accepts(spread.iter().fold((0, false), |state, rows| self.next(state, *rows)))
    }
}

/// Rows and the values they may have.
pub(super) struct Spread<'a> {
    rows: u64,
    /// How frequent the attacker thinks each value is.
    prior: &'a [f64],
    /// The logarithms of factorials.
    factorials: Vec<f64>,
    /// The chance of each value among those not yet taken.
    of_rest: Vec<f64>,
}

/// The number of states that a rule can remember.
const STATES: usize = 6;

fn state((there, small): (u8, bool)) -> usize {
    there as usize * 2 + usize::from(small)
}

fn memory(state: usize) -> (u8, bool) {
    (state as u8 / 2, state % 2 == 1)
}

impl<'a> Spread<'a> {
    /// Spreads `rows` rows over values that are this frequent.
    pub(super) fn new(rows: u64, prior: &'a [f64]) -> Self {
        let mut factorials = vec![0.0; rows as usize + 1];
        (1..=rows as usize).for_each(|n| factorials[n] = factorials[n - 1] + (n as f64).ln());
        let mut of_rest = vec![1.0; prior.len()];
        let mut rest = 0.0;
        for (value, share) in prior.iter().enumerate().rev() {
            rest += share;
            // The last value takes all that is left, despite rounding.
            of_rest[value] = if value + 1 == prior.len() { 1.0 } else { share / rest };
        }
        Self { rows, prior, factorials, of_rest }
    }

    /// The logarithm of the chance that exactly `rows` of the rows left have this value.
    fn taken(&self, value: usize, left: u64, rows: u64) -> f64 {
        let share = self.of_rest[value];
        let power = |base: f64, exponent: u64| if exponent == 0 { 0.0 } else { exponent as f64 * base.ln() };
        let ways = self.factorials[left as usize]
            - self.factorials[rows as usize]
            - self.factorials[(left - rows) as usize];
        ways + power(share, rows) + power(1.0 - share, left - rows)
    }

    /// The chance that rows spread as a rule demands.
    pub(super) fn chance(&self, rule: Rule) -> f64 {
        let mut reached = vec![[0.0; STATES]; self.rows as usize + 1];
        reached[self.rows as usize][0] = 1.0;
        for value in 0..self.prior.len() {
            let mut next = vec![[0.0; STATES]; self.rows as usize + 1];
            for left in 0..=self.rows {
                for from in (0..STATES).filter(|from| reached[left as usize][*from] > 0.0) {
                    for rows in 0..=left {
                        if rule.allows(value, self.prior.len(), rows, self.rows) {
                            let to = state(rule.next(memory(from), rows));
                            next[(left - rows) as usize][to] +=
                                reached[left as usize][from] * self.taken(value, left, rows).exp();
                        }
                    }
                }
            }
            reached = next;
        }
        (0..STATES).filter(|state| rule.accepts(memory(*state))).map(|state| reached[0][state]).sum()
    }

    /// The chance that no value has fewer than k rows, as if the values were independent. This is nearly right if there
    /// are many rows.
    pub(super) fn nearly_no_small_part(&self, k: u64) -> f64 {
        let small = |share: &f64| -> f64 {
            let chance = |rows: u64| {
                let ways = self.factorials[self.rows as usize]
                    - self.factorials[rows as usize]
                    - self.factorials[(self.rows - rows) as usize];
                (ways + rows as f64 * share.ln() + (self.rows - rows) as f64 * (-share).ln_1p()).exp()
            };
            (1..k.min(self.rows)).map(chance).sum()
        };
        self.prior.iter().map(|share| (1.0 - small(share)).clamp(0.0, 1.0)).product()
    }

    /// Returns the likeliest spread that a rule allows and its chance among all spreads; `None` if the rule allows
    /// none.
    pub(super) fn likeliest(&self, rule: Rule) -> Option<(Vec<u64>, f64)> {
        let states = self.rows as usize + 1;
        let none = (f64::NEG_INFINITY, 0_u64);
        let mut best = vec![vec![[none; STATES]; states]; self.prior.len() + 1];
        for state in (0..STATES).filter(|state| rule.accepts(memory(*state))) {
            best[self.prior.len()][0][state] = (0.0, 0);
        }
        for value in (0..self.prior.len()).rev() {
            for left in 0..=self.rows {
                for from in 0..STATES {
                    let mut found = none;
                    for rows in
                        (0..=left).filter(|rows| rule.allows(value, self.prior.len(), *rows, self.rows))
                    {
                        let to = state(rule.next(memory(from), rows));
                        let chance =
                            self.taken(value, left, rows) + best[value + 1][(left - rows) as usize][to].0;
                        // Among equally likely spreads the first counts, despite rounding.
                        if chance > found.0 + 1e-12 || (found.0 == f64::NEG_INFINITY && chance > found.0) {
                            found = (chance, rows);
                        }
                    }
                    best[value][left as usize][from] = found;
                }
            }
        }
        let chance = best[0][self.rows as usize][0].0;
        if chance == f64::NEG_INFINITY {
            return None;
        }
        let (mut left, mut memory, mut spread) = (self.rows, (0, false), Vec::new());
        for of_value in &best[..self.prior.len()] {
            let rows = of_value[left as usize][state(memory)].1;
            spread.push(rows);
            memory = rule.next(memory, rows);
            left -= rows;
        }
        Some((spread, chance.exp()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-9, "{found} for {wanted}");
    }

    #[test]
    fn two_rows_and_two_values_are_one_each() {
        // Two of four worlds are left, so one bit; and they spread the same way.
        let spread = Spread::new(2, &[0.5, 0.5]);
        near(spread.chance(Rule::Several), 0.5);
        assert_eq!(spread.likeliest(Rule::Several), Some((vec![1, 1], 0.5)));
        assert_eq!(Rule::Several.sure(2, 2), 2);
        // If one value is frequent, the label alone suggests that both rows have it.
        let skewed = Spread::new(2, &[0.9, 0.1]);
        assert_eq!(skewed.likeliest(Rule::Anything).map(|(spread, _)| spread), Some(vec![2, 0]));
        assert_eq!(skewed.likeliest(Rule::Several).map(|(spread, _)| spread), Some(vec![1, 1]));
        near(skewed.chance(Rule::Several), 0.18);
    }

    #[test]
    fn what_could_not_be_cut() {
        // Four rows, k = 2, two values: 2 + 2 would have been cut, and 4 + 0 shown as the finer value. 8 of 16 worlds
        // are left: 1 + 3 and 3 + 1.
        let spread = Spread::new(4, &[0.5, 0.5]);
        near(spread.chance(Rule::Unsplittable(2)), 0.5);
        near(spread.chance(Rule::SmallPart(2)), 0.5);
        // Five rows, three values: 3 + 1 + 1 cannot be shown value by value, but 3 could be cut off from the other 2.
        assert!(Rule::SmallPart(2).holds(&[3, 1, 1]) && !Rule::Unsplittable(2).holds(&[3, 1, 1]));
        assert!(Rule::Unsplittable(3).holds(&[3, 1, 1]) && !Rule::Unsplittable(3).holds(&[5, 0, 0]));
        near(spread.chance(Rule::NoSmallPart(2)), 0.5);
    }

    #[test]
    fn ranges_and_sets_name_what_is_there() {
        // Two rows between two ends with one value between: 2 of 9 worlds have both ends.
        let thirds = [1.0 / 3.0; 3];
        near(Spread::new(2, &thirds).chance(Rule::Ends), 2.0 / 9.0);
        assert_eq!(
            Spread::new(2, &thirds).likeliest(Rule::Ends).map(|(spread, _)| spread),
            Some(vec![1, 0, 1])
        );
        // Three rows, three values, all appear: 6 of 27 worlds.
        near(Spread::new(3, &thirds).chance(Rule::All), 6.0 / 27.0);
        assert_eq!((Rule::All.sure(3, 3), Rule::All.sure(5, 3), Rule::Ends.sure(3, 3)), (3, 3, 2));
        // Two rows cannot have three values.
        assert_eq!(Spread::new(2, &thirds).likeliest(Rule::All), None);
        near(Spread::new(2, &thirds).chance(Rule::All), 0.0);
    }

    #[test]
    fn with_many_rows_values_hardly_know_of_each_other() {
        let prior = [0.97, 0.02, 0.01];
        let spread = Spread::new(200, &prior);
        let (exact, nearly) = (spread.chance(Rule::NoSmallPart(3)), spread.nearly_no_small_part(3));
        assert!((exact - nearly).abs() < 0.01, "{exact} and {nearly}");
        assert!(exact > 0.2 && exact < 0.8, "{exact}");
    }

    #[test]
    fn one_row_or_one_value() {
        near(Spread::new(1, &[0.5, 0.5]).chance(Rule::Several), 0.0);
        near(Spread::new(3, &[1.0]).chance(Rule::Anything), 1.0);
        near(Spread::new(0, &[0.5, 0.5]).chance(Rule::Anything), 1.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counting_value_by_value_is_counting_every_world(
            weights in prop::collection::vec(1_u32..5, 2..4),
            rows in 1_u64..7,
            k in 1_u64..4,
            rule in 0_usize..7,
        ) {
            let rule = [Rule::Anything, Rule::Several, Rule::Ends, Rule::All, Rule::Unsplittable(k), Rule::SmallPart(k), Rule::NoSmallPart(k)][rule];
            let total = f64::from(weights.iter().sum::<u32>());
            let prior: Vec<f64> = weights.iter().map(|weight| f64::from(*weight) / total).collect();
            let (mut chance, mut spreads) = (0.0, std::collections::BTreeMap::<Vec<u64>, f64>::new());
            for world in 0..weights.len().pow(rows as u32) {
                let values: Vec<usize> = (0..rows as u32).map(|row| world / weights.len().pow(row) % weights.len()).collect();
                let mut spread = vec![0; weights.len()];
                values.iter().for_each(|value| spread[*value] += 1);
                let of_world: f64 = values.iter().map(|value| prior[*value]).product();
                if rule.holds(&spread) {
                    chance += of_world;
                    *spreads.entry(spread).or_default() += of_world;
                }
            }
            let spread = Spread::new(rows, &prior);
            prop_assert!((spread.chance(rule) - chance).abs() < 1e-9);
            let best = spreads.values().copied().fold(0.0, f64::max);
            match spread.likeliest(rule) {
                Some((found, chance)) => prop_assert!((spreads[&found] - best).abs() < 1e-9 && (chance - best).abs() < 1e-9),
                None => prop_assert!(spreads.is_empty()),
            }
            // Values that are certain appear in every world that is left.
            if let Some(least) = (!spreads.is_empty()).then(|| {
                (0..weights.len()).map(|value| spreads.keys().map(|spread| spread[value]).min().unwrap_or(0)).sum::<u64>()
            }) {
                prop_assert!(rule.sure(rows, weights.len()) <= least);
            }
        }
    }
}
