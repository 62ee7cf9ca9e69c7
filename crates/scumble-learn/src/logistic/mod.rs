//! Multinomial logistic regression with a tiny ridge, as in Weka's `Logistic` (models.md 3.7).
//!
//! Numeric columns are standardised, nominal ones become binary, and missing values are replaced by the mean or the most frequent
//! value. Every class has its own coefficients, so that no class is the reference and their order does not matter. The ridge
//! makes the optimum unique.

mod likelihood;
mod newton;

use likelihood::Likelihood;

use crate::encode::{Encoder, Sparse};
use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check, from_logarithms};
use crate::registry::Entry;
use crate::table::{Features, Table};

/// Logistic regression in the registry.
pub const ENTRY: Entry = Entry {
    name: "logistic",
    title: "Logistic regression",
    paper: "le Cessie & van Houwelingen, Ridge estimators in logistic regression, 1992; as in Weka's Logistic",
    about: "Multinomial, with a ridge; numeric columns standardised, nominal ones made binary.",
    parameters: &[("ridge", "weight of the squared coefficients in what is minimised (default 1e-8)")],
    build: |settings| Ok(Box::new(Logistic { ridge: settings.number("ridge", 1e-8, 1e-12, 1e9)? })),
};

/// The machine-learning model and its setting.
#[derive(Debug, Clone, Copy)]
pub struct Logistic {
    /// The weight of the squared coefficients in the function to minimise; positive.
    pub ridge: f64,
}

impl Learner for Logistic {
    fn train_while(&self, table: &Table, _seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        check(goes_on)?;
        let table = table.canonical()?;
        let encoder = Encoder::new(&table, true);
        check(goes_on)?;
        let rows: Vec<Sparse> =
            (0..table.rows()).map(|row| with_constant(&encoder, table.features(), row)).collect();
        let likelihood = Likelihood::new(&table, &rows, encoder.width() + 1, self.ridge);
        let coefficients = newton::minimise(&likelihood, goes_on)?;
        Ok(Box::new(Model { encoder, classes: table.classes(), coefficients }))
    }
}

/// A row's numbers and, in the last position, the constant 1.
fn with_constant(encoder: &Encoder, features: &Features, row: usize) -> Sparse {
    let mut numbers = encoder.encode(features, row);
    numbers.push((encoder.width() as u32, 1.0));
    numbers
}

/// The trained model.
#[derive(Debug)]
pub struct Model {
    encoder: Encoder,
    classes: usize,
    /// The coefficients, by position; one for each class.
    coefficients: Vec<f64>,
}

impl Classifier for Model {
    fn classes(&self) -> usize {
        self.classes
    }

    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        let numbers = with_constant(&self.encoder, features, row);
        likelihood::scores(&numbers, &self.coefficients, out);
        from_logarithms(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    /// With one binary column, the fitted probabilities are the shares: 1/4 and 2/3.
    #[test]
    fn shares_are_reproduced() {
        let column = Column::nominal("a", vec![0, 0, 1, 1], 2);
        let features = Features::new(vec![column], 4).unwrap();
        let table = Table::weighted(features, vec![0, 1, 0, 1], 2, vec![3, 1, 1, 2]).unwrap();
        let model = Logistic { ridge: 1e-8 }.train(&table, 0).unwrap();
        for (row, share) in [(0, 0.25), (2, 2.0 / 3.0)] {
            let mut found = [0.0; 2];
            model.distribution(table.features(), row, &mut found);
            assert!((found[1] - share).abs() < 1e-6, "{found:?}");
        }
    }
}
