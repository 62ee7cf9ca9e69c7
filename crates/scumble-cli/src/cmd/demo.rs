//! `scumble demo`: a complete walk-through on a built-in synthetic table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Audience, Plan, Role};
use scumble::prelude::PlanFiles;
use scumble::release::check::Checked;
use scumble::release::outputs::{Outputs, Own};
use scumble::release::resources::Resources;
use scumble::{Error, Result};
use scumble_files::Source;

use super::anonymize::{execute, tell, tell_verdict};
use super::attack;
use super::init::{make_plan, write_private};
use super::sample::{DEMO_SEED, claim, write_hierarchies, write_to};
use crate::sample::write_sample;
use crate::ui::{Interface, row_count, wrap};

/// The number of attacks that the terminal shows.
const TOLD_ATTACKS: usize = 3;

/// A complete walk-through on a built-in synthetic table: init, anonymize, check, attack, report; nothing to prepare
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder to work in; created if it does not exist
    #[arg(long, default_value = "scumble-demo", value_name = "DIR")]
    folder: PathBuf,
    /// Rows of the synthetic table
    #[arg(long, default_value_t = 5_000, value_name = "N")]
    rows: u64,
    /// Replace files in the folder that do not come from a demo
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let folder = &arguments.folder;
    std::fs::create_dir_all(folder)
        .map_err(|source| Error::io(format!("cannot make the folder '{}'", folder.display()), source))?;
    let mut outputs = Outputs::new(arguments.force);
    let hierarchies = folder.join("hierarchies");
    claim(&mut outputs, &folder.join("patients.csv"), Some(&hierarchies), DEMO_SEED)?;
    interface.say("1  A clinic's table, made up: no person in it exists");
    let table = folder.join("patients.csv");
    write_to(&table, |out| write_sample(out, arguments.rows, DEMO_SEED))?;
    write_hierarchies(&hierarchies)?;
    interface.say(format_args!(
        "   {} with {}, hierarchies beside it",
        table.display(),
        row_count(arguments.rows)
    ));

    interface.say("2  scumble init: what the columns probably are, as a plan to confirm; the readers are named researchers");
    let plan_file = folder.join("release.toml");
    let plan = demo_plan(&table, interface)?;
    // A plan that the user has changed is not replaced.
    let same = std::fs::read_to_string(&plan_file).is_ok_and(|there| there == plan);
    outputs.write(&plan_file, if same { Own::Known } else { Own::Nothing })?;
    write_private(&plan_file, &plan)?;
    let plan = Plan::load(&plan_file)?;
    interface.say(format_args!("   {}", plan_file.display()));
    for role in Role::ALL {
        let names: Vec<&str> = plan.names_with(role).collect();
        if !names.is_empty() {
            interface.say(format_args!("   {:<11} {}", role.name(), names.join(", ")));
        }
    }

    interface.say("3  scumble anonymize: generalise, write, read back, verify, publish");
    let mut outputs = Outputs::new(arguments.force);
    outputs.read("plan", &plan_file);
    let released = execute(&plan, folder, &outputs, interface)?;
    tell(&plan, &released, false, interface);
    interface.released();

    interface.say("4  scumble check: anyone can verify the release again");
    check(&plan, folder, interface)?;

    interface.say("5  scumble attack: what outsiders still learn from it");
    let (found, verdict) = attack::on_release(&plan, folder, &released, interface)?;
    let run: Vec<_> = found.iter().filter(|found| found.not_run.is_none()).collect();
    for found in run.iter().take(TOLD_ATTACKS) {
        for line in wrap(&found.sentence.replace('\u{a0}', " "), 108, "").lines() {
            interface.say(format_args!("   {line}"));
        }
    }
    interface
        .say(format_args!("   The report has all {} attacks, and says why others were not run.", run.len()));
    let page = released.report.as_deref();
    verdict.iter().for_each(|verdict| tell_verdict(verdict, page, interface));

    interface.say("Where to look");
    let report = folder.join(&plan.report).join("report.html");
    interface.say(format_args!(
        "  {}   what it cost, what it protects, what attackers still learn",
        report.display()
    ));
    interface.say(format_args!("  {}   the release", folder.join(&plan.output).display()));
    interface.say("What to try");
    // Nothing that is tried replaces what the demo has made.
    interface.say(format_args!(
        "  scumble anonymize {} --for public --k 12 --t 0.4 -o {}",
        plan_file.display(),
        folder.join("public.csv").display()
    ));
    interface.say("  scumble list");
    Ok(ExitCode::SUCCESS)
}

/// Returns the plan that `init --accept` writes, with the hierarchies that the demo brings.
fn demo_plan(table: &Path, interface: &Interface) -> Result<String> {
    // In a folder of its own, a release needs no other name.
    let files = PlanFiles {
        input: "patients.csv".into(),
        output: "release.csv".into(),
        report: "report".into(),
        plan: "release.toml".into(),
    };
    let (text, ..) = make_plan(table, &files, &scumble::config::Read::default(), true, interface)?;
    // The story is about named researchers, for whom groups of five are enough.
    let text = text.replacen("audience = \"public\"", "audience = \"researchers\"", 1);
    let k = |audience: Audience| format!("\nk = {}\n", audience.least_k());
    let text = text.replacen(&k(Audience::Public), &k(Audience::Researchers), 1);
    let mut text = text.replacen("report = ", "hierarchies = \"hierarchies\"\nreport = ", 1);
    // A file in the folder of hierarchies is used if the plan itself gives no hierarchy.
    for (column, _) in crate::sample::hierarchies() {
        text = without_hierarchy(&text, column);
    }
    Ok(text)
}

/// Removes the `hierarchy` line of one column.
fn without_hierarchy(text: &str, column: &str) -> String {
    let head = format!("[columns.{column}]");
    let mut inside = false;
    let keep = |line: &&str| {
        if line.starts_with('[') {
            inside = *line == head;
        }
        !(inside && line.starts_with("hierarchy = "))
    };
    let lines: Vec<&str> = text.lines().filter(keep).collect();
    lines.join("\n") + "\n"
}

fn check(plan: &Plan, folder: &Path, interface: &Interface) -> Result<()> {
    let release = Source::open(folder.join(&plan.output))?;
    let resources = Resources::in_folder(folder).watched_by(interface.progress().control());
    let checked = Checked::of(&release, None, plan, &resources)?;
    interface.done();
    for model in checked.outcome.iter().flat_map(|outcome| &outcome.models) {
        let mark = if model.holds { "holds" } else { "FAILS" };
        interface.say(format_args!("   {mark}  {}", model.label));
    }
    if checked.holds() { Ok(()) } else { Err(Error::verification("the demo's release does not hold")) }
}
