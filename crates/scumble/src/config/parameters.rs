//! The parameters of a model or an algorithm, by name, with getters that say what is wrong.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::ordered;
use super::rational::Rational;
use super::value::Value;
use crate::error::{Error, Result, did_you_mean};

/// Parameters in the order in which they were given.
///
/// A getter gives `None` for a parameter that is not there, and an error for one of the wrong kind.
/// Code that reads parameters first calls [`Parameters::allow_only`], so that no misspelt one is ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Parameters(#[serde(with = "ordered")] Vec<(String, Value)>, #[serde(skip)] Places);

/// Where in a plan parameters stand, by name. Two plans that ask for the same are equal, wherever it stands.
#[derive(Debug, Clone, Default)]
struct Places(Vec<(String, String)>);

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Places {}

impl Parameters {
    /// The value of a parameter, as written.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value)
    }

    /// Gives a parameter a value. Hyphens in names are taken as underscores.
    pub fn set(&mut self, name: &str, value: Value) {
        let name = name.replace('-', "_");
        self.1.0.retain(|(placed, _)| *placed != name);
        match self.0.iter_mut().find(|(given, _)| *given == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Says where in a plan a parameter stands, or a key next to the parameters.
    pub(super) fn stands_at(&mut self, name: &str, line: String) {
        self.1.0.push((name.to_owned(), line));
    }

    /// The error, with the place in the plan of the parameter that it is about, where that is known.
    pub(crate) fn placed(&self, name: &str, error: Error) -> Error {
        match self.1.0.iter().find(|(placed, _)| placed == name) {
            Some((_, line)) => error.at_line(line),
            None => error,
        }
    }

    /// Names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An error for the first parameter that is not one of the `known`.
    pub fn allow_only(&self, known: &[&str]) -> Result<()> {
        let Some((name, _)) = self.iter().find(|(name, _)| !known.contains(name)) else {
            return Ok(());
        };
        let near = did_you_mean(name, known.iter().copied());
        let all = match known {
            [] => "there are none here".to_owned(),
            _ => format!("known are {}", known.join(", ")),
        };
        Err(self
            .placed(name, Error::config(format_args!("unknown parameter '{name}'{}", sentence(&near, &all)))))
    }

    /// A whole number of at least `minimum`.
    pub fn whole(&self, name: &str, minimum: u64) -> Result<Option<u64>> {
        let wish = format!("a whole number of at least {minimum}");
        self.read(name, &wish, |value| match value {
            Value::Integer(number) => u64::try_from(*number).ok().filter(|number| *number >= minimum),
            _ => None,
        })
    }

    /// An exact number of at least `minimum` and, if given, at most `maximum`.
    pub fn rational(
        &self,
        name: &str,
        minimum: Rational,
        maximum: Option<Rational>,
    ) -> Result<Option<Rational>> {
        let wish = match maximum {
            Some(maximum) => format!("a number from {minimum} to {maximum}"),
            None => format!("a number of at least {minimum}"),
        };
        self.exact(name, &wish, |number| minimum <= number && maximum.is_none_or(|maximum| number <= maximum))
    }

    /// An exact number above 0 and, if given, at most `maximum`.
    pub fn positive(&self, name: &str, maximum: Option<Rational>) -> Result<Option<Rational>> {
        let wish = match maximum {
            Some(maximum) => format!("a number above 0 and at most {maximum}"),
            None => "a number above 0".to_owned(),
        };
        self.exact(name, &wish, |number| {
            Rational::ZERO < number && maximum.is_none_or(|maximum| number <= maximum)
        })
    }

    fn exact(&self, name: &str, wish: &str, fits: impl Fn(Rational) -> bool) -> Result<Option<Rational>> {
        self.read(name, wish, |value| {
            let number: Rational = match value {
                Value::Boolean(_) | Value::List(_) => return None,
                number => number.to_text().parse().ok()?,
            };
            fits(number).then_some(number)
        })
    }

    /// `true` or `false`.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>> {
        self.read(name, "true or false", |value| match value {
            Value::Boolean(value) => Some(*value),
            _ => None,
        })
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<Option<&str>> {
        self.read(name, "a text", |value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// A text that is one of `choices`.
    pub fn choice(&self, name: &str, choices: &[&'static str]) -> Result<Option<&'static str>> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        let canonical = given.replace('-', "_");
        match choices.iter().find(|choice| **choice == canonical) {
            Some(choice) => Ok(Some(choice)),
            None => Err(self.placed(
                name,
                Error::config(format_args!(
                    "{name} must be one of {}, not '{given}'{}",
                    choices.join(", "),
                    did_you_mean(&canonical, choices.iter().copied()),
                )),
            )),
        }
    }

    /// A list of texts; one text alone is a list of one.
    pub fn texts(&self, name: &str) -> Result<Option<Vec<&str>>> {
        fn text(value: &Value) -> Option<&str> {
            match value {
                Value::Text(text) => Some(text),
                _ => None,
            }
        }
        self.read(name, "a text or a list of texts", |value| match value {
            Value::List(items) => items.iter().map(text).collect(),
            value => text(value).map(|text| vec![text]),
        })
    }

    /// What a getter found, or an error that the parameter is missing: `required("k", p.whole("k", 1)?)`.
    pub fn required<T>(name: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| Error::config(format_args!("the parameter '{name}' is missing")))
    }

    fn read<'a, T>(
        &'a self,
        name: &str,
        wish: &str,
        take: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wrong = || Error::config(format_args!("{name} must be {wish}, not {}", shown(value)));
        take(value).ok_or_else(|| self.placed(name, wrong())).map(Some)
    }
}

/// A value in a message: numbers as they are, texts in quotes, lists only by their kind.
fn shown(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Text(text) => format!("the text '{text}'").into(),
        Value::List(_) => value.describe().into(),
        value => value.to_text(),
    }
}

/// Joins a did-you-mean, which ends its sentence, with the list of all names.
pub(super) fn sentence(near: &str, all: &str) -> String {
    if near.is_empty() { format!("; {all}") } else { format!("{near} ({all})") }
}

impl FromIterator<(String, Value)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(pairs: I) -> Self {
        let mut parameters = Self::default();
        for (name, value) in pairs {
            parameters.set(&name, value);
        }
        parameters
    }
}

impl JsonSchema for Parameters {
    fn schema_name() -> Cow<'static, str> {
        "Parameters".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, Value>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(pairs: &[(&str, &str)]) -> Parameters {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value))).collect()
    }

    fn message<T: std::fmt::Debug>(result: Result<T>) -> String {
        result.expect_err("an error").to_string()
    }

    #[test]
    fn whole_numbers() {
        let given =
            parameters(&[("k", "5"), ("zero", "0"), ("half", "2.5"), ("word", "five"), ("minus", "-3")]);
        assert_eq!(given.whole("k", 1).expect("fits"), Some(5));
        assert_eq!(given.whole("absent", 1).expect("fits"), None);
        assert_eq!(message(given.whole("zero", 1)), "zero must be a whole number of at least 1, not 0");
        assert_eq!(message(given.whole("half", 1)), "half must be a whole number of at least 1, not 2.5");
        assert_eq!(
            message(given.whole("word", 1)),
            "word must be a whole number of at least 1, not the text 'five'"
        );
        assert_eq!(message(given.whole("minus", 0)), "minus must be a whole number of at least 0, not -3");
    }

    #[test]
    fn exact_numbers() {
        let given = parameters(&[
            ("l", "1.31"),
            ("third", "1/3"),
            ("two", "2"),
            ("yes", "true"),
            ("below", "-0.5"),
            ("zero", "0"),
            ("one", "1"),
        ]);
        let number = |name| given.rational(name, Rational::ZERO, Some(Rational::ONE));
        assert_eq!(given.rational("l", Rational::ONE, None).expect("fits"), Rational::new(131, 100));
        assert_eq!(number("third").expect("fits"), Rational::new(1, 3));
        assert_eq!(message(number("two")), "two must be a number from 0 to 1, not 2");
        assert_eq!(message(number("yes")), "yes must be a number from 0 to 1, not true");
        assert_eq!(message(number("below")), "below must be a number from 0 to 1, not -0.5");
        let positive = |name| given.positive(name, Some(Rational::ONE));
        assert_eq!(positive("third").expect("fits"), Rational::new(1, 3));
        assert_eq!(positive("one").expect("fits"), Some(Rational::ONE));
        assert_eq!(message(positive("two")), "two must be a number above 0 and at most 1, not 2");
        assert_eq!(message(positive("zero")), "zero must be a number above 0 and at most 1, not 0");
        assert_eq!(message(given.positive("zero", None)), "zero must be a number above 0, not 0");
        assert_eq!(given.positive("two", None).expect("fits"), Some(Rational::whole(2)));
        let above_two = given.rational("l", Rational::whole(2), None);
        assert_eq!(message(above_two), "l must be a number of at least 2, not 1.31");
    }

    #[test]
    fn other_kinds() {
        let given =
            parameters(&[("variant", "entropi"), ("both", "[a, b]"), ("flag", "false"), ("mixed", "[a, 1]")]);
        assert_eq!(given.boolean("flag").expect("fits"), Some(false));
        assert_eq!(given.texts("both").expect("fits"), Some(vec!["a", "b"]));
        assert_eq!(given.texts("variant").expect("fits"), Some(vec!["entropi"]));
        assert_eq!(message(given.texts("mixed")), "mixed must be a text or a list of texts, not a list");
        assert_eq!(message(given.text("both")), "both must be a text, not a list");
        assert_eq!(message(given.boolean("both")), "both must be true or false, not a list");
        assert_eq!(
            message(given.choice("variant", &["distinct", "entropy"])),
            "variant must be one of distinct, entropy, not 'entropi'; did you mean 'entropy'?"
        );
        let hyphen = parameters(&[("unit", "equal-width")]);
        assert_eq!(hyphen.choice("unit", &["equal_width"]).expect("fits"), Some("equal_width"));
        assert_eq!(
            message(Parameters::required("k", given.whole("k", 1).expect("fits"))),
            "the parameter 'k' is missing"
        );
    }

    #[test]
    fn unknown_names() {
        let given = parameters(&[("k", "5"), ("varient", "x")]);
        assert_eq!(
            message(given.allow_only(&["k", "variant"])),
            "unknown parameter 'varient'; did you mean 'variant'? (known are k, variant)"
        );
        assert_eq!(message(given.allow_only(&[])), "unknown parameter 'k'; there are none here");
        assert!(given.allow_only(&["k", "varient"]).is_ok());
    }

    #[test]
    fn the_last_value_wins_and_order_stays() {
        let given = parameters(&[("b", "1"), ("a-c", "2"), ("b", "3")]);
        let pairs: Vec<_> = given.iter().map(|(name, value)| (name, value.to_text().into_owned())).collect();
        assert_eq!(pairs, [("b", "3".to_owned()), ("a_c", "2".to_owned())]);
    }
}
