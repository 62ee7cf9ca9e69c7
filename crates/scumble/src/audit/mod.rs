//! What a release whose records overlap gives away (models.md 1.15, 1.16 and 4.10).
//!
//! That every record covers k rows and that no frequency is above 1/l holds for one record at a time. Somebody who puts
//! records together may know more: the audit plays two of them. One knows the quasi-identifiers of everyone and uses the
//! records that cover exactly as many rows as they count. The other also knows which rows every record counts; that is more
//! than the release says, and a bound on what anybody can infer from its frequencies.

use rayon::prelude::*;

use crate::error::Result;
use crate::frequency::FrequencyTable;
use crate::problem::Progress;
use crate::published::Record;
use crate::quasi::Quasi;

mod coverage;
mod differences;
mod elimination;
mod equations;
mod matching;
mod probing;
#[cfg(test)]
mod tests;

pub(crate) use coverage::Coverage;
pub use equations::Disclosure;
use equations::{Equation, solve};
pub use matching::Degrees;
pub(crate) use matching::links;

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Audit {
    /// The fewest rows that one record covers.
    pub least_covered: u64,
    /// How many rows a record covers, on average over the rows.
    pub mean_covered: f64,
    /// How many records may be those of a row.
    pub degrees: Degrees,
    /// For somebody who knows all quasi-identifiers, and uses the records that cover exactly as many rows as they count.
    pub by_cover: Disclosure,
    /// For somebody who also knows which rows every record counts.
    pub by_mask: Disclosure,
}

/// Audits records, which are ordered by tuple. `sensitive` is the payload column that their counts are about; `k` is what was
/// promised.
pub fn audit(
    table: &FrequencyTable,
    quasi: &[Quasi],
    sensitive: usize,
    records: &[Record],
    k: u64,
    progress: &Progress,
) -> Result<Audit> {
    let coverage = Coverage::new(table, quasi);
    // Per record how many rows it covers, and the equation that follows if these are just the rows it counts.
    let look = |record: &Record| -> Result<(u64, Option<Equation>)> {
        progress.check()?;
        let mut tuples = Vec::new();
        coverage.add_covered(&record.shown, &mut tuples);
        let rows = coverage.rows(&tuples);
        let exact = !record.counts.is_empty() && rows == record.counts.iter().sum::<u64>();
        tuples.sort_unstable();
        Ok((rows, exact.then(|| Equation::of_record(tuples, 0, counts(record)))))
    };
    let looks: Vec<(u64, Option<Equation>)> = records.par_iter().map(look).collect::<Result<_>>()?;
    let least_covered = looks.iter().map(|look| look.0).min().unwrap_or(0);
    let covered: u64 = looks.iter().zip(records).map(|(look, record)| look.0 * u64::from(record.rows)).sum();
    let by_cover = looks.into_iter().filter_map(|look| look.1).collect();
    let by_mask = records
        .iter()
        .filter(|record| !record.counts.is_empty())
        .map(|record| Equation::of_record(record.members.clone(), record.others, counts(record)));
    Ok(Audit {
        least_covered,
        mean_covered: covered as f64 / table.rows().max(1) as f64,
        degrees: matching::degrees(&coverage, records, k, progress)?,
        by_cover: solve(table, sensitive, by_cover, progress)?,
        by_mask: solve(table, sensitive, by_mask.collect(), progress)?,
    })
}

/// The values that a record counts.
fn counts(record: &Record) -> Vec<(u32, i32)> {
    let counted = (0..).zip(&record.counts).filter(|(_, rows)| **rows > 0);
    counted.map(|(value, rows)| (value, *rows as i32)).collect()
}
