//! The spreadsheet-safe form of texts, read back.
//!
//! ```text
//! written = "'" "'"* formula     the text without the first '
//!         | text                 the text itself
//! formula = a text that spreadsheet programs run: it begins with = @ tab, a line end, or a wide form of = + - @;
//!           or with + or - and is no number
//! number  = ("+" | "-") a part with at least one digit, of digits "." ","; then perhaps "e" or "E", perhaps a sign, and digits
//! ```
//! This reader is written from the grammar, and shares no code with the writer of the form.

use scumble_files::table::{CodedColumn, CodedTable};

use crate::error::VerifyError;
use crate::written::with_texts;

/// Returns a table that was written in the spreadsheet-safe form, with its original texts. Fails if some text is not in that
/// form, since a program would run it.
pub(crate) fn from_spreadsheet_safe(table: &CodedTable) -> Result<CodedTable, VerifyError> {
    let column = |column: &CodedColumn| {
        let name = meant(&column.name).ok_or_else(|| runs(&column.name))?;
        let texts: Option<Vec<&str>> = column.values.iter().map(meant).collect();
        Ok(with_texts(column, name, &texts.ok_or_else(|| runs(name))?))
    };
    Ok(CodedTable { columns: table.columns.iter().map(column).collect::<Result<_, _>>()?, rows: table.rows })
}

/// Returns the original name of a column that was written in the spreadsheet-safe form.
pub(crate) fn name_from_spreadsheet_safe(name: &str) -> Result<&str, VerifyError> {
    meant(name).ok_or_else(|| runs(name))
}

fn runs(column: &str) -> VerifyError {
    VerifyError::NotSpreadsheetSafe { column: column.to_owned() }
}

/// Returns the original text, or `None` if a program would run what is written.
fn meant(written: &str) -> Option<&str> {
    let marks = written.bytes().take_while(|byte| *byte == b'\'').count();
    match (runs_as_formula(&written[marks..]), marks) {
        (true, 0) => None,
        (true, _) => Some(&written[1..]),
        (false, _) => Some(written),
    }
}

fn runs_as_formula(text: &str) -> bool {
    const SIGNS: &str = "=@\t\r\n＝＋－＠";
    let Some(first) = text.chars().next() else { return false };
    if first != '+' && first != '-' {
        return SIGNS.contains(first);
    }
    // What is left of a number after its parts are taken away one by one.
    let is_part = |character: char| character.is_ascii_digit() || character == '.' || character == ',';
    let rest = text[1..].trim_start_matches(is_part);
    let part = &text[1..text.len() - rest.len()];
    if !part.contains(|character: char| character.is_ascii_digit()) {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    let Some(exponent) = rest.strip_prefix('e').or_else(|| rest.strip_prefix('E')) else { return true };
    let exponent = exponent.strip_prefix('+').or_else(|| exponent.strip_prefix('-')).unwrap_or(exponent);
    exponent.is_empty() || exponent.contains(|character: char| !character.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::table;

    #[test]
    fn marks_are_taken_away() {
        for (written, text) in [
            ("'=1", Some("=1")),
            ("''=1", Some("'=1")),
            ("'-2+3", Some("-2+3")),
            ("-5", Some("-5")),
            ("'-5", Some("'-5")),
            ("'quoted'", Some("'quoted'")),
            ("'", Some("'")),
            ("", Some("")),
            ("=1", None),
            ("+1e", None),
            ("+1e5", Some("+1e5")),
        ] {
            assert_eq!(meant(written), text, "{written}");
        }
    }

    #[test]
    fn dictionaries_stay_ascending() {
        let safe = table(&[("'=a", &["'=x", "'+y", "a", "''=x"])]);
        let read = from_spreadsheet_safe(&safe).unwrap();
        let column = read.column("=a").unwrap();
        let texts: Vec<&str> = column.values.iter().collect();
        assert!(texts.is_sorted(), "{texts:?}");
        let rows: Vec<&str> = column.codes.iter().map(|code| column.values.get(code)).collect();
        assert_eq!(rows, ["=x", "+y", "a", "'=x"]);
        assert!(from_spreadsheet_safe(&table(&[("a", &["=x"])])).is_err());
        assert!(from_spreadsheet_safe(&table(&[("=a", &["x"])])).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(text in "['=+@\t\r\n＝0-9eE.,a -]{0,8}") {
            let written = scumble_files::spreadsheet::safe(&text);
            prop_assert_eq!(meant(&written), Some(&*text));
            // Two independent implementations must agree on which texts are run.
            prop_assert_eq!(runs_as_formula(&text), scumble_files::spreadsheet::is_formula(&text));
        }

        #[test]
        fn any_text_is_read_back(text in any::<String>()) {
            let written = scumble_files::spreadsheet::safe(&text);
            prop_assert_eq!(meant(&written), Some(&*text));
        }
    }
}
