//! (alpha,k)-anonymity: no value has more than its share of a class.

use scumble_files::table::CodedColumn;
use serde_json::Value;

use super::super::Judgement;
use super::super::requirement::Parameters;
use super::{Judge, is_share};
use crate::error::VerifyError;
use crate::exact::Rational;

/// The shares that values may have.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Shares {
    /// The share allowed for values that have none of their own; without it, those values may have any share.
    everyone: Option<Rational>,
    /// The shares allowed for single values.
    named: Vec<(String, Rational)>,
}

impl Shares {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        let everyone = parameters.has("alpha").then(|| parameters.positive("alpha")).transpose()?;
        if everyone.is_some_and(|alpha| !is_share(alpha)) {
            return Err(parameters.error("alpha", "it must be at most 1"));
        }
        let wish = "it must be a list of pairs of a value and a share above 0 and at most 1, each value once";
        let named = parameters.optional("alphas", wish, pairs)?.unwrap_or_default();
        let mut values: Vec<&str> = named.iter().map(|(value, _)| value.as_str()).collect();
        values.sort_unstable();
        if values.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(parameters.error("alphas", wish));
        }
        if everyone.is_none() && named.is_empty() {
            return Err(parameters.error("alpha", "it is missing, and so are alphas"));
        }
        Ok(Self { everyone, named })
    }

    /// Whether the same share is allowed for all values. The figure is then a share, otherwise a multiple of the allowed share.
    pub(super) fn uniform(&self) -> bool {
        self.named.is_empty()
    }

    pub(super) fn required(&self) -> f64 {
        self.everyone.filter(|_| self.uniform()).map_or(1.0, Rational::to_f64)
    }

    pub(super) fn prepare(&self, column: &CodedColumn) -> Judge<'_> {
        let allowed = |text: &str| {
            let named = self.named.iter().find(|(value, _)| value == text).map(|(_, share)| *share);
            named.or(self.everyone)
        };
        let allowed: Vec<Option<Rational>> = column.values.iter().map(allowed).collect();
        let uniform = self.uniform();
        Box::new(move |size, histogram| {
            let mut judgement = Judgement { holds: true, attained: 0.0 };
            for &(code, rows) in histogram {
                let Some(allowed) = allowed[code as usize] else { continue };
                judgement.holds &= allowed.compare(rows.into(), size.into()).is_ge();
                let share = rows as f64 / size as f64;
                // A value that may have any share is not protected, and says nothing about those that are.
                let figure = match (uniform, allowed.integer()) {
                    (true, _) => share,
                    (false, Some(_)) => 0.0,
                    (false, None) => share / allowed.to_f64(),
                };
                judgement.attained = judgement.attained.max(figure);
            }
            judgement
        })
    }
}

fn pairs(value: &Value) -> Option<Vec<(String, Rational)>> {
    let pair = |pair: &Value| match pair.as_array()?.as_slice() {
        [Value::String(value), Value::String(share)] => {
            Some((value.clone(), Rational::parse(share).filter(|&share| is_share(share))?))
        }
        _ => None,
    };
    value.as_array()?.iter().map(pair).collect()
}
