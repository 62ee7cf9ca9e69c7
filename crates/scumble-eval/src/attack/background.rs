//! Background knowledge: an attacker who can rule out some values (models.md 4.5).

use scumble::Result;
use scumble::report::data::Learns;
use scumble::report::drawing::{counted, percent};

use super::telling::{Telling, tellings};
use super::{Attack, Case, Figure, Finding, Scene, Tally, of_secrets};

pub(crate) const ATTACK: Attack = Attack {
    name: "background",
    title: "Background knowledge",
    paper: "Machanavajjhala et al. (2007); Martin et al. (2007)",
    about: "Somebody knows enough to rule out some sensitive values of a person, and guesses the most frequent of the others.",
    without_row: "what can be ruled out is taken from the rows that fit them; where none does, nobody becomes certain.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

/// The most values that the attacker is assumed to rule out.
const MOST: usize = 3;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    of_secrets(case, &ATTACK, |scene, secret| Ok(look(scene, secret)))
}

/// The chance of the most frequent value once the `ruled_out` most frequent others are ruled out: its rows divided by
/// the rows that are left.
fn posterior(tally: &Tally, ruled_out: usize) -> f64 {
    let mut amounts: Vec<u64> = tally.of_value.iter().map(|(_, amount)| *amount).collect();
    amounts.sort_unstable_by(|a, b| b.cmp(a));
    let Some((most, others)) = amounts.split_first() else { return 0.0 };
    let gone: u64 = others.iter().take(ruled_out).sum();
    *most as f64 / (tally.total - gone) as f64
}

fn look(scene: &Scene, secret: usize) -> Finding {
    let told = tellings(scene, secret);
    // Ruling out values leads to the true one only if the rows show it.
    let shown = |told: &Telling| told.having(|value| told.tally.of(value) > 0);
    let groups = || told.iter().filter(|told| told.fits && shown(told) > 0.0);
    let share = |ruled_out: usize| {
        let sure = groups().filter(|told| told.tally.of_value.len() <= ruled_out + 1);
        sure.map(shown).sum::<f64>() / scene.people.max(1) as f64
    };
    let worst = |ruled_out: usize| groups().map(|told| posterior(&told.tally, ruled_out)).fold(0.0, f64::max);
    let mut figures = Vec::new();
    for ruled_out in 1..=MOST {
        let values = counted(ruled_out as u64, "value", "values");
        figures.push(Figure::counted(
            format!("people whose value is certain once {values} can be ruled out"),
            share(ruled_out),
        ));
        figures.push(Figure::counted(format!("best guess once {values} can be ruled out"), worst(ruled_out)));
    }
    let fewest = groups().map(|told| told.tally.of_value.len()).min().unwrap_or(0);
    figures.push(Figure::number(
        "values to rule out for certainty, in the weakest group",
        fewest.saturating_sub(1) as f64,
    ));
    let name = &scene.secrets[secret].column.name;
    let sentence = if share(1) > 0.0 {
        format!(
            "An attacker who can rule out one value of {name} is certain of the true one for {} of the people.",
            percent(share(1))
        )
    } else {
        format!(
            "An attacker who can rule out one value of {name} is certain of nobody's; the best guess is then right with a chance of at most {}. To be \
             certain of somebody's, {} must be ruled out.",
            percent(worst(1)),
            counted(fewest.saturating_sub(1) as u64, "value", "values")
        )
    };
    Finding {
        sentence,
        at_risk: figures.first().cloned(),
        worst: Some(worst(1)),
        figures,
        ..Finding::of(&ATTACK)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::scene;
    use super::*;

    /// {2, 1, 1}: 2/3 with one value ruled out, certain with two (models.md 4.5).
    #[test]
    fn the_numbers_of_the_specification() {
        let tally = Tally::new([(0, 1), (1, 2), (2, 1)]);
        assert_eq!([posterior(&tally, 0), posterior(&tally, 1), posterior(&tally, 2)], [0.5, 2.0 / 3.0, 1.0]);
        assert_eq!(posterior(&Tally::default(), 1), 0.0);
    }

    #[test]
    fn people_by_what_must_be_ruled_out() {
        let quasi = [["a"], ["a"], ["b"], ["b"], ["b"], ["b"]];
        let scene = scene(&["group"], &quasi, &quasi, &["x", "y", "x", "y", "z", "z"]);
        let found = look(&scene, 0);
        let values: Vec<f64> = found.figures.iter().map(|figure| figure.value).collect();
        // Group a is certain with one value ruled out, group b with two. In a, the best guess is then certain at once.
        assert_eq!(values, [1.0 / 3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert!(found.sentence.contains("33.3"), "{}", found.sentence);
    }
}
