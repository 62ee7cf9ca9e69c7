//! Exact fractions: limits such as `l = 1.31` decide without rounding.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::value::Value;

/// A fraction that is not negative, in lowest terms: `1.31` is 131/100.
///
/// Both parts fit in 64 bits, so that every comparison is one exact 128-bit cross multiplication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: u64,
    denominator: u64,
}

/// The most decimal places: `10^19` is the largest power of ten in 64 bits.
const MAX_PLACES: usize = 19;

impl Rational {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };
    /// The whole.
    pub const ONE: Self = Self { numerator: 1, denominator: 1 };
    /// Five in a hundred.
    pub const TWENTIETH: Self = Self { numerator: 1, denominator: 20 };

    /// The fraction of two counts; `None` where the second is zero.
    #[must_use]
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator, denominator);
        (denominator > 0).then(|| Self { numerator: numerator / divisor, denominator: denominator / divisor })
    }

    /// A whole number.
    #[must_use]
    pub const fn whole(number: u64) -> Self {
        Self { numerator: number, denominator: 1 }
    }

    /// The part above the line, in lowest terms.
    #[must_use]
    pub const fn numerator(self) -> u64 {
        self.numerator
    }

    /// The part below the line, in lowest terms; never zero.
    #[must_use]
    pub const fn denominator(self) -> u64 {
        self.denominator
    }

    /// The nearest float, for reports and never for decisions.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// Compares with the ratio of two counts, exactly: `l.cmp_ratio(rows, most)` is how `l` stands to
    /// `rows / most`. Anything over zero is above every fraction.
    #[must_use]
    pub fn cmp_ratio(self, numerator: u64, denominator: u64) -> Ordering {
        (u128::from(self.numerator) * u128::from(denominator))
            .cmp(&(u128::from(numerator) * u128::from(self.denominator)))
    }

    /// The largest whole number that is at most this share of `count`, or `u64::MAX` where it is larger.
    #[must_use]
    pub fn floor_of(self, count: u64) -> u64 {
        let product = u128::from(self.numerator) * u128::from(count) / u128::from(self.denominator);
        u64::try_from(product).unwrap_or(u64::MAX)
    }

    /// For a share above 1 that may be meant in percent, how it is written: `; for 5 % write 0.05`.
    #[must_use]
    pub fn percent_hint(self) -> String {
        let hundredth =
            self.denominator.checked_mul(100).and_then(|hundred| Self::new(self.numerator, hundred));
        match hundredth {
            Some(share) if self > Self::ONE && share <= Self::ONE => format!("; for {self} % write {share}"),
            _ => String::new(),
        }
    }

    /// The decimal text, where the fraction has one that can be read again.
    fn decimal(self) -> Option<String> {
        let mut places = 0;
        let mut scale: u128 = 1;
        while !scale.is_multiple_of(u128::from(self.denominator)) {
            places += 1;
            scale *= 10;
            if places > MAX_PLACES {
                return None;
            }
        }
        let digits = u128::from(self.numerator) * (scale / u128::from(self.denominator));
        let (whole, rest) = (digits / scale, digits % scale);
        if places == 0 {
            return Some(whole.to_string());
        }
        let text = format!("{whole}.{rest:0places$}");
        (text.parse() == Ok(self)).then_some(text)
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { greatest_common_divisor(b, a % b) }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_ratio(other.numerator, other.denominator)
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for Rational {
    type Err = String;

    /// Reads `1.31`, `5`, `.5` or `1/3`.
    fn from_str(text: &str) -> Result<Self, String> {
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let count =
            |part: &str| (!part.is_empty() && all_digits(part)).then(|| part.parse::<u64>().ok()).flatten();
        if let Some((numerator, denominator)) = text.split_once('/') {
            return count(numerator.trim())
                .zip(count(denominator.trim()))
                .and_then(|(numerator, denominator)| Self::new(numerator, denominator))
                .ok_or_else(|| "expected a fraction such as 1/3".to_owned());
        }
        let (whole, places) = text.split_once('.').unwrap_or((text, ""));
        if whole.len() + places.len() == 0 || !all_digits(whole) || !all_digits(places) {
            return Err("expected a number that is not negative, such as 2, 1.31 or 1/3".to_owned());
        }
        // Zeros at the end add digits and no value.
        let places = places.trim_end_matches('0');
        let too_long = || "the number has too many digits: 19 can be kept exactly".to_owned();
        if places.len() > MAX_PLACES {
            return Err(too_long());
        }
        let digits = format!("0{whole}{places}").parse().map_err(|_| too_long())?;
        Self::new(digits, 10_u64.pow(places.len() as u32)).ok_or_else(too_long)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.decimal() {
            Some(text) => formatter.write_str(&text),
            None => write!(formatter, "{}/{}", self.numerator, self.denominator),
        }
    }
}

impl Serialize for Rational {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Value::from_text(&self.to_string()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rational {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer)?.to_text().parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Rational {
    fn schema_name() -> Cow<'static, str> {
        "Rational".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number that is not negative, kept exactly: 2, 1.31 or \"1/3\".",
            "anyOf": [
                { "type": "number", "minimum": 0 },
                { "type": "string", "pattern": "^([0-9]+|[0-9]*\\.[0-9]+|[0-9]+/[0-9]+)$" },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    #[test]
    fn decimals_are_exact() {
        let l = rational("1.31");
        assert_eq!((l.numerator(), l.denominator()), (131, 100));
        assert_eq!(l.cmp_ratio(131, 100), Ordering::Equal);
        assert_eq!(l.cmp_ratio(130, 100), Ordering::Greater);
        assert_eq!(l.cmp_ratio(132, 100), Ordering::Less);
        assert_eq!(rational("0.1").floor_of(30), 3);
        assert_eq!(rational("0.05").floor_of(99), 4);
        assert_eq!(rational(".5"), rational("1/2"));
        assert_eq!(rational("2.50"), rational("5/2"));
        assert_eq!(rational("007"), Rational::whole(7));
        assert_eq!(Rational::ONE.cmp_ratio(1, 0), Ordering::Less, "anything over zero is above");
        assert_eq!(Rational::whole(u64::MAX).floor_of(2), u64::MAX);
    }

    #[test]
    fn percents_are_answered_with_their_share() {
        assert_eq!(rational("5").percent_hint(), "; for 5 % write 0.05");
        assert_eq!(rational("2.5").percent_hint(), "; for 2.5 % write 0.025");
        assert_eq!(rational("0.5").percent_hint(), "");
        assert_eq!(rational("200").percent_hint(), "");
    }

    #[test]
    fn texts_that_are_no_numbers() {
        for text in ["", ".", "-1", "1.2.3", "1e3", "1/0", "/2", "1/", "x", "1 2", "+1", "0x10", "٣"] {
            assert!(text.parse::<Rational>().is_err(), "{text}");
        }
        let error = "0.12345678901234567891".parse::<Rational>().expect_err("20 places");
        assert_eq!(error, "the number has too many digits: 19 can be kept exactly");
        assert!("99999999999999999999".parse::<Rational>().is_err());
    }

    #[test]
    fn written_as_read() {
        for text in ["0", "7", "1.31", "0.05", "0.3333333333333333333", "1/3", "18446744073709551615"] {
            assert_eq!(rational(text).to_string(), text);
        }
        // 1/2^19 has 19 places but a large whole part makes the digits too long for 64 bits.
        let long = Rational::new((1 << 40) + 1, 1 << 19).expect("not zero");
        assert_eq!(rational(&long.to_string()), long);
    }

    proptest! {
        #[test]
        fn any_fraction_reads_back(numerator: u64, denominator in 1..u64::MAX) {
            let fraction = Rational::new(numerator, denominator).expect("not zero");
            prop_assert_eq!(fraction.to_string().parse::<Rational>(), Ok(fraction));
        }

        #[test]
        fn order_is_that_of_the_cross_products(a: u32, b in 1..u32::MAX, c: u32, d in 1..u32::MAX) {
            let left = Rational::new(a.into(), b.into()).expect("not zero");
            let right = Rational::new(c.into(), d.into()).expect("not zero");
            let (ad, cb) = (u64::from(a) * u64::from(d), u64::from(c) * u64::from(b));
            prop_assert_eq!(left.cmp(&right), ad.cmp(&cb));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,30}", digits in "[0-9./]{0,45}") {
            let _ = (text.parse::<Rational>(), digits.parse::<Rational>());
        }
    }
}
