//! A tree as a list, for files: every node with its depth, parents before their children.

use serde::{Deserialize, Serialize};

use super::tree::{Assembler, Hierarchy, Provenance};
use crate::error::{Error, Result};

/// A hierarchy as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outline {
    /// Where its groups come from.
    provenance: Provenance,
    /// The depth and the label of each node, in depth-first order.
    nodes: Vec<(u32, String)>,
}

impl Outline {
    /// The outline of a tree.
    pub(crate) fn of(tree: &Hierarchy) -> Self {
        let node = |node| (tree.depth(node), tree.label(node).to_owned());
        Self { provenance: tree.provenance(), nodes: (0..tree.node_count()).map(node).collect() }
    }

    /// The tree of an outline; an error says what is wrong with the one of that column.
    pub(crate) fn tree(&self, column: &str) -> Result<Hierarchy> {
        let wrong = |why: &str| Error::data(format!("column '{column}': its hierarchy {why}"));
        let mut tree = Assembler::new(column);
        for (place, (depth, label)) in self.nodes.iter().enumerate() {
            let depth = *depth as usize;
            if depth > tree.depth() || (depth == 0) != (place == 0) {
                return Err(wrong("has a node whose parent is missing"));
            }
            while tree.depth() > depth {
                tree.close();
            }
            tree.open(label)?;
        }
        if self.nodes.is_empty() {
            return Err(wrong("has no node"));
        }
        tree.finish(self.provenance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(nodes: &[(u32, &str)]) -> Outline {
        let nodes = nodes.iter().map(|(depth, label)| (*depth, (*label).to_owned())).collect();
        Outline { provenance: Provenance::Declared, nodes }
    }

    #[test]
    fn a_tree_and_its_outline_are_the_same() {
        let race = outline(&[(0, "Any"), (1, "White"), (1, "Colored"), (2, "Asian"), (2, "Black")]);
        let tree = race.tree("race").unwrap();
        assert_eq!((tree.leaf_count(), tree.height(), tree.range(2)), (3, 2, (1, 2)));
        assert_eq!(Outline::of(&tree), race);
        assert_eq!(outline(&[(0, "*")]).tree("one").unwrap().leaf_count(), 1);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for wrong in [
            outline(&[]),
            outline(&[(1, "a")]),
            outline(&[(0, "a"), (2, "b")]),
            outline(&[(0, "a"), (0, "b")]),
            outline(&[(0, "a"), (1, "b"), (1, "b")]),
            outline(&[(0, "a"), (u32::MAX, "b")]),
        ] {
            let message = wrong.tree("race").unwrap_err().to_string();
            assert!(message.contains("column 'race'"), "{message}");
        }
    }
}
