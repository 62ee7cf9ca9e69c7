//! Newton's method. Each step is solved by conjugate gradients, which need only products with the second derivative, so columns
//! with thousands of values do not need a matrix of that size squared.

use super::likelihood::{Evaluation, Likelihood};
use crate::error::Result;
use crate::learner::{GoesOn, check};

/// The most steps. Ten or twenty are usual; more are needed if classes can be separated and coefficients grow.
const STEPS: usize = 60;
/// The most conjugate directions in a step.
const DIRECTIONS: usize = 250;
/// The method ends when the squared slope, in the metric of the curvature, is below this. That slope is about twice what is still
/// to be gained.
const ENOUGH: f64 = 1e-9;

/// Returns the coefficients at the minimum.
pub(super) fn minimise(likelihood: &Likelihood<'_>, goes_on: &GoesOn<'_>) -> Result<Vec<f64>> {
    let mut point = vec![0.0; likelihood.size()];
    let mut here = likelihood.evaluate(&point);
    for _ in 0..STEPS {
        let direction = newton_direction(likelihood, &here, goes_on)?;
        let slope = dot(&here.gradient, &direction);
        if -slope < ENOUGH {
            break;
        }
        let descent = descend(likelihood, &point, &here, &direction, slope, goes_on)?;
        let Some((moved, there)) = descent else { break };
        point = moved;
        here = there;
    }
    Ok(point)
}

/// Takes the longest of the steps 1, 1/2, 1/4 … along a direction that gains a fair part of what the slope promises.
fn descend(
    likelihood: &Likelihood<'_>,
    point: &[f64],
    here: &Evaluation,
    direction: &[f64],
    slope: f64,
    goes_on: &GoesOn<'_>,
) -> Result<Option<(Vec<f64>, Evaluation)>> {
    let mut length = 1.0;
    for _ in 0..40 {
        check(goes_on)?;
        let moved: Vec<f64> = point.iter().zip(direction).map(|(at, by)| at + length * by).collect();
        let there = likelihood.evaluate(&moved);
        if there.value <= here.value + 1e-4 * length * slope {
            return Ok(Some((moved, there)));
        }
        length /= 2.0;
    }
    Ok(None)
}

/// Solves curvature * direction = -gradient, the more exactly the nearer the minimum is.
fn newton_direction(
    likelihood: &Likelihood<'_>,
    here: &Evaluation,
    goes_on: &GoesOn<'_>,
) -> Result<Vec<f64>> {
    let scale: Vec<f64> = likelihood.diagonal(here).iter().map(|entry| 1.0 / entry.max(1e-12)).collect();
    let mut direction = vec![0.0; likelihood.size()];
    let mut residual: Vec<f64> = here.gradient.iter().map(|slope| -slope).collect();
    let mut scaled = times(&scale, &residual);
    let mut search = scaled.clone();
    let mut length = dot(&residual, &scaled);
    let target = length * length.sqrt().clamp(1e-6, 1e-2);
    for _ in 0..DIRECTIONS {
        if length <= target {
            break;
        }
        check(goes_on)?;
        let curved = likelihood.curvature(here, &search);
        let curvature = dot(&search, &curved);
        if curvature <= 0.0 {
            break;
        }
        let step = length / curvature;
        add(&mut direction, step, &search);
        add(&mut residual, -step, &curved);
        scaled = times(&scale, &residual);
        let next = dot(&residual, &scaled);
        for (search, scaled) in search.iter_mut().zip(&scaled) {
            *search = scaled + next / length * *search;
        }
        length = next;
    }
    Ok(direction)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn add(to: &mut [f64], share: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += share * what);
}
