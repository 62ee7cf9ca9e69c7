//! Which column tells households apart: by its name, by values that few rows share, and by what else these rows share.

use super::roles::{Guess, new};
use super::words::{Topic, speaks_of_household};
use super::{Confidence, Facts};
use crate::config::Role;
use crate::table::kind::{Inference, Kind};

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

/// Beside a column of households, a column called weight is mostly the weight of a survey: how many people a row stands for. It is left out, since
/// exact weights single people out and ranges of them are of no use.
pub(super) fn propose_weight(columns: &[Facts<'_>], guesses: &mut [Guess]) {
    if !guesses.iter().any(|guess| guess.roles.has(Role::Household)) {
        return;
    }
    let is_weight = |name: &str| {
        let name = name.to_lowercase();
        ["weight", "weights", "wgt", "survey_weight", "gewicht"].contains(&name.as_str())
    };
    for (facts, guess) in columns.iter().zip(guesses) {
        if facts.is_number() && is_weight(facts.column.name) && guess.roles.has(Role::Quasi) {
            *guess = new(
                Role::Drop,
                Confidence::Low,
                "The table has households, so this is probably the weight of a survey and not of a body. For the risk by weights: [risk] weight.",
            );
        }
    }
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
