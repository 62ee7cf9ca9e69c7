//! Labels as ranges of numbers or dates: `[15,20)`, `[15,19]`, `]15,20]`, `15-19`.

use crate::table::kind::Measure;

/// All numbers of a column's grid from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    pub(super) low: i128,
    pub(super) high: i128,
}

/// What a label says about numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// One number.
    Point(i128),
    /// An interval in brackets.
    Interval(Range),
    /// `15-19`: meant for people, so it is taken less strictly.
    Dash(Range),
}

impl Meaning {
    /// The numbers that the label covers.
    pub(super) fn range(self) -> Range {
        match self {
            Self::Point(number) => Range { low: number, high: number },
            Self::Interval(range) | Self::Dash(range) => range,
        }
    }
}

/// The meaning of a label in a column of this measure; `None` if it is not about numbers, or empty.
pub(super) fn meaning(measure: &Measure, label: &str) -> Option<Meaning> {
    let label = label.trim();
    if let Some(number) = measure.number(label) {
        return Some(Meaning::Point(number));
    }
    if let Some(range) = brackets(measure, label) {
        return Some(Meaning::Interval(range));
    }
    if !measure.kind.is_number() {
        return None;
    }
    let (low, high) = label.split_once('-')?;
    let range = Range { low: end(measure, low)?.at_least(), high: end(measure, high)?.at_most() };
    (range.low <= range.high).then_some(Meaning::Dash(range))
}

fn brackets(measure: &Measure, label: &str) -> Option<Range> {
    let (opening, rest) = label.split_at_checked(1)?;
    let (inside, closing) = rest.split_at_checked(rest.len().checked_sub(1)?)?;
    let (low, high) = inside
        .split_once(measure.separator())
        .or_else(|| inside.split_once(',').filter(|(_, high)| !high.contains(',')))?;
    let (low, high) = (end(measure, low)?, end(measure, high)?);
    let low = match opening {
        "[" => low.at_least(),
        "(" | "]" => low.floor.checked_add(1)?,
        _ => return None,
    };
    let high = match closing {
        "]" => high.at_most(),
        ")" | "[" => high.at_least().checked_sub(1)?,
        _ => return None,
    };
    (low <= high).then_some(Range { low, high })
}

/// The end of an interval, which may lie between two numbers of the grid.
struct End {
    /// The largest number of the grid that is not above it.
    floor: i128,
    on_grid: bool,
}

impl End {
    /// The smallest number of the grid that is not below it.
    fn at_least(&self) -> i128 {
        if self.on_grid { self.floor } else { self.floor.saturating_add(1) }
    }

    fn at_most(&self) -> i128 {
        self.floor
    }
}

fn end(measure: &Measure, text: &str) -> Option<End> {
    let text = text.trim();
    if let Some(number) = measure.number(text) {
        return Some(End { floor: number, on_grid: true });
    }
    // An edge such as 17.5 in a column of whole numbers.
    let number = measure.exact(text)?;
    let floor = measure.floor(number)?;
    Some(End { floor, on_grid: measure.decimal(floor) == number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::date::DateFormat;
    use crate::table::kind::Kind;

    #[test]
    fn labels_mean_ranges() {
        let integer = Measure { kind: Kind::Integer, scale: 0 };
        let range = |label: &str| meaning(&integer, label).map(|m| (m.range().low, m.range().high));
        assert_eq!(range("17"), Some((17, 17)));
        assert_eq!(range("[15,20)"), Some((15, 19)));
        assert_eq!(range("[15,20]"), Some((15, 20)));
        assert_eq!(range("(15,20]"), Some((16, 20)));
        assert_eq!(range("[20,30["), Some((20, 29)));
        assert_eq!(range("]20, 30]"), Some((21, 30)));
        assert_eq!(range("[-5,-1]"), Some((-5, -1)));
        assert_eq!(range("[17.5,20.5)"), Some((18, 20)));
        assert_eq!(range("(17.5,20.0)"), Some((18, 19)));
        assert_eq!(range("15-19"), Some((15, 19)));
        for not in
            ["", "*", "Any", "[", "[]", "[5", "[5)", "[a,b]", "[9,5]", "(5,5)", "[1,2,3]", "19-15", "é", "[é"]
        {
            assert_eq!(range(not), None, "{not}");
        }
        assert!(matches!(meaning(&integer, "15-19"), Some(Meaning::Dash(_))));
        assert!(matches!(meaning(&integer, "[15,19]"), Some(Meaning::Interval(_))));
        let comma = Measure { kind: Kind::DecimalComma, scale: 1 };
        assert_eq!(meaning(&comma, "[1,5;2,5)"), Some(Meaning::Interval(Range { low: 15, high: 24 })));
        assert_eq!(meaning(&comma, "[1,2)"), Some(Meaning::Interval(Range { low: 10, high: 19 })));
        let date = Measure { kind: Kind::Date(DateFormat::YearMonthDay), scale: 0 };
        assert_eq!(
            meaning(&date, "[1970-01-02,1970-01-05)"),
            Some(Meaning::Interval(Range { low: 1, high: 3 }))
        );
    }
}
