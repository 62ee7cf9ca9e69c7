//! Record linkage: people found again in columns whose values were perturbed (transforms.md 2.8).

use scumble::Result;
use scumble::config::{Plan, Role};
use scumble::report::data::{AttackGain, Learns};
use scumble::report::drawing::{count, list, percent};
use scumble::risk::linkage::{
    Attempt, CategorySide, Changes, Linked, NumberSide, Options as LinkageOptions, Public, Share, Sides,
    floats_of_rows, measure,
};
use scumble::transforms::kim_noise;
use scumble_files::Control;
use scumble_files::table::CodedColumn;

use super::whose::OwnRows;
use super::{Attack, Case, Figure, Finding, Options};

pub(super) const ATTACK: Attack = Attack {
    name: "record_linkage",
    title: "Record linkage",
    paper: "Fellegi and Sunter (1969); Domingo-Ferrer and Torra (2001)",
    about: "Values were perturbed, and somebody who knows the true ones looks for the rows that come nearest, or that agree in the most telling columns.",
    without_row: "they are not looked for.",
    learns: Learns::Row,
    rests_on_method: false,
    run,
};

/// The perturbed columns: those that the steps of the plan made by chance, and those that the caller names.
pub(super) fn perturbed(plan: &Plan, named: &[String]) -> Vec<String> {
    let mut all = named.to_vec();
    all.extend(plan.drawn.unrepeated.iter().filter(|name| !named.contains(name)).cloned());
    all
}

fn run(case: &Case<'_>) -> Result<Vec<Finding>> {
    let finding = match case.own_rows {
        _ if case.perturbed.is_empty() => Finding::not_run(
            &ATTACK,
            "No column is known whose values were perturbed. If another program has perturbed some, name them.",
        ),
        None => nobody_known(),
        Some(own) => link(own, case.plan, case.options, case.resources.control())?,
    };
    Ok(vec![finding])
}

/// Nobody has said whose each row is.
pub(super) fn nobody_known() -> Finding {
    Finding::not_run(
        &ATTACK,
        "Whose each row is was not said, so nobody can tell whether a link is right. Give the row map of the release, or say that \
         its rows stand in the order of the original.",
    )
}

/// Links the people who have a row.
pub(super) fn link(own: &OwnRows, plan: &Plan, options: &Options, control: &Control) -> Result<Finding> {
    if own.known.is_empty() {
        let why =
            "Outsiders know none of the columns whose values were perturbed, so nobody is found by them.";
        return Ok(Finding::not_run(&ATTACK, why));
    }
    if own.release.rows == 0 {
        return Ok(Finding::not_run(&ATTACK, "No row of the release is about anybody of the original."));
    }
    let columns: Vec<Column> = own.known.iter().filter_map(|name| Column::read(own, name, plan)).collect();
    let groups = looks(own, plan);
    let sides = Sides {
        numbers: columns.iter().filter_map(Column::number).collect(),
        categories: columns.iter().filter_map(Column::category).collect(),
        groups: &groups,
    };
    let options = LinkageOptions { people: options.people, seed: options.seed };
    let linked = measure(&sides, &options, control)?;
    let unread = columns.iter().map(Column::unread).sum();
    Ok(tell(own, &linked, unread))
}

/// A perturbed column on both sides.
enum Column<'a> {
    Numbers { name: &'a str, known: Vec<Option<f64>>, shown: Vec<Option<f64>>, public: Public, unread: u64 },
    Categories { name: &'a str, known: Vec<u32>, shown: Vec<u32> },
}

impl<'a> Column<'a> {
    fn read(own: &OwnRows, name: &'a str, plan: &Plan) -> Option<Self> {
        let (known, shown) = (own.original.column(name)?, own.release.column(name)?);
        let missing = plan.column(name).and_then(|column| column.missing.as_ref());
        let missing = missing.unwrap_or(&plan.read.missing);
        let is_missing = |text: &str| missing.iter().any(|of| of == text);
        let numbers = floats_of_rows(known, missing);
        let is_number = (0..)
            .zip(known.codes.iter())
            .all(|(row, code): (usize, u32)| numbers[row].is_some() || is_missing(known.values.get(code)));
        if is_number && numbers.iter().any(Option::is_some) {
            let known = numbers;
            let texts = shown.codes.iter().map(|code| shown.values.get(code));
            let shown = floats_of_rows(shown, missing);
            let unread =
                texts.zip(&shown).filter(|(text, number)| number.is_none() && !is_missing(text)).count()
                    as u64;
            let public = kim_noise(&plan.transform, name).map_or(Public::Nothing, |d| {
                let present: Vec<f64> = known.iter().flatten().copied().collect();
                Public::Kim { mean: present.iter().sum::<f64>() / present.len().max(1) as f64, d }
            });
            return Some(Self::Numbers { name, known, shown, public, unread });
        }
        // All missing values are one value.
        let text = |text: &str| if is_missing(text) { None } else { Some(text.trim().to_owned()) };
        let mut all: Vec<Option<String>> = known.values.iter().chain(shown.values.iter()).map(text).collect();
        all.sort_unstable();
        all.dedup();
        let codes = |column: &CodedColumn| -> Vec<u32> {
            let place = |of: &str| all.binary_search(&text(of)).unwrap_or_default() as u32;
            let of_text: Vec<u32> = column.values.iter().map(place).collect();
            column.codes.iter().map(|code| of_text[code as usize]).collect()
        };
        Some(Self::Categories { name, known: codes(known), shown: codes(shown) })
    }

    fn number(&self) -> Option<NumberSide<'_>> {
        let Self::Numbers { name, known, shown, public, .. } = self else { return None };
        Some(NumberSide { name, known, shown, public: *public, swapped: None })
    }

    fn category(&self) -> Option<CategorySide<'_>> {
        let Self::Categories { name, known, shown } = self else { return None };
        Some(CategorySide { name, known, shown })
    }

    /// The number of cells that should be numbers and are none.
    fn unread(&self) -> u64 {
        if let Self::Numbers { unread, .. } = self { *unread } else { 0 }
    }
}

/// What each row shows in the other columns that outsiders know, numbered by its contents.
fn looks(own: &OwnRows, plan: &Plan) -> Vec<u32> {
    let columns: Vec<&CodedColumn> =
        plan.names_with(Role::Quasi).filter_map(|name| own.release.column(name)).collect();
    let look = |row: usize| -> Vec<&str> {
        columns.iter().map(|column| column.values.get(column.codes.get(row))).collect()
    };
    let mut order: Vec<(Vec<&str>, usize)> = (0..own.release.rows).map(|row| (look(row), row)).collect();
    order.sort_unstable();
    let mut looks = vec![0; own.release.rows];
    let mut number = 0;
    for (place, (look, row)) in order.iter().enumerate() {
        number += u32::from(place > 0 && order[place - 1].0 != *look);
        looks[*row] = number;
    }
    looks
}

fn figure(name: impl Into<String>, share: &Share) -> Figure {
    Figure { interval: share.interval, ..Figure::counted(name, share.value) }
}

fn tell(own: &OwnRows, linked: &Linked, unread: u64) -> Finding {
    let best = linked.best();
    let share = best.map_or(0.0, |best| best.right.value);
    let how = best.map_or("", |best| by(best.attempt));
    let sentence = format!(
        "Knowing people's true values of {}, an attacker links {} of them with their own rows {how}. A guess is right {} of the time.",
        list(&own.known, own.known.len()),
        percent(share),
        percent(linked.by_guessing)
    );
    let mut figures: Vec<Figure> = linked
        .found
        .iter()
        .map(|found| figure(format!("linked right {}", by(found.attempt)), &found.right))
        .collect();
    let window = linked.found.iter().find(|found| found.attempt == Attempt::Window);
    figures.extend(
        window.map(|found| figure("people to whom swapping leaves no row but their own", &found.alone)),
    );
    figures.push(figure("linked right by every attempt, and with no other row", &linked.by_all));
    figures.push(Figure::counted("linked right by guessing", linked.by_guessing));
    figures.extend(of_changes(&linked.changes));
    let mut limits = vec![
        "Whoever knows more of how values were perturbed, or of the people, may link more of them.".to_owned(),
        "How near a row's values are to the true ones says little: people may be linked although no value is near.".to_owned(),
    ];
    let fewest = linked.found.iter().map(|found| found.right.people).min().unwrap_or(0);
    if fewest < linked.people {
        limits.push(format!(
            "Not everybody was looked for: each attempt looked for at least {} of {} people.",
            count(fewest),
            count(linked.people)
        ));
    }
    if own.without_row > 0 {
        limits.push(format!(
            "{} people have no row in the release; the figures are about the others.",
            count(own.without_row)
        ));
    }
    if unread > 0 {
        limits.push(format!(
            "{} cells of the release are no numbers where the original has numbers; they count as missing.",
            count(unread)
        ));
    }
    Finding {
        sentence,
        gain: Some(AttackGain { right: share, without: 1.0 / linked.people.max(1) as f64 }),
        at_risk: best.map(|best| figure("people linked with their own row by the best attempt", &best.right)),
        figures,
        limits,
        ..Finding::of(&ATTACK)
    }
}

fn by(attempt: Attempt) -> &'static str {
    match attempt {
        Attempt::RowsToPeople => "by taking the nearest person for each row",
        Attempt::PeopleToRows => "by taking the nearest row for each person",
        Attempt::MatchedRowsToPeople => {
            "by taking the nearest person for each row, with a distance that knows how columns hang together"
        }
        Attempt::MatchedPeopleToRows => {
            "by taking the nearest row for each person, with a distance that knows how columns hang together"
        }
        Attempt::Window => "by the ranks that swapping allows",
        Attempt::Probabilistic => "by weighing the columns in which they agree",
    }
}

fn of_changes(changes: &Changes) -> Vec<Figure> {
    let mut figures = Vec::new();
    if let Some((part, share)) = changes.near.first() {
        let name = format!(
            "people whose numbers are all shown to within {} of a standard deviation",
            percent(*part)
        );
        figures.push(Figure::counted(name, *share));
    }
    if let Some(loss) = changes.loss_per_cell {
        figures.push(Figure::number("mean change of a number, in standard deviations over √2", loss));
    }
    let largest = |of: fn(&scumble::risk::linkage::ChangedNumber) -> Option<f64>| {
        let all = changes.numbers.iter().filter_map(|column| Some((of(column)?, column.name.as_str())));
        all.reduce(|most, next| if next.0.abs() > most.0.abs() { next } else { most })
    };
    if let Some((change, name)) = largest(|column| column.mean) {
        let name = format!("largest change of a mean, in standard deviations ({name})");
        figures.push(Figure::number(name, change));
    }
    if let Some((change, name)) = largest(|column| column.variance) {
        let name = format!("largest change of a variance, as a share of it ({name})");
        figures.push(Figure::number(name, change));
    }
    if let Some(most) = &changes.correlation {
        let name = format!("largest change of a correlation ({} with {})", most.columns[0], most.columns[1]);
        figures.push(Figure::number(name, most.after - most.before));
    }
    let changed = changes.categories.iter().map(|column| {
        Figure::counted(format!("cells of {} that show another value", column.name), column.changed)
    });
    figures.extend(changed);
    figures
}
