//! Steps that treat all rows of a person alike.

use std::collections::BTreeSet;

use scumble_files::table::CodedColumn;

use crate::config::{Plan, Role, TransformSpec};
use crate::error::{Error, Result, Setting};
use crate::release::prepare::value_of_text;
use crate::transforms::{Step, StepTruth, TRANSFORMS, steps};

/// The steps with the columns that say whose rows are whose, where a step needs one and does not name it; and with consistent chance, where the
/// plan has a key.
pub(super) fn with_persons(plan: &Plan) -> Result<Vec<TransformSpec>> {
    let mut specs = plan.transform.clone();
    for spec in &mut specs {
        let entry = TRANSFORMS.get(&spec.transform);
        let has = |parameter: &str| {
            entry.is_some_and(|entry| entry.parameters.iter().any(|(name, _)| *name == parameter))
        };
        let has_people = plan.names_with(Role::Subject).next().is_some();
        let is_open = has("consistent") && spec.parameters.get("consistent").is_none();
        if is_open && plan.keys.file.is_some() && has_people && draws(spec)? {
            if spec.parameters.get("project").is_none() {
                let error = Error::config(format_args!(
                    "the step '{}' draws anew in every release, although the plan has a key: whoever puts several releases together comes near the \
                     true values",
                    spec.transform
                ));
                return Err(spec
                    .parameters
                    .placed("do", error)
                    .advise("name the project in the step, so that draws are the same in all of its releases: project = \"…\"")
                    .advise("if there will be one release only, say that it draws anew: consistent = false"));
            }
            spec.parameters.set("consistent", true.into());
        }
        let draws_anew = has("consistent") && spec.parameters.get("consistent") != Some(&true.into());
        if has("subject") && !draws_anew {
            let what = "treats all rows of a person alike, and no column says whose rows they are";
            name_persons(
                spec,
                plan,
                (Role::Subject, "subject"),
                what,
                "say which column tells people apart",
            )?;
        }
        if has("household") {
            let what = "exchanges whole households, and no column says which rows are one household";
            name_persons(
                spec,
                plan,
                (Role::Household, "household"),
                what,
                "say which column tells households apart",
            )?;
        }
    }
    Ok(specs)
}

/// Whether a step draws, as it is written.
fn draws(spec: &TransformSpec) -> Result<bool> {
    Ok(steps(std::slice::from_ref(spec))?.iter().any(|step| step.transform.facts().needs_chance))
}

/// Names the column of a role in a parameter, unless the step names one itself.
fn name_persons(
    spec: &mut TransformSpec,
    plan: &Plan,
    (role, parameter): (Role, &'static str),
    what: &str,
    remedy: &'static str,
) -> Result<()> {
    if spec.parameters.get(parameter).is_some() {
        return Ok(());
    }
    let Some(column) = plan.names_with(role).next() else {
        let error = Error::config(format_args!("the step '{}' {what}", spec.transform));
        return Err(spec
            .parameters
            .placed("do", error)
            .set(Setting::role(role.name()), remedy)
            .advise(format!("name that column in the step: {parameter} = \"…\"")));
    };
    spec.parameters.set(parameter, column.into());
    Ok(())
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
    // What is made of moved dates has moved with them.
    let mut moved: BTreeSet<&str> = BTreeSet::new();
    for step in steps {
        let is_moving = step.transform.facts().truth == StepTruth::Shifted;
        let already = step.columns().into_iter().find(|name| moved.contains(name));
        if let Some(twice) = already.filter(|_| is_moving) {
            let error = Error::config(format_args!(
                "the dates in '{twice}' are to be moved twice, so some could end where they began"
            ));
            return Err(step.spec.parameters.placed("do", error).advise("leave one of the steps out"));
        }
        if is_moving || already.is_some() {
            moved.extend(step.makes());
        }
    }
    for (place, step) in moving.iter().enumerate() {
        let (project, ways) = how(step);
        let differs = |earlier: &&&Step| {
            let (of, other) = how(earlier);
            of == project && other != ways
        };
        if let Some(earlier) = moving[..place].iter().find(differs) {
            let error = Error::config(format_args!(
                "the dates in '{}' and '{}' are to be moved differently, so the time between two dates of a person would be wrong",
                earlier.makes().join(", "),
                step.makes().join(", ")
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
