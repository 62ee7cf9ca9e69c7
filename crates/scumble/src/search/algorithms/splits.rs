//! Divides columns into parts, in the same way for all rows: at a number or text, or into the children of a node.

use crate::problem::Problem;
use crate::table::hierarchy::Hierarchy;
use crate::table::quasi::{Quasi, Shape, Value};

/// One way to divide a part of a column.
pub(super) struct Split {
    pub(super) column: usize,
    /// The first codes of all parts but the first.
    starts: Vec<u32>,
    /// The split of the node above, which must be made before this one.
    pub(super) above: Option<usize>,
    /// The splits of the nodes below are those from the next one up to, but not including, this place.
    pub(super) end: usize,
}

impl Split {
    /// The number of the part that contains a code. Codes outside the divided part go to the first or the last part.
    pub(super) fn side(&self, code: u32) -> usize {
        self.starts.partition_point(|start| *start <= code)
    }

    /// The number of parts.
    pub(super) fn sides(&self) -> usize {
        self.starts.len() + 1
    }
}

/// All splits, column by column, with those of a node before those of the nodes below it. A set of splits divides all columns
/// if it contains, for each of its splits, the split above.
pub(super) struct SplitSpace<'a> {
    quasi: &'a [Quasi],
    pub(super) splits: Vec<Split>,
    /// The codes that occur, column by column, ascending.
    present: Vec<Vec<u32>>,
}

impl<'a> SplitSpace<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let mut space = Self { quasi: &problem.quasi, splits: Vec::new(), present: Vec::new() };
        for (column, quasi) in problem.quasi.iter().enumerate() {
            let rows = problem.table.marginal(column, quasi.size() as usize);
            let present: Vec<u32> =
                (0..).zip(rows).filter(|(_, rows)| *rows > 0).map(|(code, _)| code).collect();
            match quasi.tree() {
                Some(tree) => space.divide_nodes(column, tree, &present),
                None => {
                    for code in present.iter().skip(1) {
                        let end = space.splits.len() + 1;
                        space.splits.push(Split { column, starts: vec![*code], above: None, end });
                    }
                }
            }
            space.present.push(present);
        }
        space
    }

    /// Adds the splits of nodes with several children that occur.
    fn divide_nodes(&mut self, column: usize, tree: &Hierarchy, present: &[u32]) {
        let occurs = |node: u32| {
            let (low, high) = tree.range(node);
            present.partition_point(|code| *code < low) < present.partition_point(|code| *code <= high)
        };
        let mut open = vec![(tree.root(), None)];
        let first = self.splits.len();
        while let Some((node, above)) = open.pop() {
            let children: Vec<u32> = tree.children(node).filter(|child| occurs(*child)).collect();
            let mut below = above;
            if children.len() > 1 {
                below = Some(self.splits.len());
                let starts = children.iter().skip(1).map(|child| tree.range(*child).0).collect();
                let end = self.splits.len() + 1;
                self.splits.push(Split { column, starts, above, end });
            }
            open.extend(children.into_iter().rev().map(|child| (child, below)));
        }
        // Nodes come before those below them, so going backwards every end is known when the split above needs it.
        for place in (first..self.splits.len()).rev() {
            if let Some(above) = self.splits[place].above {
                self.splits[above].end = self.splits[above].end.max(self.splits[place].end);
            }
        }
    }

    /// The first code of each part of each column under a set of splits. The first part begins at 0.
    pub(super) fn starts(&self, set: &[bool]) -> Vec<Vec<u32>> {
        let mut starts = vec![vec![0]; self.quasi.len()];
        for (split, _) in self.splits.iter().zip(set).filter(|(_, made)| **made) {
            starts[split.column].extend(&split.starts);
        }
        starts.iter_mut().for_each(|starts| starts.sort_unstable());
        starts
    }

    /// The parts of each column under a set of splits, as the first and the last code that occur in them.
    pub(super) fn parts(&self, set: &[bool]) -> Vec<Vec<(u32, u32)>> {
        let columns = self.present.iter().zip(self.starts(set));
        columns
            .map(|(present, starts)| {
                let part = |code: &u32| starts.partition_point(|start| start <= code);
                let of_part = present.chunk_by(|a, b| part(a) == part(b));
                of_part.map(|codes| (codes[0], codes[codes.len() - 1])).collect()
            })
            .collect()
    }

    /// What each code shows under a set of splits, column by column.
    pub(super) fn maps(&self, set: &[bool]) -> Vec<Vec<Value>> {
        let columns = self.quasi.iter().zip(self.parts(set));
        columns.map(|(quasi, parts)| shown(quasi, &parts)).collect()
    }
}

/// What each code of a column shows: the smallest value that covers its part. Parts are given by the first and last code that
/// occur in them. A code in no part shows nothing, unless the value of a part covers it.
fn shown(quasi: &Quasi, parts: &[(u32, u32)]) -> Vec<Value> {
    let mut map = vec![Value::Star; quasi.size() as usize];
    for (low, high) in parts.iter().copied() {
        let value = quasi.cover(low, high);
        // A node may cover codes besides those that occur, but a star must not be extended to other codes.
        let (low, high) = if value == Value::Star { (low, high) } else { quasi.codes(value) };
        map[low as usize..=high as usize].fill(value);
    }
    map
}

/// Whether a value is written like a suppressed one.
pub(super) fn is_star(quasi: &Quasi, value: Value) -> bool {
    match (value, &quasi.shape) {
        (Value::Star, _) => true,
        (Value::Node(node), Shape::Tree(tree)) => {
            !tree.is_leaf(node) && tree.label(node) == crate::table::label::STAR
        }
        _ => false,
    }
}
