//! The risk that is left in a release, beside that of its original, for the private report.

use std::collections::BTreeMap;

use super::Run;
use crate::config::{RiskSpec, StarPolicy};
use crate::label::STAR;
use crate::report::data::{PopulationUniques, Risk, RiskFigures, Singling};
use crate::risk::uniques::{Sample, estimate};
use crate::risk::{RiskClasses, singling};

/// How many tuples may be looked at, over all combinations of columns: a second's work at most. Beyond that `scumble risk`
/// does it, where somebody waits for nothing else.
const MOST_LOOKS: u64 = 30_000_000;

pub(super) fn risk(run: &Run<'_>) -> Risk {
    let spec = &run.plan.risk;
    let (before, after) = (original(run), released(run));
    let figures = |classes: &RiskClasses| {
        let own: Vec<(u64, u64)> = classes.sizes.iter().map(|size| (*size, *size)).collect();
        RiskFigures::of_sizes(&own, spec.threshold)
    };
    let people = spec.people(before.rows()).unwrap_or_default();
    let alone = |classes: &RiskClasses| -> Option<PopulationUniques> {
        let population = people.filter(|people| *people >= classes.rows() && classes.rows() > 0)?;
        Some(estimate(&Sample { sizes: &classes.histogram(), rows: classes.rows(), population }))
    };
    Risk {
        before: Some(figures(&before)),
        after: figures(&after),
        singling_before: look(&before, spec, people),
        singling_after: look(&after, spec, people),
        population_before: alone(&before),
        population_after: alone(&after),
    }
}

/// Which columns single people out, if it is quickly found.
fn look(classes: &RiskClasses, spec: &RiskSpec, people: Option<u64>) -> Option<Singling> {
    let (size, all) = (u64::from(spec.combination_size), classes.names.len() as u64);
    let mut sets: u64 = 0;
    let mut of_size: u64 = 1;
    for columns in 1..=size.min(all) {
        of_size = of_size.saturating_mul(all - columns + 1) / columns;
        sets = sets.saturating_add(of_size);
    }
    if size == 0 || all > 64 || sets.saturating_mul(classes.sizes.len() as u64) > MOST_LOOKS {
        return None;
    }
    let fraction = people.map(|people| classes.rows() as f64 / people as f64);
    Some(singling(classes, size as usize, fraction).0)
}

fn original(run: &Run<'_>) -> RiskClasses {
    let table = &run.problem.table;
    RiskClasses {
        names: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        values: run.problem.quasi.iter().map(crate::quasi::Quasi::size).collect(),
        codes: (0..table.width()).map(|column| table.column(column).iter().collect()).collect(),
        sizes: (0..table.tuples() as u32).map(|tuple| table.weight(tuple)).collect(),
        ..RiskClasses::default()
    }
}

/// The classes as readers see them. Starred rows are candidates for each other, whether or not they were judged.
fn released(run: &Run<'_>) -> RiskClasses {
    let classes = run.classes();
    let kept: Vec<usize> = (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).collect();
    let dropped = run.problem.star_policy == StarPolicy::Drop;
    let star = (!dropped && classes.suppressed_rows() > 0).then(|| classes.suppressed_rows());
    let mut seen = RiskClasses {
        sizes: kept.iter().map(|class| classes.size(*class)).chain(star).collect(),
        star: star.map(|_| kept.len() as u32),
        ..RiskClasses::default()
    };
    for (quasi, column) in run.problem.quasi.iter().zip(&classes.assignment.columns) {
        // Readers see texts, whatever stands behind them.
        let labels: Vec<String> = column.values.iter().map(|value| quasi.label(*value)).collect();
        let distinct: BTreeMap<&str, u32> = {
            let mut texts: Vec<&str> = labels.iter().map(String::as_str).chain([STAR]).collect();
            texts.sort_unstable();
            texts.dedup();
            texts.into_iter().zip(0..).collect()
        };
        let code_of: Vec<u32> = labels.iter().map(|label| distinct[label.as_str()]).collect();
        let shown = kept.iter().map(|class| code_of[column.of_class.get(*class) as usize]);
        seen.codes.push(shown.chain(star.map(|_| distinct[STAR])).collect());
        seen.values.push(distinct.len() as u32);
        seen.names.push(quasi.name.clone());
    }
    seen
}
