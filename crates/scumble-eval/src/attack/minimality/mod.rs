//! Minimality (Wong, Fu, Wang, Pei 2007; models.md 4.7): a publisher who takes sensitive values into account coarsens a class
//! only if necessary. So a coarse class shows that a finer version would have broken the rule, and this reveals
//! something about the values.
//!
//! `finer` lists the finer versions that could have been published. For each class the attack uses the one whose
//! refusal reveals most, which is the one least likely to be refused. `worlds` counts the possible worlds in which it
//! is refused and who has which value there. [`Promise`] is what the publisher asked for.

#[cfg(test)]
mod tests;
mod worlds;

use std::cmp::Ordering;

use rayon::prelude::*;
use scumble::Result;
use scumble::registry::{Method, method};
use scumble::report::data::Learns;
use scumble::report::drawing::{count, percent};
use scumble::search::algorithms::Reach;

use super::finer::{Finer, premise, sample};
use super::promise::Promise;
use super::{Attack, Case, Figure, Finding, Tally};
use crate::statistics::wilson_interval;
use worlds::Worlds;

/// The attack.
pub(super) const ATTACK: Attack = Attack {
    name: "minimality",
    title: "Minimality",
    paper: "Wong, Fu, Wang, Pei 2007",
    about: "Somebody who knows how the release was made asks why rows were made coarser: a finer release must have broken the model, and that says something about sensitive values.",
    without_row: "they are guessed by the most frequent value of the release, with and without knowing the algorithm.",
    learns: Learns::Value,
    rests_on_method: true,
    run,
};

/// Up to this many people, everybody is examined.
const ALL: usize = 100_000;
/// Fewer drawn worlds than this are too few to draw conclusions.
const FEWEST: u64 = 100;
/// Chances closer than this count as equal.
const SAME: f64 = 1e-9;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    if case.scene.secrets.is_empty() {
        return Ok(vec![idle(
            None,
            "the release has no sensitive column, so there is nothing that it could give away",
        )]);
    }
    let why = match method(&case.plan.algorithm.name)? {
        Method::Records(_) => Some(
            "rows are coarsened one by one, by masks that may depend on sensitive values; this simulation reads groups only, so exposure is not ruled out",
        ),
        Method::Tables(_) => {
            Some("nothing that is known of people is coarsened, so no coarsening tells anything about values")
        }
        Method::Classes(entry)
            if !(entry.build)(&case.plan.algorithm.parameters)?.capabilities().is_led_by_sensitive =>
        {
            Some(
                "levels are chosen by what they say about the class column as a whole, and not by the sensitive values of single groups",
            )
        }
        Method::Classes(_) => None,
    };
    if let Some(why) = why {
        return Ok(case.scene.secrets.iter().map(|secret| idle(Some(&secret.column.name), why)).collect());
    }
    if let Some(why) = case.scene.does_not_stand() {
        return Ok(case.scene.secrets.iter().map(|secret| idle(Some(&secret.column.name), &why)).collect());
    }
    let finer = Finer::new(case)?;
    (0..case.scene.secrets.len()).map(|secret| attack(case, &finer, secret)).collect()
}

fn idle(column: Option<&str>, why: &str) -> Finding {
    let about = column.map_or(String::new(), |column| format!(" about {column}"));
    let told = Finding::not_run(
        &ATTACK,
        format!("Why the table is as coarse as it is was not asked{about}: {why}."),
    );
    Finding { column: column.map(str::to_owned), ..told }
}

/// A finer version that could have been published in place of a class.
struct Alternative {
    /// The column that shows more. The number after the last column stands for all of them together.
    column: usize,
    /// The part of each member.
    parts: Vec<u32>,
    /// The rows of each part.
    sizes: Vec<u64>,
    /// Whether this version would have broken the rule whatever the values are.
    certain: bool,
}

/// The alternatives of one column in all classes that had to be fit for publication together.
#[derive(Clone, Copy)]
struct Together {
    /// Whether one of them breaks the rule whatever the values are.
    certain: bool,
    /// The chance that all others keep the rule.
    kept: f64,
}

/// What the attacker concludes about one person.
struct Told {
    /// The highest chance of a value by the class alone, and knowing how the tool decides.
    best: (f64, f64),
    /// The second of these, less the error that drawing worlds may have caused.
    sure: f64,
    /// The chance of the true value, by the class alone and knowing how the tool decides.
    truth: (f64, f64),
    /// The chance that a guess is right: if the true value is among the most likely ones, 1 divided by their number.
    right: (f64, f64),
    /// The chance, by the class alone, of the value that is most likely when the tool's decisions are known. `rise` is
    /// by how much it certainly rose.
    before: f64,
    rise: f64,
    above: bool,
}

fn attack(case: &Case<'_>, finer: &Finer, secret: usize) -> Result<Finding> {
    let column = &case.scene.secrets[secret].column.name;
    let promise = Promise::new(case, &case.scene.secrets[secret])?;
    if promise.titles.is_empty() {
        let why = match &promise.skipped[..] {
            [] => "no model of the plan looks at its values (k-anonymity counts rows only), so nothing was decided by them: not exposed".to_owned(),
            skipped => format!("{} is not decided group by group on this column alone, and this simulation needs that", skipped.join(", ")),
        };
        return Ok(idle(Some(column), &why));
    }
    let scene = case.scene;
    let reach = finer.reach;
    let people: Vec<u32> = match scene.people {
        many if many > ALL => sample(many, case.options.people, case.options.seed),
        all => (0..all as u32).collect(),
    };
    // If each class is decided by itself, classes without a person to examine are left out.
    let mut looked_at = vec![reach != Reach::Class; scene.classes.len()];
    for person in &people {
        if let Some(class) = finer.class_of_person[*person as usize] {
            looked_at[class as usize] = true;
        }
    }
    let whole =
        |class: usize| scene.classes[class].secrets[secret].total == finer.members[class].len() as u64;
    let of_class = |class: usize| match looked_at[class] && whole(class) && !scene.is_stopped() {
        true => alternatives(case, finer, &promise, class, &scene.classes[class].secrets[secret]),
        false => Vec::new(),
    };
    let alternatives: Vec<Vec<Alternative>> =
        (0..scene.classes.len()).into_par_iter().map(of_class).collect();
    scene.control.check()?;
    let place = |class: usize, of: &Alternative| match reach {
        _ if reach == Reach::Class => class,
        Reach::Label if of.column < scene.known.len() => finer.label(class, of.column).unwrap_or(0) as usize,
        _ => 0,
    };
    let places =
        scene.classes.len().max(scene.known.iter().map(|known| known.labels.len()).max().unwrap_or(0)) + 1;
    let mut together = vec![vec![Together { certain: false, kept: 1.0 }; places]; scene.known.len() + 1];
    for (class, of_class) in alternatives.iter().enumerate() {
        of_class.iter().for_each(|of| together[of.column][place(class, of)].certain |= of.certain);
    }
    let seed = |class: usize, of: &Alternative| {
        case.options.seed
            ^ ((class as u64) << 20 | (of.column as u64) << 8 | secret as u64)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let count = |class: usize, of: &Alternative| -> Option<Worlds> {
        if together[of.column][place(class, of)].certain || scene.is_stopped() {
            return None;
        }
        let (values, amounts) = split(&scene.classes[class].secrets[secret]);
        Some(Worlds::new(&of.sizes, &amounts, &|own| promise.keeps(&values, own), seed(class, of)))
    };
    let counted: Vec<Vec<Option<Worlds>>> = alternatives
        .par_iter()
        .enumerate()
        .map(|(class, of_class)| of_class.iter().map(|of| count(class, of)).collect())
        .collect();
    scene.control.check()?;
    for (class, (of_class, counted)) in alternatives.iter().zip(&counted).enumerate() {
        for (of, worlds) in of_class.iter().zip(counted) {
            if let Some(worlds) = worlds {
                together[of.column][place(class, of)].kept *= worlds.kept;
            }
        }
    }
    // The alternative whose refusal reveals most: of those that can be refused, the one least likely to be.
    let chosen: Vec<Option<(&Alternative, &Worlds, f64)>> = (0..scene.classes.len())
        .map(|class| {
            let of_class = alternatives[class].iter().zip(&counted[class]);
            let telling = of_class.filter_map(|(of, worlds)| {
                let (worlds, kept) = (worlds.as_ref()?, together[of.column][place(class, of)].kept);
                let sayable =
                    worlds.drawn.is_none_or(|drawn| drawn >= FEWEST) && kept > 0.0 && worlds.broken > 0.0;
                sayable.then_some((of, worlds, kept))
            });
            let best = telling.max_by(|a, b| a.2.total_cmp(&b.2).then(b.0.column.cmp(&a.0.column)))?;
            Some((best.0, best.1, if best.1.kept > 0.0 { best.2 / best.1.kept } else { 1.0 }))
        })
        .collect();
    let place_in_class = {
        let mut places = vec![0_u32; scene.people];
        finer
            .members
            .iter()
            .for_each(|of| of.iter().zip(0..).for_each(|(person, place)| places[*person as usize] = place));
        places
    };
    // A person without a row is guessed by the most frequent value of the release, whatever is known of the tool.
    let shown = scene.shown(secret);
    let tell = |person: &u32| -> Told {
        let Some(class) = finer.class_of_person[*person as usize] else {
            let chances: Vec<f64> = shown.of_value.iter().map(|(value, _)| shown.share(*value)).collect();
            let value = scene.secrets[secret].of_person[*person as usize];
            let truth = shown.of_value.binary_search_by_key(&value, |(value, _)| *value).ok();
            return Told { above: false, ..told(&chances, None, truth, promise.bound) };
        };
        let class = class as usize;
        let tally = &scene.classes[class].secrets[secret];
        let (values, amounts) = split(tally);
        let naive: Vec<f64> = amounts.iter().map(|amount| *amount as f64 / tally.total as f64).collect();
        let known = chosen[class].and_then(|(of, worlds, others)| {
            let part = of.parts[place_in_class[*person as usize] as usize];
            Some((worlds.posterior(of.sizes[part as usize], &amounts, others)?, worlds))
        });
        let truth = values.binary_search(&scene.secrets[secret].of_person[*person as usize]).ok();
        told(&naive, known.as_ref().map(|(chances, worlds)| (&chances[..], *worlds)), truth, promise.bound)
    };
    let told: Vec<Told> = people.par_iter().map(tell).collect();
    let mut finding = words(case, column, &promise, &told, people.len());
    let telling = chosen.iter().filter(|chosen| chosen.is_some()).count();
    let classes = alternatives.iter().filter(|of_class| !of_class.is_empty()).count();
    if classes > 0 {
        let share = telling as f64 / classes as f64;
        finding
            .figures
            .push(Figure::counted("groups with a finer version that must have been refused", share));
    }
    if let Some(holds) =
        premise_holds(case, finer, &promise, secret, &chosen).filter(|_| reach == Reach::Class)
    {
        finding
            .figures
            .push(Figure::counted("of these, groups in which the attacker's premise is true", holds));
    }
    limits(case, &mut finding, &promise, reach, &counted, people.len());
    Ok(finding)
}

/// The values of a class and their amounts.
fn split(tally: &Tally) -> (Vec<u32>, Vec<u64>) {
    tally.of_value.iter().copied().unzip()
}

/// Returns the finer versions that could have been published in place of a class.
fn alternatives(
    case: &Case<'_>,
    finer: &Finer,
    promise: &Promise,
    class: usize,
    tally: &Tally,
) -> Vec<Alternative> {
    let all = case.scene.known.len();
    let parts = (0..=all).filter_map(|column| {
        let parts =
            if column < all { finer.parts(case.scene, class, column) } else { finer.exact_parts(class) };
        Some((column, parts?))
    });
    let (values, amounts) = split(tally);
    let alone = |value: usize| {
        let mut own = vec![0; amounts.len()];
        own[value] = 1;
        promise.keeps(&values, &own)
    };
    let nobody_alone = !(0..values.len()).any(alone);
    parts
        .map(|(column, parts)| {
            // Parts are numbered anew, so that none is empty.
            let mut numbers = parts.clone();
            numbers.sort_unstable();
            numbers.dedup();
            let mut sizes = vec![0; numbers.len()];
            let parts: Vec<u32> =
                parts.iter().map(|part| numbers.partition_point(|number| number < part) as u32).collect();
            parts.iter().for_each(|part| sizes[*part as usize] += 1);
            let certain = sizes.iter().any(|size| *size < promise.least_size() || *size == 1 && nobody_alone);
            Alternative { column, parts, sizes, certain }
        })
        .collect()
}

/// Returns the share of classes, among those with a telling alternative, in which the alternative truly breaks the
/// rule.
fn premise_holds(
    case: &Case<'_>,
    finer: &Finer,
    promise: &Promise,
    secret: usize,
    chosen: &[Option<(&Alternative, &Worlds, f64)>],
) -> Option<f64> {
    let broken = |class: usize, of: &Alternative| {
        let (values, amounts) = split(&case.scene.classes[class].secrets[secret]);
        let mut own = vec![vec![0; amounts.len()]; of.sizes.len()];
        for (person, part) in finer.members[class].iter().zip(&of.parts) {
            if let Ok(value) = values.binary_search(&case.scene.secrets[secret].of_person[*person as usize]) {
                own[*part as usize][value] += 1;
            }
        }
        own.iter().any(|own| !promise.keeps(&values, own))
    };
    let found: Vec<bool> =
        (0..).zip(chosen).filter_map(|(class, chosen)| chosen.map(|(of, ..)| broken(class, of))).collect();
    let holds = found.iter().filter(|holds| **holds).count();
    (!found.is_empty()).then(|| holds as f64 / found.len() as f64)
}

/// Returns what the attacker concludes about a person: by the class alone, and from the `known` chances if there are
/// any.
fn told(naive: &[f64], known: Option<(&[f64], &Worlds)>, truth: Option<usize>, bound: Option<f64>) -> Told {
    let most = |chances: &[f64]| chances.iter().copied().fold(0.0, f64::max);
    let right = |chances: &[f64]| {
        let likeliest = |chance: &f64| *chance >= most(chances) - SAME;
        let equal = chances.iter().filter(|chance| likeliest(chance)).count();
        if truth.is_some_and(|truth| likeliest(&chances[truth])) { 1.0 / equal as f64 } else { 0.0 }
    };
    let of_truth = |chances: &[f64]| truth.map_or(0.0, |truth| chances[truth]);
    let chances = known.map_or(naive, |(chances, _)| chances);
    let best = most(chances);
    let guess = chances.iter().position(|chance| *chance >= best);
    let before = guess.map_or(0.0, |guess| naive[guess]);
    // A chance that rests on drawn worlds counts only as far as it certainly exceeds the chance by the class alone.
    let sure = |chance: f64, before: f64| match known {
        Some((_, worlds)) => (chance - worlds.error(chance)).max(chance.min(before)),
        None => chance,
    };
    let sure_of_best = sure(best, before);
    Told {
        best: (most(naive), best),
        sure: sure_of_best,
        truth: (of_truth(naive), sure(of_truth(chances), of_truth(naive))),
        right: (right(naive), right(chances)),
        before,
        rise: sure_of_best - before,
        above: sure_of_best > bound.unwrap_or(most(naive)) + SAME,
    }
}

fn mean(told: &[Told], of: impl Fn(&Told) -> f64) -> f64 {
    told.iter().map(of).sum::<f64>() / told.len().max(1) as f64
}

fn words(case: &Case<'_>, column: &str, promise: &Promise, told: &[Told], people: usize) -> Finding {
    let above = told.iter().filter(|told| told.above).count() as u64;
    let name = match promise.bound {
        Some(_) => "people with a value more likely than promised",
        None => "people with a value more likely than their group says",
    };
    let at_risk = wilson_interval(above, told.len() as u64).map(|share| match people < case.scene.people {
        true => Figure::estimated(name, share),
        false => Figure::counted(name, share.estimate),
    });
    let raised = told.iter().filter(|told| told.rise > SAME);
    let most =
        raised.max_by(|a, b| (a.above, a.rise).partial_cmp(&(b.above, b.rise)).unwrap_or(Ordering::Equal));
    let promised = promise.bound.map_or("their group says".to_owned(), |bound| {
        format!("the {} that {} promises", percent(bound), promise.titles.join(", "))
    });
    let sentence = match most {
        Some(most) => format!(
            "For somebody, knowing the algorithm raises the chance of the best guess of {column} from {} to {}. For {} a value is more likely than \
             {promised}.",
            percent(most.before),
            percent(most.sure),
            if above > 0 {
                format!("{} of the people", percent(above as f64 / told.len() as f64))
            } else {
                "nobody".to_owned()
            },
        ),
        None => format!(
            "Knowing the algorithm says nothing more about anybody's {column}: outsiders cannot see that any group is coarse because of its values."
        ),
    };
    let highest = |of: fn(&Told) -> f64| told.iter().map(of).fold(0.0, f64::max);
    let mut figures = vec![
        Figure::counted("highest chance of the best guess, knowing the algorithm", highest(|told| told.sure)),
        Figure::counted("highest chance of the best guess, by the group alone", highest(|told| told.best.0)),
        Figure::counted(
            "average chance of the best guess, knowing the algorithm",
            mean(told, |told| told.best.1),
        ),
        Figure::counted(
            "average chance of the best guess, by the group alone",
            mean(told, |told| told.best.0),
        ),
        Figure::counted("guesses that are right, knowing the algorithm", mean(told, |told| told.right.1)),
        Figure::counted("guesses that are right, by the group alone", mean(told, |told| told.right.0)),
    ];
    figures.extend(promise.bound.map(|bound| Figure::counted("promised at most", bound)));
    Finding {
        attack: ATTACK.name,
        title: ATTACK.title,
        learns: ATTACK.learns,
        advantage: None,
        gain: None,
        column: Some(column.to_owned()),
        sentence,
        at_risk,
        worst: told.iter().map(|told| told.truth.1).reduce(f64::max),
        figures,
        limits: Vec::new(),
        not_run: None,
    }
}

fn limits(
    case: &Case<'_>,
    finding: &mut Finding,
    promise: &Promise,
    reach: Reach,
    counted: &[Vec<Option<Worlds>>],
    people: usize,
) {
    let limits = &mut finding.limits;
    limits.push(premise(reach).to_owned());
    limits.push(
        "For each group one finer version is considered, the one that says most by not having been published: one column a step finer, or all columns \
         exact. Several of them together may say more."
            .to_owned(),
    );
    if !promise.skipped.is_empty() {
        limits.push(format!("Not simulated: {}.", promise.skipped.join(", ")));
    }
    let drawn = counted.iter().flatten().flatten().filter_map(|worlds| worlds.drawn);
    let (drawn, rare) =
        drawn.fold((0, 0), |(all, rare), drawn| (all + 1, rare + usize::from(drawn < FEWEST)));
    if drawn > 0 {
        limits.push(format!(
            "For {} finer groups the ways to assign values to people are too many to count, so up to {} were drawn at random; {} of these groups say \
             nothing certain and are left out. A chance that rests on draws is lowered by four standard errors, so that it is not overstated.",
            count(drawn as u64),
            count(worlds::MOST_DRAWS),
            count(rare as u64)
        ));
    }
    if people < case.scene.people {
        limits.push(format!(
            "{} of {} people were looked at; the worst-off person may be another.",
            count(people as u64),
            count(case.scene.people as u64)
        ));
    }
    if case.scene.ambiguous > 0 {
        limits.push(format!(
            "{} people fit several groups; they were counted in one that fits.",
            count(case.scene.ambiguous)
        ));
    }
}
