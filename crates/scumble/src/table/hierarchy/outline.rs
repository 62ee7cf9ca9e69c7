//! A tree as a list, for files: every node with its depth, parents before their children.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::tree::{Assembler, Hierarchy, Provenance};
use crate::error::{Error, Result};

/// A hierarchy as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outline<'t> {
    /// Where its groups come from.
    provenance: Provenance,
    /// The depth and the label of each node, in depth-first order.
    nodes: Nodes<'t>,
}

/// Nodes on their way to a file or from one. A tree may have millions, so they are not copied to be written.
#[derive(Debug, Clone)]
enum Nodes<'t> {
    Of(&'t Hierarchy),
    Read(Vec<(u32, String)>),
}

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Of(tree) => serializer
                .collect_seq((0..tree.node_count()).map(|node| (tree.depth(node), tree.label(node)))),
            Self::Read(nodes) => nodes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Nodes<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::Read)
    }
}

impl<'t> Outline<'t> {
    /// The outline of a tree.
    pub(crate) fn of(tree: &'t Hierarchy) -> Self {
        Self { provenance: tree.provenance(), nodes: Nodes::Of(tree) }
    }

    /// The tree of an outline; an error says what is wrong with the one of that column.
    pub(crate) fn tree(&self, column: &str) -> Result<Hierarchy> {
        let wrong = |why: &str| Error::data(format!("its hierarchy {why}")).in_column(column);
        let nodes = match &self.nodes {
            Nodes::Of(tree) => return Ok((*tree).clone()),
            Nodes::Read(nodes) => nodes,
        };
        let mut tree = Assembler::new(column);
        for (place, (depth, label)) in nodes.iter().enumerate() {
            let depth = *depth as usize;
            if depth > tree.depth() || (depth == 0) != (place == 0) {
                return Err(wrong("has a node whose parent is missing"));
            }
            while tree.depth() > depth {
                tree.close();
            }
            tree.open(label)?;
        }
        if nodes.is_empty() {
            return Err(wrong("has no node"));
        }
        tree.finish(self.provenance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(nodes: &[(u32, &str)]) -> Outline<'static> {
        let nodes = nodes.iter().map(|(depth, label)| (*depth, (*label).to_owned())).collect();
        Outline { provenance: Provenance::Declared, nodes: Nodes::Read(nodes) }
    }

    #[test]
    fn a_tree_and_its_outline_are_the_same() {
        let race = outline(&[(0, "Any"), (1, "White"), (1, "Colored"), (2, "Asian"), (2, "Black")]);
        let tree = race.tree("race").unwrap();
        assert_eq!((tree.leaf_count(), tree.height(), tree.range(2)), (3, 2, (1, 2)));
        let written = |outline: &Outline<'_>| serde_json::to_string(outline).unwrap();
        assert_eq!(written(&Outline::of(&tree)), written(&race));
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
