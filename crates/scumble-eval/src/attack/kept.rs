//! Finds out what a release really promises, because the given plan may ask for something else than the one it was made
//! by.

use scumble::Result;
use scumble::config::{ModelSpec, Plan, Role, Value};
use scumble::release::Promised;
use scumble::risk::RiskClasses;
use scumble_files::table::CodedTable;

/// Replaces the group size that the plan asks for by the size that the release keeps, and returns notes that name both.
/// The size comes from the release's datasheet or, without one, from its smallest group.
pub(super) fn keep(
    plan: &mut Plan,
    release: &CodedTable,
    sheet: Option<&[Promised]>,
    perturbed: &[String],
) -> Result<Vec<String>> {
    let asked = |spec: &ModelSpec| match spec.parameters.get("k") {
        Some(Value::Integer(k)) if spec.is_size_alone() && spec.quasi.is_none() => u64::try_from(*k).ok(),
        _ => None,
    };
    let Some(k) = plan.privacy.iter().find_map(asked) else { return Ok(Vec::new()) };
    let quasi: Vec<String> = plan
        .names_with(Role::Quasi)
        // People who show the same wrong values are no group.
        .filter(|name| release.column(name).is_some() && !perturbed.iter().any(|of| of == name))
        .map(str::to_owned)
        .collect();
    let (found, how) = match sheet.and_then(|sheet| promised(sheet, &quasi)) {
        Some(promised) => (promised, "by its datasheet"),
        None => match smallest(release, &quasi)? {
            // A smallest group larger than the plan asks for does not contradict the plan.
            Some(smallest) if smallest < k => (smallest, "by its smallest group"),
            _ => return Ok(Vec::new()),
        },
    };
    if found == k {
        return Ok(Vec::new());
    }
    for spec in plan.privacy.iter_mut().filter(|spec| asked(spec).is_some()) {
        spec.parameters.set("k", Value::Integer(i64::try_from(found).unwrap_or(i64::MAX)));
    }
    Ok(vec![format!(
        "the plan asks for k = {k}, but the release keeps k = {found} {how}, so it was not made by this plan alone; the attacks count on \
         k = {found}"
    )])
}

/// Returns the k of a promise such as `5-anonymity` on these columns.
fn promised(sheet: &[Promised], quasi: &[String]) -> Option<u64> {
    let on_all = |of: &&Promised| quasi.iter().all(|name| of.on.contains(name));
    sheet.iter().filter(on_all).find_map(|of| of.model.strip_suffix("-anonymity")?.parse().ok())
}

/// Returns the number of rows in the smallest group other than the group of suppressed rows.
fn smallest(release: &CodedTable, quasi: &[String]) -> Result<Option<u64>> {
    if quasi.is_empty() {
        return Ok(None);
    }
    let classes = RiskClasses::of_table(release, quasi)?;
    let shown = classes.sizes.iter().enumerate().filter(|(class, _)| classes.star != Some(*class as u32));
    Ok(shown.map(|(_, size)| *size).min())
}

#[cfg(test)]
mod tests {
    use super::super::planned::table;
    use super::*;

    fn plan(k: u64) -> Plan {
        let text = format!(
            "input = \"a.csv\"\noutput = \"b.csv\"\n[columns.age]\nrole = \"quasi\"\n[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n"
        );
        Plan::from_toml(&text, "plan.toml").expect("a plan")
    }

    fn kept(k: u64, sheet: Option<&str>) -> (Value, usize) {
        let release = table("age\n30-39\n30-39\n30-39\n40-49\n40-49\n*");
        let mut plan = plan(k);
        let sheet = sheet.map(|model| vec![Promised { model: model.to_owned(), on: vec!["age".to_owned()] }]);
        let said = keep(&mut plan, &release, sheet.as_deref(), &[]).expect("groups");
        (plan.privacy[0].parameters.get("k").expect("a k").clone(), said.len())
    }

    #[test]
    fn what_the_release_keeps_counts() {
        assert_eq!(kept(5, Some("2-anonymity")), (Value::Integer(2), 1));
        assert_eq!(kept(5, None), (Value::Integer(2), 1), "two groups, and a suppressed row that is none");
        assert_eq!(kept(5, Some("distinct 2-diversity")), (Value::Integer(2), 1), "nothing is said of sizes");
        assert_eq!(kept(2, Some("2-anonymity")), (Value::Integer(2), 0));
        assert_eq!(kept(2, None), (Value::Integer(2), 0));
    }
}
