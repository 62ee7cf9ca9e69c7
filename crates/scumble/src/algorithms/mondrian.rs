//! Mondrian (LeFevre, DeWitt, Ramakrishnan 2006; algorithms.md B1), strict: the table is cut along its widest column, again
//! and again, while every part still meets every model.

use super::{Algorithm, Solution};
use crate::config::Parameters;
use crate::error::Result;
use crate::frequency::{Cell, FrequencyTable};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::published::ClassView;
use crate::quasi::{Quasi, Shape, Value};
use crate::recoding::{Cut, CutTree, Recoding, Step};
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "mondrian",
    title: "Mondrian, strict multidimensional partitioning",
    paper: "LeFevre, DeWitt, Ramakrishnan 2006",
    standing: Standing::Recommended,
    about: "The default. Cuts the table along its widest column while every part meets every model, so each part is coarsened \
            only as far as it needs. Loses little, suppresses nothing, needs no class column, and hierarchies only where you \
            want them. Values of one column may overlap between classes.",
    parameters: &[(
        "cut",
        "nearest (default): the allowable cut nearest the middle; literal: only the median itself",
    )],
    build,
};

struct Mondrian {
    literal: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let literal = parameters.choice("cut", &["nearest", "literal"])? == Some("literal");
    Ok(Box::new(Mondrian { literal }))
}

/// Parts smaller than this are cut on one thread.
const PARALLEL_TUPLES: usize = 1 << 13;

/// What every part needs to know.
struct Search<'a> {
    problem: &'a Problem,
    table: &'a FrequencyTable,
    tests: Vec<&'a dyn ClassTest>,
    /// The least rows of a part, by the models that only look at size.
    least: u64,
    /// Whether some model looks at payloads.
    reads_payloads: bool,
    literal: bool,
}

/// A part of the table: its tuples, and the region of codes that cuts have left it.
struct Part<'t> {
    tuples: &'t mut [u32],
    rows: u64,
    region: Vec<(u32, u32)>,
}

impl Algorithm for Mondrian {
    fn needs_trees(&self) -> bool {
        false
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let tests = problem.class_tests()?;
        let search = Search {
            problem,
            table: &problem.table,
            least: problem.k().unwrap_or(1),
            reads_payloads: tests.iter().any(|test| !test.only_size()),
            tests,
            literal: self.literal,
        };
        let mut tuples: Vec<u32> = (0..problem.table.tuples() as u32).collect();
        let region = problem.quasi.iter().map(|quasi| (0, quasi.size().saturating_sub(1))).collect();
        let root = search.split(Part { tuples: &mut tuples, rows: problem.table.rows(), region })?;
        let step = Step::Cuts(CutTree::new(problem.quasi.len(), root));
        let assignment = step.apply(&problem.table, &problem.quasi);
        Ok(Solution { recoding: Recoding { step, shown: None }, assignment, findings: Vec::new() })
    }
}

impl Search<'_> {
    fn split(&self, part: Part<'_>) -> Result<Cut> {
        self.problem.progress.check()?;
        let extents: Vec<(u32, u32)> =
            (0..self.problem.quasi.len()).map(|column| self.extent(&part, column)).collect();
        if part.rows >= 2 * self.least {
            let mut order: Vec<(f64, usize)> = self
                .problem
                .quasi
                .iter()
                .zip(&extents)
                .enumerate()
                .map(|(column, (quasi, (low, high)))| (width(quasi, *low, *high), column))
                .filter(|(width, _)| *width > 0.0)
                .collect();
            // Widest first; equal widths in the order of the columns.
            order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (_, column) in order {
                if let Some(bounds) = self.cut(&part, column, extents[column]) {
                    return self.divide(part, column, &bounds);
                }
            }
        }
        self.problem.progress.advance(part.rows);
        Ok(Cut::Class(self.values(&part.region, &extents)))
    }

    /// The least and greatest code of a column in a part.
    fn extent(&self, part: &Part<'_>, column: usize) -> (u32, u32) {
        use scumble_files::table::Codes;
        fn range<T: Copy + Ord + Into<u32>>(codes: &[T], tuples: &[u32]) -> (u32, u32) {
            let first = codes[tuples[0] as usize];
            let (low, high) = tuples.iter().fold((first, first), |(low, high), tuple| {
                let code = codes[*tuple as usize];
                (low.min(code), high.max(code))
            });
            (low.into(), high.into())
        }
        if part.tuples.is_empty() {
            return (0, 0);
        }
        match self.table.column(column) {
            Codes::U8(codes) => range(codes, part.tuples),
            Codes::U16(codes) => range(codes, part.tuples),
            Codes::U32(codes) => range(codes, part.tuples),
        }
    }

    /// What a finished part shows: nodes and sets as small as its values allow, intervals as wide as its region,
    /// unless the column asks for tight ones.
    fn values(&self, region: &[(u32, u32)], extents: &[(u32, u32)]) -> Vec<Value> {
        let value = |((quasi, region), extent): ((&Quasi, &(u32, u32)), &(u32, u32))| match &quasi.shape {
            Shape::Line(line) if !quasi.tight && Some(extent.1) != line.missing() => {
                // The region of numbers ends before the missing value's code.
                Value::Span(region.0, region.1.min(line.numbers.len() as u32 - 1))
            }
            _ => quasi.cover(extent.0, extent.1),
        };
        self.problem.quasi.iter().zip(region).zip(extents).map(value).collect()
    }

    /// The last codes of the parts of an allowable cut of this column, if there is one.
    fn cut(&self, part: &Part<'_>, column: usize, extent: (u32, u32)) -> Option<Vec<u32>> {
        let quasi = &self.problem.quasi[column];
        match &quasi.shape {
            Shape::Tree(tree) => {
                let node = tree.lca_of_range(extent.0, extent.1);
                let bounds: Vec<u32> = tree.children(node).map(|child| tree.range(child).1).collect();
                self.allowable(part, column, bounds)
            }
            Shape::Line(line) if Some(extent.1) == line.missing() => {
                self.allowable(part, column, vec![extent.1 - 1, extent.1])
            }
            Shape::Line(_) | Shape::Set(_) => self.middle_cut(part, column, extent),
        }
    }

    /// Drops empty parts from a cut; `None` if fewer than two remain or one fails a model.
    fn allowable(&self, part: &Part<'_>, column: usize, bounds: Vec<u32>) -> Option<Vec<u32>> {
        let codes = self.table.column(column);
        let place = |tuple: u32| bounds.partition_point(|bound| *bound < codes.get(tuple as usize));
        let mut rows = vec![0; bounds.len()];
        for tuple in part.tuples.iter() {
            rows[place(*tuple)] += self.table.weight(*tuple);
        }
        if rows.iter().any(|rows| *rows > 0 && *rows < self.least)
            || rows.iter().filter(|rows| **rows > 0).count() < 2
        {
            return None;
        }
        if self.reads_payloads {
            let mut cells: Vec<Tally> = rows.iter().map(|_| Tally::default()).collect();
            for tuple in part.tuples.iter() {
                cells[place(*tuple)].add(self.table.cells(*tuple));
            }
            let passes = |(tally, rows): (&mut Tally, &u64)| *rows == 0 || self.passes(*rows, tally.cells());
            if !cells.iter_mut().zip(&rows).all(passes) {
                return None;
            }
        }
        Some(bounds.into_iter().zip(rows).filter(|(_, rows)| *rows > 0).map(|(bound, _)| bound).collect())
    }

    fn passes(&self, size: u64, cells: &[Cell]) -> bool {
        let class = ClassView { size, cells, payloads: self.table.payloads() };
        self.tests.iter().all(|test| test.passes(&class))
    }

    /// The cut `≤ x | > x` nearest the middle whose two sides meet every model.
    fn middle_cut(&self, part: &Part<'_>, column: usize, (low, high): (u32, u32)) -> Option<Vec<u32>> {
        let codes = self.table.column(column);
        let weighted =
            part.tuples.iter().map(|tuple| (codes.get(*tuple as usize), self.table.weight(*tuple)));
        // A histogram where the range is small against the part, else a sort.
        let by_code: Vec<(u32, u64)> = if ((high - low) as usize) < 4 * part.tuples.len() {
            let mut rows = vec![0; (high - low) as usize + 1];
            weighted.for_each(|(code, weight)| rows[(code - low) as usize] += weight);
            (low..).zip(rows).filter(|(_, rows)| *rows > 0).collect()
        } else {
            let mut by_code: Vec<(u32, u64)> = weighted.collect();
            by_code.sort_unstable();
            by_code.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
            by_code
        };
        // (imbalance, x) of every cut, most balanced first; equal balance by smaller x.
        let mut left = 0;
        let cuts = by_code.iter().take(by_code.len() - 1).map(|(code, rows)| {
            left += rows;
            (left.abs_diff(part.rows - left), *code, left)
        });
        let bounds = |code: u32| vec![code, high];
        if self.literal {
            let median = cuts.into_iter().find(|(_, _, left)| 2 * left >= part.rows)?;
            return self.allowable(part, column, bounds(median.1));
        }
        if !self.reads_payloads {
            let (_, code, left) = cuts.min()?;
            return (left.min(part.rows - left) >= self.least).then(|| bounds(code));
        }
        let cuts: Vec<(u64, u32, u64)> =
            cuts.filter(|(_, _, left)| (*left).min(part.rows - left) >= self.least).collect();
        // The most balanced cut mostly passes; only if it does not is every cut looked at.
        let (_, middle, _) = cuts.iter().min()?;
        self.allowable(part, column, bounds(*middle)).or_else(|| self.sweep(part, column, &cuts).map(bounds))
    }

    /// The most balanced of the cuts (given by ascending code) whose sides pass, moving rows from right to left once.
    fn sweep(&self, part: &Part<'_>, column: usize, cuts: &[(u64, u32, u64)]) -> Option<u32> {
        let codes = self.table.column(column);
        let mut tuples: Vec<(u32, u32)> =
            part.tuples.iter().map(|tuple| (codes.get(*tuple as usize), *tuple)).collect();
        tuples.sort_unstable();
        let mut right = Tally::default();
        tuples.iter().for_each(|(_, tuple)| right.add(self.table.cells(*tuple)));
        let mut right = right.cells().to_vec();
        let mut left: Vec<Cell> = right.iter().map(|cell| Cell { rows: 0, ..*cell }).collect();
        let present = |cells: &[Cell]| cells.iter().filter(|cell| cell.rows > 0).copied().collect::<Vec<_>>();
        let mut moved = tuples.into_iter().peekable();
        let mut best = None;
        for (imbalance, code, rows) in cuts {
            while let Some((_, tuple)) = moved.next_if(|(of_tuple, _)| of_tuple <= code) {
                for cell in self.table.cells(tuple) {
                    if let Ok(place) = right.binary_search_by_key(&cell.payload, |cell| cell.payload) {
                        right[place].rows -= cell.rows;
                        left[place].rows += cell.rows;
                    }
                }
            }
            if best.is_none_or(|best| (*imbalance, *code) < best)
                && self.passes(*rows, &present(&left))
                && self.passes(part.rows - rows, &present(&right))
            {
                best = Some((*imbalance, *code));
            }
        }
        best.map(|(_, code)| code)
    }

    /// Cuts a part and goes on with the pieces.
    fn divide(&self, part: Part<'_>, column: usize, bounds: &[u32]) -> Result<Cut> {
        let codes = self.table.column(column);
        let mut rest = part.tuples;
        let mut low = part.region[column].0;
        let mut pieces = Vec::with_capacity(bounds.len());
        for (place, bound) in bounds.iter().enumerate() {
            let last = place + 1 == bounds.len();
            let count =
                if last { rest.len() } else { partition(rest, |tuple| codes.get(tuple as usize) <= *bound) };
            let (tuples, others) = rest.split_at_mut(count);
            rest = others;
            let rows = tuples.iter().map(|tuple| self.table.weight(*tuple)).sum();
            let mut region = part.region.clone();
            region[column] = (low, if last { part.region[column].1.max(*bound) } else { *bound });
            low = bound + 1;
            pieces.push((region[column].1, Part { tuples, rows, region }));
        }
        let parts: Result<Vec<(u32, Cut)>> = if part.rows as usize >= PARALLEL_TUPLES {
            use rayon::prelude::*;
            pieces.into_par_iter().map(|(bound, piece)| Ok((bound, self.split(piece)?))).collect()
        } else {
            pieces.into_iter().map(|(bound, piece)| Ok((bound, self.split(piece)?))).collect()
        };
        Ok(Cut::Parts(column as u32, parts?))
    }
}

/// How wide a part is in a column, from 0 to 1 (B1, "Definitions").
fn width(quasi: &Quasi, low: u32, high: u32) -> f64 {
    if low == high {
        return 0.0;
    }
    match &quasi.shape {
        Shape::Line(line) if Some(high) == line.missing() => 1.0,
        Shape::Line(line) => {
            let (first, last) = line.extremes(0, line.numbers.len() as u32 - 1);
            let (from, to) = line.extremes(low, high);
            (to - from) as f64 / (last - first) as f64
        }
        Shape::Tree(_) | Shape::Set(_) => quasi.loss(quasi.cover(low, high)),
    }
}

/// Moves the tuples that belong to the left to the front and returns their number.
fn partition(tuples: &mut [u32], left: impl Fn(u32) -> bool) -> usize {
    let mut count = 0;
    for place in 0..tuples.len() {
        if left(tuples[place]) {
            tuples.swap(place, count);
            count += 1;
        }
    }
    count
}

/// Rows per payload under construction.
#[derive(Default)]
struct Tally {
    cells: Vec<Cell>,
    sorted: bool,
}

impl Tally {
    fn add(&mut self, cells: &[Cell]) {
        self.cells.extend_from_slice(cells);
        self.sorted = false;
    }

    fn cells(&mut self) -> &[Cell] {
        if !self.sorted {
            self.cells.sort_unstable_by_key(|cell| cell.payload);
            self.cells.dedup_by(|next, kept| {
                let same = next.payload == kept.payload;
                if same {
                    kept.rows += next.rows;
                }
                same
            });
            self.sorted = true;
        }
        &self.cells
    }
}
