//! The tables that machine-learning models learn from: nominal and numeric columns with missing values, a class, and a weight for each row.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::error::{Error, Result};

/// The code of a missing nominal value. A missing number is `NaN`.
pub const MISSING: u32 = u32::MAX;

/// The cells of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Codes below `values`, or [`MISSING`].
    Nominal {
        /// One code for each row.
        codes: Vec<u32>,
        /// The number of values that the column may take, whether they occur or not.
        values: usize,
    },
    /// Finite numbers, or `NaN` where missing.
    Numeric(Vec<f64>),
}

/// A column to learn from.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    name: String,
    cells: Cells,
}

impl Column {
    /// Creates a column of codes below `values`, or [`MISSING`].
    #[must_use]
    pub fn nominal(name: &str, codes: Vec<u32>, values: usize) -> Self {
        Self { name: name.to_owned(), cells: Cells::Nominal { codes, values } }
    }

    /// Creates a column of numbers; `NaN` is missing.
    #[must_use]
    pub fn numeric(name: &str, mut numbers: Vec<f64>) -> Self {
        // There is one zero and one NaN, so that equal cells have equal bits when rows are sorted.
        for number in &mut numbers {
            *number = if number.is_nan() { f64::NAN } else { *number + 0.0 };
        }
        Self { name: name.to_owned(), cells: Cells::Numeric(numbers) }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its cells.
    #[must_use]
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The number of rows.
    fn len(&self) -> usize {
        match &self.cells {
            Cells::Nominal { codes, .. } => codes.len(),
            Cells::Numeric(numbers) => numbers.len(),
        }
    }

    /// Returns the given rows, in that order.
    fn select(&self, rows: &[u32]) -> Self {
        let cells = match &self.cells {
            Cells::Nominal { codes, values } => Cells::Nominal {
                codes: rows.iter().map(|&row| codes[row as usize]).collect(),
                values: *values,
            },
            Cells::Numeric(numbers) => {
                Cells::Numeric(rows.iter().map(|&row| numbers[row as usize]).collect())
            }
        };
        Self { name: self.name.clone(), cells }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        match &self.cells {
            Cells::Nominal { codes, .. } => codes[a].cmp(&codes[b]),
            Cells::Numeric(numbers) => numbers[a].total_cmp(&numbers[b]),
        }
    }
}

/// Rows without a class, which a classifier predicts. Columns are coded as in training, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    columns: Vec<Column>,
    rows: usize,
}

impl Features {
    /// Creates rows from columns of `rows` cells each. Fails on a wrong length, a code out of range or an infinite number.
    pub fn new(columns: Vec<Column>, rows: usize) -> Result<Self> {
        if u32::try_from(rows).is_err() {
            return Err(Error::Data(format!("{rows} rows are more than can be numbered; take a sample")));
        }
        for column in &columns {
            let name = &column.name;
            if column.len() != rows {
                let found = column.len();
                return Err(Error::Data(format!(
                    "column '{name}' has {found} cells, but there are {rows} rows"
                )));
            }
            let wrong = match &column.cells {
                Cells::Nominal { codes, values } => {
                    codes.iter().position(|&code| code != MISSING && code as usize >= *values)
                }
                Cells::Numeric(numbers) => numbers.iter().position(|number| number.is_infinite()),
            };
            if let Some(row) = wrong {
                let row = row + 1;
                return Err(Error::Data(format!(
                    "row {row}, column '{name}': out of range; code it as missing"
                )));
            }
        }
        Ok(Self { columns, rows })
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the given rows, in that order.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        Self { columns: self.columns.iter().map(|column| column.select(rows)).collect(), rows: rows.len() }
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.columns
            .iter()
            .map(|column| column.compare(a, b))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

/// Rows with a class and a weight, to learn from or to score a classifier on.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    features: Features,
    class: Vec<u32>,
    classes: usize,
    weights: Vec<u32>,
}

impl Table {
    /// Creates a table whose rows all have weight 1. `class` has codes below `classes`.
    pub fn new(features: Features, class: Vec<u32>, classes: usize) -> Result<Self> {
        let weights = vec![1; features.rows];
        Self::weighted(features, class, classes, weights)
    }

    /// Creates a table whose row `i` stands for `weights[i]` equal rows.
    pub fn weighted(features: Features, class: Vec<u32>, classes: usize, weights: Vec<u32>) -> Result<Self> {
        let rows = features.rows;
        for (what, found) in [("classes", class.len()), ("weights", weights.len())] {
            if found != rows {
                return Err(Error::Data(format!("{found} {what} for {rows} rows")));
            }
        }
        if let Some(row) = class.iter().position(|&class| class as usize >= classes) {
            let row = row + 1;
            return Err(Error::Data(format!("row {row} has no known class; leave such rows out")));
        }
        Ok(Self { features, class, classes, weights })
    }

    /// The rows without class and weight.
    #[must_use]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The columns to learn from.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.features.columns
    }

    /// The number of rows, each with its weight.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.features.rows
    }

    /// The class of each row.
    #[must_use]
    pub fn class(&self) -> &[u32] {
        &self.class
    }

    /// The number of classes, whether they occur or not.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The weight of each row.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The sum of all weights.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.class_weights().iter().sum()
    }

    /// The sum of the weights of each class.
    #[must_use]
    pub fn class_weights(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for (&class, &weight) in self.class.iter().zip(&self.weights) {
            sums[class as usize] += f64::from(weight);
        }
        sums
    }

    /// Returns the given rows, in that order, with their weights.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        Self {
            features: self.features.select(rows),
            class: rows.iter().map(|&row| self.class[row as usize]).collect(),
            classes: self.classes,
            weights: rows.iter().map(|&row| self.weights[row as usize]).collect(),
        }
    }

    /// Returns the same rows sorted by content, with equal rows merged into one that has the sum of their weights.
    ///
    /// Every machine-learning model starts from this form. So the order of rows cannot matter, and a weight of 3 is the same as the row
    /// three times: both give the same table here, down to the last bit of every sum.
    pub fn canonical(&self) -> Result<Self> {
        let mut order: Vec<u32> =
            (0..self.rows() as u32).filter(|&row| self.weights[row as usize] > 0).collect();
        let compare = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            self.features.compare(a, b).then(self.class[a].cmp(&self.class[b]))
        };
        order.par_sort_unstable_by(|&a, &b| compare(a, b));
        let mut firsts: Vec<u32> = Vec::new();
        let mut sums: Vec<u64> = Vec::new();
        for row in order {
            let weight = u64::from(self.weights[row as usize]);
            match (firsts.last(), sums.last_mut()) {
                (Some(&first), Some(sum)) if compare(first, row).is_eq() => *sum += weight,
                _ => {
                    firsts.push(row);
                    sums.push(weight);
                }
            }
        }
        if firsts.is_empty() {
            return Err(Error::Data("there are no rows to learn from".to_owned()));
        }
        let weights: std::result::Result<Vec<u32>, _> = sums.into_iter().map(u32::try_from).collect();
        let weights = weights.map_err(|_| {
            Error::Data("equal rows add up to more than 4,294,967,295; take a sample".to_owned())
        })?;
        Ok(Self { weights, ..self.select(&firsts) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(codes: &[u32], numbers: &[f64], class: &[u32], weights: &[u32]) -> Table {
        let columns = vec![Column::nominal("a", codes.to_vec(), 3), Column::numeric("b", numbers.to_vec())];
        let features = Features::new(columns, class.len()).unwrap();
        Table::weighted(features, class.to_vec(), 2, weights.to_vec()).unwrap()
    }

    #[test]
    fn equal_rows_merge_and_weightless_ones_go() {
        let given = table(
            &[1, 0, MISSING, 1, 2, MISSING],
            &[0.0, f64::NAN, 2.0, -0.0, 1.0, 2.0],
            &[1, 0, 0, 1, 1, 1],
            &[1, 1, 1, 2, 0, 1],
        );
        let found = given.canonical().unwrap();
        assert_eq!(found.weights(), [1, 3, 1, 1]);
        assert_eq!(found.class(), [0, 1, 0, 1]);
        assert_eq!(found.canonical().unwrap().weights(), found.weights(), "it is its own canonical form");
        assert_eq!(found.class_weights(), [2.0, 4.0]);
    }

    #[test]
    fn what_is_no_table_is_refused_without_a_value() {
        let short = Features::new(vec![Column::nominal("a", vec![0], 1)], 2).unwrap_err();
        assert_eq!(short.to_string(), "column 'a' has 1 cells, but there are 2 rows");
        let high = Features::new(vec![Column::nominal("a", vec![0, 7], 7)], 2).unwrap_err();
        assert_eq!(high.to_string(), "row 2, column 'a': out of range; code it as missing");
        assert!(Features::new(vec![Column::numeric("a", vec![f64::INFINITY])], 1).is_err());
        let features = Features::new(vec![], 1).unwrap();
        assert!(Table::new(features.clone(), vec![2], 2).is_err());
        assert!(Table::weighted(features.clone(), vec![1], 2, vec![]).is_err());
        assert!(Table::weighted(features, vec![1], 2, vec![0]).unwrap().canonical().is_err());
    }
}
