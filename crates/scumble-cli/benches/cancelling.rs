//! How long a run goes on after it was cancelled: the longest time in which no thread looks whether it is to stop.
//!
//! `cargo bench --bench cancelling [-- ROWS SECONDS [ALGORITHM…]]`, without arguments 30,000 rows, each run for at most 5 seconds, for every
//! algorithm of the registry on the synthetic clinic. Every run goes to its end, or is cancelled when its time is over; the longest time
//! between two looks is printed for each stage, in seconds.

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use common::{Outcome, clinic, plan_for};
use scumble::ErrorKind;
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
    println!(
        "{rows} rows\n\n| algorithm | run | {} |\n|---|---|---|---|---|---|---|---|",
        STAGES.map(Stage::name).join(" | ")
    );
    for algorithm in algorithm_names() {
        if arguments.len() > 2 && !arguments[2..].iter().any(|name| name == algorithm) {
            continue;
        }
        let plan = Plan::from_toml(&plan_for(algorithm, &input, &hierarchies), "plan")?;
        let (took, longest, ended) = run(folder, &plan, Duration::from_secs_f64(most));
        let gap = |stage: &Stage| {
            longest
                .iter()
                .filter(|(of, _)| of == stage)
                .map(|(_, gap)| *gap)
                .max()
                .map_or(String::new(), |gap| format!("{:.3}", gap.as_secs_f64()))
        };
        let gaps: Vec<String> = STAGES.iter().map(gap).collect();
        let error = ended.err().filter(|error| error.kind() != ErrorKind::Interrupted);
        let error = error.map_or(String::new(), |error| error.to_string().chars().take(60).collect());
        println!("| {algorithm} | {:.2} | {} | {error}", took.as_secs_f64(), gaps.join(" | "));
    }
    Ok(())
}

const STAGES: [Stage; 6] =
    [Stage::Read, Stage::Search, Stage::Apply, Stage::Write, Stage::Verify, Stage::Publish];

/// The longest time without a look in each stage, in the order of the stages.
type Gaps = Vec<(Stage, Duration)>;

/// Runs a plan, and cancels it after a time. How long it ran, the longest times without a look, and how it ended.
fn run(folder: &Path, plan: &Plan, most: Duration) -> (Duration, Gaps, scumble::Result<()>) {
    let control = Control::timed();
    let gaps: Mutex<(Option<Stage>, Gaps)> = Mutex::new((None, Vec::new()));
    let told = |next: Option<Stage>| {
        let (stage, gaps) = &mut *gaps.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = control.longest_gap();
        gaps.extend(stage.map(|stage| (stage, longest)));
        *stage = next;
    };
    let is_over = AtomicBool::new(false);
    let started = Instant::now();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            while started.elapsed() < most && !is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(1));
            }
            control.cancel();
        });
        let mut options = RunOptions {
            folder,
            threads: 0,
            progress: Progress::from(control.clone()),
            stage: &|stage| told(Some(stage)),
            standard_output: None,
        };
        let ended = anonymize(plan, &mut options).map(drop);
        is_over.store(true, Ordering::Relaxed);
        ended
    });
    told(None);
    let (_, gaps) = gaps.into_inner().unwrap_or_else(PoisonError::into_inner);
    (started.elapsed(), gaps, ended)
}
