//! Values that stand for many numbers, which steps have made of numbers: `>=90`, `<=18` and `[18,30)`.

use crate::table::kind::{Inference, Kind, Measure};

/// The numbers that a value stands for, as integers of its column's measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stretch {
    /// The first one; `None` if there is none.
    pub(crate) low: Option<i128>,
    /// The first one behind it; `None` if it has no end.
    pub(crate) end: Option<i128>,
}

/// The texts of the ends of such a value.
struct Ends<'t> {
    low: Option<&'t str>,
    high: Option<&'t str>,
    /// Whether the high end is included.
    closed: bool,
}

impl<'t> Ends<'t> {
    fn read(text: &'t str) -> Option<Self> {
        if let Some(low) = text.strip_prefix(">=") {
            return Some(Self { low: Some(low), high: None, closed: true });
        }
        if let Some(high) = text.strip_prefix("<=") {
            return Some(Self { low: None, high: Some(high), closed: true });
        }
        let inner = text.strip_prefix('[')?;
        let (inner, closed) = match inner.strip_suffix(']') {
            Some(inner) => (inner, true),
            None => (inner.strip_suffix(')')?, false),
        };
        let between = if inner.contains(';') { ';' } else { ',' };
        let (low, high) = inner.split_once(between)?;
        Some(Self { low: Some(low), high: Some(high), closed })
    }

    fn texts(self) -> impl Iterator<Item = &'t str> {
        self.low.into_iter().chain(self.high)
    }
}

impl Stretch {
    /// The meaning of a text in a column of numbers; `None` for a number, and for a text without such a meaning.
    pub(crate) fn read(measure: &Measure, text: &str) -> Option<Self> {
        if !measure.kind.is_number() {
            return None;
        }
        let Ends { low, high, closed } = Ends::read(text)?;
        let number = |end: Option<&str>| match end {
            None => Some(None),
            Some(end) => measure.number(end).map(Some),
        };
        let (low, high) = (number(low)?, number(high)?);
        let end = high.map(|high| high + i128::from(closed));
        low.zip(end).is_none_or(|(low, end)| low < end).then_some(Self { low, end })
    }

    /// A number by itself.
    pub(crate) fn of(number: i128) -> Self {
        Self { low: Some(number), end: Some(number + 1) }
    }

    /// A number for it among others: where it begins or, without a beginning, where it ends.
    pub(crate) fn place(self) -> i128 {
        self.low.or(self.end.map(|end| end - 1)).unwrap_or(0)
    }

    /// Whether it and all numbers above it are different from another one.
    pub(crate) fn is_above(self, other: Self) -> bool {
        self.low.zip(other.end).is_some_and(|(low, end)| end <= low)
    }
}

impl Measure {
    /// The middle of the numbers that a text such as `[18,30)` stands for, and the end of `>=90`, which has only one.
    #[must_use]
    pub fn middle(&self, text: &str) -> Option<f64> {
        let Stretch { low, end } = Stretch::read(self, text)?;
        match (low, end) {
            (Some(low), Some(end)) => Some(f64::midpoint(self.float(low), self.float(end))),
            (Some(low), None) => Some(self.float(low)),
            (None, end) => end.map(|end| self.float(end - 1)),
        }
    }
}

/// How a column is measured in which steps have put such values beside numbers, or in place of all of them; `None` if it has none of them, or
/// other texts as well.
pub(crate) fn measure_of<'t>(mut texts: impl Iterator<Item = &'t str> + Clone) -> Option<Measure> {
    let is_one = |text: &'t str| Ends::read(text).is_some();
    if !texts.clone().any(is_one) {
        return None;
    }
    let ends: Vec<&str> = texts
        .clone()
        .flat_map(|text| match Ends::read(text) {
            Some(ends) => ends.texts().collect(),
            None => vec![text],
        })
        .collect();
    let Inference::Clear(kind) = Kind::infer(ends.iter().copied()) else { return None };
    let measure = Measure::of(kind, ends.iter().copied());
    let has_meaning = |text: &str| measure.number(text).is_some() || Stretch::read(&measure, text).is_some();
    // Numbers of very different sizes have no unit in which an interval could end.
    (measure.kind.has_unit() && texts.all(has_meaning)).then_some(measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_for_many_numbers() {
        let measure = Measure { kind: Kind::Decimal, scale: 1 };
        let read = |text: &str| Stretch::read(&measure, text).map(|of| (of.low, of.end));
        assert_eq!(read(">=90"), Some((Some(900), None)));
        assert_eq!(read("<=1.5"), Some((None, Some(16))));
        assert_eq!(read("[18,30)"), Some((Some(180), Some(300))));
        assert_eq!(read("[18,30]"), Some((Some(180), Some(301))));
        for text in ["90", ">90", ">=x", "[30,18)", "[18,30", "(18,30]", ">=0.25", "*"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(Stretch::read(&Measure { kind: Kind::Text, scale: 0 }, ">=90"), None);
        let comma = Measure { kind: Kind::DecimalComma, scale: 1 };
        assert_eq!(Stretch::read(&comma, "[1,5;2)"), Some(Stretch { low: Some(15), end: Some(20) }));
    }

    #[test]
    fn the_middle_of_what_is_known() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let of = |text: &str| measure.middle(text);
        assert_eq!(
            (of("[18,30)"), of(">=90"), of("<=18"), of("7")),
            (Some(24.0), Some(90.0), Some(18.0), None)
        );
    }

    #[test]
    fn a_column_has_the_measure_of_its_ends() {
        let of = |texts: &[&str]| measure_of(texts.iter().copied()).map(|of| (of.kind, of.scale));
        assert_eq!(of(&["17", ">=90"]), Some((Kind::Integer, 0)));
        assert_eq!(of(&["17", "<=1.5", ">=90"]), Some((Kind::Decimal, 1)));
        assert_eq!(of(&["[0,18)", ">=65"]), Some((Kind::Integer, 0)));
        assert_eq!(of(&["[0;1,5)", ">=1,5"]), Some((Kind::DecimalComma, 1)));
        for texts in [&["17", "90"][..], &["17", ">=50K"], &["a", ">=90"], &[">=2024-01-01"]] {
            assert_eq!(of(texts), None, "{texts:?}");
        }
    }
}
