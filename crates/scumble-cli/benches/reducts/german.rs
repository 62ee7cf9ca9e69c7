//! German credit beside Table 5 of the paper: how well the class is predicted from what the methods publish.
//!
//! Five times two halves, drawn with a seed and of the same shares of classes; each half is anonymised and learnt from (C4.5 with its
//! defaults), and the other half, shown in the same columns and intervals, is predicted. A vote decides between the tables of an
//! ensemble, the product of probabilities between those of DMPD; where nothing can be published, the most frequent class. The paper
//! does not say which columns are quasi-identifiers: once all twenty are, once the ten that neighbours may know.

use std::path::Path;

use scumble::algorithms::tables::{Shown, Tables, TablesProblem, TablesSolution};
use scumble::frequency::FrequencyTable;
use scumble::prepare::Prepared;
use scumble::quasi::{Quasi, Shape};
use scumble::registry::{TABLES_ALGORITHMS, find};
use scumble_learn::c45::C45;
use scumble_learn::{Classifier, Column, Features, Learner, Table};

use super::{Outcome, asked, parameters};

/// The accuracies of Table 5, as repaired in the documentation.
const PAPER: [(u64, [f64; 4]); 7] = [
    (2, [71.67, 72.79, 71.03, 72.69]),
    (5, [69.99, 72.79, 70.40, 72.69]),
    (10, [70.18, 72.53, 70.17, 72.44]),
    (15, [69.68, 71.70, 70.02, 71.44]),
    (20, [69.57, 70.72, 69.83, 72.17]),
    (30, [69.94, 70.38, 69.38, 71.38]),
    (50, [70.52, 71.68, 70.01, 71.05]),
];

/// What is compared.
const METHODS: [(&str, &[(&str, &str)]); 3] = [
    ("reduct", &[]),
    ("reduct_ensemble", &[("m", "30"), ("l", "7")]),
    ("dmpd", &[("population", "30"), ("generations", "30"), ("idle", "10")]),
];

/// What neighbours may know of a person.
const NEIGHBOURS: [&str; 10] = [
    "age",
    "personal_status_sex",
    "job",
    "housing",
    "residence_since",
    "employment_since",
    "people_liable",
    "telephone",
    "foreign_worker",
    "property",
];

/// How the tables of a release are combined.
#[derive(Clone, Copy, PartialEq)]
enum Combine {
    Vote,
    Product,
}

pub(super) fn compare(table: &Path) -> Outcome<()> {
    let prepared = super::counted(table, "class", &[])?.0;
    println!(
        "German credit: accuracy in % ± standard deviation of ten halves; in brackets how many of the ten could publish nothing."
    );
    let few: Vec<bool> =
        prepared.quasi.iter().map(|quasi| NEIGHBOURS.contains(&quasi.name.as_str())).collect();
    for known in [vec![true; few.len()], few] {
        println!("\n{} quasi-identifiers\n", known.iter().filter(|known| **known).count());
        println!("| k | reduct | reduct_ensemble | dmpd | paper: kACTUS | DMPD | H1 | H2 |");
        println!("|---|---|---|---|---|---|---|---|");
        for (k, paper) in PAPER {
            let mut line = format!("| {k} |");
            for method in METHODS {
                let found = (0..5)
                    .flat_map(|round| {
                        [false, true].map(|second| half(&prepared, &known, method, k, round, second))
                    })
                    .collect::<Outcome<Vec<(f64, bool)>>>()?;
                let mean = found.iter().map(|(accuracy, _)| accuracy).sum::<f64>() / 10.0;
                let spread = (found.iter().map(|(a, _)| (a - mean).powi(2)).sum::<f64>() / 9.0).sqrt();
                let nothing = found.iter().filter(|(_, published)| !published).count();
                line += &format!(" {:.2} ± {:.2} [{nothing}] |", 100.0 * mean, 100.0 * spread);
            }
            let paper: Vec<String> = paper.iter().map(|accuracy| format!("{accuracy:.2}")).collect();
            println!("{line} {} |", paper.join(" | "));
        }
    }
    Ok(())
}

/// The accuracy on one half of what is learnt from the other, and whether something was published.
fn half(
    prepared: &Prepared,
    known: &[bool],
    (name, wishes): (&str, &[(&str, &str)]),
    k: u64,
    round: u64,
    second: bool,
) -> Outcome<(f64, bool)> {
    let class = prepared.class.ok_or("no class")?;
    let label = |row: usize| prepared.table.payloads().value(prepared.payload_of_row[row], class);
    let (first, rest) = halves(prepared.payload_of_row.len(), &label, round);
    let (train, test) = if second { (rest, first) } else { (first, rest) };
    let sizes: Vec<u32> = prepared.quasi.iter().map(Quasi::size).collect();
    let code =
        |column: usize, row: usize| prepared.table.column(column).get(prepared.tuple_of_row[row] as usize);
    let payloads: Vec<u32> = train.iter().map(|row| prepared.payload_of_row[*row]).collect();
    let (counted, _) = FrequencyTable::count(
        &sizes,
        train.len(),
        |column, row| code(column, train[row]),
        prepared.table.payloads().clone(),
        &payloads,
        |_| 1,
    );
    let mut problem = asked(counted, prepared.quasi.clone(), prepared.class, k)?;
    problem.seed = round;
    let problem = TablesProblem { problem, known: known.to_vec(), target: class, seed: Some(round) };
    let algorithm = (find("algorithm", name, TABLES_ALGORITHMS)?.build)(&parameters(wishes))?;
    algorithm.check(&problem)?;
    let classes = prepared.table.payloads().columns[class].values.len();
    let of = |rows: &[usize]| -> Vec<u32> { rows.iter().map(|row| label(*row)).collect() };
    let (taught, wanted) = (of(&train), of(&test));
    let combine = if name == "dmpd" { Combine::Product } else { Combine::Vote };
    let (predicted, published) = match algorithm.run(&problem) {
        Ok(solution) => {
            let learnt = Learnt::new(&problem, &solution, &train, &taught, classes, &code)?;
            (learnt.predict(&problem, &solution, &test, &code, combine)?, true)
        }
        Err(scumble::Error::Infeasible(_)) => (vec![majority(&taught, classes); test.len()], false),
        Err(error) => return Err(error.into()),
    };
    let right = predicted.iter().zip(&wanted).filter(|(one, other)| one == other).count();
    Ok((right as f64 / test.len() as f64, published))
}

/// Two halves with the same shares of classes: rows of a class in a random order, dealt in turn.
fn halves(rows: usize, label: &dyn Fn(usize) -> u32, round: u64) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<(u32, u64, usize)> =
        (0..rows).map(|row| (label(row), mixed(row as u64, round), row)).collect();
    order.sort_unstable();
    let place = |half: usize| order.iter().skip(half).step_by(2).map(|(_, _, row)| *row).collect();
    (place(0), place(1))
}

/// SplitMix64: a number that looks random.
fn mixed(row: u64, round: u64) -> u64 {
    let mut state =
        (row + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (round + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ (state >> 31)
}

fn majority(labels: &[u32], classes: usize) -> u32 {
    let count = |class: u32| labels.iter().filter(|label| **label == class).count();
    (0..classes as u32).rev().max_by_key(|class| count(*class)).unwrap_or(0)
}

/// A classifier for each table, and the shares of the classes.
struct Learnt {
    classifiers: Vec<Box<dyn Classifier>>,
    prior: Vec<f64>,
}

impl Learnt {
    fn new(
        problem: &TablesProblem,
        solution: &TablesSolution,
        rows: &[usize],
        labels: &[u32],
        classes: usize,
        code: &dyn Fn(usize, usize) -> u32,
    ) -> Outcome<Self> {
        let mut classifiers = Vec::new();
        for columns in projections(solution)? {
            let features = features(problem, solution, columns, rows, code)?;
            classifiers.push(C45::default().train(&Table::new(features, labels.to_vec(), classes)?, 0)?);
        }
        let share =
            |class: u32| labels.iter().filter(|label| **label == class).count() as f64 / labels.len() as f64;
        Ok(Self { classifiers, prior: (0..classes as u32).map(share).collect() })
    }

    fn predict(
        &self,
        problem: &TablesProblem,
        solution: &TablesSolution,
        rows: &[usize],
        code: &dyn Fn(usize, usize) -> u32,
        combine: Combine,
    ) -> Outcome<Vec<u32>> {
        let doubt = 1.0 / (problem.problem.table.rows() + 1) as f64;
        let nothing: Vec<f64> = match combine {
            Combine::Vote => vec![0.0; self.prior.len()],
            Combine::Product => self.prior.iter().map(|prior| prior.ln()).collect(),
        };
        let mut scores = vec![nothing; rows.len()];
        let mut shares = vec![0.0; self.prior.len()];
        for (columns, classifier) in projections(solution)?.iter().zip(&self.classifiers) {
            let features = features(problem, solution, columns, rows, code)?;
            for (row, scores) in scores.iter_mut().enumerate() {
                match combine {
                    Combine::Vote => scores[classifier.classify(&features, row) as usize] += 1.0,
                    Combine::Product => {
                        classifier.distribution(&features, row, &mut shares);
                        for ((score, share), prior) in scores.iter_mut().zip(&shares).zip(&self.prior) {
                            *score += ((1.0 - doubt) * share + doubt * prior).ln() - prior.ln();
                        }
                    }
                }
            }
        }
        let best = |scores: &Vec<f64>| {
            let greater =
                |best: usize, class: usize| if scores[class] > scores[best] + 1e-12 { class } else { best };
            (0..scores.len()).fold(0, greater) as u32
        };
        Ok(scores.iter().map(best).collect())
    }
}

fn projections(solution: &TablesSolution) -> Outcome<&[Vec<usize>]> {
    match &solution.tables {
        Tables::Projections(projections) => Ok(projections),
        Tables::Groups { .. } => Err("no projections".into()),
    }
}

/// Rows as a release shows them.
fn features(
    problem: &TablesProblem,
    solution: &TablesSolution,
    columns: &[usize],
    rows: &[usize],
    code: &dyn Fn(usize, usize) -> u32,
) -> Outcome<Features> {
    let column = |column: &usize| {
        let quasi = &problem.problem.quasi[*column];
        let codes = rows.iter().map(|row| code(*column, *row));
        match (&solution.shown[*column], &quasi.shape) {
            (Shown::AsItIs, Shape::Line(line)) => {
                let number = |code: u32| line.numbers.get(code as usize).map_or(f64::NAN, |n| *n as f64);
                Column::numeric(&quasi.name, codes.map(number).collect())
            }
            (Shown::AsItIs, _) => Column::nominal(&quasi.name, codes.collect(), quasi.size() as usize),
            (Shown::Coarser(values), _) => {
                let mut distinct = values.clone();
                distinct.sort_unstable();
                distinct.dedup();
                let place = |code: u32| distinct.binary_search(&values[code as usize]).unwrap_or(0) as u32;
                Column::nominal(&quasi.name, codes.map(place).collect(), distinct.len())
            }
        }
    };
    Ok(Features::new(columns.iter().map(column).collect(), rows.len())?)
}
