//! How long the local recodings search, and what they lose.
//!
//! `cargo bench --bench local [-- ROWS ROUNDS]`. Adult (`../shared/data/arx/adult`, skipped by name where it is absent) with the
//! quasi-identifiers of "adult8" and hierarchy nodes as labels, and those of other tools' figures with ranges and sets; then a sample
//! of growing size up to ROWS, whose search is compared with reading, coding and grouping the same file. Every figure is the
//! fastest of the rounds, each a process of its own, since machines are noisy.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ADULT8: &[&str] =
    &["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"];
const PEERS: &[&str] =
    &["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];
const SAMPLE: &[&str] = &[
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

/// One run as its plan.
struct Trial<'a> {
    name: String,
    input: &'a Path,
    hierarchies: Option<&'a Path>,
    quasi: &'a [&'a str],
    /// The columns whose labels are not nodes, with their label.
    labels: Vec<(&'a str, &'static str)>,
    class: Option<&'a str>,
    k: u64,
    algorithm: &'a str,
}

/// What the run said.
struct Found {
    read: f64,
    search: f64,
    loss: f64,
    classes: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let number = |place: usize, default: u64| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (rows, rounds) = (number(0, 1_200_000), number(1, 5));
    let folder = tempfile::tempdir()?;
    println!("| what | k | loss % | classes | read s | search s |\n|---|---|---|---|---|---|");
    adult(folder.path(), rounds)?;
    println!(
        "\n`search` is coding, grouping and searching; `grouping` is the same with nothing to find (k = all rows).\n"
    );
    println!("| rows | read s | grouping s | mondrian s | × (read + grouping) |\n|---|---|---|---|---|");
    growth(folder.path(), rows, rounds)
}

fn adult(folder: &Path, rounds: u64) -> Outcome<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/arx/adult");
    let input = data.join("adult.csv");
    if !input.exists() {
        println!("| Adult: skipped, there is no ../shared/data/arx/adult | | | | | |");
        return Ok(());
    }
    for k in [2, 5, 10, 25, 50, 100] {
        for algorithm in ["mondrian", "infogain_mondrian", "single_dimensional_mondrian"] {
            let class = (algorithm == "infogain_mondrian").then_some("occupation");
            let nodes = Trial {
                name: format!("adult8, nodes, {algorithm}"),
                input: &input,
                hierarchies: Some(&data),
                quasi: ADULT8,
                labels: Vec::new(),
                class,
                k,
                algorithm,
            };
            report(&nodes, folder, rounds)?;
        }
        let labels = PEERS.iter().map(|name| (*name, if *name == "age" { "tight" } else { "set" })).collect();
        let sets = Trial {
            name: "peers, ranges and sets, mondrian".into(),
            input: &input,
            hierarchies: None,
            quasi: PEERS,
            labels,
            class: None,
            k,
            algorithm: "mondrian",
        };
        report(&sets, folder, rounds)?;
    }
    Ok(())
}

fn report(trial: &Trial<'_>, folder: &Path, rounds: u64) -> Outcome<()> {
    let found = fastest(trial, folder, rounds)?;
    println!(
        "| {} | {} | {:.3} | {} | {:.3} | {:.3} |",
        trial.name,
        trial.k,
        100.0 * found.loss,
        found.classes,
        found.read,
        found.search
    );
    Ok(())
}

/// Samples of 10^4 rows and more, up to `most`.
fn growth(folder: &Path, most: u64, rounds: u64) -> Outcome<()> {
    let smaller = (4..).map(|power| 10_u64.pow(power)).take_while(|rows| *rows < most);
    for rows in smaller.chain([most]) {
        let (input, hierarchies) = (folder.join("sample.csv"), folder.join("hierarchies"));
        let made = Command::new(env!("CARGO_BIN_EXE_scumble"))
            .args(["sample", "--quiet", "--rows", &rows.to_string(), "-o"])
            .arg(&input)
            .arg("--hierarchies")
            .arg(&hierarchies)
            .status()?;
        if !made.success() {
            return Err("the sample could not be made".into());
        }
        let trial = |k| Trial {
            name: rows.to_string(),
            input: &input,
            hierarchies: Some(&hierarchies),
            quasi: SAMPLE,
            labels: Vec::new(),
            class: None,
            k,
            algorithm: "mondrian",
        };
        let (whole, cut) = (fastest(&trial(rows), folder, rounds)?, fastest(&trial(5), folder, rounds)?);
        let floor = whole.read + whole.search;
        println!(
            "| {rows} | {:.3} | {:.3} | {:.3} | {:.2} |",
            whole.read,
            whole.search,
            cut.search,
            (cut.read + cut.search) / floor
        );
        std::fs::remove_file(&input)?;
        std::fs::remove_dir_all(&hierarchies)?;
    }
    Ok(())
}

/// The run of the least search time.
fn fastest(trial: &Trial<'_>, folder: &Path, rounds: u64) -> Outcome<Found> {
    let mut best = run(trial, folder)?;
    for _ in 1..rounds {
        let found = run(trial, folder)?;
        if found.search < best.search {
            best = found;
        }
    }
    Ok(best)
}

fn run(trial: &Trial<'_>, folder: &Path) -> Outcome<Found> {
    let text = |path: &Path| path.display().to_string();
    let mut plan = format!(
        "input = {:?}\noutput = \"release.csv\"\nreport = \"\"\nrest = \"drop\"\n",
        text(&std::path::absolute(trial.input)?)
    );
    if let Some(hierarchies) = trial.hierarchies {
        writeln!(plan, "hierarchies = {:?}", text(&std::path::absolute(hierarchies)?))?;
    }
    plan += "[columns]\n";
    for name in trial.quasi {
        let label = trial.labels.iter().find(|(of, _)| of == name);
        let label = label.map(|(_, label)| format!(", label = {label:?}")).unwrap_or_default();
        writeln!(plan, "{name:?} = {{ role = \"quasi\"{label} }}")?;
    }
    if let Some(class) = trial.class {
        writeln!(plan, "{class:?} = {{ role = \"class\" }}")?;
    }
    writeln!(plan, "[[privacy]]\nmodel = \"k_anonymity\"\nk = {}", trial.k)?;
    writeln!(plan, "[algorithm]\nname = {:?}", trial.algorithm)?;
    let file: PathBuf = folder.join("local.toml");
    std::fs::write(&file, plan)?;
    let result =
        Command::new(env!("CARGO_BIN_EXE_scumble")).arg("anonymize").arg(&file).arg("--json").output()?;
    if !result.status.success() {
        return Err(String::from_utf8_lossy(&result.stderr).into_owned().into());
    }
    let summary: serde_json::Value = serde_json::from_slice(&result.stdout)?;
    let seconds = |stage: &str| summary["seconds"][stage].as_f64().ok_or("no time in the summary");
    Ok(Found {
        read: seconds("read")?,
        search: seconds("search")?,
        loss: summary["metrics"]["loss"].as_f64().ok_or("no loss in the summary")?,
        classes: summary["classes"].as_u64().ok_or("no classes in the summary")?,
    })
}
