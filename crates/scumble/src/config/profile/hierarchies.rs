//! Guesses how a quasi-identifier could be generalised, and which type suits that.

use super::Facts;
use super::signs::Sign;
use super::words::Topic;
use crate::config::ValueType;
use crate::table::kind::{Inference, Kind};

/// A way to generalise, as the plan has it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyGuess {
    /// An inline table of TOML: `{ build = "flat" }`.
    pub toml: String,
    /// Why, as a sentence without any value of the table.
    pub reason: String,
}

/// The most values that need no step between them and `*`.
const FEW_VALUES: u64 = 8;
/// The age that nobody passes by much; older ages are mistakes.
const OLDEST: i64 = 120;

/// The type for the plan: what the values are, but text where numbers are only codes.
pub(super) fn value_type(facts: &Facts<'_>) -> ValueType {
    let codes = matches!(
        facts.topic,
        Some(Topic::Postcode | Topic::Sex | Topic::Origin | Topic::Place | Topic::Work | Topic::RecordNumber)
    );
    match facts.kind {
        Inference::AmbiguousDate => ValueType::Date,
        Inference::Clear(Kind::Integer) if codes || !facts.personal.kinds.is_empty() => ValueType::Text,
        Inference::Clear(Kind::Text) if is_true_or_false(facts) => ValueType::Boolean,
        Inference::Clear(kind) => ValueType::of(kind),
    }
}

/// Whether all values are the words that programs use for true and false.
fn is_true_or_false(facts: &Facts<'_>) -> bool {
    let word = |value: &&str| ["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word));
    !facts.column.values.is_empty() && facts.column.values.iter().all(word)
}

/// The values that a column can have by its meaning. Data-derived ends would publish real extremes.
pub(super) fn domain(facts: &Facts<'_>) -> Option<(i64, i64)> {
    let is_age = facts.topic == Some(Topic::Age) && facts.kind == Inference::Clear(Kind::Integer);
    let fits = |value: &&str| value.parse().is_ok_and(|age: i64| (0..=OLDEST).contains(&age));
    (is_age && facts.column.values.iter().all(fits)).then_some((0, OLDEST))
}

/// A hierarchy for a quasi-identifier.
pub(super) fn guess(facts: &Facts<'_>, value_type: ValueType) -> HierarchyGuess {
    let guess =
        |toml: &str, reason: &str| HierarchyGuess { toml: toml.to_owned(), reason: reason.to_owned() };
    match value_type {
        ValueType::Date => guess(
            "{ build = \"dates\", levels = [\"month\", \"year\", \"decade\"] }",
            "Dates become months, years and decades.",
        ),
        ValueType::Timestamp => guess(
            "{ build = \"timestamps\", levels = [\"hour\", \"day\", \"month\", \"year\"] }",
            "Timestamps become hours, days, months and years.",
        ),
        ValueType::Time => guess(
            "{ build = \"times\", levels = [\"hour\", \"part_of_day\"] }",
            "Times of day become hours and parts of the day.",
        ),
        ValueType::Boolean => guess("{ build = \"flat\" }", "True and false are kept or become `*`."),
        ValueType::Integer if facts.topic == Some(Topic::Age) => guess(
            "{ build = \"widths\", widths = [5, 10, 20, 40] }",
            "Ages become spans of 5, 10, 20 and 40 years.",
        ),
        ValueType::Integer if facts.topic == Some(Topic::BirthDate) => guess(
            "{ build = \"widths\", widths = [5, 10, 20, 40] }",
            "Years become spans of 5, 10, 20 and 40 years.",
        ),
        ValueType::Integer | ValueType::Decimal | ValueType::DecimalComma => guess(
            "{ build = \"equal_width\", bins = 8 }",
            "Numbers become intervals; declare min and max, or the range is taken from the data.",
        ),
        ValueType::Text if is_prefix_code(facts) => prefixes(facts),
        ValueType::Text if facts.distinct <= FEW_VALUES => {
            guess("{ build = \"flat\" }", "Its few values are kept or become `*`.")
        }
        ValueType::Text => guess(
            "{ build = \"initials\" }",
            "Texts become ranges of the alphabet by their first letter; a tree of your own keeps more: { build = \"file\", path = \"tree.csv\" }.",
        ),
    }
}

fn is_prefix_code(facts: &Facts<'_>) -> bool {
    facts.topic == Some(Topic::Postcode)
        || facts.signs.iter().any(|sign| matches!(sign, Sign::Postcode | Sign::Icd))
}

/// Keeps about half of a code, then its first sign: three and one of five.
fn prefixes(facts: &Facts<'_>) -> HierarchyGuess {
    let longest = facts.column.values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let half = longest.div_ceil(2).min(3);
    let lengths = if half > 1 { format!("{half}, 1") } else { "1".to_owned() };
    HierarchyGuess {
        toml: format!("{{ build = \"prefix\", lengths = [{lengths}] }}"),
        reason: "Codes with the same beginning lie close together.".to_owned(),
    }
}
