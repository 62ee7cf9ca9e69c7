//! Rare values become one value.

use scumble_files::table::CodedColumn;

use super::values::{counts, each_occurring, present};
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational, Value};
use crate::error::{Error, Result};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "lump",
    title: "Lumping rare values",
    paper: "Hundepool et al. 2012, section 3.3",
    standing: Standing::Recommended,
    about: "Shows values that few rows have as one value, such as other. While too few rows show that one, the rarest of the remaining values \
            joins it. New rows with a value that was not kept, or was never seen, show it too.",
    parameters: &[
        ("least", "a value stays if so many rows have it (10)"),
        ("share", "in place of least: the share of rows that must have it"),
        ("label", "what rare values show (other)"),
        ("keep", "in place of least: the values that stay"),
    ],
    build: |parameters| Ok(Box::new(Lump::new(parameters)?)),
};

enum Rule {
    Keep(Vec<String>),
    Least(u64),
    Share(Rational),
}

struct Lump {
    rule: Rule,
    label: String,
}

impl Lump {
    fn new(parameters: &Parameters) -> Result<Self> {
        let share = parameters.positive("share", Some(Rational::ONE))?;
        let least = parameters.whole("least", 1)?;
        let keep = match parameters.get("keep") {
            None => None,
            Some(Value::List(items)) => Some(items.iter().map(|item| item.to_text().into_owned()).collect()),
            Some(one) => Some(vec![one.to_text().into_owned()]),
        };
        let rule = match (keep, least, share) {
            // A list that was once taken from the data stays.
            (Some(keep), ..) => Rule::Keep(keep),
            (None, Some(_), Some(_)) => {
                return Err(parameters
                    .placed("share", Error::config("least and share are both given, and one decides")));
            }
            (None, None, Some(share)) => Rule::Share(share),
            (None, least, None) => Rule::Least(least.unwrap_or(10)),
        };
        let label = parameters.text("label")?.unwrap_or("other").to_owned();
        if label.is_empty() {
            return Err(
                parameters.placed("label", Error::config("the label of rare values must not be empty"))
            );
        }
        Ok(Self { rule, label })
    }

    /// The values that stay.
    fn kept<'c>(&self, given: &Given<'_>, column: &'c CodedColumn) -> Vec<&'c str> {
        let rows = counts(given, column);
        let mut values: Vec<(u64, &str)> =
            present(given, column).into_iter().map(|(code, text)| (rows[code as usize], text)).collect();
        let all: u64 = values.iter().map(|(rows, _)| rows).sum();
        let least = match &self.rule {
            Rule::Keep(keep) => {
                let is_kept = |text: &&str| keep.iter().any(|kept| kept == text);
                return values.into_iter().map(|(_, text)| text).filter(is_kept).collect();
            }
            Rule::Least(least) => *least,
            Rule::Share(share) => {
                share.floor_of(all) + u64::from(!share.cmp_ratio(share.floor_of(all), all.max(1)).is_eq())
            }
        };
        // The rarest first; among equally rare ones the text decides.
        values.sort_unstable();
        let mut lumped = values.partition_point(|(rows, _)| *rows < least);
        let mut in_lump: u64 = values[..lumped].iter().map(|(rows, _)| rows).sum();
        while lumped > 0 && in_lump < least && lumped < values.len() {
            in_lump += values[lumped].0;
            lumped += 1;
        }
        values[lumped..].iter().map(|(_, text)| *text).collect()
    }
}

impl Transform for Lump {
    fn facts(&self) -> Facts {
        Facts::DERIVED
    }

    fn words(&self) -> String {
        format!("rare values show \"{}\"", self.label)
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        if present(given, column).iter().any(|(_, text)| *text == self.label) {
            return Err(Error::config("the label of rare values is a value of the column already")
                .in_column(&column.name)
                .advise("choose another label"));
        }
        let mut kept = self.kept(given, column);
        kept.sort_unstable();
        let made = each_occurring(given, column, |_, text| {
            Ok(if kept.binary_search(&text).is_ok() { text } else { self.label.as_str() }.to_owned())
        })?;
        let settled = match self.rule {
            Rule::Keep(_) => Vec::new(),
            _ => vec![("keep", Value::List(kept.into_iter().map(Value::from).collect()))],
        };
        let from_data = !settled.is_empty();
        Ok(Made { settled, from_data, ..Made::of(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    fn of_counts(counts: &[(&'static str, usize)]) -> Vec<&'static str> {
        counts.iter().flat_map(|(text, count)| std::iter::repeat_n(*text, *count)).collect()
    }

    fn lumped(counts: &[(&'static str, usize)], least: &str) -> Vec<(String, usize)> {
        let texts = made(&ENTRY, &[("least", least)], &of_counts(counts)).expect("lumps");
        let mut shown: Vec<(String, usize)> = Vec::new();
        for text in texts {
            match shown.iter_mut().find(|(of, _)| *of == text) {
                Some((_, rows)) => *rows += 1,
                None => shown.push((text, 1)),
            }
        }
        shown
    }

    /// The specification's examples (transforms.md 1.4).
    #[test]
    fn rare_values_are_lumped() {
        let shown = |pairs: &[(&str, usize)]| -> Vec<(String, usize)> {
            pairs.iter().map(|(text, rows)| ((*text).to_owned(), *rows)).collect()
        };
        let first = lumped(&[("a", 50), ("b", 20), ("c", 6), ("d", 3), ("e", 2)], "5");
        assert_eq!(first, shown(&[("a", 50), ("b", 20), ("c", 6), ("other", 5)]));
        let second = lumped(&[("a", 50), ("b", 20), ("c", 6), ("d", 2)], "5");
        assert_eq!(second, shown(&[("a", 50), ("b", 20), ("other", 8)]));
        assert_eq!(lumped(&[("a", 3), ("b", 2)], "10"), shown(&[("other", 5)]));
        assert_eq!(lumped(&[("a", 50), ("b", 20)], "5"), shown(&[("a", 50), ("b", 20)]), "nothing is rare");
    }

    #[test]
    fn what_was_kept_is_kept_for_other_rows() {
        let texts = of_counts(&[("a", 20), ("1", 20), ("c", 1), ("d", 12), ("NA", 1)]);
        let made_once = run(&ENTRY, &[], &[&texts], &[], false).expect("lumps");
        assert!(rows(&made_once).contains(&"NA".to_owned()));
        let Value::List(keep) = &made_once.settled[0].1 else { panic!("no list") };
        assert_eq!(keep, &[Value::from("1"), Value::from("a")]);
        let keep = [("keep", "[1, a]")];
        assert_eq!(
            made(&ENTRY, &keep, &["1", "a", "d", "never seen"]).expect("lumps"),
            ["1", "a", "other", "other"]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(made(&ENTRY, &[("label", "a")], &["a", "b"]).expect_err("taken").contains("another label"));
        assert!(made(&ENTRY, &[("least", "0")], &["a"]).expect_err("zero").contains("at least 1"));
        assert!(
            made(&ENTRY, &[("least", "2"), ("share", "0.1")], &["a"]).expect_err("both").contains("both")
        );
    }
}
