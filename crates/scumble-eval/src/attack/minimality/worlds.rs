//! Who may have which value if some group of a class breaks a rule: possible worlds are counted (models.md 4.7).
//!
//! A world gives every member of a class one of the class's values. Without further knowledge all worlds are equally
//! likely. For small classes all worlds are counted, group by group over the values that are left. For larger ones
//! worlds are drawn at random.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The shares of worlds with and without a group that breaks the rule.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Worlds {
    /// The share of worlds in which every group keeps the rule.
    pub kept: f64,
    /// The share of worlds in which some group breaks the rule.
    pub broken: f64,
    /// By size of a group, ascending: for each value the share of worlds in which some group breaks the rule and a given member of a group of
    /// this size has the value.
    pub broken_with: Vec<(u64, Vec<f64>)>,
    /// The number of drawn worlds in which some group breaks the rule; `None` if all worlds were counted.
    pub drawn: Option<u64>,
}

/// Worlds are counted if the values that are left can have at most this many states.
const STATES: u64 = 256;
/// With at most this many rows the number of worlds fits into an integer: 33! does.
const ROWS: u64 = 33;
/// The least number of worlds that are drawn, unless the class is large.
const DRAWS: u64 = 2_000;
/// Drawing goes on until this many worlds break the rule.
const ENOUGH: u64 = 200;
/// The most worlds that are drawn.
pub(super) const MOST_DRAWS: u64 = 20_000;

/// For large classes fewer worlds are drawn: this limits worlds times rows.
const STEPS: u64 = 1_000_000;
/// But at least this many are drawn.
const FEWEST_DRAWS: u64 = 200;

/// A rule on the amounts of values in a group.
pub(super) type Rule<'a> = dyn Fn(&[u64]) -> bool + 'a;

impl Worlds {
    /// Counts or draws the worlds of groups of these sizes that share values in these amounts; `keeps` says whether a
    /// group keeps the rule.
    pub(super) fn new(groups: &[u64], amounts: &[u64], keeps: &Rule<'_>, seed: u64) -> Self {
        if let Some(always) = Self::always_broken(groups, amounts, keeps) {
            return always;
        }
        let states = amounts.iter().try_fold(1_u64, |all, amount| all.checked_mul(amount + 1));
        if amounts.iter().sum::<u64>() <= ROWS && states.is_some_and(|states| states <= STATES) {
            Self::counted(groups, amounts, keeps)
        } else {
            Self::drawn(groups, amounts, keeps, seed)
        }
    }

    /// Returns for each value the chance that a member of a group of this size has it, given that some group of some
    /// class breaks the rule. `others` is the chance that no group of the other classes does. `None` if no group can
    /// break the rule.
    pub(super) fn posterior(&self, size: u64, amounts: &[u64], others: f64) -> Option<Vec<f64>> {
        let total = amounts.iter().sum::<u64>() as f64;
        let happened = self.broken + self.kept * (1.0 - others);
        let at = self.broken_with.binary_search_by_key(&size, |(size, _)| *size).ok()?;
        let value = |(amount, broken): (&u64, &f64)| {
            let kept = (*amount as f64 / total - broken).max(0.0);
            ((broken + kept * (1.0 - others)) / happened).clamp(0.0, 1.0)
        };
        (happened > 0.0).then(|| amounts.iter().zip(&self.broken_with[at].1).map(value).collect())
    }

    /// Returns how far a chance may be off because worlds were drawn: four standard errors, since the largest of many
    /// chances is examined.
    pub(super) fn error(&self, chance: f64) -> f64 {
        self.drawn.map_or(0.0, |drawn| 4.0 * (chance * (1.0 - chance) / drawn.max(1) as f64).sqrt())
    }

    /// If a group of one row breaks the rule whatever its value is, nothing follows.
    fn always_broken(groups: &[u64], amounts: &[u64], keeps: &Rule<'_>) -> Option<Self> {
        let alone = |value: usize| {
            let mut one = vec![0; amounts.len()];
            one[value] = 1;
            keeps(&one)
        };
        let lone = groups.contains(&1) && !(0..amounts.len()).any(|value| amounts[value] > 0 && alone(value));
        lone.then(|| Self::certain(groups, amounts))
    }

    /// Returns the result when every world breaks the rule.
    pub(super) fn certain(groups: &[u64], amounts: &[u64]) -> Self {
        let total = amounts.iter().sum::<u64>() as f64;
        let shares: Vec<f64> = amounts.iter().map(|amount| *amount as f64 / total).collect();
        let broken_with = sizes(groups).into_iter().map(|size| (size, shares.clone())).collect();
        Self { kept: 0.0, broken: 1.0, broken_with, drawn: None }
    }

    /// Counts every world.
    fn counted(groups: &[u64], amounts: &[u64], keeps: &Rule<'_>) -> Self {
        let worlds = multinomial(amounts);
        let all = worlds as f64;
        let kept = Counter::new(groups.to_vec(), keeps).ways(0, amounts);
        let of_size = |size: u64| {
            let mut others = groups.to_vec();
            if let Some(own) = others.iter().position(|group| *group == size) {
                others.remove(own);
            }
            let mut counter = Counter::new(others, keeps);
            let mut kept_with = vec![0_u128; amounts.len()];
            for own in compositions(size, amounts) {
                if !keeps(&own) {
                    continue;
                }
                let left: Vec<u64> = amounts.iter().zip(&own).map(|(amount, own)| amount - own).collect();
                let others = counter.ways(0, &left);
                for value in (0..own.len()).filter(|value| own[*value] > 0) {
                    kept_with[value] += multinomial(&without(&own, value)) * others;
                }
            }
            let broken = |value: usize| {
                let with = if amounts[value] > 0 { multinomial(&without(amounts, value)) } else { 0 };
                (with - kept_with[value]) as f64 / all
            };
            (size, (0..amounts.len()).map(broken).collect())
        };
        let broken_with = sizes(groups).into_iter().map(of_size).collect();
        Self { kept: kept as f64 / all, broken: (worlds - kept) as f64 / all, broken_with, drawn: None }
    }

    /// Draws worlds. The shares of values are estimated on the rarer side, and the other side is the remainder.
    fn drawn(groups: &[u64], amounts: &[u64], keeps: &Rule<'_>, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut values: Vec<usize> =
            (0..amounts.len()).flat_map(|value| (0..amounts[value]).map(move |_| value)).collect();
        let total = values.len() as f64;
        let sizes = sizes(groups);
        // For worlds that keep the rule and for those that break it: the shares of values, summed up by size of group.
        let mut sums = vec![vec![vec![0.0; amounts.len()]; sizes.len()]; 2];
        let mut worlds = [0_u64; 2];
        let count = |size: &u64| groups.iter().filter(|group| *group == size).count() as f64;
        let rows_of_size: Vec<f64> = sizes.iter().map(|size| count(size) * *size as f64).collect();
        let most = (STEPS / values.len().max(1) as u64).clamp(FEWEST_DRAWS, MOST_DRAWS);
        let drawn = |worlds: [u64; 2]| worlds[0] + worlds[1];
        while drawn(worlds) < DRAWS.min(most) || (worlds[1] < ENOUGH && drawn(worlds) < most) {
            scumble::base::chance::shuffle(&mut values, &mut random);
            let (mut start, mut broken) = (0, false);
            let mut found = vec![vec![0_u64; amounts.len()]; sizes.len()];
            for group in groups {
                let mut own = vec![0; amounts.len()];
                values[start..start + *group as usize].iter().for_each(|value| own[*value] += 1);
                start += *group as usize;
                broken |= !keeps(&own);
                let at = sizes.partition_point(|size| size < group);
                found[at].iter_mut().zip(&own).for_each(|(sum, own)| *sum += own);
            }
            worlds[usize::from(broken)] += 1;
            for ((sums, found), rows) in sums[usize::from(broken)].iter_mut().zip(&found).zip(&rows_of_size) {
                sums.iter_mut().zip(found).for_each(|(sum, found)| *sum += *found as f64 / rows);
            }
        }
        let broken_is_rarer = worlds[1] < worlds[0];
        let all = (worlds[0] + worlds[1]) as f64;
        let broken = |at: usize, value: usize| {
            let share = amounts[value] as f64 / total;
            let found = sums[usize::from(broken_is_rarer)][at][value] / all;
            if broken_is_rarer { found } else { (share - found).max(0.0) }
        };
        let broken_with = (0..sizes.len())
            .map(|at| (sizes[at], (0..amounts.len()).map(|value| broken(at, value)).collect()))
            .collect();
        let share = |worlds: u64| worlds as f64 / all;
        Self { kept: share(worlds[0]), broken: share(worlds[1]), broken_with, drawn: Some(worlds[1]) }
    }
}

/// Counts the worlds in which every group keeps the rule.
struct Counter<'a> {
    groups: Vec<u64>,
    keeps: &'a Rule<'a>,
    found: HashMap<(usize, Vec<u64>), u128, FixedState>,
}

impl<'a> Counter<'a> {
    fn new(groups: Vec<u64>, keeps: &'a Rule<'a>) -> Self {
        Self { groups, keeps, found: HashMap::default() }
    }

    /// Counts the ways to give the values that are left to the groups from this one on.
    fn ways(&mut self, group: usize, left: &[u64]) -> u128 {
        let Some(size) = self.groups.get(group).copied() else { return 1 };
        let key = (group, left.to_vec());
        if let Some(found) = self.found.get(&key) {
            return *found;
        }
        let mut ways = 0;
        for own in compositions(size, left) {
            if (self.keeps)(&own) {
                let rest: Vec<u64> = left.iter().zip(&own).map(|(left, own)| left - own).collect();
                ways += multinomial(&own) * self.ways(group + 1, &rest);
            }
        }
        self.found.insert(key, ways);
        ways
    }
}

/// Returns all ways to take `size` of these amounts.
fn compositions(size: u64, amounts: &[u64]) -> Vec<Vec<u64>> {
    let Some((first, rest)) = amounts.split_first() else {
        return if size == 0 { vec![Vec::new()] } else { Vec::new() };
    };
    let room: u64 = rest.iter().sum();
    let taken = size.saturating_sub(room)..=size.min(*first);
    taken
        .flat_map(|own| {
            compositions(size - own, rest).into_iter().map(move |mut rest| {
                rest.insert(0, own);
                rest
            })
        })
        .collect()
}

/// Returns the number of ways to give these amounts of values to as many people.
fn multinomial(amounts: &[u64]) -> u128 {
    let (mut ways, mut people) = (1_u128, 0_u128);
    for amount in amounts {
        for chosen in 1..=u128::from(*amount) {
            people += 1;
            // The product of binomials stays whole at every step.
            ways = ways * people / chosen;
        }
    }
    ways
}

fn without(amounts: &[u64], value: usize) -> Vec<u64> {
    let mut left = amounts.to_vec();
    left[value] -= 1;
    left
}

/// Returns the different sizes in ascending order.
fn sizes(groups: &[u64]) -> Vec<u64> {
    let mut sizes = groups.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether no value has more than a half of the rows.
    fn half(own: &[u64]) -> bool {
        own.iter().all(|amount| amount * 2 <= own.iter().sum())
    }

    #[test]
    fn the_number_of_the_specification() {
        // q1 has two rows, q2 five, and two are hiv: all others differ. Only q1 = {hiv, hiv} breaks the rule, in 1 of 21 worlds.
        let amounts = [2, 1, 1, 1, 1, 1];
        let worlds = Worlds::new(&[2, 5], &amounts, &half, 1);
        assert_eq!(worlds.drawn, None);
        assert!((worlds.kept - 20.0 / 21.0).abs() < 1e-12, "{}", worlds.kept);
        let q1 = worlds.posterior(2, &amounts, 1.0);
        assert!(q1.is_some_and(|chances| (chances[0] - 1.0).abs() < 1e-12 && chances[1] < 1e-12));
        let q2 = worlds.posterior(5, &amounts, 1.0);
        assert!(q2.is_some_and(|chances| chances[0] < 1e-12 && (chances[1] - 0.2).abs() < 1e-12));
        // If another class may have been the reason, much less follows. Of two such classes at least one broke the
        // rule, each as likely as the other. In this class the chance is (1/21 + 5/21 · 1/21) / (1 − (20/21)²) = 26/41.
        let shared = worlds.posterior(2, &amounts, 20.0 / 21.0);
        assert!(shared.is_some_and(|chances| (chances[0] - 26.0 / 41.0).abs() < 1e-12));
    }

    #[test]
    fn where_the_rule_is_always_or_never_broken_nothing_follows() {
        let always = Worlds::new(&[1, 3], &[2, 2], &half, 1);
        assert_eq!((always.kept, always.posterior(3, &[2, 2], 1.0)), (0.0, Some(vec![0.5, 0.5])));
        let never = Worlds::new(&[2, 2], &[2, 2], &|_| true, 1);
        assert_eq!((never.kept, never.posterior(2, &[2, 2], 1.0)), (1.0, None));
        // If there is only one value, it is known in every world.
        let one = Worlds::new(&[2, 2], &[4], &half, 1);
        assert_eq!(one.posterior(2, &[4], 1.0), Some(vec![1.0]));
    }

    /// Goes through every world: returns the share that keeps the rule, and who has which value in the others.
    fn enumerated(groups: &[u64], amounts: &[u64], keeps: &Rule<'_>) -> (f64, Vec<Vec<f64>>) {
        fn each(left: &mut Vec<u64>, world: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
            if left.iter().all(|left| *left == 0) {
                found.push(world.clone());
            }
            for value in 0..left.len() {
                if left[value] > 0 {
                    left[value] -= 1;
                    world.push(value);
                    each(left, world, found);
                    world.pop();
                    left[value] += 1;
                }
            }
        }
        let mut all = Vec::new();
        each(&mut amounts.to_vec(), &mut Vec::new(), &mut all);
        let (mut kept, mut first) = (0.0, vec![vec![0.0; amounts.len()]; groups.len()]);
        for world in &all {
            let mut start = 0;
            let parts: Vec<&[usize]> = groups
                .iter()
                .map(|group| {
                    start += *group as usize;
                    &world[start - *group as usize..start]
                })
                .collect();
            let own = |part: &[usize]| -> Vec<u64> {
                (0..amounts.len())
                    .map(|value| part.iter().filter(|own| **own == value).count() as u64)
                    .collect()
            };
            if parts.iter().all(|part| keeps(&own(part))) {
                kept += 1.0 / all.len() as f64;
            } else {
                parts
                    .iter()
                    .zip(&mut first)
                    .for_each(|(part, first)| first[part[0]] += 1.0 / all.len() as f64);
            }
        }
        (kept, first)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counting_group_by_group_is_counting_every_world(
            groups in prop::collection::vec(1_u64..4, 1..4),
            weights in prop::collection::vec(1_u64..4, 1..4),
            rule in 0..4,
        ) {
            let rows: u64 = groups.iter().sum();
            // Values are dealt in the proportion of their weights until every row has one.
            let mut amounts = vec![0_u64; weights.len()];
            (0..rows).for_each(|row| amounts[(row * weights[0] + row / weights[weights.len() - 1]) as usize % weights.len()] += 1);
            let keeps = |own: &[u64]| match rule {
                0 => half(own),
                1 => own.iter().filter(|amount| **amount > 0).count() >= 2,
                2 => own[0] * 3 <= own.iter().sum(),
                _ => own.iter().sum::<u64>() != 2 || own[0] == 1,
            };
            let (kept, first) = enumerated(&groups, &amounts, &keeps);
            for worlds in [Worlds::new(&groups, &amounts, &keeps, 1), Worlds::counted(&groups, &amounts, &keeps)] {
                prop_assert!((worlds.kept - kept).abs() < 1e-9);
                for (group, first) in groups.iter().zip(&first) {
                    let found = worlds.broken_with.iter().find(|(size, _)| size == group).map(|(_, found)| found.clone());
                    for (found, wanted) in found.unwrap_or_default().iter().zip(first) {
                        prop_assert!((found - wanted).abs() < 1e-9, "{found} for {wanted}");
                    }
                    if let Some(chances) = worlds.posterior(*group, &amounts, 1.0).filter(|_| kept < 1.0 - 1e-9) {
                        prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                    }
                }
            }
            let drawn = Worlds::drawn(&groups, &amounts, &keeps, 7);
            // 0.06 is five standard deviations with 2,000 draws.
            prop_assert!((drawn.kept - kept).abs() < 0.06);
        }
    }
}
