//! Runs the parts of a plan that are not done yet.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::table::hierarchy::Builder;
use scumble::{Error, ErrorKind, Result};
use scumble_files::table::CodedTable;
use scumble_files::{Control, ReadOptions, read_table};

use super::cell::{Cell, Setting, fingerprint};
use super::input::EvaluationTable;
use super::journal::{Entry, Journal};
use super::plan::{EvaluationPlan, SplitKind};
use super::results::Results;
use crate::abreast::abreast;
use crate::protocol::{
    Dataset, Fold, Material, MetricEntry, Part, Split, baseline, five_by_two, measured, refuse_parts,
    released, stratified_folds,
};

/// A plan with its tables, divided into cells.
pub struct Experiment {
    /// The plan.
    pub plan: EvaluationPlan,
    /// The tables, in the order of the plan.
    pub data: Vec<Dataset>,
    splits: Vec<Vec<(Part, Split)>>,
    cells: Vec<Cell>,
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Cells done in this run.
    pub done: usize,
    /// Cells that this run had to do.
    pub all: usize,
}

impl Experiment {
    /// Reads the tables of a plan. The plan's file names are relative to `folder`.
    pub fn read(plan: EvaluationPlan, folder: &Path, control: &Control) -> Result<Self> {
        let tables = plan.data.iter().map(|choice| EvaluationTable::in_folder(choice, folder));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        Self::of_tables(plan, &tables, control)
    }

    /// Takes tables from files or memory in place of those that the plan names.
    pub fn of(mut plan: EvaluationPlan, tables: &[EvaluationTable], control: &Control) -> Result<Self> {
        plan.data = tables.iter().map(EvaluationTable::choice).collect();
        plan.check()?;
        Self::of_tables(plan, tables, control)
    }

    fn of_tables(plan: EvaluationPlan, tables: &[EvaluationTable], control: &Control) -> Result<Self> {
        control.run(|| {
            let read = |table: &EvaluationTable| {
                let resources = table.resources.for_a_run().watched_by(control);
                let test = table.test.as_ref().map(|(name, there)| (name.as_str(), there));
                Dataset::read(&table.name, &table.plan, &resources, test)
            };
            let data = tables.iter().map(read).collect::<Result<Vec<_>>>()?;
            let splits = data.iter().map(|data| splits(&plan, data)).collect::<Result<Vec<_>>>()?;
            let mut experiment = Self { plan, data, splits, cells: Vec::new() };
            experiment.cells = experiment.divide()?;
            control.check()?;
            Ok(experiment)
        })
    }

    /// Returns all cells, those on original rows first.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the accuracy of guessing the majority class of the training part, averaged over the splits of a table.
    #[must_use]
    pub fn majority(&self, data: usize) -> f64 {
        let Some(dataset) = self.data.get(data) else { return 0.0 };
        let classes = |table: &CodedTable| dataset.classes_of(table).unwrap_or_default();
        let own = classes(&dataset.table);
        let of_rows = |rows: &[u32]| rows.iter().map(|row| own[*row as usize]).collect::<Vec<_>>();
        let parts: Vec<(Vec<u32>, Vec<u32>)> = match &dataset.test {
            Some(test) => vec![(own.clone(), classes(test))],
            None => {
                let splits = self.splits[data].iter();
                splits.map(|(_, split)| (of_rows(&split.train), of_rows(&split.test))).collect()
            }
        };
        let right = |(train, test): &(Vec<u32>, Vec<u32>)| {
            let rows = |class: u32| train.iter().filter(|of| **of == class).count();
            let most = (0..dataset.labels.len() as u32)
                .max_by_key(|class| (rows(*class), std::cmp::Reverse(*class)));
            test.iter().filter(|class| Some(**class) == most).count() as f64 / test.len().max(1) as f64
        };
        parts.iter().map(right).sum::<f64>() / parts.len().max(1) as f64
    }

    fn divide(&self) -> Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for (place, data) in self.data.iter().enumerate() {
            let print = print_of(data)?;
            if data.test.is_none() && self.plan.protocol.split != SplitKind::Whole {
                refuse_parts(&data.plan)?;
            }
            // Original rows are only needed for learning.
            let original = (!self.plan.learner.is_empty()).then_some(Setting::Original);
            let mut settings: Vec<Setting> = original.into_iter().collect();
            for values in self.plan.combinations(&self.plan.data[place]) {
                settings.extend(
                    (0..self.plan.algorithm.len())
                        .map(|algorithm| Setting::Released { algorithm, values: values.clone() }),
                );
            }
            for setting in settings {
                let release = self.release_plan(place, &setting)?;
                for (number, (part, _)) in self.splits[place].iter().enumerate() {
                    let keys = self.keys(&print, release.as_ref(), number)?;
                    cells.push(Cell {
                        data: place,
                        setting: setting.clone(),
                        split: number,
                        part: *part,
                        keys,
                    });
                }
            }
        }
        Ok(cells)
    }

    fn release_plan(&self, data: usize, setting: &Setting) -> Result<Option<Plan>> {
        let Setting::Released { algorithm, values } = setting else { return Ok(None) };
        let choice = &self.plan.algorithm[*algorithm];
        self.plan.release_plan(&self.data[data].plan, choice, values).map(Some)
    }

    /// Returns the keys of a cell's results: fingerprints of everything that they depend on.
    fn keys(&self, data: &str, release: Option<&Plan>, split: usize) -> Result<Vec<String>> {
        // Of the release plan only its requirements and algorithm count: the table and its columns are in the fingerprint of the data.
        let asked = release.map(|plan| (&plan.algorithm, &plan.privacy, &plan.quasi_sets, &plan.table));
        let seed = self.plan.seed;
        let metrics: Vec<&str> = self.metrics()?.iter().map(|entry| entry.name).collect();
        let key = |learner| {
            let protocol = &self.plan.protocol;
            let all = (env!("CARGO_PKG_VERSION"), data, asked, protocol, seed, split, learner);
            // Without metrics a key is the same as before metrics existed.
            let text = if metrics.is_empty() {
                serde_json::to_vec(&all)
            } else {
                serde_json::to_vec(&(all, &metrics))
            };
            text.map(|text| fingerprint(&text)).map_err(Error::internal)
        };
        if self.plan.learner.is_empty() {
            return Ok(vec![key(None)?]);
        }
        self.plan.learner.iter().map(|learner| key(Some((&learner.name, &learner.settings)))).collect()
    }

    /// Returns the metrics of the plan.
    fn metrics(&self) -> Result<Vec<MetricEntry>> {
        self.plan.measure.iter().map(|choice| choice.entry()).collect()
    }

    /// Runs the cells that the journal lacks, several at a time, and reports progress.
    pub fn run(
        &self,
        journal: Journal,
        progress: &Progress,
        tell: &(dyn Fn(Told) + Sync),
    ) -> Result<Results> {
        let left: Vec<&Cell> =
            self.cells.iter().filter(|cell| cell.keys.iter().any(|key| journal.get(key).is_none())).collect();
        let shared = Mutex::new((journal, 0));
        tell(Told { done: 0, all: left.len() });
        abreast(&left, progress.control(), |cell| {
            progress.check()?;
            let missing: Vec<usize> = {
                let state = shared.lock().map_err(|_| Error::internal("another cell failed"))?;
                (0..cell.keys.len()).filter(|place| state.0.get(&cell.keys[*place]).is_none()).collect()
            };
            let entries = self.cell(cell, &missing, progress)?;
            let mut state = shared.lock().map_err(|_| Error::internal("another cell failed"))?;
            state.0.add(entries)?;
            state.1 += 1;
            tell(Told { done: state.1, all: left.len() });
            Ok::<(), Error>(())
        })?;
        let (journal, _) = shared.into_inner().map_err(|_| Error::internal("a cell failed"))?;
        self.collect(&journal)
    }

    /// Returns the journal's results for this plan's cells, in their order.
    fn collect(&self, journal: &Journal) -> Result<Results> {
        let mut entries = Vec::new();
        for cell in &self.cells {
            for (place, key) in cell.keys.iter().enumerate() {
                let found = journal.get(key).ok_or_else(|| Error::internal("a cell has no result"))?;
                // Results do not depend on the names on the page, so the plan's current names are used.
                entries.push(self.named(found.clone(), cell, place));
            }
        }
        let unused = journal.len().saturating_sub(entries.len());
        Ok(Results { entries, unused })
    }

    fn named(&self, entry: Entry, cell: &Cell, learner: usize) -> Entry {
        let (algorithm, values) = match &cell.setting {
            Setting::Original => (None, Vec::new()),
            Setting::Released { algorithm, values } => {
                (Some(self.plan.algorithm[*algorithm].title().to_owned()), values.clone())
            }
        };
        Entry {
            data: self.data[cell.data].name.clone(),
            algorithm,
            values: values.into_iter().map(|(name, value)| (name, value.to_text().into_owned())).collect(),
            learner: self
                .plan
                .learner
                .get(learner)
                .map(|choice| choice.title().to_owned())
                .unwrap_or_default(),
            ..entry
        }
    }

    fn cell(&self, cell: &Cell, learners: &[usize], progress: &Progress) -> Result<Vec<Entry>> {
        let data = &self.data[cell.data];
        let split = &self.splits[cell.data][cell.split].1;
        let fold = Fold::given(data).unwrap_or_else(|| Fold::of_split(data, split, cell.split as u64));
        let metrics = self.metrics()?;
        let material = match self.release_plan(cell.data, &cell.setting)? {
            None => baseline(&fold),
            Some(plan) if self.plan.learner.is_empty() => measured(&fold, &plan, &metrics, progress),
            Some(plan) => released(&fold, &plan, self.plan.protocol(), &metrics, progress),
        };
        let rows = (fold.train.rows as u64, fold.test.rows as u64);
        let material = recordable(material)?;
        learners.iter().map(|learner| self.entry(cell, *learner, rows, material.as_ref(), progress)).collect()
    }

    fn entry(
        &self,
        cell: &Cell,
        learner: usize,
        rows: (u64, u64),
        material: std::result::Result<&Material, &String>,
        progress: &Progress,
    ) -> Result<Entry> {
        let learnt = match (material, self.plan.learner.get(learner)) {
            (Ok(material), Some(choice)) => {
                recordable(material.learn(&*choice.build()?, self.plan.seed, progress.control()))?.map(Some)
            }
            (Ok(_), None) => Ok(None),
            (Err(error), _) => Err(error.clone()),
        };
        let about = material.ok();
        let entry = Entry {
            key: cell.keys[learner].clone(),
            data: String::new(),
            algorithm: None,
            values: std::collections::BTreeMap::new(),
            learner: String::new(),
            part: cell.part,
            rows,
            accuracy: learnt.as_ref().ok().and_then(|learnt| learnt.map(|learnt| learnt.accuracy)),
            loss: about.map_or(0.0, |material| material.loss),
            suppressed: about.map_or(0.0, |material| material.suppressed),
            unmapped: about.map_or(0.0, |material| material.unmapped),
            measures: about.map(|material| material.measures.clone()).unwrap_or_default(),
            release_seconds: about.map_or(0.0, |material| material.seconds),
            learn_seconds: learnt
                .as_ref()
                .ok()
                .and_then(|learnt| learnt.map(|learnt| learnt.seconds))
                .unwrap_or(0.0),
            error: learnt.err(),
        };
        Ok(self.named(entry, cell, learner))
    }
}

/// Turns an error that is itself a result (this algorithm does not support this table) into its message. Other errors stop the run.
fn recordable<T>(result: Result<T>) -> Result<std::result::Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        // An audit that forbids publishing is also such a result: it is a property of that release.
        Err(error) => match error.kind() {
            ErrorKind::Infeasible
            | ErrorKind::OutOfBudget
            | ErrorKind::Refused
            | ErrorKind::Resources
            | ErrorKind::Audit => Ok(Err(error.to_string())),
            _ => Err(error),
        },
    }
}

fn splits(plan: &EvaluationPlan, data: &Dataset) -> Result<Vec<(Part, Split)>> {
    let class = data.classes_of(&data.table)?;
    let part =
        |repetition: usize, fold: usize| Part { repetition: repetition as u32 + 1, fold: fold as u32 + 1 };
    if data.test.is_some() {
        return Ok(vec![(part(0, 0), Split { train: Vec::new(), test: Vec::new() })]);
    }
    let found: Vec<(Part, Split)> = match plan.protocol.split {
        SplitKind::Given => return Err(Error::internal("no test table")),
        SplitKind::Whole => {
            vec![(part(0, 0), Split { train: (0..data.table.rows as u32).collect(), test: Vec::new() })]
        }
        SplitKind::Folds => {
            let folds = stratified_folds(&class, plan.folds(), plan.seed);
            folds.into_iter().enumerate().map(|(fold, split)| (part(0, fold), split)).collect()
        }
        SplitKind::FiveByTwo => {
            let halves = five_by_two(&class, plan.seed).into_iter().enumerate();
            let each = |(repetition, [one, other]): (usize, [Split; 2])| {
                [(part(repetition, 0), one), (part(repetition, 1), other)]
            };
            halves.flat_map(each).collect()
        }
    };
    let empty = |(_, split): &(Part, Split)| split.test.is_empty() || split.train.is_empty();
    if plan.protocol.split != SplitKind::Whole && found.iter().any(empty) {
        return Err(Error::data(format!(
            "'{}' has too few rows for so many folds: some would have no row",
            data.name
        ))
        .advise("use fewer folds"));
    }
    Ok(found)
}

/// Computes a fingerprint of a table, its columns and hierarchies: everything results depend on besides the requirements.
fn print_of(data: &Dataset) -> Result<String> {
    let mut text = serde_json::to_vec(&(&data.class, &data.labels)).map_err(Error::internal)?;
    for (name, column) in &data.plan.columns {
        text.extend(serde_json::to_vec(&(name, column)).map_err(Error::internal)?);
    }
    text.extend(serde_json::to_vec(&data.plan.read).map_err(Error::internal)?);
    for table in std::iter::once(&*data.table).chain(&data.test) {
        table_bytes(table, &mut text);
    }
    let beside = data.resources.folder().unwrap_or(Path::new(""));
    let mut files: Vec<PathBuf> = Vec::new();
    for builder in data.plan.columns.iter().filter_map(|(_, column)| column.hierarchy.as_ref()) {
        if let Builder::File { path, .. } | Builder::ParentChild { path, .. } = builder {
            files.push(beside.join(path));
        }
    }
    if let Some(folder) = &data.plan.hierarchies {
        let entries = std::fs::read_dir(beside.join(folder));
        files.extend(
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_file()),
        );
    }
    for name in data.plan.table.iter().map(|table| &table.file).chain(&data.plan.population) {
        // If a table is missing, the release that needs it reports that.
        match data.resources.source(name) {
            Ok(source) if !source.is_file() || source.address().is_some() => {
                table_bytes(&read_table(&source, &ReadOptions::default())?.coded, &mut text);
            }
            _ => files.push(beside.join(name)),
        }
    }
    text.extend(data.resources.given_hierarchies().into_bytes());
    files.sort();
    for file in files {
        // If a file cannot be read, the release that needs it reports that.
        text.extend(std::fs::read(file).unwrap_or_default());
    }
    Ok(fingerprint(&text))
}

fn table_bytes(table: &CodedTable, text: &mut Vec<u8>) {
    for column in &table.columns {
        text.extend(column.name.as_bytes());
        column.values.iter().for_each(|value| {
            text.extend(value.as_bytes());
            text.push(0);
        });
        column.codes.iter().for_each(|code| text.extend(code.to_le_bytes()));
    }
}
