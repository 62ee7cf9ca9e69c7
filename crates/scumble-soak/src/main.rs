//! The long run: the real program releases random tables by random plans, and a checker that shares no code with it checks every release.
//! Runs are killed, disturbed and raced. This is not part of the ordinary tests; `scripts/soak` starts it.

mod chaos;
mod csv;
mod fraction;
mod judge;
mod label;
mod matching;
mod model;
mod plan;
mod random;
mod scene;
mod stage;
mod tally;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use chaos::Expected;
use judge::Files;
use plan::{Plan, Shape};
use random::Random;
use scene::Scene;
use stage::Stage;
use tally::Tally;

const HELP: &str = "\
scumble-soak --binary SCUMBLE --work DIR [--seed N] [--runs N] [--only INDEX] [--kills PERCENT] [--faults PERCENT] [--races PERCENT]

  --binary   the program under test
  --work     a folder for the runs, the figures (figures.tsv) and the findings; a run goes on where the figures end
  --seed     which random tables and plans (default 1)
  --runs     up to which index (default 1000)
  --only     run one index again, and keep its folder
  --kills, --faults, --races   of how many of a hundred releases the run is killed, disturbed by faults (strace is needed), raced
";

struct Options {
    binary: PathBuf,
    work: PathBuf,
    seed: u64,
    runs: u64,
    only: Option<u64>,
    kills: usize,
    faults: usize,
    races: usize,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        binary: PathBuf::new(),
        work: PathBuf::new(),
        seed: 1,
        runs: 1000,
        only: None,
        kills: 6,
        faults: 4,
        races: 2,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or_else(|| HELP.to_owned())?;
        let number = || value.parse::<u64>().map_err(|_| format!("{flag} needs a number"));
        match flag.as_str() {
            "--binary" => options.binary = fs::canonicalize(&value).map_err(|error| error.to_string())?,
            "--work" => options.work = PathBuf::from(&value),
            "--seed" => options.seed = number()?,
            "--runs" => options.runs = number()?,
            "--only" => options.only = Some(number()?),
            "--kills" => options.kills = number()? as usize,
            "--faults" => options.faults = number()? as usize,
            "--races" => options.races = number()? as usize,
            _ => return Err(HELP.to_owned()),
        }
    }
    if options.binary.as_os_str().is_empty() || options.work.as_os_str().is_empty() {
        return Err(HELP.to_owned());
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(help) => {
            eprintln!("{help}");
            return ExitCode::from(2);
        }
    };
    match soak(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("the long run cannot go on: {error}");
            ExitCode::from(3)
        }
    }
}

/// Runs, and returns the number of all findings.
fn soak(options: &Options) -> io::Result<u64> {
    fs::create_dir_all(&options.work)?;
    let figures = options.work.join("figures.tsv");
    let strace =
        Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let mut tally =
        if options.only.is_some() { Tally::default() } else { Tally::read(&figures, options.seed)? };
    let (from, to) = options.only.map_or((tally.next, options.runs), |index| (index, index + 1));
    for index in from..to {
        let folder = options.work.join("run");
        let found = one(options, index, &folder, strace, &mut tally)?;
        for (kind, text) in &found {
            let count = tally.add(format!("finding/{kind}"));
            let line =
                format!("seed {} index {index}: {kind}: {}\n", options.seed, text.replace('\n', " / "));
            OpenOptions::new()
                .create(true)
                .append(true)
                .open(options.work.join("findings.txt"))?
                .write_all(line.as_bytes())?;
            if count <= 20 || options.only.is_some() {
                print!("{line}");
                keep(&folder, &options.work.join(format!("finding-{index}")))?;
            }
        }
        tally.next = index + 1;
        if options.only.is_none() && (index % 200 == 199 || index + 1 == to) {
            tally.write(&figures, options.seed)?;
        }
    }
    println!("{}", tally.table());
    if !strace {
        println!("strace is missing: no faults were injected, and runs were killed by time only");
    }
    Ok(tally.findings())
}

/// Keeps the folder of a finding.
fn keep(folder: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    Command::new("cp").arg("-a").arg(folder).arg(to).status().map(drop)
}

/// Runs one index: a table, a plan, a release, and its disturbances. Returns kinds and texts of findings.
fn one(
    options: &Options,
    index: u64,
    folder: &Path,
    strace: bool,
    tally: &mut Tally,
) -> io::Result<Vec<(String, String)>> {
    let mut random = Random::of(options.seed, index);
    let (scene, plan) = plan::draw(&mut random, false);
    let stage = Stage::set(folder, &options.binary, &scene)?;
    let single = !matches!(plan.shape, Shape::Projections | Shape::Anatomy | Shape::Permutation);
    let output = if single { "out/release.csv" } else { "out/release" };
    stage.plan("plan.toml", &scene, output, &plan.text)?;
    let started = Instant::now();
    let ending = stage.run("plan.toml")?;
    let takes = started.elapsed();
    let (files, private) = stage.look()?;
    let mut found: Vec<(String, String)> = Vec::new();
    let mut report =
        |kind: &str, text: String| found.push((kind.to_owned(), format!("{}: {text}", plan.algorithm)));
    for leak in stage::leaks(&scene, &plan, &files, &ending.said) {
        report("leak", leak);
    }
    for open in stage.open_reports()? {
        report("private file open", open);
    }
    let left = stage.leftovers()?;
    if ending.code.is_some() && (!private.is_empty() || !left.is_empty()) {
        report("leftovers", format!("{private:?} {left:?}"));
    }
    let outcome = match ending.code {
        Some(0) => "released",
        Some(1) => "infeasible",
        Some(2) => "refused",
        Some(3) => "data",
        // A release that the audit refuses also ends with 4.
        Some(4) if plan.shape == Shape::Frequencies && ending.said.contains("audit") => "infeasible",
        None if ending.signal == Some(9) => "too slow",
        _ => "crashed",
    };
    tally.add(format!("run/{}/{outcome}", plan.algorithm));
    match outcome {
        "released" => {
            for requirement in &plan.requirements {
                tally.add(format!("model/{}/{}", plan.algorithm, requirement.name));
            }
            tally.add(format!("policy/{}", plan.policy));
            if let Err(why) = judge::release(&scene, &plan, &files) {
                report("judged wrong", why);
            }
        }
        "crashed" => {
            report("crash", format!("exit {:?}, signal {:?}: {}", ending.code, ending.signal, ending.said));
        }
        // A documented refusal: a value `*` in a column with a tree.
        "data" if ending.said.contains("two nodes of its hierarchy have the same label") => {}
        "data" => report("sound data refused", ending.said.clone()),
        "too slow" => {
            tally.add(format!("note/took more than a minute/{}", plan.algorithm));
        }
        _ => {
            let first = ending.said.lines().next().unwrap_or_default().to_owned();
            // A class that shows nothing is suppressed, so the note is only meaningful if all rows may be suppressed.
            let free = plan.text.contains("suppression = 1\n");
            if outcome == "infeasible" && plan.one_class_holds && free {
                tally.add(format!("note/gave up although one class would do/{}", plan.algorithm));
            }
            if !files.is_empty() {
                report("published in spite of an error", first);
            }
        }
    }
    if outcome == "released" {
        // No release contains what people guard, so nobody can check it there.
        let guarded = plan.text.contains("model = \"personalised\"");
        if single && plan.shape == Shape::Classes && random.percent(5) && !guarded {
            check(&stage, tally, &mut found, &plan)?;
        }
        if plan.repeatable {
            disturb(options, &stage, &scene, &plan, (&files, takes), strace, &mut random, tally, &mut found)?;
        }
    }
    Ok(found)
}

/// Runs the program's own check, which must agree that the release holds and is true.
fn check(
    stage: &Stage<'_>,
    tally: &mut Tally,
    found: &mut Vec<(String, String)>,
    plan: &Plan,
) -> io::Result<()> {
    let ending = stage.check("plan.toml")?;
    tally.add(format!("check/exit {:?}", ending.code));
    if ending.code != Some(0) && plan.policy != "paper" {
        let kind = if ending.code == Some(1) { "check says no" } else { "check cannot" };
        found.push((kind.into(), format!("{}: {}", plan.algorithm, ending.said)));
    }
    Ok(())
}

/// Kills, faults and races a run whose release is known.
#[expect(clippy::too_many_arguments, reason = "one caller; a struct would only rename them")]
fn disturb(
    options: &Options,
    stage: &Stage<'_>,
    scene: &Scene,
    plan: &Plan,
    (files, takes): (&Files, std::time::Duration),
    strace: bool,
    random: &mut Random,
    tally: &mut Tally,
    found: &mut Vec<(String, String)>,
) -> io::Result<()> {
    let (kills, faults, races) = (
        random.percent(options.kills),
        strace && random.percent(options.faults),
        random.percent(options.races),
    );
    if !(kills || faults || races) {
        return Ok(());
    }
    // In half of the cases an older release was published before: the same table with other classes.
    let mut old = Files::new();
    let columns = plan
        .text
        .split("[[privacy]]")
        .next()
        .unwrap_or_default()
        .split("[algorithm]")
        .next()
        .unwrap_or_default();
    let text =
        format!("{columns}[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[algorithm]\nname = \"mondrian\"\n");
    let single = files.contains_key("release.csv");
    if single {
        stage.plan("old.toml", scene, "out/release.csv", &text)?;
        stage.reset(&Files::new())?;
        if stage.run("old.toml")?.code == Some(0) {
            old = stage.look()?.0;
        }
    }
    let raced = races && !old.is_empty();
    let nothing = Files::new();
    let before = if random.percent(50) { &old } else { &nothing };
    let expected = Expected { new: files, old: before, takes };
    let mut note = |kind: &str, outcome: Result<&'static str, String>, tally: &mut Tally| match outcome {
        Ok(outcome) => {
            tally.add(format!("{kind}/{outcome}"));
        }
        Err(why) => {
            tally.add(format!("{kind}/finding"));
            found.push((kind.to_owned(), format!("{}: {why}", plan.algorithm)));
        }
    };
    if kills {
        for _ in 0..2 {
            note("kill", chaos::kill(stage, &expected, random, strace)?, tally);
        }
    }
    if faults {
        for _ in 0..2 {
            note("fault", chaos::fault(stage, &expected, random)?, tally);
        }
    }
    if raced {
        let both = Expected { new: files, old: &old, takes };
        note("race", chaos::race(stage, &both, random)?, tally);
    }
    Ok(())
}
