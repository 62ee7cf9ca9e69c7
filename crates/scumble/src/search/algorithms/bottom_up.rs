//! Bottom-up generalisation (Wang, Yu, Chakraborty 2004; algorithms.md B8): begins with every value unchanged and merges the
//! values below one node of a hierarchy at a time, until every class meets every model.

mod classes;
#[cfg(test)]
mod tests;

use self::classes::Classes;
use super::gain::{Gains, Threshold};
use super::iack::class_of;
use super::{Algorithm, Capabilities, Finding, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::metrics::contingency::TIE;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::table::hierarchy::{Hierarchy, NodeId};
use crate::table::quasi::Value;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "bottom_up",
    title: "Bottom-up generalisation",
    paper: "Wang, Yu, Chakraborty 2004",
    standing: Standing::Classic,
    about: "Merges the values below one node of a hierarchy at a time, each time the node whose merge loses least of what predicts the class column, per row by which the smallest group grows. As long as no merge helps the smallest group, it goes by the class column alone, which mostly merges far more than needed: tds loses less. Needs a class column and a hierarchy for every \
            quasi-identifier.",
    parameters: &[],
    build,
};

struct BottomUp;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(BottomUp))
}

/// One column: the nodes that it shows, and what merging below each node costs.
struct Column<'a> {
    tree: &'a Hierarchy,
    /// Whether a node has rows.
    present: Vec<bool>,
    shown: Vec<bool>,
    /// The information about the class column that is lost when everything below a node is merged.
    loss: Vec<f64>,
}

impl<'a> Column<'a> {
    fn new(problem: &Problem, column: usize, tree: &'a Hierarchy, class: usize) -> Self {
        let leaves = tree.leaf_count();
        let gains = Gains::of_column(&problem.table, column, leaves, Some(class), Threshold::Informative);
        let rows = problem.table.marginal(column, leaves as usize);
        let nodes = 0..tree.node_count();
        let range = |node: NodeId| tree.range(node).0 as usize..=tree.range(node).1 as usize;
        let present: Vec<bool> =
            nodes.clone().map(|node| rows[range(node)].iter().any(|rows| *rows > 0)).collect();
        let shown = nodes.clone().map(|node| tree.is_leaf(node) && present[node as usize]).collect();
        let loss = nodes
            .map(|node| {
                let children: Vec<NodeId> = tree.children(node).collect();
                let codes = (0..).zip(&children).flat_map(|(part, child)| {
                    let (low, high) = tree.range(*child);
                    (low..=high).map(move |code| (code, part))
                });
                gains.tally(codes, children.len()).gain_of_all()
            })
            .collect();
        Self { tree, present, shown, loss }
    }

    /// Whether everything below a node can be merged into it now.
    fn can_merge(&self, node: NodeId) -> bool {
        let mut below = self.tree.children(node).filter(|child| self.present[*child as usize]).peekable();
        below.peek().is_some() && below.all(|child| self.shown[child as usize])
    }

    fn merge(&mut self, node: NodeId) {
        self.tree.children(node).for_each(|child| self.shown[child as usize] = false);
        self.shown[node as usize] = true;
    }

    /// What each code shows: the node above it that is shown, or the code itself if it has no rows and no such node.
    fn map(&self) -> Vec<Value> {
        let above = |code: u32| {
            let leaf = self.tree.leaf(code);
            let mut way = std::iter::successors(Some(leaf), |node| self.tree.parent(*node));
            Value::Node(way.find(|node| self.shown[*node as usize]).unwrap_or(leaf))
        };
        (0..self.tree.leaf_count()).map(above).collect()
    }
}

/// A merge, by its column and node.
type Merge = (usize, NodeId);

/// The state of the ascent.
struct Ascent<'a> {
    columns: Vec<Column<'a>>,
    /// The classes of each set of columns to which some model applies.
    sets: Vec<Classes<'a>>,
}

impl<'a> Ascent<'a> {
    fn new(problem: &'a Problem, class: usize) -> Result<Self> {
        let trees: Vec<&Hierarchy> = problem.quasi.iter().filter_map(|quasi| quasi.tree()).collect();
        let column = |(place, tree): (usize, &&'a Hierarchy)| Column::new(problem, place, tree, class);
        let columns = trees.iter().enumerate().map(column).collect();
        let set = |projection| Classes::of_leaves(&problem.table, &trees, projection, &problem.progress);
        let sets = problem.projections()?.into_iter().map(set).collect::<Result<_>>()?;
        Ok(Self { columns, sets })
    }

    /// The size of the smallest class, A(VID) in the paper. Where models apply to several sets of columns, the size of the
    /// smallest group of any set.
    fn smallest(&self) -> u64 {
        self.sets.iter().map(Classes::smallest).min().unwrap_or(u64::MAX)
    }

    /// The rows in failing classes, summed over the sets of columns.
    fn failing(&self) -> u64 {
        self.sets.iter().map(Classes::failing).sum()
    }

    /// Returns by how much a merge makes the smallest class larger, if it does. Such a merge is called critical.
    fn growth(&self, (column, node): Merge, smallest: u64) -> Option<u64> {
        let mut least = u64::MAX;
        for set in &self.sets {
            let of_set = set.smallest();
            let after = match set.place(column) {
                Some(place) => {
                    if of_set == smallest {
                        set.larger_smallest(place, node, smallest)?
                    } else {
                        // Merging never makes a class smaller, so the size stays the same unless all smallest classes merge.
                        set.larger_smallest(place, node, of_set).unwrap_or(of_set)
                    }
                }
                None => of_set,
            };
            least = least.min(after);
        }
        Some(least - smallest).filter(|growth| *growth > 0)
    }

    /// Returns the best merge: of the critical ones the one with the least loss per growth, otherwise the one with the least
    /// loss; the first wins ties.
    fn best(&self) -> Option<Merge> {
        let smallest = self.smallest();
        let loss = |(column, node): Merge| self.columns[column].loss[node as usize];
        let code = |(column, node): Merge| self.columns[column].tree.range(node).0;
        let least = |mut scored: Vec<(f64, Merge)>| {
            scored.sort_by_key(|(_, merge)| (merge.0, code(*merge)));
            let better = |best: Option<(f64, Merge)>, next: (f64, Merge)| match best {
                Some(best) if next.0 >= best.0 - TIE => Some(best),
                _ => Some(next),
            };
            scored.into_iter().fold(None, better).map(|(_, merge)| merge)
        };
        // A critical merge affects every smallest class, including this one, so no other node needs a test.
        let first = self.sets.iter().find(|set| set.smallest() == smallest);
        let above = first.map(Classes::above_smallest).unwrap_or_default();
        let critical: Vec<(f64, Merge)> = above
            .into_iter()
            .filter(|(column, node)| self.columns[*column].can_merge(*node))
            .filter_map(|merge| Some((loss(merge) / self.growth(merge, smallest)? as f64, merge)))
            .collect();
        if !critical.is_empty() {
            return least(critical);
        }
        least(self.merges().map(|merge| (loss(merge), merge)).collect())
    }

    /// Every merge that can be made now.
    fn merges(&self) -> impl Iterator<Item = Merge> {
        self.columns.iter().enumerate().flat_map(|(place, column)| {
            let nodes = (0..column.tree.node_count()).filter(|node| column.can_merge(*node));
            nodes.map(move |node| (place, node))
        })
    }

    fn merge(&mut self, (column, node): Merge) {
        self.columns[column].merge(node);
        for set in &mut self.sets {
            if let Some(place) = set.place(column) {
                set.merge(place, node);
            }
        }
    }

    fn step(&self) -> Step {
        Step::Maps(self.columns.iter().map(Column::map).collect())
    }
}

impl Algorithm for BottomUp {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            needs_class: true,
            reach: Reach::Label,
            default_suppression: Rational::ZERO,
            serves_projections: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        class_of(problem, ENTRY.name)?;
        problem.check_trees(ENTRY.name)?;
        problem.projections()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let class = class_of(problem, ENTRY.name)?;
        let mut ascent = Ascent::new(problem, class)?;
        // With models on only some of the columns, rows cannot be suppressed: groups of few columns would shrink.
        let limit = if problem.class_tests().is_ok() { problem.suppression_limit() } else { 0 };
        let mut merges = 0_u64;
        let findings = |merges: u64| {
            vec![Finding::new(
                "generalisations",
                Some(merges as f64),
                "how often the values below a node were merged",
            )]
        };
        loop {
            problem.progress.check()?;
            let failing = ascent.failing();
            if failing == 0 {
                return Ok(Solution::of_sound_step(problem, ascent.step(), findings(merges)));
            }
            if failing <= limit {
                // The suppressed rows themselves may fail the models, and repairing that may suppress too many. And a release
                // that shows no row is worth less than any other.
                let solution = Solution::of_step(problem, ascent.step(), findings(merges)).ok();
                let shows = |solution: &Solution| solution.assignment.suppressed.iter().any(|gone| !gone);
                if let Some(solution) = solution.filter(shows) {
                    return Ok(solution);
                }
            }
            let Some(merge) = ascent.best() else {
                return Err(Error::infeasible("not even the roots of all hierarchies meet every model")
                    .concede("lower the requirement"));
            };
            ascent.merge(merge);
            merges += 1;
            problem.progress.advance(1);
        }
    }
}
