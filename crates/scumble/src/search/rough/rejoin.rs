//! Puts two projections side by side and finds small groups that must exist (models.md 4.11).
//!
//! Rows of two projections that agree on their common columns and on the decision may belong together, though nobody can say which.
//! But if a group of one and a group of the other together have more rows than there are, some row is in both. With `a` and `b` rows
//! among `n`, there are between `a + b − n` and the smaller of `a` and `b` such rows.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::decision::DecisionTable;
use super::partition::TupleClasses;
use crate::search::algorithms::Finding;
use crate::table::frequency::{Cell, merged};

/// What somebody can find by putting projections side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejoined {
    /// The rows of the smallest class of one projection's known columns.
    pub smallest: u64,
    /// The same when rows are also separated by their decision.
    pub smallest_with_decision: u64,
    /// The groups smaller than k that are certain to exist, over all pairs of projections.
    pub certain: u64,
}

/// Checks every pair of projections. Columns that outsiders do not know count only where both projections have them.
#[must_use]
pub fn rejoin(table: &DecisionTable, known: &[bool], projections: &[Vec<usize>], k: u64) -> Rejoined {
    let sides: Vec<Side> = projections.par_iter().map(|columns| Side::new(table, known, columns)).collect();
    let alone: Vec<Counts> = sides.iter().map(|side| side.counts(table, &[])).collect();
    let smallest = sides.iter().map(|side| TupleClasses::of(table, &side.told).smallest(table)).min();
    let with_decision = alone.iter().flat_map(|counts| counts.groups.values().flatten()).min();
    let pairs: Vec<(usize, usize)> =
        (0..sides.len()).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
    let certain = pairs.par_iter().map(|(one, other)| {
        let shared = |column: &&usize| projections[*other].contains(column);
        let common: Vec<usize> = projections[*one].iter().filter(shared).copied().collect();
        sides[*one].counts(table, &common).certain_with(&sides[*other].counts(table, &common), k)
    });
    Rejoined {
        smallest: smallest.unwrap_or(table.rows()),
        smallest_with_decision: with_decision.copied().unwrap_or(table.rows()),
        certain: certain.sum(),
    }
}

/// A projection: its distinct tuples, each represented by a tuple of the table, and its rows per decision.
struct Side {
    told: Vec<usize>,
    tuples: Vec<(u32, Vec<Cell>)>,
}

impl Side {
    fn new(table: &DecisionTable, known: &[bool], columns: &[usize]) -> Self {
        let classes = TupleClasses::of(table, columns);
        let cells =
            |class: &[u32]| merged(class.iter().flat_map(|tuple| table.cells(*tuple)).copied().collect());
        Self {
            told: columns.iter().copied().filter(|column| known[*column]).collect(),
            tuples: classes.classes().map(|class| (class[0], cells(class))).collect(),
        }
    }

    /// The sizes of its groups by known columns, common columns and decision.
    fn counts(&self, table: &DecisionTable, common: &[usize]) -> Counts {
        let codes = |columns: &[usize], tuple: u32| -> Vec<u32> {
            columns.iter().map(|column| table.column(*column)[tuple as usize]).collect()
        };
        let mut rows: BTreeMap<(Vec<u32>, u32, Vec<u32>), u64> = BTreeMap::new();
        for (tuple, cells) in &self.tuples {
            for cell in cells {
                let key = (codes(common, *tuple), cell.payload, codes(&self.told, *tuple));
                *rows.entry(key).or_default() += u64::from(cell.rows);
            }
        }
        let mut groups: BTreeMap<(Vec<u32>, u32), Vec<u64>> = BTreeMap::new();
        for ((common, decision, _), size) in rows {
            groups.entry((common, decision)).or_default().push(size);
        }
        Counts { groups }
    }
}

/// The sizes of a projection's groups. They are keyed by what it shares with another projection: the values of the common columns,
/// and the decision.
struct Counts {
    groups: BTreeMap<(Vec<u32>, u32), Vec<u64>>,
}

impl Counts {
    /// Counts the pairs of groups that must share rows, but fewer than k. Of two groups that together have more rows than there are,
    /// one has more than half of them, and each projection has at most one such group.
    fn certain_with(&self, other: &Self, k: u64) -> u64 {
        let mut certain = 0;
        for (ours, theirs) in
            self.groups.iter().filter_map(|(key, ours)| Some((ours, other.groups.get(key)?)))
        {
            let rows: u64 = ours.iter().sum();
            let large = |sizes: &[u64]| sizes.iter().position(|size| 2 * size > rows);
            let sure = |one: u64, two: u64| one + two > rows && one.min(two) < k;
            if let Some(place) = large(ours) {
                certain += theirs.iter().filter(|size| sure(ours[place], **size)).count() as u64;
            }
            // The pair of our large group and theirs was counted above.
            if let Some(place) = large(theirs) {
                let small = ours.iter().filter(|size| 2 * **size <= rows);
                certain += small.filter(|size| sure(theirs[place], **size)).count() as u64;
            }
        }
        certain
    }
}

impl Rejoined {
    /// The findings for the report. The smallest class without the decision is reported when the files are verified.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        vec![
            Finding::new(
                "smallest_class_with_decision",
                Some(self.smallest_with_decision as f64),
                "the rows of the smallest class of one file's quasi-identifiers together with the class label, which every file shows",
            ),
            Finding::new(
                "certain_small_groups",
                Some(self.certain as f64),
                "the groups smaller than k that are certain to exist when two files are put side by side, by their sizes alone",
            ),
        ]
    }

    /// The warning that somebody should consider before publishing, if there is one.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        (self.certain > 0).then(|| {
            format!(
                "putting the files side by side pins down {} groups smaller than k: their sizes alone prove that such people exist, \
                 though nobody can say which rows are theirs; publish fewer files, or ask for a larger k",
                self.certain
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{Row, rows, table};
    use super::*;

    #[test]
    fn large_groups_overlap() {
        // Six rows of one decision: five have a = 0, five have b = 0, so at least four have both, and (0,1) and (1,0) may not exist.
        let codes = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 1], [1, 0]];
        let rows: Vec<Row> = codes.into_iter().map(|codes| (codes.to_vec(), 0)).collect();
        let table = table(2, &rows);
        let projections = [vec![0], vec![1]];
        let pinned = |k| rejoin(&table, &[true; 2], &projections, k).certain;
        // 5 + 5 > 6: between 4 and 5 rows; 5 + 1 is not more than 6.
        assert_eq!([pinned(5), pinned(6)], [0, 1]);
        let warning = rejoin(&table, &[true; 2], &projections, 6).warning().expect("one group");
        assert!(
            warning.contains("putting the files side by side pins down 1 groups smaller than k"),
            "{warning}"
        );
        assert_eq!(rejoin(&table, &[true; 2], &projections, 5).warning(), None);
    }

    #[test]
    fn sizes_with_and_without_the_decision() {
        // models.md 4.11 (iii): groups of three rows, and of one row when separated by decision.
        let decisions = [0, 0, 1, 1, 1, 0];
        let codes = [[0, 0], [0, 1], [0, 1], [1, 1], [1, 0], [1, 0]];
        let rows: Vec<Row> = codes.into_iter().zip(decisions).map(|(codes, d)| (codes.to_vec(), d)).collect();
        let found = rejoin(&table(2, &rows), &[true; 2], &[vec![0], vec![1]], 2);
        assert_eq!((found.smallest, found.smallest_with_decision), (3, 1));
    }

    /// All pairs of groups, straight from the definition.
    fn literal(rows: &[Row], known: &[bool], one: &[usize], other: &[usize], k: u64) -> u64 {
        let common: Vec<usize> = one.iter().copied().filter(|column| other.contains(column)).collect();
        let key = |row: &Row, columns: &[usize]| {
            let seen = columns.iter().filter(|column| known[**column] || common.contains(column));
            (seen.map(|column| row.0[*column]).collect::<Vec<u32>>(), row.1)
        };
        let sizes = |columns: &[usize]| {
            let mut sizes: BTreeMap<(Vec<u32>, u32), (u64, &Row)> = BTreeMap::new();
            rows.iter().for_each(|row| sizes.entry(key(row, columns)).or_insert((0, row)).0 += 1);
            sizes
        };
        let mut certain = 0;
        for (a, ours) in sizes(one).values() {
            for (b, theirs) in sizes(other).values() {
                let meet = |row: &Row| row.1 == ours.1 && common.iter().all(|c| row.0[*c] == ours.0[*c]);
                let n = rows.iter().filter(|row| meet(row)).count() as u64;
                certain += u64::from(meet(theirs) && a + b > n && *a.min(b) < k);
            }
        }
        certain
    }

    proptest! {
        #[test]
        fn pairs_are_those_of_the_definition(rows in rows(4), known in prop::collection::vec(any::<bool>(), 4), k in 1..9_u64) {
            let table = table(4, &rows);
            for (one, other) in [(vec![0], vec![1]), (vec![0, 1], vec![1, 2]), (vec![0, 3], vec![1, 2, 3])] {
                let found = rejoin(&table, &known, &[one.clone(), other.clone()], k);
                prop_assert_eq!(found.certain, literal(&rows, &known, &one, &other, k));
                prop_assert!(found.smallest_with_decision <= found.smallest);
            }
        }
    }
}
