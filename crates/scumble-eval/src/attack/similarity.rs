//! Similarity: values that differ but mean the same, because they have one category or are close to each other
//! (models.md 4.6).

use scumble::Result;
use scumble::report::data::Learns;
use scumble::report::drawing::{number, percent};

use super::telling::{UNKNOWN, tellings};
use super::{Attack, Case, Figure, Finding, Options, Scene, Secret, Tally, of_secrets};

pub(super) const ATTACK: Attack = Attack {
    name: "similarity",
    title: "Similarity",
    paper: "Li, Li and Venkatasubramanian (2007)",
    about: "Values that differ may still say the same: of one category of their hierarchy, or within a part of the range of numbers.",
    without_row: "their value is guessed from the rows that fit them; where none does, nothing is certain of them.",
    learns: Learns::Value,
    rests_on_method: false,
    run,
};

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    of_secrets(case, &ATTACK, |scene, secret| Ok(look(scene, secret, case.options)))
}

/// Which values are alike.
enum Alike {
    /// Values of the same category, listed for each value.
    Categories(Vec<u32>),
    /// Values that are close: the number of each value, and how far apart two may be.
    Window(Vec<Option<i128>>, i128),
}

impl Alike {
    fn of(secret: &Secret, window: f64) -> Option<Self> {
        if let Some(names) = &secret.categories {
            let place = |name: &String| names.iter().position(|of| of == name).unwrap_or(0) as u32;
            return Some(Self::Categories(names.iter().map(place).collect()));
        }
        let column = &secret.column;
        if column.measure.kind.is_number() && !column.measure.kind.has_unit() {
            // Numbers of very different sizes have no meaningful distance.
            return None;
        }
        let numbers: Vec<Option<i128>> = column.values.iter().map(|text| column.number(text)).collect();
        let (least, most) = numbers
            .iter()
            .flatten()
            .fold((i128::MAX, i128::MIN), |(least, most), number| (least.min(*number), most.max(*number)));
        (least < most).then(|| Self::Window(numbers, ((most - least) as f64 * window) as i128))
    }

    /// Returns the largest share of values that are alike.
    fn largest(&self, tally: &Tally) -> f64 {
        let amount = match self {
            Self::Categories(category) => {
                let of = |value: u32| category.get(value as usize).copied().unwrap_or(UNKNOWN);
                let of_category =
                    Tally::new(tally.of_value.iter().map(|(value, amount)| (of(*value), *amount)));
                let known = of_category.of_value.iter().filter(|(category, _)| *category != UNKNOWN);
                known.map(|(_, amount)| *amount).max().unwrap_or(0)
            }
            Self::Window(numbers, width) => {
                let number =
                    |(value, amount): &(u32, u64)| Some(((*numbers.get(*value as usize)?)?, *amount));
                let mut line: Vec<(i128, u64)> = tally.of_value.iter().filter_map(number).collect();
                line.sort_unstable();
                let (mut inside, mut first, mut best) = (0, 0, 0);
                for (number, amount) in &line {
                    inside += amount;
                    while line[first].0 < number - width {
                        inside -= line[first].1;
                        first += 1;
                    }
                    best = best.max(inside);
                }
                best
            }
        };
        amount as f64 / tally.total.max(1) as f64
    }
}

fn look(scene: &Scene, secret: usize, options: &Options) -> Finding {
    let threshold = options.threshold;
    let column = &scene.secrets[secret];
    let name = &column.column.name;
    let Some(alike) = Alike::of(column, options.window) else {
        let why = format!(
            "Whether different values of {name} say the same is not known: they are no numbers, and {name} has no hierarchy; give it one \
             to find out."
        );
        return Finding::not_run(&ATTACK, why);
    };
    let (mut exposed, mut certain, mut worst) = (0, 0.0, 0.0_f64);
    for told in tellings(scene, secret).iter().filter(|told| told.fits) {
        let share = alike.largest(&told.tally);
        exposed += if share >= threshold { told.people } else { 0 };
        // What the rows show of a person is true only if the person's own value is alike.
        let true_of = |value: u32| {
            let own = told.tally.of_value.iter().copied().chain([(value, 1)]);
            alike.largest(&Tally::new(own)) >= 1.0
        };
        let sure = if share >= 1.0 { told.having(true_of) } else { 0.0 };
        certain += sure;
        worst = if share < 1.0 || sure > 0.0 { worst.max(share) } else { worst };
    }
    let share = |part: f64| part / scene.people.max(1) as f64;
    let usual = alike.largest(&scene.overall(secret));
    let what = match &alike {
        Alike::Categories(_) => format!("the kind of {name} (one step up its hierarchy)"),
        Alike::Window(_, width) => {
            let width = column.column.measure.float(*width);
            format!("{name} to within ± {}", number(width))
        }
    };
    let sentence = if certain > 0.0 {
        format!("For {} of the people the group reveals {what}.", percent(share(certain)))
    } else {
        format!(
            "Nobody's group reveals {what} for certain. The best guess about anybody is right with a chance of {}; without the groups, of {}.",
            percent(worst),
            percent(usual)
        )
    };
    Finding {
        sentence,
        at_risk: Some(Figure::counted(format!("people for whom {what} is certain"), share(certain))),
        worst: Some(worst),
        figures: vec![
            Figure::counted(
                format!("people for whom {what} is guessed with a chance of {} or more", percent(threshold)),
                share(exposed as f64),
            ),
            Figure::counted("best guess without the release's groups", usual),
        ],
        ..Finding::of(&ATTACK)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::tests::scene;
    use super::*;

    #[test]
    fn numbers_that_are_near() {
        let quasi = [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]];
        // Within 10 % of the range (0 to 100), 10 and 20 are alike, but 0 and 20 are not.
        let scene = scene(&["group"], &quasi, &quasi, &["0", "10", "20", "95", "96", "100"]);
        let found = look(&scene, 0, &Options::default());
        assert_eq!(found.at_risk.expect("a share").value, 0.5);
        assert_eq!(found.figures[0].value, 1.0);
        assert_eq!(found.figures[1].value, 0.5);
        assert!(found.sentence.contains("to within ± 10"), "{}", found.sentence);
        // Within a fifth of the range, the whole first group is alike.
        let wider = look(&scene, 0, &Options { window: 0.2, ..Options::default() });
        assert_eq!(wider.at_risk.expect("a share").value, 1.0);
    }

    #[test]
    fn values_of_one_category() {
        let quasi = [["a"], ["a"], ["b"], ["b"]];
        let mut scene = scene(&["group"], &quasi, &quasi, &["flu", "cold", "flu", "hiv"]);
        let found = look(&scene, 0, &Options::default());
        assert!(found.not_run.is_some_and(|why| why.contains("hierarchy")));
        // The values are cold, flu and hiv.
        scene.secrets[0].categories = Some(["lungs", "lungs", "blood"].map(str::to_owned).to_vec());
        let found = look(&scene, 0, &Options::default());
        assert_eq!((found.at_risk.expect("a share").value, found.worst), (0.5, Some(1.0)));
        assert_eq!(found.figures[1].value, 0.75);
    }
}
