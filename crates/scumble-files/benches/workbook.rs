//! Measures what reading a workbook of 100,000 rows and 20 columns into codes costs, as a multiple of what calamine needs to read
//! the same sheet into its own cells.
//!
//! `cargo bench -p scumble-files --bench workbook [-- ROWS ROUNDS]`. The rounds alternate between the candidates, and the ratios
//! are those of the fastest rounds, since machines are noisy.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Instant;

use calamine::{Reader as _, Xlsx};
use rust_xlsxwriter::{Format, Workbook};
use scumble_files::{ReadOptions, Source, read_table};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let number = |place: usize, default: u32| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (rows, rounds) = (number(0, 100_000), number(1, 5));
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("table.xlsx");
    make(&path, rows)?;
    println!("{rows} rows, 20 columns, {} bytes", std::fs::metadata(&path)?.len());
    let (mut alone, mut one, mut all) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..rounds {
        alone = alone.min(seconds(|| of_calamine(&path))?);
        one = one.min(seconds(|| ours(&path, 1))?);
        all = all.min(seconds(|| ours(&path, 0))?);
    }
    println!("calamine alone       {alone:.2} s");
    println!("ours, one thread     {one:.2} s  {:.2} times calamine's", one / alone);
    println!("ours, all threads    {all:.2} s  {:.2} times calamine's", all / alone);
    Ok(())
}

/// Numbers, decimals, dates and texts with few and many distinct values.
fn make(path: &Path, rows: u32) -> Outcome<()> {
    let mut book = Workbook::new();
    let date = Format::new().set_num_format("yyyy-mm-dd");
    let sheet = book.add_worksheet();
    for column in 0..20 {
        sheet.write_string(0, column, format!("column {column}"))?;
    }
    for row in 1..=rows {
        let mixed = row.wrapping_mul(2_654_435_761);
        for column in 0..20_u16 {
            let value = mixed.rotate_left(u32::from(column));
            match column % 5 {
                0 => sheet.write_number(row, column, value % 100)?,
                1 => sheet.write_number(row, column, f64::from(value % 100_000) / 8.0)?,
                2 => sheet.write_number_with_format(row, column, 20_000 + value % 20_000, &date)?,
                3 => sheet.write_string(row, column, format!("value {}", value % 50))?,
                _ => sheet.write_string(row, column, format!("place {}", value % 20_000))?,
            };
        }
    }
    book.save(path)?;
    Ok(())
}

fn seconds(work: impl FnOnce() -> Outcome<usize>) -> Outcome<f64> {
    let started = Instant::now();
    let rows = work()?;
    assert!(rows > 0);
    Ok(started.elapsed().as_secs_f64())
}

fn of_calamine(path: &Path) -> Outcome<usize> {
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(File::open(path)?))?;
    let sheet = book.sheet_names().first().cloned().unwrap_or_default();
    Ok(book.worksheet_range(&sheet)?.height())
}

fn ours(path: &Path, threads: usize) -> Outcome<usize> {
    let options = ReadOptions { threads, ..ReadOptions::default() };
    Ok(read_table(&Source::open(path)?, &options)?.coded.rows)
}
