//! `scumble check`: verify any table, even one from another tool.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Plan, Role};
use scumble::prelude::Beside;
use scumble::release::check::Checked;
use scumble::release::resources::Resources;
use scumble::release::{SavedRowMap, SheetCheck, compare_with_datasheet, older_datasheets_of};
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_verify::{Attained, Outcome, RecordOutcome, TruthOutcome};

use super::anonymize::{PrivacyFlags, RoleFlags};
use super::beside::{WrittenFlags, from_here, how_release_is_read, plan_for, tell_read};
use super::reading::Reading;
use crate::ui::{Interface, as_line, count, counted, print, row_count};

mod several;
mod template;
mod unjudged;

/// Verify any table, even one from another tool, against privacy models; without a model, report what the table attains
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table to check, or the folder of a release of several tables; - is standard input. A plan (release.toml) is compared with the
    /// template that it was made from
    release: PathBuf,
    /// A plan whose columns and models are checked
    #[arg(long, value_name = "release.toml")]
    plan: Option<PathBuf>,
    /// The original table: also check that the release is true of it
    #[arg(long, value_name = "DATA")]
    original: Option<PathBuf>,
    /// The private row map of the release (anonymize --row-map): compare every row with its own original row
    #[arg(long, value_name = "FILE", requires = "original")]
    row_map: Option<PathBuf>,
    #[command(flatten)]
    form: WrittenFlags,
    /// Do not check rows that show * in every quasi-identifier
    #[arg(long)]
    ignore_suppressed: bool,
    /// Print exactly one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    roles: RoleFlags,
    #[command(flatten)]
    privacy: PrivacyFlags,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let progress = interface.progress();
    if arguments.plan.is_none() && arguments.release.extension().is_some_and(|ending| ending == "toml") {
        return template::run(&arguments.release, arguments.json, interface);
    }
    let (plan, folder) = plan(arguments)?;
    let resources = Resources::in_folder(folder).watched_by(progress.control());
    if arguments.release.is_dir() {
        return several::run(arguments, &plan, &resources, interface);
    }
    if plan.names_with(Role::Quasi).next().is_none() {
        return Err(Error::config(
            "say which columns outsiders may know: --quasi a,b, or --plan release.toml",
        ));
    }
    let source = Source::open(&arguments.release)?;
    let how = how_release_is_read(&plan, &arguments.reading, arguments.original.as_deref())?;
    let table = arguments.form.table(&source, how);
    let beside = Originals::open(arguments)?;
    let stage = |stage| interface.stage(stage);
    let checked = Checked::with(&table, beside.beside(), &plan, &resources, &stage)?;
    interface.done();
    tell_read(&checked.read, interface);
    let names: Vec<&str> = checked.read.columns.iter().map(String::as_str).collect();
    let unjudged = unjudged::unjudged(&names, &plan, &checked);
    let sheet = match arguments.release.as_os_str() == "-" {
        true => None,
        false => compare_with_datasheet(&arguments.release, checked.read.rows)?,
    };
    if sheet.is_none() {
        tell_no_datasheet(&arguments.release, interface);
    }
    let template = template::of_release(&plan, &names)?;
    let holds = checked.holds()
        && sheet.as_ref().is_none_or(|sheet| sheet.describes)
        && unjudged::holds(&unjudged)
        && template.as_ref().is_none_or(template::Compared::holds);
    let code = if holds { ExitCode::SUCCESS } else { ExitCode::from(1) };
    if arguments.json {
        print(
            serde_json::to_string(&Verdict {
                holds,
                datasheet: sheet,
                template,
                checked: &checked,
                unjudged,
            })
            .map_err(Error::internal)?
                + "\n",
        )?;
    } else {
        print(
            tell_sheet(sheet.as_ref(), "this file (the SHA-256 is the same)")
                + &unjudged::tell_faults(&unjudged)
                + &template.map_or_else(String::new, |of| of.tell())
                + &tell(&checked, &plan)
                + &unjudged::tell(&unjudged),
        )?;
    }
    Ok(code)
}

pub(super) fn read_row_map(path: &Path) -> Result<SavedRowMap> {
    let text = std::fs::read(path)
        .map_err(|source| Error::io(format!("the row map '{}' cannot be read", path.display()), source))?;
    SavedRowMap::from_json(&text)
}

/// What a release is compared with.
struct Originals {
    original: Option<Source>,
    row_map: Option<SavedRowMap>,
}

impl Originals {
    fn open(arguments: &Arguments) -> Result<Self> {
        Ok(Self {
            original: arguments.original.as_ref().map(Source::open).transpose()?,
            row_map: arguments.row_map.as_deref().map(read_row_map).transpose()?,
        })
    }

    fn beside(&self) -> Option<Beside<'_>> {
        let row_map = self.row_map.as_ref();
        self.original.as_ref().map(|original| Beside { original, row_map })
    }
}

#[derive(serde::Serialize)]
struct Verdict<'a> {
    holds: bool,
    /// Whether the datasheet beside the release describes it; `None` without a datasheet.
    datasheet: Option<SheetCheck>,
    /// The plan beside its template; `None` for a plan without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<template::Compared>,
    #[serde(flatten)]
    checked: &'a Checked,
    unjudged: Vec<unjudged::Unjudged>,
}

/// Says what users should know about a table without a datasheet.
fn tell_no_datasheet(release: &Path, interface: &Interface) {
    match older_datasheets_of(release).first() {
        None => interface.note("there is no datasheet beside it that could be compared with it"),
        Some(sheet) => interface.warn(format_args!(
            "'{}' names no file, so nobody can tell whether it describes this table; releases of today have a datasheet that does",
            sheet.display()
        )),
    }
}

/// Says whether a datasheet describes the table.
fn tell_sheet(sheet: Option<&SheetCheck>, named: &str) -> String {
    let Some(sheet) = sheet else { return String::new() };
    if sheet.describes {
        return as_line!("holds  datasheet: '{}' describes {named}", sheet.file);
    }
    let mut text = as_line!("FAILS  datasheet: '{}' does not describe what was checked", sheet.file);
    sheet.faults.iter().for_each(|fault| text += &as_line!("       {fault}"));
    text
}

fn plan(arguments: &Arguments) -> Result<(Plan, PathBuf)> {
    let (mut plan, folder) = plan_for(&arguments.release, arguments.plan.as_deref())?;
    arguments.roles.apply(&mut plan, |name| Ok(name.clone()))?;
    arguments.privacy.apply(&mut plan, from_here)?;
    arguments.reading.apply(&mut plan.read)?;
    if arguments.ignore_suppressed {
        plan.algorithm.star_policy = scumble::config::StarPolicy::Paper;
    }
    Ok((plan, folder))
}

fn tell(checked: &Checked, plan: &Plan) -> String {
    let mut text = String::new();
    if let Some(outcome) = &checked.outcome {
        tell_models(&mut text, outcome);
    }
    if let Some(attained) = &checked.attained {
        tell_attained(&mut text, attained);
    }
    if let Some(truth) = &checked.truth {
        tell_truth(&mut text, truth, &checked.read.not_compared);
    }
    if let Some(records) = &checked.records {
        tell_records(&mut text, records);
        return text;
    }
    let columns = &checked.read.columns;
    let persons = match plan.names_with(Role::Subject).find(|subject| columns.iter().any(|of| of == subject))
    {
        None => "one row is taken for one person".to_owned(),
        Some(subject) => format!("rows with the same {subject} are one person"),
    };
    text += &as_line!("Groups are rows with the same {}; {persons}.", checked.read.quasi.join(", "));
    text
}

fn number(value: f64) -> String {
    if value.is_infinite() {
        return "infinite".to_owned();
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn tell_models(text: &mut String, outcome: &Outcome) {
    for model in &outcome.models {
        let mark = if model.holds { "holds" } else { "FAILS" };
        let attained =
            model.attained.map_or("nothing to check".into(), |value| format!("attained {}", number(value)));
        *text += &as_line!("{mark}  {}: required {}, {attained}", model.label, number(model.required));
        if !model.holds {
            *text += &as_line!(
                "       {} with {} {}",
                counted(model.failing_classes, "group", "groups"),
                row_count(model.failing_rows),
                if model.failing_classes == 1 { "fails" } else { "fail" }
            );
            // Where sizes are what fails, the line of the smallest groups says more.
            let worst = model.worst.iter().filter(|class| class.attained != class.size as f64);
            let worst: Vec<String> = worst
                .map(|class| format!("{} that attain {}", row_count(class.size), number(class.attained)))
                .collect();
            if !worst.is_empty() {
                *text += &as_line!("       the worst groups: {}", worst.join("; "));
            }
        }
        if let Some(note) = &model.note {
            *text += &as_line!("       {note}");
        }
    }
    tell_sizes(text, outcome.rows, outcome.star_rows, outcome.classes, &outcome.class_sizes);
    outcome.notes.iter().for_each(|note| *text += &as_line!("note: {note}"));
}

fn tell_records(text: &mut String, records: &RecordOutcome) {
    for model in &records.models {
        let mark = if model.holds { "holds" } else { "FAILS" };
        let attained = model.attained.map_or("nothing to check".into(), number);
        *text +=
            &as_line!("{mark}  {}: required {}, attained {attained}", model.label, number(model.required));
        if !model.holds {
            *text += &as_line!("       {} rows fail", count(model.failing_rows));
        }
        if let Some(note) = &model.note {
            *text += &as_line!("       {note}");
        }
    }
    *text += &format!("{} records", count(records.rows));
    if let (Some(least), Some(mean)) = (records.least_covered, records.mean_covered) {
        *text +=
            &format!(", each covers {} original rows or more, {} on average", count(least), number(mean));
    }
    *text += "\nRecords overlap and form no groups: each record was checked alone, which says nothing about what several \
              records reveal together; one row is taken for one person.\n";
}

/// Says what value a parameter must exceed.
fn beyond(name: &str, value: Option<f64>) -> String {
    match value {
        None => format!("{name} undefined"),
        Some(value) if value.is_infinite() => format!("no {name} would do"),
        Some(value) => format!("{name} > {}", number(value)),
    }
}

fn tell_attained(text: &mut String, attained: &Attained) {
    let show = |value: Option<f64>| value.map_or("undefined".into(), number);
    *text += &format!("k = {}", attained.k.map_or("undefined".into(), count));
    if let (Some(mean), Some(share)) = (attained.average_risk, attained.at_risk) {
        let threshold = number(attained.risk_threshold);
        *text +=
            &format!(", mean risk = {}, share at a risk above {threshold} = {}", number(mean), number(share));
    }
    *text += "\n";
    if attained.k_map.is_some() {
        *text += &as_line!(
            "beside the population: k of k-map = {}, delta_min = {}, delta_max = {}",
            show(attained.k_map),
            show(attained.delta_min),
            show(attained.delta_max)
        );
    }
    for column in &attained.columns {
        let ordered =
            column.ordered_t.map_or(String::new(), |t| format!(", t (ordered distance) = {}", number(t)));
        let range = column.e.map_or(String::new(), |e| format!(", e = {}", number(e)));
        *text += &as_line!(
            "{}: distinct l = {}, entropy l = {}, frequency l = {}, {}, t (equal distance) = {}{ordered}, alpha = {}, beta = {}, enhanced \
             beta = {}, {}{range}; {} one value only",
            column.column,
            column.distinct_l.map_or("undefined".into(), count),
            show(column.entropy_l),
            show(column.frequency_l),
            beyond("c of (c,2)-diversity", column.recursive_c),
            show(column.equal_t),
            show(column.alpha),
            show(column.beta),
            show(column.enhanced_beta),
            beyond("delta", column.delta),
            match column.homogeneous_classes {
                1 => "1 group has".to_owned(),
                classes => format!("{} groups have", count(classes)),
            }
        );
        if let Some(note) = &column.note {
            *text += &as_line!("  {note}");
        }
    }
    tell_sizes(text, attained.rows, attained.star_rows, attained.classes, &attained.class_sizes);
    attained.notes.iter().for_each(|note| *text += &as_line!("note: {note}"));
}

fn tell_sizes(text: &mut String, rows: u64, star: u64, classes: u64, sizes: &[(u64, u64)]) {
    *text += &format!("{} in {}", row_count(rows - star), counted(classes, "group", "groups"));
    if star > 0 {
        *text += &format!(
            ", and {} * in every quasi-identifier",
            counted(star, "row that shows", "rows that show")
        );
    }
    *text += "\n";
    let smallest: Vec<String> = sizes
        .iter()
        .take(5)
        .map(|(size, classes)| format!("{} of {}", count(*classes), row_count(*size)))
        .collect();
    if !smallest.is_empty() {
        *text += &as_line!("smallest groups: {}", smallest.join(", "));
    }
}

fn tell_truth(text: &mut String, truth: &TruthOutcome, not_compared: &[String]) {
    if truth.holds {
        let except = match not_compared {
            [] => String::new(),
            names => format!(" (apart from {}, which chance decided)", names.join(", ")),
        };
        *text += &match truth.with_row_map {
            true => as_line!(
                "holds  true of the original: every released row is true of the original row that the row map gives it{except}"
            ),
            false => as_line!(
                "holds  true of the original: every released row can stand for an original row of its own{except}"
            ),
        };
    } else {
        *text += &match truth.with_row_map {
            true => "FAILS  true of the original: not every released row is true of the original row that the row map gives it\n"
                .to_owned(),
            false => as_line!(
                "FAILS  true of the original: {} of {} released rows stand for no original row",
                count(truth.unassigned_rows),
                count(truth.released_rows)
            ),
        };
        for fault in &truth.column_faults {
            let what = match fault.fault {
                scumble_verify::ColumnFaultKind::MustBeAbsent => "must not be in the release",
                scumble_verify::ColumnFaultKind::Undeclared => {
                    "is in the release, but nobody said what it is"
                }
                scumble_verify::ColumnFaultKind::Missing => "is missing from the release",
            };
            *text += &as_line!("       column '{}' {what}", fault.column);
        }
        for column in truth.columns.iter().filter(|column| column.false_cells > 0) {
            *text += &match (truth.with_row_map, column.first_row) {
                (true, Some(row)) => as_line!(
                    "       column '{}' has {}, the first in row {}",
                    column.column,
                    counted(column.false_cells, "false value", "false values"),
                    count(row)
                ),
                _ => as_line!(
                    "       column '{}' was exchanged, and {} not in the original so often",
                    column.column,
                    counted(column.false_cells, "value is", "values are")
                ),
            };
        }
    }
    for column in &truth.unchecked {
        *text += &as_line!(
            "       column '{column}' shows means or weights that were changed; only a row map shows whose they are, so they were not \
             compared"
        );
    }
    if truth.unreleased_rows > 0 {
        let missing = counted(truth.unreleased_rows, "original row is", "original rows are");
        *text += &as_line!("       {missing} not in the release");
    }
}
