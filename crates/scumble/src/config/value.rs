//! One value of a plan: a parameter of a model or an algorithm, or the end of a column's domain.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value as the user wrote it. Decimals stay text, so that `1.31` is 131/100 and not a float near it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `true` or `false`
    Boolean(bool),
    /// `5`
    Integer(i64),
    /// `1.31`, as its decimal text
    Decimal(String),
    /// `"entropy"`
    Text(String),
    /// `[1, 2]`
    List(Vec<Value>),
}

/// The significant digits that a float surely keeps; longer decimals must be written in quotes.
pub(super) const FLOAT_DIGITS: usize = 15;

impl Value {
    /// The value of a text of the command line (`--set l=1.31`): what it looks like, else a text. A number with zeros before it, such as `007`, is a
    /// text, since it would not be the same as a number.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        if let Ok(boolean) = text.parse() {
            return Self::Boolean(boolean);
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        let padded = digits.starts_with('0') && digits[1..].starts_with(|next: char| next.is_ascii_digit());
        if let Some(integer) = text.parse().ok().filter(|_| !padded) {
            return Self::Integer(integer);
        }
        if let Some(items) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let items = items.split(',').map(str::trim).filter(|item| !item.is_empty());
            return Self::List(items.map(Self::from_text).collect());
        }
        if !padded
            && digits.split_once('.').is_some_and(|(whole, places)| {
                !places.is_empty() && whole.bytes().chain(places.bytes()).all(|byte| byte.is_ascii_digit())
            })
        {
            return Self::Decimal(text.to_owned());
        }
        Self::Text(text.to_owned())
    }

    /// The value as plain text, without quotes.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Boolean(value) => value.to_string().into(),
            Self::Integer(value) => value.to_string().into(),
            Self::Decimal(text) | Self::Text(text) => text.into(),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::to_text).collect();
                format!("[{}]", items.join(", ")).into()
            }
        }
    }

    /// What kind of value it is, for messages.
    #[must_use]
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "true or false",
            Self::Integer(_) => "a whole number",
            Self::Decimal(_) => "a decimal number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

/// A word, or a number that is given exactly: `"2/3"`, `"0.1"`.
impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Boolean(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Decimal(text) => match text.parse::<f64>() {
                Ok(float) if significant_digits(text) <= FLOAT_DIGITS => serializer.serialize_f64(float),
                _ => serializer.serialize_str(text),
            },
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => items.serialize(serializer),
        }
    }
}

/// The digits of a decimal text between its first and its last that is not zero.
pub(super) fn significant_digits(text: &str) -> usize {
    let number = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a number, a text, true or false, or a list of them")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value).map(Value::Integer).map_err(|_| E::custom("the number is too large"))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        if !value.is_finite() {
            return Err(E::custom("expected a finite number"));
        }
        // The shortest decimal that is this float: the decimal that was written, if that had at most
        // 15 digits, which reading a plan makes sure of.
        Ok(Value::Decimal(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if matches!(item, Value::List(_)) {
                return Err(A::Error::custom("a list cannot hold lists"));
            }
            list.push(item);
        }
        Ok(Value::List(list))
    }
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one = serde_json::json!(["boolean", "number", "string"]);
        json_schema!({
            "description": "A number, a text, true or false, or a list of them.",
            "anyOf": [{ "type": one }, { "type": "array", "items": { "type": one } }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_command_line() {
        assert_eq!(Value::from_text("5"), Value::Integer(5));
        assert_eq!(Value::from_text("-1.50"), Value::Decimal("-1.50".into()));
        for padded in ["007", "-01", "00", "00.5"] {
            assert_eq!(Value::from_text(padded), Value::Text(padded.into()));
        }
        assert_eq!(Value::from_text("0"), Value::Integer(0));
        assert_eq!(Value::from_text("0.5"), Value::Decimal("0.5".into()));
        assert_eq!(Value::from_text("true"), Value::Boolean(true));
        assert_eq!(Value::from_text("1/3"), Value::Text("1/3".into()));
        assert_eq!(Value::from_text("1."), Value::Text("1.".into()));
        assert_eq!(Value::from_text("entropy"), Value::Text("entropy".into()));
        let list = Value::List(vec![Value::Integer(3), Value::Text("a".into())]);
        assert_eq!(Value::from_text("[3, a]"), list);
        assert_eq!(list.to_text(), "[3, a]");
        assert_eq!(Value::from_text("[]"), Value::List(Vec::new()));
    }

    #[test]
    fn digits_that_count() {
        for (text, digits) in
            [("0.050", 1), ("1.31", 3), ("-100", 1), ("1.5e-300", 2), ("0.0", 0), ("10_0.1", 4)]
        {
            assert_eq!(significant_digits(text), digits, "{text}");
        }
    }

    #[test]
    fn long_decimals_are_written_in_quotes() {
        let text = |value: &str| serde_json::to_string(&Value::from_text(value)).expect("writes");
        assert_eq!(text("0.123456789012345"), "0.123456789012345");
        assert_eq!(text("0.1234567890123456"), "\"0.1234567890123456\"");
    }
}
