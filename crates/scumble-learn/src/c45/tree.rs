//! A grown tree: its nodes, and how it classifies rows.

use super::grow::Branch;
use super::parts::SMALL;
use crate::learner::Classifier;
use crate::table::{Cells, Features, MISSING};

/// The test of a node on a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// Tests the value of a nominal column: child `i` is for code `i`, even if no training row had it.
    Values {
        /// The column's position in the table.
        column: usize,
        /// The number of the column's values, and so of children.
        values: usize,
    },
    /// Compares a number with a threshold, which is a number of the training table: child 0 if it is at most `at`, else 1.
    Threshold {
        /// The column's position in the table.
        column: usize,
        /// The threshold.
        at: f64,
    },
}

impl Test {
    /// The column that is tested.
    #[must_use]
    pub fn column(&self) -> usize {
        match *self {
            Self::Values { column, .. } | Self::Threshold { column, .. } => column,
        }
    }

    /// The number of branches.
    #[must_use]
    pub fn branches(&self) -> usize {
        match *self {
            Self::Values { values, .. } => values,
            Self::Threshold { .. } => 2,
        }
    }

    /// The branch that a row takes; `None` if its value is missing or was unknown in training.
    #[must_use]
    pub fn branch(&self, features: &Features, row: usize) -> Option<usize> {
        match (*self, features.columns()[self.column()].cells()) {
            (Self::Values { values, .. }, Cells::Nominal { codes, .. }) => {
                Some(codes[row] as usize).filter(|&code| codes[row] != MISSING && code < values)
            }
            (Self::Threshold { at, .. }, Cells::Numeric(numbers)) => {
                (!numbers[row].is_nan()).then_some(usize::from(numbers[row] > at))
            }
            _ => None,
        }
    }
}

/// A node of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The test at this node; `None` at a leaf.
    pub test: Option<Test>,
    /// The numbers of the nodes below, one for each branch of the test, including empty ones.
    pub children: Vec<usize>,
    /// The node above; `None` at the root.
    pub parent: Option<usize>,
    /// The training weight of each class that reached this node.
    pub counts: Vec<f64>,
}

impl Node {
    /// Whether the node is a leaf, without a test.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.test.is_none()
    }

    /// The training weight that reached this node.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// A decision tree. Its nodes are numbered from the root, 0; parents come before their children.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
    classes: usize,
}

impl Tree {
    pub(super) fn new(root: Branch, classes: usize) -> Self {
        let mut tree = Self { nodes: Vec::new(), classes };
        tree.append(root, None);
        tree
    }

    fn append(&mut self, branch: Branch, parent: Option<usize>) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node { test: branch.test, children: Vec::new(), parent, counts: branch.counts });
        let children = branch.children.into_iter().map(|child| self.append(child, Some(number))).collect();
        self.nodes[number].children = children;
        number
    }

    /// All nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node by its number.
    #[must_use]
    pub fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// The root, through which every row goes.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The number of nodes above a node.
    #[must_use]
    pub fn depth(&self, number: usize) -> usize {
        std::iter::successors(self.nodes[number].parent, |&above| self.nodes[above].parent).count()
    }

    /// The number of leaves, including empty ones.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_leaf()).count()
    }

    /// The leaf that a row reaches, or the node whose test it cannot answer because the value is missing.
    #[must_use]
    pub fn locate(&self, features: &Features, row: usize) -> usize {
        let mut here = 0;
        while let Some(branch) = self.nodes[here].test.and_then(|test| test.branch(features, row)) {
            here = self.nodes[here].children[branch];
        }
        here
    }

    /// Adds `share` of a row's class probabilities, starting at a node.
    fn add(&self, number: usize, features: &Features, row: usize, share: f64, out: &mut [f64]) {
        let node = &self.nodes[number];
        let settle = |out: &mut [f64]| {
            let weight = node.weight();
            for (sum, count) in out.iter_mut().zip(&node.counts) {
                *sum += share * count / weight;
            }
        };
        let Some(test) = node.test else { return settle(out) };
        let empty = |child: usize| self.nodes[child].weight() <= SMALL;
        match test.branch(features, row).map(|branch| node.children[branch]) {
            Some(child) if empty(child) => settle(out),
            Some(child) => self.add(child, features, row, share, out),
            None => {
                let total: f64 = node.children.iter().map(|&child| self.nodes[child].weight()).sum();
                for &child in node.children.iter().filter(|&&child| !empty(child)) {
                    let share = share * self.nodes[child].weight() / total;
                    self.add(child, features, row, share, out);
                }
            }
        }
    }
}

impl Classifier for Tree {
    fn classes(&self) -> usize {
        self.classes
    }

    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.add(0, features, row, 1.0, out);
    }
}
