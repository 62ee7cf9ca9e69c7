//! What users choose by name, and the lists in which it stands.

use std::sync::{PoisonError, RwLock};

use crate::error::{Error, Result, did_you_mean};

/// How far a method is to be trusted, and whether a better one exists here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// A good choice today.
    Recommended,
    /// In a paper, superseded here; for comparison.
    Classic,
    /// Works, but its protection is weaker than it looks; its page says why.
    Experimental,
}

impl Standing {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recommended => "recommended",
            Self::Classic => "classic",
            Self::Experimental => "experimental",
        }
    }
}

/// One thing that users can choose by name.
pub struct Entry<B: 'static> {
    /// The name in snake_case: also its file, its TOML and command-line name, and its page in the docs.
    pub name: &'static str,
    /// The name as people say it.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// How far it is to be trusted.
    pub standing: Standing,
    /// What it does and when to use it, in a few sentences.
    pub about: &'static str,
    /// Its parameters, each with a line that explains it.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How it is made.
    pub build: B,
}

/// What people read about an entry wherever its name stands.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// See [`Entry::name`].
    pub name: &'static str,
    /// See [`Entry::title`].
    pub title: &'static str,
    /// See [`Entry::paper`].
    pub paper: &'static str,
    /// See [`Entry::standing`].
    pub standing: Standing,
}

impl<B> Entry<B> {
    /// What people read about it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts { name: self.name, title: self.title, paper: self.paper, standing: self.standing }
    }
}

/// A list of entries: Scumble's own, and those that a program has added.
pub struct Registry<B: 'static> {
    /// What the entries are, for messages.
    what: &'static str,
    own: &'static [Entry<B>],
    added: RwLock<Vec<&'static Entry<B>>>,
}

impl<B: 'static> Registry<B> {
    pub(crate) const fn new(what: &'static str, own: &'static [Entry<B>]) -> Self {
        Self { what, own, added: RwLock::new(Vec::new()) }
    }

    /// All entries, Scumble's own first.
    pub fn iter(&self) -> impl Iterator<Item = &'static Entry<B>> + use<B> {
        let added = self.added.read().unwrap_or_else(PoisonError::into_inner).clone();
        self.own.iter().chain(added)
    }

    /// The names of all entries.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<B> {
        self.iter().map(|entry| entry.name)
    }

    /// The entry of that name; hyphens are as good as underscores.
    pub fn find(&self, name: &str) -> Result<&'static Entry<B>> {
        self.get(name).ok_or_else(|| unknown(self.what, name, &self.names().collect::<Vec<_>>()))
    }

    /// The entry of that name, if there is one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static Entry<B>> {
        let wanted = plain(name);
        self.iter().find(|entry| entry.name == wanted)
    }

    /// Whether this is the name of one of Scumble's own entries.
    #[must_use]
    pub fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|entry| entry.name == name)
    }

    /// Adds an entry for the rest of the program's life. An error if its name is not in snake_case or is `taken`.
    pub(crate) fn add(&self, entry: Entry<B>, taken: impl Fn(&str) -> bool) -> Result<()> {
        let name = entry.name;
        let well_formed = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !well_formed {
            return Err(Error::config(format!(
                "'{name}' is not a valid name for {}: use lower-case letters, digits and underscores",
                crate::base::text::with_article(self.what)
            )));
        }
        let refused = || {
            let what = crate::base::text::with_article(self.what);
            Error::config(format!("there is {what} '{name}' already")).advise("choose another name")
        };
        if taken(name) {
            return Err(refused());
        }
        let mut added = self.added.write().unwrap_or_else(PoisonError::into_inner);
        if added.iter().any(|other| other.name == name) {
            return Err(refused());
        }
        added.push(Box::leak(Box::new(entry)));
        Ok(())
    }
}

impl<B: 'static> IntoIterator for &Registry<B> {
    type Item = &'static Entry<B>;
    type IntoIter = std::vec::IntoIter<&'static Entry<B>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

/// A name as the registries spell it: in lower case, with underscores in place of hyphens.
pub(crate) fn plain(name: &str) -> String {
    name.replace('-', "_").to_lowercase()
}

/// How many names are listed in full.
const FEW: usize = 12;

/// How many of many names are named.
const NEAREST: usize = 4;

/// The error of a name that nothing has.
pub(crate) fn unknown(what: &str, name: &str, names: &[&str]) -> Error {
    let given = plain(name);
    let near =
        match (did_you_mean(&given, names.iter().copied()), super::elsewhere::name_here(what, name, names)) {
            (near, None) => near,
            (near, Some(here)) if near.contains(&format!("'{here}'")) => near,
            (_, Some(here)) => format!("; do you mean '{here}', or something like it?"),
        };
    let name = super::text::on_one_line(name);
    if !near.is_empty() {
        let all = match names.len() {
            few if few <= FEW => format!("There are {}", names.join(", ")),
            many => format!("'scumble list' shows all {many}"),
        };
        return Error::config(format!("there is no {what} '{name}'{near} {all}"));
    }
    let listed = if names.len() <= FEW {
        format!("there are {}", names.join(", "))
    } else {
        let mut by_distance: Vec<(usize, &str)> = names
            .iter()
            .map(|name| {
                // A user who gives a part of a name means it.
                let is_part =
                    given.len() > 2 && name.contains(&given) || name.len() > 4 && given.contains(name);
                (if is_part { 0 } else { strsim::damerau_levenshtein(&given, name) }, *name)
            })
            .collect();
        by_distance.sort_by_key(|(distance, _)| *distance);
        let nearest: Vec<&str> = by_distance.into_iter().take(NEAREST).map(|(_, name)| name).collect();
        format!("the nearest of {} are {}; 'scumble list' shows them", names.len(), nearest.join(", "))
    };
    Error::config(format!("there is no {what} '{name}'; {listed}"))
}
