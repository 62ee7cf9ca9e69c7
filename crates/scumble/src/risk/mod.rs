//! The risk that is left.

mod classes;
mod figures;
pub mod uniques;

pub use classes::RiskClasses;
pub use figures::{RiskBand, RiskFigures, RiskQuantile};
