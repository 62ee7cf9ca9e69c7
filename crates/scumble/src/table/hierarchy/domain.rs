//! What a builder receives about a column, and what it gives back.

use super::tree::{Assembler, Hierarchy, Provenance};
use crate::error::{Error, Result, Setting};
use crate::table::kind::Measure;
use crate::table::normal::Form;

/// The distinct values of a column, as builders see them.
#[derive(Debug, Clone, Copy)]
pub struct Domain<'a> {
    /// The column's name, for messages.
    pub name: &'a str,
    /// How the texts are measured.
    pub measure: Measure,
    /// The distinct texts that occur and are not missing, in the order of the measure: numbers and
    /// dates by value, texts bytewise.
    pub values: &'a [&'a str],
    /// Rows per value.
    pub rows: &'a [u64],
    /// The first row (1-based, without the header) of each value, so that messages can point at it.
    pub first_rows: Option<&'a [u64]>,
    /// The text by which a missing value is released: one more leaf, directly under the root.
    pub missing: Option<&'a str>,
    /// Rows per value and class, for class-aware cuts.
    pub classes: Option<&'a [Vec<u64>]>,
    /// The declared smallest and largest value, in integers of the measure.
    pub declared: Option<(i128, i128)>,
    /// How a file's spellings of the values are known; none where texts are compared character by character.
    pub form: Option<Form>,
}

/// A hierarchy for one column, and where the column's values are in it.
#[derive(Debug, Clone)]
pub struct Built {
    /// The tree.
    pub hierarchy: Hierarchy,
    /// The leaf code of each value of the domain, in the domain's order.
    pub codes: Vec<u32>,
    /// The leaf code of a missing value, where the domain has one.
    pub missing: Option<u32>,
    /// What the user should know: harmless oddities of a file, levels that do nothing.
    pub notes: Vec<String>,
}

impl<'a> Domain<'a> {
    /// The values as integers, ascending; an error where the column is text.
    pub(super) fn numbers(&self, builder: &str) -> Result<Vec<i128>> {
        if !self.measure.kind.is_ordered() {
            return Err(Error::config(format!("'{builder}' needs numbers or dates, and the column is text"))
                .in_column(self.name)
                .set(
                    Setting::column("hierarchy").of(&[self.name]),
                    "build the hierarchy by prefix, alphabetic or flat, or give a file",
                )
                .set(Setting::column("type").of(&[self.name]), "give the column its type"));
        }
        let numbers: Option<Vec<i128>> = self.values.iter().map(|text| self.measure.number(text)).collect();
        let numbers = numbers.ok_or_else(|| {
            let wrong = (0..self.values.len()).filter(|i| self.measure.number(self.values[*i]).is_none());
            let error = Error::data(format!("{} not of the column's type", self.describe(wrong)));
            self.or_text(error.advise("correct those values"))
        })?;
        if !numbers.is_sorted() {
            return Err(Error::internal(format!("the values of column '{}' are not in order", self.name)));
        }
        let ends = numbers.first().zip(numbers.last());
        if ends.is_some_and(|(first, last)| !self.measure.holds(*first, *last)) {
            return Err(self.or_text(Error::data("its numbers are too long for intervals")));
        }
        Ok(numbers)
    }

    /// The error of values that do not fit the column's type: texts would.
    fn or_text(&self, error: Error) -> Error {
        error
            .in_column(self.name)
            .set(Setting::column("type").of(&[self.name]).to("text"), "set the column's type to text")
    }

    /// `3 values (17 rows; first in rows 4, 9 and 12) are` for some values, without quoting them.
    pub(super) fn describe(&self, places: impl Iterator<Item = usize>) -> String {
        let places: Vec<usize> = places.collect();
        let rows: u64 = places.iter().filter_map(|place| self.rows.get(*place)).sum();
        let mut first: Vec<u64> =
            places.iter().filter_map(|place| self.first_rows?.get(*place).copied()).collect();
        first.sort_unstable();
        let more = if first.len() > 3 { ", …" } else { "" };
        let first: Vec<String> = first.iter().take(3).map(u64::to_string).collect();
        let at = match first.len() {
            0 => String::new(),
            1 => format!("; first in row {}", first[0]),
            _ => format!("; first in rows {}{more}", first.join(", ")),
        };
        let (values, are) = if places.len() == 1 { ("value", "is") } else { ("values", "are") };
        let unit = if rows == 1 { "row" } else { "rows" };
        format!("{} {values} ({rows} {unit}{at}) {are}", places.len())
    }

    /// An error unless the lists of the domain belong together.
    pub(super) fn check(&self) -> Result<()> {
        let lengths =
            [Some(self.rows.len()), self.first_rows.map(<[u64]>::len), self.classes.map(<[Vec<u64>]>::len)];
        if lengths.into_iter().flatten().any(|length| length != self.values.len()) {
            return Err(Error::internal(format!("the lists of column '{}' differ in length", self.name)));
        }
        if !self.measure.kind.is_ordered() && !self.values.is_sorted_by(|a, b| a < b) {
            return Err(Error::internal(format!("the texts of column '{}' are not in order", self.name)));
        }
        Ok(())
    }

    /// Closes a tree whose open root lacks only the leaf for missing values.
    pub(super) fn finish(
        &self,
        mut tree: Assembler,
        codes: Vec<u32>,
        provenance: Provenance,
        notes: Vec<String>,
    ) -> Result<Built> {
        while tree.depth() > 1 {
            tree.close();
        }
        let missing = self.missing.map(|text| tree.leaf(text)).transpose()?;
        Ok(Built { hierarchy: tree.finish(provenance)?, codes, missing, notes })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::table::kind::Kind;

    /// A domain of the given values with one row each, leaked for the test's life.
    pub(in super::super) fn domain(kind: Kind, values: &[&str]) -> Domain<'static> {
        weighted(kind, &values.iter().map(|value| (*value, 1)).collect::<Vec<_>>())
    }

    /// A domain of values with their rows.
    pub(in super::super) fn weighted(kind: Kind, values: &[(&str, u64)]) -> Domain<'static> {
        let measure = Measure::of(kind, values.iter().map(|(value, _)| *value));
        let texts: Vec<&'static str> =
            values.iter().map(|(value, _)| &*Box::leak(value.to_string().into_boxed_str())).collect();
        Domain {
            name: "c",
            measure,
            values: Box::leak(texts.into_boxed_slice()),
            rows: Box::leak(values.iter().map(|(_, rows)| *rows).collect()),
            first_rows: None,
            missing: None,
            classes: None,
            declared: None,
            form: None,
        }
    }

    /// The labels of one level, in order, without repeats.
    pub(in super::super) fn level(tree: &Hierarchy, level: u32) -> Vec<std::borrow::Cow<'_, str>> {
        let mut nodes = tree.level_map(level);
        nodes.dedup();
        nodes.into_iter().map(|node| tree.label(node)).collect()
    }

    /// The path of a value: itself and its ancestors.
    pub(in super::super) fn path(tree: &Hierarchy, value: &str) -> String {
        let (leaf, above) = tree.paths().find(|(leaf, _)| *leaf == value).expect("a leaf");
        std::iter::once(leaf).chain(above).collect::<Vec<_>>().join(";")
    }

    #[test]
    fn values_are_described_without_being_shown() {
        let mut domain = weighted(Kind::Text, &[("secret", 3), ("x", 14), ("y", 1)]);
        assert_eq!(domain.describe([0, 1].into_iter()), "2 values (17 rows) are");
        assert_eq!(domain.describe([2].into_iter()), "1 value (1 row) is");
        domain.first_rows = Some(&[9, 4, 7]);
        assert_eq!(domain.describe([0, 1].into_iter()), "2 values (17 rows; first in rows 4, 9) are");
        assert_eq!(domain.describe([0].into_iter()), "1 value (3 rows; first in row 9) is");
    }

    #[test]
    fn text_has_no_numbers() {
        let message = domain(Kind::Text, &["a"]).numbers("equal_width").unwrap_err().to_string();
        assert!(message.contains("'equal_width' needs numbers or dates"), "{message}");
        let mut wrong = domain(Kind::Integer, &["1", "zebra"]);
        wrong.first_rows = Some(&[1, 2]);
        let message = wrong.numbers("widths").unwrap_err().to_string();
        assert!(message.contains("1 value (1 row; first in row 2) is not of the column's type"), "{message}");
        assert!(!message.contains("zebra"));
        assert!(domain(Kind::Integer, &["2", "1"]).numbers("x").is_err(), "not in order");
    }
}
