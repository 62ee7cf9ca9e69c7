//! `scumble evaluate`: what can still be learnt from releases.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::problem::Progress;
use scumble::{Error, Result};
use scumble_eval::experiment::{EvaluationPlan, Experiment, Journal, Results, Summary, write_results};
use scumble_files::{Audience, PrivateFile, create_private_dir};

use super::init::write_private;
use crate::ui::{Interface, counted, print};

/// Say what can still be learnt from releases: data × algorithms × k × learners, scored on rows that no release saw
///
/// Results go to a folder: results.csv, results.parquet, index.html, and a journal by which the same command goes on after it
/// was stopped.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The plan: tables, algorithms, what varies, learners, protocol
    plan: PathBuf,
    /// The folder of the results; that of the plan, else PLAN.evaluation
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Forget what earlier runs have found
    #[arg(long)]
    anew: bool,
}

/// The files of a folder of results.
const JOURNAL: &str = "journal.jsonl";

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let plan = EvaluationPlan::load(&arguments.plan)?;
    let beside = arguments.plan.parent().map(Path::to_owned).unwrap_or_default();
    let folder = folder(arguments, &plan, &beside);
    let experiment = Experiment::read(plan, &beside)?;
    for data in &experiment.data {
        data.notes.iter().for_each(|note| interface.note(format_args!("{}: {note}", data.name)));
    }
    create_private_dir(&folder)?;
    let journal = folder.join(JOURNAL);
    if arguments.anew && journal.exists() {
        std::fs::remove_file(&journal)
            .map_err(|source| Error::Io { what: format!("cannot remove {}", journal.display()), source })?;
    }
    let journal = Journal::open(&journal)?;
    let before = journal.len();
    interface.goes_on();
    let progress = Progress::default();
    let results =
        experiment.run(journal, &progress, &|told| interface.count(told.done, told.all, "cells"))?;
    interface.done();
    let kept = before - results.unused;
    if kept > 0 {
        interface
            .say(format_args!("{} of an earlier run used again", counted(kept as u64, "result", "results")));
    }
    if results.unused > 0 {
        interface.warn(format_args!(
            "{} in the journal {} not to this plan and {} data, since one of them was changed; --anew forgets them",
            counted(results.unused as u64, "result", "results"),
            if results.unused == 1 { "belongs" } else { "belong" },
            if experiment.data.len() == 1 { "its" } else { "their" },
        ));
    }
    write(&experiment, &results, &folder)?;
    print(tell(&experiment, &results))?;
    let mut failed: Vec<&str> = results.entries.iter().filter_map(|entry| entry.error.as_deref()).collect();
    failed.sort_unstable();
    failed.dedup();
    failed.iter().for_each(|error| interface.warn(format_args!("a cell failed: {error}")));
    for (name, what) in [
        ("index.html", "the page; private: open it in a browser, decide before you publish it"),
        ("results.csv", "one row for each table, algorithm, setting, learner and split"),
        ("results.parquet", "the same"),
    ] {
        interface.say(format_args!("Wrote {}  ({what})", folder.join(name).display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn folder(arguments: &Arguments, plan: &EvaluationPlan, beside: &Path) -> PathBuf {
    match (&arguments.output, &plan.output) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => beside.join(folder),
        (None, None) => arguments.plan.with_extension("evaluation"),
    }
}

fn write(experiment: &Experiment, results: &Results, folder: &Path) -> Result<()> {
    let varying: Vec<&str> = experiment.plan.vary.keys().map(String::as_str).collect();
    for name in ["results.csv", "results.parquet"] {
        let target = folder.join(name);
        let mut file = PrivateFile::create(&target)?;
        write_results(results, &varying, &target, file.file())?;
        file.publish(Audience::Owner)?;
    }
    write_private(&folder.join("index.html"), &scumble_eval::page::html(experiment, results, None)?)
}

/// The mean accuracies as tables in text: a row an algorithm, a column a value of the first parameter that varies.
fn tell(experiment: &Experiment, results: &Results) -> String {
    let mut text = String::new();
    let parameter = scumble_eval::page::axis(experiment).unwrap_or_default();
    for group in results.groups(parameter) {
        let others: Vec<String> =
            group.others.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
        text += &format!("Accuracy of {} on {}{}\n", group.learner, group.data, others.concat());
        let mut heads: Vec<&str> = Vec::new();
        for (place, _) in group.curves.iter().flat_map(|curve| &curve.points) {
            if !heads.contains(&place.as_str()) {
                heads.push(place);
            }
        }
        let names = || group.curves.iter().map(|curve| curve.algorithm.as_str()).chain(["majority class"]);
        let width = names().map(|name| name.chars().count()).max().unwrap_or(0);
        let head =
            |head: &&str| if head.is_empty() { String::new() } else { format!("{parameter} = {head}") };
        let mut line = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("  {cell:>9}")).collect();
            text += &format!("  {name:width$}{}\n", cells.trim_end());
        };
        if !parameter.is_empty() {
            line("", heads.iter().map(head).collect());
        }
        for curve in &group.curves {
            let cell = |head: &&str| {
                curve
                    .points
                    .iter()
                    .find(|(place, _)| place == head)
                    .map_or_else(String::new, |(_, summary)| shown(summary))
            };
            line(&curve.algorithm, heads.iter().map(cell).collect());
        }
        let place = experiment.data.iter().position(|data| data.name == group.data);
        line("original rows", vec![group.original.map(percent).unwrap_or_default()]);
        line(
            "majority class",
            vec![place.map(|place| percent(experiment.majority(place))).unwrap_or_default()],
        );
    }
    text
}

fn shown(summary: &Summary) -> String {
    summary.accuracy.map_or_else(|| "failed".to_owned(), |accuracy| percent(accuracy.estimate))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
