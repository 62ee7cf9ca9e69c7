//! Regions that households exchanged.

use std::collections::BTreeMap;

use scumble_files::Control;
use serde_json::Value;

use super::super::{StepClaim, StepOutcome};
use crate::error::VerifyError;
use crate::watch::Pace;

/// Every household shows one region, and among households that are alike in all columns which every list of similar columns has, the regions
/// are the same as before.
pub(super) fn are_swapped(claim: &StepClaim<'_>, control: &Control) -> Result<StepOutcome, VerifyError> {
    let changed = claim.made.len();
    let others = &claim.read[changed..];
    let Some((households, others)) = others.split_first() else {
        return Err(claim.wrong("the households are not known"));
    };
    let lists: Vec<Vec<String>> = match claim.parameter("similar") {
        Some(Value::Array(items)) if items.iter().any(Value::is_array) => items
            .iter()
            .map(|item| item.as_array().into_iter().flatten().map(super::super::plain).collect())
            .collect(),
        _ => claim.list("similar").into_iter().collect(),
    };
    let Some((first, more)) = lists.split_first() else {
        return Err(claim.wrong("the similar columns are not known"));
    };
    let shared: Vec<&String> =
        first.iter().filter(|name| more.iter().all(|list| list.contains(name))).collect();
    let alike: Vec<_> =
        shared.iter().filter_map(|name| others.iter().find(|column| column.name == **name)).collect();
    let mut shown: Vec<Option<Vec<u32>>> = vec![None; households.values.len()];
    let mut counts: BTreeMap<(Vec<&str>, Vec<&str>), i64> = BTreeMap::new();
    let mut pace = Pace::new(control);
    for row in 0..households.codes.len() {
        pace.tick(1)?;
        let codes: Vec<u32> = claim.made.iter().map(|column| column.codes.get(row)).collect();
        match &mut shown[households.codes.get(row) as usize] {
            Some(before) if *before == codes => {}
            Some(_) => return Ok(StepOutcome::false_in(row)),
            empty => {
                let key: Vec<&str> =
                    alike.iter().map(|column| column.values.get(column.codes.get(row))).collect();
                let before: Vec<&str> = claim.read[..changed]
                    .iter()
                    .map(|column| column.values.get(column.codes.get(row)))
                    .collect();
                let after: Vec<&str> =
                    claim.made.iter().map(|column| column.values.get(column.codes.get(row))).collect();
                *counts.entry((key.clone(), before)).or_default() += 1;
                *counts.entry((key, after)).or_default() -= 1;
                *empty = Some(codes);
            }
        }
    }
    Ok(StepOutcome { holds: counts.values().all(|count| *count == 0), first_false: None })
}
