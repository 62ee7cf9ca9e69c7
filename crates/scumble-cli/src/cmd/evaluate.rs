//! `scumble evaluate`: what can still be learnt from releases.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::Plan;
use scumble::release::outputs::{Outputs, Own};
use scumble::{Error, Result};
use scumble_eval::experiment::{EvaluationPlan, Experiment, Group, Journal, Results, Summary, write_results};
use scumble_files::{Audience, PrivateFile, create_private_dir};

use super::init::write_private;
use crate::ui::{Interface, counted, print};

/// Say what can still be learnt from releases: data × algorithms × k × machine-learning models, scored on rows that no release saw
///
/// Results go to a folder: results.csv, results.parquet, index.html, and a journal that lets the same command continue after it was
/// stopped.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The plan: tables, algorithms, what varies, machine-learning models, protocol
    plan: PathBuf,
    /// The folder of the results; if not given, the one in the plan, else PLAN.evaluation
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Start again, without the results of earlier runs
    #[arg(long)]
    anew: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
}

/// The files of a folder of results.
const JOURNAL: &str = "journal.jsonl";

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let plan = EvaluationPlan::load(&arguments.plan)?;
    let beside = arguments.plan.parent().map(Path::to_owned).unwrap_or_default();
    let folder = folder(arguments, &plan, &beside);
    check_outputs(arguments, &plan, &beside, &folder)?;
    let progress = interface.progress();
    let experiment = Experiment::read(plan, &beside, progress.control())?;
    for data in &experiment.data {
        data.notes.iter().for_each(|note| interface.note(format_args!("{}: {note}", data.name)));
    }
    create_private_dir(&folder)?;
    let journal = folder.join(JOURNAL);
    if arguments.anew && journal.exists() {
        std::fs::remove_file(&journal)
            .map_err(|source| Error::io(format!("cannot remove {}", journal.display()), source))?;
    }
    let journal = Journal::open(&journal)?;
    let before = journal.len();
    interface.goes_on();
    let results = experiment.run(journal, &progress, &|told| interface.count(told.done, told.all, "cells"));
    // Learners do not check for a stop themselves.
    let results = results.and_then(|results| progress.check().map(|()| results));
    interface.done();
    let results = results?;
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
        ("results.csv", "one row for each table, algorithm, setting, machine-learning model and split"),
        ("results.parquet", "the same"),
    ] {
        interface.say(format_args!("Wrote {}  ({what})", folder.join(name).display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Fails if a file must not be overwritten.
fn check_outputs(arguments: &Arguments, plan: &EvaluationPlan, beside: &Path, folder: &Path) -> Result<()> {
    let mut outputs = Outputs::new(arguments.force);
    outputs.read("plan", &arguments.plan);
    for data in &plan.data {
        let path = beside.join(&data.plan);
        outputs.read("plan of a table", &path);
        data.test.iter().for_each(|test| outputs.read("table of test rows", beside.join(test)));
        // A plan that cannot be read is reported where it is used.
        if let Ok(plan) = Plan::load(&path) {
            outputs.read_plan(&plan, path.parent().unwrap_or(Path::new("")));
        }
    }
    // The journal is read and continued. With --anew it is deleted, so the file must really be one.
    let journal = folder.join(JOURNAL);
    outputs.write(&journal, Own::Evaluation)?;
    ["results.csv", "results.parquet", "index.html"]
        .iter()
        .try_for_each(|name| outputs.write(&folder.join(name), Own::Evaluation))
}

fn folder(arguments: &Arguments, plan: &EvaluationPlan, beside: &Path) -> PathBuf {
    match (&arguments.output, &plan.output) {
        (Some(folder), _) => folder.clone(),
        (None, Some(folder)) => beside.join(folder),
        (None, None) => arguments.plan.with_extension("evaluation"),
    }
}

fn write(experiment: &Experiment, results: &Results, folder: &Path) -> Result<()> {
    let varying = experiment.plan.varying();
    let metrics: Vec<String> = experiment.plan.measure.iter().map(|choice| choice.name()).collect();
    let metrics: Vec<&str> = metrics.iter().map(String::as_str).collect();
    for name in ["results.csv", "results.parquet"] {
        let target = folder.join(name);
        let mut file = PrivateFile::create(&target)?;
        write_results(results, &varying, &metrics, &target, file.file())?;
        file.publish(Audience::Owner)?.sound()?;
    }
    write_private(&folder.join("index.html"), &scumble_eval::page::html(experiment, results, None)?)
}

/// Writes the means as tables in text, first accuracies and then metrics, with a row for each algorithm and a column for each value of the
/// first varying parameter.
fn tell(experiment: &Experiment, results: &Results) -> String {
    let mut text = String::new();
    let parameter = scumble_eval::page::axis(experiment).unwrap_or_default();
    let groups = results.groups(parameter);
    for group in groups.iter().filter(|group| !group.learner.is_empty()) {
        let place = experiment.data.iter().position(|data| data.name == group.data);
        let baselines = [
            ("original rows", group.original.map(percent).unwrap_or_default()),
            ("majority class", place.map(|place| percent(experiment.majority(place))).unwrap_or_default()),
        ];
        let what = format!("Accuracy of {}", group.learner);
        text += &text_table(group, parameter, &what, &baselines, &shown);
    }
    // Metrics are the same for every learner.
    let first = experiment.plan.learner.first().map_or("", |learner| learner.title());
    for group in groups.iter().filter(|group| group.learner == first) {
        for choice in &experiment.plan.measure {
            let cell = |summary: &Summary| match (&summary.error, summary.measures.get(&choice.name())) {
                (Some(_), _) => "failed".to_owned(),
                (None, None) => "–".to_owned(),
                (None, Some(figure)) => format!("{figure:.4}"),
            };
            text += &text_table(group, parameter, choice.title(), &[], &cell);
        }
    }
    text
}

fn text_table(
    group: &Group,
    parameter: &str,
    what: &str,
    baselines: &[(&str, String)],
    cell: &dyn Fn(&Summary) -> String,
) -> String {
    let others: Vec<String> =
        group.others.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    let mut text = format!("{what} on {}{}\n", group.data, others.concat());
    let heads = group.places();
    let names = group.curves.iter().map(|curve| curve.algorithm.as_str());
    let names = names.chain(baselines.iter().map(|(name, _)| *name));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let head = |head: &String| if head.is_empty() { String::new() } else { format!("{parameter} = {head}") };
    let mut line = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("  {cell:>9}")).collect();
        text += &format!("  {name:width$}{}\n", cells.trim_end());
    };
    if !parameter.is_empty() {
        line("", heads.iter().map(head).collect());
    }
    for curve in &group.curves {
        let at = |head: &String| {
            let found = curve.points.iter().find(|(place, _)| place == head);
            found.map_or_else(String::new, |(_, summary)| cell(summary))
        };
        line(&curve.algorithm, heads.iter().map(at).collect());
    }
    for (name, value) in baselines {
        line(name, vec![value.clone()]);
    }
    text
}

fn shown(summary: &Summary) -> String {
    summary.accuracy.map_or_else(|| "failed".to_owned(), |accuracy| percent(accuracy.estimate))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
