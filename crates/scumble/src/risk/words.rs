//! Each figure in one plain sentence, for the command and for the page.

use super::uniques::{Method, PopulationUniques};
use super::{Assessment, Combination, HouseholdRisk, RiskFigures, Singling, WeightedRisk};
use crate::report::format::{count, counted, list, number, percent, share};

/// Column names that are spelt out in a sentence.
const NAMES: usize = 8;

/// The class sizes: what everything else rests on.
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
    format!(
        "{} in {} on {}; the smallest has {}{star}.",
        counted(found.rows, "row", "rows"),
        counted(found.classes, "class", "classes"),
        list(&found.quasi, NAMES),
        counted(found.smallest_class.unwrap_or(0), "row", "rows")
    )
}

/// How often a guess is right: `1 of 5 tries`, `about 1 of 2.4 tries`. Rounded so that it never sounds rarer than it is.
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
fn at_most(risk: &RiskFigures, what: &str) -> String {
    let (highest, average) = (risk.highest.finite().unwrap_or(0.0), risk.average.finite().unwrap_or(0.0));
    let average = tries(average);
    if highest >= 1.0 {
        let rows = counted(risk.rows_at_highest, "row", "rows");
        return format!("picks the right {what} at once for {rows}, and on average in {average}");
    }
    format!("picks the right {what} in at most {}, and on average in {average}", tries(highest))
}

/// The prosecutor.
#[must_use]
pub fn prosecutor(risk: &RiskFigures) -> String {
    format!("An attacker who knows that someone is in this table {}.", at_most(risk, "row"))
}

/// How many rows lie above the threshold.
#[must_use]
pub fn above(risk: &RiskFigures) -> String {
    let threshold = percent(risk.threshold);
    if risk.rows_above == 0 {
        return format!("No row has a risk above {threshold}.");
    }
    format!(
        "{} of {} ({}) {} a risk above {threshold}.",
        count(risk.rows_above),
        counted(risk.rows, "row", "rows"),
        share(risk.rows_above, risk.rows),
        if risk.rows_above == 1 { "has" } else { "have" }
    )
}

/// The journalist.
#[must_use]
pub fn journalist(found: &Assessment) -> String {
    if found.journalist.upper_bound {
        return "An attacker who knows only that someone is in the population does no better than the prosecutor; how much worse \
                is not known without a table of the population, so the prosecutor’s figures stand as an upper bound."
            .to_owned();
    }
    format!(
        "An attacker who knows only that someone is in the population {}.",
        at_most(&found.journalist.risk, "person")
    )
}

/// The marketer.
#[must_use]
pub fn marketer(found: &Assessment) -> String {
    let bound = if found.journalist.upper_bound { "at most about" } else { "about" };
    format!(
        "An attacker who links every row with a person gets {bound} {} of {} right ({}).",
        number(found.marketer.expected),
        count(found.rows),
        percent(found.marketer.share)
    )
}

/// The spread of the record risks.
#[must_use]
pub fn quantiles(risk: &RiskFigures) -> String {
    let at = |share: f64| {
        let found = risk.quantiles.iter().find(|quantile| (quantile.share - share).abs() < 1e-9);
        found.map_or_else(String::new, |quantile| percent(quantile.risk))
    };
    let [half, most, nearly_all] = [0.5, 0.9, 0.99].map(at);
    if half == nearly_all {
        return format!("Half of the rows, and 99 of 100, have a risk of at most {half}.");
    }
    format!(
        "Half of the rows have a risk of at most {half}, nine of ten of at most {most}, and 99 of 100 of at most {nearly_all}."
    )
}

fn is_or_are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// Sample uniques.
#[must_use]
pub fn uniques(found: &Assessment) -> String {
    let uniques = &found.uniques;
    let also = uniques.rows_alone_in_population.map_or_else(String::new, |rows| {
        format!("; {} alone in the population as well", counted(rows, "of them is", "of them are"))
    });
    format!(
        "{} of {} ({}) {} alone on these columns in the table{also}.",
        count(uniques.rows),
        counted(found.rows, "row", "rows"),
        share(uniques.rows, found.rows),
        is_or_are(uniques.rows)
    )
}

/// Population uniques.
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

/// What the models say that were not chosen.
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

/// The combination of each size that singles out most people.
#[must_use]
pub fn worst_combinations(found: &Singling) -> Vec<&Combination> {
    found
        .combinations
        .chunk_by(|a, b| a.columns.len() == b.columns.len())
        .map(|of_size| &of_size[0])
        .collect()
}

/// How many people few columns single out.
#[must_use]
pub fn singling(found: &Singling, rows: u64) -> String {
    let columns = counted(found.combination_size, "column", "columns");
    if found.rows == 0 {
        return format!("No combination of up to {columns} singles anybody out.");
    }
    format!(
        "{} of {} ({}) {} singled out by some combination of at most {columns}.",
        count(found.rows),
        counted(rows, "row", "rows"),
        share(found.rows, rows),
        is_or_are(found.rows)
    )
}

/// Which columns are to blame.
#[must_use]
pub fn contributions(found: &Singling) -> Option<String> {
    let most = found.columns.first().filter(|column| column.share > 0.0)?;
    Some(format!(
        "{} contributes most: {} of the scores come from combinations with it, of {}.",
        most.column,
        percent(most.share),
        counted(most.rows, "row", "rows")
    ))
}

/// What scores say about the population.
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

/// Survey weights.
#[must_use]
pub fn weights(found: &WeightedRisk) -> String {
    format!(
        "By their weights the rows stand for about {} people. An attacker who knows only that someone is among these {}; of {} \
         about {} would be found.",
        number(found.people.round()),
        at_most(&found.risk, "person"),
        counted(found.risk.rows, "row", "rows"),
        number(found.risk.expected.finite().unwrap_or(0.0))
    )
}

/// Households.
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
            plain(&prosecutor(&risk)),
            "An attacker who knows that someone is in this table picks the right row at once for 1 row, and on average in about 1 \
             of 2.5 tries."
        );
        assert_eq!(plain(&above(&risk)), "5 of 10 rows (50 %) have a risk above 20 %.");
        let risk = RiskFigures::of_sizes(&[(5, 5), (10, 10)], fifth);
        assert_eq!(
            plain(&prosecutor(&risk)),
            "An attacker who knows that someone is in this table picks the right row in at most 1 of 5 tries, and on average in \
             about 1 of 7.5 tries."
        );
        assert_eq!(plain(&above(&risk)), "No row has a risk above 20 %.");
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
