//! The tree: nodes in preorder, each a contiguous range of leaf codes.
//!
//! Leaves are coded in depth-first order, so "is this value below that node" is a comparison of two
//! integers, and the children of a node are found without child lists: the first child follows its
//! parent, the next sibling follows the end of the subtree. Columns of numbers and one pool of text
//! keep a million leaves small.

use rayon::slice::ParallelSliceMut;
use scumble_files::table::Texts;

use crate::error::{Error, Result};

/// A node, numbered in preorder; the root is 0.
pub type NodeId = u32;

/// Stands for "no node" in the parent column.
const NONE: NodeId = u32::MAX;
/// The most steps from a leaf to the root. Deeper trees are mistakes, and every climb costs its depth.
pub(super) const MAX_HEIGHT: usize = 255;

/// Where the groups of a hierarchy come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// From a file or a rule that was fixed without looking at the data.
    Declared,
    /// Chosen by looking at the data, so that the groups themselves say something about it.
    FromData,
}

/// A generalisation hierarchy. It may be ragged: leaves at different depths.
///
/// Levels count generalisation steps and are aligned at the root: level `g` of a tree of height `H`
/// means depth `H − g`, or the leaf where that is shallower. Level 0 is always the leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    labels: Texts,
    parents: Vec<NodeId>,
    /// Per node, the id after the last node of its subtree.
    ends: Vec<NodeId>,
    lows: Vec<u32>,
    highs: Vec<u32>,
    depths: Vec<u8>,
    /// Per leaf code, its node.
    leaves: Vec<NodeId>,
    /// Leaf codes, ordered by label.
    by_label: Vec<u32>,
    height: u32,
    provenance: Provenance,
}

impl Hierarchy {
    /// How many leaves there are.
    #[must_use]
    pub fn leaf_count(&self) -> u32 {
        self.leaves.len() as u32
    }

    /// How many nodes there are, leaves included.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The root: 0.
    #[must_use]
    pub fn root(&self) -> NodeId {
        0
    }

    /// The steps from the deepest leaf to the root; 0 for a lone leaf that is the root.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The label of a node.
    #[must_use]
    pub fn label(&self, node: NodeId) -> &str {
        self.labels.get(node)
    }

    /// The parent of a node; `None` for the root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        Some(self.parents[node as usize]).filter(|parent| *parent != NONE)
    }

    /// The children of a node, in order; none for a leaf.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.ends[node as usize];
        let inside = move |child: &NodeId| *child < end;
        let first = Some(node + 1).filter(inside);
        std::iter::successors(first, move |child| Some(self.ends[*child as usize]).filter(inside))
    }

    /// The first and the last leaf code below a node, both included.
    #[must_use]
    pub fn range(&self, node: NodeId) -> (u32, u32) {
        (self.lows[node as usize], self.highs[node as usize])
    }

    /// How many leaves are below a node; 1 for a leaf.
    #[must_use]
    pub fn size(&self, node: NodeId) -> u32 {
        self.highs[node as usize] - self.lows[node as usize] + 1
    }

    /// The steps from the root to a node.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        u32::from(self.depths[node as usize])
    }

    /// Whether a node is a leaf.
    #[must_use]
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.ends[node as usize] == node + 1
    }

    /// The node of a leaf code.
    #[must_use]
    pub fn leaf(&self, code: u32) -> NodeId {
        self.leaves[code as usize]
    }

    /// The code of the leaf with this label.
    #[must_use]
    pub fn code_of(&self, leaf_label: &str) -> Option<u32> {
        let label = |code: u32| self.label(self.leaf(code));
        let place = self.by_label.binary_search_by(|code| label(*code).cmp(leaf_label)).ok()?;
        Some(self.by_label[place])
    }

    /// The node that stands for a leaf at a level; above the height it is the root.
    #[must_use]
    pub fn at_level(&self, code: u32, level: u32) -> NodeId {
        let depth = self.height.saturating_sub(level);
        let mut node = self.leaf(code);
        while self.depth(node) > depth {
            node = self.parents[node as usize];
        }
        node
    }

    /// The lowest level that gives this node: 0 for a leaf.
    #[must_use]
    pub fn level_of(&self, node: NodeId) -> u32 {
        if self.is_leaf(node) { 0 } else { self.height - self.depth(node) }
    }

    /// [`Self::at_level`] for every leaf code at once.
    #[must_use]
    pub fn level_map(&self, level: u32) -> Vec<NodeId> {
        let depth = self.height.saturating_sub(level);
        let mut map = vec![0; self.leaves.len()];
        let mut node = 0;
        while node < self.node_count() {
            if self.depth(node) == depth || self.is_leaf(node) {
                let (low, high) = self.range(node);
                map[low as usize..=high as usize].fill(node);
                node = self.ends[node as usize];
            } else {
                node += 1;
            }
        }
        map
    }

    /// How many nodes a level has, for the levels 0 to the height.
    #[must_use]
    pub fn level_sizes(&self) -> Vec<u32> {
        let depths = self.height as usize + 1;
        let (mut nodes, mut leaves) = (vec![0_u32; depths], vec![0_u32; depths]);
        for node in 0..self.node_count() {
            let depth = self.depth(node) as usize;
            nodes[depth] += 1;
            leaves[depth] += u32::from(self.is_leaf(node));
        }
        let mut shallower = 0;
        for depth in 0..depths {
            nodes[depth] += shallower;
            shallower += leaves[depth];
        }
        nodes.reverse();
        nodes
    }

    /// The smallest node that covers the leaf codes `low` to `high`, both included.
    #[must_use]
    pub fn lca_of_range(&self, low: u32, high: u32) -> NodeId {
        let mut node = self.leaf(low);
        while self.highs[node as usize] < high {
            node = self.parents[node as usize];
        }
        node
    }

    /// Where the groups come from.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Every leaf in code order with its ancestors' labels, from the parent to the root.
    pub fn paths(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.leaves.iter().map(|leaf| (self.label(*leaf), self.ancestors(*leaf).collect()))
    }

    /// The labels above a node, from its parent to the root, in a list.
    pub(crate) fn above(&self, node: NodeId) -> Vec<&str> {
        self.ancestors(node).collect()
    }

    /// The labels above a node, from its parent to the root.
    fn ancestors(&self, node: NodeId) -> impl Iterator<Item = &str> {
        std::iter::successors(self.parent(node), |above| self.parent(*above)).map(|above| self.label(above))
    }
}

/// Builds a tree in preorder: open a node, put children in, close it.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    /// The column's name, for messages.
    column: String,
    labels: Texts,
    bytes: usize,
    parents: Vec<NodeId>,
    ends: Vec<NodeId>,
    lows: Vec<u32>,
    highs: Vec<u32>,
    depths: Vec<u8>,
    leaves: Vec<NodeId>,
    open: Vec<NodeId>,
}

impl Assembler {
    /// An empty tree for a column.
    pub(super) fn new(column: &str) -> Self {
        Self { column: column.to_string(), ..Self::default() }
    }

    /// Starts a node below the one that is open.
    pub(super) fn open(&mut self, label: &str) -> Result<()> {
        self.bytes += label.len();
        if self.bytes > u32::MAX as usize || self.parents.len() >= i32::MAX as usize {
            return Err(Error::Resources(format!(
                "column '{}': its hierarchy is too large; 2^31 nodes and 4 GiB of labels are possible",
                self.column
            )));
        }
        if self.open.len() > MAX_HEIGHT {
            return Err(Error::data(format!(
                "column '{}': its hierarchy has more than {} levels; leave some out",
                self.column,
                MAX_HEIGHT + 1
            )));
        }
        let node = self.labels.push(label);
        self.parents.push(self.open.last().copied().unwrap_or(NONE));
        self.ends.push(node + 1);
        self.lows.push(self.leaves.len() as u32);
        self.highs.push(0);
        self.depths.push(self.open.len() as u8);
        self.open.push(node);
        Ok(())
    }

    /// Ends the node that is open. One without children is a leaf; its code is returned.
    pub(super) fn close(&mut self) -> Option<u32> {
        let node = self.open.pop()?;
        let end = self.parents.len() as u32;
        let leaf = end == node + 1;
        if leaf {
            self.leaves.push(node);
        }
        self.ends[node as usize] = end;
        self.highs[node as usize] = self.leaves.len() as u32 - 1;
        leaf.then(|| self.highs[node as usize])
    }

    /// Adds a leaf below the node that is open and returns its code.
    pub(super) fn leaf(&mut self, label: &str) -> Result<u32> {
        self.open(label)?;
        self.close().ok_or_else(|| Error::internal("a leaf of a hierarchy has children"))
    }

    /// How many nodes are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The tree, all nodes closed. Two nodes may share a label only where they hold the same leaves, and only
    /// what holds all leaves may be called `*`, the sign of a suppressed value.
    pub(super) fn finish(mut self, provenance: Provenance) -> Result<Hierarchy> {
        while !self.open.is_empty() {
            self.close();
        }
        let (labels, lows, highs) = (&self.labels, &self.lows, &self.highs);
        let range = |node: NodeId| (lows[node as usize], highs[node as usize]);
        let mut by_label: Vec<u32> = (0..labels.len() as u32).collect();
        by_label.par_sort_unstable_by(|a, b| labels.get(*a).cmp(labels.get(*b)).then(a.cmp(b)));
        let clash = by_label
            .windows(2)
            .any(|pair| labels.get(pair[0]) == labels.get(pair[1]) && range(pair[0]) != range(pair[1]));
        let star = by_label.binary_search_by(|node| labels.get(*node).cmp("*"));
        let inner_star = star.is_ok_and(|place| range(by_label[place]) != range(0));
        if clash || inner_star {
            return Err(Error::data(format!(
                "column '{}': two nodes of its hierarchy have the same label (a value of the data, or the text for \
                 missing values, reads like the name of a group or like '*'), so a release could not tell them \
                 apart; recode that value or declare it missing, or build the hierarchy another way",
                self.column
            )));
        }
        let ends = &self.ends;
        by_label.retain(|node| ends[*node as usize] == node + 1);
        by_label.iter_mut().for_each(|node| *node = lows[*node as usize]);
        let height = self.leaves.iter().map(|leaf| self.depths[*leaf as usize]).max().unwrap_or(0);
        Ok(Hierarchy {
            labels: self.labels,
            parents: self.parents,
            ends: self.ends,
            lows: self.lows,
            highs: self.highs,
            depths: self.depths,
            leaves: self.leaves,
            by_label,
            height: u32::from(height),
            provenance,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any → (White, Colored → (Asian, Black)): ragged.
    fn race() -> Hierarchy {
        let mut tree = Assembler::new("city");
        tree.open("Any").unwrap();
        tree.leaf("White").unwrap();
        tree.open("Colored").unwrap();
        tree.leaf("Asian").unwrap();
        tree.leaf("Black").unwrap();
        tree.finish(Provenance::Declared).unwrap()
    }

    #[test]
    fn nodes_are_ranges() {
        let tree = race();
        assert_eq!((tree.leaf_count(), tree.node_count(), tree.height()), (3, 5, 2));
        assert_eq!(tree.label(tree.root()), "Any");
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(tree.children(2).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(tree.children(1).count(), 0);
        assert_eq!((tree.range(0), tree.range(2), tree.size(2)), ((0, 2), (1, 2), 2));
        assert_eq!((tree.parent(0), tree.parent(4)), (None, Some(2)));
        assert_eq!(tree.code_of("Black"), Some(2));
        assert_eq!((tree.code_of("Colored"), tree.code_of("x")), (None, None));
        assert_eq!(tree.lca_of_range(1, 2), 2);
        assert_eq!(tree.lca_of_range(0, 1), 0);
        assert_eq!(tree.lca_of_range(2, 2), 4);
        let paths: Vec<_> = tree.paths().collect();
        assert_eq!(paths[0], ("White", vec!["Any"]));
        assert_eq!(paths[2], ("Black", vec!["Colored", "Any"]));
    }

    #[test]
    fn levels_of_a_ragged_tree_are_aligned_at_the_root() {
        let tree = race();
        // Level 1 is depth 1: White is still itself there.
        assert_eq!(tree.level_map(0), [1, 3, 4]);
        assert_eq!(tree.level_map(1), [1, 2, 2]);
        assert_eq!(tree.level_map(2), [0, 0, 0]);
        assert_eq!(tree.level_map(9), [0, 0, 0]);
        assert_eq!((tree.level_of(1), tree.level_of(2), tree.level_of(0), tree.level_of(4)), (0, 1, 2, 0));
        assert_eq!(tree.at_level(0, 1), 1);
        assert_eq!(tree.at_level(1, 1), 2);
        assert_eq!(tree.level_sizes(), [3, 2, 1]);
    }

    #[test]
    fn a_lone_root_is_a_leaf_of_height_0() {
        let mut tree = Assembler::new("city");
        assert_eq!(tree.leaf("x").unwrap(), 0);
        let tree = tree.finish(Provenance::FromData).unwrap();
        assert_eq!((tree.height(), tree.leaf_count(), tree.level_of(0)), (0, 1, 0));
        assert_eq!(tree.level_map(0), [0]);
        assert_eq!(tree.level_sizes(), [1]);
    }

    #[test]
    fn a_label_may_repeat_only_on_a_chain() {
        let mut tree = Assembler::new("city");
        tree.open("*").unwrap();
        tree.open("a").unwrap();
        tree.leaf("a").unwrap();
        tree.close();
        tree.leaf("b").unwrap();
        let chain = tree.finish(Provenance::Declared).unwrap();
        assert_eq!(chain.code_of("a"), Some(0));

        let mut tree = Assembler::new("city");
        tree.open("*").unwrap();
        tree.leaf("a").unwrap();
        tree.leaf("*").unwrap();
        let message = tree.finish(Provenance::Declared).unwrap_err().to_string();
        assert!(message.contains("column 'city'") && message.contains("same label"), "{message}");

        let mut tree = Assembler::new("city");
        tree.open("Any").unwrap();
        tree.leaf("a").unwrap();
        tree.leaf("*").unwrap();
        assert!(tree.finish(Provenance::Declared).is_err(), "suppressed values are called '*'");
    }

    #[test]
    fn trees_have_a_deepest_level() {
        let mut tree = Assembler::new("city");
        for _ in 0..=MAX_HEIGHT {
            tree.open("x").unwrap();
        }
        assert!(
            tree.open("x")
                .unwrap_err()
                .to_string()
                .contains("column 'city': its hierarchy has more than 256 levels")
        );
        assert_eq!(tree.finish(Provenance::Declared).unwrap().height(), 255);
    }
}
