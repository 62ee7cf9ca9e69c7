//! A hierarchy as the verifier is told it: labels, and what lies above each.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashSet, HashTable};
use scumble_files::table::Texts;

use crate::error::VerifyError;
use crate::label::{Label, parse};

/// A hierarchy, from leaves up.
///
/// A tree of a million leaves should not take much more than its labels, so a node is a label and the number of the node above.
#[derive(Debug, Clone, Default)]
pub struct Nodes {
    /// The label of each node.
    pub(super) labels: Texts,
    /// The node above each; [`NONE`] for those on top.
    parents: Vec<u32>,
    is_leaf: Vec<bool>,
    /// The nodes by their labels. Several may share one.
    index: HashTable<u32>,
    /// Nodes that texts which are no leaves may lie below, by what the nodes are called.
    pub(super) named: Vec<u32>,
}

/// No node.
const NONE: u32 = u32::MAX;

impl Nodes {
    /// Builds it from each leaf's text and its ancestors' labels, the nearest first; leaves in any order.
    pub fn from_paths<S: AsRef<str>>(
        paths: impl IntoIterator<Item = (S, Vec<S>)>,
    ) -> Result<Self, VerifyError> {
        let mut told = TreeTold::all();
        for (leaf, ancestors) in paths {
            ancestors.iter().rev().for_each(|label| told.open(label.as_ref()));
            told.leaf(leaf.as_ref())?;
            ancestors.iter().for_each(|_| told.close());
        }
        Ok(told.finish())
    }

    /// The same, where originals may be none of its leaves: they lie below these nodes, given by their labels and those above,
    /// as far as the labels say so. An interval has every value inside it below it, a period (`2024-03`, `2024-Q1`, `2024`,
    /// `2020s`, `2000-2099`) every day, and a masked code (`43**`) every text that begins so and is as long; with one star alone of
    /// any length. Labels that say nothing of the kind have nothing more below them.
    #[must_use]
    pub fn with_named<S: AsRef<str>>(mut self, paths: impl IntoIterator<Item = (S, Vec<S>)>) -> Self {
        for (label, ancestors) in paths {
            let node = self.insert(label.as_ref(), &ancestors);
            self.named.push(node);
        }
        self
    }

    /// The node with that label below those ancestors.
    fn insert<S: AsRef<str>>(&mut self, label: &str, ancestors: &[S]) -> u32 {
        let mut above = NONE;
        for ancestor in ancestors.iter().rev() {
            above = self.child(above, ancestor.as_ref());
        }
        self.child(above, label)
    }

    fn child(&mut self, above: u32, label: &str) -> u32 {
        let (labels, parents) = (&self.labels, &self.parents);
        let found = self
            .index
            .find(hash(label), |&node| parents[node as usize] == above && labels.get(node) == label)
            .copied();
        if let Some(node) = found {
            return node;
        }
        let node = self.labels.push(label);
        self.parents.push(above);
        self.is_leaf.push(false);
        let labels = &self.labels;
        self.index.insert_unique(hash(label), node, |&node| hash(labels.get(node)));
        node
    }

    /// All nodes with that label.
    pub(super) fn labelled<'a>(&'a self, label: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.index.iter_hash(hash(label)).copied().filter(move |&node| self.labels.get(node) == label)
    }

    /// The leaf with that text.
    pub(super) fn leaf(&self, text: &str) -> Option<u32> {
        self.labelled(text).find(|&node| self.is_leaf[node as usize])
    }

    /// The leaves.
    pub(super) fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.parents.len() as u32).filter(|&node| self.is_leaf[node as usize])
    }

    /// A node and those above it.
    pub(super) fn with_above(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |node: &u32| Some(self.parents[*node as usize]).filter(|above| *above != NONE);
        std::iter::successors(Some(node), above)
    }

    /// The labels of a node and of those above it, in ascending order.
    fn labels_above(&self, node: u32) -> Vec<&str> {
        let mut labels: Vec<&str> = self.with_above(node).map(|node| self.labels.get(node)).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// A hierarchy that is told node by node, from the root down: open a node, tell what is below it, close it.
///
/// Where the texts are known that a release shows, only nodes that one of them names are kept, besides the leaves: no other can make
/// anything true. A node that was left out by mistake would make a true value look false, never the other way round.
pub struct TreeTold<'r> {
    nodes: Nodes,
    /// What the release shows, ascending, and the members of its sets.
    shown: Option<(&'r Texts, HashSet<String, FixedState>)>,
    /// The lowest node that is kept, for each that is open; [`NONE`] above the first.
    open: Vec<u32>,
}

impl<'r> TreeTold<'r> {
    /// All nodes are kept.
    #[must_use]
    pub fn all() -> Self {
        Self { nodes: Nodes::default(), shown: None, open: Vec::new() }
    }

    /// For a release that shows these texts, which are in ascending order, and about so many leaves.
    #[must_use]
    pub fn shown(texts: &'r Texts, leaves: usize) -> Self {
        let mut members = HashSet::default();
        for text in texts.iter() {
            if let Label::Set(of) = parse(text) {
                members.extend(of);
            }
        }
        // Room for all leaves at once: a table that grows is there twice.
        let nodes = Nodes { index: HashTable::with_capacity(leaves), ..Nodes::default() };
        Self { nodes, shown: Some((texts, members)), open: Vec::new() }
    }

    /// How many nodes are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Begins a node below the one that is open.
    pub fn open(&mut self, label: &str) {
        let above = self.lowest();
        let kept = self
            .shown
            .as_ref()
            .is_none_or(|(texts, members)| texts.find_sorted(label).is_some() || members.contains(label));
        self.open.push(if kept { self.nodes.child(above, label) } else { above });
    }

    /// Ends the node that is open.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// A leaf below the node that is open.
    pub fn leaf(&mut self, text: &str) -> Result<(), VerifyError> {
        let above = self.lowest();
        let nodes = &mut self.nodes;
        let known = nodes.leaf(text);
        let node = nodes.child(above, text);
        match known {
            Some(known) if known != node && nodes.labels_above(known) != nodes.labels_above(node) => {
                let why = "it lists a leaf twice, with different ancestors".to_owned();
                return Err(VerifyError::Domain { what: "hierarchy", column: String::new(), why });
            }
            Some(_) => {}
            None => nodes.is_leaf[node as usize] = true,
        }
        Ok(())
    }

    /// The hierarchy.
    #[must_use]
    pub fn finish(self) -> Nodes {
        self.nodes
    }

    fn lowest(&self) -> u32 {
        self.open.last().copied().unwrap_or(NONE)
    }
}

fn hash(label: &str) -> u64 {
    FixedState::default().hash_one(label)
}
