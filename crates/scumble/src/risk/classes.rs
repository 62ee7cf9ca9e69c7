//! The rows of a table, grouped by what outsiders may know.

use scumble_files::table::CodedTable;

use crate::error::{Error, Result};
use crate::table::label::STAR;
use crate::table::pack::{Packer, group};

/// Classes: rows with the same texts in all quasi-identifiers. Rows that show `*` everywhere are a class like any other,
/// because an attacker who finds no class with a person's values knows that the person is among them (models.md 0.2).
#[derive(Debug, Clone, Default)]
pub struct RiskClasses {
    /// The names of the quasi-identifiers.
    pub names: Vec<String>,
    /// The number of distinct texts of each quasi-identifier.
    pub values: Vec<u32>,
    /// The code of each class, quasi-identifier by quasi-identifier.
    pub codes: Vec<Vec<u32>>,
    /// The number of rows of each class, or of its people.
    pub sizes: Vec<u64>,
    /// Where people are counted, one person of each class; in a class of one, the only one. Empty where rows are counted.
    pub person: Vec<u32>,
    /// Where people are counted, the members of classes, as pairs of class and person; a person may be in several classes.
    pub members: Vec<(u32, u32)>,
    /// The class of each row; empty where classes were not counted from rows.
    pub class_of_row: Vec<u32>,
    /// The class that shows `*` in every quasi-identifier.
    pub star: Option<u32>,
}

impl RiskClasses {
    /// Groups the rows of a table.
    pub fn of_table(table: &CodedTable, quasi: &[String]) -> Result<Self> {
        let columns: Vec<_> = quasi
            .iter()
            .map(|name| table.column(name).ok_or_else(|| Error::internal("the column was not read")))
            .collect::<Result<_>>()?;
        let mut packer = Packer::new(table.rows);
        for column in &columns {
            packer.push(column.values.len() as u32, |row| column.codes.get(row));
        }
        let groups = group(packer.finish());
        let mut sizes = vec![0_u64; groups.representative.len()];
        groups.group_of_row.iter().for_each(|class| sizes[*class as usize] += 1);
        let codes_of = |column: &&scumble_files::table::CodedColumn| -> Vec<u32> {
            groups.representative.iter().map(|row| column.codes.get(*row as usize)).collect()
        };
        let codes: Vec<Vec<u32>> = columns.iter().map(codes_of).collect();
        let stars: Option<Vec<u32>> = columns.iter().map(|column| column.values.find_sorted(STAR)).collect();
        let star = stars.filter(|stars| !stars.is_empty()).and_then(|stars| {
            let shows_stars = |class: &usize| codes.iter().zip(&stars).all(|(of, star)| of[*class] == *star);
            (0..sizes.len()).find(shows_stars).map(|class| class as u32)
        });
        Ok(Self {
            names: quasi.to_vec(),
            values: columns.iter().map(|column| column.values.len() as u32).collect(),
            codes,
            sizes,
            person: Vec::new(),
            members: Vec::new(),
            class_of_row: groups.group_of_row,
            star,
        })
    }

    /// Counts people instead of rows: rows of one person do not hide each other. `persons` says whom each row of the table is about.
    pub fn count_persons(&mut self, persons: &[u32]) {
        let mut present: Vec<(u32, u32)> =
            self.class_of_row.iter().copied().zip(persons.iter().copied()).collect();
        present.sort_unstable();
        present.dedup();
        self.sizes.fill(0);
        self.person = vec![0; self.sizes.len()];
        for (class, person) in &present {
            self.sizes[*class as usize] += 1;
            self.person[*class as usize] = *person;
        }
        self.members = present;
    }

    /// The number of rows, or of people; a person in several classes counts once.
    #[must_use]
    pub fn rows(&self) -> u64 {
        if self.members.is_empty() {
            self.sizes.iter().sum()
        } else {
            distinct(self.members.iter().map(|(_, person)| *person))
        }
    }

    /// The number of rows, or of people, in any of these classes; each counts once.
    #[must_use]
    pub fn in_any(&self, is_one: impl Fn(usize) -> bool) -> u64 {
        if self.members.is_empty() {
            let of_class = self.sizes.iter().enumerate();
            return of_class.filter(|(class, _)| is_one(*class)).map(|(_, size)| size).sum();
        }
        let there = self.members.iter().filter(|(class, _)| is_one(*class as usize));
        distinct(there.map(|(_, person)| *person))
    }

    /// Whether these classes, given as the second of each pair, consist of a single person.
    pub(super) fn are_one_person(&self, classes: &[(u32, u32)]) -> bool {
        let alone = |(_, class): &(u32, u32)| self.sizes[*class as usize] == 1;
        let person = |(_, class): &(u32, u32)| self.person.get(*class as usize);
        match classes {
            [one] => alone(one),
            [first, others @ ..] => {
                let same = |other| person(other).is_some() && person(other) == person(first);
                alone(first) && others.iter().all(|other| same(other) && alone(other))
            }
            [] => false,
        }
    }

    /// The number of classes of each size, ascending by size.
    #[must_use]
    pub fn histogram(&self) -> Vec<(u64, u64)> {
        histogram(self.sizes.iter().copied())
    }

    /// The sizes of classes with the number of rows in classes of each size, for [`RiskFigures::of_sizes`](super::RiskFigures).
    #[must_use]
    pub fn rows_by_size(&self) -> Vec<(u64, u64)> {
        self.rows_by(&self.sizes)
    }

    /// Does the same with other sizes of the classes, such as those in a population. A person in several classes counts once, where
    /// they are found most easily.
    #[must_use]
    pub fn rows_by(&self, sizes: &[u64]) -> Vec<(u64, u64)> {
        if self.members.is_empty() {
            let mut parts: Vec<(u64, u64)> = sizes.iter().copied().zip(self.sizes.iter().copied()).collect();
            parts.sort_unstable();
            let same = parts.chunk_by(|a, b| a.0 == b.0);
            return same.map(|same| (same[0].0, same.iter().map(|(_, rows)| rows).sum())).collect();
        }
        let mut of_persons: Vec<(u32, u64)> =
            self.members.iter().map(|(class, person)| (*person, sizes[*class as usize])).collect();
        of_persons.sort_unstable();
        of_persons.dedup_by_key(|(person, _)| *person);
        histogram(of_persons.into_iter().map(|(_, size)| size))
    }

    /// Counts the rows of a population in each class. `table` is the table that was grouped; a row of the population is in a class
    /// if it has the same texts.
    pub fn count_in(&self, table: &CodedTable, population: &CodedTable) -> Result<Vec<u64>> {
        let missing = || Error::internal("the column was not read");
        let mut packer = Packer::new(self.sizes.len() + population.rows);
        let mut inside = vec![true; population.rows];
        for (name, (values, codes)) in self.names.iter().zip(self.values.iter().zip(&self.codes)) {
            let here = table.column(name).ok_or_else(missing)?;
            let there = population.column(name).ok_or_else(missing)?;
            // A text that the table does not have is in none of its classes.
            let known: Vec<Option<u32>> =
                there.values.iter().map(|text| here.values.find_sorted(text)).collect();
            for (row, code) in there.codes.iter().enumerate() {
                inside[row] &= known[code as usize].is_some();
            }
            packer.push(*values, |place| match place.checked_sub(codes.len()) {
                None => codes[place],
                Some(row) => known[there.codes.get(row) as usize].unwrap_or(0),
            });
        }
        let groups = group(packer.finish());
        let mut rows = vec![0_u64; groups.representative.len()];
        for (group, inside) in groups.group_of_row[self.sizes.len()..].iter().zip(inside) {
            rows[*group as usize] += u64::from(inside);
        }
        Ok(groups.group_of_row[..self.sizes.len()].iter().map(|group| rows[*group as usize]).collect())
    }
}

/// Counts the distinct people.
pub(super) fn distinct(persons: impl Iterator<Item = u32>) -> u64 {
    let mut persons: Vec<u32> = persons.collect();
    persons.sort_unstable();
    persons.dedup();
    persons.len() as u64
}

/// The number of classes of each size, ascending by size.
pub(crate) fn histogram(sizes: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut sizes: Vec<u64> = sizes.collect();
    sizes.sort_unstable();
    sizes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use scumble_files::table::{CodedColumn, Codes, Texts};

    use super::*;

    /// Makes a table of texts.
    pub(crate) fn table(names: &[&str], rows: &[&[&str]]) -> CodedTable {
        let column = |(place, name): (usize, &&str)| {
            let mut texts: Vec<&str> = rows.iter().map(|row| row[place]).collect();
            texts.sort_unstable();
            texts.dedup();
            let values: Texts = texts.iter().copied().collect();
            let codes: Vec<u32> =
                rows.iter().map(|row| values.find_sorted(row[place]).expect("a known text")).collect();
            CodedColumn { name: (*name).into(), codes: Codes::narrow(values.len(), &codes), values }
        };
        CodedTable { columns: names.iter().enumerate().map(column).collect(), rows: rows.len() }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn rows_with_the_same_texts_are_a_class_and_stars_are_one_too() {
        let rows: [&[&str]; 5] = [&["1", "f"], &["*", "*"], &["1", "f"], &["*", "f"], &["*", "*"]];
        let classes =
            RiskClasses::of_table(&table(&["age", "sex"], &rows), &names(&["age", "sex"])).expect("classes");
        assert_eq!(classes.histogram(), [(1, 1), (2, 2)]);
        assert_eq!(classes.star.map(|star| classes.sizes[star as usize]), Some(2));
        assert_eq!(classes.class_of_row[1], classes.class_of_row[4]);
    }

    #[test]
    fn rows_of_one_person_are_one_candidate() {
        let rows: [&[&str]; 5] = [&["1"], &["1"], &["1"], &["2"], &["2"]];
        let mut classes = RiskClasses::of_table(&table(&["age"], &rows), &names(&["age"])).expect("classes");
        assert_eq!(classes.sizes, [3, 2]);
        // Person 7 has both rows of the second class and one of the first.
        classes.count_persons(&[7, 4, 4, 7, 7]);
        assert_eq!((&classes.sizes[..], classes.person[1], classes.rows()), (&[2, 1][..], 7, 2));
        // Person 7 counts once, where they are alone.
        assert_eq!(classes.rows_by_size(), [(1, 1), (2, 1)]);
        assert_eq!(classes.rows_by(&[5, 9]), [(5, 2)]);
        assert_eq!((classes.in_any(|_| true), classes.in_any(|class| class == 1)), (2, 1));
    }

    #[test]
    fn the_population_is_counted_by_equal_texts() {
        let quasi = names(&["age", "sex"]);
        let sample = table(&["age", "sex"], &[&["30", "f"], &["31", "m"], &["30", "f"]]);
        let population = table(
            &["sex", "age"],
            &[&["f", "30"], &["f", "30"], &["f", "31"], &["m", "31"], &["x", "30"], &["f", "30"]],
        );
        let classes = RiskClasses::of_table(&sample, &quasi).expect("classes");
        let rows = classes.count_in(&sample, &population).expect("counts");
        assert_eq!((classes.sizes, rows), (vec![2, 1], vec![3, 1]));
    }
}
