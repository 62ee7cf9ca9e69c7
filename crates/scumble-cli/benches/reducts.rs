//! Measures the time and memory of reducts, ensembles of them, and the joint anonymity of projections on Adult.
//!
//! `cargo bench --bench reducts [-- PART…]`, parts: `reduct`, `ensemble`, `joint`, `dmpd`; all of them without a part. It uses all 14
//! columns and the 45,222 complete rows of Adult (`../shared/data/adult`, or `SCUMBLE_SHARED_DATA`; skipped with a message if absent).
//! Capital gain, capital loss and hours are no quasi-identifiers, as in the paper. Every line is measured in a process of its own. `scumble
//! evaluate` compares accuracies, see `experiments/reducts`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble::config::{Column, Parameters, Plan, Rational, Role, Roles, StarPolicy, Value};
use scumble::models::ModelContext;
use scumble::problem::{Budget, Problem, Progress};
use scumble::registry::{METRICS, MODELS, TABLES_ALGORITHMS};
use scumble::release::prepare::{Prepared, prepare};
use scumble::release::resources::Resources;
use scumble::search::algorithms::tables::{Tables, TablesProblem};
use scumble::search::rough::discretise::Discretise;
use scumble::search::rough::{DecisionTable, joint_anonymity};
use scumble::table::frequency::FrequencyTable;
use scumble::table::quasi::Quasi;
use scumble_files::{ReadOptions, Source, read_table};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The columns that outsiders do not know.
const OTHER: [&str; 3] = ["capital-gain", "capital-loss", "hours-per-week"];
const CLASS: &str = "salary-class";

/// An algorithm with its parameters, at some k.
type Line = (&'static str, &'static str, u64, &'static [(&'static str, &'static str)]);

const LINES: &[Line] = &[
    ("reduct", "reduct", 2, &[]),
    ("reduct", "reduct", 50, &[]),
    ("reduct", "reduct", 2, &[("discretise", "mdlp")]),
    ("reduct", "reduct", 2, &[("discretise", "none")]),
    ("ensemble", "reduct_ensemble", 2, &[("m", "30")]),
    ("ensemble", "reduct_ensemble", 50, &[("m", "30")]),
    ("ensemble", "reduct_ensemble", 50, &[("m", "30"), ("disjoint", "true")]),
    ("dmpd", "dmpd", 50, &[("generations", "10")]),
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match &arguments[..] {
        [mode, table, line] if mode == "one" => return one(Path::new(table), &LINES[line.parse::<usize>()?]),
        [mode, table] if mode == "join" => return join(Path::new(table)),
        _ => {}
    }
    let wanted = |part: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == part);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let shared: PathBuf = std::env::var_os("SCUMBLE_SHARED_DATA").map_or(beside, Into::into);
    let data = shared.join("adult");
    if !data.join("adult_train.csv").exists() {
        println!("Adult: skipped, there is no ../shared/data/adult");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let table = folder.path().join("adult.csv");
    let read = |name: &str| std::fs::read_to_string(data.join(name));
    let (train, test) = (read("adult_train.csv")?, read("adult_test.csv")?);
    let complete = train.lines().chain(test.lines().skip(1)).filter(|line| !line.contains('?'));
    std::fs::write(&table, complete.collect::<Vec<_>>().join("\n") + "\n")?;

    println!("| what | k | parameters | seconds | CPU seconds | peak MB | before it | found |");
    println!("|---|---|---|---|---|---|---|---|");
    for (place, _) in LINES.iter().enumerate().filter(|(_, line)| wanted(line.0)) {
        run(&["one", &table.to_string_lossy(), &place.to_string()])?;
    }
    if wanted("joint") {
        run(&["join", &table.to_string_lossy()])?;
    }
    Ok(())
}

fn run(arguments: &[&str]) -> Outcome<()> {
    let output = Command::new(std::env::current_exe()?).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    print!("{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

/// A moment: wall time, and the CPU time of all threads so far.
struct Moment(Instant, f64);

impl Moment {
    fn now() -> Self {
        Self(Instant::now(), cpu())
    }

    /// Returns the time that has passed since, in seconds.
    fn passed(&self) -> String {
        format!("{:.2} | {:.2}", self.0.elapsed().as_secs_f64(), cpu() - self.1)
    }
}

fn cpu() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

fn megabytes() -> u64 {
    scumble::base::memory::peak().unwrap_or(0) >> 20
}

/// Runs the search of one line, and prints what that took.
fn one(table: &Path, (_, name, k, wishes): &Line) -> Outcome<()> {
    let problem = problem(table, *k)?;
    let algorithm = (TABLES_ALGORITHMS.find(name)?.build)(&parameters(wishes))?;
    algorithm.check(&problem)?;
    let before = megabytes();
    let started = Moment::now();
    let solution = algorithm.run(&problem)?;
    let seconds = started.passed();
    let Tables::Projections(projections) = &solution.tables else { return Err("no projections".into()) };
    let finding = |name: &str| solution.findings.iter().find(|f| f.name == name).and_then(|f| f.value);
    let given: Vec<String> = wishes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let mut columns: Vec<usize> = projections.iter().flatten().copied().collect();
    columns.sort_unstable();
    columns.dedup();
    println!(
        "| {name} | {k} | {} | {seconds} | {} | {before} | {} tables of {} columns, level {}, positive ratio {:.3}{} |",
        given.join(", "),
        megabytes(),
        projections.len(),
        columns.len(),
        finding("joint_level").unwrap_or(0.0),
        finding("positive_ratio").unwrap_or(0.0),
        finding("accuracy").map_or(String::new(), |accuracy| format!(", accuracy {accuracy:.4}")),
    );
    Ok(())
}

/// Computes the joint anonymity of ten overlapping projections, with the same steps from each of the first ten columns.
fn join(table: &Path) -> Outcome<()> {
    let problem = problem(table, 2)?;
    let asked = &problem.problem;
    let sizes: Vec<u32> = asked.quasi.iter().map(Quasi::size).collect();
    for (words, steps) in [("of 3 columns", &[0, 5, 9][..]), ("of 5 columns", &[0, 2, 5, 9, 11])] {
        let projections: Vec<Vec<usize>> = (0..10)
            .map(|first| {
                let mut columns: Vec<usize> = steps.iter().map(|step| (first + step) % sizes.len()).collect();
                columns.sort_unstable();
                columns
            })
            .collect();
        for (how, discretise) in [("10 bins", Discretise::Frequency(10)), ("raw numbers", Discretise::No)] {
            let coarser = discretise.apply(&problem).coarser;
            let decisions = DecisionTable::new(&asked.table, &sizes, &coarser, problem.target);
            let before = megabytes();
            let started = Moment::now();
            let joint = joint_anonymity(&decisions, &problem.known, &projections, &asked.progress)?;
            println!(
                "| joint anonymity of 10 projections | | {words}, {how} | {} | {} | {before} | level {}, {} |",
                started.passed(),
                megabytes(),
                joint.level,
                if joint.is_exact() { "exact".to_owned() } else { format!("at most {}", joint.at_most) },
            );
        }
    }
    Ok(())
}

/// Reads and counts a table. Returns it with a flag for each column that outsiders know.
fn counted(table: &Path, class: &str, other: &[&str]) -> Outcome<(Prepared, Vec<bool>)> {
    let read = read_table(&Source::open(table)?, &ReadOptions::default())?.coded;
    let mut plan = Plan::new("", "");
    let role = |name: &str| if name == class { Role::Class } else { Role::Quasi };
    let names: Vec<String> = read.columns.iter().map(|column| column.name.clone()).collect();
    plan.columns = names.iter().map(|name| (name.clone(), Column::new(Roles::one(role(name))))).collect();
    let prepared = prepare(&read, &plan, &Resources::default(), false)?;
    let known = prepared.quasi.iter().map(|quasi| !other.contains(&quasi.name.as_str())).collect();
    Ok((prepared, known))
}

/// Poses the problem of k-anonymity on a table.
fn asked(table: FrequencyTable, quasi: Vec<Quasi>, class: Option<usize>, k: u64) -> Outcome<Problem> {
    let k = k.to_string();
    let wish = parameters(&[("k", k.as_str())]);
    let context = ModelContext { table: &table, trees: &|_| None, columns: &[], sensitive: &[] };
    let models = (MODELS.find("k_anonymity")?.build)(&wish, &context)?;
    Ok(Problem {
        models,
        metric: METRICS.find("loss")?.build,
        suppression: Rational::ZERO,
        star_policy: StarPolicy::Strict,
        budget: Budget::default(),
        seed: 0,
        progress: Progress::default(),
        class,
        quasi,
        table,
    })
}

/// Returns parameters as the command line reads them.
fn parameters(given: &[(&str, &str)]) -> Parameters {
    given.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value))).collect()
}

/// Poses the problem of Adult at some k.
fn problem(table: &Path, k: u64) -> Outcome<TablesProblem> {
    let (prepared, known) = counted(table, CLASS, &OTHER)?;
    let target = prepared.class.ok_or("no class")?;
    let problem = asked(prepared.table, prepared.quasi, prepared.class, k)?;
    Ok(TablesProblem { problem, known, target, seed: None })
}
