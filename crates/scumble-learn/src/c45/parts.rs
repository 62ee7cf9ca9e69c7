//! The rows at a node: whole rows, and shares of rows whose tested value was missing further up.

use super::tree::Test;
use crate::table::Table;

/// A row, and how much of its weight reached the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) row: u32,
    pub(super) weight: f64,
}

/// Weights that differ by less are equal, as in J48: shares of rows do not add up to whole numbers exactly.
pub(super) const SMALL: f64 = 1e-6;

/// All rows of a table.
pub(super) fn all(table: &Table) -> Vec<Part> {
    let whole = |(row, &weight): (usize, &u32)| Part { row: row as u32, weight: f64::from(weight) };
    table.weights().iter().enumerate().map(whole).collect()
}

/// The weight of each class.
pub(super) fn count(table: &Table, parts: &[Part]) -> Vec<f64> {
    let mut counts = vec![0.0; table.classes()];
    for part in parts {
        counts[table.class()[part.row as usize] as usize] += part.weight;
    }
    counts
}

/// Returns the parts for each branch of a test. Rows that lack the tested value go down every branch, with the share of the known
/// weight that went there (equal shares if nothing is known).
pub(super) fn divide(test: &Test, table: &Table, parts: &[Part]) -> Vec<Vec<Part>> {
    let branches = test.branches();
    let mut known = vec![0.0; branches];
    let mut sizes = vec![0; branches];
    for part in parts {
        if let Some(branch) = test.branch(table.features(), part.row as usize) {
            known[branch] += part.weight;
            sizes[branch] += 1;
        }
    }
    let total: f64 = known.iter().sum();
    let shares: Vec<f64> = match total > SMALL {
        true => known.iter().map(|weight| weight / total).collect(),
        false => vec![1.0 / branches as f64; branches],
    };
    let mut divided: Vec<Vec<Part>> = sizes.into_iter().map(Vec::with_capacity).collect();
    for part in parts {
        match test.branch(table.features(), part.row as usize) {
            Some(branch) => divided[branch].push(*part),
            None => {
                for (into, share) in divided.iter_mut().zip(&shares).filter(|(_, share)| **share > SMALL) {
                    into.push(Part { row: part.row, weight: part.weight * share });
                }
            }
        }
    }
    divided
}
