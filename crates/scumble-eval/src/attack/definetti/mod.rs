//! deFinetti (Kifer 2009; models.md 4.8): the attacker learns from the release itself which attributes go with which
//! values across all classes, and uses this to tell apart the people within a class.
//!
//! `features` is what the attacker knows of people, `learner` learns and updates beliefs in turns, `dealing` deals the
//! values of a class to its members.

mod dealing;
mod features;
mod learner;

use scumble::Result;
use scumble::registry::{Method, method};
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::{count, percent};

use super::finer::{members, sample};
use super::promise::Promise;
use super::truth::true_classes;
use super::{Attack, Case, Figure, Finding, Scene};
use crate::statistics::{mean_interval, wilson_interval};
use features::{Binned, Kinds};
use learner::{Learner, Room};

/// The name of the share of right guesses by what the attacker learnt across groups.
pub(crate) const RIGHT_BY_LEARNING: &str = "guesses that are right, by what was learnt";

pub(crate) const ATTACK: Attack = Attack {
    name: "definetti",
    title: "deFinetti",
    paper: "Kifer 2009",
    about: "Somebody learns across groups which attributes go with which sensitive value, and assigns the values of each group to its people accordingly.",
    without_row: "they are guessed by the most frequent value of the release, and nothing more is learnt about them.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

/// The most people to learn from. If there are more, only some classes are used.
const PEOPLE: usize = 100_000;
/// The most rounds of learning.
const ROUNDS: usize = 100;
/// Learning ends when beliefs change by less than this.
const STILL: f64 = 1e-6;
/// Chances closer than this count as equal.
const SAME: f64 = 1e-9;
/// Beliefs may exceed the share of right guesses by this much before the finding warns of it.
const OVERCONFIDENT: f64 = 0.05;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let scene = case.scene;
    if scene.secrets.is_empty() {
        return Ok(vec![idle(
            None,
            "the release has no sensitive column, so there is nothing that it could give away",
        )]);
    }
    if matches!(method(&case.plan.algorithm.name)?, Method::Records(_)) {
        let why = "every row shows the values of a group of its own, and these overlap, so no values are assigned within groups";
        return Ok(scene.secrets.iter().map(|secret| idle(Some(&secret.column.name), why)).collect());
    }
    if let Some(why) = scene.does_not_stand() {
        return Ok(scene.secrets.iter().map(|secret| idle(Some(&secret.column.name), &why)).collect());
    }
    let columns: Vec<Binned> = scene.known.iter().map(|known| Binned::new(known, case.plan)).collect();
    let kinds = Kinds::new(&scene.known, &columns, scene.people);
    let classes = scene.classes.len();
    let looked_at: Vec<u32> = match scene.people {
        many if many > PEOPLE => sample(classes, (classes * PEOPLE / many).max(1), case.options.seed),
        _ => (0..classes as u32).collect(),
    };
    let bins: Vec<usize> = columns.iter().map(|binned| binned.bins).collect();
    let attack = |secret: usize| {
        let members = members(scene, &true_classes(scene, secret));
        let rooms = rooms(scene, &members, &kinds, &looked_at, secret);
        let values = scene.secrets[secret].column.values.len();
        let mut learner = Learner::new(&rooms.of_class, &kinds.bins, bins.clone(), values);
        let mut rounds = None;
        for round in 1..=ROUNDS {
            let change = learner.round(&scene.control);
            scene.control.check()?;
            if change < STILL {
                rounds = Some(round);
                break;
            }
        }
        let bound = Promise::new(case, &scene.secrets[secret])?.bound;
        let mut told = told(scene, &members, &kinds, &rooms, &learner, secret, bound);
        told.extend(not_in_it(scene, secret));
        Ok(words(case, secret, &rooms, &told, rounds, bound))
    };
    (0..scene.secrets.len()).map(attack).collect()
}

fn idle(column: Option<&str>, why: &str) -> Finding {
    let about = column.map_or(" with sensitive values".to_owned(), |column| format!(" with {column}"));
    let told = Finding::not_run(&ATTACK, format!("What goes{about} was not learnt from the release: {why}."));
    Finding { column: column.map(str::to_owned), ..told }
}

/// The classes that are learnt from.
struct Rooms {
    /// The numbers of the classes.
    classes: Vec<u32>,
    of_class: Vec<Room>,
    /// Whether the release reports the known attributes of some class in several looks, so that its people are shown as
    /// they are known.
    bucketised: bool,
}

fn rooms(scene: &Scene, members: &[Vec<u32>], kinds: &Kinds, looked_at: &[u32], secret: usize) -> Rooms {
    let told = |class: &u32| {
        !members[*class as usize].is_empty() && scene.classes[*class as usize].secrets[secret].total > 0
    };
    let classes: Vec<u32> = looked_at.iter().copied().filter(told).collect();
    let room = |class: &u32| {
        let mut of: Vec<u32> =
            members[*class as usize].iter().map(|person| kinds.of_person[*person as usize]).collect();
        of.sort_unstable();
        Room {
            kinds: of.chunk_by(|a, b| a == b).map(|alike| (alike[0], alike.len() as u64)).collect(),
            values: scene.classes[*class as usize].secrets[secret].of_value.clone(),
        }
    };
    Rooms {
        of_class: classes.iter().map(room).collect(),
        classes,
        bucketised: scene.looks.len() > scene.classes.len(),
    }
}

/// The beliefs about one person: by the class alone, and after learning.
struct Told {
    /// The chance of the true value.
    truth: (f64, f64),
    /// The chance that the likeliest value is the true one.
    right: (f64, f64),
    /// How likely the likeliest value seems after learning.
    believed: f64,
    /// Whether the true value is more likely than promised or, where nothing is promised, than the most frequent value of the class.
    above: (bool, bool),
}

fn told(
    scene: &Scene,
    members: &[Vec<u32>],
    kinds: &Kinds,
    rooms: &Rooms,
    learner: &Learner<'_>,
    secret: usize,
    bound: Option<f64>,
) -> Vec<Told> {
    let mut told = Vec::new();
    for ((class, room), belief) in rooms.classes.iter().zip(&rooms.of_class).zip(&learner.beliefs) {
        let tally = &scene.classes[*class as usize].secrets[secret];
        let naive: Vec<f64> = room.values.iter().map(|(value, _)| tally.share(*value)).collect();
        let most = naive.iter().copied().fold(0.0, f64::max);
        for person in &members[*class as usize] {
            let kind = kinds.of_person[*person as usize];
            let chances = &belief[room.kinds.partition_point(|(other, _)| *other < kind)];
            let value = scene.secrets[secret].of_person[*person as usize];
            let truth = room.values.binary_search_by_key(&value, |(value, _)| *value).ok();
            let of_truth = |chances: &[f64]| truth.map_or(0.0, |truth| chances[truth]);
            let above = |chances: &[f64]| of_truth(chances) > bound.unwrap_or(most) + SAME;
            told.push(Told {
                truth: (of_truth(&naive), of_truth(chances)),
                right: (right(&naive, truth), right(chances, truth)),
                believed: chances.iter().copied().fold(0.0, f64::max),
                above: (above(&naive), above(chances)),
            });
        }
    }
    told
}

/// Returns the same for people who have no row: they are guessed by the frequencies of the whole release. If there are
/// too many people, they are sampled at the same rate as those with a row.
fn not_in_it(scene: &Scene, secret: usize) -> Vec<Told> {
    let people: Vec<usize> =
        (0..scene.people).filter(|person| scene.class_of_person[*person].is_none()).collect();
    let wanted = if scene.people > PEOPLE { people.len() * PEOPLE / scene.people } else { people.len() };
    let shown = scene.shown(secret);
    let chances: Vec<f64> = shown.of_value.iter().map(|(value, _)| shown.share(*value)).collect();
    let told = |place: u32| {
        let value = scene.secrets[secret].of_person[people[place as usize]];
        let truth = shown.of_value.binary_search_by_key(&value, |(value, _)| *value).ok();
        let (chance, right) = (truth.map_or(0.0, |truth| chances[truth]), right(&chances, truth));
        Told {
            truth: (chance, chance),
            right: (right, right),
            believed: chances.iter().copied().fold(0.0, f64::max),
            above: (false, false),
        }
    };
    sample(people.len(), wanted, 0).into_iter().map(told).collect()
}

/// The chance that the likeliest value is the true one. If several are equally likely, one of them is picked at random.
fn right(chances: &[f64], truth: Option<usize>) -> f64 {
    let best = chances.iter().copied().fold(0.0, f64::max);
    let likeliest = |chance: &f64| *chance >= best - SAME;
    let equal = chances.iter().filter(|chance| likeliest(chance)).count();
    if truth.is_some_and(|truth| likeliest(&chances[truth])) { 1.0 / equal as f64 } else { 0.0 }
}

fn words(
    case: &Case<'_>,
    secret: usize,
    rooms: &Rooms,
    told: &[Told],
    rounds: Option<usize>,
    bound: Option<f64>,
) -> Finding {
    let column = &case.scene.secrets[secret].column.name;
    let people = told.len() as u64;
    let share =
        |name: &str, hits: u64| wilson_interval(hits, people).map(|share| Figure::estimated(name, share));
    // Among equally likely values one is picked at random, so a person may be half right.
    let estimate = |name: &str, of: &dyn Fn(&Told) -> f64| {
        mean_interval(&told.iter().map(of).collect::<Vec<_>>()).map(|found| Figure::estimated(name, found))
    };
    let mean = |of: &dyn Fn(&Told) -> f64| told.iter().map(of).sum::<f64>() / people.max(1) as f64;
    let above = |of: &dyn Fn(&Told) -> bool| told.iter().filter(|told| of(told)).count() as u64;
    let promise = bound.map_or("the share of the most frequent value in their group".to_owned(), |bound| {
        format!("the {} that was promised", percent(bound))
    });
    let overall = case.scene.overall(secret);
    let usual = overall.most().map_or(0.0, |(value, _)| overall.share(value));
    let (learnt, alone) = (mean(&|told| told.right.1), mean(&|told| told.right.0));
    let above_share = percent(above(&|told| told.above.1) as f64 / people.max(1) as f64);
    let sentence = if told.is_empty() {
        format!("Nobody's place in the release is known, so nothing was learnt about {column}.")
    } else {
        let helps = match learnt > alone + SAME {
            true => "improves guesses",
            false => "does not improve guesses",
        };
        let certain = match told.iter().any(|told| told.truth.1 >= 1.0) {
            true => format!(" For at least one person the attacker is certain of the true {column}."),
            false => String::new(),
        };
        format!(
            "Learning across groups who has which {column} {helps}: {} of them are right; by the group alone, {}; without the release, {}. \
             For {above_share} of the people the attacker gives the true value a higher chance than {promise}.{certain}",
            percent(learnt),
            percent(alone),
            percent(usual),
        )
    };
    let exact = rooms.of_class.iter().filter(|room| {
        let people: u64 = room.kinds.iter().map(|(_, people)| people).sum();
        people <= dealing::EXACT && people == room.values.iter().map(|(_, amount)| amount).sum::<u64>()
    });
    let exact = exact.count();
    let mut figures: Vec<Figure> = [
        estimate(RIGHT_BY_LEARNING, &|told| told.right.1),
        estimate("guesses that are right, by the group alone", &|told| told.right.0),
    ]
    .into_iter()
    .flatten()
    .collect();
    figures.push(Figure::counted(
        "chance of the true value, on average, by what was learnt",
        mean(&|told| told.truth.1),
    ));
    figures.push(Figure::counted(
        "chance of the true value, on average, by the group alone",
        mean(&|told| told.truth.0),
    ));
    let believed = mean(&|told| told.believed);
    figures.push(Figure::counted("chance of the guess, on average, as the attacker believes", believed));
    figures.extend(share(
        &format!("people whose true value is more likely than {promise}, by the group alone"),
        above(&|told| told.above.0),
    ));
    figures.extend(bound.map(|bound| Figure::counted("promised at most", bound)));
    figures.push(Figure::number("rounds of learning", rounds.unwrap_or(ROUNDS) as f64));
    let mut limits = limits(case, rooms, exact, rounds);
    if believed > learnt + OVERCONFIDENT {
        limits.push(format!(
            "The attacker is too sure: guesses seem right with a chance of {} on average, and {} are. So the highest chances, and the number of people \
             above the promise, are overstated.",
            percent(believed),
            percent(learnt),
        ));
    }
    Finding {
        attack: ATTACK.name,
        title: ATTACK.title,
        column: Some(column.clone()),
        learns: ATTACK.learns,
        advantage: None,
        gain: (!told.is_empty()).then_some(AttackGain { right: learnt, without: usual }),
        sentence,
        at_risk: share(
            &format!("people whose true value is more likely than {promise}"),
            above(&|told| told.above.1),
        ),
        worst: told.iter().map(|told| told.truth.1).reduce(f64::max),
        figures,
        limits,
        not_run: None,
    }
}

fn limits(case: &Case<'_>, rooms: &Rooms, exact: usize, rounds: Option<usize>) -> Vec<String> {
    let (scene, classes) = (case.scene, rooms.of_class.len());
    let mut limits = vec![match rooms.bucketised {
        true => "What is known of people stands in the release itself, beside the number of their group.".to_owned(),
        false => {
            "The release shows everybody in a group alike. So the attacker is assumed to know the quasi-identifiers of everybody, exactly, from elsewhere."
                .to_owned()
        }
    }];
    limits.push(assigned(exact as u64, classes as u64));
    limits.push(
        "Naive Bayes learns one column at a time; an attacker who learns what columns say together may guess better."
            .to_owned(),
    );
    if classes < scene.classes.len() && scene.people > PEOPLE {
        limits.push(format!(
            "{} of {} groups were looked at; the worst-off person may be in another.",
            count(classes as u64),
            count(scene.classes.len() as u64)
        ));
    }
    if scene.ambiguous > 0 {
        limits.push(format!(
            "{} people fit several groups. Each was put into one that fits and, as far as people who are known alike can be told apart, shows their \
             value; the attacker may do better or worse than this.",
            count(scene.ambiguous)
        ));
    }
    if rounds.is_none() {
        limits.push(format!("The chances still changed after {ROUNDS} rounds, when learning was stopped."));
    }
    limits
}

/// Says how values were assigned to the people of groups: exactly in `exact` of `all` groups.
fn assigned(exact: u64, all: u64) -> String {
    let most = dealing::EXACT;
    match all - exact {
        0 => format!(
            "No group has more than {most} people, so every way to assign values to people was counted."
        ),
        _ if exact == 0 => {
            format!("All groups have more than {most} people, so the chances are approximated.")
        }
        larger => format!(
            "In {} of {} groups the chances are approximated. The others have at most {most} people; there every way to assign values to people was \
             counted.",
            count(larger),
            count(all)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::planned::Staged;
    use super::*;

    const PLAN: &str = r#"
        input = "a.csv"
        output = "b.csv"
        [columns.smokes]
        role = "quasi"
        [columns.ward]
        role = "quasi"
        [columns.illness]
        role = "sensitive"
        [[privacy]]
        model = "l_diversity"
        variant = "frequency"
        l = 2
    "#;

    /// Wards of a smoker and a non-smoker, one of whom has cancer: it is the smoker, as two uniform wards show.
    fn wards() -> (String, String) {
        let rows = [
            ("a", "yes", "cancer"),
            ("a", "no", "none"),
            ("b", "yes", "cancer"),
            ("b", "no", "none"),
            ("c", "yes", "cancer"),
        ];
        let rows = rows.into_iter().chain([
            ("c", "no", "none"),
            ("d", "yes", "cancer"),
            ("d", "yes", "cancer"),
            ("e", "no", "none"),
            ("e", "no", "none"),
        ]);
        let (mut original, mut release) =
            ("smokes,ward,illness".to_owned(), "smokes,ward,illness".to_owned());
        for (ward, smokes, illness) in rows {
            original += &format!("\n{smokes},{ward},{illness}");
            let shown = if ["d", "e"].contains(&ward) { smokes } else { "{no|yes}" };
            release += &format!("\n{shown},{ward},{illness}");
        }
        (original, release)
    }

    fn found(case: &Case<'_>) -> Finding {
        let mut found = run(case).expect("findings");
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn what_is_learnt_elsewhere_tells_smokers_apart() {
        let (original, release) = wards();
        let finding = found(&Staged::written(PLAN, &original, &release).case());
        let figure =
            |name: &str| finding.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value);
        // By the class alone, everybody of the three wards is guessed with a chance of 1/2, and the other four for
        // sure: 7 of 10.
        assert_eq!(figure("guesses that are right, by the group alone"), Some(0.7));
        assert_eq!(figure(RIGHT_BY_LEARNING), Some(1.0));
        assert_eq!(figure("promised at most"), Some(0.5));
        let above =
            "people whose true value is more likely than the 50\u{a0}% that was promised, by the group alone";
        assert_eq!(figure(above), Some(0.4));
        assert_eq!(finding.at_risk.as_ref().map(|share| share.value), Some(1.0));
        assert_eq!(finding.worst, Some(1.0));
        assert!(
            finding.sentence.contains(
                "improves guesses: 100\u{a0}% of them are right; by the group alone, 70\u{a0}%; without the release, "
            ) && finding.sentence.contains("For at least one person the attacker is certain"),
            "{}",
            finding.sentence
        );
        assert!(finding.limits[0].contains("from elsewhere"), "{:?}", finding.limits);
    }

    #[test]
    fn groups_are_counted_in_words() {
        assert_eq!(
            assigned(66, 66).split(',').next(),
            Some(&*format!("No group has more than {} people", dealing::EXACT))
        );
        assert_eq!(assigned(0, 51), "All groups have more than 8 people, so the chances are approximated.");
        assert!(assigned(5, 1_100).starts_with("In 1,095 of 1,100 groups the chances are approximated. "));
    }

    #[test]
    fn the_order_of_rows_does_not_matter() {
        let (original, release) = wards();
        let turned = |text: &str| {
            let (names, rows) = text.split_once('\n').expect("rows");
            format!("{names}\n{}", rows.lines().rev().collect::<Vec<_>>().join("\n"))
        };
        let forwards = found(&Staged::written(PLAN, &original, &release).case());
        let backwards = found(&Staged::written(PLAN, &turned(&original), &turned(&release)).case());
        assert_eq!(forwards, backwards);
    }

    #[test]
    fn suppressed_rows_are_a_class_too_and_one_value_is_no_secret() {
        let release = "smokes,ward,illness\n*,*,none\n*,*,none";
        let original = "smokes,ward,illness\nyes,a,none\nno,b,none";
        let finding = found(&Staged::written(PLAN, original, release).case());
        assert_eq!(finding.worst, Some(1.0));
    }

    #[test]
    fn without_a_secret_there_is_nothing_to_learn() {
        let plan = PLAN.replace("sensitive", "other").replace(
            "model = \"l_diversity\"\n        variant = \"frequency\"\n        l = 2",
            "model = \"k_anonymity\"\n        k = 2",
        );
        let (original, release) = wards();
        let finding = found(&Staged::written(&plan, &original, &release).case());
        assert!(finding.not_run.is_some());
    }
}
