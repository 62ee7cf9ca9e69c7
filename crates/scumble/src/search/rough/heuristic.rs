//! One reduct that hides everyone among k, found greedily (Rokach and Schclar, Heuristic 1; algorithms.md A6).
//!
//! The paper prints the ratio with its numerator reversed and has no k. Here a column may be added only if the smallest class of
//! the known columns keeps k rows, and the column that decides most for its cost is added first.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::decision::DecisionTable;
use super::partition::TupleClasses;
use super::reducts::core;
use super::region::Region;
use crate::error::Result;
use crate::problem::Progress;

/// The requirements of a reduct.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    /// The columns that outsiders know. Only they count for the sizes of classes.
    pub known: &'a [bool],
    /// The least rows of a class.
    pub k: u64,
    /// Where progress is reported.
    pub progress: &'a Progress,
}

/// A set of columns, and what publishing them keeps and hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduct {
    /// The columns, ascending.
    pub columns: Vec<usize>,
    /// The rows of its positive region.
    pub positive: u64,
    /// The rows of the positive region of all columns from which these were chosen.
    pub full: u64,
    /// The rows of the smallest class of its known columns.
    pub smallest: u64,
}

impl Reduct {
    /// Computes what these columns keep and hide.
    #[must_use]
    pub fn of(table: &DecisionTable, known: &[bool], full: u64, columns: Vec<usize>) -> Self {
        let outside: Vec<usize> = columns.iter().copied().filter(|column| known[*column]).collect();
        let positive = Region::of(table, &columns).positive();
        Self { smallest: TupleClasses::of(table, &outside).smallest(table), columns, positive, full }
    }

    /// Whether these columns decide as much as all columns do, so that they are a reduct in the strict sense.
    #[must_use]
    pub fn is_reduct(&self) -> bool {
        self.positive == self.full
    }
}

/// What adding a column would bring: the rows gained by the positive region, and the rows lost by the smallest class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offer {
    gain: u64,
    loss: u64,
}

impl Offer {
    /// Orders offers, the better being greater. A gain without a loss is best, then the greatest gain per loss, then the least
    /// loss without a gain. The last kind makes progress where only several columns together decide.
    fn compare(&self, other: &Self) -> Ordering {
        let rank = |offer: &Self| match (offer.gain, offer.loss) {
            (0, _) => 0,
            (_, 0) => 2,
            _ => 1,
        };
        rank(self).cmp(&rank(other)).then_with(|| match rank(self) {
            0 => other.loss.cmp(&self.loss),
            1 => {
                let quotient = |gain: u64, loss: u64| u128::from(gain) * u128::from(loss);
                let ratio = quotient(self.gain, other.loss).cmp(&quotient(other.gain, self.loss));
                ratio.then(self.gain.cmp(&other.gain))
            }
            _ => self.gain.cmp(&other.gain),
        })
    }
}

/// Finds a reduct among some of the columns (ascending), or as much of one as k allows.
pub fn greedy(table: &DecisionTable, among: &[usize], wish: Wish<'_>) -> Result<Reduct> {
    let outside =
        |columns: &[usize]| columns.iter().copied().filter(|c| wish.known[*c]).collect::<Vec<usize>>();
    let full = Region::of(table, among).positive();
    wish.progress.check()?;
    // Every reduct is at least as fine as the core, so if the core is too fine, the search begins without any column.
    let mut chosen = core(table, among);
    wish.progress.advance(among.len() as u64);
    let mut classes = TupleClasses::of(table, &outside(&chosen));
    let mut smallest = classes.smallest(table);
    if smallest < wish.k {
        chosen.clear();
        classes = TupleClasses::whole(table);
        smallest = table.rows();
    }
    let mut region = Region::of(table, &chosen);
    let mut left: Vec<usize> = among.iter().copied().filter(|column| !chosen.contains(column)).collect();
    while region.positive() < full {
        wish.progress.check()?;
        let after: Vec<u64> = left
            .par_iter()
            .map(|column| {
                wish.progress.check()?;
                Ok(if wish.known[*column] { classes.smallest_with(table, *column) } else { smallest })
            })
            .collect::<Result<_>>()?;
        // Classes only get smaller, so a column that is not admissible now never will be.
        let admissible = left.iter().zip(after).filter(|(_, after)| *after >= wish.k);
        let admissible: Vec<(usize, u64)> = admissible.map(|(column, after)| (*column, after)).collect();
        left = admissible.iter().map(|(column, _)| *column).collect();
        let offers: Vec<Offer> = admissible
            .par_iter()
            .map(|(column, after)| {
                wish.progress.check()?;
                let gain = region.positive_with(table, *column) - region.positive();
                Ok(Offer { gain, loss: smallest - after })
            })
            .collect::<Result<_>>()?;
        wish.progress.advance(left.len() as u64);
        // `max_by` returns the last of several, so going backwards finds the first column.
        let best = (0..offers.len()).rev().max_by(|a, b| offers[*a].compare(&offers[*b]));
        let Some((column, after)) = best.map(|place| admissible[place]) else { break };
        chosen.push(column);
        left.retain(|other| *other != column);
        region = region.with(table, column);
        if wish.known[column] {
            classes = classes.refine(table, column);
            smallest = after;
        }
    }
    // Columns that were added early may have become superfluous. The last are tested first.
    for column in chosen.clone().into_iter().rev() {
        wish.progress.check()?;
        let rest: Vec<usize> = chosen.iter().copied().filter(|other| *other != column).collect();
        if Region::of(table, &rest).positive() == region.positive() {
            chosen = rest;
        }
    }
    chosen.sort_unstable();
    Ok(Reduct::of(table, wish.known, full, chosen))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::reducts::all_reducts;
    use super::super::testing::{Row, paper, rows, table};
    use super::*;

    fn found(table: &DecisionTable, known: &[bool], k: u64) -> Reduct {
        let among: Vec<usize> = (0..table.width()).collect();
        greedy(table, &among, Wish { known, k, progress: &Progress::default() }).expect("no one stops it")
    }

    fn tiny(decisions: [u32; 6]) -> DecisionTable {
        let codes = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]];
        let rows: Vec<Row> = codes.iter().zip(decisions).map(|(codes, d)| (codes.to_vec(), d)).collect();
        table(3, &rows)
    }

    /// All columns of the paper's table but capital gain, capital loss and hours.
    fn quasi() -> Vec<bool> {
        (0..14).map(|column| !(10..13).contains(&column)).collect()
    }

    #[test]
    fn the_paper_s_table() {
        let (table, known) = (paper(), quasi());
        let all: Vec<usize> = (0..14).collect();
        let of_known: Vec<usize> = all.iter().copied().filter(|column| known[*column]).collect();
        assert_eq!(Region::of(&table, &all).positive(), 15);
        assert_eq!(Region::of(&table, &of_known).positive(), 12);
        assert_eq!(TupleClasses::of(&table, &of_known).smallest(&table), 1);
        // The first step: age 10/14, workclass 7/8, fnlwgt 12/14, gain 3/0, loss 2/0, hours 4/0.
        let nothing = Region::of_nothing(&table);
        let whole = TupleClasses::whole(&table);
        let offers = [0, 1, 2, 10, 11, 12].map(|column| {
            let after = if known[column] { whole.smallest_with(&table, column) } else { 15 };
            (nothing.positive_with(&table, column), 15 - after)
        });
        assert_eq!(offers, [(10, 14), (7, 8), (12, 14), (3, 0), (2, 0), (4, 0)]);
        for k in [1, 2, 3, 5] {
            let reduct = found(&table, &known, k);
            // Sex, capital gain, capital loss, hours.
            assert_eq!(reduct.columns, [9, 10, 11, 12], "k = {k}");
            assert_eq!((reduct.positive, reduct.smallest, reduct.is_reduct()), (15, 5, true));
        }
    }

    #[test]
    fn the_tiny_tables() {
        let reduct = found(&tiny([1, 1, 1, 0, 0, 0]), &[true; 3], 1);
        assert_eq!((reduct.columns, reduct.smallest), (vec![0], 3));
        let parity = tiny([1, 0, 0, 0, 1, 1]);
        let reduct = found(&parity, &[true; 3], 1);
        assert_eq!((&reduct.columns[..], reduct.smallest, reduct.is_reduct()), (&[0, 1, 2][..], 1, true));
        let reduct = found(&parity, &[true; 3], 2);
        assert_eq!((reduct.positive, reduct.smallest, reduct.is_reduct()), (0, 6, false));
        assert_eq!(reduct.columns, [0_usize; 0]);
        assert_eq!(found(&parity, &[true; 3], 7).columns, [0_usize; 0], "k above the number of rows");
        // Outsiders know none of the columns, so all of them may be published.
        assert_eq!(found(&parity, &[false; 3], 6).columns, [0, 1, 2]);
    }

    #[test]
    fn offers_are_ranked() {
        let offer = |gain, loss| Offer { gain, loss };
        let ranked =
            [offer(0, 9), offer(0, 1), offer(1, 3), offer(2, 6), offer(7, 10), offer(1, 0), offer(4, 0)];
        for (place, better) in ranked.iter().enumerate() {
            assert_eq!(better.compare(better), Ordering::Equal);
            for worse in &ranked[..place] {
                assert_eq!(better.compare(worse), Ordering::Greater, "{better:?} {worse:?}");
                assert_eq!(worse.compare(better), Ordering::Less);
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_found_keeps_k_and_has_nothing_superfluous(
            rows in rows(4),
            known in prop::collection::vec(any::<bool>(), 4),
            k in 1..6_u64,
        ) {
            let table = table(4, &rows);
            let reduct = found(&table, &known, k);
            prop_assert!(reduct.columns.is_empty() || reduct.smallest >= k);
            for column in &reduct.columns {
                let rest: Vec<usize> = reduct.columns.iter().copied().filter(|other| other != column).collect();
                prop_assert!(Region::of(&table, &rest).positive() < reduct.positive);
            }
            let all = all_reducts(&table, &[0, 1, 2, 3], 16, &Progress::default()).expect("no one stops it");
            if k == 1 {
                prop_assert!(all.expect("few columns").contains(&reduct.columns));
            }
        }
    }
}
