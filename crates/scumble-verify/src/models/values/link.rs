//! (X,Y)-linkability: no protected value has more than a given share of a group.

use scumble_files::table::CodedColumn;

use super::super::requirement::{Parameters, texts};
use super::super::{Judgement, LIST};
use super::{Judge, is_share};
use crate::error::VerifyError;
use crate::exact::Rational;

/// The largest share of a protected value.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Link {
    pub(in super::super) h: Rational,
    /// The protected values; all if there is no list.
    values: Option<Vec<String>>,
}

impl Link {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        let h = parameters.number("h")?;
        if !is_share(h) {
            return Err(parameters.error("h", "it must be greater than 0 and at most 1"));
        }
        let values = parameters.optional("values", LIST, texts)?;
        if values.as_ref().is_some_and(Vec::is_empty) {
            return Err(parameters.error("values", "it names no value"));
        }
        Ok(Self { h, values })
    }

    pub(super) fn prepare(&self, column: &CodedColumn) -> Judge<'_> {
        let named =
            |text: &str| self.values.as_ref().is_none_or(|values| values.iter().any(|value| value == text));
        let protected: Vec<bool> = column.values.iter().map(named).collect();
        Box::new(move |size, histogram| {
            let counted = histogram.iter().filter(|&&(code, _)| protected[code as usize]);
            let most = counted.map(|&(_, rows)| rows).max().unwrap_or(0);
            Judgement {
                holds: self.h.compare(most.into(), size.into()).is_ge(),
                attained: most as f64 / size as f64,
            }
        })
    }
}
