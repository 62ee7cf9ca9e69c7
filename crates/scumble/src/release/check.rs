//! The claim that a run makes about its release, put to the independent verifier.

use std::collections::BTreeSet;
use std::path::Path;

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};
use scumble_files::{OutFormat, PrivateFile, ReadOptions, Source, read_table};
use scumble_verify::{
    Claim, Cover, Drops, ModelClaim, ModelOutcome, Nodes, Outcome, Population, Reference, ReferenceColumn,
    SensitiveColumn, StarRows, TreeTold, Truth, ValueKind, check_models_with, check_truth_with_map,
    distinct_given_others, from_spreadsheet_safe, further_spellings, in_normal_form,
};

use super::rows::ReleasedRows;
use super::{Run, together};
use crate::config::{Plan, Role, StarPolicy};
use crate::date::DateFormat;
use crate::error::{Error, Result};
use crate::kind::{Kind, Measure};
use crate::payload::PayloadColumn;
use crate::prepare::{Respelt, as_read, counted_by_value, counts_values, payload_of, table_in_one_spelling};
use crate::quasi::Quasi;

/// What the verifier found in a written release.
pub(super) struct Verified {
    /// What the release keeps.
    pub(super) outcome: Outcome,
    /// What it keeps, or does not, together with tables that were published before.
    pub(super) together: Vec<ModelOutcome>,
    /// What somebody should know about it.
    pub(super) warnings: Vec<String>,
}

/// Reads back what was written and checks every model and every value; an error if anything does not hold of the release by
/// itself.
pub(super) fn verify(
    run: &Run<'_>,
    file: &PrivateFile,
    rows: &ReleasedRows,
    format: OutFormat,
    folder: &Path,
) -> Result<Verified> {
    let release = read_back(file, format, run.plan)?;
    check_spelling(run.source, run.respelt, run.plan)?;
    let original = as_read(run.source, run.respelt);
    let mut claim = Claim {
        quasi: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        models: run.problem.models.iter().map(|model| model_claim(model.claim())).collect(),
        star: if run.problem.star_policy == StarPolicy::Paper {
            StarRows::Unjudged
        } else {
            StarRows::Judged
        },
        values: Vec::new(),
    };
    // Two spellings of one value hide nothing, so models count values, not texts. The verifier reads them by itself, and is given
    // the original as it was read, since the release may have lost a spelling.
    let mut protected: Vec<&str> = run.problem.models.iter().flat_map(|model| model.reads()).collect();
    let sensitive: Vec<String> = run.plan.names_with(Role::Sensitive).map(str::to_owned).collect();
    protected.extend(sensitive.iter().map(String::as_str));
    protected.sort_unstable();
    protected.dedup();
    let columns = &run.problem.table.payloads().columns;
    // Guarding nodes are labels, not values.
    let values = columns.iter().filter(|values| !is_guarding(run.plan, &values.name));
    claim.values.extend(values.map(|values| sensitive_column(values, run.plan)));
    // What was written, not only what was to be written, has one spelling for each value.
    let counted = counted_by_value(run.plan);
    for values in claim.values.iter().filter(|values| counted.contains(values.name.as_str())) {
        if release.column(&values.name).is_some() && further_spellings(&release, values, Some(&original))? > 0
        {
            return Err(several_spellings(&values.name));
        }
    }
    // What is not published is put beside the release below.
    protected.retain(|name| release.column(name).is_some());
    let mut reference = Reference {
        columns: protected.into_iter().map(|name| reference(&original, name)).collect::<Result<_>>()?,
    };
    if claim.models.iter().any(|model| model.parameters.contains_key("columns")) {
        reference.columns.extend(joint_references(&claim.models, &original, &claim.values)?);
    }
    let mut counted = std::borrow::Cow::Borrowed(&release);
    let unpublished = unpublished(run, &original, rows)?;
    if !unpublished.is_empty() {
        counted.to_mut().columns.extend(unpublished);
    }
    let population = run.population.map(|table| population(run, table)).transpose()?;
    let outcome = check_models_with(&counted, &claim, Some(&reference), population.as_ref())?;
    let mut warnings = Vec::new();
    if run.plan.has_separate_models() {
        let plain = in_normal_form(&counted, &claim.values, Some(&original))?;
        let figures = distinct_given_others(&plain, &claim.quasi, &sensitive, claim.star)?;
        warnings.extend(figures.and_then(|figures| given_others(&sensitive, &figures)));
    }
    let together = together::judge(&counted, &original, run.plan, folder, claim.star)?;
    drop(counted);
    if let Some(model) = outcome.models.iter().find(|model| !model.holds) {
        return Err(Error::Verification(format!(
            "the written release does not keep {}: {} classes with {} rows fail. It was not published. This is a bug in \
             Scumble, please report it",
            model.label, model.failing_classes, model.failing_rows
        )));
    }
    let drops = if run.problem.star_policy == StarPolicy::Drop { Drops::Allowed } else { Drops::Forbidden };
    let truth = check_truth_with_map(&release, &original, &rows.order, &truths(run, &release)?, drops)?;
    if !truth.holds {
        let place = truth.first_false.map_or("rows or columns are missing or too many".into(), |cell| {
            format!("first in row {} of the release, column '{}'", cell.row, cell.column)
        });
        return Err(Error::Verification(format!(
            "the written release is not true of the original rows ({place}). It was not published. This is a bug in Scumble, \
             please report it"
        )));
    }
    Ok(Verified { outcome, together, warnings })
}

/// Columns that models read and that are not published, for each released row: the verifier is given what a reader must not have.
fn unpublished(run: &Run<'_>, original: &CodedTable, rows: &ReleasedRows) -> Result<Vec<CodedColumn>> {
    let published: Vec<&str> = run.kept_columns().collect();
    let columns = run.problem.table.payloads().columns.iter();
    let private = columns.filter(|column| !published.contains(&column.name.as_str()));
    private
        .map(|values| {
            let coded = original.column(&values.name);
            let coded = coded.ok_or_else(|| Error::internal("a column that models read was not read"))?;
            let one = CodedTable { columns: vec![coded.clone()], rows: original.rows };
            // What guards nothing is written as the model's claim has it.
            let guarding: &[PayloadColumn] =
                if is_guarding(run.plan, &values.name) { std::slice::from_ref(values) } else { &[] };
            let spelt = table_in_one_spelling(&one, guarding);
            let coded = &spelt.columns[0];
            let mut codes = Codes::with_capacity(coded.values.len(), rows.order.len());
            rows.order.iter().for_each(|row| codes.push(coded.codes.get(*row as usize)));
            Ok(CodedColumn { codes, name: coded.name.clone(), values: coded.values.clone() })
        })
        .collect()
}

fn is_guarding(plan: &Plan, name: &str) -> bool {
    plan.column(name).is_some_and(|column| column.role.has(Role::Guarding))
}

/// What somebody who already knows the other sensitive values learns, where models look at each column alone.
pub(crate) fn given_others(columns: &[String], figures: &[(u64, u64)]) -> Option<String> {
    if figures.iter().all(|(alone, given)| alone == given) {
        return None;
    }
    let list = |figure: &dyn Fn(&(u64, u64)) -> u64| {
        let figures: Vec<String> = figures.iter().map(|of| figure(of).to_string()).collect();
        figures.join(" and ")
    };
    let others = if columns.len() == 2 { "the other column" } else { "the other columns" };
    Some(format!(
        "each sensitive column was judged alone: the separate distinct l of {} is {}, given {others} it is {}; whoever knows one of \
         the values learns more about the rest (mode = \"conditional\" bounds that)",
        columns.join(" and "),
        list(&|of| of.0),
        list(&|of| of.1)
    ))
}

/// What the original table says about tuples of columns, for the claims that are about such.
pub(crate) fn joint_references(
    models: &[ModelClaim],
    original: &CodedTable,
    values: &[SensitiveColumn],
) -> Result<Vec<ReferenceColumn>> {
    let mut tuples: Vec<Vec<String>> = models
        .iter()
        .filter_map(|model| model.parameters.get("columns")?.as_array())
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .collect();
    tuples.sort_unstable();
    tuples.dedup();
    tuples.iter().map(|names| Ok(ReferenceColumn::count_joint(original, names, values)?)).collect()
}

/// The people as they were read, for the verifier to put into classes by the labels alone.
fn population<'a>(run: &Run<'_>, table: &'a CodedTable) -> Result<Population<'a>> {
    let cover = |quasi: &Quasi| Ok((quasi.name.clone(), cover(quasi, missing_markers(run, &quasi.name))?));
    Ok(Population { table, covers: run.problem.quasi.iter().map(cover).collect::<Result<_>>()? })
}

/// What was written, read again.
pub(super) fn read_back(file: &PrivateFile, format: OutFormat, plan: &Plan) -> Result<CodedTable> {
    read_back_from(file.reopen()?, format, plan)
}

/// The same of an open file.
pub(super) fn read_back_from(handle: std::fs::File, format: OutFormat, plan: &Plan) -> Result<CodedTable> {
    // How the file was written is known; nothing is left to detection.
    let delimiter = match format {
        OutFormat::Csv { delimiter, .. } => Some(delimiter),
        _ => None,
    };
    let encoding = Some(scumble_files::Encoding::Utf8);
    let options = ReadOptions { header: Some(true), delimiter, encoding, ..ReadOptions::default() };
    let read = read_table(&Source::from_file(handle, "the written release"), &options)?.coded;
    if plan.spreadsheet_safe { Ok(from_spreadsheet_safe(&read)?) } else { Ok(read) }
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
        // How the texts are read the verifier finds out by itself, unless the plan says it: a kind that was inferred may be that of
        // texts which were respelt.
        kind: match declared {
            None if !exact => ValueKind::Text,
            _ => value_kind(&values.measure),
        },
        missing: values.missing.clone(),
        exact,
        missing_counts: values.reading.missing_counts,
    }
}

/// Asks the verifier whether a table with one spelling for each value says the same as the table that was read, and has no value in
/// two spellings. Whoever reads that table may then take its texts for values.
pub(super) fn check_spelling(source: &CodedTable, respelt: &[Respelt], plan: &Plan) -> Result<()> {
    let counted = counted_by_value(plan);
    let original = as_read(source, respelt);
    for column in source.columns.iter().filter(|column| counted.contains(column.name.as_str())) {
        let name = &column.name;
        let values = sensitive_column(&payload_of(column, plan)?.0, plan);
        if further_spellings(source, &values, Some(&original))? > 0 {
            return Err(several_spellings(name));
        }
        let Some(of) = respelt.iter().find(|of| of.original.name == *name) else { continue };
        let alone = |column: &CodedColumn| CodedTable { columns: vec![column.clone()], rows: source.rows };
        let rows: Vec<u32> = (0..source.rows as u32).collect();
        let truths = [(name.clone(), Truth::Same(values))];
        let truth =
            check_truth_with_map(&alone(column), &alone(&of.original), &rows, &truths, Drops::Forbidden)?;
        if !truth.holds {
            return Err(several_spellings(name));
        }
    }
    Ok(())
}

fn several_spellings(name: &str) -> Error {
    Error::Verification(format!(
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

/// How each column of the release must be true of the original.
fn truths(run: &Run<'_>, release: &CodedTable) -> Result<Vec<(String, Truth)>> {
    let counted = counted_by_value(run.plan);
    run.plan
        .columns
        .iter()
        .map(|(name, column)| {
            let place = run.problem.quasi.iter().position(|quasi| quasi.name == *name);
            let truth = match place.map(|place| (place, &run.problem.quasi[place])) {
                Some((place, quasi)) if run.shows_means(place) => mean(quasi),
                Some((_, quasi)) => {
                    let missing = missing_markers(run, name);
                    Truth::Covers(if run.new_rows {
                        let all = cover(quasi, missing)?;
                        Cover { nodes: all.nodes.with_named(named(quasi)), ..all }
                    } else {
                        cover_shown(quasi, missing, release.column(name).map(|column| &column.values))?
                    })
                }
                None if [Role::Class, Role::Sensitive, Role::Other]
                    .iter()
                    .any(|role| column.role.has(*role)) =>
                {
                    same_value(run.source, name, &counted, run.plan)?
                }
                None => Truth::Absent,
            };
            Ok((name.clone(), truth))
        })
        .collect()
}

/// What a column that is published as it is owes to the original: the same value where spellings do not count, else the same text.
pub(crate) fn same_value(
    known: &CodedTable,
    name: &str,
    counted: &BTreeSet<&str>,
    plan: &Plan,
) -> Result<Truth> {
    // There may be a hundred thousand columns, and few of them count.
    match Some(name).filter(|name| counted.contains(name)).and_then(|name| known.column(name)) {
        Some(column) => Ok(Truth::Same(sensitive_column(&payload_of(column, plan)?.0, plan))),
        None => Ok(Truth::Exact),
    }
}

fn missing_markers(run: &Run<'_>, name: &str) -> Vec<String> {
    run.missing.iter().find(|(of, _)| of == name).map(|(_, markers)| markers.clone()).unwrap_or_default()
}

/// How the verifier is to read the released values of a column.
pub(crate) fn cover(quasi: &Quasi, missing: Vec<String>) -> Result<Cover> {
    cover_shown(quasi, missing, None)
}

/// The same, where it is known which texts the release shows: the verifier then keeps no more of the hierarchy than these need.
fn cover_shown(quasi: &Quasi, missing: Vec<String>, shown: Option<&Texts>) -> Result<Cover> {
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
            // A table may write missing values in several ways; all of them lie where the tree has the one that it knows.
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

/// The groups of a column, with the labels above each: a value that is new to the hierarchy lies below those that are called by
/// what they hold.
fn named(quasi: &Quasi) -> Vec<(String, Vec<String>)> {
    let Some(tree) = quasi.tree() else { return Vec::new() };
    let label = |node| tree.label(node).into_owned();
    let above =
        |node| std::iter::successors(tree.parent(node), |node| tree.parent(*node)).map(label).collect();
    let groups = (0..tree.node_count()).filter(|node| !tree.is_leaf(*node));
    groups.map(|node| (label(node), above(node))).collect()
}

/// How the verifier is to read a column that shows means.
pub(crate) fn mean(quasi: &Quasi) -> Truth {
    Truth::Aggregate { comma: quasi.measure.kind == Kind::DecimalComma }
}

/// A measure in the verifier's own words.
pub(crate) fn value_kind(measure: &Measure) -> ValueKind {
    use scumble_verify::DateFormat as Theirs;
    match measure.kind {
        Kind::Integer | Kind::Decimal => ValueKind::Number { comma: false },
        Kind::DecimalComma => ValueKind::Number { comma: true },
        Kind::Text => ValueKind::Text,
        Kind::Date(format) => ValueKind::Date {
            format: match format {
                DateFormat::YearMonthDay => Theirs::YearMonthDayDash,
                DateFormat::YearMonthDaySlash => Theirs::YearMonthDaySlash,
                DateFormat::DayMonthYearDot => Theirs::DayMonthYearDot,
                DateFormat::DayMonthYear => Theirs::DayMonthYearSlash,
                DateFormat::MonthDayYear => Theirs::MonthDayYearSlash,
            },
        },
    }
}
