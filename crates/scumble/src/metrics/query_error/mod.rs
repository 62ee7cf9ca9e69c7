//! The error of counting queries on a release (models.md 2.10): how far off someone is who counts the rows of a random group of
//! people on the release instead of the original.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::{Measured, Metric};
use crate::base::entry::{Entry, Standing};
use crate::config::StarPolicy;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::table::frequency::Cell;
use crate::table::quasi::{LARGEST_SUBSET, MEAN_PLACES, Quasi, Shape, Value};

/// The registry entry.
pub(crate) const ENTRY: Entry<&'static dyn Metric> = Entry {
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

/// This many questions are asked: the interval of the mean is then some hundredths of the spread wide.
const QUERIES: usize = 1000;
/// This many quasi-identifiers are asked about at once, besides the column of values that are kept.
const ATTRIBUTES: usize = 2;
/// The share of all combinations of values that a question is about.
const SELECTIVITY: f64 = 0.05;
/// The true count that errors are relative to is at least this share of the rows.
const SANITY: f64 = 0.001;
/// The 97.5 % quantile of the normal distribution.
const QUANTILE: f64 = 1.96;
/// Columns of more values are asked for neighbours, not for any of them.
const LARGEST_SET: u32 = 1 << 10;
/// This many questions are answered in one pass: one bit each.
const TOGETHER: usize = u64::BITS as usize;
/// Rolled up counts of at most this many combinations of codes are counted in an array.
const LARGEST_ARRAY: usize = 1 << 20;

struct QueryError;

impl Metric for QueryError {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        self.measure_fully(classes, problem).value
    }

    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        self.measure_fully(classes, problem).details
    }

    fn measure_fully(&self, classes: &Classes, problem: &Problem) -> Measured {
        let errors = errors(classes, problem);
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
    /// Places from one to another, both included: numbers, or codes where the column is no line of numbers.
    Run(f64, f64),
    /// Codes: for each how many of those before it are asked for, and then for all.
    Codes(Vec<u32>),
}

/// A question: the columns that it is about and what it asks for in each; last, the values of the kept column.
struct Query {
    columns: Vec<usize>,
    wanted: Vec<Wanted>,
    kept: Wanted,
}

/// Reproducible chance.
struct Chance(ChaCha8Rng);

impl Chance {
    /// A number below `end`, which is at least 1.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// This many different numbers below `end`, ascending.
    fn choose(&mut self, count: usize, end: usize) -> Vec<usize> {
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
                Wanted::Run(from as f64, (from + width - 1) as f64)
            }
            _ => self.wanted_codes(quasi.size() as usize, share, is_set(quasi)),
        }
    }

    /// About this share of a number of codes: any of them, or neighbours.
    fn wanted_codes(&mut self, size: usize, share: f64, any: bool) -> Wanted {
        let count = ((size as f64 * share).ceil() as usize).clamp(1, size.max(1));
        if !any {
            let first = self.below((size.max(1) - count + 1) as u64);
            return Wanted::Run(first as f64, (first + count as u64 - 1) as f64);
        }
        let mut before = vec![0; size + 1];
        self.choose(count, size).iter().for_each(|code| before[code + 1] = 1);
        (0..size).for_each(|code| before[code + 1] += before[code]);
        Wanted::Codes(before)
    }
}

/// Whether questions ask for any values of a column; for neighbours where values have an order, or are too many to list.
fn is_set(quasi: &Quasi) -> bool {
    let line = matches!(&quasi.shape, Shape::Line(line) if !line.numbers.is_empty());
    !line && !quasi.measure.kind.is_ordered() && quasi.size() <= LARGEST_SET
}

/// Where a code lies on the line on which runs are asked for: its number, or the code itself; nowhere if it is missing.
fn place(quasi: &Quasi, code: u32) -> Option<f64> {
    match &quasi.shape {
        Shape::Line(line) if !line.numbers.is_empty() => {
            line.numbers.get(code as usize).map(|number| *number as f64)
        }
        _ => Some(f64::from(code)),
    }
}

/// What a released value stands for, made ready for many questions.
enum Open {
    /// Places from one to another, and how many there are.
    Run(f64, f64, f64),
    /// Codes from one to another, and how many there are.
    Codes(usize, usize, f64),
    /// Exactly these codes.
    Subset(Vec<usize>),
    /// One place.
    Place(f64),
    /// Nothing that a question can ask for: a missing number.
    Nothing,
}

impl Open {
    fn new(quasi: &Quasi, value: Value) -> Self {
        let run = |(low, high): (i128, i128)| Self::Run(low as f64, high as f64, (high - low + 1) as f64);
        match (value, &quasi.shape) {
            (Value::Subset(codes), _) => {
                Self::Subset((0..LARGEST_SUBSET as usize).filter(|code| codes >> code & 1 == 1).collect())
            }
            // A reader has the mean alone.
            (Value::Mean { mean, .. }, _) => Self::Place(mean as f64 / 10_f64.powi(MEAN_PLACES as i32)),
            (Value::Span(low, _), Shape::Line(line)) if Some(low) == line.missing() => Self::Nothing,
            (Value::Span(low, high), Shape::Line(line)) => run(quasi.bounds(line, low, high)),
            (_, Shape::Line(line)) if !line.numbers.is_empty() => run(line.domain()),
            _ => {
                let (low, high) = quasi.codes(value);
                if is_set(quasi) {
                    return Self::Codes(low as usize, high as usize, f64::from(high - low + 1));
                }
                run((i128::from(low), i128::from(high)))
            }
        }
    }
}

/// The share of a released value that is asked for, if each original value that it covers is as likely as the others.
#[inline]
fn share(wanted: &Wanted, open: &Open) -> f64 {
    let inside = |place: f64| matches!(wanted, Wanted::Run(from, to) if (*from..=*to).contains(&place));
    match (wanted, open) {
        (Wanted::Run(from, to), Open::Run(low, high, all)) => {
            (high.min(*to) - low.max(*from) + 1.0).max(0.0) / all
        }
        (Wanted::Codes(before), Open::Codes(low, high, all)) => {
            f64::from(before[high + 1] - before[*low]) / all
        }
        (_, Open::Subset(codes)) => {
            let asked = |code: &&usize| match wanted {
                Wanted::Codes(before) => before[**code + 1] > before[**code],
                Wanted::Run(..) => inside(**code as f64),
            };
            codes.iter().filter(asked).count() as f64 / codes.len().max(1) as f64
        }
        (_, Open::Place(place)) => f64::from(inside(*place)),
        _ => 0.0,
    }
}

/// Which of some questions ask for a place, one bit each, without asking every one of them.
struct Runs {
    /// Where runs begin, ascending, each with the questions whose runs have begun by then.
    begun: Vec<(f64, u64)>,
    /// Where they end, descending, each with the questions whose runs end there or later.
    unended: Vec<(f64, u64)>,
}

impl Runs {
    fn new<'q>(wanted: impl Iterator<Item = &'q Wanted>) -> Self {
        let (mut begun, mut unended) = (Vec::new(), Vec::new());
        for (question, wanted) in wanted.enumerate() {
            if let Wanted::Run(from, to) = wanted {
                begun.push((*from, 1 << question));
                unended.push((*to, 1 << question));
            }
        }
        begun.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        unended.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        for ends in [&mut begun, &mut unended] {
            let mut all = 0;
            ends.iter_mut().for_each(|(_, bits)| {
                all |= *bits;
                *bits = all;
            });
        }
        Self { begun, unended }
    }

    /// The questions whose runs meet the places from `low` to `high`.
    fn meeting(&self, low: f64, high: f64) -> u64 {
        let last = |ends: &[(f64, u64)], count: usize| count.checked_sub(1).map_or(0, |last| ends[last].1);
        let begun = last(&self.begun, self.begun.partition_point(|(from, _)| *from <= high));
        begun & last(&self.unended, self.unended.partition_point(|(to, _)| *to >= low))
    }
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
        let places = chance.choose(count, asked.len());
        let columns: Vec<usize> = places.into_iter().map(|place| asked[place]).collect();
        let wanted = columns.iter().map(|column| chance.wanted(&problem.quasi[*column], share)).collect();
        let kept = values.map_or(Wanted::Run(0.0, 0.0), |column| {
            let size = column.values.len();
            let any = !column.measure.kind.is_ordered() && size <= LARGEST_SET as usize;
            chance.wanted_codes(size, share, any)
        });
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

/// Counts by places in each column, of which there are `sizes`, and by kept value: each once and ascending, or as they come if
/// there may be too many.
fn count(
    sizes: [usize; ATTRIBUTES],
    kept: usize,
    items: impl Iterator<Item = ([u32; ATTRIBUTES], u32, u64)>,
) -> Vec<Count> {
    let key = |places: [u32; ATTRIBUTES], value: u32| {
        let place = sizes.iter().zip(places).fold(0, |key, (size, place)| key * *size + place as usize);
        place * kept + value as usize
    };
    let item = |(key, rows): (usize, u64)| {
        let mut rest = key / kept;
        let mut places = [0; ATTRIBUTES];
        for (place, size) in places.iter_mut().zip(sizes).rev() {
            *place = (rest % size) as u32;
            rest /= size;
        }
        Count { places, kept: (key % kept) as u32, rows }
    };
    let most = sizes.iter().fold(kept, |most, size| most.saturating_mul(*size));
    if most <= LARGEST_ARRAY {
        let mut rows = vec![0; most];
        items.for_each(|(places, value, more)| rows[key(places, value)] += more);
        return (0..).zip(rows).filter(|(_, rows)| *rows > 0).map(item).collect();
    }
    // So many combinations have few rows each, and finding the equal combinations takes longer than counting them apart.
    items.map(|(places, kept, rows)| Count { places, kept, rows }).collect()
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
            let together = numbers.chunks(TOGETHER).flat_map(|numbers| {
                let asked: Vec<&Query> = numbers.iter().map(|number| &queries[*number]).collect();
                numbers.iter().copied().zip(counts.errors(&asked))
            });
            together.collect()
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
    /// What the released places mean, column by column.
    shown: Vec<Vec<Open>>,
    /// How many values the kept column has.
    kept: usize,
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
        let open = |column: &usize| {
            let values = shown[*column].values.iter().chain([&Value::Star]);
            values.map(|value| Open::new(&problem.quasi[*column], *value)).collect()
        };
        let shown = columns.iter().map(open).collect();
        Self { problem, original, released, shown, kept: values }
    }

    /// Of each of at most [`TOGETHER`] questions |true count - expected count| over the true count, or over the bound if that is
    /// more.
    fn errors(&self, queries: &[&Query]) -> Vec<f64> {
        let columns = 0..self.shown.len();
        // For each code, value or kept value which of the questions ask for it, or for a part of it.
        let bits = |asks: &dyn Fn(&Query) -> bool| {
            (0..).zip(queries).fold(0_u64, |bits, (place, query)| bits | u64::from(asks(query)) << place)
        };
        let one = |code: usize| Open::Codes(code, code, 1.0);
        let runs = Runs::new(queries.iter().map(|query| &query.kept));
        let of_kept = |value: usize| match queries.first().map(|query| &query.kept) {
            Some(Wanted::Codes(_)) => bits(&|query| share(&query.kept, &one(value)) > 0.0),
            _ => runs.meeting(value as f64, value as f64),
        };
        let kept: Vec<u64> = (0..self.kept).map(of_kept).collect();
        let runs: Vec<Runs> = columns
            .clone()
            .map(|column| Runs::new(queries.iter().map(|query| &query.wanted[column])))
            .collect();
        let asked: Vec<Vec<u64>> = columns
            .clone()
            .map(|column| {
                let Some(first) = queries.first() else { return Vec::new() };
                let quasi = &self.problem.quasi[first.columns[column]];
                let of_code = |code: u32| match &first.wanted[column] {
                    Wanted::Run(..) => {
                        place(quasi, code).map_or(0, |place| runs[column].meeting(place, place))
                    }
                    Wanted::Codes(_) => {
                        bits(&|query| share(&query.wanted[column], &one(code as usize)) > 0.0)
                    }
                };
                (0..quasi.size()).map(of_code).collect()
            })
            .collect();
        let mut truth = [0_u64; TOGETHER];
        for count in &self.original {
            let mut left = kept[count.kept as usize];
            asked.iter().zip(count.places).for_each(|(asked, place)| left &= asked[place as usize]);
            while left != 0 {
                truth[left.trailing_zeros() as usize] += count.rows;
                left &= left - 1;
            }
        }
        let met: Vec<Vec<u64>> = columns
            .map(|column| {
                let of_value = |open: &Open| match open {
                    Open::Run(low, high, _) => runs[column].meeting(*low, *high),
                    Open::Place(place) => runs[column].meeting(*place, *place),
                    Open::Nothing => 0,
                    _ => bits(&|query| share(&query.wanted[column], open) > 0.0),
                };
                self.shown[column].iter().map(of_value).collect()
            })
            .collect();
        let mut expected = [0.0; TOGETHER];
        for count in &self.released {
            let mut left = kept[count.kept as usize];
            met.iter().zip(count.places).for_each(|(met, place)| left &= met[place as usize]);
            while left != 0 {
                let query = left.trailing_zeros() as usize;
                let shares = queries[query].wanted.iter().zip(&self.shown).zip(count.places);
                let shares = shares.map(|((wanted, shown), place)| share(wanted, &shown[place as usize]));
                expected[query] += count.rows as f64 * shares.product::<f64>();
                left &= left - 1;
            }
        }
        let error = |(truth, expected): (&u64, &f64)| {
            (*truth as f64 - expected).abs() / (*truth as f64).max(bound(self.problem))
        };
        truth.iter().zip(&expected).take(queries.len()).map(error).collect()
    }
}
