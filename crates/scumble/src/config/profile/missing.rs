//! Texts that look like missing values, though nobody has said that they are.

use super::ColumnValues;
use crate::table::kind::{Inference, Kind, Measure};

/// Texts of a column that look like missing values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LooksMissing {
    /// Words such as `n/a`, as the column writes them.
    pub words: Vec<String>,
    /// How many rows have one of these words.
    pub rows: u64,
    /// Numbers such as `999` that stand far from all others. They may be values.
    pub numbers: Vec<String>,
}

/// Words that mean nothing else, in lower case.
const WORDS: [&str; 24] = [
    "na",
    "n/a",
    "#n/a",
    "<na>",
    "n.a.",
    "n. a.",
    "#nv",
    "null",
    "(null)",
    "<null>",
    "nil",
    "nan",
    "-",
    "--",
    "---",
    "–",
    "—",
    ".",
    "..",
    "...",
    "missing",
    "not available",
    "k.a.",
    "keine angabe",
];

/// Words that may be values where values are words: `none` of the allergies that one may have.
const WORDS_AMONG_NUMBERS: [&str; 10] =
    ["none", "unknown", "unbekannt", "inconnu", "desconocido", "sconosciuto", "x", "*", "#", "empty"];

/// Numbers that surveys write for an answer that is missing.
const NUMBERS: [&str; 8] = ["999", "9999", "99999", "999999", "-9", "-99", "-999", "-9999"];

/// How many times as far from zero as all others a number is that is no value.
const FAR: f64 = 3.0;

/// The texts of a column that look like missing values, and the column without the words among them.
pub(super) fn apart<'a>(column: &ColumnValues<'a>) -> (LooksMissing, ColumnValues<'a>) {
    let is_word = |words: &[&str], text: &str| words.contains(&text.trim().to_lowercase().as_str());
    let mut cleaned = without(column, |text| is_word(&WORDS, text));
    let is_measured = |column: &ColumnValues<'_>| {
        let kind = Kind::infer(column.values.iter().copied());
        matches!(kind, Inference::Clear(kind) if kind != Kind::Text) || kind == Inference::AmbiguousDate
    };
    if !is_measured(&cleaned) {
        let stricter = without(&cleaned, |text| is_word(&WORDS_AMONG_NUMBERS, text));
        if is_measured(&stricter) {
            cleaned = stricter;
        }
    }
    // A column of nothing else says something by it.
    if cleaned.values.is_empty() {
        return (LooksMissing::default(), column.clone());
    }
    let is_left = |text: &&&str| !cleaned.values.contains(*text);
    let words = if cleaned.values.len() == column.values.len() {
        Vec::new()
    } else {
        column.values.iter().filter(is_left).map(|text| (*text).to_owned()).collect()
    };
    let numbers = far_numbers(&cleaned);
    (LooksMissing { words, rows: cleaned.missing - column.missing, numbers }, cleaned)
}

fn without<'a>(column: &ColumnValues<'a>, is_missing: impl Fn(&str) -> bool) -> ColumnValues<'a> {
    let mut left = ColumnValues { values: Vec::new(), counts: Vec::new(), ..column.clone() };
    for (text, count) in column.values.iter().zip(&column.counts) {
        if is_missing(text) {
            left.missing += count;
        } else {
            left.values.push(text);
            left.counts.push(*count);
        }
    }
    left
}

/// Numbers that stand for a missing value: several rows have them, and all others are far from them.
fn far_numbers(column: &ColumnValues<'_>) -> Vec<String> {
    let Inference::Clear(kind @ (Kind::Integer | Kind::Decimal | Kind::DecimalComma)) =
        Kind::infer(column.values.iter().copied())
    else {
        return Vec::new();
    };
    let measure = Measure::of(kind, column.values.iter().copied());
    let number = |text: &str| measure.number(text).map(|number| measure.float(number));
    let is_named = |text: &str| NUMBERS.contains(&text.trim());
    let others: Vec<f64> =
        column.values.iter().filter(|text| !is_named(text)).filter_map(|text| number(text)).collect();
    let (Some(low), Some(high)) =
        (others.iter().copied().reduce(f64::min), others.iter().copied().reduce(f64::max))
    else {
        return Vec::new();
    };
    let stands_far = |text: &str| {
        number(text)
            .is_some_and(|number| if number < 0.0 { low >= 0.0 } else { number > FAR * high.abs().max(1.0) })
    };
    let found = column.values.iter().zip(&column.counts);
    let found = found.filter(|(text, count)| **count >= 2 && is_named(text) && stands_far(text));
    found.map(|(text, _)| (*text).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(values: &[(&str, u64)]) -> (LooksMissing, usize) {
        let column = ColumnValues {
            name: "c",
            values: values.iter().map(|(text, _)| *text).collect(),
            counts: values.iter().map(|(_, count)| *count).collect(),
            missing: 1,
            cells: None,
            rows: 1 + values.iter().map(|(_, count)| count).sum::<u64>(),
        };
        let (looks, left) = apart(&column);
        (looks, left.values.len())
    }

    #[test]
    fn words_that_mean_nothing_are_found() {
        let (found, left) = looks(&[("-", 2), ("34", 5), ("41", 5), ("N/A", 3), ("null", 1)]);
        assert_eq!((found.words, found.rows, left), (vec!["-".into(), "N/A".into(), "null".into()], 6, 2));
        let (found, left) = looks(&[("asthma", 2), ("n/a", 5), ("none", 5)]);
        assert_eq!((found.words, left), (vec!["n/a".to_owned()], 2), "none may be a value among words");
        assert_eq!(looks(&[("34", 2), ("unknown", 5)]).0.words, ["unknown"], "and is none among numbers");
        assert_eq!(looks(&[("asthma", 2), ("gout", 5)]).0, LooksMissing::default());
        assert_eq!(looks(&[("-", 2), ("n/a", 5)]).0, LooksMissing::default(), "nothing would be left");
    }

    #[test]
    fn numbers_that_stand_apart_are_found() {
        assert_eq!(looks(&[("34", 2), ("98", 5), ("999", 2)]).0.numbers, ["999"]);
        assert_eq!(looks(&[("-9", 2), ("0", 5), ("12", 2)]).0.numbers, ["-9"]);
        for values in [
            &[("34", 2), ("98", 5), ("999", 1)][..],
            &[("340", 2), ("998", 5), ("999", 2)],
            &[("-9", 2), ("-3", 5), ("12", 2)],
            &[("999", 2)],
        ] {
            assert!(looks(values).0.numbers.is_empty(), "{values:?}");
        }
    }
}
