//! Numbers that were coded at an end, rounded, or put into bands.

use rayon::prelude::*;

use super::{Rule, StepClaim};
use crate::error::VerifyError;
use crate::value::Decimal;

/// Whether the numbers of a column have a decimal comma. A point decides where all texts can be read with it.
pub(super) fn has_comma(texts: &[&str]) -> bool {
    let is_comma = |text: &&str| Decimal::read(text, false).is_none() && Decimal::read(text, true).is_some();
    texts.par_iter().with_min_len(1 << 10).any(is_comma)
}

/// A parameter that is a number.
fn number(claim: &StepClaim<'_>, name: &str) -> Result<Option<Decimal>, VerifyError> {
    let Some(text) = claim.plain(name) else { return Ok(None) };
    Decimal::read(&text, false)
        .map(Some)
        .ok_or_else(|| claim.wrong("a parameter that must be a number is none"))
}

/// Values at the limit or beyond it show what the step says; the others are as they were.
pub(super) fn coded<'a>(claim: &StepClaim<'a>, top: bool) -> Result<Rule<'a>, VerifyError> {
    let present: Vec<&str> =
        claim.present(0).into_iter().map(|text| text.trim_start_matches(['<', '>', '='])).collect();
    let comma = has_comma(&present);
    let limit = number(claim, "limit")?.ok_or_else(|| claim.wrong("the limit is not known"))?;
    let write = claim.plain("write").unwrap_or_default();
    let shown = match write.as_str() {
        "label" | "limit" => Some(limit),
        other => Decimal::read(other, false),
    };
    let shown = shown.ok_or_else(|| claim.wrong("what coded values show is not known"))?;
    let sign = match (write == "label", top) {
        (false, _) => "",
        (true, true) => ">=",
        (true, false) => "<=",
    };
    Ok(Rule::texts(move |texts, made| {
        let Some(original) = Decimal::read(texts[0], comma) else {
            // What the step at the other end has coded stays, if it lies inside this limit.
            let sign = if top { "<=" } else { ">=" };
            let end = texts[0].strip_prefix(sign).and_then(|end| Decimal::read(end, comma));
            return made == texts[0] && end.is_some_and(|end| if top { end < limit } else { end > limit });
        };
        if if top { original < limit } else { original > limit } {
            return made == texts[0];
        }
        made.strip_prefix(sign).and_then(|number| Decimal::read(number, comma)) == Some(shown)
    }))
}

/// The nearest multiple, or for a draw one less than a base away.
pub(super) fn rounded<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let comma = has_comma(&claim.present(0));
    let base = number(claim, "base")?;
    let digits = claim.whole("digits");
    let drawn = match claim.text("mode") {
        None | Some("half_even") => false,
        Some("random" | "controlled") => true,
        Some(_) => return Err(claim.wrong("the mode of rounding is not known")),
    };
    if base.is_none() == digits.is_none() {
        return Err(claim.wrong("rounding has one base, or a number of digits"));
    }
    Ok(Rule::texts(move |texts, made| {
        let Some((original, made)) = Decimal::read(texts[0], comma).zip(Decimal::read(made, comma)) else {
            return false;
        };
        let Some(base) = base.or_else(|| power_for(original, digits?)) else { return original == made };
        fits(original, made, base, drawn).unwrap_or(false)
    }))
}

/// The power of ten that is the last of so many digits of a number; `None` for zero, which has no digits.
fn power_for(number: Decimal, digits: usize) -> Option<Decimal> {
    let first = number.first_place()?;
    Decimal::read(&format!("1e{}", first - digits as i64 + 1), false)
}

/// Whether a number may be what another was rounded to.
fn fits(original: Decimal, made: Decimal, base: Decimal, drawn: bool) -> Option<bool> {
    let places = [original, made, base].into_iter().map(Decimal::places).max()?;
    let [original, made, base] = [original.scaled(places)?, made.scaled(places)?, base.scaled(places)?];
    if base <= 0 || made.rem_euclid(base) != 0 {
        return Some(false);
    }
    let away = (made - original).abs();
    if drawn {
        return Some(away < base);
    }
    // Of two equally near multiples, the even one.
    Some(2 * away < base || (2 * away == base && made.div_euclid(base) % 2 == 0))
}

/// The band that a number lies in, by its label.
pub(super) fn in_bands<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let comma = has_comma(&claim.present(0));
    let at = claim.list("at").ok_or_else(|| claim.wrong("the edges are not known"))?;
    let edges: Option<Vec<Decimal>> = at.iter().map(|edge| Decimal::read(edge, false)).collect();
    let edges = edges.filter(|edges| !edges.is_empty() && edges.is_sorted_by(|a, b| a < b));
    let edges = edges.ok_or_else(|| claim.wrong("the edges are not numbers that ascend"))?;
    let labels = claim.list("labels");
    if labels.as_ref().is_some_and(|labels| labels.len() != edges.len()) {
        return Err(claim.wrong("there is not one label for each band"));
    }
    match claim.text("closed") {
        None | Some("left") => {}
        Some("right") => return Ok(above_edges(edges, labels, comma)),
        Some(_) => return Err(claim.wrong("which end of a band is included is not known")),
    }
    Ok(Rule::texts(move |texts, made| {
        let Some(original) = Decimal::read(texts[0], comma) else { return false };
        let Some(band) = edges.iter().rposition(|edge| *edge <= original) else { return false };
        if let Some(labels) = &labels {
            return made == labels[band];
        }
        let ends = match made.strip_prefix(">=") {
            Some(low) => (Decimal::read(low, comma), None),
            None => match crate::label::parse(made) {
                crate::Label::Interval(interval) if !interval.closed => {
                    (Decimal::read(&interval.low, comma), Decimal::read(&interval.high, comma))
                }
                _ => return false,
            },
        };
        ends == (Some(edges[band]), edges.get(band + 1).copied())
    }))
}

/// Bands that include their upper end and not their lower one: `(18,30]`, and `>65` for the last.
fn above_edges<'a>(edges: Vec<Decimal>, labels: Option<Vec<String>>, comma: bool) -> Rule<'a> {
    let between = if comma { ';' } else { ',' };
    Rule::texts(move |texts, made| {
        let Some(original) = Decimal::read(texts[0], comma) else { return false };
        let Some(band) = edges.iter().rposition(|edge| *edge < original) else { return false };
        if let Some(labels) = &labels {
            return made == labels[band];
        }
        let read = |text: &str| Decimal::read(text, comma);
        let ends = match made.strip_prefix('>') {
            Some(low) => Some((read(low), None)),
            None => made
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(']')?.split_once(between))
                .map(|(low, high)| (read(low), read(high))),
        };
        ends == Some((Some(edges[band]), edges.get(band + 1).copied()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_so_many_digits() {
        let read = |text| Decimal::read(text, false).expect("a number");
        assert_eq!(power_for(read("12345"), 2), Some(read("1000")));
        assert_eq!(power_for(read("0.0456"), 2), Some(read("0.001")));
        assert_eq!(power_for(read("0"), 2), None);
    }
}
