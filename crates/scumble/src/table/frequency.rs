//! What is seen: the distinct quasi-identifier tuples, and for each the number of rows per payload.
//!
//! Rows that agree on everything a method may read are exchangeable, so a search works on this
//! table and never sees rows. Its laws: the order of rows is irrelevant, merging the tables of two
//! parts gives the table of the whole ([`Counter`]), and a weight of 3 is the row three times.

mod counter;

use std::sync::Arc;

use scumble_files::table::Codes;

use crate::table::pack::{Packer, group};
use crate::table::payload::Payloads;

pub use counter::{Batch, Counter};

/// Rows of one payload under one tuple (or in one class). Eight bytes, since a table may have a cell a row; a table has fewer
/// than 2^32 rows, so they fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The payload.
    pub payload: u32,
    /// How many rows have it.
    pub rows: u32,
}

/// All rows of some cells.
#[must_use]
pub fn total(cells: &[Cell]) -> u64 {
    cells.iter().map(|cell| u64::from(cell.rows)).sum()
}

/// Cells in any order as one a payload, ascending by payload.
pub(crate) fn merged(mut cells: Vec<Cell>) -> Vec<Cell> {
    cells.sort_unstable_by_key(|cell| cell.payload);
    cells.dedup_by(|next, kept| {
        let same = next.payload == kept.payload;
        if same {
            kept.rows += next.rows;
        }
        same
    });
    cells
}

/// The distinct tuples of a table in lexicographic order, with their rows per payload.
#[derive(Debug, Clone)]
pub struct FrequencyTable {
    columns: Vec<Codes>,
    starts: Vec<u32>,
    cells: Vec<Cell>,
    weights: Vec<u32>,
    rows: u64,
    payloads: Payloads,
    population: Option<Arc<FrequencyTable>>,
}

/// Compressed sparse rows: `starts[i]..starts[i + 1]` are the cells of group `i`, ascending by payload, one a payload.
/// `pairs` gives each cell with its group, in any order; it is walked twice.
pub(crate) fn cells_by_group<P: Iterator<Item = (u32, Cell)>>(
    groups: usize,
    pairs: impl Fn() -> P,
) -> (Vec<u32>, Vec<Cell>) {
    // A counting sort by group: no comparison, two passes.
    let mut ends = vec![0_u32; groups + 1];
    pairs().for_each(|(group, _)| ends[group as usize + 1] += 1);
    for group in 0..groups {
        ends[group + 1] += ends[group];
    }
    let mut cells = vec![Cell { payload: 0, rows: 0 }; ends[groups] as usize];
    let mut next = ends.clone();
    for (group, cell) in pairs() {
        cells[next[group as usize] as usize] = cell;
        next[group as usize] += 1;
    }
    drop(next);
    // Then each group by payload, and equal payloads into one cell; what is left moves up.
    let mut kept = 0;
    let mut start = 0;
    for group in 0..groups {
        let end = ends[group + 1] as usize;
        let first = kept;
        if end - start > 1 {
            cells[start..end].sort_unstable_by_key(|cell| cell.payload);
        }
        for place in start..end {
            let cell = cells[place];
            if kept > first && cells[kept - 1].payload == cell.payload {
                cells[kept - 1].rows += cell.rows;
            } else {
                cells[kept] = cell;
                kept += 1;
            }
        }
        start = end;
        ends[group + 1] = kept as u32;
    }
    cells.truncate(kept);
    cells.shrink_to_fit();
    (ends, cells)
}

impl FrequencyTable {
    /// Counts rows. `code(column, row)` is below `sizes[column]`; `payload_of_row[row]` is the payload;
    /// each row counts `weight(row)` times. Also returns the tuple of each row.
    pub fn count(
        sizes: &[u32],
        rows: usize,
        code: impl Fn(usize, usize) -> u32 + Sync,
        payloads: Payloads,
        payload_of_row: &[u32],
        weight: impl Fn(usize) -> u32,
    ) -> (Self, Vec<u32>) {
        let mut packer = Packer::new(rows);
        for (column, size) in sizes.iter().enumerate() {
            packer.push(*size, |row| code(column, row));
        }
        let groups = group(packer.finish());
        let tuples = groups.representative.len();
        let columns = sizes
            .iter()
            .enumerate()
            .map(|(column, size)| {
                let mut codes = Codes::with_capacity(*size as usize, tuples);
                for row in &groups.representative {
                    codes.push(code(column, *row as usize));
                }
                codes
            })
            .collect();
        let (starts, cells) = cells_by_group(tuples, || {
            let rows = groups.group_of_row.iter().zip(payload_of_row).enumerate();
            rows.map(|(row, (tuple, payload))| (*tuple, Cell { payload: *payload, rows: weight(row) }))
        });
        let weights: Vec<u32> = (0..tuples)
            .map(|tuple| {
                cells[starts[tuple] as usize..starts[tuple + 1] as usize].iter().map(|c| c.rows).sum()
            })
            .collect();
        let rows = weights.iter().map(|weight| u64::from(*weight)).sum();
        (Self { columns, starts, cells, weights, rows, payloads, population: None }, groups.group_of_row)
    }

    /// The same rows, taken from these people: a table over the same codes, of whose payloads nobody asks.
    #[must_use]
    pub fn with_population(self, population: Self) -> Self {
        Self { population: Some(Arc::new(population)), ..self }
    }

    /// The people whom the rows are taken from, if they are known.
    #[must_use]
    pub fn population(&self) -> Option<&Self> {
        self.population.as_deref()
    }

    /// The number of rows counted.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of distinct tuples.
    #[must_use]
    pub fn tuples(&self) -> usize {
        self.weights.len()
    }

    /// The tuple that has these codes, if some row has: what a row's codes say, whoever holds the row.
    #[must_use]
    pub fn tuple_of(&self, codes: &[u32]) -> Option<u32> {
        let (mut low, mut high) = (0, self.tuples());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.columns.iter().map(|column| column.get(middle)).cmp(codes.iter().copied()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle as u32),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The codes of a quasi-identifier, one a tuple.
    #[must_use]
    pub fn column(&self, column: usize) -> &Codes {
        &self.columns[column]
    }

    /// How many quasi-identifiers there are.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The rows of a tuple.
    #[must_use]
    pub fn weight(&self, tuple: u32) -> u64 {
        u64::from(self.weights[tuple as usize])
    }

    /// The rows of a tuple per payload.
    #[must_use]
    pub fn cells(&self, tuple: u32) -> &[Cell] {
        &self.cells[self.starts[tuple as usize] as usize..self.starts[tuple as usize + 1] as usize]
    }

    /// What the payload codes mean.
    #[must_use]
    pub fn payloads(&self) -> &Payloads {
        &self.payloads
    }

    /// Rows per payload over the whole table, ascending by payload.
    #[must_use]
    pub fn payload_totals(&self) -> Vec<Cell> {
        let mut totals = vec![0_u32; self.payloads.len()];
        for cell in &self.cells {
            totals[cell.payload as usize] += cell.rows;
        }
        (0..)
            .zip(totals)
            .filter(|(_, rows)| *rows > 0)
            .map(|(payload, rows)| Cell { payload, rows })
            .collect()
    }

    /// Rows per code of one quasi-identifier.
    #[must_use]
    pub fn marginal(&self, column: usize, size: usize) -> Vec<u64> {
        let mut rows = vec![0; size];
        for (code, weight) in self.columns[column].iter().zip(&self.weights) {
            rows[code as usize] += u64::from(*weight);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::table::kind::{Kind, Measure};
    use crate::table::payload::PayloadColumn;

    /// Columns of at most four values, a payload of three, and a weight for each row.
    pub(super) type Row = ([u32; 3], u32, u32);

    pub(super) fn payload_column() -> PayloadColumn {
        PayloadColumn {
            name: "p".into(),
            values: ["a", "b", "c"].into_iter().collect(),
            measure: Measure { kind: Kind::Text, scale: 0 },
            missing: Vec::new(),
            reading: Default::default(),
        }
    }

    pub(super) fn count(rows: &[Row]) -> FrequencyTable {
        let (payloads, of_row) = Payloads::of_rows(vec![payload_column()], rows.len(), |_, row| rows[row].1);
        FrequencyTable::count(&[4, 4, 4], rows.len(), |c, r| rows[r].0[c], payloads, &of_row, |r| rows[r].2).0
    }

    /// A tuple with its rows per payload value.
    pub(super) type Plain = (Vec<u32>, Vec<(u32, u32)>);

    /// The table as plain data.
    pub(super) fn plain(table: &FrequencyTable) -> Vec<Plain> {
        (0..table.tuples() as u32)
            .map(|tuple| {
                let codes = (0..table.width()).map(|c| table.column(c).get(tuple as usize)).collect();
                let cells = table.cells(tuple).iter().map(|c| (table.payloads().value(c.payload, 0), c.rows));
                (codes, cells.collect())
            })
            .collect()
    }

    pub(super) fn rows() -> impl Strategy<Value = Vec<Row>> {
        prop::collection::vec(([0..4_u32, 0..4_u32, 0..4_u32], 0..3_u32, 1..4_u32), 0..40)
    }

    proptest! {
        #[test]
        fn the_order_of_rows_is_irrelevant(rows in rows(), turn in 0..40_usize) {
            let mut other = rows.clone();
            if !other.is_empty() {
                let turn = turn % other.len();
                other.rotate_left(turn);
                other.reverse();
            }
            prop_assert_eq!(plain(&count(&rows)), plain(&count(&other)));
        }

        #[test]
        fn a_weight_is_a_repetition(rows in rows()) {
            let repeated: Vec<Row> = rows
                .iter()
                .flat_map(|(codes, payload, weight)| (0..*weight).map(|_| (*codes, *payload, 1)))
                .collect();
            prop_assert_eq!(plain(&count(&rows)), plain(&count(&repeated)));
        }

        #[test]
        fn tuples_ascend_and_nothing_is_lost(rows in rows()) {
            let table = count(&rows);
            let tuples: Vec<_> = plain(&table).into_iter().map(|(codes, _)| codes).collect();
            prop_assert!(tuples.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(table.rows(), rows.iter().map(|row| u64::from(row.2)).sum::<u64>());
            prop_assert_eq!(total(&table.payload_totals()), table.rows());
            for (place, codes) in tuples.iter().enumerate() {
                prop_assert_eq!(table.tuple_of(codes), Some(place as u32));
            }
            let absent = (0..64_u32).map(|at| vec![at / 16, at / 4 % 4, at % 4]).find(|codes| !tuples.contains(codes));
            prop_assert!(absent.is_none_or(|codes| table.tuple_of(&codes).is_none()));
        }
    }
}
