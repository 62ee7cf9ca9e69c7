//! How a table is written where that differs from what it means, and what it means then.
//!
//! A release may be written for a program that people open it with. The steps from its meaning to the file are undone here in reverse
//! order, with code that the writer does not share.

use std::collections::BTreeMap;

use scumble_files::table::{CodedColumn, CodedTable, Codes};
use serde::{Deserialize, Serialize};

use crate::decimal_comma::from_decimal_comma;
use crate::error::VerifyError;
use crate::ranges::{columns_of, joined};
use crate::spreadsheet::{from_spreadsheet_safe, name_from_spreadsheet_safe};

/// How a table is written. The default is a table that means what it shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WrittenForm {
    /// Whether texts and names are written so that no spreadsheet program runs them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spreadsheet_safe: bool,
    /// The columns whose numbers are written with a decimal comma and mean a decimal point.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decimal_comma: Vec<String>,
    /// The quasi-identifiers that are written as two columns, with the ends of a range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<String>,
    /// The character between fields, where commas in numbers could be taken for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
}

impl WrittenForm {
    /// Returns the table that is meant, from the table as it was read. Fails if the table is not in this form.
    pub fn meaning(&self, table: CodedTable) -> Result<CodedTable, VerifyError> {
        let mut table = if self.spreadsheet_safe { from_spreadsheet_safe(&table)? } else { table };
        for column in &mut table.columns {
            if self.decimal_comma.contains(&column.name) {
                *column = from_decimal_comma(column)?;
            }
        }
        self.ranges.iter().try_fold(table, |table, name| joined(table, name))
    }

    /// Returns the columns that are meant by the columns of a file: each with its name, and the names in the file.
    pub fn columns(&self, in_file: &[String]) -> Result<Vec<(String, Vec<String>)>, VerifyError> {
        let column = |written: &String| {
            let name = match self.spreadsheet_safe {
                true => name_from_spreadsheet_safe(written)?.to_owned(),
                false => written.clone(),
            };
            Ok((name, vec![written.clone()]))
        };
        let mut columns: Vec<(String, Vec<String>)> = in_file.iter().map(column).collect::<Result<_, _>>()?;
        for range in &self.ranges {
            let place = |name: &str| columns.iter().position(|(of, _)| of == name);
            if place(range).is_some() {
                return Err(VerifyError::Repeated { place: "release", column: range.clone() });
            }
            let [low, high] = columns_of(range).map(|name| place(&name).ok_or(name));
            let absent = |column| VerifyError::NoSuchColumn { table: "release", column };
            let (low, high) = (low.map_err(absent)?, high.map_err(absent)?);
            let second = columns[high].1.clone();
            columns[low].0.clone_from(range);
            columns[low].1.extend(second);
            columns.remove(high);
        }
        Ok(columns)
    }
}

/// A column with other texts: one for each text that it has. Dictionaries stay ascending.
pub(crate) fn with_texts(column: &CodedColumn, name: &str, texts: &[&str]) -> CodedColumn {
    let place: BTreeMap<&str, u32> = {
        let distinct: BTreeMap<&str, ()> = texts.iter().map(|text| (*text, ())).collect();
        distinct.into_keys().zip(0..).collect()
    };
    let of_code: Vec<u32> = texts.iter().map(|text| place[text]).collect();
    let mut codes = Codes::with_capacity(place.len(), 0);
    column.codes.iter().for_each(|code| codes.push(of_code[code as usize]));
    CodedColumn { name: name.to_owned(), values: place.keys().copied().collect(), codes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;

    #[test]
    fn forms_are_undone_one_after_the_other() {
        let form = WrittenForm {
            spreadsheet_safe: true,
            decimal_comma: vec!["=n".to_owned()],
            ..WrittenForm::default()
        };
        let read = form.meaning(table(&[("'=n", &["-1,5", "'=x"]), ("t", &["1,5", "''=y"])])).unwrap();
        let texts = |name: &str| read.column(name).unwrap().values.iter().collect::<Vec<_>>();
        assert_eq!((texts("=n"), texts("t")), (vec!["-1.5", "=x"], vec!["'=y", "1,5"]));
        let names = ["'=n", "t"].map(str::to_owned);
        let columns = form.columns(&names).unwrap();
        assert_eq!(columns[0], ("=n".to_owned(), vec!["'=n".to_owned()]));
        assert!(form.columns(&["=n".to_owned()]).is_err());
    }

    #[test]
    fn ranges_are_joined_last() {
        let form = WrittenForm {
            decimal_comma: vec!["a_low".to_owned(), "a_high".to_owned()],
            ranges: vec!["a".to_owned()],
            ..WrittenForm::default()
        };
        let read = form.meaning(table(&[("a_low", &["1,5"]), ("x", &["y"]), ("a_high", &["2"])])).unwrap();
        assert_eq!(read.columns[0].values.iter().collect::<Vec<_>>(), ["[1.5,2]"]);
        assert_eq!(read.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["a", "x"]);
        let columns = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            form.columns(&names)
        };
        let found = columns(&["x", "a_high", "a_low"]).unwrap();
        assert_eq!(found[1], ("a".to_owned(), vec!["a_low".to_owned(), "a_high".to_owned()]));
        assert!(columns(&["a_low"]).is_err() && columns(&["a", "a_low", "a_high"]).is_err());
        assert_eq!(
            form.meaning(table(&[("x", &["y"])])).unwrap().columns.len(),
            1,
            "a column that was not asked for"
        );
    }

    #[test]
    fn the_plain_form_changes_nothing() {
        let plain = table(&[("=n", &["1,5", "[1;2]", "=x"])]);
        let read = WrittenForm::default().meaning(plain.clone()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{plain:?}"));
        assert_eq!(serde_json::to_string(&WrittenForm::default()).unwrap(), "{}");
    }
}
