//! Guesses from what values are by themselves: numbers of people, addresses, places.

use super::kind_words::Axis;
use super::roles::{Guess, by_number, new};
use super::words::Topic;
use super::{Confidence, Facts};
use crate::config::Role;
use crate::table::personal::column::HowMany;
use crate::table::personal::{Evidence, Kind, Kinds};

/// A guess, if the values are of some kind. A kind only ever moves a column to a role that protects it. Where the name says what outsiders
/// know of a person, weak evidence does not count.
pub(super) fn guess(facts: &Facts<'_>, known_to_outsiders: bool) -> Option<Guess> {
    let all = facts.personal.kinds;
    let agreeing = all.both(facts.named);
    let told = if agreeing.is_empty() { without_weaker(all) } else { agreeing };
    // A pair in one text cannot be coarsened as numbers, and its first characters are a place by themselves.
    if told.has(Kind::Coordinates)
        && !facts.is_half_of_places(Axis::Latitude)
        && !facts.is_half_of_places(Axis::Longitude)
    {
        let (mut reason, confidence) = sentence(facts.personal.how_many, told, !agreeing.is_empty());
        reason.push_str(
            " They tell where a person lives or was, and nothing coarsens two numbers in one text. To publish a grid of places, write latitude and \
             longitude in two columns.",
        );
        return Some(new(Role::Drop, confidence, reason));
    }
    let weak = told.iter().all(|kind| kind.evidence() == Evidence::Weak);
    if told.is_empty() || known_to_outsiders && (weak || told.has(Kind::Coordinates)) {
        return None;
    }
    let (mut sentence, confidence) = sentence(facts.personal.how_many, told, !agreeing.is_empty());
    if told.has(Kind::Coordinates) {
        sentence
            .push_str(" They tell where a person lives or was. Coarsen them to a grid before the release.");
        return Some(new(Role::Quasi, Confidence::High, sentence));
    }
    // Rows that share a number belong to one person, and only the role of a subject shows that.
    let numbered = matches!(facts.topic, Some(Topic::RecordNumber | Topic::Person));
    let subject = by_number(facts).filter(|guess| numbered && guess.roles.has(Role::Subject));
    Some(match subject {
        Some(subject) => {
            new(Role::Subject, subject.confidence.max(confidence), format!("{sentence} {}", subject.reason))
        }
        None => new(Role::Identifier, confidence, sentence),
    })
}

/// Kinds without those that only a date speaks for, where there are others.
fn without_weaker(kinds: Kinds) -> Kinds {
    let strong: Kinds = kinds.iter().filter(|kind| kind.evidence() != Evidence::Weak).collect();
    if strong.is_empty() { kinds } else { strong }
}

/// What is said of the values, and how sure that is.
fn sentence(how_many: HowMany, kinds: Kinds, name_agrees: bool) -> (String, Confidence) {
    let values = match how_many {
        HowMany::All => "All values",
        HowMany::AlmostAll => "Almost all values",
        HowMany::Most => "Most values",
    };
    let words: Vec<&str> = kinds.iter().map(Kind::many).collect();
    let is = |evidence: Evidence| kinds.iter().all(|kind| kind.evidence() == evidence);
    let too = if name_agrees { ", and the column's name agrees" } else { "" };
    match words.as_slice() {
        [one] if is(Evidence::Weak) && !name_agrees => {
            (format!("{values} could be {one}: they begin with a date."), Confidence::Low)
        }
        [one] if is(Evidence::CheckDigits) => (format!("{values} are valid {one}{too}."), Confidence::High),
        [one] => (format!("{values} are {one}{too}."), Confidence::High),
        [others @ .., last] => {
            let valid = format!("{values} are valid as {} and as {last}{too}.", others.join(", as "));
            match name_agrees {
                true => (valid, Confidence::High),
                false => (
                    format!("{valid} The values alone do not tell which of these they are."),
                    Confidence::Medium,
                ),
            }
        }
        [] => (String::new(), Confidence::Low),
    }
}
