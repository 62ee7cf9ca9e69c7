//! What attacks and risks say about the three criteria of Opinion 05/2014: singling out, linkability, inference.
//!
//! Each criterion has the figures that have to be there for it to be called met. A figure that is missing is said, with the reason.

use scumble::Result;
use scumble::config::{Rational, Wp216Spec};
use scumble::report::data::{Criteria, Criterion, Measure};
use scumble::risk::Assessment;

use super::linkage::picked_right_by;
use super::{
    Attack, Figure, Finding, background, classifier, definetti, homogeneity, intersection, linkage,
    record_linkage, singling_out, skewness,
};

/// What is known of a release besides the findings of attacks.
pub(super) struct Release<'a> {
    /// The risk in the table; `None` for several tables.
    pub(super) risk: Option<Assessment>,
    /// The published columns that show which rows belong to one person.
    pub(super) linking: Vec<String>,
    /// The perturbed columns.
    pub(super) perturbed: &'a [String],
    /// The number of further releases about the same people.
    pub(super) others: usize,
}

/// Judges the three criteria.
pub(super) fn judge(found: &[Finding], release: &Release<'_>, limits: &Wp216Spec) -> Result<Criteria> {
    limits.check()?;
    let mut remarks = vec![
        "The figures are those of simulated attacks and of the risk in the release. None of them is a proof: other attackers may know more.".to_owned(),
        "The Opinion names no thresholds. These are the plan's, and the controller's to choose.".to_owned(),
    ];
    if release.risk.as_ref().is_some_and(|risk| risk.persons.is_none()) {
        remarks.push("One row is taken for one person.".to_owned());
    }
    Ok(Criteria {
        criteria: vec![
            Criterion::of("singling_out", "Singling out", of_singling_out(found, release, limits)),
            Criterion::of("linkability", "Linkability", of_linkability(found, release, limits)),
            Criterion::of("inference", "Inference", of_inference(found, limits)),
        ],
        remarks,
    })
}

fn of_singling_out(found: &[Finding], release: &Release<'_>, limits: &Wp216Spec) -> Vec<Measure> {
    let chance = "chance of finding the person worst off, among those in the release";
    let mut measures = Vec::new();
    match &release.risk {
        Some(risk) => {
            let highest = risk.prosecutor.highest.finite();
            let why = || "The release has no rows.".to_owned();
            measures.push(match highest {
                Some(highest) => limited(counted(chance, highest), limits.risk),
                None => missing(chance, None, why()),
            });
            measures.extend(
                risk.prosecutor.average.finite().map(|average| counted("the same on average", average)),
            );
            measures.extend(
                risk.smallest_class.map(|rows| Measure {
                    share: false,
                    ..counted("rows in the smallest group", rows as f64)
                }),
            );
            let population = risk.uniques.population.as_ref();
            measures.extend(population.filter(|of| of.population > 0).map(|of| {
                counted(
                    "people who are alone in the population, an estimate",
                    of.uniques / of.population as f64,
                )
            }));
        }
        None => measures.push(missing(chance, None, "The release has several tables.".to_owned())),
    }
    let added = "how much more often the release suggests a rare description that fits exactly one person";
    measures.extend(each(found, &singling_out::ATTACK, added, |found| {
        found.advantage.as_ref().map(|figure| limited(of_figure(added, figure), limits.advantage))
    }));
    measures
}

fn of_linkability(found: &[Finding], release: &Release<'_>, limits: &Wp216Spec) -> Vec<Measure> {
    let mut measures = Vec::new();
    let (linked, prefix) = ("people linked with their own row", picked_right_by(""));
    for of in with(found, &linkage::ATTACK) {
        let figures =
            of.figures.iter().filter_map(|figure| Some((figure.name.strip_prefix(&prefix)?, figure)));
        measures.extend(figures.map(|(known, figure)| Measure {
            attack: Some(of.attack.to_owned()),
            ..limited(of_figure(&format!("{linked}, by {known}"), figure), limits.linked)
        }));
    }
    if measures.is_empty() {
        measures.push(missing(linked, Some(&linkage::ATTACK), why(found, &linkage::ATTACK)));
    }
    if !release.perturbed.is_empty() {
        let linked = "people linked with their own row by perturbed columns";
        measures.extend(each(found, &record_linkage::ATTACK, linked, |found| {
            found.at_risk.as_ref().map(|figure| limited(of_figure(linked, figure), limits.linked))
        }));
    }
    if release.others > 0 {
        let left = "people with one value left once all releases are put together";
        measures.extend(each(found, &intersection::ATTACK, left, |found| {
            found.at_risk.as_ref().map(|figure| limited(of_figure(left, figure), limits.linked))
        }));
    }
    measures.extend(release.linking.iter().map(|column| Measure {
        name: format!("{column} shows which rows are one person's"),
        above: true,
        ..Measure::default()
    }));
    measures
}

fn of_inference(found: &[Finding], limits: &Wp216Spec) -> Vec<Measure> {
    let worst = |attack: &'static Attack, name: &'static str| {
        each(found, attack, name, move |found| {
            found.worst.map(|worst| limited(counted(name, worst), limits.posterior))
        })
    };
    let lift = "how many times likelier the group makes a value, at most";
    let guessed = "how much more often a classifier is right about people who are in the release";
    let mut measures =
        worst(&homogeneity::ATTACK, "chance of a value by the group, for the person worst off");
    measures.extend(worst(&background::ATTACK, "the same once one value can be ruled out"));
    measures.extend(worst(
        &definetti::ATTACK,
        "chance of the true value by learning across groups, for the person worst off",
    ));
    measures.extend(each(found, &skewness::ATTACK, lift, |found| {
        let figure = found.figures.iter().find(|figure| figure.name == skewness::GREATEST_LIFT)?;
        Some(of_figure(lift, figure))
    }));
    measures.extend(each(found, &classifier::ATTACK, guessed, |found| {
        found.advantage.as_ref().map(|figure| limited(of_figure(guessed, figure), limits.advantage))
    }));
    measures
}

/// The findings of an attack that was run.
fn with<'f>(found: &'f [Finding], attack: &Attack) -> impl Iterator<Item = &'f Finding> {
    let name = attack.name;
    found.iter().filter(move |found| found.attack == name && found.not_run.is_none())
}

/// A figure of each finding of an attack; and what is missing, where the attack was not run or did not find the figure.
fn each(
    found: &[Finding],
    attack: &'static Attack,
    name: &str,
    read: impl Fn(&Finding) -> Option<Measure>,
) -> Vec<Measure> {
    let all: Vec<&Finding> = found.iter().filter(|found| found.attack == attack.name).collect();
    if all.is_empty() {
        return vec![missing(name, Some(attack), why(found, attack))];
    }
    let of = |found: &&Finding| {
        let measure = found.not_run.is_none().then(|| read(found)).flatten();
        let why = || found.not_run.clone().unwrap_or_else(|| "It found no such figure.".to_owned());
        Measure {
            attack: Some(attack.name.to_owned()),
            column: found.column.clone(),
            ..measure.unwrap_or_else(|| missing(name, Some(attack), why()))
        }
    };
    all.iter().map(of).collect()
}

/// Why there is no finding of an attack.
fn why(found: &[Finding], attack: &Attack) -> String {
    let told =
        found.iter().filter(|found| found.attack == attack.name).find_map(|found| found.not_run.clone());
    told.unwrap_or_else(|| format!("The attack {} was not asked for.", attack.name))
}

fn counted(name: &str, value: f64) -> Measure {
    Measure { name: name.to_owned(), value: Some(value), share: true, ..Measure::default() }
}

fn of_figure(name: &str, figure: &Figure) -> Measure {
    Measure { share: figure.share, interval: figure.interval, ..counted(name, figure.value) }
}

/// A figure beside its threshold. Of an estimate the upper end counts.
fn limited(measure: Measure, limit: Rational) -> Measure {
    let most =
        measure.interval.map(|(_, high)| high).into_iter().chain(measure.value).fold(f64::MIN, f64::max);
    let limit = limit.to_f64();
    Measure { limit: Some(limit), above: most > limit + 1e-9, ..measure }
}

fn missing(name: &str, attack: Option<&Attack>, why: String) -> Measure {
    Measure {
        name: name.to_owned(),
        attack: attack.map(|attack| attack.name.to_owned()),
        share: true,
        missing: Some(why),
        ..Measure::default()
    }
}

#[cfg(test)]
mod tests {
    use scumble::report::data::Answer;
    use scumble::risk::RiskFigures;

    use super::*;

    fn risk(highest: f64) -> Assessment {
        let prosecutor = RiskFigures {
            highest: highest.into(),
            average: (highest / 2.0).into(),
            ..RiskFigures::default()
        };
        Assessment { rows: 100, smallest_class: Some(5), prosecutor, ..Assessment::default() }
    }

    fn release(highest: f64) -> Release<'static> {
        Release { risk: Some(risk(highest)), linking: Vec::new(), perturbed: &[], others: 0 }
    }

    fn estimate(value: f64, (low, high): (f64, f64)) -> Figure {
        Figure { interval: Some((low, high)), ..Figure::counted("estimate", value) }
    }

    /// What attacks find in a release that gives little away.
    fn little() -> Vec<Finding> {
        let of_column = |attack, worst| Finding {
            column: Some("illness".into()),
            worst: Some(worst),
            ..Finding::of(attack)
        };
        vec![
            Finding {
                figures: vec![
                    Figure::counted("singled out by everything", 0.9),
                    Figure::counted(picked_right_by("any 2\u{a0}columns"), 0.01),
                    Figure::counted(picked_right_by(linkage::EVERYTHING), 0.04),
                ],
                ..Finding::of(&linkage::ATTACK)
            },
            of_column(&homogeneity::ATTACK, 0.4),
            of_column(&background::ATTACK, 0.5),
            Finding {
                figures: vec![Figure::number(skewness::GREATEST_LIFT, 3.0)],
                ..of_column(&skewness::ATTACK, 0.4)
            },
            of_column(&definetti::ATTACK, 0.45),
            Finding { advantage: Some(estimate(0.01, (-0.02, 0.04))), ..of_column(&classifier::ATTACK, 0.9) },
            Finding { advantage: Some(estimate(0.01, (0.0, 0.03))), ..Finding::of(&singling_out::ATTACK) },
            Finding::not_run(&record_linkage::ATTACK, "Nothing is perturbed."),
            Finding::not_run(&intersection::ATTACK, "There is one release."),
        ]
    }

    fn answers(found: &[Finding], release: &Release<'_>) -> [Answer; 3] {
        let criteria = judge(found, release, &Wp216Spec::default()).expect("criteria").criteria;
        assert_eq!(
            criteria.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(),
            ["singling_out", "linkability", "inference"]
        );
        [criteria[0].answer, criteria[1].answer, criteria[2].answer]
    }

    const MET: Answer = Answer::Met;
    const NOT: Answer = Answer::NotMet;
    const OPEN: Answer = Answer::NotMeasured;

    /// Little, with one finding of an attack changed.
    fn with(attack: &Attack, change: impl Fn(&mut Finding)) -> Vec<Finding> {
        let mut found = little();
        found.iter_mut().filter(|found| found.attack == attack.name).for_each(change);
        found
    }

    #[test]
    fn what_gives_little_away_meets_all_three() {
        assert_eq!(answers(&little(), &release(0.2)), [MET; 3], "at the thresholds is not above them");
        let all = judge(&little(), &release(0.2), &Wp216Spec::default()).expect("criteria");
        let words = serde_json::to_string(&all).expect("JSON").to_lowercase();
        assert!(
            !words.contains("anonymous")
                && !words.contains("compliant")
                && words.contains("none of them is a proof")
        );
        assert!(words.contains("one row is taken for one person"));
    }

    #[test]
    fn each_figure_can_fail_its_criterion() {
        assert_eq!(answers(&little(), &release(0.21)), [NOT, MET, MET]);
        // Of an estimate the upper end counts.
        let found = with(&singling_out::ATTACK, |found| found.advantage = Some(estimate(0.01, (0.0, 0.06))));
        assert_eq!(answers(&found, &release(0.2)), [NOT, MET, MET]);
        let found = with(&linkage::ATTACK, |found| found.figures[2].value = 0.06);
        assert_eq!(answers(&found, &release(0.2)), [MET, NOT, MET]);
        for attack in [&homogeneity::ATTACK, &background::ATTACK, &definetti::ATTACK] {
            let found = with(attack, |found| found.worst = Some(0.51));
            assert_eq!(answers(&found, &release(0.2)), [MET, MET, NOT], "{}", attack.name);
        }
        let found = with(&classifier::ATTACK, |found| found.advantage = Some(estimate(0.04, (0.0, 0.08))));
        assert_eq!(answers(&found, &release(0.2)), [MET, MET, NOT]);
        let linked = Release { linking: vec!["code".into()], ..release(0.2) };
        assert_eq!(answers(&little(), &linked), [MET, NOT, MET]);
    }

    #[test]
    fn what_was_not_measured_is_not_called_met() {
        let stop = |found: &mut Finding| found.not_run = Some("It does not apply.".into());
        assert_eq!(answers(&with(&singling_out::ATTACK, stop), &release(0.2)), [OPEN, MET, MET]);
        assert_eq!(answers(&with(&linkage::ATTACK, stop), &release(0.2)), [MET, OPEN, MET]);
        for attack in [
            &homogeneity::ATTACK,
            &background::ATTACK,
            &definetti::ATTACK,
            &skewness::ATTACK,
            &classifier::ATTACK,
        ] {
            assert_eq!(answers(&with(attack, stop), &release(0.2)), [MET, MET, OPEN], "{}", attack.name);
        }
        assert_eq!(answers(&[], &Release { risk: None, ..release(0.2) }), [OPEN; 3]);
        // Perturbed columns and other releases have attacks of their own.
        let names = ["income".to_owned()];
        assert_eq!(answers(&little(), &Release { perturbed: &names, ..release(0.2) }), [MET, OPEN, MET]);
        assert_eq!(answers(&little(), &Release { others: 1, ..release(0.2) }), [MET, OPEN, MET]);
        let found =
            judge(&with(&linkage::ATTACK, stop), &release(0.2), &Wp216Spec::default()).expect("criteria");
        assert_eq!(found.criteria[1].measures[0].missing.as_deref(), Some("It does not apply."));
        assert!(
            found.criteria[1].sentence.contains("The Opinion asks for an assessment of the remaining risk")
        );
    }

    #[test]
    fn a_figure_above_its_threshold_is_not_met_whatever_is_missing() {
        let mut found = with(&homogeneity::ATTACK, |found| found.worst = Some(1.0));
        found.retain(|found| found.attack != classifier::ATTACK.name);
        assert_eq!(answers(&found, &release(0.2)), [MET, MET, NOT]);
    }
}
