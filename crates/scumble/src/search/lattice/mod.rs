//! The lattice of full-domain recodings (algorithms.md B14). A node gives every column one level.
//!
//! A node is a number whose digits are the levels, the first column most significant, so numbers sort as the vectors do.
//! Searches learn about nodes from a [`Checker`].

use crate::base::text::grouped;
use crate::error::{Error, Result, Setting, Wish};
use crate::problem::Problem;

mod best;
mod bound;
mod cache;
mod checker;
mod domain;
mod set;

pub use best::Best;
pub use bound::{Bounds, Cost};
pub use checker::{Checker, Outcome, Visit};

/// All vectors of levels.
#[derive(Debug, Clone)]
pub struct Lattice {
    /// The highest level of each column.
    heights: Vec<u32>,
    /// What one more level of a column adds to a node's number.
    strides: Vec<usize>,
    nodes: usize,
}

/// The most nodes of a search that stores some 30 bytes about each.
const LARGEST: usize = 1 << 24;

impl Lattice {
    /// The lattice of a problem's columns, for searches that store something about every node. Returns an error if a column
    /// has no tree or there are too many nodes.
    pub fn new(problem: &Problem, algorithm: &str) -> Result<Self> {
        let lattice = Self::of_any_size(problem, algorithm)?;
        if lattice.nodes > LARGEST {
            return Err(Error::refused(format!(
                "the columns' levels combine to {} vectors, more than the {} that '{algorithm}' can search",
                grouped(lattice.nodes as u64),
                grouped(LARGEST as u64)
            ))
            .advise("give hierarchies with fewer levels")
            .advise("use fewer quasi-identifiers")
            .another(Wish::Quick));
        }
        Ok(lattice)
    }

    /// The lattice of a problem's columns, for searches that visit only a few of its nodes.
    pub fn of_any_size(problem: &Problem, algorithm: &str) -> Result<Self> {
        problem.check_trees(algorithm)?;
        let heights = problem.quasi.iter().map(|quasi| quasi.tree().map_or(0, |tree| tree.height()));
        Self::of_heights(heights.collect()).ok_or_else(|| {
            Error::refused(format!(
                "the levels of {} columns combine to more vectors than '{algorithm}' can number",
                problem.quasi.len()
            ))
            .advise("use fewer quasi-identifiers")
            .another(Wish::Quick)
        })
    }

    /// The lattice of any number of columns, for searches that work on vectors of levels. Where there are too many nodes, they
    /// have no numbers.
    pub fn of_any_width(problem: &Problem, algorithm: &str) -> Result<Self> {
        problem.check_trees(algorithm)?;
        let heights: Vec<u32> =
            problem.quasi.iter().map(|quasi| quasi.tree().map_or(0, |tree| tree.height())).collect();
        let unnumbered = || Self { heights: heights.clone(), strides: vec![0; heights.len()], nodes: 0 };
        Ok(Self::of_heights(heights.clone()).unwrap_or_else(unnumbered))
    }

    /// The lattice of columns with these highest levels, if its nodes can be numbered.
    #[must_use]
    pub fn of_heights(heights: Vec<u32>) -> Option<Self> {
        let mut strides = vec![0; heights.len()];
        let mut nodes = 1_usize;
        for (stride, height) in strides.iter_mut().zip(&heights).rev() {
            *stride = nodes;
            nodes = nodes.checked_mul(*height as usize + 1)?;
        }
        Some(Self { heights, strides, nodes })
    }

    /// The number of vectors of levels, even where they are too many to be numbered.
    #[must_use]
    pub fn combinations(&self) -> f64 {
        self.heights.iter().map(|height| f64::from(*height) + 1.0).product()
    }

    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The coarsest node; the finest is 0.
    #[must_use]
    pub fn top(&self) -> usize {
        self.nodes - 1
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.heights.len()
    }

    /// The highest level of each column.
    #[must_use]
    pub fn heights(&self) -> &[u32] {
        &self.heights
    }

    /// The level of a column in a node.
    #[must_use]
    pub fn level(&self, node: usize, column: usize) -> u32 {
        ((node / self.strides[column]) % (self.heights[column] as usize + 1)) as u32
    }

    /// The levels of a node.
    #[must_use]
    pub fn levels(&self, node: usize) -> Vec<u32> {
        (0..self.width()).map(|column| self.level(node, column)).collect()
    }

    /// The node with these levels.
    #[must_use]
    pub fn node(&self, levels: &[u32]) -> usize {
        levels.iter().zip(&self.strides).map(|(level, stride)| *level as usize * stride).sum()
    }

    /// The node with another level of a column.
    #[must_use]
    pub fn with_level(&self, node: usize, column: usize, level: u32) -> usize {
        node - self.level(node, column) as usize * self.strides[column]
            + level as usize * self.strides[column]
    }

    /// The sum of a node's levels.
    #[must_use]
    pub fn height(&self, node: usize) -> u32 {
        (0..self.width()).map(|column| self.level(node, column)).sum()
    }

    /// Whether no level of `fine` is above that of `coarse`.
    #[must_use]
    pub fn below(&self, fine: usize, coarse: usize) -> bool {
        (0..self.width()).all(|column| self.level(fine, column) <= self.level(coarse, column))
    }

    /// The nodes one step coarser, first column first.
    pub fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.width())
            .filter(move |column| self.level(node, *column) < self.heights[*column])
            .map(move |column| node + self.strides[column])
    }

    /// The nodes one step finer, first column first.
    pub fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.width())
            .filter(move |column| self.level(node, *column) > 0)
            .map(move |column| node - self.strides[column])
    }

    /// Calls `see` with every node from `fine` to `coarse`, both included, in ascending order.
    pub fn between(&self, fine: usize, coarse: usize, mut see: impl FnMut(usize)) {
        let (low, high) = (self.levels(fine), self.levels(coarse));
        let mut levels = low.clone();
        let mut node = fine;
        loop {
            see(node);
            let Some(column) = (0..self.width()).rev().find(|column| levels[*column] < high[*column]) else {
                return;
            };
            levels[column] += 1;
            node += self.strides[column];
            for later in column + 1..self.width() {
                node -= (levels[later] - low[later]) as usize * self.strides[later];
                levels[later] = low[later];
            }
        }
    }

    /// All nodes by ascending height; nodes of equal height are in the order of their numbers.
    #[must_use]
    pub fn by_height(&self) -> Vec<Vec<usize>> {
        let mut by_height = vec![Vec::new(); self.heights.iter().sum::<u32>() as usize + 1];
        (0..self.nodes).for_each(|node| by_height[self.height(node) as usize].push(node));
        by_height
    }
}

/// The conclusions from one node about others that the models allow (models.md 0.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pruning {
    /// The number of rows in failing classes only grows towards finer nodes, because a passing class still passes when it is
    /// merged with any other.
    Counts,
    /// Nothing may be suppressed, and merging passing classes gives passing ones, so whatever is finer than a failing node
    /// fails.
    Verdicts,
    /// None.
    Nothing,
}

impl Pruning {
    /// Returns the conclusions that a problem allows.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let all = |holds: fn(crate::models::Monotonicity) -> bool| {
            problem.models.iter().all(|model| holds(model.monotonicity()))
        };
        if all(|model| model.upward) {
            Self::Counts
        } else if problem.suppression_limit() == 0 && all(|model| model.merging) {
            Self::Verdicts
        } else {
            Self::Nothing
        }
    }

    /// Returns an error if no conclusions are allowed, for algorithms that depend on them.
    pub fn required(problem: &Problem, algorithm: &str) -> Result<Self> {
        let pruning = Self::of(problem);
        if pruning != Self::Nothing {
            return Ok(pruning);
        }
        let unfit = problem.models.iter().find(|model| !model.monotonicity().upward);
        let name = unfit.map_or_else(String::new, |model| model.title());
        Err(Error::refused(format!(
            "'{algorithm}' concludes from one recoding to coarser ones, which {name} does not allow when rows may be suppressed"
        ))
        .set(Setting::search("suppression").to(0), "suppress nothing")
        .another_that("use an algorithm that checks every recoding by itself"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_as_vectors() {
        let lattice = Lattice::of_heights(vec![1, 2, 3]).expect("24 nodes");
        assert_eq!((lattice.nodes(), lattice.top()), (24, 23));
        let vectors: Vec<Vec<u32>> = (0..24).map(|node| lattice.levels(node)).collect();
        assert!(vectors.windows(2).all(|pair| pair[0] < pair[1]));
        assert!((0..24).all(|node| lattice.node(&vectors[node]) == node));
        assert_eq!(vectors[23], [1, 2, 3]);
    }

    #[test]
    fn neighbours_and_boxes() {
        let lattice = Lattice::of_heights(vec![1, 2, 3]).expect("24 nodes");
        let node = lattice.node(&[0, 1, 3]);
        let levels = |nodes: Vec<usize>| nodes.into_iter().map(|n| lattice.levels(n)).collect::<Vec<_>>();
        assert_eq!(levels(lattice.successors(node).collect()), [vec![1, 1, 3], vec![0, 2, 3]]);
        assert_eq!(levels(lattice.predecessors(node).collect()), [vec![0, 0, 3], vec![0, 1, 2]]);
        let mut seen = Vec::new();
        lattice.between(lattice.node(&[0, 1, 2]), lattice.node(&[1, 2, 2]), |node| seen.push(node));
        assert_eq!(levels(seen), [vec![0, 1, 2], vec![0, 2, 2], vec![1, 1, 2], vec![1, 2, 2]]);
        let mut below = 0;
        lattice.between(0, node, |other| {
            assert!(lattice.below(other, node));
            below += 1;
        });
        assert_eq!((below, (0..24).filter(|other| lattice.below(*other, node)).count()), (8, 8));
        assert_eq!(lattice.by_height().iter().map(Vec::len).collect::<Vec<_>>(), [1, 3, 5, 6, 5, 3, 1]);
    }

    #[test]
    fn sizes_have_an_end() {
        assert!(Lattice::of_heights(vec![9; 20]).is_none());
        assert_eq!(Lattice::of_heights(Vec::new()).map(|lattice| lattice.nodes()), Some(1));
    }
}
