//! Measures how long searches go on after their time budget.
//!
//! `cargo bench --bench budget [-- ROWS SECONDS [ALGORITHM…]]`; without arguments 20,000 rows and 1 and 5 seconds, for every algorithm of
//! the registry on the synthetic clinic. Every line is measured in a process of its own. The clock is read when the search has ended, and
//! the time beyond the budget is the overrun. A search that ends before its budget has none.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Outcome, clinic, plan_for};
use scumble::ErrorKind;
use scumble::config::Plan;
use scumble::problem::{Budget, Progress};
use scumble::registry::algorithm_names;
use scumble::release::resources::Resources;
use scumble::release::{read_planned, try_within};

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [mode, plan, seconds] = &arguments[..]
        && mode == "one"
    {
        return one(Path::new(plan), seconds.parse()?);
    }
    let rows: u64 = arguments.first().map_or(Ok(20_000), |rows| rows.parse())?;
    let seconds: Vec<f64> = match arguments.get(1) {
        Some(seconds) => vec![seconds.parse()?],
        None => vec![1.0, 5.0],
    };
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (input, hierarchies) = clinic(folder, rows)?;
    println!("{rows} rows\n\n| algorithm | budget s | search s | over % | ended |\n|---|---|---|---|---|");
    for algorithm in algorithm_names() {
        if arguments.len() > 2 && !arguments[2..].iter().any(|name| name == algorithm) {
            continue;
        }
        for seconds in &seconds {
            let path = folder.join("plan.toml");
            std::fs::write(&path, plan_for(algorithm, &input, &hierarchies))?;
            let output = Command::new(std::env::current_exe()?)
                .arg("one")
                .arg(&path)
                .arg(seconds.to_string())
                .output()?;
            match output.status.success() {
                true => print!("| {algorithm} | {seconds} {}", String::from_utf8_lossy(&output.stdout)),
                false => {
                    println!(
                        "| {algorithm} | {seconds} | {}",
                        String::from_utf8_lossy(&output.stderr).trim()
                    );
                }
            }
        }
    }
    Ok(())
}

/// Searches once and prints how long that took.
fn one(path: &Path, seconds: f64) -> Outcome<()> {
    let plan = Plan::from_toml(&std::fs::read_to_string(path)?, "plan")?;
    let folder = path.parent().ok_or("a folder")?;
    let (plan, table, _) = read_planned(&plan, &Resources::in_folder(folder))?;
    let budget = Budget::new(None, Some(Duration::from_secs_f64(seconds)));
    budget.pause();
    let found =
        try_within(&plan, &table, &Resources::in_folder(folder), (budget.clone(), Progress::default()));
    let used = budget.used().as_secs_f64();
    let ended = match found {
        Ok(_) if budget.spent_after().is_some() => "the best found so far".to_owned(),
        Ok(_) => "by itself".to_owned(),
        Err(error) if error.kind() == ErrorKind::OutOfBudget => "nothing to show".to_owned(),
        Err(error) => error.to_string().chars().take(60).collect(),
    };
    let over = (used / seconds - 1.0).max(0.0) * 100.0;
    println!("| {used:.2} | {over:.1} | {ended} |");
    Ok(())
}
