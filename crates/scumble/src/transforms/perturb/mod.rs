//! Steps after which a column no longer shows the values of its people: noise, exchanged values, random answers.
//!
//! Such a column says little about what a model promises, so it is never among the quasi-identifiers that models judge. How well people can still
//! be found by it is measured ([`crate::risk::linkage`]).

mod cells;
pub(super) mod draws;
mod matrix;
mod multiply;
mod noise;
mod pram;
mod rank_swap;
mod record_swap;
mod shuffle;
mod weights;

pub use cells::floats_of_rows;
pub(super) use multiply::ENTRY as MULTIPLY;
pub(super) use noise::ENTRY as NOISE;
pub(super) use pram::ENTRY as PRAM;
pub(super) use rank_swap::ENTRY as RANK_SWAP;
pub(crate) use rank_swap::span_and_tails;
pub(super) use record_swap::ENTRY as RECORD_SWAP;
pub(super) use shuffle::ENTRY as SHUFFLE;

use super::{Facts, StepTruth, Takes};
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

impl Facts {
    /// Values that chance decides.
    const PERTURBED: Self =
        Self { truth: StepTruth::Perturbed, needs_chance: true, takes: Takes::Together, ..Self::DERIVED };
}

/// A number among the parameters that is greater than a bound and at most another.
fn number_within(parameters: &Parameters, name: &str, above: f64, most: f64) -> Result<Option<f64>> {
    let Some(number) = super::decimal(parameters, name)? else { return Ok(None) };
    let number = number.float();
    if number > above && number <= most {
        return Ok(Some(number));
    }
    let wish = if most == f64::INFINITY {
        format!("must be a number above {above}")
    } else {
        format!("must be a number above {above} and at most {most}")
    };
    Err(parameters.placed(name, Error::config(format_args!("{name} {wish}"))))
}

/// Floating-point numbers among the parameters.
fn floats(parameters: &Parameters, name: &str) -> Result<Option<Vec<f64>>> {
    Ok(super::decimals(parameters, name)?
        .map(|numbers| numbers.into_iter().map(super::Decimal::float).collect()))
}

/// Floating-point numbers as a parameter, without loss.
fn settled(numbers: &[f64]) -> Value {
    Value::List(numbers.iter().map(|number| Value::from(number.to_string().as_str())).collect())
}
