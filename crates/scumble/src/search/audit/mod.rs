//! What a release whose records overlap gives away (models.md 1.15, 1.16 and 4.10).
//!
//! That every record covers k rows and that no frequency is above 1/l holds for one record at a time. Somebody who puts records together
//! may know more. The audit asks for every row whether its sensitive value follows with certainty.
//!
//! **Worlds.** Somebody knows the quasi-identifiers of every row. They see all records: what each one covers, and how many of the rows that
//! it counts have each value. Nothing says whose a record is, or which of the covered rows it counts. A world is
//!
//! 1. a sensitive value for every row,
//! 2. a record for every row, each record used once: the row's own record,
//! 3. for every record the rows that it counts: rows that it covers, its owner among them, and as many rows of each value as it says.
//!
//! A value is **certain** if the row has it in all worlds. Of a person's own record only that follows which holds for every record that may be
//! theirs. How the records were chosen (that a record counts the nearest rows) is not used: somebody who knows the algorithm and its ties may
//! exclude further worlds.
//!
//! `by_cover` is about this person. `by_mask` is about somebody who knows more: of which tuple the owner of each record is, and which tuples
//! each record counts with all of their rows. Their worlds are those of the above in which this is so, too. So every value that is certain by
//! cover is also certain by mask.

use crate::error::Result;
use crate::problem::Progress;
use crate::recoding::published::Record;
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::Quasi;

mod bounds;
mod coverage;
mod covers;
mod differences;
mod known;
mod matching;
mod owners;
mod search;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod worlds_tests;

pub(crate) use coverage::Coverage;
use covers::Covers;
use known::Known;
pub(crate) use matching::Degrees;
pub(crate) use matching::links;
use search::{BY_COVER, BY_MASK, Budget, Verdict, verdicts};

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Audit {
    /// The fewest rows that one record covers.
    pub least_covered: u64,
    /// How many rows a record covers, on average over the rows.
    pub mean_covered: f64,
    /// How many records may be those of a row.
    pub degrees: Degrees,
    /// For somebody who knows all quasi-identifiers.
    pub by_cover: Disclosure,
    /// For somebody who also knows of which tuple the owner of each record is, and which tuples each record counts as a whole.
    pub by_mask: Disclosure,
}

/// Whose values follow. All counts are of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disclosure {
    /// The records whose counted rows are known one by one. They say how many of these rows have each value; all others say how many have it at
    /// least.
    pub records: u64,
    /// The rows whose value is proved to be certain.
    pub certain: u64,
    /// The rows for which nothing could be proved: neither that the value is certain nor that it is not. If there are any, `certain` is a
    /// lower bound.
    pub unknown: u64,
}

impl Disclosure {
    /// Whether it is proved that no value is certain.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.certain == 0 && self.unknown == 0
    }
}

/// Audits records, which are ordered by tuple; every row of the table has one. `sensitive` is the payload column that their counts are about; `k` is
/// what was promised. Records without counts say nothing about values.
pub(crate) fn audit(
    table: &FrequencyTable,
    quasi: &[Quasi],
    sensitive: usize,
    records: &[Record],
    k: u64,
    progress: &Progress,
) -> Result<Audit> {
    let coverage = Coverage::new(table, quasi);
    let covers = Covers::new(&coverage, records, progress)?;
    let rows = records.iter().zip(&covers.of_record);
    let covered = |(record, cover): (&Record, &u32)| covers.rows[*cover as usize] * u64::from(record.rows);
    let (by_cover, by_mask) = disclosures(table, sensitive, records, &covers, [BY_COVER, BY_MASK], progress)?;
    Ok(Audit {
        least_covered: covers.rows.iter().copied().min().unwrap_or(0),
        mean_covered: rows.map(covered).sum::<u64>() as f64 / table.rows().max(1) as f64,
        degrees: matching::degrees(&coverage, records, k, progress)?,
        by_cover,
        by_mask,
    })
}

/// What follows for both.
fn disclosures(
    table: &FrequencyTable,
    sensitive: usize,
    records: &[Record],
    covers: &Covers,
    budgets: [Budget; 2],
    progress: &Progress,
) -> Result<(Disclosure, Disclosure)> {
    if records.iter().all(|record| record.counts.is_empty()) {
        let nothing = Disclosure { records: 0, certain: 0, unknown: 0 };
        return Ok((nothing, nothing));
    }
    if !covers.kept {
        // Too large to be looked at, and said so.
        let everyone = Disclosure { records: 0, certain: 0, unknown: table.rows() };
        return Ok((everyone, everyone));
    }
    let unknown = vec![Verdict::Unknown; table.tuples()];
    let judge =
        |known: Option<Known<'_>>, given: Vec<Verdict>, budget: Budget| -> Result<(u64, Vec<Verdict>)> {
            let Some(known) = known else { return Ok((0, given)) };
            Ok((known.equations, verdicts(&known, &given, budget, progress)?))
        };
    let known = Known::by_cover(table, sensitive, records, covers, progress)?;
    let (cover_records, mut by_cover) = judge(known, unknown, budgets[0])?;
    // What is certain for one is certain for the other, who knows more.
    let certain = |verdict: &Verdict| match verdict {
        Verdict::Certain => Verdict::Certain,
        Verdict::Free | Verdict::Unknown => Verdict::Unknown,
    };
    let known = Known::by_mask(table, sensitive, records, covers, progress)?;
    let (mask_records, by_mask) = judge(known, by_cover.iter().map(certain).collect(), budgets[1])?;
    // And a world of the other is a world of the one.
    for (cover, mask) in by_cover.iter_mut().zip(&by_mask) {
        if *cover == Verdict::Unknown && *mask == Verdict::Free {
            *cover = Verdict::Free;
        }
    }
    let rows = |found: &[Verdict], wanted: Verdict| -> u64 {
        let tuples = (0..).zip(found).filter(|(_, verdict)| **verdict == wanted);
        tuples.map(|(tuple, _)| table.weight(tuple)).sum()
    };
    let disclosure = |records: u64, found: &[Verdict]| Disclosure {
        records,
        certain: rows(found, Verdict::Certain),
        unknown: rows(found, Verdict::Unknown),
    };
    Ok((disclosure(cover_records, &by_cover), disclosure(mask_records, &by_mask)))
}
