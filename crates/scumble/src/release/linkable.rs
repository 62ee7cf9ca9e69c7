//! What codes and moved dates must not stand beside in a release, and codes that link the rows of a person within it.
//!
//! Whoever sees which rows are one person's finds people by all of their rows together. A model that looks at one row at a time says nothing
//! about that.

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

/// Returns an error if a column is to be published beside the codes or the moved dates that were made of it: whoever sees both needs no key.
pub(super) fn check_originals(plan: &Plan, steps: &[Step]) -> Result<()> {
    for (place, step) in steps.iter().enumerate() {
        let is_secret = matches!(step.transform.facts().truth, StepTruth::Pseudonym | StepTruth::Shifted);
        let made = step.makes();
        let stays = |name: &&str| {
            is_published(plan, name) && steps[place..].iter().all(|later| later.makes() != *name)
        };
        if let Some(name) =
            step.columns().into_iter().find(stays).filter(|_| is_secret && is_published(plan, made))
        {
            return Err(Error::refused(format!(
                "'{name}' is to be published beside '{made}', which is made of it with a secret key: whoever sees both can undo that without the key"
            ))
            .set(Setting::role("drop").of(&[name]), format!("leave '{name}' out"))
            .advise(format!("leave into out of the step, so that the result takes the place of '{name}'")));
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
    for step in steps.iter().filter(|step| step.transform.facts().truth == StepTruth::Pseudonym) {
        let code = step.makes();
        if asked || !is_published(plan, code) {
            continue;
        }
        let error = match links(plan, step, table)? {
            Linked::Nobody => continue,
            Linked::Person => Error::refused(format!(
                "the codes in '{code}' show which rows are one person's, and no model is about all rows of a person together: whoever knows \
                 several rows of somebody may find all of them"
            ))
            .set(Wanted::model("multirelational").with("k", 5), "ask for a model of all rows of a person"),
            Linked::Unknown => Error::refused(format!(
                "the codes in '{code}' show which rows belong together, and nobody says which rows are one person's"
            ))
            .set(Setting::role("subject"), "say which column tells people apart, even if each has one row"),
        };
        if !plan.accept_linkable_rows {
            return Err(error
                .advise(format!("leave the codes out: give '{code}' the role drop"))
                .weaken(Setting::root("accept_linkable_rows").to(true), "accept that rows can be linked"));
        }
        open = true;
    }
    plan.accept_linkable_rows &= open;
    Ok(())
}

/// Whose rows have equal codes. They are one person's if the codes were made of the column that tells people or households apart, or of one that
/// names people, or if no code is that of two people.
fn links(plan: &Plan, step: &Step, table: &CodedTable) -> Result<Linked> {
    let codes = table.column(step.makes()).ok_or_else(|| Error::internal("the codes are gone"))?;
    let missing = plan.column(step.makes()).and_then(|column| column.missing.as_ref());
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
    if step.columns().iter().any(of_people) {
        return Ok(Linked::Person);
    }
    let subject = plan.names_with(Role::Subject).next().and_then(|name| table.column(name));
    let Some(subject) = subject else { return Ok(Linked::Unknown) };
    let person_of = value_of_text(subject, plan);
    let mut person_of_code: Vec<Option<u32>> = vec![None; codes.values.len()];
    for (row, code) in codes.codes.iter().enumerate().filter(|(_, code)| is_code[*code as usize]) {
        let person = person_of[subject.codes.get(row) as usize];
        if *person_of_code[code as usize].get_or_insert(person) != person {
            return Ok(Linked::Nobody);
        }
    }
    Ok(Linked::Person)
}

/// Whether some code stands in several rows.
fn is_repeated(codes: &CodedColumn, is_code: &[bool]) -> bool {
    let mut met = vec![false; codes.values.len()];
    codes.codes.iter().any(|code| is_code[code as usize] && std::mem::replace(&mut met[code as usize], true))
}
