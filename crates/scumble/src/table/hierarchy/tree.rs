//! The tree: nodes in preorder, each a contiguous range of leaf codes.
//!
//! Leaves are coded in depth-first order, so "is this value below that node" is a comparison of two
//! integers, and the children of a node are found without child lists: the first child follows its
//! parent, the next sibling follows the end of the subtree. Columns of numbers, one for each chain of
//! nodes (`chains.rs`), and one pool of text keep ten million leaves small.

use std::borrow::Cow;

use rayon::slice::ParallelSliceMut;
use scumble_files::table::Texts;

use super::chains::Chains;
use crate::error::{Error, Result, Setting};

/// A node, numbered in preorder; the root is 0.
pub type NodeId = u32;

/// The most steps from a leaf to the root. Deeper trees are mistakes, and every climb costs its depth.
pub(super) const MAX_HEIGHT: usize = 255;

/// Where the groups of a hierarchy come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provenance {
    /// From a file or a rule that was fixed without reading the data.
    Declared,
    /// Chosen by the data, so that the groups themselves say something about it.
    FromData,
    /// The same, and called by numbers only, such as `group 2 of 24`: nobody can read what a group holds, and a list of what it holds
    /// would publish values of people.
    Numbered,
}

/// A generalisation hierarchy. It may be ragged: leaves at different depths.
///
/// Levels count generalisation steps and are aligned at the root: level `g` of a tree of height `H`
/// means depth `H − g`, or the leaf where that is shallower. Level 0 is always the leaf.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    labels: Labels,
    chains: Chains,
    /// Leaf codes, ordered by label; `None` if they are in that order anyway.
    by_label: Option<Vec<u32>>,
    height: u32,
    provenance: Provenance,
    /// Where the numbers begin and end that each leaf stands for, if some leaves stand for many.
    reaches: Option<Vec<(i128, i128)>>,
}

/// What the nodes are called.
#[derive(Debug, Clone)]
enum Labels {
    /// Each node has a text.
    Own(Texts),
    /// Each leaf has a text. The nodes between them and the root `*` are called by the beginning of any leaf below: the mask of
    /// each depth, for the root too. So codes that are masked character by character take no more than their own texts.
    Masks(Texts, Vec<Mask>),
}

/// How the label of a node is made of the text of a leaf below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mask {
    /// This many characters are kept.
    pub(super) kept: usize,
    /// This many stars follow.
    pub(super) stars: usize,
}

impl Mask {
    /// The first characters of a text, and stars.
    fn apply(self, text: &str) -> String {
        let end = text.char_indices().nth(self.kept).map_or(text.len(), |(end, _)| end);
        let mut label = String::with_capacity(end + self.stars);
        label.push_str(&text[..end]);
        label.extend(std::iter::repeat_n('*', self.stars));
        label
    }
}

/// Equal trees have the same nodes with the same labels, however these are kept.
impl PartialEq for Hierarchy {
    fn eq(&self, other: &Self) -> bool {
        let node = |tree: &Self, node| (tree.depth(node), tree.label(node).into_owned());
        self.provenance == other.provenance
            && self.node_count() == other.node_count()
            && (0..self.node_count()).all(|of| node(self, of) == node(other, of))
    }
}

impl Eq for Hierarchy {}

impl Hierarchy {
    /// The same tree, whose leaves stand for numbers from one to another. A leaf for missing values comes last and stands for none.
    pub(super) fn reaching(mut self, reaches: Vec<(i128, i128)>) -> Self {
        self.reaches = Some(reaches);
        self
    }

    /// How much of the range of all its numbers a node leaves open, where leaves stand for many numbers.
    pub(crate) fn openness(&self, node: NodeId) -> Option<f64> {
        let reaches = self.reaches.as_ref()?;
        let (low, high) = self.range(node);
        let (Some((from, _)), Some((_, to))) = (reaches.get(low as usize), reaches.get(high as usize)) else {
            return Some(if low == high { 0.0 } else { 1.0 });
        };
        let ((first, _), (_, last)) = (reaches.first()?, reaches.last()?);
        Some((to - from) as f64 / ((last - first) as f64).max(1.0))
    }

    /// How many leaves there are.
    #[must_use]
    pub fn leaf_count(&self) -> u32 {
        self.chains.leaf_count()
    }

    /// How many nodes there are, leaves included.
    #[must_use]
    pub fn node_count(&self) -> u32 {
        self.chains.node_count()
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
    pub fn label(&self, node: NodeId) -> Cow<'_, str> {
        match &self.labels {
            Labels::Own(texts) => Cow::Borrowed(texts.get(node)),
            Labels::Masks(texts, masks) => {
                let text = texts.get(self.chains.range(node).0);
                if self.is_leaf(node) {
                    return Cow::Borrowed(text);
                }
                Cow::Owned(masks[self.depth(node) as usize].apply(text))
            }
        }
    }

    /// The label of a leaf.
    #[must_use]
    pub fn leaf_label(&self, code: u32) -> &str {
        match &self.labels {
            Labels::Own(texts) => texts.get(self.leaf(code)),
            Labels::Masks(texts, _) => texts.get(code),
        }
    }

    /// The parent of a node; `None` for the root.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.chains.parent(node)
    }

    /// The children of a node, in order; none for a leaf.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.chains.end(node);
        let inside = move |child: &NodeId| *child < end;
        let first = Some(node + 1).filter(inside);
        std::iter::successors(first, move |child| Some(self.chains.end(*child)).filter(inside))
    }

    /// The first and the last leaf code below a node, both included.
    #[must_use]
    pub fn range(&self, node: NodeId) -> (u32, u32) {
        self.chains.range(node)
    }

    /// How many leaves are below a node; 1 for a leaf.
    #[must_use]
    pub fn size(&self, node: NodeId) -> u32 {
        let (low, high) = self.range(node);
        high - low + 1
    }

    /// The steps from the root to a node.
    #[must_use]
    pub fn depth(&self, node: NodeId) -> u32 {
        self.chains.depth(node)
    }

    /// Whether a node is a leaf.
    #[must_use]
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.chains.end(node) == node + 1
    }

    /// The node of a leaf code.
    #[must_use]
    pub fn leaf(&self, code: u32) -> NodeId {
        self.chains.leaf(code)
    }

    /// The code of the leaf with this label.
    #[must_use]
    pub fn code_of(&self, leaf_label: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.leaf_count());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.leaf_label(self.labelled(middle)).cmp(leaf_label) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.labelled(middle)),
            }
        }
        None
    }

    /// The node that stands for a leaf at a level; above the height it is the root.
    #[must_use]
    pub fn at_level(&self, code: u32, level: u32) -> NodeId {
        self.chains.at_depth(code, self.height.saturating_sub(level))
    }

    /// The lowest level that gives this node: 0 for a leaf.
    #[must_use]
    pub fn level_of(&self, node: NodeId) -> u32 {
        if self.is_leaf(node) { 0 } else { self.height - self.depth(node) }
    }

    /// [`Self::at_level`] for every leaf code at once.
    #[must_use]
    pub fn level_map(&self, level: u32) -> Vec<NodeId> {
        self.chains.all_at_depth(self.height.saturating_sub(level))
    }

    /// How many nodes a level has, for the levels 0 to the height.
    #[must_use]
    pub fn level_sizes(&self) -> Vec<u32> {
        let (mut nodes, leaves) = self.chains.count_depths(self.height);
        let mut shallower = 0;
        for (nodes, leaves) in nodes.iter_mut().zip(leaves) {
            *nodes += shallower;
            shallower += leaves;
        }
        nodes.reverse();
        nodes
    }

    /// The smallest node that covers the leaf codes `low` to `high`, both included.
    #[must_use]
    pub fn lca_of_range(&self, low: u32, high: u32) -> NodeId {
        self.chains.lowest_above(low, high)
    }

    /// Whether the label of a node says nothing to its readers, since it is a number of a group.
    #[must_use]
    pub fn is_numbered(&self, node: NodeId) -> bool {
        self.provenance == Provenance::Numbered && !self.is_leaf(node)
    }

    /// Where the groups come from.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Every leaf in code order with its ancestors' labels, from the parent to the root.
    pub fn paths(&self) -> impl Iterator<Item = (Cow<'_, str>, Vec<Cow<'_, str>>)> {
        (0..self.leaf_count()).map(|code| {
            let leaf = self.leaf(code);
            (self.label(leaf), self.above(leaf))
        })
    }

    /// The labels above a node, from its parent to the root.
    pub(crate) fn above(&self, node: NodeId) -> Vec<Cow<'_, str>> {
        std::iter::successors(self.parent(node), |above| self.parent(*above))
            .map(|above| self.label(above))
            .collect()
    }
}

/// Builds a tree in preorder: open a node, put children in, close it.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    /// The column's name, for messages.
    column: String,
    /// The label of each node, or of each leaf where there are masks.
    labels: Texts,
    masks: Option<Vec<Mask>>,
    bytes: usize,
    depths: Vec<u8>,
    leaves: u32,
    open: Vec<NodeId>,
}

impl Assembler {
    /// An empty tree for a column.
    pub(super) fn new(column: &str) -> Self {
        Self { column: column.to_string(), ..Self::default() }
    }

    /// A tree whose nodes are called by what their leaves begin with, as the mask of their depth says; its root is open. All leaves
    /// below a node must have its beginning, and none may have a star in it: so no two nodes have one label.
    pub(super) fn masking(column: &str, masks: Vec<Mask>) -> Result<Self> {
        let mut tree = Self { column: column.to_string(), masks: Some(masks), ..Self::default() };
        tree.open_masked()?;
        Ok(tree)
    }

    /// Starts a node below the one that is open, which the mask of its depth names.
    pub(super) fn open_masked(&mut self) -> Result<()> {
        self.start()
    }

    /// Starts a node below the one that is open.
    pub(super) fn open(&mut self, label: &str) -> Result<()> {
        self.bytes += label.len();
        self.start()?;
        self.labels.push(label);
        Ok(())
    }

    fn start(&mut self) -> Result<()> {
        if self.bytes > u32::MAX as usize || self.depths.len() >= i32::MAX as usize {
            return Err(Error::resources(
                "its hierarchy is too large; 2^31 nodes and 4 GiB of labels are possible",
            )
            .in_column(&self.column));
        }
        if self.open.len() > MAX_HEIGHT {
            return Err(Error::data(format!("its hierarchy has more than {} levels", MAX_HEIGHT + 1))
                .in_column(&self.column)
                .advise("leave some levels out"));
        }
        let node = self.depths.len() as NodeId;
        self.depths.push(self.open.len() as u8);
        self.open.push(node);
        Ok(())
    }

    /// Ends the node that is open. One without children is a leaf; its code is returned.
    pub(super) fn close(&mut self) -> Option<u32> {
        let node = self.open.pop()?;
        let leaf = self.depths.len() as u32 == node + 1;
        self.leaves += u32::from(leaf);
        leaf.then(|| self.leaves - 1)
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
        let chains = Chains::of(&self.depths, self.leaves as usize);
        let height = (0..chains.leaf_count()).map(|code| chains.depth(chains.leaf(code))).max().unwrap_or(0);
        drop(std::mem::take(&mut self.depths));
        let labels = match self.masks {
            Some(masks) => Labels::Masks(self.labels, masks),
            None => Labels::Own(self.labels),
        };
        let mut tree = Hierarchy { labels, chains, by_label: None, height, provenance, reaches: None };
        let label = |code: u32| tree.leaf_label(code);
        if !(0..tree.leaf_count()).is_sorted_by(|a, b| label(*a) <= label(*b)) {
            let mut codes: Vec<u32> = (0..tree.leaf_count()).collect();
            codes.par_sort_unstable_by(|a, b| label(*a).cmp(label(*b)).then(a.cmp(b)));
            tree.by_label = Some(codes);
        }
        if tree.has_clash() {
            return Err(Error::data(
                "two nodes of its hierarchy have the same label (a value of the data, or the text for missing values, reads like the \
                 name of a group or like '*'), so a release could not tell them apart",
            )
            .in_column(&self.column)
            .advise("recode the value")
            .set(Setting::column("missing").of(&[&self.column]), "declare the value missing")
            .set(Setting::column("hierarchy").of(&[&self.column]), "build the hierarchy another way"));
        }
        Ok(tree)
    }
}

impl Hierarchy {
    /// The leaf code at a place in the order of labels.
    fn labelled(&self, place: u32) -> u32 {
        self.by_label.as_ref().map_or(place, |codes| codes[place as usize])
    }

    /// Whether two nodes that hold different leaves have the same label, or a node that does not hold all is called `*`.
    fn has_clash(&self) -> bool {
        let texts = match &self.labels {
            Labels::Own(texts) => texts,
            // Leaves without a star differ from all masks, and masks of one depth from those of others.
            Labels::Masks(texts, _) => {
                let text = |place: u32| texts.get(self.labelled(place));
                return texts.bytes().contains('*')
                    || (1..self.leaf_count()).any(|place| text(place - 1) == text(place));
            }
        };
        let mut by_label: Vec<NodeId> = (0..self.node_count()).collect();
        by_label.par_sort_unstable_by(|a, b| texts.get(*a).cmp(texts.get(*b)).then(a.cmp(b)));
        let clash = by_label.windows(2).any(|pair| {
            texts.get(pair[0]) == texts.get(pair[1]) && self.range(pair[0]) != self.range(pair[1])
        });
        let star = by_label.binary_search_by(|node| texts.get(*node).cmp("*"));
        clash || star.is_ok_and(|place| self.range(by_label[place]) != self.range(0))
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
        assert_eq!(paths[0], ("White".into(), vec!["Any".into()]));
        assert_eq!(paths[2], ("Black".into(), vec!["Colored".into(), "Any".into()]));
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

    #[test]
    fn a_masked_tree_is_the_same_as_one_with_labels() {
        let codes = ["10a4", "10b4", "10b5", "2ä00", "2ä01"];
        let masks: Vec<Mask> =
            (0..4).map(|kept| Mask { kept, stars: (4 - kept).min(1 + 3 * kept) }).collect();
        let (mut short, mut long) = (Assembler::masking("c", masks).unwrap(), Assembler::new("c"));
        long.open("*").unwrap();
        let open = |short: &mut Assembler, long: &mut Assembler, labels: &[&str]| {
            for label in labels {
                short.open_masked().unwrap();
                long.open(label).unwrap();
            }
        };
        let close = |short: &mut Assembler, long: &mut Assembler, depth: usize| {
            while short.depth() > depth {
                assert_eq!(short.close(), long.close());
            }
        };
        for (depth, labels, code) in [
            (1, &["1***", "10**", "10a*"][..], codes[0]),
            (3, &["10b*"], codes[1]),
            (4, &[], codes[2]),
            (1, &["2***", "2ä**", "2ä0*"], codes[3]),
            (4, &[], codes[4]),
            (1, &[], "?"),
        ] {
            close(&mut short, &mut long, depth);
            open(&mut short, &mut long, labels);
            assert_eq!(short.leaf(code).unwrap(), long.leaf(code).unwrap());
        }
        let (short, long) =
            (short.finish(Provenance::Declared).unwrap(), long.finish(Provenance::Declared).unwrap());
        assert_eq!((short.node_count(), short.height()), (long.node_count(), long.height()));
        for node in 0..short.node_count() {
            let of = |tree: &Hierarchy| {
                let children: Vec<NodeId> = tree.children(node).collect();
                (
                    tree.label(node).into_owned(),
                    tree.parent(node),
                    tree.range(node),
                    tree.depth(node),
                    children,
                )
            };
            assert_eq!(of(&short), of(&long));
        }
        assert_eq!(["10b5", "?", "10b*"].map(|text| short.code_of(text)), [Some(2), Some(5), None]);
    }
}
