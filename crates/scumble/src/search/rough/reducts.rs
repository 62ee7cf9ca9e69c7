//! The core, and all reducts of a small table.

use rayon::prelude::*;

use super::decision::DecisionTable;
use super::region::Region;
use crate::error::Result;
use crate::problem::Progress;

/// The columns without which the others decide less. They are in every reduct. Ascending.
#[must_use]
pub fn core(table: &DecisionTable, among: &[usize]) -> Vec<usize> {
    let full = Region::of(table, among).positive();
    let without = positive_without(table, among);
    let mut core: Vec<usize> =
        among.iter().zip(without).filter(|(_, rest)| *rest < full).map(|(column, _)| *column).collect();
    core.sort_unstable();
    core
}

/// For each column, the size of the positive region of all others. The columns are halved recursively, and those outside a
/// half are added once for the whole half.
fn positive_without(table: &DecisionTable, among: &[usize]) -> Vec<u64> {
    fn halve(table: &DecisionTable, among: &[usize], outside: &Region, found: &mut Vec<u64>) {
        match among {
            [] => {}
            [_] => found.push(outside.positive()),
            _ => {
                let (front, back) = among.split_at(among.len() / 2);
                let add = |columns: &[usize]| {
                    columns.iter().fold(outside.clone(), |region, column| region.with(table, *column))
                };
                halve(table, front, &add(back), found);
                halve(table, back, &add(front), found);
            }
        }
    }
    let mut found = Vec::with_capacity(among.len());
    halve(table, among, &Region::of_nothing(table), &mut found);
    found
}

/// All reducts, from the smallest to the largest, each ascending; `None` if there are more than `most` sets of columns to
/// check. Every reduct contains the whole core, so only sets of the other columns are tried.
pub fn all_reducts(
    table: &DecisionTable,
    among: &[usize],
    most: u64,
    progress: &Progress,
) -> Result<Option<Vec<Vec<usize>>>> {
    let full = Region::of(table, among).positive();
    let core = core(table, among);
    let mut free: Vec<usize> = among.iter().copied().filter(|column| !core.contains(column)).collect();
    free.sort_unstable();
    if free.len() >= 64 || 1 << free.len() > most {
        return Ok(None);
    }
    let of_core = Region::of(table, &core);
    let mut sets: Vec<u64> = (0..1 << free.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    let mut found: Vec<u64> = Vec::new();
    for sized in sets.chunk_by(|one, next| one.count_ones() == next.count_ones()) {
        progress.check()?;
        // Sets of one size cannot contain each other, so only smaller sets that were found before can rule them out.
        let decides: Vec<u64> = sized
            .par_iter()
            .filter(|set| found.iter().all(|smaller| *smaller & **set != *smaller))
            .filter(|set| {
                let columns = (0..free.len()).filter(|place| **set >> place & 1 == 1);
                let region = columns.fold(of_core.clone(), |region, place| region.with(table, free[place]));
                region.positive() == full
            })
            .copied()
            .collect();
        progress.advance(sized.len() as u64);
        found.extend(decides);
    }
    let columns = |set: &u64| {
        let chosen = (0..free.len()).filter(|place| set >> place & 1 == 1).map(|place| free[place]);
        let mut columns: Vec<usize> = core.iter().copied().chain(chosen).collect();
        columns.sort_unstable();
        columns
    };
    let mut reducts: Vec<Vec<usize>> = found.iter().map(columns).collect();
    reducts.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    Ok(Some(reducts))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Row, paper, rows, table};
    use super::*;

    fn tiny(decisions: [u32; 6]) -> DecisionTable {
        let codes = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]];
        let rows: Vec<Row> = codes.iter().zip(decisions).map(|(codes, d)| (codes.to_vec(), d)).collect();
        table(3, &rows)
    }

    fn all(table: &DecisionTable) -> Vec<Vec<usize>> {
        let among: Vec<usize> = (0..table.width()).collect();
        all_reducts(table, &among, 1 << 20, &Progress::default())
            .expect("no one stops it")
            .expect("few columns")
    }

    #[test]
    fn cores_of_the_specification() {
        // algorithms.md A6: yyynnn has the core {a}, ynnnyy the core {a, b, c}, and the paper's table none.
        assert_eq!(core(&tiny([1, 1, 1, 0, 0, 0]), &[0, 1, 2]), [0]);
        assert_eq!(core(&tiny([1, 0, 0, 0, 1, 1]), &[0, 1, 2]), [0, 1, 2]);
        let all_columns: Vec<usize> = (0..14).collect();
        assert_eq!(core(&paper(), &all_columns), [0_usize; 0]);
        assert_eq!(all(&tiny([1, 1, 1, 0, 0, 0])), [[0]]);
        assert_eq!(all(&tiny([1, 0, 0, 0, 1, 1])), [[0, 1, 2]]);
    }

    #[test]
    fn the_paper_s_table_has_45_reducts() {
        // Verified by trying all sets of its columns one by one.
        let reducts = all(&paper());
        assert_eq!(reducts.len(), 45);
        assert!(reducts.contains(&vec![9, 10, 11, 12]) && reducts.contains(&vec![0, 12]));
    }

    #[test]
    fn too_many_sets_are_not_tried() {
        let none = all_reducts(&paper(), &[0, 1, 2, 3], 15, &Progress::default());
        assert_eq!(none.expect("no one stops it"), None);
    }

    proptest! {
        #[test]
        fn reducts_are_minimal_and_the_core_is_in_all(rows in rows(4)) {
            let table = table(4, &rows);
            let among = [0, 1, 2, 3];
            let full = Region::of(&table, &among).positive();
            let decides = |set: u32| {
                let columns: Vec<usize> = (0..4).filter(|column| set >> column & 1 == 1).collect();
                Region::of(&table, &columns).positive() == full
            };
            let minimal = |set: &u32| {
                decides(*set) && (0..4).all(|column| set >> column & 1 == 0 || !decides(set & !(1 << column)))
            };
            let sets: Vec<u32> = (0..16).filter(minimal).collect();
            let mut wanted: Vec<Vec<usize>> =
                sets.iter().map(|set| (0..4).filter(|column| set >> column & 1 == 1).collect()).collect();
            wanted.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
            prop_assert_eq!(all(&table), wanted);
            let in_all = sets.iter().fold(0b1111, |common, set| common & set);
            let in_all: Vec<usize> = (0..4).filter(|column| in_all >> column & 1 == 1).collect();
            prop_assert_eq!(core(&table, &among), in_all);
        }
    }
}
