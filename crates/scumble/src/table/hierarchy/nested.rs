//! Trees of nested groups of ordered values, and round edges between the groups.
//!
//! A label must not publish what only the data knows: where no range was declared, outer edges are
//! rounded outward and a cut between two values is moved to the roundest number between them.

use scumble_files::table::Texts;

use super::tree::Assembler;
use crate::error::Result;
use crate::table::date::Date;
use crate::table::kind::{Kind, Measure};

/// One level of groups: where each starts among the ordered values, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Level {
    /// Ascending places; the first is 0.
    pub(super) starts: Vec<usize>,
    /// One label per group.
    pub(super) labels: Texts,
}

/// The range that labels may name: from `low` up to, not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) low: i128,
    pub(super) end: i128,
    /// Declared ranges include their largest value, and labels say so: `[41,90]`.
    pub(super) declared: bool,
}

/// A tree with an open root `*`, the levels (coarsest first, each a refinement of the one before)
/// below it and the values as leaves; and the leaf code of each value.
pub(super) fn assemble(column: &str, values: &[&str], levels: &[Level]) -> Result<(Assembler, Vec<u32>)> {
    let mut tree = Assembler::new(column);
    tree.open("*")?;
    let mut next = vec![0_usize; levels.len()];
    let mut codes = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let starts_here = |level: &usize| levels[*level].starts.get(next[*level]) == Some(&place);
        if let Some(coarsest) = (0..levels.len()).find(starts_here) {
            while tree.depth() > coarsest + 1 {
                tree.close();
            }
            for level in coarsest..levels.len() {
                tree.open(levels[level].labels.get(next[level] as u32))?;
                next[level] += 1;
            }
        }
        codes.push(tree.leaf(value)?);
    }
    Ok((tree, codes))
}

/// The level that puts every number into the interval `bin` gives for it: its low edge and its end.
pub(super) fn level_of_bins(
    measure: &Measure,
    numbers: &[i128],
    span: Option<Span>,
    bin: impl Fn(i128) -> (i128, i128),
) -> Level {
    let mut level = Level { starts: Vec::new(), labels: Texts::default() };
    let mut current = None;
    for (place, number) in numbers.iter().enumerate() {
        let (low, end) = bin(*number);
        if current != Some(low) {
            current = Some(low);
            level.starts.push(place);
            level.labels.push(&interval(measure, low, end, span));
        }
    }
    level
}

/// The level whose groups start at the given places, with round edges between them.
pub(super) fn level_of_cuts(measure: &Measure, numbers: &[i128], span: Span, starts: Vec<usize>) -> Level {
    let edge = |group: usize| match starts.get(group) {
        None => span.end,
        Some(0) => span.low,
        Some(start) => roundest_between(measure, numbers[start - 1], numbers[*start]),
    };
    let mut labels = Texts::default();
    for group in 0..starts.len() {
        labels.push(&interval(measure, edge(group), edge(group + 1), Some(span)));
    }
    Level { starts, labels }
}

/// The interval from `low` up to `end`: closed where the values lie on a grid that people count in.
pub(super) fn interval(measure: &Measure, low: i128, end: i128, span: Option<Span>) -> String {
    let includes_end = span.is_some_and(|span| span.declared && span.end == end);
    match measure.kind {
        Kind::Decimal | Kind::DecimalComma | Kind::Wide { .. } if !includes_end => {
            format!("[{}{}{})", measure.text(low), measure.separator(), measure.text(end))
        }
        _ => measure.interval(low, end - 1),
    }
}

/// The steps that people round to: 1, 2, 5, 10, 20, 50 … in units of the column's precision.
pub(super) fn round_steps() -> impl Iterator<Item = i128> {
    (0..38)
        .flat_map(|exponent| [1, 2, 5].map(|digit: i128| digit.checked_mul(10_i128.pow(exponent))))
        .flatten()
}

/// The smallest round step with which at most `most` bins cover the numbers, and the covering span. Bins
/// hold at least two places of the grid, so that none names a single value; and since bins meet at 0,
/// numbers on both sides of it need two.
pub(super) fn round_bins(low: i128, high: i128, most: usize) -> (i128, Span) {
    let mut last = (1, Span { low, end: high + 1, declared: false });
    for step in round_steps().skip(1) {
        let (first, beyond) = (low.div_euclid(step), high.div_euclid(step) + 1);
        let (Some(low), Some(end)) = (first.checked_mul(step), beyond.checked_mul(step)) else { break };
        last = (step, Span { low, end, declared: false });
        if beyond - first <= most.max(2) as i128 {
            break;
        }
    }
    last
}

/// Round edges that cover the numbers with at most this many intervals: of equal width, or powers of ten where sizes differ too much for
/// that.
pub(super) fn round_edges(measure: &Measure, low: i128, high: i128, most: usize) -> Vec<i128> {
    if let Some(powers) = measure.powers_of_ten(low, high, most) {
        return powers;
    }
    let (step, span) = round_bins(low, high, most);
    let count = ((span.end - span.low) / step) as usize;
    (0..=count).map(|bin| span.low + bin as i128 * step).collect()
}

/// The range that outer labels name: the declared one, or the data's rounded outward.
pub(super) fn outer_span(measure: &Measure, numbers: &[i128], declared: Option<(i128, i128)>) -> Span {
    if let Some((low, high)) = declared {
        return Span { low, end: high + 1, declared: true };
    }
    let (low, high) = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
    if let (Kind::Date(_), Some(first), Some(last)) = (measure.kind, date(low), date(high)) {
        return Span { low: january(first.year), end: january(last.year + 1), declared: false };
    }
    if matches!(measure.kind, Kind::Timestamp { .. } | Kind::Time) {
        let (low, high) = measure.outward(low, high);
        return Span { low, end: high + 1, declared: false };
    }
    if measure.kind.has_unit() {
        return round_bins(low, high, 10).1;
    }
    let edges = round_edges(measure, low, high, 10);
    Span { low: edges[0], end: edges[edges.len() - 1], declared: false }
}

/// The roundest number above `below` and not above `above`: a fair place for a cut between two values.
fn roundest_between(measure: &Measure, below: i128, above: i128) -> i128 {
    if let (Kind::Date(_), Some(day)) = (measure.kind, date(above)) {
        let month = i128::from(Date { day: 1, ..day }.number());
        return [january(day.year), month].into_iter().find(|edge| *edge > below).unwrap_or(above);
    }
    if matches!(measure.kind, Kind::Wide { .. } | Kind::Timestamp { .. } | Kind::Time) {
        return measure.roundest_between(below, above) + 1;
    }
    let multiple = |step: i128| above.div_euclid(step) * step;
    let steps = round_steps().take_while(|step| *step <= i128::MAX / 100);
    steps.map(multiple).filter(|edge| *edge > below).last().unwrap_or(above)
}

/// The date of a day number, where it fits.
fn date(number: i128) -> Option<Date> {
    i32::try_from(number).ok().map(|day| Date::of(i64::from(day)))
}

/// The day number of a year's first day.
fn january(year: i64) -> i128 {
    i128::from(Date { year, month: 1, day: 1 }.number())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::date::DateFormat;

    const INTEGER: Measure = Measure { kind: Kind::Integer, scale: 0 };
    const DECIMAL: Measure = Measure { kind: Kind::Decimal, scale: 1 };
    const DATE: Measure = Measure { kind: Kind::Date(DateFormat::YearMonthDay), scale: 0 };

    #[test]
    fn steps_are_round() {
        assert_eq!(round_steps().take(7).collect::<Vec<_>>(), [1, 2, 5, 10, 20, 50, 100]);
        // 16 bins of 5 years cover 17 to 90: the tree that the Adult literature uses.
        assert_eq!(round_bins(17, 90, 16), (5, Span { low: 15, end: 95, declared: false }));
        assert_eq!(round_bins(-7, -7, 4), (2, Span { low: -8, end: -6, declared: false }));
        assert_eq!(round_bins(-17, 3, 3), (10, Span { low: -20, end: 10, declared: false }));
        let huge = 10_i128.pow(36);
        let (_, span) = round_bins(-huge, huge, 2);
        assert!(span.low <= -huge && span.end > huge);
    }

    #[test]
    fn cuts_move_to_round_numbers() {
        assert_eq!(roundest_between(&INTEGER, 17, 23), 20);
        assert_eq!(roundest_between(&INTEGER, 17, 18), 18);
        assert_eq!(roundest_between(&INTEGER, 20, 30), 30);
        assert_eq!(roundest_between(&INTEGER, 987, 1012), 1000);
        assert_eq!(roundest_between(&INTEGER, -3, 4), 0);
        assert_eq!(roundest_between(&INTEGER, -30, -21), -25);
        let day = |text| DATE.number(text).unwrap();
        assert_eq!(roundest_between(&DATE, day("2019-05-05"), day("2020-07-04")), day("2020-01-01"));
        assert_eq!(roundest_between(&DATE, day("2020-05-05"), day("2020-07-04")), day("2020-07-01"));
        assert_eq!(roundest_between(&DATE, day("2020-07-02"), day("2020-07-04")), day("2020-07-04"));
    }

    #[test]
    fn the_data_s_extremes_are_not_named() {
        assert_eq!(outer_span(&INTEGER, &[17, 90], None), Span { low: 10, end: 100, declared: false });
        assert_eq!(
            outer_span(&INTEGER, &[17, 90], Some((0, 120))),
            Span { low: 0, end: 121, declared: true }
        );
        let day = |text| DATE.number(text).unwrap();
        let span = outer_span(&DATE, &[day("1961-04-03"), day("2003-12-07")], None);
        assert_eq!((span.low, span.end), (day("1961-01-01"), day("2004-01-01")));
    }

    #[test]
    fn labels_are_closed_on_a_grid_and_half_open_on_a_line() {
        let span = Some(Span { low: 0, end: 91, declared: true });
        assert_eq!(interval(&INTEGER, 17, 25, None), "[17,24]");
        assert_eq!(interval(&DECIMAL, 10, 25, span), "[1,2.5)");
        assert_eq!(interval(&DECIMAL, 10, 91, span), "[1,9]");
        let comma = Measure { kind: Kind::DecimalComma, scale: 1 };
        assert_eq!(interval(&comma, 15, 25, None), "[1,5;2,5)");
        assert_eq!(interval(&DATE, 0, 31, None), "[1970-01-01,1970-01-31]");
    }
}
