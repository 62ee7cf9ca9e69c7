//! Finds the releases that no other release beats.

/// Where a release lies on a chart: less risk is better, and so is more utility.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spot {
    /// The success of the attack that does best, from 0 to 1.
    pub risk: f64,
    /// How useful the release is, from 0 to 1.
    pub utility: f64,
}

impl Spot {
    /// Returns the figures so that more is better everywhere.
    #[must_use]
    pub fn goods(self) -> [f64; 2] {
        [-self.risk, self.utility]
    }
}

/// Whether one is nowhere worse than the other and somewhere better, if more is better.
#[must_use]
pub fn dominates<const N: usize>(one: &[f64; N], other: &[f64; N]) -> bool {
    let pairs = || one.iter().zip(other);
    pairs().all(|(one, other)| one >= other) && pairs().any(|(one, other)| one > other)
}

/// Says for each whether no other dominates it, if more is better. Equals do not beat each other, so either all of them are marked or none.
#[must_use]
pub fn non_dominated<const N: usize>(goods: &[[f64; N]]) -> Vec<bool> {
    goods.iter().map(|own| !goods.iter().any(|other| dominates(other, own))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn goods(pairs: &[(u32, u32)]) -> Vec<[f64; 2]> {
        let spot =
            |(risk, utility): &(u32, u32)| Spot { risk: f64::from(*risk), utility: f64::from(*utility) };
        pairs.iter().map(|pair| spot(pair).goods()).collect()
    }

    #[test]
    fn a_frontier_by_hand() {
        // Risk and utility: (1,2), (3,5) and (4,6) are a staircase. (2,2) has more risk for nothing, (3,4) is below (3,5), (4,6) appears
        // twice, and (5,6) has more risk for what (4,6) has.
        let found = non_dominated(&goods(&[(1, 2), (2, 2), (3, 5), (3, 4), (4, 6), (4, 6), (5, 6)]));
        assert_eq!(found, [true, false, true, false, true, true, false]);
    }

    #[test]
    fn a_third_good_saves_what_two_would_not() {
        let by_three = [[-1.0, 2.0, 5.0], [-1.0, 3.0, 4.0], [-1.0, 2.0, 4.0]];
        assert_eq!(non_dominated(&by_three), [true, true, false]);
    }

    #[test]
    fn one_alone_is_not_beaten_and_nothing_is_nothing() {
        assert_eq!(non_dominated(&goods(&[(9, 0)])), [true]);
        assert!(non_dominated::<2>(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn whoever_is_beaten_is_beaten_by_somebody_on_the_frontier(
            pairs in prop::collection::vec((0..6_u32, 0..6_u32), 1..30),
        ) {
            let all = goods(&pairs);
            let marked = non_dominated(&all);
            prop_assert!(marked.contains(&true));
            for (place, own) in all.iter().enumerate() {
                let beaten = (0..all.len()).any(|other| marked[other] && dominates(&all[other], own));
                prop_assert_eq!(beaten, !marked[place]);
            }
        }
    }
}
