//! Sequential minimal optimisation of two multipliers at a time, with second-order choice of pairs, as in libsvm.

use super::kernel::Kernel;
use crate::error::Result;
use crate::learner::{GoesOn, check};

/// The optimisation ends when no pair violates the conditions of the optimum by more than this.
const ENOUGH: f64 = 1e-3;
/// Replaces a curvature that is not positive.
const FLAT: f64 = 1e-12;
/// The most pairs that are optimised.
const STEPS: usize = 10_000_000;

/// The multipliers, and the threshold that the weighted sum of kernels must exceed.
pub(super) struct Solution {
    pub(super) alpha: Vec<f64>,
    pub(super) threshold: f64,
}

/// Minimises the usual objective: half the squared norm of the weights plus the costs of errors. `signs` are the classes, `costs`
/// the limits of the multipliers.
pub(super) fn solve(
    kernel: &mut Kernel,
    signs: &[f64],
    costs: &[f64],
    goes_on: &GoesOn<'_>,
) -> Result<Solution> {
    let size = kernel.len();
    let mut alpha = vec![0.0; size];
    let mut gradient = vec![-1.0; size];
    for _ in 0..STEPS {
        check(goes_on)?;
        let Some((i, j)) = choose(kernel, signs, costs, &alpha, &gradient) else { break };
        let (row_i, row_j) = (kernel.row(i), kernel.row(j));
        let old = (alpha[i], alpha[j]);
        let curvature = f64::from(2.0 - 2.0 * row_i[j]).max(FLAT);
        // Both move so that the signed sum stays 0, and stay within their limits.
        let step = (signs[j] * gradient[j] - signs[i] * gradient[i]) / curvature;
        let room_i = if signs[i] > 0.0 { costs[i] - alpha[i] } else { alpha[i] };
        let room_j = if signs[j] > 0.0 { alpha[j] } else { costs[j] - alpha[j] };
        let step = step.min(room_i).min(room_j);
        alpha[i] = (alpha[i] + signs[i] * step).clamp(0.0, costs[i]);
        alpha[j] = (alpha[j] - signs[j] * step).clamp(0.0, costs[j]);
        // A multiplier that has no room left is set to exactly its limit.
        if step == room_i {
            alpha[i] = if signs[i] > 0.0 { costs[i] } else { 0.0 };
        }
        if step == room_j {
            alpha[j] = if signs[j] > 0.0 { 0.0 } else { costs[j] };
        }
        let change_i = signs[i] * (alpha[i] - old.0);
        let change_j = signs[j] * (alpha[j] - old.1);
        for ((slope, sign), (near_i, near_j)) in
            gradient.iter_mut().zip(signs).zip(row_i.iter().zip(row_j.iter()))
        {
            *slope += sign * (change_i * f64::from(*near_i) + change_j * f64::from(*near_j));
        }
    }
    let threshold = threshold(signs, costs, &alpha, &gradient);
    Ok(Solution { alpha, threshold })
}

/// Whether a multiplier can move in the direction of its sign.
fn can_rise(sign: f64, cost: f64, alpha: f64) -> bool {
    if sign > 0.0 { alpha < cost } else { alpha > 0.0 }
}

/// Whether a multiplier can move against its sign.
fn can_fall(sign: f64, cost: f64, alpha: f64) -> bool {
    if sign > 0.0 { alpha > 0.0 } else { alpha < cost }
}

/// Returns the steepest multiplier and the one that gains most together with it; `None` at the optimum.
fn choose(
    kernel: &mut Kernel,
    signs: &[f64],
    costs: &[f64],
    alpha: &[f64],
    gradient: &[f64],
) -> Option<(usize, usize)> {
    let mut steepest = f64::NEG_INFINITY;
    let mut first = None;
    for i in 0..signs.len() {
        let rise = -signs[i] * gradient[i];
        if rise > steepest && can_rise(signs[i], costs[i], alpha[i]) {
            steepest = rise;
            first = Some(i);
        }
    }
    let i = first?;
    let row = kernel.row(i);
    let (mut most, mut lowest, mut second) = (0.0, f64::NEG_INFINITY, None);
    for j in 0..signs.len() {
        if !can_fall(signs[j], costs[j], alpha[j]) {
            continue;
        }
        let fall = signs[j] * gradient[j];
        lowest = f64::max(lowest, fall);
        let violation = steepest + fall;
        if violation > 0.0 {
            let won = violation * violation / f64::from(2.0 - 2.0 * row[j]).max(FLAT);
            if won > most {
                most = won;
                second = Some(j);
            }
        }
    }
    if steepest + lowest < ENOUGH {
        return None;
    }
    second.map(|j| (i, j))
}

/// The mean over the free multipliers; without any, the middle of what the others allow.
fn threshold(signs: &[f64], costs: &[f64], alpha: &[f64], gradient: &[f64]) -> f64 {
    let (mut sum, mut free) = (0.0, 0u32);
    let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
    for i in 0..signs.len() {
        let slope = signs[i] * gradient[i];
        match (can_rise(signs[i], costs[i], alpha[i]), can_fall(signs[i], costs[i], alpha[i])) {
            (true, true) => {
                sum += slope;
                free += 1;
            }
            (true, false) => most = most.min(slope),
            _ => least = least.max(slope),
        }
    }
    if free > 0 { sum / f64::from(free) } else { f64::midpoint(least, most) }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Points;
    use super::*;

    /// The points 1 (+) and 0 (-) with gamma 1: both multipliers are 1 / (1 - 1/e) = 1.581977 if the cost allows it.
    #[test]
    fn two_points() {
        let points = || Points::new(&[vec![(0, 1.0)], vec![]], 1);
        let solution = solve(&mut Kernel::new(points(), 1.0), &[1.0, -1.0], &[10.0, 10.0], &|| true).unwrap();
        assert!(solution.alpha.iter().all(|alpha| (alpha - 1.581_977).abs() < 1e-5), "{:?}", solution.alpha);
        assert!(solution.threshold.abs() < 1e-6);
        let solution = solve(&mut Kernel::new(points(), 1.0), &[1.0, -1.0], &[1.0, 1.0], &|| true).unwrap();
        assert_eq!(solution.alpha, [1.0, 1.0]);
    }
}
