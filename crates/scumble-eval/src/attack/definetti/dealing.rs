//! Who in a class has which of its values, if some values fit some people better: the values are dealt to the members,
//! each as often as the class has it.

/// For up to this many people every way to deal is counted. For more, chances are scaled to the right sums.
pub(super) const EXACT: u64 = 8;

/// Returns the chance of each value for one member of each kind. `weights[kind][value]` is how well they fit,
/// `people[kind]` the number of members of a kind, and `amounts[value]` how often each value is dealt: as many as there
/// are people, or shares of that. Scaling starts from `factors`, one for each value, and leaves its last factors there.
pub(super) fn dealt(
    weights: &[Vec<f64>],
    people: &[u64],
    amounts: &[u64],
    factors: &mut [f64],
) -> Vec<Vec<f64>> {
    let (all, values) = (people.iter().sum::<u64>(), amounts.iter().sum::<u64>());
    if all == values && all <= EXACT {
        exact(weights, people, amounts)
    } else {
        scaled(weights, people, amounts, factors)
    }
}

/// Counts all ways to deal, each as likely as the product of its weights, forwards and backwards over the values that
/// are left.
fn exact(weights: &[Vec<f64>], people: &[u64], amounts: &[u64]) -> Vec<Vec<f64>> {
    let members: Vec<usize> =
        (0..people.len()).flat_map(|kind| (0..people[kind]).map(move |_| kind)).collect();
    // The values that are left are coded as one number, with a digit for each value that goes up to its amount.
    let mut places = Vec::with_capacity(amounts.len());
    let mut states = 1_usize;
    for amount in amounts {
        places.push(states);
        states *= *amount as usize + 1;
    }
    let left = |state: usize, value: usize| state / places[value] % (amounts[value] as usize + 1);
    let mut forward = vec![vec![0.0; states]; members.len() + 1];
    forward[0][states - 1] = 1.0;
    for (place, kind) in members.iter().enumerate() {
        for state in (0..states).filter(|state| forward[place][*state] > 0.0).collect::<Vec<_>>() {
            for value in (0..amounts.len()).filter(|value| left(state, *value) > 0) {
                forward[place + 1][state - places[value]] += forward[place][state] * weights[*kind][value];
            }
        }
    }
    let mut backward = vec![0.0; states];
    backward[0] = 1.0;
    let mut chances = vec![vec![0.0; amounts.len()]; people.len()];
    for (place, kind) in members.iter().enumerate().rev() {
        let mut before = vec![0.0; states];
        let mut of_value = vec![0.0; amounts.len()];
        for state in (0..states).filter(|state| forward[place][*state] > 0.0) {
            for value in (0..amounts.len()).filter(|value| left(state, *value) > 0) {
                let rest = weights[*kind][value] * backward[state - places[value]];
                before[state] += rest;
                of_value[value] += forward[place][state] * rest;
            }
        }
        let sum: f64 = of_value.iter().sum();
        // Members of one kind have the same chances, so the last one written holds for all.
        chances[*kind] = of_value.iter().map(|chance| chance / sum).collect();
        backward = before;
    }
    chances
}

/// The most times that rows and columns are scaled in turn.
const TURNS: usize = 200;
/// Scaling ends when the amounts dealt are this close to the amounts there are, relative to them.
const NEAR: f64 = 1e-7;

/// Scales until every member has one value in all and every value is dealt as often as it is there (Sinkhorn).
fn scaled(weights: &[Vec<f64>], people: &[u64], amounts: &[u64], factors: &mut [f64]) -> Vec<Vec<f64>> {
    let all = people.iter().sum::<u64>() as f64 / amounts.iter().sum::<u64>().max(1) as f64;
    let wanted: Vec<f64> = amounts.iter().map(|amount| *amount as f64 * all).collect();
    let mut chances = weights.to_vec();
    for _ in 0..TURNS {
        let mut found = vec![0.0; amounts.len()];
        for ((chances, weights), people) in chances.iter_mut().zip(weights).zip(people) {
            let fit = |(weight, factor): (&f64, &f64)| weight * factor;
            let sum: f64 = weights.iter().zip(&*factors).map(fit).sum();
            for (value, chance) in chances.iter_mut().enumerate() {
                *chance = weights[value] * factors[value] / sum;
                found[value] += *chance * *people as f64;
            }
        }
        let off = found.iter().zip(&wanted).any(|(found, wanted)| (found - wanted).abs() > NEAR * wanted);
        if !off {
            break;
        }
        for ((factor, found), wanted) in factors.iter_mut().zip(&found).zip(&wanted) {
            if *found > 0.0 {
                *factor *= wanted / found;
            }
        }
    }
    chances
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_people_and_two_values_by_hand() {
        // A smoker and a non-smoker share cancer and none; 9/14 of those with cancer smoke, and 5/14 of those without: 81/(81 + 25).
        let weights = vec![vec![9.0, 5.0], vec![5.0, 9.0]];
        let chances = exact(&weights, &[1, 1], &[1, 1]);
        assert!((chances[0][0] - 81.0 / 106.0).abs() < 1e-12, "{}", chances[0][0]);
        // With scaling, the odds are only 9/5.
        let scaled = scaled(&weights, &[1, 1], &[1, 1], &mut [1.0, 1.0]);
        assert!((scaled[0][0] - 9.0 / 14.0).abs() < 1e-7, "{}", scaled[0][0]);
    }

    #[test]
    fn one_person_or_one_value_leaves_nothing_to_guess() {
        assert_eq!(dealt(&[vec![0.1]], &[1], &[1], &mut [1.0]), [[1.0]]);
        assert_eq!(dealt(&[vec![0.1], vec![0.9]], &[2, 1], &[3], &mut [1.0]), [[1.0], [1.0]]);
        assert_eq!(dealt(&[vec![0.1], vec![0.9]], &[20, 10], &[30], &mut [1.0]), [[1.0], [1.0]]);
    }

    /// Goes through every way to deal.
    fn enumerated(
        weights: &[Vec<f64>],
        members: &[usize],
        left: &mut Vec<u64>,
        product: f64,
        dealt: &mut Vec<usize>,
        sums: &mut [Vec<f64>],
    ) {
        if dealt.len() == members.len() {
            dealt.iter().enumerate().for_each(|(member, value)| sums[member][*value] += product);
            return;
        }
        for value in 0..left.len() {
            if left[value] > 0 {
                left[value] -= 1;
                let weight = weights[members[dealt.len()]][value];
                dealt.push(value);
                enumerated(weights, members, left, product * weight, dealt, sums);
                dealt.pop();
                left[value] += 1;
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn dealing_is_what_all_ways_to_deal_say(
            table in prop::collection::vec(prop::collection::vec(1_u32..100, 3), 1..4),
            people in prop::collection::vec(1_u64..3, 3),
            cut in (0_u64..7, 0_u64..7),
        ) {
            let weights: Vec<Vec<f64>> = table.iter().map(|row| row.iter().map(|weight| f64::from(*weight)).collect()).collect();
            let people = &people[..weights.len()];
            let all: u64 = people.iter().sum();
            let (low, high) = (cut.0.min(cut.1).min(all), cut.0.max(cut.1).min(all));
            let amounts = [low, high - low, all - high];
            let members: Vec<usize> = (0..people.len()).flat_map(|kind| (0..people[kind]).map(move |_| kind)).collect();
            let mut sums = vec![vec![0.0; 3]; members.len()];
            enumerated(&weights, &members, &mut amounts.to_vec(), 1.0, &mut Vec::new(), &mut sums);
            let found = exact(&weights, people, &amounts);
            for (member, kind) in members.iter().enumerate() {
                let total: f64 = sums[member].iter().sum();
                for (found, wanted) in found[*kind].iter().zip(&sums[member]) {
                    prop_assert!((found - wanted / total).abs() < 1e-9);
                }
            }
            // Both ways keep the sums: everybody has one value, and every value is dealt as often as it is there.
            for chances in [found, scaled(&weights, people, &amounts, &mut [1.0; 3])] {
                for value in 0..3 {
                    let dealt: f64 = chances.iter().zip(people).map(|(chances, people)| chances[value] * *people as f64).sum();
                    prop_assert!((dealt - amounts[value] as f64).abs() < 1e-6, "{dealt} of {}", amounts[value]);
                }
                chances.iter().for_each(|chances| assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9));
            }
        }

        #[test]
        fn where_everything_fits_equally_well_both_ways_say_what_the_class_says(people in prop::collection::vec(1_u64..3, 2..4), few in 1_u64..3) {
            let all: u64 = people.iter().sum();
            let amounts = [few.min(all), all - few.min(all)];
            let weights = vec![vec![0.3, 0.3]; people.len()];
            for chances in [exact(&weights, &people, &amounts), scaled(&weights, &people, &amounts, &mut [1.0; 2])] {
                for chances in chances {
                    prop_assert!((chances[0] - amounts[0] as f64 / all as f64).abs() < 1e-9);
                }
            }
        }
    }
}
