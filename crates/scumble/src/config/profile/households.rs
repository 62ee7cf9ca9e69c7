//! Which column tells households apart: by its name, by values that few rows share, and by what else these rows share.

use super::marks::speaks_of;
use super::roles::{Guess, MOST_CATEGORIES, is_about_people, new};
use super::shared::Groups;
use super::signs::{Sign, counts_up};
use super::words::{Topic, speaks_of_household};
use super::{Confidence, Facts};
use crate::config::Role;
use crate::table::kind::{Inference, Kind};
use crate::table::personal::column::Sample;

/// The most rows of most households.
const MOST_ROWS: u64 = 12;
/// The fewest households that say something.
const FEWEST: u64 = 10;
/// At least 9 of 10 households must have few rows. A column describes the household if at least 9 of 10 households have a single value in
/// it.
const MOST: (u64, u64) = (9, 10);

/// Gives the column that tells households apart its role. A further number of households names them, so it is an identifier.
pub(super) fn propose(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    let named: Vec<usize> = (0..columns.len()).filter(|place| names_household(&columns[*place])).collect();
    // The one with the most values; the first of several.
    let kept = named.iter().rev().filter(|place| has_small_groups(&columns[**place]));
    let kept = kept.max_by_key(|place| columns[**place].distinct).copied();
    for place in named {
        if Some(place) == kept {
            let shared = columns.iter().filter(|other| is_shared(&columns[place], other)).count();
            guesses[place] = match shared {
                0 => new(
                    Role::Household,
                    Confidence::Medium,
                    "The column name suggests an ID of households, and few rows share each value.",
                ),
                shared => new(
                    Role::Household,
                    Confidence::High,
                    format!(
                        "The column name suggests an ID of households, few rows share each value, and these rows also share the value of {}.",
                        crate::base::text::counted(shared as u64, "other column", "other columns")
                    ),
                ),
            };
        } else if !guesses[place].roles.has(Role::Identifier) {
            let reason = "The column name suggests an ID of households, which outsiders could look up.";
            guesses[place] = new(Role::Identifier, Confidence::Medium, reason);
        }
    }
}

/// Gives a column whose name says nothing the role of a household, if its values do: they look like numbers that somebody gave out, few rows have each,
/// and these rows agree on other columns as people of one home do. Where they agree on nothing, the column may still tell homes or people apart, so it
/// is not published.
pub(super) fn propose_by_values(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    let about_people = is_about_people(columns, guesses);
    let mut found: Option<(usize, usize)> = None;
    for (place, facts) in columns.iter().enumerate() {
        if !could_tell_households(facts, &guesses[place]) {
            continue;
        }
        let is_subject = guesses[place].roles.has(Role::Subject);
        let groups = facts.column.cells.map(Groups::of);
        let shares = |other: &&Facts<'_>| {
            // Another number of the same household is no fact about it.
            let coarser = 2 * other.distinct <= facts.distinct;
            coarser && groups.as_ref().is_some_and(|groups| groups.share(other))
        };
        let shared = columns.iter().filter(shares).count();
        // The rows of one person agree on these.
        let is_of_person = |other: &&Facts<'_>| {
            matches!(other.topic, Some(Topic::Sex | Topic::BirthDate))
                || other.signs.contains(&Sign::BirthDate)
        };
        let of_several_people = || {
            columns
                .iter()
                .filter(is_of_person)
                .any(|other| groups.as_ref().is_some_and(|groups| groups.differ(other)))
        };
        // In a table that shows no sign of people, one column that agrees may be the place of a device.
        let enough = shared >= if about_people { 1 } else { 2 };
        // The weights of a survey are equal for people who are alike. But they are measured, and numbers that somebody gave out are spread evenly.
        let fits = enough && (!is_subject && is_spread_evenly(facts) || of_several_people());
        if fits && found.is_none_or(|(best, _)| columns[best].distinct < facts.distinct) {
            found = Some((place, shared));
        }
    }
    let is_household = |guess: &Guess| guess.roles.has(Role::Household);
    if let Some((place, shared)) = found.filter(|_| !guesses.iter().any(is_household)) {
        let columns = crate::base::text::counted(shared as u64, "other column", "other columns");
        guesses[place] = new(
            Role::Household,
            Confidence::Medium,
            format!(
                "Few rows share each value, and they also share the value of {columns} far more often than by chance, as the people of a household \
                 do. If these rows are about one person, make it subject."
            ),
        );
    }
    for (facts, guess) in columns.iter().zip(guesses) {
        let is_default = guess.confidence == Confidence::Low && !is_household(guess);
        if about_people && is_default && could_tell_households(facts, guess) && looks_given_out(facts) {
            *guess = new(
                Role::Identifier,
                Confidence::Low,
                "Its values look like numbers that somebody gave out, and few rows share each, so it may tell households or people apart. If the rows of \
                 a household share a value, make it household.",
            );
        }
    }
}

/// Whether a column could tell households apart as far as its name and the kind of its values go.
fn could_tell_households(facts: &Facts<'_>, guess: &Guess) -> bool {
    use Topic::{Family, Household, Person, RecordNumber};
    let open = facts.topic.is_none_or(|topic| matches!(topic, Family | Household | Person | RecordNumber));
    let role = [Role::Other, Role::Quasi, Role::Subject].iter().any(|role| guess.roles.has(*role));
    let code = |value: &str| {
        !value.contains(char::is_whitespace) && value.contains(|sign: char| sign.is_ascii_digit())
    };
    let is_code = match facts.kind {
        Inference::Clear(Kind::Integer) => true,
        Inference::Clear(Kind::Text) => {
            Sample::of(&facts.column.values, &facts.column.counts).at_least((9, 10), code)
        }
        _ => false,
    };
    // A measurement has values that many rows share, such as zero.
    let in_small: u64 = facts.column.counts.iter().filter(|rows| **rows <= MOST_ROWS).sum();
    let rarely_shared = has_small_groups(facts) && MOST.1 * in_small >= MOST.0 * facts.present;
    open && role && is_code && facts.signs.is_empty() && !facts.counts_few() && rarely_shared
}

/// Whether the quarters of the sorted numbers lie near the quarters of their range: within a tenth of it. Measurements are denser somewhere. Codes with
/// letters count as spread.
fn is_spread_evenly(facts: &Facts<'_>) -> bool {
    let mut numbers: Vec<f64> =
        facts.column.values.iter().filter_map(|value| value.trim().parse().ok()).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    let (Some(low), Some(high)) = (numbers.first().copied(), numbers.last().copied()) else { return true };
    let near = |quarter: usize| {
        let share = (numbers[numbers.len() * quarter / 4] - low) / (high - low).max(1.0);
        (share - quarter as f64 / 4.0).abs() <= 0.1
    };
    (1..=3).all(near)
}

/// Whether values look like numbers that somebody gave out one after another, or like codes with letters: more of them than there are categories. A
/// measurement leaves gaps at its ends.
fn looks_given_out(facts: &Facts<'_>) -> bool {
    let with_letters = facts.kind == Inference::Clear(Kind::Text);
    facts.distinct > MOST_CATEGORIES && (with_letters || counts_up(&facts.column.values))
}

/// Beside a column of households, a column called weight is mostly the weight of a survey: how many people a row stands for. Exact weights
/// single people out and ranges of them are of no use, so it is proposed as a weight, which is rounded.
pub(super) fn propose_weight(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    if !guesses.iter().any(|guess| guess.roles.has(Role::Household)) {
        return;
    }
    for (facts, guess) in columns.iter().zip(guesses) {
        if facts.is_number() && is_called_weight(facts.column.name) && guess.roles.has(Role::Quasi) {
            *guess = new(
                Role::Weight,
                Confidence::Low,
                "The table has households, so this is probably the weight of a survey and not of a body. For the risk by weights: [risk] weight.",
            );
        }
    }
}

fn is_called_weight(name: &str) -> bool {
    ["weight", "weights", "wgt", "survey_weight", "gewicht"].contains(&name.to_lowercase().as_str())
}

/// Whether a column is called like the weight of a survey. `weight` alone may be that of a body; such a column is proposed only beside households.
pub(super) fn is_survey_weight(name: &str, proposed: bool) -> bool {
    const SURELY: &str = "surveyweight* sampleweight* samplingweight* designweight* expansionfactor* pweight wgt fnlwgt hochrechnung*";
    proposed && is_called_weight(name) || speaks_of(name, SURELY)
}

/// Whether the column is a number of households, by its name and the kind of its values. How large a household is, is another matter.
fn names_household(facts: &Facts<'_>) -> bool {
    let is_code = matches!(facts.kind, Inference::Clear(Kind::Integer | Kind::Text));
    let numbered = match facts.topic {
        Some(Topic::RecordNumber) => true,
        // Without another word, as in `household`: only many values are numbers of households.
        Some(Topic::Household) => !facts.counts_few() && has_small_groups(facts),
        _ => false,
    };
    is_code && numbered && facts.distinct > 1 && speaks_of_household(facts.column.name)
}

/// Whether most values have few rows, and some have several.
fn has_small_groups(facts: &Facts<'_>) -> bool {
    let counts = &facts.column.counts;
    let small = counts.iter().filter(|rows| **rows <= MOST_ROWS).count() as u64;
    let repeated = counts.iter().any(|rows| *rows > 1);
    facts.distinct >= FEWEST && repeated && MOST.1 * small >= MOST.0 * facts.distinct
}

/// Whether the rows of most households of several rows share the value of another column, which is not the same for all.
fn is_shared(household: &Facts<'_>, other: &Facts<'_>) -> bool {
    let (Some(homes), Some(cells)) = (household.column.cells, other.column.cells) else { return false };
    if std::ptr::eq(homes, cells) || other.distinct < 2 || other.nearly_unique() || homes.len() != cells.len()
    {
        return false;
    }
    let mut pairs: Vec<(u32, u32)> = homes.iter().zip(cells.iter()).collect();
    pairs.sort_unstable();
    let several = || pairs.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() > 1);
    let same = several().filter(|rows| rows[0].1 == rows[rows.len() - 1].1).count() as u64;
    let all = several().count() as u64;
    all > 0 && MOST.1 * same >= MOST.0 * all
}
