//! What models say to people.

use super::*;

/// Every model of the registry with the phrase that the report is to say of it, and a part of what it says that means.
const SAID: &[(&str, &str, &str)] = &[
    ("model = 'k_anonymity'\nk = 1000", "1,000-anonymous", "at least 1,000 rows that fit"),
    (
        "model = 'l_diversity'\nvariant = 'entropy'\nl = 1.5",
        "1.5-diverse for disease (entropy 1.5-diversity of disease)",
        "as varied as 1.5 values that are equally common",
    ),
    (
        "model = 'l_diversity'\nvariant = 'recursive'\nc = 2\nl = 3",
        "recursively (2,3)-diverse for disease",
        "fewer than 2 times as many rows as all values together from the one in place 3 on",
    ),
    ("model = 't_closeness'\nt = 0.2", "0.2-close for disease", "the distance is at most 0.2"),
    (
        "model = 'alpha_k'\nk = 2\nalpha = 0.5",
        "such that no value of disease has more than a share of 0.5 in a group",
        "no value of disease has more than a share of 0.5 in a group: nobody",
    ),
    (
        "model = 'alpha_k'\nk = 2\nalphas = ['hiv=0.5']",
        "such that no protected value of disease has more than its share in a group",
        "no protected value",
    ),
    (
        "model = 'beta_likeness'\nbeta = 1",
        "bounded by basic 1-likeness of disease",
        "a larger factor than 1 + 1",
    ),
    (
        "model = 'delta_disclosure'\ndelta = 0.5",
        "bounded by 0.5-disclosure privacy of disease",
        "below e to the power of 0.5",
    ),
    (
        "model = 'p_sensitive'\np = 2\nk = 2",
        "such that every group has at least 2 values of disease",
        "at least 2 different values",
    ),
    (
        "model = 'xy_anonymity'\nk = 2\ny = ['disease']",
        "(X,Y)-anonymity: at least 2 different values of disease",
        "finds rows with at least 2 different values of disease.",
    ),
    (
        "model = 'k_uncertainty'\nk = 2",
        "k-uncertainty: at least 2 different values of disease",
        "looked up goes with at least 2 different values of disease.",
    ),
    (
        "model = 'xy_linkability'\nh = 0.5\ny = ['disease']",
        "(X,Y)-linkability: no value of disease above a share of 0.5",
        "more confidence than 0.5",
    ),
    (
        "model = 'lkc'\nl = 1\nk = 2\nc = 0.5",
        "LKC-privacy (L = 1): groups of at least 2 rows",
        "knows no more than L of these columns",
    ),
    (
        "model = 'threshold_rule'\nsize = 1\nleast = 2",
        "threshold rule: every 1 of the columns together have at least 2 rows",
        "knows no more than so many of these columns",
    ),
    (
        "model = 'average_risk'\naverage = 0.2",
        "a mean risk of at most 0.2",
        "there is a mean risk of at most 0.2",
    ),
];

/// The first model that is asked for, what it says, and the numbers that it asks for.
fn said(table: &FrequencyTable, asked: &str) -> (String, Words, Vec<(&'static str, f64)>) {
    let all = models(table, asked, &["disease"]);
    for model in &all {
        let words = model.words();
        assert!(words.meaning.is_some() && words.limits.is_some(), "{}", model.title());
        assert!(model.settings().iter().any(|(name, _)| *name == model.unit()), "{}", model.title());
        assert!(model.settings().contains(&(model.unit(), model.required())), "{}", model.title());
    }
    // Sizes come before shares.
    let first = all.iter().find(|model| asked.starts_with("model = 'lkc'") || model.protects().is_some());
    let model = first.unwrap_or(&all[0]);
    (model.name().to_owned(), model.words(), model.settings())
}

#[test]
fn every_model_of_the_registry_is_explained() {
    let mut named: Vec<String> = Vec::new();
    let table = running_example();
    for (asked, claim, means) in SAID {
        let (name, words, _) = said(&table, asked);
        assert_eq!(words.claim, *claim);
        let meaning = words.meaning.expect("a meaning");
        assert!(meaning.contains(means), "{meaning}");
        assert_eq!(words.names_columns, name == "k_anonymity");
        named.push(name);
    }
    let rows: [(u32, &[&str]); 3] = [(0, &[]), (0, &[]), (1, &[])];
    let beside =
        counted(&[], &rows, false).with_population(counted(&[], &[(0, &[]), (0, &[]), (1, &[])], false));
    for (asked, claim) in [
        ("model = 'k_map'\nk = 2", "2-map"),
        ("model = 'delta_presence'\ndelta_max = 0.6", "delta-presence of at most 0.6"),
    ] {
        let (name, words, _) = said(&beside, asked);
        assert_eq!(words.claim, claim);
        named.push(name);
    }
    let numbers = counted(&["cost"], &[(0, &["5"]), (0, &["60"]), (1, &["7"])], false);
    let (name, words, _) = said(&numbers, "model = 'k_e'\ne = 50\nk = 2\ncolumns = ['cost']");
    assert!(words.claim.starts_with("such that every group has "), "{}", words.claim);
    named.push(name);
    let people = counted(&["who"], &[(0, &["p1"]), (1, &["p1"]), (0, &["p2"])], true);
    named.push(said(&people, "model = 'multirelational'\nk = 2").0);
    let guarded = counted(&["disease", "guard"], &[(0, &["asthma", "lung"]), (1, &["hiv", "none"])], false);
    named.push(
        said(&guarded, "model = 'personalised'\np_breach = 0.5\nguarding = 'guard'\ncolumns = ['disease']").0,
    );
    let silent: Vec<&str> = MODELS
        .iter()
        .map(|entry| entry.name)
        .filter(|name| !named.iter().any(|named| named == name))
        .collect();
    assert_eq!(silent, Vec::<&str>::new());
}

#[test]
fn numbers_are_told_by_the_names_of_their_parameters() {
    let table = running_example();
    let settings = |asked: &str| said(&table, asked).2;
    assert_eq!(
        settings("model = 'l_diversity'\nvariant = 'recursive'\nc = 2\nl = 3"),
        [("l", 3.0), ("c", 2.0)]
    );
    assert_eq!(settings("model = 'lkc'\nl = 1\nk = 2"), [("k", 2.0), ("l", 1.0)]);
    assert_eq!(
        settings("model = 'average_risk'\nat_risk = 0.1\nhighest = 0.5"),
        [("at_risk", 0.1), ("highest", 0.5)]
    );
    assert_eq!(settings("model = 'alpha_k'\nk = 2\nalphas = ['hiv=0.5']"), [("multiple of its share", 1.0)]);
    let units = |table: &FrequencyTable, asked: &str, column: &str| -> Vec<&'static str> {
        models(table, asked, &[column]).iter().map(|model| model.unit()).collect()
    };
    let numbers = counted(&["cost"], &[(0, &["5"]), (0, &["60"]), (1, &["7"])], false);
    assert!(units(&numbers, "model = 'k_e'\ne = 50\nk = 2\ncolumns = ['cost']", "cost").contains(&"e"));
    let weighed = "model = 'p_sensitive'\np = 1\nalpha = 2\ncategories = ['hiv|cancer', 'flu|asthma']";
    assert!(units(&table, weighed, "disease").contains(&"alpha"));
}

/// Only where a model bounds the share of every value does an attacker know how sure one may be.
#[test]
fn the_largest_share_of_a_value() {
    let table = running_example();
    let largest = |asked: &str| {
        models(&table, asked, &["disease"]).iter().filter_map(|model| model.largest_share()).next()
    };
    assert_eq!(largest("model = 'l_diversity'\nvariant = 'frequency'\nl = 4"), Some(0.25));
    assert_eq!(largest("model = 'l_diversity'\nvariant = 'distinct'\nl = 4"), None);
    assert_eq!(largest("model = 'alpha_k'\nk = 2\nalpha = 0.5"), Some(0.5));
    assert_eq!(largest("model = 'alpha_k'\nk = 2\nalpha = 0.5\nalphas = ['hiv=0.2']"), None);
    assert_eq!(largest("model = 'k_anonymity'\nk = 2"), None);
}
