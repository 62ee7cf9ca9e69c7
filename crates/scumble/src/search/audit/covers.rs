//! The different sets of tuples that records cover.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::coverage::Coverage;
use super::known::counted;
use crate::error::Result;
use crate::problem::Progress;
use crate::recoding::published::Record;
use crate::table::quasi::Value;

/// The most tuples that are kept, over all covers.
const MOST_TUPLES: u64 = 1 << 28;

/// The sets of tuples that records cover, each once.
pub(super) struct Covers {
    /// Whether the tuples were kept. If not, only the number of rows of a cover is known.
    pub(super) kept: bool,
    /// The tuples of each cover, ascending.
    pub(super) list: Vec<Vec<u32>>,
    /// The number of rows of each cover.
    pub(super) rows: Vec<u64>,
    /// For each cover, the values that its records count, each with the most rows that any of these records
    /// counts.
    pub(super) least: Vec<Vec<(u32, u64)>>,
    /// The cover of each record.
    pub(super) of_record: Vec<u32>,
}

impl Covers {
    pub(super) fn new(coverage: &Coverage<'_>, records: &[Record], progress: &Progress) -> Result<Self> {
        let mut shown: Vec<&[Value]> = records.iter().map(|record| &record.shown[..]).collect();
        shown.sort_unstable();
        shown.dedup();
        let all = AtomicU64::new(0);
        let look = |shown: &&[Value]| -> Result<(u64, Vec<u32>)> {
            progress.check()?;
            let mut tuples = Vec::new();
            coverage.add_covered(shown, &mut tuples);
            let rows = coverage.rows(&tuples);
            if all.fetch_add(tuples.len() as u64, Ordering::Relaxed) > MOST_TUPLES {
                return Ok((rows, Vec::new()));
            }
            tuples.sort_unstable();
            tuples.shrink_to_fit();
            Ok((rows, tuples))
        };
        let found: Vec<(u64, Vec<u32>)> = shown.par_iter().map(look).collect::<Result<_>>()?;
        let place = |record: &Record| shown.partition_point(|of| *of < &record.shown[..]);
        // The total does not depend on the order in which threads finish.
        if all.into_inner() > MOST_TUPLES {
            return Ok(Self {
                kept: false,
                list: Vec::new(),
                rows: found.iter().map(|(rows, _)| *rows).collect(),
                least: Vec::new(),
                of_record: records.iter().map(|record| place(record) as u32).collect(),
            });
        }
        let found: Vec<Vec<u32>> = found.into_iter().map(|(_, tuples)| tuples).collect();
        // Records that show different values may cover the same tuples.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.par_sort_by(|one, other| found[*one].cmp(&found[*other]));
        let mut number = vec![0_u32; found.len()];
        let mut list: Vec<Vec<u32>> = Vec::new();
        let mut found: Vec<Option<Vec<u32>>> = found.into_iter().map(Some).collect();
        for place in order {
            let tuples = found[place].take().unwrap_or_default();
            if list.last() != Some(&tuples) {
                list.push(tuples);
            }
            number[place] = list.len() as u32 - 1;
        }
        let of_record: Vec<u32> = records.iter().map(|record| number[place(record)]).collect();
        let mut least: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); list.len()];
        for (record, cover) in records.iter().zip(&of_record) {
            for (value, rows) in counted(record) {
                let least = least[*cover as usize].entry(value).or_default();
                *least = rows.max(*least);
            }
        }
        Ok(Self {
            kept: true,
            rows: list.iter().map(|tuples| coverage.rows(tuples)).collect(),
            least: least.into_iter().map(|least| least.into_iter().collect()).collect(),
            list,
            of_record,
        })
    }
}
