//! Chooses the columns of several tables, and which of them outsiders may know.

use crate::config::{Plan, Role, Roles};
use crate::error::{Error, Result, Setting};
use crate::search::algorithms::tables::Target;

/// The plan for a search over several tables.
pub(super) struct Arranged {
    /// The plan, with every column that may be published in addition to the target as a quasi-identifier.
    pub(super) plan: Plan,
    /// The column that the tables are about.
    pub(super) target: String,
    /// Notes for the reader.
    pub(super) notes: Vec<String>,
}

/// Gives every column its role in the search.
pub(super) fn arrange(plan: &Plan, target: Target, algorithm: &str) -> Result<Arranged> {
    if let Some((set, _)) = plan.privacy.iter().find_map(|spec| Some((spec.quasi.as_ref()?, spec))) {
        return Err(Error::refused(format!(
            "a model is about the set {set:?} of quasi-identifiers, and '{algorithm}' publishes several tables, which are checked \
             together on all of them"
        ))
        .advise("leave 'quasi' out of the model, so that it is about all quasi-identifiers"));
    }
    let sensitive: Vec<&str> = plan.names_with(Role::Sensitive).collect();
    let name = match target {
        Target::Decision => decision(plan, &sensitive, algorithm)?,
        Target::Sensitive => match sensitive[..] {
            [name] => name,
            [] => {
                return Err(Error::config(format!(
                    "'{algorithm}' separates a sensitive column from the others, and no column is sensitive"
                ))
                .set(Setting::role("sensitive"), "name the sensitive column"));
            }
            [first, second, ..] => {
                return Err(Error::refused(format!(
                    "'{algorithm}' separates one sensitive column from the others, and '{first}' and '{second}' both are sensitive"
                ))
                .set(Setting::role("drop"), "leave one of the two columns out")
                .another_that("use an algorithm that serves several sensitive columns"));
            }
        },
    };
    let mut arranged = Arranged { plan: plan.clone(), target: name.to_owned(), notes: Vec::new() };
    for (of, column) in &mut arranged.plan.columns {
        if *of == name {
            continue;
        }
        if column.role.has(Role::Other) || column.role.has(Role::Class) && target == Target::Sensitive {
            column.role = Roles::one(Role::Quasi);
        } else if column.role.has(Role::Sensitive) {
            arranged.notes.push(format!(
                "column '{of}' is sensitive and not what '{algorithm}' is about, so it is not published"
            ));
            column.role = Roles::one(Role::Drop);
        }
    }
    Ok(arranged)
}

/// The target: the class column, else the only sensitive column.
fn decision<'a>(plan: &'a Plan, sensitive: &[&'a str], algorithm: &str) -> Result<&'a str> {
    match (plan.names_with(Role::Class).next(), sensitive) {
        (Some(class), _) => Ok(class),
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::config(format!(
            "'{algorithm}' keeps what tells the classes apart, and no column is the class"
        ))
        .set(Setting::role("class"), "name the class column")),
    }
}
