//! K-Optimize (Bayardo, Agrawal 2005; algorithms.md B21): finds the best way to divide all columns into parts, by
//! discernibility or the classification metric, with a bound on what was not visited.
//!
//! Sets of splits are enumerated: first all sets with a given split, then all sets without it. For every set between the
//! set that is made and the set of all splits that may still be made, each class is a union of the finest classes. That
//! gives the bound.

use std::rc::Rc;

use super::splits::SplitSpace;
use super::{Algorithm, Capabilities, Finding, Fineness, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::base::text::{grouped, rows};
use crate::config::{Parameters, Rational};
use crate::error::{Error, ErrorKind, Result, Setting};
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::Classes;

mod bound;

use bound::{Atoms, Costs};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "k_optimize",
    title: "K-Optimize, optimal interval and subtree recoding",
    paper: "Bayardo, Agrawal 2005",
    standing: Standing::Classic,
    about: "Divides every column into intervals or nodes of its hierarchy, the same for all rows, so that discernibility (the \
            default) or the classification metric is least; groups that fail a model are suppressed. Exact given time; with a \
            budget of time or steps it returns the best found and how far from the optimum that can be.",
    parameters: &[],
    build,
};

struct KOptimize;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(KOptimize))
}

impl Algorithm for KOptimize {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            reach: Reach::Label,
            fineness: Fineness::OneStep,
            default_suppression: Rational::ONE,
            default_metric: "discernibility",
            takes_steps: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, problem: &Problem) -> bool {
        problem.metric.class_sum().is_some()
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        bound::sum(problem)?;
        problem.class_tests().map(|_| ())
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = SplitSpace::new(problem);
        let mut search = SetEnumeration {
            problem,
            space: &space,
            costs: Costs::new(problem, &space)?,
            best: None,
            steps: 0,
        };
        let mut root = search.all_open();
        root.bound = search.bound(&root)?;
        let whole = root.bound;
        let open = if search.greedy(&root)? { search.enumerate(root)? } else { Some(whole) };
        problem.budget.settle();
        let Some((cost, set)) = search.best else { return Err(nothing_found(problem, open.is_some())) };
        let mut solution = Solution::of_step(problem, Step::Maps(space.maps(&set)), Vec::new())?;
        // The sum is the metric's figure in another unit.
        let missing = open.map_or(0, |open| cost.saturating_sub(open)) as f64 / (cost as f64).max(1.0);
        let classes =
            Classes::new(solution.assignment.clone(), &problem.table, &problem.quasi, problem.star_policy);
        let figure = problem.metric.measure(&classes, problem).unwrap_or(0.0);
        solution.findings = vec![
            Finding::new(
                "splits",
                Some(space.splits.len() as f64),
                "the places where columns can be divided",
            ),
            Finding::new("checked", Some(search.steps as f64), "the steps of the search"),
            Finding::new(
                "gap",
                Some(missing * figure),
                "by how much, at most, the best possible result could be better; 0: this result is the best possible",
            ),
        ];
        Ok(solution)
    }
}

fn nothing_found(problem: &Problem, stopped: bool) -> Error {
    let limit = problem.suppression_limit();
    let (limit, rows) = (grouped(limit), rows(problem.table.rows()));
    if stopped {
        return Error::new(
            ErrorKind::OutOfBudget,
            format!(
                "within the steps or time given, nothing was found that suppresses at most {limit} of {rows}"
            ),
        )
        .set(Setting::search("steps"), "give more steps")
        .set(Setting::search("budget"), "give more time")
        .set(Setting::search("suppression"), "allow more rows to be suppressed");
    }
    Error::infeasible(format!(
        "however the columns are divided, more rows must be suppressed than the {limit} of {rows} that the suppression limit of \
         {} allows",
        problem.suppression
    ))
    .set(Setting::search("suppression"), "allow more rows to be suppressed")
    .concede("lower the requirement")
}

struct SetEnumeration<'a> {
    problem: &'a Problem,
    space: &'a SplitSpace<'a>,
    costs: Costs<'a>,
    best: Option<(u128, Vec<bool>)>,
    steps: u64,
}

/// The sets that contain all splits of one set (`made`), and may contain those of another (`open`).
#[derive(Clone)]
struct Branch {
    made: Vec<bool>,
    /// Splits that may still be made, including those that need another split first.
    open: Vec<bool>,
    atoms: Rc<Atoms>,
    class_of_atom: Vec<u32>,
    classes: usize,
    /// The split that is being tried.
    tried: Option<usize>,
    /// A lower bound on the cost of its sets, as known when the last step began.
    bound: u128,
}

impl SetEnumeration<'_> {
    fn all_open(&self) -> Branch {
        let atoms = Rc::new(self.costs.tuples());
        let splits = self.space.splits.len();
        let class_of_atom = vec![0; atoms.len()];
        let classes = usize::from(atoms.len() > 0);
        Branch {
            bound: 0,
            made: vec![false; splits],
            open: vec![true; splits],
            atoms,
            class_of_atom,
            classes,
            tried: None,
        }
    }

    fn bound(&self, branch: &Branch) -> Result<u128> {
        self.problem.progress.check()?;
        self.costs.bound_of(&branch.atoms, &branch.class_of_atom, branch.classes)
    }

    fn is_beaten(&self, bound: u128) -> bool {
        // A set that cannot be published at all is always beaten.
        bound == u128::MAX || self.best.as_ref().is_some_and(|(best, _)| bound >= *best)
    }

    /// Visits the set that a branch has made.
    fn visit(&mut self, branch: &Branch) -> Result<()> {
        self.problem.progress.check()?;
        let (cost, failing) = self.costs.cost(&branch.atoms, &branch.class_of_atom, branch.classes)?;
        // Publishing may cost more, to protect the suppressed rows, but never less.
        if self.costs.allows(failing)
            && !self.is_beaten(cost)
            && let Some(cost) = self.costs.published(&branch.made)?
            && !self.is_beaten(cost)
        {
            self.best = Some((cost, branch.made.clone()));
        }
        self.problem.progress.advance(1);
        self.steps += 1;
        Ok(())
    }

    /// The splits that can be made now.
    fn ready(&self, branch: &Branch) -> Vec<usize> {
        let above_made =
            |place: &usize| self.space.splits[*place].above.is_none_or(|above| branch.made[above]);
        (0..branch.open.len()).filter(|place| branch.open[*place]).filter(above_made).collect()
    }

    /// The branch with one more split made.
    fn with(&self, branch: &Branch, place: usize) -> Result<Branch> {
        let split = &self.space.splits[place];
        let (class_of_atom, classes) =
            self.costs.divide(&branch.atoms, &branch.class_of_atom, branch.classes, split)?;
        let (mut made, mut open) = (branch.made.clone(), branch.open.clone());
        made[place] = true;
        open[place] = false;
        let (atoms, bound) = (Rc::clone(&branch.atoms), branch.bound);
        Ok(Branch { made, open, atoms, class_of_atom, classes, tried: None, bound })
    }

    /// Finds a first answer: always makes the split that costs least, as long as that helps. Returns whether there is
    /// budget left.
    fn greedy(&mut self, root: &Branch) -> Result<bool> {
        let mut branch = root.clone();
        let mut cost = u128::MAX;
        loop {
            if self.is_spent() {
                return Ok(false);
            }
            match self.greedy_step(&mut branch, &mut cost) {
                Ok(true) => {}
                Ok(false) => return Ok(true),
                Err(error) => return self.ended(error).map(|()| false),
            }
        }
    }

    fn is_spent(&self) -> bool {
        match self.best {
            Some(_) => self.problem.budget.is_spent(self.steps),
            None => self.problem.budget.has_taken(self.steps),
        }
    }

    /// Ends a search that ran out of time during a step, if it has found something.
    fn ended(&self, error: Error) -> Result<()> {
        match self.best {
            Some(_) => self.problem.budget.end_at(self.steps, error),
            None => Err(error),
        }
    }

    /// Makes the split that costs least. Returns whether that helped.
    fn greedy_step(&mut self, branch: &mut Branch, cost: &mut u128) -> Result<bool> {
        self.visit(branch)?;
        let ready = self.ready(branch);
        let tried = self.costs.try_all(&branch.atoms, &branch.class_of_atom, branch.classes, &ready)?;
        match tried.into_iter().zip(ready).min() {
            Some((next, place)) if next < *cost => {
                *cost = next;
                *branch = self.with(branch, place)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Goes through all sets that can be better than the best. If the budget runs out, returns a lower bound on the cost of
    /// the sets that were not visited.
    fn enumerate(&mut self, root: Branch) -> Result<Option<u128>> {
        let mut stack = vec![root];
        loop {
            // Use the bounds as they were at the last step, and not what was learnt since, so that the result depends on
            // the steps alone.
            let open = stack.iter().map(|branch| branch.bound).min().unwrap_or(u128::MAX);
            if self.is_spent() {
                return Ok(Some(open));
            }
            match self.advance(&mut stack) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) => return self.ended(error).map(|()| Some(open)),
            }
        }
    }

    /// Goes on to the next set and visits it. Returns whether there was one.
    fn advance(&mut self, stack: &mut Vec<Branch>) -> Result<bool> {
        while let Some(branch) = stack.last_mut() {
            if let Some(tried) = branch.tried.take() {
                self.close(branch, tried)?;
            }
            let Some(place) = self.next(branch)? else {
                stack.pop();
                continue;
            };
            branch.tried = Some(place);
            let child = self.with(branch, place)?;
            self.visit(&child)?;
            stack.push(child);
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the split to try next, after closing those that cannot help; `None` if nothing in the branch can be better.
    fn next(&self, branch: &mut Branch) -> Result<Option<usize>> {
        loop {
            branch.bound = self.bound(branch)?;
            if self.is_beaten(branch.bound) {
                return Ok(None);
            }
            let ready = self.ready(branch);
            let looks = self.costs.look(&branch.atoms, &branch.class_of_atom, branch.classes, &ready)?;
            let (mut closed, mut divided) = (false, false);
            for (place, look) in ready.iter().zip(&looks) {
                let end = self.space.splits[*place].end;
                if look.divides == 0 {
                    // The split changes nothing here, nor in any larger set. If other splits need it, it is made.
                    branch.open[*place] = false;
                    branch.made[*place] = end > place + 1;
                    divided |= branch.made[*place];
                } else if self.is_beaten(look.bound) {
                    branch.open[*place..end].fill(false);
                    closed = true;
                }
            }
            if closed {
                self.merge(branch)?;
            }
            if !closed && !divided {
                // The split that divides most classes comes first, then the order of columns and codes.
                let open = ready.iter().zip(&looks).filter(|(place, _)| branch.open[**place]);
                return Ok(open
                    .min_by_key(|(place, look)| (usize::MAX - look.divides, **place))
                    .map(|(place, _)| *place));
            }
        }
    }

    /// Excludes a split and all splits that need it.
    fn close(&self, branch: &mut Branch, place: usize) -> Result<()> {
        branch.open[place..self.space.splits[place].end].fill(false);
        self.merge(branch)
    }

    /// Updates the atoms to the splits that are open.
    fn merge(&self, branch: &mut Branch) -> Result<()> {
        let finest: Vec<bool> =
            branch.made.iter().zip(&branch.open).map(|(made, open)| *made || *open).collect();
        let (atoms, class_of_atom) = self.costs.merge(&branch.atoms, &branch.class_of_atom, &finest)?;
        (branch.atoms, branch.class_of_atom) = (Rc::new(atoms), class_of_atom);
        Ok(())
    }
}
