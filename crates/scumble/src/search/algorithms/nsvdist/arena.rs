//! The rows that a search for masks considers: all rows of a table, or those of one part.

use super::ruler::Ruler;
use crate::table::frequency::FrequencyTable;

/// Columns are read together as long as they have at most this many combinations, which saves passes over the
/// tuples.
const BUNDLE: usize = 1 << 12;

/// Tuples with their rows per sensitive value.
pub(super) struct Arena {
    /// The tuples of the table, ascending.
    pub(super) tuples: Vec<u32>,
    width: usize,
    /// Ranks, tuple by tuple.
    ranks: Vec<u32>,
    /// `starts[i]..starts[i + 1]` are the cells of the i-th tuple: sensitive values, ascending, with their rows.
    starts: Vec<u32>,
    cells: Vec<(u32, u32)>,
    /// The number of sensitive values in the table.
    pub(super) values: usize,
    pub(super) bundles: Vec<Bundle>,
}

/// Some columns, and the combinations of their ranks that occur.
pub(super) struct Bundle {
    pub(super) columns: Vec<usize>,
    /// For each of the columns, its rank in each combination.
    pub(super) ranks: Vec<Vec<u32>>,
    /// The combination of each tuple.
    pub(super) of_tuple: Vec<u32>,
}

impl Arena {
    /// Some tuples of a table, with the values of a payload column as sensitive values. Without such a column all
    /// rows have the same value.
    pub(super) fn new(
        table: &FrequencyTable,
        sensitive: Option<usize>,
        rulers: &[Ruler<'_>],
        tuples: Vec<u32>,
    ) -> Self {
        let width = rulers.len();
        let mut ranks = vec![0; tuples.len() * width];
        for (column, ruler) in rulers.iter().enumerate() {
            for (place, tuple) in tuples.iter().enumerate() {
                ranks[place * width + column] = ruler.rank(table.column(column).get(*tuple as usize));
            }
        }
        let payloads = table.payloads();
        let (mut starts, mut cells) = (vec![0], Vec::new());
        for tuple in &tuples {
            let mut of_tuple: Vec<(u32, u32)> = table
                .cells(*tuple)
                .iter()
                .map(|cell| (sensitive.map_or(0, |column| payloads.value(cell.payload, column)), cell.rows))
                .collect();
            of_tuple.sort_unstable();
            for same in of_tuple.chunk_by(|a, b| a.0 == b.0) {
                cells.push((same[0].0, same.iter().map(|cell| cell.1).sum()));
            }
            starts.push(cells.len() as u32);
        }
        let values = sensitive.map_or(1, |column| payloads.columns[column].values.len());
        let mut arena = Self { tuples, width, ranks, starts, cells, values, bundles: Vec::new() };
        arena.bundles = arena.bundle(rulers);
        arena
    }

    /// The number of tuples.
    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    /// The ranks of a tuple.
    pub(super) fn ranks(&self, place: usize) -> &[u32] {
        &self.ranks[place * self.width..][..self.width]
    }

    /// The rows of a tuple per sensitive value.
    pub(super) fn cells(&self, place: usize) -> &[(u32, u32)] {
        &self.cells[self.starts[place] as usize..self.starts[place + 1] as usize]
    }

    /// The rows per sensitive value of some tuples together.
    pub(super) fn rows_per_value(&self, places: impl Iterator<Item = usize>) -> Vec<u64> {
        let mut rows = vec![0; self.values];
        places.for_each(|place| {
            self.cells(place).iter().for_each(|(value, of)| rows[*value as usize] += u64::from(*of));
        });
        rows
    }

    /// From rows by place, returns the tuples all of whose rows are included, ascending, and the number of all
    /// other rows.
    pub(super) fn whole_tuples(&self, mut taken: Vec<(u32, u32)>) -> (Vec<u32>, u32) {
        taken.sort_unstable();
        let (mut whole, mut others) = (Vec::with_capacity(taken.len()), 0);
        for same in taken.chunk_by(|a, b| a.0 == b.0) {
            let place = same[0].0 as usize;
            let rows: u32 = same.iter().map(|of| of.1).sum();
            if rows == self.cells(place).iter().map(|cell| cell.1).sum::<u32>() {
                whole.push(self.tuples[place]);
            } else {
                others += rows;
            }
        }
        whole.shrink_to_fit();
        (whole, others)
    }

    /// Puts columns with few values into common bundles.
    fn bundle(&self, rulers: &[Ruler<'_>]) -> Vec<Bundle> {
        let mut order: Vec<usize> = (0..self.width).collect();
        order.sort_by_key(|column| (rulers[*column].len(), *column));
        let mut bundles: Vec<Bundle> = Vec::new();
        for column in order {
            let size = rulers[column].len() as u64;
            if let Some(last) = bundles.last_mut() {
                let key = |place: usize| {
                    u64::from(last.of_tuple[place]) * size + u64::from(self.ranks(place)[column])
                };
                let mut keys: Vec<u64> = (0..self.len()).map(key).collect();
                let of_tuple = keys.clone();
                keys.sort_unstable();
                keys.dedup();
                if keys.len() <= BUNDLE {
                    for ranks in &mut last.ranks {
                        *ranks = keys.iter().map(|key| ranks[(key / size) as usize]).collect();
                    }
                    last.ranks.push(keys.iter().map(|key| (key % size) as u32).collect());
                    let place = |key: &u64| keys.partition_point(|of| of < key) as u32;
                    last.of_tuple = of_tuple.iter().map(place).collect();
                    last.columns.push(column);
                    continue;
                }
            }
            bundles.push(Bundle {
                columns: vec![column],
                ranks: vec![(0..rulers[column].len() as u32).collect()],
                of_tuple: (0..self.len()).map(|place| self.ranks(place)[column]).collect(),
            });
        }
        bundles
    }
}
