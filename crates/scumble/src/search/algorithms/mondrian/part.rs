//! A part of the table, and how it is divided in place.

/// A part of the table: its units, and the region of codes that cuts have left it.
///
/// The codes are stored unit by unit and move with the units, so that a part is contiguous in memory. A search spends its
/// time going through parts, and small ones then fit into the cache.
pub(super) struct Part<'t, C> {
    pub(super) ids: &'t mut [u32],
    pub(super) codes: &'t mut [C],
    /// The number of columns, which is the number of codes of a unit.
    pub(super) width: usize,
    pub(super) rows: u64,
    pub(super) region: Vec<(u32, u32)>,
}

/// A code in a part. It has two bytes where they suffice, since a search mostly waits for memory.
pub(super) trait Code: Copy + Ord + Default + Send + Sync + Into<u32> {
    fn from_code(code: u32) -> Self;
}

impl Code for u16 {
    fn from_code(code: u32) -> Self {
        code as Self
    }
}

impl Code for u32 {
    fn from_code(code: u32) -> Self {
        code
    }
}

/// The extent of a part in one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The least and the greatest code.
    pub(super) low: u32,
    pub(super) high: u32,
    /// The codes that occur, one bit each, if the column publishes sets of values.
    pub(super) present: u64,
}

/// How the units of a part are divided along one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Division {
    /// Pairs of a greatest code and a part: codes up to the first number (and above that of the pair before) go to this
    /// part. Several ranges of codes may go to the same part.
    Ranges(Vec<(u32, u32)>),
    /// Units with smaller codes, and those with this code up to this unit, go to the first part; all others go to the
    /// second.
    Half(u32, u32),
}

impl Division {
    /// The cut `≤ x | > x` of a part whose codes reach up to `high`.
    pub(super) fn after(x: u32, high: u32) -> Self {
        Self::Ranges(vec![(x, 0), (high, 1)])
    }

    /// The number of parts.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Ranges(uppers) => uppers.iter().map(|(_, part)| *part as usize + 1).max().unwrap_or(0),
            Self::Half(..) => 2,
        }
    }

    /// The part of a unit with this code.
    pub(super) fn part(&self, code: u32, unit: u32) -> usize {
        match self {
            Self::Ranges(uppers) => {
                let place = uppers.partition_point(|(upper, _)| *upper < code).min(uppers.len() - 1);
                uppers[place].1 as usize
            }
            Self::Half(last, of_unit) => usize::from((code, unit) > (*last, *of_unit)),
        }
    }
}

impl<'t, C: Code> Part<'t, C> {
    /// The units with their codes.
    pub(super) fn units(&self) -> impl Iterator<Item = (u32, &[C])> + Clone {
        self.ids.iter().copied().zip(self.codes.chunks_exact(self.width.max(1)))
    }

    /// The units with their code in one column.
    pub(super) fn column(&self, column: usize) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.units().map(move |(unit, codes)| (unit, codes[column].into()))
    }

    /// Divides a part into pieces, in their order, and counts their rows. Each piece still has the region of the whole
    /// part.
    pub(super) fn divide(
        self,
        column: usize,
        division: &Division,
        weight: impl Fn(u32) -> u64,
    ) -> Vec<Part<'t, C>> {
        let (mut counts, mut rows) = (vec![0; division.parts()], vec![0; division.parts()]);
        for (unit, code) in self.column(column) {
            let part = division.part(code, unit);
            counts[part] += 1;
            rows[part] += weight(unit);
        }
        let Part { mut ids, mut codes, width, region, .. } = self;
        regroup(ids, codes, width, &counts, |unit, codes| division.part(codes[column].into(), unit));
        let mut pieces = Vec::with_capacity(counts.len());
        for (count, rows) in counts.into_iter().zip(rows) {
            let (piece_ids, other_ids) = ids.split_at_mut(count);
            let (piece_codes, other_codes) = codes.split_at_mut(count * width);
            (ids, codes) = (other_ids, other_codes);
            pieces.push(Part { ids: piece_ids, codes: piece_codes, width, rows, region: region.clone() });
        }
        pieces
    }
}

/// Brings the units of each group together, in the order of the groups. `counts` are the sizes of the groups. Each unit is
/// swapped directly to its place, so no second copy is needed.
fn regroup<C: Code>(
    ids: &mut [u32],
    codes: &mut [C],
    width: usize,
    counts: &[usize],
    group: impl Fn(u32, &[C]) -> usize,
) {
    let mut end = 0;
    let mut next = Vec::with_capacity(counts.len());
    for count in counts {
        next.push(end);
        end += count;
    }
    let mut end = 0;
    for (this, count) in counts.iter().enumerate() {
        end += count;
        while next[this] < end {
            let at = next[this];
            let other = group(ids[at], &codes[at * width..(at + 1) * width]);
            let to = next[other];
            next[other] += 1;
            if other != this {
                // Groups before this one are complete, so the other place lies after it.
                ids.swap(at, to);
                let (front, back) = codes.split_at_mut(to * width);
                front[at * width..(at + 1) * width].swap_with_slice(&mut back[..width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_in_the_order_of_their_numbers() {
        let mut ids: Vec<u32> = (0..7).collect();
        let mut codes: Vec<u16> = [3, 0, 2, 5, 1, 4, 0].iter().flat_map(|code| [*code, 9 - code]).collect();
        let part = Part { ids: &mut ids, codes: &mut codes, width: 2, rows: 7, region: vec![(0, 5), (0, 9)] };
        // 0..=1 and 4..=5 together, 2..=3 apart.
        let division = Division::Ranges(vec![(1, 1), (3, 0), (5, 1)]);
        let pieces = part.divide(0, &division, |_| 1);
        let mut units: Vec<Vec<u32>> = pieces.iter().map(|piece| piece.ids.to_vec()).collect();
        units.iter_mut().for_each(|units| units.sort_unstable());
        assert_eq!(units, [vec![0, 2], vec![1, 3, 4, 5, 6]]);
        assert_eq!(pieces.iter().map(|piece| piece.rows).collect::<Vec<_>>(), [2, 5]);
        for piece in &pieces {
            for (unit, codes) in piece.units() {
                assert_eq!(codes[0], [3, 0, 2, 5, 1, 4, 0][unit as usize], "codes move with their units");
                assert_eq!(codes[1], 9 - codes[0]);
            }
        }
    }

    #[test]
    fn a_half_may_divide_equal_codes() {
        let division = Division::Half(1, 2);
        let parts: Vec<usize> = [(1, 0), (1, 1), (1, 2), (1, 3), (2, 4), (0, 9)]
            .map(|(code, unit)| division.part(code, unit))
            .to_vec();
        assert_eq!(parts, [0, 0, 0, 1, 1, 0]);
    }
}
