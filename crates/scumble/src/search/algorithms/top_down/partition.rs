//! The classes that some of the columns form under the current cuts, and the effect of refining a value on them.

use rayon::prelude::*;

use super::cut::{Cut, How};
use crate::models::ClassTest;
use crate::problem::Projection;
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, FrequencyTable, cells_by_group, merged, total};

/// From this number of classes on, several threads are used.
const PARALLEL: usize = 1 << 5;

/// The state of the classes divided by a refinement, after that refinement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outlook {
    /// The size of the smallest class.
    pub(super) least: u64,
    /// Whether every class passes every test.
    pub(super) passes: bool,
}

impl Outlook {
    /// The outlook if nothing is divided.
    const NOTHING: Self = Self { least: u64::MAX, passes: true };

    fn and(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), passes: self.passes && other.passes }
    }
}

/// The classes of some columns.
pub(super) struct ColumnClasses<'a> {
    table: &'a FrequencyTable,
    /// The columns, ascending.
    columns: Vec<usize>,
    /// The tests that each class must pass; those that only check the sizes come first.
    tests: Vec<&'a dyn ClassTest>,
    reads_payloads: bool,
    classes: Vec<Class>,
    /// For each column, value and refinement, the effect on all classes.
    outlooks: Vec<Vec<Vec<Outlook>>>,
}

struct Class {
    /// The value of each column, as its place in the cut.
    values: Vec<u32>,
    tuples: Vec<u32>,
    size: u64,
    /// For each column and refinement of its value, the effect on this class.
    outlooks: Vec<Vec<Outlook>>,
}

impl<'a> ColumnClasses<'a> {
    /// One class of all tuples, for cuts at their roots.
    pub(super) fn new(table: &'a FrequencyTable, projection: Projection<'a>, cuts: &[Cut<'_>]) -> Self {
        let Projection { columns, mut tests } = projection;
        tests.sort_by_key(|test| !test.only_size());
        let reads_payloads = tests.iter().any(|test| !test.only_size());
        let whole = Class {
            values: vec![0; columns.len()],
            tuples: (0..table.tuples() as u32).collect(),
            size: table.rows(),
            outlooks: Vec::new(),
        };
        let mut partition =
            Self { table, columns, tests, reads_payloads, classes: Vec::new(), outlooks: Vec::new() };
        partition.add(vec![whole], cuts);
        partition
    }

    /// Whether any test applies to these classes.
    pub(super) fn is_judged(&self) -> bool {
        !self.tests.is_empty()
    }

    /// The place of a column among the columns of these classes, if it is one of them.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        self.columns.iter().position(|of| *of == column)
    }

    /// The number of columns that form these classes.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// The size of the smallest class.
    pub(super) fn smallest(&self) -> u64 {
        self.classes.iter().map(|class| class.size).min().unwrap_or(0)
    }

    /// The effect of a refinement on the classes that it divides.
    pub(super) fn outlook(&self, place: usize, value: u32, refinement: usize) -> Outlook {
        self.outlooks[place][value as usize].get(refinement).copied().unwrap_or(Outlook::NOTHING)
    }

    /// The sum of the squared sizes of the classes that show a value.
    pub(super) fn squares(&self, place: usize, value: u32) -> u128 {
        let showing = self.classes.iter().filter(|class| class.values[place] == value);
        showing.map(|class| u128::from(class.size) * u128::from(class.size)).sum()
    }

    /// Divides the classes after a value of a column has been refined.
    pub(super) fn refine(&mut self, place: usize, value: u32, cuts: &[Cut<'_>]) {
        let column = self.columns[place];
        let codes = self.table.column(column);
        let of_code = cuts[column].of_code();
        let (old, kept): (Vec<Class>, Vec<Class>) =
            std::mem::take(&mut self.classes).into_iter().partition(|class| class.values[place] == value);
        self.classes = kept;
        let new = old.into_iter().flat_map(|class| {
            let mut pairs: Vec<(u32, u32)> = class
                .tuples
                .iter()
                .map(|tuple| (of_code[codes.get(*tuple as usize) as usize], *tuple))
                .collect();
            pairs.sort_unstable();
            let parts = pairs.chunk_by(|a, b| a.0 == b.0).map(|pairs| {
                let mut values = class.values.clone();
                values[place] = pairs[0].0;
                let tuples: Vec<u32> = pairs.iter().map(|(_, tuple)| *tuple).collect();
                let size = tuples.iter().map(|tuple| self.table.weight(*tuple)).sum();
                Class { values, tuples, size, outlooks: Vec::new() }
            });
            parts.collect::<Vec<_>>()
        });
        let new: Vec<Class> = new.collect();
        self.add(new, cuts);
    }

    /// Adds classes, computes the effects of refinements on them, and combines these over all classes.
    fn add(&mut self, mut new: Vec<Class>, cuts: &[Cut<'_>]) {
        let look = |class: &mut Class| {
            let outlooks = (0..self.columns.len()).map(|place| self.look(class, place, cuts)).collect();
            class.outlooks = outlooks;
        };
        if new.len() >= PARALLEL {
            new.par_iter_mut().for_each(look);
        } else {
            new.iter_mut().for_each(look);
        }
        self.classes.append(&mut new);
        self.outlooks = self.columns.iter().map(|column| vec![Vec::new(); cuts[*column].len()]).collect();
        for class in &self.classes {
            for (place, outlooks) in class.outlooks.iter().enumerate() {
                let sum = &mut self.outlooks[place][class.values[place] as usize];
                if sum.is_empty() {
                    sum.clone_from(outlooks);
                } else {
                    sum.iter_mut().zip(outlooks).for_each(|(sum, outlook)| *sum = sum.and(*outlook));
                }
            }
        }
    }

    /// For each refinement of a class's value in a column, its effect on the class.
    fn look(&self, class: &Class, place: usize, cuts: &[Cut<'_>]) -> Vec<Outlook> {
        let column = self.columns[place];
        let value = cuts[column].value(class.values[place]);
        let (parts, how) = value.parts();
        if parts == 0 {
            return Vec::new();
        }
        let codes = self.table.column(column);
        let part = |tuple: u32| value.part_of(codes.get(tuple as usize));
        let mut sizes = vec![0; parts];
        class.tuples.iter().for_each(|tuple| sizes[part(*tuple)] += self.table.weight(*tuple));
        let (starts, cells) = if self.reads_payloads {
            cells_by_group(parts, || {
                class.tuples.iter().flat_map(|tuple| {
                    let group = part(*tuple) as u32;
                    self.table.cells(*tuple).iter().map(move |cell| (group, *cell))
                })
            })
        } else {
            (vec![0; parts + 1], Vec::new())
        };
        let cells_of = |part: usize| &cells[starts[part] as usize..starts[part + 1] as usize];
        match how {
            How::Apart => {
                let parts = (0..parts).map(|part| self.outlook_of(sizes[part], cells_of(part)));
                vec![parts.fold(Outlook::NOTHING, Outlook::and)]
            }
            How::OneOut => {
                let all = merged(cells.clone());
                let one_out = |part: usize| {
                    let rest = without(&all, cells_of(part));
                    self.outlook_of(sizes[part], cells_of(part))
                        .and(self.outlook_of(class.size - sizes[part], &rest))
                };
                (0..parts).map(one_out).collect()
            }
        }
    }

    /// The outlook of a part of a class. A part without rows does not count.
    fn outlook_of(&self, size: u64, cells: &[Cell]) -> Outlook {
        if size == 0 {
            return Outlook::NOTHING;
        }
        debug_assert!(!self.reads_payloads || total(cells) == size);
        let class = ClassView { size, cells, payloads: self.table.payloads() };
        Outlook { least: size, passes: self.tests.iter().all(|test| test.passes(&class)) }
    }
}

/// Subtracts some cells from others; both must ascend by payload.
fn without(all: &[Cell], some: &[Cell]) -> Vec<Cell> {
    let mut some = some.iter().peekable();
    let left = |cell: &Cell| {
        let gone = some.next_if(|gone| gone.payload == cell.payload).map_or(0, |gone| gone.rows);
        Cell { rows: cell.rows - gone, ..*cell }
    };
    all.iter().map(left).filter(|cell| cell.rows > 0).collect()
}
