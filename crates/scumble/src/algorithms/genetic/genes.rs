//! Chromosomes: one bit for each boundary between neighbouring codes, and how they stay cuts of the columns' trees.

use crate::algorithms::parts;
use crate::hierarchy::{Hierarchy, NodeId};
use crate::quasi::{Quasi, Value};

/// One bit for each boundary, column after column: whether the column is cut there.
pub(super) type Chromosome = Box<[bool]>;

/// The boundaries of all columns.
pub(super) struct Genes<'a> {
    quasi: &'a [Quasi],
    /// The place of each column's first boundary, and the number of all of them.
    starts: Vec<usize>,
    /// For each boundary of a column with a tree the smallest node that has codes on both sides.
    nodes: Vec<Vec<NodeId>>,
}

impl<'a> Genes<'a> {
    pub(super) fn new(quasi: &'a [Quasi]) -> Self {
        let mut starts = vec![0];
        let mut nodes = Vec::new();
        for quasi in quasi {
            let boundaries = quasi.size().saturating_sub(1);
            starts.push(starts.last().copied().unwrap_or(0) + boundaries as usize);
            let node = |tree: &Hierarchy| {
                (0..boundaries).map(|code| tree.lca_of_range(code, code + 1)).collect::<Vec<_>>()
            };
            nodes.push(quasi.tree().map(node).unwrap_or_default());
        }
        Self { quasi, starts, nodes }
    }

    /// How many boundaries there are.
    pub(super) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The bits of a column.
    fn column<'c>(&self, bits: &'c [bool], column: usize) -> &'c [bool] {
        &bits[self.starts[column]..self.starts[column + 1]]
    }

    /// The parts of a column, by their first and last code.
    pub(super) fn parts(&self, bits: &[bool], column: usize) -> Vec<(u32, u32)> {
        let Some(last) = self.quasi[column].size().checked_sub(1) else { return Vec::new() };
        let mut low = 0;
        let mut parts = Vec::new();
        for (code, cut) in (0..).zip(self.column(bits, column)) {
            if *cut {
                parts.push((low, code));
                low = code + 1;
            }
        }
        parts.push((low, last));
        parts
    }

    /// What every code shows, column by column.
    pub(super) fn maps(&self, bits: &[bool]) -> Vec<Vec<Value>> {
        let map = |(column, quasi)| parts::shown(quasi, self.parts(bits, column).into_iter());
        self.quasi.iter().enumerate().map(map).collect()
    }

    /// Makes the parts of every column with a tree nodes of it: a part that is none becomes the smallest node that covers
    /// it, and of nodes that overlap the higher one stays (algorithms.md B13).
    ///
    /// So a node is divided if every node above it is, and if all boundaries between its children are cuts.
    pub(super) fn repair(&self, bits: &mut [bool]) {
        for (column, quasi) in self.quasi.iter().enumerate() {
            let Some(tree) = quasi.tree() else { continue };
            let bits = &mut bits[self.starts[column]..self.starts[column + 1]];
            let mut open = vec![tree.root()];
            while let Some(node) = open.pop() {
                if between_children(tree, node).all(|boundary| bits[boundary]) {
                    open.extend(tree.children(node));
                } else {
                    let (low, high) = tree.range(node);
                    bits[low as usize..high as usize].fill(false);
                }
            }
        }
    }

    /// Turns a bit over, in a column with a tree together with those that must follow: no cut makes the smallest node
    /// around the boundary whole, a cut divides it and every node above it. (A lone bit would nearly always be repaired away.)
    pub(super) fn flip(&self, bits: &mut [bool], place: usize) {
        let cut = !bits[place];
        // The column whose boundaries begin last at or before this place; columns without any begin there, too.
        let column = self.starts.partition_point(|start| *start <= place) - 1;
        let start = self.starts[column];
        let Some(tree) = self.quasi[column].tree() else {
            bits[place] = cut;
            return;
        };
        let around = self.nodes[column][place - start];
        if cut {
            for node in std::iter::successors(Some(around), |node| tree.parent(*node)) {
                between_children(tree, node).for_each(|boundary| bits[start + boundary] = true);
            }
        } else {
            let (low, high) = tree.range(around);
            bits[start + low as usize..start + high as usize].fill(false);
        }
    }
}

/// The boundaries between the children of a node.
fn between_children(tree: &Hierarchy, node: NodeId) -> impl Iterator<Item = usize> + '_ {
    let end = tree.range(node).1;
    tree.children(node)
        .map(|child| tree.range(child).1)
        .filter(move |last| *last < end)
        .map(|last| last as usize)
}
