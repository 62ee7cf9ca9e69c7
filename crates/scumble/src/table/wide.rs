//! Numbers whose sizes differ so much that no common unit fits 128 bits, such as p-values from `1e-300` to 1, as integers in their order.
//!
//! The integer of a number says its power of ten and then its digits, as a float does, with ten as the base: numbers of 35 digits and
//! integers correspond one to one, in order. So comparisons, neighbours and intervals are as exact as those of other numbers; a difference
//! of two integers counts orders of magnitude, not units.

use super::decimal::Decimal;

/// The digits of every number.
const DIGITS: u32 = 35;
/// The least first digits, 1 and zeros.
const LEAST: i128 = 10_i128.pow(DIGITS - 1);
/// The integers of one power of ten.
const DECADE: i128 = 9 * LEAST;
/// The most powers of ten of one column. The difference of any two integers still fits 128 bits.
const DECADES: u32 = 900;
/// The greatest integer.
pub(super) const LARGEST: i128 = DECADES as i128 * DECADE;

/// The first place of the smallest number of a column, as its scale; `None` where its numbers are too long or their sizes differ too much.
pub(super) fn scale(numbers: impl Iterator<Item = Decimal> + Clone) -> Option<u32> {
    let present = numbers.filter(|number| !number.is_zero());
    let least = present.clone().map(Decimal::first_place).min()?;
    let scale = least.min(0).unsigned_abs();
    let fits = |number: Decimal| number.length() <= DIGITS && decade(number, scale).is_some();
    present.clone().all(fits).then_some(scale)
}

/// Which power of ten a number has, counted from the smallest.
fn decade(number: Decimal, scale: u32) -> Option<u32> {
    let decade = i64::from(number.first_place()) + i64::from(scale);
    u32::try_from(decade).ok().filter(|decade| *decade < DECADES)
}

/// The integer of a number; `None` for a number that has none.
pub(super) fn rank(number: Decimal, scale: u32) -> Option<i128> {
    if number.is_zero() {
        return Some(0);
    }
    let digits = i128::try_from(number.filled(DIGITS)?).ok()?;
    let rank = i128::from(decade(number, scale)?) * DECADE + (digits - LEAST) + 1;
    Some(if number.is_negative() { -rank } else { rank })
}

/// The integer of the greatest number that has one and is not greater; `None` for a number beyond all of them.
pub(super) fn floor(number: Decimal, scale: u32) -> Option<i128> {
    if let Some(rank) = rank(number, scale) {
        return Some(rank);
    }
    // Too small, or between two numbers; else too large.
    let towards_zero = if i64::from(number.first_place()) + i64::from(scale) < 0 {
        0
    } else {
        rank(number.truncated(DIGITS), scale)?
    };
    Some(towards_zero - i128::from(number.is_negative()))
}

/// The number of an integer.
pub(super) fn number(rank: i128, scale: u32) -> Decimal {
    if rank == 0 {
        return Decimal::ZERO;
    }
    let magnitude = rank.saturating_abs() - 1;
    let (decade, digits) = (magnitude / DECADE, magnitude % DECADE + LEAST);
    let power = decade as i32 - scale as i32 - (DIGITS as i32 - 1);
    Decimal::of(if rank < 0 { -digits } else { digits }, power)
}

/// The roundest number above `below` and not above `above`, by their integers.
pub(super) fn roundest(below: i128, above: i128, scale: u32) -> i128 {
    if below < 0 && above >= 0 {
        return 0;
    }
    // The fewest digits that lie between: cut off above where numbers are positive, below where they are negative.
    let from = if above > 0 { above } else { below };
    let exact = number(from, scale);
    let cut = (1..=DIGITS).filter_map(|length| rank(exact.truncated(length), scale));
    cut.into_iter().find(|cut| below < *cut && *cut <= above).unwrap_or(above)
}

/// Edges at powers of ten that hold two numbers and all between them: at most this many intervals, two at least.
pub(super) fn edges(low: i128, high: i128, most: usize) -> Vec<i128> {
    // Powers of ten are numbered from zero to both sides; number 1 is the smallest. Interval `i` lies from edge `i` to edge `i + 1`.
    let edge = |place: i128| {
        let magnitude = if place == 0 { 0 } else { (place.abs() - 1) * DECADE + 1 };
        if place < 0 { -magnitude } else { magnitude }
    };
    let interval = |rank: i128| {
        let up = |magnitude: i128| (magnitude + DECADE - 1) / DECADE;
        if rank >= 0 { up(rank) } else { -1 - up(-rank - 1) }
    };
    let (first, last) = (interval(low), interval(high));
    let enough = |step: &i128| last.div_euclid(*step) - first.div_euclid(*step) < most.max(2) as i128;
    let step = (1..).find(enough).unwrap_or(1);
    let (from, to) = (first.div_euclid(step), last.div_euclid(step) + 1);
    // The outermost edges are no farther than the nearest powers of ten.
    (from..=to).map(|part| edge((part * step).clamp(first, last + 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SCALE: u32 = 324;

    fn read(text: &str) -> Decimal {
        Decimal::read(text, b'.').expect(text).0
    }

    fn ranked(text: &str) -> i128 {
        rank(read(text), SCALE).expect(text)
    }

    #[test]
    fn all_doubles_fit_one_column() {
        let texts = ["5e-324", "-1.7976931348623157e308", "1.7976931348623157e308", "0"];
        assert_eq!(scale(texts.iter().map(|text| read(text))), Some(SCALE));
        assert!(texts.iter().all(|text| ranked(text).abs() <= LARGEST));
        assert!(LARGEST.checked_mul(2).is_some());
        assert_eq!(scale(std::iter::once(read(&"1".repeat(36)))), None);
    }

    #[test]
    fn neighbours_are_the_next_numbers_of_35_digits() {
        let one = ranked("1");
        assert_eq!(number(one + 1, SCALE), read("1.0000000000000000000000000000000001"));
        assert_eq!(number(one - 1, SCALE), read("0.99999999999999999999999999999999999"));
        assert_eq!((number(0, SCALE), number(-1, SCALE)), (Decimal::ZERO, read("-1e-324")));
        let between = read("1.00000000000000000000000000000000005");
        assert_eq!((rank(between, SCALE), floor(between, SCALE)), (None, Some(one)));
        assert_eq!(floor(read("-1e-330"), SCALE), Some(-1));
        assert_eq!(floor(read("1e-330"), SCALE), Some(0));
    }

    #[test]
    fn round_numbers_and_powers_of_ten() {
        let between =
            |below: &str, above: &str| number(roundest(ranked(below), ranked(above), SCALE), SCALE).text('.');
        assert_eq!(between("1.2345e-30", "9.8765e-12"), "9e-12");
        assert_eq!(between("0.0123", "0.0129"), "0.0129");
        assert_eq!(between("0.0123", "0.0131"), "0.013");
        assert_eq!(between("-0.0131", "-0.0123"), "-0.013");
        assert_eq!(between("-5", "7"), "0");
        let cut = |low: &str, high: &str, most: usize| -> Vec<String> {
            edges(ranked(low), ranked(high), most)
                .into_iter()
                .map(|edge| number(edge, SCALE).text('.'))
                .collect()
        };
        assert_eq!(
            cut("1e-322", "3e-321", 5),
            ["0", "1e-324", "1e-323", "1e-322", "1e-321", "1e-320"].map(String::from)[3..].to_vec()
        );
        let wide = cut("1e-300", "0.5", 4);
        assert!((3..=5).contains(&wide.len()), "{wide:?}");
        let signs = cut("-3", "5", 1);
        assert_eq!((signs.len(), signs[1].as_str()), (3, "0"));
    }

    proptest! {
        #[test]
        fn integers_are_in_the_order_of_numbers(one in any::<f64>(), other in any::<f64>()) {
            prop_assume!(one.is_finite() && other.is_finite());
            let [a, b] = [one, other].map(|number| ranked(&format!("{number:e}")));
            prop_assert_eq!(Some(a.cmp(&b)), one.partial_cmp(&other));
            prop_assert_eq!(number(a, SCALE), read(&format!("{one:e}")));
        }

        #[test]
        fn edges_hold_what_they_are_for(one in any::<f64>(), other in any::<f64>(), most in 1_usize..40) {
            prop_assume!(one.is_finite() && other.is_finite());
            let [a, b] = [one.min(other), one.max(other)].map(|number| ranked(&format!("{number:e}")));
            let edges = edges(a, b, most);
            prop_assert!(edges.len() - 1 <= most.max(2));
            prop_assert!(edges.is_sorted_by(|a, b| a < b));
            prop_assert!(edges[0] <= a && b < edges[edges.len() - 1]);
        }
    }
}
