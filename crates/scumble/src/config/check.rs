//! What must be true of a plan before its table is examined, and how it meets a table's header.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use super::column::{Column, ValueType};
use super::output::Range;
use super::plan::{Plan, Rest};
use super::rational::Rational;
use super::roles::{Role, Roles};
use super::source::Step;
use super::template::Template;
use scumble_files::database::Address;
use scumble_files::shown::listed;

use crate::error::{Error, Result, Setting, Wanted, among_columns, did_you_mean};

/// Something wrong, and the way to it in the file.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) path: Vec<Step>,
    pub(super) error: Error,
}

fn problem(path: &[&str], message: impl Display) -> Problem {
    about(path, Error::config(message))
}

fn about(path: &[&str], error: Error) -> Problem {
    Problem { path: path.iter().map(|key| Step::Key((*key).to_owned())).collect(), error }
}

impl Plan {
    /// Finds the first contradiction in the plan itself.
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.check_read()?;
        for (key, name) in [
            ("input", Some(&self.input)),
            ("output", Some(&self.output)),
            ("population", self.population.as_ref()),
        ] {
            let address = name.and_then(|name| Address::recognise(name)).transpose();
            address.map_err(|error| about(&[key], error))?;
        }
        if let Some(name) = &self.template {
            Template::find(name).map_err(|error| about(&["template"], error))?;
        }
        for role in [Role::Class, Role::Subject, Role::Household] {
            self.check_at_most_one(role)?;
        }
        let mut named = BTreeSet::new();
        for (name, column) in &self.columns {
            // A file cannot name a column twice; a program can.
            if !named.insert(name) {
                let error = Error::config(format_args!("column '{name}' is named twice"));
                let error = error.advise("give the column one entry, with all of its roles");
                return Err(about(&["columns", name], error));
            }
            check_column(name, column)?;
            if let Some(error) = self.range_fault(name, column) {
                return Err(about(&["columns", name, "range"], error));
            }
            if let Some(error) = self.check_renumber(name, column) {
                return Err(about(&["columns", name, "renumber"], error));
            }
            if let Some((key, error)) = self.weights_fault(name, column) {
                return Err(about(&["columns", name, key], error));
            }
            if let Some((keys, error)) = super::consent::fault(name, column, self.risk.audience) {
                let path: Vec<&str> = ["columns", name].into_iter().chain(keys.iter().copied()).collect();
                return Err(about(&path, error));
            }
        }
        if self.algorithm.suppression.is_some_and(|share| share > Rational::ONE) {
            let hint = self.algorithm.suppression.map_or_else(String::new, Rational::percent_hint);
            return Err(problem(
                &["algorithm", "suppression"],
                format!(
                    "suppression is the share of rows that may be suppressed: a number from 0 to 1{hint}"
                ),
            ));
        }
        if let Some((key, message)) = self.risk.fault() {
            return Err(problem(&["risk", key], message));
        }
        if let Some((key, message)) = self.wp216.as_ref().and_then(|thresholds| thresholds.fault()) {
            return Err(problem(&["wp216", key], message));
        }
        if self.population.is_some() && self.risk.knows_size() {
            return Err(problem(&["population"], super::risk::ONE_SIZE));
        }
        self.check_households()?;
        self.check_models()
    }

    /// What is wrong with ranges in two columns, as far as the plan can tell. It must be asked again when the plan has every column.
    pub(crate) fn range_fault(&self, name: &str, column: &Column) -> Option<Error> {
        if column.range != Range::TwoColumns {
            return None;
        }
        let setting = || Setting::column("range").of(&[name]);
        let without =
            |what: String| Some(Error::config(what).unset(setting(), "write the column in one, with labels"));
        if !column.role.has(Role::Quasi) {
            return without(format!(
                "column '{name}' is to be written as a range in two columns, and in the role {} it is never coarsened",
                column.role.to_toml()
            ));
        }
        if let Some(of @ (ValueType::Text | ValueType::Boolean)) = column.value_type {
            return without(format!(
                "column '{name}' is to be written as a range in two columns, and values of the type {} have no order",
                of.name()
            ));
        }
        if column.value_type == Some(ValueType::DecimalComma) {
            return without(format!(
                "column '{name}' is to be written as a range in two columns, which are for people who compute with them, and its numbers have a \
                 decimal comma"
            ))
            .map(|error| error.advise("write its numbers with a decimal point; a dialect of the output can turn them back"));
        }
        if column.label == Some(super::Label::Set) {
            return without(format!(
                "column '{name}' is to be written as a range in two columns, and its label is a set, which is no range"
            ))
            .map(|error| error.unset(Setting::column("label").of(&[name]), "leave label out"));
        }
        let published = |column: &Column| Role::PUBLISHED.iter().any(|role| column.role.has(*role));
        let written = Range::columns_of(name);
        let taken = self.columns.iter().find(|(other, column)| written.contains(other) && published(column));
        taken.and_then(|(other, _)| {
            without(format!(
                "column '{name}' is to be written as the two columns '{}' and '{}', and the table has a column '{other}' that is published",
                written[0], written[1]
            ))
            .map(|error| error.set(Setting::role("drop").of(&[other]), format!("leave '{other}' out")))
        })
    }

    /// One column tells households apart, and models count one thing.
    fn check_households(&self) -> Result<(), Problem> {
        let column = self.names_with(Role::Household).next();
        if let (Some(column), Some(of_risk)) = (column, &self.risk.household)
            && column != of_risk
        {
            let what =
                format!("'{column}' has the role household, and [risk] names '{of_risk}' as the households");
            let error =
                Error::config(what).unset(Setting::risk("household"), "leave household out of [risk]");
            return Err(about(&["risk", "household"], error));
        }
        let place = self.privacy.iter().position(super::ModelSpec::counts_households);
        if let (Some(place), Some(subject)) = (place, self.names_with(Role::Subject).next()) {
            let error = Error::config(format_args!(
                "k_anonymity is to count households, and the column '{subject}' has persons counted: models count one or the other"
            ))
            .set(Setting::role("drop").of(&[subject]), "leave the subject column out, since a person belongs to one household")
            .unset(Setting::model("unit").of_model("k_anonymity"), "leave unit out, and count persons");
            let mut problem = about(&["privacy"], error);
            problem.path.extend([Step::Item(place), Step::Key("unit".to_owned())]);
            return Err(problem);
        }
        Ok(())
    }

    /// The column of households that is released with fresh numbers, if one is.
    pub(crate) fn renumbered(&self) -> Option<&str> {
        let found =
            self.columns.iter().find(|(_, column)| column.renumber && column.role.has(Role::Household));
        found.map(|(name, _)| name.as_str())
    }

    /// Whether models count households instead of people: one asks for it, or fresh numbers link the rows of each household.
    pub(crate) fn counts_households(&self) -> bool {
        self.renumbered().is_some() || self.privacy.iter().any(super::ModelSpec::counts_households)
    }

    /// What is wrong with fresh numbers of households.
    fn check_renumber(&self, name: &str, column: &Column) -> Option<Error> {
        let setting = || Setting::column("renumber").of(&[name]);
        if !column.renumber {
            return None;
        }
        if !column.role.has(Role::Household) {
            let what = format!("column '{name}' is to be renumbered, and only numbers of households are");
            return Some(
                Error::config(what)
                    .set(Setting::role("household").of(&[name]), "say that the column tells households apart")
                    .unset(setting(), "leave renumber out"),
            );
        }
        let unset = |error: Error| {
            Some(error.unset(setting(), "leave renumber out, so that nothing links the rows of a household"))
        };
        if !self.privacy.iter().any(super::ModelSpec::is_about_persons) {
            return unset(
                Error::refused(format!(
                    "fresh numbers in '{name}' show which rows are one household, and no model is about all rows of a household together: whoever \
                     knows a household may find all of its rows"
                ))
                .set(
                    Wanted::model("multirelational").with("k", 5),
                    "ask for a model of all rows of a household, with an algorithm that serves it, such as mingen",
                ),
            );
        }
        if let Some(subject) = self.names_with(Role::Subject).next() {
            let what = format!(
                "fresh numbers in '{name}' make models count households, and the column '{subject}' has persons counted: models count one or the \
                 other"
            );
            let error =
                Error::config(what).set(Setting::role("drop").of(&[subject]), "leave the subject column out");
            return unset(error);
        }
        if self.privacy.iter().any(|spec| spec.is_size_alone() && !spec.counts_households()) {
            let what = format!(
                "fresh numbers in '{name}' make models count households, and k_anonymity is to count persons"
            );
            let unit = Setting::model("unit").of_model("k_anonymity").to("household");
            return unset(Error::config(what).set(unit, "let k count households"));
        }
        None
    }

    /// The column by whose values models count: households where a model asks for that, else people.
    pub(crate) fn counted_by(&self) -> Option<&str> {
        let role = if self.counts_households() { Role::Household } else { Role::Subject };
        self.names_with(role).next()
    }

    /// The column that tells households apart, for risks too.
    #[must_use]
    pub fn household(&self) -> Option<&str> {
        self.names_with(Role::Household).next().or(self.risk.household.as_deref())
    }

    fn check_read(&self) -> Result<(), Problem> {
        let read = &self.read;
        for (key, mark) in [("delimiter", read.delimiter), ("quote", read.quote)] {
            if mark.is_some_and(|mark| !mark.is_ascii() || mark == '\n' || mark == '\r') {
                return Err(problem(
                    &["read", key],
                    format!("{key} must be one ASCII character and no line break"),
                ));
            }
        }
        if read.delimiter.is_some() && read.delimiter == read.quote {
            return Err(problem(&["read", "quote"], "quote and delimiter are the same character"));
        }
        Ok(())
    }

    fn check_at_most_one(&self, role: Role) -> Result<(), Problem> {
        let mut names = self.names_with(role);
        match (names.next(), names.next()) {
            (Some(first), Some(second)) => {
                let what = format!(
                    "'{first}' and '{second}' both have the role {}, and only one column can",
                    role.name()
                );
                let error = Error::config(what).advise("make one of the two other, quasi or sensitive");
                Err(about(&["columns", second, "role"], error))
            }
            _ => Ok(()),
        }
    }

    fn check_models(&self) -> Result<(), Problem> {
        for (place, model) in self.privacy.iter().enumerate() {
            for name in &model.columns {
                if self.column(name).is_none() && self.rest != Some(Rest::Other) {
                    let near = did_you_mean(name, self.columns.iter().map(|(name, _)| name.as_str()));
                    let mut problem = problem(
                        &["privacy"],
                        format!(
                            "the model {} names the column '{name}', which has no [columns] entry{near}",
                            model.model
                        ),
                    );
                    problem.path.extend([Step::Item(place), Step::Key("columns".to_owned())]);
                    return Err(problem);
                }
            }
            if let Some(set) = &model.quasi {
                self.columns_of(set).and_then(|columns| self.check_set(columns)).map_err(|error| {
                    let mut problem = about(&["privacy"], error);
                    problem.path.extend([Step::Item(place), Step::Key("quasi".to_owned())]);
                    problem
                })?;
            }
        }
        for (name, columns) in &self.quasi_sets {
            self.check_set(columns).map_err(|error| about(&["quasi_sets", name], error))?;
        }
        Ok(())
    }

    /// What is wrong with a set of quasi-identifiers.
    fn check_set(&self, columns: &[String]) -> Result<()> {
        if columns.is_empty() {
            return Err(Error::config("a set of quasi-identifiers needs at least one column"));
        }
        for (place, name) in columns.iter().enumerate() {
            if columns[..place].contains(name) {
                return Err(Error::config(format_args!("the column '{name}' is in the set twice")));
            }
            if !self.names_with(Role::Quasi).any(|quasi| quasi == name) {
                let near = did_you_mean(name, self.names_with(Role::Quasi));
                return Err(Error::config(format_args!(
                    "'{name}' is in a set of quasi-identifiers, but it is none{near}"
                )));
            }
        }
        Ok(())
    }

    /// The names of the columns with a role, in the order of the plan.
    pub fn names_with(&self, role: Role) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(move |(_, column)| column.role.has(role)).map(|(name, _)| name.as_str())
    }

    /// Makes sure that the plan can be carried out: no contradiction, every guess confirmed, something to
    /// generalise, something to keep.
    pub fn ready(&self) -> Result<()> {
        self.check().map_err(|problem| problem.error)?;
        let guessed: Vec<String> = self
            .columns
            .iter()
            .filter(|(_, column)| !column.role.is_confirmed())
            .map(|(name, column)| format!("{name} ({})", column.role.to_toml().replace('"', "")))
            .collect();
        if !guessed.is_empty() {
            let what = if guessed.len() == 1 { "role is" } else { "roles are" };
            return Err(Error::config(format_args!(
                "{} {what} only guessed: {}",
                guessed.len(),
                guessed.join(", ")
            ))
            .advise("look at each role, and remove the `?` to confirm it, or change it"));
        }
        if self.names_with(Role::Quasi).next().is_none() {
            return Err(no_quasi_identifier());
        }
        if self.input == self.output && self.input != "-" {
            return Err(Error::config(format_args!(
                "'{}' is the input that this command reads, so it cannot also be an output",
                crate::base::text::on_one_line(&self.output)
            ))
            .set(Setting::root("output"), "choose another name for the output"));
        }
        Ok(())
    }

    /// The plan's columns for a table's header, in the header's order. A plan that names a column which is not
    /// there, or a header with a column that nobody has spoken about, is an error.
    pub fn columns_for(&self, header: &[&str]) -> Result<Vec<Column>> {
        let present: BTreeSet<&str> = header.iter().copied().collect();
        if let Some((absent, column)) = self.columns.iter().find(|(name, _)| !present.contains(name.as_str()))
        {
            return Err(absent_column(absent, column, header));
        }
        let rest = self.rest.map(|rest| match rest {
            Rest::Other => Role::Other,
            Rest::Drop => Role::Drop,
        });
        let mut unspoken = Vec::new();
        let mut columns = Vec::new();
        let planned: BTreeMap<&str, &Column> =
            self.columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
        for name in header {
            match (planned.get(name), rest) {
                (Some(column), _) => columns.push((*column).clone()),
                (None, Some(role)) => columns.push(Column::new(Roles::one(role))),
                (None, None) => unspoken.push(*name),
            }
        }
        if unspoken.is_empty() {
            return Ok(columns);
        }
        Err(Error::config(format_args!("no role is given for {}", listed(&unspoken)))
            .advise("give each of these columns a role")
            .set(Setting::root("rest").to("drop"), "leave out all columns that are not named")
            .weaken(Setting::root("rest").to("other"), "publish all columns that are not named as they are"))
    }
}

/// The error of a column that has a role and is not in the table.
fn absent_column(name: &str, column: &Column, header: &[&str]) -> Error {
    let shown = crate::base::text::on_one_line(name);
    if let ([only], Some(likely)) = (header, header.first().and_then(|only| divides(only)))
        && only.split(likely).any(|part| part.trim().trim_matches('"') == name)
    {
        let mark = if likely == '\t' { "a tab".to_owned() } else { format!("'{likely}'") };
        return Error::config(format_args!(
            "there is no column '{shown}', since the header is one column under this delimiter; it looks as if {mark} stood between fields"
        ))
        .unset(Setting::read("delimiter"), "leave the delimiter out, so that it is detected")
        .set(Setting::read("delimiter"), format!("give {mark} as the delimiter"));
    }
    let role = column.role.as_slice().first().map_or("quasi", |role| role.name());
    Error::config(format_args!("there is no column '{shown}'{}", among_columns(name, header)))
        .unset(Setting::role(role).of(&[name]), "correct the name where the column is given a role")
}

/// The delimiter that is found most often in a text, if any is.
fn divides(text: &str) -> Option<char> {
    let found = [',', ';', '\t', '|'].map(|delimiter| (text.matches(delimiter).count(), delimiter));
    found
        .into_iter()
        .rev()
        .max_by_key(|(count, _)| *count)
        .filter(|(count, _)| *count > 0)
        .map(|(_, delimiter)| delimiter)
}

fn check_column(name: &str, column: &Column) -> Result<(), Problem> {
    let at = |key: &str, message: &str| Err(problem(&["columns", name, key], message));
    if column.format.is_some() && column.value_type.is_some_and(|given| given != ValueType::Date) {
        let error = Error::config("format is for dates")
            .set(Setting::column("type").of(&[name]).to("date"), "say that the column holds dates")
            .unset(Setting::column("format").of(&[name]), "leave format out");
        return Err(about(&["columns", name, "format"], error));
    }
    if column.priority.is_some_and(|priority| priority > Rational::ONE) {
        let error = Error::config("priority is at most 1, for what matters most")
            .set(Setting::column("priority"), "give the other columns less");
        return Err(about(&["columns", name, "priority"], error));
    }
    if matches!(column.value_type, Some(ValueType::Text | ValueType::Boolean)) {
        for (key, bound) in [("min", &column.min), ("max", &column.max)] {
            if bound.is_some() {
                return at(key, "min and max need an order; a column of this type has none");
            }
        }
    }
    Ok(())
}

/// The error of a plan that names no quasi-identifier, where one is needed.
pub(crate) fn no_quasi_identifier() -> Error {
    Error::config(
        "no column is a quasi-identifier, so there is nothing by which outsiders could find a person",
    )
    .set(Setting::role("quasi"), "say which columns outsiders may know, such as age, sex and postcode")
}
