//! Categories that were replaced by others.

use std::collections::BTreeSet;

use scumble_files::Control;

use super::super::{StepClaim, StepOutcome};
use super::groups;
use crate::error::VerifyError;
use crate::watch::Pace;

/// Every row shows categories that somebody of its group has, or that are declared; a category that surely stays stays; missing values stay.
pub(super) fn is_redrawn(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let columns = claim.made.len();
    let flag = |name: &str| claim.parameter(name).and_then(serde_json::Value::as_bool) == Some(true);
    if columns > 1 && !flag("joint") {
        return Err(claim.wrong("several columns are redrawn together only as one"));
    }
    let missing_is_value = claim.text("missing") == Some("value");
    let surely_stays = claim.plain("pd").and_then(|text| text.parse::<f64>().ok()) == Some(1.0);
    let before = |row: usize| -> Vec<&str> {
        claim.read[..columns].iter().map(|column| column.values.get(column.codes.get(row))).collect()
    };
    let after = |row: usize| -> Vec<&str> {
        claim.made.iter().map(|column| column.values.get(column.codes.get(row))).collect()
    };
    let is_whole = |texts: &[&str]| {
        missing_is_value || texts.iter().enumerate().all(|(place, text)| !claim.is_missing(place, text))
    };
    let declared = claim.list("values").or_else(|| claim.list("known"));
    let never = impossible(claim, declared.as_deref());
    let within = claim.text("within").and(claim.read.last().copied());
    let rows = claim.made().codes.len();
    let mut pace = Pace::new(control);
    for group in groups(within, rows) {
        let has = group.iter().map(|row| before(*row)).filter(|texts| is_whole(texts));
        let has: BTreeSet<Vec<&str>> = has.collect();
        for row in group {
            pace.tick(1)?;
            let (before, after) = (before(row), after(row));
            let is_declared = || {
                let text = after.join("\u{1f}");
                declared.as_ref().is_some_and(|known| known.contains(&text))
            };
            let may = match is_whole(&before) {
                false => before == after,
                true if surely_stays => before == after,
                true => {
                    let pair = (before.join("\u{1f}"), after.join("\u{1f}"));
                    (has.contains(&after) || is_declared()) && !never.contains(&pair)
                }
            };
            if !may {
                return Ok(StepOutcome::false_in(row));
            }
        }
    }
    Ok(StepOutcome { holds: true, first_false: None })
}

/// The changes from one category to another that a matrix gives no probability.
fn impossible(claim: &StepClaim<'_>, known: Option<&[String]>) -> BTreeSet<(String, String)> {
    let (Some(known), Some(chances)) = (known, claim.list("chances")) else { return BTreeSet::new() };
    let is_zero = |text: &str| {
        text.split('/')
            .next()
            .and_then(|number| number.trim().parse::<f64>().ok())
            .is_none_or(|number| number == 0.0)
    };
    let pairs = known.iter().flat_map(|from| known.iter().map(move |to| (from, to)));
    let never = pairs.zip(&chances).filter(|(_, chance)| is_zero(chance));
    never.map(|((from, to), _)| (from.clone(), to.clone())).collect()
}
