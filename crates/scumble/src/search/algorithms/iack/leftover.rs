//! Generalises the rows of failing classes further, and suppresses only what still fails. IACK's paper leaves this for
//! later work.
//!
//! The failing classes are raised together, one column by one level in each round. Classes that then pass are settled, and
//! the rest continues. A class that was kept at first is never changed, and no settled class shows the same values as
//! another class: a row that would show them would have been in that class.

use rayon::prelude::*;

use crate::error::{ErrorKind, Result};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::{ClassView, Classes};
use crate::recoding::{Assignment, Members};
use crate::search::algorithms::splits;
use crate::table::frequency::{Cell, cells_by_group};
use crate::table::hierarchy::NodeId;
use crate::table::pack::{Packer, group};
use crate::table::quasi::{Quasi, Value};

/// Classes that were merged and pass, and the values that they show.
struct Settled {
    round: u32,
    classes: Vec<u32>,
    values: Vec<Value>,
}

/// The leftover classes of an assignment.
struct Leftover<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    base: &'a Classes,
    /// One tuple of each class.
    first: Vec<u32>,
    /// The nodes of codes by column and level.
    nodes: Vec<Vec<Vec<NodeId>>>,
    /// The classes that are not settled.
    open: Vec<u32>,
}

/// The effect of raising a column by one level.
struct Raise {
    column: usize,
    /// The loss added over all open rows, weighted by the column's priority.
    added: f64,
    /// The number of values that the column shows before.
    values: usize,
    /// The open classes that would pass, grouped as they would be merged.
    passing: Vec<Vec<u32>>,
    /// The rows of these classes.
    rows: u64,
}

/// The best outcome of generalising failing classes further, and the number of rows that this keeps; `None` if there is
/// nothing to gain. `levels` must be those of the assignment.
pub(super) fn generalize(
    problem: &Problem,
    levels: &[u32],
    assignment: &Assignment,
) -> Result<Option<(Classes, u64)>> {
    let base = Classes::new(assignment.clone(), &problem.table, &problem.quasi, problem.star_policy);
    let settled = Leftover::new(problem, &base)?.settle(levels.to_vec())?;
    let rounds = settled.iter().map(|settled| settled.round).max().unwrap_or(0);
    let failing: u64 = failing(problem, &base)?.map(|class| base.size(class as usize)).sum();
    let mut best: Option<(Classes, u64)> = None;
    // If few rows remain suppressed, they may fail the models themselves. It is then better to leave out the last rounds.
    for last in (1..=rounds).rev() {
        let kept = || settled.iter().filter(|settled| settled.round <= last);
        let rows = kept().flat_map(|settled| &settled.classes).map(|class| base.size(*class as usize)).sum();
        let outcome = match problem.suppress_failing(regions(assignment, kept())) {
            Ok(outcome) => outcome,
            Err(error) if error.kind() == ErrorKind::Infeasible => continue,
            Err(error) => return Err(error),
        };
        let unmended = outcome.suppressed_rows() + rows <= failing;
        if best.as_ref().is_none_or(|(best, _)| super::worse(best, &outcome, problem)) {
            best = Some((outcome, rows));
        }
        if unmended {
            break;
        }
    }
    Ok(best)
}

/// The classes that fail a model.
fn failing<'a>(problem: &'a Problem, base: &'a Classes) -> Result<impl Iterator<Item = u32> + 'a> {
    let tests = problem.class_tests()?;
    let fails = move |class: &u32| {
        let view = base.view(*class as usize, problem.table.payloads());
        !tests.iter().all(|test| test.passes(&view))
    };
    Ok((0..base.len() as u32).filter(fails))
}

/// The assignment in which settled classes show their new values.
fn regions<'a>(assignment: &Assignment, settled: impl Iterator<Item = &'a Settled>) -> Assignment {
    let mut values: Vec<Vec<Value>> =
        (0..assignment.classes()).map(|class| assignment.values(class)).collect();
    for settled in settled {
        settled.classes.iter().for_each(|class| values[*class as usize].clone_from(&settled.values));
    }
    Assignment::of_regions(assignment.members.clone(), &values)
}

impl<'a> Leftover<'a> {
    fn new(problem: &'a Problem, base: &'a Classes) -> Result<Self> {
        let mut first = vec![u32::MAX; base.len()];
        if let Members::Tuples(class_of_tuple) = &base.assignment.members {
            for (tuple, class) in (0..).zip(class_of_tuple) {
                first[*class as usize] = first[*class as usize].min(tuple);
            }
        }
        let nodes = problem.quasi.iter().map(|quasi| {
            let tree = quasi.tree();
            tree.map(|tree| (0..=tree.height()).map(|level| tree.level_map(level)).collect())
                .unwrap_or_default()
        });
        Ok(Self {
            problem,
            tests: problem.class_tests()?,
            base,
            first,
            nodes: nodes.collect(),
            open: failing(problem, base)?.collect(),
        })
    }

    fn node(&self, class: u32, column: usize, level: u32) -> NodeId {
        let code = self.problem.table.column(column).get(self.first[class as usize] as usize);
        self.nodes[column][level as usize][code as usize]
    }

    /// Raises levels until nothing is open or every column is at its root.
    fn settle(mut self, mut levels: Vec<u32>) -> Result<Vec<Settled>> {
        let mut settled = Vec::new();
        for round in 1.. {
            self.problem.progress.check()?;
            let growing: Vec<usize> = (0..levels.len())
                .filter(|column| (levels[*column] as usize) + 1 < self.nodes[*column].len())
                .collect();
            if self.open.is_empty() || growing.is_empty() {
                break;
            }
            let raises: Vec<Raise> =
                growing.into_par_iter().map(|column| self.raise(&levels, column)).collect();
            let Some(raise) = choose(raises) else { break };
            levels[raise.column] += 1;
            let mut is_settled = vec![false; self.base.len()];
            for classes in raise.passing {
                let values: Vec<Value> = (0..levels.len())
                    .map(|column| Value::Node(self.node(classes[0], column, levels[column])))
                    .collect();
                if self.shows_nothing(&values) {
                    continue;
                }
                classes.iter().for_each(|class| is_settled[*class as usize] = true);
                settled.push(Settled { round, values, classes });
            }
            self.open.retain(|class| !is_settled[*class as usize]);
        }
        Ok(settled)
    }

    /// Whether a class would look like the suppressed rows, which would gain nothing.
    fn shows_nothing(&self, values: &[Value]) -> bool {
        let star = |(quasi, value): (&Quasi, &Value)| splits::is_star(quasi, *value);
        self.problem.quasi.iter().zip(values).all(star)
    }

    /// Computes the effect of raising this column.
    fn raise(&self, levels: &[u32], column: usize) -> Raise {
        let mut raised = levels.to_vec();
        raised[column] += 1;
        let mut packer = Packer::new(self.open.len());
        for (place, level) in raised.iter().enumerate() {
            let nodes = self.problem.quasi[place].tree().map_or(1, |tree| tree.node_count());
            packer.push(nodes, |open| self.node(self.open[open], place, *level));
        }
        let groups = group(packer.finish());
        let (starts, cells) = cells_by_group(groups.representative.len(), || {
            let numbered = groups.group_of_row.iter().zip(&self.open);
            numbered.flat_map(|(group, class)| {
                self.base.class_cells(*class as usize).iter().map(move |cell| (*group, *cell))
            })
        });
        let passes = |group: usize| {
            let cells: &[Cell] = &cells[starts[group] as usize..starts[group + 1] as usize];
            let view = ClassView {
                size: crate::table::frequency::total(cells),
                cells,
                payloads: self.problem.table.payloads(),
            };
            self.tests.iter().all(|test| test.passes(&view))
        };
        let mut members = vec![Vec::new(); groups.representative.len()];
        groups
            .group_of_row
            .iter()
            .zip(&self.open)
            .for_each(|(group, class)| members[*group as usize].push(*class));
        let passing: Vec<Vec<u32>> = members
            .into_iter()
            .enumerate()
            .filter(|(group, _)| passes(*group))
            .map(|(_, classes)| classes)
            .collect();
        let rows = passing.iter().flatten().map(|class| self.base.size(*class as usize)).sum();
        let (added, values) = self.added(levels, column);
        Raise { column, added, values, passing, rows }
    }

    /// The loss that raising a column adds over all open rows, and the number of values that it shows now.
    fn added(&self, levels: &[u32], column: usize) -> (f64, usize) {
        let quasi = &self.problem.quasi[column];
        // Count rows by value before and after. Whole numbers make the sum independent of the order of classes.
        let mut rows = std::collections::BTreeMap::<(NodeId, NodeId), u64>::new();
        for class in &self.open {
            let level = levels[column];
            let step = (self.node(*class, column, level), self.node(*class, column, level + 1));
            *rows.entry(step).or_default() += self.base.size(*class as usize);
        }
        let loss = |node: NodeId| quasi.loss(Value::Node(node));
        let added: f64 = rows.iter().map(|((from, to), rows)| *rows as f64 * (loss(*to) - loss(*from))).sum();
        (added * quasi.priority, rows.len())
    }
}

/// Chooses the raise that adds the least loss per row that it settles. If none settles any rows, chooses the column that
/// shows most values. Of several, the first column.
fn choose(raises: Vec<Raise>) -> Option<Raise> {
    let price = |raise: &Raise| raise.added / raise.rows as f64;
    if raises.iter().any(|raise| raise.rows > 0) {
        let settling = raises.into_iter().filter(|raise| raise.rows > 0);
        return settling.min_by(|a, b| price(a).total_cmp(&price(b)).then(a.column.cmp(&b.column)));
    }
    raises.into_iter().min_by_key(|raise| (usize::MAX - raise.values, raise.column))
}
