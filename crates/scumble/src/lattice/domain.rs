//! What the columns show at each level, with the values that occur numbered from 0, so that keys stay small.

use rayon::prelude::*;

use crate::label::STAR;
use crate::pack::Packer;
use crate::problem::Problem;
use crate::quasi::Value;

/// All columns at all levels, and the codes of all tuples.
pub(super) struct Domain {
    /// By column and level.
    columns: Vec<Vec<Level>>,
    /// The tuples' codes, tuple by tuple: a roll-up reads whole tuples.
    codes: Vec<u32>,
}

/// A column at one level.
pub(super) struct Level {
    /// For each code the place of its value among `values`; codes that do not occur have place 0.
    places: Vec<u32>,
    /// The values that occur, ascending.
    pub(super) values: Vec<Value>,
    /// The rows of each value.
    pub(super) rows: Vec<u64>,
    /// Whether a value is published as `*`.
    pub(super) star: Vec<bool>,
}

/// Key computations of fewer tuples than this are not worth a second thread.
const PARALLEL: usize = 1 << 14;

impl Domain {
    pub(super) fn new(problem: &Problem) -> Self {
        let (table, width) = (&problem.table, problem.quasi.len());
        let mut codes = vec![0; table.tuples() * width];
        for column in 0..width {
            for (tuple, code) in table.column(column).iter().enumerate() {
                codes[tuple * width + column] = code;
            }
        }
        let columns = (0..width).into_par_iter().map(|column| levels(problem, column)).collect();
        Self { columns, codes }
    }

    pub(super) fn level(&self, column: usize, level: u32) -> &Level {
        &self.columns[column][level as usize]
    }

    /// The levels of all columns at a node.
    pub(super) fn at<'a>(&'a self, levels: &'a [u32]) -> impl Iterator<Item = &'a Level> {
        self.columns.iter().zip(levels).map(|(column, level)| &column[*level as usize])
    }

    /// The place of a tuple's value in a column.
    pub(super) fn place(&self, tuple: u32, column: usize, level: u32) -> u32 {
        let code = self.codes[tuple as usize * self.columns.len() + column];
        self.columns[column][level as usize].places[code as usize]
    }

    /// A key for each of the tuples, equal where they show the same, and a bound that all keys are below.
    pub(super) fn keys(&self, tuples: &[u32], levels: &[u32]) -> (Vec<u64>, u64) {
        // Columns that show one value only tell nothing apart.
        let telling: Vec<(usize, &Level)> =
            self.at(levels).enumerate().filter(|(_, level)| level.values.len() > 1).collect();
        let width = self.columns.len();
        let bound =
            telling.iter().try_fold(1_u64, |all, (_, level)| all.checked_mul(level.values.len() as u64));
        let Some(bound) = bound else {
            let mut packer = Packer::new(tuples.len());
            for (column, level) in telling {
                packer.push(level.values.len() as u32, |at| {
                    level.places[self.codes[tuples[at] as usize * width + column] as usize]
                });
            }
            return (packer.finish(), u64::MAX);
        };
        let key = |tuple: &u32| {
            let codes = &self.codes[*tuple as usize * width..(*tuple as usize + 1) * width];
            telling.iter().fold(0, |key, (column, level)| {
                key * level.values.len() as u64 + u64::from(level.places[codes[*column] as usize])
            })
        };
        let keys = if tuples.len() < PARALLEL {
            tuples.iter().map(key).collect()
        } else {
            tuples.par_iter().with_min_len(PARALLEL / 2).map(key).collect()
        };
        (keys, bound)
    }
}

fn levels(problem: &Problem, column: usize) -> Vec<Level> {
    let quasi = &problem.quasi[column];
    let Some(tree) = quasi.tree() else { return Vec::new() };
    let rows_of_code = problem.table.marginal(column, quasi.size() as usize);
    (0..=tree.height())
        .map(|level| {
            let map = tree.level_map(level);
            let mut rows_of_node = vec![0; tree.node_count() as usize];
            map.iter().zip(&rows_of_code).for_each(|(node, rows)| rows_of_node[*node as usize] += rows);
            let (mut values, mut rows) = (Vec::new(), Vec::new());
            let mut place_of_node = vec![0; rows_of_node.len()];
            for (node, of_node) in (0..).zip(rows_of_node).filter(|(_, rows)| *rows > 0) {
                place_of_node[node as usize] = values.len() as u32;
                values.push(Value::Node(node));
                rows.push(of_node);
            }
            let star = values.iter().map(|value| quasi.label(*value) == STAR).collect();
            Level {
                places: map.iter().map(|node| place_of_node[*node as usize]).collect(),
                values,
                rows,
                star,
            }
        })
        .collect()
}
