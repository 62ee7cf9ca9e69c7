//! Machine-learning models on weighted tables, to measure how well the classes can still be predicted.
//!
//! A [`Table`] has nominal and numeric columns with missing values, a class, and a weight for each row. A [`Learner`]
//! turns it into a [`Classifier`]. [`registry::LEARNERS`] lists them all; each also has a type of its own, such as
//! [`c45::C45`], whose result shows its structure.
//!
//! ```
//! use scumble_learn::{Column, Features, Settings, Table, registry};
//!
//! // Three rows stand for eleven.
//! let columns = vec![Column::nominal("sex", vec![0, 1, 0], 2), Column::numeric("age", vec![39.0, 50.0, 38.0])];
//! let table = Table::weighted(Features::new(columns, 3)?, vec![0, 1, 0], 2, vec![4, 4, 3])?;
//! let learner = registry::build("c45", &Settings::new([("confidence", 0.25)]))?;
//! let classifier = learner.train(&table, 1)?;
//! assert_eq!(classifier.predict(table.features()), [0, 1, 0]);
//! assert_eq!(classifier.accuracy(&table), 1.0);
//! # Ok::<(), scumble_learn::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod boosted_trees;
pub mod c45;
mod encode;
mod error;
mod learner;
pub mod logistic;
pub mod majority;
pub mod naive_bayes;
mod normal;
mod random;
mod ranks;
pub mod registry;
pub mod ripper;
mod settings;
pub mod svm;
mod table;

pub use error::{Error, Result};
pub use learner::{Classifier, GoesOn, Learner};
pub use settings::Settings;
pub use table::{Cells, Column, Features, MISSING, Table};
