//! Deals the rows of one tuple to several classes.
//!
//! Where no model reads payloads, a search does not care which rows of a tuple it takes. If it took them in the order of
//! their payloads, the classes would be more uniform than the tuple, and would reveal more about the people in them than
//! necessary.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::table::frequency::Cell;

/// A payload that waits for its turn.
#[derive(PartialEq, Eq)]
struct Turn {
    rows: u32,
    dealt: u32,
    place: usize,
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        let quotient = |of: &Self, by: &Self| u128::from(of.rows) * (2 * u128::from(by.dealt) + 1);
        quotient(self, other).cmp(&quotient(other, self)).then(other.place.cmp(&self.place))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Takes at most `rows` of the rows that are `left` of a tuple's cells, among the payloads that fit. Payloads take turns in
/// proportion to the number of their rows (by the largest quotient with odd divisors, as parliaments allot seats to parties),
/// so the last class gets the same mix as the first.
pub(crate) fn take(cells: &[Cell], left: &mut [u32], rows: u64, fits: impl Fn(u32) -> bool) -> Vec<Cell> {
    let before = left.to_vec();
    let turn =
        |place: usize, left: u32| Turn { rows: cells[place].rows, dealt: cells[place].rows - left, place };
    let open = (0..cells.len()).filter(|place| left[*place] > 0 && fits(cells[*place].payload));
    let mut open: BinaryHeap<Turn> = open.map(|place| turn(place, left[place])).collect();
    let all: u64 = open.iter().map(|turn| u64::from(left[turn.place])).sum();
    if all <= rows {
        open.iter().for_each(|turn| left[turn.place] = 0);
    } else {
        for _ in 0..rows {
            let Some(Turn { place, .. }) = open.pop() else { break };
            left[place] -= 1;
            if left[place] > 0 {
                open.push(turn(place, left[place]));
            }
        }
    }
    let taken = cells.iter().zip(before).zip(left);
    let taken = taken.map(|((cell, before), after)| Cell { payload: cell.payload, rows: before - *after });
    taken.filter(|cell| cell.rows > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(rows: &[u32]) -> Vec<Cell> {
        (0..).zip(rows).map(|(payload, rows)| Cell { payload, rows: *rows }).collect()
    }

    #[test]
    fn everybody_gets_the_same_mix() {
        let cells = cells(&[6, 3]);
        let mut left = vec![6, 3];
        for _ in 0..3 {
            let taken: Vec<(u32, u32)> =
                take(&cells, &mut left, 3, |_| true).iter().map(|cell| (cell.payload, cell.rows)).collect();
            assert_eq!(taken, [(0, 2), (1, 1)]);
        }
        assert_eq!(left, [0, 0]);
        assert!(take(&cells, &mut left, 3, |_| true).is_empty());
    }

    #[test]
    fn one_at_a_time_is_as_fair_as_many_at_once() {
        let cells = cells(&[5, 1, 4]);
        let (mut at_once, mut singly) = (vec![5, 1, 4], vec![5, 1, 4]);
        for rows in [2, 3, 1, 4] {
            take(&cells, &mut at_once, rows, |_| true);
            (0..rows).for_each(|_| drop(take(&cells, &mut singly, 1, |_| true)));
            assert_eq!(at_once, singly);
        }
    }

    #[test]
    fn only_what_fits_is_taken_and_no_more_than_there_is() {
        let cells = cells(&[2, 5, 1]);
        let mut left = vec![2, 5, 1];
        assert_eq!(crate::table::frequency::total(&take(&cells, &mut left, 9, |payload| payload != 1)), 3);
        assert_eq!(left, [0, 5, 0]);
        assert_eq!(crate::table::frequency::total(&take(&cells, &mut left, 2, |_| true)), 2);
        assert_eq!(left, [0, 3, 0]);
    }
}
