//! What the private reports of all kinds of release have in common.

use scumble_files::database::Address;
use scumble_files::table::CodedTable;

use super::run::Run;
use super::{Seconds, Summary};
use crate::config::template::said_of;
use crate::config::{Column, Plan, Role};
use crate::registry::Facts;
use crate::release::prepare::SpeltTable;
use crate::report::data::{
    AlgorithmNote, ColumnRole, KeptColumn, KeptExactly, Provenance, Report, Severity, Uniqueness, Warning,
};
use crate::table::hierarchy::Provenance as Origin;
use crate::table::pack::Packer;
use crate::table::quasi::{Quasi, Shape};

/// A report that says only how the release was made.
pub(super) fn beginning<Found>(
    run: &Run<'_, Found>,
    summary: &Summary,
    title: &str,
    seconds: &Seconds,
) -> Report {
    let address = Address::recognise(&run.plan.input).and_then(Result::ok).map(|address| address.name());
    let file = std::path::Path::new(&run.plan.input).file_name();
    let template = said_of(run.plan).map(|(made, _)| ("template".to_owned(), made));
    let steps: Vec<(String, String)> =
        template.into_iter().chain(super::steps::private_sentences(run.plan)).collect();
    Report {
        title: title.to_owned(),
        audience: run.plan.risk.audience,
        source: address.or_else(|| file.map(|name| name.to_string_lossy().into_owned())),
        warnings: warnings(summary, run.source),
        run: Some(run_note(run.algorithm, summary, seconds, &steps)),
        ..Report::default()
    }
}

/// Describes how a release was made: the algorithm, its parameters, and the time.
fn run_note(
    algorithm: Facts,
    summary: &Summary,
    seconds: &Seconds,
    steps: &[(String, String)],
) -> crate::report::data::Run {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    crate::report::data::Run {
        algorithm: AlgorithmNote {
            name: algorithm.name.into(),
            title: algorithm.title.into(),
            paper: Some(algorithm.paper.into()),
            standing: algorithm.standing.name().into(),
            standing_reason: None,
        },
        parameters: steps
            .iter()
            .cloned()
            .chain(summary.parameters.iter().map(|(name, value)| (name.clone(), text(value))))
            .collect(),
        search: summary
            .findings
            .iter()
            .map(|finding| {
                let value = finding.value.map_or("infinite".to_owned(), |value| format!("{value:.6}"));
                let name = match &finding.column {
                    Some(column) => format!("{} of {column}", finding.name),
                    None => finding.name.to_owned(),
                };
                (name, format!("{value} ({})", finding.meaning))
            })
            .collect(),
        seconds: [
            ("reading", seconds.read),
            ("searching", seconds.search),
            ("applying", seconds.apply),
            ("verifying", seconds.verify),
            ("writing", seconds.write),
        ]
        .map(|(name, seconds)| (name.to_owned(), seconds))
        .to_vec(),
        peak_memory_bytes: crate::base::memory::peak(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

pub(super) fn origin(quasi: &Quasi) -> Provenance {
    match &quasi.shape {
        Shape::Tree(tree) if tree.provenance() == Origin::Declared => Provenance::Declared,
        _ => Provenance::FromData,
    }
}

/// The columns that are published unchanged, and the number of rows that are unique on them.
pub(super) fn kept_columns(plan: &Plan, source: &CodedTable, names: &[&str]) -> KeptExactly {
    let rows = source.rows as u64;
    let by_name = source.by_name();
    let least = plan.risk.audience.least_k();
    let planned: std::collections::BTreeMap<&str, &Column> =
        plan.columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
    let codes = super::steps::codes(plan);
    let columns = names
        .iter()
        .filter_map(|name| {
            let column = by_name.get(name)?;
            let roles = &planned.get(name)?.role;
            let mut counts = vec![0_u64; column.values.len()];
            column.codes.iter().for_each(|code| counts[code as usize] += 1);
            let role = match (roles.has(Role::Class), roles.has(Role::Sensitive)) {
                (true, true) => ColumnRole::ClassAndSensitive,
                (true, false) => ColumnRole::Class,
                (false, true) => ColumnRole::Sensitive,
                (false, false) if codes.iter().any(|code| code == name) => ColumnRole::Code,
                (false, false) if plan.drawn.beyond_models.iter().any(|of| of == name) => {
                    ColumnRole::Perturbed
                }
                (false, false) => ColumnRole::Other,
            };
            Some(KeptColumn { name: (*name).to_owned(), role, uniqueness: uniqueness(&counts, rows, least) })
        })
        .collect();
    let all = |names: &[&str]| (!names.is_empty()).then(|| among(keys(source, names).finish(), least));
    let open = open_columns(plan, names);
    KeptExactly { columns, together: all(names), open: all(&open), ..KeptExactly::default() }
}

/// The columns among these that outsiders may know exactly, because nobody said that they are sensitive, and they are no codes and not perturbed.
pub(super) fn open_columns<'n>(plan: &Plan, names: &[&'n str]) -> Vec<&'n str> {
    let codes = super::steps::codes(plan);
    let is_open = |name: &&&str| {
        plan.column(name).is_none_or(|column| !column.role.has(Role::Sensitive))
            && !codes.iter().any(|code| code == **name)
            && !plan.drawn.beyond_models.iter().any(|of| of == **name)
    };
    names.iter().filter(is_open).copied().collect()
}

/// A key for each row that stands for its values in these columns.
pub(super) fn keys(source: &CodedTable, names: &[&str]) -> Packer {
    let by_name = source.by_name();
    let mut packer = Packer::new(source.rows);
    for column in names.iter().filter_map(|name| by_name.get(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    packer
}

/// Counts the rows that share their key with no other row, and with fewer than `least` in all.
pub(super) fn among(mut keys: Vec<u64>, least: u64) -> Uniqueness {
    use rayon::prelude::*;
    keys.par_sort_unstable();
    let counts: Vec<u64> = keys.chunk_by(|a, b| a == b).map(|same| same.len() as u64).collect();
    uniqueness(&counts, keys.len() as u64, least)
}

fn uniqueness(counts: &[u64], rows: u64, least: u64) -> Uniqueness {
    Uniqueness {
        rows,
        distinct: counts.iter().filter(|count| **count > 0).count() as u64,
        unique_rows: counts.iter().filter(|count| **count == 1).count() as u64,
        few_rows: counts.iter().filter(|count| **count < least).sum(),
    }
}

/// The warnings and notes of the private report. Spellings are values of the data, and appear nowhere else.
fn warnings(summary: &Summary, source: &SpeltTable) -> Vec<Warning> {
    let note = |text: String| Warning { severity: Severity::Note, text, advice: None };
    let notes = summary.notes.iter().cloned().map(note);
    let spelt = source.listed().map(note);
    summary.warnings.iter().cloned().map(Warning::from).chain(notes).chain(spelt).collect()
}
