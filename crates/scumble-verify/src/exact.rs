//! Exact numbers for decisions: fractions are compared by cross-multiplication, never as floats.

use std::cmp::Ordering;

/// A fraction of two integers, as written in a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rational {
    pub(crate) numerator: u128,
    pub(crate) denominator: u128,
}

/// The most digits of a parameter. More would not fit the exact comparison.
const DIGITS: usize = 30;

impl Rational {
    /// Reads `2.5`, `5/2`, `1e-3`, `3`. There is no sign, since no parameter is negative.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some((numerator, denominator)) = text.split_once('/') {
            let read = |part: &str| Self::decimal(part.trim()).filter(|number| number.denominator == 1);
            let (numerator, denominator) = (read(numerator)?.numerator, read(denominator)?.numerator);
            return (denominator > 0).then(|| Self::reduced(numerator, denominator));
        }
        Self::decimal(text.trim())
    }

    fn decimal(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || digits.len() > DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let scale = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let power = |by: u32| 10u128.checked_pow(by).filter(|&power| power <= 10u128.pow(DIGITS as u32));
        let value: u128 = digits.parse().ok()?;
        let (numerator, denominator) = if scale < 0 {
            (value, power(scale.unsigned_abs())?)
        } else {
            (value.checked_mul(power(scale.unsigned_abs())?)?, 1)
        };
        Some(Self::reduced(numerator, denominator))
    }

    fn reduced(numerator: u128, denominator: u128) -> Self {
        let (mut a, mut b) = (numerator, denominator);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        Self { numerator: numerator / a, denominator: denominator / a }
    }

    /// The integer, if the fraction is one.
    pub(crate) fn integer(self) -> Option<u128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The number as a float, for reports only.
    pub(crate) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Compares this fraction with another.
    pub(crate) fn compare(self, numerator: u128, denominator: u128) -> Ordering {
        compare_products(self.numerator, denominator, numerator, self.denominator)
    }
}

/// Compares `a * b` with `c * d`, without overflow.
pub(crate) fn compare_products(a: u128, b: u128, c: u128, d: u128) -> Ordering {
    wide_product(a, b).cmp(&wide_product(c, d))
}

/// Returns the 256-bit product as (high, low), by schoolbook multiplication of 64-bit halves.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, cross_1, cross_2, high) = (a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high);
    let middle = (low >> 64) + (cross_1 & LOW) + (cross_2 & LOW);
    (high + (cross_1 >> 64) + (cross_2 >> 64) + (middle >> 64), (middle << 64) | (low & LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fraction(text: &str) -> (u128, u128) {
        let read = Rational::parse(text).expect(text);
        (read.numerator, read.denominator)
    }

    #[test]
    fn decimals_and_fractions() {
        assert_eq!(fraction("2.5"), (5, 2));
        assert_eq!(fraction("5/2"), (5, 2));
        assert_eq!(fraction("10 / 4"), (5, 2));
        assert_eq!(fraction("3"), (3, 1));
        assert_eq!(fraction("3.0"), (3, 1));
        assert_eq!(fraction("0"), (0, 1));
        assert_eq!(fraction(".5"), (1, 2));
        assert_eq!(fraction("1e-3"), (1, 1000));
        assert_eq!(fraction("1.5E2"), (150, 1));
        assert_eq!(fraction("1.3333333333333333").0, 13_333_333_333_333_333);
        for text in ["", "-1", "+1", "x", "1/0", "1.5/2", ".", "1e99", "NaN", "inf", "1.2.3", "1e-2147483648"]
        {
            assert_eq!(Rational::parse(text), None, "{text}");
        }
        assert_eq!(Rational::parse("2.5").and_then(Rational::integer), None);
        assert_eq!(Rational::parse("4/2").and_then(Rational::integer), Some(2));
    }

    #[test]
    fn products_past_128_bits_are_compared_exactly() {
        let big = u128::MAX;
        assert_eq!(compare_products(big, big, big, big), Ordering::Equal);
        assert_eq!(compare_products(big, big, big, big - 1), Ordering::Greater);
        assert_eq!(compare_products(big, 2, big - 1, 2), Ordering::Greater);
        assert_eq!(compare_products(1 << 100, 1 << 100, 1 << 99, 1 << 101), Ordering::Equal);
        assert_eq!(wide_product(big, big), (big - 1, 1));
    }

    proptest! {
        #[test]
        fn small_products_agree_with_plain_arithmetic(a: u64, b: u64, c: u64, d: u64) {
            let [a, b, c, d] = [a, b, c, d].map(u128::from);
            prop_assert_eq!(compare_products(a, b, c, d), (a * b).cmp(&(c * d)));
        }
    }
}
