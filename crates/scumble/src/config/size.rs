//! Sizes of files as users write them: `500MB`, `2GB`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u64);

/// The units, largest first, in bytes.
const UNITS: [(&str, u64); 5] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000), ("B", 1)];

impl Size {
    /// The bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            "expected a size such as \"2GB\": a whole number above zero and B, KB, MB, GB or TB".to_owned()
        };
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let unit = unit.trim_start();
        let found = UNITS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
        let (_, bytes) = found.ok_or_else(wrong)?;
        match number.checked_mul(bytes) {
            Some(total) if total > 0 => Ok(Self(total)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = UNITS.into_iter().find(|(_, bytes)| self.0.is_multiple_of(*bytes));
        let (unit, bytes) = fits.unwrap_or(("B", 1));
        write!(formatter, "{}{unit}", self.0 / bytes)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A size: \"500MB\", \"2GB\" or \"1TB\".",
            "type": "string",
            "pattern": "^[0-9]+ *([KMGTkmgt]?[Bb])$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let bytes = |text: &str| text.parse::<Size>().map(Size::bytes);
        assert_eq!(bytes("7B"), Ok(7));
        assert_eq!(bytes("500 MB"), Ok(500_000_000));
        assert_eq!(bytes("2gb"), Ok(2_000_000_000));
        for text in ["", "2", "GB", "0GB", "-1GB", "1.5GB", "2GiB", "99999999999999TB"] {
            let error = text.parse::<Size>().expect_err(text);
            assert!(error.starts_with("expected a size such as \"2GB\""), "{error}");
        }
    }

    #[test]
    fn written_in_the_largest_unit_that_fits() {
        for (given, written) in [("1500MB", "1500MB"), ("2000MB", "2GB"), ("1B", "1B")] {
            assert_eq!(given.parse::<Size>().map(|size| size.to_string()), Ok(written.to_owned()));
        }
    }
}
