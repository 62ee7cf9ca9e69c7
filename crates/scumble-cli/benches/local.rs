//! Measures the time and the loss of the local recodings.
//!
//! `cargo bench --bench local [-- PART…]`, parts: `mondrian` (Mondrian's family on Adult), `targets` (the least loss within 30 seconds,
//! compared with other tools' figures), `clusterings` (on all complete rows of Adult, and on parts of them), `scale` (Mondrian compared
//! with "read + encode + group" of the same file, 10^4 to 1.2·10^6 rows), `ten-million`. Without a part: all but the last. Parts that need
//! absent public tables are skipped with a message. Every line is measured in a process of its own, so that it has its own peak memory. CPU
//! time is that of all threads together.

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{CLINIC, Outcome, clinic, measure, shared_data};
use serde_json::Value;

const ADULT8: &[&str] =
    &["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"];
/// The quasi-identifiers behind other tools' figures, and in the DBCA paper.
const PEERS: &[&str] =
    &["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

/// One run, described as its plan.
#[derive(Clone, Copy)]
struct Trial<'a> {
    input: &'a Path,
    hierarchies: Option<&'a Path>,
    quasi: &'a [&'a str],
    class: &'a str,
    k: u64,
    algorithm: &'a str,
    /// Further lines of the plan's `[algorithm]` section.
    settings: &'a str,
}

impl Trial<'_> {
    fn plan(&self) -> String {
        let Self { input, k, algorithm, settings, .. } = self;
        let mut plan = format!("input = {input:?}\noutput = \"out.csv\"\nrest = \"drop\"\n");
        if let Some(hierarchies) = self.hierarchies {
            let _ = writeln!(plan, "hierarchies = {hierarchies:?}");
        }
        plan += "[read]\nmissing_policy = \"drop-row\"\n[columns]\n";
        for name in self.quasi {
            // Without hierarchies, columns show ranges and sets of the values that occur.
            let label = match self.hierarchies {
                Some(_) => "",
                None if *name == "age" => ", label = \"tight\"",
                None => ", label = \"set\"",
            };
            let _ = writeln!(plan, "{name:?} = {{ role = \"quasi\"{label} }}");
        }
        if !self.class.is_empty() {
            let _ = writeln!(plan, "{:?} = {{ role = \"class\" }}", self.class);
        }
        let _ = write!(
            plan,
            "[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n[algorithm]\nname = {algorithm:?}\n{settings}"
        );
        plan
    }

    fn run(&self, folder: &Path, rounds: u32) -> Outcome<Value> {
        measure(folder, &self.plan(), rounds)
    }
}

fn main() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for part in common::parts(&["mondrian", "targets", "clusterings", "scale"])? {
        match &part[..] {
            "mondrian" => mondrian(folder)?,
            "targets" => targets(folder)?,
            "clusterings" => clusterings(folder)?,
            "scale" => scale(folder, &[10_000, 100_000, 1_200_000])?,
            "ten-million" => scale(folder, &[10_000_000])?,
            other => return Err(format!("there is no part '{other}'").into()),
        }
    }
    Ok(())
}

fn figure(found: &Value, part: &str, name: &str) -> f64 {
    found[part][name].as_f64().unwrap_or(f64::NAN)
}

fn heading() {
    println!(
        "\n| rows | what | k | loss % | classes | search: wall ms, CPU ms | peak MB |\n|---|---|---|---|---|---|---|"
    );
}

fn line(what: &str, k: u64, found: &Value) {
    println!(
        "| {} | {what} | {k} | {:.3} | {} | {:.1}, {:.1} | {:.0} |",
        found["rows"],
        100.0 * found["loss"].as_f64().unwrap_or(f64::NAN),
        found["classes"],
        figure(found, "search", "wall"),
        figure(found, "search", "cpu"),
        figure(found, "search", "bytes") / 1e6
    );
}

/// The Adult table as ARX distributes it, and the folder of its hierarchies.
fn adult() -> Option<(PathBuf, PathBuf)> {
    let table = shared_data("arx/adult/adult.csv");
    if table.is_none() {
        println!("Adult: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
    }
    table.and_then(|table| Some((table.clone(), table.parent()?.to_owned())))
}

fn mondrian(folder: &Path) -> Outcome<()> {
    let Some((input, hierarchies)) = adult() else { return Ok(()) };
    heading();
    let base = Trial {
        input: &input,
        hierarchies: Some(&hierarchies),
        quasi: ADULT8,
        class: "",
        k: 5,
        algorithm: "mondrian",
        settings: "",
    };
    for k in [2, 5, 10, 25, 50, 100] {
        line("mondrian", k, &Trial { k, ..base }.run(folder, 7)?);
    }
    line("mondrian, ranges and sets", 5, &Trial { hierarchies: None, quasi: PEERS, ..base }.run(folder, 7)?);
    let gain = Trial { class: "occupation", algorithm: "infogain_mondrian", ..base };
    line("infogain_mondrian", 5, &gain.run(folder, 7)?);
    let global = Trial { algorithm: "single_dimensional_mondrian", ..base };
    line("single_dimensional_mondrian", 5, &global.run(folder, 7)?);
    let kactus = Trial { class: "salary-class", quasi: PEERS, algorithm: "kactus", ..base };
    line("kactus", 5, &kactus.run(folder, 3)?);
    Ok(())
}

fn targets(folder: &Path) -> Outcome<()> {
    let Some((input, hierarchies)) = adult() else { return Ok(()) };
    heading();
    let settings = "budget = \"28s\"\n";
    let base = Trial {
        input: &input,
        hierarchies: Some(&hierarchies),
        quasi: ADULT8,
        class: "",
        k: 5,
        algorithm: "cluster",
        settings,
    };
    line("cluster, nodes (ARX 3.28 in 7 CPU s)", 5, &base.run(folder, 1)?);
    let sets = Trial { hierarchies: None, quasi: PEERS, ..base };
    line("cluster, ranges and sets (Python Mondrian 3.20 in 34 CPU s)", 5, &sets.run(folder, 1)?);
    line("cluster, ranges and sets (Python Mondrian 5.86)", 10, &Trial { k: 10, ..sets }.run(folder, 1)?);
    let polished = Trial { algorithm: "mondrian", settings: "polish = true\nbudget = \"28s\"\n", ..base };
    line("mondrian, polished", 5, &polished.run(folder, 1)?);
    Ok(())
}

/// Clusters all complete rows of Adult, and parts of them, with the trees of the PAIS authors.
fn clusterings(folder: &Path) -> Outcome<()> {
    let (Some(train), Some(test), Some(trees)) = (
        shared_data("adult/adult_train.csv"),
        shared_data("adult/adult_test.csv"),
        shared_data("adult/taxonomy/pais"),
    ) else {
        println!("all rows of Adult: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    let test = std::fs::read_to_string(test)?;
    let all = std::fs::read_to_string(train)? + test.split_once('\n').ok_or("a header")?.1;
    let part = |rows: usize| -> Outcome<PathBuf> {
        let path = folder.join(format!("adult{rows}.csv"));
        std::fs::write(
            &path,
            all.lines().take(rows + 1).map(|line| format!("{line}\n")).collect::<String>(),
        )?;
        Ok(path)
    };
    let whole = part(usize::MAX - 1)?;
    let base = Trial {
        input: &whole,
        hierarchies: Some(&trees),
        quasi: PEERS,
        class: "",
        k: 10,
        algorithm: "seqa",
        settings: "",
    };
    heading();
    for algorithm in ["dbca", "dbca_cm"] {
        let class = if algorithm == "dbca_cm" { "salary-class" } else { "" };
        for k in [5, 10, 50, 100] {
            line(algorithm, k, &Trial { class, algorithm, k, ..base }.run(folder, 1)?);
        }
    }
    line("seqa", 10, &base.run(folder, 1)?);
    for algorithm in ["k_member", "oka"] {
        line(algorithm, 10, &Trial { algorithm, ..base }.run(folder, 1)?);
    }
    line(
        "cluster, 10 s",
        10,
        &Trial { algorithm: "cluster", settings: "budget = \"10s\"\n", ..base }.run(folder, 1)?,
    );
    for rows in [5_000, 10_000, 20_000, 40_000] {
        let input = part(rows)?;
        for algorithm in ["dbca", "seqa", "k_member"] {
            line(algorithm, 10, &Trial { input: &input, algorithm, ..base }.run(folder, 1)?);
        }
    }
    Ok(())
}

/// Runs Mondrian on synthetic clinics.
fn scale(folder: &Path, sizes: &[u64]) -> Outcome<()> {
    println!(
        "\n| rows | tuples | read + encode + group: wall ms, CPU ms | search: wall ms, CPU ms | all / floor: wall, CPU | peak MB, \
         of the search too |\n|---|---|---|---|---|---|"
    );
    for rows in sizes {
        let (input, hierarchies) = clinic(folder, *rows)?;
        let trial = Trial {
            input: &input,
            hierarchies: Some(&hierarchies),
            quasi: &CLINIC,
            class: "",
            k: 5,
            algorithm: "mondrian",
            settings: "",
        };
        let found = trial.run(folder, 1)?;
        let figure = |part: &str, name: &str| figure(&found, part, name);
        let ratio = |name: &str| 1.0 + figure("search", name) / figure("floor", name);
        println!(
            "| {} | {} | {:.0}, {:.0} | {:.0}, {:.0} | {:.2}, {:.2} | {:.0}, {:.0} |",
            found["rows"],
            found["tuples"],
            figure("floor", "wall"),
            figure("floor", "cpu"),
            figure("search", "wall"),
            figure("search", "cpu"),
            ratio("wall"),
            ratio("cpu"),
            figure("floor", "bytes") / 1e6,
            figure("search", "bytes") / 1e6,
        );
        std::fs::remove_file(input)?;
    }
    Ok(())
}
