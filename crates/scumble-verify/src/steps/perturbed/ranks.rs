//! Numbers that were exchanged between rows.

use std::collections::BTreeMap;

use scumble_files::Control;

use super::super::{StepClaim, StepOutcome};
use super::{Numbers, groups};
use crate::error::VerifyError;
use crate::value::Decimal;
use crate::watch::Pace;

/// The fewest values whose mean a release may show.
const LEAST_IN_MEAN: usize = 3;

/// In every group the numbers are the same as before, apart from those at the ends, which show their mean; and none moved too far in rank.
pub(super) fn is_swapped(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let percent = |name: &str, default: f64| match claim.plain(name) {
        None => Ok(default),
        Some(text) => text.parse::<f64>().map_err(|_| claim.wrong("a share is no number")),
    };
    let (top, bottom) = (percent("top_percent", 5.0)?, percent("bottom_percent", 5.0)?);
    let is_found = claim.parameter("r0").is_some() || claim.parameter("k0").is_some();
    let span = match is_found {
        true if claim.parameter("p_found").is_none() => {
            return Err(claim.wrong("how far ranks may move is not known"));
        }
        true => percent("p_found", 15.0)?,
        false => percent("p", 15.0)?,
    };
    let numbers = Numbers::of(claim, 0)?;
    if let Some(row) = numbers.first_without_pair() {
        return Ok(StepOutcome::false_in(row));
    }
    let mut pace = Pace::new(control);
    let within = claim.text("within").and(claim.read.get(1).copied());
    for rows in groups(within, numbers.rows()) {
        pace.tick(rows.len())?;
        let pairs: Vec<(usize, Decimal, Decimal)> = rows
            .into_iter()
            .filter(|row| !numbers.is_missing(*row))
            .filter_map(|row| numbers.pair(row).map(|(before, after)| (row, before, after)))
            .collect();
        let mut sorted: Vec<Decimal> = pairs.iter().map(|(_, before, _)| *before).collect();
        sorted.sort_unstable();
        let count = sorted.len();
        let tail = |percent: f64| match percent {
            0.0 => 0,
            percent => ((percent * count as f64 / 100.0).floor() as usize).max(LEAST_IN_MEAN),
        };
        let low = tail(bottom).min(count);
        let high = tail(top).min(count - low);
        let means = [mean(&sorted[..low], numbers.places()), mean(&sorted[count - high..], numbers.places())];
        let span = (span * (count - low - high) as f64 / 100.0).floor() as usize;
        // What the group must show as a whole.
        let mut left: BTreeMap<Decimal, i64> = BTreeMap::new();
        sorted[low..count - high].iter().for_each(|number| *left.entry(*number).or_default() += 1);
        for (mean, rows) in means.iter().zip([low, high]) {
            if let Some(mean) = mean {
                *left.entry(*mean).or_default() += rows as i64;
            }
        }
        for (row, before, after) in pairs {
            let rank = |number: Decimal| {
                (sorted.partition_point(|of| *of < number), sorted.partition_point(|of| *of <= number))
            };
            let (from, to) = (rank(before), rank(after));
            let is_in_tail = (means[0] == Some(after) && from.0 < low)
                || (means[1] == Some(after) && from.1 > count - high);
            let apart = if before <= after {
                (to.0 + 1).saturating_sub(from.1)
            } else {
                (from.0 + 1).saturating_sub(to.1)
            };
            let is_near = to.0 < to.1 && apart <= span;
            let of = left.get_mut(&after);
            let is_left = of.is_some_and(|left| {
                *left -= 1;
                *left >= 0
            });
            if !is_left || !(is_in_tail || is_near) {
                return Ok(StepOutcome::false_in(row));
            }
        }
    }
    Ok(StepOutcome { holds: true, first_false: None })
}

/// The mean of numbers to so many decimal places, halves to the even digit.
fn mean(numbers: &[Decimal], places: i64) -> Option<Decimal> {
    let sum: i128 = numbers.iter().map(|number| number.scaled(places)).sum::<Option<i128>>()?;
    let count = i128::try_from(numbers.len()).ok().filter(|count| *count > 0)?;
    let (whole, twice) = (sum.div_euclid(count), 2 * sum.rem_euclid(count));
    let up = twice > count || (twice == count && whole.rem_euclid(2) == 1);
    Decimal::read(&format!("{}e-{places}", whole + i128::from(up)), false)
}

/// Every column has the same numbers as before, in other rows.
pub(super) fn is_shuffled(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let mut pace = Pace::new(control);
    for place in 0..claim.made.len() {
        let numbers = Numbers::of(claim, place)?;
        if let Some(row) = numbers.first_without_pair() {
            return Ok(StepOutcome::false_in(row));
        }
        let mut counts: BTreeMap<Decimal, i64> = BTreeMap::new();
        for row in (0..numbers.rows()).filter(|row| !numbers.is_missing(*row)) {
            pace.tick(1)?;
            if let Some((before, after)) = numbers.pair(row) {
                *counts.entry(before).or_default() += 1;
                *counts.entry(after).or_default() -= 1;
            }
        }
        if counts.values().any(|count| *count != 0) {
            return Ok(StepOutcome { holds: false, first_false: None });
        }
    }
    Ok(StepOutcome { holds: true, first_false: None })
}
