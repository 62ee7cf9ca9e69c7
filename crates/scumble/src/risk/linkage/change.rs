//! How a release differs from its original: what perturbation costs.

use serde::{Deserialize, Serialize};

use super::prepare::{Category, Number, Prepared};
use super::space::moments;

/// How a release differs from its original.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// The columns of numbers.
    pub numbers: Vec<ChangedNumber>,
    /// The columns of categories.
    pub categories: Vec<ChangedCategory>,
    /// The mean over cells of numbers of |x − z| / (√2 · standard deviation of the original); `None` if no column varies.
    pub loss_per_cell: Option<f64>,
    /// The largest change of a correlation.
    pub correlation: Option<CorrelationChange>,
    /// The share of people whose numbers all lie within a part of the released column's standard deviation around what is shown, for
    /// parts of .05, .1 and .2 (interval disclosure). Never the only figure: it may be .001 where half of the people are linked.
    pub near: Vec<(f64, f64)>,
}

/// How a column of numbers differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedNumber {
    /// Its name.
    pub name: String,
    /// The mean over its cells of |x − z| / (√2 · standard deviation of the original); `None` if it does not vary.
    pub loss_per_cell: Option<f64>,
    /// The change of its mean, in standard deviations of the original.
    pub mean: Option<f64>,
    /// The change of its variance, as a share of the original's.
    pub variance: Option<f64>,
    /// The share of cells that show another value.
    pub changed: f64,
}

/// How a column of categories differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangedCategory {
    /// Its name.
    pub name: String,
    /// The share of cells that show another value.
    pub changed: f64,
}

/// The correlation that changed most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationChange {
    /// The two columns.
    pub columns: [String; 2],
    /// The correlation in the original.
    pub before: f64,
    /// The correlation in the release.
    pub after: f64,
}

pub(super) fn changes(prepared: &Prepared) -> Changes {
    let losses: Vec<Option<(f64, usize)>> = prepared.numbers.iter().map(loss).collect();
    let (sum, cells) =
        losses.iter().flatten().fold((0.0, 0), |(sum, cells), (loss, of)| (sum + loss, cells + of));
    let number = |(number, loss): (&Number, &Option<(f64, usize)>)| {
        let ((mean, deviation), (after, deviation_after)) = (moments(&number.known), moments(&number.shown));
        let varies = deviation > 0.0;
        ChangedNumber {
            name: number.name.clone(),
            loss_per_cell: loss.and_then(|(loss, cells)| per(loss, cells)),
            mean: varies.then(|| (after - mean) / deviation),
            variance: varies.then(|| (deviation_after / deviation).powi(2) - 1.0),
            changed: share(number.known.iter().zip(&number.shown), |(known, shown)| {
                known != shown && !(known.is_nan() && shown.is_nan())
            }),
        }
    };
    let category = |category: &Category| ChangedCategory {
        name: category.name.clone(),
        changed: share(category.known.iter().zip(&category.shown), |(known, shown)| known != shown),
    };
    Changes {
        numbers: prepared.numbers.iter().zip(&losses).map(number).collect(),
        categories: prepared.categories.iter().map(category).collect(),
        loss_per_cell: per(sum, cells),
        correlation: correlation(&prepared.numbers),
        near: near(prepared),
    }
}

fn per(sum: f64, cells: usize) -> Option<f64> {
    (cells > 0).then(|| sum / cells as f64)
}

fn share<T>(cells: impl Iterator<Item = T>, is: impl Fn(T) -> bool) -> f64 {
    let (found, all) =
        cells.fold((0_u64, 0_u64), |(found, all), cell| (found + u64::from(is(cell)), all + 1));
    found as f64 / all.max(1) as f64
}

/// The sum of |x − z| in units of √2 standard deviations, over the cells that have both; `None` if the column does not vary.
fn loss(number: &Number) -> Option<(f64, usize)> {
    let (_, deviation) = moments(&number.known);
    let unit = std::f64::consts::SQRT_2 * deviation;
    let both = number.known.iter().zip(&number.shown).map(|(known, shown)| (known - shown).abs() / unit);
    let there = both.filter(|loss| !loss.is_nan());
    (deviation > 0.0).then(|| there.fold((0.0, 0), |(sum, cells), loss| (sum + loss, cells + 1)))
}

fn near(prepared: &Prepared) -> Vec<(f64, f64)> {
    if prepared.numbers.is_empty() {
        return Vec::new();
    }
    let deviations: Vec<f64> = prepared.numbers.iter().map(|number| moments(&number.shown).1).collect();
    let of_part = |part: f64| {
        let is_near = |row: usize| {
            prepared.numbers.iter().zip(&deviations).all(|(number, deviation)| {
                let (known, shown) = (number.known[row], number.shown[row]);
                (known - shown).abs() <= part * deviation || (known.is_nan() && shown.is_nan())
            })
        };
        (part, share(0..prepared.rows, is_near))
    };
    [0.05, 0.1, 0.2].map(of_part).to_vec()
}

fn correlation(numbers: &[Number]) -> Option<CorrelationChange> {
    let mut most: Option<CorrelationChange> = None;
    for (place, left) in numbers.iter().enumerate() {
        for right in &numbers[place + 1..] {
            let before = pearson(&left.known, &right.known);
            let after = pearson(&left.shown, &right.shown);
            let (Some(before), Some(after)) = (before, after) else { continue };
            if most.as_ref().is_none_or(|most| (after - before).abs() > (most.after - most.before).abs()) {
                let columns = [left.name.clone(), right.name.clone()];
                most = Some(CorrelationChange { columns, before, after });
            }
        }
    }
    most
}

/// The correlation over the rows that have both values.
fn pearson(left: &[f64], right: &[f64]) -> Option<f64> {
    let both = |values: &[f64]| -> Vec<f64> {
        let there = (0..left.len()).filter(|row| !left[*row].is_nan() && !right[*row].is_nan());
        there.map(|row| values[row]).collect()
    };
    let (left, right) = (both(left), both(right));
    let ((mean_left, deviation_left), (mean_right, deviation_right)) = (moments(&left), moments(&right));
    let product: f64 =
        left.iter().zip(&right).map(|(left, right)| (left - mean_left) * (right - mean_right)).sum();
    let scale = deviation_left * deviation_right * left.len().saturating_sub(1) as f64;
    (scale > 0.0).then(|| product / scale)
}
