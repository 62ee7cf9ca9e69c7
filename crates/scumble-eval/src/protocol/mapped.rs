//! Turns released labels into features, and recodes test rows as the training part was recoded.

use std::collections::BTreeMap;

use scumble::release::new_rows::{CodeFinder, NewRows};
use scumble::release::{Trial, TrialOutcome};
use scumble::table::label::STAR;
use scumble::table::quasi::{Quasi, Shape, Value};
use scumble::{Error, Result};
use scumble_files::table::CodedTable;
use scumble_learn::Column;

use super::Numbers;
use super::encode::{Cell, nominal, number, numeric};

/// The quasi-identifiers of the training part and of the test rows, and the number of test cells that no label covers.
pub(super) struct Mapped {
    pub(super) train: Vec<Column>,
    pub(super) test: Vec<Column>,
    pub(super) unmapped: u64,
}

/// Makes features of a release. `kept` are the training rows that it contains.
pub(super) fn mapped(trial: &Trial, kept: &[u32], test: &CodedTable, numbers: Numbers) -> Result<Mapped> {
    let TrialOutcome::Classes { classes, step, class_of_row } = &trial.outcome else {
        return Err(Error::refused(
            "records that overlap have no rule that new rows could be recoded by; score original rows (test = \"original\")",
        ));
    };
    let quasi = &trial.problem.quasi;
    let rule = NewRows::new(&trial.problem, classes, step.as_ref());
    let found: Vec<Vec<Option<u32>>> =
        quasi.iter().map(|quasi| codes_of(quasi, trial, test)).collect::<Result<_>>()?;
    let control = trial.problem.progress.control();
    let mut pace = control.pace();
    let shown_test: Vec<Vec<Option<Value>>> = (0..test.rows)
        .map(|row| {
            // A rule may have to search many regions for a row.
            pace.tick(64)?;
            Ok(rule.shown(&found.iter().map(|codes| codes[row]).collect::<Vec<_>>()))
        })
        .collect::<Result<_>>()?;
    let mut all = Mapped { train: Vec::new(), test: Vec::new(), unmapped: 0 };
    for (place, quasi) in quasi.iter().enumerate() {
        control.check()?;
        let of_class = |class: u32| classes.shown(class as usize, place);
        let train: Vec<Option<Value>> =
            kept.iter().map(|row| class_of_row[*row as usize].map(of_class)).collect();
        let test_values = shown_test.iter().map(|row| row[place]);
        let texts =
            test.column(&quasi.name).ok_or_else(|| Error::internal("a quasi-identifier was not read"))?;
        let own = |row: usize| number(&quasi.measure, texts.values.get(texts.codes.get(row)));
        let coding = Coding::of(quasi, &train.iter().flatten().copied(), numbers);
        let train_cells = train.iter().map(|value| coding.cell(quasi, *value, None));
        all.train.push(coding.column(&quasi.name, train_cells));
        let cells: Vec<Cell> = test_values
            .enumerate()
            .map(|(row, value)| coding.cell(quasi, value, Some(&|| own(row))))
            .collect();
        let covered = |(cell, row): &(&Cell, &Vec<Option<Value>>)| {
            **cell != Cell::Missing || row[place].is_some_and(|value| quasi.label(value) == STAR)
        };
        all.unmapped += cells.iter().zip(&shown_test).filter(|pair| !covered(pair)).count() as u64;
        all.test.push(coding.column(&quasi.name, cells.into_iter()));
    }
    Ok(all)
}

/// Returns the code of each test row in a column.
pub(super) fn codes_of(quasi: &Quasi, trial: &Trial, test: &CodedTable) -> Result<Vec<Option<u32>>> {
    let column =
        test.column(&quasi.name).ok_or_else(|| Error::internal("a quasi-identifier was not read"))?;
    let markers = trial.missing.iter().find(|(name, _)| *name == quasi.name);
    let finder = CodeFinder::new(quasi, markers.map_or(&[], |(_, markers)| &markers[..]));
    let of_text: Vec<Option<u32>> = column.values.iter().map(|text| finder.find(text)).collect();
    Ok(column.codes.iter().map(|code| of_text[code as usize]).collect())
}

/// How the released values of a column become features.
pub(super) enum Coding {
    /// As nominal values, by their labels.
    Labels(BTreeMap<Value, u32>),
    /// As the number in the middle of what they cover.
    Middles,
}

impl Coding {
    /// Chooses the coding by the values that training rows show.
    pub(super) fn of(quasi: &Quasi, shown: &(impl Iterator<Item = Value> + Clone), numbers: Numbers) -> Self {
        let telling = || shown.clone().filter(|value| quasi.label(*value) != STAR);
        let exact = |value: Value| matches!(value, Value::Mean { .. }) || is_exact(quasi, value);
        let is_number = |value: Value| middle(quasi, value).is_some();
        if quasi.measure.kind.is_ordered()
            && telling().all(is_number)
            && (numbers == Numbers::Midpoint || telling().all(exact))
        {
            return Self::Middles;
        }
        // Different values may have the same label, and a machine-learning model sees labels.
        let mut by_label: BTreeMap<String, u32> = BTreeMap::new();
        let mut codes = BTreeMap::new();
        let mut distinct: Vec<Value> = telling().collect();
        distinct.sort_unstable();
        distinct.dedup();
        for value in distinct {
            let next = by_label.len() as u32;
            codes.insert(value, *by_label.entry(quasi.label(value)).or_insert(next));
        }
        Self::Labels(codes)
    }

    /// Returns a value as a cell. `own` is the number of a test row, which an exact value stands for.
    pub(super) fn cell(
        &self,
        quasi: &Quasi,
        value: Option<Value>,
        own: Option<&dyn Fn() -> Option<f64>>,
    ) -> Cell {
        let Some(value) = value else { return Cell::Missing };
        match self {
            Self::Labels(codes) => codes.get(&value).map_or(Cell::Missing, |code| Cell::Code(*code)),
            Self::Middles if quasi.label(value) == STAR => Cell::Missing,
            Self::Middles => {
                let own = own.filter(|_| is_exact(quasi, value)).and_then(|own| own());
                own.or_else(|| middle(quasi, value)).map_or(Cell::Missing, Cell::Number)
            }
        }
    }

    pub(super) fn column(&self, name: &str, cells: impl Iterator<Item = Cell>) -> Column {
        match self {
            Self::Labels(codes) => {
                let values = codes.values().max().map_or(0, |most| *most as usize + 1);
                nominal(name, cells, values)
            }
            Self::Middles => numeric(name, cells),
        }
    }
}

/// Whether a value stands for only one number.
pub(super) fn is_exact(quasi: &Quasi, value: Value) -> bool {
    let (low, high) = quasi.codes(value);
    match (value, &quasi.shape) {
        (Value::Star | Value::Mean { .. }, _) => false,
        (_, Shape::Line(line)) if low == high && Some(low) != line.missing() => {
            let (from, to) = quasi.bounds(line, low, high);
            from == to
        }
        _ => low == high,
    }
}

/// Returns the number in the middle of what a value covers; `None` if there is no such number.
fn middle(quasi: &Quasi, value: Value) -> Option<f64> {
    let measure = &quasi.measure;
    let (low, high) = quasi.codes(value);
    match (value, &quasi.shape) {
        (Value::Star, _) => None,
        (Value::Mean { mean, .. }, _) => {
            Some(measure.float(i128::from(mean)) / 10_f64.powi(scumble::table::quasi::MEAN_PLACES as i32))
        }
        (_, Shape::Line(line)) if Some(high) == line.missing() => None,
        (_, Shape::Line(line)) => {
            let (from, to) = quasi.bounds(line, low, high);
            Some(f64::midpoint(measure.float(from), measure.float(to)))
        }
        (_, Shape::Tree(tree)) => {
            let leaves = (low..=high).filter_map(|code| number(measure, tree.leaf_label(code)));
            let (least, most) = leaves.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
                (least.min(number), most.max(number))
            });
            (least <= most).then(|| f64::midpoint(least, most))
        }
        (_, Shape::Set(_)) => None,
    }
}
