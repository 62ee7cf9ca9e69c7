//! Checks whether the released rows can be assigned to distinct original rows of which they are true.
//!
//! Rows of equal content are exchangeable, so groups are assigned, not rows: an amount may flow from a group of original rows to
//! a group of released rows if every column covers, and all released rows must be served. Columns that are kept exactly divide
//! the problem into parts. Within a part both sides are sorted by the same columns and joined like two tries, so that only
//! released groups that agree on the first columns are compared further. Original groups that fit the same released groups are
//! merged, which keeps the flow small: with full-domain recoding each fits exactly one. Fully suppressed rows fit every original
//! row and take what is left.

use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use scumble_files::Control;

use crate::columns::part;
use crate::cover::{Cover, covering};
use crate::error::VerifyError;
use crate::flow::{Network, most_served};
use crate::group::group;
use crate::label::{Label, parse};
use crate::truth::Pairing;
use crate::watch::{Pace, check};

/// The most possible assignments between groups that are kept at once; each takes about 40 bytes.
const MOST_EDGES: usize = 1 << 27;

/// The number of released rows for which no original row is left.
pub(crate) fn unassigned(
    released_rows: usize,
    original_rows: usize,
    pairings: &[Pairing<'_>],
    control: &Control,
) -> Result<u64, VerifyError> {
    let exact: Vec<&Pairing<'_>> = pairings.iter().filter(|pairing| pairing.cover.is_none()).collect();
    let mut coarse: Vec<Coarse<'_>> = pairings
        .par_iter()
        .filter_map(|pairing| Some(Coarse::new(pairing, pairing.cover?, control)))
        .collect::<Result<_, _>>()?;
    // The columns that rule out most come first. The sort is stable, so ties keep the given order.
    coarse.sort_by(|a, b| a.openness.total_cmp(&b.openness));

    check(control)?;
    let columns: Vec<&Pairing<'_>> =
        exact.iter().copied().chain(coarse.iter().map(|column| column.pairing)).collect();
    let parts: Vec<_> = columns.iter().map(|pairing| part(pairing.original)).collect();
    let originals = Tuples::of(&group(&parts, original_rows), |row, cells| {
        cells.extend(parts.iter().map(|part| part.codes.get(row)));
        true
    });

    check(control)?;
    let parts: Vec<_> = columns.iter().map(|pairing| part(pairing.released)).collect();
    let same_text: Vec<Vec<Option<u32>>> = exact.iter().map(|pairing| pairing.same_text()).collect();
    let released = Tuples::of(&group(&parts, released_rows), |row, cells| {
        for (column, part) in parts.iter().enumerate() {
            let code = part.codes.get(row);
            match same_text.get(column) {
                None => cells.push(code),
                // Exact columns are compared by the original's codes. A text that the original does not have fits nothing.
                Some(same_text) => match same_text[code as usize] {
                    Some(code) => cells.push(code),
                    None => return false,
                },
            }
        }
        true
    });

    check(control)?;
    let homeless = released_rows as u64 - released.total(0..released.len());
    let (parts, without_original) = parts_by_prefix(&released, &originals, exact.len());
    let stars: Option<Vec<u32>> = coarse.iter().map(|column| column.star).collect();
    let stars = stars.filter(|stars| !stars.is_empty());
    let problem = Problem {
        released: &released,
        originals: &originals,
        coarse: &coarse,
        depth: exact.len(),
        stars,
        control,
    };
    let unserved: Vec<u64> = parts
        .into_par_iter()
        .map(|(released, originals)| problem.unserved(released, originals))
        .collect::<Result<_, _>>()?;
    Ok(homeless + without_original + unserved.iter().sum::<u64>())
}

/// A coarsened column: which labels cover which original values.
struct Coarse<'a> {
    pairing: &'a Pairing<'a>,
    /// The released codes that cover each original code, ascending.
    covering: Vec<Vec<u32>>,
    /// The code of `*`, if the column shows it.
    star: Option<u32>,
    /// The mean share of released rows whose label covers an original value.
    openness: f64,
}

impl<'a> Coarse<'a> {
    fn new(pairing: &'a Pairing<'a>, cover: &Cover, control: &Control) -> Result<Self, VerifyError> {
        let labels = &pairing.released.values;
        let covering = covering(cover, labels, &pairing.original.values, control)?;
        let mut rows = vec![0u64; labels.len()];
        for code in pairing.released.codes.iter() {
            rows[code as usize] += 1;
        }
        let open: u64 = covering.iter().flatten().map(|&label| rows[label as usize]).sum();
        let openness = open as f64 / covering.len().max(1) as f64;
        let star =
            (0..).zip(labels.iter()).find(|(_, text)| parse(text) == Label::Suppressed).map(|(code, _)| code);
        Ok(Self { pairing, covering, star, openness })
    }
}

/// Distinct rows as tuples of codes, ascending, with the number of times each occurs.
struct Tuples {
    width: usize,
    cells: Vec<u32>,
    count: Vec<u64>,
}

impl Tuples {
    /// Reads the first row of each group. Rows that `read` refuses are left out.
    fn of(groups: &crate::group::Groups, read: impl Fn(usize, &mut Vec<u32>) -> bool) -> Self {
        let (mut cells, mut count) = (Vec::new(), Vec::new());
        for (&row, &size) in groups.first_row.iter().zip(&groups.size) {
            let before = cells.len();
            if read(row as usize, &mut cells) {
                count.push(size);
            } else {
                cells.truncate(before);
            }
        }
        let width = if count.is_empty() { 0 } else { cells.len() / count.len() };
        let unsorted = Self { width, cells, count };
        let mut order: Vec<u32> = (0..unsorted.len() as u32).collect();
        order.par_sort_unstable_by(|&a, &b| unsorted.get(a as usize).cmp(unsorted.get(b as usize)));
        Self {
            width,
            cells: order.iter().flat_map(|&place| unsorted.get(place as usize)).copied().collect(),
            count: order.iter().map(|&place| unsorted.count[place as usize]).collect(),
        }
    }

    fn len(&self) -> usize {
        self.count.len()
    }

    fn get(&self, place: usize) -> &[u32] {
        &self.cells[place * self.width..(place + 1) * self.width]
    }

    fn cell(&self, place: usize, column: usize) -> u32 {
        self.cells[place * self.width + column]
    }

    fn total(&self, range: Range<usize>) -> u64 {
        self.count[range].iter().sum()
    }

    /// Returns the end of the run from the start of the range that satisfies a test. The test must fail for all later tuples.
    fn end(&self, range: Range<usize>, test: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (range.start, range.end);
        // Runs are mostly short, so the search for the end begins nearby.
        let mut step = 1;
        while low + step < high && test(low + step) {
            low += step;
            step *= 2;
        }
        high = high.min(low + step);
        while low < high {
            let middle = low + (high - low) / 2;
            if test(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Returns the end of the run of tuples that agree with the first of the range in a column. All earlier columns are equal.
    fn run_end(&self, range: Range<usize>, column: usize) -> usize {
        let code = self.cell(range.start, column);
        self.end(range, |place| self.cell(place, column) == code)
    }
}

/// Released and original tuples that agree on the exact columns.
type Piece = (Range<usize>, Range<usize>);

/// Returns the ranges of both sides that agree on the exact columns, and the number of released rows that agree with no original.
fn parts_by_prefix(released: &Tuples, originals: &Tuples, prefix: usize) -> (Vec<Piece>, u64) {
    let (mut parts, mut without_original) = (Vec::new(), 0);
    let (mut next, mut original) = (0, 0);
    while next < released.len() {
        let key = &released.get(next)[..prefix];
        let end = released.end(next..released.len(), |place| &released.get(place)[..prefix] == key);
        original = originals.end(original..originals.len(), |place| &originals.get(place)[..prefix] < key);
        let original_end =
            originals.end(original..originals.len(), |place| &originals.get(place)[..prefix] == key);
        if original == original_end {
            without_original += released.total(next..end);
        } else {
            parts.push((next..end, original..original_end));
        }
        (next, original) = (end, original_end);
    }
    (parts, without_original)
}

/// What all parts share.
struct Problem<'a> {
    released: &'a Tuples,
    originals: &'a Tuples,
    coarse: &'a [Coarse<'a>],
    /// The number of exact columns.
    depth: usize,
    /// The codes of `*`, if every coarsened column shows it.
    stars: Option<Vec<u32>>,
    control: &'a Control,
}

impl Problem<'_> {
    /// Returns the number of released rows of one part that cannot be served.
    fn unserved(&self, released: Range<usize>, originals: Range<usize>) -> Result<u64, VerifyError> {
        let star = self.stars.as_ref().and_then(|stars| {
            let at = self
                .released
                .end(released.clone(), |place| self.released.get(place)[self.depth..] < stars[..]);
            (at < released.end && self.released.get(at)[self.depth..] == stars[..]).then_some(at)
        });
        let mut fits = Fits::new(released.start, self.control);
        let whole = [(released.start as u32, released.end as u32)];
        self.join(0, originals.clone(), &whole, &mut vec![Vec::new(); self.coarse.len()], &mut fits)?;

        // Fully suppressed rows have no demand in the flow: whatever is left will do for them.
        let mut demand = self.released.count[released.clone()].to_vec();
        let star_rows = star.map_or(0, |place| std::mem::take(&mut demand[place - released.start]));
        let network = Network { supply: &fits.supply, demand: &demand, serves: &fits.serves };
        let served = most_served(&network, self.control)?;
        let left = self.originals.total(originals) - served;
        Ok(self.released.total(released) - served - star_rows.min(left))
    }

    /// Walks down both tries. The `originals` agree on the columns before `column`, and all `candidates` cover them there.
    fn join(
        &self,
        column: usize,
        originals: Range<usize>,
        candidates: &[(u32, u32)],
        spare: &mut [Vec<(u32, u32)>],
        fits: &mut Fits<'_>,
    ) -> Result<(), VerifyError> {
        let Some((buffer, spare)) = spare.split_first_mut() else {
            return fits.add(self.originals.total(originals), candidates);
        };
        let place = self.depth + column;
        let mut start = originals.start;
        while start < originals.end {
            let end = self.originals.run_end(start..originals.end, place);
            let covering = &self.coarse[column].covering[self.originals.cell(start, place) as usize];
            buffer.clear();
            if column == 0 {
                self.control.advance(self.originals.total(start..end));
            }
            fits.pace.tick(1 + candidates.len())?;
            for &(from, to) in candidates {
                self.children(from as usize..to as usize, place, covering, buffer);
            }
            let found = std::mem::take(buffer);
            self.join(column + 1, start..end, &found, spare, fits)?;
            *buffer = found;
            start = end;
        }
        Ok(())
    }

    /// Finds the runs of a range of released tuples whose label in a column is one of `covering`.
    fn children(&self, range: Range<usize>, column: usize, covering: &[u32], found: &mut Vec<(u32, u32)>) {
        let mut start = range.start;
        let mut labels = covering;
        while start < range.end && !labels.is_empty() {
            let here = self.released.cell(start, column);
            labels = &labels[labels.partition_point(|&label| label < here)..];
            match labels.first() {
                Some(&label) if label == here => {
                    let end = self.released.run_end(start..range.end, column);
                    found.push((start as u32, end as u32));
                    start = end;
                }
                Some(&label) => {
                    start = self
                        .released
                        .end(start..range.end, |place| self.released.cell(place, column) < label);
                }
                None => {}
            }
        }
    }
}

/// Original groups, merged if they fit the same released groups.
struct Fits<'a> {
    /// The first released group of the part.
    first: usize,
    number: HashMap<Vec<u32>, u32, FixedState>,
    serves: Vec<Box<[u32]>>,
    supply: Vec<u64>,
    edges: usize,
    list: Vec<u32>,
    pace: Pace<'a>,
}

impl<'a> Fits<'a> {
    fn new(first: usize, control: &'a Control) -> Self {
        Self {
            first,
            number: HashMap::default(),
            serves: Vec::new(),
            supply: Vec::new(),
            edges: 0,
            list: Vec::new(),
            pace: Pace::new(control),
        }
    }

    fn add(&mut self, rows: u64, candidates: &[(u32, u32)]) -> Result<(), VerifyError> {
        let first = self.first;
        self.list.clear();
        let places = candidates.iter().flat_map(|&(from, to)| from as usize..to as usize);
        self.list.extend(places.map(|place| (place - first) as u32));
        self.pace.tick(self.list.len())?;
        let next = self.serves.len() as u32;
        let number = *self.number.entry_ref(&self.list[..]).or_insert(next);
        if number == next {
            self.edges += self.list.len();
            if self.edges > MOST_EDGES {
                return Err(VerifyError::TooLarge {
                    what: "released rows overlap so much that they fit too many original rows".to_owned(),
                    remedy: "check with the row map, or with more columns kept exactly",
                });
            }
            self.serves.push(self.list.as_slice().into());
            self.supply.push(0);
        }
        self.supply[number as usize] += rows;
        Ok(())
    }
}
