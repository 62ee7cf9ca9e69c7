//! Which rows a record covers.

use crate::table::frequency::FrequencyTable;
use crate::table::quasi::{Quasi, Value};

/// The tuples of a table, indexed to find those that a record covers.
pub(crate) struct Coverage<'a> {
    pub(crate) table: &'a FrequencyTable,
    quasi: &'a [Quasi],
    /// For each column the tuples sorted by code, and where those of each code begin.
    by_code: Vec<(Vec<u32>, Vec<u32>)>,
}

impl<'a> Coverage<'a> {
    pub(crate) fn new(table: &'a FrequencyTable, quasi: &'a [Quasi]) -> Self {
        let sorted = |(column, quasi): (usize, &Quasi)| {
            let codes = table.column(column);
            let mut tuples: Vec<u32> = (0..table.tuples() as u32).collect();
            tuples.sort_unstable_by_key(|tuple| (codes.get(*tuple as usize), *tuple));
            let mut starts = vec![0_u32; quasi.size() as usize + 1];
            codes.iter().for_each(|code| starts[code as usize + 1] += 1);
            for code in 0..quasi.size() as usize {
                starts[code + 1] += starts[code];
            }
            (tuples, starts)
        };
        Self { table, quasi, by_code: quasi.iter().enumerate().map(sorted).collect() }
    }

    /// Adds the tuples that a record with these values covers to `tuples`, in no particular order.
    pub(crate) fn add_covered(&self, shown: &[Value], tuples: &mut Vec<u32>) {
        let ranges: Vec<(u32, u32)> =
            self.quasi.iter().zip(shown).map(|(quasi, value)| quasi.codes(*value)).collect();
        let slice = |column: usize| {
            let ((of_column, starts), (low, high)) = (&self.by_code[column], ranges[column]);
            &of_column[starts[low as usize] as usize..starts[high as usize + 1] as usize]
        };
        // Start with the column that leaves fewest tuples, and test these tuples in the others, the narrowest
        // column first.
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        order.sort_by_key(|column| slice(*column).len());
        let Some((narrowest, others)) = order.split_first() else {
            return tuples.extend(0..self.table.tuples() as u32);
        };
        let all = self.table.tuples();
        let others: Vec<usize> = others.iter().copied().filter(|column| slice(*column).len() < all).collect();
        let inside = |tuple: &&u32| {
            let holds = |column: &usize| {
                let code = self.table.column(*column).get(**tuple as usize);
                (ranges[*column].0..=ranges[*column].1).contains(&code)
            };
            others.iter().all(holds)
        };
        tuples.extend(slice(*narrowest).iter().filter(inside));
    }

    /// The number of rows of some tuples.
    pub(crate) fn rows(&self, tuples: &[u32]) -> u64 {
        tuples.iter().map(|tuple| self.table.weight(*tuple)).sum()
    }
}
