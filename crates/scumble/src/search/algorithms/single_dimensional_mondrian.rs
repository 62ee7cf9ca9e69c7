//! Single-dimensional Mondrian (algorithms.md B3, reading b): every column gets one list of cuts for the whole table, so all classes
//! share one domain.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::ClassView;
use crate::recoding::{Recoding, Step};
use crate::table::frequency::Cell;
use crate::table::quasi::{Quasi, Shape};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "single_dimensional_mondrian",
    title: "Single-dimensional Mondrian, one list of cuts for each column",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    standing: Standing::Classic,
    about: "Cuts columns as Mondrian does, but every cut goes through the whole table, so that all groups share one domain in \
            each column: for machine-learning models that cannot use overlapping values. Suppresses nothing and loses more than Mondrian.",
    parameters: &[],
    build,
};

struct SingleDimensional;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(SingleDimensional))
}

impl Algorithm for SingleDimensional {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            reach: Reach::Label,
            fineness: Fineness::OneStep,
            is_quick: true,
            serves_unmergeable: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        problem.check_whole(ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let mut search = ColumnSplits::new(problem)?;
        let mut tried = 0;
        while let Some((_, Reverse(column), Reverse(low), high)) = search.open.pop() {
            problem.progress.check()?;
            for pieces in search.cuts(column, (low, high)) {
                tried += 1;
                if search.try_cut(column, low, &pieces) {
                    break;
                }
            }
        }
        problem.progress.advance(problem.table.rows());
        let step = Step::Maps(search.maps());
        let assignment = step.apply(&problem.table, &problem.quasi);
        let tried =
            Finding::new("cuts_tried", Some(f64::from(tried)), "how many cuts of a column were tried");
        Ok(Solution { recoding: Recoding { step, shown: None }, assignment, findings: vec![tried] })
    }
}

/// A region of codes that may be cut: its rows times its width as ordered bits, its column, its least and its greatest code.
type Open = (u64, Reverse<usize>, Reverse<u32>, u32);

struct ColumnSplits<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    /// Rows by code, column by column.
    rows: Vec<Vec<u64>>,
    /// For each column, the regions as pairs of their least and greatest code, ascending.
    regions: Vec<Vec<(u32, u32)>>,
    open: BinaryHeap<Open>,
    classes: Vec<Class>,
}

/// The tuples of a class, and the least code of its region in each column.
struct Class {
    tuples: Vec<u32>,
    lows: Vec<u32>,
}

impl<'a> ColumnSplits<'a> {
    /// The whole table as one class.
    fn new(problem: &'a Problem) -> Result<Self> {
        let (table, quasi) = (&problem.table, &problem.quasi);
        let rows = quasi.iter().enumerate().map(|(column, quasi)| {
            let mut rows = vec![0; quasi.size() as usize];
            let codes = table.column(column).iter();
            codes.zip(0..).for_each(|(code, tuple)| rows[code as usize] += table.weight(tuple));
            rows
        });
        let whole = Class { tuples: (0..table.tuples() as u32).collect(), lows: vec![0; quasi.len()] };
        let mut search = Self {
            problem,
            tests: problem.class_tests()?,
            rows: rows.collect(),
            regions: vec![Vec::new(); quasi.len()],
            open: BinaryHeap::new(),
            classes: vec![whole],
        };
        for (column, quasi) in quasi.iter().enumerate() {
            search.add(column, 0, quasi.size().saturating_sub(1));
        }
        Ok(search)
    }

    /// Adds a region, queued for cutting: those with the greatest product of rows and width first, then by column and code.
    fn add(&mut self, column: usize, low: u32, high: u32) {
        let regions = &mut self.regions[column];
        let place = regions.partition_point(|(of, _)| *of < low);
        match regions.get_mut(place).filter(|(of, _)| *of == low) {
            Some(region) => region.1 = high,
            None => regions.insert(place, (low, high)),
        }
        let rows: u64 =
            self.rows[column].get(low as usize..=high as usize).map_or(0, |rows| rows.iter().sum());
        if low < high && rows > 0 {
            let quasi = &self.problem.quasi[column];
            let score = rows as f64 * quasi.loss(quasi.cover(low, high));
            // The bits of non-negative numbers sort as the numbers do.
            self.open.push((score.to_bits(), Reverse(column), Reverse(low), high));
        }
    }

    /// The cuts of a region that are tried, each as the last codes of its pieces.
    fn cuts(&self, column: usize, (low, high): (u32, u32)) -> Vec<Vec<u32>> {
        match &self.problem.quasi[column].shape {
            Shape::Tree(tree) => {
                let node = tree.lca_of_range(low, high);
                vec![tree.children(node).map(|child| tree.range(child).1).collect()]
            }
            Shape::Line(line) if Some(high) == line.missing() => {
                let apart = vec![high - 1, high];
                std::iter::once(apart).chain(self.middle(column, low, high)).collect()
            }
            _ => self.middle(column, low, high).into_iter().collect(),
        }
    }

    /// The most balanced cut in two; of several, the one with the smaller code.
    fn middle(&self, column: usize, low: u32, high: u32) -> Option<Vec<u32>> {
        let rows = &self.rows[column][low as usize..=high as usize];
        let all: u64 = rows.iter().sum();
        let mut left = 0;
        let balance = (low..high).zip(rows).map(|(code, rows)| {
            left += rows;
            (left.abs_diff(all - left), code)
        });
        balance.min().map(|(_, code)| vec![code, high])
    }

    /// Makes a cut if all classes that it divides still pass. Returns whether it did.
    fn try_cut(&mut self, column: usize, low: u32, uppers: &[u32]) -> bool {
        let codes = self.problem.table.column(column);
        let piece = |tuple: u32| uppers.partition_point(|upper| *upper < codes.get(tuple as usize));
        let mut divided: Vec<(usize, Vec<Vec<u32>>)> = Vec::new();
        for (number, class) in self.classes.iter().enumerate().filter(|(_, class)| class.lows[column] == low)
        {
            let mut pieces: Vec<Vec<u32>> = vec![Vec::new(); uppers.len()];
            class.tuples.iter().for_each(|tuple| pieces[piece(*tuple)].push(*tuple));
            // A class that stays whole still passes.
            let whole = pieces.iter().any(|piece| piece.len() == class.tuples.len());
            if !whole && !pieces.iter().filter(|piece| !piece.is_empty()).all(|piece| self.passes(piece)) {
                return false;
            }
            divided.push((number, pieces));
        }
        let first = |piece: usize| if piece == 0 { low } else { uppers[piece - 1] + 1 };
        for (number, pieces) in divided {
            let lows = self.classes[number].lows.clone();
            let mut pieces = pieces.into_iter().enumerate().filter(|(_, tuples)| !tuples.is_empty()).map(
                |(piece, tuples)| {
                    let mut lows = lows.clone();
                    lows[column] = first(piece);
                    Class { tuples, lows }
                },
            );
            if let Some(class) = pieces.next() {
                self.classes[number] = class;
            }
            self.classes.extend(pieces);
        }
        for (piece, upper) in uppers.iter().enumerate() {
            self.add(column, first(piece), *upper);
        }
        true
    }

    /// Whether a class of these tuples meets every model.
    fn passes(&self, tuples: &[u32]) -> bool {
        let table = &self.problem.table;
        let size = tuples.iter().map(|tuple| table.weight(*tuple)).sum();
        let mut cells: Vec<Cell> = Vec::new();
        if self.tests.iter().any(|test| !test.only_size()) {
            cells.extend(tuples.iter().flat_map(|tuple| table.cells(*tuple)));
            cells = crate::table::frequency::merged(cells);
        }
        let class = ClassView { size, cells: &cells, payloads: table.payloads() };
        self.tests.iter().all(|test| test.passes(&class))
    }

    /// What each code of each column shows.
    fn maps(&self) -> Vec<Vec<crate::table::quasi::Value>> {
        let of_column = |(quasi, regions): (&Quasi, &Vec<(u32, u32)>)| {
            let shown = regions.iter().filter(|_| quasi.size() > 0).flat_map(|(low, high)| {
                let value = quasi.cover_codes(*low..=*high);
                (*low..=*high).map(move |_| value)
            });
            shown.collect()
        };
        self.problem.quasi.iter().zip(&self.regions).map(of_column).collect()
    }
}
