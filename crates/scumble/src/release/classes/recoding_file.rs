//! The recoding of a run as a private file, which explains a release and lets other rows be recoded in the same way.

use super::ClassRun;
use super::build_algorithm;
use crate::config::{Column, Plan, Read};
use crate::error::{Error, Result, Setting};
use crate::recoding::Step;
use crate::registry::Method;
use crate::release::new_rows::typical;
use crate::release::offers;
use crate::release::saved::format::{QuasiFile, RecodingFile, RuleFile, ShapeFile, VERSION};
use crate::table::hierarchy::Outline;
use crate::table::quasi::{Line, Quasi, Shape};

/// Returns an error if the algorithm does not make a rule for other rows.
pub(in crate::release) fn check_rule_for_rows(plan: &Plan, method: &Method) -> Result<()> {
    let why = match method {
        Method::Classes(entry) if build_algorithm(plan, entry)?.capabilities().shows_means => {
            "shows the means of groups, and the mean of others is not true of a new row"
        }
        Method::Classes(_) => return Ok(()),
        Method::Records(_) => {
            "makes each record of rows that it chose for it, which is no rule for a new row"
        }
        Method::Tables(_) => {
            "publishes several tables, which say nothing about how a new row would be coarsened"
        }
    };
    Err(Error::refused(format!("'{}' {why}, so there is no recoding to save", plan.algorithm.name))
        .unset(Setting::root("recoding"), "leave the recoding out")
        .with(offers::of_classes(plan, "use an algorithm that makes groups and shows no means")))
}

/// The rule that makes the published classes; `None` where the classes were changed afterwards, or are the rule themselves.
pub(super) fn lasting(step: Step, plan: &Plan, quasi: &[Quasi]) -> Option<Step> {
    let changed = plan.algorithm.polish || plan.algorithm.flatten || quasi.iter().any(|quasi| quasi.sets);
    (!changed && !matches!(step, Step::Regions(_))).then_some(step)
}

/// The rule of a run, with all that is needed to apply it to other rows.
pub(super) fn recoding<'r>(run: &'r ClassRun<'_>) -> RecodingFile<'r> {
    let assignment = &run.found.classes.assignment;
    let quasi = (0..run.problem.quasi.len()).map(|place| quasi(run, place)).collect();
    let Read { missing, missing_policy, .. } = run.plan.read.clone();
    RecodingFile {
        scumble_recoding: VERSION,
        algorithm: run.algorithm.name.to_owned(),
        privacy: run.plan.privacy.clone(),
        quasi_sets: run.plan.quasi_sets.clone(),
        accept_attribute_disclosure: run.plan.accept_attribute_disclosure,
        accept_linkable_rows: run.plan.accept_linkable_rows,
        other_tables: run.found.population.is_some() || !run.plan.table.is_empty(),
        audience: run.plan.risk.audience,
        star_policy: run.problem.star_policy,
        missing,
        missing_policy,
        transform: run.plan.transform.clone(),
        // Hierarchies and bounds are part of the shapes.
        columns: run
            .plan
            .columns
            .iter()
            .map(|(name, of)| (name.clone(), Column { hierarchy: None, min: None, max: None, ..of.clone() }))
            .collect(),
        hierarchies: run
            .found
            .payload_trees
            .iter()
            .map(|(name, tree)| (name.clone(), Outline::of(tree)))
            .collect(),
        quasi,
        rule: match &run.found.step {
            Some(Step::Levels(levels)) => RuleFile::Levels(levels.clone()),
            Some(Step::Maps(maps)) => RuleFile::Maps(maps.into()),
            Some(Step::Cuts(tree)) => RuleFile::Cuts(tree.nodes().into()),
            Some(Step::Regions(_)) | None => RuleFile::Nearest,
        },
        classes: assignment.classes() as u32,
        suppressed: (0..)
            .zip(&assignment.suppressed)
            .filter(|(_, is)| **is)
            .map(|(class, _)| class)
            .collect(),
    }
}

fn quasi<'r>(run: &'r ClassRun<'_>, place: usize) -> QuasiFile<'r> {
    let quasi = &run.problem.quasi[place];
    let shown = &run.found.classes.assignment.columns[place];
    let owned = |text: &str| text.to_owned();
    QuasiFile {
        name: quasi.name.clone(),
        measure: quasi.measure,
        tight: quasi.tight,
        sets: quasi.sets,
        shape: match &quasi.shape {
            Shape::Tree(tree) => ShapeFile::Tree(Outline::of(tree)),
            Shape::Set(texts) => ShapeFile::Set(texts.iter().map(owned).collect()),
            Shape::Line(line @ Line { numbers, texts, declared, .. }) => {
                let (from, to) = line.interval(0, numbers.len() as u32 - 1);
                ShapeFile::Line {
                    texts: texts.iter().take(numbers.len()).map(owned).collect(),
                    missing: line.missing().map(|code| texts.get(code).to_owned()),
                    from: quasi.measure.text(from),
                    to: quasi.measure.text(to),
                    declared: *declared,
                }
            }
        },
        typical: typical(&run.problem, place),
        values: (&shown.values).into(),
        of_class: shown.of_class.iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::{Kind, Measure};
    use crate::table::quasi::Shape;

    /// A rule that does not make the published classes must not be saved as the rule of the release.
    #[test]
    fn a_rule_lasts_where_nothing_was_changed_afterwards() {
        let quasi = |sets| Quasi {
            name: "town".to_owned(),
            measure: Measure { kind: Kind::Text, scale: 0 },
            shape: Shape::Set(["a", "b"].into_iter().collect()),
            priority: 1.0,
            tight: false,
            sets,
        };
        let lasts = |polish, flatten, sets| {
            let mut plan = Plan::new("in.csv", "out.csv");
            (plan.algorithm.polish, plan.algorithm.flatten) = (polish, flatten);
            lasting(Step::Levels(vec![1]), &plan, &[quasi(false), quasi(sets)]).is_some()
        };
        assert!(lasts(false, false, false));
        assert!(!lasts(true, false, false) && !lasts(false, true, false) && !lasts(false, false, true));
    }
}
