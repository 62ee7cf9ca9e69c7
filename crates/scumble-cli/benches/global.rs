//! What the optimal full-domain search costs, beside "read + encode + group" of the same file in the same process.
//!
//! `cargo bench --bench global [-- PART…]`, parts: `adult` (beside ARX's figures; skipped where the public tables are absent),
//! `scale` (1.2 million rows), `growth` (10^4 to 10^6 rows), `ten-million`, `large` (85 million nodes within 30 seconds;
//! skipped likewise). Without a part: adult, scale, growth. Every line is a process of its own, so that peak memory is its own
//! too. CPU time is that of all threads together.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble::algorithms::Solution;
use scumble::config::{Parameters, Plan};
use scumble::models::ModelContext;
use scumble::prepare::{Prepared, drop_incomplete, prepare};
use scumble::problem::{Budget, Problem, Progress};
use scumble::published::{Classes, Published};
use scumble::registry::{ALGORITHMS, METRICS, MODELS, find};
use scumble_files::{Source, read_table};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [mode, plan, rounds] = &arguments[..]
        && mode == "one"
    {
        println!("{}", one(Path::new(plan), rounds.parse()?)?);
        return Ok(());
    }
    let parts: Vec<&str> = match &arguments[..] {
        [] => vec!["adult", "scale", "growth"],
        given => given.iter().map(String::as_str).collect(),
    };
    let folder = tempfile::tempdir()?;
    for part in parts {
        match part {
            "adult" => adult(folder.path())?,
            "scale" => scale(folder.path())?,
            "growth" => growth(folder.path(), &[10_000, 100_000, 1_000_000])?,
            "ten-million" => growth(folder.path(), &[10_000_000])?,
            "large" => large(folder.path())?,
            other => return Err(format!("there is no part '{other}'").into()),
        }
    }
    Ok(())
}

/// The clock and the CPU time of all threads since a moment, in milliseconds.
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

/// What all threads of this process have run so far, also those that have ended.
fn cpu_milliseconds() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    spent.tv_sec as f64 * 1e3 + spent.tv_nsec as f64 / 1e6
}

/// Reads, encodes and groups the table of a plan, and searches as often as asked; the figures of the fastest round.
fn one(path: &Path, rounds: u32) -> Outcome<Value> {
    let plan = Plan::from_toml(&std::fs::read_to_string(path)?, "plan")?;
    let folder = path.parent().ok_or("a folder")?;
    let clock = Clock::start();
    let mut options = scumble::release::read_options(&plan, 0)?;
    options.columns = Some(plan.columns.iter().map(|(name, _)| name.clone()).collect());
    let mut table = read_table(&Source::open(folder.join(&plan.input))?, &options)?.coded;
    drop_incomplete(&mut table, &plan)?;
    let mut prepared = prepare(&table, &plan, folder, true)?;
    let floor = clock.read();
    let floor_bytes = scumble::memory::peak();
    // A search needs neither rows nor the table as read.
    drop(table);
    prepared.tuple_of_row = Vec::new();
    let problem = problem(&plan, prepared)?;
    let algorithm = (find("algorithm", &plan.algorithm.name, ALGORITHMS)?.build)(&plan.algorithm.parameters)?;
    algorithm.check(&problem)?;
    let mut fastest = (f64::INFINITY, f64::INFINITY);
    let mut found = None;
    for _ in 0..rounds {
        let clock = Clock::start();
        let solution = algorithm.run(&problem)?;
        let (wall, cpu) = clock.read();
        fastest = (fastest.0.min(wall), fastest.1.min(cpu));
        found = Some(solution);
    }
    let Solution { recoding, assignment, findings } = found.ok_or("no round")?;
    let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
    let suppressed = classes.suppressed_rows();
    let loss = problem.metric.measure(&Published::Classes(classes), &problem);
    let finding = |name: &str| findings.iter().find(|finding| finding.name == name).and_then(|f| f.value);
    Ok(json!({
        "rows": problem.table.rows(), "tuples": problem.table.tuples(),
        "floor": { "wall": floor.0, "cpu": floor.1, "bytes": floor_bytes },
        "search": { "wall": fastest.0, "cpu": fastest.1, "bytes": scumble::memory::peak() },
        "nodes": finding("nodes"), "checked": finding("checked"), "gap": finding("gap"),
        "loss": loss, "suppressed": suppressed, "levels": format!("{:?}", recoding.step),
    }))
}

fn problem(plan: &Plan, prepared: Prepared) -> Outcome<Problem> {
    let sensitive: Vec<String> =
        plan.names_with(scumble::config::Role::Sensitive).map(str::to_owned).collect();
    let trees = |name: &str| prepared.payload_trees.iter().find(|(of, _)| of == name).map(|(_, tree)| tree);
    let mut models = Vec::new();
    for spec in &plan.privacy {
        let columns = &spec.columns;
        let context = ModelContext { table: &prepared.table, trees: &trees, columns, sensitive: &sensitive };
        let parameters: &Parameters = &spec.parameters;
        models.extend((find("model", &spec.model, MODELS)?.build)(parameters, &context)?);
    }
    Ok(Problem {
        models,
        metric: find("metric", plan.algorithm.metric.as_deref().unwrap_or("loss"), METRICS)?.build,
        suppression: plan.algorithm.suppression.ok_or("a suppression limit")?,
        star_policy: plan.algorithm.star_policy,
        budget: Budget::new(plan.algorithm.steps, plan.algorithm.budget.map(|budget| budget.duration())),
        seed: 0,
        progress: Progress::default(),
        class: prepared.class,
        quasi: prepared.quasi,
        table: prepared.table,
    })
}

/// Writes a plan and lets a process of its own carry it out.
fn measure(folder: &Path, plan: &str, rounds: u32) -> Outcome<Value> {
    let path = folder.join("plan.toml");
    std::fs::write(&path, plan)?;
    let output =
        Command::new(std::env::current_exe()?).arg("one").arg(&path).arg(rounds.to_string()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn plan(
    input: &Path,
    hierarchies: &Path,
    quasi: &[&str],
    sensitive: &str,
    typed: &str,
    rest: &str,
) -> String {
    let mut text = format!(
        "input = {input:?}\noutput = \"out.csv\"\nhierarchies = {hierarchies:?}\naccept_attribute_disclosure = true\n{rest}\n"
    );
    for column in quasi {
        let _ = writeln!(text, "[columns.{column}]\nrole = \"quasi\"{typed}");
    }
    if !sensitive.is_empty() {
        let _ = writeln!(text, "[columns.{sensitive}]\nrole = \"sensitive\"");
    }
    text
}

fn algorithm(metric: &str, suppression: &str) -> String {
    format!(
        "[algorithm]\nname = \"optimal\"\nmetric = \"{metric}\"\nstar_policy = \"paper\"\nsuppression = {suppression}\n"
    )
}

/// The folder of public tables: what `SCUMBLE_SHARED_DATA` says, or `../shared/data` beside the workspace.
fn shared_data(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os("SCUMBLE_SHARED_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = given.into_iter().chain([beside]).map(|folder| folder.join(name)).find(|path| path.exists());
    found.and_then(|path| path.canonicalize().ok())
}

const K5: &str = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
const L3: &str = "[[privacy]]\nmodel = \"l_diversity\"\nl = 3\n";
const RECURSIVE: &str = "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"recursive\"\nc = 4\nl = 3\n";
const T: &str = "[[privacy]]\nmodel = \"t_closeness\"\nt = 0.2\ndistance = \"hierarchical\"\n";

/// The cases that ARX 3.9.2 was measured on: name, quasi-identifiers, models, limit, its CPU milliseconds and checks.
fn adult(folder: &Path) -> Outcome<()> {
    let Some(table) = shared_data("arx/adult/adult.csv") else {
        println!("adult: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    let both = format!("{K5}{T}");
    let cases = [
        ("k=5", 8, K5, "0.0", 54, 122),
        ("k=5", 8, K5, "0.02", 350, 538),
        ("k=5", 8, K5, "0.05", 369, 447),
        ("k=5", 8, K5, "1.0", 596, 1_006),
        ("k=5", 9, K5, "0.0", 52, 181),
        ("k=5", 9, K5, "0.05", 1_186, 1_217),
        ("distinct 3-diversity", 8, L3, "0.0", 70, 129),
        ("distinct 3-diversity", 8, L3, "0.05", 574, 497),
        ("recursive (4,3)-diversity", 8, RECURSIVE, "0.05", 784, 665),
        ("t=0.2", 8, T, "0.0", 38, 33),
        ("t=0.2", 8, T, "0.05", 2_849, 4_291),
        ("k=5 and t=0.2", 8, &both, "0.05", 1_808, 3_022),
    ];
    println!(
        "| Adult | model | limit | loss | suppressed | checked (ARX) | ARX CPU ms | CPU ms | wall ms | ARX / CPU |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, columns, privacy, limit, arx, checks) in cases {
        let mut quasi =
            vec!["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];
        quasi.extend(if columns == 9 { &["occupation", "salary-class"][..] } else { &["salary-class"] });
        let sensitive = if columns == 8 { "occupation" } else { "" };
        let rest = format!("{privacy}{}", algorithm("loss_geometric", limit));
        let text = plan(&table, table.parent().ok_or("a folder")?, &quasi, sensitive, "", &rest);
        let found = measure(folder, &text, 7)?;
        let cpu = found["search"]["cpu"].as_f64().unwrap_or(f64::NAN);
        println!(
            "| adult{columns} | {name} | {limit} | {:.6} | {} | {} ({checks}) | {arx} | {cpu:.1} | {:.1} | {:.1} |",
            found["loss"].as_f64().unwrap_or(f64::NAN),
            found["suppressed"],
            found["checked"],
            found["search"]["wall"].as_f64().unwrap_or(f64::NAN),
            f64::from(arx) / cpu,
        );
    }
    Ok(())
}

/// Eight quasi-identifiers of the synthetic clinic.
const CLINIC: [&str; 8] = [
    "birth_date",
    "sex",
    "postcode",
    "occupation",
    "education",
    "marital_status",
    "country_of_birth",
    "insurance",
];

fn clinic(folder: &Path, rows: u64) -> Outcome<(PathBuf, PathBuf)> {
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

fn clinic_heading() {
    println!(
        "| rows | tuples | limit | nodes | checked | loss | read + encode + group: wall ms, CPU ms | search: wall ms, CPU ms | \
         ratio: wall, CPU | peak MB, of the search too |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
}

fn clinic_line(folder: &Path, table: &Path, hierarchies: &Path, limit: &str) -> Outcome<()> {
    let rest = format!("{K5}{}", algorithm("loss", limit));
    let found = measure(folder, &plan(table, hierarchies, &CLINIC, "", "", &rest), 1)?;
    let figure = |part: &str, name: &str| found[part][name].as_f64().unwrap_or(f64::NAN);
    println!(
        "| {} | {} | {limit} | {} | {} | {:.4} | {:.0}, {:.0} | {:.0}, {:.0} | {:.2}, {:.2} | {:.0}, {:.0} |",
        found["rows"],
        found["tuples"],
        found["nodes"],
        found["checked"],
        found["loss"].as_f64().unwrap_or(f64::NAN),
        figure("floor", "wall"),
        figure("floor", "cpu"),
        figure("search", "wall"),
        figure("search", "cpu"),
        figure("search", "wall") / figure("floor", "wall"),
        figure("search", "cpu") / figure("floor", "cpu"),
        figure("floor", "bytes") / 1e6,
        figure("search", "bytes") / 1e6,
    );
    Ok(())
}

fn scale(folder: &Path) -> Outcome<()> {
    let (table, hierarchies) = clinic(folder, 1_200_000)?;
    clinic_heading();
    for limit in ["0.0", "0.02", "0.05"] {
        clinic_line(folder, &table, &hierarchies, limit)?;
    }
    Ok(std::fs::remove_file(table)?)
}

fn growth(folder: &Path, sizes: &[u64]) -> Outcome<()> {
    clinic_heading();
    for rows in sizes {
        let (table, hierarchies) = clinic(folder, *rows)?;
        clinic_line(folder, &table, &hierarchies, "0.02")?;
        std::fs::remove_file(table)?;
    }
    Ok(())
}

/// Sixteen columns, 85 million nodes: the best within a time, and how far from the optimum it can be.
fn large(folder: &Path) -> Outcome<()> {
    let Some(table) = shared_data("arx/int/mach2019_int.csv") else {
        println!("large: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    let header = std::fs::read_to_string(&table)?;
    let quasi: Vec<&str> = header.lines().next().ok_or("a header")?.split(';').collect();
    // The folder has the hierarchies of several tables.
    let hierarchies = folder.join("mach2019");
    std::fs::create_dir_all(&hierarchies)?;
    for file in std::fs::read_dir(table.parent().ok_or("a folder")?.join("hierarchies"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if let Some(column) = name.strip_prefix("mach2019_int_hierarchy_") {
            let from = table.parent().ok_or("a folder")?.join("hierarchies").join(&name);
            std::fs::copy(from, hierarchies.join(column))?;
        }
    }
    println!("| limit | nodes | checked | loss | gap | suppressed | wall ms | CPU ms | peak MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for limit in ["0.0", "0.02", "0.05", "1.0"] {
        let rest = format!("{K5}{}budget = \"30s\"\n", algorithm("loss_geometric", limit));
        let found = measure(folder, &plan(&table, &hierarchies, &quasi, "", "\ntype = \"text\"", &rest), 1)?;
        let figure = |part: &str, name: &str| found[part][name].as_f64().unwrap_or(f64::NAN);
        println!(
            "| {limit} | {} | {} | {} | {} | {} | {:.0} | {:.0} | {:.0} |",
            found["nodes"],
            found["checked"],
            found["loss"],
            found["gap"],
            found["suppressed"],
            figure("search", "wall"),
            figure("search", "cpu"),
            figure("search", "bytes") / 1e6,
        );
    }
    Ok(())
}
