//! Mondrian (LeFevre, DeWitt, Ramakrishnan 2006; algorithms.md B1), strict: the table is cut along its widest column, again
//! and again, while every part still meets every model.

use super::{Algorithm, Solution};
use crate::config::Parameters;
use crate::error::Result;
use crate::frequency::{Cell, FrequencyTable, merged};
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
    about: "The default: cuts the table along its widest column while every part meets every model, so each part is \
            coarsened only as far as it needs. Loses little, suppresses nothing, needs no class column, and hierarchies only where you \
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
const PARALLEL_TUPLES: usize = 1 << 12;

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
    /// The number of columns, which is the length of a tuple in a part.
    width: usize,
}

/// A part of the table: its tuples, and the region of codes that cuts have left it.
///
/// The codes lie tuple by tuple and move with the tuples, so that a part is one piece of memory: a search spends its time
/// going through parts, and small ones then fit into the cache.
struct Part<'t, C> {
    ids: &'t mut [u32],
    codes: &'t mut [C],
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
        let (table, width) = (&problem.table, problem.quasi.len());
        let search = Search {
            problem,
            table,
            least: problem.k().unwrap_or(1),
            reads_payloads: tests.iter().any(|test| !test.only_size()),
            tests,
            literal: self.literal,
            width,
        };
        let mut ids: Vec<u32> = (0..table.tuples() as u32).collect();
        let narrow = problem.quasi.iter().all(|quasi| quasi.size() <= 1 << 16);
        let root = if narrow { search.start::<u16>(&mut ids)? } else { search.start::<u32>(&mut ids)? };
        // Parts were cut in place, so the tuples of the first class come first, and so on.
        let mut class_of_tuple = vec![0; table.tuples()];
        let mut sizes = Vec::new();
        class_sizes(&root, &mut sizes);
        let mut next = 0;
        for (class, size) in (0..).zip(sizes) {
            ids[next..next + size].iter().for_each(|id| class_of_tuple[*id as usize] = class);
            next += size;
        }
        let tree = CutTree::new(width, root);
        let assignment = tree.assignment(class_of_tuple);
        let recoding = Recoding { step: Step::Cuts(tree), shown: None };
        Ok(Solution { recoding, assignment, findings: Vec::new() })
    }
}

/// The number of tuples of each class, in the order of the tree.
fn class_sizes(cut: &Cut, sizes: &mut Vec<usize>) {
    match cut {
        Cut::Class(_, tuples) => sizes.push(*tuples),
        Cut::Parts(_, parts) => parts.iter().for_each(|(_, part)| class_sizes(part, sizes)),
    }
}

/// A code in a part: two bytes where they suffice, since a search mostly waits for memory.
trait Code: Copy + Ord + Default + Send + Into<u32> {
    fn from_code(code: u32) -> Self;
}

impl Code for u16 {
    fn from_code(code: u32) -> Self {
        code as Self
    }
}

impl Code for u32 {
    fn from_code(code: u32) -> Self {
        code
    }
}

impl Search<'_> {
    /// Cuts the whole table. Afterwards the tuples in `ids` are in the order of the classes.
    fn start<C: Code>(&self, ids: &mut [u32]) -> Result<Cut> {
        let mut codes = vec![C::default(); self.table.tuples() * self.width];
        for column in 0..self.width {
            for (place, code) in self.table.column(column).iter().enumerate() {
                codes[place * self.width + column] = C::from_code(code);
            }
        }
        let region = self.problem.quasi.iter().map(|quasi| (0, quasi.size().saturating_sub(1))).collect();
        self.split(Part { ids, codes: &mut codes, rows: self.table.rows(), region })
    }

    fn split<C: Code>(&self, part: Part<'_, C>) -> Result<Cut> {
        self.problem.progress.check()?;
        let extents = self.extents(&part);
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
        Ok(Cut::Class(self.values(&part.region, &extents), part.ids.len()))
    }

    /// The tuples of a part with their codes.
    fn tuples<'p, C: Code>(&self, part: &'p Part<'_, C>) -> impl Iterator<Item = (u32, &'p [C])> + Clone {
        part.ids.iter().copied().zip(part.codes.chunks_exact(self.width.max(1)))
    }

    /// The least and greatest code of each column in a part.
    fn extents<C: Code>(&self, part: &Part<'_, C>) -> Vec<(u32, u32)> {
        let first = part.codes.get(..self.width).unwrap_or_default();
        let (mut low, mut high) = (first.to_vec(), first.to_vec());
        for tuple in part.codes.chunks_exact(self.width.max(1)) {
            for ((low, high), code) in low.iter_mut().zip(&mut high).zip(tuple) {
                *low = (*low).min(*code);
                *high = (*high).max(*code);
            }
        }
        low.into_iter().zip(high).map(|(low, high)| (low.into(), high.into())).collect()
    }

    /// What a finished part shows: nodes and sets as small as its values allow, intervals as wide as its region,
    /// unless the column asks for tight ones.
    fn values(&self, region: &[(u32, u32)], extents: &[(u32, u32)]) -> Box<[Value]> {
        let value = |quasi: &Quasi, region: &(u32, u32), extent: &(u32, u32)| match &quasi.shape {
            Shape::Line(line) if !quasi.tight && Some(extent.1) != line.missing() => {
                // The region of numbers ends before the missing value's code.
                Value::Span(region.0, region.1.min(line.numbers.len() as u32 - 1))
            }
            _ => quasi.cover(extent.0, extent.1),
        };
        let columns = self.problem.quasi.iter().zip(region).zip(extents);
        columns.map(|((quasi, region), extent)| value(quasi, region, extent)).collect()
    }

    /// The last codes of the parts of an allowable cut of this column, if there is one.
    fn cut<C: Code>(&self, part: &Part<'_, C>, column: usize, extent: (u32, u32)) -> Option<Vec<u32>> {
        let quasi = &self.problem.quasi[column];
        match &quasi.shape {
            Shape::Tree(tree) => {
                let node = tree.lca_of_range(extent.0, extent.1);
                let bounds: Vec<u32> = tree.children(node).map(|child| tree.range(child).1).collect();
                self.allowable(part, column, bounds)
            }
            // Missing values apart, if they are enough; else they stay with the largest numbers, which then show nothing here.
            Shape::Line(line) if Some(extent.1) == line.missing() => self
                .allowable(part, column, vec![extent.1 - 1, extent.1])
                .or_else(|| self.middle_cut(part, column, extent)),
            Shape::Line(_) | Shape::Set(_) => self.middle_cut(part, column, extent),
        }
    }

    /// Drops empty parts from a cut; `None` if fewer than two remain or one fails a model.
    fn allowable<C: Code>(&self, part: &Part<'_, C>, column: usize, bounds: Vec<u32>) -> Option<Vec<u32>> {
        let place = |codes: &[C]| bounds.partition_point(|bound| *bound < codes[column].into());
        let mut rows = vec![0; bounds.len()];
        for (tuple, codes) in self.tuples(part) {
            rows[place(codes)] += self.table.weight(tuple);
        }
        if rows.iter().any(|rows| *rows > 0 && *rows < self.least)
            || rows.iter().filter(|rows| **rows > 0).count() < 2
        {
            return None;
        }
        if self.reads_payloads {
            let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); rows.len()];
            for (tuple, codes) in self.tuples(part) {
                cells[place(codes)].extend_from_slice(self.table.cells(tuple));
            }
            let passes = |(cells, rows): (Vec<Cell>, &u64)| *rows == 0 || self.passes(*rows, &merged(cells));
            if !cells.into_iter().zip(&rows).all(passes) {
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
    fn middle_cut<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        (low, high): (u32, u32),
    ) -> Option<Vec<u32>> {
        let by_code = self.rows_by_code(part, column, low, high);
        // (imbalance, x, rows on the left) of every cut.
        let mut left = 0;
        let cuts = by_code.iter().take(by_code.len() - 1).map(|(code, rows)| {
            left += rows;
            (u64::abs_diff(left, part.rows - left), *code, left)
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

    /// The rows of each code that occurs in a part, ascending.
    fn rows_by_code<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        low: u32,
        high: u32,
    ) -> Vec<(u32, u64)> {
        let weighted =
            self.tuples(part).map(|(tuple, codes)| (codes[column].into(), self.table.weight(tuple)));
        // A histogram where the range is small against the part, else a sort.
        if ((high - low) as usize) < 4 * part.ids.len() {
            let mut rows = vec![0; (high - low) as usize + 1];
            weighted.for_each(|(code, weight)| rows[(code - low) as usize] += weight);
            return (low..).zip(rows).filter(|(_, rows)| *rows > 0).collect();
        }
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
    }

    /// The most balanced of the cuts (given by ascending code) whose sides pass, moving rows from right to left once.
    fn sweep<C: Code>(&self, part: &Part<'_, C>, column: usize, cuts: &[(u64, u32, u64)]) -> Option<u32> {
        let mut tuples: Vec<(u32, u32)> =
            self.tuples(part).map(|(tuple, codes)| (codes[column].into(), tuple)).collect();
        tuples.sort_unstable();
        let mut right = merged(
            tuples.iter().flat_map(|(_, tuple)| self.table.cells(*tuple)).copied().collect::<Vec<_>>(),
        );
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
    fn divide<C: Code>(&self, part: Part<'_, C>, column: usize, bounds: &[u32]) -> Result<Cut> {
        let (mut ids, mut codes) = (part.ids, part.codes);
        let mut low = part.region[column].0;
        let mut pieces = Vec::with_capacity(bounds.len());
        for (place, bound) in bounds.iter().enumerate() {
            let last = place + 1 == bounds.len();
            let count = if last { ids.len() } else { partition(ids, codes, self.width, column, *bound) };
            let (piece_ids, other_ids) = ids.split_at_mut(count);
            let (piece_codes, other_codes) = codes.split_at_mut(count * self.width);
            (ids, codes) = (other_ids, other_codes);
            let rows = piece_ids.iter().map(|tuple| self.table.weight(*tuple)).sum();
            let mut region = part.region.clone();
            region[column] = (low, if last { part.region[column].1.max(*bound) } else { *bound });
            low = bound + 1;
            pieces.push((region[column].1, Part { ids: piece_ids, codes: piece_codes, rows, region }));
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

/// Moves the tuples whose code is at most `bound` to the front and returns their number.
fn partition<C: Code>(ids: &mut [u32], codes: &mut [C], width: usize, column: usize, bound: u32) -> usize {
    let (mut front, mut back) = (0, ids.len());
    while front < back {
        if codes[front * width + column].into() <= bound {
            front += 1;
        } else {
            back -= 1;
            ids.swap(front, back);
            let (left, right) = codes.split_at_mut(back * width);
            if front < back {
                left[front * width..(front + 1) * width].swap_with_slice(&mut right[..width]);
            }
        }
    }
    front
}
