//! MDAV microaggregation (Domingo-Ferrer, Mateo-Sanz 2002; Domingo-Ferrer, Torra 2005): puts rows of numbers into groups of k
//! to 2k-1 near ones, and shows each row as the means of its group.

use std::collections::BTreeMap;

mod groups;
#[cfg(test)]
mod tests;

use self::groups::{Points, groups};
use super::clustering::finish::{finding, merge_failing, tuples_alone};
use super::clustering::space::Space;
use super::clustering::stock::{Cluster, Part, Stock, Which};
use super::clustering::{check_models, cluster_size};
use super::{Algorithm, Capabilities, Finding, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting, Wish};
use crate::problem::Problem;
use crate::recoding::{Assignment, Members, Recoding, Share, Step};
use crate::table::quasi::{MEAN_PLACES, Quasi, Shape, Value};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "mdav",
    title: "MDAV microaggregation",
    paper: "Domingo-Ferrer, Mateo-Sanz 2002; Domingo-Ferrer, Torra 2005",
    standing: Standing::Classic,
    about: "Puts rows of numbers into groups of k to 2k-1 near ones and shows the means of each group in place of their numbers. \
            Sums and means of the table stay as they are. Numbers only; means are not values of people, and cover none.",
    parameters: &[],
    build,
};

/// The most decimal places of numbers whose means can be written: 128 bits have room for two more.
const MOST_PLACES: u32 = 36;

struct Mdav;

fn build(_: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Mdav))
}

impl Algorithm for Mdav {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            default_suppression: Rational::ZERO,
            shows_means: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        for (column, quasi) in problem.quasi.iter().enumerate() {
            check_column(problem, column, quasi)?;
        }
        check_models(problem, ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = Space::of_loss(&problem.table, &problem.quasi);
        let mut stock = Stock::new(&problem.table, None);
        let k = cluster_size(problem);
        let mut clusters = if k > 1 {
            clusters(problem, &space, &mut stock, k)?
        } else {
            tuples_alone(problem, &space, &mut stock)
        };
        let found = clusters.len();
        let largest = clusters.iter().map(|cluster| cluster.size).max().unwrap_or(0);
        let merged = merge_failing(problem, &space, &mut clusters)?;
        let classes = classes(problem, clusters);
        let findings = vec![
            finding(
                "groups",
                found as f64,
                "the groups that were found; those with the same means are one group",
            ),
            finding("largest_group", largest as f64, "the rows of the largest of them"),
            finding(
                "merged",
                merged as f64,
                "the groups that were merged into others because they failed a model",
            ),
            sse_share(problem, &classes),
        ];
        let share = |class: u32, part: &Part| Share {
            tuple: part.tuple,
            payload: part.payload,
            class,
            rows: part.rows,
        };
        let shares =
            (0..).zip(&classes).flat_map(|(class, of)| of.parts.iter().map(move |part| share(class, part)));
        let regions: Vec<Vec<Value>> = classes.iter().map(|class| class.values.clone()).collect();
        let assignment = Assignment::of_regions(Members::of_shares(shares.collect()), &regions);
        let step = Step::Regions(Box::new(assignment.clone()));
        Ok(Solution { recoding: Recoding { step, shown: None }, assignment, findings })
    }
}

/// The numbers of a column, by code.
fn numbers(quasi: &Quasi) -> &[i128] {
    match &quasi.shape {
        Shape::Line(line) => &line.numbers,
        _ => &[],
    }
}

/// Returns an error if a column's values have no mean.
fn check_column(problem: &Problem, column: usize, quasi: &Quasi) -> Result<()> {
    let refused = |why: &str| {
        Error::refused(format!("'mdav' shows means, and the quasi-identifier '{}' {why}", quasi.name))
    };
    let otherwise = |error: Error| Err(error.another(Wish::WithoutMeans));
    if quasi.has_stretches() {
        return otherwise(
            refused("has values that stand for many numbers, such as >=90, which have no mean")
                .advise("have the step show the limit itself (write = \"limit\")"),
        );
    }
    let Shape::Line(line) = &quasi.shape else {
        return otherwise(refused("is text or has a hierarchy").unset(
            Setting::column("hierarchy").of(&[&quasi.name]),
            "leave the hierarchy out, if the column has numbers",
        ));
    };
    if !quasi.measure.kind.is_number() {
        return otherwise(refused("holds dates"));
    }
    if quasi.tight {
        return otherwise(
            refused("is labelled tight, which is about ranges")
                .unset(Setting::column("label").of(&[&quasi.name]), "leave the label out"),
        );
    }
    let missing = line.missing();
    if problem.table.column(column).iter().any(|code| Some(code) == missing) {
        return otherwise(
            refused("has missing values, which have no mean")
                .set(Setting::read("missing_policy").to("drop-row"), "leave out rows that have no value"),
        );
    }
    let most = i128::from(i64::MAX) / 10_i128.pow(MEAN_PLACES);
    let too_long =
        quasi.measure.scale > MOST_PLACES || line.numbers.iter().any(|number| number.abs() >= most);
    if too_long || !quasi.measure.kind.has_unit() {
        return otherwise(
            refused("has numbers of too many digits to be averaged exactly").advise("round the numbers"),
        );
    }
    Ok(())
}

fn clusters(problem: &Problem, space: &Space<'_>, stock: &mut Stock<'_>, k: u64) -> Result<Vec<Cluster>> {
    let weights: Vec<u64> =
        (0..problem.table.tuples() as u32).map(|tuple| problem.table.weight(tuple)).collect();
    let groups = groups(&Points::of(problem), &weights, k, &problem.progress)?;
    let cluster = |group: groups::Group| {
        let mut cluster = Cluster { parts: Vec::new(), extent: Vec::new(), size: 0 };
        for (tuple, rows) in group {
            if cluster.parts.is_empty() {
                cluster = Cluster::around(space, tuple);
            }
            stock.take(tuple, rows, Which::Any).into_iter().for_each(|part| cluster.add(space, part));
        }
        cluster
    };
    Ok(groups.into_iter().map(cluster).collect())
}

/// Rows that show the same means.
struct Class {
    parts: Vec<Part>,
    values: Vec<Value>,
}

/// The classes that a reader sees: groups whose means look the same in every column are merged. The mean of the merged class
/// looks the same too, since the numbers that round to one number form a gapless range.
fn classes(problem: &Problem, clusters: Vec<Cluster>) -> Vec<Class> {
    let mut by_means: BTreeMap<Vec<i64>, Vec<Part>> = BTreeMap::new();
    for cluster in clusters {
        let means = (0..problem.quasi.len()).map(|column| mean(problem, column, &cluster.parts)).collect();
        by_means.entry(means).or_default().extend(cluster.parts);
    }
    by_means
        .into_iter()
        .map(|(means, parts)| {
            let value = |(column, mean): (usize, i64)| {
                let codes = parts.iter().map(|part| problem.table.column(column).get(part.tuple as usize));
                let (low, high) = (codes.clone().min().unwrap_or(0), codes.max().unwrap_or(0));
                Value::Mean { low, high, mean }
            };
            Class { values: means.into_iter().enumerate().map(value).collect(), parts }
        })
        .collect()
}

/// The mean of some rows in a column as it is shown, rounded half up.
fn mean(problem: &Problem, column: usize, parts: &[Part]) -> i64 {
    let (numbers, codes) = (numbers(&problem.quasi[column]), problem.table.column(column));
    let number = |part: &Part| numbers[codes.get(part.tuple as usize) as usize];
    let rows: i128 = parts.iter().map(|part| i128::from(part.rows)).sum();
    let sum: i128 = parts.iter().map(|part| number(part) * i128::from(part.rows)).sum();
    let twice = 2 * sum * 10_i128.pow(MEAN_PLACES) + rows;
    // A mean is never outside the range of the numbers, and those were checked.
    i64::try_from(twice.div_euclid(2 * rows.max(1))).unwrap_or_default()
}

/// The share of the squared deviations from the means of the table that remains as deviations from the means of the classes,
/// over standardised columns. This is the customary measure of what microaggregation loses.
fn sse_share(problem: &Problem, classes: &[Class]) -> Finding {
    let (mut shares, mut columns) = (0.0, 0.0);
    for (column, quasi) in problem.quasi.iter().enumerate() {
        let numbers = numbers(quasi);
        let codes = problem.table.column(column);
        let least = numbers.first().copied().unwrap_or(0);
        let above = |part: &Part| (numbers[codes.get(part.tuple as usize) as usize] - least) as f64;
        let spread = |parts: &[&Part]| {
            let sum = |value: &dyn Fn(&Part) -> f64| {
                parts.iter().map(|part| value(part) * f64::from(part.rows)).sum::<f64>()
            };
            let mean = sum(&above) / sum(&|_| 1.0);
            sum(&|part| (above(part) - mean).powi(2))
        };
        let all = spread(&classes.iter().flat_map(|class| &class.parts).collect::<Vec<_>>());
        if all > 0.0 {
            let within: f64 =
                classes.iter().map(|class| spread(&class.parts.iter().collect::<Vec<_>>())).sum();
            shares += within / all;
            columns += 1.0;
        }
    }
    finding(
        "sse_share",
        shares / f64::max(columns, 1.0),
        "the squared deviations from the shown means as a share of those from the means of the whole table, by standardised \
         columns",
    )
}
