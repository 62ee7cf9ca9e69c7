//! Finds nearest and furthest rows with a tree of boxes (algorithms.md A4).
//!
//! The tuples are split by their columns until few are together. Every node knows the box around its tuples and the rows
//! that are left in it. No row of a box is nearer than the box's nearest corner could be, so boxes that are too far away
//! are never opened. Answers are exact, ties go to the smaller tuple, and rows can be removed.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::space::Space;
use super::stock::{Part, Stock};
use crate::error::Result;
use crate::problem::{Pace, Progress};

/// Boxes with at most this many tuples are not split.
const SMALLEST: usize = 16;

pub(in crate::search::algorithms) struct Boxes {
    /// The columns that can cost anything, and where the table of each begins in a query.
    axes: Vec<usize>,
    offsets: Vec<u32>,
    table_length: usize,
    nodes: Vec<Node>,
    /// Per node and axis, the least and the greatest rank.
    corners: Vec<(u32, u32)>,
    /// The tuples in the order of the boxes, and the place of each tuple in it.
    order: Vec<u32>,
    place: Vec<u32>,
    /// Per place and axis, the index into a query's tables.
    points: Vec<u32>,
    /// The node of each place.
    leaf: Vec<u32>,
    /// Rows that are left, per place and per node. If labels are read, the same also by label.
    rows: Vec<u32>,
    left: Vec<u32>,
    labels: usize,
    rows_by_label: Vec<u32>,
    left_by_label: Vec<u32>,
}

/// A box. The first child directly follows its parent.
struct Node {
    start: u32,
    end: u32,
    /// The second child; 0 if there are no children.
    second: u32,
    parent: u32,
    /// The least tuple in the box.
    least: u32,
}

/// Distances from one extent, for [`Boxes::ask`].
#[derive(Default, Clone)]
pub(in crate::search::algorithms) struct Query {
    /// The cost of covering each rank of each axis together with the extent.
    tables: Vec<u64>,
    /// A rank inside the extent, for each axis.
    inside: Vec<u32>,
}

/// Turns costs into the keys by which rows are ordered.
#[derive(Debug, Clone, Copy)]
pub(in crate::search::algorithms) struct Keys {
    /// The factor by which costs are multiplied.
    pub(in crate::search::algorithms) factor: u64,
    /// A label, and what is added to the key of rows with other labels.
    pub(in crate::search::algorithms) label: Option<(u32, u64)>,
}

/// Rows of one tuple that a search found; in ascending order of key, then tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::search::algorithms) struct Found {
    pub(in crate::search::algorithms) key: u64,
    pub(in crate::search::algorithms) tuple: u32,
    /// Whether these are the tuple's rows with other labels.
    pub(in crate::search::algorithms) other: bool,
    pub(in crate::search::algorithms) rows: u32,
}

impl Boxes {
    /// Builds the tree for the tuples of a space, with the rows of a stock.
    pub(in crate::search::algorithms) fn new(
        space: &Space<'_>,
        stock: &Stock<'_>,
        tuples: u32,
        progress: &Progress,
    ) -> Result<Self> {
        let axes: Vec<usize> = (0..space.axes.len()).filter(|column| space.axes[*column].matters()).collect();
        let mut table_length = 0;
        let offsets = axes.iter().map(|column| {
            let offset = table_length as u32;
            table_length += space.axes[*column].len();
            offset
        });
        let offsets = offsets.collect();
        let mut order: Vec<u32> = (0..tuples).collect();
        let mut boxes = Self {
            axes,
            offsets,
            table_length,
            nodes: Vec::new(),
            corners: Vec::new(),
            order: Vec::new(),
            place: vec![0; tuples as usize],
            points: Vec::new(),
            leaf: vec![0; tuples as usize],
            rows: vec![0; tuples as usize],
            left: Vec::new(),
            labels: stock.labels(),
            rows_by_label: Vec::new(),
            left_by_label: Vec::new(),
        };
        if tuples > 0 {
            boxes.split(space, &mut order, 0, 0, &mut progress.pace())?;
        }
        boxes.order = order;
        progress.check()?;
        boxes.count(space, stock);
        progress.check()?;
        Ok(boxes)
    }

    /// Splits the tuples from the place `start` on into nodes below `parent`.
    fn split(
        &mut self,
        space: &Space<'_>,
        tuples: &mut [u32],
        start: usize,
        parent: u32,
        pace: &mut Pace<'_>,
    ) -> Result<()> {
        pace.tick(tuples.len())?;
        let node = self.nodes.len();
        let corner = |column: &usize| {
            let ranks = tuples.iter().map(|tuple| space.ranks(*tuple)[*column]);
            (ranks.clone().min().unwrap_or(0), ranks.max().unwrap_or(0))
        };
        let corners: Vec<(u32, u32)> = self.axes.iter().map(corner).collect();
        self.corners.extend_from_slice(&corners);
        self.nodes.push(Node {
            start: start as u32,
            end: (start + tuples.len()) as u32,
            second: 0,
            parent,
            least: tuples.iter().copied().min().unwrap_or(0),
        });
        // Split the column that costs most; the first wins ties.
        let wide = self.axes.iter().zip(&corners).filter(|(_, (low, high))| low < high);
        let costs = wide.map(|(column, (low, high))| {
            (space.axes[*column].cost(*low, *high), std::cmp::Reverse(*column), *low, *high)
        });
        let widest = costs.max().filter(|(cost, ..)| *cost > 0);
        let Some((_, std::cmp::Reverse(column), low, high)) = widest.filter(|_| tuples.len() > SMALLEST)
        else {
            self.leaf[start..start + tuples.len()].fill(node as u32);
            return Ok(());
        };
        let rank = |tuple: &u32| space.ranks(*tuple)[column];
        tuples.par_sort_unstable_by_key(|tuple| (rank(tuple), *tuple));
        let middle = tuples.len() / 2;
        let count = |last: u32| tuples.partition_point(|tuple| rank(tuple) <= last);
        let parts = space.axes[column].parts(low, high);
        let cut = if parts.len() < 64 {
            parts.into_iter().map(count).min_by_key(|count| count.abs_diff(middle))
        } else {
            // Of very many cuts, only the two around the middle can be nearest to it.
            let at = parts.partition_point(|last| *last < rank(&tuples[middle]));
            let near = parts[at.saturating_sub(1)..].iter().take(2).copied().map(count);
            near.min_by_key(|count| count.abs_diff(middle))
        };
        let cut = cut.unwrap_or(middle);
        let (first, second) = tuples.split_at_mut(cut);
        self.split(space, first, start, node as u32, pace)?;
        self.nodes[node].second = self.nodes.len() as u32;
        self.split(space, second, start + cut, node as u32, pace)
    }

    /// Fills in points and rows once the order is known.
    fn count(&mut self, space: &Space<'_>, stock: &Stock<'_>) {
        let labelled = self.labels > 0;
        self.left = vec![0; self.nodes.len()];
        if labelled {
            self.rows_by_label = vec![0; self.order.len() * self.labels];
            self.left_by_label = vec![0; self.nodes.len() * self.labels];
        }
        for (place, tuple) in self.order.iter().enumerate() {
            self.place[*tuple as usize] = place as u32;
            let ranks = space.ranks(*tuple);
            self.points
                .extend(self.axes.iter().zip(&self.offsets).map(|(axis, offset)| offset + ranks[*axis]));
        }
        for place in 0..self.order.len() {
            for (payload, rows) in stock.cells(self.order[place]) {
                self.rows[place] += rows;
                if labelled {
                    self.rows_by_label[place * self.labels + stock.label(payload) as usize] += rows;
                }
            }
            let mut node = self.leaf[place] as usize;
            loop {
                self.left[node] += self.rows[place];
                for label in 0..self.labels {
                    self.left_by_label[node * self.labels + label] +=
                        self.rows_by_label[place * self.labels + label];
                }
                if node == 0 {
                    break;
                }
                node = self.nodes[node].parent as usize;
            }
        }
    }

    /// Removes rows.
    pub(in crate::search::algorithms) fn remove(&mut self, part: &Part, label: u32) {
        let (place, label) = (self.place[part.tuple as usize] as usize, label as usize);
        self.rows[place] -= part.rows;
        if self.labels > 0 {
            self.rows_by_label[place * self.labels + label] -= part.rows;
        }
        let mut node = self.leaf[place] as usize;
        loop {
            self.left[node] -= part.rows;
            if self.labels > 0 {
                self.left_by_label[node * self.labels + label] -= part.rows;
            }
            if node == 0 {
                return;
            }
            node = self.nodes[node].parent as usize;
        }
    }

    /// The tuples in the order of the boxes, so that near ones are close together.
    pub(in crate::search::algorithms) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The rows of a tuple that are left.
    pub(in crate::search::algorithms) fn rows(&self, tuple: u32) -> u32 {
        self.rows[self.place[tuple as usize] as usize]
    }

    /// Prepares a query for the distances from an extent.
    pub(in crate::search::algorithms) fn ask(
        &self,
        space: &Space<'_>,
        extent: &[(u32, u32)],
        query: &mut Query,
    ) {
        query.tables.resize(self.table_length, 0);
        query.inside.clear();
        for (column, offset) in self.axes.iter().zip(&self.offsets) {
            let axis = &space.axes[*column];
            axis.fill(extent[*column], &mut query.tables[*offset as usize..][..axis.len()]);
            query.inside.push(extent[*column].0);
        }
    }

    /// The cost of covering a tuple together with the extent of a query.
    pub(in crate::search::algorithms) fn cost(&self, query: &Query, tuple: u32) -> u64 {
        self.cost_at(query, self.place[tuple as usize] as usize)
    }

    fn cost_at(&self, query: &Query, place: usize) -> u64 {
        let width = self.axes.len();
        self.points[place * width..][..width].iter().map(|point| query.tables[*point as usize]).sum()
    }

    /// The least possible cost of a tuple in a box: each axis contributes the rank nearest the extent.
    fn least_cost(&self, query: &Query, node: usize) -> u64 {
        let width = self.axes.len();
        let corners = &self.corners[node * width..][..width];
        let nearest = corners.iter().zip(&query.inside).zip(&self.offsets);
        nearest
            .map(|(((low, high), inside), offset)| query.tables[(offset + inside.clamp(low, high)) as usize])
            .sum()
    }

    /// The greatest possible cost of a tuple in a box: on each axis, costs only rise towards both ends.
    fn greatest_cost(&self, query: &Query, node: usize) -> u64 {
        let width = self.axes.len();
        let corners = self.corners[node * width..][..width].iter().zip(&self.offsets);
        let at = |rank: u32, offset: u32| query.tables[(offset + rank) as usize];
        corners.map(|((low, high), offset)| at(*low, *offset).max(at(*high, *offset))).sum()
    }

    /// Returns the first rows by key, then tuple, then label: at least `need` of them, if that many are left, and none of a
    /// tuple after the one that reaches `need`.
    pub(in crate::search::algorithms) fn nearest(&self, query: &Query, keys: Keys, need: u64) -> Vec<Found> {
        let mut best = Best { need, rows: 0, found: BinaryHeap::new() };
        if need > 0 && !self.nodes.is_empty() {
            self.visit(query, keys, 0, 0, &mut best);
        }
        best.found.into_sorted_vec()
    }

    /// The least possible key of a row that is left in a box.
    fn least_key(&self, query: &Query, keys: Keys, node: usize) -> u64 {
        let key = keys.factor.saturating_mul(self.least_cost(query, node));
        match keys.label {
            Some((label, more)) if self.left_by_label[node * self.labels + label as usize] == 0 => {
                key.saturating_add(more)
            }
            _ => key,
        }
    }

    fn visit(&self, query: &Query, keys: Keys, node: usize, least: u64, best: &mut Best) {
        // A row with an equal key may still have a smaller tuple.
        if self.left[node] == 0 || best.is_beyond(least) {
            return;
        }
        let this = &self.nodes[node];
        if this.second == 0 {
            for place in this.start as usize..this.end as usize {
                if self.rows[place] > 0 {
                    self.consider(query, keys, place, best);
                }
            }
            return;
        }
        let children = [node + 1, this.second as usize];
        let [first, second] = children.map(|child| (self.least_key(query, keys, child), child));
        let (near, far) = if first <= second { (first, second) } else { (second, first) };
        self.visit(query, keys, near.1, near.0, best);
        self.visit(query, keys, far.1, far.0, best);
    }

    fn consider(&self, query: &Query, keys: Keys, place: usize, best: &mut Best) {
        let key = keys.factor.saturating_mul(self.cost_at(query, place));
        if best.is_beyond(key) {
            return;
        }
        let (tuple, all) = (self.order[place], self.rows[place]);
        let Some((label, more)) = keys.label else {
            return best.push(Found { key, tuple, other: false, rows: all });
        };
        let same = self.rows_by_label[place * self.labels + label as usize];
        best.push(Found { key, tuple, other: false, rows: same });
        best.push(Found { key: key.saturating_add(more), tuple, other: true, rows: all - same });
    }

    /// The tuple with rows left that costs most; of several, the smallest.
    pub(in crate::search::algorithms) fn furthest(&self, query: &Query) -> Option<u32> {
        let mut best = None;
        if !self.nodes.is_empty() {
            self.visit_far(query, 0, u64::MAX, &mut best);
        }
        best.map(|(_, std::cmp::Reverse(tuple))| tuple)
    }

    fn visit_far(
        &self,
        query: &Query,
        node: usize,
        greatest: u64,
        best: &mut Option<(u64, std::cmp::Reverse<u32>)>,
    ) {
        let this = &self.nodes[node];
        if self.left[node] == 0 || *best >= Some((greatest, std::cmp::Reverse(this.least))) {
            return;
        }
        if this.second == 0 {
            for place in (this.start as usize..this.end as usize).filter(|place| self.rows[*place] > 0) {
                let found = (self.cost_at(query, place), std::cmp::Reverse(self.order[place]));
                *best = (*best).max(Some(found));
            }
            return;
        }
        let children = [node + 1, this.second as usize];
        let [first, second] = children.map(|child| (self.greatest_cost(query, child), child));
        let (far, near) = if first.0 >= second.0 { (first, second) } else { (second, first) };
        self.visit_far(query, far.1, far.0, best);
        self.visit_far(query, near.1, near.0, best);
    }
}

/// The first rows found so far.
struct Best {
    need: u64,
    rows: u64,
    found: BinaryHeap<Found>,
}

impl Best {
    /// Whether enough rows with smaller keys are known.
    fn is_beyond(&self, key: u64) -> bool {
        self.rows >= self.need && self.found.peek().is_some_and(|last| last.key < key)
    }

    fn push(&mut self, found: Found) {
        if found.rows == 0 || self.rows >= self.need && self.found.peek().is_some_and(|last| *last < found) {
            return;
        }
        self.rows += u64::from(found.rows);
        self.found.push(found);
        while let Some(last) = self.found.peek() {
            if self.rows - u64::from(last.rows) < self.need {
                break;
            }
            self.rows -= u64::from(last.rows);
            self.found.pop();
        }
    }
}

#[cfg(test)]
#[path = "boxes_tests.rs"]
mod tests;
