//! Turns several tables with some of the columns each into features: a classifier learns from each table, and they vote.

use scumble::release::{Trial, TrialOutcome};
use scumble::search::algorithms::tables::Shown;
use scumble::table::quasi::{Quasi, Shape, Value};
use scumble::{Error, Result};
use scumble_learn::Column;

use super::Numbers;
use super::encode::{Cell, number};
use super::fold::{Fold, Material, Together, table};
use super::mapped::{Coding, codes_of};

/// Returns what machine-learning models receive of a release of projections.
pub(super) fn projections(fold: &Fold<'_>, trial: &Trial, numbers: Numbers) -> Result<Material> {
    let TrialOutcome::Projections { tables, shown, tuple_of_row } = &trial.outcome else {
        return Err(Error::internal("not a release of projections"));
    };
    let class = fold.data.classes_of(&fold.train)?;
    let labels = fold.data.labels.len();
    let mut material = Material {
        together: Together::Columns,
        loss: trial.loss,
        seconds: trial.seconds,
        ..Material::default()
    };
    let mut unmapped = 0_usize;
    for columns in tables {
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for place in columns {
            trial.problem.progress.control().check()?;
            let found = feature(fold, trial, *place, &shown[*place], tuple_of_row, numbers)?;
            train.push(found.train);
            test.push(found.test);
            unmapped += found.unmapped;
        }
        material.train.push(table(train, class.clone(), labels)?);
        material.test.push(fold.scored(test)?);
    }
    let cells = fold.test.rows * tables.iter().map(Vec::len).sum::<usize>();
    material.unmapped = unmapped as f64 / cells.max(1) as f64;
    Ok(material)
}

/// A column of the training part and of the test rows.
struct Feature {
    train: Column,
    test: Column,
    unmapped: usize,
}

fn feature(
    fold: &Fold<'_>,
    trial: &Trial,
    place: usize,
    shown: &Shown,
    tuple_of_row: &[u32],
    numbers: Numbers,
) -> Result<Feature> {
    let quasi = &trial.problem.quasi[place];
    let value = |code: u32| match shown {
        Shown::AsItIs => one(quasi, code),
        Shown::Coarser(values) => values[code as usize],
    };
    let codes = trial.problem.table.column(place);
    let train: Vec<Value> = tuple_of_row.iter().map(|tuple| value(codes.get(*tuple as usize))).collect();
    // Numbers that are published unchanged remain numbers.
    let is_numbers = *shown == Shown::AsItIs && matches!(quasi.shape, Shape::Line(_));
    let numbers = if is_numbers { Numbers::Midpoint } else { numbers };
    let coding = Coding::of(quasi, &train.iter().copied(), numbers);
    let own = |code: u32| number(&quasi.measure, quasi.text(code)).map_or(Cell::Missing, Cell::Number);
    let train_cells = tuple_of_row.iter().zip(&train).map(|(tuple, value)| {
        if is_numbers { own(codes.get(*tuple as usize)) } else { coding.cell(quasi, Some(*value), None) }
    });
    let train = coding.column(&quasi.name, train_cells);
    let texts = fold.test.column(&quasi.name).ok_or_else(|| Error::internal("a column was not read"))?;
    let of_test = codes_of(quasi, trial, &fold.test)?;
    let test_cells: Vec<Cell> = of_test
        .iter()
        .enumerate()
        .map(|(row, code)| {
            if is_numbers {
                let text = texts.values.get(texts.codes.get(row));
                return number(&quasi.measure, text).map_or(Cell::Missing, Cell::Number);
            }
            coding.cell(quasi, code.map(value), None)
        })
        .collect();
    let unmapped = test_cells.iter().filter(|cell| **cell == Cell::Missing).count();
    Ok(Feature { train, test: coding.column(&quasi.name, test_cells.into_iter()), unmapped })
}

/// Returns a single value without coarsening.
fn one(quasi: &Quasi, code: u32) -> Value {
    quasi.cover(code, code)
}
