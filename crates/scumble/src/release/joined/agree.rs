//! What the plans of one call must agree on, so that their tables stay joined: which codes a value has.

use scumble_verify::JoinKey;

use super::PlanOfTable;
use crate::base::chance::secret_unless;
use crate::config::{Plan, Rest, Role};
use crate::error::{Error, Result, Setting, Wish};
use crate::registry::Method;
use crate::release::method_for;
use crate::release::offers;
use crate::release::resources::Resources;
use crate::transforms::{CodeSpace, Step, StepTruth, steps};

/// A column of codes that is published.
pub(super) struct Coded {
    pub(super) key: JoinKey,
    /// The column that the codes were made of.
    pub(super) of: String,
    /// What decides the codes.
    space: CodeSpace,
}

/// The columns of codes of each plan; an error if the plans cannot be released in one call.
pub(super) fn keys(plans: &[PlanOfTable<'_>]) -> Result<Vec<Vec<Coded>>> {
    if plans.len() < 2 {
        return Err(Error::config("tables are joined if there are at least two plans")
            .advise("name the plans of all tables"));
    }
    for of in plans {
        serves(of.plan).map_err(|error| in_plan(of.name, error))?;
    }
    let coded: Vec<Vec<Coded>> = plans
        .iter()
        .map(|of| codes(of.plan).map_err(|error| in_plan(of.name, error)))
        .collect::<Result<_>>()?;
    for (place, of) in plans.iter().enumerate() {
        for (other_place, other) in plans.iter().enumerate().skip(place + 1) {
            for (one, next) in coded[place].iter().flat_map(|one| {
                coded[other_place]
                    .iter()
                    .filter(|next| one.key.domain == next.key.domain)
                    .map(move |next| (one, next))
            }) {
                agree((of.name, &one.space), (other.name, &next.space))?;
            }
        }
    }
    check_connected(plans, &coded)?;
    Ok(coded)
}

/// An error with the plan that it is about.
pub(super) fn in_plan(name: &str, error: Error) -> Error {
    if error.is(&[crate::error::ErrorKind::Interrupted, crate::error::ErrorKind::Internal]) {
        return error;
    }
    error.reworded(|what| format!("{name}: {what}"))
}

/// Returns an error if a plan asks for something that one call for several tables does not have.
fn serves(plan: &Plan) -> Result<()> {
    if !matches!(method_for(plan)?, Method::Classes(_)) {
        return Err(Error::refused(format!(
            "tables that codes join are published in groups, and '{}' makes none",
            plan.algorithm.name
        ))
        .with(offers::of_classes(plan, Wish::Classes.words())));
    }
    if plan.output == "-" || scumble_files::database::Address::recognise(&plan.output).is_some() {
        return Err(Error::config(
            "releases that are published together go into files, since nothing else can be taken back if the next one fails",
        )
        .set(Setting::root("output"), "name a file"));
    }
    if plan.input == "-" {
        return Err(Error::config("one of several tables cannot come from standard input")
            .advise("name a file as the input"));
    }
    if !plan.table.is_empty() {
        return Err(Error::refused(
            "tables that were published before ([[table]]) cannot be judged together with tables that codes join",
        )
        .unset(Setting::root("table"), "leave those tables out"));
    }
    if plan.population.is_some() {
        return Err(Error::refused("the population has no codes, so joined rows cannot be compared with it")
            .unset(Setting::root("population"), "leave the population out, with the models that need it"));
    }
    Ok(())
}

/// The columns of codes that a plan publishes.
fn codes(plan: &Plan) -> Result<Vec<Coded>> {
    let all = steps(&plan.transform)?;
    let mut found: Vec<Coded> = Vec::new();
    for (place, step) in all.iter().enumerate() {
        let (Some(of), Some(made)) = (step.columns().first().copied(), step.makes().first().copied()) else {
            continue;
        };
        let Some(space) = step.transform.codes(of) else { continue };
        let changes = |step: &&Step| step.reads().contains(&made);
        if let Some(next) = all[place + 1..].iter().find(changes) {
            return Err(Error::refused(format!(
                "the step '{}' makes something else of the codes in '{made}', and what it makes could join tables in ways that are not checked",
                next.spec.transform
            ))
            .advise("leave that step out"));
        }
        let Some(column) = plan.column(made) else {
            if plan.rest == Some(Rest::Other) {
                push(&mut found, (of, made), space)?;
            }
            continue;
        };
        if !Role::PUBLISHED.iter().any(|role| column.role.has(*role)) {
            continue;
        }
        if column.role.as_slice() != [Role::Other] {
            return Err(Error::config(format!(
                "codes that join tables are published as they are, so '{made}' has the role other and no further one"
            ))
            .set(Setting::role("other").of(&[made]), format!("give '{made}' the role other")));
        }
        push(&mut found, (of, made), space)?;
    }
    Ok(found)
}

fn push(found: &mut Vec<Coded>, (of, column): (&str, &str), space: CodeSpace) -> Result<()> {
    if let Some(twice) = found.iter().find(|known| known.space.domain == space.domain) {
        return Err(Error::config(format!(
            "'{}' and '{column}' have codes of one domain, '{}', so it is not clear which of them joins the tables",
            twice.key.column, space.domain
        ))
        .advise("publish one of them only, or give one of the steps another domain"));
    }
    let key = JoinKey { column: column.to_owned(), domain: space.domain.clone() };
    found.push(Coded { key, of: of.to_owned(), space });
    Ok(())
}

/// Returns an error if two plans make different codes of equal values.
fn agree((one, of_one): (&str, &CodeSpace), (next, of_next): (&str, &CodeSpace)) -> Result<()> {
    let differing = of_one.settings.iter().zip(&of_next.settings).find(|(one, next)| one != next);
    let Some(((name, first), (_, second))) = differing else { return Ok(()) };
    Err(Error::config(format!(
        "{one} and {next} have codes of one domain, '{}', and do not agree on {name}: '{first}' and '{second}'. So equal values would have \
         different codes, and the tables would not join",
        of_one.domain
    ))
    .advise(format!("give both steps the same {name}"))
    .advise("give the domains different names, if the values are not the same"))
}

/// Returns an error if some table shares no codes with the others.
fn check_connected(plans: &[PlanOfTable<'_>], coded: &[Vec<Coded>]) -> Result<()> {
    let mut joined = vec![false; plans.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        joined[at] = true;
        let shares = |other: &usize| {
            coded[*other].iter().any(|of| coded[at].iter().any(|own| own.key.domain == of.key.domain))
        };
        open.extend((0..plans.len()).filter(|other| !joined[*other]).filter(shares));
    }
    let Some(alone) = joined.iter().position(|joined| !joined) else { return Ok(()) };
    Err(Error::config(format!(
        "no published codes join the table of {} with that of {}: releases of one call share the domain of a step that makes codes",
        plans[alone].name, plans[0].name
    ))
    .advise("give the steps that make the codes in both plans the same domain, and publish the codes")
    .advise("make that release by itself"))
}

/// Returns an error if the plans have different keys.
pub(super) fn one_key(plans: &[(&str, &Plan, &Resources)]) -> Result<()> {
    let mut known: Option<(&str, String)> = None;
    for (name, plan, resources) in plans {
        let id = resources.key(plan).and_then(|key| key.id()).map_err(|error| in_plan(name, error))?;
        match &known {
            None => known = Some((name, id)),
            Some((first, of)) if *of != id => {
                return Err(Error::config(format!(
                    "{first} and {name} name different keys, so equal values would have different codes"
                ))
                .advise("give both plans the same key"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Gives all plans one random id of the release. The draw can only be repeated if every plan has a seed.
pub(super) fn give_one_release_id(plans: &mut [Plan], names: &[&str]) -> Result<()> {
    let parameter = "release_id";
    let mut known: Option<(&str, String)> = None;
    for (plan, name) in plans.iter().zip(names) {
        for spec in &plan.transform {
            let Some(id) = spec.parameters.get(parameter).map(|id| id.to_text().to_ascii_lowercase()) else {
                continue;
            };
            match &known {
                Some((first, of)) if *of != id => {
                    return Err(Error::config(format!(
                        "{first} and {name} name different ids of the release (release_id), and all tables of one call are one release"
                    ))
                    .advise("leave release_id out, or give the same in all steps"));
                }
                _ => known = Some((name, id)),
            }
        }
    }
    let id = match known {
        Some((_, id)) => id,
        None => {
            let seed = plans[0].algorithm.seed.filter(|_| plans.iter().all(|of| of.algorithm.seed.is_some()));
            let mut id = [0; 16];
            rand_chacha::rand_core::Rng::fill_bytes(&mut secret_unless(seed)?, &mut id);
            format!("{:032x}", u128::from_be_bytes(id))
        }
    };
    for spec in plans.iter_mut().flat_map(|plan| &mut plan.transform) {
        let of_release = steps(std::slice::from_ref(spec))?.iter().any(|step| {
            let facts = step.transform.facts();
            facts.truth == StepTruth::Pseudonym && facts.needs_chance
        });
        if of_release {
            spec.parameters.set(parameter, id.as_str().into());
        }
    }
    Ok(())
}
