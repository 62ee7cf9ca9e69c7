//! Steps that treat all rows of a person alike.

use scumble_files::table::CodedColumn;

use crate::config::{Plan, Role, TransformSpec};
use crate::error::{Error, Result, Setting};
use crate::release::prepare::value_of_text;
use crate::transforms::{Step, StepTruth, TRANSFORMS};

/// The steps with the column that says whose dates are moved, where a step does not name one.
pub(super) fn with_subject(plan: &Plan) -> Result<Vec<TransformSpec>> {
    let mut specs = plan.transform.clone();
    for spec in &mut specs {
        let entry = TRANSFORMS.get(&spec.transform);
        let asks = entry.is_some_and(|entry| entry.parameters.iter().any(|(name, _)| *name == "subject"));
        if !asks || spec.parameters.get("subject").is_some() {
            continue;
        }
        let Some(subject) = plan.names_with(Role::Subject).next() else {
            let error = Error::config(format_args!(
                "the step '{}' treats all rows of a person alike, and nobody says which rows are one person's",
                spec.transform
            ));
            return Err(spec
                .parameters
                .placed("do", error)
                .set(Setting::role("subject"), "say which column tells people apart")
                .advise("name that column in the step: subject = \"…\""));
        };
        spec.parameters.set("subject", subject.into());
    }
    Ok(specs)
}

/// Returns an error if the dates of one person are to be moved in several ways, so that the time between them would be wrong.
pub(super) fn check_one_offset(steps: &[Step]) -> Result<()> {
    let moving: Vec<&Step> =
        steps.iter().filter(|step| step.transform.facts().truth == StepTruth::Shifted).collect();
    let how = |step: &Step| {
        let text = |name: &str, unless: &str| {
            let given = step.spec.parameters.get(name);
            given.map_or_else(|| unless.to_owned(), |value| value.to_text().into_owned())
        };
        let of_project = [text("max", "182"), text("unit", "1"), text("direction", "both")];
        (text("project", ""), of_project)
    };
    for (place, step) in moving.iter().enumerate() {
        if let Some(twice) =
            step.columns().into_iter().find(|name| moving[..place].iter().any(|of| of.makes() == *name))
        {
            let error = Error::config(format_args!(
                "the dates in '{twice}' are to be moved twice, so some could end where they began"
            ));
            return Err(step.spec.parameters.placed("do", error).advise("leave one of the steps out"));
        }
        let (project, ways) = how(step);
        let differs = |earlier: &&&Step| {
            let (of, other) = how(earlier);
            of == project && other != ways
        };
        if let Some(earlier) = moving[..place].iter().find(differs) {
            let error = Error::config(format_args!(
                "the dates in '{}' and '{}' are to be moved differently, so the time between two dates of a person would be wrong",
                earlier.makes(),
                step.makes()
            ));
            return Err(step
                .spec
                .parameters
                .placed("do", error)
                .advise("give both steps the same max, unit and direction")
                .advise(
                    "give the steps different projects, if their dates have nothing to do with each other",
                ));
        }
    }
    Ok(())
}

/// Returns an error if a person is written in several ways: each would have an offset of its own.
pub(super) fn check_one_spelling(subject: &CodedColumn, plan: &Plan) -> Result<()> {
    let person_of = value_of_text(subject, plan);
    let mut spelling: Vec<Option<u32>> = vec![None; subject.values.len()];
    for (row, code) in subject.codes.iter().enumerate() {
        let first = *spelling[person_of[code as usize] as usize].get_or_insert(code);
        if first != code && subject.values.get(first).trim() != subject.values.get(code).trim() {
            return Err(Error::data("a person is written in another way than in a row before, and dates are moved by how the person is written")
                .in_row(row as u64 + 1)
                .in_column(&subject.name)
                .advise("write each person in one way")
                .set(Setting::column("equality").of(&[&subject.name]).to("exact"), "let every spelling be a person of its own"));
        }
    }
    Ok(())
}
