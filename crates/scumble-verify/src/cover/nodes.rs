//! A hierarchy as the verifier receives it: labels, and the node above each.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::{HashSet, HashTable};
use scumble_files::table::Texts;

use crate::error::VerifyError;
use crate::label::{Label, parse};

/// A hierarchy, from its leaves up.
///
/// A tree of a million leaves should not take much more memory than its labels, so a node is a label and the number of the node
/// above.
#[derive(Debug, Clone, Default)]
pub struct Nodes {
    /// The label of each node.
    pub(super) labels: Texts,
    /// The node above each; [`NONE`] for the topmost.
    parents: Vec<u32>,
    is_leaf: Vec<bool>,
    /// Finds nodes by their labels. Several nodes may share a label.
    index: HashTable<u32>,
    /// Nodes that may also have texts below them that are not leaves. The node's label says which.
    pub(super) named: Vec<u32>,
}

/// Stands for no node.
const NONE: u32 = u32::MAX;

impl Nodes {
    /// Builds a hierarchy from each leaf's text and its ancestors' labels, nearest first. The leaves come in any order.
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

    /// Allows original texts that are not leaves. They lie below the given nodes (labels, with the labels above) as far as the
    /// labels say so. An interval has every value inside it below it, a period (`2024-03`, `2024-Q1`, `2024`, `2020s`,
    /// `2000-2099`) every day, and a masked code (`43**`) every text with the same beginning and length; with a single star the
    /// length is free. Other labels have nothing more below them.
    #[must_use]
    pub fn with_named<S: AsRef<str>>(mut self, paths: impl IntoIterator<Item = (S, Vec<S>)>) -> Self {
        for (label, ancestors) in paths {
            let node = self.insert(label.as_ref(), &ancestors);
            self.named.push(node);
        }
        self
    }

    /// Returns the node with that label below those ancestors, and adds it if it is not there.
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

    /// Returns all nodes with that label.
    pub(super) fn labelled<'a>(&'a self, label: &'a str) -> impl Iterator<Item = u32> + 'a {
        self.index.iter_hash(hash(label)).copied().filter(move |&node| self.labels.get(node) == label)
    }

    /// Returns the leaf with that text.
    pub(super) fn leaf(&self, text: &str) -> Option<u32> {
        self.labelled(text).find(|&node| self.is_leaf[node as usize])
    }

    /// The leaves.
    pub(super) fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.parents.len() as u32).filter(|&node| self.is_leaf[node as usize])
    }

    /// Returns a node and those above it.
    pub(super) fn with_above(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |node: &u32| Some(self.parents[*node as usize]).filter(|above| *above != NONE);
        std::iter::successors(Some(node), above)
    }

    /// Returns the labels of a node and of those above it, in ascending order.
    fn labels_above(&self, node: u32) -> Vec<&str> {
        let mut labels: Vec<&str> = self.with_above(node).map(|node| self.labels.get(node)).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}

/// Builds a hierarchy node by node, from the root down: open a node, add what is below it, close it.
///
/// If the texts that a release shows are known, only the leaves and the nodes that one of these texts names are kept: no other
/// node can make anything true. A node that was left out by mistake would make a true value look false, never a false value true.
pub struct TreeTold<'r> {
    nodes: Nodes,
    /// The texts that the release shows, ascending, and the members of its sets.
    shown: Option<(&'r Texts, HashSet<String, FixedState>)>,
    /// For each open node, the lowest node that is kept; [`NONE`] above the first.
    open: Vec<u32>,
}

impl<'r> TreeTold<'r> {
    /// Keeps all nodes.
    #[must_use]
    pub fn all() -> Self {
        Self { nodes: Nodes::default(), shown: None, open: Vec::new() }
    }

    /// Builds for a release that shows these texts, which are in ascending order, and for about this many leaves.
    #[must_use]
    pub fn shown(texts: &'r Texts, leaves: usize) -> Self {
        let mut members = HashSet::default();
        for text in texts.iter() {
            if let Label::Set(of) = parse(text) {
                members.extend(of);
            }
        }
        // Reserves room for all leaves at once: while a table grows, it exists twice.
        let nodes = Nodes { index: HashTable::with_capacity(leaves), ..Nodes::default() };
        Self { nodes, shown: Some((texts, members)), open: Vec::new() }
    }

    /// The number of open nodes.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens a node below the one that is open.
    pub fn open(&mut self, label: &str) {
        let above = self.lowest();
        let kept = self
            .shown
            .as_ref()
            .is_none_or(|(texts, members)| texts.find_sorted(label).is_some() || members.contains(label));
        self.open.push(if kept { self.nodes.child(above, label) } else { above });
    }

    /// Closes the node that is open.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// Adds a leaf below the node that is open.
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

    /// Returns the hierarchy.
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
