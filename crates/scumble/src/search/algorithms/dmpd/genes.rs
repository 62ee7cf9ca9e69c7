//! Encodes a division of the columns into tables as genes: for each column the number of its table, or 0 if it is
//! in none.
//!
//! Tables are numbered as they come from the first column on, so that each division has exactly one encoding.

use rand_chacha::ChaCha20Rng;

use crate::base::chance::below;

/// The table of each column; 0 stands for none.
pub(super) type Genes = Vec<u16>;

/// The same division with its tables numbered as they come.
pub(super) fn canonical(genes: &[u16]) -> Genes {
    let mut seen: Vec<u16> = vec![0];
    let number = |table: &u16| match seen.iter().position(|other| other == table) {
        Some(place) => place as u16,
        None => {
            seen.push(*table);
            seen.len() as u16 - 1
        }
    };
    genes.iter().map(number).collect()
}

/// The columns of each table, ascending.
pub(super) fn tables(genes: &[u16]) -> Vec<Vec<usize>> {
    let count = genes.iter().max().copied().unwrap_or(0);
    (1..=count).map(|table| (0..genes.len()).filter(|column| genes[*column] == table).collect()).collect()
}

/// A random division: each column joins no table, an existing one, or a new one.
pub(super) fn random(width: usize, chance: &mut ChaCha20Rng) -> Genes {
    // The share of columns that are left out differs between divisions, since strict requirements leave only few
    // in.
    let left_out = below(100, chance);
    let mut count = 0_u16;
    let mut genes = Genes::new();
    for _ in 0..width {
        let table =
            if below(100, chance) < left_out { 0 } else { 1 + below(u64::from(count) + 1, chance) as u16 };
        count = count.max(table);
        genes.push(table);
    }
    genes
}

/// A child: some tables of one parent unchanged, and what remains of the other parent's tables.
pub(super) fn cross(one: &[u16], other: &[u16], chance: &mut ChaCha20Rng) -> Genes {
    let count = one.iter().max().copied().unwrap_or(0);
    // The set of columns that one parent leaves out may be copied as well.
    let copied: Vec<bool> = (0..=count).map(|_| below(2, chance) == 1).collect();
    let genes = one.iter().zip(other).map(|(own, theirs)| match (copied[usize::from(*own)], *theirs) {
        (true, _) => *own,
        (false, 0) => 0,
        (false, table) => count + table,
    });
    canonical(&genes.collect::<Vec<u16>>())
}

/// Moves columns to another table, to a new one, or out. The probability for each column is one divided by the
/// number of columns.
pub(super) fn mutate(genes: &[u16], chance: &mut ChaCha20Rng) -> Genes {
    let mut genes = genes.to_vec();
    for column in 0..genes.len() {
        if below(genes.len() as u64, chance) == 0 {
            let count = genes.iter().max().copied().unwrap_or(0);
            // Any of 0 to count + 1 except the present table.
            let drawn = below(u64::from(count) + 1, chance) as u16;
            genes[column] = if drawn >= genes[column] { drawn + 1 } else { drawn };
        }
    }
    canonical(&genes)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::chance::secret_unless;

    #[test]
    fn one_division_has_one_string() {
        assert_eq!(canonical(&[3, 0, 7, 3]), [1, 0, 2, 1]);
        assert_eq!(canonical(&[0, 0]), [0, 0]);
        assert_eq!(tables(&[1, 0, 2, 1]), [vec![0, 3], vec![2]]);
        assert_eq!(tables(&[0, 0]), Vec::<Vec<usize>>::new());
    }

    proptest! {
        #[test]
        fn children_keep_tables_of_one_parent_and_rests_of_the_other(seed in any::<u64>()) {
            let mut chance = secret_unless(Some(seed)).expect("a seed");
            let (one, other) = (canonical(&random(6, &mut chance)), canonical(&random(6, &mut chance)));
            prop_assert_eq!(&one, &random_again(seed), "a random division is canonical already");
            let child = cross(&one, &other, &mut chance);
            prop_assert_eq!(&canonical(&child), &child);
            let whole: BTreeSet<Vec<usize>> = tables(&one).into_iter().collect();
            for table in tables(&child) {
                let rest = tables(&other).iter().any(|theirs| table.iter().all(|column| theirs.contains(column)));
                prop_assert!(whole.contains(&table) || rest);
            }
            let moved = mutate(&child, &mut chance);
            prop_assert_eq!(&canonical(&moved), &moved);
        }
    }

    fn random_again(seed: u64) -> Genes {
        random(6, &mut secret_unless(Some(seed)).expect("a seed"))
    }

    #[test]
    fn every_division_of_three_columns_is_reached() {
        // With tables numbered as they come: 15 (the Bell number of 4, since being left out is one more group).
        let mut chance = secret_unless(Some(1)).expect("a seed");
        let drawn: BTreeSet<Genes> = (0..2000).map(|_| random(3, &mut chance)).collect();
        assert_eq!(drawn.len(), 15);
        let mut reached: BTreeSet<Genes> = BTreeSet::from([vec![0, 0, 0]]);
        let mut now = vec![0, 0, 0];
        for _ in 0..2000 {
            now = mutate(&now, &mut chance);
            reached.insert(now.clone());
        }
        assert_eq!(reached, drawn);
    }
}
