//! Measures how long work goes on after it was cancelled, which is the longest time in which no thread checks whether to stop.
//!
//! `cargo bench --bench cancelling [-- SECONDS PART… NAME…]`, parts: `adult` (every algorithm on Adult; skipped if the public tables are
//! absent), `large` (every algorithm on 1.2 million rows of the synthetic clinic), `other` (checking, risk, attacks and machine-learning
//! models on a release of Adult). Without a part, all of them run. Every run goes to its end, or is cancelled after some seconds (20 by
//! default). The table shows, in seconds, how long each run took, how long it went on after it was cancelled, and the longest time
//! between two checks in each stage.

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::{Outcome, clinic, plan_for, shared_data};
use scumble::ErrorKind;
use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::algorithm_names;
use scumble::release::check::{Checked, check};
use scumble::release::resources::Resources;
use scumble::release::{RunOptions, Stage, anonymize, read_original};
use scumble::risk::{RiskTable, assess};
use scumble_eval::attack::{ATTACKS, Options, Release, Target, simulate};
use scumble_eval::protocol::{Dataset, Fold, Split, baseline};
use scumble_files::{Control, ReadOptions, Source, read_table};
use scumble_learn::Settings;
use scumble_learn::registry::LEARNERS;

const PARTS: [&str; 3] = ["adult", "large", "other"];

fn main() -> Outcome<()> {
    let mut most = Duration::from_secs(20);
    let (mut parts, mut names): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match argument.parse::<f64>() {
            Ok(seconds) => most = Duration::from_secs_f64(seconds),
            Err(_) if PARTS.contains(&argument.as_str()) => parts.push(argument),
            Err(_) => names.push(argument),
        }
    }
    if parts.is_empty() {
        parts = PARTS.map(str::to_owned).to_vec();
    }
    let folder = tempfile::tempdir()?;
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    for part in &parts {
        if part == "large" {
            let (input, hierarchies) = clinic(folder.path(), 1_200_000)?;
            println!("\n1,200,000 rows of the clinic");
            releases(folder.path(), most, &is_wanted, &|name| plan_for(name, &input, &hierarchies))?;
            continue;
        }
        let Some((input, hierarchies)) = adult(folder.path())? else {
            println!("\n{part}: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
            continue;
        };
        println!("\nAdult, 45,222 rows{}", if part == "other" { ": other work" } else { "" });
        let plan = |name: &str| adult_plan(name, &input, &hierarchies);
        match part.as_str() {
            "adult" => releases(folder.path(), most, &is_wanted, &plan)?,
            _ => other(folder.path(), most, &is_wanted, &plan("mondrian"))?,
        }
    }
    Ok(())
}

/// Joins both parts of Adult in one table, and returns it with the folder of its hierarchies.
fn adult(folder: &Path) -> Outcome<Option<(PathBuf, PathBuf)>> {
    let Some(public) = shared_data("adult") else { return Ok(None) };
    let read = |name: &str| std::fs::read_to_string(public.join(name));
    let (train, test) = (read("adult_train.csv")?, read("adult_test.csv")?);
    let (_, test) = test.split_once('\n').ok_or("Adult has no header")?;
    let table = folder.join("adult.csv");
    std::fs::write(&table, format!("{}\n{test}", train.trim_end()))?;
    Ok(Some((table, public.join("taxonomy/pais"))))
}

/// Returns a plan on Adult that suits the algorithm.
fn adult_plan(algorithm: &str, input: &Path, hierarchies: &Path) -> String {
    let mut quasi = vec!["age", "workclass", "education", "marital-status", "race", "sex", "native-country"];
    let (model, other) = match algorithm {
        "anatomy" => ("model = \"l_diversity\"\nl = 2", "occupation = { role = \"sensitive\" }\n"),
        "nhaa" | "nsvdist" => (
            "model = \"l_diversity\"\nl = 2\nvariant = \"frequency\"",
            "occupation = { role = \"sensitive\" }\n",
        ),
        "permutation" => ("model = \"k_e\"\nk = 3\ne = 1", "hours-per-week = { role = \"sensitive\" }\n"),
        "iacc" => ("model = \"k_anonymity\"\nk = 1", "salary-class = { role = \"class\" }\n"),
        "mdav" => ("model = \"k_anonymity\"\nk = 5", "occupation = { role = \"sensitive\" }\n"),
        _ => ("model = \"k_anonymity\"\nk = 5", "salary-class = { role = \"class\" }\n"),
    };
    // MDAV shows means of numbers, which are no nodes of a tree.
    if algorithm == "mdav" {
        quasi = vec!["age", "hours-per-week"];
    } else if !other.starts_with("occupation") {
        quasi.push("occupation");
    }
    let own = match algorithm {
        "iacc" => "delta_d = 1000\ndelta_c = 1000\nsuppression = 1\n",
        "nsvdist" => "audit = \"report\"\n",
        _ => "",
    };
    let mut plan = format!(
        "input = {input:?}\noutput = \"out.csv\"\nrest = \"drop\"\naccept_attribute_disclosure = true\n"
    );
    if algorithm != "mdav" {
        plan += &format!("hierarchies = {hierarchies:?}\n");
    }
    plan += &format!("[read]\nmissing_policy = \"drop-row\"\n[columns]\n{other}");
    for name in quasi {
        plan += &format!("{name} = {{ role = \"quasi\" }}\n");
    }
    plan + &format!("[[privacy]]\n{model}\n[algorithm]\nname = {algorithm:?}\n{own}")
}

/// The longest time without a check in each stage.
type Gaps = Vec<(Option<Stage>, Duration)>;

/// The measurements of some work: how long it took, how long it went on after it was cancelled, if it was, the longest time without a check
/// in each stage, and how it ended.
struct Measured {
    took: Duration,
    went_on: Option<Duration>,
    gaps: Gaps,
    ended: scumble::Result<()>,
}

/// Does some work and cancels it after a time.
fn measure(
    most: Duration,
    work: impl FnOnce(&Control, &(dyn Fn(Stage) + Sync)) -> scumble::Result<()>,
) -> Measured {
    let control = Control::timed();
    let gaps: Mutex<(Option<Stage>, Gaps)> = Mutex::new((None, Vec::new()));
    let told = |next: Option<Stage>| {
        let (stage, gaps) = &mut *gaps.lock().unwrap_or_else(PoisonError::into_inner);
        gaps.push((*stage, control.longest_gap()));
        *stage = next;
    };
    let (is_over, cancelled) = (AtomicBool::new(false), Mutex::new(None));
    let started = Instant::now();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            while started.elapsed() < most && !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            *cancelled.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            control.cancel();
        });
        let ended = work(&control, &|stage| told(Some(stage)));
        is_over.store(true, Ordering::Relaxed);
        ended
    });
    told(None);
    let cancelled = cancelled.into_inner().unwrap_or_else(PoisonError::into_inner);
    let was_cancelled = matches!(&ended, Err(error) if error.kind() == ErrorKind::Interrupted);
    let (_, gaps) = gaps.into_inner().unwrap_or_else(PoisonError::into_inner);
    let went_on = cancelled.filter(|_| was_cancelled).map(|at| at.elapsed());
    Measured { took: started.elapsed(), went_on, gaps, ended }
}

impl Measured {
    /// Returns the longest time without a check in a stage.
    fn gap(&self, stage: Option<Stage>) -> Option<Duration> {
        self.gaps.iter().filter(|(of, _)| *of == stage).map(|(_, gap)| *gap).max()
    }

    /// Returns why the work ended, if it failed.
    fn error(&self) -> String {
        let error = self.ended.as_ref().err().filter(|error| error.kind() != ErrorKind::Interrupted);
        error.map_or(String::new(), |error| error.to_string().chars().take(60).collect())
    }
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or(String::new(), |time| format!("{:.3}", time.as_secs_f64()))
}

const STAGES: [Stage; 6] =
    [Stage::Read, Stage::Search, Stage::Write, Stage::Verify, Stage::Measure, Stage::Publish];

/// Makes a release by every algorithm.
fn releases(
    folder: &Path,
    most: Duration,
    is_wanted: &dyn Fn(&str) -> bool,
    plan: &dyn Fn(&str) -> String,
) -> Outcome<()> {
    println!(
        "\n| algorithm | run | went on | {} |\n|---|---|---|---|---|---|---|---|---|",
        STAGES.map(Stage::name).join(" | ")
    );
    for algorithm in algorithm_names().into_iter().filter(|name| is_wanted(name)) {
        let plan = Plan::from_toml(&plan(algorithm), "plan")?;
        let found = measure(most, |control, stage| {
            let progress = Progress::from(control.clone());
            let mut options = RunOptions { folder, progress, stage, standard_output: None };
            anonymize(&plan, &mut options).map(drop)
        });
        let gaps: Vec<String> = STAGES.iter().map(|stage| seconds(found.gap(Some(*stage)))).collect();
        println!(
            "| {algorithm} | {:.2} | {} | {} | {}",
            found.took.as_secs_f64(),
            seconds(found.went_on),
            gaps.join(" | "),
            found.error()
        );
    }
    Ok(())
}

/// Checks, assesses and attacks a release of Adult, and learns from the original.
fn other(folder: &Path, most: Duration, is_wanted: &dyn Fn(&str) -> bool, plan: &str) -> Outcome<()> {
    let plan = Plan::from_toml(
        &plan.replace("[columns]", "[columns]\nrelationship = { role = \"sensitive\" }"),
        "plan",
    )?;
    let progress = Progress::default();
    let mut options = RunOptions { folder, progress, stage: &|_| {}, standard_output: None };
    anonymize(&plan, &mut options)?;
    let source = Source::open(folder.join("out.csv"))?;
    let release = read_table(&source, &ReadOptions::default())?.coded;
    let original = read_original(&plan, &Source::open(&plan.input)?, &Resources::in_folder(folder))?;
    let (plan, table) = (&original.plan, &original.table);
    println!("\n| work | run | went on | longest time between two looks |\n|---|---|---|---|");
    let show = |name: &str, work: &dyn Fn(&Control) -> scumble::Result<()>| {
        if is_wanted(name) {
            let found = measure(most, |control, _| work(control));
            let (run, gap) = (found.took.as_secs_f64(), seconds(found.gap(None)));
            println!("| {name} | {run:.2} | {} | {gap} | {}", seconds(found.went_on), found.error());
        }
    };
    let watched = |control: &Control| Resources::in_folder(folder).watched_by(control);
    let checked = |plan: &Plan, control: &Control| -> scumble::Result<Checked> {
        check(&release, Some(table), None, plan, &watched(control))
    };
    show("check", &|control| checked(plan, control).map(drop));
    let bare = Plan { privacy: Vec::new(), ..plan.clone() };
    show("check, nothing asked", &|control| checked(&bare, control).map(drop));
    let quasi: Vec<String> = plan.names_with(scumble::config::Role::Quasi).map(str::to_owned).collect();
    let input = RiskTable { table, quasi: &quasi, missing: &[], population: None, persons: None };
    for size in [3, 8] {
        let spec = scumble::config::RiskSpec { combination_size: size, ..plan.risk.clone() };
        let name = format!("risk, combinations of {size}");
        show(&name, &|control| assess(&input, &spec, control).map(drop));
    }
    for attack in ATTACKS {
        show(attack.name, &|control| {
            let target = Target {
                release: Release::Table(&release),
                others: std::slice::from_ref(&release),
                original: table,
                outsiders: None,
                perturbed: &[],
                pairs: None,
                plan,
                method_known: true,
                resources: &watched(control),
            };
            simulate(&target, &[attack], &Options::default(), |_| {}).map(drop)
        });
    }
    let data = Dataset::read("Adult", plan, &Resources::in_folder(folder), None)?;
    let rows: Vec<u32> = (0..data.table.rows as u32).collect();
    let (train, test) = rows.iter().partition(|row| **row % 3 > 0);
    let material = baseline(&Fold::of_split(&data, &Split { train, test }, 0))?;
    for entry in LEARNERS {
        let learner = (entry.build)(&Settings::default()).map_err(|error| error.to_string())?;
        show(entry.name, &|control| material.learn(&*learner, 1, control).map(drop));
    }
    Ok(())
}
