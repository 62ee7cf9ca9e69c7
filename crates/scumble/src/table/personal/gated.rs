//! The kinds of personal data that are looked for in every column that would be published, as a plan and its messages call them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Kind;
use crate::error::did_you_mean;

/// The name of [`GatedKind::PersonName`].
const PERSON_NAME: &str = "person_name";

/// A kind of personal data that stops a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GatedKind {
    /// Texts that point to a person by themselves.
    Text(Kind),
    /// Names of people. Single names prove nothing, so this is said of a column as a whole.
    PersonName,
}

impl GatedKind {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let texts = Kind::ALL.iter().copied().filter(|kind| kind.is_gated()).map(Self::Text);
        texts.chain([Self::PersonName])
    }

    /// Its name in a plan.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(kind) => kind.name(),
            Self::PersonName => PERSON_NAME,
        }
    }

    /// Several of them, in words for people: `e-mail addresses`.
    #[must_use]
    pub fn many(self) -> &'static str {
        match self {
            Self::Text(kind) => kind.many(),
            Self::PersonName => "names of people",
        }
    }

    /// The kind of a name, or what is wrong with the name.
    pub fn from_name(name: &str) -> Result<Self, String> {
        Self::all().find(|kind| kind.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::all().map(Self::name).collect();
            let near = did_you_mean(name, names.iter().copied());
            format!("unknown kind of personal data '{name}'{near}; the kinds are {}", names.join(", "))
        })
    }
}

impl Serialize for GatedKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for GatedKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_name(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for GatedKind {
    fn schema_name() -> Cow<'static, str> {
        "PersonalDataKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::all().map(Self::name).collect();
        json_schema!({ "description": "A kind of personal data.", "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_their_names() {
        for kind in GatedKind::all() {
            assert_eq!(GatedKind::from_name(kind.name()), Ok(kind));
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.name().into()));
        }
        let unknown = GatedKind::from_name("e_mail").expect_err("the name is email");
        assert!(
            unknown.starts_with("unknown kind of personal data 'e_mail'; did you mean 'email'?"),
            "{unknown}"
        );
        assert!(unknown.ends_with("phone, us_ssn, person_name"), "{unknown}");
        // A kind that is known to init only is never found here, so nobody can accept it.
        assert!(GatedKind::from_name("uuid").is_err());
    }
}
