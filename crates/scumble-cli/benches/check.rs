//! Measures what `scumble check` without a model costs, as a multiple of reading the same release into codes.
//!
//! `cargo bench --bench check [-- ROWS ROUNDS]`. Every figure is measured in a process of its own, so that it has its own peak memory. The
//! rounds alternate between the candidates, and the ratio compares the fastest rounds, since machines are noisy.

use scumble::release::resources::Resources;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use scumble_files::{ReadOptions, Source, read_table};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const QUASI: &str =
    "birth_date,sex,postcode,occupation,education,marital_status,country_of_birth,insurance,admission_date";
/// Two texts and a number.
const SENSITIVE: &str = "smoker,diagnosis,length_of_stay_days";

/// The time and memory that one process needed.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match &arguments[..] {
        [mode, table] if mode == "read" => {
            return told(|| Ok(read_table(&Source::open(table)?, &ReadOptions::default())?.coded.rows));
        }
        [mode, table] if mode == "check" => return told(|| check(Path::new(table))),
        _ => {}
    }
    let number = |place: usize, default: u64| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    compare(number(0, 1_200_000), number(1, 5))
}

/// Prints what some work cost in this process.
fn told(work: impl FnOnce() -> Outcome<usize>) -> Outcome<()> {
    let started = Instant::now();
    let rows = work()?;
    println!("{} {} {rows}", started.elapsed().as_secs_f64(), scumble::base::memory::peak().unwrap_or(0));
    Ok(())
}

/// Reads a release and measures it, as the command does.
fn check(table: &Path) -> Outcome<usize> {
    use scumble::config::{Column, Plan, Role, Roles};
    let mut plan = Plan::new("", "");
    for (names, role) in [(QUASI, Role::Quasi), (SENSITIVE, Role::Sensitive)] {
        plan.columns.extend(names.split(',').map(|name| (name.to_owned(), Column::new(Roles::one(role)))));
    }
    let columns = Some(plan.columns.iter().map(|(name, _)| name.clone()).collect());
    let started = Instant::now();
    let release =
        read_table(&Source::open(table)?, &ReadOptions { columns, ..ReadOptions::default() })?.coded;
    let read = started.elapsed().as_secs_f64();
    let checked = scumble::release::check::check(&release, None, None, &plan, &Resources::default())?;
    let attained = checked.attained.ok_or("nothing was measured")?;
    if attained.k.is_none_or(|k| k < 5) || attained.columns.len() != 3 {
        return Err("that is not the release that was made".into());
    }
    if std::env::var_os("SCUMBLE_BENCH_DETAIL").is_some() {
        eprintln!(
            "read {read:.3} measured {:.3}, {} classes",
            started.elapsed().as_secs_f64() - read,
            attained.classes
        );
    }
    Ok(release.rows)
}

fn compare(rows: u64, rounds: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let table = folder.path().join("sample.csv");
    let hierarchies = folder.path().join("hierarchies");
    let scumble = env!("CARGO_BIN_EXE_scumble");
    let succeed = |command: &mut Command| -> Outcome<()> {
        let output = command.output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    };
    succeed(
        Command::new(scumble)
            .args(["sample", "--quiet", "--rows", &rows.to_string(), "-o"])
            .arg(&table)
            .arg("--hierarchies")
            .arg(&hierarchies),
    )?;
    println!("{rows} rows, 9 quasi-identifiers, 3 sensitive columns; fastest of {rounds} rounds");
    println!(
        "| release | MB | read, seconds | check, seconds | × reading | peak MB reading | peak MB checking |"
    );
    println!("|---|---|---|---|---|---|---|");
    for algorithm in ["mondrian", "iack"] {
        let release = folder.path().join(format!("{algorithm}.csv"));
        succeed(
            Command::new(scumble)
                .arg("anonymize")
                .arg(&table)
                .args([
                    "--quasi",
                    QUASI,
                    "--other",
                    SENSITIVE,
                    "--class",
                    "readmitted",
                    "--identifier",
                    "patient_id,name",
                ])
                .args(["--k", "5", "--algorithm", algorithm, "--quiet", "--report", "", "--hierarchies"])
                .arg(&hierarchies)
                .arg("-o")
                .arg(&release),
        )?;
        let mut fastest: [Option<Cost>; 2] = [None; 2];
        for _ in 0..rounds {
            for (best, mode) in fastest.iter_mut().zip(["read", "check"]) {
                let cost = run(mode, &release)?;
                if best.is_none_or(|best| cost.seconds < best.seconds) {
                    *best = Some(cost);
                }
            }
        }
        let [Some(read), Some(check)] = fastest else { return Err("no rounds".into()) };
        println!(
            "| {algorithm} | {} | {:.3} | {:.3} | {:.2} | {} | {} |",
            std::fs::metadata(&release)?.len() / 1_000_000,
            read.seconds,
            check.seconds,
            check.seconds / read.seconds,
            read.bytes / 1_000_000,
            check.bytes / 1_000_000,
        );
    }
    Ok(())
}

fn run(mode: &str, release: &Path) -> Outcome<Cost> {
    let output = Command::new(std::env::current_exe()?).arg(mode).arg(release).output()?;
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout)?;
    let mut fields = text.split_whitespace();
    let seconds = fields.next().ok_or("the process failed")?.parse()?;
    Ok(Cost { seconds, bytes: fields.next().ok_or("the process failed")?.parse()? })
}
