//! Which release to take, and why, in words.
//!
//! The rule, in a sentence: of the releases whose risk is at most what was said, those on which learners do as well as on the best of
//! them, as far as that can be measured, and of those the one that keeps most detail. Experimental algorithms are not recommended,
//! since their protection is weaker than a figure shows. Whatever is below the plan's models is not even a next step: the plan says what
//! must hold.

use scumble::registry::Standing;

use super::outcome::{Candidate, Comparison, Utility};

/// The risk that a release may have to be recommended, unless another is named: one in eleven, on average over people. Agencies that name this
/// figure for clinical data mean the person worst off, whose chance of being found is one over the attained k, which is told beside it.
pub const MAX_RISK: f64 = 0.09;

/// What to take, and the next steps from there; all by their place among the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    /// The release to take.
    pub chosen: usize,
    /// Whether its risk is at most what was said. If not, it is the least risky of all.
    pub within: bool,
    /// How many releases have a risk of at most what was said.
    pub eligible: usize,
    /// What the same rule takes at half the risk of the chosen one.
    pub safer: Option<usize>,
    /// The least risky of those that are more useful: measurably more right, or as right with more detail.
    pub more_useful: Option<usize>,
}

/// The figures that decide, of one release.
#[derive(Debug, Clone, Copy)]
struct Figures {
    place: usize,
    k: u64,
    risk: f64,
    accuracy: f64,
    loss: f64,
}

impl Figures {
    fn shows_something(&self) -> bool {
        self.loss < 1.0
    }
}

impl Advice {
    /// The release that is recommended, if one may be.
    #[must_use]
    pub fn recommended(&self) -> Option<usize> {
        self.within.then_some(self.chosen)
    }

    /// What to take; `None` if no release that keeps the plan's models could be measured.
    #[must_use]
    pub fn of(comparison: &Comparison) -> Option<Self> {
        let figures = |(place, candidate): (usize, &Candidate)| {
            if candidate.below_plan {
                return None;
            }
            let [_, accuracy, _] = comparison.goods(candidate)?;
            let risk = candidate.risk.worst();
            Some((
                candidate.standing,
                Figures { place, k: candidate.k, risk, accuracy, loss: candidate.loss },
            ))
        };
        let mut known: Vec<(Standing, Figures)> =
            comparison.candidates.iter().enumerate().filter_map(figures).collect();
        if known.iter().any(|(standing, _)| *standing != Standing::Experimental) {
            known.retain(|(standing, _)| *standing != Standing::Experimental);
        }
        let mut known: Vec<Figures> = known.into_iter().map(|(_, figures)| figures).collect();
        // A release that shows nothing is safe and good for nothing.
        if known.iter().any(Figures::shows_something) {
            known.retain(Figures::shows_something);
        }
        let eligible = known.iter().filter(|figures| figures.risk <= comparison.max_risk).count();
        let within = best_within(comparison, &known, comparison.max_risk);
        let chosen = within.or_else(|| least_risky(known.iter()))?;
        let margin = comparison.margin(chosen.accuracy);
        let more_useful = |figures: &&Figures| {
            figures.accuracy > chosen.accuracy + margin
                || (figures.accuracy >= chosen.accuracy - margin && figures.loss < chosen.loss)
        };
        let half = best_within(comparison, &known, chosen.risk / 2.0);
        Some(Self {
            chosen: chosen.place,
            within: within.is_some(),
            eligible,
            safer: half.map(|figures| figures.place),
            more_useful: least_risky(known.iter().filter(more_useful)).map(|figures| figures.place),
        })
    }

    /// The advice in a few sentences: what to take, what an attacker could still learn, what it costs, the next steps, and what was
    /// measured. Numbers and their units are held together by no-break spaces.
    #[must_use]
    pub fn sentences(&self, comparison: &Comparison) -> Vec<String> {
        let chosen = &comparison.candidates[self.chosen];
        let mut told = vec![self.choice(comparison), attack(comparison, chosen), cost(comparison, chosen)];
        told.push(self.next_steps(comparison));
        if chosen.standing == Standing::Experimental {
            told.push(format!(
                "Beware: {} is experimental; its protection is weaker than these figures show, and its page says why.",
                chosen.algorithm
            ));
        }
        let warned = |text: &String| format!("A warning comes with it: {}.", text.trim_end_matches('.'));
        told.extend(chosen.warnings.iter().map(warned));
        told.push(limits(comparison));
        told
    }

    /// Why nothing is recommended, where there is no advice.
    #[must_use]
    pub fn none(comparison: &Comparison) -> String {
        let below = comparison.candidates.iter().any(|candidate| candidate.below_plan);
        match comparison.least_k.filter(|_| below) {
            Some(least) => format!(
                "Nothing is recommended: no release that could be measured keeps the plan's models, which ask for k\u{a0}=\u{a0}{least} or more. Try larger values of k, \
                 or change the plan."
            ),
            None => "Nothing is recommended: no release could be measured.".to_owned(),
        }
    }

    fn choice(&self, comparison: &Comparison) -> String {
        let chosen = &comparison.candidates[self.chosen];
        let limit = share(comparison.max_risk);
        let name = name(chosen);
        if !self.within {
            let risk = share(chosen.risk.worst());
            let by_guessing =
                chosen.risk.attribute.as_ref().filter(|guess| guess.advantage > chosen.risk.identity);
            let hint = match by_guessing {
                Some(guess) => {
                    format!(
                        "a model that protects {} may lower it, such as l-diversity or t-closeness",
                        guess.column
                    )
                }
                None => "a larger k or fewer quasi-identifiers may lower it".to_owned(),
            };
            return format!(
                "No release that could be recommended has a risk of at most {limit}. The least risky is {name}, with {risk}; {hint}."
            );
        }
        let of = match self.eligible {
            1 => format!(
                "it is the only one that could be recommended with a measured risk of at most {limit}"
            ),
            more => {
                let best = match comparison.utility() {
                    Utility::Accuracy => {
                        "none lets models do measurably better, and none of those that do as well keeps more detail"
                    }
                    Utility::Detail => "none keeps more detail",
                };
                format!(
                    "of the {more} that could be recommended with a measured risk of at most {limit}, {best}"
                )
            }
        };
        format!("Take {name}: {of}.")
    }

    fn next_steps(&self, comparison: &Comparison) -> String {
        let step = |place: usize| {
            let candidate = &comparison.candidates[place];
            let right =
                candidate.accuracy.as_ref().map(|accuracy| format!("{} right, ", share(accuracy.mean)));
            format!(
                "{} (risk {}, {}{} of the detail lost)",
                name(candidate),
                share(candidate.risk.worst()),
                right.unwrap_or_default(),
                share(candidate.loss)
            )
        };
        let safer = match self.safer.map(step) {
            Some(safer) => format!("Half the risk or less costs more: {safer}"),
            None => "Nothing that could be recommended has half the risk".to_owned(),
        };
        let useful = match self.more_useful.map(step) {
            Some(useful) => format!("the next more useful step is {useful}"),
            None => "nothing that could be recommended is more useful".to_owned(),
        };
        format!("{safer}; {useful}.")
    }
}

/// The rule: of the releases with at most that risk, those on which learners do as well as on the best, and of those the one with the
/// least loss; among equals the least risky, the most right, the greatest k, the first.
fn best_within(comparison: &Comparison, known: &[Figures], risk: f64) -> Option<Figures> {
    let eligible = || known.iter().filter(move |figures| figures.risk <= risk);
    let best = eligible().map(|figures| figures.accuracy).fold(0.0, f64::max);
    let enough = best - comparison.margin(best);
    let better = |a: &&Figures, b: &&Figures| a.loss.total_cmp(&b.loss).then(by_risk(a, b));
    eligible().filter(|figures| figures.accuracy >= enough).min_by(better).copied()
}

/// The least risky, among equals the most right, the one with the least loss, the greatest k, the first.
fn least_risky<'a>(figures: impl Iterator<Item = &'a Figures>) -> Option<Figures> {
    figures.min_by(|a, b| by_risk(a, b)).copied()
}

fn by_risk(a: &Figures, b: &Figures) -> std::cmp::Ordering {
    a.risk
        .total_cmp(&b.risk)
        .then(b.accuracy.total_cmp(&a.accuracy))
        .then(a.loss.total_cmp(&b.loss))
        .then(b.k.cmp(&a.k))
        .then(a.place.cmp(&b.place))
}

fn attack(comparison: &Comparison, chosen: &Candidate) -> String {
    let known = match &comparison.quasi[..] {
        names if names.len() > 4 => format!("all {} quasi-identifiers", names.len()),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => "nothing".to_owned(),
    };
    let found = share(chosen.risk.identity);
    let guess = chosen.risk.attribute.as_ref().map_or_else(String::new, |guess| {
        let certain = match guess.certain {
            0.0 => "for nobody it is certain".to_owned(),
            some => format!("for {} it is certain", share(some)),
        };
        format!(
            ", and guesses {} right for {} more people than without the release ({certain})",
            guess.column,
            share(guess.advantage),
        )
    });
    format!("An attacker who knows {known} of everybody finds the row of {found} of the people{guess}.")
}

fn cost(comparison: &Comparison, chosen: &Candidate) -> String {
    let suppressed = match chosen.suppressed {
        0 => String::new(),
        rows => format!(" and suppresses {} of the rows", share(rows as f64 / comparison.rows.max(1) as f64)),
    };
    let lost = share(chosen.loss);
    let (Some(baselines), Some(accuracy)) = (&comparison.baselines, &chosen.accuracy) else {
        return format!("It loses {lost} of the detail (LM){suppressed}.");
    };
    let guessing = if accuracy.mean <= baselines.majority + comparison.margin(accuracy.mean) {
        ", which is hardly better than guessing"
    } else {
        ""
    };
    format!(
        "Models that learn from it get {} of new cases right{guessing}: from original rows it would be {}, and the most frequent class alone \
         gets {}. It loses {lost} of the detail (LM){suppressed}.",
        share(accuracy.mean),
        share(baselines.original.mean),
        share(baselines.majority)
    )
}

fn limits(comparison: &Comparison) -> String {
    let attackers = match comparison.sensitive[..] {
        [] => "one simulated attacker, who looks for people",
        _ => "two simulated attackers, who look for people and guess values",
    };
    format!(
        "All of this was measured on these {} rows with {attackers}; whoever knows more may do better.",
        scumble::base::text::grouped(comparison.rows)
    )
}

/// `mondrian with k = 10`.
pub(super) fn name(candidate: &Candidate) -> String {
    format!("{} with k\u{a0}=\u{a0}{}", candidate.algorithm, candidate.k)
}

/// A share as a percentage; a small one is not told as nothing.
pub(super) fn share(share: f64) -> String {
    match share * 100.0 {
        small if small > 0.0 && small < 0.05 => "less than 0.1\u{a0}%".to_owned(),
        percent => format!("{percent:.1}\u{a0}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Accuracy, Baselines};
    use super::super::risk::{Guess, Risk};
    use super::*;

    fn candidate(algorithm: &str, k: u64, risk: f64, accuracy: Option<f64>) -> Candidate {
        Candidate {
            algorithm: algorithm.to_owned(),
            standing: if algorithm == "nsvdist" { Standing::Experimental } else { Standing::Recommended },
            k,
            warnings: Vec::new(),
            below_plan: false,
            risk: Risk { identity: risk, linkage: risk, singled_out: 0.0, attribute: None },
            loss: 0.25,
            metrics: Vec::new(),
            suppressed: 0,
            attained_k: Some(k),
            accuracy: accuracy.map(|mean| Accuracy { mean, by_learner: vec![mean] }),
            seconds: 0.0,
        }
    }

    /// Ten thousand rows, all scored: an accuracy of 80 % is known to 0.8 points.
    fn comparison(candidates: Vec<Candidate>) -> Comparison {
        Comparison {
            rows: 10_000,
            quasi: vec!["age".into(), "sex".into()],
            sensitive: Vec::new(),
            class: Some("ill".into()),
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
            max_risk: 0.09,
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
        // An accuracy of 80.5 % on 10,000 rows is known to 0.78 points: 80.0 and 79.9 are as good as 80.5, 79.0 is not, and 82.0 is too risky.
        assert_eq!(
            advice,
            Advice { chosen: 1, within: true, eligible: 4, safer: Some(2), more_useful: Some(0) }
        );
        assert_eq!(
            told(&all),
            [
                "Take mondrian with k = 10: of the 4 that could be recommended with a measured risk of at most 9.0 %, none lets models do measurably better, \
                 and none of those that do as well keeps more detail.",
                "An attacker who knows age and sex of everybody finds the row of 5.0 % of the people.",
                "Models that learn from it get 80.0 % of new cases right: from original rows it would be 83.0 %, and the most frequent class \
                 alone gets 75.0 %. It loses 20.0 % of the detail (LM).",
                "Half the risk or less costs more: mondrian with k = 25 (risk 2.0 %, 79.9 % right, 30.0 % of the detail lost); the next \
                 more useful step is mondrian with k = 2 (risk 30.0 %, 82.0 % right, 5.0 % of the detail lost).",
                "All of this was measured on these 10,000 rows with one simulated attacker, who looks for people; whoever knows more may \
                 do better.",
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
        assert_eq!(
            advice,
            Advice { chosen: 1, within: false, eligible: 0, safer: None, more_useful: Some(0) }
        );
        assert_eq!(
            told(&all),
            [
                "No release that could be recommended has a risk of at most 9.0 %. The least risky is mondrian with k = 10, with 20.0 %; a model that \
                 protects diagnosis may lower it, such as l-diversity or t-closeness.",
                "An attacker who knows age and sex of everybody finds the row of 5.0 % of the people, and guesses diagnosis right for \
                 20.0 % more people than without the release (for 3.0 % it is certain).",
                "Models that learn from it get 75.1 % of new cases right, which is hardly better than guessing: from original rows it would \
                 be 83.0 %, and the most frequent class alone gets 75.0 %. It loses 25.0 % of the detail (LM) and suppresses less than 0.1 % \
                 of the rows.",
                "Nothing that could be recommended has half the risk; the next more useful step is mondrian with k = 2 (risk 40.0 %, 82.0 % right, \
                 25.0 % of the detail lost).",
                "All of this was measured on these 10,000 rows with two simulated attackers, who look for people and guess values; whoever \
                 knows more may do better.",
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
        assert!(
            told.iter().any(|sentence| sentence.starts_with("Beware: nsvdist is experimental")),
            "{told:?}"
        );
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
            "Take cluster with k = 6: of the 4 that could be recommended with a measured risk of at most 9.0 %, none keeps more detail."
        );
        assert_eq!(told(&all)[2], "It loses 25.0 % of the detail (LM).");
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
        // By itself k = 2 would win: as right as the best, with the least loss, within the risk.
        let mut all = comparison(vec![
            below(with_loss(0.05, candidate("mondrian", 2, 0.04, Some(0.82)))),
            with_loss(0.2, candidate("mondrian", 5, 0.03, Some(0.80))),
            below(with_loss(0.01, candidate("cluster", 2, 0.001, Some(0.83)))),
        ]);
        all.least_k = Some(5);
        let advice = Advice::of(&all).expect("advice");
        assert_eq!(advice, Advice { chosen: 1, within: true, eligible: 1, safer: None, more_useful: None });
        assert!(
            told(&all)[0].starts_with("Take mondrian with k = 5: it is the only one"),
            "{:?}",
            told(&all)
        );
        all.candidates.remove(1);
        assert_eq!(Advice::of(&all), None);
        assert!(Advice::none(&all).contains("ask for k\u{a0}=\u{a0}5 or more"), "{}", Advice::none(&all));
    }
}
