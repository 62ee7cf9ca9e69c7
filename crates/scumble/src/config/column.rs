//! One column of a plan.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consent::{AcceptFreeText, AcceptPii};
use super::output::Range;
use super::plan::MissingPolicy;
use super::rational::Rational;
use super::roles::{Role, Roles};
use super::value::Value;
use super::weights::Weights;
use crate::error::{Error, Result};
use crate::table::date::DateFormat;
use crate::table::hierarchy::Builder;
use crate::table::kind::{Kind, Measure};

/// What the plan says about one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What the column is to the release.
    pub role: Roles,
    /// The type of its values; inferred from them where it is not given.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// How dates are written, such as `dd/mm/yyyy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DateFormat>,
    /// The lowest value that may occur; with `max` it declares the domain without reading the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Value>,
    /// The highest value that may occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Value>,
    /// How coarser values are labelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// How ranges are written: as labels, or as two columns for people who compute with them.
    #[serde(default, skip_serializing_if = "Range::is_label")]
    pub range: Range,
    /// How much this column matters where an algorithm or a metric weighs columns, from 0 (not at all) to 1; 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Rational>,
    /// The texts that mean a missing value in this column, instead of those of `[read]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// What to do with missing values of this column, instead of what `[read]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_policy: Option<MissingPolicy>,
    /// When two texts of a column that models read are one value: `normal` unless given.
    #[serde(default, skip_serializing_if = "Equality::is_normal")]
    pub equality: Equality,
    /// Whether a missing value of this column is a value like any other to models of sensitive values; it is no value unless given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing_counts: bool,
    /// Consent to publish the column although personal data of these kinds was found in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_pii: Option<AcceptPii>,
    /// Consent to publish the column although it is free text. It is never accepted for the audience `public`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_free_text: Option<AcceptFreeText>,
    /// For a survey weight: what the release shows of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// For a survey weight: the column within whose values weights are raised for rows that are left out, so that they still add up. They are not
    /// raised unless it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stratum: Option<String>,
    /// For the column of households: whether the release shows fresh numbers of households, which show who lives together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renumber: bool,
    /// How values are generalised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Builder>,
}

/// The type of a column's values, as users write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Whole numbers.
    Integer,
    /// Numbers with a decimal point.
    Decimal,
    /// Numbers with a decimal comma.
    DecimalComma,
    /// Calendar dates; `format` says how they are written.
    Date,
    /// Timestamps as ISO 8601 writes them, all with a zone or all without.
    Timestamp,
    /// Times of day: `10:15`, `10:15:30`.
    Time,
    /// True or false: `true`, `false`, `yes`, `no`, `t`, `f`, `y`, `n`, `1`, `0`.
    Boolean,
    /// Anything else.
    Text,
}

/// When two texts of a column are one value to models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Equality {
    /// Whatever their case, white space, composition and invisible characters; numbers by value, dates by their day. The release
    /// shows one spelling of each value.
    #[default]
    Normal,
    /// As they are written; a column of nothing but numbers or dates still compares them by what they mean.
    Exact,
}

impl Equality {
    /// Whether spellings do not count.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

/// How generalised values are labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// By the declared node or range.
    #[default]
    Node,
    /// By the smallest and largest value in the group: these are real values of people.
    Tight,
    /// By the set of the values in the group, for texts of few values: which values occur there is a fact about the data.
    Set,
}

impl ValueType {
    /// The type of a kind.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Integer => Self::Integer,
            Kind::Decimal | Kind::Wide { comma: false } => Self::Decimal,
            Kind::DecimalComma | Kind::Wide { comma: true } => Self::DecimalComma,
            Kind::Date(_) => Self::Date,
            Kind::Timestamp { .. } => Self::Timestamp,
            Kind::Time => Self::Time,
            Kind::Text => Self::Text,
        }
    }

    /// The type as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::DecimalComma => "decimal_comma",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Time => "time",
            Self::Boolean => "boolean",
            Self::Text => "text",
        }
    }
}

impl From<Role> for Column {
    fn from(role: Role) -> Self {
        Self::new(Roles::one(role))
    }
}

impl Column {
    /// Whether its values are ever generalised, or compared by a hierarchy.
    pub(crate) fn uses_hierarchy(&self) -> bool {
        [Role::Quasi, Role::Sensitive, Role::Class].into_iter().any(|role| self.role.has(role))
    }

    /// A column of which only the role is known.
    #[must_use]
    pub fn new(role: Roles) -> Self {
        Self {
            role,
            value_type: None,
            format: None,
            min: None,
            max: None,
            label: None,
            range: Range::Label,
            priority: None,
            missing: None,
            missing_policy: None,
            equality: Equality::Normal,
            missing_counts: false,
            accept_pii: None,
            accept_free_text: None,
            weights: None,
            stratum: None,
            renumber: false,
            hierarchy: None,
        }
    }

    /// With a type of its values.
    #[must_use]
    pub fn typed(self, value_type: ValueType) -> Self {
        Self { value_type: Some(value_type), ..self }
    }

    /// With dates that are written so.
    #[must_use]
    pub fn dated(self, format: DateFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    /// With the lowest and the highest value that may occur.
    #[must_use]
    pub fn between(self, min: impl Into<Value>, max: impl Into<Value>) -> Self {
        Self { min: Some(min.into()), max: Some(max.into()), ..self }
    }

    /// With what a release shows of it, if it is a survey weight.
    #[must_use]
    pub fn showing(self, weights: Weights) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// With a hierarchy that is built so.
    #[must_use]
    pub fn generalised_by(self, hierarchy: Builder) -> Self {
        Self { hierarchy: Some(hierarchy), ..self }
    }

    /// The declared kind of values; `None` where it must be inferred (also for dates without a format, and for timestamps, which have a zone or
    /// not).
    #[must_use]
    pub fn declared_kind(&self) -> Option<Kind> {
        match (self.value_type, self.format) {
            (Some(ValueType::Integer), _) => Some(Kind::Integer),
            (Some(ValueType::Decimal), _) => Some(Kind::Decimal),
            (Some(ValueType::DecimalComma), _) => Some(Kind::DecimalComma),
            (Some(ValueType::Text | ValueType::Boolean), _) => Some(Kind::Text),
            (Some(ValueType::Time), _) => Some(Kind::Time),
            (Some(ValueType::Timestamp), _) => None,
            (Some(ValueType::Date) | None, Some(format)) => Some(Kind::Date(format)),
            (Some(ValueType::Date) | None, None) => None,
        }
    }

    /// The declared lowest and highest value as integers of the column's measure.
    pub fn bounds(&self, name: &str, measure: &Measure) -> Result<(Option<i128>, Option<i128>)> {
        let read = |which: &str, bound: &Option<Value>| {
            let Some(bound) = bound else { return Ok(None) };
            let text = bound.to_text();
            // In a plan a number has a point, whatever the table has.
            let number = match bound {
                Value::Decimal(_) if measure.kind.has_comma() => measure.number(&text.replace('.', ",")),
                _ => measure.number(&text),
            };
            number.map(Some).ok_or_else(|| {
                let kind = match measure.kind {
                    Kind::Date(format) => format!("a date written {}", format.name()),
                    Kind::Timestamp { zone: true } => {
                        "a timestamp with a zone, such as 2024-03-09T10:15:00Z".to_owned()
                    }
                    Kind::Timestamp { zone: false } => {
                        "a timestamp without a zone, such as 2024-03-09T10:15:00".to_owned()
                    }
                    Kind::Time => "a time of day, such as 10:15:00".to_owned(),
                    Kind::Text => "a number or a date: the column is text and has no order".to_owned(),
                    Kind::Integer => "a whole number".to_owned(),
                    Kind::Wide { .. } => {
                        "a number with at most 35 digits, not smaller than the smallest of the column"
                            .to_owned()
                    }
                    _ => format!("a number with at most {} decimal places", measure.scale),
                };
                column_error(name, format_args!("{which} must be {kind}"))
            })
        };
        let (low, high) = (read("min", &self.min)?, read("max", &self.max)?);
        match (low, high) {
            (Some(low), Some(high)) if low > high => Err(column_error(name, "min is above max")),
            ends => Ok(ends),
        }
    }
}

fn column_error(name: &str, message: impl Display) -> Error {
    Error::config(format_args!("[columns.{name}]: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Role;

    fn column(min: &str, max: &str) -> Column {
        let value = |text: &str| (!text.is_empty()).then(|| Value::from_text(text));
        Column { min: value(min), max: value(max), ..Column::new(Roles::one(Role::Quasi)) }
    }

    fn measure(kind: Kind, scale: u32) -> Measure {
        Measure { kind, scale }
    }

    #[test]
    fn bounds_follow_the_measure() {
        let read = |min, max, kind, scale| {
            column(min, max).bounds("c", &measure(kind, scale)).map_err(|error| error.to_string())
        };
        assert_eq!(read("0", "120", Kind::Integer, 0), Ok((Some(0), Some(120))));
        assert_eq!(read("", "1.5", Kind::Decimal, 2), Ok((None, Some(150))));
        assert_eq!(read("-1.5", "2", Kind::DecimalComma, 1), Ok((Some(-15), Some(20))));
        let iso = Kind::Date(DateFormat::YearMonthDay);
        assert_eq!(read("1970-01-01", "1970-01-11", iso, 0), Ok((Some(0), Some(10))));
        let message = |min, max, kind| read(min, max, kind, 0).expect_err("wrong");
        assert_eq!(message("9", "3", Kind::Integer), "[columns.c]: min is above max");
        assert_eq!(message("a", "", Kind::Integer), "[columns.c]: min must be a whole number");
        assert_eq!(message("", "1/1/1970", iso), "[columns.c]: max must be a date written yyyy-mm-dd");
        assert!(message("a", "", Kind::Text).contains("the column is text and has no order"));
        assert!(message("1.5", "", Kind::Decimal).ends_with("a number with at most 0 decimal places"));
    }

    #[test]
    fn declared_kinds() {
        let mut column = Column::new(Roles::one(Role::Quasi));
        assert_eq!(column.declared_kind(), None);
        column.value_type = Some(ValueType::Date);
        assert_eq!(column.declared_kind(), None, "the format is still to be inferred");
        column.format = Some(DateFormat::DayMonthYear);
        assert_eq!(column.declared_kind(), Some(Kind::Date(DateFormat::DayMonthYear)));
        column.value_type = None;
        assert_eq!(column.declared_kind(), Some(Kind::Date(DateFormat::DayMonthYear)));
        for kind in [Kind::Integer, Kind::Decimal, Kind::DecimalComma, Kind::Text] {
            column.value_type = Some(ValueType::of(kind));
            assert_eq!(column.declared_kind(), Some(kind));
        }
    }
}
