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

/// How a quasi-identifier is written whose coarser values are ranges of numbers, dates, timestamps or times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Range {
    /// As labels in one column: `[20,29]`.
    #[default]
    Label,
    /// As two columns, `age_low` and `age_high`: the value lies from the one to the other, both included.
    TwoColumns,
}

impl Range {
    /// The ways with their names.
    pub const ALL: [(&'static str, Self); 2] = [("label", Self::Label), ("two-columns", Self::TwoColumns)];

    /// Whether it is the usual one.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub(super) fn is_label(&self) -> bool {
        *self == Self::Label
    }

    /// The names of the two columns of a quasi-identifier.
    #[must_use]
    pub fn columns_of(name: &str) -> [String; 2] {
        [format!("{name}_low"), format!("{name}_high")]
    }
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
