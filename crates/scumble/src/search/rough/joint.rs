//! Computes among how many rows everyone is hidden when several projections are published together (algorithms.md A7).
//!
//! Somebody who knows all of a person's known columns, and that the person is in the table, finds in each projection the rows that
//! look like the person's. Rows whose decision or shared columns have no partner in another projection are ruled out. The *level*
//! is the least number of rows that remain, over all people and projections. This does not cover somebody who matches all people
//! with all rows at once, who may find out more.

use rayon::prelude::*;

use super::decision::DecisionTable;
use super::join::{Hidden, Join, Scratch};
use crate::error::Result;
use crate::problem::Progress;

/// The level of several projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joint {
    /// The level, or a lower bound where the exact level would take too long to find.
    pub level: u64,
    /// An upper bound on the level.
    pub at_most: u64,
}

impl Joint {
    /// Whether the level is known exactly.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.level == self.at_most
    }
}

/// The number of people who are checked in parallel.
const BATCH: usize = 2048;

/// Several projections, and what is known so far about everyone's level.
struct Levels<'a> {
    join: Join,
    /// A lower bound on each unit's level, ascending. Bounds stay valid, because levels only rise when projections are removed.
    bounds: Vec<(u64, u32)>,
    progress: &'a Progress,
}

/// The result of checking the units.
struct Look {
    joint: Joint,
    /// The results for the first units, in the order of the bounds.
    found: Vec<Hidden>,
}

impl<'a> Levels<'a> {
    fn new(
        table: &DecisionTable,
        known: &[bool],
        projections: &[Vec<usize>],
        progress: &'a Progress,
    ) -> Self {
        let join = Join::new(table, known, projections);
        // A unit's own rows always remain.
        let mut bounds: Vec<(u64, u32)> = join.units.iter().copied().zip(0..).collect();
        bounds.sort_unstable();
        Self { join, bounds, progress }
    }

    /// Computes the level of some of the projections. Checks units in the order of their bounds until none of the others can be
    /// lower, or until the level cannot be above `floor`.
    fn look(&self, active: &[bool], floor: u64) -> Result<Look> {
        let acyclic = self.join.is_acyclic(active);
        let mut joint = Joint { level: self.join.rows, at_most: self.join.rows };
        let mut found: Vec<Hidden> = Vec::new();
        for batch in self.bounds.chunks(BATCH) {
            if batch[0].0 >= joint.level || joint.level <= floor {
                break;
            }
            self.progress.check()?;
            found.par_extend(
                batch.par_iter().with_min_len(64).map_init(Scratch::default, |scratch, (_, unit)| {
                    self.join.hidden(*unit as usize, active, acyclic, scratch)
                }),
            );
            for hidden in &found[found.len() - batch.len()..] {
                joint.level = joint.level.min(hidden.at_least);
                joint.at_most = joint.at_most.min(hidden.at_most);
            }
        }
        Ok(Look { joint, found })
    }

    /// Remembers the results of a check.
    fn learn(&mut self, look: &Look) {
        for (bound, hidden) in self.bounds.iter_mut().zip(&look.found) {
            bound.0 = bound.0.max(hidden.at_least);
        }
        self.bounds.sort_unstable();
    }
}

/// Computes the level of several projections: sets of columns, each published with the decision.
pub fn joint_anonymity(
    table: &DecisionTable,
    known: &[bool],
    projections: &[Vec<usize>],
    progress: &Progress,
) -> Result<Joint> {
    let levels = Levels::new(table, known, projections, progress);
    Ok(levels.look(&vec![true; projections.len()], 0)?.joint)
}

/// Removes projections until the level is at least k. Each time it removes the one without which the level is highest, the last
/// among ties. Returns the places of those that are kept, and their level.
pub fn keep_level(
    table: &DecisionTable,
    known: &[bool],
    projections: &[Vec<usize>],
    k: u64,
    progress: &Progress,
) -> Result<(Vec<usize>, Joint)> {
    let mut levels = Levels::new(table, known, projections, progress);
    let mut active = vec![true; projections.len()];
    let mut look = levels.look(&active, 0)?;
    levels.learn(&look);
    while look.joint.level < k && active.contains(&true) {
        let mut best: Option<(usize, Look)> = None;
        for place in (0..active.len()).rev() {
            if !active[place] {
                continue;
            }
            progress.advance(1);
            active[place] = false;
            let floor = best.as_ref().map_or(0, |(_, look)| look.joint.level);
            let other = levels.look(&active, floor)?;
            active[place] = true;
            if best.is_none() || other.joint.level > floor {
                best = Some((place, other));
            }
        }
        let Some((place, without)) = best else { break };
        active[place] = false;
        levels.learn(&without);
        look = without;
    }
    let kept = (0..active.len()).filter(|place| active[*place]).collect();
    Ok((kept, look.joint))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::partition::TupleClasses;
    use super::super::testing::{Row, rows, table};
    use super::*;

    fn level(known: &[bool], rows: &[Row], projections: &[&[usize]]) -> u64 {
        let projections: Vec<Vec<usize>> = projections.iter().map(|columns| columns.to_vec()).collect();
        let table = table(known.len(), rows);
        let joint =
            joint_anonymity(&table, known, &projections, &Progress::default()).expect("no one stops it");
        assert!(joint.is_exact());
        joint.level
    }

    /// Rows of a, b and a third column, with decisions.
    fn four(third: [u32; 4], decisions: [u32; 4]) -> Vec<Row> {
        let codes = [[0, 0], [0, 1], [1, 0], [1, 1]];
        (0..4).map(|row| (vec![codes[row][0], codes[row][1], third[row]], decisions[row])).collect()
    }

    #[test]
    fn the_specification_s_examples() {
        let known = [true, true, false];
        // D = y,n,n,y: every value of a and b has both decisions, and nothing is ruled out.
        assert_eq!(level(&known, &four([0; 4], [1, 0, 0, 1]), &[&[0], &[1]]), 2);
        // D = y,y,n,n: a gives the decision, and b then identifies the row.
        let told = four([0; 4], [1, 1, 0, 0]);
        assert_eq!(level(&known, &told, &[&[0], &[1]]), 1);
        assert_eq!([level(&known, &told, &[&[0]]), level(&known, &told, &[&[1]])], [2, 2]);
        // A shared column that outsiders do not know.
        assert_eq!(level(&known, &four([1, 2, 2, 1], [1; 4]), &[&[0, 2], &[1, 2]]), 2);
        assert_eq!(level(&known, &told, &[]), 4, "nothing is published");
    }

    #[test]
    fn the_last_of_equals_is_taken_away() {
        let rows = four([0; 4], [1, 1, 0, 0]);
        let table = table(3, &rows);
        let projections = [vec![0], vec![1]];
        let keep = |k| {
            keep_level(&table, &[true, true, false], &projections, k, &Progress::default())
                .expect("no one stops it")
        };
        assert_eq!(keep(1), (vec![0, 1], Joint { level: 1, at_most: 1 }));
        assert_eq!(keep(2), (vec![0], Joint { level: 2, at_most: 2 }));
        assert_eq!(keep(3), (vec![], Joint { level: 4, at_most: 4 }));
    }

    /// The level, by trying all combinations of one row from each projection.
    fn tried(rows: &[Row], known: &[bool], projections: &[Vec<usize>]) -> u64 {
        let told: Vec<usize> = (0..known.len()).filter(|column| known[*column]).collect();
        let agree =
            |one: &Row, other: &Row, columns: &[usize]| columns.iter().all(|c| one.0[*c] == other.0[*c]);
        let mut least = rows.len() as u64;
        for person in rows {
            let looks_like = |columns: &Vec<usize>| -> Vec<usize> {
                let fixed: Vec<usize> = columns.iter().copied().filter(|c| told.contains(c)).collect();
                (0..rows.len()).filter(|row| agree(&rows[*row], person, &fixed)).collect()
            };
            let parts: Vec<Vec<usize>> = projections.iter().map(looks_like).collect();
            let mut combinations: Vec<Vec<usize>> = vec![Vec::new()];
            for (place, part) in parts.iter().enumerate() {
                let mut longer = Vec::new();
                for chosen in &combinations {
                    for row in part {
                        let fits = chosen.iter().enumerate().all(|(other, theirs)| {
                            let shared: Vec<usize> = projections[place]
                                .iter()
                                .copied()
                                .filter(|column| projections[other].contains(column))
                                .collect();
                            rows[*theirs].1 == rows[*row].1 && agree(&rows[*theirs], &rows[*row], &shared)
                        });
                        if fits {
                            longer.push(chosen.iter().copied().chain([*row]).collect());
                        }
                    }
                }
                combinations = longer;
            }
            for place in 0..projections.len() {
                let left: BTreeSet<usize> = combinations.iter().map(|chosen| chosen[place]).collect();
                least = least.min(left.len() as u64);
            }
        }
        least
    }

    fn smallest(table: &DecisionTable, known: &[bool], columns: impl Iterator<Item = usize>) -> u64 {
        let columns: BTreeSet<usize> = columns.filter(|column| known[*column]).collect();
        TupleClasses::of(table, &columns.into_iter().collect::<Vec<_>>()).smallest(table)
    }

    /// Sets of columns, among them triangles, whose shared columns form a cycle.
    fn projections() -> impl Strategy<Value = Vec<Vec<usize>>> {
        let any = prop::collection::vec(prop::collection::btree_set(0..5_usize, 1..4), 1..4);
        let any = any.prop_map(|sets| sets.into_iter().map(|set| set.into_iter().collect()).collect());
        prop_oneof![any, Just(vec![vec![0, 2, 3], vec![1, 3, 4], vec![2, 4]])]
    }

    fn few() -> impl Strategy<Value = Vec<Row>> {
        prop::collection::vec((prop::collection::vec(0..2_u32, 5), 0..3_u32), 1..9)
    }

    proptest! {
        #[test]
        fn the_level_is_that_of_all_combinations(
            rows in few(),
            known in prop_oneof![Just(vec![true, true, false, false, false]), prop::collection::vec(any::<bool>(), 5)],
            projections in projections(),
        ) {
            let table = table(5, &rows);
            let joint = joint_anonymity(&table, &known, &projections, &Progress::default()).expect("no one stops it");
            prop_assert!(joint.is_exact());
            prop_assert_eq!(joint.level, tried(&rows, &known, &projections));
        }

        #[test]
        fn the_level_keeps_its_bounds_and_rises_with_fewer(rows in rows(5), known in prop::collection::vec(any::<bool>(), 5), projections in projections(), k in 1..5_u64) {
            let table = table(5, &rows);
            let progress = Progress::default();
            let joint = joint_anonymity(&table, &known, &projections, &progress).expect("no one stops it");
            let together = smallest(&table, &known, projections.iter().flatten().copied());
            let alone = projections.iter().map(|columns| smallest(&table, &known, columns.iter().copied())).min();
            prop_assert!(together <= joint.level && Some(joint.level) <= alone);
            for place in 0..projections.len() {
                let mut fewer = projections.clone();
                fewer.remove(place);
                let without = joint_anonymity(&table, &known, &fewer, &progress).expect("no one stops it");
                prop_assert!(without.level >= joint.level);
            }
            let (kept, left) = keep_level(&table, &known, &projections, k, &progress).expect("no one stops it");
            let chosen: Vec<Vec<usize>> = kept.iter().map(|place| projections[*place].clone()).collect();
            let again = joint_anonymity(&table, &known, &chosen, &progress).expect("no one stops it");
            prop_assert_eq!(again, left);
            prop_assert!(left.level >= k.min(table.rows()));
            prop_assert_eq!(kept.len() == projections.len(), joint.level >= k);
        }
    }
}
