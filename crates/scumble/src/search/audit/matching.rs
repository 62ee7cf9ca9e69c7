//! Which records may belong to whom, for somebody who knows everyone's quasi-identifiers (models.md 1.15 and 4.10).
//!
//! A record may belong to any row that it covers. But everyone has exactly one record, so a record that must be somebody
//! else's is ruled out. What counts are the pairs of row and record that occur in some assignment of all records to all rows.
//! Since every record covers its own row, these are the pairs whose two ends lie in one strongly connected component of the
//! graph that leads from each row to the rows that its record covers.

use rayon::prelude::*;

use super::coverage::Coverage;
use crate::error::Result;
use crate::problem::Progress;
use crate::recoding::published::Record;

/// How many records may belong to a row.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Degrees {
    /// The fewest records that cover one row.
    pub least_covering: u64,
    /// The fewest records that may belong to one row.
    pub least_matching: u64,
    /// The number of records that may belong to a row, averaged over all rows.
    pub mean_matching: f64,
    /// The rows to which fewer than k records may belong.
    pub rows_below_k: u64,
}

/// The result for each tuple.
pub(crate) struct Links {
    /// The number of records that cover the tuple, and of those that may belong to one of its rows.
    pub(crate) counts: Vec<(u64, u64)>,
    /// The component of each tuple. Tuples that may exchange their records have the same one.
    pub(crate) component: Vec<u32>,
}

/// Counts the records that cover each row, and those that may belong to it. `records` must be ordered by tuple.
pub(crate) fn links(coverage: &Coverage<'_>, records: &[Record], progress: &Progress) -> Result<Links> {
    let tuples = coverage.table.tuples();
    let component = components(coverage, records, progress)?;
    let count = |records: &[Record]| -> Result<Vec<(u64, u64)>> {
        let mut pace = progress.pace();
        let mut counts = vec![(0, 0); tuples];
        let mut covered = Vec::new();
        for record in records {
            covered.clear();
            coverage.add_covered(&record.shown, &mut covered);
            pace.tick(64 + covered.len())?;
            for tuple in &covered {
                let (covering, matching) = &mut counts[*tuple as usize];
                *covering += u64::from(record.rows);
                if component[*tuple as usize] == component[record.tuple as usize] {
                    *matching += u64::from(record.rows);
                }
            }
        }
        Ok(counts)
    };
    let add = |mut one: Vec<(u64, u64)>, other: Vec<(u64, u64)>| {
        one.iter_mut().zip(other).for_each(|(one, other)| *one = (one.0 + other.0, one.1 + other.1));
        one
    };
    let chunk = records.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let counts = records
        .par_chunks(chunk)
        .map(count)
        .try_reduce(|| vec![(0, 0); tuples], |one, other| Ok(add(one, other)))?;
    Ok(Links { counts, component })
}

/// The figures of [`links`] over all rows.
pub(super) fn degrees(
    coverage: &Coverage<'_>,
    records: &[Record],
    k: u64,
    progress: &Progress,
) -> Result<Degrees> {
    let counts = links(coverage, records, progress)?.counts;
    let table = coverage.table;
    let below = counts.iter().zip(0..).filter(|((_, matching), _)| *matching < k);
    let sum: u64 = counts.iter().zip(0..).map(|((_, matching), tuple)| matching * table.weight(tuple)).sum();
    Ok(Degrees {
        least_covering: counts.iter().map(|count| count.0).min().unwrap_or(0),
        least_matching: counts.iter().map(|count| count.1).min().unwrap_or(0),
        mean_matching: sum as f64 / table.rows().max(1) as f64,
        rows_below_k: below.map(|(_, tuple)| table.weight(tuple)).sum(),
    })
}

/// Returns the strongly connected component of each tuple (Tarjan). Edges are computed on demand, twice per tuple, since a
/// table has far more edges than tuples.
fn components(coverage: &Coverage<'_>, records: &[Record], progress: &Progress) -> Result<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let tuples = coverage.table.tuples();
    // Records are ordered by tuple.
    let mut starts = vec![0_usize; tuples + 1];
    records.iter().for_each(|record| starts[record.tuple as usize + 1] += 1);
    for tuple in 0..tuples {
        starts[tuple + 1] += starts[tuple];
    }
    let successors = |tuple: u32, found: &mut Vec<u32>| {
        found.clear();
        for record in &records[starts[tuple as usize]..starts[tuple as usize + 1]] {
            coverage.add_covered(&record.shown, found);
        }
    };
    let (mut number, mut low) = (vec![UNSEEN; tuples], vec![0_u32; tuples]);
    let mut component = vec![UNSEEN; tuples];
    let (mut stack, mut path, mut found) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..tuples as u32 {
        if number[root as usize] != UNSEEN {
            continue;
        }
        let mut enter = Some(root);
        loop {
            progress.check()?;
            if let Some(tuple) = enter.take() {
                (number[tuple as usize], low[tuple as usize]) = (next, next);
                next += 1;
                stack.push(tuple);
                path.push(tuple);
            }
            let Some(tuple) = path.last().copied() else { break };
            successors(tuple, &mut found);
            enter = found.iter().copied().find(|other| number[*other as usize] == UNSEEN);
            if enter.is_some() {
                continue;
            }
            let open = found.iter().filter(|other| component[**other as usize] == UNSEEN);
            let least = open.map(|other| number[*other as usize]).min().unwrap_or(UNSEEN);
            low[tuple as usize] = low[tuple as usize].min(least);
            path.pop();
            if let Some(parent) = path.last() {
                low[*parent as usize] = low[*parent as usize].min(low[tuple as usize]);
            }
            if low[tuple as usize] == number[tuple as usize] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = tuple;
                    if member == tuple {
                        break;
                    }
                }
            }
        }
    }
    Ok(component)
}
