//! Finds the rows of several projections that may belong to one person, from everything that the projections share.
//!
//! A person's rows in all projections come from one row of the table, so they agree on the decision and on every column that two
//! projections share. What outsiders know of the person already fixes the shared columns that they know. The other shared
//! columns, and the decision, separate rows that otherwise look alike.

use rayon::prelude::*;

use super::decision::DecisionTable;
use super::partition::TupleClasses;
use super::witness::{Candidates, joined};
use crate::table::frequency::{Cell, cells_by_group, total};

/// One projection, in classes of its known columns.
struct View {
    /// The columns shared with other projections that outsiders do not know, ascending.
    shared: Vec<usize>,
    /// The values of these columns, one combination after the other.
    values: Vec<u32>,
    /// The class of each unit.
    class_of_unit: Vec<u32>,
    /// The rows of each class by key: a combination of the shared columns' values, and a decision.
    starts: Vec<u32>,
    cells: Vec<Cell>,
}

impl View {
    fn new(table: &DecisionTable, known: &[usize], shared: Vec<usize>, first_of_unit: &[u32]) -> Self {
        let classes = TupleClasses::of(table, known);
        let class_of = classes.class_of_tuples();
        let combinations = TupleClasses::of(table, &shared);
        let combination_of = combinations.class_of_tuples();
        let value = |tuples: &[u32], column: usize| table.column(column)[tuples[0] as usize];
        let values = combinations
            .classes()
            .flat_map(|tuples| shared.iter().map(|column| value(tuples, *column)).collect::<Vec<_>>())
            .collect();
        let key = |tuple: u32, cell: &Cell| Cell {
            payload: combination_of[tuple as usize] * table.decisions() + cell.payload,
            rows: cell.rows,
        };
        let (starts, cells) = cells_by_group(classes.len(), || {
            (0..table.tuples() as u32).flat_map(|tuple| {
                let class = class_of[tuple as usize];
                table.cells(tuple).iter().map(move |cell| (class, key(tuple, cell)))
            })
        });
        let class_of_unit = first_of_unit.iter().map(|tuple| class_of[*tuple as usize]).collect();
        Self { shared, values, class_of_unit, starts, cells }
    }

    /// The rows that look like those of a unit, by key.
    fn of_unit(&self, unit: usize) -> &[Cell] {
        let class = self.class_of_unit[unit] as usize;
        &self.cells[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The values of a combination.
    fn combination(&self, number: u32) -> &[u32] {
        &self.values[number as usize * self.shared.len()..][..self.shared.len()]
    }
}

/// A set of columns that some projections share, together with the decision. A person's rows agree on it.
struct Separator {
    /// The projections that have the whole set, and for each of their keys its code when only the set is kept.
    views: Vec<(usize, Vec<u32>)>,
    codes: u32,
}

/// Returns every set of columns that two projections share. Rows that agree on each of these sets agree pair by pair.
fn separators(table: &DecisionTable, views: &[View]) -> Vec<Separator> {
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for (place, one) in views.iter().enumerate() {
        for other in &views[..place] {
            sets.push(one.shared.iter().copied().filter(|column| other.shared.contains(column)).collect());
        }
    }
    // The decision alone comes first, because it is the cheapest to check.
    sets.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    sets.dedup();
    let separator = |set: &Vec<usize>| {
        let parts = TupleClasses::of(table, set);
        let part_of = parts.class_of_tuples();
        let having = (0..views.len()).filter(|view| set.iter().all(|c| views[*view].shared.contains(c)));
        let code_of_keys = |view: usize| {
            let combinations = TupleClasses::of(table, &views[view].shared);
            let part = combinations.classes().map(|tuples| part_of[tuples[0] as usize]);
            part.flat_map(|part| (0..table.decisions()).map(move |d| part * table.decisions() + d)).collect()
        };
        Separator {
            views: having.map(|view| (view, code_of_keys(view))).collect(),
            codes: parts.len() as u32 * table.decisions(),
        }
    };
    sets.iter().map(separator).collect()
}

impl Separator {
    /// Removes the keys for which some other projection has no partner. Returns whether there were any.
    fn prune(&self, active: &[bool], scratch: &mut Scratch) -> bool {
        let views = || self.views.iter().filter(|(view, _)| active[*view]);
        let count = views().count() as u32;
        if count < 2 {
            return false;
        }
        let base = scratch.begin(self.codes, count);
        for (place, (view, codes)) in (base..).zip(views()) {
            for cell in &scratch.left[*view] {
                let met = &mut scratch.met[codes[cell.payload as usize] as usize];
                // Count the code if all projections before this one have it. The first projection starts the count.
                if place == base || *met == place {
                    *met = place + 1;
                }
            }
        }
        let met = &scratch.met;
        let mut pruned = false;
        for (view, codes) in views() {
            let left = &mut scratch.left[*view];
            let before = left.len();
            left.retain(|cell| met[codes[cell.payload as usize] as usize] == base + count);
            pruned |= left.len() < before;
        }
        pruned
    }
}

/// Memory that is reused for one unit after another.
#[derive(Default)]
pub(super) struct Scratch {
    /// For each projection, the keys that are left.
    left: Vec<Vec<Cell>>,
    /// For each code of a separator, how many projections have it, counted from a base that grows.
    met: Vec<u32>,
    base: u32,
}

impl Scratch {
    /// Returns a base above everything counted so far, with room for this many projections.
    fn begin(&mut self, codes: u32, count: u32) -> u32 {
        if self.base > u32::MAX - 2 * count - 2 {
            self.met.fill(0);
            self.base = 0;
        }
        self.met.resize(self.met.len().max(codes as usize), 0);
        let base = self.base + 1;
        self.base = base + count;
        base
    }
}

/// Several projections, prepared to be joined for any unit. A unit is a set of people who agree on all known columns that are
/// published.
pub(super) struct Join {
    views: Vec<View>,
    separators: Vec<Separator>,
    /// The rows of each unit.
    pub(super) units: Vec<u64>,
    pub(super) rows: u64,
    decisions: u32,
}

/// The number of rows among which the people of a unit are hidden. It is exact if both bounds are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hidden {
    pub(super) at_least: u64,
    pub(super) at_most: u64,
}

impl Join {
    /// Prepares the projections of a table. `known` says which columns outsiders know.
    pub(super) fn new(table: &DecisionTable, known: &[bool], projections: &[Vec<usize>]) -> Self {
        let mut uses = vec![0_usize; table.width()];
        projections.iter().flatten().for_each(|column| uses[*column] += 1);
        let told: Vec<usize> =
            (0..table.width()).filter(|column| known[*column] && uses[*column] > 0).collect();
        let units = TupleClasses::of(table, &told);
        let first: Vec<u32> = units.classes().map(|tuples| tuples[0]).collect();
        let views: Vec<View> = projections
            .par_iter()
            .map(|columns| {
                let (told, open): (Vec<usize>, Vec<usize>) =
                    columns.iter().partition(|column| known[**column]);
                let shared = open.into_iter().filter(|column| uses[*column] > 1).collect();
                View::new(table, &told, shared, &first)
            })
            .collect();
        let rows = |tuples: &[u32]| tuples.iter().map(|tuple| table.weight(*tuple)).sum();
        Self {
            separators: separators(table, &views),
            views,
            units: units.classes().map(rows).collect(),
            rows: table.rows(),
            decisions: table.decisions(),
        }
    }

    /// Whether rows that agree pair by pair always agree all together, for the active projections: their shared columns form no
    /// cycle.
    pub(super) fn is_acyclic(&self, active: &[bool]) -> bool {
        let of_active = self.views.iter().zip(active).filter(|(_, active)| **active);
        is_acyclic(of_active.map(|(view, _)| view.shared.clone()).collect())
    }

    /// Returns the number of rows among which the people of a unit are hidden, in the active projection where it is least.
    pub(super) fn hidden(
        &self,
        unit: usize,
        active: &[bool],
        acyclic: bool,
        scratch: &mut Scratch,
    ) -> Hidden {
        scratch.left.resize_with(self.views.len(), Vec::new);
        let views = || (0..self.views.len()).filter(|view| active[*view]);
        for view in views() {
            let left = &mut scratch.left[view];
            left.clear();
            left.extend_from_slice(self.views[view].of_unit(unit));
        }
        loop {
            let mut pruned = false;
            for separator in &self.separators {
                pruned |= separator.prune(active, scratch);
            }
            if !pruned {
                break;
            }
        }
        let at_most = views().map(|view| total(&scratch.left[view])).min().unwrap_or(self.rows);
        // The unit's own rows surely belong to it, so the number cannot be less.
        let own = self.units[unit].min(at_most);
        if acyclic || own == at_most {
            return Hidden { at_least: at_most, at_most };
        }
        let candidates = views().map(|view| self.candidates(view, &scratch.left[view])).collect::<Vec<_>>();
        match joined(&candidates) {
            None => Hidden { at_least: own, at_most },
            Some(kept) => {
                let rows = |(view, kept): (usize, Vec<bool>)| {
                    let cells = scratch.left[view].iter().zip(kept).filter(|(_, kept)| *kept);
                    cells.map(|(cell, _)| u64::from(cell.rows)).sum::<u64>()
                };
                let exact = views().zip(kept).map(rows).min().unwrap_or(self.rows);
                Hidden { at_least: exact, at_most: exact }
            }
        }
    }

    fn candidates(&self, view: usize, left: &[Cell]) -> Candidates<'_> {
        let view = &self.views[view];
        let row =
            |cell: &Cell| (cell.payload % self.decisions, view.combination(cell.payload / self.decisions));
        Candidates { columns: &view.shared, rows: left.iter().map(row).collect() }
    }
}

/// Graham's reduction: removes columns that only one set has, then sets within others. If there is no cycle, one set is left.
fn is_acyclic(mut sets: Vec<Vec<usize>>) -> bool {
    loop {
        let weight = |sets: &[Vec<usize>]| sets.iter().map(|set| set.len() + 1).sum::<usize>();
        let before = weight(&sets);
        let alone = |column: usize| sets.iter().filter(|set| set.contains(&column)).count() < 2;
        sets =
            sets.iter().map(|set| set.iter().copied().filter(|column| !alone(*column)).collect()).collect();
        for place in (0..sets.len()).rev() {
            let within = |other: &Vec<usize>| sets[place].iter().all(|column| other.contains(column));
            if (0..sets.len()).any(|other| other != place && within(&sets[other])) {
                sets.remove(place);
            }
        }
        if weight(&sets) == before {
            return sets.len() <= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_seen() {
        assert!(is_acyclic(vec![]));
        assert!(is_acyclic(vec![vec![], vec![], vec![3]]));
        assert!(is_acyclic(vec![vec![0, 1], vec![1, 2], vec![2, 3]]), "a path");
        assert!(is_acyclic(vec![vec![0, 1], vec![0, 1], vec![0, 2]]));
        assert!(!is_acyclic(vec![vec![0, 1], vec![1, 2], vec![0, 2]]), "a triangle");
        assert!(is_acyclic(vec![vec![0, 1], vec![1, 2], vec![0, 2], vec![0, 1, 2]]), "a filled triangle");
        assert!(!is_acyclic(vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 0], vec![9]]), "a square");
    }

    #[test]
    fn counting_goes_on_when_the_numbers_end() {
        let mut scratch = Scratch { base: u32::MAX - 5, met: vec![u32::MAX - 5; 2], ..Scratch::default() };
        assert_eq!(scratch.begin(3, 2), 1);
        assert_eq!((scratch.met, scratch.base), (vec![0; 3], 3));
    }
}
