//! The different sets of tuples that records cover.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::coverage::Coverage;
use super::known::counted;
use crate::error::Result;
use crate::problem::Progress;
use crate::published::Record;
use crate::quasi::Value;

/// The sets of tuples that records cover, each once.
pub(super) struct Covers {
    /// The tuples of each cover, ascending.
    pub(super) list: Vec<Vec<u32>>,
    /// How many rows each covers.
    pub(super) rows: Vec<u64>,
    /// For each cover the values that its records count, with the most rows that one of them counts.
    pub(super) least: Vec<Vec<(u32, u64)>>,
    /// The cover of each record.
    pub(super) of_record: Vec<u32>,
}

impl Covers {
    pub(super) fn new(coverage: &Coverage<'_>, records: &[Record], progress: &Progress) -> Result<Self> {
        let mut shown: Vec<&[Value]> = records.iter().map(|record| &record.shown[..]).collect();
        shown.sort_unstable();
        shown.dedup();
        let look = |shown: &&[Value]| -> Result<Vec<u32>> {
            progress.check()?;
            let mut tuples = Vec::new();
            coverage.add_covered(shown, &mut tuples);
            tuples.sort_unstable();
            tuples.shrink_to_fit();
            Ok(tuples)
        };
        let found: Vec<Vec<u32>> = shown.par_iter().map(look).collect::<Result<_>>()?;
        // What is shown differently may cover the same tuples.
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
        let cover = |record: &Record| number[shown.partition_point(|of| *of < &record.shown[..])];
        let of_record: Vec<u32> = records.iter().map(cover).collect();
        let mut least: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); list.len()];
        for (record, cover) in records.iter().zip(&of_record) {
            for (value, rows) in counted(record) {
                let least = least[*cover as usize].entry(value).or_default();
                *least = rows.max(*least);
            }
        }
        Ok(Self {
            rows: list.iter().map(|tuples| coverage.rows(tuples)).collect(),
            least: least.into_iter().map(|least| least.into_iter().collect()).collect(),
            list,
            of_record,
        })
    }
}
