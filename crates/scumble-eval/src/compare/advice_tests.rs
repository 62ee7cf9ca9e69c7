//! The rule and its words, on comparisons written by hand.

use super::super::limits::Limits;
use super::super::outcome::{Accuracy, Baselines, Utility};
use super::super::risk::{Certain, Guess, Risk};
use super::*;

fn candidate(algorithm: &str, k: u64, risk: f64, accuracy: Option<f64>) -> Candidate {
    Candidate {
        algorithm: algorithm.to_owned(),
        standing: if algorithm == "nsvdist" { Standing::Experimental } else { Standing::Recommended },
        k,
        warnings: Vec::new(),
        below_plan: false,
        risk: Risk {
            worst_off: risk,
            identity: risk / 2.0,
            linkage: risk / 2.0,
            singled_out: 0.0,
            attribute: None,
            unprotected: None,
            nearly: None,
        },
        loss: 0.25,
        metrics: Vec::new(),
        suppressed: 0,
        attained_k: Some(k),
        accuracy: accuracy.map(|mean| Accuracy { mean, by_learner: vec![mean] }),
        seconds: 0.0,
    }
}

/// Ten thousand rows, all scored: an accuracy of 80 % is known to within 0.8 points.
fn comparison(candidates: Vec<Candidate>) -> Comparison {
    Comparison {
        rows: 10_000,
        quasi: vec!["age".into(), "sex".into()],
        sensitive: Vec::new(),
        class: Some("ill".into()),
        household: None,
        left_out: Vec::new(),
        models: Vec::new(),
        ks: vec![2, 5, 10],
        least_k: None,
        learners: vec!["c45".into()],
        parts: (3, 3),
        baselines: Some(Baselines {
            original: Accuracy { mean: 0.83, by_learner: vec![0.83] },
            majority: 0.75,
            scored: 10_000,
        }),
        candidates,
        unserved: Vec::new(),
        limits: Limits::default(),
        notes: Vec::new(),
    }
}

fn told(comparison: &Comparison) -> Vec<String> {
    let advice = Advice::of(comparison).expect("advice");
    advice.sentences(comparison).iter().map(|sentence| sentence.replace('\u{a0}', " ")).collect()
}

fn with_loss(loss: f64, candidate: Candidate) -> Candidate {
    Candidate { loss, ..candidate }
}

#[test]
fn the_most_detailed_of_those_that_do_as_well() {
    let all = comparison(vec![
        with_loss(0.05, candidate("mondrian", 2, 0.3, Some(0.82))),
        with_loss(0.2, candidate("mondrian", 10, 0.05, Some(0.80))),
        with_loss(0.3, candidate("mondrian", 25, 0.02, Some(0.799))),
        with_loss(0.1, candidate("cluster", 25, 0.02, Some(0.79))),
        with_loss(0.7, candidate("pais", 10, 0.09, Some(0.805))),
    ]);
    let advice = Advice::of(&all).expect("advice");
    // An accuracy of 80.5 % on 10,000 rows is known to within 0.78 points: 80.0 and 79.9 are as good as 80.5, 79.0 is not, and 82.0 is too
    // risky.
    assert_eq!(advice, Advice { chosen: 1, within: true, eligible: 4, safer: Some(2), more_useful: Some(0) });
    assert_eq!(
        told(&all),
        [
            "Take mondrian with k = 10: the person worst off is found with a chance of 5.0 %, the average person with 2.5 %. In a public release \
             nobody may be found with a chance above 9 %.",
            "4 releases that may be recommended keep the limit of 9 %. None of them gives measurably better predictions, and of those that predict as well this one keeps the most detail.",
            "Machine-learning models trained on it predict 80.0 % of new cases correctly; trained on the original rows they predict 83.0 %, and \
             the most frequent value alone is right for 75.0 %. The release loses 20.0 % of the detail.",
            "To halve the risk (5.0 %) choose mondrian with k = 25 (risk 2.0 %, 79.9 % predicted correctly, 30.0 % of the detail lost). For better \
             predictions you would have to allow a risk above your limit: mondrian with k = 2 (risk 30.0 %, 82.0 % predicted correctly, 5.0 % of \
             the detail lost).",
            "All of this was measured on these 10,000 rows against an attacker who knows age and sex of everybody in the table; whoever knows \
             more may find out more.",
        ]
    );
}

#[test]
fn where_everything_is_too_risky_the_least_risky_is_told_as_that() {
    let mut risky = candidate("mondrian", 10, 0.05, Some(0.751));
    risky.risk.attribute = Some(Guess {
        column: "diagnosis".into(),
        advantage: 0.2,
        by_group: 0.2,
        by_learning: None,
        certain: 0.03,
        certain_with_background: 0.1,
    });
    risky.suppressed = 3;
    let mut all = comparison(vec![candidate("mondrian", 2, 0.4, Some(0.82)), risky]);
    all.sensitive = vec!["diagnosis".into()];
    let advice = Advice::of(&all).expect("advice");
    assert_eq!(advice, Advice { chosen: 1, within: false, eligible: 0, safer: None, more_useful: Some(0) });
    assert_eq!(
        told(&all),
        [
            "No release keeps the limits, so none is recommended: with the release, the share of people whose diagnosis is guessed right may grow by at most 9 percentage points. The least risky is mondrian with k = 10: the person worst off is found with a chance of 5.0 %, the average person \
             with 2.5 %; a model that protects diagnosis may lower the risk, such as l-diversity or t-closeness.",
            "With the release an attacker guesses diagnosis right for more people than without it: the share grows by 20.0 percentage points (limit: 9).",
            "diagnosis becomes certain for 3.0 % of the people (bounded by the plan's models).",
            "Machine-learning models trained on it predict 75.1 % of new cases correctly (hardly better than guessing); trained on the original \
             rows they predict 83.0 %, and the most frequent value alone is right for 75.0 %. The release loses 25.0 % of the detail and \
             suppresses less than 0.1 % of the rows.",
            "No release has half the risk (20.0 %, the greater of worst off and guessed). For better predictions the risk is higher still: mondrian with k = 2 (risk 40.0 %, 82.0 % predicted \
             correctly, 25.0 % of the detail lost).",
            "All of this was measured on these 10,000 rows against attackers who know age and sex of everybody in the table; whoever knows more \
             may find out more.",
        ]
    );
}

#[test]
fn experimental_algorithms_are_recommended_only_if_there_is_nothing_else() {
    let mut both =
        vec![candidate("nsvdist", 10, 0.01, Some(0.83)), candidate("mondrian", 10, 0.05, Some(0.8))];
    let advice = Advice::of(&comparison(both.clone())).expect("advice");
    assert_eq!((advice.chosen, advice.eligible, advice.more_useful), (1, 1, None));
    both.truncate(1);
    let told = told(&comparison(both));
    assert!(told.iter().any(|sentence| sentence.starts_with("Beware: nsvdist is experimental")), "{told:?}");
}

#[test]
fn without_a_class_the_loss_decides_and_ties_go_to_the_less_risky_and_the_greater_k() {
    let mut all = comparison(vec![
        candidate("mondrian", 5, 0.08, None),
        candidate("cluster", 5, 0.07, None),
        candidate("cluster", 6, 0.07, None),
        with_loss(0.5, candidate("optimal", 5, 0.03, None)),
    ]);
    (all.class, all.baselines) = (None, None);
    let advice = Advice::of(&all).expect("advice");
    assert_eq!((advice.chosen, advice.safer, advice.more_useful), (2, Some(3), None));
    assert_eq!(all.not_beaten(), [false, false, true, true]);
    assert_eq!(all.on_frontier(Utility::Detail), [false, true, true, true]);
    assert_eq!(
        told(&all)[0],
        "Take cluster with k = 6: the person worst off is found with a chance of 7.0 %, the average person with 3.5 %. In a public release nobody may \
         be found with a chance above 9 %."
    );
    let limit =
        "4 releases that may be recommended keep the limit of 9 %; this one keeps the most detail of them.";
    assert_eq!(told(&all)[1..3], [limit, "It loses 25.0 % of the detail."]);
    all.candidates.clear();
    assert_eq!(Advice::of(&all), None);
}

#[test]
fn a_release_whose_utility_is_not_known_is_not_recommended() {
    let all =
        comparison(vec![candidate("mondrian", 5, 0.01, None), candidate("optimal", 5, 0.05, Some(0.8))]);
    assert_eq!(Advice::of(&all).map(|advice| advice.chosen), Some(1));
    assert_eq!(all.not_beaten(), [true, true], "what was not measured is not beaten");
}

#[test]
fn a_release_that_shows_nothing_is_not_recommended() {
    let nothing = with_loss(1.0, candidate("iack", 5, 0.001, Some(0.75)));
    let all = comparison(vec![nothing.clone(), candidate("mondrian", 5, 0.2, Some(0.8))]);
    let advice = Advice::of(&all).expect("advice");
    assert_eq!((advice.chosen, advice.recommended(), advice.eligible), (1, None, 0));
    let alone = Advice::of(&comparison(vec![nothing])).expect("advice");
    assert_eq!(alone.chosen, 0);
}

#[test]
fn nothing_below_the_plan_is_recommended_or_a_next_step() {
    let below = |candidate: Candidate| Candidate { below_plan: true, ..candidate };
    // Without the plan, k = 2 would win: as right as the best, with the least loss, within the risk.
    let mut all = comparison(vec![
        below(with_loss(0.05, candidate("mondrian", 2, 0.04, Some(0.82)))),
        with_loss(0.2, candidate("mondrian", 5, 0.03, Some(0.80))),
        below(with_loss(0.01, candidate("cluster", 2, 0.001, Some(0.83)))),
    ]);
    all.least_k = Some(5);
    let advice = Advice::of(&all).expect("advice");
    assert_eq!(advice, Advice { chosen: 1, within: true, eligible: 1, safer: None, more_useful: None });
    assert!(
        told(&all)[..2]
            .join(" ")
            .contains("Of the releases that may be recommended, only this one keeps the limit of 9 %."),
        "{:?}",
        told(&all)
    );
    all.candidates.remove(1);
    assert_eq!(Advice::of(&all), None);
    assert!(Advice::none(&all).contains("ask for k\u{a0}=\u{a0}5 or more"), "{}", Advice::none(&all));
}

/// The average hides the person worst off: half of the people are in one large group, and there is a pair.
#[test]
fn the_person_worst_off_decides_and_not_the_average() {
    let with = |worst_off: f64, k: u64, loss: f64| {
        let mut made = with_loss(loss, candidate("mondrian", k, worst_off, None));
        made.risk.identity = 0.01;
        made
    };
    let mut all = comparison(vec![with(0.5, 2, 0.1), with(1.0 / 12.0, 12, 0.3)]);
    (all.class, all.baselines) = (None, None);
    let advice = Advice::of(&all).expect("advice");
    assert_eq!((advice.recommended(), advice.eligible), (Some(1), 1));
    let told = told(&all);
    assert!(
        told[0].contains("worst off is found with a chance of 8.3 %, the average person with 1.0 %"),
        "{told:?}"
    );
    all.limits = Limits::of(scumble::config::Audience::Inside);
    assert_eq!(Advice::of(&all).and_then(|advice| advice.recommended()), Some(1));
    all.limits.risk = 0.5;
    assert_eq!(Advice::of(&all).and_then(|advice| advice.recommended()), Some(0));
}

/// If no model protects a sensitive column, a release with too many people whose value is certain is ruled out.
#[test]
fn certainty_rules_out_what_no_model_bounds() {
    let with = |share: Option<f64>, loss: f64| {
        let mut made = with_loss(loss, candidate("mondrian", 12, 0.08, None));
        made.risk.unprotected = share.map(|share| Certain { column: "diagnosis".into(), share });
        made
    };
    let mut all = comparison(vec![with(Some(0.02), 0.1), with(Some(0.0), 0.3)]);
    (all.class, all.baselines, all.sensitive) = (None, None, vec!["diagnosis".into()]);
    assert_eq!(Advice::of(&all).and_then(|advice| advice.recommended()), Some(1));
    assert!(
        told(&all)[1].contains("diagnosis becomes certain for nobody (limit: nobody)"),
        "{:?}",
        told(&all)
    );
    all.limits = Limits { certain: 0.02, ..all.limits };
    assert_eq!(Advice::of(&all).and_then(|advice| advice.recommended()), Some(0));
    // Certainty for somebody is worse than a greater chance for everybody.
    all.candidates = vec![with(Some(0.5), 0.1), with(Some(0.4), 0.2)];
    all.limits.certain = 0.0;
    let advice = Advice::of(&all).expect("advice");
    assert_eq!(advice.recommended(), None);
    let told = told(&all);
    assert!(told[0].contains("none is recommended: diagnosis may become certain for nobody."), "{told:?}");
}

/// Nearly certain is as bad as certain, whether or not a model protects the column.
#[test]
fn nearly_certain_values_rule_a_release_out() {
    let nearly = |share: f64, loss: f64| {
        let mut made = with_loss(loss, candidate("mondrian", 12, 0.08, None));
        made.risk.nearly = (share > 0.0).then(|| Certain { column: "diagnosis".into(), share });
        made
    };
    let mut all = comparison(vec![nearly(0.01, 0.1), nearly(0.0, 0.3)]);
    (all.class, all.baselines, all.sensitive) = (None, None, vec!["diagnosis".into()]);
    let advice = Advice::of(&all).expect("advice");
    assert_eq!(advice.recommended(), Some(1));
    let words = told(&all).join(" ");
    assert!(words.contains("accept that diagnosis becomes certain, or nearly, for more people"), "{words}");
    all.candidates.truncate(1);
    let words = told(&all).join(" ");
    assert!(words.contains("diagnosis may become nearly certain for nobody"), "{words}");
    assert!(words.contains("diagnosis becomes nearly certain for 1.0 % of the people"), "{words}");
}

/// Where guesses count, the risk is the greater of two figures, and the sentences say so. A release in which nobody is found too easily may
/// still be ruled out by what can be guessed.
#[test]
fn the_risk_says_what_it_is_the_greater_of() {
    let with = |k: u64, worst_off: f64, advantage: f64, loss: f64| {
        let mut made = with_loss(loss, candidate("mondrian", k, worst_off, None));
        made.risk.attribute = Some(Guess {
            column: "diagnosis".into(),
            advantage,
            by_group: advantage,
            by_learning: None,
            certain: 0.0,
            certain_with_background: 0.0,
        });
        made
    };
    let mut all =
        comparison(vec![with(24, 0.042, 0.087, 0.3), with(48, 0.02, 0.034, 0.6), with(12, 0.083, 0.2, 0.1)]);
    (all.class, all.baselines, all.sensitive) = (None, None, vec!["diagnosis".into()]);
    let told = told(&all).join(" ");
    for words in [
        "2 releases that may be recommended keep all limits; this one keeps the most detail of them.",
        "In 1 other nobody is found too easily, but too much can be guessed.",
        "To halve the risk (8.7 %, the greater of worst off and guessed) choose mondrian with k = 48 (risk 3.4 %: worst off 2.0 %, guessed 3.4 %,",
        "the share grows by 8.7 percentage points (limit: 9)",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    all.candidates.remove(1);
    let told = super::tests::told(&all).join(" ");
    assert!(told.contains("only this one keeps all limits."), "{told}");
}
