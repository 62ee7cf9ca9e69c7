//! The probability of a number in a class: by one normal curve, or by a kernel on each training value.

use super::Variant;
use crate::normal;
use crate::ranks::Ranks;
use crate::table::{MISSING, Table};

/// Weka's least probability of a value.
const LEAST_WEKA: f64 = 1e-75;
/// RapidMiner's least probability: the smallest positive double.
const LEAST: f64 = f64::from_bits(1);
/// Kernels further away than this many widths are ignored.
const REACH: f64 = 5.0;
/// Weka ends its sums where the rest is small. Here the sums end where the rest is too small to matter.
const BIN_REACH: f64 = 20.0;

/// The curve of one class.
#[derive(Debug)]
pub(super) enum Curve {
    /// Weka: the mass of a bin around the number under one normal curve.
    Normal { mean: f64, deviation: f64, precision: f64 },
    /// Weka: the mass of a bin under the mean of kernels.
    Bins(Bins),
    /// RapidMiner: the density of the mean of kernels.
    Kernels { values: Vec<Weighted>, total: f64, width: f64, precision: f64 },
}

/// A training value and how often it occurs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weighted {
    value: f64,
    weight: f64,
}

/// One curve for each class.
pub(super) fn curves(variant: Variant, table: &Table, numbers: &[f64]) -> Vec<Curve> {
    let ranks = Ranks::new(numbers);
    let precision = precision(&ranks.values);
    let mut weights = vec![vec![0.0; ranks.values.len()]; table.classes()];
    for ((&rank, &class), &weight) in ranks.ranks.iter().zip(table.class()).zip(table.weights()) {
        if rank != MISSING {
            weights[class as usize][rank as usize] += f64::from(weight);
        }
    }
    let curve = |weights: &Vec<f64>| {
        let pairs = ranks.values.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        Curve::new(variant, pairs.map(|(&value, &weight)| Weighted { value, weight }).collect(), precision)
    };
    weights.iter().map(curve).collect()
}

/// The mean gap between distinct values.
fn precision(values: &[f64]) -> f64 {
    match values {
        [first, .., last] => (last - first) / (values.len() - 1) as f64,
        _ => 0.01,
    }
}

impl Curve {
    /// Fits the curve of a class to its values, which are in ascending order.
    fn new(variant: Variant, mut values: Vec<Weighted>, precision: f64) -> Self {
        let total: f64 = values.iter().map(|value| value.weight).sum();
        match variant {
            Variant::Gaussian => {
                for value in &mut values {
                    value.value = step(value.value, precision) * precision;
                }
                let (mean, deviation) = moments(&values, total);
                Self::Normal { mean, deviation: deviation.max(precision / 6.0), precision }
            }
            Variant::WekaKernel => Self::Bins(Bins::new(&values, total, precision)),
            Variant::Kernel => {
                let width = range(&values) / total.sqrt();
                Self::Kernels { values, total, width, precision }
            }
        }
    }

    /// The logarithm of the probability of a number.
    pub(super) fn log_probability(&self, number: f64) -> f64 {
        match self {
            Self::Normal { mean, deviation, precision } => {
                let number = step(number, *precision) * precision;
                bin(number - mean, *deviation, *precision).max(LEAST_WEKA).ln()
            }
            Self::Bins(bins) => bins.probability(number).max(LEAST_WEKA).ln(),
            Self::Kernels { values, total, width, precision } => {
                kernels(values, *total, *width, *precision, number).max(LEAST).ln()
            }
        }
    }
}

/// Returns a number in steps of the precision.
fn step(number: f64, precision: f64) -> f64 {
    (number / precision).round_ties_even()
}

/// The distance from the first value to the last.
fn range(values: &[Weighted]) -> f64 {
    match values {
        [first, .., last] => last.value - first.value,
        _ => 0.0,
    }
}

/// The mean and standard deviation; zeros if there are no values.
fn moments(values: &[Weighted], total: f64) -> (f64, f64) {
    if total == 0.0 {
        return (0.0, 0.0);
    }
    let sum: f64 = values.iter().map(|value| value.value * value.weight).sum();
    let mean = sum / total;
    let squares: f64 = values.iter().map(|value| (value.value - mean).powi(2) * value.weight).sum();
    (mean, (squares / total).sqrt())
}

/// The mass of a bin of width `precision`, at a distance from the centre of a normal curve.
fn bin(distance: f64, deviation: f64, precision: f64) -> f64 {
    let half = precision / 2.0;
    normal::below((distance + half) / deviation) - normal::below((distance - half) / deviation)
}

fn kernels(values: &[Weighted], total: f64, width: f64, precision: f64, number: f64) -> f64 {
    if width == 0.0 {
        // There is one distinct value: certain within the precision of the data, impossible elsewhere.
        let near = values.iter().any(|value| (value.value - number).abs() <= precision / 2.0);
        return if near { 1.0 } else { 0.0 };
    }
    let from = values.partition_point(|value| value.value < number - REACH * width);
    let until = values.partition_point(|value| value.value <= number + REACH * width);
    let sum: f64 = values[from..until]
        .iter()
        .map(|value| value.weight * normal::density((value.value - number) / width))
        .sum();
    sum / (total * width)
}

/// Kernels on values that are whole steps of the precision. The mass of a bin under a kernel then depends only on the number of
/// steps between them, so it can be looked up.
#[derive(Debug)]
pub(super) struct Bins {
    precision: f64,
    total: f64,
    /// The training values in steps, ascending, and their weights.
    steps: Vec<Weighted>,
    /// The mass of a bin, by its distance in steps from a kernel's centre. Bins further away do not count.
    masses: Vec<f64>,
}

impl Bins {
    fn new(values: &[Weighted], total: f64, precision: f64) -> Self {
        let steps: Vec<Weighted> = values
            .iter()
            .map(|value| Weighted { value: step(value.value, precision), weight: value.weight })
            .collect();
        // Values are in steps, so the precision is 1.
        let width = (range(&steps) / total.sqrt()).max(1.0 / 6.0);
        let reach = (BIN_REACH * width).ceil() as usize;
        let masses = (0..=reach).map(|distance| bin(-(distance as f64), width, 1.0)).collect();
        Self { precision, total, steps, masses }
    }

    fn probability(&self, number: f64) -> f64 {
        let here = step(number, self.precision);
        let reach = (self.masses.len() - 1) as f64;
        let from = self.steps.partition_point(|step| step.value < here - reach);
        let until = self.steps.partition_point(|step| step.value <= here + reach);
        let mass = |step: &Weighted| self.masses[(step.value - here).abs() as usize];
        let sum: f64 = self.steps[from..until].iter().map(|step| step.weight * mass(step)).sum();
        sum / self.total.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(numbers: &[f64]) -> Vec<Weighted> {
        numbers.iter().map(|&value| Weighted { value, weight: 1.0 }).collect()
    }

    /// models.md 3.4: values 1, 2, 4 at 2.
    #[test]
    fn three_values() {
        let kernel = Curve::new(Variant::Kernel, values(&[1.0, 2.0, 4.0]), 1.0);
        let Curve::Kernels { width, .. } = kernel else { panic!("{kernel:?}") };
        assert!((width - 1.732_051).abs() < 5e-7);
        assert!((kernel.log_probability(2.0).exp() - 0.181_185).abs() < 5e-7);
        let bins = Curve::new(Variant::WekaKernel, values(&[1.0, 2.0, 4.0]), 1.0);
        assert!((bins.log_probability(2.0).exp() - 0.179_709).abs() < 5e-7);
    }

    #[test]
    fn one_distinct_value() {
        let kernel = Curve::new(Variant::Kernel, values(&[3.0]), 0.5);
        assert_eq!(kernel.log_probability(3.0), 0.0);
        assert!(kernel.log_probability(4.0) < -700.0);
        let normal = Curve::new(Variant::Gaussian, values(&[3.0]), 0.5);
        let Curve::Normal { mean, deviation, .. } = normal else { panic!("{normal:?}") };
        assert_eq!((mean, deviation), (3.0, 0.5 / 6.0));
    }

    /// Mean 2 and deviation 1 of 1, 1, 3, 3. The bin [1.5, 2.5] has the middle 0.382925 of the curve.
    #[test]
    fn a_normal_curve() {
        let curve = Curve::new(Variant::Gaussian, values(&[1.0, 1.0, 3.0, 3.0]), 1.0);
        assert!((curve.log_probability(2.0).exp() - 0.382_925).abs() < 5e-7);
    }

    #[test]
    fn the_mean_gap_is_the_precision() {
        assert_eq!(precision(&[1.0, 2.0, 4.0]), 1.5);
        assert_eq!(precision(&[7.0]), 0.01);
    }
}
