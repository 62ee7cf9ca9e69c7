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
    /// Whether it says that the values are names of people.
    pub(crate) names_people: bool,
    /// Whether it leaves open that few words are the name of a person, however they are written.
    pub(crate) may_name_people: bool,
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
            names_people: topic == Some(Topic::PersonName),
            may_name_people: may_name_people(topic),
        }
    }
}

/// Whether the topic of a column leaves open that it holds names of people: it is not known, or it is about people themselves.
pub(super) fn may_name_people(topic: Option<Topic>) -> bool {
    use Topic::{Contact, Family, Household, Person, PersonName, RecordNumber};
    topic.is_none_or(|topic| {
        matches!(topic, PersonName | Contact | Person | RecordNumber | Family | Household)
    })
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
        assert!(NameSays::of("patient_name").names_people && NameSays::of("Vorname").names_people);
        assert!(!NameSays::of("city_name").names_people && !NameSays::of("diagnosis").may_name_people);
        let nothing = NameSays {
            kinds: Kinds::NONE,
            notes: false,
            called_like_people: false,
            birth: false,
            names_people: false,
            may_name_people: true,
        };
        assert_eq!(NameSays::of("x1"), nothing);
    }
}
