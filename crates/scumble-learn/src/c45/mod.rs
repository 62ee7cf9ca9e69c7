//! C4.5 decision trees as Weka's J48 grows and prunes them (models.md 3.3).
//!
//! ```
//! use scumble_learn::c45::{C45, Test};
//! use scumble_learn::{Column, Features, Table};
//!
//! // sex and age of 22 people in 4 kinds; the class follows sex.
//! let columns = vec![
//!     Column::nominal("sex", vec![0, 0, 1, 1], 2),
//!     Column::numeric("age", vec![30.0, 40.0, 30.0, 40.0]),
//! ];
//! let table = Table::weighted(Features::new(columns, 4)?, vec![0, 0, 1, 1], 2, vec![6, 5, 5, 6])?;
//!
//! let learner = C45 { prune: false, ..C45::default() };  // no pruning; `collapse: false` keeps every split
//! let tree = learner.grow(&table)?;
//!
//! // Nodes are numbered from the root, parents before their children.
//! let root = tree.root();
//! assert_eq!(root.test, Some(Test::Values { column: 0, values: 2 }));
//! let women = tree.node(root.children[0]);
//! assert!(women.is_leaf());
//! assert_eq!(women.counts, [11.0, 0.0]);           // weight of each class that came here
//! assert_eq!(tree.locate(table.features(), 3), root.children[1]);   // the leaf of row 3
//! assert_eq!(tree.depth(root.children[1]), 1);
//! # Ok::<(), scumble_learn::Error>(())
//! ```

mod estimate;
mod grow;
mod parts;
mod prune;
mod split;
mod tree;

pub use tree::{Node, Test, Tree};

use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check};
use crate::registry::Entry;
use crate::settings::Settings;
use crate::table::Table;

/// C4.5 in the registry.
pub const ENTRY: Entry = Entry {
    name: "c45",
    title: "C4.5 decision tree (J48)",
    paper: "Quinlan, C4.5: Programs for Machine Learning, 1993; as in Weka's J48",
    about: "Splits by gain ratio, one branch for each value or two at a threshold; rows with a missing value go down all \
            branches in shares; pruned by estimated errors, with subtree raising.",
    parameters: &[
        ("confidence", "pruning confidence, above 0 and at most 0.5; lower prunes more (default 0.25)"),
        ("min_objects", "least weight that two branches of a split must have (default 2)"),
        (
            "collapse",
            "whether nodes become leaves where the tree below makes no fewer training errors (default true)",
        ),
        ("prune", "whether to prune by estimated errors (default true)"),
        ("raise", "whether pruning may replace a node by its largest branch (default true)"),
    ],
    build: |settings| Ok(Box::new(C45::from_settings(settings)?)),
};

/// The machine-learning model and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct C45 {
    /// The confidence for pruning: above 0, at most 0.5.
    pub confidence: f64,
    /// The least weight that two branches of a split must have; positive.
    pub min_objects: f64,
    /// Whether nodes become leaves if the tree below makes no fewer training errors.
    pub collapse: bool,
    /// Whether to prune by estimated errors.
    pub prune: bool,
    /// Whether pruning may put a node's largest branch in its place.
    pub raise: bool,
}

impl Default for C45 {
    fn default() -> Self {
        Self { confidence: 0.25, min_objects: 2.0, collapse: true, prune: true, raise: true }
    }
}

impl C45 {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let default = Self::default();
        Ok(Self {
            confidence: settings.number("confidence", default.confidence, 1e-6, 0.5)?,
            min_objects: settings.number("min_objects", default.min_objects, 1.0, 1e9)?,
            collapse: settings.flag("collapse", default.collapse)?,
            prune: settings.flag("prune", default.prune)?,
            raise: settings.flag("raise", default.raise)?,
        })
    }

    /// Grows the tree for a table.
    pub fn grow(&self, table: &Table) -> Result<Tree> {
        self.grow_while(table, &|| true)
    }

    /// Grows the tree for a table, for callers that may stop it. `goes_on` is called for every node and column. After it returns
    /// false, everything not grown yet becomes a leaf, and the tree is not returned.
    pub fn grow_while(&self, table: &Table, goes_on: &GoesOn<'_>) -> Result<Tree> {
        check(goes_on)?;
        let table = table.canonical()?;
        let mut root = grow::grow(&table, self.min_objects, goes_on);
        check(goes_on)?;
        if self.collapse {
            prune::collapse(&mut root);
        }
        if self.prune {
            let pruning = prune::Pruning::new(&table, self.confidence, self.raise, goes_on);
            pruning.prune(&mut root, parts::all(&table));
            check(goes_on)?;
        }
        Ok(Tree::new(root, table.classes()))
    }
}

impl Learner for C45 {
    fn train_while(&self, table: &Table, _seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        Ok(Box::new(self.grow_while(table, goes_on)?))
    }
}

#[cfg(test)]
mod tests;
