//! The error of counting queries on a release (models.md 2.10): how far off someone is who counts the rows of a random group of
//! people on the release instead of the original.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hashbrown::HashMap;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::{Measured, Metric};
use crate::config::StarPolicy;
use crate::frequency::Cell;
use crate::problem::Problem;
use crate::published::{Classes, Published};
use crate::quasi::{LARGEST_SUBSET, Line, MEAN_PLACES, Quasi, Shape, Value};
use crate::registry::{Entry, Standing};

/// The registry entry.
pub const ENTRY: Entry<&'static dyn Metric> = Entry {
    name: "query_error",
    title: "mean relative error of counting queries",
    paper: "Xiao, Tao 2006; LeFevre, DeWitt, Ramakrishnan 2008",
    standing: Standing::Recommended,
    about: "Asks 1,000 random questions such as 'how many people of these ages and postcodes have this value', each about two \
            quasi-identifiers and the protected or class column, and compares the count expected from the release with the true \
            one. The mean error relative to the truth (or to a thousandth of the rows, if that is more), with its median and a 95 \
            % interval of the mean. The same seed asks the same questions.",
    parameters: &[],
    build: &QueryError,
};

/// So many questions are asked: the interval of the mean is then some hundredths of the spread wide.
const QUERIES: usize = 1000;
/// So many quasi-identifiers are asked about at once, besides the column of values that are kept.
const ATTRIBUTES: usize = 2;
/// The share of all combinations of values that a question is about.
const SELECTIVITY: f64 = 0.05;
/// The true count that errors are relative to is at least this share of the rows.
const SANITY: f64 = 0.001;
/// The 97.5 % quantile of the normal distribution.
const QUANTILE: f64 = 1.96;
/// Rolled up counts of at most so many combinations of codes are counted in an array.
const LARGEST_ARRAY: usize = 1 << 20;

struct QueryError;

impl Metric for QueryError {
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64> {
        self.measure_fully(published, problem).value
    }

    fn details(&self, published: &Published, problem: &Problem) -> Vec<(&'static str, f64)> {
        self.measure_fully(published, problem).details
    }

    fn measure_fully(&self, published: &Published, problem: &Problem) -> Measured {
        let errors = errors(super::classes_of(published), problem);
        if errors.is_empty() {
            return Measured { value: None, details: Vec::new() };
        }
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let spread = errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        let reach = QUANTILE * (spread / count).sqrt();
        let mut sorted = errors;
        sorted.sort_unstable_by(f64::total_cmp);
        let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        let details = vec![
            ("lower", (mean - reach).max(0.0)),
            ("upper", mean + reach),
            ("median", middle),
            ("queries", count),
            ("bound", bound(problem)),
        ];
        Measured { value: Some(mean), details }
    }

    /// Errors of too much and of too little may cancel in a coarser release.
    fn worsens(&self) -> bool {
        false
    }
}

/// The least count that errors are relative to.
fn bound(problem: &Problem) -> f64 {
    (SANITY * problem.table.rows() as f64).max(1.0)
}

/// What a question asks for in one column.
enum Wanted {
    /// Numbers from one to another, both included.
    Numbers(i128, i128),
    /// Codes: for each how many of those before it are asked for, and then for all.
    Codes(Vec<u32>),
}

/// A question: the columns that it is about and what it asks for in each; last, the values of the kept column.
struct Query {
    columns: Vec<usize>,
    wanted: Vec<Wanted>,
    kept: Vec<bool>,
}

/// Reproducible chance.
struct Chance(ChaCha8Rng);

impl Chance {
    /// A number below `end`, which is at least 1.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// So many different numbers below `end`, ascending: neighbours, or any.
    fn choose(&mut self, count: usize, end: usize, neighbours: bool) -> Vec<usize> {
        if neighbours {
            let first = self.below((end - count + 1) as u64) as usize;
            return (first..first + count).collect();
        }
        let mut all: Vec<usize> = (0..end).collect();
        for place in 0..count {
            let other = place + self.below((end - place) as u64) as usize;
            all.swap(place, other);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }

    /// What is asked for in a column: about this share of its domain, a range where it has an order.
    fn wanted(&mut self, quasi: &Quasi, share: f64) -> Wanted {
        match &quasi.shape {
            Shape::Line(line) if !line.numbers.is_empty() => {
                let (first, last) = line.domain();
                let width = (((last - first + 1) as f64 * share).ceil() as i128).clamp(1, last - first + 1);
                let places = u64::try_from(last - first + 2 - width).unwrap_or(u64::MAX);
                let from = first + i128::from(self.below(places));
                Wanted::Numbers(from, from + width - 1)
            }
            _ => {
                let size = quasi.size() as usize;
                let count = ((size as f64 * share).ceil() as usize).clamp(1, size);
                let chosen = self.choose(count, size, quasi.measure.kind.is_ordered());
                let mut before = vec![0; size + 1];
                chosen.iter().for_each(|code| before[code + 1] = 1);
                (0..size).for_each(|code| before[code + 1] += before[code]);
                Wanted::Codes(before)
            }
        }
    }
}

/// Whether a code is asked for.
fn contains(wanted: &Wanted, quasi: &Quasi, code: u32) -> bool {
    match (wanted, &quasi.shape) {
        (Wanted::Numbers(from, to), Shape::Line(line)) => {
            line.numbers.get(code as usize).is_some_and(|number| from <= number && number <= to)
        }
        (Wanted::Codes(before), _) => before[code as usize + 1] > before[code as usize],
        (Wanted::Numbers(..), _) => false,
    }
}

/// The share of a released value that is asked for, if each original value that it covers is as likely as the others.
fn share(wanted: &Wanted, quasi: &Quasi, value: Value) -> f64 {
    match (wanted, &quasi.shape) {
        (Wanted::Numbers(from, to), Shape::Line(line)) => share_of_line((*from, *to), quasi, line, value),
        (Wanted::Codes(before), _) => {
            if let Value::Subset(codes) = value {
                let present = (0..LARGEST_SUBSET.min(quasi.size())).filter(|code| codes >> code & 1 == 1);
                let asked = present.filter(|code| contains(wanted, quasi, *code)).count();
                return asked as f64 / f64::from(codes.count_ones().max(1));
            }
            let (low, high) = quasi.codes(value);
            f64::from(before[high as usize + 1] - before[low as usize]) / f64::from(high - low + 1)
        }
        (Wanted::Numbers(..), _) => 0.0,
    }
}

fn share_of_line((from, to): (i128, i128), quasi: &Quasi, line: &Line, value: Value) -> f64 {
    let (low, high) = match value {
        Value::Span(low, _) if Some(low) == line.missing() => return 0.0,
        Value::Span(low, high) => quasi.bounds(line, low, high),
        // A reader has the mean alone.
        Value::Mean { mean, .. } => {
            let unit = 10_i128.pow(MEAN_PLACES);
            return f64::from((from * unit..=to * unit).contains(&i128::from(mean)));
        }
        _ => line.domain(),
    };
    let both = high.min(to) - low.max(from) + 1;
    if both <= 0 { 0.0 } else { both as f64 / (high - low + 1) as f64 }
}

/// The questions of a problem. They depend on its columns and its seed alone.
fn queries(problem: &Problem, kept: Option<usize>) -> Vec<Query> {
    let asked: Vec<usize> =
        (0..problem.quasi.len()).filter(|column| problem.quasi[*column].priority > 0.0).collect();
    let count = ATTRIBUTES.min(asked.len());
    let values = kept.map(|column| &problem.table.payloads().columns[column]);
    let share = SELECTIVITY.powf(1.0 / (count + usize::from(kept.is_some())).max(1) as f64);
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(problem.seed));
    let query = |_| {
        let places = chance.choose(count, asked.len(), false);
        let columns: Vec<usize> = places.into_iter().map(|place| asked[place]).collect();
        let wanted = columns.iter().map(|column| chance.wanted(&problem.quasi[*column], share)).collect();
        let mut kept = vec![values.is_none(); values.map_or(1, |column| column.values.len())];
        if let Some(column) = values {
            let count = ((kept.len() as f64 * share).ceil() as usize).clamp(1, kept.len());
            let neighbours = column.measure.kind.is_ordered();
            chance.choose(count, kept.len(), neighbours).into_iter().for_each(|value| kept[value] = true);
        }
        Query { columns, wanted, kept }
    };
    (0..QUERIES).map(query).collect()
}

/// Rows that agree in the columns of a question and in the kept column.
struct Count {
    places: [u32; ATTRIBUTES],
    kept: u32,
    rows: u64,
}

/// Counts by places in each column, of which there are `sizes`, and by kept value; ascending.
fn count(
    sizes: [usize; ATTRIBUTES],
    kept: usize,
    items: impl Iterator<Item = ([u32; ATTRIBUTES], u32, u64)>,
) -> Vec<Count> {
    let key = |places: [u32; ATTRIBUTES], value: u32| {
        let place =
            sizes.iter().zip(places).fold(0_u64, |key, (size, place)| key * *size as u64 + u64::from(place));
        place * kept as u64 + u64::from(value)
    };
    let item = |(key, rows): (u64, u64)| {
        let mut rest = key / kept as u64;
        let mut places = [0; ATTRIBUTES];
        for (place, size) in places.iter_mut().zip(sizes).rev() {
            *place = (rest % size as u64) as u32;
            rest /= size as u64;
        }
        Count { places, kept: (key % kept as u64) as u32, rows }
    };
    let most = sizes.iter().fold(kept, |most, size| most.saturating_mul(*size));
    if most <= LARGEST_ARRAY {
        let mut rows = vec![0; most];
        items.for_each(|(places, value, more)| rows[key(places, value) as usize] += more);
        return (0..).zip(rows).filter(|(_, rows)| *rows > 0).map(item).collect();
    }
    let mut rows: HashMap<u64, u64, foldhash::fast::FixedState> = HashMap::default();
    items.for_each(|(places, value, more)| *rows.entry(key(places, value)).or_default() += more);
    let mut rows: Vec<(u64, u64)> = rows.into_iter().collect();
    rows.sort_unstable();
    rows.into_iter().map(item).collect()
}

/// The error of each question.
fn errors(classes: &Classes, problem: &Problem) -> Vec<f64> {
    if problem.table.rows() == 0 {
        return Vec::new();
    }
    let kept = super::protected(problem).first().copied().or(problem.class);
    let queries = queries(problem, kept);
    // Questions about the same columns share their counts.
    let mut by_columns: BTreeMap<&[usize], Vec<usize>> = BTreeMap::new();
    for (number, query) in queries.iter().enumerate() {
        by_columns.entry(&query.columns).or_default().push(number);
    }
    let groups: Vec<(&[usize], Vec<usize>)> = by_columns.into_iter().collect();
    let found: Vec<Vec<(usize, f64)>> = groups
        .into_par_iter()
        .with_max_len(1)
        .map(|(columns, numbers)| {
            let counts = Counts::new(classes, problem, columns, kept);
            numbers.into_iter().map(|number| (number, counts.error(&queries[number]))).collect()
        })
        .collect();
    let mut errors = vec![0.0; queries.len()];
    found.into_iter().flatten().for_each(|(number, error)| errors[number] = error);
    errors
}

/// The rows of the original and of the release by some of the columns.
struct Counts<'p> {
    problem: &'p Problem,
    /// By code.
    original: Vec<Count>,
    /// By place among the values that the column shows; suppressed rows that stay have the place after the last.
    released: Vec<Count>,
    /// What the released places mean.
    shown: Vec<&'p [Value]>,
}

impl<'p> Counts<'p> {
    fn new(classes: &'p Classes, problem: &'p Problem, columns: &[usize], kept: Option<usize>) -> Self {
        let (table, payloads) = (&problem.table, problem.table.payloads());
        let values = kept.map_or(1, |column| payloads.columns[column].values.len());
        let value = |cell: &Cell| kept.map_or(0, |column| payloads.value(cell.payload, column));
        let of_cell = |cell: &Cell| (value(cell), u64::from(cell.rows));
        // A question about fewer columns has places 0 in those that are not there.
        let pad = |get: &dyn Fn(usize) -> u32| {
            let mut places = [0; ATTRIBUTES];
            places.iter_mut().zip(columns).for_each(|(place, column)| *place = get(*column));
            places
        };
        let sizes = |get: &dyn Fn(usize) -> usize| {
            let mut sizes = [1; ATTRIBUTES];
            sizes.iter_mut().zip(columns).for_each(|(size, column)| *size = get(*column));
            sizes
        };
        let original = (0..table.tuples() as u32).flat_map(|tuple| {
            let places = pad(&|column| table.column(column).get(tuple as usize));
            table.cells(tuple).iter().map(of_cell).map(move |(value, rows)| (places, value, rows))
        });
        let original = count(sizes(&|column| problem.quasi[column].size() as usize), values, original);
        let shown = &classes.assignment.columns;
        let is_there = |class: &usize| !classes.is_suppressed(*class) || classes.policy != StarPolicy::Drop;
        let released = (0..classes.len()).filter(is_there).flat_map(|class| {
            let star = classes.is_suppressed(class);
            let place = |column: usize| {
                if star { shown[column].values.len() as u32 } else { shown[column].of_class.get(class) }
            };
            let places = pad(&place);
            classes.class_cells(class).iter().map(of_cell).map(move |(value, rows)| (places, value, rows))
        });
        let released = count(sizes(&|column| shown[column].values.len() + 1), values, released);
        let shown = columns.iter().map(|column| &shown[*column].values[..]).collect();
        Self { problem, original, released, shown }
    }

    /// |true count - expected count| over the true count, or over the bound if that is more.
    fn error(&self, query: &Query) -> f64 {
        let quasi = || query.columns.iter().map(|column| &self.problem.quasi[*column]).zip(&query.wanted);
        let is_asked: Vec<Vec<bool>> = quasi()
            .map(|(quasi, wanted)| (0..quasi.size()).map(|code| contains(wanted, quasi, code)).collect())
            .collect();
        let truth: u64 = self
            .original
            .iter()
            .filter(|count| query.kept[count.kept as usize])
            .filter(|count| is_asked.iter().zip(count.places).all(|(asked, place)| asked[place as usize]))
            .map(|count| count.rows)
            .sum();
        let shares: Vec<Vec<f64>> = quasi()
            .zip(&self.shown)
            .map(|((quasi, wanted), shown)| {
                shown.iter().chain([&Value::Star]).map(|value| share(wanted, quasi, *value)).collect()
            })
            .collect();
        let expected: f64 = self
            .released
            .iter()
            .filter(|count| query.kept[count.kept as usize])
            .map(|count| {
                let shares = shares.iter().zip(count.places).map(|(shares, place)| shares[place as usize]);
                count.rows as f64 * shares.product::<f64>()
            })
            .sum();
        (truth as f64 - expected).abs() / (truth as f64).max(bound(self.problem))
    }
}
