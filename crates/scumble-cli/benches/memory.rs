//! How much memory a release takes for each distinct text of a quasi-identifier: `cargo bench --bench memory [VALUES]`.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args().skip(1).find_map(|argument| argument.parse::<u64>().ok());
    let values = given.unwrap_or(1_000_000);
    let folder = tempfile::tempdir()?;
    // The same rows, with few values and with as many as there are rows: what is more is for the values.
    let few = peak(folder.path(), values, |row| row % 1000)?;
    // A multiplication that meets every number below the modulus once, so that the values are in no order.
    let many = peak(folder.path(), values, |row| row * 7_919 % values)?;
    println!("{values} rows, 1,000 values: {} MB", few >> 20);
    println!("{values} rows, as many values: {} MB", many >> 20);
    println!("{} bytes for each value", many.saturating_sub(few) / values);
    Ok(())
}

/// The most memory that a release takes, in bytes.
fn peak(folder: &Path, rows: u64, value: impl Fn(u64) -> u64) -> Result<u64, Box<dyn Error>> {
    let mut file = BufWriter::new(std::fs::File::create(folder.join("people.csv"))?);
    writeln!(file, "code,age,answer")?;
    for row in 0..rows {
        writeln!(file, "p{:08},{},{}", value(row), 20 + row % 60, row % 3)?;
    }
    file.flush()?;
    let output = Command::new(env!("CARGO_BIN_EXE_scumble"))
        .current_dir(folder)
        .args(["anonymize", "people.csv", "--quasi", "code,age", "--other", "answer", "--k", "5"])
        .args(["-o", "release.csv", "--json"])
        .output()?;
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    std::fs::remove_file(folder.join("release.csv"))?;
    Ok(summary["peak_memory_bytes"].as_u64().unwrap_or(0))
}
