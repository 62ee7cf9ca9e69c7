//! Finds which records may belong to which people: the graph of original rows and the records that cover them.
//!
//! Everyone has one record, and that record covers them. So another record that covers a person's row may be theirs only if
//! everybody else can still be assigned. That is so if the row and the record's owner lie on a common cycle of the graph that
//! leads from each row to all rows that its record covers.

use scumble_files::Control;
use scumble_files::table::CodedTable;

use crate::error::VerifyError;
use crate::flow::{Network, served_by};
use crate::records::{Covering, Originals};
use crate::watch::{Pace, check};

/// The graph of distinct records and the distinct original tuples that they cover.
pub(crate) struct Links {
    /// For each record its tuples, and how many rows show it.
    tuples: Vec<Vec<u32>>,
    rows: Vec<u64>,
    /// For each tuple, the records that cover it.
    records: Vec<Vec<u32>>,
    record_of_row: Vec<u32>,
    tuple_of_original: Vec<u32>,
}

impl Links {
    pub(crate) fn new(
        release: &CodedTable,
        originals: Originals<'_>,
        control: &Control,
    ) -> Result<Self, VerifyError> {
        let cover = Covering::new(release, originals, control)?;
        let mut tuples: Vec<Vec<u32>> = Vec::with_capacity(cover.records.len());
        for row in &cover.records.first_row {
            check(control)?;
            tuples.push(cover.tuples_of(*row).collect());
        }
        let mut records = vec![Vec::new(); cover.tuples.len()];
        for (record, covered) in (0..).zip(&tuples) {
            covered.iter().for_each(|tuple| records[*tuple as usize].push(record));
        }
        Ok(Self {
            tuples,
            rows: cover.records.size.clone(),
            records,
            record_of_row: cover.records.of_row,
            tuple_of_original: cover.tuples.of_row,
        })
    }

    /// Returns, for each tuple, the number of released rows that cover it.
    pub(crate) fn covering(&self) -> Vec<u64> {
        let count = |records: &Vec<u32>| records.iter().map(|record| self.rows[*record as usize]).sum();
        self.records.iter().map(count).collect()
    }

    /// Returns, for each tuple, the number of released rows that may belong to one of its people; 0 everywhere if the released
    /// rows cannot be assigned to the original ones at all. Every full assignment shows the same pairs to be possible, so if the
    /// row map is not known, any assignment will do.
    pub(crate) fn matching(
        &self,
        originals: Originals<'_>,
        control: &Control,
    ) -> Result<Vec<u64>, VerifyError> {
        let assigned = match originals.row_map.filter(|map| map.len() == self.record_of_row.len()) {
            Some(map) => self.assigned_by(map)?,
            None => self.some_assignment(control)?,
        };
        // For each record the tuples of its owners, and for each tuple the records of its people.
        let mut owners = vec![Vec::new(); self.tuples.len()];
        let mut own = vec![Vec::new(); self.records.len()];
        for (record, tuple) in assigned {
            owners[record as usize].push(tuple);
            own[tuple as usize].push(record);
        }
        if owners.iter().any(Vec::is_empty) || own.iter().any(Vec::is_empty) {
            return Ok(vec![0; self.records.len()]);
        }
        let forward = |tuple: u32| {
            own[tuple as usize].iter().flat_map(|record| &self.tuples[*record as usize]).copied()
        };
        let backward = |tuple: u32| {
            self.records[tuple as usize].iter().flat_map(|record| &owners[*record as usize]).copied()
        };
        let circle = circles(self.records.len(), forward, backward, control)?;
        check(control)?;
        // The owners of one record can exchange it, so they are on one cycle.
        let count = |tuple: usize| {
            let possible = self.records[tuple]
                .iter()
                .filter(|record| circle[owners[**record as usize][0] as usize] == circle[tuple]);
            possible.map(|record| self.rows[*record as usize]).sum()
        };
        Ok((0..self.records.len()).map(count).collect())
    }

    /// Returns the pairs of record and tuple of a row map, each once.
    fn assigned_by(&self, map: &[u32]) -> Result<Vec<(u32, u32)>, VerifyError> {
        let pair = |(record, source): (&u32, &u32)| {
            let tuple = self.tuple_of_original.get(*source as usize).ok_or_else(|| {
                let why = "it points to a row the original table does not have".to_owned();
                VerifyError::RowMap { why }
            })?;
            Ok((*record, *tuple))
        };
        let mut pairs: Vec<(u32, u32)> =
            self.record_of_row.iter().zip(map).map(pair).collect::<Result<_, VerifyError>>()?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// Returns the pairs of record and tuple of an assignment that gives every released row an original row of its own. Returns
    /// no pairs if there is no such assignment.
    fn some_assignment(&self, control: &Control) -> Result<Vec<(u32, u32)>, VerifyError> {
        let mut supply = vec![0; self.records.len()];
        self.tuple_of_original.iter().for_each(|tuple| supply[*tuple as usize] += 1);
        let serves: Vec<Box<[u32]>> = self.records.iter().map(|records| records[..].into()).collect();
        let network = Network { supply: &supply, demand: &self.rows, serves: &serves };
        let served = served_by(&network, control)?;
        let rows: u64 = served.iter().map(|(.., rows)| rows).sum();
        if rows != self.record_of_row.len() as u64 || rows != self.tuple_of_original.len() as u64 {
            return Ok(Vec::new());
        }
        Ok(served.into_iter().map(|(tuple, record, _)| (record, tuple)).collect())
    }
}

/// Numbers the nodes of a graph so that nodes on a common cycle have the same number (Kosaraju's algorithm).
fn circles<F: Iterator<Item = u32>, B: Iterator<Item = u32>>(
    nodes: usize,
    forward: impl Fn(u32) -> F,
    backward: impl Fn(u32) -> B,
    control: &Control,
) -> Result<Vec<u32>, VerifyError> {
    let mut pace = Pace::new(control);
    let mut seen = vec![false; nodes];
    let mut finished = Vec::with_capacity(nodes);
    for root in 0..nodes as u32 {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        let mut path = vec![(root, forward(root))];
        while let Some((node, next)) = path.last_mut() {
            let mut tried = 1;
            let other = next.by_ref().inspect(|_| tried += 1).find(|other| !seen[*other as usize]);
            pace.tick(tried)?;
            match other {
                Some(other) => {
                    seen[other as usize] = true;
                    path.push((other, forward(other)));
                }
                None => {
                    finished.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut circle = vec![u32::MAX; nodes];
    for root in finished.into_iter().rev() {
        if circle[root as usize] != u32::MAX {
            continue;
        }
        circle[root as usize] = root;
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            for other in backward(node) {
                pace.tick(1)?;
                if circle[other as usize] == u32::MAX {
                    circle[other as usize] = root;
                    open.push(other);
                }
            }
        }
    }
    Ok(circle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// models.md 1.15: 1 to 5 published as {1,2}, {1,2}, {1,2,3}, {3,4,5}, {3,4,5}. The third row's only possible record is its
    /// own.
    #[test]
    fn nodes_on_a_circle() {
        let edges: [&[u32]; 5] = [&[0, 1], &[0, 1], &[0, 1, 2], &[2, 3, 4], &[2, 3, 4]];
        let forward = |node: u32| edges[node as usize].iter().copied();
        let backward = |node: u32| (0..5).filter(move |other: &u32| edges[*other as usize].contains(&node));
        let circle = circles(5, forward, backward, &Control::default()).expect("nobody stops it");
        assert_eq!(circle[0], circle[1]);
        assert_eq!(circle[3], circle[4]);
        assert!(circle[2] != circle[0] && circle[2] != circle[3] && circle[0] != circle[3]);
    }
}
