//! How a value's share of a class differs from its share of the original table: beta-likeness and delta-disclosure privacy.
//!
//! If c of the s rows of a class have a value, and p of the n rows of the original, its shares are q = c/s and p/n. Their
//! quotient c·n / (p·s) is a fraction of integers. Where a logarithm is involved, the comparison is in floating point. It is
//! correct for everything that is further than 1e-12 from the bound; and a bound that is given as a fraction is never met
//! exactly, since the logarithm of a fraction other than 1 is not a fraction.

use scumble_files::table::CodedColumn;

use super::super::Judgement;
use super::super::original::{Baseline, Original, described};
use super::Judge;
use crate::error::VerifyError;
use crate::exact::Rational;

/// beta-likeness: the relative growth (q − p)/p of a value's share is at most `beta`; if enhanced, also at most −ln p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Growth {
    pub(in super::super) beta: Rational,
    pub(in super::super) enhanced: bool,
}

impl Growth {
    pub(super) fn prepare(
        &self,
        column: &CodedColumn,
        baseline: Baseline<'_>,
    ) -> Result<(Judge<'_>, Option<String>), VerifyError> {
        let (described, remark) = described(column, baseline)?;
        let (original, _) = Original::new(column, &described)?;
        let judge = move |size: u64, histogram: &[(u32, u64)]| {
            let mut judgement = Judgement { holds: true, attained: 0.0 };
            for &(code, rows) in histogram {
                let before = original.count[code as usize];
                let (grown, base) = growth(&original, size, before, rows);
                let gain = grown as f64 / base as f64;
                let mut figure = gain;
                judgement.holds &= grown == 0 || self.beta.compare(grown, base).is_ge();
                if self.enhanced && grown > 0 && gain > (original.total as f64 / before as f64).ln() {
                    judgement.holds = false;
                    // No beta would do.
                    figure = f64::INFINITY;
                }
                judgement.attained = judgement.attained.max(figure);
            }
            judgement
        };
        Ok((Box::new(judge), remark))
    }
}

/// Returns the growth of a share as a fraction. Its denominator is 0 if the value is not in the original; the fraction is 0 if
/// the share does not grow.
fn growth(original: &Original, size: u64, before: u64, rows: u64) -> (u128, u128) {
    let base = u128::from(before) * u128::from(size);
    ((u128::from(rows) * u128::from(original.total)).saturating_sub(base), base)
}

/// Returns the smallest beta of basic beta-likeness for a class.
pub(in super::super) fn largest_growth(original: &Original, size: u64, histogram: &[(u32, u64)]) -> f64 {
    let gain = |&(code, rows): &(u32, u64)| {
        let (grown, base) = growth(original, size, original.count[code as usize], rows);
        grown as f64 / base as f64
    };
    histogram.iter().map(gain).fold(0.0, f64::max)
}

/// Returns the smallest beta of enhanced beta-likeness for a class; infinite if a share grows by more than −ln p.
pub(in super::super) fn largest_enhanced_growth(
    original: &Original,
    size: u64,
    histogram: &[(u32, u64)],
) -> f64 {
    let gain = |&(code, rows): &(u32, u64)| {
        let before = original.count[code as usize];
        let (grown, base) = growth(original, size, before, rows);
        let gain = grown as f64 / base as f64;
        let allowed = grown == 0 || gain <= (original.total as f64 / before as f64).ln();
        if allowed { gain } else { f64::INFINITY }
    };
    histogram.iter().map(gain).fold(0.0, f64::max)
}

/// delta-disclosure privacy: |ln(q/p)| is less than `delta` for every value of the original.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Change {
    pub(in super::super) delta: Rational,
}

impl Change {
    pub(super) fn prepare(
        &self,
        column: &CodedColumn,
        baseline: Baseline<'_>,
    ) -> Result<(Judge<'_>, Option<String>), VerifyError> {
        let (described, remark) = described(column, baseline)?;
        let (original, _) = Original::new(column, &described)?;
        let delta = self.delta.to_f64();
        let judge = move |size: u64, histogram: &[(u32, u64)]| {
            let attained = largest_change(&original, size, histogram);
            Judgement { holds: attained < delta, attained }
        };
        Ok((Box::new(judge), remark))
    }
}

/// Returns the largest |ln(q/p)| of a class; infinite if the class lacks a value of the original, or has a value that is not in
/// the original.
pub(in super::super) fn largest_change(original: &Original, size: u64, histogram: &[(u32, u64)]) -> f64 {
    if histogram.len() < original.values {
        return f64::INFINITY;
    }
    let change = |&(code, rows): &(u32, u64)| {
        let before = u128::from(original.count[code as usize]) * u128::from(size);
        let now = u128::from(rows) * u128::from(original.total);
        // x / 0 is infinite, and so is its logarithm.
        (now as f64 / before as f64).ln().abs()
    };
    histogram.iter().map(change).fold(0.0, f64::max)
}
