//! Code that the search benches share: a plan runs in a process of its own, so that it has its own peak memory.
#![allow(dead_code, reason = "each bench uses its own part of these helpers")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble::config::{Parameters, Plan, Rational};
use scumble::models::ModelContext;
use scumble::problem::{Budget, Problem, Progress};
use scumble::recoding::published::Classes;
use scumble::registry::{ALGORITHMS, METRICS, MODELS};
use scumble::release::prepare::{Prepared, drop_incomplete, prepare};
use scumble::release::resources::Resources;
use scumble::search::algorithms::Solution;
use scumble_files::{Source, read_table};
use serde_json::{Value, json};

pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns the parts of a bench that were asked for. In a child process, runs its one plan and returns no parts.
pub(crate) fn parts(default: &[&str]) -> Outcome<Vec<String>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [mode, plan, rounds] = &arguments[..]
        && mode == "one"
    {
        println!("{}", one(Path::new(plan), rounds.parse()?)?);
        return Ok(Vec::new());
    }
    let default = default.iter().map(|part| (*part).to_owned());
    Ok(if arguments.is_empty() { default.collect() } else { arguments })
}

/// Measures wall time and the CPU time of all threads since a moment, in milliseconds.
struct Clock {
    started: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Self {
        Self { started: Instant::now(), cpu: cpu_milliseconds() }
    }

    fn read(&self) -> (f64, f64) {
        (self.started.elapsed().as_secs_f64() * 1e3, cpu_milliseconds() - self.cpu)
    }
}

/// The CPU time of all threads of this process so far, including those that have ended.
fn cpu_milliseconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 * 1e3 + spent.tv_nsec as f64 / 1e6
}

/// Reads, encodes and groups the table of a plan, and searches `rounds` times. Returns the figures of the fastest round.
fn one(path: &Path, rounds: u32) -> Outcome<Value> {
    let mut plan = Plan::from_toml(&std::fs::read_to_string(path)?, "plan")?;
    let folder = path.parent().ok_or("a folder")?;
    let clock = Clock::start();
    let mut options = scumble::release::read_options(&plan.read)?;
    let source = Source::open(folder.join(&plan.input))?;
    // Columns are in the order of the file, as in a release: searches break ties by it.
    let header = scumble_files::read_header(&source, &options)?;
    let names: Vec<&str> = header.names.iter().map(String::as_str).collect();
    plan.columns = names.iter().map(|name| (*name).to_owned()).zip(plan.columns_for(&names)?).collect();
    plan.columns.retain(|(_, column)| !column.role.has(scumble::config::Role::Drop));
    options.columns = Some(plan.columns.iter().map(|(name, _)| name.clone()).collect());
    let mut table = read_table(&source, &options)?.coded;
    drop_incomplete(&mut table, &plan)?;
    let algorithm = (ALGORITHMS.find(&plan.algorithm.name)?.build)(&plan.algorithm.parameters)?;
    let mut prepared =
        prepare(&table, &plan, &Resources::in_folder(folder), algorithm.capabilities().needs_trees)?;
    let floor = clock.read();
    let floor_bytes = scumble::base::memory::peak();
    // A search needs neither rows nor the table as read.
    drop(table);
    prepared.tuple_of_row = Vec::new();
    let suppression =
        plan.algorithm.suppression.unwrap_or_else(|| algorithm.capabilities().default_suppression);
    let mut problem = problem(&plan, prepared, suppression)?;
    algorithm.check(&problem)?;
    let mut fastest = (f64::INFINITY, f64::INFINITY);
    let mut found = None;
    for _ in 0..rounds {
        problem.limit(budget(&plan));
        let clock = Clock::start();
        let mut solution = algorithm.run(&problem)?;
        solution.assignment = scumble::search::relabel::show_sets(&problem, solution.assignment)?;
        if plan.algorithm.polish {
            solution = scumble::search::polish::polish(&problem, solution)?;
        }
        let (wall, cpu) = clock.read();
        fastest = (fastest.0.min(wall), fastest.1.min(cpu));
        found = Some(solution);
    }
    let Solution { recoding, assignment, findings } = found.ok_or("no round")?;
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    let suppressed = classes.suppressed_rows();
    let kept = classes.kept();
    let loss = problem.metric.measure(&classes, &problem);
    let finding = |name: &str| findings.iter().find(|finding| finding.name == name).and_then(|f| f.value);
    Ok(json!({
        "rows": problem.table.rows(), "tuples": problem.table.tuples(),
        "floor": { "wall": floor.0, "cpu": floor.1, "bytes": floor_bytes },
        "search": { "wall": fastest.0, "cpu": fastest.1, "bytes": scumble::base::memory::peak() },
        "nodes": finding("nodes"), "checked": finding("checked"), "gap": finding("gap"),
        "loss": loss, "classes": kept, "suppressed": suppressed, "levels": format!("{:?}", recoding.step),
    }))
}

fn budget(plan: &Plan) -> Budget {
    Budget::new(plan.algorithm.steps, plan.algorithm.budget.map(|budget| budget.duration()))
}

fn problem(plan: &Plan, prepared: Prepared, suppression: Rational) -> Outcome<Problem> {
    let sensitive: Vec<String> =
        plan.names_with(scumble::config::Role::Sensitive).map(str::to_owned).collect();
    let trees = |name: &str| prepared.payload_trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree);
    let mut models = Vec::new();
    for spec in &plan.privacy {
        let columns = &spec.columns;
        let context = ModelContext { table: &prepared.table, trees: &trees, columns, sensitive: &sensitive };
        let parameters: &Parameters = &spec.parameters;
        models.extend((MODELS.find(&spec.model)?.build)(parameters, &context)?);
    }
    Ok(Problem {
        models,
        metric: METRICS.find(plan.algorithm.metric.as_deref().unwrap_or("loss"))?.build,
        suppression,
        star_policy: plan.algorithm.star_policy,
        budget: budget(plan),
        seed: 0,
        progress: Progress::default(),
        class: prepared.class,
        quasi: prepared.quasi,
        table: prepared.table,
    })
}

/// Writes a plan and runs it in a process of its own.
pub(crate) fn measure(folder: &Path, plan: &str, rounds: u32) -> Outcome<Value> {
    let path = folder.join("plan.toml");
    std::fs::write(&path, plan)?;
    let output =
        Command::new(std::env::current_exe()?).arg("one").arg(&path).arg(rounds.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the folder of public tables: the one in `SCUMBLE_SHARED_DATA`, or `../shared/data` next to the workspace.
pub(crate) fn shared_data(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("SCUMBLE_SHARED_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = given.into_iter().chain([beside]).map(|folder| folder.join(name)).find(|path| path.exists());
    found.and_then(|path| path.canonicalize().ok())
}

/// Makes a synthetic clinic and its hierarchies.
pub(crate) fn clinic(folder: &Path, rows: u64) -> Outcome<(PathBuf, PathBuf)> {
    let (table, hierarchies) = (folder.join(format!("clinic{rows}.csv")), folder.join("hierarchies"));
    let made = Command::new(env!("CARGO_BIN_EXE_scumble"))
        .args(["sample", "--quiet", "--rows", &rows.to_string(), "-o"])
        .arg(&table)
        .arg("--hierarchies")
        .arg(&hierarchies)
        .status()?;
    if !made.success() {
        return Err("the sample could not be made".into());
    }
    Ok((table, hierarchies))
}

/// Nine columns of the clinic that outsiders may know.
pub(crate) const CLINIC: [&str; 9] = [
    "birth_date",
    "sex",
    "postcode",
    "occupation",
    "education",
    "marital_status",
    "country_of_birth",
    "insurance",
    "admission_date",
];

/// Returns a plan on the clinic that suits the algorithm.
pub(crate) fn plan_for(algorithm: &str, input: &Path, hierarchies: &Path) -> String {
    let model = match algorithm {
        "anatomy" => "model = \"l_diversity\"\nl = 2\ncolumns = [\"diagnosis\"]",
        "nhaa" => "model = \"l_diversity\"\nl = 2\nvariant = \"frequency\"",
        "nsvdist" => {
            "model = \"k_anonymity\"\nk = 5\n[[privacy]]\nmodel = \"l_diversity\"\nl = 1.2\nvariant = \"frequency\""
        }
        "permutation" => "model = \"k_e\"\nk = 5\ne = 1",
        _ => "model = \"k_anonymity\"\nk = 5",
    };
    let mut plan = format!(
        "input = {input:?}\noutput = \"out.csv\"\nrest = \"drop\"\nhierarchies = {hierarchies:?}\n[columns]\n"
    );
    // The only column of numbers, because MDAV shows means.
    let quasi = if algorithm == "mdav" { &["length_of_stay_days"][..] } else { &CLINIC };
    for name in quasi {
        plan += &format!("{name} = {{ role = \"quasi\" }}\n");
    }
    plan += match algorithm {
        "anatomy" | "nhaa" | "nsvdist" => "diagnosis = { role = \"sensitive\" }\n",
        "permutation" => "length_of_stay_days = { role = \"sensitive\" }\n",
        _ => "readmitted = { role = \"class\" }\n",
    };
    plan + &format!("[[privacy]]\n{model}\n[algorithm]\nname = {algorithm:?}\n")
}
