//! Masking: the signs of a text behind `x`.

use super::values::{each_value, present};
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "mask",
    title: "Masking",
    paper: "As payment receipts show card numbers",
    standing: Standing::Recommended,
    about: "Replaces the characters of a text by x, but for some at either end and for separators. For codes whose beginning is a coarser \
            value, such as postcodes, a prefix hierarchy is better: the search decides how much of it to show.",
    parameters: &[
        ("keep_left", "how many characters at the beginning stay; separators are not counted (0)"),
        ("keep_right", "how many characters at the end stay; separators are not counted (0)"),
        ("with", "the character in place of the others (x)"),
        ("keep", "separators that always stay (\"-. /\")"),
        (
            "length",
            "in place of fixed_length: the number of characters of every masked text, separators not counted",
        ),
        ("fixed_length", "as many characters as the longest value has, so that lengths tell nothing (false)"),
    ],
    build: |parameters| Ok(Box::new(Mask::new(parameters)?)),
};

struct Mask {
    left: usize,
    right: usize,
    with: char,
    keep: String,
    /// The length of every masked text, once it is known.
    length: Option<usize>,
    fixed: bool,
}

impl Mask {
    fn new(parameters: &Parameters) -> Result<Self> {
        let count = |name: &str| -> Result<usize> {
            Ok(parameters.whole(name, 0)?.map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX)))
        };
        let with = match parameters.get("with").map(Value::to_text) {
            None => 'x',
            Some(text) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(one), None) => one,
                    _ => return Err(parameters.placed("with", Error::config("with must be one character"))),
                }
            }
        };
        let keep = parameters.get("keep").map_or("-. /".into(), Value::to_text).into_owned();
        let length =
            parameters.whole("length", 1)?.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        let fixed = parameters.boolean("fixed_length")?.unwrap_or(false);
        Ok(Self { left: count("keep_left")?, right: count("keep_right")?, with, keep, length, fixed })
    }

    fn masked(&self, text: &str, length: Option<usize>) -> String {
        let is_separator = |character: char| self.keep.contains(character);
        let counted = text.chars().filter(|character| !is_separator(*character)).count();
        let shown_right = counted.saturating_sub(self.right);
        let mut place = 0;
        let mut made = String::with_capacity(text.len());
        let mut left_out = length.map_or(0, |length| length.saturating_sub(counted));
        for character in text.chars() {
            if is_separator(character) {
                made.push(character);
                continue;
            }
            // What a text lacks in length stands before the characters that stay at its end.
            if place == shown_right.max(self.left) {
                (0..std::mem::take(&mut left_out)).for_each(|_| made.push(self.with));
            }
            made.push(if place < self.left || place >= shown_right { character } else { self.with });
            place += 1;
        }
        (0..left_out).for_each(|_| made.push(self.with));
        made
    }
}

impl Transform for Mask {
    fn facts(&self) -> Facts {
        Facts::DERIVED
    }

    fn words(&self) -> String {
        let ends = match (self.left, self.right) {
            (0, 0) => String::new(),
            (left, 0) => format!(", but for the first {left}"),
            (0, right) => format!(", but for the last {right}"),
            (left, right) => format!(", but for the first {left} and the last {right}"),
        };
        format!("characters are replaced by \"{}\"{ends}", self.with)
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let counted = |text: &str| text.chars().filter(|character| !self.keep.contains(*character)).count();
        // A column without values still needs a length, for other rows.
        let longest =
            || present(given, column).iter().map(|(_, text)| counted(text)).max().unwrap_or(0).max(1);
        let length = self.length.or_else(|| self.fixed.then(longest));
        let made = each_value(given, column, |text| Ok(self.masked(text, length)))?;
        let settled = match (self.length, length) {
            (None, Some(length)) => {
                vec![("length", Value::Integer(i64::try_from(length).unwrap_or(i64::MAX)))]
            }
            _ => Vec::new(),
        };
        let from_data = !settled.is_empty();
        Ok(Made { settled, from_data, ..Made::of(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    fn masked(given: &[(&str, &str)], text: &str) -> String {
        made(&ENTRY, given, &[text]).expect("a mask").remove(0)
    }

    #[test]
    fn characters_are_masked_and_separators_stay() {
        // The specification's example counts the plus sign (transforms.md 1.10).
        assert_eq!(masked(&[("keep_left", "3")], "+49 170 1234567"), "+49 xxx xxxxxxx");
        assert_eq!(masked(&[("keep_right", "4")], "4111-1111-1111-1111"), "xxxx-xxxx-xxxx-1111");
        assert_eq!(masked(&[("with", "*"), ("keep", "")], "a-b"), "***");
        assert_eq!(
            masked(&[("keep_left", "2"), ("keep_right", "2")], "abc"),
            "abc",
            "nothing is left to mask"
        );
        assert_eq!(masked(&[], "äöü"), "xxx");
    }

    #[test]
    fn lengths_may_be_hidden() {
        let texts: &[&str] = &["ab", "abcdef", "NA"];
        let made = run(&ENTRY, &[("fixed_length", "true"), ("keep_left", "1")], &[texts], &[], false)
            .expect("a mask");
        assert_eq!(rows(&made), ["axxxxx", "axxxxx", "NA"]);
        assert_eq!(made.settled, [("length", Value::Integer(6))]);
        // Nothing to measure, or nothing that counts.
        for text in ["NA", "-"] {
            let made = run(&ENTRY, &[("fixed_length", "true")], &[&[text]], &[], false).expect("a mask");
            assert_eq!(made.settled, [("length", Value::Integer(1))]);
        }
        let right =
            super::super::testing::made(&ENTRY, &[("length", "5"), ("keep_right", "1")], &["ab", "abcdef"]);
        assert_eq!(right.expect("a mask"), ["xxxxb", "xxxxxf"]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(made(&ENTRY, &[("with", "xy")], &["a"]).expect_err("two").contains("one character"));
        assert!(made(&ENTRY, &[("keep_left", "-1")], &["a"]).expect_err("negative").contains("at least 0"));
    }
}
