//! The sentences of the report: what holds, what it means, what to do next.
//!
//! A release is never called "anonymous" or "safe" by itself: it is "5-anonymous on age, sex and postcode; checked". Each sentence about
//! protection says against what.

use super::data::{Coarsening, ColumnRole, Provenance, Report, SuppressedAs};
use super::model_words::claim;
use crate::base::format::{capitalised, count, list, percent, share};
use crate::config::Audience;

/// Whether the table had rows, and none kept its quasi-identifiers.
pub(super) fn is_empty(report: &Report) -> bool {
    report.release.rows > 0 && report.release.classes == 0 && report.tables.is_empty()
}

/// One sentence that says what the release is.
pub(super) fn verdict(report: &Report) -> String {
    let release = &report.release;
    if report.models.is_empty() {
        return "No privacy requirement was asked for, so none was checked.".to_owned();
    }
    let failing: Vec<String> = report.models.iter().filter(|m| !m.holds).map(claim).collect();
    if !failing.is_empty() {
        return format!("A requirement does not hold: {}.", list(&failing, 4));
    }
    if release.truthful == Some(false) {
        return "A released value is not true of its original, so the release failed its check.".to_owned();
    }
    let claims: Vec<String> = report.models.iter().map(claim).collect();
    if !release.checked {
        return format!(
            "The release is meant to be {}; the written file has not been checked.",
            claims.join("; ")
        );
    }
    let cost = if !report.tables.is_empty() {
        format!(
            "{} published, with all {} rows.",
            match report.tables.len() {
                1 => "One table is".to_owned(),
                tables => format!("{tables} tables are"),
            },
            count(release.rows)
        )
    } else if is_empty(report) {
        "Every row had to be suppressed, so there is little left to learn from.".to_owned()
    } else {
        let removed = match release.suppressed {
            0 => "No row was suppressed".to_owned(),
            rows => format!(
                "{} of {} rows ({}) {} suppressed",
                count(rows),
                count(release.rows),
                share(rows, release.rows),
                if rows == 1 { "was" } else { "were" }
            ),
        };
        match loss(report) {
            Some(loss) => format!(
                "{removed}. On average {} of the detail in the quasi-identifiers is gone.",
                percent(loss)
            ),
            None => format!("{removed}."),
        }
    };
    format!("The release is {}; checked. {cost}", claims.join("; "))
}

/// The share of the detail in the quasi-identifiers that is gone, if it was measured.
pub(super) fn loss(report: &Report) -> Option<f64> {
    report.metrics.iter().find(|metric| metric.name == "loss")?.value.finite()
}

/// The readers of a release, in words.
pub(super) fn readers(audience: Audience) -> &'static str {
    match audience {
        Audience::Public => "the public",
        Audience::Researchers => "researchers under an agreement",
        Audience::Inside => "readers inside the organisation",
    }
}

/// What a known metric says, in a line.
pub(super) fn metric_explanation(name: &str) -> Option<&'static str> {
    Some(match name {
        "loss" => {
            "How much detail is gone on average: 0 if every value is as it was, 1 if nothing is left. A range that covers \
             a third of all possible values costs one third."
        }
        "loss_geometric" => {
            "The same loss, with the columns combined by a geometric mean, as the ARX tool reports it. Use it to compare \
             with results from there."
        }
        "ncp" | "ncp_xu" => {
            "How much detail is gone, counting the share of all values that a released value stands for."
        }
        "discernibility" => {
            "Each row is charged the number of rows it cannot be told apart from; a suppressed row is charged the whole \
             table. Large groups and suppression make it grow."
        }
        "classification" | "classification_metric" => {
            "Rows that a machine-learning model cannot predict by the most frequent value of the class column in their group: those with another value, and all suppressed rows."
        }
        "c_avg" => {
            "The average group is this many times larger than k requires. 1 would be a perfect fit; 4 means that groups are four times as large as they need to be."
        }
        "precision" | "prec" => {
            "How low in their hierarchies the values have stayed: 1 if all are as they were, 0 if all are at the top."
        }
        "kl_divergence" => {
            "How much the columns' distributions were bent by suppression. 0 means not at all; infinite means that a rare \
             value has vanished."
        }
        "mutual_information_change" | "information_change" => {
            "The largest change, over the columns, of what a column says about the class column. Small values mean that machine-learning models see nearly the same connections as before."
        }
        "entropy" => {
            "How uncertain the original values have become, given what is released: the share of all bits in the columns."
        }
        "monotone_entropy" => {
            "As entropy, but a value that stands for few of the original rows counts less, so that coarser values never cost less."
        }
        "non_uniform_entropy" => {
            "How many bits a reader lacks to know the original values, as a share of all bits in the columns. Hiding a rare value \
             costs more than hiding a common one."
        }
        "distortion" => {
            "How far up their hierarchies the values were lifted: 0 if none was, 1 if all are at the top. Every step counts the same."
        }
        "distortion_height" => {
            "How far up their hierarchies the values were lifted: 0 if none was, 1 if all are at the top. Steps near the top count more."
        }
        "information_loss" => {
            "How many bits less a row's group says about the class column than its original values did."
        }
        "information_trade_off" => {
            "What was lost about the class column, in bits, for each row that the smallest group has gained. Infinite if something was \
             lost and nothing gained."
        }
        "sensitive_loss" => {
            "How unsure someone stays about a row's sensitive value who knows its group: 0 if every group has one value only. \
             What the models ask for makes it grow."
        }
        "sensitive_bits" => "The same in bits: what is left to learn about a row's sensitive value.",
        "query_error" => {
            "How far counts of random groups of people are off on the release, relative to the true counts. The mean lies between \
             lower and upper with a probability of 95 %."
        }
        _ => return None,
    })
}

/// How a column was coarsened.
pub(super) fn coarsening(coarsening: &Coarsening) -> String {
    match coarsening {
        Coarsening::None | Coarsening::Level { level: 0, .. } => "Values as in the original".to_owned(),
        Coarsening::Level { level, of } if level == of => {
            format!("Level {level} of {of}: the top, one value for all")
        }
        Coarsening::Level { level, of } => {
            let steps = if *level == 1 { "one step".to_owned() } else { format!("{level} steps") };
            format!("Level {level} of {of}: every value {steps} up its hierarchy")
        }
        Coarsening::Ranges => "Ranges, as narrow as each group allows".to_owned(),
        Coarsening::Nodes => "Nodes of the hierarchy, as fine as each group allows".to_owned(),
        Coarsening::Sets => "Sets of values, as small as each group allows".to_owned(),
        Coarsening::Suppressed => "Suppressed: * in every row".to_owned(),
        Coarsening::Other { text } => capitalised(text),
    }
}

/// Where a hierarchy comes from.
pub(super) fn provenance(provenance: Provenance) -> (&'static str, &'static str) {
    match provenance {
        Provenance::Declared => ("declared", "given or built in; does not depend on these rows"),
        Provenance::FromData => {
            ("from data", "computed from these rows; its cut points say something about them")
        }
    }
}

/// A column's role.
pub(super) fn role(role: ColumnRole) -> &'static str {
    match role {
        ColumnRole::Quasi => "quasi-identifier",
        ColumnRole::Sensitive => "sensitive",
        ColumnRole::Class => "class",
        ColumnRole::ClassAndSensitive => "class and sensitive",
        ColumnRole::Other => "other",
        ColumnRole::Code => "code",
        ColumnRole::Perturbed => "quasi-identifier, perturbed",
        ColumnRole::Weight => "survey weight",
    }
}

/// What happened to suppressed rows.
pub(super) fn suppressed_as(how: SuppressedAs) -> &'static str {
    match how {
        SuppressedAs::Starred => "kept with * in every quasi-identifier",
        SuppressedAs::Dropped => "left out of the release",
    }
}

/// A risk as a chance: "a 1 in 5 chance". Rounded so that the risk never sounds lower than it is.
pub(crate) fn chance(risk: f64) -> String {
    if !risk.is_finite() || risk <= 0.0 {
        return "no chance".to_owned();
    }
    if risk >= 1.0 {
        return "certainty".to_owned();
    }
    let one_in = 1.0 / risk;
    // 1 / (1 / 49) is not quite 49 in floating point.
    let nearest = one_in.round();
    if (one_in - nearest).abs() < 1e-9 * nearest {
        format!("a 1 in {} chance", count(nearest as u64))
    } else if one_in >= 10.0 {
        format!("about a 1 in {} chance", count(one_in.floor() as u64))
    } else {
        format!("about a 1 in {:.1} chance", (one_in * 10.0).floor() / 10.0)
    }
}

/// Words that the report uses, for readers who are new to them.
pub(super) const GLOSSARY: &[(&str, &str)] = &[
    (
        "Quasi-identifier",
        "A column that outsiders may know about a person, such as age, sex or postcode. Several together can point to one person.",
    ),
    (
        "Group (equivalence class)",
        "All released rows that look the same on the quasi-identifiers. Nobody can tell them apart by these columns.",
    ),
    (
        "Class column",
        "A column that machine-learning models will later predict. This has nothing to do with groups, which are also called equivalence classes.",
    ),
    ("Sensitive column", "A column whose value must not be learnt about a person, such as a diagnosis."),
    ("k-anonymous", "Every group has at least k rows."),
    (
        "l-diverse",
        "In every group the sensitive column takes at least l values, or is spread as evenly as l values would be; the variant says which.",
    ),
    (
        "t-close",
        "In every group the sensitive column is distributed almost as in the whole table, up to a distance t.",
    ),
    (
        "alpha, beta, delta",
        "Bounds on what a group says about a value: its share (alpha), how much more frequent than in the whole table it may be \
         (beta), and how much more or less frequent (delta).",
    ),
    (
        "Coarsening",
        "Replacing a value by a wider one that is still true: 37 by a range around it, a town by its county.",
    ),
    (
        "Hierarchy",
        "The tree of ever wider values that a column may be coarsened along. Level 0 is the original value.",
    ),
    ("Suppression", "Giving up a row: all its quasi-identifiers become *, or the row is left out."),
    (
        "Prosecutor risk",
        "The chance of picking the right row for somebody who is known to be in the table: 1 divided by the size of the group.",
    ),
];

#[cfg(test)]
mod tests {
    use super::super::data::{ModelResult, Release, Setting};
    use super::*;

    fn k_anonymity(holds: bool) -> ModelResult {
        ModelResult {
            name: "k_anonymity".into(),
            title: "k-anonymity".into(),
            on: ["age", "sex", "postcode"].map(String::from).to_vec(),
            required: vec![Setting::new("k", 5u64)],
            claim: Some("5-anonymous on age, sex and postcode".into()),
            holds,
            ..ModelResult::default()
        }
    }

    fn report() -> Report {
        Report {
            release: Release {
                rows: 100,
                released: 100,
                suppressed: 10,
                classes: 9,
                checked: true,
                ..Release::default()
            },
            models: vec![k_anonymity(true)],
            ..Report::default()
        }
    }

    #[test]
    fn the_verdict_says_on_what_and_that_it_was_checked() {
        assert_eq!(
            verdict(&report()).replace('\u{a0}', " "),
            "The release is 5-anonymous on age, sex and postcode; checked. 10 of 100 rows (10 %) were suppressed."
        );
    }

    #[test]
    fn nothing_unchecked_is_called_checked() {
        let mut unchecked = report();
        unchecked.release.checked = false;
        let mut untrue = report();
        untrue.release.truthful = Some(false);
        let mut failing = report();
        failing.models.push(k_anonymity(false));
        let mut unasked = report();
        unasked.models.clear();
        for report in [unchecked, untrue, failing, unasked] {
            assert!(!verdict(&report).contains("; checked"));
        }
    }

    #[test]
    fn a_release_of_stars_only_is_pointed_out() {
        let mut report = report();
        report.release.classes = 0;
        report.release.suppressed = 100;
        assert!(verdict(&report).contains("Every row had to be suppressed"));
    }

    #[test]
    fn chances_never_sound_smaller_than_they_are() {
        assert_eq!(chance(0.2), "a 1 in 5 chance");
        assert_eq!(chance(1.0 / 49.0), "a 1 in 49 chance");
        assert_eq!(chance(1.0), "certainty");
        assert_eq!(chance(0.3), "about a 1 in 3.3 chance");
        assert_eq!(chance(0.0195), "about a 1 in 51 chance");
        assert_eq!(chance(f64::NAN), "no chance");
    }

    #[test]
    fn levels_in_words() {
        assert_eq!(coarsening(&Coarsening::Level { level: 0, of: 4 }), "Values as in the original");
        assert_eq!(
            coarsening(&Coarsening::Level { level: 2, of: 4 }),
            "Level 2 of 4: every value 2 steps up its hierarchy"
        );
        assert_eq!(
            coarsening(&Coarsening::Level { level: 1, of: 1 }),
            "Level 1 of 1: the top, one value for all"
        );
    }
}
