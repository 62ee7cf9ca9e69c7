//! Measures what steps before the search cost, as a share of reading the same table into codes, verification included.
//!
//! `cargo bench --bench steps [-- ROWS ROUNDS]`. The rounds alternate between the steps, and the ratio compares the fastest rounds, since
//! machines are noisy.

use std::io::{BufWriter, Write};
use std::time::Instant;

use scumble::config::{KeySource, ModelSpec, Plan, Role, TransformSpec};
use scumble::prelude::Key;
use scumble::release::resources::Resources;
use scumble::release::{read_original, read_planned};
use scumble_files::Source;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The columns of the table. Nearly every income is another one; the others have few values.
const COLUMNS: [&str; 8] = ["born", "income", "zip", "job", "phone", "visit", "latitude", "longitude"];

fn main() -> Outcome<()> {
    let number = |place: usize, default: u64| {
        let arguments: Vec<String> =
            std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (rows, rounds) = (number(0, 1_200_000), number(1, 4));
    let folder = tempfile::tempdir()?;
    write(&folder.path().join("in.csv"), rows)?;
    let step = |name: &str, column: &str| TransformSpec::new(name, column);
    let mut grid = step("geo", "latitude").into_column("cell");
    (grid.column, grid.columns) = (None, vec!["latitude".to_owned(), "longitude".to_owned()]);
    let steps = [
        ("top", step("top", "income").with("share", "0.005")),
        ("round", step("round", "income").with("base", 500)),
        ("round by chance", step("round", "income").with("base", 500).with("mode", "controlled")),
        ("cut", step("cut", "income").with("method", "equal_amount").with("bins", 10)),
        ("lump", step("lump", "job")),
        ("age", step("age", "born").with("at", "2026-01-01")),
        ("days since a column", step("days_since", "visit").with("since_column", "born")),
        ("truncate", step("truncate", "visit").with("unit", "month")),
        ("zip3", step("zip3", "zip")),
        ("mask", step("mask", "phone").with("keep_left", 3)),
        ("geo", grid),
        (
            "pseudonym of few values",
            step("pseudonym", "phone").with("project", "bench").with("linkable", "project"),
        ),
        (
            "pseudonym of many values",
            step("pseudonym", "income").with("project", "bench").with("linkable", "project"),
        ),
        ("shift", step("shift", "visit").with("project", "bench").with("subject", "phone")),
    ];
    let mut fastest = vec![f64::INFINITY; steps.len() + 1];
    for _ in 0..rounds {
        for (place, step) in std::iter::once(None).chain(steps.iter().map(Some)).enumerate() {
            let seconds = read(folder.path(), step.map(|(_, step)| step))?;
            fastest[place] = fastest[place].min(seconds);
        }
    }
    let reading = fastest[0];
    println!(
        "reading {rows} rows of {} columns: {:.0} ms\n\n| step | ms | share of reading |\n|---|---|---|",
        COLUMNS.len(),
        reading * 1e3
    );
    for ((name, _), seconds) in steps.iter().zip(&fastest[1..]) {
        let more = (seconds - reading).max(0.0);
        println!("| {name} | {:.0} | {:.3} |", more * 1e3, more / reading);
    }
    for (name, seconds) in perturbing(folder.path(), rounds)? {
        println!("| {name} | {:.0} | {:.3} |", seconds * 1e3, seconds / reading);
    }
    Ok(())
}

/// What steps that perturb take, on top of everything else that is done with a table before its search.
fn perturbing(folder: &std::path::Path, rounds: u64) -> Outcome<Vec<(&'static str, f64)>> {
    let step = |name: &str, column: &str| TransformSpec::new(name, column);
    let steps = [
        ("noise", step("noise", "income").with("noise", 50)),
        ("multiply", step("multiply", "income").with("sigma", "0.2")),
        ("rank_swap", step("rank_swap", "income").with("p", 10)),
        ("pram", step("pram", "job")),
        ("pram, invariant", step("pram", "job").with("method", "invariant")),
        ("shuffle", step("shuffle", "income").with("by", "latitude")),
    ];
    let mut fastest = vec![f64::INFINITY; steps.len() + 1];
    for _ in 0..rounds {
        for (place, step) in std::iter::once(None).chain(steps.iter().map(Some)).enumerate() {
            let mut plan = Plan::of_columns(COLUMNS.map(|name| match name {
                "zip" => (name, Role::Quasi),
                "phone" => (name, Role::Drop),
                _ => (name, Role::Other),
            }));
            plan.input = folder.join("in.csv").display().to_string();
            plan.output = "-".to_owned();
            plan.privacy.push(ModelSpec::new("k_anonymity").with("k", 2));
            plan.transform.extend(step.map(|(_, step)| step.clone()));
            let started = Instant::now();
            let (_, table, _) = read_planned(&plan, &Resources::in_folder(folder))?;
            if table.rows == 0 {
                return Err("nothing was read".into());
            }
            fastest[place] = fastest[place].min(started.elapsed().as_secs_f64());
        }
    }
    let names = steps.iter().map(|(name, _)| *name);
    Ok(names.zip(fastest[1..].iter().map(|seconds| (seconds - fastest[0]).max(0.0))).collect())
}

/// Reads the table and carries a step out. Returns the seconds.
fn read(folder: &std::path::Path, step: Option<&TransformSpec>) -> Outcome<f64> {
    let mut plan = Plan::of_columns(COLUMNS.map(|name| (name, Role::Other)));
    plan.transform.extend(step.cloned());
    plan.offer_key("the bench", KeySource::Key(Key::read("c0ffee00".repeat(8).as_bytes(), "the key")?));
    if let Some(into) = step.and_then(|step| step.into.as_deref()) {
        plan = plan.with_column(into, Role::Other);
    }
    let source = Source::open(folder.join("in.csv"))?;
    let started = Instant::now();
    let read = read_original(&plan, &source, &Resources::in_folder(folder))?;
    let seconds = started.elapsed().as_secs_f64();
    if read.table.rows == 0 { Err("nothing was read".into()) } else { Ok(seconds) }
}

/// Writes a table whose values look like chance and are the same in every run.
fn write(path: &std::path::Path, rows: u64) -> Outcome<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(out, "{}", COLUMNS.join(","))?;
    for row in 0..rows {
        let draw = |salt: u64, below: u64| {
            (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt.wrapping_mul(0xD1B5_4A32_D192_ED03))
                .rotate_left(29)
                % below
        };
        writeln!(
            out,
            "{}-{:02}-{:02},{}.{:02},{:05},job{},+49 170 {:07},{}-{:02}-{:02},{}.{:02},{}.{:02}",
            1930 + draw(1, 80),
            draw(2, 12) + 1,
            draw(3, 28) + 1,
            draw(4, 900_000),
            draw(5, 100),
            10_000 + draw(6, 40_000),
            draw(7, 400).min(draw(8, 400)),
            draw(9, 100_000),
            2015 + draw(10, 10),
            draw(11, 12) + 1,
            draw(12, 28) + 1,
            47 + draw(13, 8),
            draw(14, 100),
            6 + draw(15, 9),
            draw(16, 100),
        )?;
    }
    Ok(out.flush()?)
}
