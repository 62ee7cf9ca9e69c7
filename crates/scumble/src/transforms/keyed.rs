//! What steps with a secret key share.

use super::Given;
use crate::base::key::Key;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// A study, whose codes and offsets are others than those of other studies with the same key; and the key that it was begun with, where that is
/// known.
pub(super) struct Project {
    pub(super) name: String,
    key_id: Option<String>,
}

impl Project {
    pub(super) fn new(parameters: &Parameters) -> Result<Self> {
        let name = name(parameters, "project")?.ok_or_else(|| {
            Error::config("the step needs the name of the project, so that other projects with the same key have other codes and offsets")
                .advise("name the project in the step: project = \"…\"")
        })?;
        let key_id = parameters.text("key_id")?;
        if key_id.is_some_and(|id| id.len() != 16 || !id.bytes().all(|sign| sign.is_ascii_hexdigit())) {
            let error =
                Error::config("key_id has 16 hexadecimal digits, as a report or a saved recoding shows them");
            return Err(parameters.placed("key_id", error));
        }
        Ok(Self { name, key_id: key_id.map(str::to_owned) })
    }

    /// The key of the run, with its id; an error if the step was begun with another.
    pub(super) fn key(&self, given: &Given<'_>) -> Result<(Key, String)> {
        let key = (given.key)()?;
        let id = key.id()?;
        match &self.key_id {
            Some(of_step) if *of_step != id => Err(Error::config(format_args!(
                "the key that was given has the id {id}, and the step was begun with the key {of_step}"
            ))
            .advise("give that key")),
            _ => Ok((key, id)),
        }
    }
}

/// A name among the parameters. Two names must never be one text once they are put together with other parts, so it has no control characters.
pub(super) fn name(parameters: &Parameters, parameter: &str) -> Result<Option<String>> {
    let wrong = |what: &str| {
        let error = Error::config(format_args!("{parameter} must be a text{what}"));
        Err(parameters.placed(parameter, error))
    };
    match parameters.get(parameter) {
        None => Ok(None),
        Some(Value::List(_) | Value::Boolean(_)) => wrong(""),
        Some(value) => match value.to_text() {
            name if name.is_empty() => wrong(" that is not empty"),
            name if name.chars().any(char::is_control) => wrong(" without control characters"),
            name => Ok(Some(name.into_owned())),
        },
    }
}
