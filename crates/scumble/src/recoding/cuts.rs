//! Rules that cut: a tree of cuts through the space of tuples.

use rayon::prelude::*;

use super::{Assignment, ClassColumn, Interner, Members};
use crate::table::quasi::Value;

/// Cuts through the space of tuples, from the whole to the classes.
#[derive(Debug, Clone, Default)]
pub struct CutTree {
    nodes: Vec<CutNode>,
    /// What the classes show, column by column.
    columns: Vec<ClassColumn>,
    classes: u32,
}

/// A place in a [`CutTree`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum CutNode {
    /// Tuples whose code in `column` is at most `uppers[i].0` (and above the one before) go to `uppers[i].1`; several ranges of
    /// codes may lead to the same place.
    Cut {
        /// The column.
        column: u32,
        /// The last codes of the ranges, ascending, and where each leads.
        uppers: Vec<(u32, u32)>,
    },
    /// The tuples that arrive here are this class.
    Class(u32),
}

/// A cut tree under construction, as a search returns it: children own their own children.
pub enum Cut {
    /// A class with the values it shows and the number of tuples in it.
    Class(Box<[Value]>, usize),
    /// A cut of a column into parts.
    Parts {
        /// The column.
        column: u32,
        /// Ranges of codes by their last code, ascending, each with the number of the part it belongs to.
        uppers: Vec<(u32, u32)>,
        /// What is below each part.
        parts: Vec<Cut>,
    },
}

impl CutTree {
    /// The flat form of a cut.
    #[must_use]
    pub fn new(width: usize, root: Cut) -> Self {
        let mut tree = Self::default();
        let mut columns: Vec<Interner> = (0..width).map(|_| Interner::default()).collect();
        tree.add(root, &mut columns);
        tree.columns = columns.into_par_iter().map(Interner::finish).collect();
        tree
    }

    /// The places of the tree; the first is its root.
    pub(crate) fn nodes(&self) -> &[CutNode] {
        &self.nodes
    }

    /// The tree of these places, whose classes show what the columns say; `None` if they are no tree: every cut leads to places
    /// behind its own, so that there is no way round, and to classes that there are.
    pub(crate) fn of_nodes(nodes: Vec<CutNode>, columns: Vec<ClassColumn>, classes: u32) -> Option<Self> {
        let sound = |(place, node): (usize, &CutNode)| match node {
            CutNode::Class(class) => *class < classes,
            CutNode::Cut { column, uppers } => {
                let behind = |to: u32| place < to as usize && (to as usize) < nodes.len();
                (*column as usize) < columns.len()
                    && !uppers.is_empty()
                    && uppers.is_sorted_by_key(|(upper, _)| *upper)
                    && uppers.iter().all(|(_, to)| behind(*to))
            }
        };
        let sound = !nodes.is_empty() && nodes.iter().enumerate().all(sound);
        sound.then_some(Self { nodes, columns, classes })
    }

    fn add(&mut self, cut: Cut, columns: &mut [Interner]) -> u32 {
        let place = self.nodes.len();
        match cut {
            Cut::Class(values, _) => {
                self.nodes.push(CutNode::Class(self.classes));
                self.classes += 1;
                columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
            }
            Cut::Parts { column, mut uppers, parts } => {
                self.nodes.push(CutNode::Cut { column, uppers: Vec::new() });
                let added: Vec<u32> = parts.into_iter().map(|part| self.add(part, columns)).collect();
                uppers.iter_mut().for_each(|(_, part)| *part = added[*part as usize]);
                self.nodes[place] = CutNode::Cut { column, uppers };
            }
        }
        place as u32
    }

    /// What the classes show, for tuples whose classes are known already.
    #[must_use]
    pub fn assignment(&self, class_of_tuple: Vec<u32>) -> Assignment {
        Assignment {
            members: Members::Tuples(class_of_tuple),
            columns: self.columns.clone(),
            suppressed: vec![false; self.classes as usize],
        }
    }

    /// The class of a tuple. The last part of a cut takes what lies above it, so the rule is total; whether
    /// the class's values cover an unseen tuple is for the caller to check.
    pub fn class(&self, code: impl Fn(usize) -> u32) -> u32 {
        let mut place = 0;
        loop {
            match &self.nodes[place] {
                CutNode::Class(class) => return *class,
                CutNode::Cut { column, uppers } => {
                    let code = code(*column as usize);
                    let part = uppers.partition_point(|(upper, _)| *upper < code).min(uppers.len() - 1);
                    place = uppers[part].1 as usize;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(uppers: &[(u32, u32)]) -> CutNode {
        CutNode::Cut { column: 0, uppers: uppers.to_vec() }
    }

    #[test]
    fn only_trees_are_taken_for_trees() {
        let columns = vec![ClassColumn::of_places(vec![Value::Span(0, 1), Value::Span(2, 3)], &[0, 1])];
        let tree = |nodes: &[CutNode]| CutTree::of_nodes(nodes.to_vec(), columns.clone(), 2);
        let class = CutNode::Class;
        let good = tree(&[cut(&[(1, 1), (3, 2)]), class(0), class(1)]).expect("a tree");
        assert_eq!([0, 1, 2, 3, 9].map(|code| good.class(|_| code)), [0, 0, 1, 1, 1]);
        for bad in [
            vec![],
            vec![class(2)],
            vec![cut(&[]), class(0)],
            vec![cut(&[(1, 0)]), class(0)],
            vec![cut(&[(1, 2)]), class(0)],
            vec![cut(&[(3, 1), (1, 2)]), class(0), class(1)],
            vec![CutNode::Cut { column: 1, uppers: vec![(0, 1)] }, class(0)],
        ] {
            assert!(tree(&bad).is_none(), "{bad:?}");
        }
    }
}
