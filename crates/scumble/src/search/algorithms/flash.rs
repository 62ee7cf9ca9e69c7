//! Flash (Kohlmayer, Prasser et al. 2012; algorithms.md B19): tags the whole lattice by bisecting greedy paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::problem::{Problem, Progress};
use crate::search::lattice::{Best, Checker, Lattice, Pruning};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "flash",
    title: "Flash, greedy paths through the lattice",
    paper: "Kohlmayer, Prasser, Eckert, Kemper, Kuhn 2012",
    standing: Standing::Classic,
    about: "Decides for every combination of levels whether it meets the models, by bisecting greedy paths from fine to coarse, \
            and takes the best by the metric; the search of the ARX tool. 'optimal' finds the same best with fewer looks.",
    parameters: &[],
    build,
};

struct Flash;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Flash))
}

impl Algorithm for Flash {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            reach: Reach::Column,
            fineness: Fineness::OneStep,
            serves_population: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, _: &Problem) -> bool {
        true
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        Lattice::new(problem, ENTRY.name)?;
        problem.tests()?;
        Pruning::required(problem, ENTRY.name).map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let lattice = Lattice::new(problem, ENTRY.name)?;
        let mut search = FlashSearch::new(problem, &lattice)?;
        search.tag_all()?;
        let satisfying: Vec<usize> =
            (0..lattice.nodes()).filter(|node| search.tags[*node] == Some(true)).collect();
        let tagging = search.checker.checked();
        let best = Best::of(&satisfying, &mut search.checker, &lattice)?;
        let mut findings = super::lattice_findings(&lattice, &search.checker);
        findings.push(Finding::new(
            "satisfying",
            Some(satisfying.len() as f64),
            "the combinations of levels that meet every model within the suppression limit",
        ));
        findings.push(Finding::new(
            "tagging",
            Some(tagging as f64),
            "the looks that it took to know which combinations these are",
        ));
        super::solution_at(problem, &lattice, best.required()?, findings)
    }
}

struct FlashSearch<'a> {
    progress: &'a Progress,
    lattice: &'a Lattice,
    checker: Checker<'a>,
    tags: Vec<Option<bool>>,
    /// The place of each node in Flash's order.
    rank: Vec<u32>,
}

impl<'a> FlashSearch<'a> {
    fn new(problem: &'a Problem, lattice: &'a Lattice) -> Result<Self> {
        let checker = Checker::new(problem, lattice)?;
        // Order by the share of each column's levels, then the share of values lost, then the vector.
        let key = |node: usize| {
            let (mut steps, mut lost) = (0.0, 0.0);
            for (column, height) in lattice.heights().iter().enumerate() {
                let level = lattice.level(node, column);
                steps += f64::from(level) / f64::from((*height).max(1));
                lost += 1.0 - checker.values(column, level) as f64 / checker.values(column, 0).max(1) as f64;
            }
            // Shares that differ only by rounding must not decide.
            ((steps * 1e9).round() as u64, (lost * 1e9).round() as u64, node)
        };
        let mut rank = vec![0; lattice.nodes()];
        let mut place = 0;
        // Sort height by height and check for interruption in between: millions of nodes take seconds.
        for nodes in lattice.by_height() {
            problem.progress.check()?;
            let mut keys: Vec<_> = nodes.into_iter().map(key).collect();
            keys.sort_unstable();
            for (.., node) in keys {
                rank[node] = place;
                place += 1;
            }
        }
        Ok(Self { progress: &problem.progress, lattice, checker, tags: vec![None; lattice.nodes()], rank })
    }

    fn tag_all(&mut self) -> Result<()> {
        let mut order = vec![0; self.rank.len()];
        self.rank.iter().enumerate().for_each(|(node, place)| order[*place as usize] = node);
        let mut pace = self.progress.pace();
        for node in order.iter().copied() {
            pace.tick(1)?;
            if self.tags[node].is_some() {
                continue;
            }
            let mut heap = BinaryHeap::from([Reverse(self.rank[node])]);
            while let Some(Reverse(place)) = heap.pop() {
                let start = order[place as usize];
                if self.tags[start].is_none() {
                    let path = self.path(start);
                    self.check_path(&path, &mut heap)?;
                }
            }
        }
        Ok(())
    }

    fn untagged_successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.lattice.successors(node).filter(|node| self.tags[*node].is_none())
    }

    fn path(&self, start: usize) -> Vec<usize> {
        let mut path = vec![start];
        let mut last = start;
        while let Some(next) = self.untagged_successors(last).min_by_key(|node| self.rank[*node]) {
            path.push(next);
            last = next;
        }
        path
    }

    fn check_path(&mut self, path: &[usize], heap: &mut BinaryHeap<Reverse<u32>>) -> Result<()> {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = (low + high - 1) / 2;
            let node = path[middle];
            let satisfies = self.checker.failing(node)? <= self.checker.limit();
            let (fine, coarse) = if satisfies { (node, self.lattice.top()) } else { (0, node) };
            let tags = &mut self.tags;
            self.lattice.between(fine, coarse, |node| tags[node] = Some(satisfies));
            if satisfies {
                high = middle;
            } else {
                heap.extend(self.untagged_successors(node).map(|node| Reverse(self.rank[node])));
                low = middle + 1;
            }
        }
        Ok(())
    }
}
