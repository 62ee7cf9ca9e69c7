//! The page about the risk in one table.

use super::opening::banner;
use super::risk::{body, card};
use super::risk_charts::{
    RiskSeries, bands, combinations, contributions, estimates, fewest_columns, quantiles,
};
use super::{closing, unfolding};
use crate::base::format::{count, counted, number, percent, share};
use crate::report::charts::Ink;
use crate::report::data::{Amount, RiskFigures};
use crate::report::verdict::Verdict;
use crate::risk::{Assessment, Unit, words};
use minijinja::{Value, context};

/// The data of the template.
pub(in crate::report) fn page(found: &Assessment, title: &str) -> Value {
    context! {
        title,
        heading => "risk",
        strip => "This page says what singles people out. Do not share it outside your organisation.",
        byline => "How well outsiders find people in this table",
        version => env!("CARGO_PKG_VERSION"),
        opening => opening(found),
        sections => sections(found),
    }
}

fn shown(amount: Amount) -> String {
    amount.finite().map_or_else(|| "–".to_owned(), percent)
}

fn opening(found: &Assessment) -> Value {
    let (risk, unit) = (&found.prosecutor, found.unit);
    let one = |label: &str, value: String, note: &str| context! { label, value, note };
    let figures = vec![
        one("Highest risk", shown(risk.highest), &format!("of a {}", unit.one())),
        one("Average risk", shown(risk.average), &format!("over all {}", unit.many())),
        one("Alone", count(found.uniques.rows), &format!("of {}", unit.counted(risk.rows))),
    ];
    banner(Verdict::of_table(found), figures)
}

fn sections(found: &Assessment) -> Vec<Value> {
    unfolding(
        [
            ("risk-attackers", "Who might find people", Some(attackers(found))),
            ("risk-uniques", "Who is alone", Some(alone(found))),
            ("risk-singling", "What singles people out", singling(found)),
            ("risk-weights", "Survey weights", weights(found)),
            ("risk-households", "Households", households(found)),
            ("glossary", "Words used here", Some(closing::glossary())),
        ]
        .map(|(id, title, body)| (id, title, String::new(), body))
        .into(),
    )
}

fn attackers(found: &Assessment) -> Value {
    let journalist = &found.journalist;
    let at_most = if journalist.upper_bound { "at most " } else { "" };
    let cards = vec![
        card(
            "Prosecutor, highest risk",
            shown(found.prosecutor.highest),
            words::prosecutor(&found.prosecutor, found.unit),
        ),
        card(
            "Journalist, highest risk",
            format!("{at_most}{}", shown(journalist.risk.highest)),
            words::journalist(found),
        ),
        card(
            "Marketer, right links",
            format!("{at_most}{}", percent(found.marketer.share)),
            words::marketer(found),
        ),
    ];
    let mut series = vec![RiskSeries { name: "prosecutor", ink: Ink::After, risk: &found.prosecutor }];
    if !journalist.upper_bound {
        series.insert(0, RiskSeries { name: "journalist", ink: Ink::Before, risk: &journalist.risk });
    }
    let unit = found.unit;
    let figures = bands(&series, unit).into_iter().chain(quantiles(&found.prosecutor, unit)).collect();
    let mut sentences = vec![words::classes(found), words::above(&found.prosecutor, unit)];
    if unit == Unit::Persons {
        sentences.push(words::one_person(unit).to_owned());
    }
    sentences.extend(found.warnings.iter().map(|warning| format!("Warning: {warning}.")));
    body(
        "Three kinds of attacker. The prosecutor knows that a person is in the table; the journalist only that the person is in \
         the population; the marketer wants as many people as possible.",
        cards,
        figures,
        sentences,
        "This counts only the quasi-identifiers. Whoever knows further columns of a person, or can rule rows out, may do better.",
    )
}

fn alone(found: &Assessment) -> Value {
    let uniques = &found.uniques;
    let mut cards =
        vec![card("Alone in the table", share(uniques.rows, found.prosecutor.rows), words::uniques(found))];
    let mut figures = Vec::new();
    let remark = match &uniques.population {
        Some(population) => {
            cards.push(card(
                "Alone in the population",
                number(population.uniques.round()),
                words::population(population),
            ));
            figures.extend(estimates(population));
            "Estimates rest on how many groups have which size, and on rows being drawn at random."
        }
        None => words::no_population(found.unit),
    };
    body(
        "Whoever is alone on these columns is found by whoever knows them. Alone in the table need not mean alone in the \
         population.",
        cards,
        figures,
        Vec::new(),
        remark,
    )
}

fn singling(found: &Assessment) -> Option<Value> {
    let singling = found.singling.as_ref()?;
    let mut cards = vec![card(
        &format!("Singled out by up to {}", counted(singling.combination_size, "column", "columns")),
        share(singling.rows, found.prosecutor.rows),
        words::singling(singling, found.prosecutor.rows, found.unit),
    )];
    let worst = singling.columns.first().map(|column| column.column.clone()).unwrap_or_default();
    cards.extend(
        words::contributions(singling, found.unit).map(|sentence| card("Contributes most", worst, sentence)),
    );
    let right = singling.dis.map(percent).unwrap_or_default();
    cards.extend(
        words::intrusion(singling).map(|sentence| card("Right matches of unique rows", right, sentence)),
    );
    let figures = [
        fewest_columns(singling, found.unit),
        contributions(singling, "Which columns single people out", Ink::After),
        combinations(singling, "Combinations that single people out", Ink::After, found.unit),
    ];
    Some(body(
        "Few columns may be enough. A row is singled out by columns if no other row has its values there.",
        cards,
        figures.into_iter().flatten().collect(),
        words::worst_combinations(singling).into_iter().map(words::combination).collect(),
        "Scores are those of SUDA: the fewer columns single a row out, and in the more ways, the higher.",
    ))
}

fn estimated(risk: &RiskFigures, sentence: String) -> Vec<Value> {
    vec![
        card("Highest risk", shown(risk.highest), sentence),
        card("Rows above the threshold", share(risk.rows_above, risk.rows), words::above(risk, Unit::Rows)),
        card(
            "Expected to be found",
            risk.expected.finite().map_or_else(|| "–".to_owned(), number),
            "The sum of the risks of all rows.".to_owned(),
        ),
    ]
}

fn weights(found: &Assessment) -> Option<Value> {
    let weights = found.weights.as_ref()?;
    let series = [RiskSeries { name: "rows", ink: Ink::After, risk: &weights.risk }];
    Some(body(
        "A row that stands for many people hides among them. The weights say how many people each group has in the population.",
        estimated(&weights.risk, words::weights(weights)),
        bands(&series, Unit::Rows).into_iter().collect(),
        Vec::new(),
        "The negative binomial model of Benedetti and Franconi: the risk is the mean of 1 over the size of the group in the \
         population.",
    ))
}

fn households(found: &Assessment) -> Option<Value> {
    let households = found.households.as_ref()?;
    let series = [RiskSeries { name: "rows", ink: Ink::After, risk: &households.of_rows }];
    Some(body(
        "Whoever finds one member of a household has found them all, so every member has the risk of the household.",
        estimated(&households.of_rows, words::households(households, found)),
        bands(&series, Unit::Rows).into_iter().collect(),
        Vec::new(),
        "The risk of a household is the chance that at least one of its members is found.",
    ))
}
