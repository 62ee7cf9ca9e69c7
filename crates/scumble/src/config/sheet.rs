//! The sheet of a workbook as a plan names it: by its name or its number.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A sheet, by its name or its number from 1. A sheet that is called by a number is meant before the sheet with that number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet(String);

impl From<&str> for Sheet {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Sheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sheet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected the name of a sheet, or its number from 1")]
        enum Given {
            Number(u64),
            Name(String),
        }
        Ok(match Given::deserialize(deserializer)? {
            Given::Number(number) => Self(number.to_string()),
            Given::Name(name) => Self(name),
        })
    }
}

impl JsonSchema for Sheet {
    fn schema_name() -> Cow<'static, str> {
        "Sheet".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A sheet of a workbook: its name, or its number from 1.",
            "type": ["string", "integer"],
            "minimum": 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_has_a_name_or_a_number() {
        let sheet = |toml: &str| -> Result<String, String> {
            let table: toml::Table = toml::from_str(toml).map_err(|error| error.to_string())?;
            let sheet: Sheet =
                table["sheet"].clone().try_into().map_err(|error: toml::de::Error| error.to_string())?;
            Ok(sheet.to_string())
        };
        assert_eq!(sheet("sheet = \"People\"").as_deref(), Ok("People"));
        assert_eq!(sheet("sheet = 2").as_deref(), Ok("2"));
        for wrong in ["sheet = true", "sheet = -1", "sheet = 1.5"] {
            assert!(sheet(wrong).is_err_and(|error| error.contains("its number from 1")), "{wrong}");
        }
    }
}
