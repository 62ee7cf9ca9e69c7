//! What is done: the rule an algorithm returns.
//!
//! A recoding is a function of a tuple alone, so it can be explained, stored and applied to new rows.
//! Applied to a frequency table it gives an [`Assignment`]: the class of each tuple and the values
//! that each class shows.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use scumble_files::table::Codes;

use crate::table::frequency::{Cell, FrequencyTable};
use crate::table::hierarchy::NodeId;
use crate::table::pack::{Packer, group};
use crate::table::quasi::{Quasi, Value};

mod cuts;
pub(crate) mod people;
pub mod published;

pub(crate) use cuts::CutNode;
pub use cuts::{Cut, CutTree};

/// A rule that turns tuples into classes and says which of them are shown.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// How tuples become classes.
    pub step: Step,
    /// The classes that are shown, by their values; all of them if `None`. A class that is not listed is suppressed, so
    /// a new row never shows a combination that was not checked.
    pub shown: Option<Vec<Vec<Value>>>,
}

/// One way of coarsening.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Step {
    /// Every column to one level of its tree (full-domain recoding); levels are steps above the leaves.
    Levels(Vec<u32>),
    /// Every column by a map of its own, the same for all rows (subtree and interval recoding): what each code shows.
    Maps(Vec<Vec<Value>>),
    /// A tree of cuts through the space of tuples; each of its leaves is a class.
    Cuts(CutTree),
    /// The classes themselves (clusterings): which rows of the table are in which, and what each shows.
    Regions(Box<Assignment>),
}

/// A recoding applied to a frequency table.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// Which rows are in which class.
    pub members: Members,
    /// What the classes show, column by column.
    pub columns: Vec<ClassColumn>,
    /// Whether a class is suppressed: its values are then what it would have shown.
    pub suppressed: Vec<bool>,
}

/// Which rows are in which class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Members {
    /// The class of each tuple: all its rows are in it.
    Tuples(Vec<u32>),
    /// The rows of one tuple may be in several classes.
    Shares(Vec<Share>),
}

/// Some rows of one tuple and payload that are in the same class. Ordered by tuple, then payload, then class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The tuple.
    pub tuple: u32,
    /// The payload.
    pub payload: u32,
    /// The class.
    pub class: u32,
    /// How many rows.
    pub rows: u32,
}

impl Members {
    /// Rows of tuples by class, in ascending order of tuple, payload and class. A class has at most one share of the rows of a
    /// tuple and payload, and all shares of them add up to those rows.
    #[must_use]
    pub fn of_shares(mut shares: Vec<Share>) -> Self {
        shares.retain(|share| share.rows > 0);
        shares.par_sort_unstable();
        shares.dedup_by(|next, kept| {
            let same = (next.tuple, next.payload, next.class) == (kept.tuple, kept.payload, kept.class);
            if same {
                kept.rows += next.rows;
            }
            same
        });
        Self::Shares(shares)
    }

    /// All rows of a table, by tuple, payload and class.
    pub fn shares<'a>(&'a self, table: &'a FrequencyTable) -> impl Iterator<Item = Share> + 'a {
        let (class_of_tuple, shares): (&[u32], &[Share]) = match self {
            Self::Tuples(class_of_tuple) => (class_of_tuple, &[]),
            Self::Shares(shares) => (&[], shares),
        };
        let whole = (0_u32..).zip(class_of_tuple).flat_map(|(tuple, class)| {
            let share =
                move |cell: &Cell| Share { tuple, payload: cell.payload, class: *class, rows: cell.rows };
            table.cells(tuple).iter().map(share)
        });
        whole.chain(shares.iter().copied())
    }

    /// The same rows in classes that are numbered otherwise.
    fn renumber(&mut self, number: &[u32]) {
        match self {
            Self::Tuples(classes) => classes.iter_mut().for_each(|class| *class = number[*class as usize]),
            Self::Shares(shares) => {
                shares.iter_mut().for_each(|share| share.class = number[share.class as usize]);
                *self = Self::of_shares(std::mem::take(shares));
            }
        }
    }
}

/// What the classes show in one column.
#[derive(Debug, Clone)]
pub struct ClassColumn {
    /// The distinct values.
    pub values: Vec<Value>,
    /// For each class the place of its value in `values`.
    pub of_class: Codes,
}

/// Places among `values` values, in the narrowest integers.
fn narrow(values: usize, places: impl Iterator<Item = u32>) -> Codes {
    let mut codes = Codes::with_capacity(values, places.size_hint().0);
    places.for_each(|place| codes.push(place));
    codes
}

impl ClassColumn {
    /// The value of a class.
    #[must_use]
    pub fn value(&self, class: usize) -> Value {
        self.values[self.of_class.get(class) as usize]
    }

    /// A column from its distinct values and the place of each class's value among them.
    pub(crate) fn of_places(values: Vec<Value>, places: &[u32]) -> Self {
        let of_class = narrow(values.len(), places.iter().copied());
        Self { values, of_class }
    }

    /// A column from what each class shows.
    fn of_values(of_class: impl Iterator<Item = Value>) -> Self {
        let mut column = Interner::default();
        of_class.for_each(|value| column.push(value));
        column.finish()
    }

    /// A column of nodes of a tree with `nodes` nodes.
    fn of_nodes(of_class: impl Iterator<Item = NodeId> + Clone, nodes: u32) -> Self {
        let mut place = vec![u32::MAX; nodes as usize];
        of_class.clone().for_each(|node| place[node as usize] = 0);
        let mut values = Vec::new();
        for (node, place) in (0..).zip(&mut place) {
            if *place == 0 {
                *place = values.len() as u32;
                values.push(Value::Node(node));
            }
        }
        let of_class = narrow(values.len(), of_class.map(|node| place[node as usize]));
        Self { values, of_class }
    }
}

/// A column of classes under construction: values are numbered as they come.
#[derive(Default)]
struct Interner {
    number: HashMap<Value, u32, foldhash::fast::FixedState>,
    of_class: Vec<u32>,
}

impl Interner {
    fn push(&mut self, value: Value) {
        let next = self.number.len() as u32;
        self.of_class.push(*self.number.entry(value).or_insert(next));
    }

    /// The column with its values in ascending order.
    fn finish(self) -> ClassColumn {
        let mut numbered: Vec<(Value, u32)> = self.number.into_iter().collect();
        numbered.sort_unstable();
        let mut place = vec![0; numbered.len()];
        for (at, (_, number)) in (0..).zip(&numbered) {
            place[*number as usize] = at;
        }
        let of_class = narrow(numbered.len(), self.of_class.iter().map(|number| place[*number as usize]));
        ClassColumn { values: numbered.into_iter().map(|(value, _)| value).collect(), of_class }
    }
}

impl Assignment {
    /// Classes that show these values, given class by class. Classes that show the same are one class to a reader, so they
    /// become one here; classes are numbered in the order of their values.
    #[must_use]
    pub fn of_regions(mut members: Members, regions: &[Vec<Value>]) -> Self {
        let mut order: Vec<u32> = (0..regions.len() as u32).collect();
        order.par_sort_unstable_by(|a, b| regions[*a as usize].cmp(&regions[*b as usize]).then(a.cmp(b)));
        let mut number = vec![0; regions.len()];
        let mut distinct: Vec<&Vec<Value>> = Vec::new();
        for place in order {
            let values = &regions[place as usize];
            if distinct.last() != Some(&values) {
                distinct.push(values);
            }
            number[place as usize] = distinct.len() as u32 - 1;
        }
        members.renumber(&number);
        let width = regions.first().map_or(0, Vec::len);
        let columns = (0..width)
            .map(|column| ClassColumn::of_values(distinct.iter().map(|values| values[column])))
            .collect();
        Self { members, columns, suppressed: vec![false; distinct.len()] }
    }

    /// The number of classes, suppressed ones too.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.suppressed.len()
    }

    /// The values of a class, column by column.
    #[must_use]
    pub fn values(&self, class: usize) -> Vec<Value> {
        self.columns.iter().map(|column| column.value(class)).collect()
    }
}

impl Step {
    /// Applies the rule to all tuples, with nothing suppressed. Classes are in the tuples' order.
    #[must_use]
    pub fn apply(&self, table: &FrequencyTable, quasi: &[Quasi]) -> Assignment {
        match self {
            Self::Levels(levels) => apply_levels(levels, table, quasi),
            Self::Maps(maps) => apply_maps(maps, table),
            Self::Cuts(tree) => apply_cuts(tree, table),
            Self::Regions(assignment) => Assignment::clone(assignment),
        }
    }
}

fn apply_levels(levels: &[u32], table: &FrequencyTable, quasi: &[Quasi]) -> Assignment {
    let maps: Vec<Vec<u32>> = quasi
        .iter()
        .zip(levels)
        .map(|(quasi, level)| quasi.tree().map(|tree| tree.level_map(*level)).unwrap_or_default())
        .collect();
    let mut packer = Packer::new(table.tuples());
    for (column, (quasi, map)) in quasi.iter().zip(&maps).enumerate() {
        let codes = table.column(column);
        let nodes = quasi.tree().map_or(1, |tree| tree.node_count());
        packer.push(nodes, |tuple| map[codes.get(tuple) as usize]);
    }
    let groups = group(packer.finish());
    let columns = (0..quasi.len())
        .into_par_iter()
        .map(|column| {
            let codes = table.column(column);
            let node = |tuple: &u32| maps[column][codes.get(*tuple as usize) as usize];
            let nodes = quasi[column].tree().map_or(1, |tree| tree.node_count());
            ClassColumn::of_nodes(groups.representative.iter().map(node), nodes)
        })
        .collect();
    let suppressed = vec![false; groups.representative.len()];
    Assignment { members: Members::Tuples(groups.group_of_row), columns, suppressed }
}

fn apply_maps(maps: &[Vec<Value>], table: &FrequencyTable) -> Assignment {
    // Values are numbered in ascending order, so classes are in the order of what they show.
    let shown: Vec<ClassColumn> =
        maps.iter().map(|map| ClassColumn::of_values(map.iter().copied())).collect();
    let place =
        |column: usize, tuple: usize| shown[column].of_class.get(table.column(column).get(tuple) as usize);
    let mut packer = Packer::new(table.tuples());
    for (column, shown) in shown.iter().enumerate() {
        packer.push(shown.values.len() as u32, |tuple| place(column, tuple));
    }
    let groups = group(packer.finish());
    let columns = (0..maps.len())
        .into_par_iter()
        .map(|column| {
            let value = |tuple: &u32| shown[column].values[place(column, *tuple as usize) as usize];
            ClassColumn::of_values(groups.representative.iter().map(value))
        })
        .collect();
    let suppressed = vec![false; groups.representative.len()];
    Assignment { members: Members::Tuples(groups.group_of_row), columns, suppressed }
}

fn apply_cuts(tree: &CutTree, table: &FrequencyTable) -> Assignment {
    let class_of_tuple = (0..table.tuples())
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|tuple| tree.class(|column| table.column(column).get(tuple)))
        .collect();
    tree.assignment(class_of_tuple)
}

impl Recoding {
    /// Applies the rule to all tuples of a table.
    #[must_use]
    pub fn apply(&self, table: &FrequencyTable, quasi: &[Quasi]) -> Assignment {
        let mut assignment = self.step.apply(table, quasi);
        let Some(shown) = &self.shown else { return assignment };
        let shown: HashSet<&[Value], foldhash::fast::FixedState> = shown.iter().map(Vec::as_slice).collect();
        for class in 0..assignment.classes() {
            assignment.suppressed[class] = !shown.contains(assignment.values(class).as_slice());
        }
        assignment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(tuple: u32, payload: u32, class: u32, rows: u32) -> Share {
        Share { tuple, payload, class, rows }
    }

    #[test]
    fn classes_that_show_the_same_are_one() {
        let members = Members::of_shares(vec![share(1, 0, 2, 1), share(0, 0, 0, 2), share(0, 0, 1, 3)]);
        let regions = [vec![Value::Span(4, 5)], vec![Value::Span(0, 1)], vec![Value::Span(4, 5)]];
        let merged = Assignment::of_regions(members, &regions);
        assert_eq!(
            merged.members,
            Members::Shares(vec![share(0, 0, 0, 3), share(0, 0, 1, 2), share(1, 0, 1, 1)])
        );
        assert_eq!(
            (0..2).map(|class| merged.values(class)).collect::<Vec<_>>(),
            [[Value::Span(0, 1)], [Value::Span(4, 5)]]
        );
    }

    #[test]
    fn shares_of_the_same_class_add_up() {
        let members = Members::of_shares(vec![share(0, 1, 0, 2), share(0, 1, 0, 3), share(0, 0, 0, 0)]);
        assert_eq!(members, Members::Shares(vec![share(0, 1, 0, 5)]));
    }
}
