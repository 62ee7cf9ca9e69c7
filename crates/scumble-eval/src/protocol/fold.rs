//! One split: what machine-learning models learn from, and how well they do.

use std::collections::BTreeMap;
use std::time::Instant;

use scumble::config::{Plan, Role};
use scumble::error::Setting;
use scumble::metrics::Metric;
use scumble::problem::Progress;
use scumble::registry::{Entry, Method, method};
use scumble::release::prepare::{SpeltTable, select};
use scumble::release::{Trial, TrialOutcome, try_release};
use scumble::{Error, ErrorKind, Result};
use scumble_files::Control;
use scumble_files::table::CodedTable;
use scumble_learn::{Features, Learner, Table};

use super::encode::Encoder;
use super::mapped::mapped;
use super::projections::projections;
use super::sample::{Draw, draw};
use super::{Dataset, Numbers, Split, TestRows};

/// How releases are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// Which rows are scored.
    pub test: TestRows,
    /// The number of concrete tables drawn from each release, if original rows are scored.
    pub samples: u64,
    /// How machine-learning models read a range of numbers, if mapped rows are scored.
    pub numbers: Numbers,
    /// The random seed.
    pub seed: u64,
}

/// The rows of one split.
pub struct Fold<'a> {
    /// The table that the rows are from.
    pub data: &'a Dataset,
    /// The rows to learn from.
    pub train: SpeltTable,
    /// The rows to score.
    pub test: CodedTable,
    /// The number of the split among all splits, for random seeds.
    pub number: u64,
}

/// A metric of the registry.
pub type MetricEntry = &'static Entry<&'static dyn Metric>;

/// What machine-learning models receive, tables to learn from and to score on, and what is known about the release.
#[derive(Debug, Default)]
pub struct Material {
    /// The tables to learn from; `together` says how they are combined.
    pub train: Vec<Table>,
    /// The tables to score on: one for all, or one for each table to learn from.
    pub test: Vec<Table>,
    /// How several tables are combined.
    pub together: Together,
    /// The mean loss of the release; 0 for original rows.
    pub loss: f64,
    /// The share of training rows that are suppressed.
    pub suppressed: f64,
    /// The share of test cells whose value no released label covers.
    pub unmapped: f64,
    /// The values of metrics for the release, by name, if they are defined for it.
    pub measures: BTreeMap<String, f64>,
    /// How long the release took, in seconds.
    pub seconds: f64,
}

/// How several tables are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Together {
    /// Each is the whole release, drawn again: accuracies are averaged.
    #[default]
    Drawn,
    /// Each has some of the columns: the classifiers vote on every row, and in a tie the lowest class wins.
    Columns,
}

/// How well a machine-learning model does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learnt {
    /// The share of test rows whose class the machine-learning model gets right, averaged over drawn tables.
    pub accuracy: f64,
    /// How long learning and scoring took, in seconds.
    pub seconds: f64,
}

impl<'a> Fold<'a> {
    /// Takes the rows of a split from a data set's own rows.
    #[must_use]
    pub fn of_split(data: &'a Dataset, split: &Split, number: u64) -> Self {
        let (train, test) = (data.table.select(&split.train), select::rows(&data.table, &split.test));
        Self { data, train, test, number }
    }

    /// Takes all rows to learn from, and the rows of the test table to score; `None` without a test table.
    #[must_use]
    pub fn given(data: &'a Dataset) -> Option<Self> {
        let test = data.test.clone()?;
        Some(Self { data, train: data.table.clone(), test, number: 0 })
    }

    /// Releases the rows to learn from, with the progress and control of this run.
    fn release(&self, plan: &Plan, progress: &Progress) -> Result<Trial> {
        let resources = self.data.resources.clone().watched_by(progress.control());
        try_release(plan, &self.train, &resources, progress.clone())
    }

    pub(super) fn scored(&self, columns: Vec<scumble_learn::Column>) -> Result<Table> {
        let class = self.data.classes_of(&self.test)?;
        table(columns, class, self.data.labels.len())
    }
}

/// Returns the original rows of a split, for the accuracy without anonymisation.
pub fn baseline(fold: &Fold<'_>) -> Result<Material> {
    let names: Vec<String> = features(fold, &[Role::Quasi]).chain(kept(fold)).collect();
    let encoder = Encoder::fit(&fold.train, &names, &fold.data.plan)?;
    let class = fold.data.classes_of(&fold.train)?;
    let train = table(encoder.columns(&fold.train)?, class, fold.data.labels.len())?;
    let test = fold.scored(encoder.columns(&fold.test)?)?;
    Ok(Material { train: vec![train], test: vec![test], ..Material::default() })
}

/// Measures the release of a split's training part by a plan; the result has nothing to learn from.
pub fn measured(
    fold: &Fold<'_>,
    plan: &Plan,
    metrics: &[MetricEntry],
    progress: &Progress,
) -> Result<Material> {
    let trial = fold.release(plan, progress)?;
    Ok(about(&trial, fold, metrics))
}

/// Returns the figures of a release.
fn about(trial: &Trial, fold: &Fold<'_>, metrics: &[MetricEntry]) -> Material {
    let figure = |entry: &MetricEntry| Some((entry.name.to_owned(), trial.measure(entry.build)?));
    Material {
        loss: trial.loss,
        suppressed: trial.suppressed as f64 / fold.train.rows.max(1) as f64,
        measures: metrics.iter().filter_map(figure).collect(),
        seconds: trial.seconds,
        ..Material::default()
    }
}

/// Releases the training part of a split by a plan, to learn from.
pub fn released(
    fold: &Fold<'_>,
    plan: &Plan,
    protocol: Protocol,
    metrics: &[MetricEntry],
    progress: &Progress,
) -> Result<Material> {
    let trial = match fold.release(plan, progress) {
        Err(error)
            if error.kind() == ErrorKind::Infeasible
                && matches!(method(&plan.algorithm.name), Ok(Method::Tables(_))) =>
        {
            return class_only(fold);
        }
        trial => trial?,
    };
    match trial.outcome {
        TrialOutcome::Projections { .. } => return projections(fold, &trial, protocol.numbers),
        TrialOutcome::Groups => {
            return Err(Error::refused(format!(
                "'{}' publishes no table with the class and the columns that it is to be predicted from",
                plan.algorithm.name
            )));
        }
        TrialOutcome::Classes { .. } | TrialOutcome::Records { .. } => {}
    }
    let rows = in_release(&trial);
    if rows.is_empty() {
        return Err(Error::infeasible("every row was suppressed, so there is nothing to learn from"));
    }
    let whole = select::rows(&fold.train, &rows);
    let exact: Vec<String> = kept(fold).collect();
    if let (TrialOutcome::Records { column: Some(_), .. }, Some(name)) = (&trial.outcome, exact.first()) {
        return Err(Error::refused(format!(
            "column '{name}' is published as it is, and would link the tables that are drawn from one release"
        ))
        .set(Setting::role("drop").of(&[name]), "leave the column out")
        .advise("evaluate other algorithms"));
    }
    let others = Encoder::fit(&fold.train, &exact, &fold.data.plan)?;
    let class = fold.data.classes_of(&whole)?;
    let labels = fold.data.labels.len();
    let exact_train = others.columns(&whole)?;
    let exact_test = others.columns(&fold.test)?;
    let joined = |columns: Vec<scumble_learn::Column>, more: &[scumble_learn::Column]| {
        columns.into_iter().chain(more.iter().cloned()).collect()
    };
    let (train, test, unmapped) = match protocol.test {
        TestRows::Mapped => {
            let found = mapped(&trial, &rows, &fold.test, protocol.numbers)?;
            let train = vec![table(joined(found.train, &exact_train), class, labels)?];
            (train, joined(found.test, &exact_test), found.unmapped)
        }
        TestRows::Original => {
            let quasi: Vec<String> = trial.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect();
            let encoder = Encoder::fit(&fold.train, &quasi, &fold.data.plan)?;
            let mut tables = Vec::new();
            for number in 0..protocol.samples.max(1) {
                let by = Draw { seed: protocol.seed, split: fold.number, table: number };
                let drawn = draw(&trial, &rows, fold.data, &encoder, by)?;
                let class = drawn.class.unwrap_or_else(|| class.clone());
                tables.push(table(joined(drawn.columns, &exact_train), class, labels)?);
            }
            (tables, joined(encoder.columns(&fold.test)?, &exact_test), 0)
        }
    };
    let cells = (fold.test.rows * trial.problem.quasi.len()).max(1);
    Ok(Material {
        train,
        test: vec![fold.scored(test)?],
        unmapped: unmapped as f64 / cells as f64,
        ..about(&trial, fold, metrics)
    })
}

/// Returns what to learn from if no table could hold a column: how often each class occurs.
fn class_only(fold: &Fold<'_>) -> Result<Material> {
    let class = fold.data.classes_of(&fold.train)?;
    Ok(Material {
        train: vec![table(Vec::new(), class, fold.data.labels.len())?],
        test: vec![fold.scored(Vec::new())?],
        together: Together::Columns,
        loss: 1.0,
        ..Material::default()
    })
}

impl Material {
    /// Learns from every table and scores.
    pub fn learn(&self, learner: &dyn Learner, seed: u64, control: &Control) -> Result<Learnt> {
        let clock = Instant::now();
        let goes_on = || !control.is_cancelled();
        let mut sum = 0.0;
        let mut votes: Vec<Vec<u32>> = Vec::new();
        for (place, train) in self.train.iter().enumerate() {
            let classifier = learner.train_while(train, seed, &goes_on).map_err(learning)?;
            let test = self.test.get(place).or(self.test.first());
            let test = test.ok_or_else(|| Error::internal("there is nothing to score on"))?;
            match self.together {
                Together::Drawn => sum += classifier.accuracy_while(test, &goes_on).map_err(learning)?,
                Together::Columns => {
                    votes.push(classifier.predict_while(test.features(), &goes_on).map_err(learning)?);
                }
            }
        }
        let accuracy = match (self.together, self.test.first()) {
            (Together::Columns, Some(test)) => share_right(&votes, test.class()),
            _ => sum / self.train.len().max(1) as f64,
        };
        Ok(Learnt { accuracy, seconds: clock.elapsed().as_secs_f64() })
    }
}

/// Returns the share of rows whose class gets most votes, in a tie the lowest class.
fn share_right(votes: &[Vec<u32>], classes: &[u32]) -> f64 {
    let right = |(row, class): &(usize, &u32)| {
        let mut named: Vec<u32> = votes.iter().map(|of| of[*row]).collect();
        named.sort_unstable();
        let most = named.chunk_by(|a, b| a == b).max_by_key(|of| (of.len(), std::cmp::Reverse(of[0])));
        most.is_some_and(|of| of[0] == **class)
    };
    classes.iter().enumerate().filter(right).count() as f64 / classes.len().max(1) as f64
}

/// Turns an error of a machine-learning model into one of the kind that says who must act.
pub(crate) fn learning(error: scumble_learn::Error) -> Error {
    match error {
        scumble_learn::Error::Config(message) => Error::config(message),
        scumble_learn::Error::Data(message) => Error::data(message),
        scumble_learn::Error::Stopped => Error::interrupted(),
    }
}

pub(crate) fn table(columns: Vec<scumble_learn::Column>, class: Vec<u32>, labels: usize) -> Result<Table> {
    let rows = class.len();
    let features = Features::new(columns, rows).map_err(learning)?;
    Table::new(features, class, labels).map_err(learning)
}

/// Returns the training rows that are in the release, in their order.
fn in_release(trial: &Trial) -> Vec<u32> {
    let mut rows = trial.table().map_or_else(Vec::new, |table| table.about.clone());
    rows.sort_unstable();
    rows
}

/// Returns the columns with one of these roles, without the class column, in the order of the plan.
fn features<'f>(fold: &'f Fold<'_>, roles: &'f [Role]) -> impl Iterator<Item = String> + 'f {
    let data = fold.data;
    let wanted = |column: &scumble::config::Column| roles.iter().any(|role| column.role.has(*role));
    let columns =
        data.plan.columns.iter().filter(move |(name, column)| *name != data.class && wanted(column));
    columns.map(|(name, _)| name.clone())
}

/// Returns the columns that are published unchanged.
fn kept<'f>(fold: &'f Fold<'_>) -> impl Iterator<Item = String> + 'f {
    features(fold, &[Role::Sensitive, Role::Other])
        .filter(|name| !fold.data.plan.column(name).is_some_and(|column| column.role.has(Role::Quasi)))
}
