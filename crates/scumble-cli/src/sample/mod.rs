//! A synthetic clinic: the table of `scumble demo` and `scumble sample`.
//!
//! No row is about a real person. Every row is drawn by code from small tables of weights ([`tables`]): first
//! the person ([`people`]), then what happened in the clinic ([`clinic`]). The distributions are skewed and
//! correlated as in a real catchment area: a few postcodes dominate, students are young, widows old, and
//! readmission depends on diagnosis, age, smoking and education, so that there is something to learn.
//!
//! The rows are drawn in blocks, each from a random stream of its own ([`dice`]), so the table depends on
//! the seed and the number of rows only, never on the number of threads or the machine.

mod clinic;
mod dice;
mod people;
mod tables;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use rayon::prelude::*;

use clinic::{Clinic, Stay};
use dice::Dice;
use people::{Person, Population, Sex};
use tables::Path;

/// The columns of the sample table, in order.
pub(crate) const COLUMNS: [&str; 15] = [
    "patient_id",
    "name",
    "birth_date",
    "sex",
    "postcode",
    "occupation",
    "education",
    "marital_status",
    "country_of_birth",
    "insurance",
    "admission_date",
    "smoker",
    "diagnosis",
    "length_of_stay_days",
    "readmitted",
];

/// Rows drawn from one random stream: about a megabyte of text.
const BLOCK_ROWS: u64 = 8192;

/// Patient numbers have ten digits, so there can be this many patients.
const MAX_ROWS: u64 = 10_000_000_000;

/// Writes a header and `rows` patients as CSV, on the current rayon thread pool, in bounded memory.
///
/// Equal `rows` and `seed` give equal bytes. `out` gets large writes, so it needs no buffer; a writer that
/// counts what it is given can show progress, and one that fails stops the work.
pub(crate) fn write_sample(out: &mut impl Write, rows: u64, seed: u64) -> io::Result<()> {
    if rows > MAX_ROWS {
        let message = format!("a sample table can have at most {MAX_ROWS} rows; ask for fewer");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    writeln!(out, "{}", COLUMNS.join(","))?;
    let generator = Generator { population: Population::new(), clinic: Clinic::new(), seed };
    // A few blocks for each thread at a time keep all threads busy. The buffers are reused.
    let mut texts: Vec<Vec<u8>> = vec![Vec::new(); 4 * rayon::current_num_threads()];
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let mut first = 0;
    while first < blocks {
        let count = (blocks - first).min(texts.len() as u64) as usize;
        texts[..count].par_iter_mut().enumerate().for_each(|(i, text)| {
            text.clear();
            generator.block(first + i as u64, rows, text);
        });
        for text in &texts[..count] {
            out.write_all(text)?;
        }
        first += count as u64;
    }
    out.flush()
}

/// Returns the hierarchy of each categorical column except sex, as CSV text: `value;level 1;…;*`, no header.
///
/// Missing values (empty cells of occupation and education) are not listed.
pub(crate) fn hierarchies() -> Vec<(&'static str, String)> {
    let jobs = tables::JOBS.iter().map(|row| &row.0);
    let others = tables::ACTIVITIES.iter().filter(|row| row.0 != tables::Activity::Working).map(|row| &row.1);
    vec![
        ("occupation", hierarchy(jobs.chain(others))),
        ("education", hierarchy(tables::EDUCATION.iter().map(|row| &row.0))),
        ("marital_status", hierarchy(tables::MARITAL.iter().map(|row| &row.0))),
        ("country_of_birth", hierarchy(tables::COUNTRIES.iter().map(|row| &row.0))),
        ("insurance", hierarchy(tables::INSURANCE.iter().map(|row| &row.0))),
        ("diagnosis", hierarchy(clinic::DIAGNOSES.iter().map(|row| &row.path))),
    ]
}

fn hierarchy<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    paths.map(|path| format!("{};*\n", path.join(";"))).collect()
}

struct Generator {
    population: Population,
    clinic: Clinic,
    seed: u64,
}

impl Generator {
    /// Appends the rows of a block, of a table of `rows` rows, to `text`.
    fn block(&self, block: u64, rows: u64, text: &mut Vec<u8>) {
        let mut dice = Dice::new(self.seed, block);
        let start = block * BLOCK_ROWS;
        for row in start..rows.min(start + BLOCK_ROWS) {
            let person = self.population.draw(&mut dice);
            let stay = self.clinic.admit(&person, &mut dice);
            write_row(text, row, &person, &stay, &mut dice);
        }
    }
}

/// Decides whether occupation and education were not recorded. Mostly both are missing, since the whole form was left out, and more often
/// for elderly people.
fn missing(age: u32, dice: &mut Dice) -> (bool, bool) {
    let no_form = dice.chance(if age < 65 { 14 } else { 32 });
    (no_form || dice.chance(7), no_form || dice.chance(7))
}

fn write_row(text: &mut Vec<u8>, row: u64, person: &Person, stay: &Stay, dice: &mut Dice) {
    let (no_occupation, no_education) = missing(person.age, dice);
    text.push(b'P');
    push_digits(text, patient_number(row), 10);
    text.push(b',');
    text.extend_from_slice(person.given_name.as_bytes());
    text.push(b' ');
    push_cell(text, person.family_name);
    push_date(text, person.birth);
    push_cell(text, if person.sex == Sex::Female { "female" } else { "male" });
    push_digits(text, u64::from(person.postcode), 5);
    text.push(b',');
    push_cell(text, if no_occupation { "" } else { person.occupation[0] });
    push_cell(text, if no_education { "" } else { person.education[0] });
    push_cell(text, person.marital[0]);
    push_cell(text, person.country[0]);
    push_cell(text, person.insurance[0]);
    push_date(text, person.admission);
    push_cell(text, yes_no(person.smoker));
    push_cell(text, stay.diagnosis.path[0]);
    push_digits(text, u64::from(stay.days), 1);
    text.push(b',');
    text.extend_from_slice(yes_no(stay.readmitted).as_bytes());
    text.push(b'\n');
}

/// Numbers rows in a scrambled order: the factor shares no divisor with [`MAX_ROWS`], so no number appears twice.
fn patient_number(row: u64) -> u64 {
    const FACTOR: u128 = 6_180_339_887;
    ((u128::from(row) * FACTOR + 2_718_281_828) % u128::from(MAX_ROWS)) as u64
}

fn yes_no(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}

fn push_cell(text: &mut Vec<u8>, cell: &str) {
    text.extend_from_slice(cell.as_bytes());
    text.push(b',');
}

/// Appends the number in decimal, with leading zeros up to `width` digits.
fn push_digits(text: &mut Vec<u8>, mut number: u64, width: usize) {
    let start = text.len();
    while number > 0 || text.len() < start + width {
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
    }
    text[start..].reverse();
}

/// Appends the day as `yyyy-mm-dd`.
fn push_date(text: &mut Vec<u8>, day: i32) {
    let (year, month, day) = civil_date(day);
    for (number, width, end) in [(year, 4, b'-'), (month, 2, b'-'), (day, 2, b',')] {
        push_digits(text, u64::from(number), width);
        text.push(end);
    }
}

/// Returns year, month and day of month of a day counted from 1970-01-01, from the year 0 on.
///
/// Years are counted from March, so that the leap day is the last of its year.
fn civil_date(day: i32) -> (u32, u32, u32) {
    const DAYS_FROM_YEAR_0: i32 = 719_468;
    let since = (day + DAYS_FROM_YEAR_0) as u32;
    let (era, day_of_era) = (since / 146_097, since % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (era * 400 + year_of_era + u32::from(month <= 2), month, day_of_month)
}
