//! The classes that some of the columns form under the current cuts, and how they merge.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashTable};

use crate::error::Result;
use crate::models::ClassTest;
use crate::problem::{Progress, Projection};
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, FrequencyTable, merged};
use crate::table::hierarchy::{Hierarchy, NodeId};

type Hasher = foldhash::fast::FixedState;

/// The classes of some columns.
pub(super) struct Classes<'a> {
    table: &'a FrequencyTable,
    trees: Vec<&'a Hierarchy>,
    columns: Vec<usize>,
    tests: Vec<&'a dyn ClassTest>,
    reads_payloads: bool,
    classes: Vec<Class>,
    by_nodes: HashTable<u32>,
    /// For each column and node, the classes that show it, and some that were since merged into others.
    showing: Vec<Vec<Vec<u32>>>,
}

struct Class {
    /// The node of each column.
    nodes: Vec<NodeId>,
    /// The number of rows; 0 if the class was merged into another.
    size: u64,
    cells: Vec<Cell>,
    passes: bool,
}

fn hash(nodes: &[NodeId]) -> u64 {
    Hasher::default().hash_one(nodes)
}

impl<'a> Classes<'a> {
    /// The classes of the leaves. `trees` must be those of all columns.
    pub(super) fn of_leaves(
        table: &'a FrequencyTable,
        trees: &[&'a Hierarchy],
        projection: Projection<'a>,
        progress: &Progress,
    ) -> Result<Self> {
        let Projection { columns, mut tests } = projection;
        tests.sort_by_key(|test| !test.only_size());
        let reads_payloads = tests.iter().any(|test| !test.only_size());
        let trees: Vec<&Hierarchy> = columns.iter().map(|column| trees[*column]).collect();
        let showing = trees.iter().map(|tree| vec![Vec::new(); tree.node_count() as usize]).collect();
        let mut all = Self {
            table,
            trees,
            columns,
            tests,
            reads_payloads,
            classes: Vec::new(),
            by_nodes: HashTable::new(),
            showing,
        };
        let mut pace = progress.pace();
        for tuple in 0..table.tuples() as u32 {
            pace.tick(1)?;
            let leaf =
                |(column, tree): (&usize, &&Hierarchy)| tree.leaf(table.column(*column).get(tuple as usize));
            let nodes: Vec<NodeId> = all.columns.iter().zip(&all.trees).map(leaf).collect();
            let cells = if reads_payloads { table.cells(tuple).to_vec() } else { Vec::new() };
            all.insert(Class { nodes, size: table.weight(tuple), cells, passes: false });
        }
        for class in 0..all.classes.len() {
            pace.tick(1)?;
            all.judge(class as u32);
        }
        Ok(all)
    }

    /// The place of a column among the columns of these classes.
    pub(super) fn place(&self, column: usize) -> Option<usize> {
        self.columns.iter().position(|of| *of == column)
    }

    fn find(&self, nodes: &[NodeId]) -> Option<u32> {
        self.by_nodes.find(hash(nodes), |class| self.classes[*class as usize].nodes == nodes).copied()
    }

    /// Adds a class, or adds its rows to the class that shows the same values.
    fn insert(&mut self, class: Class) -> u32 {
        if let Some(same) = self.find(&class.nodes) {
            let kept = &mut self.classes[same as usize];
            kept.size += class.size;
            kept.cells.extend(class.cells);
            kept.cells = merged(std::mem::take(&mut kept.cells));
            return same;
        }
        let number = self.classes.len() as u32;
        for (showing, node) in self.showing.iter_mut().zip(&class.nodes) {
            showing[*node as usize].push(number);
        }
        self.classes.push(class);
        self.enter(number);
        number
    }

    fn enter(&mut self, number: u32) {
        let classes = &self.classes;
        let hash_of = |class: &u32| hash(&classes[*class as usize].nodes);
        self.by_nodes.insert_unique(hash_of(&number), number, hash_of);
    }

    fn judge(&mut self, number: u32) {
        let class = &self.classes[number as usize];
        let view = ClassView { size: class.size, cells: &class.cells, payloads: self.table.payloads() };
        let passes = self.tests.iter().all(|test| test.passes(&view));
        self.classes[number as usize].passes = passes;
    }

    fn alive(&self) -> impl Iterator<Item = &Class> {
        self.classes.iter().filter(|class| class.size > 0)
    }

    /// The size of the smallest class.
    pub(super) fn smallest(&self) -> u64 {
        self.alive().map(|class| class.size).min().unwrap_or(u64::MAX)
    }

    /// The rows in classes that fail a test.
    pub(super) fn failing(&self) -> u64 {
        self.alive().filter(|class| !class.passes).map(|class| class.size).sum()
    }

    /// For each column, the node above the one that the first of the smallest classes shows.
    pub(super) fn above_smallest(&self) -> Vec<(usize, NodeId)> {
        let smallest = self.smallest();
        let Some(class) = self.alive().find(|class| class.size == smallest) else { return Vec::new() };
        let above = self.columns.iter().zip(&self.trees).zip(&class.nodes);
        above.filter_map(|((column, tree), node)| Some((*column, tree.parent(*node)?))).collect()
    }

    /// The size of the smallest class after everything below a node is merged into it, if that is larger than `size`, the
    /// present size of the smallest class.
    pub(super) fn larger_smallest(&self, place: usize, node: NodeId, size: u64) -> Option<u64> {
        let tree = self.trees[place];
        // Every smallest class must merge with another. Mostly some class does not, and that is found quickly.
        let merges = |class: &Class| {
            let mut nodes = class.nodes.clone();
            tree.parent(class.nodes[place]) == Some(node)
                && tree.children(node).filter(|child| *child != class.nodes[place]).any(|child| {
                    nodes[place] = child;
                    self.find(&nodes).is_some()
                })
        };
        if !self.alive().filter(|class| class.size == size).all(merges) {
            return None;
        }
        let mut together: HashMap<Vec<NodeId>, u64, Hasher> = HashMap::default();
        let mut least = u64::MAX;
        for class in self.alive() {
            if tree.parent(class.nodes[place]) == Some(node) {
                let mut nodes = class.nodes.clone();
                nodes[place] = node;
                *together.entry(nodes).or_default() += class.size;
            } else {
                least = least.min(class.size);
            }
        }
        Some(together.into_values().fold(least, u64::min))
    }

    /// Merges everything below a node of a column into it.
    pub(super) fn merge(&mut self, place: usize, node: NodeId) {
        let tree = self.trees[place];
        let mut changed = Vec::new();
        for child in tree.children(node) {
            for number in std::mem::take(&mut self.showing[place][child as usize]) {
                let class = &mut self.classes[number as usize];
                if class.size == 0 {
                    continue;
                }
                if let Ok(entry) = self.by_nodes.find_entry(hash(&class.nodes), |other| *other == number) {
                    entry.remove();
                }
                class.nodes[place] = node;
                match self.find(&self.classes[number as usize].nodes) {
                    None => {
                        self.enter(number);
                        self.showing[place][node as usize].push(number);
                        changed.push(number);
                    }
                    Some(same) => {
                        let gone = &mut self.classes[number as usize];
                        let (size, mut cells) =
                            (std::mem::take(&mut gone.size), std::mem::take(&mut gone.cells));
                        let kept = &mut self.classes[same as usize];
                        kept.size += size;
                        kept.cells.append(&mut cells);
                    }
                }
            }
        }
        for number in changed {
            if self.reads_payloads {
                let cells = std::mem::take(&mut self.classes[number as usize].cells);
                self.classes[number as usize].cells = merged(cells);
            }
            self.judge(number);
        }
    }
}
