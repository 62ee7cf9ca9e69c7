//! The rows that a partition divides: their kinds, the costs of closures, and the tests that a cluster must
//! pass.

use crate::error::Result;
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::published::ClassView;
use crate::table::frequency::{Cell, FrequencyTable, merged};
use crate::table::quasi::{Quasi, Value};

use super::cluster::Member;

/// A cost of 1 in fixed point.
pub(crate) const FIXED_ONE: f64 = (1_u64 << 32) as f64;

/// A cost in fixed point, rounded half up.
#[must_use]
pub(crate) fn fixed(cost: f64) -> u64 {
    (cost * FIXED_ONE + 0.5).floor() as u64
}

/// Columns with at most this many codes have the costs of all their closures in a table.
const LARGEST_TABLE: u32 = 1 << 10;

/// Rows that neither a model nor a cost can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowKind {
    /// The tuple.
    pub tuple: u32,
    /// The payload, where some model reads payloads.
    pub payload: Option<u32>,
    /// The number of rows.
    pub rows: u32,
}

/// The costs of closures of one column.
enum ColumnCost<'a> {
    /// By the least and the greatest code: a square of `size` codes.
    Table { size: usize, costs: Vec<u64> },
    /// By the least and the greatest code, computed each time because a table would be too large.
    Extent(&'a Quasi),
    /// By the number of codes present.
    Count(Vec<u64>),
}

/// The cost of a closure in a column.
pub(crate) type Penalty<'a> = dyn Fn(usize, Value) -> f64 + Sync + 'a;

/// The rows that a partition divides, with costs and tests.
pub struct Space<'a> {
    problem: &'a Problem,
    tests: Vec<&'a dyn ClassTest>,
    /// Whether some model reads payloads.
    reads_payloads: bool,
    kinds: Vec<RowKind>,
    /// The first kind of each tuple, followed by the number of kinds.
    first_kind: Vec<u32>,
    /// The codes of each kind, kind by kind.
    codes: Vec<u32>,
    columns: Vec<ColumnCost<'a>>,
    penalty: &'a Penalty<'a>,
}

impl<'a> Space<'a> {
    /// The space of a problem, with the cost of closures. Returns an error that names a model if that model
    /// cannot be tested on single classes.
    pub fn new(problem: &'a Problem, penalty: &'a Penalty<'a>) -> Result<Self> {
        let tests = problem.class_tests()?;
        let table = &problem.table;
        let reads_payloads = tests.iter().any(|test| !test.only_size());
        let mut kinds = Vec::new();
        let mut first_kind = Vec::with_capacity(table.tuples() + 1);
        for tuple in 0..table.tuples() as u32 {
            first_kind.push(kinds.len() as u32);
            if reads_payloads {
                let kind = |cell: &Cell| RowKind { tuple, payload: Some(cell.payload), rows: cell.rows };
                kinds.extend(table.cells(tuple).iter().map(kind));
            } else {
                kinds.push(RowKind { tuple, payload: None, rows: table.weight(tuple) as u32 });
            }
        }
        first_kind.push(kinds.len() as u32);
        let width = problem.quasi.len();
        let mut codes = vec![0; kinds.len() * width];
        for column in 0..width {
            let of_tuple = table.column(column);
            for (place, kind) in kinds.iter().enumerate() {
                codes[place * width + column] = of_tuple.get(kind.tuple as usize);
            }
        }
        let columns = problem
            .quasi
            .iter()
            .enumerate()
            .map(|(column, quasi)| column_cost(quasi, |value| fixed(penalty(column, value))))
            .collect();
        Ok(Self { problem, tests, reads_payloads, kinds, first_kind, codes, columns, penalty })
    }

    /// The table that the rows are from.
    #[must_use]
    pub fn table(&self) -> &'a FrequencyTable {
        &self.problem.table
    }

    /// The problem to be solved.
    #[must_use]
    pub fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// The number of quasi-identifiers.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// All kinds, in the order of tuples and payloads.
    #[must_use]
    pub fn kinds(&self) -> &[RowKind] {
        &self.kinds
    }

    /// A kind.
    #[must_use]
    pub fn kind(&self, kind: u32) -> RowKind {
        self.kinds[kind as usize]
    }

    /// The kind of rows with this tuple and payload.
    #[must_use]
    pub fn kind_of(&self, tuple: u32, payload: u32) -> u32 {
        let first = self.first_kind[tuple as usize];
        if !self.reads_payloads {
            return first;
        }
        let of_tuple = &self.kinds[first as usize..self.first_kind[tuple as usize + 1] as usize];
        first + of_tuple.partition_point(|kind| kind.payload < Some(payload)) as u32
    }

    /// The rows of a kind per payload.
    pub(super) fn cells(&self, kind: u32) -> Vec<Cell> {
        let kind = self.kind(kind);
        match kind.payload {
            Some(payload) => vec![Cell { payload, rows: kind.rows }],
            None => self.table().cells(kind.tuple).to_vec(),
        }
    }

    /// The codes of a kind.
    #[must_use]
    pub fn codes(&self, kind: u32) -> &[u32] {
        let start = kind as usize * self.columns.len();
        &self.codes[start..start + self.columns.len()]
    }

    /// Whether the closures of a column are sets of the codes present.
    pub(super) fn is_set(&self, column: usize) -> bool {
        matches!(self.columns[column], ColumnCost::Count(_))
    }

    /// The cost of a closure from the least to the greatest code.
    #[inline]
    pub(super) fn extent_cost(&self, column: usize, low: u32, high: u32) -> u64 {
        match &self.columns[column] {
            ColumnCost::Table { size, costs } => costs[low as usize * size + high as usize],
            ColumnCost::Extent(quasi) => fixed((self.penalty)(column, quasi.cover(low, high))),
            ColumnCost::Count(_) => 0,
        }
    }

    /// The cost of a closure of this many codes.
    #[inline]
    pub(super) fn set_cost(&self, column: usize, codes: u32) -> u64 {
        match &self.columns[column] {
            ColumnCost::Count(costs) => costs[codes as usize],
            _ => 0,
        }
    }

    /// The cost of the closure of two kinds.
    #[must_use]
    pub fn distance(&self, a: u32, b: u32) -> u64 {
        let pairs = self.codes(a).iter().zip(self.codes(b)).enumerate();
        pairs
            .map(|(column, (a, b))| match &self.columns[column] {
                ColumnCost::Count(costs) => costs[1 + usize::from(a != b)],
                _ => self.extent_cost(column, *a.min(b), *a.max(b)),
            })
            .sum()
    }

    /// Whether a cluster of these rows meets every model.
    #[must_use]
    pub fn passes(&self, members: &[Member]) -> bool {
        let size = members.iter().map(|member| u64::from(member.rows)).sum();
        if !self.reads_payloads {
            return self.passes_size(size);
        }
        let cells = members
            .iter()
            .filter_map(|member| {
                self.kind(member.kind).payload.map(|payload| Cell { payload, rows: member.rows })
            })
            .filter(|cell| cell.rows > 0);
        let cells = merged(cells.collect());
        let class = ClassView { size, cells: &cells, payloads: self.table().payloads() };
        self.tests.iter().all(|test| test.passes(&class))
    }

    /// Whether models look only at the sizes of clusters.
    #[must_use]
    pub fn only_size(&self) -> bool {
        !self.reads_payloads
    }

    /// Whether a cluster of this size meets every model that looks only at the size.
    #[must_use]
    pub fn passes_size(&self, size: u64) -> bool {
        let class = ClassView { size, cells: &[], payloads: self.table().payloads() };
        self.tests.iter().filter(|test| test.only_size()).all(|test| test.passes(&class))
    }

    /// The least number of rows that a cluster needs by the models that look only at the size.
    #[must_use]
    pub fn least(&self) -> u64 {
        self.problem.k().unwrap_or(1).max(1)
    }

    /// The quasi-identifier of a column.
    #[must_use]
    pub fn quasi(&self, column: usize) -> &'a Quasi {
        &self.problem.quasi[column]
    }
}

fn column_cost<'a>(quasi: &'a Quasi, cost: impl Fn(Value) -> u64) -> ColumnCost<'a> {
    let size = quasi.size();
    if quasi.sets {
        // Every set of this many codes costs the same.
        let present = |codes: u32| u64::MAX.unbounded_shr(u64::BITS - codes);
        return ColumnCost::Count(
            (0..=size)
                .map(|codes| if codes == 0 { 0 } else { cost(Value::Subset(present(codes))) })
                .collect(),
        );
    }
    if size > LARGEST_TABLE {
        return ColumnCost::Extent(quasi);
    }
    let mut costs = vec![0; (size * size) as usize];
    for low in 0..size {
        for high in low..size {
            costs[(low * size + high) as usize] = cost(quasi.cover(low, high));
        }
    }
    ColumnCost::Table { size: size as usize, costs }
}
