//! Rows counted part by part, for callers that never hold all of them: batch after batch, or in several places at once.

use super::FrequencyTable;
use crate::base::text::grouped;
use crate::error::{Error, Result};
use crate::table::pack::{Packer, group};
use crate::table::payload::{PayloadColumn, Payloads};

/// Below this many, distinct rows are not looked for.
const FEW: usize = 1 << 12;

/// Rows on their way into a [`FrequencyTable`]. It holds at most about twice as many rows as are distinct.
///
/// Its laws: neither the order of rows and parts nor how rows are divided into parts matters, and counting them at once gives the same
/// table.
#[derive(Debug, Clone)]
pub struct Counter {
    /// How many codes each quasi-identifier has.
    sizes: Vec<u32>,
    payloads: Vec<PayloadColumn>,
    /// The codes of the rows so far, quasi-identifiers first, then the columns of the payload.
    columns: Vec<Vec<u32>>,
    /// How often each of them was counted.
    weights: Vec<u32>,
    /// How many of the rows are known to be distinct: the first ones.
    distinct: usize,
}

/// Some rows, by their codes.
pub struct Batch<'a> {
    /// How many there are.
    pub rows: usize,
    /// The code of a quasi-identifier in a row.
    pub code: &'a (dyn Fn(usize, usize) -> u32 + Sync),
    /// The place of a row's value among those of a column of the payload.
    pub value: &'a (dyn Fn(usize, usize) -> u32 + Sync),
    /// How often a row counts.
    pub weight: &'a dyn Fn(usize) -> u32,
}

impl Counter {
    /// No rows yet. The codes of a quasi-identifier are below its size; the columns of the payload know all their values.
    #[must_use]
    pub fn new(sizes: &[u32], payloads: Vec<PayloadColumn>) -> Self {
        let columns = vec![Vec::new(); sizes.len() + payloads.len()];
        Self { sizes: sizes.to_vec(), payloads, columns, weights: Vec::new(), distinct: 0 }
    }

    /// Counts some rows.
    pub fn update(&mut self, batch: &Batch<'_>) -> Result<()> {
        for (place, column) in self.columns.iter_mut().enumerate() {
            match place.checked_sub(self.sizes.len()) {
                None => column.extend((0..batch.rows).map(|row| (batch.code)(place, row))),
                Some(place) => column.extend((0..batch.rows).map(|row| (batch.value)(place, row))),
            }
        }
        self.weights.extend((0..batch.rows).map(batch.weight));
        self.compact_if_worthwhile()
    }

    /// Counts the rows of another part; an error if it is not of the same columns with the same codes.
    pub fn merge(mut self, other: Self) -> Result<Self> {
        let same = |(one, other): (&PayloadColumn, &PayloadColumn)| {
            (&one.name, &one.values) == (&other.name, &other.values)
        };
        let payloads = self.payloads.len() == other.payloads.len()
            && self.payloads.iter().zip(&other.payloads).all(same);
        if self.sizes != other.sizes || !payloads {
            return Err(Error::internal("parts of one table have different columns or codes"));
        }
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.extend(more);
        }
        self.weights.extend(other.weights);
        self.compact_if_worthwhile()?;
        Ok(self)
    }

    /// The table of all rows that were counted.
    pub fn finish(mut self) -> Result<FrequencyTable> {
        self.compact()?;
        // Every sum of a table is that of some of its rows.
        if self.weights.iter().map(|weight| u64::from(*weight)).sum::<u64>() > u64::from(u32::MAX) {
            return Err(Error::data(format!(
                "there are more than {} rows, which is more than are counted",
                grouped(u64::from(u32::MAX))
            )));
        }
        let Self { sizes, payloads, columns, weights, .. } = self;
        let (codes, values) = columns.split_at(sizes.len());
        let (payloads, of_row) = Payloads::of_rows(payloads, weights.len(), |place, row| values[place][row]);
        let code = |column: usize, row: usize| codes[column][row];
        Ok(FrequencyTable::count(&sizes, weights.len(), code, payloads, &of_row, |row| weights[row]).0)
    }

    /// Rows are put together once there may be twice as many as are distinct, so each is moved a constant number of times.
    fn compact_if_worthwhile(&mut self) -> Result<()> {
        if self.weights.len() > 2 * self.distinct.max(FEW) {
            self.compact()?;
        }
        Ok(())
    }

    /// Makes one row of equal rows.
    fn compact(&mut self) -> Result<()> {
        let mut packer = Packer::new(self.weights.len());
        let values = self.payloads.iter().map(|column| column.values.len() as u32);
        for (size, column) in self.sizes.iter().copied().chain(values).zip(&self.columns) {
            packer.push(size, |row| column[row]);
        }
        let groups = group(packer.finish());
        let mut weights = vec![0_u32; groups.representative.len()];
        for (group, weight) in groups.group_of_row.iter().zip(&self.weights) {
            let sum = &mut weights[*group as usize];
            *sum = sum.checked_add(*weight).ok_or_else(too_many_rows)?;
        }
        for column in &mut self.columns {
            *column = groups.representative.iter().map(|row| column[*row as usize]).collect();
        }
        self.distinct = weights.len();
        self.weights = weights;
        Ok(())
    }
}

fn too_many_rows() -> Error {
    Error::data(format!(
        "more than {} rows are equal, which is more than are counted",
        grouped(u64::from(u32::MAX))
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{Row, count, payload_column, plain, rows};
    use super::*;

    fn counted(parts: &[&[Row]]) -> Counter {
        let mut counter = Counter::new(&[4, 4, 4], vec![payload_column()]);
        for part in parts {
            counter
                .update(&Batch {
                    rows: part.len(),
                    code: &|column, row| part[row].0[column],
                    value: &|_, row| part[row].1,
                    weight: &|row| part[row].2,
                })
                .expect("few rows");
        }
        counter
    }

    proptest! {
        /// However rows are divided, in whatever order parts come together, and whether rows are put together on the way or not.
        #[test]
        fn merged_parts_are_the_whole(rows in rows(), cuts in prop::array::uniform3(0..40_usize), compact in any::<[bool; 2]>()) {
            let mut cuts = cuts.map(|cut| cut.min(rows.len()));
            cuts.sort_unstable();
            let (a, b, c, d) = (&rows[..cuts[0]], &rows[cuts[0]..cuts[1]], &rows[cuts[1]..cuts[2]], &rows[cuts[2]..]);
            let whole = plain(&count(&rows));
            let [mut left, mut right] = [counted(&[d, a]), counted(&[c, b])];
            if compact[0] {
                left.compact().expect("few rows");
            }
            if compact[1] {
                right.compact().expect("few rows");
            }
            prop_assert_eq!(plain(&left.clone().merge(right.clone()).and_then(Counter::finish).expect("few rows")), whole.clone());
            prop_assert_eq!(plain(&right.merge(left).and_then(Counter::finish).expect("few rows")), whole.clone());
            prop_assert_eq!(plain(&counted(&[&rows]).finish().expect("few rows")), whole);
        }
    }

    #[test]
    fn parts_with_other_values_or_too_many_rows_are_errors() {
        let named = |text: &str| {
            let values = [text, "other"].into_iter().collect();
            Counter::new(&[4], vec![PayloadColumn { values, ..payload_column() }])
        };
        assert!(named("flu").merge(named("flu")).is_ok());
        assert!(named("flu").merge(named("hiv")).is_err(), "as many values, but not the same");

        let mut counter = counted(&[]);
        for value in 0..2 {
            let row = ([0, 0, 0], value, 3_000_000_000);
            counter = counter.merge(counted(&[&[row]])).expect("rows");
        }
        let error = counter.finish().expect_err("six thousand million rows");
        assert!(error.to_string().contains("more than are counted"), "{error}");
    }

    #[test]
    fn rows_do_not_pile_up() {
        let part: Vec<Row> = (0..1_000_u32).map(|row| ([row % 4, row / 4 % 4, 0], row % 3, 1)).collect();
        let mut counter = counted(&[]);
        for _ in 0..100 {
            counter = counter.merge(counted(&[&part])).expect("few rows");
            assert!(counter.weights.len() <= 2 * FEW + part.len());
        }
        assert_eq!(counter.finish().expect("few rows").rows(), 100_000);
    }

    /// What does not fit is no wrong count.
    #[test]
    fn what_cannot_be_counted_is_an_error() {
        let other = Counter::new(&[4, 4], vec![payload_column()]);
        assert!(counted(&[]).merge(other).is_err());
        let without = Counter::new(&[4, 4, 4], Vec::new());
        assert!(counted(&[]).merge(without).is_err());
        let part: Vec<Row> = vec![([0, 0, 0], 0, u32::MAX)];
        let both = counted(&[&part]).merge(counted(&[&part])).expect("the same columns");
        let error = both.finish().expect_err("too many").to_string();
        assert!(error.starts_with("more than 4,294,967,295 rows are equal"), "{error}");
    }
}
