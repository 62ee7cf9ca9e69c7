//! A measured number that may be infinite or not defined, and still survives JSON.

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// A measured number. JSON knows neither infinity nor "not defined", so an amount is written as a
/// number, as the text `"infinite"`, or as `null`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Amount {
    /// An ordinary number.
    Finite(f64),
    /// Larger than any number, such as the divergence of a column that lost a value.
    Infinite,
    /// The definition gives no answer here, such as a mean over no classes.
    #[default]
    Undefined,
}

impl Amount {
    /// The number, if there is one.
    #[must_use]
    pub fn finite(self) -> Option<f64> {
        match self {
            Self::Finite(number) => Some(number),
            Self::Infinite | Self::Undefined => None,
        }
    }
}

/// Not-a-number and minus infinity become [`Amount::Undefined`]: no metric here means them.
impl From<f64> for Amount {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Finite(number)
        } else if number == f64::INFINITY {
            Self::Infinite
        } else {
            Self::Undefined
        }
    }
}

impl From<u64> for Amount {
    // Counts above 2^53 lose their last digits, which no reader of a report would see.
    fn from(count: u64) -> Self {
        Self::Finite(count as f64)
    }
}

impl From<Option<f64>> for Amount {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Undefined, Self::from)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Finite(number) => serializer.serialize_f64(*number),
            Self::Infinite => serializer.serialize_str("infinite"),
            Self::Undefined => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AmountVisitor)
    }
}

struct AmountVisitor;

impl Visitor<'_> for AmountVisitor {
    type Value = Amount;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("a number, \"infinite\" or null")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Amount, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Amount, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Amount, E> {
        Ok(Amount::Finite(number as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
        match text {
            "infinite" => Ok(Amount::Infinite),
            _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_unit<E>(self) -> Result<Amount, E> {
        Ok(Amount::Undefined)
    }

    fn visit_none<E>(self) -> Result<Amount, E> {
        Ok(Amount::Undefined)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_json() {
        let amounts = vec![Amount::Finite(0.25), Amount::Finite(-3.0), Amount::Infinite, Amount::Undefined];
        let json = serde_json::to_string(&amounts).expect("amounts are JSON");
        assert_eq!(json, r#"[0.25,-3.0,"infinite",null]"#);
        assert_eq!(serde_json::from_str::<Vec<Amount>>(&json).expect("and back"), amounts);
    }

    #[test]
    fn whole_numbers_are_amounts_too_and_other_texts_are_not() {
        assert_eq!(
            serde_json::from_str::<Vec<Amount>>("[5, -2]").expect("integers"),
            vec![Amount::Finite(5.0), Amount::Finite(-2.0)]
        );
        assert!(serde_json::from_str::<Amount>("\"lots\"").is_err());
    }

    #[test]
    fn what_is_no_number_is_undefined() {
        assert_eq!(Amount::from(f64::NAN), Amount::Undefined);
        assert_eq!(Amount::from(f64::INFINITY), Amount::Infinite);
        assert_eq!(Amount::from(f64::NEG_INFINITY), Amount::Undefined);
        assert_eq!(Amount::from(None), Amount::Undefined);
    }
}
