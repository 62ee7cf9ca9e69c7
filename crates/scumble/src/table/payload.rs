//! What models read besides the quasi-identifiers.
//!
//! A payload is one code for the values of all such columns of a row (the class, each sensitive
//! column), so that several of them fit into the frequency table without a second design.

use std::collections::HashMap;

use scumble_files::table::Texts;

use crate::table::kind::{Kind, Measure};
use crate::table::normal::Form;
use crate::table::pack::{Packer, group};

/// A column that some model or algorithm reads but that is published unchanged.
#[derive(Debug, Clone)]
pub struct PayloadColumn {
    /// The column's name.
    pub name: String,
    /// The distinct values, in the order of the column's kind; missing values are one value of their own.
    pub values: Texts,
    /// How the values are measured.
    pub measure: Measure,
    /// The texts that stand for a missing value; one of them is among the values if some row has one.
    pub missing: Vec<String>,
    /// How texts are compared, and what a missing value is.
    pub reading: Reading,
}

/// How the texts of a payload column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// How spellings of one value are known; none where texts are compared character by character.
    pub form: Option<Form>,
    /// Whether a missing value is a value like any other.
    pub missing_counts: bool,
}

impl PayloadColumn {
    /// Whether a value is the missing one.
    #[must_use]
    pub fn is_missing(&self, value: u32) -> bool {
        self.missing.iter().any(|marker| marker == self.values.get(value))
    }

    /// The missing value, where it is no value to models.
    #[must_use]
    pub fn absent(&self) -> Option<u32> {
        let missing = (0..self.values.len() as u32).rev().find(|value| self.is_missing(*value));
        missing.filter(|_| !self.reading.missing_counts)
    }

    /// For finding values by any of their spellings.
    #[must_use]
    pub fn spellings(&self) -> Spellings<'_> {
        let values = || (0..self.values.len() as u32).map(|value| (value, self.values.get(value)));
        let of_number = |(value, text): (u32, &str)| Some((self.number(text)?, value));
        Spellings {
            column: self,
            by_text: values().map(|(value, text)| (text, value)).collect(),
            by_number: values().filter_map(of_number).collect(),
            by_key: self.reading.form.map(|form| by_key(form, values())).unwrap_or_default(),
            missing: values().map(|(value, _)| value).find(|value| self.is_missing(*value)),
        }
    }

    /// The number or day behind a text; none for missing values, whatever they look like.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<i128> {
        if self.measure.kind == Kind::Text || self.missing.iter().any(|marker| marker == text) {
            return None;
        }
        // A column of whole numbers may be asked for `1.0`.
        let kind = if self.measure.kind == Kind::Integer { Kind::Decimal } else { self.measure.kind };
        Measure { kind, ..self.measure }.number(text)
    }
}

/// Values by their normal forms; those that share one are found by their texts only.
fn by_key<'a>(form: Form, values: impl Iterator<Item = (u32, &'a str)>) -> HashMap<String, Option<u32>> {
    let mut found: HashMap<String, Option<u32>> = HashMap::new();
    for (value, text) in values {
        found.entry(form.key(text)).and_modify(|other| *other = None).or_insert(Some(value));
    }
    found
}

/// The values of a column by their spellings: `1` and `1.0` are one number, and all markers one missing value.
pub struct Spellings<'a> {
    column: &'a PayloadColumn,
    by_text: HashMap<&'a str, u32>,
    by_number: HashMap<i128, u32>,
    by_key: HashMap<String, Option<u32>>,
    missing: Option<u32>,
}

impl Spellings<'_> {
    /// The value that a text is a spelling of, if a row has it.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<u32> {
        if let Some(value) = self.by_text.get(text) {
            return Some(*value);
        }
        if self.column.missing.iter().any(|marker| marker == text) {
            return self.missing;
        }
        let number = self.column.number(text).and_then(|number| self.by_number.get(&number)).copied();
        number.or_else(|| {
            let form = self.column.reading.form?;
            *self.by_key.get(&form.key(text))?
        })
    }
}

/// The distinct combinations of the payload columns' values.
#[derive(Debug, Clone, Default)]
pub struct Payloads {
    /// The columns.
    pub columns: Vec<PayloadColumn>,
    /// Value codes, payload by payload.
    codes: Vec<u32>,
    count: usize,
    /// The column that says who a row is about, where people have several rows.
    person: Option<usize>,
}

impl Payloads {
    /// The payloads of a table's rows, and the payload of each row. `code(column, row)` is a place among the column's
    /// values.
    pub fn of_rows(
        columns: Vec<PayloadColumn>,
        rows: usize,
        code: impl Fn(usize, usize) -> u32 + Sync,
    ) -> (Self, Vec<u32>) {
        let mut packer = Packer::new(rows);
        for (place, column) in columns.iter().enumerate() {
            packer.push(column.values.len() as u32, |row| code(place, row));
        }
        let groups = group(packer.finish());
        let codes = groups
            .representative
            .iter()
            .flat_map(|row| (0..columns.len()).map(|place| code(place, *row as usize)).collect::<Vec<_>>())
            .collect();
        let payloads = Self { columns, codes, count: groups.representative.len(), person: None };
        (payloads, groups.group_of_row)
    }

    /// The same with a further column of the tuples of some columns; payloads keep their numbers.
    #[must_use]
    pub fn with_joint(&self, name: &str, places: &[usize]) -> Self {
        let tuple = |payload: u32| places.iter().map(|place| self.value(payload, *place)).collect::<Vec<_>>();
        let mut tuples: Vec<Vec<u32>> = (0..self.count as u32).map(tuple).collect();
        tuples.sort_unstable();
        tuples.dedup();
        // A tuple that lacks a value is no value, and all of them are the last.
        let absent: Vec<Option<u32>> = places.iter().map(|place| self.columns[*place].absent()).collect();
        let lacks =
            |values: &Vec<u32>| values.iter().zip(&absent).any(|(value, absent)| Some(*value) == *absent);
        let all = tuples.len();
        tuples.retain(|values| !lacks(values));
        let some_lack = tuples.len() < all;
        let text = |values: &Vec<u32>| {
            let texts =
                places.iter().zip(values).map(|(place, value)| self.columns[*place].values.get(*value));
            texts.collect::<Vec<_>>().join(", ")
        };
        // No text of a tuple is empty.
        let texts: Vec<String> = tuples.iter().map(text).chain(some_lack.then(String::new)).collect();
        let joint = PayloadColumn {
            name: name.to_owned(),
            values: texts.iter().map(String::as_str).collect(),
            measure: Measure { kind: Kind::Text, scale: 0 },
            missing: if some_lack { vec![String::new()] } else { Vec::new() },
            reading: Reading::default(),
        };
        let with_tuple = |payload: u32| {
            let place = tuples.binary_search(&tuple(payload)).unwrap_or(tuples.len()) as u32;
            (0..self.columns.len()).map(move |column| self.value(payload, column)).chain([place])
        };
        let codes = (0..self.count as u32).flat_map(with_tuple).collect();
        let columns = self.columns.iter().cloned().chain([joint]).collect();
        Self { columns, codes, count: self.count, person: self.person }
    }

    /// The same, where a column says who a row is about: models then count people.
    #[must_use]
    pub fn with_person(self, person: Option<usize>) -> Self {
        Self { person, ..self }
    }

    /// The column that says who a row is about, where people have several rows.
    #[must_use]
    pub fn person(&self) -> Option<&PayloadColumn> {
        self.person.map(|place| &self.columns[place])
    }

    /// Who a payload is about, where people have several rows.
    #[must_use]
    pub fn person_of(&self, payload: u32) -> Option<u32> {
        self.person.map(|place| self.value(payload, place))
    }

    /// How many distinct combinations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the table has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of a column in a payload.
    #[must_use]
    pub fn value(&self, payload: u32, column: usize) -> u32 {
        self.codes[payload as usize * self.columns.len() + column]
    }

    /// The place of a column by name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind, scale: u32, values: &[&str]) -> PayloadColumn {
        PayloadColumn {
            name: "wage".into(),
            values: values.iter().copied().collect(),
            measure: Measure { kind, scale },
            missing: ["?", "NA", "999"].map(String::from).to_vec(),
            reading: Reading::default(),
        }
    }

    #[test]
    fn a_value_is_found_by_any_of_its_spellings() {
        let decimals = column(Kind::Decimal, 1, &["0.5", "1", "NA"]);
        let find = |text: &str| decimals.spellings().find(text);
        assert_eq!(["0.5", ".5", "0.50", "5e-1"].map(find), [Some(0); 4]);
        assert_eq!(["1", "1.0", "1.00", "+1"].map(find), [Some(1); 4]);
        assert_eq!(["?", "NA", "999"].map(find), [Some(2); 3]);
        assert_eq!(["1.01", "2", "one", ""].map(find), [None; 4]);
        let whole = column(Kind::Integer, 0, &["1", "20"]);
        assert_eq!(
            ["1.0", "2e1", "?", "1.5"].map(|text| whole.spellings().find(text)),
            [Some(0), Some(1), None, None]
        );
        let texts = column(Kind::Text, 0, &["1", "one"]);
        assert_eq!(["one", "1.0"].map(|text| texts.spellings().find(text)), [Some(1), None]);
    }

    #[test]
    fn a_missing_value_has_no_number_even_if_it_looks_like_one() {
        let wages = column(Kind::Integer, 0, &["1", "20", "999"]);
        assert_eq!(["20", "999", "NA"].map(|text| wages.number(text)), [Some(20), None, None]);
        assert!(wages.is_missing(2) && !wages.is_missing(1));
    }
}
