//! What somebody who reads a release knows about the sensitive values, as sums of whole numbers.
//!
//! Rows of one tuple have the same quasi-identifiers, so nobody can tell them apart. The unknowns are therefore numbers: how many rows
//! of a tuple have a value. A world (see the module above) is a choice of these numbers that meets three conditions:
//!
//! * The numbers of a tuple add up to its rows.
//! * Every sum lies within its bounds. A record that covers some tuples and counts F(q) rows of value q says that at least F(q) rows of
//!   these tuples have that value. If it covers only the rows that it counts, "at least" for every value means "exactly" for every
//!   value.
//! * Every row can have a record of its own (`owners.rs`).
//!
//! These conditions are enough. If at least F(q) of the covered rows have the value q, for each q, and the owner is one of them with a
//! value that the record counts, then the rows that the record counts can be chosen so that the owner is among them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::covers::Covers;
use super::differences;
use super::owners::Owners;
use crate::error::{Error, Result};
use crate::problem::Progress;
use crate::recoding::published::Record;
use crate::table::frequency::FrequencyTable;

/// The number of rows that have each value.
type Counts = Vec<(u32, i64)>;

/// The number of rows of each value that some tuples have, minus those of some other tuples.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sum<'a> {
    /// The tuples whose rows are counted, ascending.
    pub(super) tuples: Cow<'a, [u32]>,
    /// The tuples whose rows are subtracted, ascending. Sums that come straight from a record have none.
    pub(super) minus: Vec<u32>,
    /// Each value with the least and the most rows that have it, ascending by value.
    pub(super) bounds: Vec<(u32, i64, i64)>,
    /// Whether the tuples have no other value.
    pub(super) only: bool,
}

impl Sum<'_> {
    /// Whether the number of rows is known for every value.
    pub(super) fn is_exact(&self) -> bool {
        self.only && self.minus.is_empty() && self.bounds.iter().all(|(_, least, most)| least == most)
    }

    /// The place of a value among the bounds.
    pub(super) fn place(&self, value: u32) -> Option<usize> {
        self.bounds.binary_search_by_key(&value, |bound| bound.0).ok()
    }
}

/// Lists stored one after the other.
#[derive(Debug, Default)]
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Sorts items into lists. `each` passes every item with the number of its list, and does so each time it is called.
    pub(super) fn new(lists: usize, each: impl Fn(&mut dyn FnMut(u32, u32))) -> Self {
        let mut starts = vec![0_u32; lists + 1];
        each(&mut |list, _| starts[list as usize + 1] += 1);
        for list in 0..lists {
            starts[list + 1] += starts[list];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[lists] as usize];
        each(&mut |list, item| {
            items[next[list as usize] as usize] = item;
            next[list as usize] += 1;
        });
        Self { starts, items }
    }

    pub(super) fn of(&self, list: u32) -> &[u32] {
        &self.items[self.starts[list as usize] as usize..self.starts[list as usize + 1] as usize]
    }
}

/// The most unknowns of a table that is audited.
const MOST_UNKNOWNS: u64 = 1 << 26;

/// Everything that somebody knows, together with the true numbers, which only the auditor knows.
pub(super) struct Known<'a> {
    /// The rows of each tuple.
    pub(super) rows: Vec<u32>,
    /// Where the unknowns of each tuple begin.
    starts: Vec<u32>,
    /// The tuple and the value of each unknown; ascending by tuple, then value.
    pub(super) tuple: Vec<u32>,
    pub(super) value: Vec<u32>,
    /// The true number of each unknown.
    pub(super) truth: Vec<u32>,
    pub(super) sums: Vec<Sum<'a>>,
    /// Where the bounds of each sum begin when all bounds are numbered in turn. Has one entry more than `sums`.
    pub(super) first_bound: Vec<u32>,
    /// The true value of the sum of each bound.
    pub(super) true_sums: Vec<i64>,
    /// The sums of each tuple: twice the number of the sum, plus one where the tuple is subtracted.
    pub(super) of_tuple: Lists,
    pub(super) owners: Owners,
    /// The number of records whose counted rows are known one by one.
    pub(super) equations: u64,
}

impl<'a> Known<'a> {
    /// What somebody knows who knows everyone's quasi-identifiers.
    pub(super) fn by_cover(
        table: &FrequencyTable,
        sensitive: usize,
        records: &[Record],
        covers: &'a Covers,
        progress: &Progress,
    ) -> Result<Option<Self>> {
        let sums = covers.list.iter().zip(&covers.least).zip(&covers.rows);
        let mut sums: Vec<Sum<'a>> =
            sums.map(|((tuples, least), rows)| at_least(tuples, least, *rows)).collect();
        let exact = |(record, cover): (&Record, &u32)| {
            let counted: u64 = record.counts.iter().sum();
            u64::from(counted == covers.rows[*cover as usize])
        };
        let equations = records.iter().zip(&covers.of_record).map(exact).sum();
        sums.extend(differences::between(&sums, table.tuples(), progress)?);
        let owners = Owners::by_cover(records, covers);
        Self::new(table, sensitive, records, sums, owners, equations)
    }

    /// What somebody knows who also knows the tuple of each record's owner, and the tuples that each record counts as a whole.
    pub(super) fn by_mask(
        table: &FrequencyTable,
        sensitive: usize,
        records: &'a [Record],
        covers: &'a Covers,
        progress: &Progress,
    ) -> Result<Option<Self>> {
        let mut whole: BTreeMap<(&'a [u32], bool), Counts> = BTreeMap::new();
        let mut covers_needed = vec![false; covers.list.len()];
        let mut sums: Vec<Sum<'a>> = Vec::new();
        for (record, cover) in records.iter().zip(&covers.of_record) {
            let counts: Vec<(u32, i64)> = counted(record).map(|(value, rows)| (value, rows as i64)).collect();
            if record.others == 0 {
                sums.push(Sum {
                    tuples: Cow::Borrowed(&record.members),
                    minus: Vec::new(),
                    bounds: counts.iter().map(|(value, rows)| (*value, *rows, *rows)).collect(),
                    only: true,
                });
                continue;
            }
            covers_needed[*cover as usize] = true;
            if record.members.is_empty() {
                continue;
            }
            let most = whole.entry((&record.members, false)).or_insert_with(|| counts.clone());
            most.retain_mut(|(value, most)| {
                let found = counts.binary_search_by_key(value, |count| count.0);
                found.map(|place| *most = (*most).min(counts[place].1)).is_ok()
            });
        }
        let equations = records.iter().filter(|record| record.others == 0).count() as u64;
        for ((tuples, _), most) in whole {
            let rows: i64 = tuples.iter().map(|tuple| table.weight(*tuple) as i64).sum();
            let all: i64 = most.iter().map(|(_, most)| most).sum();
            let bound =
                |(value, most): &(u32, i64)| (*value, (rows - (all - most)).max(0), (*most).min(rows));
            sums.push(Sum {
                tuples: Cow::Borrowed(tuples),
                minus: Vec::new(),
                bounds: most.iter().map(bound).collect(),
                only: true,
            });
        }
        for (cover, _) in covers_needed.iter().enumerate().filter(|(_, needed)| **needed) {
            sums.push(at_least(&covers.list[cover], &covers.least[cover], covers.rows[cover]));
        }
        sums.sort_unstable();
        sums.dedup();
        sums.extend(differences::between(&sums, table.tuples(), progress)?);
        let owners = Owners::by_tuple(records, table.tuples());
        Self::new(table, sensitive, records, sums, owners, equations)
    }

    fn new(
        table: &FrequencyTable,
        sensitive: usize,
        records: &[Record],
        sums: Vec<Sum<'a>>,
        mut owners: Owners,
        equations: u64,
    ) -> Result<Option<Self>> {
        let tuples = table.tuples();
        let of_tuple = Lists::new(tuples, |give| {
            for (number, sum) in (0..).zip(&sums) {
                sum.tuples.iter().for_each(|tuple| give(*tuple, 2 * number));
                sum.minus.iter().for_each(|tuple| give(*tuple, 2 * number + 1));
            }
        });
        let payloads = table.payloads();
        let values = payloads.columns[sensitive].values.len();
        let (mut starts, mut tuple, mut value) = (vec![0], Vec::new(), Vec::new());
        let mut truth: Vec<u32> = Vec::new();
        let mut listed = vec![false; values];
        for of in 0..tuples as u32 {
            let mut possible = owners.values(of, &of_tuple, &mut listed);
            for sum in of_tuple.of(of).iter().map(|sum| &sums[(sum / 2) as usize]).filter(|sum| sum.only) {
                possible.retain(|value| sum.place(*value).is_some());
            }
            let first = value.len();
            value.extend(possible);
            if value.len() as u64 > MOST_UNKNOWNS {
                return Ok(None);
            }
            tuple.resize(value.len(), of);
            truth.resize(value.len(), 0);
            for cell in table.cells(of) {
                let found = value[first..].binary_search(&payloads.value(cell.payload, sensitive));
                let place = found.map_err(|_| untrue())?;
                truth[first + place] += cell.rows;
            }
            starts.push(value.len() as u32);
        }
        let mut first_bound = vec![0_u32];
        for sum in &sums {
            first_bound.push(first_bound[first_bound.len() - 1] + sum.bounds.len() as u32);
        }
        let mut known = Self {
            rows: (0..tuples as u32).map(|tuple| table.weight(tuple) as u32).collect(),
            starts,
            tuple,
            value,
            true_sums: Vec::new(),
            truth,
            sums,
            first_bound,
            of_tuple,
            owners: Owners::default(),
            equations,
        };
        known.true_sums = known.sum_up(|unknown| known.truth[unknown as usize]);
        let within = |(sum, bounds): (&Sum<'_>, &[u32])| {
            let found = &known.true_sums[bounds[0] as usize..bounds[1] as usize];
            found.iter().zip(&sum.bounds).all(|(rows, (_, least, most))| (least..=most).contains(&rows))
        };
        // The original must be one of the worlds: every conclusion rests on that.
        if !known.sums.iter().zip(known.first_bound.windows(2)).all(within) {
            return Err(untrue());
        }
        owners.own(records, &known)?;
        known.owners = owners;
        Ok(Some(known))
    }

    /// The unknowns of a tuple.
    pub(super) fn unknowns(&self, tuple: u32) -> std::ops::Range<u32> {
        self.starts[tuple as usize]..self.starts[tuple as usize + 1]
    }

    /// The unknown of a tuple and a value, if rows of the tuple may have the value.
    pub(super) fn unknown(&self, tuple: u32, value: u32) -> Option<u32> {
        let range = self.unknowns(tuple);
        let found = self.value[range.start as usize..range.end as usize].binary_search(&value);
        found.ok().map(|place| range.start + place as u32)
    }

    /// The unknown of the value that all rows of a tuple share, if they do. Only then can the value be certain: if rows of a tuple have
    /// different values, nobody knows which row has which.
    pub(super) fn only_value(&self, tuple: u32) -> Option<u32> {
        let rows = self.rows[tuple as usize];
        self.unknowns(tuple).find(|unknown| rows > 0 && self.truth[*unknown as usize] == rows)
    }

    /// Computes every sum from given numbers, bound by bound.
    pub(super) fn sum_up(&self, number: impl Fn(u32) -> u32) -> Vec<i64> {
        let mut found = vec![0_i64; self.first_bound[self.sums.len()] as usize];
        for (sum, first) in self.sums.iter().zip(&self.first_bound) {
            let sides = [(1, &sum.tuples[..]), (-1, &sum.minus[..])];
            for (sign, tuple) in
                sides.iter().flat_map(|(sign, tuples)| tuples.iter().map(move |of| (sign, of)))
            {
                for unknown in self.unknowns(*tuple) {
                    if let Some(place) = sum.place(self.value[unknown as usize]) {
                        found[*first as usize + place] += sign * i64::from(number(unknown));
                    }
                }
            }
        }
        found
    }
}

/// The values that a record counts, with the number of rows of each.
pub(super) fn counted(record: &Record) -> impl Iterator<Item = (u32, u64)> {
    (0..).zip(record.counts.iter().copied()).filter(|(_, rows)| *rows > 0)
}

/// What the records with one cover say: at least this many of its rows have each value. The number of remaining rows bounds each value
/// from above.
fn at_least<'a>(tuples: &'a [u32], least: &[(u32, u64)], rows: u64) -> Sum<'a> {
    let all: u64 = least.iter().map(|(_, rows)| rows).sum();
    let free = rows.saturating_sub(all);
    let bound = |(value, least): &(u32, u64)| (*value, *least as i64, (least + free) as i64);
    Sum {
        tuples: Cow::Borrowed(tuples),
        minus: Vec::new(),
        bounds: least.iter().map(bound).collect(),
        only: free == 0,
    }
}

fn untrue() -> Error {
    Error::internal("the audit was given records that are not true of the table")
}
