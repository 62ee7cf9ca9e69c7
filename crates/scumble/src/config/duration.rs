//! Time budgets as users write them: `500ms`, `30s`, `2m`, `1h`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How long a search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Budget(Duration);

/// The units, largest first, in milliseconds.
const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Budget {
    /// The time.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl FromStr for Budget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || "expected a time such as \"30s\": a whole number above zero and ms, s, m or h".to_owned();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| wrong())?;
        let (_, milliseconds) =
            UNITS.into_iter().find(|(name, _)| *name == unit.trim_start()).ok_or_else(wrong)?;
        match number.checked_mul(milliseconds) {
            Some(total) if total > 0 => Ok(Self(Duration::from_millis(total))),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        let fits = UNITS.into_iter().find(|(_, milliseconds)| total.is_multiple_of(*milliseconds));
        let (unit, milliseconds) = fits.unwrap_or(("ms", 1));
        write!(formatter, "{}{unit}", total / milliseconds)
    }
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Budget {
    fn schema_name() -> Cow<'static, str> {
        "Budget".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time: \"500ms\", \"30s\", \"2m\" or \"1h\".",
            "type": "string",
            "pattern": "^[0-9]+ *(ms|s|m|h)$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let milliseconds = |text: &str| text.parse::<Budget>().map(|budget| budget.duration().as_millis());
        assert_eq!(milliseconds("500ms"), Ok(500));
        assert_eq!(milliseconds("30s"), Ok(30_000));
        assert_eq!(milliseconds("2m"), Ok(120_000));
        assert_eq!(milliseconds("1h"), Ok(3_600_000));
        assert_eq!(milliseconds("1 h"), Ok(3_600_000));
    }

    #[test]
    fn texts_that_are_no_times() {
        for text in ["", "30", "s", "0s", "-1s", "1.5h", "1d", "30s ", "99999999999999999h", "1é"] {
            let error = text.parse::<Budget>().expect_err(text);
            assert!(error.starts_with("expected a time such as \"30s\""), "{error}");
        }
    }

    #[test]
    fn written_in_the_largest_unit_that_fits() {
        for (given, written) in [("90s", "90s"), ("120s", "2m"), ("3600s", "1h"), ("1500ms", "1500ms")] {
            assert_eq!(given.parse::<Budget>().map(|budget| budget.to_string()), Ok(written.to_owned()));
        }
    }
}
