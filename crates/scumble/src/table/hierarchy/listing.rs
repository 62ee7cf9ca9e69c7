//! A tree as a file lists it, before the data is known: labels, parents and the lines they stand on.

use std::path::Path;

use scumble_files::table::Texts;

use super::{cells, file, parent_child};
use crate::error::Result;

/// Stands for the parent of the root.
pub(super) const NO_PARENT: u32 = u32::MAX;

/// How a file lists a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A line for each leaf: `value;level 1;…;top`.
    Leaves,
    /// Lines `child;parent`.
    ParentChild,
}

/// The nodes of a file. Node 0 is the root, and every node comes after its parent.
#[derive(Debug, Default)]
pub struct Listing {
    /// The file's name, for messages.
    pub(super) file: String,
    /// Per node, its label.
    pub(super) labels: Texts,
    /// Per node, its parent.
    pub(super) parents: Vec<u32>,
    /// Per node, the line that first names it.
    pub(super) lines: Vec<u32>,
    /// Harmless oddities.
    pub(super) notes: Vec<String>,
}

impl Listing {
    /// Reads and checks the tree that a file lists.
    pub fn load(path: &Path, layout: Layout) -> Result<Self> {
        let file = path.display().to_string();
        let bytes = scumble_files::limits::read_whole(path)
            .map_err(|source| scumble_files::cannot_read("the hierarchy", path, source))?;
        Self::parse(cells::decode(&bytes, &file)?, &file, layout)
    }

    /// Reads and checks the tree that a text lists; `name` is what messages call it.
    pub fn parse(text: &str, name: &str, layout: Layout) -> Result<Self> {
        match layout {
            Layout::Leaves => file::read(text, name),
            Layout::ParentChild => parent_child::read(text, name),
        }
    }

    /// Adds a node and returns it.
    pub(super) fn push(&mut self, label: &str, parent: u32, line: u32) -> u32 {
        self.parents.push(parent);
        self.lines.push(line);
        self.labels.push(label)
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// The label of a node.
    pub(super) fn label(&self, node: u32) -> &str {
        self.labels.get(node)
    }

    /// The children of every node, in the order of the file.
    pub(super) fn children(&self) -> Children {
        let mut starts = vec![0_u32; self.parents.len() + 1];
        for parent in self.parents.iter().filter(|parent| **parent != NO_PARENT) {
            starts[*parent as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; self.parents.len().saturating_sub(1)];
        for (node, parent) in self.parents.iter().enumerate().filter(|(_, parent)| **parent != NO_PARENT) {
            let place = &mut next[*parent as usize];
            nodes[*place as usize] = node as u32;
            *place += 1;
        }
        Children { starts, nodes }
    }
}

/// Child lists, all in one piece.
#[derive(Debug)]
pub(super) struct Children {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Children {
    /// The children of a node.
    pub(super) fn of(&self, node: u32) -> &[u32] {
        &self.nodes[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// The children of a node, to be put into another order.
    pub(super) fn of_mut(&mut self, node: u32) -> &mut [u32] {
        &mut self.nodes[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Whether a node has none.
    pub(super) fn is_leaf(&self, node: u32) -> bool {
        self.of(node).is_empty()
    }
}
