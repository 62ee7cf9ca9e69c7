//! Guesses what each column is to a release, with the reason.

use super::households;
use super::kinds;
use super::signs::Sign;
use super::words::Topic;
use super::{Confidence, Facts};
use crate::config::{Role, Roles};
use crate::table::kind::{Inference, Kind};

/// A guess and why.
pub(super) struct Guess {
    pub(super) roles: Roles,
    pub(super) confidence: Confidence,
    pub(super) reason: String,
}

/// The most outcomes of a column that machine-learning models would predict.
const MOST_CLASSES: u64 = 20;
/// The most values of a column that could be a category.
pub(super) const MOST_CATEGORIES: u64 = 200;

/// Guesses for all columns of a table.
pub(super) fn guess(columns: &[Facts<'_>]) -> Vec<Guess> {
    let mut guesses: Vec<Guess> = columns.iter().map(by_itself).collect();
    households::propose(columns, &mut guesses);
    households::propose_by_values(columns, &mut guesses);
    households::propose_weight(columns, &mut guesses);
    keep_one_subject(columns, &mut guesses);
    choose_class(columns, &mut guesses);
    if !guesses.iter().any(|guess| guess.roles.has(Role::Quasi)) {
        be_careful(columns, &mut guesses);
    }
    protect_answers(columns, &mut guesses);
    protect_people(columns, &mut guesses);
    guesses
}

/// Whether the rows of a table are about people: a column says how old they are, what sex they have, or which rows belong to one of them.
pub(super) fn is_about_people(columns: &[Facts<'_>], guesses: &[Guess]) -> bool {
    let by_name = |facts: &Facts<'_>| {
        matches!(facts.topic, Some(Topic::Age | Topic::Sex | Topic::BirthDate))
            || facts.signs.contains(&Sign::BirthDate)
    };
    let by_role = |guess: &Guess| guess.roles.has(Role::Subject) || guess.roles.has(Role::Household);
    columns.iter().any(by_name) || guesses.iter().any(by_role)
}

pub(super) fn new(role: Role, confidence: Confidence, reason: impl Into<String>) -> Guess {
    Guess { roles: Roles::one(role), confidence, reason: reason.into() }
}

/// What the column looks like when nothing else of the table is known.
fn by_itself(facts: &Facts<'_>) -> Guess {
    use Confidence::High;
    if facts.distinct == 0 {
        return new(Role::Drop, High, "It has no values.");
    }
    if facts.outcomes() == 1 {
        return new(Role::Other, High, "Every row has the same value, so it tells nobody apart.");
    }
    let known = facts.topic.and_then(known_to_outsiders);
    if let Some(guess) = kinds::guess(facts, known.is_some()) {
        return guess;
    }
    // A name of demographics outweighs what values may look like: cities look like names, ages like numbers of rows. Only numbers that are
    // written in a way of their own are beyond doubt.
    let others = facts.signs.iter().filter(|sign| !matches!(sign, Sign::Personal(_)));
    let by_values = others.copied().find(|sign| known.is_none() || *sign == Sign::IdNumber);
    by_values.and_then(by_sign).or_else(|| by_name(facts, known)).unwrap_or_else(|| by_counts(facts))
}

fn by_sign(sign: Sign) -> Option<Guess> {
    use Confidence::{High, Medium};
    let looks = format!("Its values look like {}", sign.phrase());
    Some(match sign {
        // These are guessed together.
        Sign::Personal(_) => return None,
        Sign::IdNumber => new(Role::Identifier, High, format!("{looks}, which name a person.")),
        Sign::PersonName => new(Role::Identifier, High, format!("{looks}.")),
        Sign::SequentialId => {
            new(Role::Identifier, High, "Its values count up from row to row, as record numbers do.")
        }
        Sign::FreeText => new(
            Role::Drop,
            Medium,
            format!("{looks}, which may name people and anything about them; no model protects it."),
        ),
        Sign::BirthDate => new(Role::Quasi, High, format!("{looks}, which outsiders often know.")),
        Sign::Postcode => {
            new(Role::Quasi, High, format!("{looks}; outsiders often know where a person lives."))
        }
        Sign::Icd => {
            new(Role::Sensitive, High, format!("{looks}: what outsiders must not learn about a person."))
        }
    })
}

/// What outsiders know by a topic, to follow "the column name suggests that it holds".
fn known_to_outsiders(topic: Topic) -> Option<&'static str> {
    Some(match topic {
        Topic::BirthDate => "dates of birth, which outsiders often know",
        Topic::Age => "ages, which outsiders often know",
        Topic::Sex => "people's sex, which outsiders usually know",
        Topic::Postcode => "postcodes; outsiders often know where a person lives",
        Topic::Place => "places; outsiders often know where a person is",
        Topic::Origin => "people's origin or language, which outsiders often know",
        Topic::Family => "facts about people's families, which outsiders often know",
        Topic::Work => "people's work, which outsiders often know",
        Topic::Education => "people's education, which outsiders often know",
        _ => return None,
    })
}

fn by_name(facts: &Facts<'_>, known_to_outsiders: Option<&str>) -> Option<Guess> {
    use Confidence::{High, Low, Medium};
    if let Some(phrase) = known_to_outsiders {
        return Some(new(Role::Quasi, High, format!("The column name suggests that it holds {phrase}.")));
    }
    let identifier = |phrase: &str| {
        Some(new(Role::Identifier, Medium, format!("The column name suggests that it holds {phrase}.")))
    };
    let sensitive = |phrase: &str| {
        let reason = format!(
            "The column name suggests that it is about {phrase}. Outsiders must not learn this about a person."
        );
        Some(new(Role::Sensitive, Medium, reason))
    };
    match facts.topic? {
        Topic::PersonName => identifier("people's names"),
        // Two values say whether there is one, as in "has a telephone".
        Topic::Contact if facts.distinct <= 2 => None,
        Topic::Contact if facts.holds_moments() => Some(new(
            Role::Quasi,
            Medium,
            "Its values look like dates with a time of day; outsiders may know when something happened.",
        )),
        Topic::Contact => identifier("ways to reach a person"),
        Topic::Address => identifier("people's addresses"),
        Topic::Person if facts.counts_few() => Some(new(
            Role::Quasi,
            Low,
            "The column name suggests people, and the values are small whole numbers, so the column seems to count people around a \
             person. Outsiders may know how many they are.",
        )),
        Topic::RecordNumber | Topic::Person => by_number(facts),
        Topic::Body if facts.is_number() => Some(new(
            Role::Quasi,
            Medium,
            "The column name suggests a measure of the body, which others can see.",
        )),
        _ if facts.is_date() => None,
        Topic::Household => Some(new(
            Role::Quasi,
            Medium,
            "The column name suggests facts about a household, which outsiders often know.",
        )),
        Topic::Event if facts.distinct <= MOST_CATEGORIES => Some(new(
            Role::Quasi,
            Low,
            "The column name suggests a visit or a stay. Outsiders may know of it.",
        )),
        Topic::Habit => {
            Some(new(Role::Quasi, Medium, "The column name suggests a habit, which others can see."))
        }
        Topic::Health => sensitive("health"),
        Topic::Money => sensitive("money"),
        Topic::Intimate => sensitive("beliefs or private life"),
        Topic::FreeText if facts.distinct > MOST_CATEGORIES || facts.nearly_unique() => Some(new(
            Role::Drop,
            Medium,
            "The column name suggests notes. Notes may name people and reveal anything about them; no model protects them.",
        )),
        Topic::Date if matches!(facts.kind, Inference::Clear(Kind::Integer | Kind::Text)) => Some(new(
            Role::Quasi,
            Low,
            "The column name suggests a time. Outsiders may know when something happened.",
        )),
        _ => None,
    }
}

/// A number of records or people: unique it names a row, repeated it shows which rows belong together.
pub(super) fn by_number(facts: &Facts<'_>) -> Option<Guess> {
    let is_code = matches!(facts.kind, Inference::Clear(Kind::Integer | Kind::Text));
    if !is_code {
        return None;
    }
    if facts.nearly_unique() || facts.distinct == facts.present {
        let reason = "Looks like an ID: almost every value is unique.";
        return Some(new(Role::Identifier, Confidence::High, reason));
    }
    // Few rows per person on average; codes of a few kinds (a number of children) are something else.
    (facts.distinct > MOST_CATEGORIES / 4 && 20 * facts.distinct >= facts.present).then(|| {
        let reason =
            "Looks like an ID of people: several rows share a value, so these rows belong to one person.";
        new(Role::Subject, Confidence::Medium, reason)
    })
}

fn by_counts(facts: &Facts<'_>) -> Guess {
    use Confidence::{Low, Medium};
    let kind = match facts.kind {
        Inference::AmbiguousDate | Inference::Clear(Kind::Date(_) | Kind::Timestamp { .. } | Kind::Time) => {
            let reason = "It holds dates or times; outsiders may know when something happened.";
            return new(Role::Quasi, Medium, reason);
        }
        Inference::Clear(kind) => kind,
    };
    if kind == Kind::Text && facts.nearly_unique() {
        return new(Role::Identifier, Medium, "Nearly every row has its own text, so it names a row.");
    }
    if kind == Kind::Text && facts.distinct <= MOST_CATEGORIES {
        let reason = "Outsiders may know such a category; if they cannot, make it other.";
        return new(Role::Quasi, Low, reason);
    }
    if kind == Kind::Text {
        let reason = "It has many different texts that outsiders may know; if they cannot, make it other.";
        return new(Role::Quasi, Low, reason);
    }
    let reason = if facts.nearly_unique() {
        "We found no sign that outsiders know these values, but almost every value is unique. If anyone could look them \
         up, change this to quasi."
    } else {
        "We found no sign that outsiders know these values. If they might, change this to quasi."
    };
    new(Role::Other, Low, reason)
}

/// Only one column can show which rows belong to one person: the one with the most distinct values.
fn keep_one_subject(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    let subjects = || (0..columns.len()).filter(|&place| guesses[place].roles.has(Role::Subject));
    // The first of several.
    let Some(kept) = subjects().rev().max_by_key(|&place| columns[place].distinct) else { return };
    let others: Vec<usize> = subjects().filter(|place| *place != kept).collect();
    for place in others {
        let reason = "Looks like an ID, but another column shows better which rows belong to one person.";
        guesses[place] = new(Role::Identifier, Confidence::Medium, reason);
    }
}

/// At most one column is what machine-learning models will predict: the last one that is named like a target and has few values,
/// else a last column that is sensitive and has two.
fn choose_class(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    let fits = |facts: &Facts<'_>| {
        facts.topic == Some(Topic::Target)
            && (2..=MOST_CLASSES).contains(&facts.distinct)
            && facts.signs.is_empty()
            && !facts.is_date()
    };
    if let Some(place) = columns.iter().rposition(fits) {
        let reason = "The column name suggests an outcome, and it has few values. Machine-learning models would predict it.";
        guesses[place] = new(Role::Class, Confidence::Medium, reason);
        return;
    }
    let (Some(facts), Some(last)) = (columns.last(), guesses.last_mut()) else { return };
    if facts.distinct == 2 && last.roles.has(Role::Sensitive) {
        if let Ok(both) = Roles::new(&[Role::Class, Role::Sensitive]) {
            last.roles = both;
        }
        last.reason.push_str(
            " It is the last column and has two values, so machine-learning models may predict it.",
        );
    }
}

/// A column of two values is often the answer to a question about a person, whatever the numbers are. It is no quasi-identifier to rely on, so
/// this comes last.
fn protect_answers(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    for (facts, guess) in columns.iter().zip(guesses) {
        if guess.roles.has(Role::Other) && facts.distinct == 2 {
            let reason = "It has two values, as answers yes and no have; outsiders may know such a fact about a person.";
            *guess = new(Role::Quasi, Confidence::Low, reason);
        }
    }
}

/// In a table about people a column without a telling name most often describes the person: how tall, how many children, which degree. Somebody may
/// know that, and only a quasi-identifier is protected against it. What is taken for one by mistake costs detail; what is kept by mistake costs a
/// person's privacy.
fn protect_people(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    if !is_about_people(columns, guesses) {
        return;
    }
    for (facts, guess) in columns.iter().zip(guesses) {
        if guess.roles.has(Role::Other) && facts.outcomes() > 1 {
            let reason = "It describes a person, as most columns of such a table do. Make it other only if nobody outside can know it.";
            *guess = new(Role::Quasi, Confidence::Low, reason);
        }
    }
}

/// Without any quasi-identifier there is nothing to protect: columns kept by default become quasi-identifiers.
fn be_careful(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    for (facts, guess) in columns.iter().zip(guesses) {
        if guess.roles.has(Role::Other) && facts.outcomes() > 1 {
            let reason = "No column of this table is surely known to outsiders, so this one is taken as such to be careful.";
            *guess = new(Role::Quasi, Confidence::Low, reason);
        }
    }
}
