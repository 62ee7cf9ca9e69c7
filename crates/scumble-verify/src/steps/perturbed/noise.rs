//! Numbers with noise, or multiplied by random factors.

use scumble_files::Control;

use super::super::{StepClaim, StepOutcome};
use super::Numbers;
use crate::error::VerifyError;
use crate::watch::check;

/// Numbers stay numbers, of the same precision, within their bounds; zeros stay where that is promised; and so do exact means and covariances.
pub(super) fn is_noisy(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let keeps_zeros = claim.text("zeros") == Some("keep");
    let exact = claim.parameter("exact").and_then(serde_json::Value::as_bool) == Some(true);
    let is_bounded = match claim.text("bounds") {
        None => !exact,
        Some("reflect" | "clip") => true,
        Some("none") => false,
        Some(_) => return Err(claim.wrong("what happens beyond the bounds is not known")),
    };
    let mut columns = Vec::new();
    for place in 0..claim.made.len() {
        check(control)?;
        let numbers = Numbers::of(claim, place)?;
        if let Some(row) = numbers.first_without_pair() {
            return Ok(StepOutcome::false_in(row));
        }
        let places = settled_places(claim, place).unwrap_or_else(|| numbers.places());
        let (low, high) = claim.bounds[place];
        let half = half_unit(places);
        let breaks = |row: &usize| {
            let Some((before, after)) = numbers.pair(*row).filter(|_| !numbers.is_missing(*row)) else {
                return false;
            };
            let is_outside = low.is_some_and(|low| after.float() < low - half)
                || high.is_some_and(|high| after.float() > high + half);
            let was_zero = keeps_zeros && before.float() == 0.0;
            if was_zero { before != after } else { after.places() > places || (is_bounded && is_outside) }
        };
        if let Some(row) = (0..numbers.rows()).find(breaks) {
            return Ok(StepOutcome::false_in(row));
        }
        columns.push(numbers);
    }
    let holds = !exact || moments_stay(&columns, keeps_zeros);
    Ok(StepOutcome { holds, first_false: None })
}

/// The decimal places that an earlier table has settled.
fn settled_places(claim: &StepClaim<'_>, place: usize) -> Option<i64> {
    claim.list("places")?.get(place)?.parse().ok()
}

fn half_unit(places: i64) -> f64 {
    0.5 * 10_f64.powi(-places as i32) * (1.0 + 1e-9)
}

/// Whether the rows that were changed in all columns have the same means and covariances, up to what rounding moves.
fn moments_stay(columns: &[Numbers<'_>], keeps_zeros: bool) -> bool {
    let is_changed = |column: &Numbers<'_>, row: usize| {
        !column.is_missing(row)
            && column.pair(row).is_some_and(|(before, _)| !(keeps_zeros && before.float() == 0.0))
    };
    let rows: Vec<usize> = (0..columns.first().map_or(0, Numbers::rows))
        .filter(|row| columns.iter().all(|column| is_changed(column, *row)))
        .collect();
    let count = rows.len() as f64;
    if count < 2.0 {
        return false;
    }
    let numbers = |column: &Numbers<'_>, after: bool| -> Vec<f64> {
        let pairs = rows.iter().filter_map(|row| column.pair(*row));
        pairs.map(|(before, then)| if after { then } else { before }.float()).collect()
    };
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / count;
    let covariance = |a: &[f64], b: &[f64]| {
        let (of_a, of_b) = (mean(a), mean(b));
        a.iter().zip(b).map(|(a, b)| (a - of_a) * (b - of_b)).sum::<f64>() / (count - 1.0)
    };
    columns.iter().enumerate().all(|(at, one)| {
        let (before, after) = (numbers(one, false), numbers(one, true));
        let half = half_unit(one.places());
        let deviation = covariance(&before, &before).sqrt();
        let mean_stays =
            (mean(&before) - mean(&after)).abs() <= half + 1e-9 * (mean(&before).abs() + deviation);
        mean_stays
            && columns[..=at].iter().all(|other| {
                let (other_before, other_after) = (numbers(other, false), numbers(other, true));
                let (other_half, other_deviation) =
                    (half_unit(other.places()), covariance(&other_before, &other_before).sqrt());
                let room = (half * other_deviation + other_half * deviation + half * other_half) * count
                    / (count - 1.0)
                    + 1e-9 * deviation * other_deviation;
                (covariance(&before, &other_before) - covariance(&after, &other_after)).abs() <= room
            })
    })
}

/// Zeros stay, and the sign of other numbers; in a band every number moves by at least one share of itself and at most another.
pub(super) fn is_multiplied(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let share = |name: &str| claim.plain(name).and_then(|text| text.parse::<f64>().ok());
    let band = match claim.text("method") {
        None | Some("lognormal") => None,
        Some("band") => share("from").zip(share("to")),
        Some(_) => return Err(claim.wrong("the method is not known")),
    };
    if claim.text("method") == Some("band") && band.is_none() {
        return Err(claim.wrong("the shares of the band are not known"));
    }
    for place in 0..claim.made.len() {
        check(control)?;
        let numbers = Numbers::of(claim, place)?;
        if let Some(row) = numbers.first_without_pair() {
            return Ok(StepOutcome::false_in(row));
        }
        let places = settled_places(claim, place).unwrap_or_else(|| numbers.places());
        let (low, high) = claim.bounds[place];
        let unit = 2.0 * half_unit(places);
        let breaks = |row: &usize| {
            let Some((before, after)) = numbers.pair(*row).filter(|_| !numbers.is_missing(*row)) else {
                return false;
            };
            if before.float() == 0.0 {
                return before != after;
            }
            let (before, then) = (before.float(), after.float());
            let room = 1e-9 * before.abs();
            let is_far_enough = band.is_none_or(|(from, to)| {
                let moved = (then - before).abs();
                from * before.abs() - room <= moved && moved <= to * before.abs() + unit + room
            });
            let keeps_sign = then == 0.0 || (then > 0.0) == (before > 0.0) || band.is_none() && low.is_some();
            let is_outside =
                low.is_some_and(|low| then < low - unit) || high.is_some_and(|high| then > high + unit);
            after.places() > places || !is_far_enough || !keeps_sign || is_outside
        };
        if let Some(row) = (0..numbers.rows()).find(breaks) {
            return Ok(StepOutcome::false_in(row));
        }
    }
    Ok(StepOutcome { holds: true, first_false: None })
}
