//! What a column is about, in the words of templates.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;

use super::Facts;
use super::households::is_survey_weight;
use super::roles::Guess;
use super::signs::Sign;
use super::words::{Topic, fits, parts, topic_of};
use crate::config::Role;
use crate::table::kind::{Inference, Kind};
use crate::table::personal;

/// What a column is about. Rules of templates name these, and the first rule that fits a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Names of people.
    PersonName,
    /// Ways to reach a person or a device: telephone, e-mail, web and network addresses.
    Contact,
    /// Street addresses.
    Address,
    /// Coordinates of places.
    Coordinates,
    /// Numbers that a state, a bank or a register gave out, or that `init` takes for an identifier for another reason.
    Number,
    /// Codes of which nearly every row has its own.
    Unique,
    /// Numbers that show which rows belong to one person.
    Subject,
    /// Numbers that show which rows belong to one household.
    Household,
    /// Dates of birth.
    BirthDate,
    /// Years of birth.
    BirthYear,
    /// Other dates and times.
    Date,
    /// Ages.
    Age,
    /// ZIP codes of the United States: five digits, or ZIP+4.
    Zip,
    /// Postcodes.
    Postcode,
    /// Places.
    Place,
    /// Origin, nationality or language.
    Origin,
    /// Amounts of money.
    Amount,
    /// Terms about health that are texts: diagnoses, treatments.
    Terms,
    /// Sensitive columns.
    Sensitive,
    /// Free text.
    FreeText,
    /// Survey weights.
    Weight,
}

impl Mark {
    /// Whether this is its name in templates.
    pub(crate) fn is_called(self, name: &str) -> bool {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Self::deserialize(name).is_ok_and(|mark| mark == self)
    }

    /// The marks of a column of which only the name is known.
    pub(crate) fn by_name(name: &str) -> Vec<Self> {
        let mark = topic_of(name).and_then(|topic| {
            Some(match topic {
                Topic::PersonName => Self::PersonName,
                Topic::Contact => Self::Contact,
                Topic::Address => Self::Address,
                Topic::BirthDate => Self::BirthDate,
                Topic::Age => Self::Age,
                Topic::Postcode => Self::Postcode,
                Topic::Place => Self::Place,
                Topic::Origin => Self::Origin,
                Topic::FreeText => Self::FreeText,
                _ => return None,
            })
        });
        mark.into_iter().collect()
    }

    /// The marks of a column, in the order of [`Mark`].
    pub(super) fn of(facts: &Facts<'_>, guess: &Guess) -> Vec<Self> {
        use personal::Kind as Personal;
        let (topic, has) = (facts.topic, |sign| facts.signs.contains(&sign));
        let is = |kinds: &[Personal]| kinds.iter().any(|kind| has(Sign::Personal(*kind)));
        let role = |role| guess.roles.has(role);
        let reaches = [
            Personal::Email,
            Personal::Url,
            Personal::IpAddress,
            Personal::MacAddress,
            Personal::Phone,
            Personal::Imei,
        ];
        let is_text = facts.kind == Inference::Clear(Kind::Text);
        let is_birth = topic == Some(Topic::BirthDate) || has(Sign::BirthDate);
        let is_postcode = topic == Some(Topic::Postcode) || has(Sign::Postcode);
        let is_named_contact = topic == Some(Topic::Contact) && facts.distinct > 2 && !facts.holds_moments();
        let of_time = facts.is_date() || facts.holds_moments();
        let notes = topic == Some(Topic::FreeText) && role(Role::Drop);
        let marks = [
            (Self::PersonName, topic == Some(Topic::PersonName) || has(Sign::PersonName)),
            (Self::Contact, is_named_contact || is(&reaches)),
            (Self::Address, topic == Some(Topic::Address)),
            (Self::Coordinates, is(&[Personal::Coordinates])),
            (Self::Number, role(Role::Identifier)),
            (Self::Unique, is_code_of_each_row(facts)),
            (Self::Subject, role(Role::Subject)),
            (Self::Household, role(Role::Household)),
            (Self::BirthDate, is_birth && of_time),
            (Self::BirthYear, topic == Some(Topic::BirthDate) && facts.is_number()),
            (Self::Date, (of_time || has_only_periods(facts)) && !is_birth),
            (Self::Age, topic == Some(Topic::Age) && facts.is_number()),
            (Self::Zip, is_postcode && are_zip_codes(facts)),
            (Self::Postcode, is_postcode),
            (Self::Place, topic == Some(Topic::Place)),
            (Self::Origin, topic == Some(Topic::Origin)),
            (Self::Amount, topic == Some(Topic::Money) && facts.is_number()),
            (Self::Terms, is_text && (topic == Some(Topic::Health) || has(Sign::Icd))),
            (Self::Sensitive, role(Role::Sensitive)),
            (Self::FreeText, has(Sign::FreeText) || notes),
            (Self::Weight, facts.is_number() && is_survey_weight(facts.column.name, role(Role::Weight))),
        ];
        marks.into_iter().filter(|(_, found)| *found).map(|(mark, _)| mark).collect()
    }
}

/// Whether a column's name has one of these words; `*` at the end of a word stands for anything.
pub(crate) fn speaks_of(name: &str, words: &str) -> bool {
    let parts = parts(name);
    let ends = 1..=parts.len();
    let mut pieces = ends.flat_map(|end| (end.saturating_sub(3)..end).map(move |start| start..end));
    pieces.any(|piece| words.split_whitespace().any(|word| fits(word, &parts[piece.clone()])))
}

/// Months, quarters or weeks of a year, as ISO 8601 writes them: `2023-05`, `2023-Q2`, `2023-W06`.
fn has_only_periods(facts: &Facts<'_>) -> bool {
    let is_period = |text: &str| {
        let Some((year, part)) = text.trim().split_once('-') else { return false };
        let digits = part.strip_prefix(['Q', 'W']).unwrap_or(part);
        year.len() == 4
            && (1..=2).contains(&digits.len())
            && year.bytes().chain(digits.bytes()).all(|byte| byte.is_ascii_digit())
    };
    !facts.column.values.is_empty() && facts.column.values.iter().all(|text| is_period(text))
}

/// Texts or long whole numbers of one length, nearly every one in one row only. Amounts differ in length.
fn is_code_of_each_row(facts: &Facts<'_>) -> bool {
    const LONG: usize = 6;
    if !facts.nearly_unique() {
        return false;
    }
    match facts.kind {
        Inference::Clear(Kind::Text) => !facts.holds_moments(),
        Inference::Clear(Kind::Integer) => {
            let mut lengths = facts.column.values.iter().map(|value| value.trim().len());
            let first = lengths.next().unwrap_or_default();
            first >= LONG && lengths.all(|length| length == first)
        }
        _ => false,
    }
}

fn are_zip_codes(facts: &Facts<'_>) -> bool {
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_zip = |value: &&str| match value.trim().split_once('-') {
        Some((zip, more)) => digits(zip, 5) && digits(more, 4),
        None => digits(value.trim(), 5),
    };
    facts.distinct > 0 && facts.column.values.iter().all(is_zip)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_templates_are_found_in_names() {
        assert!(speaks_of("patient_photo", "photo* image*"));
        assert!(speaks_of("Medical Record No", "medicalrecord*"));
        assert!(!speaks_of("telephoto", "photo*"));
        assert!(!speaks_of("", "photo*"));
    }

    #[test]
    fn marks_of_names_alone() {
        assert_eq!(Mark::by_name("Vorname"), [Mark::PersonName]);
        assert_eq!(Mark::by_name("zip"), [Mark::Postcode]);
        assert_eq!(Mark::by_name("x1"), []);
    }
}
