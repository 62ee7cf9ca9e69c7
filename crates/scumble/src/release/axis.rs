//! One column before and after on a common axis. A coarser value is spread evenly over the values it covers, as a reader has to assume.

use crate::report::data::{Axis, AxisPart};
use crate::table::quasi::{Line, Quasi, Shape, Value};

/// Columns with more values than this are drawn by parts of their axis, or by their most frequent values.
const NAMED: usize = 12;
/// The parts of an axis of numbers.
const PARTS: usize = 40;
/// The number of values that are named where a column has too many and they have no order.
const LISTED: usize = 9;

/// The axis of a column. `original` has the number of rows of each code in the original; `shown` has the values of the release with their
/// rows.
pub(super) fn axis(quasi: &Quasi, original: &[u64], shown: &[(Value, u64)]) -> Axis {
    let hidden = shown.iter().filter(|(value, _)| *value == Value::Star).map(|(_, rows)| rows).sum();
    let present = original.iter().filter(|rows| **rows > 0).count();
    match &quasi.shape {
        Shape::Line(line) if present > NAMED => of_numbers(quasi, line, original, shown, hidden),
        _ => of_codes(quasi, original, shown, present, hidden),
    }
}

/// The axis of a column that is published unchanged.
pub(super) fn unchanged(quasi: &Quasi, original: &[u64]) -> Axis {
    let mut axis = axis(quasi, original, &[]);
    axis.parts.iter_mut().for_each(|part| part.exact = part.before as f64);
    axis.without_value[1] = axis.without_value[0];
    axis
}

/// The axis of numbers: each number stands at its own position, and a range has its own width.
fn of_numbers(quasi: &Quasi, line: &Line, original: &[u64], shown: &[(Value, u64)], hidden: u64) -> Axis {
    let places: Vec<f64> = line.numbers.iter().map(|number| quasi.measure.float(*number)).collect();
    let (first, last) = line.domain();
    let (first, last) = (quasi.measure.float(first), quasi.measure.float(last));
    let low = places.first().map_or(first, |place| place.min(first));
    let high = places.last().map_or(last, |place| place.max(last));
    let width = (high - low).max(f64::MIN_POSITIVE);
    let position = |number: f64| ((number - low) / width * PARTS as f64).clamp(0.0, PARTS as f64);
    let part_of = |number: f64| (position(number) as usize).min(PARTS - 1);
    let mut parts = vec![AxisPart::default(); PARTS];
    for (place, rows) in places.iter().zip(original) {
        parts[part_of(*place)].before += rows;
    }
    let mut without_value = [0; 2];
    if let Some(missing) = line.missing() {
        without_value[0] = original.get(missing as usize).copied().unwrap_or(0);
    }
    for (value, rows) in shown.iter().filter(|(value, _)| *value != Value::Star) {
        let (from, to) = quasi.codes(*value);
        if Some(from) == line.missing() {
            without_value[1] += rows;
            continue;
        }
        let to = to.min(places.len() as u32 - 1);
        let ends = match value {
            Value::Mean { .. } => line.extremes(from, to),
            _ => quasi.bounds(line, from, to),
        };
        let (from, to) = (quasi.measure.float(ends.0), quasi.measure.float(ends.1));
        if to <= from {
            parts[part_of(from)].exact += *rows as f64;
            continue;
        }
        let (start, end) = (position(from), position(to));
        for (part, at) in parts.iter_mut().zip(0..) {
            let covered = (end.min(f64::from(at) + 1.0) - start.max(f64::from(at))).max(0.0);
            if covered > 0.0 {
                part.wider += *rows as f64 * covered / (end - start);
            } else if end <= start && part_of(from) == at as usize {
                part.wider += *rows as f64;
            }
        }
    }
    // A part is named after the first number in it, or the next one.
    for (part, at) in parts.iter_mut().zip(0..) {
        let from = places.partition_point(|place| position(*place) < f64::from(at));
        part.name = quasi.text(from.min(places.len() - 1) as u32).to_owned();
    }
    Axis { ordered: true, parts, others: 0, without_value, hidden }
}

/// The axis of values side by side; a coarser value is spread evenly over its values.
fn of_codes(quasi: &Quasi, original: &[u64], shown: &[(Value, u64)], present: usize, hidden: u64) -> Axis {
    let size = quasi.size() as usize;
    let mut exact = vec![0.0; size];
    // A difference array: the share of a value is added at its first code and subtracted after its last one. Each value takes two steps,
    // however many codes it covers.
    let mut change = vec![0.0; size + 1];
    for (value, rows) in shown {
        let rows = *rows as f64;
        match value {
            Value::Star => {}
            Value::Subset(codes) if codes.count_ones() > 1 => {
                let each = rows / f64::from(codes.count_ones());
                for code in (0..size).filter(|code| codes >> code & 1 == 1) {
                    change[code] += each;
                    change[code + 1] -= each;
                }
            }
            _ => {
                let (from, to) = quasi.codes(*value);
                if from == to {
                    exact[from as usize] += rows;
                } else {
                    let each = rows / f64::from(to - from + 1);
                    change[from as usize] += each;
                    change[to as usize + 1] -= each;
                }
            }
        }
    }
    let mut wider = 0.0_f64;
    let parts = (0..size).map(|code| {
        wider += change[code];
        AxisPart {
            name: String::new(),
            before: original.get(code).copied().unwrap_or(0),
            exact: exact[code],
            // Rounding errors can leave sums that should be zero slightly off.
            wider: if wider > 1e-9 { wider } else { 0.0 },
        }
    });
    let mut parts: Vec<(usize, AxisPart)> = parts.enumerate().collect();
    let mut others = 0;
    if present > NAMED && !quasi.measure.kind.is_ordered() {
        parts.sort_by(|(a, left), (b, right)| right.before.cmp(&left.before).then(a.cmp(b)));
        let rest = parts.split_off(LISTED);
        others =
            rest.iter().filter(|(_, part)| part.before > 0 || part.exact + part.wider > 0.0).count() as u64;
        let rest = joined(&rest);
        let mut named = name_all(quasi, parts);
        named.push(rest);
        return Axis { ordered: false, parts: named, others, without_value: [0; 2], hidden };
    }
    let ordered = present > NAMED;
    let parts = if ordered {
        let each = size.div_ceil(PARTS);
        let join = |run: &[(usize, AxisPart)]| AxisPart {
            name: quasi.text(run[0].0 as u32).to_owned(),
            ..joined(run)
        };
        parts.chunks(each).map(join).collect()
    } else {
        parts.retain(|(_, part)| part.before > 0 || part.exact + part.wider > 0.0);
        let rest = parts.split_off(parts.len().min(NAMED));
        others = rest.len() as u64;
        let mut named = name_all(quasi, parts);
        if others > 0 {
            named.push(joined(&rest));
        }
        named
    };
    Axis { ordered, parts, others, without_value: [0; 2], hidden }
}

fn joined(parts: &[(usize, AxisPart)]) -> AxisPart {
    parts.iter().fold(AxisPart::default(), |all, (_, part)| all.with(part))
}

fn name_all(quasi: &Quasi, parts: Vec<(usize, AxisPart)>) -> Vec<AxisPart> {
    let name =
        |(code, part): (usize, AxisPart)| AxisPart { name: quasi.text(code as u32).to_owned(), ..part };
    parts.into_iter().map(name).collect()
}

impl AxisPart {
    fn with(self, other: &Self) -> Self {
        Self {
            name: self.name,
            before: self.before + other.before,
            exact: self.exact + other.exact,
            wider: self.wider + other.wider,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::{Kind, Measure};

    fn letters(count: u32) -> Quasi {
        let texts: Vec<String> = (0..count).map(|at| format!("v{at:02}")).collect();
        Quasi {
            name: "letter".into(),
            measure: Measure { kind: Kind::Text, scale: 0 },
            shape: Shape::Set(texts.iter().map(String::as_str).collect()),
            priority: 1.0,
            tight: false,
            sets: false,
        }
    }

    fn numbers() -> Quasi {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let numbers: Vec<i128> = (0..=80).collect();
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let line = Line::new(&measure, numbers, texts.iter().map(String::as_str).collect(), (0, 80), true);
        Quasi { measure, shape: Shape::Line(line), ..letters(0) }
    }

    fn after(axis: &Axis) -> f64 {
        axis.parts.iter().map(|part| part.exact + part.wider).sum()
    }

    #[test]
    fn a_coarser_value_is_spread_over_what_it_covers() {
        let shown = [(Value::Span(0, 0), 4), (Value::Span(0, 2), 6), (Value::Star, 3)];
        let found = axis(&letters(4), &[5, 5, 3, 0], &shown);
        assert!(!found.ordered && found.hidden == 3 && found.others == 0);
        // The last value occurs nowhere, so it is not listed.
        let parts: Vec<_> = found
            .parts
            .iter()
            .map(|part| (part.name.as_str(), part.before, part.exact, part.wider))
            .collect();
        assert_eq!(parts, [("v00", 5, 4.0, 2.0), ("v01", 5, 0.0, 2.0), ("v02", 3, 0.0, 2.0)]);
    }

    #[test]
    fn a_set_is_spread_over_its_own_values_only() {
        let quasi = Quasi { sets: true, ..letters(3) };
        let found = axis(&quasi, &[1, 1, 1], &[(Value::Subset(0b101), 4)]);
        let wider: Vec<f64> = found.parts.iter().map(|part| part.wider).collect();
        assert_eq!(wider, [2.0, 0.0, 2.0]);
    }

    #[test]
    fn of_many_values_the_frequent_ones_are_named() {
        let original: Vec<u64> = (1..=20).collect();
        let found = axis(&letters(20), &original, &[(Value::Span(0, 19), 200), (Value::Span(19, 19), 10)]);
        assert_eq!((found.parts.len(), found.others), (LISTED + 1, 11));
        assert_eq!(
            (found.parts[0].name.as_str(), found.parts[0].exact, found.parts[0].wider),
            ("v19", 10.0, 10.0)
        );
        assert_eq!(found.parts[LISTED].before, (1..=11).sum::<u64>());
        assert!((after(&found) - 210.0).abs() < 1e-9);
    }

    #[test]
    fn a_range_is_as_wide_as_it_is() {
        let original = vec![1; 81];
        // Half of the axis: 40 rows over 20 of 40 parts.
        let found = axis(&numbers(), &original, &[(Value::Span(0, 39), 40), (Value::Span(80, 80), 5)]);
        assert!(found.ordered);
        assert_eq!(found.parts.len(), PARTS);
        assert_eq!(found.parts.iter().map(|part| part.before).sum::<u64>(), 81);
        assert!((after(&found) - 45.0).abs() < 1e-9, "{}", after(&found));
        assert!((found.parts[3].wider - 40.0 / 19.75).abs() < 0.2, "{:?}", found.parts[3]);
        assert_eq!(found.parts[30].wider, 0.0);
        assert_eq!((found.parts[0].name.as_str(), found.parts[39].exact), ("0", 5.0));
    }

    #[test]
    fn no_rows_give_a_finite_axis() {
        let found = axis(&numbers(), &[0; 81], &[]);
        assert!(found.parts.iter().all(|part| part.wider == 0.0 && part.before == 0));
        assert_eq!(axis(&letters(0), &[], &[]), Axis::default());
    }
}
