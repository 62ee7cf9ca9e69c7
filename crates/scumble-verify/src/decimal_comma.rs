//! Numbers with a decimal comma that mean a decimal point, read back.
//!
//! ```text
//! written  = number                                       means the number with "." in place of ","
//!          | "[" number ";" number ( "]" | ")" )          means the interval with "," between the ends and "." in the numbers
//!          | text                                         means itself
//! number   = ( "+" | "-" )? digits ( "," digits )? ( ( "e" | "E" ) ( "+" | "-" )? digits )?
//! text     = anything else, but no number or interval as it would be with a decimal point
//! ```
//! So each text is the form of one text only. This reader is written from the grammar, and shares no code with the writer of the form.

use scumble_files::table::CodedColumn;

use crate::error::VerifyError;
use crate::written::with_texts;

/// Returns a column whose numbers were written with a decimal comma as it is meant. Fails if some text is not in that form.
pub(crate) fn from_decimal_comma(column: &CodedColumn) -> Result<CodedColumn, VerifyError> {
    let texts: Option<Vec<String>> = column.values.iter().map(meant).collect();
    let texts = texts.ok_or_else(|| VerifyError::NotDecimalComma { column: column.name.clone() })?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(with_texts(column, &column.name, &texts))
}

/// Returns the text that is meant, or `None` if a number is written with a point.
fn meant(written: &str) -> Option<String> {
    if let Some((low, high, end)) = interval(written, ';')
        && is_number(low, b',')
        && is_number(high, b',')
    {
        return Some(format!("[{},{}{end}", low.replace(',', "."), high.replace(',', ".")));
    }
    if let Some((low, high, _)) = interval(written, ',')
        && is_number(low, b'.')
        && is_number(high, b'.')
    {
        return None;
    }
    match (is_number(written, b','), is_number(written, b'.')) {
        (true, _) => Some(written.replace(',', ".")),
        (false, true) => None,
        (false, false) => Some(written.to_owned()),
    }
}

/// The two ends of a text that looks like an interval with this character between them, and the bracket behind.
fn interval(text: &str, between: char) -> Option<(&str, &str, char)> {
    let end = text.chars().last().filter(|end| matches!(end, ']' | ')'))?;
    let (low, high) = text.strip_prefix('[')?.strip_suffix(end)?.split_once(between)?;
    Some((low, high, end))
}

/// Whether a text is a number with this decimal mark.
fn is_number(text: &str, mark: u8) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |bytes: &[u8]| usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut rest = &text.as_bytes()[sign(text.as_bytes())..];
    let whole = digits(rest);
    rest = &rest[whole..];
    if whole == 0 {
        return false;
    }
    if rest.first() == Some(&mark) {
        let places = digits(&rest[1..]);
        if places == 0 {
            return false;
        }
        rest = &rest[1 + places..];
    }
    if matches!(rest.first(), Some(b'e' | b'E')) {
        rest = &rest[1..];
        rest = &rest[sign(rest)..];
        let exponent = digits(rest);
        return exponent > 0 && exponent == rest.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::table;

    #[test]
    fn each_text_means_one_text() {
        for (written, text) in [
            ("1,5", Some("1.5")),
            ("-0,25", Some("-0.25")),
            ("+1,5e-3", Some("+1.5e-3")),
            ("7", Some("7")),
            ("[1,5;2,5]", Some("[1.5,2.5]")),
            ("[20;30)", Some("[20,30)")),
            ("*", Some("*")),
            ("high", Some("high")),
            ("{1,5|2}", Some("{1,5|2}")),
            ("=1.5", Some("=1.5")),
            ("1,5,2", Some("1,5,2")),
            ("[1;2;3]", Some("[1;2;3]")),
            ("[a;b]", Some("[a;b]")),
            ("", Some("")),
            ("1.5", None),
            ("[1.5,2.5]", None),
            ("[20,30)", None),
        ] {
            assert_eq!(meant(written).as_deref(), text, "{written}");
        }
    }

    #[test]
    fn a_point_in_a_number_is_an_error() {
        let column = |texts: &[&str]| table(&[("a", texts)]).columns.remove(0);
        let read = from_decimal_comma(&column(&["10,5", "9,5", "x"])).unwrap();
        let texts: Vec<&str> = read.codes.iter().map(|code| read.values.get(code)).collect();
        assert_eq!(texts, ["10.5", "9.5", "x"]);
        assert!(read.values.iter().is_sorted());
        let error = from_decimal_comma(&column(&["10,5", "9.5"])).unwrap_err();
        assert_eq!(error, VerifyError::NotDecimalComma { column: "a".into() });
    }

    proptest! {
        #[test]
        fn no_two_texts_mean_the_same(a in r"[0-9.,;\[\])e+-]{0,7}", b in r"[0-9.,;\[\])e+-]{0,7}") {
            let (of_a, of_b) = (meant(&a), meant(&b));
            prop_assert!(a == b || of_a.is_none() || of_a != of_b);
        }
    }
}
