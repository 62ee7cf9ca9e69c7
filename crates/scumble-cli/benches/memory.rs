//! Measures how much memory a release takes for each distinct text of a quasi-identifier: `cargo bench --bench memory [VALUES]`.
//!
//! There are two kinds of texts without a hierarchy file: words in no order, which are put into an alphabetic tree, and sparse codes, which
//! are masked from the end. The bench fails above the limit that `docs/guide/reading.md` states.

use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// The most bytes for each value, besides its own text.
const LIMIT: u64 = 150;

/// Scrambles numbers: different numbers give different results, in no order.
fn scattered(number: u64) -> u64 {
    // The mixing steps of splitmix64, each of which can be undone, so different numbers stay different.
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Makes a word of twelve letters.
fn word(number: u64) -> String {
    let mut rest = scattered(number);
    let mut letters = String::with_capacity(12);
    for _ in 0..12 {
        letters.push((b'a' + (rest % 26) as u8) as char);
        rest /= 26;
    }
    letters
}

/// Makes a code of ten digits. The multiplication hits every number below the modulus once. The first code begins with zeros, so that the
/// column is read as codes.
fn code(number: u64) -> String {
    format!("{:010}", u128::from(number) * 7_368_787_019 % 10_000_000_000)
}

fn main() -> Result<(), Box<dyn Error>> {
    let given = std::env::args().skip(1).find_map(|argument| argument.parse::<u64>().ok());
    let values = given.unwrap_or(1_000_000);
    let folder = tempfile::tempdir()?;
    let mut most = 0;
    for (what, text, bytes) in [("words", word as fn(u64) -> String, 12), ("codes", code, 10)] {
        // The same number of rows, with few values and with as many values as rows: the difference in memory is due to the values.
        let few = peak(folder.path(), values, |row| text(row % 1000))?;
        let many = peak(folder.path(), values, text)?;
        let each = (many.saturating_sub(few) / values).saturating_sub(bytes);
        println!(
            "{values} rows: {} MB with 1,000 {what}, {} MB with as many {what}; {each} bytes for each besides its own {bytes}",
            few >> 20,
            many >> 20
        );
        most = most.max(each);
    }
    if most > LIMIT {
        return Err(format!("more than {LIMIT} bytes for a value").into());
    }
    Ok(())
}

/// Returns the peak memory of a release, in bytes.
fn peak(folder: &Path, rows: u64, text: impl Fn(u64) -> String) -> Result<u64, Box<dyn Error>> {
    let mut file = BufWriter::new(std::fs::File::create(folder.join("people.csv"))?);
    writeln!(file, "code,age,answer")?;
    for row in 0..rows {
        writeln!(file, "{},{},{}", text(row), 20 + row % 60, row % 3)?;
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
    summary["peak_memory_bytes"]
        .as_u64()
        .ok_or_else(|| "the system does not tell how much memory was used".into())
}
