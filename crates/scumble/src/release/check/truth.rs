//! Checks whether a table is true of its original.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_verify::{
    Cover, Drops, Nodes, Truth, TruthOutcome, ValueKind, check_truth, check_truth_with_map,
};

use super::{cannot_check, is_elsewhere, records, side_by_side};
use crate::config::{Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::registry::Method;
use crate::release::claim::{cover, mean, renumbered, same_value, value_kind, weight_rule};
use crate::release::prepare::{counted_by_value, payload_of, prepare, spelt_once};
use crate::release::resources::Resources;

/// Columns that say whom a row is about, or what people guard, and that both tables have. No release shows them, but a private copy of it may,
/// for models that need them.
fn private_columns<'a>(release: &CodedTable, original: &CodedTable, plan: &'a Plan) -> Vec<&'a str> {
    let private = [Role::Subject, Role::Household, Role::Guarding];
    let named = private.into_iter().flat_map(|role| plan.names_with(role));
    let named = named.filter(|name| plan.renumbered() != Some(*name));
    named.filter(|name| release.column(name).is_some() && original.column(name).is_some()).collect()
}

/// The note about a table that still has such columns.
pub(super) fn private_note(
    release: &CodedTable,
    original: Option<&CodedTable>,
    plan: &Plan,
) -> Option<String> {
    let columns = private_columns(release, original?, plan);
    let one = columns.first()?;
    Some(format!(
        "the table still has the column '{one}', which was compared with the original; this is a private copy, and not to be published"
    ))
}

/// Checks whether every released row is true of the original row that the row map gives it or, without a row map, whether the released rows can
/// be assigned to original rows of which they are true. Some columns may show something else in place of their values.
pub(super) fn truthful(
    release: &CodedTable,
    original: &CodedTable,
    row_map: Option<&[u32]>,
    instead: &[(&str, records::Instead)],
    plan: &Plan,
    resources: &Resources,
) -> Result<TruthOutcome> {
    // Hierarchies are built as for the release: from the plan and from the rows that it was made of.
    let spelt = spelt_once(original, plan)?;
    let prepared = prepare(&spelt, plan, resources, side_by_side::needs_trees(plan))?;
    let means = match crate::registry::method(&plan.algorithm.name)? {
        Method::Classes(entry) => (entry.build)(&plan.algorithm.parameters)?.capabilities().shows_means,
        Method::Records(_) | Method::Tables(_) => false,
    };
    let private = private_columns(release, original, plan);
    let counted = counted_by_value(plan);
    let mut columns = Vec::new();
    let mut unexplained = Vec::new();
    for (name, column) in &plan.columns {
        let instead = instead.iter().find(|(of, _)| of == name).map(|(_, instead)| *instead);
        let truth = if is_elsewhere(release, name, plan) {
            Truth::Absent
        } else if plan.drawn.unrepeated.contains(name) {
            Truth::Unpromised
        } else if let Some(quasi) = prepared.quasi.iter().find(|quasi| quasi.name == *name) {
            if means {
                columns.push((name.clone(), mean(quasi)));
                continue;
            }
            let cover = cover(quasi, column.missing.clone().unwrap_or_else(|| plan.read.missing.clone()))?;
            unexplained.extend(needs_hierarchy(release, original, quasi, &cover, resources.control())?);
            Truth::Covers(cover)
        } else if instead == Some(records::Instead::Exchanged) {
            Truth::Permuted
        } else if instead == Some(records::Instead::Sets) {
            let values = original.column(name).map(|column| payload_of(column, plan)).transpose()?;
            Truth::Covers(Cover {
                kind: values.as_ref().map_or(ValueKind::Text, |(values, _)| value_kind(&values.measure)),
                nodes: Nodes::default(),
                missing: values.map(|(values, _)| values.missing).unwrap_or_default(),
            })
        } else if plan.renumbered() == Some(name) {
            renumbered(&spelt, name, plan)?
        } else if private.contains(&name.as_str())
            || column.role.has(Role::Weight)
            || Role::EXACT.iter().any(|role| column.role.has(*role))
        {
            let weight = weight_rule(plan, name, &spelt);
            weight.map_or_else(|| same_value(&spelt, name, &counted, plan), Ok)?
        } else {
            Truth::Absent
        };
        columns.push((name.clone(), truth));
    }
    if !unexplained.is_empty() {
        let (verb, whose) =
            if unexplained.len() == 1 { ("needs", "its hierarchy") } else { ("need", "their hierarchies") };
        return Err(Error::config(format!(
            "the release cannot be compared with its original: {} {verb} {whose}, since some labels are neither values nor intervals",
            unexplained.join(" and ")
        ))
        .set(Setting::root("plan"), "give the plan that the release was made by")
        .set(Setting::root("hierarchies"), "give the hierarchies that the release was made with"));
    }
    let drops = if release.rows < original.rows { Drops::Allowed } else { Drops::Forbidden };
    match row_map {
        Some(map) => check_truth_with_map(release, original, map, &columns, drops, resources.control()),
        None => check_truth(release, original, &columns, drops, resources.control()),
    }
    .map_err(cannot_check)
}

/// The column in words, if it shows labels that cannot be read without an unknown hierarchy: they are neither values of
/// the original nor intervals.
fn needs_hierarchy(
    release: &CodedTable,
    original: &CodedTable,
    quasi: &crate::table::quasi::Quasi,
    cover: &Cover,
    control: &Control,
) -> Result<Option<String>> {
    let name = &quasi.name;
    let both = release.column(name).zip(original.column(name)).filter(|_| quasi.tree().is_none());
    let Some((released, originals)) = both else { return Ok(None) };
    let says_nothing = |text: &str| {
        matches!(scumble_verify::parse(text), scumble_verify::Label::Plain(_))
            && quasi.measure.number(text).is_none()
    };
    let true_of: Vec<Vec<u32>> =
        scumble_verify::covering(cover, &released.values, &originals.values, control)
            .map_err(cannot_check)?;
    let mut understood = vec![false; released.values.len()];
    true_of.iter().flatten().for_each(|label| understood[*label as usize] = true);
    let labels = released.values.iter().zip(&understood);
    let unread = labels.into_iter().any(|(text, understood)| !understood && says_nothing(text));
    Ok(unread.then(|| format!("column '{name}'")))
}
