//! The decision table: distinct tuples of condition columns, with their rows per decision.

use crate::table::frequency::{Cell, FrequencyTable, cells_by_group, total};
use crate::table::pack::{Packer, group};

/// Stands for the decision of tuples whose rows have several decisions.
pub(super) const SEVERAL: u32 = u32::MAX;

/// Distinct tuples of the condition columns, each with its rows per decision.
#[derive(Debug, Clone)]
pub struct DecisionTable {
    columns: Vec<Vec<u32>>,
    sizes: Vec<u32>,
    starts: Vec<u32>,
    /// Cells whose payload is a decision.
    cells: Vec<Cell>,
    weights: Vec<u64>,
    /// The one decision of a tuple, or [`SEVERAL`].
    decision: Vec<u32>,
    rows: u64,
    decisions: u32,
}

impl DecisionTable {
    /// The decision table of a payload column. `coarser[column]` maps each code of a column to a coarser one, if the column has
    /// coarser codes. Tuples that become equal are merged.
    #[must_use]
    pub fn new(table: &FrequencyTable, sizes: &[u32], coarser: &[Option<Vec<u32>>], target: usize) -> Self {
        let code = |column: usize, tuple: usize| {
            let code = table.column(column).get(tuple);
            coarser[column].as_ref().map_or(code, |coarser| coarser[code as usize])
        };
        let sizes: Vec<u32> = sizes
            .iter()
            .zip(coarser)
            .map(|(size, coarser)| match coarser {
                None => *size,
                Some(coarser) => coarser.iter().max().map_or(0, |most| most + 1),
            })
            .collect();
        let mut packer = Packer::new(table.tuples());
        for (column, size) in sizes.iter().enumerate() {
            packer.push(*size, |tuple| code(column, tuple));
        }
        let groups = group(packer.finish());
        let tuples = groups.representative.len();
        let columns = (0..sizes.len())
            .map(|column| groups.representative.iter().map(|tuple| code(column, *tuple as usize)).collect())
            .collect();
        let payloads = table.payloads();
        let (starts, cells) = cells_by_group(tuples, || {
            (0..table.tuples() as u32).zip(&groups.group_of_row).flat_map(|(tuple, group)| {
                let decided = |cell: &Cell| Cell { payload: payloads.value(cell.payload, target), ..*cell };
                table.cells(tuple).iter().map(move |cell| (*group, decided(cell)))
            })
        });
        let of = |tuple: usize| &cells[starts[tuple] as usize..starts[tuple + 1] as usize];
        let weights: Vec<u64> = (0..tuples).map(|tuple| total(of(tuple))).collect();
        let decision = (0..tuples).map(|tuple| match of(tuple) {
            [one] => one.payload,
            _ => SEVERAL,
        });
        Self {
            decision: decision.collect(),
            rows: weights.iter().sum(),
            decisions: payloads.columns[target].values.len() as u32,
            columns,
            sizes,
            starts,
            cells,
            weights,
        }
    }

    /// How many distinct tuples there are.
    #[must_use]
    pub fn tuples(&self) -> usize {
        self.weights.len()
    }

    /// How many condition columns there are.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of possible decisions.
    #[must_use]
    pub fn decisions(&self) -> u32 {
        self.decisions
    }

    /// The codes of a column, one per tuple.
    #[must_use]
    pub fn column(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    /// The number of codes that a column may have.
    #[must_use]
    pub fn size(&self, column: usize) -> u32 {
        self.sizes[column]
    }

    /// The rows of a tuple.
    #[must_use]
    pub fn weight(&self, tuple: u32) -> u64 {
        self.weights[tuple as usize]
    }

    /// The rows of a tuple per decision: cells whose payload is a decision, ascending.
    #[must_use]
    pub fn cells(&self, tuple: u32) -> &[Cell] {
        &self.cells[self.starts[tuple as usize] as usize..self.starts[tuple as usize + 1] as usize]
    }

    /// The one decision of a tuple, or [`SEVERAL`].
    pub(super) fn decision(&self, tuple: u32) -> u32 {
        self.decision[tuple as usize]
    }
}
