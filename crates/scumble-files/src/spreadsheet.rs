//! Texts that spreadsheet programs run instead of showing them, and a safe form that no program runs.
//!
//! A text that would be run, also behind any number of `'`, gets one more `'` in front: `=x` becomes `'=x`, and `'=x` becomes
//! `''=x`. Every other text stays unchanged. So each text has one safe form, and no two texts share one. The verifier reads the
//! form back with code of its own.

use std::borrow::Cow;

/// Whether a spreadsheet program would run a text. A number with a sign is a number.
#[must_use]
pub fn is_formula(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('+' | '-') => !is_number(characters.as_str()),
        // Programs also accept the wide forms from East Asian keyboards, and ignore a leading tab or line end.
        Some('=' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠') => true,
        _ => false,
    }
}

/// Whether this is a number without its sign: digits, perhaps with points and commas, and perhaps an exponent.
fn is_number(text: &str) -> bool {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let only_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && exponent.is_none_or(only_digits)
}

/// Returns a text in the form that no program runs.
#[must_use]
pub fn safe(text: &str) -> Cow<'_, str> {
    if is_formula(text.trim_start_matches('\'')) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_numbers() {
        for text in [
            "=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "+", "＝1", "-.", "-1e",
            "+1e5x", "-1-2", "+49 170",
        ] {
            assert!(is_formula(text), "{text}");
        }
        for text in [
            "", "-5", "+3.25", "-1,5", "-1.000,5", "+3.2e4", "-1E-5", "a=b", "5-", "*", "[1,2]", "'=1", " =1",
        ] {
            assert!(!is_formula(text), "{text}");
        }
    }

    #[test]
    fn one_mark_more() {
        for (text, written) in [
            ("=1", "'=1"),
            ("==x", "'==x"),
            ("=*", "'=*"),
            ("'=1", "''=1"),
            ("''=1", "'''=1"),
            ("-5", "-5"),
            ("'-5", "'-5"),
            ("'quoted'", "'quoted'"),
            ("'", "'"),
            ("", ""),
        ] {
            assert_eq!(safe(text), written);
            assert!(!is_formula(&safe(text)));
        }
    }
}
