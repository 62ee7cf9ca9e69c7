//! Rare values, masked texts, and ZIP codes.

use super::{Rule, StepClaim};
use crate::error::VerifyError;

/// A value that was kept, or the label of the others.
pub(super) fn lumped<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let keep = claim.list("keep").ok_or_else(|| claim.wrong("the values that stay are not known"))?;
    let label = claim.text("label").unwrap_or("other").to_owned();
    Ok(Rule::texts(move |texts, made| {
        let stays = keep.iter().any(|kept| kept == texts[0]);
        made == if stays { texts[0] } else { &label }
    }))
}

/// Every character stays or is hidden, by its place among those that are no separators.
pub(super) fn masked<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let left = claim.whole("keep_left").unwrap_or(0);
    let right = claim.whole("keep_right").unwrap_or(0);
    let with = claim.plain("with").unwrap_or_else(|| "x".to_owned());
    let keep = claim.plain("keep").unwrap_or_else(|| "-. /".to_owned());
    let length = claim.whole("length");
    let fixed = claim.parameter("fixed_length").and_then(serde_json::Value::as_bool) == Some(true);
    if fixed && length.is_none() {
        return Err(claim.wrong("the length of masked texts is not known"));
    }
    Ok(Rule::texts(move |texts, made| {
        let characters: Vec<char> = texts[0].chars().collect();
        let counted: Vec<usize> =
            (0..characters.len()).filter(|place| !keep.contains(characters[*place])).collect();
        let filler = with.repeat(length.map_or(0, |length| length.saturating_sub(counted.len())));
        // The filler stands where the characters that stay at the end begin, but behind those that stay at the beginning.
        let shown_from = counted.len().saturating_sub(right).max(left);
        let mut expected = String::new();
        for (place, character) in characters.iter().enumerate() {
            match counted.iter().position(|counted| *counted == place) {
                None => expected.push(*character),
                Some(nth) => {
                    if nth == shown_from {
                        expected += &filler;
                    }
                    let stays = nth < left || nth + right >= counted.len();
                    expected += &if stays { character.to_string() } else { with.clone() };
                }
            }
        }
        if shown_from >= counted.len() {
            expected += &filler;
        }
        made == expected
    }))
}

/// The first three digits, or `000` for a listed area.
pub(super) fn zip3<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    let small =
        claim.list("small").ok_or_else(|| claim.wrong("the sparsely populated areas are not known"))?;
    let pad = claim.parameter("pad").and_then(serde_json::Value::as_bool) == Some(true);
    Ok(Rule::texts(move |texts, made| {
        let code = texts[0].trim();
        let code = match code.find('-') {
            Some(at) if code.len() - at == 5 => &code[..at],
            Some(_) => return false,
            None => code,
        };
        let padded = if pad && code.len() == 4 { format!("0{code}") } else { code.to_owned() };
        if padded.len() != 5 || !padded.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let area = &padded[..3];
        made == if small.iter().any(|listed| listed == area) { "000" } else { area }
    }))
}
