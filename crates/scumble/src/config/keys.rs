//! `[keys]`: where the secret key is. The key itself is never part of a plan.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use super::source::{Source, Step};
use crate::base::key::Key;
use crate::error::{Error, Result};

/// Where the secret key is that steps need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Keys {
    /// The file with the secret key, relative to this file. Only its owner may read it, and it lies neither with the release nor in a
    /// repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Keys from elsewhere than the plan. They are never written with it.
    #[serde(skip)]
    offered: Vec<OfferedKey>,
}

/// A key that was given beside the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfferedKey {
    /// How it was given, for messages.
    pub(crate) by: String,
    pub(crate) source: KeySource,
}

/// The place of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file.
    File(PathBuf),
    /// The key itself.
    Key(Key),
}

impl Keys {
    /// Whether the plan says nothing of a key.
    pub(super) fn is_unsaid(&self) -> bool {
        self.file.is_none()
    }

    pub(crate) fn offered(&self) -> &[OfferedKey] {
        &self.offered
    }
}

impl Plan {
    /// With the secret key that steps need. It is not written with the plan.
    #[must_use]
    pub fn with_key(mut self, key: Key) -> Self {
        self.offer_key("the program", KeySource::Key(key));
        self
    }

    /// Adds a key that was given beside the plan; `by` says how, for messages. All keys that are given must be the same.
    pub fn offer_key(&mut self, by: &str, source: KeySource) {
        self.keys.offered.push(OfferedKey { by: by.to_owned(), source });
    }
}

/// The error of a key that is written where a plan asks for parameters. It shows nothing of the key.
#[must_use]
pub fn key_does_not_belong_here() -> Error {
    Error::config("a key does not belong in a plan or on a command line, where others can read it")
        .advise("put the key into a file that only you can read, and name the file: [keys] file = \"…\"")
        .advise("make a new key with 'scumble key new FILE', if somebody may have seen this one")
}

/// Whether a part of a text looks like a key: 64 hexadecimal digits between other signs.
#[must_use]
pub fn shows_key(text: &str) -> bool {
    let is_key = |part: &str| part.len() == 64 && part.bytes().all(|sign| sign.is_ascii_hexdigit());
    text.split(|sign: char| !sign.is_ascii_alphanumeric() && !"._-/".contains(sign)).any(is_key)
}

/// Returns an error if a key stands in the text of a plan.
pub(super) fn refuse_key_in(source: &Source<'_>) -> Result<()> {
    let key = |name: &str| Step::Key(name.to_owned());
    let of_step = |place: usize| vec![key("transform"), Step::Item(place), key("key")];
    let mut ways = vec![vec![key("key")], vec![key("keys"), key("key")]];
    ways.extend((0..source.items("transform")).map(of_step));
    match ways.iter().find(|way| source.has(way)) {
        None => Ok(()),
        Some(way) => Err(source.error_at(way, key_does_not_belong_here())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_plan_is_refused_and_not_shown() {
        for text in [
            "key = \"c0ffee\"",
            "[keys]\nkey = \"c0ffee\"",
            "[[transform]]\ndo = \"mask\"\ncolumn = \"a\"\n[[transform]]\ndo = \"pseudonym\"\ncolumn = \"a\"\nkey = \"c0ffee\"",
        ] {
            let text = format!("input = \"in.csv\"\noutput = \"out.csv\"\n{text}\n");
            let error = Plan::from_toml(&text, "release.toml").expect_err(&text).to_string();
            let line = text.lines().count();
            assert!(
                error.starts_with(&format!("release.toml:{line}:1: a key does not belong in a plan")),
                "{error}"
            );
            assert!(error.contains("[keys] file") && !error.contains("c0ffee"), "{error}");
        }
    }

    #[test]
    fn keys_are_not_written_with_the_plan() {
        let plan = Plan::new("in.csv", "out.csv").with_key(crate::base::key::example());
        assert_eq!(
            plan.to_toml().expect("writes"),
            Plan::new("in.csv", "out.csv").to_toml().expect("writes")
        );
        assert!(format!("{plan:?}").contains("Key(secret)"));
        let text = "input = \"in.csv\"\noutput = \"out.csv\"\n[keys]\nfile = \"../keys/clinic.key\"\n";
        let plan = Plan::from_toml(text, "plan").expect("a plan");
        assert_eq!(plan.keys.file.as_deref(), Some("../keys/clinic.key"));
        assert_eq!(Plan::from_toml(&plan.to_toml().expect("writes"), "plan").expect("a plan"), plan);
    }

    #[test]
    fn a_key_in_any_place_of_a_plan_is_not_shown() {
        let digits = "0f".repeat(32);
        for line in [
            format!("keys = \"{digits}\""),
            format!("[keys]\nfile = \"{digits}\""),
            format!("secret = '{digits}'"),
        ] {
            let text = format!("input = \"in.csv\"\noutput = \"out.csv\"\n{line}\n");
            let error = Plan::from_toml(&text, "release.toml").expect_err(&text).to_string();
            assert!(error.contains("does not belong") && !error.contains(&digits), "{error}");
        }
        assert!(
            !shows_key("data/sha256/") && !shows_key(&format!("{digits}.csv")) && !shows_key(&digits[1..])
        );
        assert!(shows_key(&format!("pseudonym:column=a,secret={digits}")));
    }
}
