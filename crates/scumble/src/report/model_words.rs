//! What models promise, what that means, and what it leaves open, in sentences for the report.

use super::data::{ModelResult, Setting};
use super::format::{amount, list};

/// What a model promises, in a phrase: "5-anonymous on age, sex and postcode".
pub(super) fn claim(model: &ModelResult) -> String {
    let on = if model.on.is_empty() { String::new() } else { format!(" on {}", list(&model.on, 4)) };
    let of = model.column.as_ref().map_or_else(String::new, |column| format!(" for {column}"));
    match (model.name.as_str(), model.required.as_slice()) {
        ("several_tables", _) => format!("made of tables with {}", model.title),
        ("k_anonymity", [k]) => format!("{}-anonymous{on}", amount(k.value)),
        ("l_diversity", [l]) => format!("{}-diverse{of} ({})", amount(l.value), lower_first(&model.title)),
        ("t_closeness", [t]) => format!("{}-close{of}", amount(t.value)),
        (
            "lkc" | "k_map" | "delta_presence" | "average_risk" | "k_uncertainty" | "xy_anonymity"
            | "xy_linkability" | "personalised" | "multirelational",
            _,
        ) => model.title.clone(),
        ("alpha_k", _) => format!("such that {}", alpha_k_holds(model)),
        ("k_e" | "p_sensitive", _) => format!("such that every class has {}", model.title),
        ("beta_likeness" | "delta_disclosure", _) => format!("bounded by {}", model.title),
        _ => format!("{}{of} with {}", lower_first(&model.title), settings(&model.required)),
    }
}

/// What (alpha,k)-anonymity says of a class, in a phrase.
fn alpha_k_holds(model: &ModelResult) -> String {
    let column = model.column.as_deref().unwrap_or("the sensitive column");
    match model.required.as_slice() {
        [alpha] if alpha.name == "alpha" => {
            format!("no value of {column} has more than a share of {} in a class", amount(alpha.value))
        }
        _ => format!("no protected value of {column} has more than its share in a class"),
    }
}

/// `k = 5`, or `c = 2, l = 3`.
pub(super) fn settings(settings: &[Setting]) -> String {
    let each: Vec<String> = settings.iter().map(|s| format!("{} = {}", s.name, amount(s.value))).collect();
    if each.is_empty() { "no parameter".to_owned() } else { each.join(", ") }
}

/// What a known model means, in a line.
/// `unit` is what is counted: rows, or persons where a column tells them apart.
pub(super) fn model_meaning(model: &ModelResult, unit: &str) -> Option<String> {
    if model.meaning.is_some() {
        return model.meaning.clone();
    }
    let setting = |name: &str| model.required.iter().find(|setting| setting.name == name);
    let first = || model.required.first().map(|s| amount(s.value));
    let column = model.column.as_deref().unwrap_or("the sensitive column");
    Some(match model.name.as_str() {
        "k_anonymity" => format!(
            "Whoever knows these columns about a person finds at least {} {unit} that fit, and cannot tell which is the right one.",
            first()?
        ),
        "l_diversity" => format!(
            "Among the rows that fit a person, the values of {column} differ enough that none of them stands out \
             (l = {} counts how many different values they are worth).",
            model.required.last().map(|s| amount(s.value))?
        ),
        "t_closeness" => format!(
            "Among the rows that fit a person, {column} is distributed almost as in the whole table: the distance is at \
             most {}, where 0 is the same and 1 is as far as can be.",
            first()?
        ),
        "alpha_k" => format!(
            "Among the rows that fit a person, {}: nobody who knows only these columns can be surer of it than that.",
            alpha_k_holds(model)
        ),
        "k_e" if setting("e").is_some() => format!(
            "Among the rows that fit a person, the largest and the smallest {column} are at least {} apart: the amount is not \
             known to within that.",
            first()?
        ),
        "k_e" => format!("Among the rows that fit a person there are {}.", model.title),
        "p_sensitive" if setting("alpha").is_some() => format!(
            "Among the rows that fit a person, the values of {column} weigh at least {} together, where values of the most \
             sensitive category weigh nothing and those of the least sensitive 1.",
            first()?
        ),
        "p_sensitive" => format!(
            "Among the rows that fit a person, {column} takes at least {} different values, or categories of values.",
            first()?
        ),
        "beta_likeness" => format!(
            "Whoever finds the rows that fit a person believes in no value of {column} more than before by a larger factor \
             than 1 + {}.",
            first()?
        ),
        "delta_disclosure" => format!(
            "Whoever finds the rows that fit a person believes in each value of {column} about as much as before: more or less \
             by a factor below e to the power of {}.",
            first()?
        ),
        "k_map" => format!(
            "Whoever knows these columns about a person finds rows that fit at least {} people of the population.",
            first()?
        ),
        "delta_presence" if setting("delta_min").is_some() => format!(
            "Whoever knows these columns about a person of the population believes that the person is in the table with a chance of at \
             least {}.",
            first()?
        ),
        "delta_presence" => format!(
            "Whoever knows these columns about a person of the population believes that the person is in the table with a chance of at \
             most {}.",
            first()?
        ),
        "average_risk" => format!("Over all rows together there is {}.", model.title),
        "xy_anonymity" => format!(
            "Whoever knows these columns about a person finds rows with at least {} different values of {column}.",
            first()?
        ),
        "k_uncertainty" => format!(
            "Whoever is looked up goes with at least {} different values of {column}.",
            first()?
        ),
        "xy_linkability" => format!(
            "Whoever knows these columns about a person links them to no protected value of {column} with more confidence than {}.",
            first()?
        ),
        "personalised" => format!(
            "Among the rows that fit a person, at most a share of {} have a value of {column} that the person wants guarded.",
            first()?
        ),
        "multirelational" => format!(
            "Whoever knows these columns of all rows of a person finds at least {} persons whose rows look the same.",
            first()?
        ),
        "lkc" => "Whoever knows no more than L of these columns about a person finds that many rows that fit, and no value of the \
                  protected column has a larger share of them."
            .to_owned(),
        _ => return None,
    })
}

/// What a known model does not protect against.
pub(super) fn model_limits(model: &ModelResult) -> Option<String> {
    if model.limits.is_some() {
        return model.limits.clone();
    }
    Some(
        match model.name.as_str() {
            "k_anonymity" => {
                "Learning something without finding the row: if all rows that fit share a value, that value is known. \
                 Nor against people who know further columns."
            }
            "l_diversity" => {
                "Values that differ in name but mean much the same, values that are much more likely here than elsewhere, \
                 and people who can rule some of them out."
            }
            "t_closeness" => {
                "Finding the row itself (that is what k-anonymity is for), and what can be concluded from the whole \
                 table's distribution."
            }
            "alpha_k" => {
                "Values that are rare in the whole table: a share that is allowed may be many times what it was there. Nor \
                 against people who can rule some values out."
            }
            "k_e" => {
                "Amounts that are close to each other: only the smallest and the largest count, and all others may be nearly \
                 the same."
            }
            "p_sensitive" => {
                "Values that are much more frequent than others: one row with another value is enough to be counted."
            }
            "beta_likeness" => {
                "Learning that somebody does not have a value: only growing belief is bounded. Nor against finding the row."
            }
            "delta_disclosure" => {
                "Finding the row itself (that is what k-anonymity is for), and what can be concluded from the whole table."
            }
            "k_map" => {
                "Somebody who knows that a person is in the table: for them only the rows of the table count, and they may be few."
            }
            "delta_presence" => {
                "Learning what the rows of a class have in common, about those who are in the table."
            }
            "average_risk" => "Any single person: a low mean is also that of many safe rows and a few that are easily found.",
            "xy_anonymity" | "k_uncertainty" => {
                "Values that are much more frequent than others: one row with another value is enough to be counted."
            }
            "xy_linkability" => {
                "Values that are rare in the whole table: a share that is allowed may be many times what it was there."
            }
            "personalised" => {
                "Whoever guards nothing, and values that nobody among the rows that fit wants guarded."
            }
            "multirelational" => {
                "Learning what the rows of these persons have in common. Nor against people who know further columns."
            }
            "lkc" => {
                "People who know more than L of the columns: for them the rows that fit may be few, or a single one."
            }
            _ => return None,
        }
        .to_owned(),
    )
}

/// A title in the middle of a sentence. Names that begin with a symbol or a capital abbreviation stay.
fn lower_first(title: &str) -> String {
    let mut letters = title.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every model has its sentences: the report never leaves a reader alone with a name.
    #[test]
    fn every_model_of_the_registry_is_explained() {
        for entry in crate::registry::MODELS {
            let model = ModelResult {
                name: entry.name.into(),
                title: entry.title.into(),
                required: vec![Setting::new("k", 2u64)],
                ..ModelResult::default()
            };
            assert!(model_meaning(&model, "rows").is_some(), "{} has no meaning", entry.name);
            assert!(model_limits(&model).is_some(), "{} has no limits", entry.name);
        }
    }

    #[test]
    fn claims_name_what_they_are_about() {
        let model = |name: &str, title: &str, required| ModelResult {
            name: name.into(),
            title: title.into(),
            column: Some("diagnosis".into()),
            required,
            ..ModelResult::default()
        };
        assert_eq!(
            claim(&model("l_diversity", "Entropy l-diversity", vec![Setting::new("l", 2.5)])),
            "2.5-diverse for diagnosis (entropy l-diversity)"
        );
        assert_eq!(
            claim(&model("t_closeness", "t-closeness", vec![Setting::new("t", 0.2)])),
            "0.2-close for diagnosis"
        );
        assert_eq!(
            claim(&model(
                "l_diversity",
                "Recursive (c,l)-diversity",
                vec![Setting::new("c", 2.0), Setting::new("l", 3u64)]
            )),
            "recursive (c,l)-diversity for diagnosis with c = 2, l = 3"
        );
        let plain = |name: &str, title: &str, setting: &str, value: f64| {
            let model = model(name, title, vec![Setting::new(setting, value)]);
            (
                claim(&model),
                model_meaning(&model, "rows").expect("known"),
                model_limits(&model).expect("known"),
            )
        };
        let (alpha, meaning, _) =
            plain("alpha_k", "no value of diagnosis above a share of 0.5", "alpha", 0.5);
        assert_eq!(alpha, "such that no value of diagnosis has more than a share of 0.5 in a class");
        assert!(meaning.contains("no value of diagnosis has more than a share of 0.5"));
        let (named, ..) =
            plain("alpha_k", "protected values within their shares", "multiple of its share", 1.0);
        assert_eq!(named, "such that no protected value of diagnosis has more than its share in a class");
        let (range, meaning, _) = plain("k_e", "values of diagnosis at least 50 apart", "e", 50.0);
        assert_eq!(range, "such that every class has values of diagnosis at least 50 apart");
        assert!(meaning.contains("at least 50 apart"));
        let (_, weight, _) = plain("p_sensitive", "values of diagnosis that weigh at least 2", "alpha", 2.0);
        let (_, values, _) = plain("p_sensitive", "at least 2 values of diagnosis", "p", 2.0);
        assert!(weight.contains("weigh at least 2") && values.contains("at least 2 different values"));
        let (beta, ..) = plain("beta_likeness", "basic 1-likeness of diagnosis", "beta", 1.0);
        assert_eq!(beta, "bounded by basic 1-likeness of diagnosis");
        let (_, delta, _) = plain("delta_disclosure", "0.5-disclosure of diagnosis", "delta", 0.5);
        assert!(delta.contains("a factor below e to the power of 0.5"));
    }
}
