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

/// The mean accuracies as a table in text.
fn tell(experiment: &Experiment, results: &Results) -> String {
    let mut text = String::new();
    let summaries = results.summaries();
    for (place, data) in experiment.data.iter().enumerate() {
        for learner in &experiment.plan.learner {
            let own = |summary: &&Summary| summary.data == data.name && summary.learner == learner.title();
            let rows: Vec<(String, String)> = summaries.iter().filter(own).map(row).collect();
            let majority = ("majority class".to_owned(), percent(experiment.majority(place)));
            let width =
                rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(majority.0.len());
            text += &format!("{} on {}\n", learner.title(), data.name);
            for (name, value) in rows.iter().chain([&majority]) {
                text += &format!("  {name:width$}  {value}\n");
            }
        }
    }
    text
}

fn row(summary: &Summary) -> (String, String) {
    let Some(algorithm) = &summary.algorithm else {
        return (
            "original rows".to_owned(),
            summary.accuracy.map_or_else(String::new, |a| percent(a.estimate)),
        );
    };
    let values: Vec<String> =
        summary.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let name = format!("{algorithm} {}", values.join(", "));
    let value = match (&summary.accuracy, &summary.error) {
        (Some(accuracy), _) => format!("{}  loss {:.3}", percent(accuracy.estimate), summary.loss),
        (None, error) => error.clone().unwrap_or_default(),
    };
    (name.trim_end().to_owned(), value)
}

fn percent(share: f64) -> String {
    format!("{:5.1} %", share * 100.0)
}
