//! `scumble check FOLDER`: checks a release of several tables together.

use std::process::ExitCode;

use scumble::config::Plan;
use scumble::release::check::CheckedTables;
use scumble::release::resources::Resources;
use scumble::release::{Manifest, PublishedTables, SheetCheck, compare_folder_with_datasheet};
use scumble::{Error, Result};

use super::super::beside::tell_read;
use super::{Arguments, Originals, number, tell_sheet, tell_truth, unjudged};
use crate::ui::{Interface, as_line, counted, print, row_count};

pub(super) fn run(
    arguments: &Arguments,
    plan: &Plan,
    resources: &Resources,
    interface: &Interface,
) -> Result<ExitCode> {
    let published = PublishedTables::in_folder(&arguments.release, plan, resources.control())?;
    let manifest = &published.manifest;
    let beside = Originals::open(arguments)?;
    let stage = |stage| interface.stage(stage);
    let mut checked = CheckedTables::with(&published, beside.beside(), plan, resources, &stage)?;
    interface.done();
    tell_read(&checked.read, interface);
    let unjudged = unjudged::in_folder(manifest, plan, !checked.models.is_empty());
    let rows: Vec<(String, u64)> =
        checked.tables.iter().map(|table| (table.file.clone(), table.rows)).collect();
    let datasheet = compare_folder_with_datasheet(&arguments.release, &rows)?;
    if datasheet.is_none() {
        interface.note("there is no datasheet in it that could be compared with it");
    }
    checked.holds &= datasheet.as_ref().is_none_or(|sheet| sheet.describes) && unjudged::holds(&unjudged);
    if arguments.json {
        let told = Told { datasheet, checked: &checked, unjudged };
        print(serde_json::to_string(&told).map_err(Error::internal)? + "\n")?;
    } else {
        print(
            tell_sheet(datasheet.as_ref(), "these files (the SHA-256 of each is the same)")
                + &unjudged::tell_faults(&unjudged)
                + &tell(&checked, manifest)
                + &unjudged::tell(&unjudged),
        )?;
    }
    Ok(if checked.holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

#[derive(serde::Serialize)]
struct Told<'a> {
    /// Whether the datasheet of the folder describes the release; `None` without a datasheet.
    datasheet: Option<SheetCheck>,
    #[serde(flatten)]
    checked: &'a CheckedTables,
    unjudged: Vec<unjudged::Unjudged>,
}

fn tell(checked: &CheckedTables, manifest: &Manifest) -> String {
    let mut text = String::new();
    for model in &checked.models {
        let mark = if model.holds { "holds" } else { "FAILS" };
        let attained =
            model.attained.map_or("nothing to check".into(), |value| format!("attained {}", number(value)));
        text += &as_line!("{mark}  {}: required {}, {attained}", model.label, number(model.required));
        if model.failing_rows > 0 {
            text += &as_line!("       it fails for {}", row_count(model.failing_rows));
        }
        text += &model.note.as_ref().map_or(String::new(), |note| as_line!("       {note}"));
    }
    for fault in &checked.faults {
        text += &as_line!("FAILS  {fault}");
    }
    for table in &checked.tables {
        let alone = table.alone.map_or(String::new(), |rows| {
            format!("; in this table alone, at least {} fit each person", row_count(rows))
        });
        text += &as_line!("{}: {}{alone}", table.file, row_count(table.rows));
        if let Some(truth) = &table.truth {
            tell_truth(&mut text, truth, &[]);
        }
    }
    for what in &checked.compared {
        text += &as_line!("Compared: {what}.");
    }
    for what in &checked.not_compared {
        text += &as_line!("Not compared: {what}.");
    }
    if let Some(groups) = checked.groups {
        text += &as_line!(
            "{} whose values of {} are shown; rows can be told apart, and one row is taken for one person.",
            counted(groups, "group", "groups"),
            manifest.target
        );
    } else {
        let quasi = if manifest.quasi.is_empty() { "nothing".to_owned() } else { manifest.quasi.join(", ") };
        text += &as_line!(
            "{}, for someone who knows {quasi}; one row is taken for one person.",
            counted(checked.tables.len() as u64, "table", "tables")
        );
    }
    text
}
