//! Naive Bayes in three variants (models.md 3.4), which treat columns as independent given the class.
//!
//! | variant | numeric columns | nominal columns, priors |
//! |---|---|---|
//! | `gaussian` | one normal curve for each class: Weka's `NaiveBayes` | add one to every count |
//! | `weka_kernel` | a normal kernel on every training value: Weka's `NaiveBayes -K` | add one to every count |
//! | `kernel` | the same with other widths: RapidMiner's "Naive Bayes (Kernel)" | add 1/N to values, with the unknown value as one more; priors unchanged |

mod curve;
mod nominal;

use curve::Curve;
use nominal::Frequencies;

use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check, from_logarithms};
use crate::registry::Entry;
use crate::settings::{Settings, wrong};
use crate::table::{Cells, Features, Table};

/// Naive Bayes in the registry.
pub const ENTRY: Entry = Entry {
    name: "naive_bayes",
    title: "Naive Bayes",
    paper: "John & Langley, Estimating continuous distributions in Bayesian classifiers, 1995; as in Weka and RapidMiner",
    about: "Multiplies the probabilities of a row's values in each class; numbers by one normal curve a class or by a \
            kernel on each training value.",
    parameters: &[(
        "variant",
        "gaussian (Weka, the default), weka_kernel (Weka with -K) or kernel (RapidMiner's Naive Bayes (Kernel))",
    )],
    build: |settings| Ok(Box::new(NaiveBayes { variant: Variant::from_settings(settings)? })),
};

/// The program whose rules are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Weka: one normal curve for each class.
    Gaussian,
    /// Weka with `-K`: kernels.
    WekaKernel,
    /// RapidMiner's kernels.
    Kernel,
}

impl Variant {
    fn from_settings(settings: &Settings) -> Result<Self> {
        match settings.get("variant") {
            None | Some("gaussian") => Ok(Self::Gaussian),
            Some("weka_kernel" | "weka-kernel") => Ok(Self::WekaKernel),
            Some("kernel") => Ok(Self::Kernel),
            Some(other) => Err(wrong("variant", "gaussian, weka_kernel or kernel", other)),
        }
    }
}

/// The machine-learning model.
#[derive(Debug, Clone, Copy)]
pub struct NaiveBayes {
    /// The program whose rules are followed.
    pub variant: Variant,
}

/// The trained model: a prior for each class and, for each column, the probability of a value in each class.
#[derive(Debug)]
pub struct Bayes {
    /// Logarithms of the priors; minus infinity for an impossible class.
    priors: Vec<f64>,
    columns: Vec<Likelihood>,
}

/// One column's probabilities.
#[derive(Debug)]
enum Likelihood {
    Nominal(Frequencies),
    /// One curve for each class.
    Numeric(Vec<Curve>),
}

impl Learner for NaiveBayes {
    fn train_while(&self, table: &Table, _seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        check(goes_on)?;
        let table = table.canonical()?;
        let (weights, total) = (table.class_weights(), table.weight());
        let classes = table.classes() as f64;
        let prior = |weight: &f64| match self.variant {
            Variant::Kernel => (weight / total).ln(),
            Variant::Gaussian | Variant::WekaKernel => ((weight + 1.0) / (total + classes)).ln(),
        };
        let column = |column: &crate::table::Column| {
            check(goes_on)?;
            Ok(match column.cells() {
                Cells::Nominal { codes, values } => {
                    Likelihood::Nominal(Frequencies::new(self.variant, &table, codes, *values))
                }
                Cells::Numeric(numbers) => Likelihood::Numeric(curve::curves(self.variant, &table, numbers)),
            })
        };
        Ok(Box::new(Bayes {
            priors: weights.iter().map(prior).collect(),
            columns: table.columns().iter().map(column).collect::<Result<_>>()?,
        }))
    }
}

impl Classifier for Bayes {
    fn classes(&self) -> usize {
        self.priors.len()
    }

    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.priors);
        for (column, likelihood) in features.columns().iter().zip(&self.columns) {
            match (column.cells(), likelihood) {
                (Cells::Nominal { codes, .. }, Likelihood::Nominal(frequencies)) => {
                    frequencies.add(codes[row], out);
                }
                (Cells::Numeric(numbers), Likelihood::Numeric(curves)) if !numbers[row].is_nan() => {
                    for (sum, curve) in out.iter_mut().zip(curves).filter(|(sum, _)| sum.is_finite()) {
                        *sum += curve.log_probability(numbers[row]);
                    }
                }
                _ => {}
            }
        }
        from_logarithms(out);
    }
}
