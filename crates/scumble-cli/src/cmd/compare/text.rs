//! Writes the comparison as text.

use scumble_eval::compare::{Advice, Candidate, Comparison, Unserved, accuracy_is, attained};

use crate::ui::{count, counted, wrap};

/// Writes the figures of the releases, the recommendation, and what failed. Releases that others beat are listed only if all are asked for.
pub(super) fn tell(found: &Comparison, title: &str, all: bool) -> String {
    let advice = Advice::of(found);
    let marks = found.not_beaten();
    let mut text = format!(
        "{} of {title} ({} rows), the least risky first\n",
        counted(found.candidates.len() as u64, "release", "releases"),
        count(found.rows)
    );
    let (guessed, scored) = (!found.sensitive.is_empty(), found.baselines.is_some());
    let width = found.candidates.iter().map(|candidate| candidate.algorithm.len()).max().unwrap_or(0).max(14);
    let mut line = |mark: &str, name: &str, cells: &[Option<String>]| {
        let cells: String = cells.iter().flatten().map(|cell| format!("  {cell:>10}")).collect();
        text += format!("  {mark} {name:width$}{cells}").trim_end();
        text += "\n";
    };
    let head = |name: &str| Some(name.to_owned());
    line(
        " ",
        "algorithm",
        &[
            head("k"),
            guessed.then(|| "risk".into()),
            head("worst off"),
            head("average"),
            guessed.then(|| "guessed".into()),
            guessed.then(|| "certain".into()),
            scored.then(|| "accuracy".into()),
            head("loss"),
            head("suppressed"),
            head("attained k"),
        ],
    );
    let chosen = advice.map(|advice| advice.chosen);
    let is_shown = |place: &usize| all || marks[*place] || chosen == Some(*place);
    let places = found.by_risk();
    let (shown, hidden): (Vec<usize>, Vec<usize>) = places.into_iter().partition(is_shown);
    for place in shown {
        let candidate = &found.candidates[place];
        let mark = match (chosen == Some(place), marks[place]) {
            _ if candidate.below_plan => "-",
            (true, _) => "→",
            (_, true) if all => "*",
            _ => " ",
        };
        line(mark, &candidate.algorithm, &cells(found, candidate));
    }
    if let Some(baselines) = &found.baselines {
        let before = if guessed { 6 } else { 3 };
        for (name, share) in
            [("original rows", baselines.original.mean), ("majority class", baselines.majority)]
        {
            let mut cells = vec![Some(String::new()); before];
            cells.push(Some(percent(share)));
            line(" ", name, &cells);
        }
    }
    text += &key(found, hidden.len() as u64, all);
    if let Some(advice) = advice {
        text += "\n";
        for sentence in advice.sentences(found) {
            text += &(wrap(&sentence, 112, "") + "\n");
        }
    } else {
        text += &format!("\n{}\n", wrap(&Advice::none(found), 112, ""));
    }
    if !found.unserved.is_empty() {
        text += "\nWhat could not be done\n";
        text += &found.unserved.iter().map(tell_unserved).collect::<String>();
    }
    text.replace('\u{a0}', " ")
}

/// Writes the figures of one release.
fn cells(found: &Comparison, candidate: &Candidate) -> [Option<String>; 10] {
    let (guessed, scored) = (!found.sensitive.is_empty(), found.baselines.is_some());
    let risk = &candidate.risk;
    let dash = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
    let guess = risk.attribute.as_ref();
    [
        Some(count(candidate.k)),
        guessed.then(|| percent(risk.worst())),
        Some(percent(risk.worst_off)),
        Some(percent(risk.identity)),
        guessed.then(|| dash(guess.map(|guess| guess.advantage))),
        guessed.then(|| dash(risk.certain_told())),
        scored.then(|| dash(candidate.accuracy.as_ref().map(|accuracy| accuracy.mean))),
        Some(percent(candidate.loss)),
        Some(percent(candidate.suppressed as f64 / found.rows.max(1) as f64)),
        Some(attained(candidate, found.rows).map_or_else(|| "-".to_owned(), count)),
    ]
}

/// Explains the marks and columns.
fn key(found: &Comparison, hidden: u64, all: bool) -> String {
    let advice = Advice::of(found);
    let mut told = match advice {
        None => "Nothing is recommended.".to_owned(),
        Some(advice) if advice.within => "→ recommended.".to_owned(),
        Some(_) => "→ the least risky that shows something.".to_owned(),
    };
    if let Some(least) = found.least_k.filter(|_| found.candidates.iter().any(|of| of.below_plan)) {
        told += &format!(" - below the plan, which asks for k = {least} or more: never recommended.");
    }
    if all {
        told += " * no other release beats it on every measure that decides.";
    } else if hidden > 0 {
        let hidden = match hidden {
            1 => "1 more release is hidden: it".to_owned(),
            many => format!("{} more releases are hidden: each", count(many)),
        };
        told += &format!(
            " {hidden} is beaten or equalled by one above on every measure that decides (-v shows all)."
        );
    }
    told += " Worst off: the greatest chance with which anybody is found; average: the same on average.";
    if !found.sensitive.is_empty() {
        told += " Guessed: how much the release adds to the share of people whose sensitive value is guessed right, in percentage points; certain: \
                 for how many people it is certain. Risk: the greater of worst off and guessed, by which the releases are sorted.";
    }
    if found.baselines.is_some() {
        told += &format!(" Accuracy: {}.", accuracy_is(found));
    }
    format!("  {}\n", wrap(&told, 110, "  "))
}

fn tell_unserved(unserved: &Unserved) -> String {
    let ks: Vec<String> = unserved.ks.iter().map(u64::to_string).collect();
    let what = if unserved.released { "has no accuracy: " } else { "" };
    let told = format!("{}, k = {}: {what}{}", unserved.algorithm, ks.join(", "), unserved.reason);
    format!("  {}\n", wrap(&told, 110, "    "))
}

fn percent(share: f64) -> String {
    match share * 100.0 {
        small if small > 0.0 && small < 0.05 => "< 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}
