//! Decides which record shows whose value: draws a perfect matching of a ring such that each of the l rows of a record is equally likely
//! (algorithms.md B10, step 4).
//!
//! Record i of a ring may show the value of row i + d, for d from 0 to l − 1. A matching is written as the list of its d's.
//!
//! **What a matching may not do.** Somebody who knows the ring knows that exactly one of the l records that cover a row shows that row's
//! value: any other row from which they take a value is less than l places away, so it has another value. A value that two of these records
//! show is therefore not the row's, and if l − 1 of them show the same value, the last one gives the row's value away. So any l neighbouring
//! records must show different values, as the rows do. Shifting the whole ring keeps this property; of random matchings only those with this
//! property are used.

use rand_chacha::ChaCha20Rng;

use crate::base::chance::below;

/// How values are assigned to records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// A ring is divided into random matchings, of which one is drawn.
    Decompose,
    /// Every record of a ring takes the value from the same distance. Somebody who knows one link then knows the whole ring.
    Shift,
}

/// The draw of a ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// For each place, how far ahead the value is taken from.
    pub(crate) ahead: Vec<u32>,
    /// Whether all places take the value from equally far ahead.
    pub(crate) turned: bool,
}

/// The most decompositions of a ring that are tried.
const TRIES: usize = 64;

/// Draws a matching of a ring. `values` are the ring's values in their order.
pub(crate) fn draw(values: &[u32], l: u32, exchange: Exchange, chance: &mut ChaCha20Rng) -> Drawn {
    let pick = below(u64::from(l), chance) as u32;
    let matchings = match exchange {
        Exchange::Shift => None,
        Exchange::Decompose => {
            let keeps = |matching: &[u32]| shows_differ(values, matching, l as usize);
            (0..TRIES).find_map(|_| decomposition(values.len(), l, keeps, chance))
        }
    };
    let ahead = matchings.and_then(|mut matchings| matchings.drain(..).nth(pick as usize));
    let ahead = ahead.unwrap_or_else(|| vec![pick; values.len()]);
    Drawn { turned: ahead.windows(2).all(|pair| pair[0] == pair[1]), ahead }
}

/// Returns all l matchings of a random decomposition, if every one of them passes a test. Every pair of a record and one of its rows is in
/// exactly one of them.
fn decomposition(
    rows: usize,
    l: u32,
    passes: impl Fn(&[u32]) -> bool,
    chance: &mut ChaCha20Rng,
) -> Option<Vec<Vec<u32>>> {
    let mut free: Vec<Vec<u32>> = vec![(0..l).collect(); rows];
    let mut matchings = Vec::with_capacity(l as usize);
    for _ in 0..l {
        let matching = matching(&free, chance);
        if !passes(&matching) {
            return None;
        }
        for (free, taken) in free.iter_mut().zip(&matching) {
            free.retain(|ahead| ahead != taken);
        }
        matchings.push(matching);
    }
    Some(matchings)
}

/// Whether any l neighbours show different values.
fn shows_differ(values: &[u32], ahead: &[u32], l: usize) -> bool {
    let rows = values.len();
    let shown: Vec<u32> =
        ahead.iter().enumerate().map(|(place, ahead)| values[(place + *ahead as usize) % rows]).collect();
    (0..rows).all(|place| (1..l.min(rows)).all(|step| shown[place] != shown[(place + step) % rows]))
}

/// Draws a random perfect matching of a regular graph. From each record without a row, a random walk leads to a free row by way of records
/// that then take another row (Goel, Kapralov, Khanna 2010: n log n steps are expected). `free` are the edges that are left, the same number
/// at each place.
fn matching(free: &[Vec<u32>], chance: &mut ChaCha20Rng) -> Vec<u32> {
    let rows = free.len();
    // For each row the record that has it, and for each record how far ahead its row is.
    let mut owner: Vec<Option<usize>> = vec![None; rows];
    let mut ahead = vec![0_u32; rows];
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        order.swap(last, below(last as u64 + 1, chance) as usize);
    }
    let mut next = vec![0_u32; rows];
    for start in order {
        let mut at = start;
        loop {
            let edges = &free[at];
            let has_row = owner[(at + ahead[at] as usize) % rows] == Some(at);
            // Draw any edge except the one in the matching.
            let own = if has_row { edges.iter().position(|edge| *edge == ahead[at]) } else { None };
            let others = edges.len() - usize::from(own.is_some());
            let mut drawn = below(others as u64, chance) as usize;
            drawn += usize::from(own.is_some_and(|own| drawn >= own));
            next[at] = edges[drawn];
            match owner[(at + edges[drawn] as usize) % rows] {
                Some(other) => at = other,
                None => break,
            }
        }
        // The edges on which the walk last left each record lead straight to the free row.
        let mut at = start;
        loop {
            ahead[at] = next[at];
            match owner[(at + next[at] as usize) % rows].replace(at) {
                Some(other) => at = other,
                None => break,
            }
        }
    }
    ahead
}

#[cfg(test)]
mod tests {
    use super::super::order::places;
    use super::super::order::tests::windows_differ;
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::rand_core::SeedableRng;

    fn is_matching(ahead: &[u32], l: u32) -> bool {
        let mut taken: Vec<usize> =
            ahead.iter().enumerate().map(|(place, step)| (place + *step as usize) % ahead.len()).collect();
        taken.sort_unstable();
        taken.dedup();
        taken.len() == ahead.len() && ahead.iter().all(|step| *step < l)
    }

    /// Rows per value, none with more than a 1/l share.
    fn rings() -> impl Strategy<Value = (Vec<u32>, u32)> {
        (2..6_u32, prop::collection::vec(1..5_u64, 1..14)).prop_filter_map("eligible", |(l, counts)| {
            let rows: u64 = counts.iter().sum();
            let most = counts.iter().max().copied().unwrap_or(0);
            (most * u64::from(l) <= rows).then(|| (places(&counts, u64::from(l)), l))
        })
    }

    proptest! {
        /// Each pair of a record and one of its rows is in exactly one matching: its probability is 1/l.
        #[test]
        fn a_decomposition_has_every_edge_once(rows in 2..30_usize, l in 2..7_u32, seed in any::<u64>()) {
            let l = l.min(rows as u32);
            let mut chance = ChaCha20Rng::seed_from_u64(seed);
            let matchings = decomposition(rows, l, |_| true, &mut chance).expect("every matching passes");
            prop_assert_eq!(matchings.len(), l as usize);
            prop_assert!(matchings.iter().all(|matching| is_matching(matching, l)));
            for place in 0..rows {
                let mut ahead: Vec<u32> = matchings.iter().map(|matching| matching[place]).collect();
                ahead.sort_unstable();
                prop_assert_eq!(ahead, (0..l).collect::<Vec<u32>>());
            }
        }

        /// Any l neighbours show different values, as the rows have them.
        #[test]
        fn neighbours_show_different_values((values, l) in rings(), seed in any::<u64>()) {
            let mut chance = ChaCha20Rng::seed_from_u64(seed);
            for exchange in [Exchange::Decompose, Exchange::Shift] {
                let drawn = draw(&values, l, exchange, &mut chance);
                prop_assert!(is_matching(&drawn.ahead, l));
                let shown: Vec<u32> = (0..values.len())
                    .map(|place| values[(place + drawn.ahead[place] as usize) % values.len()])
                    .collect();
                prop_assert!(windows_differ(&shown, l as usize));
            }
        }
    }

    /// algorithms.md B10: with four rows and l = 2 there are two matchings, and both are equally likely.
    #[test]
    fn four_rows_in_pairs() {
        let mut chance = ChaCha20Rng::seed_from_u64(1);
        for exchange in [Exchange::Decompose, Exchange::Shift] {
            let drawn: Vec<Vec<u32>> =
                (0..400).map(|_| draw(&[0, 1, 0, 1], 2, exchange, &mut chance).ahead).collect();
            let own = drawn.iter().filter(|ahead| **ahead == [0; 4]).count();
            let next = drawn.iter().filter(|ahead| **ahead == [1; 4]).count();
            assert_eq!(own + next, 400);
            assert!((150..250).contains(&own), "{own}");
        }
    }

    /// Without the condition, a matching may reveal a row: of the three records that cover row 2, two show the same value.
    #[test]
    fn a_matching_that_gives_a_value_away_is_not_drawn() {
        // Places 0 to 5; rows 0 and 3 both have the value a. Record 0 takes row 0, record 1 row 3, record 2 row 2.
        let values = [0, 1, 2, 0, 1, 2];
        let ahead = [0, 2, 0, 1, 1, 2];
        assert!(is_matching(&ahead, 3) && windows_differ(&values, 3));
        assert!(!shows_differ(&values, &ahead, 3));
        let mut chance = ChaCha20Rng::seed_from_u64(1);
        assert!((0..200).all(|_| draw(&values, 3, Exchange::Decompose, &mut chance).ahead != ahead));
    }

    /// If all rows have different values, every matching may be drawn, not only shifts.
    #[test]
    fn a_ring_without_repetition_is_not_just_turned() {
        let mut chance = ChaCha20Rng::seed_from_u64(1);
        let values: Vec<u32> = (0..5).collect();
        let drawn = (0..50).map(|_| draw(&values, 3, Exchange::Decompose, &mut chance));
        assert!(drawn.filter(|drawn| !drawn.turned).count() > 25);
    }
}
