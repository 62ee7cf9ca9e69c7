//! A machine-learning model's settings by name, with getters whose errors say what is wrong.

use crate::error::{Error, Result};

/// Names and values as a person wrote them. Hyphens in names count as underscores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// Creates settings from names and values.
    #[must_use]
    pub fn new<N: AsRef<str>, V: ToString>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(
            pairs
                .into_iter()
                .map(|(name, value)| (name.as_ref().replace('-', "_"), value.to_string()))
                .collect(),
        )
    }

    /// Returns an error for the first setting that is not one of the `known`.
    pub fn allow_only(&self, known: &[(&str, &str)]) -> Result<()> {
        let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let Some((name, _)) = self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let all = if known.is_empty() { "none are known here".into() } else { known.join(", ") };
        Err(Error::Config(format!("unknown setting '{name}'; known: {all}")))
    }

    /// Returns a number from `least` to `most`, or the default.
    pub fn number(&self, name: &str, default: f64, least: f64, most: f64) -> Result<f64> {
        let Some(text) = self.get(name) else { return Ok(default) };
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(wrong(name, &format!("a number from {least} to {most}"), text)),
        }
    }

    /// Returns a whole number from `least` to `most`, or the default.
    pub fn whole(&self, name: &str, default: usize, least: usize, most: usize) -> Result<usize> {
        let Some(text) = self.get(name) else { return Ok(default) };
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => Err(wrong(name, &format!("a whole number from {least} to {most}"), text)),
        }
    }

    /// Returns `true` or `false`, or the default.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool> {
        let Some(text) = self.get(name) else { return Ok(default) };
        text.parse().map_err(|_| wrong(name, "true or false", text))
    }

    /// Returns a value as written.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// The error for a setting of the wrong kind.
pub(crate) fn wrong(name: &str, wish: &str, found: &str) -> Error {
    Error::Config(format!("{name} must be {wish}, not '{found}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_and_misspelt_names_refused() {
        let settings = Settings::new([("min-objects", "5"), ("prune", "maybe"), ("confidence", "0.9")]);
        assert_eq!(settings.whole("min_objects", 2, 1, 100), Ok(5));
        assert_eq!(settings.whole("folds", 3, 2, 100), Ok(3));
        let message = |result: Result<()>| result.unwrap_err().to_string();
        assert_eq!(
            message(settings.flag("prune", true).map(drop)),
            "prune must be true or false, not 'maybe'"
        );
        assert_eq!(
            message(settings.number("confidence", 0.25, 0.001, 0.5).map(drop)),
            "confidence must be a number from 0.001 to 0.5, not '0.9'"
        );
        assert_eq!(
            message(settings.allow_only(&[("prune", ""), ("confidence", "")])),
            "unknown setting 'min_objects'; known: prune, confidence"
        );
    }
}
