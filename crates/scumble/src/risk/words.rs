//! Puts each figure into one plain sentence, for the command and for the page.

use super::uniques::{Method, PopulationUniques};
use super::{Assessment, Combination, HouseholdRisk, RiskFigures, Singling, Unit, WeightedRisk};
use crate::base::amount::Amount;
use crate::base::format::{capitalised, count, counted, list, number, percent, share};

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

/// `finds 3 of 10 rows for certain; the average chance is 40 %`, or `finds the right row with a chance of at most 20 %; the average chance is
/// 10.7 %`.
fn at_most(risk: &RiskFigures, what: &str, unit: Unit) -> String {
    let (highest, average) = (risk.highest.finite().unwrap_or(0.0), risk.average.finite().unwrap_or(0.0));
    let average = percent(average);
    if highest >= 1.0 {
        return format!(
            "finds {} of {} for certain; the average chance is {average}",
            count(risk.rows_at_highest),
            unit.counted(risk.rows)
        );
    }
    format!(
        "finds the right {what} with a chance of at most {}; the average chance is {average}",
        percent(highest)
    )
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
        "This attacker does not know whether the person is in the table, so the chance is at most that of the attacker above, who does. To \
         measure it, give a table of the population{estimate}."
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
        format!("; {} so in the population as well", counted(rows, "of them does", "of them do"))
    });
    format!(
        "{} of {} ({}) {} these values with nobody in the table{also}.",
        count(uniques.rows),
        found.unit.counted(found.prosecutor.rows),
        share(uniques.rows, found.prosecutor.rows),
        if uniques.rows == 1 { "shares" } else { "share" }
    )
}

/// The sentence about population uniques.
#[must_use]
pub fn population(found: &PopulationUniques) -> String {
    let (about, how) = match found.method {
        Method::NobodyUnique => {
            return format!(
                "An estimated 0 of {} people of the population share their values with nobody: {}.",
                count(found.population),
                found.reason
            );
        }
        Method::Counted => ("", found.reason.clone()),
        method => ("About ", format!("an estimate by {}'s method: {}", method.title(), found.reason)),
    };
    let people = count(found.uniques.round() as u64);
    format!(
        "{about}{people} of {} people of the population share their values with nobody ({how}).",
        count(found.population)
    )
}

/// The sentence that says why there is no estimate of population uniques.
#[must_use]
pub fn no_population(unit: Unit) -> &'static str {
    match unit {
        Unit::Rows => {
            "To estimate how many people of the population share their values with nobody, give the size of the population."
        }
        Unit::Persons => {
            "How many people of the population share their values with nobody was not estimated: the methods take each row for a person, and some \
             persons have several rows."
        }
    }
}

/// The sentence that says what counts as a person.
#[must_use]
pub fn one_person(unit: Unit) -> &'static str {
    match unit {
        Unit::Rows => "One row is taken for one person.",
        Unit::Persons => {
            "Some persons have several rows. A person counts once, by the row where they are found most easily, and their own rows do not hide each \
             other."
        }
    }
}

/// The estimates of the methods that were not chosen, and whether they disagree.
#[must_use]
pub fn estimates(found: &PopulationUniques) -> Option<String> {
    let mut said = Vec::new();
    let others = found.estimates.iter().filter(|estimate| estimate.method != found.method);
    for estimate in others {
        // Where the best method gives no result, the reason says so.
        if let Some(uniques) = estimate.uniques {
            said.push(format!(
                "by {}'s method there are {}",
                estimate.method.title(),
                count(uniques.round() as u64)
            ));
        }
    }
    if said.is_empty() {
        return None;
    }
    let text = capitalised(&format!("{}.", said.join("; ")));
    let all =
        || found.estimates.iter().filter_map(|estimate| estimate.uniques).map(|uniques| uniques.max(1.0));
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    Some(match most > DISAGREE * least {
        true => format!("{text} The methods disagree, so the figure is uncertain."),
        false => text,
    })
}

/// Estimates that differ by more than this factor are called uncertain.
const DISAGREE: f64 = 2.0;

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
        "By the survey weights the rows stand for about {} people. An attacker who knows only that someone is among these {}. Somebody who \
         links every row with a person gets about {} of {} right.",
        count(found.people.round() as u64),
        at_most(&found.risk, "person", Unit::Rows),
        count(found.risk.expected.finite().unwrap_or(0.0).round() as u64),
        counted(found.risk.rows, "row", "rows"),
    )
}

/// The sentence about households: the risk of rows by themselves, and with their households, of the same attacker.
#[must_use]
pub fn households(found: &HouseholdRisk, assessment: &Assessment) -> String {
    let rows = &found.of_rows;
    let (alone, whose) = match (found.based_on.as_str(), &assessment.weights) {
        ("weights", Some(weights)) => (&weights.risk, " by the survey weights"),
        ("journalist", _) => (&assessment.journalist.risk, " in the population"),
        _ => (&assessment.prosecutor, ""),
    };
    let better = match found.based_on.as_str() {
        "prosecutor" => "",
        _ => " An attacker who knows that the person is in this table does better than that.",
    };
    let risk = |figure: Amount| percent(figure.finite().unwrap_or(0.0));
    if risk(alone.average) == risk(rows.average) && risk(alone.highest) == risk(rows.highest) {
        return format!(
            "{} of at most {}. If finding one member of a household means finding all of them, nothing changes: the average chance of being \
             found{whose} is {} already, and the highest {}.{better}",
            counted(found.households, "household", "households"),
            counted(found.largest, "row", "rows"),
            risk(alone.average),
            risk(alone.highest),
        );
    }
    format!(
        "{} of at most {}. If finding one member of a household means finding all of them, the average chance of being found{whose} rises \
         from {} to {}, and the highest from {} to {}. About {} of {} would be found.{better}",
        counted(found.households, "household", "households"),
        counted(found.largest, "row", "rows"),
        risk(alone.average),
        risk(rows.average),
        risk(alone.highest),
        risk(rows.highest),
        count(rows.expected.finite().unwrap_or(0.0).round() as u64),
        counted(rows.rows, "row", "rows")
    )
}

#[cfg(test)]
mod tests {
    use super::super::uniques::Estimate;
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
            "An attacker who knows that someone is in this table finds 1 of 10 rows for certain; the average chance is 40 %."
        );
        assert_eq!(plain(&above(&risk, Unit::Rows)), "5 of 10 rows (50 %) have a risk above 20 %.");
        let risk = RiskFigures::of_sizes(&[(5, 5), (10, 10)], fifth);
        assert_eq!(
            plain(&prosecutor(&risk, Unit::Rows)),
            "An attacker who knows that someone is in this table finds the right row with a chance of at most 20 %; the average chance is 13.3 %."
        );
        assert_eq!(plain(&above(&risk, Unit::Rows)), "No row has a risk above 20 %.");
    }

    #[test]
    fn persons_in_words() {
        let fifth = Rational::new(1, 5).expect("a fraction");
        let risk = RiskFigures::of_sizes(&[(1, 1), (2, 4), (5, 5)], fifth);
        assert!(prosecutor(&risk, Unit::Persons).contains("finds 1 of 10\u{a0}persons for certain;"));
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

    /// Methods that were not chosen are named with their estimates, and a difference by more than a factor of 2 is said.
    #[test]
    fn estimates_that_disagree_say_so() {
        let estimate = |method, uniques| Estimate { method, uniques, parameters: Default::default() };
        let found = |snb| PopulationUniques {
            population: 310_332,
            sampling_fraction: 0.006,
            uniques: 7_290.0,
            method: Method::Zayatz,
            reason: "one reason".into(),
            estimates: vec![
                estimate(Method::Pitman, None),
                estimate(Method::Zayatz, Some(7_290.0)),
                estimate(Method::Snb, Some(snb)),
            ],
        };
        assert_eq!(
            estimates(&found(3.0)).as_deref(),
            Some("By SNB's method there are 3. The methods disagree, so the figure is uncertain.")
        );
        assert!(!estimates(&found(7_000.0)).expect("estimates").contains("disagree"));
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
