//! Puts the claims of a run into the words of the independent verifier, with no more than it needs.

use std::collections::BTreeSet;

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Texts};
use scumble_verify::{
    Cover, Drops, ModelClaim, Nodes, ReferenceColumn, SensitiveColumn, ShownWeight, TreeTold, Truth,
    ValueKind, WeightRule, check_truth_with_map, further_spellings,
};

use crate::base::format::list;
use crate::config::{Plan, Weights};
use crate::error::{Error, Result};
use crate::models::Model;
use crate::release::prepare::{SpeltTable, counted_by_value, counts_values, payload_of};
use crate::table::date::DateFormat;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::PayloadColumn;
use crate::table::quasi::Quasi;

/// Whether the independent verifier knows a model. It knows Scumble's own models, and none that a program has added.
pub(super) fn is_verified(model: &dyn Model) -> bool {
    crate::registry::MODELS.is_own(model.name())
}

/// The suffix of a model's name where the verifier does not know the model.
pub(super) fn unverified(model: &dyn Model) -> &'static str {
    if is_verified(model) { "" } else { " (not independently verified)" }
}

/// What a model promises, for people.
pub(super) fn promise(model: &dyn Model) -> String {
    model.title() + unverified(model)
}

/// The sentence about somebody who already knows the other sensitive values, where models check each column alone. `figures` has for each
/// column the values that are left without that knowledge and with it.
pub(crate) fn given_others(columns: &[String], figures: &[(u64, u64)]) -> Option<String> {
    if figures.iter().all(|(alone, given)| alone <= given) {
        return None;
    }
    let named = |which: &dyn Fn(&(u64, u64)) -> bool| {
        let names: Vec<&String> =
            columns.iter().zip(figures).filter(|(_, of)| which(of)).map(|(name, _)| name).collect();
        list(&names, columns.len())
    };
    let each = |figure: &dyn Fn(&(u64, u64)) -> u64| {
        let figures: Vec<String> = figures.iter().map(|of| figure(of).to_string()).collect();
        list(&figures, columns.len())
    };
    // One value left is certain; several are fewer than before.
    let learnt: Vec<String> = [
        ("work out", named(&|(alone, given)| given < alone && *given <= 1)),
        ("narrow down", named(&|(alone, given)| given < alone && *given > 1)),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(how, names)| format!("{how} {names}"))
    .collect();
    let (values, others) = match columns.len() {
        2 => ("the other sensitive value", "the other column"),
        _ => ("the other sensitive values", "the other columns"),
    };
    Some(format!(
        "someone who already knows {values} of a person can {} in some groups: the distinct l of {} is {} in each column by itself, \
         and {} given {others}. To prevent this set mode = \"conditional\", or drop or coarsen one of the columns",
        learnt.join(" and "),
        list(columns, columns.len()),
        each(&|of| of.0),
        each(&|of| of.1)
    ))
}

/// The distributions of tuples of columns in the original, for the claims about such tuples.
pub(crate) fn joint_references(
    models: &[ModelClaim],
    original: &CodedTable,
    values: &[SensitiveColumn],
    control: &Control,
) -> Result<Vec<ReferenceColumn>> {
    let mut tuples: Vec<Vec<String>> = models
        .iter()
        .filter_map(|model| model.parameters.get("columns")?.as_array())
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .collect();
    tuples.sort_unstable();
    tuples.dedup();
    let count = |names: &Vec<String>| Ok(ReferenceColumn::count_joint(original, names, values, control)?);
    tuples.iter().map(count).collect()
}

/// The original distribution of a column. Values that only occurred in rows that were left out are not in it.
pub(crate) fn reference(original: &CodedTable, name: &str) -> Result<ReferenceColumn> {
    let mut column = ReferenceColumn::count(original, name)?;
    column.counts.retain(|(_, rows)| *rows > 0);
    Ok(column)
}

/// How the verifier is to read the values of a column.
pub(crate) fn sensitive_column(values: &PayloadColumn, plan: &Plan) -> SensitiveColumn {
    let exact = !counts_values(&values.name, plan);
    let declared = plan.column(&values.name).and_then(|column| column.declared_kind());
    SensitiveColumn {
        name: values.name.clone(),
        // The verifier finds out by itself how to read the texts, unless the plan says it: an inferred kind may be that of
        // respelt texts.
        kind: match declared {
            None if !exact => ValueKind::Text,
            _ => value_kind(&values.measure),
        },
        missing: values.missing.clone(),
        exact,
        missing_counts: values.reading.missing_counts,
    }
}

/// Lets the verifier check that a table with one spelling for each value says the same as the table that was read, and has no value in
/// two spellings. After that, the texts of the table can be taken for values.
pub(super) fn check_spelling(source: &SpeltTable, plan: &Plan, control: &Control) -> Result<()> {
    let counted = counted_by_value(plan);
    let original = source.as_read();
    for column in source.columns.iter().filter(|column| counted.contains(column.name.as_str())) {
        let name = &column.name;
        let values = sensitive_column(&payload_of(column, plan)?.0, plan);
        if further_spellings(source, &values, Some(&original), control)? > 0 {
            return Err(several_spellings(name));
        }
        let Some(read) = source.respelt(name) else { continue };
        let alone = |column: &CodedColumn| CodedTable { columns: vec![column.clone()], rows: source.rows };
        let rows: Vec<u32> = (0..source.rows as u32).collect();
        let truths = [(name.clone(), Truth::Same(values))];
        let (own, read) = (alone(column), alone(read));
        let truth = check_truth_with_map(&own, &read, &rows, &truths, Drops::Forbidden, control)?;
        if !truth.holds {
            return Err(several_spellings(name));
        }
    }
    Ok(())
}

pub(super) fn several_spellings(name: &str) -> Error {
    Error::verification(format!(
        "some value of '{name}' still has more than one spelling. Nothing was published. This is a bug in Scumble, please \
         report it"
    ))
}

pub(crate) fn model_claim(mut parameters: serde_json::Map<String, serde_json::Value>) -> ModelClaim {
    let name = match parameters.shift_remove("model") {
        Some(serde_json::Value::String(name)) => name,
        _ => String::new(),
    };
    ModelClaim { name, parameters }
}

/// How a column that is published unchanged must agree with the original: in its values where spellings do not count, else in its texts.
pub(crate) fn same_value(
    known: &CodedTable,
    name: &str,
    counted: &BTreeSet<&str>,
    plan: &Plan,
) -> Result<Truth> {
    // There may be a hundred thousand columns, of which few are counted by value.
    match Some(name).filter(|name| counted.contains(name)).and_then(|name| known.column(name)) {
        Some(column) => Ok(Truth::Same(sensitive_column(&payload_of(column, plan)?.0, plan))),
        None => Ok(Truth::Exact),
    }
}

/// How the verifier is to read the released values of a column.
pub(crate) fn cover(quasi: &Quasi, missing: Vec<String>) -> Result<Cover> {
    cover_shown(quasi, missing, None)
}

/// How the verifier is to read the released values of a column. With `shown`, the texts that the release shows, the verifier keeps no more of
/// the hierarchy than these need.
pub(super) fn cover_shown(quasi: &Quasi, missing: Vec<String>, shown: Option<&Texts>) -> Result<Cover> {
    let nodes = match quasi.tree() {
        Some(tree) => {
            let leaves = tree.leaf_count() as usize;
            let mut told = shown.map_or_else(TreeTold::all, |texts| TreeTold::shown(texts, leaves));
            for node in 0..tree.node_count() {
                let label = tree.label(node);
                while told.depth() > tree.depth(node) as usize {
                    told.close();
                }
                if tree.is_leaf(node) { told.leaf(&label)? } else { told.open(&label) }
            }
            // A table may write missing values in several ways; all of them belong where the tree has the one that it knows.
            if let Some(leaf) = missing.iter().filter_map(|marker| tree.code_of(marker)).min() {
                (0..told.depth()).for_each(|_| told.close());
                tree.above(tree.leaf(leaf)).iter().rev().for_each(|label| told.open(label));
                let mut unknown = missing.iter().filter(|marker| tree.code_of(marker).is_none());
                unknown.try_for_each(|marker| told.leaf(marker))?;
            }
            told.finish()
        }
        None => Nodes::default(),
    };
    Ok(Cover { kind: value_kind(&quasi.measure), nodes, missing })
}

/// The inner nodes of a column's hierarchy, each with the labels above it: a value that is new to the hierarchy lies below the nodes whose
/// names say that they hold it.
pub(super) fn named(quasi: &Quasi) -> Vec<(String, Vec<String>)> {
    let Some(tree) = quasi.tree() else { return Vec::new() };
    let label = |node| tree.label(node).into_owned();
    let above =
        |node| std::iter::successors(tree.parent(node), |node| tree.parent(*node)).map(label).collect();
    let groups = (0..tree.node_count()).filter(|node| !tree.is_leaf(*node));
    groups.map(|node| (label(node), above(node))).collect()
}

/// How the verifier is to compare fresh numbers with the households that they stand for.
pub(crate) fn renumbered(known: &CodedTable, name: &str, plan: &Plan) -> Result<Truth> {
    let column = known.column(name).ok_or_else(|| Error::internal("households were not read"))?;
    let values = sensitive_column(&payload_of(column, plan)?.0, plan);
    Ok(Truth::Renumbered { values, sorted: !plan.keep_order })
}

/// How the verifier is to compare a column of survey weights with its original; `None` where it is published as it is.
pub(crate) fn weight_rule(plan: &Plan, name: &str, source: &CodedTable) -> Option<Truth> {
    let (_, column, weights) = plan.weights().find(|(of, ..)| *of == name)?;
    let shows = match weights {
        Weights::Keep if column.stratum.is_none() => return None,
        Weights::Keep => ShownWeight::Same,
        Weights::Round => ShownWeight::Rounded,
        Weights::ClassMean => ShownWeight::GroupMean,
    };
    let comma = super::weights::has_comma(plan, name, source);
    Some(Truth::Weight(WeightRule { shows, stratum: column.stratum.clone(), comma }))
}

/// How the verifier is to read a column that shows means.
pub(crate) fn mean(quasi: &Quasi) -> Truth {
    Truth::Aggregate { comma: quasi.measure.kind.has_comma() }
}

/// A measure in the verifier's own words.
pub(crate) fn value_kind(measure: &Measure) -> ValueKind {
    use scumble_verify::DateFormat as Theirs;
    match measure.kind {
        kind if kind.is_number() => ValueKind::Number { comma: kind.has_comma() },
        Kind::Date(format) => ValueKind::Date {
            format: match format {
                DateFormat::YearMonthDay => Theirs::YearMonthDayDash,
                DateFormat::YearMonthDaySlash => Theirs::YearMonthDaySlash,
                DateFormat::DayMonthYearDot => Theirs::DayMonthYearDot,
                DateFormat::DayMonthYear => Theirs::DayMonthYearSlash,
                DateFormat::MonthDayYear => Theirs::MonthDayYearSlash,
            },
        },
        Kind::Timestamp { zone } => ValueKind::Timestamp { zone },
        Kind::Time => ValueKind::Time,
        _ => ValueKind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn only_what_the_other_column_reveals_is_named() {
        let words = given_others(&columns(&["disease", "cost"]), &[(2, 1), (5, 5)]).expect("a warning");
        assert_eq!(
            words,
            "someone who already knows the other sensitive value of a person can work out disease in some groups: the distinct l of \
             disease and cost is 2 and 5 in each column by itself, and 1 and 5 given the other column. To prevent this set mode = \
             \"conditional\", or drop or coarsen one of the columns"
        );
    }

    #[test]
    fn what_is_not_certain_is_narrowed_down() {
        let words = given_others(&columns(&["a", "b", "c"]), &[(4, 1), (3, 1), (3, 2)]).expect("a warning");
        assert!(
            words.starts_with(
                "someone who already knows the other sensitive values of a person can work out a and b and narrow down c in some \
                 groups: the distinct l of a, b and c is 4, 3 and 3 in each column by itself, and 1, 1 and 2 given the other columns."
            ),
            "{words}"
        );
    }

    #[test]
    fn nothing_is_said_where_other_columns_reveal_nothing() {
        assert_eq!(given_others(&columns(&["a", "b"]), &[(2, 2), (3, 3)]), None);
    }
}
