//! What a column is to a release, and whether a person has said so.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::parameters::sentence;
use crate::error::did_you_mean;

/// The part a column plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Names a person by itself (a name, a number, an e-mail address); never released.
    Identifier,
    /// Shows which rows belong to one person, so that people are counted and not rows; never released.
    Subject,
    /// Shows which rows belong to one household, whose members know each other; released with fresh numbers only.
    Household,
    /// Says for each row which node of a sensitive column's hierarchy its person wants guarded; read, never released.
    Guarding,
    /// May be known to outsiders, who could find a person by it; generalised.
    Quasi,
    /// What machine-learning models will predict; kept unchanged.
    Class,
    /// What outsiders must not learn about a person; protected by a model.
    Sensitive,
    /// Kept unchanged, on the promise that outsiders do not have it.
    Other,
    /// How many people of a population a row stands for; released as its column says.
    Weight,
    /// Left out.
    Drop,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 10] = [
        Self::Identifier,
        Self::Subject,
        Self::Household,
        Self::Guarding,
        Self::Quasi,
        Self::Class,
        Self::Sensitive,
        Self::Other,
        Self::Weight,
        Self::Drop,
    ];

    /// The roles of columns that a release shows, exactly or coarser.
    pub const PUBLISHED: [Self; 5] = [Self::Quasi, Self::Class, Self::Sensitive, Self::Other, Self::Weight];

    /// The roles of columns that a release shows exactly.
    pub const EXACT: [Self; 3] = [Self::Class, Self::Sensitive, Self::Other];

    /// The role as users write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Subject => "subject",
            Self::Household => "household",
            Self::Guarding => "guarding",
            Self::Quasi => "quasi",
            Self::Class => "class",
            Self::Sensitive => "sensitive",
            Self::Other => "other",
            Self::Weight => "weight",
            Self::Drop => "drop",
        }
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|role| role.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let near = did_you_mean(name, names);
            format!("unknown role '{name}'{}", sentence(&near, &format!("roles are {}", names.join(", "))))
        })
    }
}

/// The roles of one column: one, or class and sensitive together; confirmed by a person or only guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    roles: Vec<Role>,
    confirmed: bool,
}

impl Roles {
    /// Confirmed roles, or why these roles do not go together.
    pub fn new(roles: &[Role]) -> Result<Self, String> {
        let mut roles = roles.to_vec();
        roles.sort();
        roles.dedup();
        match roles[..] {
            [_] | [Role::Class, Role::Sensitive] => Ok(Self { roles, confirmed: true }),
            [] => Err("a column needs a role".to_owned()),
            [Role::Quasi, Role::Sensitive] => Err(
                "a column cannot be both quasi and sensitive: a quasi-identifier is what outsiders know and is \
                 generalised, a sensitive value is what they must not learn and is kept; choose one"
                    .to_owned(),
            ),
            [first, second, ..] => Err(format!(
                "a column cannot be both {} and {}: only class and sensitive go together; choose one",
                first.name(),
                second.name()
            )),
        }
    }

    /// One confirmed role.
    #[must_use]
    pub fn one(role: Role) -> Self {
        Self { roles: vec![role], confirmed: true }
    }

    /// The same roles as a guess, which a person must confirm before a release.
    #[must_use]
    pub fn guessed(self) -> Self {
        Self { confirmed: false, ..self }
    }

    /// The same roles, confirmed.
    #[must_use]
    pub fn accepted(self) -> Self {
        Self { confirmed: true, ..self }
    }

    /// Whether the column has this role.
    #[must_use]
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether a person confirmed the roles: no `?` stands before them.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// The roles, in the order of [`Role::ALL`].
    #[must_use]
    pub fn as_slice(&self) -> &[Role] {
        &self.roles
    }

    /// The roles as the plan has them: `"?quasi"`, `["class", "sensitive"]`.
    #[must_use]
    pub fn to_toml(&self) -> String {
        match &self.texts()[..] {
            [one] => format!("\"{one}\""),
            several => format!("[\"{}\"]", several.join("\", \"")),
        }
    }

    fn texts(&self) -> Vec<String> {
        let mark = if self.confirmed { "" } else { "?" };
        self.roles.iter().map(|role| format!("{mark}{}", role.name())).collect()
    }

    fn from_texts<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut roles = Vec::new();
        let mut guessed = false;
        for text in texts {
            let name = text.strip_prefix('?').unwrap_or(text);
            guessed |= name.len() < text.len();
            roles.push(name.parse()?);
        }
        let roles = Self::new(&roles)?;
        Ok(if guessed { roles.guessed() } else { roles })
    }
}

impl Serialize for Roles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.texts()[..] {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Roles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RolesVisitor;

        impl<'de> Visitor<'de> for RolesVisitor {
            type Value = Roles;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a role such as \"quasi\", or [\"class\", \"sensitive\"]")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Roles, E> {
                Roles::from_texts([text].into_iter()).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Roles, A::Error> {
                let mut texts: Vec<String> = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Roles::from_texts(texts.iter().map(String::as_str)).map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(RolesVisitor)
    }
}

impl JsonSchema for Roles {
    fn schema_name() -> Cow<'static, str> {
        "Roles".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = Role::ALL
            .into_iter()
            .flat_map(|role| [role.name().to_owned(), format!("?{}", role.name())])
            .collect();
        json_schema!({
            "description": "What the column is. A `?` marks a guess that must be confirmed by removing the `?`.",
            "anyOf": [
                { "enum": names },
                {
                    "type": "array",
                    "items": { "enum": ["class", "sensitive", "?class", "?sensitive"] },
                    "minItems": 1,
                    "uniqueItems": true,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Roles, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn roles_as_written() {
        assert_eq!(read("\"quasi\""), Ok(Roles::one(Role::Quasi)));
        assert_eq!(read("\"?drop\""), Ok(Roles::one(Role::Drop).guessed()));
        let both = Roles::new(&[Role::Sensitive, Role::Class]).expect("they go together");
        assert_eq!(read("[\"sensitive\", \"class\"]"), Ok(both.clone()));
        assert_eq!(both.to_toml(), "[\"class\", \"sensitive\"]");
        assert_eq!(read("[\"class\", \"?sensitive\"]"), Ok(both.clone().guessed()));
        assert_eq!(both.clone().guessed().to_toml(), "[\"?class\", \"?sensitive\"]");
        assert_eq!(both.clone().guessed().accepted(), both);
        for roles in [both.clone(), both.guessed(), Roles::one(Role::Other)] {
            assert_eq!(read(&serde_json::to_string(&roles).expect("writes")), Ok(roles));
        }
    }

    #[test]
    fn roles_that_do_not_go_together() {
        let message = |json| read(json).expect_err(json);
        assert!(
            message("[\"quasi\", \"sensitive\"]")
                .starts_with("a column cannot be both quasi and sensitive: a")
        );
        assert!(
            message("[\"other\", \"class\"]")
                .starts_with("a column cannot be both class and other: only class and sensitive go together")
        );
        assert!(message("[]").starts_with("a column needs a role"));
        assert!(message("\"\"").starts_with("unknown role ''; roles are identifier"));
        assert!(message("\"qasi\"").starts_with("unknown role 'qasi'; did you mean 'quasi'? (roles are"));
        assert!(message("5").contains("expected a role such as"));
    }
}
