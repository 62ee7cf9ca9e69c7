//! Homogeneity: if everybody who looks alike has the same sensitive value, an attacker need not find the person's row
//! (models.md 4.4).

use scumble::Result;
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::percent;

use super::telling::tellings;
use super::{Attack, Case, Figure, Finding, Scene, of_secrets};

/// The name of the share of right guesses by the release's groups.
pub(crate) const RIGHT_BY_GROUP: &str = "right guesses of everybody's value by their group";

/// The name of the share of right guesses by somebody who does not see the groups.
pub(crate) const RIGHT_WITHOUT_GROUPS: &str = "right guesses without the release's groups";

pub(crate) const ATTACK: Attack = Attack {
    name: "homogeneity",
    title: "Homogeneity",
    paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007)",
    about: "Where everybody who looks alike has the same sensitive value, nobody needs to be found.",
    without_row: "their value is guessed from the rows that fit them or, where none does, is the most frequent one of the release, and is not certain.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    of_secrets(case, &ATTACK, |scene, secret| Ok(look(scene, secret, case.options.threshold)))
}

fn look(scene: &Scene, secret: usize, threshold: f64) -> Finding {
    let (mut certain, mut likely, mut guessed, mut worst) = (0.0, 0, 0.0, 0.0_f64);
    for told in tellings(scene, secret) {
        let right = told.right();
        guessed += right;
        if !told.fits {
            continue;
        }
        // Rows that stand for nobody may all show the same value and be wrong.
        certain += if told.tally.of_value.len() == 1 { right } else { 0.0 };
        likely += if told.chance() >= threshold { told.people } else { 0 };
        worst = if right > 0.0 { worst.max(told.chance()) } else { worst };
    }
    let share = |part: f64| part / scene.people.max(1) as f64;
    let name = &scene.secrets[secret].column.name;
    let overall = scene.overall(secret);
    let usual = overall.most().map_or(0.0, |(value, _)| overall.share(value));
    let certain_share = share(certain);
    let sentence = match certain {
        0.0 => format!("Nobody's {name} is certain from the group alone."),
        _ => format!("For {} of the people the group alone reveals {name}.", percent(certain_share)),
    };
    let sentence = format!(
        "{sentence} Guessing the most frequent {name} of the person's group is right for {} of the people; without the groups, for {}.",
        percent(share(guessed)),
        percent(usual)
    );
    Finding {
        sentence,
        gain: Some(AttackGain { right: share(guessed), without: usual }),
        at_risk: Some(Figure::counted("people whose value is certain", certain_share)),
        worst: Some(worst),
        figures: vec![
            Figure::counted(
                format!("people whose value is guessed with a chance of {} or more", percent(threshold)),
                share(likely as f64),
            ),
            Figure::counted(RIGHT_BY_GROUP, share(guessed)),
            Figure::counted(RIGHT_WITHOUT_GROUPS, usual),
        ],
        ..Finding::of(&ATTACK)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::scene;
    use super::super::tests::case;
    use super::*;

    /// Three people with flu only, and four of whom three have flu: 3/7 are certain, all have a chance of 3/4 or more
    /// (models.md 4.4).
    #[test]
    fn the_numbers_of_the_specification() {
        let quasi = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["b"]];
        let secret = ["flu", "flu", "flu", "flu", "flu", "flu", "hiv"];
        let scene = scene(&["group"], &quasi, &quasi, &secret);
        let found = look(&scene, 0, 0.75);
        assert_eq!(found.at_risk.expect("a share").value, 3.0 / 7.0);
        assert_eq!((found.worst, found.figures[0].value), (Some(1.0), 1.0));
        assert!((found.figures[1].value - 6.0 / 7.0).abs() < 1e-12);
        let told = case(&scene, |case| run(case).expect("findings"));
        assert!(told[0].sentence.contains("42.9\u{a0}%"), "{}", told[0].sentence);
    }

    #[test]
    fn without_a_secret_there_is_nothing_to_learn() {
        let scene = scene(&["group"], &[["a"]], &[["a"]], &[]);
        let told = case(&scene, |case| run(case).expect("findings"));
        assert!(told[0].not_run.as_ref().is_some_and(|why| why.contains("Name the sensitive columns")));
    }
}
