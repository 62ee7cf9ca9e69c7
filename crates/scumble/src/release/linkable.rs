//! What codes and moved dates must not stand beside in a release, and codes that link the rows of a person within it.
//!
//! Whoever sees which rows are one person's finds people by all of their rows together. A model that looks at one row at a time says nothing
//! about that.

use std::collections::{BTreeMap, BTreeSet};

use scumble_files::table::{CodedColumn, CodedTable};

use crate::config::{ModelSpec, Plan, Role};
use crate::error::{Error, Result, Setting, Wanted};
use crate::release::prepare::value_of_text;
use crate::transforms::{Step, StepTruth};

/// The sentence about codes that link rows, which the owner has accepted. It may be published.
pub(super) const ROWS_ARE_LINKED: &str = "equal codes show which rows belong together, and what is promised is about single rows: whoever knows \
                                          several rows of one person may find all rows of that person";

/// Whose rows have equal codes.
enum Linked {
    /// Those of different people, too, or no code stands in two rows.
    Nobody,
    /// Those of one person.
    Person,
    /// Nobody has said whom rows are about.
    Unknown,
}

fn is_published(plan: &Plan, name: &str) -> bool {
    plan.column(name).is_some_and(|column| Role::PUBLISHED.iter().any(|role| column.role.has(*role)))
}

/// What a column was made of: the columns of the table as it was read, and whether codes are among what it shows.
#[derive(Debug, Clone, Default)]
struct Origin<'a> {
    /// Columns whose values it still tells something about, without a key.
    raw: BTreeSet<&'a str>,
    /// Whether it shows codes, or what other steps made of them.
    of_codes: bool,
}

fn is_secret(step: &Step) -> bool {
    matches!(step.transform.facts().truth, StepTruth::Pseudonym | StepTruth::Shifted)
}

/// What the columns are made of before a step. A column that no step has made stands for itself.
fn origins<'a>(steps: &'a [Step]) -> BTreeMap<&'a str, Origin<'a>> {
    let mut known: BTreeMap<&str, Origin<'_>> = BTreeMap::new();
    for step in steps {
        // Noise that is one for each person shows nobody: what a step reads besides does not show.
        let shows = if step.perturbs() { step.columns() } else { step.reads() };
        let read: Vec<Origin<'_>> = shows.into_iter().map(|name| origin(&known, name)).collect();
        let made = Origin {
            raw: if is_secret(step) {
                BTreeSet::new()
            } else {
                read.iter().flat_map(|of| of.raw.iter().copied()).collect()
            },
            of_codes: step.transform.facts().truth == StepTruth::Pseudonym
                || read.iter().any(|of| of.of_codes),
        };
        step.makes().into_iter().for_each(|name| drop(known.insert(name, made.clone())));
    }
    known
}

fn origin<'a>(known: &BTreeMap<&'a str, Origin<'a>>, name: &'a str) -> Origin<'a> {
    known.get(name).cloned().unwrap_or_else(|| Origin { raw: BTreeSet::from([name]), of_codes: false })
}

/// Returns an error if something is to be published beside the codes or the moved dates that were made of the same column, and tells about that
/// column without a key: the column itself, or what other steps made of it. What was made of a date and of other columns, such as the days
/// between two dates, tells nothing about how far dates were moved.
pub(super) fn check_originals(plan: &Plan, steps: &[Step]) -> Result<()> {
    let last = origins(steps);
    for (place, step) in steps.iter().enumerate().filter(|(_, step)| is_secret(step)) {
        let Some(made) = step.makes().into_iter().find(|name| is_published(plan, name)) else { continue };
        let before = origins(&steps[..place]);
        let are_dates = step.transform.facts().truth == StepTruth::Shifted;
        for name in step.columns() {
            let of = origin(&before, name).raw;
            let tells = |other: &&String| {
                let raw = origin(&last, other).raw;
                other.as_str() != made && !raw.is_disjoint(&of) && (!are_dates || raw.is_subset(&of))
            };
            let published = plan.columns.iter().map(|(other, _)| other);
            let beside = published.filter(|other| is_published(plan, other)).find(tells);
            if let Some(beside) = beside {
                return Err(Error::refused(format!(
                    "'{beside}' is to be published beside '{made}', which is made of it, or of what it is made of, with a secret key: whoever sees both can \
                     undo that without the key"
                ))
                .set(Setting::role("drop").of(&[beside]), format!("leave '{beside}' out"))
                .advise(format!(
                    "leave into out of the step, so that the result takes the place of '{name}'"
                )));
            }
        }
    }
    Ok(())
}

/// Returns an error if codes that are to be published link the rows of a person, unless a model is about all rows of a person, or the owner
/// accepts it. The table has the columns that steps have read. Afterwards `accept_linkable_rows` of the plan says whether rows are linked
/// without such a model.
pub(super) fn check(plan: &mut Plan, steps: &[Step], table: &CodedTable) -> Result<()> {
    let asked = plan.privacy.iter().any(ModelSpec::is_about_persons);
    let mut open = false;
    let last = origins(steps);
    let subject: Option<String> = plan.names_with(Role::Subject).next().map(str::to_owned);
    // What other steps made of codes, or of the column that tells people apart, links rows like codes.
    let suspects: Vec<String> = last
        .iter()
        .filter(|(_, of)| of.of_codes || subject.as_deref().is_some_and(|name| of.raw.contains(name)))
        .map(|(name, _)| (*name).to_owned())
        .collect();
    for code in suspects.iter().map(String::as_str) {
        if !is_published(plan, code) || asked && is_of_single_persons(plan, code, table)? {
            continue;
        }
        let is_code = |step: &&Step| {
            step.makes().contains(&code) && step.transform.facts().truth == StepTruth::Pseudonym
        };
        let maker = steps.iter().rfind(|step| step.makes().contains(&code));
        let of_codes = last.get(code).is_some_and(|of| of.of_codes);
        let what = match (maker.filter(is_code), &subject) {
            (Some(_), _) => format!("the codes in '{code}'"),
            (None, Some(subject)) if !of_codes => {
                format!("the values in '{code}', which are made of '{subject}',")
            }
            _ => format!("the values in '{code}', which are made of codes,"),
        };
        let error = match links(plan, steps.iter().rfind(is_code), code, table)? {
            Linked::Nobody => continue,
            Linked::Person if asked => Error::refused(format!(
                "{what} show which rows of several people belong together, such as those of a household, and multirelational k-anonymity is about \
                 the rows of each person by itself"
            ))
            .advise("let models count households in place of persons: k-anonymity with unit = \"household\", and no subject column"),
            Linked::Person => Error::refused(format!(
                "{what} show which rows are one person's, and no model is about all rows of a person together: whoever knows several rows of \
                 somebody may find all of them"
            ))
            .set(
                Wanted::model("multirelational").with("k", 5),
                "ask for a model of all rows of a person, with an algorithm that serves it, such as mingen",
            ),
            Linked::Unknown => Error::refused(format!(
                "{what} show which rows belong together, and no column says whose rows they are"
            ))
            .set(Setting::role("subject"), "say which column tells people apart, even if each has one row"),
        };
        if !plan.accept_linkable_rows {
            return Err(error
                .advise(format!("leave the column out: give '{code}' the role drop"))
                .weaken(Setting::root("accept_linkable_rows").to(true), "accept that rows can be linked"));
        }
        open = true;
    }
    plan.accept_linkable_rows &= open;
    Ok(())
}

/// The columns of a plan that show in its release which rows belong to one person, where they are published as they are. `table` is the original after
/// all steps.
pub fn columns_that_link(plan: &Plan, table: &CodedTable) -> Result<Vec<String>> {
    let names = plan.columns.iter().map(|(name, _)| name.as_str());
    let is_exact = |name: &&str| {
        is_published(plan, name) && plan.column(name).is_some_and(|column| !column.role.has(Role::Quasi))
    };
    linking(plan, &names.filter(is_exact).collect::<Vec<_>>(), table)
}

/// The columns among these that show in the release which rows belong to one person: codes that link rows, what other steps made of them, and
/// columns that have one value for each person or household and none for two.
pub(super) fn linking(plan: &Plan, names: &[&str], table: &CodedTable) -> Result<Vec<String>> {
    let steps = crate::transforms::steps(&plan.transform)?;
    let last = origins(&steps);
    let roles = [Role::Subject, Role::Household];
    let people: Vec<&CodedColumn> = roles
        .iter()
        .flat_map(|role| plan.names_with(*role).collect::<Vec<_>>())
        .filter_map(|name| table.column(name))
        .collect();
    let mut found = Vec::new();
    for name in names.iter().copied() {
        let is_code = |step: &&Step| {
            step.makes().contains(&name) && step.transform.facts().truth == StepTruth::Pseudonym
        };
        let of_people =
            |of: &Origin<'_>| plan.names_with(Role::Subject).any(|subject| of.raw.contains(subject));
        let suspect = last.get(name).is_some_and(|of| of.of_codes || of_people(of));
        let links = match suspect {
            true => !matches!(links(plan, steps.iter().rfind(is_code), name, table)?, Linked::Nobody),
            false => people.iter().any(|column| names_each(plan, column, name, table)),
        };
        if links {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// Whether a column has one value for each person, none for two, and somebody has it in several rows.
fn names_each(plan: &Plan, people: &CodedColumn, name: &str, table: &CodedTable) -> bool {
    let Some(column) = table.column(name) else { return false };
    let missing = plan.column(name).and_then(|column| column.missing.as_ref());
    let missing = missing.unwrap_or(&plan.read.missing);
    let is_missing: Vec<bool> =
        column.values.iter().map(|text| missing.iter().any(|marker| marker == text)).collect();
    let number = value_of_text(people, plan);
    let mut of_value: Vec<Option<u32>> = vec![None; column.values.len()];
    let mut of_person: Vec<Option<u32>> = vec![None; people.values.len()];
    let mut repeated = false;
    for (value, person) in column.codes.iter().zip(people.codes.iter()) {
        if is_missing[value as usize] {
            return false;
        }
        let person = number[person as usize];
        let known = (of_value[value as usize].replace(person), of_person[person as usize].replace(value));
        match known {
            (None, None) => {}
            (Some(of), Some(with)) if of == person && with == value => repeated = true,
            _ => return false,
        }
    }
    repeated
}

/// Whether all rows of each code are of one person, as models count people.
fn is_of_single_persons(plan: &Plan, name: &str, table: &CodedTable) -> Result<bool> {
    let codes = table.column(name).ok_or_else(|| Error::internal("the codes are gone"))?;
    let Some(people) = plan.counted_by().and_then(|name| table.column(name)) else { return Ok(false) };
    let person_of = value_of_text(people, plan);
    let mut of_code: Vec<Option<u32>> = vec![None; codes.values.len()];
    let mut rows = codes.codes.iter().zip(people.codes.iter());
    Ok(rows.all(|(code, person)| {
        let person = person_of[person as usize];
        *of_code[code as usize].get_or_insert(person) == person
    }))
}

/// Whose rows have equal codes. They are one person's if the codes were made of the column that tells people or households apart, or of one that
/// names people, or if some code stands in several rows, and all of them are one person's. `step` made the codes, if no other step came after it.
fn links(plan: &Plan, step: Option<&Step>, name: &str, table: &CodedTable) -> Result<Linked> {
    let codes = table.column(name).ok_or_else(|| Error::internal("the codes are gone"))?;
    let missing = plan.column(name).and_then(|column| column.missing.as_ref());
    let missing = missing.unwrap_or(&plan.read.missing);
    let is_code: Vec<bool> =
        codes.values.iter().map(|text| !missing.iter().any(|marker| marker == text)).collect();
    if !is_repeated(codes, &is_code) {
        return Ok(Linked::Nobody);
    }
    let of_people = |name: &&str| {
        let roles = [Role::Subject, Role::Household, Role::Identifier];
        plan.column(name).is_some_and(|column| roles.iter().any(|role| column.role.has(*role)))
    };
    if step.is_some_and(|step| step.columns().iter().any(of_people)) {
        return Ok(Linked::Person);
    }
    let subject = plan.names_with(Role::Subject).next().and_then(|name| table.column(name));
    let Some(subject) = subject else { return Ok(Linked::Unknown) };
    let person_of = value_of_text(subject, plan);
    let mut seen: Vec<Seen> = vec![Seen::Nowhere; codes.values.len()];
    for (row, code) in codes.codes.iter().enumerate().filter(|(_, code)| is_code[*code as usize]) {
        let person = person_of[subject.codes.get(row) as usize];
        let of = &mut seen[code as usize];
        *of = match *of {
            Seen::Nowhere => Seen::Once(person),
            Seen::Once(other) | Seen::Again(other) if other == person => Seen::Again(person),
            _ => Seen::OfSeveral,
        };
    }
    Ok(match seen.iter().any(|of| matches!(of, Seen::Again(_))) {
        true => Linked::Person,
        false => Linked::Nobody,
    })
}

/// In whose rows a code stands.
#[derive(Debug, Clone, Copy)]
enum Seen {
    Nowhere,
    /// In one row of this person.
    Once(u32),
    /// In several rows, all of this person.
    Again(u32),
    OfSeveral,
}

/// Whether some code stands in several rows.
fn is_repeated(codes: &CodedColumn, is_code: &[bool]) -> bool {
    let mut met = vec![false; codes.values.len()];
    codes.codes.iter().any(|code| is_code[code as usize] && std::mem::replace(&mut met[code as usize], true))
}
