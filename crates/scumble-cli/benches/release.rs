//! Measures what a verified release costs, as a multiple of reading the same file into codes and writing it out again. The last line is a
//! release from record batches to record batches, without files.
//!
//! `cargo bench --bench release [-- ROWS ROUNDS]`. Every figure is measured in a process of its own, so that it has its own peak memory.
//! The rounds alternate between the candidates, and the ratio compares the fastest rounds, since machines are noisy.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble::prelude::*;
use scumble_files::{
    Cells, ColumnType, Compression, OutColumn, OutFormat, ReadOptions, WriteOptions, read_table,
    write_batches, write_table,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const QUASI: &str =
    "birth_date,sex,postcode,occupation,education,marital_status,country_of_birth,insurance,admission_date";
const KEPT: &str = "smoker,diagnosis,length_of_stay_days";

/// The time and memory that one process needed.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: u64,
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [mode, input, output] = &arguments[..] {
        return if mode == "in-memory" { in_memory(input, output) } else { copy(mode, input, output) };
    }
    let number = |place: usize, default: u64| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    compare(number(0, 1_200_000), number(1, 5))
}

/// The floor: reads the file into codes, and writes the codes out again.
fn copy(mode: &str, input: &str, output: &str) -> Outcome<()> {
    let started = Instant::now();
    let columns = (mode == "copy-needed")
        .then(|| QUASI.split(',').chain(KEPT.split(',')).chain(["readmitted"]).map(str::to_owned).collect());
    let table = read_table(&Source::open(input)?, &ReadOptions { columns, ..ReadOptions::default() })?.coded;
    let order: Vec<u32> = (0..table.rows as u32).collect();
    let columns: Vec<OutColumn<'_>> = table
        .columns
        .iter()
        .map(|column| OutColumn {
            name: &column.name,
            texts: &column.values,
            cells: Cells::Direct(&column.codes),
            kind: ColumnType::Text,
        })
        .collect();
    let format = OutFormat::Csv { delimiter: b',', compression: Compression::None };
    let mut file = std::fs::File::create(output)?;
    write_table(
        &mut file,
        &columns,
        &order,
        &WriteOptions {
            format,
            name: output,
            threads: 0,
            spreadsheet_safe: false,
            byte_order_mark: false,
            control: &Control::default(),
        },
    )?;
    let peak = scumble::base::memory::peak().unwrap_or(0);
    println!("{} {peak}", started.elapsed().as_secs_f64());
    Ok(())
}

/// Makes a release from record batches to record batches; reading the file is not timed. The signature is that of `copy`, with the
/// hierarchies in place of an output folder.
fn in_memory(input: &str, hierarchies: &str) -> Outcome<()> {
    let folder = Path::new(hierarchies).parent().and_then(Path::parent).ok_or("no folder")?;
    let table = read_table(&Source::open(input)?, &ReadOptions::default())?.coded;
    let columns: Vec<OutColumn<'_>> = table
        .columns
        .iter()
        .map(|column| OutColumn {
            name: &column.name,
            texts: &column.values,
            cells: Cells::Direct(&column.codes),
            kind: ColumnType::Text,
        })
        .collect();
    let order: Vec<u32> = (0..table.rows as u32).collect();
    let batches = write_batches(&columns, &order, 0, &Control::default())?;
    let mut plan = Plan::of_columns(
        QUASI
            .split(',')
            .map(|name| (name, Role::Quasi))
            .chain(KEPT.split(',').map(|name| (name, Role::Other)))
            .chain([("readmitted", Role::Class)]),
    )
    .require(ModelSpec::new("k_anonymity").with("k", 5));
    plan.rest = Some(Rest::Drop);
    plan.hierarchies = Some("hierarchies".to_owned());
    let resources = Resources::in_folder(folder);
    drop(columns);
    drop(table);
    let started = Instant::now();
    let source = Source::from_batches(batches, "the table");
    let release = Release::with(&source, &plan, &resources, &Control::default(), &|_| {})?;
    let seconds = started.elapsed().as_secs_f64();
    println!("{seconds} {}", scumble::base::memory::peak().unwrap_or(0));
    if std::env::var_os("SCUMBLE_BENCH_DETAIL").is_some() {
        eprintln!("in memory {}", serde_json::to_string(&release.summary.seconds)?);
    }
    Ok(())
}

fn compare(rows: u64, rounds: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let table = folder.path().join("sample.csv");
    let hierarchies = folder.path().join("hierarchies");
    let scumble = env!("CARGO_BIN_EXE_scumble");
    let made = Command::new(scumble)
        .args(["sample", "--quiet", "--rows", &rows.to_string(), "-o"])
        .arg(&table)
        .arg("--hierarchies")
        .arg(&hierarchies)
        .status()?;
    if !made.success() {
        return Err("the sample could not be made".into());
    }
    let names = [
        "read + write, all columns",
        "read + write, the columns a release needs",
        "iack",
        "mondrian",
        "mondrian, in memory",
    ];
    let mut fastest: Vec<Option<Cost>> = vec![None; names.len()];
    for _ in 0..rounds {
        let costs = [
            run_copy("copy-all", &table, folder.path())?,
            run_copy("copy-needed", &table, folder.path())?,
            run_release("iack", &table, &hierarchies, folder.path())?,
            run_release("mondrian", &table, &hierarchies, folder.path())?,
            run_copy("in-memory", &table, &hierarchies)?,
        ];
        for (best, cost) in fastest.iter_mut().zip(costs) {
            let faster = best.is_none_or(|best: Cost| cost.seconds < best.seconds);
            *best = Some(if faster { cost } else { best.unwrap_or(cost) });
        }
    }
    let size = std::fs::metadata(&table)?.len();
    println!(
        "{rows} rows, {} MB; fastest of {rounds} rounds; 9 quasi-identifiers, k = 5, verified",
        size / 1_000_000
    );
    println!("| what | seconds | × all columns | × needed columns | peak MB | bytes a row above 100 MB |");
    println!("|---|---|---|---|---|---|");
    let floor = |place: usize| fastest[place].map_or(f64::NAN, |cost| cost.seconds);
    for (name, cost) in names.iter().zip(&fastest) {
        let Some(cost) = cost else { continue };
        let above = cost.bytes.saturating_sub(100_000_000) as f64 / rows as f64;
        println!(
            "| {name} | {:.3} | {:.2} | {:.2} | {} | {above:.0} |",
            cost.seconds,
            cost.seconds / floor(0),
            cost.seconds / floor(1),
            cost.bytes / 1_000_000,
        );
    }
    Ok(())
}

fn run_copy(mode: &str, table: &Path, folder: &Path) -> Outcome<Cost> {
    let output =
        Command::new(std::env::current_exe()?).arg(mode).arg(table).arg(folder.join("copy.csv")).output()?;
    let text = String::from_utf8(output.stdout)?;
    let mut fields = text.split_whitespace();
    let seconds = fields.next().ok_or("the copy failed")?.parse()?;
    Ok(Cost { seconds, bytes: fields.next().ok_or("the copy failed")?.parse()? })
}

fn run_release(algorithm: &str, table: &Path, hierarchies: &Path, folder: &Path) -> Outcome<Cost> {
    let output: PathBuf = folder.join("release.csv");
    let result = Command::new(env!("CARGO_BIN_EXE_scumble"))
        .arg("anonymize")
        .arg(table)
        .args(["--quasi", QUASI, "--other", KEPT, "--class", "readmitted", "--identifier", "patient_id,name"])
        .args(["--k", "5", "--algorithm", algorithm, "--json", "--hierarchies"])
        .arg(hierarchies)
        .arg("-o")
        .arg(&output)
        .output()?;
    if !result.status.success() {
        return Err(String::from_utf8_lossy(&result.stderr).into_owned().into());
    }
    let summary: serde_json::Value = serde_json::from_slice(&result.stdout)?;
    let seconds = summary["seconds"]["total"].as_f64().ok_or("no time in the summary")?;
    if std::env::var_os("SCUMBLE_BENCH_DETAIL").is_some() {
        eprintln!("{algorithm} {}", summary["seconds"]);
    }
    Ok(Cost { seconds, bytes: summary["peak_memory_bytes"].as_u64().unwrap_or(0) })
}
