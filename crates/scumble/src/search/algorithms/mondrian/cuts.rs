//! The cut of one column of a part, if one is allowed.

use super::part::{Code, Division, Extent, Part};
use super::search::{MondrianSearch, Rule, SmallChildren};
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, merged};
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::Shape;

/// A cut `≤ code | > code` that leaves enough rows on both sides. The cut with the smaller key is better; of equal keys, the one
/// with the smaller code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    pub(super) key: u64,
    pub(super) code: u32,
    /// The rows on the left.
    pub(super) left: u64,
}

/// The rows of a part under one child of its lowest node.
struct Child {
    low: u32,
    high: u32,
    rows: u64,
    cells: Vec<Cell>,
}

impl MondrianSearch<'_> {
    /// The cut of a column that this search would make.
    pub(super) fn cut<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        extent: &Extent,
    ) -> Option<Division> {
        let quasi = &self.problem.quasi[column];
        match &quasi.shape {
            // Sets of values need no node, so their leaves are cut like a line.
            Shape::Tree(tree) if !quasi.sets => self.tree_cut(part, column, extent, tree),
            // Separate missing values, if there are enough. Otherwise they stay with the largest numbers, which then show nothing
            // here.
            Shape::Line(line) if Some(extent.high) == line.missing() => {
                let apart = Division::after(extent.high - 1, extent.high);
                if self.allowable(part, column, &apart) {
                    return Some(apart);
                }
                self.middle_cut(part, column, extent)
            }
            _ => self.middle_cut(part, column, extent),
        }
    }

    /// Whether every part of a division meets every model.
    fn allowable<C: Code>(&self, part: &Part<'_, C>, column: usize, division: &Division) -> bool {
        let mut rows = vec![0; division.parts()];
        for (unit, code) in part.column(column) {
            rows[division.part(code, unit)] += self.units.weight(unit);
        }
        if rows.iter().any(|rows| *rows < self.least.max(1)) {
            return false;
        }
        if !self.reads_payloads {
            return true;
        }
        let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); rows.len()];
        for (unit, code) in part.column(column) {
            cells[division.part(code, unit)].extend_from_slice(self.units.cells(unit));
        }
        cells.into_iter().zip(rows).all(|(cells, rows)| self.passes(rows, &merged(cells)))
    }

    /// Whether a class of these rows meets every model.
    fn passes(&self, size: u64, cells: &[Cell]) -> bool {
        if size < self.least {
            return false;
        }
        let class = ClassView { size, cells, payloads: self.problem.table.payloads() };
        !self.reads_payloads || self.tests.iter().all(|test| test.passes(&class))
    }

    /// Divides by the children of the lowest node above the part. Children that fail alone stay together in one part, which shows
    /// the node itself. If that part fails too, the smallest children that pass join it.
    fn tree_cut<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        extent: &Extent,
        tree: &Hierarchy,
    ) -> Option<Division> {
        let children = self.children(part, column, extent, tree);
        let (mut alone, mut together): (Vec<usize>, Vec<usize>) = (0..children.len())
            .partition(|child| self.passes(children[*child].rows, &children[*child].cells));
        if !together.is_empty() {
            if self.settings.small_children == SmallChildren::Refuse {
                return None;
            }
            // The smallest come last, and ties keep their order.
            alone.sort_by_key(|child| (std::cmp::Reverse(children[*child].rows), std::cmp::Reverse(*child)));
            let mut rows = together.iter().map(|child| children[*child].rows).sum();
            let mut cells =
                merged(together.iter().flat_map(|child| &children[*child].cells).copied().collect());
            while !self.passes(rows, &cells) {
                let child = alone.pop()?;
                rows += children[child].rows;
                cells.extend_from_slice(&children[child].cells);
                cells = merged(cells);
                together.push(child);
            }
            alone.sort_unstable();
        }
        if alone.len() + usize::from(!together.is_empty()) < 2 {
            return None;
        }
        // Children that do not occur go to the part that shows the node, or else to the next child.
        let rest = alone.len() as u32;
        let mut uppers = Vec::with_capacity(2 * alone.len() + 1);
        let node = tree.range(tree.lca_of_range(extent.low, extent.high));
        let mut next = node.0;
        for (number, child) in (0..).zip(&alone) {
            let Child { low, high, .. } = children[*child];
            if low > next && !together.is_empty() {
                uppers.push((low - 1, rest));
            }
            uppers.push((high, number));
            next = high + 1;
        }
        if !together.is_empty() {
            uppers.push((node.1, rest));
        }
        Some(Division::Ranges(uppers))
    }

    /// The children of the lowest node above a part that occur in it, in their order. Their cells are filled only if a model reads
    /// them.
    fn children<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        extent: &Extent,
        tree: &Hierarchy,
    ) -> Vec<Child> {
        let node = tree.lca_of_range(extent.low, extent.high);
        let mut children: Vec<Child> = Vec::new();
        for (code, rows) in self.rows_by_code(part, column, extent) {
            match children.last_mut().filter(|child| code <= child.high) {
                Some(child) => child.rows += rows,
                None => {
                    let mut below = tree.leaf(code);
                    while let Some(parent) = tree.parent(below).filter(|parent| *parent != node) {
                        below = parent;
                    }
                    let (low, high) = tree.range(below);
                    children.push(Child { low, high, rows, cells: Vec::new() });
                }
            }
        }
        if self.reads_payloads {
            for (unit, code) in part.column(column) {
                let place = children.partition_point(|child| child.high < code);
                children[place].cells.extend_from_slice(self.units.cells(unit));
            }
            children.iter_mut().for_each(|child| child.cells = merged(std::mem::take(&mut child.cells)));
        }
        children
    }

    /// The best cut `≤ x | > x` whose two sides meet every model. A relaxed search first tries the middle itself.
    fn middle_cut<C: Code>(&self, part: &Part<'_, C>, column: usize, extent: &Extent) -> Option<Division> {
        let literal = matches!(self.settings.rule, Rule::Widest { literal: true });
        if self.settings.relaxed {
            let half = half(part, column)?;
            if self.allowable(part, column, &half) {
                return Some(half);
            }
            if literal {
                return None;
            }
        }
        let after = |code: u32| Division::after(code, extent.high);
        let cuts = match self.settings.rule {
            Rule::Widest { .. } => self.by_balance(part, column, extent),
            Rule::Information { class, .. } => self.by_information(part, column, extent, class),
        };
        if literal {
            let median = cuts.into_iter().find(|cut| 2 * cut.left >= part.rows)?;
            return Some(after(median.code)).filter(|division| self.allowable(part, column, division));
        }
        let enough = |cut: &Ranked| cut.left.min(part.rows - cut.left) >= self.least;
        let cuts: Vec<Ranked> = cuts.into_iter().filter(enough).collect();
        // The best cut mostly passes. Only if it does not is every cut tested.
        let best = after(cuts.iter().min()?.code);
        if !self.reads_payloads || self.allowable(part, column, &best) {
            return Some(best);
        }
        self.sweep(part, column, &cuts).map(after)
    }

    /// Every cut; the more balanced, the better.
    fn by_balance<C: Code>(&self, part: &Part<'_, C>, column: usize, extent: &Extent) -> Vec<Ranked> {
        let by_code = self.rows_by_code(part, column, extent);
        let mut left = 0;
        let cuts = by_code.iter().take(by_code.len() - 1).map(|(code, rows)| {
            left += rows;
            Ranked { key: u64::abs_diff(left, part.rows - left), code: *code, left }
        });
        cuts.collect()
    }

    /// The rows of each code that occurs in a part, ascending.
    pub(super) fn rows_by_code<C: Code>(
        &self,
        part: &Part<'_, C>,
        column: usize,
        &Extent { low, high, .. }: &Extent,
    ) -> Vec<(u32, u64)> {
        let weighted = part.column(column).map(|(unit, code)| (code, self.units.weight(unit)));
        // A histogram if the range is small compared with the part, otherwise a sort.
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

    /// Finds the best of the cuts (given by ascending code) whose sides pass, by moving rows from right to left once.
    fn sweep<C: Code>(&self, part: &Part<'_, C>, column: usize, cuts: &[Ranked]) -> Option<u32> {
        let mut units: Vec<(u32, u32)> = part.column(column).map(|(unit, code)| (code, unit)).collect();
        units.sort_unstable();
        let mut right =
            merged(units.iter().flat_map(|(_, unit)| self.units.cells(*unit)).copied().collect::<Vec<_>>());
        let mut left: Vec<Cell> = right.iter().map(|cell| Cell { rows: 0, ..*cell }).collect();
        let present = |cells: &[Cell]| cells.iter().filter(|cell| cell.rows > 0).copied().collect::<Vec<_>>();
        let mut moved = units.into_iter().peekable();
        let mut best: Option<&Ranked> = None;
        for cut in cuts {
            while let Some((_, unit)) = moved.next_if(|(code, _)| *code <= cut.code) {
                for cell in self.units.cells(unit) {
                    if let Ok(place) = right.binary_search_by_key(&cell.payload, |cell| cell.payload) {
                        right[place].rows -= cell.rows;
                        left[place].rows += cell.rows;
                    }
                }
            }
            if best.is_none_or(|best| cut < best)
                && self.passes(cut.left, &present(&left))
                && self.passes(part.rows - cut.left, &present(&right))
            {
                best = Some(cut);
            }
        }
        best.map(|cut| cut.code)
    }
}

/// The division into two equal halves; equal codes are ordered by unit. A unit is one row here.
fn half<C: Code>(part: &Part<'_, C>, column: usize) -> Option<Division> {
    let mut units: Vec<(u32, u32)> = part.column(column).map(|(unit, code)| (code, unit)).collect();
    let last = units.len().div_ceil(2).checked_sub(1)?;
    let (_, (code, unit), _) = units.select_nth_unstable(last);
    Some(Division::Half(*code, *unit))
}
