//! Turns rows into sparse vectors of numbers, for machine-learning models that compute with them.
//!
//! A nominal column becomes one 0/1 number for each value, or a single number if it has two values. A missing value becomes the
//! column's mean or its most frequent value in training.

use crate::table::{Cells, Features, Table};

/// The numbers of a row that are not 0, as positions and values. Positions ascend.
pub(crate) type Sparse = Vec<(u32, f64)>;

/// How a table's columns become numbers.
#[derive(Debug)]
pub(crate) struct Encoder {
    columns: Vec<Encoding>,
    width: usize,
}

#[derive(Debug)]
enum Encoding {
    /// The position of the first value's number, the number of values, and the value that replaces a missing one.
    Nominal { start: u32, values: usize, usual: u32 },
    /// The position, the number that replaces a missing one, and what is subtracted and divided by.
    Numeric { start: u32, usual: f64, centre: f64, scale: f64 },
}

impl Encoder {
    /// Learns means, deviations and most frequent values from a table. With `standardise`, numeric columns get mean 0 and
    /// deviation 1.
    pub(crate) fn new(table: &Table, standardise: bool) -> Self {
        let mut width = 0;
        let mut columns = Vec::with_capacity(table.columns().len());
        for column in table.columns() {
            let start = width as u32;
            columns.push(match column.cells() {
                Cells::Nominal { codes, values } => {
                    width += if *values == 2 { 1 } else { *values };
                    Encoding::Nominal { start, values: *values, usual: most_frequent(table, codes, *values) }
                }
                Cells::Numeric(numbers) => {
                    width += 1;
                    let (mean, deviation) = moments(table, numbers);
                    let (centre, scale) = match standardise {
                        true => (mean, if deviation > 0.0 { deviation } else { 1.0 }),
                        false => (0.0, 1.0),
                    };
                    Encoding::Numeric { start, usual: mean, centre, scale }
                }
            });
        }
        Self { columns, width }
    }

    /// The length of a vector.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns a row's vector.
    pub(crate) fn encode(&self, features: &Features, row: usize) -> Sparse {
        let mut numbers = Sparse::with_capacity(self.columns.len());
        for (column, encoding) in features.columns().iter().zip(&self.columns) {
            match (column.cells(), encoding) {
                (Cells::Nominal { codes, .. }, &Encoding::Nominal { start, values, usual }) => {
                    let code = if (codes[row] as usize) < values { codes[row] } else { usual };
                    match (values, code) {
                        // A column without values has no position to mark.
                        (0, _) | (2, 0) => {}
                        (2, _) => numbers.push((start, 1.0)),
                        _ => numbers.push((start + code, 1.0)),
                    }
                }
                (Cells::Numeric(given), &Encoding::Numeric { start, usual, centre, scale }) => {
                    let number = if given[row].is_nan() { usual } else { given[row] };
                    numbers.push((start, (number - centre) / scale));
                }
                _ => {}
            }
        }
        numbers
    }
}

/// The first of the most frequent codes; 0 if all are missing.
fn most_frequent(table: &Table, codes: &[u32], values: usize) -> u32 {
    let mut counts = vec![0.0; values];
    for (&code, &weight) in codes.iter().zip(table.weights()) {
        if let Some(count) = counts.get_mut(code as usize) {
            *count += f64::from(weight);
        }
    }
    crate::learner::most_probable(&counts)
}

/// The mean and standard deviation of the known numbers; zeros if all are missing.
fn moments(table: &Table, numbers: &[f64]) -> (f64, f64) {
    let known = || numbers.iter().zip(table.weights()).filter(|(number, _)| !number.is_nan());
    let weight: f64 = known().map(|(_, &weight)| f64::from(weight)).sum();
    if weight == 0.0 {
        return (0.0, 0.0);
    }
    let mean = known().map(|(number, &weight)| number * f64::from(weight)).sum::<f64>() / weight;
    let squares: f64 = known().map(|(number, &weight)| (number - mean).powi(2) * f64::from(weight)).sum();
    (mean, (squares / weight).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, MISSING};

    #[test]
    fn values_flags_and_numbers() {
        let columns = vec![
            Column::nominal("two", vec![1, 0, MISSING], 2),
            Column::nominal("three", vec![2, 0, MISSING], 3),
            Column::nominal("none", vec![MISSING; 3], 0),
            Column::numeric("number", vec![1.0, 5.0, f64::NAN]),
        ];
        let features = Features::new(columns, 3).unwrap();
        let table = Table::weighted(features.clone(), vec![0, 0, 0], 1, vec![3, 1, 1]).unwrap();
        let encoder = Encoder::new(&table, false);
        assert_eq!(encoder.width(), 5);
        assert_eq!(encoder.encode(&features, 0), [(0, 1.0), (3, 1.0), (4, 1.0)]);
        assert_eq!(encoder.encode(&features, 1), [(1, 1.0), (4, 5.0)]);
        assert_eq!(
            encoder.encode(&features, 2),
            [(0, 1.0), (3, 1.0), (4, 2.0)],
            "usual values for missing ones"
        );
        // Mean 2, deviation sqrt((3*1 + 1*9) / 4) = sqrt 3.
        let scaled = Encoder::new(&table, true).encode(&features, 1);
        assert!((scaled[1].1 - 3.0_f64.sqrt()).abs() < 1e-12);
    }
}
