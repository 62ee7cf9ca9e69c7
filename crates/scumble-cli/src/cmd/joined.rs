//! `scumble anonymize` with several plans: tables that stay joined, released together.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::Plan;
use scumble::release::outputs::Outputs;
use scumble::release::{Joined, PlanOfTable, ReleasedTogether, anonymize_joined};
use scumble::{Error, Result};

use super::anonymize::{is_plan, tell, tell_verdict};
use super::key_flag::KeyFlag;
use crate::ui::{Interface, counted, print_after_publishing};

/// Makes the releases of several plans: all of them, or none.
pub(super) fn run(
    files: &[PathBuf],
    (json, force): (bool, bool),
    key: &KeyFlag,
    interface: &Interface,
) -> Result<ExitCode> {
    if let Some(table) = files.iter().find(|file| !is_plan(file)) {
        return Err(Error::config(format!(
            "'{}' is no plan, and several tables are released together by a plan for each (release.toml)",
            table.display()
        ))
        .advise("make a plan of each table with 'scumble init', and name the plans"));
    }
    let mut outputs = Outputs::new(force);
    let mut plans: Vec<(String, Plan, PathBuf)> = Vec::new();
    for file in files {
        let mut plan = Plan::load(file)?;
        key.apply(&mut plan)?;
        outputs.read("plan", file);
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        plans.push((file.display().to_string(), plan, folder));
    }
    let of_tables: Vec<PlanOfTable<'_>> =
        plans.iter().map(|(name, plan, folder)| PlanOfTable { name, plan, folder }).collect();
    let stage = |stage| interface.stage(stage);
    let released = anonymize_joined(&of_tables, &outputs, &interface.progress(), &stage);
    interface.done();
    let ReleasedTogether { releases, joined } = released?;
    if json {
        let summaries: Vec<_> = releases.iter().map(|released| &released.summary).collect();
        let all = serde_json::json!({ "releases": summaries, "joined": joined });
        print_after_publishing(all.to_string() + "\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    for ((_, plan, _), released) in plans.iter().zip(&releases) {
        tell(plan, released, true, interface);
        let verdict = released.summary.verdict.iter();
        verdict.for_each(|verdict| tell_verdict(verdict, released.report.as_deref(), interface));
    }
    tell_joined(&joined, interface);
    Ok(ExitCode::SUCCESS)
}

/// Says what was checked of the joined tables.
fn tell_joined(joined: &Joined, interface: &Interface) {
    let models = counted(joined.models.len() as u64, "requirement holds", "requirements hold");
    interface.say(format_args!(
        "Joined: every row belongs to a row of {}; {models} on joined rows; the smallest group has {}; checked",
        joined.parent,
        joined.smallest.unwrap_or(0)
    ));
}
