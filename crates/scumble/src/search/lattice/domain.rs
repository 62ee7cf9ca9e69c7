//! What the columns show at each level. Values that occur are numbered from 0, and these numbers make up the keys of classes.

use std::borrow::Cow;

use rayon::prelude::*;

use crate::metrics::ByColumn;
use crate::problem::Problem;
use crate::table::frequency::FrequencyTable;
use crate::table::label::STAR;
use crate::table::pack::{Packer, bits_for};
use crate::table::quasi::Value;

/// All columns at all levels.
pub(super) struct Domain {
    /// By column and level.
    columns: Vec<Vec<Level>>,
    keys: Keys,
}

/// A column at one level.
pub(super) struct Level {
    /// By finer level: for each value of that level, the place of its value at this one.
    from: Vec<Vec<u32>>,
    /// For each code, the place of its value among `values`; 0 for codes that do not occur.
    places: Vec<u32>,
    /// The values that occur, ascending.
    pub(super) values: Vec<Value>,
    /// The rows of each value; 0 for values that only people of the population have.
    pub(super) rows: Vec<u64>,
    /// Whether a value is published as `*`.
    pub(super) star: Vec<bool>,
}

/// How a class of a node is encoded as one integer.
enum Keys {
    /// The places of all columns side by side, one field per column. A coarser key can be computed from a finer one.
    Packed(Vec<Field>),
    /// For keys of more than 64 bits. The key is the number of one tuple of the class; stored here are the codes of all
    /// tuples, tuple by tuple.
    Tuples(Vec<u32>),
}

/// Where the place of a column lies in a key.
#[derive(Clone, Copy)]
struct Field {
    shift: u32,
    mask: u64,
}

/// The bits of a key that one column, or several neighbouring ones, occupy, and what each of their values becomes.
type Table<'a> = (Field, Cow<'a, [u32]>);

/// With fewer classes than this, a second thread does not pay off.
const PARALLEL: usize = 1 << 15;

impl Domain {
    pub(super) fn new(problem: &Problem) -> Self {
        let width = problem.quasi.len();
        let columns: Vec<Vec<Level>> =
            (0..width).into_par_iter().map(|column| levels(problem, column)).collect();
        let bits =
            |column: &Vec<Level>| column.first().map_or(0, |level| bits_for(level.values.len() as u32));
        let mut fields = Vec::new();
        let mut shift = 0;
        // The last column is the least significant, so keys sort as tuples do.
        for column in columns.iter().rev() {
            fields.push(Field { shift: shift.min(63), mask: (1_u64 << bits(column)) - 1 });
            shift += bits(column);
        }
        fields.reverse();
        let keys = if shift <= 64 { Keys::Packed(fields) } else { Keys::Tuples(codes(problem)) };
        Self { columns, keys }
    }

    /// The keys of all tuples, at the finest node: those of the table, then those of its population.
    pub(super) fn tuples(&self, problem: &Problem) -> Vec<u64> {
        let fields = match &self.keys {
            Keys::Tuples(_) => {
                return (0..tables(problem).map(|table| table.tuples() as u64).sum()).collect();
            }
            Keys::Packed(fields) => fields,
        };
        let mut keys = Vec::new();
        for table in tables(problem) {
            let start = keys.len();
            keys.resize(start + table.tuples(), 0);
            for (column, field) in fields.iter().enumerate() {
                let places = &self.columns[column][0].places;
                for (key, code) in keys[start..].iter_mut().zip(table.column(column).iter()) {
                    *key |= u64::from(places[code as usize]) << field.shift;
                }
            }
        }
        keys
    }

    pub(super) fn level(&self, column: usize, level: u32) -> &Level {
        &self.columns[column][level as usize]
    }

    /// The levels of all columns at a node.
    pub(super) fn at<'a>(&'a self, levels: &'a [u32]) -> impl Iterator<Item = &'a Level> {
        self.columns.iter().zip(levels).map(|(column, level)| &column[*level as usize])
    }

    /// The penalties of the values, by column and level.
    pub(super) fn penalties(&self, metric: &dyn ByColumn) -> Vec<Vec<Vec<f64>>> {
        let of_level = |column: usize, level: &Level| {
            level.values.iter().map(|value| metric.penalty(column, *value)).collect::<Vec<f64>>()
        };
        let columns = self.columns.iter().enumerate();
        columns.map(|(column, levels)| levels.iter().map(|level| of_level(column, level)).collect()).collect()
    }

    /// The place of a column's value in a class of a node where the column has this level.
    pub(super) fn place(&self, key: u64, column: usize, level: u32) -> u32 {
        match &self.keys {
            Keys::Packed(fields) => ((key >> fields[column].shift) & fields[column].mask) as u32,
            Keys::Tuples(codes) => {
                let code = codes[key as usize * self.columns.len() + column];
                self.columns[column][level as usize].places[code as usize]
            }
        }
    }

    /// The most classes that a node with these levels can have.
    pub(super) fn most_classes(&self, levels: &[u32]) -> usize {
        self.at(levels).fold(1, |all: usize, level| all.saturating_mul(level.values.len().max(1)))
    }

    /// For each class of the node `from`, a number that is equal for classes that become one at the coarser node `to`. Where
    /// keys are packed, the numbers are the new keys.
    pub(super) fn coarsen(&self, keys: &[u64], from: &[u32], to: &[u32]) -> Vec<u64> {
        let fields = match &self.keys {
            Keys::Packed(fields) => fields,
            Keys::Tuples(codes) => return self.ranks(keys, codes, to),
        };
        let (unchanged, tables) = self.tables(fields, from, to, keys.len());
        let coarse = |key: &u64| {
            tables.iter().fold(key & unchanged, |new, (field, table)| {
                new | u64::from(table[((key >> field.shift) & field.mask) as usize]) << field.shift
            })
        };
        if keys.len() < PARALLEL {
            keys.iter().map(coarse).collect()
        } else {
            keys.par_iter().with_min_len(PARALLEL / 2).map(coarse).collect()
        }
    }

    /// Returns the bits of a key that stay unchanged, and tables for the others. Neighbouring columns share a table as long
    /// as it is small compared with the number of keys.
    fn tables(&self, fields: &[Field], from: &[u32], to: &[u32], keys: usize) -> (u64, Vec<Table<'_>>) {
        let most_bits = (keys / 16).max(1).ilog2().min(11);
        let mut unchanged = u64::MAX;
        let mut tables: Vec<Table<'_>> = Vec::new();
        // From the least significant field upwards.
        for (column, field) in fields.iter().enumerate().rev() {
            if from[column] == to[column] || field.mask == 0 {
                continue;
            }
            unchanged &= !(field.mask << field.shift);
            let level = self.level(column, to[column]);
            // A column with a single value has place 0.
            if level.values.len() <= 1 {
                continue;
            }
            let map = &level.from[from[column] as usize];
            match tables.last_mut() {
                Some((shared, table))
                    if field.shift + field.mask.count_ones() - shared.shift <= most_bits =>
                {
                    // The unchanged bits between the two fields are left out of the table.
                    let above = field.shift - shared.shift;
                    let mask = (field.mask << above) | ((1 << above) - 1);
                    let of = |map: &[u32], place: u64| map.get(place as usize).copied().unwrap_or(0);
                    let entry = |bits: u64| (of(map, bits >> above) << above) | of(table, bits & shared.mask);
                    *table = Cow::Owned((0..=mask).map(entry).collect());
                    shared.mask = mask;
                }
                _ => tables.push((*field, Cow::Borrowed(map))),
            }
        }
        (unchanged, tables)
    }

    /// Whether the numbers returned by [`coarsen`](Self::coarsen) are keys.
    pub(super) fn is_packed(&self) -> bool {
        matches!(self.keys, Keys::Packed(_))
    }

    fn ranks(&self, tuples: &[u64], codes: &[u32], levels: &[u32]) -> Vec<u64> {
        let width = self.columns.len();
        let mut packer = Packer::new(tuples.len());
        // Columns with a single value distinguish nothing.
        for (column, level) in self.at(levels).enumerate().filter(|(_, level)| level.values.len() > 1) {
            packer.push(level.values.len() as u32, |at| {
                level.places[codes[tuples[at] as usize * width + column] as usize]
            });
        }
        packer.finish()
    }
}

/// The table of a problem, and its population if a model reads it.
fn tables(problem: &Problem) -> impl Iterator<Item = &FrequencyTable> {
    std::iter::once(&problem.table).chain(problem.population())
}

/// The codes of all tuples, tuple by tuple.
fn codes(problem: &Problem) -> Vec<u32> {
    let width = problem.quasi.len();
    let mut codes = Vec::new();
    for table in tables(problem) {
        let start = codes.len();
        codes.resize(start + table.tuples() * width, 0);
        for column in 0..width {
            for (tuple, code) in table.column(column).iter().enumerate() {
                codes[start + tuple * width + column] = code;
            }
        }
    }
    codes
}

fn levels(problem: &Problem, column: usize) -> Vec<Level> {
    let quasi = &problem.quasi[column];
    let Some(tree) = quasi.tree() else { return Vec::new() };
    let rows_of_code = problem.table.marginal(column, quasi.size() as usize);
    let mut occurs: Vec<bool> = rows_of_code.iter().map(|rows| *rows > 0).collect();
    if let Some(population) = problem.population() {
        population.column(column).iter().for_each(|code| occurs[code as usize] = true);
    }
    let mut levels: Vec<Level> = Vec::new();
    for level in 0..=tree.height() {
        let map = tree.level_map(level);
        let mut rows_of_node = vec![0; tree.node_count() as usize];
        map.iter().zip(&rows_of_code).for_each(|(node, rows)| rows_of_node[*node as usize] += rows);
        let mut is_shown = vec![false; rows_of_node.len()];
        map.iter().zip(&occurs).for_each(|(node, occurs)| is_shown[*node as usize] |= occurs);
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        let mut place_of_node = vec![0; rows_of_node.len()];
        for (node, of_node) in (0..).zip(rows_of_node).filter(|(node, _)| is_shown[*node as usize]) {
            place_of_node[node as usize] = values.len() as u32;
            values.push(Value::Node(node));
            rows.push(of_node);
        }
        let star = values.iter().map(|value| quasi.label(*value) == STAR).collect();
        let places: Vec<u32> = map.iter().map(|node| place_of_node[*node as usize]).collect();
        let from = levels.iter().map(|finer| {
            let mut coarser = vec![0; finer.values.len()];
            for ((fine, coarse), occurs) in finer.places.iter().zip(&places).zip(&occurs) {
                if *occurs {
                    coarser[*fine as usize] = *coarse;
                }
            }
            coarser
        });
        let from = from.collect();
        levels.push(Level { from, places, values, rows, star });
    }
    levels
}
