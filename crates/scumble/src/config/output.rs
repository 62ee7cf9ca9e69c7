//! How a release is written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program that delimited text is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutputDialect {
    /// Excel where numbers have a decimal point: commas between fields, and a byte order mark, without which Excel misreads letters.
    Excel,
    /// Excel where numbers have a decimal comma, as in German: semicolons between fields, decimal commas, and a byte order mark.
    ExcelDe,
}

impl OutputDialect {
    /// The dialects with their names.
    pub const ALL: [(&'static str, Self); 2] = [("excel", Self::Excel), ("excel-de", Self::ExcelDe)];

    /// The name, as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Excel => "excel",
            Self::ExcelDe => "excel-de",
        }
    }

    /// The character between fields.
    #[must_use]
    pub fn delimiter(self) -> u8 {
        match self {
            Self::Excel => b',',
            Self::ExcelDe => b';',
        }
    }

    /// Whether the decimal mark is a comma.
    #[must_use]
    pub fn has_comma(self) -> bool {
        self == Self::ExcelDe
    }
}
