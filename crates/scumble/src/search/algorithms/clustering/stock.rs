//! The rows that are in no cluster yet, and clusters under construction.

use super::space::{Extent, Space};
use crate::search::deal;
use crate::table::frequency::{Cell, FrequencyTable, total};

/// Rows of one tuple and payload in a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search::algorithms) struct Part {
    pub(in crate::search::algorithms) tuple: u32,
    pub(in crate::search::algorithms) payload: u32,
    pub(in crate::search::algorithms) rows: u32,
}

/// Rows that will show the same values.
#[derive(Debug, Clone)]
pub(in crate::search::algorithms) struct Cluster {
    pub(in crate::search::algorithms) parts: Vec<Part>,
    pub(in crate::search::algorithms) extent: Extent,
    pub(in crate::search::algorithms) size: u64,
}

impl Cluster {
    /// A cluster around a tuple, without any rows yet.
    pub(in crate::search::algorithms) fn around(space: &Space<'_>, tuple: u32) -> Self {
        Self { parts: Vec::new(), extent: space.point(tuple), size: 0 }
    }

    /// Adds rows.
    pub(in crate::search::algorithms) fn add(&mut self, space: &Space<'_>, part: Part) {
        space.widen(&mut self.extent, part.tuple);
        self.size += u64::from(part.rows);
        self.parts.push(part);
    }

    /// The increase in the cluster's cost if it takes one more row of a tuple.
    pub(in crate::search::algorithms) fn increase(&self, space: &Space<'_>, tuple: u32) -> u128 {
        let point = space.ranks(tuple).iter().map(|rank| (*rank, *rank));
        let with = u128::from(self.size + 1) * u128::from(space.joint_cost(&self.extent, point));
        with - u128::from(self.size) * u128::from(space.cost(&self.extent))
    }

    /// The most frequent label; of equally frequent ones, the first.
    pub(in crate::search::algorithms) fn majority(&self, label: impl Fn(u32) -> u32) -> Option<u32> {
        let mut rows: Vec<(u32, u64)> = Vec::new();
        for part in &self.parts {
            let of_part = label(part.payload);
            match rows.iter_mut().find(|(label, _)| *label == of_part) {
                Some((_, rows)) => *rows += u64::from(part.rows),
                None => rows.push((of_part, u64::from(part.rows))),
            }
        }
        rows.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map(|(label, _)| label)
    }
}

/// Selects rows of a tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search::algorithms) enum Which {
    /// All rows.
    Any,
    /// The rows with a label.
    Of(u32),
    /// The rows with other labels.
    NotOf(u32),
}

/// The rows that are left, by tuple and payload. The rows of a tuple are dealt fairly.
pub(in crate::search::algorithms) struct Stock<'p> {
    table: &'p FrequencyTable,
    /// The payload column that labels are read from; without it every row has the label 0.
    label: Option<usize>,
    starts: Vec<u32>,
    left: Vec<u32>,
    /// The number of all rows that are left.
    pub(in crate::search::algorithms) rows: u64,
}

impl<'p> Stock<'p> {
    pub(in crate::search::algorithms) fn new(table: &'p FrequencyTable, label: Option<usize>) -> Self {
        let mut starts = vec![0];
        let mut left = Vec::new();
        for tuple in 0..table.tuples() as u32 {
            left.extend(table.cells(tuple).iter().map(|cell| cell.rows));
            starts.push(left.len() as u32);
        }
        Self { table, label, starts, left, rows: table.rows() }
    }

    /// The number of labels; 0 if labels are not read.
    pub(in crate::search::algorithms) fn labels(&self) -> usize {
        self.label.map_or(0, |column| self.table.payloads().columns[column].values.len())
    }

    /// The label of a payload.
    pub(in crate::search::algorithms) fn label(&self, payload: u32) -> u32 {
        self.label.map_or(0, |column| self.table.payloads().value(payload, column))
    }

    /// The rows of a tuple that are left, by payload.
    pub(in crate::search::algorithms) fn cells(&self, tuple: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let start = self.starts[tuple as usize] as usize;
        let cells = self.table.cells(tuple);
        cells.iter().zip(&self.left[start..]).map(|(cell, rows)| (cell.payload, *rows))
    }

    /// The payload of the row of a tuple that would be taken next, if one is left.
    pub(in crate::search::algorithms) fn next(&self, tuple: u32) -> Option<u32> {
        let start = self.starts[tuple as usize] as usize;
        let cells = self.table.cells(tuple);
        let mut left = self.left[start..start + cells.len()].to_vec();
        deal::take(cells, &mut left, 1, |_| true).first().map(|cell| cell.payload)
    }

    /// Takes at most `most` rows of a tuple.
    pub(in crate::search::algorithms) fn take(&mut self, tuple: u32, most: u64, which: Which) -> Vec<Part> {
        let fits = |payload: u32| match which {
            Which::Any => true,
            Which::Of(label) => self.label(payload) == label,
            Which::NotOf(label) => self.label(payload) != label,
        };
        let start = self.starts[tuple as usize] as usize;
        let cells = self.table.cells(tuple);
        let mut left = self.left[start..start + cells.len()].to_vec();
        let taken = deal::take(cells, &mut left, most, fits);
        self.left[start..start + cells.len()].copy_from_slice(&left);
        self.rows -= total(&taken);
        taken.into_iter().map(|Cell { payload, rows }| Part { tuple, payload, rows }).collect()
    }
}
