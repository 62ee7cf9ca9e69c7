//! How long a run goes on after it was cancelled.
//!
//! `cargo bench --bench cancelling [-- ROWS SECONDS [ALGORITHM…]]`, without arguments 30,000 rows, each run for at most 5 seconds, for every
//! algorithm of the registry on the synthetic clinic. A run is cancelled at nine moments of the time that it takes, or that it may take;
//! the longest wait is printed, and the stage in which it was.

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::{Outcome, clinic, plan_for};
use scumble::Error;
use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::algorithm_names;
use scumble::release::{RunOptions, Stage, anonymize};
use scumble_files::Control;

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let rows: u64 = arguments.first().map_or(Ok(30_000), |rows| rows.parse())?;
    let most: f64 = arguments.get(1).map_or(Ok(5.0), |seconds| seconds.parse())?;
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (input, hierarchies) = clinic(folder, rows)?;
    println!("{rows} rows\n\n| algorithm | run s | longest wait s | while |\n|---|---|---|---|");
    for algorithm in algorithm_names() {
        if arguments.len() > 2 && !arguments[2..].iter().any(|name| name == algorithm) {
            continue;
        }
        let plan = Plan::from_toml(&plan_for(algorithm, &input, &hierarchies), "plan")?;
        // Once to its end, or as long as it may take.
        let whole = run(folder, &plan, Duration::from_secs_f64(most));
        if let Some(error) = whole.error {
            println!("| {algorithm} | | | {} |", error.chars().take(60).collect::<String>());
            continue;
        }
        let waits = (1..10).map(|part| run(folder, &plan, whole.took * part / 10));
        if let Some(longest) = waits.max_by_key(|run| run.waited) {
            let (took, waited) = (whole.took.as_secs_f64(), longest.waited.as_secs_f64());
            println!("| {algorithm} | {took:.2} | {waited:.3} | {} |", longest.stage.map_or("", Stage::name));
        }
    }
    Ok(())
}

/// A run that was cancelled.
struct Cancelled {
    /// How long it ran until it was cancelled or ended.
    took: Duration,
    /// How long it went on after that.
    waited: Duration,
    /// The stage in which it was cancelled.
    stage: Option<Stage>,
    /// Why it failed, if it was not for the cancelling.
    error: Option<String>,
}

/// Runs a plan, and cancels it after a time.
fn run(folder: &Path, plan: &Plan, cancel_after: Duration) -> Cancelled {
    let control = Control::default();
    let stage = Mutex::new(None);
    let told = |now| *stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    let is_over = AtomicBool::new(false);
    let started = Instant::now();
    let (ended, cancelled) = std::thread::scope(|scope| {
        let cancel = scope.spawn(|| {
            while started.elapsed() < cancel_after && !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            control.cancel();
            (started.elapsed(), *stage.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let mut options = RunOptions {
            folder,
            threads: 0,
            progress: Progress::from(control.clone()),
            stage: &told,
            standard_output: None,
        };
        let ended = anonymize(plan, &mut options).map(drop);
        is_over.store(true, Ordering::Relaxed);
        (ended, cancel.join().unwrap_or_default())
    });
    let (took, stage) = cancelled;
    let error =
        ended.err().filter(|error| !matches!(error, Error::Interrupted)).map(|error| error.to_string());
    Cancelled { took, waited: started.elapsed().saturating_sub(took), stage, error }
}
