//! The random numbers of perturbations: new ones in every release, or the same for the same value of a person.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use scumble_files::table::{CodedColumn, Codes};

use super::super::Given;
use super::super::keyed::Project;
use super::super::values::fault;
use crate::base::chance::{secret, secret_unless};
use crate::base::key::Keyed;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// The parameters that say which random numbers a step takes.
pub(in crate::transforms) const CONSISTENT: [(&str, &str); 4] = [
    (
        "consistent",
        "true: the same person and value get the same noise in every release, so that averaging releases does not remove it; needs a key (true with [keys] in the plan)",
    ),
    ("project", "with consistent: the name of the study; other projects have other noise"),
    ("subject", "with consistent: the column that says whose value it is (the column with the role subject)"),
    ("key_id", "with consistent: which key it must be; saved recodings name it"),
];

/// What one random number stands for.
const SALT: &str = "scumble/noise/1";
/// How many rows take their numbers from one stream.
const ROWS_OF_A_STREAM: usize = 1 << 16;

/// Chance that is the same for the same value of a person.
pub(in crate::transforms) struct Consistent {
    project: Project,
    subject: Option<String>,
}

impl Consistent {
    /// What the parameters say; `None` where every release has new chance.
    pub(in crate::transforms) fn of(parameters: &Parameters) -> Result<Option<Self>> {
        if parameters.boolean("consistent")? != Some(true) {
            return Ok(None);
        }
        let subject = parameters.text("subject")?.map(str::to_owned);
        Ok(Some(Self { project: Project::new(parameters)?, subject }))
    }

    pub(in crate::transforms) fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }
}

/// Where the random numbers of a run come from.
pub(in crate::transforms) enum Draws<'a> {
    /// From a secret start. Every column takes streams of its own.
    Fresh { start: [u8; 32], columns: u64 },
    /// From a secret key.
    Consistent { keyed: Keyed, key_id: String, people: &'a CodedColumn },
}

impl<'a> Draws<'a> {
    pub(in crate::transforms) fn of(consistent: Option<&Consistent>, given: &Given<'a>) -> Result<Self> {
        let Some(consistent) = consistent else {
            let start = match given.seed {
                None => secret()?,
                seed => {
                    let mut start = [0; 32];
                    secret_unless(seed)?.fill_bytes(&mut start);
                    start
                }
            };
            return Ok(Self::Fresh { start, columns: 0 });
        };
        let people = given.also.first().copied();
        let people = people.ok_or_else(|| Error::internal("consistent chance has no subject"))?;
        let (key, key_id) = consistent.project.key(given)?;
        let keyed = key.derive(SALT, consistent.project.name.as_bytes())?.function()?;
        let missing: Vec<bool> = people.values.iter().map(|text| given.is_missing(people, text)).collect();
        if people.codes.iter().any(|code| missing[code as usize]) {
            let rows = (0..people.codes.len()).filter(|row| missing[people.codes.get(*row) as usize]);
            return Err(fault(given, people, "is missing, so nobody can tell whose value it is", rows));
        }
        Ok(Self::Consistent { keyed, key_id, people })
    }

    /// What a saved recoding needs to draw again.
    pub(in crate::transforms) fn settled(&self) -> Option<(&'static str, Value)> {
        match self {
            Self::Fresh { .. } => None,
            Self::Consistent { key_id, .. } => Some(("key_id", Value::from(key_id.as_str()))),
        }
    }

    /// A number between 0 and 1 for each row of a column.
    pub(in crate::transforms) fn of_rows(&mut self, column: &CodedColumn) -> Vec<f64> {
        let rows = column.codes.len();
        match self {
            Self::Fresh { start, columns } => {
                *columns += 1;
                fresh(start, *columns, rows)
            }
            Self::Consistent { keyed, people, .. } => {
                let of_row = |row: usize| {
                    let person = people.values.get(people.codes.get(row)).trim();
                    keyed_number(keyed, person, &column.name, column.values.get(column.codes.get(row)).trim())
                };
                (0..rows).into_par_iter().with_min_len(1 << 10).map(of_row).collect()
            }
        }
    }

    /// A number between 0 and 1 for each row, the same for all rows and columns of a group.
    pub(in crate::transforms) fn of_groups(&mut self, groups: &CodedColumn) -> Vec<f64> {
        let of_code = match self {
            Self::Fresh { start, columns } => {
                *columns += 1;
                fresh(start, *columns, groups.values.len())
            }
            Self::Consistent { keyed, .. } => {
                groups.values.iter().map(|group| keyed_number(keyed, group.trim(), "", "")).collect()
            }
        };
        by_code(&groups.codes, &of_code)
    }

    /// A random generator of its own, for draws that are no numbers of rows.
    pub(in crate::transforms) fn generator(&mut self) -> Result<ChaCha20Rng> {
        match self {
            Self::Fresh { start, columns } => {
                *columns += 1;
                Ok(stream(start, *columns, 0))
            }
            Self::Consistent { .. } => Err(Error::internal("exchanged values have no consistent chance")),
        }
    }
}

/// The number of each row's code.
fn by_code(codes: &Codes, of_code: &[f64]) -> Vec<f64> {
    codes.iter().map(|code| of_code[code as usize]).collect()
}

fn stream(start: &[u8; 32], column: u64, part: usize) -> ChaCha20Rng {
    let mut chance = ChaCha20Rng::from_seed(*start);
    chance.set_stream(column << 32 | part as u64);
    chance
}

/// So many numbers, in parallel, and the same for any number of threads.
fn fresh(start: &[u8; 32], column: u64, count: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    numbers.par_chunks_mut(ROWS_OF_A_STREAM).enumerate().for_each(|(part, numbers)| {
        let mut chance = stream(start, column, part);
        numbers.iter_mut().for_each(|number| *number = between_0_and_1(chance.next_u64()));
    });
    numbers
}

/// A number between 0 and 1, neither of them.
fn between_0_and_1(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

fn keyed_number(keyed: &Keyed, person: &str, column: &str, value: &str) -> f64 {
    let length = |text: &str| (text.len() as u32).to_be_bytes();
    let number = keyed.of(&[
        &length(person),
        person.as_bytes(),
        &length(column),
        column.as_bytes(),
        &length(value),
        value.as_bytes(),
    ]);
    between_0_and_1(u64::from_be_bytes(std::array::from_fn(|place| number[place])))
}

/// The draw of a standard normal distribution that belongs to a number between 0 and 1.
pub(in crate::transforms) fn normal(number: f64) -> f64 {
    -std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::key::example;

    /// The specification's vectors (transforms.md 0.4).
    #[test]
    fn consistent_numbers() {
        let keyed =
            example().derive(SALT, b"clinic-2026").and_then(|key| key.function()).expect("a function");
        for (person, expected) in [("p-001", 0.257_726_090_288), ("p-002", 0.252_798_165_291)] {
            let number = keyed_number(&keyed, person, "income", "52000");
            assert!((number - expected).abs() < 1e-12, "{person}: {number}");
        }
    }

    #[test]
    fn normal_draws() {
        for (number, expected) in
            [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (0.025, -1.959_963_984_540_054)]
        {
            assert!((normal(number) - expected).abs() < 1e-9, "{number}");
        }
        assert!(normal(between_0_and_1(0)).is_finite() && normal(between_0_and_1(u64::MAX)).is_finite());
    }

    /// Every row and every column has numbers of its own, and the middle of many is one half.
    #[test]
    fn fresh_numbers_are_even() {
        let numbers = fresh(&[7; 32], 1, 200_000);
        let mean = numbers.iter().sum::<f64>() / 200_000.0;
        // Five standard deviations.
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0_f64 / 200_000.0).sqrt(), "{mean}");
        assert_ne!(numbers[..10], fresh(&[7; 32], 2, 10)[..]);
        assert_ne!(numbers[..10], numbers[ROWS_OF_A_STREAM..ROWS_OF_A_STREAM + 10]);
    }
}
