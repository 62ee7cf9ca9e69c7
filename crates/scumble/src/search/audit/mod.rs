//! What a release whose records overlap reveals (models.md 1.15, 1.16 and 4.10).
//!
//! That every record covers k rows and that no frequency exceeds 1/l is true of each record by itself. Somebody who combines records may learn more.
//! For every row, the audit asks whether its sensitive value follows with certainty.
//!
//! **Worlds.** Somebody knows the quasi-identifiers of every row. They see all records: what each one covers, and how many of the rows that it
//! counts have each value. Nothing says whose record it is, or which of the covered rows it counts. A possible world, or *world* for short, is an
//! original that could have led to these records. It consists of
//!
//! 1. a sensitive value for every row,
//! 2. a record for every row, each record used once: the row's own record,
//! 3. for every record the rows that it counts: rows that it covers, its owner among them, and as many rows of each value as the record says.
//!
//! A value is **certain** if the row has it in all worlds. Nobody can be sure which record is their own, so it only reveals to them what is true of
//! every record that may be theirs. The audit does not use how the records were chosen (a record counts the nearest rows). Somebody who knows the
//! algorithm and how it breaks ties may be able to exclude further worlds.
//!
//! `by_cover` is about this reader. `by_mask` is about a reader who knows more: which tuple the owner of each record belongs to, and which tuples
//! each record counts with all of their rows. The worlds of this second reader are those of the first in which that is true. So every value that is
//! certain by cover is also certain by mask.

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

/// The result of an audit.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Audit {
    /// The fewest rows that one record covers.
    pub least_covered: u64,
    /// The mean number of rows that a record covers, over all rows.
    pub mean_covered: f64,
    /// How many records may belong to a row.
    pub degrees: Degrees,
    /// For somebody who knows all quasi-identifiers.
    pub by_cover: Disclosure,
    /// For somebody who also knows the tuple of each record's owner, and the tuples that each record counts as a whole.
    pub by_mask: Disclosure,
}

/// How many values follow with certainty. All counts but `records` are of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Disclosure {
    /// The records whose counted rows are known one by one. They say exactly how many of these rows have each value; all other records only say how
    /// many have it at least.
    pub records: u64,
    /// The rows whose value is proved to be certain.
    pub certain: u64,
    /// The rows for which nothing could be proved: neither that the value is certain nor that it is not. If there are any, `certain` is a lower
    /// bound.
    pub unknown: u64,
}

impl Disclosure {
    /// Whether no value is certain, and this is proved.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.certain == 0 && self.unknown == 0
    }
}

/// Audits records. They must be ordered by tuple, and every row of the table must have one. `sensitive` is the payload column that their counts are
/// about; `k` is the number that was promised. Records without counts say nothing about values.
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

/// Returns what is certain by cover and by mask.
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
        // The table is too large to be audited, and the result reports that.
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
    // What is certain by cover is certain by mask, because that reader knows more.
    let certain = |verdict: &Verdict| match verdict {
        Verdict::Certain => Verdict::Certain,
        Verdict::Free | Verdict::Unknown => Verdict::Unknown,
    };
    let known = Known::by_mask(table, sensitive, records, covers, progress)?;
    let (mask_records, by_mask) = judge(known, by_cover.iter().map(certain).collect(), budgets[1])?;
    // And every world by mask is a world by cover.
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
