//! Finds the columns that single people out: minimal sample uniques (Elliot, Manning and Ford 2002; SUDA2: Manning, Haglin and Keane
//! 2008).
//!
//! A row is *unique* on a set of columns if no other row has its values there, and the set is *minimal* for the row if the row is not
//! unique on a smaller part of it. Sets are visited depth first; each refines the classes of the set with one column less. Groups of a
//! single tuple are dropped at once: their rows are unique, or never will be. That keeps the search short, because people who are found by
//! few columns are not carried on.
//!
//! Where people have several rows, a row is unique if no other *person* has its values, and a person counts once.

use scumble_files::Control;

use super::RiskClasses;
use crate::error::Result;

/// A set of columns, as bits.
pub(super) type ColumnSet = u64;

/// The most columns that a set can have.
pub(super) const MOST_COLUMNS: usize = 64;

/// The most sets that a search tests.
pub(super) const MOST_SETS: u64 = 2_000_000;

/// The number of sets of at least one and at most `largest` of these columns.
pub(crate) fn sets(columns: usize, largest: usize) -> u64 {
    let (mut sets, mut of_size) = (0_u128, 1_u128);
    for size in 1..=largest.min(columns) as u128 {
        let Some(larger) = of_size.checked_mul(columns as u128 - size + 1) else { return u64::MAX };
        of_size = larger / size;
        sets = sets.saturating_add(of_size);
    }
    u64::try_from(sets).unwrap_or(u64::MAX)
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Classes (of one row) and the sets that are minimal for them, ascending.
    pub(super) minimal: Vec<(u32, ColumnSet)>,
    /// The sets on which somebody is unique, with the number of unique rows, minimal or not; or of unique people, each counted once.
    pub(super) unique_rows: Vec<(ColumnSet, u64)>,
}

/// Finds all minimal sets of at most `largest` columns, for all rows that have one.
pub(super) fn search(classes: &RiskClasses, largest: usize, control: &Control) -> Result<Found> {
    let columns = classes.codes.len();
    // If nobody is unique on all columns, nobody is on some.
    if largest == 0 || !classes.sizes.contains(&1) {
        return Ok(Found::default());
    }
    // The set with one column less lacks the lowest bit, so columns with many values get high bits.
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by_key(|column| (classes.values[*column], *column));
    let mut search = UniqueSearch {
        classes,
        order: &order,
        largest: largest.min(columns),
        newest: vec![NONE; classes.sizes.len()],
        links: Vec::new(),
        unique_rows: Vec::new(),
        counts: Vec::new(),
        pairs: Vec::new(),
    };
    let members: Vec<u32> = (0..classes.sizes.len() as u32).collect();
    let all = Refined { ends: vec![members.len()], members };
    control.begin(Some(sets(columns, largest)));
    search.visit(0, columns, &all, &Alone::default(), control)?;
    drop(all);
    // There may be a link for each of millions of rows, so the list is not copied, and everything else is freed first.
    let UniqueSearch { links, unique_rows, .. } = search;
    let in_columns = |bits: ColumnSet| -> ColumnSet {
        order.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, column)| 1 << column).sum()
    };
    let mut found = Found {
        minimal: links.into_iter().map(|link| (link.class, in_columns(link.set))).collect(),
        unique_rows: unique_rows.iter().map(|(set, rows)| (in_columns(*set), *rows)).collect(),
    };
    found.minimal.sort_unstable();
    found.unique_rows.sort_unstable();
    Ok(found)
}

const NONE: u32 = u32::MAX;

/// A minimal set of a class, and the place of the one found before it.
struct Link {
    class: u32,
    set: ColumnSet,
    before: u32,
}

/// Classes that are alike on a set of columns, in groups. Groups in which nobody can become unique are left out.
struct Refined {
    members: Vec<u32>,
    ends: Vec<usize>,
}

/// The number of those who are unique on a set and, where people are counted, who they are.
#[derive(Default)]
struct Alone {
    count: u64,
    persons: Vec<u32>,
}

impl Alone {
    /// Adds these classes, each of one row or one person.
    fn with(&self, found: &[u32], person: &[u32]) -> Self {
        if person.is_empty() {
            return Self { count: self.count + found.len() as u64, persons: Vec::new() };
        }
        let mut persons = self.persons.clone();
        persons.extend(found.iter().map(|class| person[*class as usize]));
        persons.sort_unstable();
        persons.dedup();
        Self { count: persons.len() as u64, persons }
    }
}

struct UniqueSearch<'a> {
    classes: &'a RiskClasses,
    /// The column of each bit.
    order: &'a [usize],
    largest: usize,
    /// The latest link of each class.
    newest: Vec<u32>,
    links: Vec<Link>,
    unique_rows: Vec<(ColumnSet, u64)>,
    /// Memory for counting, reused.
    counts: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl UniqueSearch<'_> {
    /// Visits all sets that extend `set` by bits below `limit`, in ascending order of the bits read as a number. Every part
    /// of a set is a smaller number, so it has been visited before.
    fn visit(
        &mut self,
        set: ColumnSet,
        limit: usize,
        partition: &Refined,
        alone: &Alone,
        control: &Control,
    ) -> Result<()> {
        for bit in 0..limit {
            control.check()?;
            control.advance(1);
            let next = set | 1 << bit;
            let last = next.count_ones() as usize == self.largest;
            let (refined, found) = self.refine(partition, self.order[bit], !last);
            // Those who are unique on a part are unique on the whole.
            let alone = alone.with(&found, &self.classes.person);
            for class in found {
                self.note(class, next);
            }
            if alone.count > 0 {
                self.unique_rows.push((next, alone.count));
            }
            if !last {
                self.visit(next, bit, &refined, &alone, control)?;
            }
        }
        Ok(())
    }

    /// Records that a class is unique on a set, unless it is unique on a part of the set.
    fn note(&mut self, class: u32, set: ColumnSet) {
        let mut place = self.newest[class as usize];
        while place != NONE {
            let link = &self.links[place as usize];
            if link.set & set == link.set {
                return;
            }
            place = link.before;
        }
        self.links.push(Link { class, set, before: self.newest[class as usize] });
        self.newest[class as usize] = self.links.len() as u32 - 1;
    }

    /// Splits every group by a column. Returns the groups that are left, if `keep`, and the classes that became unique.
    fn refine(&mut self, partition: &Refined, column: usize, keep: bool) -> (Refined, Vec<u32>) {
        let codes = &self.classes.codes[column];
        let sizes = &self.classes.sizes;
        let mut refined = Refined { members: Vec::new(), ends: Vec::new() };
        let mut unique = Vec::new();
        let mut start = 0;
        for end in &partition.ends {
            let members = &partition.members[start..*end];
            start = *end;
            let values = self.classes.values[column] as usize;
            if !keep && members.len() > values && self.classes.person.is_empty() {
                // Only the unique ones matter.
                self.counts.clear();
                self.counts.resize(values, 0);
                members.iter().for_each(|class| self.counts[codes[*class as usize] as usize] += 1);
                let alone = |class: &&u32| {
                    self.counts[codes[**class as usize] as usize] == 1 && sizes[**class as usize] == 1
                };
                unique.extend(members.iter().filter(alone));
                continue;
            }
            self.pairs.clear();
            self.pairs.extend(members.iter().map(|class| (codes[*class as usize], *class)));
            self.pairs.sort_unstable();
            for part in self.pairs.chunk_by(|a, b| a.0 == b.0) {
                match part {
                    part if self.classes.are_one_person(part) => {
                        unique.extend(part.iter().map(|(_, class)| class));
                    }
                    [_] => {}
                    part if keep && part.iter().any(|(_, class)| sizes[*class as usize] == 1) => {
                        refined.members.extend(part.iter().map(|(_, class)| class));
                        refined.ends.push(refined.members.len());
                    }
                    _ => {}
                }
            }
        }
        (refined, unique)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn search(classes: &RiskClasses, largest: usize) -> Found {
        super::search(classes, largest, &Control::default()).expect("nobody stops it")
    }
    use crate::risk::classes::tests::table;

    fn classes(rows: &[Vec<u8>]) -> RiskClasses {
        let columns = rows.first().map_or(0, Vec::len);
        let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        let texts: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(u8::to_string).collect()).collect();
        let texts: Vec<Vec<&str>> =
            texts.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = texts.iter().map(Vec::as_slice).collect();
        let names_as_text: Vec<&str> = names.iter().map(String::as_str).collect();
        RiskClasses::of_table(&table(&names_as_text, &rows), &names).expect("classes")
    }

    /// Follows the definition: a set is minimal for a row if the row is unique on it and on no part of it.
    fn literal(rows: &[Vec<u8>], largest: usize) -> Vec<(Vec<u8>, ColumnSet)> {
        let columns = rows.first().map_or(0, Vec::len);
        let same = |a: &[u8], b: &[u8], set: u64| (0..columns).all(|c| set >> c & 1 == 0 || a[c] == b[c]);
        let alone = |row: &[u8], set: u64| rows.iter().filter(|other| same(row, other, set)).count() == 1;
        let mut found = Vec::new();
        for row in rows {
            for set in 1..1_u64 << columns {
                let parts = (0..columns).filter(|c| set >> c & 1 == 1).map(|c| set & !(1 << c));
                let minimal = alone(row, set) && parts.into_iter().all(|part| part == 0 || !alone(row, part));
                // A single row is unique even on the empty set; the search begins with single columns.
                if minimal && set.count_ones() as usize <= largest {
                    found.push((row.clone(), set));
                }
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn three_people_by_hand() {
        // The first has an age of their own; the others differ in sex and in postcode.
        let found = search(&classes(&[vec![1, 0, 0], vec![2, 0, 1], vec![2, 1, 0]]), 3);
        let (age, sex, postcode) = (1, 2, 4);
        // Row 2 is the only one with postcode 1, row 3 the only one with sex 1. Row 1 is also alone with sex 0 and
        // postcode 0, row 2 with age 2 and sex 0, row 3 with age 2 and postcode 0.
        let of_first = [(0, age), (0, sex | postcode)];
        let of_others = [(1, age | sex), (1, postcode), (2, sex), (2, age | postcode)];
        assert_eq!(found.minimal, [&of_first[..], &of_others[..]].concat());
        let rows = |set| found.unique_rows.iter().find(|(of, _)| *of == set).map(|(_, rows)| *rows);
        assert_eq!([age, sex, age | sex, age | sex | postcode].map(rows), [1, 1, 3, 3].map(Some));
    }

    #[test]
    fn sets_are_counted_and_nobody_alone_needs_none() {
        // Nine columns have 9 + 36 + 84 sets of at most three.
        assert_eq!([sets(9, 3), sets(3, 9), sets(5, 0), sets(0, 5)], [129, 7, 0, 0]);
        assert_eq!([sets(63, 63), sets(64, 64), sets(900, 900)], [u64::MAX / 2, u64::MAX, u64::MAX]);
        // Sixty columns, whose sets cannot all be visited.
        let twins = vec![vec![1; 60], vec![1; 60]];
        let found = search(&classes(&twins), 60);
        assert!(found.minimal.is_empty() && found.unique_rows.is_empty());
    }

    #[test]
    fn another_row_of_the_same_person_is_no_double() {
        // The first person has two rows, the second one, the third one.
        let mut classes = classes(&[vec![1, 0], vec![1, 1], vec![2, 0], vec![2, 0]]);
        assert_eq!(
            search(&classes, 2).minimal,
            [(0, 3), (1, 2)],
            "counted in rows, the first column tells nothing"
        );
        classes.count_persons(&[0, 0, 1, 2]);
        // The first column is enough for both rows of the first person, and the second column for one of them.
        let found = search(&classes, 2);
        assert_eq!(found.minimal, [(0, 1), (1, 1), (1, 2)]);
        assert_eq!(found.unique_rows, [(1, 1), (2, 1), (3, 1)], "that person counts once");
    }

    #[test]
    fn only_sets_on_which_somebody_is_unique_are_listed() {
        let found = search(&classes(&[vec![1, 0], vec![1, 1], vec![1, 1]]), 2);
        assert_eq!(found.unique_rows, [(2, 1), (3, 1)]);
    }

    proptest! {
        #[test]
        fn the_search_finds_what_the_definition_says(
            rows in (1_usize..6).prop_flat_map(|columns| {
                prop::collection::vec(prop::collection::vec(0_u8..4, columns), 1..25)
            }),
            largest in 1_usize..6,
        ) {
            let classes = classes(&rows);
            let found = search(&classes, largest);
            let text_of = |class: u32| -> Vec<u8> {
                let row = classes.class_of_row.iter().position(|of| *of == class).expect("a row");
                rows[row].clone()
            };
            let mut minimal: Vec<(Vec<u8>, ColumnSet)> =
                found.minimal.iter().map(|(class, set)| (text_of(*class), *set)).collect();
            minimal.sort_unstable();
            prop_assert_eq!(minimal, literal(&rows, largest));
            for (set, unique) in found.unique_rows {
                let same = |a: &[u8], b: &[u8]| (0..a.len()).all(|c| set >> c & 1 == 0 || a[c] == b[c]);
                let alone = rows.iter().filter(|row| rows.iter().filter(|o| same(row, o)).count() == 1);
                prop_assert_eq!(unique, alone.count() as u64);
            }
        }
    }
}
