//! Draws concrete tables from a release, for machine-learning models that are scored on original rows (models.md 3.2).
//!
//! Each value is drawn from those that a released value covers, as often as they occur in the training part's column. The class is drawn
//! from the record's frequencies if it is published so. Columns are drawn independently of each other. The draw for a row depends on the
//! random seed, the table, and the row's place in the sorted training part, not on threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scumble::base::chance::below;
use scumble::error::Setting;
use scumble::recoding::published::Record;
use scumble::release::{Trial, TrialOutcome};
use scumble::table::quasi::{Quasi, Value};
use scumble::{Error, Result};
use scumble_learn::Column;

use super::Dataset;
use super::encode::{Cell, Encoder};

/// What the draw of a table depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Draw {
    pub(super) seed: u64,
    /// The number of the split among all splits.
    pub(super) split: u64,
    /// The number of the table.
    pub(super) table: u64,
}

impl Draw {
    fn chance(self, row: u32) -> ChaCha8Rng {
        let mut seed = [0; 32];
        let numbers = [self.seed, self.split, self.table, u64::from(row)];
        seed.chunks_exact_mut(8)
            .zip(numbers)
            .for_each(|(bytes, number)| bytes.copy_from_slice(&number.to_le_bytes()));
        ChaCha8Rng::from_seed(seed)
    }
}

/// A drawn table: the quasi-identifiers, and the class of each row if the release publishes it in another form.
pub(super) struct Drawn {
    pub(super) columns: Vec<Column>,
    pub(super) class: Option<Vec<u32>>,
}

/// Draws a table from a release. `kept` are the training rows that it contains. The encoder knows the quasi-identifiers, in order.
pub(super) fn draw(
    trial: &Trial,
    kept: &[u32],
    data: &Dataset,
    encoder: &Encoder,
    by: Draw,
) -> Result<Drawn> {
    let quasi = &trial.problem.quasi;
    let wells: Vec<Well<'_>> =
        quasi.iter().enumerate().map(|(column, quasi)| Well::new(trial, column, quasi, encoder)).collect();
    let column = distributed(trial, data)?;
    let labels = match column {
        None => Vec::new(),
        Some(place) => {
            let values = &trial.problem.table.payloads().columns[place].values;
            let label =
                |text: &str| data.labels.binary_search_by(|label| label.as_str().cmp(text)).unwrap_or(0);
            values.iter().map(|text| label(text) as u32).collect()
        }
    };
    let mut cells: Vec<Vec<Cell>> = vec![Vec::with_capacity(kept.len()); quasi.len()];
    let mut class = Vec::new();
    let mut pace = trial.problem.progress.control().pace();
    for row in kept {
        pace.tick(quasi.len())?;
        let mut chance = by.chance(*row);
        for (place, well) in wells.iter().enumerate() {
            cells[place].push(well.draw(shown(trial, *row, place), &mut chance));
        }
        if let (Some(_), Some(record)) = (column, record(trial, *row)) {
            class.push(labels[drawn_value(record, &mut chance)]);
        }
    }
    let columns =
        cells.into_iter().enumerate().map(|(place, cells)| encoder.column(place, cells.into_iter()));
    Ok(Drawn { columns: columns.collect(), class: column.map(|_| class) })
}

/// Returns the payload column that is published as frequencies, which must be the class column.
fn distributed(trial: &Trial, data: &Dataset) -> Result<Option<usize>> {
    let TrialOutcome::Records { column, .. } = &trial.outcome else { return Ok(None) };
    let Some(place) = *column else { return Ok(None) };
    if trial.problem.table.payloads().columns[place].name == data.class {
        return Ok(Some(place));
    }
    Err(Error::refused(format!(
        "the release publishes another column than the class '{}' as frequencies, so the class would go with single records",
        data.class
    ))
    .set(
        Setting::column("role").of(&[&data.class]).to(vec!["class", "sensitive"]),
        "give the class column the roles class and sensitive",
    ))
}

fn record(trial: &Trial, row: u32) -> Option<&Record> {
    let TrialOutcome::Records { records, record_of_row, .. } = &trial.outcome else { return None };
    Some(&records[record_of_row[row as usize] as usize])
}

fn shown(trial: &Trial, row: u32, place: usize) -> Value {
    match &trial.outcome {
        TrialOutcome::Classes { classes, class_of_row, .. } => {
            class_of_row[row as usize].map_or(Value::Star, |class| classes.shown(class as usize, place))
        }
        TrialOutcome::Records { .. } | TrialOutcome::Projections { .. } | TrialOutcome::Groups => {
            record(trial, row).map_or(Value::Star, |record| record.shown[place])
        }
    }
}

fn drawn_value(record: &Record, chance: &mut ChaCha8Rng) -> usize {
    let mut left = below(record.counts.iter().sum(), chance);
    let value = record.counts.iter().position(|count| {
        let here = left < *count;
        left = left.saturating_sub(*count);
        here
    });
    value.unwrap_or(0)
}

/// The values of a column, each as often as training rows have it.
struct Well<'a> {
    quasi: &'a Quasi,
    /// The number of rows with each code. `before` is the number of rows with a smaller code.
    rows: Vec<u64>,
    before: Vec<u64>,
    /// Each code as a cell.
    cells: Vec<Cell>,
}

impl<'a> Well<'a> {
    fn new(trial: &Trial, column: usize, quasi: &'a Quasi, encoder: &Encoder) -> Self {
        let rows = trial.problem.table.marginal(column, quasi.size() as usize);
        let mut before = vec![0];
        for rows in &rows {
            before.push(before[before.len() - 1] + rows);
        }
        let cells = (0..quasi.size()).map(|code| encoder.cell(column, quasi.text(code))).collect();
        Self { quasi, rows, before, cells }
    }

    /// Draws a cell for a released value.
    fn draw(&self, shown: Value, chance: &mut ChaCha8Rng) -> Cell {
        match shown {
            // A mean covers no value of its class. A reader takes the mean itself.
            Value::Mean { mean, .. } => {
                let scale = 10_f64.powi(scumble::table::quasi::MEAN_PLACES as i32);
                Cell::Number(self.quasi.measure.float(i128::from(mean)) / scale)
            }
            Value::Subset(codes) => {
                let present = || (0..self.quasi.size()).filter(move |code| codes >> code & 1 == 1);
                let mut left = below(present().map(|code| self.rows[code as usize]).sum(), chance);
                let found = present().find(|code| {
                    let rows = self.rows[*code as usize];
                    let here = left < rows;
                    left = left.saturating_sub(rows);
                    here
                });
                found.map_or(Cell::Missing, |code| self.cells[code as usize])
            }
            _ => {
                let (low, high) = self.quasi.codes(shown);
                let (from, to) = (self.before[low as usize], self.before[high as usize + 1]);
                let drawn = from + below(to - from, chance);
                let code = self.before.partition_point(|rows| *rows <= drawn).saturating_sub(1);
                self.cells.get(code).copied().unwrap_or(Cell::Missing)
            }
        }
    }
}
