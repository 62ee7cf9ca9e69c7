//! A sample of rows that keeps the shares of the classes.

use crate::error::Result;
use crate::random::Random;
use crate::table::Table;

/// The classes that occur, rarest first.
pub(super) fn by_frequency(table: &Table) -> Vec<u32> {
    let counts = table.class_weights();
    let mut present: Vec<u32> =
        (0..table.classes() as u32).filter(|&class| counts[class as usize] > 0.0).collect();
    present.sort_by(|&a, &b| counts[a as usize].total_cmp(&counts[b as usize]));
    present
}

/// Draws at most about `most` rows of a canonical table: from each class its share, at least one, drawn by the seed. A row of
/// weight 3 counts as three rows to draw from.
pub(super) fn draw(table: &Table, most: usize, seed: u64) -> Result<Table> {
    let total = table.weight();
    if total <= most as f64 {
        return Ok(table.clone());
    }
    let counts = table.class_weights();
    let mut random = Random::new(seed);
    let mut weights = vec![0; table.rows()];
    for class in by_frequency(table) {
        let of_class = (0..table.rows()).filter(|&row| table.class()[row] == class);
        let mut units: Vec<usize> =
            of_class.flat_map(|row| std::iter::repeat_n(row, table.weights()[row] as usize)).collect();
        random.shuffle(&mut units);
        let share = (counts[class as usize] * most as f64 / total).round().max(1.0) as usize;
        units.iter().take(share).for_each(|&row| weights[row] += 1);
    }
    Table::weighted(table.features().clone(), table.class().to_vec(), table.classes(), weights)?.canonical()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Features};

    #[test]
    fn shares_are_kept() {
        let features = Features::new(vec![Column::nominal("a", vec![0, 1, 2], 3)], 3).unwrap();
        let table = Table::weighted(features, vec![0, 1, 1], 3, vec![30, 50, 20]).unwrap();
        let drawn = draw(&table, 10, 1).unwrap();
        assert_eq!(drawn.class_weights(), [3.0, 7.0, 0.0]);
        assert_eq!(draw(&table, 100, 1).unwrap(), table);
        assert_eq!(by_frequency(&table), [0, 1]);
    }
}
