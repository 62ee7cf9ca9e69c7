//! `scumble check FOLDER`: a release of several tables, put side by side.

use std::process::ExitCode;

use scumble::check::{CheckedFolder, check_folder, published_columns};
use scumble::config::Plan;
use scumble::prepare::drop_incomplete;
use scumble::release::Manifest;
use scumble::{Error, Result};
use scumble_files::{CodedTable, Source};

use super::{Arguments, number, read, tell_truth};
use crate::ui::{Interface, counted, print, row_count};

pub(super) fn run(arguments: &Arguments, plan: &Plan, interface: &Interface) -> Result<ExitCode> {
    let manifest = Manifest::load(&arguments.release)?;
    let original = arguments.original.as_ref().map(|path| {
        let source = Source::open(path)?;
        let columns = published_columns(&manifest);
        let mut table: CodedTable = read(&source, plan, &columns, interface)?;
        drop_incomplete(&mut table, plan)?.iter().for_each(|note| interface.note(note));
        Ok::<_, Error>(table)
    });
    let original = original.transpose()?;
    let checked = check_folder(&arguments.release, original.as_ref(), plan)?;
    if arguments.json {
        print(serde_json::to_string(&checked).map_err(Error::internal)? + "\n")?;
    } else {
        print(tell(&checked, &manifest))?;
    }
    Ok(if checked.holds { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn tell(checked: &CheckedFolder, manifest: &Manifest) -> String {
    let mut text = String::new();
    for model in &checked.models {
        let mark = if model.holds { "holds" } else { "FAILS" };
        let attained =
            model.attained.map_or("nothing to judge".into(), |value| format!("attained {}", number(value)));
        text += &format!("{mark}  {}: required {}, {attained}\n", model.label, number(model.required));
        if model.failing_rows > 0 {
            text += &format!("       it fails for {}\n", row_count(model.failing_rows));
        }
        text += &model.note.as_ref().map_or(String::new(), |note| format!("       {note}\n"));
    }
    for fault in &checked.faults {
        text += &format!("FAILS  {fault}\n");
    }
    for table in &checked.tables {
        let alone = table
            .alone
            .map_or(String::new(), |rows| format!(", alone at least {} may be anybody's", row_count(rows)));
        text += &format!("{}: {}{alone}\n", table.file, row_count(table.rows));
        if let Some(truth) = &table.truth {
            tell_truth(&mut text, truth);
        }
    }
    if let Some(groups) = checked.groups {
        text += &format!(
            "{} whose values of {} are told; rows can be told apart, and one row is taken for one person.\n",
            counted(groups, "group", "groups"),
            manifest.target
        );
    } else {
        let quasi = if manifest.quasi.is_empty() { "nothing".to_owned() } else { manifest.quasi.join(", ") };
        text += &format!(
            "{}, for someone who knows {quasi}; one row is taken for one person.\n",
            counted(checked.tables.len() as u64, "table", "tables")
        );
    }
    text
}
