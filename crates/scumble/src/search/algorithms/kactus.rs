//! kACTUS (Kisilevich, Rokach, Elovici, Shapira 2010; algorithms.md B9): a decision tree for the class decides which cells
//! of a row to show, and leaves with too few rows give up their last test.

use scumble_learn::c45::{C45, Test, Tree};
use scumble_learn::{Column, Features, Table};

use super::{Algorithm, Capabilities, Finding, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::ClassView;
use crate::recoding::{Assignment, Members, Share, Step};
use crate::table::frequency::{Cell, merged};
use crate::table::quasi::{Shape, Value};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "kactus",
    title: "kACTUS: suppression along a decision tree",
    paper: "Kisilevich, Rokach, Elovici, Shapira 2010",
    standing: Standing::Classic,
    about: "For tables that will train classifiers: grows a C4.5 tree that predicts the class column from the quasi-identifiers and shows \
            of each row only the columns on its path; branches with too few rows are cut back, borrowing rows from larger \
            neighbours. Needs a class column. The class column is published as it is and pure leaves give it away, so l-diversity of the class column is refused.",
    parameters: &[
        ("prune", "whether the tree is pruned by estimated errors before it is used (default false)"),
        ("min_objects", "the least rows that two branches of a test must have (default 2)"),
    ],
    build,
};

struct Kactus {
    prune: bool,
    min_objects: u64,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Kactus {
        prune: parameters.boolean("prune")?.unwrap_or(false),
        min_objects: parameters.whole("min_objects", 1)?.unwrap_or(2),
    }))
}

impl Algorithm for Kactus {
    fn capabilities(&self) -> Capabilities {
        Capabilities { needs_class: true, default_suppression: Rational::ONE, ..Capabilities::USUAL }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let class = super::iack::class_of(problem, ENTRY.name)?;
        problem.class_tests()?;
        let name = &problem.table.payloads().columns[class].name;
        let diverse = |model: &&dyn crate::models::Model| {
            model.demand() == crate::models::Demand::Diversity
                && model.protects() == Some(name)
                && model.required() > 1.0
        };
        match problem.models.iter().map(AsRef::as_ref).find(diverse) {
            None => Ok(()),
            Some(model) => Err(Error::refused(format!(
                "'{}' makes classes in which the class column '{name}' is as uniform as possible, which is the opposite of {}",
                ENTRY.name,
                model.title()
            ))
            .another_that("use an algorithm that does not make the class uniform")
            .concede("ask for the diversity of another column")),
        }
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let class = super::iack::class_of(problem, ENTRY.name)?;
        let features = features(problem)?;
        let tree = self.grow(problem, class, &features)?;
        problem.progress.check()?;
        let tests = problem.class_tests()?;
        let mut walk = Walk {
            problem,
            only_size: tests.iter().all(|test| test.only_size()),
            tests,
            tree: &tree,
            features: &features,
            regions: Vec::new(),
            shares: Vec::new(),
            borrowed: 0,
        };
        let whole = (0..problem.table.tuples() as u32)
            .flat_map(|tuple| problem.table.cells(tuple).iter().map(move |cell| Held { tuple, cell: *cell }));
        let nothing = vec![Value::Star; problem.quasi.len()];
        let rest = walk.settle(0, &nothing, whole.collect())?;
        let remainder = rows(&rest);
        if !rest.is_empty() {
            walk.emit(nothing, rest);
        }
        let leaves = tree.nodes().iter().filter(|node| node.is_leaf() && node.weight() > 0.0);
        let findings = vec![
            Finding::new(
                "leaves",
                Some(leaves.count() as f64),
                "the leaves of the decision tree before branches were cut back",
            ),
            Finding::new(
                "borrowed",
                Some(walk.borrowed as f64),
                "the rows that gave up a test to keep rows of too small leaves company",
            ),
            Finding::new(
                "remainder",
                Some(remainder as f64),
                "the rows that reached the root, of which nothing is shown",
            ),
        ];
        let mut assignment = Assignment::of_regions(Members::of_shares(walk.shares), &walk.regions);
        for class in 0..assignment.classes() {
            assignment.suppressed[class] = assignment.values(class).iter().all(|value| *value == Value::Star);
        }
        Solution::of_step(problem, Step::Regions(Box::new(assignment)), findings)
    }
}

impl Kactus {
    /// The tree that predicts the class.
    fn grow(&self, problem: &Problem, class: usize, features: &Features) -> Result<Tree> {
        let table = &problem.table;
        let payloads = table.payloads();
        let (mut rows, mut classes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for tuple in 0..table.tuples() as u32 {
            for cell in table.cells(tuple) {
                rows.push(tuple);
                classes.push(payloads.value(cell.payload, class));
                weights.push(cell.rows);
            }
        }
        let values = payloads.columns[class].values.len();
        let learner = C45 {
            min_objects: self.min_objects as f64,
            prune: self.prune,
            // Keep every split. Splits that are not worth their rows are cut back later.
            collapse: self.prune,
            ..C45::default()
        };
        Table::weighted(features.select(&rows), classes, values, weights)
            .and_then(|table| learner.grow_while(&table, &|| problem.progress.check().is_ok()))
            .map_err(|error| match (error, problem.progress.check()) {
                (scumble_learn::Error::Stopped, Err(why)) => why,
                (error, _) => Error::internal(format!("the decision tree could not be grown: {error}")),
            })
    }
}

/// The tuples as features of the tree: numbers where a column is a line, otherwise codes. A missing number has no place on
/// the line.
fn features(problem: &Problem) -> Result<Features> {
    let columns = problem.quasi.iter().enumerate().map(|(place, quasi)| {
        let codes = problem.table.column(place);
        match &quasi.shape {
            Shape::Line(line) => {
                let number = |code: u32| line.numbers.get(code as usize).map_or(f64::NAN, |n| *n as f64);
                Column::numeric(&quasi.name, codes.iter().map(number).collect())
            }
            _ => Column::nominal(&quasi.name, codes.iter().collect(), quasi.size() as usize),
        }
    });
    Features::new(columns.collect(), problem.table.tuples())
        .map_err(|error| Error::internal(format!("the decision tree could not be grown: {error}")))
}

/// Rows of one tuple and payload.
#[derive(Clone, Copy)]
struct Held {
    tuple: u32,
    cell: Cell,
}

fn rows(held: &[Held]) -> u64 {
    held.iter().map(|held| u64::from(held.cell.rows)).sum()
}

/// A branch after everything below it is settled: what its rows would show, and the rows that are not published yet.
struct Branch {
    region: Vec<Value>,
    held: Vec<Held>,
}

struct Walk<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    only_size: bool,
    tree: &'a Tree,
    features: &'a Features,
    regions: Vec<Vec<Value>>,
    shares: Vec<Share>,
    borrowed: u64,
}

impl Walk<'_> {
    /// Whether rows may be published as a class.
    fn passes(&self, held: &[Held]) -> bool {
        let read = if self.only_size { &[] } else { held };
        let cells = merged(read.iter().map(|held| held.cell).filter(|cell| cell.rows > 0).collect());
        let view = ClassView { size: rows(held), cells: &cells, payloads: self.problem.table.payloads() };
        self.tests.iter().all(|test| test.passes(&view))
    }

    /// Publishes rows.
    fn emit(&mut self, region: Vec<Value>, held: Vec<Held>) {
        let class = self.regions.len() as u32;
        let share =
            |held: Held| Share { tuple: held.tuple, payload: held.cell.payload, class, rows: held.cell.rows };
        self.shares.extend(held.into_iter().map(share));
        self.regions.push(region);
    }

    /// Settles everything below a node: publishes the branches that pass, and returns the rows that are not published.
    /// Branches do not affect each other, so this gives the same result as the order of the paper (deepest first).
    fn settle(&mut self, node: usize, region: &[Value], held: Vec<Held>) -> Result<Vec<Held>> {
        self.problem.progress.check()?;
        self.problem.progress.advance(1);
        let Some(test) = self.tree.node(node).test else { return Ok(held) };
        let mut parts: Vec<Vec<Held>> = vec![Vec::new(); test.branches() + 1];
        for held in held {
            // Rows without a number form a separate branch after the others.
            let branch = test.branch(self.features, held.tuple as usize).unwrap_or(test.branches());
            parts[branch].push(held);
        }
        let mut good: Vec<Branch> = Vec::new();
        let mut bad: Vec<Held> = Vec::new();
        let mut all_good = true;
        for (branch, part) in parts.into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let region = self.narrow(region, test, branch, &part);
            let rest = match self.tree.node(node).children.get(branch) {
                Some(child) => self.settle(*child, &region, part)?,
                None => part,
            };
            if rest.is_empty() {
                continue;
            }
            if self.passes(&rest) {
                good.push(Branch { region, held: rest });
            } else {
                bad.extend(rest);
                all_good = false;
            }
        }
        if !all_good && !self.passes(&bad) && !self.borrow(&mut good, &mut bad) {
            // Together they try again one node further up.
            bad.extend(good.drain(..).flat_map(|branch| branch.held));
        }
        good.into_iter().for_each(|branch| self.emit(branch.region, branch.held));
        Ok(bad)
    }

    /// What the rows of a branch show: what they showed before, narrowed by the outcome of the test.
    fn narrow(&self, region: &[Value], test: Test, branch: usize, part: &[Held]) -> Vec<Value> {
        let column = test.column();
        let quasi = &self.problem.quasi[column];
        let code = self.problem.table.column(column).get(part[0].tuple as usize);
        let mut region = region.to_vec();
        region[column] = match (&quasi.shape, test) {
            (Shape::Line(line), Test::Threshold { at, .. }) if branch < 2 => {
                // `cut` is the first number above the threshold. An interval that is not narrowed yet reaches to the ends of
                // the column.
                let cut = line.numbers.partition_point(|number| *number as f64 <= at) as u32;
                let (low, high) = match region[column] {
                    Value::Span(low, high) => (low, high),
                    _ => (0, line.numbers.len() as u32 - 1),
                };
                if branch == 0 { quasi.cover(low, cut - 1) } else { quasi.cover(cut, high) }
            }
            _ => quasi.cover(code, code),
        };
        region
    }

    /// Takes rows from branches that can spare them until the bad rows pass: from the largest branch first (of several, the
    /// first), and in it from the last tuple first. Returns whether that was possible; if not, nothing has changed.
    fn borrow(&mut self, good: &mut [Branch], bad: &mut Vec<Held>) -> bool {
        let before: Vec<Vec<Held>> = good.iter().map(|branch| branch.held.clone()).collect();
        let own = bad.len();
        let mut order: Vec<usize> = (0..good.len()).collect();
        order.sort_by_key(|place| (u64::MAX - rows(&good[*place].held), *place));
        for place in order {
            let mut tuples: Vec<u32> = good[place].held.iter().map(|held| held.tuple).collect();
            tuples.sort_unstable();
            tuples.dedup();
            for tuple in tuples.into_iter().rev() {
                while let Some(row) = self.take(&mut good[place].held, tuple, &bad[own..]) {
                    bad.push(row);
                    if self.passes(bad) {
                        self.borrowed += rows(&bad[own..]);
                        return true;
                    }
                }
            }
        }
        good.iter_mut().zip(before).for_each(|(branch, held)| branch.held = held);
        bad.truncate(own);
        false
    }

    /// Takes one row of a tuple from a branch that still passes without it. Payloads take turns in proportion to their rows
    /// (by the largest quotient, as parliaments allot seats to parties); `taken` are the rows taken before.
    fn take(&self, from: &mut [Held], tuple: u32, taken: &[Held]) -> Option<Held> {
        let seats = |payload: u32| {
            taken.iter().filter(|held| held.tuple == tuple && held.cell.payload == payload).count() as u64
        };
        let mut places: Vec<(usize, u64, u64)> = (0..from.len())
            .filter(|place| from[*place].tuple == tuple && from[*place].cell.rows > 0)
            .map(|place| {
                let seats = seats(from[place].cell.payload);
                (place, u64::from(from[place].cell.rows) + seats, seats + 1)
            })
            .collect();
        places.sort_by_key(|(place, ..)| from[*place].cell.payload);
        places.sort_by(|(_, rows, seats), (_, others, theirs)| (others * seats).cmp(&(rows * theirs)));
        for (place, ..) in places {
            from[place].cell.rows -= 1;
            if self.passes(from) {
                return Some(Held { tuple, cell: Cell { payload: from[place].cell.payload, rows: 1 } });
            }
            from[place].cell.rows += 1;
        }
        None
    }
}
