//! The people whom the rows of a table are taken from, in addition to its classes.
//!
//! A population is a second frequency table over the same codes, without payloads ([`FrequencyTable::population`]). Whoever knows
//! how a release recodes every column knows for each of these people which class they would be in, or that no class is
//! theirs.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::recoding::Assignment;
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::{Quasi, Value};

/// How many people of a population belong to each class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct People {
    /// By class, suppressed ones too.
    pub of_class: Vec<u64>,
    /// Those whose values no class covers.
    pub outside: u64,
}

/// No value of a column covers the code.
const NONE: u32 = u32::MAX;

impl People {
    /// Counts them. `None` where people could be in several classes: the values of some column overlap, or two classes show
    /// the same.
    #[must_use]
    pub fn count(population: &FrequencyTable, assignment: &Assignment, quasi: &[Quasi]) -> Option<Self> {
        let place_of_code: Vec<Vec<u32>> = quasi
            .iter()
            .zip(&assignment.columns)
            .map(|(quasi, column)| places(quasi, &column.values))
            .collect::<Option<_>>()?;
        let mut classes: HashMap<Box<[u32]>, u32, FixedState> = HashMap::default();
        for class in 0..assignment.classes() {
            let shown = assignment.columns.iter().map(|column| column.of_class.get(class)).collect();
            if classes.insert(shown, class as u32).is_some() {
                return None;
            }
        }
        let mut people = Self { of_class: vec![0; assignment.classes()], outside: 0 };
        let mut shown = vec![NONE; quasi.len()];
        for tuple in 0..population.tuples() {
            for (column, places) in place_of_code.iter().enumerate() {
                shown[column] = places[population.column(column).get(tuple) as usize];
            }
            match classes.get(&shown[..]) {
                Some(class) => people.of_class[*class as usize] += population.weight(tuple as u32),
                None => people.outside += population.weight(tuple as u32),
            }
        }
        Some(people)
    }
}

/// For each code of a column which of the values covers it; `None` where several do.
fn places(quasi: &Quasi, values: &[Value]) -> Option<Vec<u32>> {
    let mut places = vec![NONE; quasi.size() as usize];
    for (place, value) in (0..).zip(values) {
        let (low, high) = quasi.codes(*value);
        for code in low..=high {
            let is_member = !matches!(value, Value::Subset(codes) if codes & (1 << code) == 0);
            if is_member && std::mem::replace(places.get_mut(code as usize)?, place) != NONE {
                return None;
            }
        }
    }
    Some(places)
}

/// How many people of a population each tuple of a table has.
#[must_use]
pub(crate) fn people_of_tuples(table: &FrequencyTable, population: &FrequencyTable) -> Vec<u64> {
    let codes = |table: &FrequencyTable, tuple: usize| -> Vec<u32> {
        (0..table.width()).map(|column| table.column(column).get(tuple)).collect()
    };
    // Both are sorted, so one goes along the other.
    let mut next = 0;
    let people = |tuple: usize| {
        let wanted = codes(table, tuple);
        while next < population.tuples() && codes(population, next) < wanted {
            next += 1;
        }
        let there = next < population.tuples() && codes(population, next) == wanted;
        if there { population.weight(next as u32) } else { 0 }
    };
    (0..table.tuples()).map(people).collect()
}

/// How many rows of a table are not among its population: of each tuple those that are more than its people.
#[must_use]
pub(crate) fn strangers(table: &FrequencyTable, population: &FrequencyTable) -> u64 {
    let people = people_of_tuples(table, population);
    (0..).zip(people).map(|(tuple, people)| table.weight(tuple).saturating_sub(people)).sum()
}

#[cfg(test)]
mod tests {
    use scumble_files::table::Codes;

    use super::*;
    use crate::recoding::{ClassColumn, Members};
    use crate::table::kind::{Kind, Measure};
    use crate::table::payload::Payloads;
    use crate::table::quasi::Shape;

    fn table(rows: &[u32]) -> FrequencyTable {
        let (payloads, of_row) = Payloads::of_rows(Vec::new(), rows.len(), |_, _| 0);
        FrequencyTable::count(&[6], rows.len(), |_, row| rows[row], payloads, &of_row, |_| 1).0
    }

    fn letters() -> Quasi {
        let shape = Shape::Set(["a", "b", "c", "d", "e", "f"].into_iter().collect());
        let measure = Measure { kind: Kind::Text, scale: 0 };
        Quasi { name: "q".into(), measure, shape, priority: 1.0, tight: false, sets: false }
    }

    fn shown(values: Vec<Value>) -> Assignment {
        let of_class: Vec<u32> = (0..values.len() as u32).collect();
        Assignment {
            members: Members::Tuples(Vec::new()),
            suppressed: vec![false; values.len()],
            columns: vec![ClassColumn { of_class: Codes::narrow(values.len(), &of_class), values }],
        }
    }

    #[test]
    fn people_are_in_the_class_that_covers_them_or_outside() {
        let population = table(&[0, 0, 1, 2, 2, 2, 5]);
        let count = |values| People::count(&population, &shown(values), &[letters()]);
        let people = count(vec![Value::Span(0, 1), Value::Span(2, 3)]).expect("disjoint");
        assert_eq!(people, People { of_class: vec![3, 3], outside: 1 });
        // Members of a set only, not what lies between them.
        let people = count(vec![Value::Subset(0b100_001), Value::Span(1, 1)]).expect("disjoint");
        assert_eq!(people, People { of_class: vec![3, 1], outside: 3 });
        assert_eq!(count(vec![Value::Span(0, 2), Value::Span(2, 3)]), None);
        assert_eq!(count(vec![Value::Span(0, 2), Value::Star]), None);
    }

    #[test]
    fn rows_beyond_the_people_of_their_tuple_are_strangers() {
        let population = table(&[0, 0, 1, 2, 2, 2, 5]);
        assert_eq!(strangers(&table(&[0, 2, 2, 5]), &population), 0);
        assert_eq!(strangers(&table(&[0, 0, 0, 3, 4, 5, 5]), &population), 4);
        assert_eq!(strangers(&table(&[]), &population), 0);
        assert_eq!(strangers(&table(&[1]), &table(&[])), 1);
    }
}
