//! Which unknowns a system of sums fixes, whatever the sums are.
//!
//! An unknown is fixed if the system implies an equation in it alone. That is decided by Gaussian elimination modulo two
//! primes, which agrees with fractions unless both primes divide the same minor of the system; what only one of them finds is
//! not claimed.

use crate::error::Result;
use crate::problem::Progress;

/// The two largest primes below 2^31: products fit in 64 bits.
const PRIMES: [u64; 2] = [2_147_483_647, 2_147_483_629];

/// About how many multiplications a system needs.
pub(super) fn work(rows: usize, columns: usize) -> u64 {
    (2 * rows as u64).saturating_mul(columns as u64).saturating_mul(rows.min(columns) as u64)
}

/// The rows of a system that hang together, as groups of places; each group ascending, in the order of its first row.
pub(super) fn components(rows: &[Vec<u32>]) -> Vec<Vec<usize>> {
    let size = rows.iter().flatten().max().map_or(0, |last| *last as usize + 1);
    let mut parent: Vec<u32> = (0..size as u32).collect();
    fn root(parent: &mut [u32], mut of: u32) -> u32 {
        while parent[of as usize] != of {
            parent[of as usize] = parent[parent[of as usize] as usize];
            of = parent[of as usize];
        }
        of
    }
    for row in rows {
        for pair in row.windows(2) {
            let (one, other) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[one.max(other) as usize] = one.min(other);
        }
    }
    let mut group_of_root = std::collections::BTreeMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let Some(first) = row.first() else { continue };
        let group = *group_of_root.entry(root(&mut parent, *first)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
    }
    groups
}

/// The unknowns among `columns` (ascending) that a system fixes; each of its rows is the sum of the unknowns it lists.
pub(super) fn determined(system: &[&[u32]], columns: &[u32], progress: &Progress) -> Result<Vec<u32>> {
    let mut fixed = columns.to_vec();
    for prime in PRIMES {
        let found = modulo(system, columns, prime, progress)?;
        fixed.retain(|unknown| found.binary_search(unknown).is_ok());
    }
    Ok(fixed)
}

fn modulo(system: &[&[u32]], columns: &[u32], prime: u64, progress: &Progress) -> Result<Vec<u32>> {
    let width = columns.len();
    // By pivot: a row whose first entry is 1 and stands there.
    let mut basis: Vec<Option<Vec<u64>>> = vec![None; width];
    for sum in system {
        progress.check()?;
        let mut row = vec![0_u64; width];
        for unknown in *sum {
            if let Ok(place) = columns.binary_search(unknown) {
                row[place] = 1;
            }
        }
        for pivot in 0..width {
            if row[pivot] == 0 {
                continue;
            }
            match &basis[pivot] {
                Some(other) => subtract(&mut row, other, pivot, prime),
                None => {
                    let inverse = power(row[pivot], prime - 2, prime);
                    row[pivot..].iter_mut().for_each(|entry| *entry = *entry * inverse % prime);
                    basis[pivot] = Some(row);
                    break;
                }
            }
        }
    }
    let mut fixed = Vec::new();
    for pivot in (0..width).rev() {
        progress.check()?;
        let Some(mut row) = basis[pivot].take() else { continue };
        for later in pivot + 1..width {
            if let (true, Some(other)) = (row[later] != 0, &basis[later]) {
                subtract(&mut row, other, later, prime);
            }
        }
        if row[pivot + 1..].iter().all(|entry| *entry == 0) {
            fixed.push(columns[pivot]);
        }
        basis[pivot] = Some(row);
    }
    fixed.reverse();
    Ok(fixed)
}

/// Takes a multiple of another row away, so that the entry at its pivot vanishes.
fn subtract(row: &mut [u64], other: &[u64], pivot: usize, prime: u64) {
    let factor = prime - row[pivot];
    for (entry, of) in row[pivot..].iter_mut().zip(&other[pivot..]) {
        *entry = (*entry + factor * of) % prime;
    }
}

fn power(mut base: u64, mut exponent: u64, prime: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result * base % prime;
        }
        base = base * base % prime;
        exponent /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(rows: &[&[u32]]) -> Vec<u32> {
        let mut columns: Vec<u32> = rows.concat();
        columns.sort_unstable();
        columns.dedup();
        determined(rows, &columns, &Progress::default()).expect("not stopped")
    }

    #[test]
    fn sums_that_fix_an_unknown() {
        // A triangle of sums fixes all three, a square none.
        assert_eq!(fixed(&[&[1, 2], &[2, 3], &[1, 3]]), [1, 2, 3]);
        assert!(fixed(&[&[1, 2], &[2, 3], &[3, 4], &[1, 4]]).is_empty());
        // One set inside another fixes what is left over.
        assert_eq!(fixed(&[&[1, 2, 3], &[1, 2]]), [3]);
        assert_eq!(fixed(&[&[5, 6, 7, 8], &[5, 6], &[7, 9], &[9]]), [7, 8, 9]);
    }

    #[test]
    fn what_hangs_together() {
        let rows = [vec![0, 1], vec![5, 6], vec![1, 2], vec![6, 7], vec![9, 10]];
        assert_eq!(components(&rows), [vec![0, 2], vec![1, 3], vec![4]]);
        assert_eq!(components(&[]), Vec::<Vec<usize>>::new());
    }
}
