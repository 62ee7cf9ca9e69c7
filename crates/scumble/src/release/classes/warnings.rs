//! Warnings that call for a decision before publishing.

use super::super::spreadsheet::{self, Shows};
use super::super::targets::format_of;
use super::ClassRun;
use crate::base::text::{counted, grouped, rows};
use crate::config::StarPolicy;
use crate::release::claim::is_verified;
use crate::release::requirements::disclosure_accepted;
use crate::search::algorithms::Algorithm;
use crate::search::algorithms::cluster::MONDRIAN_START;

/// The warning about texts in the release that a spreadsheet program would run.
fn spreadsheet_warning(run: &ClassRun<'_>) -> Option<String> {
    let format = format_of(run.plan)?;
    let columns = run.source.by_name();
    let texts = |name: &str| columns.get(name).map(|column| &column.values);
    let quasi = run.problem.quasi.iter();
    let quasi =
        quasi.filter_map(|quasi| Some((quasi.name.as_str(), Shows::Labels(texts(&quasi.name)?, quasi))));
    let kept = run.untouched_columns().filter_map(|name| Some((name, Shows::Texts(texts(name)?))));
    spreadsheet::warning(run.plan, format, quasi.chain(kept))
}

/// The warnings of a run, and of its search if there was one.
pub(in crate::release) fn warnings(run: &ClassRun<'_>, searched: Option<&dyn Algorithm>) -> Vec<String> {
    let mut warnings = Vec::new();
    let classes = &run.found.classes;
    if run.problem.star_policy == StarPolicy::Paper && classes.suppressed_rows() > 0 {
        warnings.push(format!(
            "star policy 'paper': {} not checked; someone who knows that no group has a person's values knows that this person is \
             among these rows",
            counted(classes.suppressed_rows(), "suppressed row is", "suppressed rows are")
        ));
    }
    if 2 * classes.suppressed_rows() > run.problem.table.rows() {
        warnings.push(mostly_suppressed(run));
    }
    if run.found.is_of_new_rows() {
        warnings.push(
            "the checks cover this table alone. If some of its people are also in the first release, or in another release by the same \
             recoding, someone who compares the two may learn about single people. Apply the recoding only to people who are in no other \
             release"
                .to_owned(),
        );
    }
    let smallest = (0..classes.len())
        .filter(|class| !classes.is_suppressed(*class))
        .map(|class| classes.size(class))
        .min();
    if run.problem.models.iter().any(|model| !run.problem.is_about_all(&**model)) {
        warnings.push(format!(
            "some models are about a part of the quasi-identifiers only: someone who knows all of them finds a group of as few as \
             {}",
            rows(smallest.unwrap_or(0))
        ));
    }
    warnings.extend(super::members::warnings(run));
    warnings.extend(spreadsheet_warning(run));
    for model in run.problem.models.iter().filter(|model| !is_verified(&***model)) {
        warnings.push(format!(
            "{}: a program added this model, which checked the groups itself; no independent code has checked that",
            model.title()
        ));
    }
    if run.problem.models.is_empty() {
        warnings.push(format!(
            "no privacy model was asked for, so nothing is promised; the smallest group has {}. Ask for one, e.g. k = 5",
            rows(smallest.unwrap_or(0))
        ));
    }
    warnings
        .extend(searched.and_then(|searched| searched.caveat(&run.found.findings, run.problem.quasi.len())));
    let algorithm = &run.plan.algorithm;
    let ends_by_itself = searched.is_some_and(|searched| !searched.capabilities().takes_steps);
    if ends_by_itself && !algorithm.polish && algorithm.steps.is_some() {
        warnings.push(format!(
            "'{}' runs to its end by itself; a number of steps changes nothing",
            run.algorithm.name
        ));
    }
    if let Some(steps) = run.problem.budget.spent_after() {
        let gap = run.found.findings.iter().find(|finding| finding.name == "gap");
        let proven = match gap.map(|gap| gap.value) {
            Some(Some(gap)) => format!(" The optimum is at most {gap:.4} better."),
            Some(None) => " How much better the best is, is not known.".to_owned(),
            None => String::new(),
        };
        let found = |name: &str| run.found.findings.iter().find(|finding| finding.name == name);
        if found("polish_steps").is_some_and(|steps| steps.value == Some(0.0)) {
            let limit = if algorithm.budget.is_some() { "the time limit" } else { "the limit on steps" };
            let start = match found(MONDRIAN_START) {
                Some(_) => "the plain Mondrian starting point",
                None => "the result as it was before",
            };
            warnings.push(format!(
                "{limit} ended before any improvement was tried: this is {start} (steps = {steps} repeats it). Give a larger budget."
            ));
        } else {
            warnings.push(format!(
            "the search was stopped after {} steps (steps = {steps} repeats it), and the best found by then was released.{proven}",
            grouped(steps)
        ));
        }
    }
    if run.plan.keep_order {
        warnings.push(
            "the rows keep the order of the original, which may identify people: publish them only where no reader can know that order"
                .into(),
        );
    }
    warnings.extend(disclosure_accepted(run.plan, &run.problem));
    if run.problem.table.payloads().person().is_some() {
        for name in run.plan.names_with(crate::config::Role::Sensitive) {
            // The claim of a model that bounds shares among people says who the people are.
            let bounded = run.problem.models.iter().any(|model| {
                model.protects() == Some(name)
                    && model.joint().is_none()
                    && model.claim().contains_key("person")
            });
            if !bounded {
                warnings.push(format!(
                    "the requirement on '{name}' counts rows, not persons: every person of a group may share one value, even where the group shows \
                     several. To prevent this, add l-diversity with variant = \"frequency\", or (alpha,k)-anonymity"
                ));
            }
        }
    }
    for quasi in &run.problem.quasi {
        if quasi.tight {
            warnings.push(format!(
                "column '{}': released ranges end at real values of people (label = \"tight\")",
                quasi.name
            ));
        }
        if quasi.sets {
            warnings.push(format!(
                "column '{}': released sets name exactly the values that occur in a group (label = \"set\")",
                quasi.name
            ));
        }
    }
    warnings
}

/// Why so much was suppressed; mostly, some columns still show too many values.
fn mostly_suppressed(run: &ClassRun<'_>) -> String {
    let (suppressed, rows) = (grouped(run.found.classes.suppressed_rows()), rows(run.problem.table.rows()));
    let still = match run.problem.star_policy {
        StarPolicy::Drop => "",
        StarPolicy::Strict | StarPolicy::Paper => " (their other columns are still published)",
    };
    if run.found.is_of_new_rows() {
        return format!(
            "{suppressed} of {rows} are suppressed{still}. The table has too few rows \
             for this recoding, or its rows differ from those that the recoding was made for; make a release of the table by itself"
        );
    }
    let columns = &run.found.classes.assignment.columns;
    let mut shown: Vec<(usize, &str)> = columns
        .iter()
        .zip(&run.problem.quasi)
        .map(|(column, quasi)| (column.values.len(), quasi.name.as_str()))
        .collect();
    shown.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let widest: Vec<String> = shown
        .iter()
        .take(3)
        .map(|(values, name)| format!("{name} ({} values)", grouped(*values as u64)))
        .collect();
    format!(
        "{suppressed} of {rows} are suppressed{still}, so the release says little. The columns that tell rows apart most are {}; give them \
         coarser hierarchies, use fewer quasi-identifiers{}",
        widest.join(", "),
        match run.found.levels {
            None => " or a smaller k",
            Some(_) => ", or use an algorithm that does not go by levels",
        },
    )
}
