//! Skewness: how much more likely a value is in a person's group than among everybody (models.md 4.6).

use scumble::Result;
use scumble::report::data::Learns;
use scumble::report::drawing::{number, percent};

use super::telling::tellings;
use super::{Attack, Case, Figure, Finding, Scene, of_secrets};

pub(super) const ATTACK: Attack = Attack {
    name: "skewness",
    title: "Skewness",
    paper: "Li, Li and Venkatasubramanian (2007)",
    about: "Somebody compares how frequent a sensitive value is in a person's group with how frequent it is among everybody.",
    without_row: "where no row fits them, no value becomes more likely than it is among everybody.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

/// A person is at risk if the chance of a value is more than this many times its share among everybody, and large besides: in small groups
/// every value that appears has a large lift.
const MANIFOLD: f64 = 2.0;

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    of_secrets(case, &ATTACK, |scene, secret| Ok(look(scene, secret, case.options.threshold)))
}

/// How much a belief in a value grows: its lift and its odds ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Growth {
    before: f64,
    after: f64,
}

impl Growth {
    fn lift(self) -> f64 {
        self.after / self.before
    }

    fn odds_ratio(self) -> f64 {
        (self.after / (1.0 - self.after)) / (self.before / (1.0 - self.before))
    }
}

/// The name of the largest factor by which the group makes a value likelier.
pub(super) const GREATEST_LIFT: &str = "greatest lift";

fn look(scene: &Scene, secret: usize, threshold: f64) -> Finding {
    let overall = scene.overall(secret);
    let name = &scene.secrets[secret].column.name;
    let stands = scene.stands();
    let (mut changed, mut worst) = (0.0, None::<Growth>);
    let (mut sum, mut likeliest) = (0.0, 0.0_f64);
    for told in tellings(scene, secret) {
        let tally = &told.tally;
        if !told.fits {
            // Nothing is learnt about them: all values stay as likely as before.
            sum += told.people as f64;
            continue;
        }
        let growth = |value: u32| Growth { before: overall.share(value), after: tally.share(value) };
        // A value that nobody of the original has shows something about the two tables, not about people.
        let growths =
            tally.of_value.iter().map(|(value, _)| growth(*value)).filter(|growth| growth.before > 0.0);
        let exposed = |growth: Growth| growth.after >= threshold && growth.lift() > MANIFOLD;
        // Rows that stand for nobody expose only people whose true value they show.
        let is_true = |value: u32| stands || told.having(|of| of == value) > 0.0;
        changed += match growths.clone().any(exposed) {
            true if stands => told.people as f64,
            true => told.having(|value| tally.of(value) > 0 && exposed(growth(value))),
            false => 0.0,
        };
        let likely = tally.of_value.iter().filter(|(value, _)| overall.of(*value) > 0 && is_true(*value));
        likeliest = likely.map(|(value, _)| tally.share(*value)).fold(likeliest, f64::max);
        let Some(most) = growths.reduce(|a, b| if b.lift() > a.lift() { b } else { a }) else {
            sum += told.people as f64;
            continue;
        };
        sum += most.lift() * told.people as f64;
        if worst.is_none_or(|worst| most.lift() > worst.lift()) {
            worst = Some(most);
        }
    }
    let Some(worst) = worst else {
        return Finding::not_run(&ATTACK, format!("The release shows no value of {name}."));
    };
    let people = scene.people.max(1) as f64;
    let changed = changed / people;
    let mut figures = vec![
        Figure::number(GREATEST_LIFT, worst.lift()),
        Figure::number("mean over people of the greatest lift", sum / people),
    ];
    // Certain values have no odds.
    let odds = Some(worst.odds_ratio()).filter(|ratio| ratio.is_finite());
    figures.extend(odds.map(|ratio| Figure::number("odds ratio at the greatest lift", ratio)));
    Finding {
        sentence: format!(
            "Knowing the group raises the chance of a value of {name} from {} to {} in the worst case ({} times as likely). For {} of the people some \
             value is more than twice as likely as among everybody and has a chance of {} or more.",
            percent(worst.before),
            percent(worst.after),
            number(worst.lift()),
            percent(changed),
            percent(threshold)
        ),
        at_risk: Some(Figure::counted(
            format!(
                "people with a value of chance {} or more that is more than twice as likely as usual",
                percent(threshold)
            ),
            changed,
        )),
        worst: Some(likeliest),
        figures,
        ..Finding::of(&ATTACK)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::scene;
    use super::*;

    /// From 1 % to 50 % is a lift of 50, and the odds grow from 1/99 to 1, by a factor of 99 (models.md 4.6).
    #[test]
    fn the_numbers_of_the_specification() {
        let growth = Growth { before: 0.01, after: 0.5 };
        assert!((growth.lift() - 50.0).abs() < 1e-9 && (growth.odds_ratio() - 99.0).abs() < 1e-9);
        let quasi: Vec<[&str; 1]> = (0..200).map(|row| if row < 4 { ["a"] } else { ["b"] }).collect();
        let secret: Vec<&str> = (0..200).map(|row| if row < 2 { "hiv" } else { "flu" }).collect();
        let found = look(&scene(&["group"], &quasi, &quasi, &secret), 0, 0.5);
        assert!((found.figures[0].value - 50.0).abs() < 1e-9, "{found:?}");
        assert!((found.at_risk.expect("a share").value - 0.02).abs() < 1e-12);
        assert_eq!(found.worst, Some(1.0), "everybody else has flu for sure");
    }
}
