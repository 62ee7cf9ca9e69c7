//! How a table is written where that differs from what it means, and what it means then.
//!
//! A release may be written for a program that people open it with. The steps from its meaning to the file are undone here in reverse
//! order, with code that the writer does not share.

use std::collections::BTreeMap;

use scumble_files::table::{CodedColumn, CodedTable, Codes};
use serde::{Deserialize, Serialize};

use crate::decimal_comma::from_decimal_comma;
use crate::error::VerifyError;
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
        Ok(table)
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
        in_file.iter().map(column).collect()
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
    fn the_plain_form_changes_nothing() {
        let plain = table(&[("=n", &["1,5", "[1;2]", "=x"])]);
        let read = WrittenForm::default().meaning(plain.clone()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{plain:?}"));
        assert_eq!(serde_json::to_string(&WrittenForm::default()).unwrap(), "{}");
    }
}
