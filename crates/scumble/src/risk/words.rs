//! Puts each figure into one plain sentence, for the command and for the page.

use super::uniques::{Method, PopulationUniques};
use super::{Assessment, Combination, HouseholdRisk, RiskFigures, Singling, Unit, WeightedRisk};
use crate::base::format::{count, counted, list, number, percent, share};

/// Column names that are spelt out in a sentence.
const NAMES: usize = 8;

/// The sentence about group sizes, on which everything else rests.
#[must_use]
pub fn classes(found: &Assessment) -> String {
    let star = if found.star_rows > 0 {
        format!(
            "; {} * in every one of these columns, each a candidate for the others",
            counted(found.star_rows, "row shows", "rows show")
        )
    } else {
        String::new()
    };
    let persons =
        found.persons.map_or_else(String::new, |persons| format!(" of {}", Unit::Persons.counted(persons)));
    format!(
        "{}{persons} in {} on {}; the smallest has {}{star}.",
        Unit::Rows.counted(found.rows),
        counted(found.classes, "group", "groups"),
        list(&found.quasi, NAMES),
        found.unit.counted(found.smallest_class.unwrap_or(0))
    )
}

/// How often a guess is right: `1 of 5 tries`, `about 1 of 2.4 tries`. Rounded so that the risk never sounds lower than it is.
fn tries(risk: f64) -> String {
    if risk <= 0.0 || !risk.is_finite() {
        return "no try".to_owned();
    }
    let one_in = 1.0 / risk.min(1.0);
    let nearest = one_in.round();
    if (one_in - nearest).abs() < 1e-9 * nearest {
        return if nearest > 1.0 {
            format!("1 of {} tries", count(nearest as u64))
        } else {
            "every try".to_owned()
        };
    }
    match one_in {
        ..1.1 => "nearly every try".to_owned(),
        ..10.0 => format!("about 1 of {:.1} tries", (one_in * 10.0).floor() / 10.0),
        _ => format!("about 1 of {} tries", count(one_in.floor() as u64)),
    }
}

/// `picks the right row in at most 1 of 5 tries, and on average in about 1 of 9.3 tries`.
fn at_most(risk: &RiskFigures, what: &str, unit: Unit) -> String {
    let (highest, average) = (risk.highest.finite().unwrap_or(0.0), risk.average.finite().unwrap_or(0.0));
    let average = tries(average);
    if highest >= 1.0 {
        let rows = unit.counted(risk.rows_at_highest);
        return format!("picks the right {what} at once for {rows}, and on average in {average}");
    }
    format!("picks the right {what} in at most {}, and on average in {average}", tries(highest))
}

/// The sentence about the prosecutor.
#[must_use]
pub fn prosecutor(risk: &RiskFigures, unit: Unit) -> String {
    format!("An attacker who knows that someone is in this table {}.", at_most(risk, unit.one(), unit))
}

/// The sentence about the rows above the threshold.
#[must_use]
pub fn above(risk: &RiskFigures, unit: Unit) -> String {
    let threshold = percent(risk.threshold);
    if risk.rows_above == 0 {
        return format!("No {} has a risk above {threshold}.", unit.one());
    }
    format!(
        "{} of {} ({}) {} a risk above {threshold}.",
        count(risk.rows_above),
        unit.counted(risk.rows),
        share(risk.rows_above, risk.rows),
        if risk.rows_above == 1 { "has" } else { "have" }
    )
}

/// The sentence about the journalist.
#[must_use]
pub fn journalist(found: &Assessment) -> String {
    if !found.journalist.upper_bound {
        return in_population(&found.journalist.risk, found.unit);
    }
    let estimate = if found.weights.is_some() { "; for an estimate by the weights see below" } else { "" };
    format!(
        "An attacker who knows only that someone is in the population does no better than the prosecutor; how much worse is not \
         known without a table of the population, so the prosecutor’s figures stand as an upper bound{estimate}."
    )
}

/// The sentence about the journalist where the population was counted.
#[must_use]
pub fn in_population(risk: &RiskFigures, unit: Unit) -> String {
    format!("An attacker who knows only that someone is in the population {}.", at_most(risk, "person", unit))
}

/// The sentence about the marketer.
#[must_use]
pub fn marketer(found: &Assessment) -> String {
    let bound = if found.journalist.upper_bound { "at most about" } else { "about" };
    let links = match found.unit {
        Unit::Rows => "every row with a person",
        Unit::Persons => "every person of the table with somebody",
    };
    format!(
        "An attacker who links {links} gets {bound} {} of {} right ({}).",
        number(found.marketer.expected),
        count(found.prosecutor.rows),
        percent(found.marketer.share)
    )
}

/// The sentence about the spread of the risks. A quantile that equals the highest risk says nothing, so the sentence then says how many
/// rows have the highest risk.
#[must_use]
pub fn quantiles(risk: &RiskFigures, unit: Unit) -> String {
    let highest = risk.highest.finite().unwrap_or(0.0);
    let below: Vec<String> = [0.5, 0.9, 0.99]
        .into_iter()
        .filter_map(|share| risk.quantiles.iter().find(|quantile| (quantile.share - share).abs() < 1e-9))
        .filter(|quantile| quantile.risk < highest)
        .map(|quantile| percent(quantile.risk))
        .collect();
    let (many, highest) = (unit.many(), percent(highest));
    match &below[..] {
        [] => format!("More than half of the {many} have the highest risk, {highest}."),
        [half] => format!(
            "Half of the {many} have a risk of at most {half}, and more than one of ten have the highest, {highest}."
        ),
        [half, most] => format!(
            "Half of the {many} have a risk of at most {half}, nine of ten of at most {most}, and more than one of 100 have the \
             highest, {highest}."
        ),
        [half, most, nearly_all, ..] => format!(
            "Half of the {many} have a risk of at most {half}, nine of ten of at most {most}, and 99 of 100 of at most \
             {nearly_all}."
        ),
    }
}

fn is_or_are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// The sentence about sample uniques.
#[must_use]
pub fn uniques(found: &Assessment) -> String {
    let uniques = &found.uniques;
    let also = uniques.rows_alone_in_population.map_or_else(String::new, |rows| {
        format!("; {} alone in the population as well", counted(rows, "of them is", "of them are"))
    });
    format!(
        "{} of {} ({}) {} alone on these columns in the table{also}.",
        count(uniques.rows),
        found.unit.counted(found.prosecutor.rows),
        share(uniques.rows, found.prosecutor.rows),
        is_or_are(uniques.rows)
    )
}

/// The sentence about population uniques.
#[must_use]
pub fn population(found: &PopulationUniques) -> String {
    let (about, how) = match found.method {
        Method::NobodyUnique => {
            return format!(
                "Nobody of {} people is estimated to be alone in the population: {}.",
                count(found.population),
                found.reason
            );
        }
        Method::Counted => ("", found.reason.clone()),
        method => ("About ", format!("{}: {}", method.title(), found.reason)),
    };
    let people = count(found.uniques.round() as u64);
    format!(
        "{about}{people} of {} people are alone in the population on these columns ({how}).",
        count(found.population)
    )
}

/// The sentence that says why there is no estimate of population uniques.
#[must_use]
pub fn no_population(unit: Unit) -> &'static str {
    match unit {
        Unit::Rows => {
            "How many are alone in the population is estimated if its size is known (population_size)."
        }
        Unit::Persons => {
            "How many are alone in the population is not estimated, since some persons have several rows: the models take a row \
             for a person."
        }
    }
}

/// The sentence that says what counts as a person.
#[must_use]
pub fn one_person(unit: Unit) -> &'static str {
    match unit {
        Unit::Rows => "One row is taken for one person.",
        Unit::Persons => {
            "Some persons have several rows: those of one person are no candidates for each other, and a person counts once, where they \
             are found most easily."
        }
    }
}

/// The sentence about the estimates of the models that were not chosen.
#[must_use]
pub fn estimates(found: &PopulationUniques) -> Option<String> {
    if found.estimates.is_empty() {
        return None;
    }
    let said = found.estimates.iter().map(|estimate| {
        let uniques =
            estimate.uniques.map_or_else(|| "does not fit".to_owned(), |uniques| number(uniques.round()));
        format!("{} {uniques}", estimate.method.title())
    });
    Some(format!("Estimates: {}.", said.collect::<Vec<_>>().join(", ")))
}

/// One combination: `Knowing sex and postcode singles out 214 people.`
#[must_use]
pub fn combination(found: &Combination) -> String {
    format!(
        "Knowing {} singles out {}.",
        list(&found.columns, NAMES),
        counted(found.rows, "person", "people")
    )
}

/// The combination of each size that singles out the most people.
#[must_use]
pub fn worst_combinations(found: &Singling) -> Vec<&Combination> {
    found
        .combinations
        .chunk_by(|a, b| a.columns.len() == b.columns.len())
        .map(|of_size| &of_size[0])
        .collect()
}

/// The sentence about the people whom few columns single out.
#[must_use]
pub fn singling(found: &Singling, rows: u64, unit: Unit) -> String {
    let columns = counted(found.combination_size, "column", "columns");
    if found.rows == 0 {
        return format!("No combination of up to {columns} singles anybody out.");
    }
    format!(
        "{} of {} ({}) {} singled out by some combination of at most {columns}.",
        count(found.rows),
        unit.counted(rows),
        share(found.rows, rows),
        is_or_are(found.rows)
    )
}

/// The sentence about the column that contributes most.
#[must_use]
pub fn contributions(found: &Singling, unit: Unit) -> Option<String> {
    let most = found.columns.first().filter(|column| column.share > 0.0)?;
    Some(format!(
        "{} contributes most: {} of the scores come from combinations with it, of {}.",
        most.column,
        percent(most.share),
        unit.counted(most.rows)
    ))
}

/// The sentence about what scores mean for the population.
#[must_use]
pub fn intrusion(found: &Singling) -> Option<String> {
    let (dis, highest) = (found.dis?, found.highest_dis?);
    (dis > 0.0).then(|| {
        format!(
            "If a unique row matches a person, the match is right with a chance of {} on average, and of {} for the row with the \
             highest score.",
            percent(dis),
            percent(highest)
        )
    })
}

/// The sentence about survey weights.
#[must_use]
pub fn weights(found: &WeightedRisk) -> String {
    format!(
        "By their weights the rows stand for about {} people. An attacker who knows only that someone is among these {}; of {} \
         about {} would be found.",
        number(found.people.round()),
        at_most(&found.risk, "person", Unit::Rows),
        counted(found.risk.rows, "row", "rows"),
        number(found.risk.expected.finite().unwrap_or(0.0))
    )
}

/// The sentence about households.
#[must_use]
pub fn households(found: &HouseholdRisk) -> String {
    let rows = &found.of_rows;
    format!(
        "In {} of at most {}, who finds one member has found all: the mean risk of a row becomes {}, the highest {}, and about {} \
         of {} would be found.",
        counted(found.households, "household", "households"),
        counted(found.largest, "row", "rows"),
        percent(rows.average.finite().unwrap_or(0.0)),
        percent(rows.highest.finite().unwrap_or(0.0)),
        number(rows.expected.finite().unwrap_or(0.0)),
        counted(rows.rows, "row", "rows")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rational;

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn the_prosecutor_in_words() {
        let fifth = Rational::new(1, 5).expect("a fraction");
        let risk = RiskFigures::of_sizes(&[(1, 1), (2, 4), (5, 5)], fifth);
        assert_eq!(
            plain(&prosecutor(&risk, Unit::Rows)),
            "An attacker who knows that someone is in this table picks the right row at once for 1 row, and on average in about 1 \
             of 2.5 tries."
        );
        assert_eq!(plain(&above(&risk, Unit::Rows)), "5 of 10 rows (50 %) have a risk above 20 %.");
        let risk = RiskFigures::of_sizes(&[(5, 5), (10, 10)], fifth);
        assert_eq!(
            plain(&prosecutor(&risk, Unit::Rows)),
            "An attacker who knows that someone is in this table picks the right row in at most 1 of 5 tries, and on average in \
             about 1 of 7.5 tries."
        );
        assert_eq!(plain(&above(&risk, Unit::Rows)), "No row has a risk above 20 %.");
    }

    #[test]
    fn persons_in_words() {
        let fifth = Rational::new(1, 5).expect("a fraction");
        let risk = RiskFigures::of_sizes(&[(1, 1), (2, 4), (5, 5)], fifth);
        assert!(
            prosecutor(&risk, Unit::Persons).contains("picks the right person at once for 1\u{a0}person,")
        );
        assert_eq!(plain(&above(&risk, Unit::Persons)), "5 of 10 persons (50 %) have a risk above 20 %.");
    }

    #[test]
    fn quantiles_say_how_many_have_the_highest_risk() {
        let fifth = Rational::new(1, 5).expect("a fraction");
        let told = |parts: &[(u64, u64)]| plain(&quantiles(&RiskFigures::of_sizes(parts, fifth), Unit::Rows));
        assert_eq!(told(&[(1, 6), (2, 4)]), "More than half of the rows have the highest risk, 100 %.");
        assert_eq!(
            told(&[(1, 2), (2, 8)]),
            "Half of the rows have a risk of at most 50 %, and more than one of ten have the highest, 100 %."
        );
        // 90 of 100 rows have 1/10, eight 1/2 and two 1.
        assert_eq!(
            told(&[(1, 2), (2, 8), (10, 90)]),
            "Half of the rows have a risk of at most 10 %, nine of ten of at most 10 %, and more than one of 100 have the \
             highest, 100 %."
        );
        assert_eq!(
            told(&[(1, 1), (2, 9), (10, 90)]),
            "Half of the rows have a risk of at most 10 %, nine of ten of at most 10 %, and 99 of 100 of at most 50 %."
        );
    }

    #[test]
    fn tries_never_sound_rarer_than_they_are() {
        let shown = [(1.0, "every try"), (0.99, "nearly every try"), (0.2, "1 of 5 tries"), (0.0, "no try")];
        let rounded =
            [(0.15, "about 1 of 6.6 tries"), (0.07, "about 1 of 14 tries"), (1.0 / 49.0, "1 of 49 tries")];
        for (risk, words) in shown.into_iter().chain(rounded) {
            assert_eq!(tries(risk), words);
        }
    }

    #[test]
    fn a_combination_in_words() {
        let columns = ["sex", "postcode", "birth year"].map(str::to_owned).to_vec();
        let found = Combination { columns, rows: 214, minimal: 9 };
        assert_eq!(
            plain(&combination(&found)),
            "Knowing sex, postcode and birth year singles out 214 people."
        );
    }
}
