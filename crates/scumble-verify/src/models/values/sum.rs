//! The threshold rule with weights: what the rows of a combination add up to.

use scumble_files::table::CodedColumn;

use super::super::Judgement;
use super::super::original::fault;
use super::super::requirement::Parameters;
use super::Judge;
use super::span::Numbers;
use crate::error::VerifyError;
use crate::exact::{Rational, compare_products};

/// The numbers of a class must add up to at least this.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Sum {
    pub(in super::super) least: Rational,
    /// Whether the decimal mark is a comma.
    comma: bool,
}

impl Sum {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        Ok(Self { least: parameters.positive("least")?, comma: parameters.boolean("comma")? })
    }

    pub(super) fn prepare(&self, column: &CodedColumn) -> Result<Judge<'_>, VerifyError> {
        let numbers = Numbers::read(column, self.comma, &[])?;
        let weight = |number: Option<i128>| {
            number.and_then(|number| u128::try_from(number).ok()).ok_or_else(|| {
                fault("weights", column, "every row must have one that is a number and not negative")
            })
        };
        let weights =
            numbers.of_codes().iter().map(|number| weight(*number)).collect::<Result<Vec<u128>, _>>()?;
        Ok(Box::new(move |_, histogram| {
            let mut total = 0_u128;
            for &(code, rows) in histogram {
                total = total.saturating_add(weights[code as usize].saturating_mul(rows.into()));
            }
            let order =
                compare_products(total, self.least.denominator, self.least.numerator, numbers.units());
            Judgement { holds: order.is_ge(), attained: numbers.figure(total) }
        }))
    }
}
