//! The text of a plan and where in it something stands, so that errors can point there.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::parameters::sentence;
use super::value::{FLOAT_DIGITS, significant_digits};
use crate::error::{Error, Result, did_you_mean};

/// Reads a structure of our own from TOML; errors name the file, line and column, in the words of a plan's errors.
pub fn read_toml<T: DeserializeOwned>(text: &str, file: &str) -> Result<T> {
    Source::new(text, file)?.read()
}

/// Whether a text of TOML has any of these keys outside of all tables. False where it is none.
#[must_use]
pub fn has_any_key(text: &str, keys: &[&str]) -> bool {
    Source::new(text, "").is_ok_and(|source| keys.iter().any(|key| source.has_key(key)))
}

/// A plan's text, parsed so far that places in it can be found.
pub(super) struct Source<'a> {
    file: &'a str,
    text: &'a str,
    table: DeTable<'a>,
}

/// A step on the way to a place in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into a table.
    Key(String),
    /// Into a list.
    Item(usize),
}

impl<'a> Source<'a> {
    /// Parses the text as TOML and refuses what cannot be kept exactly.
    pub(super) fn new(text: &'a str, file: &'a str) -> Result<Self> {
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut source = Self { file, text, table: DeTable::default() };
        source.table = DeTable::parse(text).map_err(|error| source.toml_error(&error))?.into_inner();
        if let Some((span, message)) = first_inexact(source.table.values()) {
            return Err(source.error(Some(span), message));
        }
        Ok(source)
    }

    /// The keys of the text itself, outside of all tables.
    pub(super) fn has_key(&self, name: &str) -> bool {
        self.table.iter().any(|(key, _)| key.get_ref().as_ref() == name)
    }

    /// How many entries a list has, which is a key of the text itself.
    pub(super) fn items(&self, name: &str) -> usize {
        let list = self.table.iter().find(|(key, _)| key.get_ref().as_ref() == name);
        list.and_then(|(_, value)| value.get_ref().as_array()).map_or(0, |items| items.len())
    }

    /// Whether a path leads to something.
    pub(super) fn has(&self, path: &[Step]) -> bool {
        self.follow(path).1
    }

    /// The text as a structure.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        toml::from_str(self.text).map_err(|error| self.toml_error(&error))
    }

    /// An error at the place where a path leads, or as far as it leads.
    pub(super) fn error_at(&self, path: &[Step], error: Error) -> Error {
        self.placed(self.span_of(path), error)
    }

    /// The place where a path leads, or as far as it leads: `release.toml:12:5`.
    pub(super) fn line_of(&self, path: &[Step]) -> Option<String> {
        self.line(self.span_of(path)?)
    }

    fn span_of(&self, path: &[Step]) -> Option<Range<usize>> {
        self.follow(path).0
    }

    /// The last place on a path that is there, and whether that is its end.
    fn follow(&self, path: &[Step]) -> (Option<Range<usize>>, bool) {
        let mut span = None;
        let mut table = Some(&self.table);
        let mut value: Option<&Spanned<DeValue<'_>>> = None;
        for step in path {
            let next = match step {
                Step::Key(name) => {
                    let entry = table.and_then(|table| {
                        table.iter().find(|(key, _)| key.get_ref().as_ref() == name.as_str())
                    });
                    span = entry.map(|(key, _)| key.span()).or(span);
                    entry.map(|(_, value)| value)
                }
                Step::Item(place) => {
                    let item = value.and_then(|value| value.get_ref().get(*place));
                    span = item.map(Spanned::span).or(span);
                    item
                }
            };
            value = next;
            table = next.and_then(|next| next.get_ref().as_table());
        }
        (span, value.is_some())
    }

    fn line(&self, span: Range<usize>) -> Option<String> {
        let before = self.text.get(..span.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some(format!("{}:{line}:{column}", self.file))
    }

    fn toml_error(&self, error: &toml::de::Error) -> Error {
        self.error(error.span(), &toml_words(error.message()))
    }

    fn error(&self, span: Option<Range<usize>>, message: &str) -> Error {
        self.placed(span, Error::config(message))
    }

    fn placed(&self, span: Option<Range<usize>>, error: Error) -> Error {
        let file = self.file;
        error.reworded(|message| match span.and_then(|span| self.line(span)) {
            Some(line) => format!("{line}: {message}"),
            None => format!("{file}: {message}"),
        })
    }
}

/// The first value that would not survive reading: a decimal longer than a float, or a bare date.
fn first_inexact<'v, 'a: 'v>(
    mut values: impl Iterator<Item = &'v Spanned<DeValue<'a>>>,
) -> Option<(Range<usize>, &'static str)> {
    values.find_map(|value| match value.get_ref() {
        DeValue::Float(number) if significant_digits(number.as_str()) > FLOAT_DIGITS => Some((
            value.span(),
            "the number has more than 15 digits, which would be rounded; write it in quotes to keep it exactly",
        )),
        DeValue::Datetime(_) => {
            Some((value.span(), "write dates in quotes, in the column's own format: \"1970-12-31\""))
        }
        DeValue::Array(items) => first_inexact(items.iter()),
        DeValue::Table(table) => first_inexact(table.values()),
        _ => None,
    })
}

/// The messages of the TOML reader in our words, with did-you-mean.
#[must_use]
pub fn toml_words(message: &str) -> String {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted[..] {
        [given, ref known @ ..] if message.starts_with("unknown field") => {
            unknown("unknown key", given, known, "keys here are")
        }
        [given, ref known @ ..] if message.starts_with("unknown variant") => {
            unknown("unknown value", given, known, "values here are")
        }
        [name] if message.starts_with("missing field") => format!("the key '{name}' is missing"),
        // What the TOML reader says of a word without quotes.
        _ if message.contains("literal string") || message.contains("must be quoted") => {
            "a text must stand in quotes: name = \"mondrian\"".to_owned()
        }
        // `five` begins like `false`.
        _ if message.contains("invalid boolean") => {
            "a text must stand in quotes, and a number is written in digits: name = \"mondrian\", k = 5"
                .to_owned()
        }
        _ if message.contains("duplicate key") => format!(
            "{}; a part that is given several times has two brackets: [[privacy]]",
            message.replace('\n', "; ")
        ),
        _ => message.replace('\n', "; "),
    }
}

fn unknown(what: &str, given: &str, known: &[&str], list: &str) -> String {
    let near = did_you_mean(given, known.iter().copied());
    format!("{what} '{given}'{}", sentence(&near, &format!("{list} {}", known.join(", "))))
}
