//! The claim that a run makes about its release, put to the independent verifier.

use scumble_files::table::CodedTable;
use scumble_files::{OutFormat, PrivateFile, ReadOptions, Source, read_table};
use scumble_verify::{
    Claim, Cover, Drops, ModelClaim, Nodes, Outcome, Reference, ReferenceColumn, StarRows, Truth, ValueKind,
    check_models, check_truth_with_map,
};

use super::Run;
use super::rows::ReleasedRows;
use crate::config::{Role, StarPolicy};
use crate::date::DateFormat;
use crate::error::{Error, Result};
use crate::kind::{Kind, Measure};
use crate::payload::PayloadColumn;
use crate::prepare::{in_one_spelling, payload_of, table_in_one_spelling};
use crate::quasi::Quasi;

/// Reads back what was written and checks every model and every value; an error if anything does not hold.
pub(super) fn verify(
    run: &Run<'_>,
    file: &PrivateFile,
    rows: &ReleasedRows,
    format: OutFormat,
) -> Result<Outcome> {
    if rows.order.is_empty() {
        return Err(Error::infeasible(
            "every row would have to be left out, so there is nothing to release; lower the requirement or coarsen the \
             hierarchies",
        ));
    }
    let release = read_back(file, format)?;
    let claim = Claim {
        quasi: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        models: run.problem.models.iter().map(|model| model_claim(model.claim())).collect(),
        star: if run.problem.star_policy == StarPolicy::Paper {
            StarRows::Unjudged
        } else {
            StarRows::Judged
        },
    };
    // Two spellings of one value hide nothing, so models count values, not texts. The original says how they are written,
    // since the release may have lost a spelling.
    let mut protected: Vec<&str> = run.problem.models.iter().filter_map(|model| model.protects()).collect();
    protected.sort_unstable();
    protected.dedup();
    let (references, spellings): (Vec<_>, Vec<_>) = protected
        .into_iter()
        .map(|name| reference(run, name))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    let reference = Reference { columns: references };
    let counted = table_in_one_spelling(&release, &spellings);
    let outcome = check_models(&counted, &claim, Some(&reference))?;
    drop(counted);
    if let Some(model) = outcome.models.iter().find(|model| !model.holds) {
        return Err(Error::Verification(format!(
            "the written release does not keep {}: {} classes with {} rows fail. It was not published. This is a bug in \
             Scumble, please report it",
            model.label, model.failing_classes, model.failing_rows
        )));
    }
    let drops = if run.problem.star_policy == StarPolicy::Drop { Drops::Allowed } else { Drops::Forbidden };
    let truth = check_truth_with_map(&release, run.source, &rows.order, &truths(run)?, drops)?;
    if !truth.holds {
        let place = truth.first_false.map_or("rows or columns are missing or too many".into(), |cell| {
            format!("first in row {} of the release, column '{}'", cell.row, cell.column)
        });
        return Err(Error::Verification(format!(
            "the written release is not true of the original rows ({place}). It was not published. This is a bug in Scumble, \
             please report it"
        )));
    }
    Ok(outcome)
}

/// What was written, read again.
pub(super) fn read_back(file: &PrivateFile, format: OutFormat) -> Result<CodedTable> {
    let handle = file.reopen()?;
    // How the file was written is known; nothing is left to detection.
    let delimiter = match format {
        OutFormat::Csv { delimiter, .. } => Some(delimiter),
        _ => None,
    };
    let encoding = Some(scumble_files::Encoding::Utf8);
    let options = ReadOptions { header: Some(true), delimiter, encoding, ..ReadOptions::default() };
    Ok(read_table(&Source::from_file(handle, "the written release"), &options)?.coded)
}

/// The original distribution of a column, and its values. Those that only occurred in rows that were left out are not in it.
fn reference(run: &Run<'_>, name: &str) -> Result<(ReferenceColumn, PayloadColumn)> {
    let coded = run.source.column(name).ok_or_else(|| Error::internal("a protected column was not read"))?;
    let (values, _) = payload_of(coded, run.plan)?;
    let columns = vec![in_one_spelling(coded, &values)];
    let mut column = ReferenceColumn::count(&CodedTable { columns, rows: run.source.rows }, name)?;
    column.counts.retain(|(_, rows)| *rows > 0);
    Ok((column, values))
}

pub(crate) fn model_claim(mut parameters: serde_json::Map<String, serde_json::Value>) -> ModelClaim {
    let name = match parameters.shift_remove("model") {
        Some(serde_json::Value::String(name)) => name,
        _ => String::new(),
    };
    ModelClaim { name, parameters }
}

/// How each column of the release must be true of the original.
fn truths(run: &Run<'_>) -> Result<Vec<(String, Truth)>> {
    run.plan
        .columns
        .iter()
        .map(|(name, column)| {
            let place = run.problem.quasi.iter().position(|quasi| quasi.name == *name);
            let truth = match place.map(|place| (place, &run.problem.quasi[place])) {
                Some((place, quasi)) if run.shows_means(place) => mean(quasi),
                Some((_, quasi)) => Truth::Covers(cover(quasi, missing_markers(run, name))?),
                None if [Role::Class, Role::Sensitive, Role::Other]
                    .iter()
                    .any(|role| column.role.has(*role)) =>
                {
                    Truth::Exact
                }
                None => Truth::Absent,
            };
            Ok((name.clone(), truth))
        })
        .collect()
}

fn missing_markers(run: &Run<'_>, name: &str) -> Vec<String> {
    run.missing.iter().find(|(of, _)| of == name).map(|(_, markers)| markers.clone()).unwrap_or_default()
}

/// A table may write missing values in several ways; all of them lie where the tree has the one that it knows.
fn with_missing(mut paths: Vec<(String, Vec<String>)>, missing: &[String]) -> Vec<(String, Vec<String>)> {
    if let Some((_, above)) = paths.iter().find(|(leaf, _)| missing.contains(leaf)).cloned() {
        for marker in missing {
            if paths.iter().all(|(leaf, _)| leaf != marker) {
                paths.push((marker.clone(), above.clone()));
            }
        }
    }
    paths
}

/// How the verifier is to read the released values of a column.
pub(crate) fn cover(quasi: &Quasi, missing: Vec<String>) -> Result<Cover> {
    let nodes = match quasi.tree() {
        Some(tree) => {
            Nodes::from_paths(with_missing(crate::models::t_closeness::owned_paths(tree), &missing))?
        }
        None => Nodes::default(),
    };
    Ok(Cover { kind: value_kind(&quasi.measure), nodes, missing })
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
