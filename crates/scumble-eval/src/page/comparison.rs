//! Ranks and tests.

use minijinja::{Value, context};

use super::{p_value, values};
use crate::experiment::{Experiment, Results, SplitKind, Summary};
use crate::statistics::{Correction, Friedman, combined_f_test, compare_with_control, difference_diagram};

/// Friedman's test, ranks and comparisons with the control, for each machine-learning model.
pub(super) fn comparisons(experiment: &Experiment, results: &Results) -> Vec<Value> {
    let plan = &experiment.plan;
    let names: Vec<&str> = plan.algorithm.iter().map(|choice| choice.title()).collect();
    plan.learner.iter().filter_map(|learner| compare(experiment, results, learner.title(), &names)).collect()
}

fn compare(experiment: &Experiment, results: &Results, learner: &str, names: &[&str]) -> Option<Value> {
    let (blocks, left_out) = results.blocks(learner, names);
    let friedman = Friedman::of_scores(&blocks)?;
    let control = experiment.plan.control();
    let correction = experiment.plan.statistics.correction;
    let found = compare_with_control(&friedman, control, correction);
    let rows: Vec<Value> = names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let comparison = found[place];
            let is_control = place == control;
            let better = if comparison.z > 0.0 { "better" } else { "worse" };
            let verdict = match (is_control, comparison.differs()) {
                (true, _) => "control".to_owned(),
                (false, true) => format!("{better} than the control"),
                (false, false) => "no difference shown".to_owned(),
            };
            context! {
                name => *name,
                rank => format!("{:.2}", friedman.mean_ranks[place]),
                z => if is_control { "–".to_owned() } else { format!("{:.2}", comparison.z) },
                p => if is_control { "–".to_owned() } else { p_value(comparison.adjusted) },
                verdict,
                differs => !is_control && comparison.differs(),
            }
        })
        .collect();
    let full: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let one_table = experiment.data.len() == 1;
    let left_out = match left_out {
        0 => String::new(),
        left_out => format!(" {left_out} more are left out, because some algorithm failed there."),
    };
    Some(context! {
        learner,
        sentence => format!(
            "Friedman over {} blocks: χ² = {:.2}, p {}; Iman-Davenport F = {}, p {}.{left_out}",
            friedman.blocks,
            friedman.chi_squared,
            with_sign(friedman.p_value),
            if friedman.iman_davenport.is_infinite() { "∞".to_owned() } else { format!("{:.2}", friedman.iman_davenport) },
            with_sign(friedman.iman_davenport_p),
        ),
        caution => one_table,
        correction => match correction {
            Correction::BonferroniDunn => "Bonferroni-Dunn",
            Correction::Holm => "Holm",
            Correction::NsvdistRawOneSided => "one-sided, uncorrected, as in the NSVDist paper",
        },
        rows,
        svg => Value::from_safe_string(difference_diagram(&friedman, &full, control, correction)),
    })
}

fn with_sign(p: f64) -> String {
    if p < 0.001 { p_value(p) } else { format!("= {}", p_value(p)) }
}

/// The combined F test of each algorithm against the control, if the protocol is five times two halves.
pub(super) fn f_tests(experiment: &Experiment, results: &Results) -> Vec<Value> {
    let plan = &experiment.plan;
    if plan.protocol.split != SplitKind::FiveByTwo {
        return Vec::new();
    }
    let summaries = results.summaries();
    let control = plan.algorithm[plan.control()].title();
    let same =
        |a: &Summary, b: &Summary| (&a.data, &a.values, &a.learner) == (&b.data, &b.values, &b.learner);
    let row = |summary: &Summary| {
        let name = summary.algorithm.as_deref().filter(|name| *name != control)?;
        let against = summaries
            .iter()
            .find(|other| other.algorithm.as_deref() == Some(control) && same(other, summary))?;
        let differences = differences(&summary.by_split, &against.by_split)?;
        let test = combined_f_test(&differences);
        let f = if test.f.is_infinite() { "∞".to_owned() } else { format!("{:.2}", test.f) };
        Some(context! {
            data => &summary.data,
            values => values(&summary.values),
            learner => &summary.learner,
            name,
            control,
            f,
            p => p_value(test.p_value),
            differs => test.p_value <= 0.05,
        })
    };
    summaries.iter().filter_map(row).collect()
}

/// Differences of error rates, pair by pair; `None` unless both have all ten splits.
fn differences(one: &[f64], other: &[f64]) -> Option<[[f64; 2]; 5]> {
    if one.len() != 10 || other.len() != 10 {
        return None;
    }
    let mut pairs = [[0.0; 2]; 5];
    for (place, (one, other)) in one.iter().zip(other).enumerate() {
        pairs[place / 2][place % 2] = other - one;
    }
    Some(pairs)
}
