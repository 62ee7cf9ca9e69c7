//! Decimal numbers of up to 38 digits, exactly, whatever their size: `-0.0019336161475366333`, `1.5e-300`.

use std::cmp::Ordering;

/// The most significant digits of a number; texts with more are codes, not quantities.
pub(crate) const MOST_DIGITS: usize = 38;
/// The powers of ten beyond which a text is no number that people compute with; doubles end at 308 and at -324.
const LARGEST_POWER: i32 = 400;
/// A number is written with an exponent when it has more zeros than this before its digits, or behind them.
const MOST_ZEROS: i32 = 8;

/// `± digits · 10^power`; the digits end in no zero, and zero is `0 · 10^0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: u128,
    power: i32,
}

impl Decimal {
    /// Zero.
    pub(crate) const ZERO: Self = Self { negative: false, digits: 0, power: 0 };

    /// The number that a text writes with this decimal mark, and how many decimal places it writes. Zeros before the first digit make a
    /// text a code: `007`.
    pub(crate) fn read(text: &str, mark: u8) -> Option<(Self, u32)> {
        let bytes = text.as_bytes();
        let (negative, bytes) = match bytes.first()? {
            b'-' => (true, &bytes[1..]),
            b'+' => (false, &bytes[1..]),
            _ => (false, bytes),
        };
        let exponent_at = bytes.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = match exponent_at {
            Some(at) => (&bytes[..at], std::str::from_utf8(&bytes[at + 1..]).ok()?.parse::<i32>().ok()?),
            None => (bytes, 0),
        };
        let (whole, places) = match mantissa.iter().position(|byte| *byte == mark) {
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
            None => (mantissa, &[][..]),
        };
        if whole.len() + places.len() == 0 || (whole.len() > 1 && whole[0] == b'0') {
            return None;
        }
        let (mut small, mut digits, mut pending, mut count) = (0_u64, 0_u128, 0_usize, 0_usize);
        for byte in whole.iter().chain(places) {
            if !byte.is_ascii_digit() {
                return None;
            }
            let digit = byte - b'0';
            if digit == 0 {
                // Zeros count only between other digits.
                pending += usize::from(count > 0);
                continue;
            }
            count += pending + 1;
            if count > MOST_DIGITS {
                return None;
            }
            // Most numbers are short, and 64 bits are faster.
            if count <= 19 {
                small = small * 10_u64.pow(pending as u32 + 1) + u64::from(digit);
                digits = u128::from(small);
            } else {
                digits = digits * 10_u128.pow(pending as u32 + 1) + u128::from(digit);
            }
            pending = 0;
        }
        let written = i32::try_from(places.len()).ok()?.checked_sub(exponent)?.max(0);
        if count == 0 {
            return (written <= LARGEST_POWER).then_some((Self::ZERO, written as u32));
        }
        let power = exponent.checked_sub(places.len() as i32)?.checked_add(pending as i32)?;
        let number = Self { negative, digits, power };
        let first = number.first_place();
        ((-LARGEST_POWER..=LARGEST_POWER).contains(&first) && power >= -2 * LARGEST_POWER)
            .then_some((number, written as u32))
    }

    /// An integer times `10^power`.
    pub(crate) fn of(number: i128, power: i32) -> Self {
        let (mut digits, mut power) = (number.unsigned_abs(), power);
        if digits == 0 {
            return Self::ZERO;
        }
        while digits.is_multiple_of(10) {
            (digits, power) = (digits / 10, power + 1);
        }
        Self { negative: number < 0, digits, power }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(crate) fn is_negative(self) -> bool {
        self.negative
    }

    /// How many significant digits there are; none for zero.
    pub(crate) fn length(self) -> u32 {
        self.digits.checked_ilog10().map_or(0, |last| last + 1)
    }

    /// The power of ten of the first digit: 2 for `123.4`, -3 for `0.0012`.
    pub(crate) fn first_place(self) -> i32 {
        self.power + self.length() as i32 - 1
    }

    /// How many decimal places it needs.
    pub(crate) fn places(self) -> u32 {
        self.power.min(0).unsigned_abs()
    }

    /// The digits without the sign, filled with zeros to this many; `None` where there are more.
    pub(crate) fn filled(self, length: u32) -> Option<u128> {
        self.digits.checked_mul(10_u128.checked_pow(length.checked_sub(self.length())?)?)
    }

    /// The number nearer to zero that has this many digits.
    pub(crate) fn truncated(self, length: u32) -> Self {
        let spare = self.length().saturating_sub(length);
        if spare == 0 {
            return self;
        }
        let digits = (self.digits / 10_u128.pow(spare)) as i128;
        Self::of(if self.negative { -digits } else { digits }, self.power + spare as i32)
    }

    /// The number as a multiple of `10^-scale`, if it is one that fits 128 bits.
    pub(crate) fn scaled(self, scale: u32) -> Option<i128> {
        let shift = u32::try_from(self.power.checked_add(i32::try_from(scale).ok()?)?).ok();
        let digits = i128::try_from(self.digits).ok()?;
        let magnitude = match shift {
            _ if digits == 0 => 0,
            Some(shift) => digits.checked_mul(10_i128.checked_pow(shift)?)?,
            // The digits end in no zero.
            None => return None,
        };
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The greatest multiple of `10^-scale` that is not greater; `None` where it does not fit 128 bits.
    pub(crate) fn floor_scaled(self, scale: u32) -> Option<i128> {
        if let Some(whole) = self.scaled(scale) {
            return Some(whole);
        }
        let finer = self.power.checked_add(i32::try_from(scale).ok()?)?;
        if finer >= 0 {
            return None;
        }
        let whole = 10_u128.checked_pow(finer.unsigned_abs()).map_or(0, |unit| self.digits / unit);
        let whole = i128::try_from(whole).ok()?;
        Some(if self.negative { -whole - 1 } else { whole })
    }

    /// As a float, for reports.
    pub(crate) fn float(self) -> f64 {
        // Where both factors are exact, so is the rounding of their product or quotient.
        if self.digits < 1 << f64::MANTISSA_DIGITS && self.power.unsigned_abs() <= 22 {
            let power = 10_f64.powi(self.power.abs());
            let magnitude = self.digits as f64;
            let magnitude = if self.power < 0 { magnitude / power } else { magnitude * power };
            return if self.negative { -magnitude } else { magnitude };
        }
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.power).parse().unwrap_or(0.0)
    }

    /// As people write it, with this decimal mark.
    pub(crate) fn text(self, mark: char) -> String {
        let sign = if self.negative { "-" } else { "" };
        let digits = self.digits.to_string();
        let first = self.first_place();
        if self.power > MOST_ZEROS || -first > MOST_ZEROS {
            let (one, rest) = digits.split_at(1);
            let mark = if rest.is_empty() { String::new() } else { mark.to_string() };
            return format!("{sign}{one}{mark}{rest}e{first}");
        }
        if self.power >= 0 {
            return format!("{sign}{digits}{}", "0".repeat(self.power as usize));
        }
        let places = self.places() as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, places) = padded.split_at(padded.len() - places);
        format!("{sign}{whole}{mark}{places}")
    }

    fn cmp_magnitude(self, other: Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (false, false) => {}
            (zero, other_zero) => return other_zero.cmp(&zero),
        }
        self.first_place().cmp(&other.first_place()).then_with(|| {
            // The first digits stand at the same place, so only the shorter one must be filled.
            let length = self.length().max(other.length());
            match (self.filled(length), other.filled(length)) {
                (Some(own), Some(others)) => own.cmp(&others),
                (own, others) => own.is_none().cmp(&others.is_none()),
            }
        })
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(*other),
            (true, true) => other.cmp_magnitude(*self),
            (own, others) => others.cmp(&own),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text, b'.').expect(text).0
    }

    #[test]
    fn numbers_of_any_size_are_read_exactly() {
        assert_eq!(read("0.0019336161475366333"), Decimal::of(19_336_161_475_366_333, -19));
        assert_eq!(read("1.9336e-3"), read("0.0019336"));
        assert_eq!(read("1e300"), Decimal::of(1, 300));
        assert_eq!(read("-5E-324"), Decimal::of(-5, -324));
        assert_eq!(read("1.7976931348623157e+308").first_place(), 308);
        assert_eq!(read(&"9".repeat(38)).length(), 38);
        assert_eq!(read("-0.0"), Decimal::ZERO);
        assert_eq!(read("1000200030004000500060007000"), Decimal::of(1_000_200_030_004_000_500_060_007, 3));
        assert_eq!(Decimal::read("17.50", b'.').expect("a number").1, 2, "places as they are written");
        assert_eq!(Decimal::read("1,93E-03", b',').expect("a number").0, Decimal::of(193, -5));
        for text in [
            "",
            "-",
            ".",
            "e5",
            "1e",
            "1e1.5",
            "007",
            "1.2.3",
            "NaN",
            "inf",
            "1e401",
            "1e-999999999",
            "0x1",
            "1 2",
            "1e99999999999",
        ] {
            assert_eq!(Decimal::read(text, b'.'), None, "{text}");
        }
        assert_eq!(Decimal::read(&"1".repeat(39), b'.'), None, "more digits than 38 are a code");
    }

    #[test]
    fn numbers_are_in_order() {
        let ascending = [
            "-1e300",
            "-10",
            "-9.5",
            "-1e-300",
            "0",
            "5e-324",
            "1e-5",
            "0.1",
            "0.10000000000000000001",
            "9.5",
            "10",
            "1e300",
        ];
        for pair in ascending.windows(2) {
            assert!(read(pair[0]) < read(pair[1]), "{pair:?}");
        }
        assert!(Decimal::of(i128::MAX, 0) < Decimal::of(9, 38), "39 digits beside one");
        assert!(Decimal::of(2, 38) > Decimal::of(i128::MAX, 0));
    }

    #[test]
    fn numbers_are_written_as_people_do() {
        for text in ["0", "-3", "0.0019336161475366333", "120000", "1.5e-30", "-2e300", "12.75", "1e9"] {
            assert_eq!(read(text).text('.'), text);
        }
        assert_eq!(Decimal::of(-25, -1).text(','), "-2,5");
    }

    #[test]
    fn scaled_down_and_up() {
        assert_eq!(read("1.25").scaled(2), Some(125));
        assert_eq!(read("1.25").scaled(1), None);
        assert_eq!((read("1.25").floor_scaled(1), read("-1.25").floor_scaled(1)), (Some(12), Some(-13)));
        assert_eq!((read("1e-300").floor_scaled(0), read("-1e-300").floor_scaled(0)), (Some(0), Some(-1)));
        assert_eq!((read("1e300").floor_scaled(0), read("1e300").scaled(5)), (None, None));
        assert_eq!(read("-129").truncated(2), read("-120"));
    }

    proptest! {
        #[test]
        fn every_double_is_a_number_as_any_program_writes_it(bits in any::<u64>()) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            for text in [format!("{number:e}"), format!("{number:?}"), format!("{number:.16e}")] {
                let decimal = read(&text);
                prop_assert_eq!(decimal.float().to_bits() << 1, text.parse::<f64>().expect("a float").to_bits() << 1);
                prop_assert_eq!(read(&decimal.text('.')), decimal);
            }
        }

        #[test]
        fn the_order_is_that_of_doubles(one in any::<f64>(), other in any::<f64>()) {
            prop_assume!(one.is_finite() && other.is_finite());
            let order = read(&format!("{one:?}")).cmp(&read(&format!("{other:?}")));
            prop_assert_eq!(Some(order), one.partial_cmp(&other));
        }
    }
}
