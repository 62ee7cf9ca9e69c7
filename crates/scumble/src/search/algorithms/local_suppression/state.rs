//! The state that the search of `local_suppression` changes: which rows show which of their cells.

use hashbrown::HashMap;

use super::patterns::{Pattern, Patterns};
use crate::config::StarPolicy;
use crate::error::Result;
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::ClassView;
use crate::recoding::{Assignment, Members, Share};
use crate::table::frequency::{Cell, merged};
use crate::table::payload::Payloads;
use crate::table::quasi::Value;

/// Rows of one tuple and payload, which the search does not distinguish.
pub(super) struct Unit {
    /// The codes of the tuple, each in its own bits.
    pub(super) key: u128,
    tuple: u32,
    payload: u32,
    rows: u32,
}

/// Rows that show the same values.
pub(super) struct Class {
    pub(super) pattern: Pattern,
    pub(super) rows: u64,
    /// Rows per payload, ascending; empty if no model reads payloads.
    cells: Vec<Cell>,
}

/// A move of rows from one class to another.
pub(super) struct Move {
    unit: u32,
    from: u32,
    to: u32,
    rows: u32,
}

impl Move {
    /// The number of rows moved.
    pub(super) fn rows(&self) -> u64 {
        u64::from(self.rows)
    }
}

/// The most units times patterns for which every move is tried.
const SMALL: usize = 1 << 20;

/// The class of the rows that show nothing.
pub(super) const STAR: u32 = 0;

/// All rows, with the class of each.
pub(super) struct State<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    only_size: bool,
    /// Whether the rows that show nothing must form a class that passes.
    star_is_judged: bool,
    pub(super) patterns: Patterns,
    pub(super) units: Vec<Unit>,
    /// For each unit, the classes that its rows are in, with the number of rows in each.
    pub(super) places: Vec<Vec<(u32, u32)>>,
    pub(super) classes: Vec<Class>,
    /// For each class, the units that joined it. Some may have left again.
    arrived: Vec<Vec<u32>>,
    number: HashMap<(u64, u128), u32, foldhash::fast::FixedState>,
}

impl<'a> State<'a> {
    /// The initial state, in which nothing is shown.
    pub(super) fn new(problem: &'a Problem, patterns: Patterns) -> Result<Self> {
        let tests = problem.class_tests()?;
        let table = &problem.table;
        let mut units = Vec::new();
        for tuple in 0..table.tuples() as u32 {
            let code = |column: usize| table.column(column).get(tuple as usize);
            let key = patterns.key(code);
            let unit = |cell: &Cell| Unit { key, tuple, payload: cell.payload, rows: cell.rows };
            units.extend(table.cells(tuple).iter().map(unit));
        }
        let only_size = tests.iter().all(|test| test.only_size());
        let star = Class {
            pattern: patterns.nothing(),
            rows: table.rows(),
            cells: if only_size { Vec::new() } else { table.payload_totals() },
        };
        let number = HashMap::from_iter([((star.pattern.blanks, 0), STAR)]);
        let places: Vec<_> = units.iter().map(|unit| vec![(STAR, unit.rows)]).collect();
        let arrived = vec![(0..units.len() as u32).collect()];
        Ok(Self {
            problem,
            only_size,
            star_is_judged: false,
            tests,
            patterns,
            units,
            places,
            classes: vec![star],
            arrived,
            number,
        })
    }

    fn payloads(&self) -> &Payloads {
        self.problem.table.payloads()
    }

    /// Whether rows may form a class. No rows at all always may.
    fn passes(&self, rows: u64, cells: &[Cell]) -> bool {
        let view = ClassView { size: rows, cells, payloads: self.payloads() };
        rows == 0 || self.tests.iter().all(|test| test.passes(&view))
    }

    /// Whether rows of these units may form a class.
    pub(super) fn pass_together(&self, members: impl Iterator<Item = (u32, u32)>) -> bool {
        let (mut rows, mut cells) = (0, Vec::new());
        for (unit, count) in members {
            rows += u64::from(count);
            if !self.only_size {
                cells.push(Cell { payload: self.units[unit as usize].payload, rows: count });
            }
        }
        self.passes(rows, &merged(cells))
    }

    /// From now on, tests the rows that show nothing like a class, if the star policy demands it.
    pub(super) fn judge_star(&mut self) {
        self.star_is_judged = self.problem.star_policy == StarPolicy::Strict;
    }

    /// Whether a class meets its requirements.
    pub(super) fn holds(&self, class: u32) -> bool {
        let of = &self.classes[class as usize];
        self.is_free(class) || self.passes(of.rows, &of.cells)
    }

    fn is_free(&self, class: u32) -> bool {
        class == STAR && !self.star_is_judged
    }

    /// The most of `rows` rows of a unit that may leave a class so that it still meets the models.
    pub(super) fn may_leave(&self, unit: u32, class: u32, rows: u32) -> u32 {
        if self.is_free(class) {
            return rows;
        }
        let of = &self.classes[class as usize];
        if self.only_size {
            // The tests only get easier with size, so bisection finds the most.
            let (mut most, mut too_many) = (0, rows + 1);
            while too_many - most > 1 {
                let middle = most + (too_many - most) / 2;
                if self.passes(of.rows - u64::from(middle), &[]) {
                    most = middle;
                } else {
                    too_many = middle;
                }
            }
            return most;
        }
        // A unit has few rows, mostly one.
        (1..=rows).rev().take(8).find(|count| self.passes_after(class, unit, -i64::from(*count))).unwrap_or(0)
    }

    /// Whether a class still meets the models when rows of a unit join it.
    pub(super) fn may_join(&self, unit: u32, class: u32, rows: u32) -> bool {
        self.is_free(class) || self.passes_after(class, unit, i64::from(rows))
    }

    fn passes_after(&self, class: u32, unit: u32, change: i64) -> bool {
        let of = &self.classes[class as usize];
        let mut cells = of.cells.clone();
        if !self.only_size {
            add(&mut cells, self.units[unit as usize].payload, change);
        }
        self.passes(of.rows.saturating_add_signed(change), &cells)
    }

    /// The class of a unit's rows that show a pattern, if there is one with rows in it.
    pub(super) fn class_of(&self, unit: u32, pattern: Pattern) -> Option<u32> {
        let key = pattern.shown(self.units[unit as usize].key);
        let class = self.number.get(&(pattern.blanks, key)).copied();
        class.filter(|class| self.classes[*class as usize].rows > 0)
    }

    /// The class in which a unit's rows would show a pattern. It is created if need be, and may still be
    /// empty.
    pub(super) fn open(&mut self, unit: u32, pattern: Pattern) -> u32 {
        let key = pattern.shown(self.units[unit as usize].key);
        let next = self.classes.len() as u32;
        let class = *self.number.entry((pattern.blanks, key)).or_insert(next);
        if class == next {
            self.classes.push(Class { pattern, rows: 0, cells: Vec::new() });
            self.arrived.push(Vec::new());
        }
        class
    }

    /// Removes the class that was opened last, if it has no rows.
    pub(super) fn close_last(&mut self, unit: u32) {
        if let Some(last) = self.classes.pop_if(|class| class.rows == 0) {
            let key = last.pattern.shown(self.units[unit as usize].key);
            self.number.remove(&(last.pattern.blanks, key));
            self.arrived.pop();
        }
    }

    /// Whether the table is small enough for moves that are expensive to try.
    pub(super) fn is_small(&self) -> bool {
        self.units.len() * self.patterns.all.len() <= SMALL
    }

    /// Whether all rows of some units together are too few for a class.
    pub(super) fn too_few(&self, units: &[(u128, u32)]) -> bool {
        let rows = units.iter().map(|(_, unit)| u64::from(self.units[*unit as usize].rows)).sum();
        self.only_size && !self.passes(rows, &[])
    }

    /// Moves rows.
    pub(super) fn shift(&mut self, unit: u32, from: u32, to: u32, rows: u32) -> Move {
        let places = &mut self.places[unit as usize];
        if let Some(place) = places.iter().position(|(class, _)| *class == from) {
            places[place].1 -= rows;
            if places[place].1 == 0 {
                places.remove(place);
            }
        }
        match places.iter_mut().find(|(class, _)| *class == to) {
            Some((_, held)) => *held += rows,
            None => {
                places.push((to, rows));
                self.arrived[to as usize].push(unit);
            }
        }
        for (class, change) in [(from, -i64::from(rows)), (to, i64::from(rows))] {
            let class = &mut self.classes[class as usize];
            class.rows = class.rows.saturating_add_signed(change);
            if !self.only_size {
                add(&mut class.cells, self.units[unit as usize].payload, change);
            }
        }
        Move { unit, from, to, rows }
    }

    /// The rows of a unit in a class.
    pub(super) fn in_class(&self, unit: u32, class: u32) -> u32 {
        self.places[unit as usize].iter().find(|(of, _)| *of == class).map_or(0, |(_, rows)| *rows)
    }

    /// The units that have rows in a class, ascending.
    pub(super) fn members(&mut self, class: u32) -> Vec<u32> {
        let mut units = std::mem::take(&mut self.arrived[class as usize]);
        units.sort_unstable();
        units.dedup();
        units.retain(|unit| self.in_class(*unit, class) > 0);
        self.arrived[class as usize].clone_from(&units);
        units
    }

    /// Undoes moves.
    pub(super) fn undo(&mut self, moves: Vec<Move>) {
        for back in moves.into_iter().rev() {
            self.shift(back.unit, back.to, back.from, back.rows);
        }
    }

    /// The assignment: what each class shows, and the rows in it.
    pub(super) fn assignment(&self) -> Assignment {
        let table = &self.problem.table;
        let mut region_of_class = vec![u32::MAX; self.classes.len()];
        let mut regions: Vec<Vec<Value>> = Vec::new();
        let mut shares = Vec::new();
        for (unit, places) in self.units.iter().zip(&self.places) {
            for (class, rows) in places {
                let region = &mut region_of_class[*class as usize];
                if *region == u32::MAX {
                    *region = regions.len() as u32;
                    let pattern = self.classes[*class as usize].pattern;
                    let value = |column: usize| {
                        let code = table.column(column).get(unit.tuple as usize);
                        if pattern.blanks_out(column) {
                            Value::Star
                        } else {
                            self.problem.quasi[column].cover(code, code)
                        }
                    };
                    regions.push((0..table.width()).map(value).collect());
                }
                shares.push(Share { tuple: unit.tuple, payload: unit.payload, class: *region, rows: *rows });
            }
        }
        let mut assignment = Assignment::of_regions(members(table.tuples(), shares), &regions);
        for class in 0..assignment.classes() {
            assignment.suppressed[class] = assignment.values(class).iter().all(|value| *value == Value::Star);
        }
        assignment
    }
}

/// Stores classes by tuple if every tuple is in only one class, which is shorter.
fn members(tuples: usize, shares: Vec<Share>) -> Members {
    let mut class_of_tuple = vec![u32::MAX; tuples];
    for share in &shares {
        let class = &mut class_of_tuple[share.tuple as usize];
        if *class != u32::MAX && *class != share.class {
            return Members::of_shares(shares);
        }
        *class = share.class;
    }
    Members::Tuples(class_of_tuple)
}

/// Adds rows to the cell of a payload.
fn add(cells: &mut Vec<Cell>, payload: u32, change: i64) {
    match cells.binary_search_by_key(&payload, |cell| cell.payload) {
        Ok(place) => {
            let rows = i64::from(cells[place].rows) + change;
            if rows > 0 {
                cells[place].rows = rows as u32;
            } else {
                cells.remove(place);
            }
        }
        Err(place) if change > 0 => cells.insert(place, Cell { payload, rows: change as u32 }),
        Err(_) => {}
    }
}
