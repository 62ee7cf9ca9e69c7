//! Categories replaced by others with given probabilities (post-randomisation).

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use rayon::prelude::*;
use scumble_files::table::{CodedColumn, Codes, Texts};

use super::super::values::{fault, occurring, recoded};
use super::super::{BuildTransform, Facts, Given, Made, Takes, Trace, Transform};
use super::draws::{CONSISTENT, Consistent, Draws};
use super::number_within;
use super::rank_swap::groups_of;
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational, Value};
use crate::error::{Error, Result};

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "pram",
    title: "Post-randomisation",
    paper: "Gouweleeuw et al. 1998; Warner 1965; sdcMicro, pram",
    standing: Standing::Recommended,
    about: "Replaces each category by another with a known probability. method = \"plain\" is randomised response: the probabilities are \
            published, and users correct their counts by them. method = \"invariant\" keeps the expected counts, so nobody has to correct them.",
    parameters: &[
        ("method", "plain (default) or invariant"),
        ("pd", "the probability that a category stays, above 0 and at most 1 (0.8)"),
        ("alpha", "with invariant: how much of the change is made, above 0 and at most 1 (0.5)"),
        (
            "matrix",
            "in place of pd: a delimited file with one row and one column for each category, whose rows sum to 1",
        ),
        (
            "values",
            "all categories that there may be; with plain this makes each cell locally differentially private (those in the data)",
        ),
        (
            "joint",
            "true: several columns are treated as one, so that no impossible combination appears (false)",
        ),
        ("missing", "value: a missing value is a category like any other (missing values stay)"),
        ("within", "with invariant: a column; counts are kept in each of its groups"),
        CONSISTENT[0],
        CONSISTENT[1],
        CONSISTENT[2],
        CONSISTENT[3],
        ("known", "saved recodings: the categories that were in the data, or in the matrix"),
        ("chances", "saved recodings: the probabilities of the matrix, row by row"),
    ],
    build: |parameters| Ok(Box::new(Pram::new(parameters)?)),
};

/// What stands between the parts of a joint category; no text of a table has it.
const BETWEEN: char = '\u{1f}';

#[derive(Debug, Clone, PartialEq)]
enum Method {
    /// The same probability for every other category.
    Plain,
    Invariant {
        alpha: f64,
    },
    /// The probabilities of a file.
    Matrix(String),
}

struct Pram {
    method: Method,
    stays: Option<Rational>,
    /// Every category, as the plan declares them.
    values: Option<Vec<String>>,
    /// The categories that an earlier table had.
    known: Option<Vec<String>>,
    /// The probabilities of the matrix, which an earlier run read.
    chances: Option<Vec<Rational>>,
    joint: bool,
    missing_is_value: bool,
    within: Option<String>,
    consistent: Option<Consistent>,
}

impl Pram {
    fn new(parameters: &Parameters) -> Result<Self> {
        let stays = parameters.positive("pd", Some(Rational::ONE))?;
        let alpha = number_within(parameters, "alpha", 0.0, 1.0)?;
        let matrix = parameters.text("matrix")?.map(str::to_owned);
        let invariant = parameters.choice("method", &["plain", "invariant"])? == Some("invariant");
        let only_invariant = |name: &str, is_given: bool| {
            if is_given && !invariant {
                let error = Error::config(format_args!("{name} is for method = \"invariant\""));
                return Err(parameters.placed(name, error));
            }
            Ok(())
        };
        only_invariant("alpha", alpha.is_some())?;
        let within = parameters.text("within")?.map(str::to_owned);
        only_invariant("within", within.is_some())?;
        let method = match matrix {
            Some(_) if invariant || stays.is_some() => {
                let error = Error::config(
                    "the file matrix says every probability, so pd and method = \"invariant\" have no place beside it",
                );
                return Err(parameters.placed("matrix", error));
            }
            Some(file) => Method::Matrix(file),
            None if invariant => Method::Invariant { alpha: alpha.unwrap_or(0.5) },
            None => Method::Plain,
        };
        let list = |name: &str| -> Option<Vec<String>> {
            parameters.get(name).map(|value| match value {
                Value::List(items) => items.iter().map(|item| item.to_text().into_owned()).collect(),
                one => vec![one.to_text().into_owned()],
            })
        };
        let (values, known) = (list("values"), list("known"));
        if values.is_some() && method != Method::Plain {
            return Err(parameters.placed("values", Error::config("values is for method = \"plain\"")));
        }
        let chances: Option<Vec<Rational>> =
            list("chances").map(|texts| texts.iter().filter_map(|text| text.parse().ok()).collect());
        let joint = parameters.boolean("joint")?.unwrap_or(false);
        let missing_is_value = parameters.choice("missing", &["value"])?.is_some();
        let consistent = Consistent::of(parameters)?;
        Ok(Self { method, stays, values, known, chances, joint, missing_is_value, within, consistent })
    }

    fn stays(&self) -> f64 {
        self.stays.map_or(0.8, Rational::to_f64)
    }

    /// The matrix, row by row: nobody can use the counts without it.
    fn matrix_in_words(&self) -> String {
        let (Some(known), Some(chances)) = (&self.known, &self.chances) else { return String::new() };
        let row = |(from, chances): (&String, &[Rational])| {
            let to: Vec<String> =
                known.iter().zip(chances).map(|(to, chance)| format!("{to} {chance}")).collect();
            format!("{from} becomes {}", to.join(", "))
        };
        let rows: Vec<String> = known.iter().zip(chances.chunks(known.len().max(1))).map(row).collect();
        format!(": {}", rows.join("; "))
    }

    /// The same probability for each of so many other categories.
    fn plain(&self, values: usize) -> DMatrix<f64> {
        let others = (1.0 - self.stays()) / (values.max(2) - 1) as f64;
        let stays = if values == 1 { 1.0 } else { self.stays() };
        DMatrix::from_fn(values, values, |from, to| if from == to { stays } else { others })
    }

    /// The categories, with the probabilities of a file.
    fn of_file(
        &self,
        given: &Given<'_>,
        file: &str,
        column: &str,
    ) -> Result<(Vec<String>, Vec<Vec<Rational>>)> {
        if let (Some(known), Some(chances)) = (&self.known, &self.chances)
            && chances.len() == known.len().pow(2)
        {
            return Ok((known.clone(), chances.chunks(known.len()).map(<[Rational]>::to_vec).collect()));
        }
        let text = (given.file)(file)?;
        let wrong =
            |what: String| Error::config(format!("the matrix {what}")).in_file(file).in_column(column);
        let delimiter = if text.lines().next().is_some_and(|head| head.contains(';')) { ';' } else { ',' };
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let split = |line: &str| -> Vec<String> {
            line.split(delimiter).map(|cell| cell.trim().trim_matches('"').to_owned()).collect()
        };
        let head = split(lines.next().unwrap_or_default());
        let names: Vec<String> = head.into_iter().skip(1).collect();
        let mut rows = Vec::new();
        for (at, line) in lines.enumerate() {
            let cells = split(line);
            if cells.len() != names.len() + 1 || cells.first() != names.get(at) {
                return Err(wrong(format!(
                    "has a wrong row {}: it must begin with the category of column {} and have one number for each category",
                    at + 2,
                    at + 2
                )));
            }
            let numbers: Option<Vec<Rational>> = cells[1..].iter().map(|cell| cell.parse().ok()).collect();
            let numbers = numbers.ok_or_else(|| {
                wrong(format!("has something else than a number from 0 to 1 in row {}", at + 2))
            })?;
            if !sum_to_one(&numbers) {
                return Err(wrong(format!("has a row {} whose numbers do not sum to exactly 1", at + 2))
                    .advise("write fractions where decimals do not come out even: 1/3"));
            }
            rows.push(numbers);
        }
        if rows.len() != names.len() || names.is_empty() {
            return Err(wrong(format!("has {} rows of numbers and {} categories", rows.len(), names.len())));
        }
        Ok((names, rows))
    }

    /// What each row shows, by category; `None` where the row keeps what it has.
    fn drawn(
        &self,
        given: &Given<'_>,
        of_row: &[Option<u32>],
        numbers: &[f64],
        values: usize,
        of_file: Option<&[Vec<Rational>]>,
    ) -> Result<Vec<Option<u32>>> {
        let within = self.within.as_ref().and(given.also.last().copied());
        let mut made = vec![None; of_row.len()];
        for rows in groups_of(within, of_row.len()) {
            let mut counts = vec![0_u64; values];
            rows.iter().filter_map(|row| of_row[*row]).for_each(|value| counts[value as usize] += 1);
            let matrix = match (&self.method, of_file) {
                (Method::Invariant { alpha }, _) => invariant(&self.plain(values), &counts, *alpha),
                (_, Some(rows)) => DMatrix::from_fn(values, values, |from, to| rows[from][to].to_f64()),
                _ => self.plain(values),
            };
            if given.for_quasi && !stays_likeliest(&matrix) {
                return Err(Error::refused(
                    "with these probabilities some category of the quasi-identifier comes from another one more often than from itself: whoever \
                     reads them in the datasheet turns values back, and finds more people than attacks that take them as they are",
                )
                .in_column(&given.column()?.name)
                .advise("let values stay more often than one in so many categories: a larger pd"));
            }
            let sums: Vec<Vec<f64>> = (0..values).map(|from| running_sums(&matrix, from)).collect();
            let drawn = rows.par_iter().with_min_len(1 << 12).map(|row| {
                let from = of_row[*row]? as usize;
                Some(sums[from].partition_point(|sum| *sum <= numbers[*row]).min(values - 1) as u32)
            });
            let drawn: Vec<Option<u32>> = drawn.collect();
            rows.iter().zip(drawn).for_each(|(row, drawn)| made[*row] = drawn);
        }
        Ok(made)
    }
}

/// The most categories; the matrix has their square.
const MOST_VALUES: usize = 2_000;

/// Whether no category is reached from another one with a greater probability than from itself. Otherwise attacks that take what is shown for the
/// likeliest truth would find fewer people than there are to be found.
fn stays_likeliest(matrix: &DMatrix<f64>) -> bool {
    let values = matrix.nrows();
    let is_likeliest =
        |to: usize| (0..values).all(|from| matrix[(from, to)] <= matrix[(to, to)] * (1.0 + 1e-12));
    (0..values).all(is_likeliest)
}

/// The probabilities of a row up to each category; the last that can be drawn ends at 1.
fn running_sums(matrix: &DMatrix<f64>, from: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let mut sums: Vec<f64> = matrix
        .row(from)
        .iter()
        .map(|share| {
            sum += share;
            sum
        })
        .collect();
    if let Some(last) = (0..sums.len()).rev().find(|to| matrix[(from, *to)] > 0.0) {
        sums[last..].iter_mut().for_each(|sum| *sum = f64::INFINITY);
    }
    sums
}

/// The matrix that keeps these counts in expectation, mixed with no change at all.
fn invariant(plain: &DMatrix<f64>, counts: &[u64], alpha: f64) -> DMatrix<f64> {
    let values = counts.len();
    let count = |at: usize| counts[at] as f64;
    let reach: Vec<f64> =
        (0..values).map(|to| (0..values).map(|from| plain[(from, to)] * count(from)).sum()).collect();
    let back = DMatrix::from_fn(values, values, |from, to| {
        if reach[from] == 0.0 {
            if from == to { 1.0 } else { 0.0 }
        } else {
            plain[(to, from)] * count(to) / reach[from]
        }
    });
    let both = plain * back;
    DMatrix::from_fn(values, values, |from, to| {
        let same = if from == to { 1.0 } else { 0.0 };
        // A value that nobody has stays out.
        if counts[from] == 0 { same } else { alpha * both[(from, to)] + (1.0 - alpha) * same }
    })
}

fn sum_to_one(numbers: &[Rational]) -> bool {
    // Over a common denominator, in exact arithmetic.
    let sum = numbers.iter().try_fold((0_u128, 1_u128), |(top, bottom), number| {
        let (numerator, denominator) = (u128::from(number.numerator()), u128::from(number.denominator()));
        let top = top.checked_mul(denominator)?.checked_add(numerator.checked_mul(bottom)?)?;
        let bottom = bottom.checked_mul(denominator)?;
        let shared = greatest_common_divisor(top, bottom);
        Some((top / shared, bottom / shared))
    });
    sum == Some((1, 1))
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

/// The least probability that a published value is the true one, over all values.
fn least_chance_of_truth(matrix: &DMatrix<f64>, counts: &[u64]) -> f64 {
    let of_value = |to: usize| {
        let all: f64 = (0..counts.len()).map(|from| matrix[(from, to)] * counts[from] as f64).sum();
        if all == 0.0 { 1.0 } else { matrix[(to, to)] * counts[to] as f64 / all }
    };
    (0..counts.len()).filter(|to| counts[*to] > 0).map(of_value).fold(1.0, f64::min)
}

impl Transform for Pram {
    fn also_reads(&self) -> Vec<&str> {
        let subject = self.consistent.iter().filter_map(Consistent::subject);
        subject.chain(self.within.as_deref()).collect()
    }

    fn facts(&self) -> Facts {
        let is_consistent = self.consistent.is_some();
        Facts {
            takes: if self.joint { Takes::Together } else { Takes::One },
            needs_all_rows: matches!(self.method, Method::Invariant { .. }),
            needs_key: is_consistent,
            needs_chance: !is_consistent,
            ..Facts::PERTURBED
        }
    }

    fn words(&self) -> String {
        let how = match (&self.method, self.values.as_ref().or(self.known.as_ref())) {
            (Method::Invariant { .. }, _) => "; expected counts are the true ones".to_owned(),
            (Method::Matrix(_), _) => {
                format!("; counts must be corrected for the probabilities{}", self.matrix_in_words())
            }
            (Method::Plain, values) => {
                let stays = self.stays();
                let every = values.map_or_else(String::new, |values| format!(" of {}", values.len()));
                format!(
                    "; a value{every} stays with probability {stays} and becomes each other one with equal probability, so counts must be corrected for that"
                )
            }
        };
        format!(
            "perturbed: values were replaced by others by chance, so they may not be those of the persons{how}"
        )
    }

    fn trace(&self) -> Trace<'_> {
        Trace::Categories
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let name = given.column()?.name.as_str();
        let rows = given.column()?.codes.len();
        // What a row has in all columns together, as one text. A row with a missing value keeps what it has, unless that is a value, too.
        let joined = joined(given, self.missing_is_value);
        let mut notes = Vec::new();
        let (values, of_file) = match &self.method {
            Method::Matrix(file) => {
                let (names, rows) = self.of_file(given, file, name)?;
                (names, Some(rows))
            }
            _ => {
                let in_data = || joined.values.iter().map(str::to_owned).collect();
                (self.values.clone().or_else(|| self.known.clone()).unwrap_or_else(in_data), None)
            }
        };
        let places: BTreeMap<&str, u32> =
            (0..).zip(&values).map(|(at, value)| (value.as_str(), at)).collect();
        if places.len() != values.len() {
            return Err(Error::config("a category is named twice").in_column(name));
        }
        let of_code: Vec<Option<u32>> = joined.values.iter().map(|text| places.get(text).copied()).collect();
        let of_row: Vec<Option<u32>> =
            (0..rows).map(|row| joined.code_of(row).and_then(|code| of_code[code as usize])).collect();
        if (0..rows).any(|row| joined.code_of(row).is_some() && of_row[row].is_none()) {
            let strange = (0..rows).filter(|row| joined.code_of(*row).is_some() && of_row[*row].is_none());
            let error = fault(given, given.column()?, "is not among the categories of the step", strange);
            return Err(
                error.advise("name every category of the column in the step, in values or in the matrix")
            );
        }
        if values.len() < 2 {
            notes.push(format!("'{name}' has one category only, so there was nothing to draw"));
        }
        if values.len() > MOST_VALUES {
            return Err(Error::refused(format_args!(
                "the column has {} categories, and drawing among them needs a matrix of all with all; at most {MOST_VALUES} are supported",
                values.len()
            ))
            .in_column(name)
            .advise("lump rare categories together first: do = \"lump\""));
        }
        let mut draws = Draws::of(self.consistent.as_ref(), given)?;
        let numbers = draws.of_rows(given.column()?);
        let drawn = self.drawn(given, &of_row, &numbers, values.len(), of_file.as_deref())?;
        given.control.check()?;
        let mut made = Made::of_several(columns_of(given, &values, &drawn)?);
        let mut counts = vec![0_u64; values.len()];
        of_row.iter().flatten().for_each(|value| counts[*value as usize] += 1);
        let matrix = match (&self.method, &of_file) {
            (Method::Invariant { alpha }, _) => invariant(&self.plain(values.len()), &counts, *alpha),
            (_, Some(rows)) => {
                DMatrix::from_fn(values.len(), values.len(), |from, to| rows[from][to].to_f64())
            }
            _ => self.plain(values.len()),
        };
        notes.push(format!(
            "a value of '{name}' that is published is the true one with a probability of at least {:.3}",
            least_chance_of_truth(&matrix, &counts)
        ));
        if let Some(rows) = &of_file {
            let chances = rows.iter().flatten().map(|chance| Value::from(chance.to_string().as_str()));
            made.settled =
                vec![("known", settled_texts(&values)), ("chances", Value::List(chances.collect()))];
        }
        if self.method == Method::Plain {
            let others = values.len().max(2) as f64 - 1.0;
            let epsilon = (self.stays() * others / (1.0 - self.stays())).ln().abs();
            match &self.values {
                Some(_) if epsilon.is_finite() => {
                    let which =
                        if self.missing_is_value { "each cell" } else { "each cell that has a value" };
                    notes.push(format!(
                        "{which} of '{name}' is {epsilon:.4}-locally differentially private, since its categories are declared"
                    ));
                }
                _ => made.from_data = true,
            }
            if self.values.is_none() {
                made.settled = vec![("known", settled_texts(&values))];
            }
        }
        made.settled.extend(draws.settled());
        made.notes = notes;
        Ok(made)
    }
}

fn settled_texts(texts: &[String]) -> Value {
    Value::List(texts.iter().map(|text| Value::from(text.as_str())).collect())
}

/// The categories of rows, of all columns of the step together.
struct Joined {
    values: Texts,
    codes: Vec<Option<u32>>,
}

impl Joined {
    fn code_of(&self, row: usize) -> Option<u32> {
        self.codes[row]
    }
}

fn joined(given: &Given<'_>, missing_is_value: bool) -> Joined {
    let rows = given.columns.first().map_or(0, |column| column.codes.len());
    let is_missing = |column: &CodedColumn| -> Vec<bool> {
        column.values.iter().map(|text| !missing_is_value && given.is_missing(column, text)).collect()
    };
    let missing: Vec<Vec<bool>> = given.columns.iter().map(|column| is_missing(column)).collect();
    let is_whole = |row: usize| {
        given.columns.iter().zip(&missing).all(|(column, missing)| !missing[column.codes.get(row) as usize])
    };
    if let [column] = given.columns {
        let occurs = occurring(column);
        let mut texts = Texts::default();
        let mut place =
            |(code, text): (usize, &str)| (occurs[code] && !missing[0][code]).then(|| texts.push(text));
        let places: Vec<Option<u32>> = column.values.iter().enumerate().map(&mut place).collect();
        return Joined {
            values: texts,
            codes: column.codes.iter().map(|code| places[code as usize]).collect(),
        };
    }
    let text = |row: usize| {
        let parts: Vec<&str> =
            given.columns.iter().map(|column| column.values.get(column.codes.get(row))).collect();
        parts.join(&BETWEEN.to_string())
    };
    let texts: Vec<Option<String>> = (0..rows).map(|row| is_whole(row).then(|| text(row))).collect();
    let column = CodedColumn::of_texts("", texts.iter().flatten());
    let mut whole = column.codes.iter();
    let codes = texts.iter().map(|text| text.as_ref().and_then(|_| whole.next())).collect();
    Joined { values: column.values, codes }
}

/// The columns that show the drawn categories.
fn columns_of(given: &Given<'_>, values: &[String], drawn: &[Option<u32>]) -> Result<Vec<CodedColumn>> {
    let several = given.columns.len() > 1;
    let parts: Vec<Vec<&str>> = values
        .iter()
        .map(|value| if several { value.split(BETWEEN).collect() } else { vec![value.as_str()] })
        .collect();
    if parts.iter().any(|parts| parts.len() != given.columns.len()) {
        return Err(Error::config("a joint category must name a value of every column"));
    }
    let of_column = |(at, (column, name)): (usize, (&&CodedColumn, &&str))| {
        // First the categories, then what rows keep.
        let kept = column.values.iter();
        let texts: Vec<Option<String>> =
            parts.iter().map(|parts| parts[at]).chain(kept).map(|text| Some(text.to_owned())).collect();
        let codes: Vec<u32> = drawn
            .iter()
            .zip(column.codes.iter())
            .map(|(drawn, code)| drawn.unwrap_or(values.len() as u32 + code))
            .collect();
        let made = recoded(name, &texts, &Codes::narrow(texts.len(), &codes));
        only_shown(&made)
    };
    Ok(given.columns.iter().zip(given.into).enumerate().map(of_column).collect())
}

/// The column without texts that no row shows.
fn only_shown(column: &CodedColumn) -> CodedColumn {
    let occurs = occurring(column);
    let texts: Vec<Option<String>> =
        column.values.iter().zip(occurs).map(|(text, occurs)| occurs.then(|| text.to_owned())).collect();
    recoded(&column.name, &texts, &column.codes)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{made, parameters, run, texts};
    use super::*;

    fn matrix(pd: &str, counts: &[u64], alpha: f64) -> DMatrix<f64> {
        let pram = Pram::new(&parameters(&[("pd", pd)])).expect("a step");
        invariant(&pram.plain(counts.len()), counts, alpha)
    }

    /// The specification's matrix (transforms.md 2.6).
    #[test]
    fn invariant_matrices() {
        let whole = matrix("0.8", &[50, 30, 20], 1.0);
        let expected = [
            0.748_073, 0.143_253, 0.108_674, 0.238_754, 0.638_522, 0.122_724, 0.271_685, 0.184_086, 0.544_229,
        ];
        for (place, expected) in expected.into_iter().enumerate() {
            assert!(
                (whole[(place / 3, place % 3)] - expected).abs() < 1e-6,
                "{place}: {}",
                whole[(place / 3, place % 3)]
            );
        }
        let half = matrix("0.8", &[50, 30, 20], 0.5);
        for (at, expected) in [0.874_037, 0.819_261, 0.772_115].into_iter().enumerate() {
            assert!((half[(at, at)] - expected).abs() < 1e-6);
        }
        for (matrix, counts) in [(half, [50, 30, 20]), (matrix("0.5", &[7, 0, 93], 0.7), [7, 0, 93])] {
            for to in 0..3 {
                let expected: f64 = (0..3).map(|from| matrix[(from, to)] * counts[from] as f64).sum();
                assert!((expected - counts[to] as f64).abs() < 1e-9, "counts stay: {expected}");
                assert!((matrix.row(to).sum() - 1.0).abs() < 1e-12);
            }
        }
    }

    /// The chance that a published value is the true one, and correcting counts (transforms.md 2.6).
    #[test]
    fn plain_matrices() {
        let plain = Pram::new(&parameters(&[])).expect("a step").plain(3);
        assert!((least_chance_of_truth(&plain, &[50, 30, 20]) - 0.666_7).abs() < 1e-4);
        let inverse = plain.transpose().try_inverse().expect("an inverse");
        let corrected = inverse * DMatrix::from_column_slice(3, 1, &[46.0, 32.0, 22.0]);
        for (at, expected) in [51.428_6, 31.428_6, 17.142_9].into_iter().enumerate() {
            assert!((corrected[(at, 0)] - expected).abs() < 1e-4);
        }
    }

    fn many(rows: usize) -> Vec<&'static str> {
        (0..rows)
            .map(|row| {
                if row % 10 < 5 {
                    "a"
                } else if row % 10 < 8 {
                    "b"
                } else {
                    "c"
                }
            })
            .collect()
    }

    /// Transitions are as likely as the matrix says, by chi-square: 6 degrees of freedom, above 38 in one of a million runs.
    #[test]
    fn transitions_follow_the_matrix() {
        let before = many(20_000);
        let after = made(&ENTRY, &[], &before).expect("draws");
        let mut chi_square = 0.0;
        for from in ["a", "b", "c"] {
            let rows = before.iter().filter(|text| **text == from).count() as f64;
            for to in ["a", "b", "c"] {
                let expected = rows * if from == to { 0.8 } else { 0.1 };
                let drawn = before
                    .iter()
                    .zip(&after)
                    .filter(|(before, after)| **before == from && *after == to)
                    .count();
                chi_square += (drawn as f64 - expected).powi(2) / expected;
            }
        }
        assert!(chi_square < 38.0, "{chi_square}");
    }

    #[test]
    fn invariant_draws_keep_counts() {
        let before = many(20_000);
        let after = made(&ENTRY, &[("method", "invariant"), ("alpha", "1")], &before).expect("draws");
        let count = |of: &str| after.iter().filter(|text| *text == of).count() as f64;
        for (of, expected) in [("a", 10_000.0), ("b", 6_000.0), ("c", 4_000.0)] {
            assert!((count(of) - expected).abs() < 5.0 * 70.0, "{of}: {}", count(of));
        }
        assert!(before.iter().zip(&after).filter(|(before, after)| *before != after).count() > 5_000);
    }

    #[test]
    fn missing_values_joint_columns_and_groups() {
        let sex = ["f", "m", "NA", "f", "m", "f"].repeat(50);
        let job = ["x", "y", "x", "x", "NA", "z"].repeat(50);
        let both =
            run(&ENTRY, &[("joint", "true"), ("pd", "0.3")], &[&sex, &job], &[], false).expect("draws");
        let (new_sex, new_job) = (texts(&both.columns[0]), texts(&both.columns[1]));
        for row in 0..sex.len() {
            if sex[row] == "NA" || job[row] == "NA" {
                assert_eq!((sex[row], job[row]), (new_sex[row].as_str(), new_job[row].as_str()));
            } else {
                let pair = (new_sex[row].as_str(), new_job[row].as_str());
                assert!([("f", "x"), ("m", "y"), ("f", "z")].contains(&pair), "{pair:?}");
            }
        }
        let as_value = made(&ENTRY, &[("missing", "value"), ("pd", "0.2")], &sex).expect("draws");
        assert!(as_value.iter().zip(&sex).any(|(after, before)| *before == "NA" && after != "NA"));
        // Nobody in a group gets a value that the group has not.
        let groups: Vec<&str> = sex.iter().map(|sex| if *sex == "f" { "1" } else { "2" }).collect();
        let given = [("method", "invariant"), ("within", "c")];
        let after = texts(&run(&ENTRY, &given, &[&sex], &[&groups], false).expect("draws").columns[0]);
        assert_eq!(after, sex);
    }

    #[test]
    fn categories_that_are_declared() {
        let made = run(&ENTRY, &[("values", "[a, b, c, d, e]")], &[&many(50)], &[], false).expect("draws");
        // The specification's figure for five categories.
        assert!(made.notes.iter().any(|note| note.contains("2.7726-locally")), "{:?}", made.notes);
        assert!(!made.from_data && made.settled.is_empty());
        let found = run(&ENTRY, &[], &[&many(50)], &[], false).expect("draws");
        assert!(found.from_data && found.notes.iter().all(|note| !note.contains("private")));
        let error = super::super::super::testing::made(&ENTRY, &[("values", "[a, b]")], &many(50))
            .expect_err("strange");
        assert!(error.contains("not among the categories") && error.contains("row 9"), "{error}");
    }

    /// A matrix of its own: no category becomes one that the matrix does not allow, and a second run needs no file.
    #[test]
    fn a_matrix_of_its_own() {
        let column = CodedColumn::of_texts("c", many(300).iter());
        let file = std::cell::Cell::new("value;a;b;c\na;1/3;2/3;0\nb;0;1;0\nc;0.5;0;0.5\n");
        let draw = |given: &[(&str, Value)]| {
            let mut parameters = Parameters::default();
            given.iter().for_each(|(name, value)| parameters.set(name, value.clone()));
            Pram::new(&parameters)?.run(&Given {
                columns: &[&column],
                also: &[],
                into: &["c"],
                for_quasi: false,
                bounds: &|_| (None, None),
                missing: &|_| &[],
                number: &|row| row as u64 + 1,
                persons: None,
                file: &|_| Ok(file.get().to_owned()),
                seed: Some(5),
                key: &|| Err(Error::config("no key")),
                release: &|| Err(Error::config("no release")),
                control: &scumble_files::Control::default(),
            })
        };
        let matrix = ("matrix", Value::from("m.csv"));
        let made = draw(std::slice::from_ref(&matrix)).expect("draws");
        for (before, after) in many(300).into_iter().zip(texts(&made.columns[0])) {
            assert!(
                ["aa", "ab", "bb", "ca", "cc"].contains(&format!("{before}{after}").as_str()),
                "{before} {after}"
            );
        }
        file.set("");
        let again: Vec<(&str, Value)> = [matrix.clone()].into_iter().chain(made.settled).collect();
        assert_eq!(texts(&draw(&again).expect("draws").columns[0]), texts(&made.columns[0]));
        for (text, words) in [
            ("v,a,b,c\na,0.33,0.33,0.33\nb,0,1,0\nc,0,0,1\n", "row 2 whose numbers do not sum to exactly 1"),
            ("v,a,b\na,1,0\nb,0,1\n", "not among the categories"),
            ("v,a,b\nb,1,0\na,0,1\n", "wrong row 2"),
            ("v,a,b\na,1,x\nb,0,1\n", "something else than a number"),
            ("", "0 rows"),
        ] {
            file.set(text);
            let error = draw(std::slice::from_ref(&matrix)).err().expect(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| Pram::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[("pd", "0")]).contains("above 0"));
        assert!(message(&[("pd", "1.1")]).contains("at most 1"));
        assert!(message(&[("alpha", "0.5")]).contains("invariant"));
        assert!(message(&[("matrix", "m.csv"), ("pd", "0.5")]).contains("no place"));
        assert!(message(&[("values", "[a]"), ("method", "invariant")]).contains("plain"));
        let sums = |numbers: &[&str]| {
            sum_to_one(&numbers.iter().map(|text| text.parse().expect("a number")).collect::<Vec<_>>())
        };
        assert!(
            sums(&["0.1", "0.2", "0.7"]) && sums(&["1/3", "1/3", "1/3"]) && !sums(&["0.33", "0.33", "0.33"])
        );
    }
}
