//! What a column's name says to the gate that every published column passes.

use super::kind_words::kinds_named;
use super::words::{Topic, topic_of};
use crate::table::personal::Kinds;

/// What a column's name suggests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameSays {
    /// The kinds of personal texts.
    pub(crate) kinds: Kinds,
    /// Whether it suggests notes.
    pub(crate) notes: bool,
    /// Whether it suggests what is often called like people: places, schools, firms.
    pub(crate) called_like_people: bool,
    /// Whether it suggests dates of birth.
    pub(crate) birth: bool,
}

impl NameSays {
    /// What this name suggests.
    pub(crate) fn of(name: &str) -> Self {
        let topic = topic_of(name);
        Self {
            kinds: kinds_named(name),
            notes: topic == Some(Topic::FreeText),
            called_like_people: matches!(
                topic,
                Some(Topic::Place | Topic::Origin | Topic::Work | Topic::Education | Topic::Address)
            ),
            birth: topic == Some(Topic::BirthDate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::personal::Kind;

    #[test]
    fn names_say_what_to_look_for() {
        let phone = NameSays::of("phone");
        assert!(phone.kinds.has(Kind::Phone) && !phone.notes && !phone.called_like_people);
        assert!(NameSays::of("Bemerkungen").notes);
        assert!(NameSays::of("date of birth").birth && !NameSays::of("visit").birth);
        assert!(NameSays::of("hospital").called_like_people);
        assert_eq!(
            NameSays::of("x1"),
            NameSays { kinds: Kinds::NONE, notes: false, called_like_people: false, birth: false }
        );
    }
}
