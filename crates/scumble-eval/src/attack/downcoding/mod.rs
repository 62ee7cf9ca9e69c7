//! Downcoding (Cohen, "Attacks on Deidentification's Defenses", USENIX Security 2022): if a release is no coarser than
//! necessary, every label shows that no finer one was possible. The attack derives from this how many rows have each
//! finer value.
//!
//! `cells` says what each label promises, given the algorithm that chose it; `counts` derives the numbers.

mod cells;
mod counts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rayon::prelude::*;
use scumble::Result;
use scumble::base::text::grouped;
use scumble::report::data::Learns;
use scumble::report::drawing::percent;
use scumble::search::algorithms::Reach;

use super::finer::{Finer, sample};
use super::{Attack, Case, Figure, Finding};
use crate::statistics::{mean_interval, wilson_interval};
use cells::{Cell, Knowledge};
use counts::{Rule, Spread};

/// The attack.
pub(super) const ATTACK: Attack = Attack {
    name: "downcoding",
    title: "Downcoding",
    paper: "Cohen 2022",
    about: "Somebody knows that no value is coarser than it must be, and concludes from that which finer values the rows have.",
    without_row: "nothing follows about them from the values of others.",
    learns: Learns::Detail,
    rests_on_method: true,
    run,
};

/// Up to this many people, every class is attacked.
const PEOPLE: usize = 100_000;
/// Labels with more rows and finer values than this are left out: values times the square of rows.
const WORK: u64 = 400_000;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let knowledge = match Knowledge::of(case.plan)? {
        Ok(knowledge) => knowledge,
        Err(why) => return Ok(vec![idle(why)]),
    };
    if let Some(why) = case.scene.does_not_stand() {
        return Ok(vec![idle(&why)]);
    }
    let finer = Finer::new(case)?;
    let classes = case.scene.classes.len();
    let looked_at: Vec<u32> = match case.scene.people {
        many if many > PEOPLE && knowledge.reach == Reach::Class => {
            sample(classes, (classes * PEOPLE / many).max(1), case.options.seed)
        }
        _ => (0..classes as u32).collect(),
    };
    let cells = cells::cells(case, &finer, &knowledge, &looked_at);
    let found = match knowledge.reach {
        Reach::Class => by_class(case, &cells),
        _ => together(case, &cells, knowledge.reach, &knowledge),
    };
    case.scene.control.check()?;
    Ok(vec![words(case, &finer, &knowledge, &looked_at, &found)])
}

fn idle(why: &str) -> Finding {
    Finding::not_run(&ATTACK, format!("What coarser values say beyond themselves was not worked out: {why}."))
}

/// What follows from one label of a class.
struct Follows {
    class: u32,
    rows: u64,
    /// The bits that the label gives away beyond what it says.
    bits: f64,
    /// The number of rows whose finer value is certain.
    sure: u64,
    /// Whether the attacker's premise is true.
    premise: bool,
    /// Whether the attacker guesses the numbers of all finer values right: by the label alone, and by what follows.
    right: (bool, bool),
    /// The number of rows put at the right finer value: by the label alone, and by what follows.
    placed: (u64, u64),
    /// The chance that the guess is right, as far as the attacker knows.
    chance: f64,
}

/// The findings about all labels.
#[derive(Default)]
struct Downcoded {
    follows: Vec<Follows>,
    /// The bits given away about several classes together; `shared` is the number of such facts.
    shared_bits: f64,
    shared: u64,
    /// The number of those facts that are true.
    shared_true: u64,
    /// The number of labels that could have been finer.
    labels: u64,
    /// The number of them that were left out as too large.
    left_out: u64,
}

fn is_too_large(cell: &Cell) -> bool {
    cell.rows().saturating_mul(cell.rows()).saturating_mul(cell.spread.len() as u64) > WORK
}

fn by_class(case: &Case<'_>, cells: &[Cell]) -> Downcoded {
    let left_out = cells.iter().filter(|cell| is_too_large(cell)).count() as u64;
    let follows = cells
        .par_iter()
        .filter(|cell| !is_too_large(cell) && !case.scene.is_stopped())
        .filter_map(|cell| follows(cell, cell.rule))
        .collect();
    Downcoded { follows, left_out, labels: cells.len() as u64, ..Downcoded::default() }
}

fn follows(cell: &Cell, rule: Rule) -> Option<Follows> {
    let spread = Spread::new(cell.rows(), &cell.prior);
    let (guess, likely) = spread.likeliest(rule)?;
    let (naive, _) = spread.likeliest(Rule::Anything)?;
    let chance = spread.chance(rule).min(1.0);
    let placed = |guess: &[u64]| guess.iter().zip(&cell.spread).map(|(guess, rows)| guess.min(rows)).sum();
    Some(Follows {
        class: cell.class,
        rows: cell.rows(),
        bits: -chance.log2(),
        sure: rule.sure(cell.rows(), cell.spread.len()),
        premise: rule.holds(&cell.spread),
        right: (naive == cell.spread, guess == cell.spread),
        placed: (placed(&naive), placed(&guess)),
        chance: (likely / chance).min(1.0),
    })
}

/// Handles labels and levels that were refused for all their classes at once: in at least one class, too few rows have
/// a finer value.
fn together(case: &Case<'_>, cells: &[Cell], reach: Reach, knowledge: &Knowledge) -> Downcoded {
    let mut groups: BTreeMap<(usize, u32), Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        let label = if reach == Reach::Label { cell.label } else { 0 };
        groups.entry((cell.column, label)).or_default().push(cell);
    }
    let mut found = Downcoded { labels: cells.len() as u64, ..Downcoded::default() };
    for group in groups.values() {
        if let [only] = group[..] {
            if is_too_large(only) {
                found.left_out += 1;
            } else {
                found.follows.extend(follows(only, Rule::SmallPart(knowledge.k)));
            }
            continue;
        }
        // The chance that no class refuses shrinks with every class. Once it is negligible, nothing more follows.
        let mut nowhere = 1.0_f64;
        for cell in group {
            if nowhere > 1e-15 && !case.scene.is_stopped() {
                let spread = Spread::new(cell.rows(), &cell.prior);
                nowhere *= match is_too_large(cell) {
                    true => spread.nearly_no_small_part(knowledge.k),
                    false => spread.chance(Rule::NoSmallPart(knowledge.k)).min(1.0),
                };
            }
        }
        if nowhere < 1.0 {
            found.shared += 1;
            found.shared_bits -= (1.0 - nowhere).log2();
            let small = |cell: &&Cell| !Rule::NoSmallPart(knowledge.k).holds(&cell.spread);
            found.shared_true += u64::from(group.iter().any(small));
        }
    }
    found
}

fn words(
    case: &Case<'_>,
    finer: &Finer,
    knowledge: &Knowledge,
    looked_at: &[u32],
    found: &Downcoded,
) -> Finding {
    let sampled = looked_at.len() < case.scene.classes.len();
    let rows: u64 = looked_at.iter().map(|class| finer.members[*class as usize].len() as u64).sum();
    // Nothing follows about people without a row. If only some classes are examined, the same share of these people
    // counts.
    let without = case.scene.unplaced() * rows / (case.scene.people as u64 - case.scene.unplaced()).max(1);
    let people = rows + without;
    // For each class, the column that gives away most counts.
    let (mut sure, mut bits) = (BTreeMap::<u32, u64>::new(), vec![0.0; looked_at.len()]);
    for follows in &found.follows {
        let most = sure.entry(follows.class).or_default();
        *most = follows.sure.max(*most);
        bits[looked_at.partition_point(|class| *class < follows.class)] += follows.bits;
    }
    let sure: u64 = sure.values().sum();
    let estimate = |name: &str, hits: u64, of: u64| {
        wilson_interval(hits, of).map(|share| match sampled {
            true => Figure::estimated(name, share),
            false => Figure::counted(name, share.estimate),
        })
    };
    let shared = found.shared_bits / looked_at.len().max(1) as f64;
    let mean_bits = bits.iter().sum::<f64>() / bits.len().max(1) as f64 + shared;
    let bits = match mean_interval(&bits).filter(|_| sampled) {
        Some(interval) => {
            Figure::estimated_number("bits that a group gives away beyond its values", interval)
        }
        None => Figure::number("bits that a group gives away beyond its values", mean_bits),
    };
    let labels = found.follows.len() as u64;
    let count =
        |of: &dyn Fn(&Follows) -> bool| found.follows.iter().filter(|follows| of(follows)).count() as u64;
    let sum = |of: &dyn Fn(&Follows) -> u64| found.follows.iter().map(of).sum::<u64>();
    let in_labels = sum(&|follows| follows.rows);
    let mut figures = vec![bits];
    figures.extend(
        [
            estimate(
                "coarser values for which the attacker guesses exactly how many rows have which finer value, knowing the algorithm",
                count(&|follows| follows.right.1),
                labels,
            ),
            estimate(
                "the same, by the released values alone",
                count(&|follows| follows.right.0),
                labels,
            ),
            estimate(
                "rows that the attacker counts at the right finer value, knowing the algorithm",
                sum(&|follows| follows.placed.1),
                in_labels,
            ),
            estimate(
                "rows that the attacker counts at the right finer value, by the released values alone",
                sum(&|follows| follows.placed.0),
                in_labels,
            ),
            estimate(
                "coarser values for which the attacker's premise is true",
                count(&|follows| follows.premise),
                labels,
            ),
            estimate("facts about many groups together that are true", found.shared_true, found.shared),
        ]
        .into_iter()
        .flatten(),
    );
    figures.push(Figure::number("coarser values, counted in each group", found.labels as f64));
    let sure_share = percent(sure as f64 / people.max(1) as f64);
    let nothing = found.follows.is_empty() && found.shared == 0;
    let sentence = if nothing && found.left_out > 0 {
        "The coarser values stand for too many rows to work out what follows from them.".to_owned()
    } else if nothing {
        "Outsiders cannot tell that any value was coarsened only because it had to be, so the values say nothing beyond themselves.".to_owned()
    } else if found.follows.is_empty() {
        format!(
            "The algorithm coarsens no more than it must. One step finer was impossible in at least one of {} groups, and nobody can see in which: this \
             gives away {mean_bits:.2} bits per group, and no row's finer value is certain.",
            grouped(looked_at.len() as u64)
        )
    } else {
        format!(
            "The algorithm coarsens no more than it must. An attacker who knows this is certain of a finer value in some column, for the rows of {sure_share} \
             of the people. On average a group gives away {mean_bits:.2} bits more than its values show."
        )
    };
    let mut limits = vec![knowledge.premise.to_owned()];
    limits.push(
        "Columns are looked at one by one, and only one step finer. The attacker is assumed to know how frequent finer values are among all people, for \
         example from a census."
            .to_owned(),
    );
    limits.push(
        "A certain finer value is a fact about some rows of a group. Whose rows they are does not follow; somebody who knows the people may find out."
            .to_owned(),
    );
    if found.left_out > 0 {
        limits.push(format!(
            "{} coarser values stand for too many rows and finer values to work out, and are left out.",
            grouped(found.left_out)
        ));
    }
    if sampled {
        limits.push(format!(
            "{} of {} groups were looked at.",
            grouped(looked_at.len() as u64),
            grouped(case.scene.classes.len() as u64)
        ));
    }
    if case.scene.ambiguous > 0 {
        limits.push(format!(
            "{} people fit several groups; guesses were compared with one that fits.",
            grouped(case.scene.ambiguous)
        ));
    }
    Finding {
        attack: ATTACK.name,
        title: ATTACK.title,
        learns: ATTACK.learns,
        gain: None,
        advantage: None,
        column: None,
        sentence,
        at_risk: estimate("people for whose row a finer value is certain", sure, people)
            .filter(|_| !nothing || found.left_out == 0),
        worst: found.follows.iter().map(|follows| follows.chance).reduce(f64::max),
        figures,
        limits,
        not_run: None,
    }
}
